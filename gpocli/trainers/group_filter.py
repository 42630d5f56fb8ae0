"""The filter of a run, checked against the run's other settings."""

from typing import Any

from gpocli.contracts.filter import GroupFilter
from gpocli.errors import SpecError
from gpocli.trainers.config import GroupConfig


def checked_filter(filters: Any, args: GroupConfig, trainer_kwargs: dict[str, Any]) -> GroupFilter | None:
    """The filter or chain as one `GroupFilter`; raises `SpecError` when it does not fit the run."""
    keep = args.num_remains_in_group
    if filters is None:
        if keep is not None:
            raise SpecError(
                f"num_remains_in_group={keep} needs a filter: pass group_filter_func, or leave num_remains_in_group "
                "out to train on every completion"
            )
        return None
    if isinstance(filters, GroupFilter):
        group_filter = filters
    else:
        group_filter = GroupFilter(filters if isinstance(filters, (list, tuple)) else [filters])
    if keep is None:
        raise SpecError(
            f"filter '{group_filter.name}' has nothing to do: set num_remains_in_group (k), how many of the "
            f"{args.num_generations} completions of a group are kept"
        )
    group_filter.check_keep(keep)
    for name in ("tools", "environment_factory", "rollout_func"):
        if trainer_kwargs.get(name):
            raise SpecError(f"{name} does not work with a group filter: leave out one of the two")
    return group_filter
