"""What goes into sampling and what comes out of it, whatever engine samples."""

import hashlib
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import accumulate

import torch

from gpocli.rollout.race import Board, Race
from gpocli.rollout.settings import SamplingSettings


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """P prompts (token ids) of which `group_size` completions each are wanted.

    `first_row` is the number of this process's first row among those of all processes: an engine that can makes a
    row's tokens depend on (seed, row number) and its prompt alone. `race` stops candidates that can no longer be kept;
    None: all of them are needed. `on_board` is shown the board, by which it can tell how far sampling is; `on_look` is
    shown it whenever gpo's own loop has looked at new tokens.
    """

    prompts_P: Sequence[Sequence[int]]
    group_size: int
    settings: SamplingSettings
    seed: int
    first_row: int = 0
    race: Race | None = None
    on_board: Callable[[Board], None] | None = None
    on_look: Callable[[Board], None] | None = None

    def row_seed(self, row: int) -> int:
        """A number of 63 bits for the engines that take a seed a row; `row` counts the rows of all processes."""
        digest = hashlib.blake2b(f"{self.seed}/{row}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1

    def board(self) -> Board:
        """A board on which all rows run."""
        board = Board(
            len(self.prompts_P),
            self.group_size,
            limit=self.settings.max_new_tokens,
            end_token_ids=self.settings.eos_token_ids,
            race=self.race,
        )
        if self.on_board is not None:
            self.on_board(board)
        return board


@dataclass(frozen=True, slots=True)
class Rollout:
    """What an engine sampled: P*G rows, group after group.

    `completion_ids` hold no padding and include the end token. A row is either `finished` (ended by an end token), or
    `lost` (stopped early, with the tokens it had), or neither: cut at the limit. `logps` are the log-probabilities
    with which the tokens were drawn, after temperature and all other settings; None where the engine tells none.
    `scores` are those that the race asked for, by row. `decode_steps` counts forward passes after the prefill (0 where
    the engine does not tell), `decoded_tokens` the rows in them. `dtype` is what the engine computes in, None where
    that is the trainer's own.
    """

    completion_ids: list[list[int]]
    finished: list[bool]
    lost: list[bool]
    logps: list[list[float]] | None = None
    scores: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    decode_steps: int = 0
    decoded_tokens: int = 0
    dtype: torch.dtype | None = None

    @classmethod
    def of(
        cls, board: Board, *, decode_steps: int, decoded_tokens: int, logps: list[list[float]] | None = None
    ) -> "Rollout":
        """What stands on a board whose rows have all ended."""
        return cls(board.completion_ids, board.finished, board.lost, logps, board.scores, decode_steps, decoded_tokens)

    @classmethod
    def joined(cls, rollouts: "Sequence[Rollout]") -> "Rollout":
        """What one engine sampled in turns, as one."""
        scores: dict[int, tuple[float, ...]] = {}
        for start, one in zip(starts([one.completion_ids for one in rollouts]), rollouts, strict=True):
            scores |= {start + row: score for row, score in one.scores.items()}
        return cls(
            [ids for one in rollouts for ids in one.completion_ids],
            [flag for one in rollouts for flag in one.finished],
            [flag for one in rollouts for flag in one.lost],
            _rows_of_all([one.logps for one in rollouts]),
            scores,
            sum(one.decode_steps for one in rollouts),
            sum(one.decoded_tokens for one in rollouts),
            rollouts[0].dtype,
        )


def starts(parts: Sequence[Sized]) -> list[int]:
    """Where each part begins when they stand one after the other."""
    return list(accumulate((len(part) for part in parts), initial=0))[:-1]


def _rows_of_all(parts: Sequence[list[list[float]] | None]) -> list[list[float]] | None:
    told = [part for part in parts if part is not None]
    return [row for part in told for row in part] if len(told) == len(parts) else None
