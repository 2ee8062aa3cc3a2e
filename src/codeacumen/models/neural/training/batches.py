"""Make batches of examples: sample them, pad them to tensors, and load them ahead in workers.

A batch has examples of similar length, so there is little padding. Seed and epoch alone determine
the batches. Training runs in rounds: each ends with a dev score and a checkpoint, and an
interrupted training continues from the last checkpoint to the same weights.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.architecture import Architecture, Batch, Encoded
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.text.columns import Ragged

# Batches that are sampled together and sorted by length among themselves.
_POOL = 50
# Alignment of a tensor in a packed batch, in bytes; enough for every type.
_STEP = 16


def drawn(lengths: NDArray[np.int64], size: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """Return the batches of an epoch as arrays of rows. Every example is in one of them."""
    draw = np.random.default_rng([seed, epoch])
    order = draw.permutation(len(lengths))
    found: list[NDArray[np.int64]] = []
    for start in range(0, len(order), _POOL * size):
        pool = order[start : start + _POOL * size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        found += [pool[at : at + size] for at in range(0, len(pool), size)]
    return [found[at] for at in draw.permutation(len(found))]


def by_length(lengths: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Return batches for evaluation: all rows, sorted by length."""
    order = np.argsort(lengths, kind="stable").astype(np.int64)
    return [order[at : at + size] for at in range(0, len(order), size)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Rows of a batch that a data loader makes, and the seed of the random choices in it."""

    rows: NDArray[np.int64]
    seed: tuple[int, ...] = ()


class Rounds:
    """A sampler whose passes are rounds of a number of batches; 0 is the number of an epoch.

    Rounds divide the sequence of all epochs. Lightning calls ``set_epoch`` with the number of the
    round. ``repetitions`` has how often each example is in an epoch.
    """

    def __init__(
        self,
        lengths: NDArray[np.int64],
        size: int,
        seed: int,
        batches: int,
        epochs: int,
        times: NDArray[np.int64] | None = None,
    ) -> None:
        rows = np.arange(len(lengths))
        self.rows = rows if times is None else np.repeat(rows, times)
        self.lengths, self.size, self.seed = lengths[self.rows], size, seed
        self.in_epoch = -(-len(self.rows) // size)
        self.total = self.in_epoch * epochs
        self.batches = min(batches, self.total) if batches else self.in_epoch
        self.rounds = -(-self.total // self.batches)
        self.round = 0

    def set_epoch(self, number: int) -> None:
        self.round = number

    def __len__(self) -> int:
        return max(0, min(self.batches, self.total - self.round * self.batches))

    def __iter__(self) -> Iterator[Wanted]:
        start = self.round * self.batches
        known, found = -1, []
        for number in range(start, start + len(self)):
            epoch, at = divmod(number, self.in_epoch)
            if epoch != known:
                known, found = epoch, drawn(self.lengths, self.size, self.seed, epoch)
            yield Wanted(self.rows[found[at]], (self.seed, epoch, at))


# ---------------------------------------------------------------- tensors


def ragged(rows: Sequence[Encoded]) -> dict[str, Ragged]:
    """Return examples as columns."""
    names = list(rows[0]) if rows else []
    found = {}
    for name in names:
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row[name]) for row in rows], out=offsets[1:])
        found[name] = Ragged(np.concatenate([row[name] for row in rows]), offsets)
    return found


def filled(
    values: NDArray[np.int32], offsets: NDArray[np.int64], most: int | None = None
) -> NDArray[np.int64]:
    """Return a matrix with a row for each list, padded with zeros.

    It is as wide as the longest list, at most ``max_width``.
    """
    lengths = np.diff(offsets)
    if most is not None:
        lengths = np.minimum(lengths, most)
    width = max(1, int(lengths.max(initial=0)))
    inside = np.arange(width) < lengths[:, None]
    made = np.zeros(inside.shape, np.int64)
    starts = np.repeat(offsets[:-1], lengths)
    ends = np.cumsum(lengths)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    made[inside] = values[starts + within]
    return made


def padded(columns: Mapping[str, Ragged]) -> Batch:
    """Return the tensors of columns: ``name`` is a padded column, ``name_size`` its lengths."""
    batch: Batch = {}
    for name, column in columns.items():
        batch[name] = torch.from_numpy(filled(column.values, column.offsets))
        batch[f"{name}_size"] = torch.from_numpy(np.diff(column.offsets))
    return batch


def device_of(wanted: str) -> str:
    """Return the device to compute on, ``cpu`` or ``cuda``; ``auto`` prefers a GPU."""
    if wanted not in ("auto", "cpu", "cuda"):
        raise CodeacumenError(f"there is no device {wanted!r}", "choose one of auto, cpu, cuda")
    here = torch.cuda.is_available()
    if wanted == "cuda" and not here:
        raise CodeacumenError("torch finds no GPU", "use the device auto or cpu")
    if wanted == "auto":
        wanted = "cuda" if here else "cpu"
    if wanted == "cuda":
        # cuDNN compiles its attention for every shape, and nearly all our batches differ in shape:
        # a decoder's step took three times as long.
        torch.backends.cuda.enable_cudnn_sdp(False)
        # Matrix products in TF32, as in cuDNN's layers: ten bits of mantissa, as in half precision.
        # Full precision is several times slower.
        torch.set_float32_matmul_precision("high")
    return wanted


# ---------------------------------------------------------------- loading ahead


class Collated:
    """A data set whose items are whole batches, by ``BatchRequest``.

    With ``packs``, batches are ``PackedBatch``, to be handed over by worker processes.
    """

    def __init__(self, file: EncodedFile, architecture: Architecture, packed: bool) -> None:
        self.file, self.architecture, self.packed = file, architecture, packed

    def __getitem__(self, wanted: Wanted) -> Batch | Packed:
        columns = self.file.take(wanted.rows)
        draw = np.random.default_rng(wanted.seed) if wanted.seed else None
        made = self.architecture.collate(columns, draw)
        return Packed.of(made, self.architecture.on_host) if self.packed else made


class Loader(DataLoader[Any]):
    """Yields batches. Worker processes, if any, make them ahead and pack them.

    ``waited`` is the number of seconds that the training has waited for batches.
    """

    waited = 0.0

    def __init__(
        self, file: EncodedFile, architecture: Architecture, batches: Any, workers: int
    ) -> None:
        super().__init__(
            Collated(file, architecture, packed=workers > 0),
            batch_size=None,
            sampler=batches,
            num_workers=workers,
            persistent_workers=workers > 0,
            prefetch_factor=8 if workers else None,
            pin_memory=torch.cuda.is_available(),
            # A loader draws a seed for its workers. With a generator of its own it does not
            # advance torch's, on which dropout depends.
            generator=torch.Generator(),
        )

    def __iter__(self) -> Iterator[Any]:
        made = super().__iter__()
        while True:
            began = time.perf_counter()
            one = next(made, None)
            self.waited += time.perf_counter() - began
            if one is None:
                return
            yield one


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch in one block of memory.

    Workers hand over each tensor as a file of its own, so four small tensors took longer to hand
    over than to make. ``parts`` are each tensor's name, type, shape and first byte. When the block
    moves to a device, the parts named in ``on_host`` remain in ``here``, the block on the host.
    """

    block: Tensor
    parts: tuple[tuple[str, torch.dtype, tuple[int, ...], int], ...]
    on_host: frozenset[str] = frozenset()
    here: Tensor | None = None

    @classmethod
    def of(cls, batch: Mapping[str, Tensor], on_host: frozenset[str] = frozenset()) -> Packed:
        """Return the batch with its tensors copied into one block."""
        parts, end = [], 0
        for name, one in batch.items():
            parts.append((name, one.dtype, tuple(one.shape), end))
            end += -(-one.numel() * one.element_size() // _STEP) * _STEP
        made = cls(torch.zeros(end, dtype=torch.uint8), tuple(parts), on_host)
        for name, one in made.batch().items():
            one.copy_(batch[name])
        return made

    def batch(self) -> dict[str, Tensor]:
        """Return the tensors by name, as views of the block."""
        found, here = {}, self.block if self.here is None else self.here
        for name, kind, shape, start in self.parts:
            count = torch.Size(shape).numel() * kind.itemsize
            block = here if name in self.on_host else self.block
            found[name] = block[start : start + count].view(kind).view(shape)
        return found

    # Methods that torch's DataLoader and Lightning call on a batch.

    def pin_memory(self) -> Packed:
        return replace(self, block=self.block.pin_memory())

    def to(self, device: torch.device | str) -> Packed:
        moved = self.block.to(device, non_blocking=True)
        return replace(self, block=moved, here=self.block if self.here is None else self.here)
