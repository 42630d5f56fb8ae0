"""Rows without an advantage cost no pass in an update.

A group whose kept rewards are all equal has advantages of 0, and a policy loss is a sum of terms that each have the
advantage of their row as a factor: of such rows it is 0, and so is its gradient. What they still do is count in what
the loss is a mean over:

| loss | is a mean over | so what is left is scaled by |
| --- | --- | --- |
| `grpo`, `dr_grpo`, `luspo`, `sapo`, GMPO | the rows of a micro-batch | its rows that are left / its rows |
| `bnpo` | the tokens of a micro-batch | its tokens that are left / its tokens |
| `dapo`, `cispo`, `vespo` | the tokens of a generation batch, counted before | 1 |

The scale goes into the advantages, in which each of these losses is linear for one sign. A KL term, an entropy bonus or
a load-balancing loss does more than that with a row: then none is left out. Nor is a row of a flat group whose rewards,
such as 24 times 0.7, have another mean in 32 bits: its advantage is 6e-4 at most, but not 0.

Rows that are marked as `SKIPPED` are left out whatever the loss is made of: `flat_groups='skip'` marks those of flat
groups. A KL term is scaled as the advantages are. The entropy bonus, which is a mean over tokens of a micro-batch, and
load balancing go over the rows that are left.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from gpocli.trainers.objective import OVER_ROWS, SKIPPED, Inputs, changed, loss_mask


def may_leave(trainer: Any, inputs: Inputs) -> bool:
    """Whether some rows of a micro-batch may be left out of its pass."""
    return add_nothing(trainer, inputs) or (SKIPPED in inputs and bool(trainer.model.training))


def add_nothing(trainer: Any, inputs: Inputs) -> bool:
    """Whether rows of a micro-batch with advantage 0 add nothing to a loss, and nothing else hangs on them."""
    return bool(
        trainer.model.training
        and trainer.beta == 0.0
        and not trainer._entropy_bonus_enabled
        and not trainer.aux_loss_enabled
        and trainer.top_entropy_quantile >= 1.0
        and inputs["advantages"].ndim == 1
        and not any(name in inputs for name in ("pixel_values", "image_grid_thw", "num_images"))
    )


def heard_rows(trainer: Any, inputs: Inputs) -> torch.Tensor:
    """Which rows of a micro-batch of which some may leave add to its loss, [B]."""
    advantage_B: torch.Tensor = inputs["advantages"]
    heard_B = advantage_B != 0 if add_nothing(trainer, inputs) else torch.ones_like(advantage_B, dtype=torch.bool)
    return heard_B & ~inputs[SKIPPED] if SKIPPED in inputs else heard_B


def without_silent(trainer: Any, inputs: Inputs) -> tuple[Inputs, AbstractContextManager[None]]:
    """The rows of a micro-batch that its loss needs, and the trainer with the weight of a KL term over these rows.

    Loss and gradient are those of all of its rows, and where a row is skipped those without any term of it. TRL gathers
    figures of rows, so that each process passes as many as the one that needs most, and one at least. Silent rows among
    them have no token in the loss.
    """
    if not may_leave(trainer, inputs):
        return inputs, nullcontext()
    heard_B, tokens_B = heard_rows(trainer, inputs), loss_mask(inputs).sum(1)
    rows = trainer._processes.largest(int(heard_B.sum()))
    if rows == len(heard_B) and (SKIPPED not in inputs or heard_B.all()):
        return inputs, nullcontext()
    # Those with an advantage first, then short prompts; they stay in their order.
    order = torch.where(heard_B, -1, inputs["prompt_mask"].sum(1)).argsort(stable=True)
    passed = order[: max(rows, 1)].sort().values
    inputs = inputs | {"completion_mask": inputs["completion_mask"] * heard_B.unsqueeze(1)}
    left = inputs | {
        name: value[passed] for name, value in inputs.items() if isinstance(value, torch.Tensor) and value.ndim > 0
    }
    share = _share(trainer.loss_type, tokens_B, heard_B, len(passed)) if heard_B.any() else 1.0
    return left | {"advantages": left["advantages"] * share}, changed(trainer, beta=trainer.beta * share)


def _share(loss_type: str, tokens_B: torch.Tensor, heard_B: torch.Tensor, rows: int) -> torch.Tensor | float:
    """The part that is left of what a loss is a mean over, where `rows` rows are in the pass."""
    if loss_type in OVER_ROWS:
        return rows / len(tokens_B)
    return tokens_B[heard_B].sum() / tokens_B.sum().clamp(min=1) if loss_type == "bnpo" else 1.0
