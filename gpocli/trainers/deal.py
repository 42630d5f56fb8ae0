"""The rows of a generation batch are dealt to its updates in several processes as in one.

TRL shuffles the rows of a generation batch and cuts them into micro-batches, each process for itself, so that another
number of processes makes other updates out of the same rows. Here the first process draws the order of all rows as TRL
does in a run of one process (the same call from the same random state), and each process takes its part of every
micro-step. A run of one process is left to TRL.
"""

import torch

from gpocli.trainers.objective import SKIPPED, SURPLUS, Inputs
from gpocli.trainers.processes import Processes

_PROMPT = frozenset(("prompt_ids", "prompt_mask"))
_MOVABLE = _PROMPT | frozenset(
    "completion_ids completion_mask tool_mask advantages old_per_token_logps ref_per_token_logps "
    "sampling_per_token_logps importance_sampling_ratio".split()
)


def dealt(micro_batches: list[Inputs], state: torch.Tensor, processes: Processes) -> list[Inputs]:
    """The micro-batches of one process that TRL made, dealt anew; `state` is the random state before TRL's shuffle.

    Rows with images and the like cannot move to another process: such micro-batches stay as they are.
    """
    columns = {name for name, value in micro_batches[0].items() if value is not None and getattr(value, "ndim", 1) > 0}
    if not columns <= _MOVABLE | {SKIPPED, SURPLUS}:
        return micro_batches
    rows = sum(len(batch["advantages"]) for batch in micro_batches)
    as_sampled = _order(rows, state)[0].argsort()
    order, after = _order(rows * processes.count, state)
    if processes.index == 0:
        torch.set_rng_state(after)  # as in a run of one process
    # Each micro-step takes the next rows of all processes; of these, this process the ones at its place.
    own = processes.of_first(order).view(len(micro_batches), processes.count, -1)[:, processes.index]
    anew = [dict(batch) for batch in micro_batches]
    for name in sorted(columns):
        local = torch.cat([batch[name] for batch in micro_batches])
        gathered = processes.gather_columns(local[as_sampled], left=name in _PROMPT)
        for batch, numbers in zip(anew, own, strict=True):
            batch[name] = gathered[numbers]
    return anew


def _order(rows: int, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The order that TRL draws for some rows, and the random state after it."""
    generator = torch.Generator()
    generator.set_state(state)
    return torch.randperm(rows, generator=generator), generator.get_state()
