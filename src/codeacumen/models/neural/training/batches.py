"""Make batches of examples: sample them, pad them to tensors, and load them ahead in workers.

``fit`` trains with ``BatchLoader``; ``predict`` uses ``group_by_length``. A batch has
examples of similar length, so there is little padding. Seed and epoch alone determine the batches.
Training runs in rounds: each ends with a dev score and a checkpoint, and an interrupted training
continues from the last checkpoint to the same weights.
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
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.text.columns import Ragged

# Number of batches whose examples are sampled together and then sorted by length among themselves.
_BATCHES_PER_POOL = 50
# Alignment of a tensor in a packed batch, in bytes; enough for every type.
_ALIGNMENT = 16


def draw_batches(
    lengths: NDArray[np.int64], batch_size: int, seed: int, epoch: int
) -> list[NDArray[np.int64]]:
    """Return the batches of an epoch as arrays of rows; every example is in exactly one batch."""
    rng = np.random.default_rng([seed, epoch])
    order = rng.permutation(len(lengths))
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), _BATCHES_PER_POOL * batch_size):
        pool = order[start : start + _BATCHES_PER_POOL * batch_size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[start : start + batch_size] for start in range(0, len(pool), batch_size)]
    return [batches[index] for index in rng.permutation(len(batches))]


def group_by_length(lengths: NDArray[np.int64], batch_size: int) -> list[NDArray[np.int64]]:
    """Return batches for evaluation, as arrays of rows: all rows, the shortest first."""
    order = np.argsort(lengths, kind="stable").astype(np.int64)
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """Rows of a batch that a data loader makes, and the seed of the random choices in it.

    An empty seed means no random choices, as in evaluation.
    """

    rows: NDArray[np.int64]
    seed: tuple[int, ...] = ()


class RoundSampler:
    """A sampler each of whose passes is a round of ``batches_per_round`` batches; 0: an epoch.

    Rounds divide the sequence of all epochs' batches. Lightning calls ``set_epoch`` with the number
    of the round, from 0. ``repetitions`` has how often each example is in an epoch; None: once.
    """

    def __init__(
        self,
        lengths: NDArray[np.int64],
        batch_size: int,
        seed: int,
        batches_per_round: int,
        epochs: int,
        repetitions: NDArray[np.int64] | None = None,
    ) -> None:
        rows = np.arange(len(lengths))
        self.rows = rows if repetitions is None else np.repeat(rows, repetitions)
        self.lengths, self.batch_size, self.seed = lengths[self.rows], batch_size, seed
        self.batches_per_epoch = -(-len(self.rows) // batch_size)
        self.total_batches = self.batches_per_epoch * epochs
        self.batches_per_round = (
            min(batches_per_round, self.total_batches)
            if batches_per_round
            else self.batches_per_epoch
        )
        self.round_count = -(-self.total_batches // self.batches_per_round)
        self.round = 0

    def set_epoch(self, number: int) -> None:
        self.round = number

    def __len__(self) -> int:
        return max(
            0, min(self.batches_per_round, self.total_batches - self.round * self.batches_per_round)
        )

    def __iter__(self) -> Iterator[BatchRequest]:
        start = self.round * self.batches_per_round
        loaded_epoch, batches = -1, []
        for number in range(start, start + len(self)):
            epoch, index = divmod(number, self.batches_per_epoch)
            if epoch != loaded_epoch:
                loaded_epoch, batches = (
                    epoch,
                    draw_batches(self.lengths, self.batch_size, self.seed, epoch),
                )
            yield BatchRequest(self.rows[batches[index]], (self.seed, epoch, index))


# ---------------------------------------------------------------- tensors


def rows_to_columns(rows: Sequence[Encoded]) -> dict[str, Ragged]:
    """Return examples as columns; all rows have the same names."""
    names = list(rows[0]) if rows else []
    columns = {}
    for name in names:
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row[name]) for row in rows], out=offsets[1:])
        columns[name] = Ragged(np.concatenate([row[name] for row in rows]), offsets)
    return columns


def pad_lists(
    values: NDArray[np.int32], offsets: NDArray[np.int64], max_width: int | None = None
) -> NDArray[np.int64]:
    """Return a matrix with a row for each list, padded with zeros.

    List i is ``values[offsets[i]:offsets[i + 1]]``. The matrix is as wide as the longest list and
    has at least one column; lists longer than ``max_width`` are cut off.
    """
    lengths = np.diff(offsets)
    if max_width is not None:
        lengths = np.minimum(lengths, max_width)
    width = max(1, int(lengths.max(initial=0)))
    inside = np.arange(width) < lengths[:, None]
    rows = np.zeros(inside.shape, np.int64)
    starts = np.repeat(offsets[:-1], lengths)
    ends = np.cumsum(lengths)
    position_in_list = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(
        ends - lengths, lengths
    )
    rows[inside] = values[starts + position_in_list]
    return rows


def pad_columns(columns: Mapping[str, Ragged]) -> Batch:
    """Return the tensors of columns: ``name`` is a padded column, ``name_size`` its lengths."""
    batch: Batch = {}
    for name, column in columns.items():
        batch[name] = torch.from_numpy(pad_lists(column.values, column.offsets))
        batch[f"{name}_size"] = torch.from_numpy(np.diff(column.offsets))
    return batch


def choose_device(device: str) -> str:
    """Return the device to compute on, ``cpu`` or ``cuda``; ``auto`` prefers a GPU.

    For a GPU, also change torch's settings of the whole process.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise CodeacumenError(f"there is no device {device!r}", "choose one of auto, cpu, cuda")
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise CodeacumenError("torch finds no GPU", "use the device auto or cpu")
    if device == "auto":
        device = "cuda" if has_gpu else "cpu"
    if device == "cuda":
        # cuDNN compiles its attention for every shape, and nearly all our batches differ in shape:
        # a decoder's step took three times as long.
        torch.backends.cuda.enable_cudnn_sdp(False)
        # Matrix products in TF32, as in cuDNN's layers: ten bits of mantissa, as in half precision.
        # Full precision is several times slower.
        torch.set_float32_matmul_precision("high")
    return device


