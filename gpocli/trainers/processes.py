"""The processes of a run, as far as the parts of a trainer need to know of each other's."""

from collections.abc import Sequence
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast, gather_object


class Processes:
    """Sums and gathers over all processes of a run. Every process must make the same calls in the same order."""

    def __init__(self, accelerator: Accelerator) -> None:
        self._accelerator = accelerator
        self.count: int = accelerator.num_processes
        self.index: int = accelerator.process_index

    def totals(self, *numbers: float) -> list[float]:
        """The sum of each number over all processes."""
        is_exact = self._accelerator.device.type != "mps"  # which has no 64-bit floats
        local = torch.tensor(
            numbers, dtype=torch.float64 if is_exact else torch.float32, device=self._accelerator.device
        )
        totals: list[float] = self._accelerator.gather(local).view(-1, len(numbers)).sum(0).tolist()
        return totals

    def largest(self, number: int) -> int:
        """The largest of the numbers of all processes."""
        if self.count == 1:
            return number
        return int(self.gather(torch.tensor([number], device=self._accelerator.device)).max())

    def gather(self, tensor: torch.Tensor) -> torch.Tensor:
        """The rows of all processes, those of the first one first."""
        gathered: torch.Tensor = self._accelerator.gather(tensor.to(self._accelerator.device))
        return gathered

    def gather_columns(self, tensor: torch.Tensor, *, left: bool) -> torch.Tensor:
        """The rows of all processes, filled up to one width with zeros on the left or on the right."""
        if tensor.ndim > 1:
            tensor = self._accelerator.pad_across_processes(tensor, dim=1, pad_first=left)
        return self.gather(tensor)

    def of_first(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor that the first process has, which has the same shape in all."""
        told: torch.Tensor = broadcast(tensor.to(self._accelerator.device))
        return told

    def own(self, gathered: torch.Tensor, rows: int) -> torch.Tensor:
        """This process's `rows` of what was gathered."""
        start = self.index * rows
        return gathered[start : start + rows]

    def objects(self, items: Sequence[Any]) -> list[Any]:
        """The items of all processes, those of the first one first."""
        return gather_object(list(items))  # type: ignore[no-any-return]
