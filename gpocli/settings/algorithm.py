"""The `algorithm` section: what all algorithms have in common. Each has its own section in `gpocli/algorithms`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from gpocli.settings.section import Section, rule
from gpocli.settings.setting import Flag, Setting

GroupSize = Annotated[int, Field(ge=2, le=4096)]
Keep = Annotated[int, Field(ge=2, le=4096)]
KeepOrAll = Annotated[int | None, Field(ge=2, le=4096)]
Weight = Annotated[float, Field(ge=0, le=10)]
ScaleRewards = Annotated[Literal["group", "batch", "none"], Setting("scale_rewards")]
Clip = Annotated[
    float,
    Field(gt=0, le=1),
    Setting("epsilon", aliases=("clip_range",), flag=Flag("--epsilon", "Clip range of the ratio")),
]
"""How far below 1 a probability ratio is trusted."""
ClipHigh = Annotated[
    float | None,
    Field(gt=0, le=100),
    Setting("epsilon_high", flag=Flag("--epsilon-high", "Upper clip range", null="as --epsilon")),
]
"""How far above 1 a probability ratio is trusted; null: as far as below."""


class FilterSpec(Section):
    """A filter and its options; a bare name stands for a filter with default options."""

    name: str = Field(min_length=1)
    """A registered filter, `./file.py:name` or `package.module:name`."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The filter's own settings, checked by its own model."""

    @model_validator(mode="before")
    @classmethod
    def bare_name_is_a_filter(cls, data: object) -> object:
        return {"name": data} if isinstance(data, str) else data


class AlgorithmSection(Section):
    """What every algorithm has; one that takes filters is a `FilteredSection`."""

    type: str
    """The method."""
    group_size: Annotated[
        GroupSize,
        Setting(
            "num_generations",
            aliases=("G", "n", "num_samples", "rollout_n"),
            flag=Flag("--group-size", "Candidates sampled a prompt", short="-G"),
        ),
    ] = 8
    """G, candidates sampled a prompt; 2 to 4096."""
    beta: Annotated[Weight, Setting("beta", aliases=("kl_coef",), flag=Flag("--beta", "Weight of the KL term"))] = 0.0
    """Weight of the KL divergence from the reference model; 0 (no reference model) to 10."""
    entropy_coef: Annotated[Weight, Setting("entropy_coef")] = 0.0
    """Weight of the entropy bonus; 0 to 10."""
    mask_truncated: Annotated[bool, Setting("mask_truncated_completions")] = False
    """Leave completions that were cut at `sampling.max_tokens` out of the loss."""
    flat_groups: Annotated[
        Literal["train", "skip", "refill"],
        Setting("flat_groups", flag=Flag("--flat-groups", "Groups whose rewards are all equal")),
    ] = "train"
    """Groups whose kept rewards are all equal: `train` on them, `skip` them, or `refill` them with next prompts."""
    flat_max_prompts: Annotated[int, Field(ge=1, le=1000), Setting("flat_max_prompts")] = 4
    """With `refill`: how many times the prompts of a generation batch may be sampled at most; 1 to 1000."""

    @property
    def kept(self) -> int | None:
        """k, where a filter chooses; None where all of a group are trained on."""
        return None

    @property
    def chain(self) -> list[FilterSpec]:
        """The filters, the deciding one first."""
        return []

    def conflicts(self, trl: Mapping[str, Any]) -> Mapping[str, str]:
        """What is wrong with the section beside these options under `trl`, by field."""
        return {}

    def notices(self, updates: int) -> list[str]:
        """What a sound section cannot have the effect of; `updates` are the steps that use a generation batch."""
        terms = [
            f"{name} (algorithm.{key} {getattr(self, key):g})"
            for key, name in (("beta", "the KL term"), ("entropy_coef", "the entropy bonus"))
            if getattr(self, key) > 0
        ]
        if self.flat_groups == "train" or not terms:
            return []
        return [f"algorithm.flat_groups: {self.flat_groups} leaves flat groups out of {' and '.join(terms)}, too"]


class FilteredSection(AlgorithmSection):
    """An algorithm whose groups may be filtered: k of G are trained on."""

    keep: Annotated[
        KeepOrAll,
        Setting(
            "num_remains_in_group",
            aliases=("k",),
            flag=Flag("--keep", "Candidates kept", short="-k", null="half, with --filter"),
        ),
    ] = None
    """k, candidates kept by `filters`; 2 to `group_size`; half of it where only filters are given; null: all."""
    filters: Annotated[
        list[FilterSpec],
        Setting(
            aliases=("filter", "group_filter_func"),
            flag=Flag(
                "--filter",
                "Name, ./file.py:name or package:name; repeats",
                null="none",
                metavar="NAME",
                complete="filter",
            ),
        ),
    ] = Field(default_factory=list)
    """Filters that choose the kept: the first decides, each next one breaks its ties; none by default."""
    race: Annotated[bool, Setting("race")] = True
    """Whether candidates that can no longer be kept are stopped, where filters and rewards allow it."""
    whole_every: Annotated[int, Field(ge=0, le=1_000_000), Setting("whole_every")] = 20
    """Generation batches from one without a race, which tells how long the policy writes, to the next; 0: none is."""

    @property
    def kept(self) -> int | None:
        return self.keep

    @property
    def chain(self) -> list[FilterSpec]:
        return self.filters

    @model_validator(mode="before")
    @classmethod
    def filters_alone_keep_half(cls, data: Any) -> Any:
        # before validation, where a `keep: null` that was written is told from one that was left out
        fields = cls.model_fields
        if not isinstance(data, dict) or not data.get("filters") or "keep" in data or fields["keep"].default:
            return data
        group_size = data.get("group_size", fields["group_size"].default)
        return {**data, "keep": max(2, group_size // 2)} if isinstance(group_size, int) else data

    @rule("keep", "group_size")
    def keep_fits_the_group(self) -> str | None:
        if self.keep is None or self.keep <= self.group_size:
            return None
        return f"keep {self.keep} is more than group_size {self.group_size}; write keep: {self.group_size} or less"

    @rule("keep", "filters")
    def keep_has_a_filter(self) -> str | None:
        if self.keep is not None and not self.filters:
            return f"{self.keep} are to be kept, but no filter chooses them; write filters: [length] as well"
        return None

    @rule("filters", "keep")
    def filter_has_a_keep(self) -> str | None:
        if self.filters and self.keep is None:
            half = max(2, self.group_size // 2)
            return f"a filter needs the number to keep of {self.group_size}; write keep: {half} as well"
        return None

    @rule("filters")
    def no_filter_twice(self) -> str | None:
        for i, one in enumerate(self.filters):
            if one in self.filters[:i]:
                return f"filter '{one.name}' is there twice with the same options; remove one"
        return None

    def notices(self, updates: int) -> list[str]:
        told = super().notices(updates)
        if self.keep == self.group_size:
            told.append(
                f"{self._of_nothing_to_choose()}: all {self.group_size} candidates of a group are kept;"
                " write a smaller algorithm.keep"
            )
        return told

    def _of_nothing_to_choose(self) -> str:
        return f"the filter of {self.type} chooses nothing here"


def ratios_are_one(algorithm: str, other: str, updates: int, paper: int) -> list[str]:
    """The notice of an `algorithm` that differs from `other` by its ratios alone, where these are all 1."""
    if updates > 1:
        return []
    return [
        f"{algorithm} cannot differ from {other} here: with one update a generation batch and one iteration every"
        f" ratio is 1; write batch.updates_per_generation: {paper}, as in its paper"
    ]
