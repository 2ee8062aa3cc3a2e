"""Batches as they are learned from: made of a file's examples, ahead of who learns."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from acumen.models.neural.batches import Wanted
from acumen.models.neural.packed import Packed

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Architecture, Batch
    from acumen.models.neural.encoded import EncodedFile


class Collated:
    """A data set whose items are whole batches, made of what a sampler wants; ``packed`` for who
    has them made by other processes."""

    def __init__(self, file: EncodedFile, architecture: Architecture, packed: bool) -> None:
        self.file, self.architecture, self.packed = file, architecture, packed

    def __getitem__(self, wanted: Wanted) -> Batch | Packed:
        columns = self.file.take(wanted.rows)
        draw = np.random.default_rng(wanted.seed) if wanted.seed else None
        made = self.architecture.collate(columns, draw)
        return Packed.of(made, self.architecture.on_host) if self.packed else made


class Loader(DataLoader[Any]):
    """Batches, made ahead by worker processes where there are some: then they come packed.
    ``waited``: for how many seconds whoever learns has stood still for them."""

    waited = 0.0

    def __init__(
        self, file: EncodedFile, architecture: Architecture, batches: Any, workers: int
    ) -> None:
        super().__init__(
            Collated(file, architecture, packed=workers > 0),
            batch_size=None, sampler=batches, num_workers=workers,
            persistent_workers=workers > 0, prefetch_factor=8 if workers else None,
            pin_memory=torch.cuda.is_available(),
            # A loader draws a number for its workers: of its own, or dropout would hang on when.
            generator=torch.Generator(),
        )  # fmt: skip

    def __iter__(self) -> Iterator[Any]:
        made = super().__iter__()
        while True:
            began = time.perf_counter()
            one = next(made, None)
            self.waited += time.perf_counter() - began
            if one is None:
                return
            yield one
