"""Answers to whole tasks right after training, from numbers that were prepared with the data.

So a network can be trained and asked on a machine that has neither the sources nor the tools to
read them: `acumen score` scores the answers anywhere.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from acumen.files import write_atomically
from acumen.models.neural.architecture import Architecture
from acumen.models.neural.batches import by_length
from acumen.models.neural.encoded import EncodedFile


def answer_file(
    architecture: Architecture,
    network: Any,
    questions: Path,
    into: Path,
    *,
    batch: int,
    device: str,
) -> int:
    """One line of JSON for each question that could be read, in their order; gives how many."""
    file = EncodedFile(questions)
    lengths = architecture.length(file.sizes())
    said: list[str | None] = [None] * len(file)
    network = network.to(device).eval()
    with torch.inference_mode():
        for rows in by_length(lengths, batch):
            tensors = architecture.collate(file.take(rows))
            found = network.predict({name: one.to(device) for name, one in tensors.items()})
            for row, numbers in zip(rows.tolist(), found, strict=True):
                said[row] = architecture.answer(numbers)
    ids = file.answers(np.arange(len(file)))
    lines = (json.dumps({"id": a, "answer": b}) for a, b in zip(ids, said, strict=True))
    write_atomically(into, "".join(f"{line}\n" for line in lines).encode())
    return len(file)
