"""Networks that are asked on a GPU which others have filled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from codeacumen.models.neural.answering import answers
from models.neural.checks import NAMING, train


class Narrow:
    """A network with room for only a few questions at a time."""

    def __init__(self, network: Any, room: int) -> None:
        self.network, self.room, self.sizes = network, room, list[int]()

    def predict(self, batch: dict[str, torch.Tensor]) -> Any:
        self.sizes.append(len(next(iter(batch.values()))))
        if self.sizes[-1] > self.room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return self.network.predict(batch)


def test_what_there_is_no_room_for_is_asked_in_halves(tmp_path: Path) -> None:
    model, _, taught, examples = train("cnn", NAMING, tmp_path, training={"epochs": 2})
    features = [model.read(one.input) for one in examples[:20]]
    narrow = Narrow(taught.network, 6)
    assert answers(model, narrow, features) == answers(model, taught.network, features)
    assert narrow.sizes == [20, 10, 5, 5, 10, 5, 5]


def test_one_question_without_room_is_no_answer(tmp_path: Path) -> None:
    model, _, taught, examples = train("cnn", NAMING, tmp_path, training={"epochs": 1})
    with pytest.raises(torch.cuda.OutOfMemoryError):
        answers(model, Narrow(taught.network, 0), [model.read(examples[0].input)])
