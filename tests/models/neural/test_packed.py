"""A batch in one block is the same batch, by whichever process it was made; what is waiting."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from lightning_fabric.utilities.apply_func import move_data_to_device

from codeacumen.models.neural.training.batches import Loader, Packed, Rounds
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.models.neural.training.teaching import Lesson
from models.neural.base_examples import ALL, NAME, mixed
from models.neural.checks import made, prepare, small_training

BATCH = {
    "some": torch.arange(7),
    "none": torch.zeros(3, 0, dtype=torch.int64),
    "true": torch.tensor([[True], [False], [True]]),
    "part": torch.tensor(0.5),
    "wide": torch.arange(12, dtype=torch.float32).view(3, 4).T,
    "half": torch.ones(5, dtype=torch.bfloat16),
    "last": torch.tensor([2**62]),
}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return list(one) == list(other) and all(
        a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)
        for a, b in zip(one.values(), other.values(), strict=True)
    )


def test_what_is_packed_is_unpacked() -> None:
    packed = Packed.of(BATCH)
    assert same(packed.batch(), BATCH)
    assert same(packed.to("cpu").batch(), BATCH)
    assert same(Packed.of({}).batch(), {})
    # Lightning moves it to a device in one go.
    moved = move_data_to_device(packed, torch.device("meta"))
    assert {one.device.type for one in moved.batch().values()} == {"meta"}
    # What steers the computation stays where it was made, as it was.
    kept = Packed.of(BATCH, frozenset({"some", "none"}))
    moved = move_data_to_device(kept, torch.device("meta"))
    stayed = {name: one for name, one in moved.batch().items() if one.device.type == "cpu"}
    assert same(stayed, {"some": BATCH["some"], "none": BATCH["none"]})
    assert same(kept.batch(), BATCH)
    # Views, no copies: the block is all that there is.
    packed.block.zero_()
    assert not packed.batch()["some"].any()


def test_workers_make_the_batches_that_are_made_here(tmp_path: Path) -> None:
    """Of all networks codeacumen-base's batches have the most kinds of tensors."""
    model, _ = made(NAME, ALL)
    file: EncodedFile = prepare(model, mixed(40), tmp_path)
    lengths = np.asarray(model.length(file.sizes()))
    lesson = Lesson(model, small_training(NAME), 1)

    def batches(workers: int) -> list[dict[str, torch.Tensor]]:
        rounds = Rounds(lengths, 16, 0, 0, 1)
        found = Loader(file, model, rounds, workers)
        return [lesson.on_after_batch_transfer(one, 0) for one in found]

    here, there = batches(0), batches(1)
    assert len(here) == len(there) == 3
    assert all(same(a, b) for a, b in zip(here, there, strict=True))


def test_waiting_is_what_a_batch_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = made(NAME, ALL)
    file: EncodedFile = prepare(model, mixed(40), tmp_path)
    made_in = type(model).collate

    def slowly(*given: Any) -> Any:
        time.sleep(0.05)
        return made_in(*given)

    monkeypatch.setattr(type(model), "collate", slowly)
    found = Loader(file, model, Rounds(np.asarray(model.length(file.sizes())), 16, 0, 0, 1), 0)
    for _ in found:
        before = found.waited
        time.sleep(0.05)
        # What is done with a batch is no waiting.
        assert found.waited == before
    assert found.waited >= 3 * 0.05
