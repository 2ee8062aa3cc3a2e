"""What a data set says about itself: sizes, balance, where called methods are from, twins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from acumen.api import Json
from acumen.corpus.splits import SPLITS
from acumen.lang.java.npath import BINS
from acumen.lang.java.operators import OPERATORS
from acumen.tasks.methods.masks import NO_WARNING, ORIGINS
from acumen.tasks.methods.pool import Draw, Pool, Sizes

# Labels that are told of each split.
MOST_FREQUENT = 12
_CLASSES = {"npath": BINS, "operators": OPERATORS}


def counts_of(
    parts: Path, methods: Pool, found: Mapping[str, Draw], sizes: Sizes, why: str
) -> dict[str, Json]:
    """``why`` twins are not known, empty where they are."""
    return {
        "methods": _by_split(methods),
        "twins_unknown": why,
        "tasks": {
            task: {split: _task(task, found[task], split, sizes[task][split]) for split in SPLITS}
            for task in found
        },
        "origins": {
            split: {origin: counts[origin] for origin in ORIGINS}
            for split, counts in _counted(parts, "completion", "origin").items()
        },
        "labels": {task: _labels(parts, task) for task in found},
        "warnings": {
            split: _warned(methods.warnings[methods.of(split) & ~methods.of_tests])
            for split in SPLITS
        },
        "warnings_of_tests": int(methods.warnings[methods.of_tests].sum()),
    }


def _by_split(methods: Pool) -> dict[str, int]:
    return {split: int(np.count_nonzero(methods.of(split))) for split in SPLITS}


def _warned(warnings: NDArray[np.int32]) -> dict[str, int]:
    return {
        "methods_with_one": int(np.count_nonzero(warnings == 1)),
        "methods_with_several": int(np.count_nonzero(warnings > 1)),
    }


def _task(task: str, draw: Draw, split: str, wanted: int) -> dict[str, Json]:
    drawn = draw.drawn[split]
    told: dict[str, Json] = {
        "instances": len(drawn.chosen),
        "wanted": wanted,
        "twins_in_train": int(np.count_nonzero(draw.twin[split])),
    }
    if task in _CLASSES:
        told["each"] = len(drawn.chosen) // max(1, len(_CLASSES[task]) - len(drawn.missing))
        told["missing"] = [_CLASSES[task][one] for one in drawn.missing]
    if task == "nulltoken":
        told["without_warning"] = int(np.count_nonzero(drawn.label == 0))
    return told


def _counted(parts: Path, task: str, column: str) -> dict[str, Counter[str]]:
    """How often each value of a column is there, in each split."""
    table = pq.read_table(parts / f"{task}.parquet", columns=["split", column])
    counts = {split: Counter[str]() for split in SPLITS}
    for row in table.group_by(["split", column]).aggregate([([], "count_all")]).to_pylist():
        counts[row["split"]][row[column]] = row["count_all"]
    return counts


def _labels(parts: Path, task: str) -> dict[str, Json]:
    """How many different labels there are, and the most frequent ones, in each split."""
    found: dict[str, Json] = {}
    for split, counts in _counted(parts, task, "label").items():
        counts.pop(NO_WARNING, None)
        most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_FREQUENT]
        found[split] = {"different": len(counts), "most": dict(most)}
    return found
