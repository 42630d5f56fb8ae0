"""Flat groups give their places to the next prompts, in turns, until each place has a group with signal.

As many prompts are sampled as groups turned out flat, in data order. So the prompts of a generation batch are the first
ones in that order among which there are enough groups with signal, and which of them are trained on depends on their
own outcome alone. Each process fills its own places, in as many turns as the one that needs most.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from gpocli.errors import SpecError
from gpocli.runs.records import Outcome
from gpocli.trainers.generation_batch import Selected
from gpocli.trainers.group_round import GroupRound
from gpocli.trainers.prompt_order import PromptOrder


def why_not_refill(trainer: Any) -> str | None:
    """Why flat groups cannot be refilled for a trainer, with what to write instead; None where they can."""
    if trainer.tools or trainer.rollout_func is not None or getattr(trainer, "environment_factories", None):
        return "tools, environments and rollout functions take prompts of their own: use flat_groups='skip'"
    if not hasattr(trainer.train_dataset, "__len__"):
        return "streamed data has no next prompt that can be found again: use flat_groups='skip', or data of known size"
    rows = trainer.args.per_device_train_batch_size * trainer.args.steps_per_generation
    if rows % trainer.keep:
        return (
            f"a process has {rows} rows of a generation batch, which is no multiple of the {trainer.keep} rows of a "
            "group: use flat_groups='skip', or other batch sizes"
        )
    return None


@dataclass(frozen=True)
class _Turn:
    """Some prompts that were sampled: the round that they made, what the parent made of the kept rows, and rewards."""

    round: GroupRound
    parts: tuple[Any, ...]
    rewards_BF: torch.Tensor


class Refill:
    """Fills the generation batches of a trainer; `place` is where in the data order it is, over all processes."""

    def __init__(self, trainer: Any) -> None:
        if (reason := why_not_refill(trainer)) is not None:
            raise SpecError(f"flat_groups='refill' does not work here: {reason}")
        self._trainer, self.place = trainer, 0
        self._order = PromptOrder(trainer.train_dataset, trainer.args.seed, shuffle=trainer.shuffle_dataset)
        self._has_told = False

    def generate(self, whole: GroupRound, prompts: list[Any]) -> tuple[GroupRound, tuple[Any, ...]]:
        """What the parent's `_generate` answers for a generation batch, and the round that it came out of.

        The rows of `whole` and `prompts`, which the parent goes on with, become those that are handed on.
        """
        keep, turns = self._trainer.keep, self._turns(len(prompts) // self._trainer.keep)
        rewards_BF = torch.cat([turn.rewards_BF for turn in turns])
        groups = Places.of(self._trainer._rules.flat_rows(rewards_BF)[::keep].tolist(), len(prompts) // keep)
        self._tell_once(groups)
        rows = groups.rows(keep)
        selected = handed_on(Selected.joined([turn.round.selected for turn in turns]), keep, groups)
        chosen_BF = rewards_BF[rows]
        chosen_BF[list(selected.selection.surplus)] = torch.nan
        whole.rows[:] = [selected.rows[number] for number in selected.selection.kept]
        prompts[:] = [selected.prompts[number] for number in selected.selection.kept]
        by_kind = zip(*(turn.parts for turn in turns), strict=True)
        parts = tuple(_chosen(values, rows, len(rewards_BF)) for values in by_kind)
        return whole.of_all([turn.round for turn in turns], selected, chosen_BF), parts

    def _turns(self, wanted: int) -> list[_Turn]:
        turns: list[_Turn] = []
        missing, left, live = wanted, wanted * self._trainer.args.flat_max_prompts, 0
        while missing > 0:
            turns.append(self._turn(missing))
            left -= missing
            live += int((~self._trainer._rules.flat_rows(turns[-1].rewards_BF)).sum()) // self._trainer.keep
            missing = min(self._trainer._processes.largest(max(wanted - live, 0)), left)
        return turns

    def _turn(self, count: int) -> _Turn:
        """Sample and score the next `count` prompts of this process."""
        trainer, processes = self._trainer, self._trainer._processes
        rows = self._order.rows(self.place + processes.index * count, count)
        self.place += processes.count * count
        rows = [row for row in rows for _ in range(trainer.keep)]
        prompts = [row["prompt"] for row in rows]
        turn, parts = trainer._sample_round(trainer._opened(rows), prompts)
        gathered = turn.rewards(rows, prompts, parts[3], parts[1], trainer._score)
        return _Turn(turn, parts, processes.own(gathered, len(rows)).cpu())

    def _tell_once(self, groups: "Places") -> None:
        if groups.fillers and not self._has_told:
            self._has_told = True
            self._trainer.on_note(
                f"{len(groups.live)} of {len(groups.flat_P)} prompts had a group with signal, where "
                f"{len(groups.live) + len(groups.fillers)} are wanted: training on those, for flat_max_prompts is "
                f"{self._trainer.args.flat_max_prompts} (told once; see groups/sampled)"
            )


@dataclass(frozen=True)
class Places:
    """Which of the groups that were sampled get the places of a generation batch.

    `live` are the first groups with signal, in data order; `fillers` the first flat ones, in the places that are left.
    """

    flat_P: Sequence[bool]
    live: Sequence[int]
    fillers: Sequence[int]

    @classmethod
    def of(cls, flat_P: Sequence[bool], wanted: int) -> "Places":
        live = [group for group, is_flat in enumerate(flat_P) if not is_flat][:wanted]
        flat = [group for group, is_flat in enumerate(flat_P) if is_flat]
        return cls(flat_P, live, flat[: wanted - len(live)])

    def rows(self, keep: int) -> list[int]:
        """The kept rows of these groups, in data order."""
        groups = sorted([*self.live, *self.fillers])
        return [row for group in groups for row in range(group * keep, (group + 1) * keep)]


def handed_on(joined: Selected, keep: int, groups: Places) -> Selected:
    """The candidates with the groups that got a place handed on alone; rows of fillers are surplus."""
    old, was_surplus, rows = joined.selection, set(joined.selection.surplus), groups.rows(keep)
    left_out: dict[int, Outcome] = {
        old.kept[row]: "flat" if groups.flat_P[row // keep] else "rejected"
        for row in range(len(old.kept))
        if row // keep not in groups.live and row not in was_surplus
    }
    surplus = [at for at, row in enumerate(rows) if row in was_surplus or row // keep in groups.fillers]
    return joined.selected(replace(old, kept=[old.kept[row] for row in rows], surplus=surplus, left_out=left_out))


def _chosen(of_turns: Sequence[Any], rows: Sequence[int], sampled: int) -> Any:
    """Of what the parent made of all turns, where it is one value for each row that was `sampled`, those of `rows`."""
    if not isinstance(of_turns[0], list):
        return of_turns[0]
    values = [value for of_turn in of_turns for value in of_turn]
    return [values[row] for row in rows] if len(values) == sampled else of_turns[0]
