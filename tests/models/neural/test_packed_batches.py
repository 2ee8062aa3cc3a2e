"""Tests of packed batches: a batch in one block equals the original, whichever process packed it;
and of the time spent waiting."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from lightning_fabric.utilities.apply_func import move_data_to_device

from codeacumen.models.neural.training.batches import BatchLoader, PackedBatch, RoundSampler
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.models.neural.training.fit import TrainingModule
from models.neural.base_questions import ALL, NAME, make_mixed_examples
from models.neural.small_networks import make_small, prepare_examples, small_training

BATCH = {
    "some": torch.arange(7),
    "none": torch.zeros(3, 0, dtype=torch.int64),
    "true": torch.tensor([[True], [False], [True]]),
    "part": torch.tensor(0.5),
    "wide": torch.arange(12, dtype=torch.float32).view(3, 4).T,
    "half": torch.ones(5, dtype=torch.bfloat16),
    "last": torch.tensor([2**62]),
}


def are_equal(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return list(left) == list(right) and all(
        a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)
        for a, b in zip(left.values(), right.values(), strict=True)
    )


def test_unpacked_batch_equals_packed_one() -> None:
    packed = PackedBatch.from_tensors(BATCH)
    assert are_equal(packed.unpack(), BATCH)
    assert are_equal(packed.to("cpu").unpack(), BATCH)
    assert are_equal(PackedBatch.from_tensors({}).unpack(), {})
    # Lightning moves the block to a device at once.
    moved = move_data_to_device(packed, torch.device("meta"))
    assert {tensor.device.type for tensor in moved.unpack().values()} == {"meta"}
    # Tensors that control the computation stay unchanged on the host.
    packed_with_host_tensors = PackedBatch.from_tensors(BATCH, frozenset({"some", "none"}))
    moved = move_data_to_device(packed_with_host_tensors, torch.device("meta"))
    host_tensors = {
        name: tensor for name, tensor in moved.unpack().items() if tensor.device.type == "cpu"
    }
    assert are_equal(host_tensors, {"some": BATCH["some"], "none": BATCH["none"]})
    assert are_equal(packed_with_host_tensors.unpack(), BATCH)
    # The tensors are views of the block, not copies.
    packed.block.zero_()
    assert not packed.unpack()["some"].any()


def test_batches_of_workers_equal_those_of_the_main_process(tmp_path: Path) -> None:
    """The batches of codeacumen-base have the most kinds of tensors of all networks."""
    model, _ = make_small(NAME, ALL)
    file: EncodedFile = prepare_examples(model, make_mixed_examples(40), tmp_path)
    lengths = np.asarray(model.compute_lengths(file.empty_columns()))
    lesson = TrainingModule(model, small_training(NAME), 1)

    def make_batches(workers: int) -> list[dict[str, torch.Tensor]]:
        rounds = RoundSampler(lengths, 16, 0, 0, 1)
        loader = BatchLoader(file, model, rounds, workers)
        return [lesson.on_after_batch_transfer(batch, 0) for batch in loader]

    serial_batches, worker_batches = make_batches(0), make_batches(1)
    assert len(serial_batches) == len(worker_batches) == 3
    assert all(are_equal(a, b) for a, b in zip(serial_batches, worker_batches, strict=True))


def test_waiting_time_counts_making_of_batches_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = make_small(NAME, ALL)
    file: EncodedFile = prepare_examples(model, make_mixed_examples(40), tmp_path)
    original_collate = type(model).collate

    def collate_slowly(*arguments: Any) -> Any:
        time.sleep(0.05)
        return original_collate(*arguments)

    monkeypatch.setattr(type(model), "collate", collate_slowly)
    loader = BatchLoader(
        file,
        model,
        RoundSampler(np.asarray(model.compute_lengths(file.empty_columns())), 16, 0, 0, 1),
        0,
    )
    for _ in loader:
        before = loader.waited
        time.sleep(0.05)
        # The time spent on using a batch does not count.
        assert loader.waited == before
    assert loader.waited >= 3 * 0.05
