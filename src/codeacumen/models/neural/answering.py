"""Predict answers and vectors with a network, for inputs or for a file of encoded questions.

Worker processes extract the features of many inputs. A file of encoded questions needs neither the
sources nor the tools that parse them, so a network can be trained and evaluated on another machine;
`codeacumen score` then scores the answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from codeacumen.api import Input
from codeacumen.core.files import write_atomically
from codeacumen.core.machine import processors
from codeacumen.engines import Engine, WorkerLost, engine
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Network
from codeacumen.models.neural.catalogue import Plan
from codeacumen.models.neural.training.batches import by_length, ragged
from codeacumen.models.neural.training.encoded import EncodedFile

# Inputs per job of a worker. With fewer than twice as many, starting workers takes longer.
_CHUNK = 512
_LIMIT = 600.0


def answers(
    architecture: Architecture,
    network: Network,
    features: Sequence[Features | None],
    *,
    batch: int = 64,
    device: str = "cpu",
) -> list[str | None]:
    """Return the network's answer to each input; None for an input without features."""
    found: list[str | None] = [None] * len(features)
    for place, said in _each(architecture, features, network.predict, batch, device):
        found[place] = architecture.answer(said)
    return found


def vectors(
    architecture: Architecture,
    network: Network,
    features: Sequence[Features | None],
    *,
    batch: int = 64,
    device: str = "cpu",
) -> list[list[float] | None]:
    """Return the network's vector of each input; None for an input without features."""
    found: list[list[float] | None] = [None] * len(features)

    def rows(tensors: Any) -> list[list[float]]:
        made: list[list[float]] = network.vector(tensors).float().tolist()
        return made

    for place, row in _each(architecture, features, rows, batch, device):
        found[place] = row
    return found


def _each(
    architecture: Architecture,
    features: Sequence[Features | None],
    ask: Callable[[Any], Sequence[Any]],
    batch: int,
    device: str,
) -> list[tuple[int, Any]]:
    """Run a network on all inputs that have features, in batches of similar length.

    Return pairs of an input's index and the output for it, in the order of the batches.
    """
    there = [(place, one) for place, one in enumerate(features) if one is not None]
    encoded: list[Encoded] = [architecture.encode(one) for _, one in there]
    found: list[tuple[int, Any]] = []
    if not encoded:
        return found
    lengths = architecture.length(ragged(encoded))

    def asked(rows: list[int]) -> Sequence[Any]:
        tensors = architecture.collate(ragged([encoded[at] for at in rows]))
        try:
            return ask({name: tensor.to(device) for name, tensor in tensors.items()})
        except torch.cuda.OutOfMemoryError:
            if len(rows) == 1:
                raise
        # Other processes may have filled the GPU. Free torch's cached memory and run each half of
        # the batch alone: an answer does not depend on the other rows of its batch.
        torch.cuda.empty_cache()
        middle = len(rows) // 2
        return [*asked(rows[:middle]), *asked(rows[middle:])]

    with torch.inference_mode():
        for rows in by_length(lengths, batch):
            made = asked(rows.tolist())
            found += [(there[at][0], one) for at, one in zip(rows.tolist(), made, strict=True)]
    return found


def answer_file(
    architecture: Architecture,
    network: Any,
    questions: Path,
    into: Path,
    *,
    batch: int,
    device: str,
) -> int:
    """Answer a file of encoded questions, and return how many there are.

    The output has one line of JSON for each question, in the order of the file.
    """
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


# ---------------------------------------------------------------- features, in worker processes


def read_all(plan: Plan, asked: Sequence[Input]) -> list[Features | None]:
    """Extract the features of all inputs, in order.

    The inputs of a job that ends its worker process have no features.
    """
    if len(asked) < 2 * _CHUNK or processors() < 2:
        return read_here((plan, asked))
    jobs = [(plan, asked[at : at + _CHUNK]) for at in range(0, len(asked), _CHUNK)]
    found: dict[int, list[Features | None]] = {}
    for place, outcome in _engine().run(read_here, jobs, _LIMIT):
        died = isinstance(outcome, WorkerLost)
        found[place] = [None] * len(jobs[place][1]) if died else outcome
    return [one for place in range(len(jobs)) for one in found[place]]


def read_here(job: tuple[Plan, Sequence[Input]]) -> list[Features | None]:
    """Extract the features of a job's inputs; an engine calls this in a worker process."""
    plan, asked = job
    made = plan.make()
    return [made.read(one) for one in asked]


@lru_cache(maxsize=1)
def _engine() -> Engine:
    """Return the engine of all calls: its worker processes stay alive between them."""
    return engine("local", processors())