# ---------------------------------------------------------------- loading ahead


class BatchDataset:
    """A data set whose items are whole batches, by ``BatchRequest``.

    With ``packs`` an item is a ``PackedBatch``, which a worker process hands over faster.
    """

    def __init__(self, file: EncodedFile, architecture: Architecture, packs: bool) -> None:
        self.file, self.architecture, self.packs = file, architecture, packs

    def __getitem__(self, request: BatchRequest) -> Batch | PackedBatch:
        columns = self.file.take_rows(request.rows)
        rng = np.random.default_rng(request.seed) if request.seed else None
        batch = self.architecture.collate(columns, rng)
        return (
            PackedBatch.from_tensors(batch, self.architecture.host_tensors) if self.packs else batch
        )


class BatchLoader(DataLoader[Any]):
    """Yields batches. Worker processes, if any, make them ahead and pack them.

    ``waited`` is the number of seconds that the training has waited for batches, in all rounds.
    """

    waited = 0.0

    def __init__(
        self, file: EncodedFile, architecture: Architecture, sampler: Any, workers: int
    ) -> None:
        super().__init__(
            BatchDataset(file, architecture, packs=workers > 0),
            batch_size=None,
            sampler=sampler,
            num_workers=workers,
            persistent_workers=workers > 0,
            prefetch_factor=8 if workers else None,
            pin_memory=torch.cuda.is_available(),
            # A loader draws a seed for its workers. With a generator of its own it does not
            # advance torch's, on which dropout depends.
            generator=torch.Generator(),
        )

    def __iter__(self) -> Iterator[Any]:
        batches = super().__iter__()
        while True:
            started = time.perf_counter()
            batch = next(batches, None)
            self.waited += time.perf_counter() - started
            if batch is None:
                return
            yield batch


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """A batch in one block of memory.

    Workers hand over each tensor as a file of its own, so four small tensors took longer to hand
    over than to make. ``parts`` are each tensor's name, type, shape and first byte. After the block
    moved to a device, ``unpack`` takes the parts named in ``on_host`` from ``here``, the block on
    the host; before, ``here`` is None.
    """

    block: Tensor
    parts: tuple[tuple[str, torch.dtype, tuple[int, ...], int], ...]
    on_host: frozenset[str] = frozenset()
    here: Tensor | None = None

    @classmethod
    def from_tensors(
        cls, batch: Mapping[str, Tensor], on_host: frozenset[str] = frozenset()
    ) -> PackedBatch:
        """Return the batch with its tensors copied into one block."""
        parts, end = [], 0
        for name, tensor in batch.items():
            parts.append((name, tensor.dtype, tuple(tensor.shape), end))
            end += -(-tensor.numel() * tensor.element_size() // _ALIGNMENT) * _ALIGNMENT
        packed = cls(torch.zeros(end, dtype=torch.uint8), tuple(parts), on_host)
        for name, tensor in packed.unpack().items():
            tensor.copy_(batch[name])
        return packed

    def unpack(self) -> dict[str, Tensor]:
        """Return the tensors by name, as views of the block."""
        tensors, here = {}, self.block if self.here is None else self.here
        for name, dtype, shape, start in self.parts:
            count = torch.Size(shape).numel() * dtype.itemsize
            block = here if name in self.on_host else self.block
            tensors[name] = block[start : start + count].view(dtype).view(shape)
        return tensors

    # Methods that torch's DataLoader and Lightning call on a batch.

    def pin_memory(self) -> PackedBatch:
        return replace(self, block=self.block.pin_memory())

    def to(self, device: torch.device | str) -> PackedBatch:
        moved = self.block.to(device, non_blocking=True)
        return replace(self, block=moved, here=self.block if self.here is None else self.here)
