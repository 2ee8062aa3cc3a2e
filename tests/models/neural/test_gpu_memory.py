"""Tests of networks that predict on a GPU without free memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from codeacumen.models.neural.predict import predict_answers
from models.neural.small_networks import NAMING, train_small


class LimitedNetwork:
    """A network that has memory for only a few questions at a time."""

    def __init__(self, network: Any, room: int) -> None:
        self.network, self.room, self.sizes = network, room, list[int]()

    def predict(self, batch: dict[str, torch.Tensor]) -> Any:
        self.sizes.append(len(next(iter(batch.values()))))
        if self.sizes[-1] > self.room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return self.network.predict(batch)


def test_batch_that_does_not_fit_is_halved(tmp_path: Path) -> None:
    model, _, taught, examples = train_small("cnn", NAMING, tmp_path, training={"epochs": 2})
    features = [model.extract_features(example.input) for example in examples[:20]]
    limited = LimitedNetwork(taught.network, 6)
    assert predict_answers(model, limited, features) == predict_answers(
        model, taught.network, features
    )
    assert limited.sizes == [20, 10, 5, 5, 10, 5, 5]


def test_single_question_that_does_not_fit_raises(tmp_path: Path) -> None:
    model, _, taught, examples = train_small("cnn", NAMING, tmp_path, training={"epochs": 1})
    with pytest.raises(torch.cuda.OutOfMemoryError):
        predict_answers(
            model, LimitedNetwork(taught.network, 0), [model.extract_features(examples[0].input)]
        )
