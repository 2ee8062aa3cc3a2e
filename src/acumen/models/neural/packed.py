"""A batch in one block of memory.

What a worker process hands over costs by the piece more than by the byte: each tensor is a file of
its own, that is opened, passed and mapped. Four small ones took longer than it takes to make them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

# Where a tensor may begin: whatever its type, its numbers lie as a processor wants them.
_STEP = 16


@dataclass(frozen=True, slots=True)
class Packed:
    """``parts``: each tensor's name, type, shape and the byte that it begins at. Wherever the block
    is moved to, parts that are ``on_host`` stay in ``here``, where it was made."""

    block: Tensor
    parts: tuple[tuple[str, torch.dtype, tuple[int, ...], int], ...]
    on_host: frozenset[str] = frozenset()
    here: Tensor | None = None

    @classmethod
    def of(cls, batch: Mapping[str, Tensor], on_host: frozenset[str] = frozenset()) -> Packed:
        parts, end = [], 0
        for name, one in batch.items():
            parts.append((name, one.dtype, tuple(one.shape), end))
            end += -(-one.numel() * one.element_size() // _STEP) * _STEP
        made = cls(torch.zeros(end, dtype=torch.uint8), tuple(parts), on_host)
        for name, one in made.batch().items():
            one.copy_(batch[name])
        return made

    def batch(self) -> dict[str, Tensor]:
        """The tensors: views of the block, wherever that is."""
        found, here = {}, self.block if self.here is None else self.here
        for name, kind, shape, start in self.parts:
            count = torch.Size(shape).numel() * kind.itemsize
            block = here if name in self.on_host else self.block
            found[name] = block[start : start + count].view(kind).view(shape)
        return found

    # What a loader and Lightning ask of a batch.

    def pin_memory(self) -> Packed:
        return replace(self, block=self.block.pin_memory())

    def to(self, device: torch.device | str) -> Packed:
        moved = self.block.to(device, non_blocking=True)
        return replace(self, block=moved, here=self.block if self.here is None else self.here)
