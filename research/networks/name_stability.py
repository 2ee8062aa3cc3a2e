"""Train a small codeacumen-base with other settings and measure how often its names change.

It makes the table of docs/models/codeacumen-base.md, "What makes it steady", on one processor core.

    python -m research.networks.name_stability prepared/codeacumen-base robustness steady.csv \
        --name unordered --set unordered=true

``prepared/codeacumen-base`` is the data of ``research/networks/plan.py --prepare`` with certified
variants; ``robustness`` holds the variants to evaluate. The script appends a line to the file.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from codeacumen.api import Capability, Method
from codeacumen.datasets.built import read_built
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.inputs.codeacumen_base import QuestionKind
from codeacumen.models.neural.networks.codeacumen_base import Base, BaseSettings
from codeacumen.models.neural.predict import predict_answers
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.text.subtokens import split_subtokens

SMALL = {
    "layers": 3,
    "width": 128,
    "heads": 4,
    "inner": 384,
    "decoder": 1,
    "pretrain": 0.0,
    "alone": 1.0,
}
LONGEST, BATCH, RATE, WARM_UP_STEPS = 140, 64, 0.001, 100
# Number of variants evaluated of each kind, with one location changed and with all.
SAMPLED_VARIANTS = 300


def iterate_batches(
    lengths: NDArray[np.int64], rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Yield batches of examples of similar length, without end."""
    chunk_size = 32 * BATCH
    while True:
        order = rng.permutation(len(lengths))
        for first in range(0, len(order), chunk_size):
            chunk = order[first : first + chunk_size]
            chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
            parts = [chunk[start : start + BATCH] for start in range(0, len(chunk), BATCH)]
            rng.shuffle(parts)  # type: ignore[arg-type]
            yield from parts


def train_network(base: Base, file: EncodedFile, steps: int) -> Any:
    """Return a network that is trained to name methods."""
    network: Any = base.build_network()
    network.set_progress(1.0)
    own_lengths = np.diff(file.empty_columns()["own_parts"].offsets)
    rows = np.flatnonzero((file.read_column("asks") == QuestionKind.NAME) & (own_lengths < LONGEST))
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE)
    rng = np.random.default_rng(1)
    for step, batch in zip(range(steps), iterate_batches(own_lengths[rows], rng), strict=False):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP_STEPS) * (1 - step / steps)
        loss = network.compute_loss(base.collate(file.take_rows(rows[batch]), rng))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 50 == 49:
            print(f"{step + 1} of {steps} batches", flush=True)
    return network.eval()


def measure_changes(base: Base, network: Any, robustness: Path) -> dict[str, str]:
    """Return the percentage of changed names by kind and extent, and F1 of the original names."""
    built = read_built(robustness)
    originals = {row["id"]: row for row in built.read_rows("originals.jsonl")}
    rows_of_group: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in built.read_rows("variants.jsonl"):
        if row["where"] in ("single", "all"):
            rows_of_group.setdefault((row["kind"], row["where"]), []).append(row)
    random.seed(5)
    sampled = {
        key: random.sample(rows, min(len(rows), SAMPLED_VARIANTS))
        for key, rows in sorted(rows_of_group.items())
    }
    texts = {row["id"]: row["text"] for rows in sampled.values() for row in rows}
    texts |= {
        row["method"]: originals[row["method"]]["text"] for rows in sampled.values() for row in rows
    }
    predictions = predict_answers(
        base, network, [base.extract_features(Method(i, t, "java")) for i, t in texts.items()]
    )
    predicted_subtokens = {
        method_id: split_subtokens(name or "")
        for method_id, name in zip(texts, predictions, strict=True)
    }
    results = {}
    common_count = predicted_count = true_count = 0
    for (kind, where), rows in sampled.items():
        has_changed = [
            predicted_subtokens[row["method"]] != predicted_subtokens[row["id"]] for row in rows
        ]
        results[f"{kind}, {where}"] = f"{100 * float(np.mean(has_changed)):.1f}"
        for row in rows:
            predicted, expected = (
                set(predicted_subtokens[row["method"]]),
                set(split_subtokens(originals[row["method"]]["name"])),
            )
            common_count, predicted_count, true_count = (
                common_count + len(predicted & expected),
                predicted_count + len(predicted),
                true_count + len(expected),
            )
    return {**results, "f1": f"{200 * common_count / (predicted_count + true_count):.1f}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("robustness", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument(
        "--set", action="append", default=[], help="Setting of the network, such as agree=4.0."
    )
    parser.add_argument("--steps", type=int, default=1500)
    args = parser.parse_args()
    values = {"true": True, "false": False}
    pairs = [option.split("=") for option in args.set]
    settings: dict[str, Any] = {k: values[v] if v in values else float(v) for k, v in pairs}
    torch.set_num_threads(1)
    torch.manual_seed(1)
    base = Base(BaseSettings(**{**SMALL, **settings}), Purpose("gluecode", Capability.GENERATE))
    base.load_vocabularies(args.prepared / "work" / "vocabulary")
    network = train_network(base, EncodedFile(args.prepared / "work" / "train.arrow"), args.steps)
    row = {"name": args.name, **measure_changes(base, network, args.robustness)}
    is_new = not args.out.is_file()
    with args.out.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, list(row), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)
    print(row)


if __name__ == "__main__":
    main()
