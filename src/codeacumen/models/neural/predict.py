"""Predict answers and vectors with a network, for inputs or for a file of encoded questions.

``neural.model`` answers inputs, ``train.run_training`` a file at the end of a training. Worker
processes extract the features of many inputs. A file of encoded questions needs neither the sources
nor the tools that parse them, so a network can be trained and evaluated on another machine;
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
from codeacumen.core.machine import count_processors
from codeacumen.engines import Engine, WorkerLost, create_engine
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Network
from codeacumen.models.neural.catalogue import NetworkPlan
from codeacumen.models.neural.training.batches import group_by_length, rows_to_columns
from codeacumen.models.neural.training.encoded_file import EncodedFile

# Inputs per job of a worker. With fewer inputs than two jobs have, no workers are used: starting
# them takes longer than the work.
_INPUTS_PER_JOB = 512
# Maximum number of seconds for a job.
_SECONDS_PER_JOB = 600.0


def predict_answers(
    architecture: Architecture,
    network: Network,
    features: Sequence[Features | None],
    *,
    batch_size: int = 64,
    device: str = "cpu",
) -> list[str | None]:
    """Return the network's answer to each input; None for an input without features."""
    answers: list[str | None] = [None] * len(features)
    for index, prediction in _run_in_batches(
        architecture, features, network.predict, batch_size, device
    ):
        answers[index] = architecture.decode_answer(prediction)
    return answers


def compute_vectors(
    architecture: Architecture,
    network: Network,
    features: Sequence[Features | None],
    *,
    batch_size: int = 64,
    device: str = "cpu",
) -> list[list[float] | None]:
    """Return the network's vector of each input; None for an input without features."""
    vectors: list[list[float] | None] = [None] * len(features)

    def compute_rows(tensors: Any) -> list[list[float]]:
        rows: list[list[float]] = network.compute_vectors(tensors).float().tolist()
        return rows

    for index, row in _run_in_batches(architecture, features, compute_rows, batch_size, device):
        vectors[index] = row
    return vectors


def _run_in_batches(
    architecture: Architecture,
    features: Sequence[Features | None],
    run_network: Callable[[Any], Sequence[Any]],
    batch_size: int,
    device: str,
) -> list[tuple[int, Any]]:
    """Run a network on all inputs that have features, in batches of similar length.

    Return pairs of an input's index and the output for it, in the order of the batches.
    """
    present = [(index, row) for index, row in enumerate(features) if row is not None]
    encoded: list[Encoded] = [architecture.encode(row) for _, row in present]
    results: list[tuple[int, Any]] = []
    if not encoded:
        return results
    lengths = architecture.compute_lengths(rows_to_columns(encoded))

    def run_rows(rows: list[int]) -> Sequence[Any]:
        tensors = architecture.collate(rows_to_columns([encoded[at] for at in rows]))
        try:
            return run_network({name: tensor.to(device) for name, tensor in tensors.items()})
        except torch.cuda.OutOfMemoryError:
            if len(rows) == 1:
                raise
        # Other processes may have filled the GPU. Free torch's cached memory and run each half of
        # the batch alone: an answer does not depend on the other rows of its batch.
        torch.cuda.empty_cache()
        middle = len(rows) // 2
        return [*run_rows(rows[:middle]), *run_rows(rows[middle:])]

    with torch.inference_mode():
        for rows in group_by_length(lengths, batch_size):
            outputs = run_rows(rows.tolist())
            results += [
                (present[at][0], output) for at, output in zip(rows.tolist(), outputs, strict=True)
            ]
    return results


def answer_file(
    architecture: Architecture,
    network: Any,
    questions: Path,
    output_file: Path,
    *,
    batch_size: int,
    device: str,
) -> int:
    """Answer a file of encoded questions, and return the number of questions.

    The output has one line of JSON for each question, ``id`` and ``answer``, in the order of the
    file.
    """
    file = EncodedFile(questions)
    lengths = architecture.compute_lengths(file.empty_columns())
    answers: list[str | None] = [None] * len(file)
    network = network.to(device).eval()
    with torch.inference_mode():
        for rows in group_by_length(lengths, batch_size):
            tensors = architecture.collate(file.take_rows(rows))
            predictions = network.predict(
                {name: tensor.to(device) for name, tensor in tensors.items()}
            )
            for row, numbers in zip(rows.tolist(), predictions, strict=True):
                answers[row] = architecture.decode_answer(numbers)
    ids = file.take_answers(np.arange(len(file)))
    lines = (
        json.dumps({"id": question_id, "answer": answer})
        for question_id, answer in zip(ids, answers, strict=True)
    )
    write_atomically(output_file, "".join(f"{line}\n" for line in lines).encode())
    return len(file)


# ---------------------------------------------------------------- features, in worker processes


def extract_all_features(plan: NetworkPlan, inputs: Sequence[Input]) -> list[Features | None]:
    """Return the features of all inputs, in order; None for an input without features.

    If a job ends its worker process or exceeds its time, its inputs have no features.
    """
    if len(inputs) < 2 * _INPUTS_PER_JOB or count_processors() < 2:
        return extract_features_of_job((plan, inputs))
    jobs = [
        (plan, inputs[at : at + _INPUTS_PER_JOB]) for at in range(0, len(inputs), _INPUTS_PER_JOB)
    ]
    features_of_job: dict[int, list[Features | None]] = {}
    for job_index, outcome in _get_local_engine().run(
        extract_features_of_job, jobs, _SECONDS_PER_JOB
    ):
        is_lost = isinstance(outcome, WorkerLost)
        features_of_job[job_index] = [None] * len(jobs[job_index][1]) if is_lost else outcome
    return [features for job_index in range(len(jobs)) for features in features_of_job[job_index]]


def extract_features_of_job(job: tuple[NetworkPlan, Sequence[Input]]) -> list[Features | None]:
    """Return the features of a job's inputs; an engine calls this in a worker process."""
    plan, inputs = job
    architecture = plan.build_architecture()
    return [architecture.extract_features(item) for item in inputs]


@lru_cache(maxsize=1)
def _get_local_engine() -> Engine:
    """Return the engine that all calls share: its worker processes stay alive between them."""
    return create_engine("local", count_processors())
