"""A batch in one block of memory.

What a worker process hands over costs by the piece more than by the byte: each tensor is a file of
its own, that is opened, passed and mapped. Four small ones took longer than it takes to make them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

# Where a tensor may begin: whatever its type, its numbers lie as a processor wants them.
_STEP = 16


@dataclass(frozen=True, slots=True)
class Packed:
    """``parts``: each tensor's name, type, shape and the byte that it begins at."""

    block: Tensor
    parts: tuple[tuple[str, torch.dtype, tuple[int, ...], int], ...]

    @classmethod
    def of(cls, batch: Mapping[str, Tensor]) -> Packed:
        parts, end = [], 0
        for name, one in batch.items():
            parts.append((name, one.dtype, tuple(one.shape), end))
            end += -(-one.numel() * one.element_size() // _STEP) * _STEP
        made = cls(torch.zeros(end, dtype=torch.uint8), tuple(parts))
        for name, one in made.batch().items():
            one.copy_(batch[name])
        return made

    def batch(self) -> dict[str, Tensor]:
        """The tensors: views of the block, wherever that is."""
        found = {}
        for name, kind, shape, start in self.parts:
            count = torch.Size(shape).numel() * kind.itemsize
            found[name] = self.block[start : start + count].view(kind).view(shape)
        return found

    # What a loader and Lightning ask of a batch.

    def pin_memory(self) -> Packed:
        return Packed(self.block.pin_memory(), self.parts)

    def to(self, device: torch.device | str) -> Packed:
        return Packed(self.block.to(device, non_blocking=True), self.parts)
