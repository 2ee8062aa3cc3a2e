"""Fixtures for tests of the report's section: a data set built from the example projects, and
models that answer in several ways."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Method, Run
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import load_data
from codeacumen.registry import Entry, LoadedModel, list_names, make_model, make_task
from codeacumen.registry.entries import ENTRIES
from codeacumen.report import build_report
from codeacumen.runs.plan import Cell
from corpora import shared_engine
from report_pages import (
    at_home,
    bundle_javascript_once,
    find_low_contrast,
    open_report_page,
    report_home,
    small_page,
    small_run,
    temporary_home,
)

__all__ = [
    "at_home",
    "bundle_javascript_once",
    "find_low_contrast",
    "open_report_page",
    "report_home",
    "small_page",
    "small_run",
]


class UnsteadyModel:
    """A naming model that answers with the most frequent word of the code.

    By a hash of the code it returns the true name, no name, or raises an error instead.
    """

    def __init__(self, truths: dict[str, str], fails: bool) -> None:
        self.truths, self.fails = truths, fails

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        (method,) = methods
        hash_bucket = zlib.crc32(method.text.encode()) % 8
        if hash_bucket == 7:
            return [None]
        if hash_bucket == 6 and self.fails:
            raise ValueError("the server <b>said</b> no")
        if hash_bucket < 3:
            return [self.truths[method.id.partition("/")[0]]]
        words = Counter(re.findall(r"[a-z]\w+", method.text))
        return [min(words, key=lambda word: (-words[word], word))]


@dataclass(frozen=True)
class RobustRun:
    data: Path
    folder: Path
    run: Run

    @contextmanager
    def register_tasks(self) -> Iterator[None]:
        """Register the tasks of the data set within a context."""
        list_names("task")  # load the other tasks first, which happens once
        entries_before = dict(ENTRIES["task"])
        load_data(self.data)
        yield
        ENTRIES["task"].clear()
        ENTRIES["task"].update(entries_before)


@pytest.fixture(scope="session")
def robust_run(
    examples_corpus: Corpus, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> RobustRun:
    from codeacumen.datasets.variants.build import build_variant_dataset
    from codeacumen.datasets.variants.shards import Recipe
    from codeacumen.runs.evaluate import evaluate_cells
    from codeacumen.runs.plan import PlannedTask
    from codeacumen.runs.scoring import ScoringSettings

    data, out = tmp_path_factory.mktemp("robust-data"), tmp_path_factory.mktemp("robust-run")
    recipe = Recipe(
        ("rename", "permute", "loop"), ("single", "all", "25%", "50%"), split="all", most=120
    )
    build_variant_dataset("robustness", examples_corpus, recipe, data, shared_engine(2))
    rows = [json.loads(line) for line in (data / "originals.jsonl").read_text().splitlines()]
    truths = {row["id"]: row["name"] for row in rows}
    unevaluated = RobustRun(data, out, Run(0, 0.95, 0, {}, {}, (), {}))
    with temporary_home(report_home), unevaluated.register_tasks():
        tasks = [PlannedTask(make_task(f"robustness/{kind}")) for kind in recipe.kinds]
        models = {
            "wavering": wrap_model("wavering", UnsteadyModel(truths, fails=False)),
            "failing": wrap_model("failing", UnsteadyModel(truths, fails=True)),
            "oracle": make_model("oracle"),
        }
        cells = [Cell(model, task) for task in tasks for model in models.values()]
        run = evaluate_cells(cells, out, ScoringSettings(resamples=200))
    return replace(unevaluated, run=run)


def wrap_model(name: str, model: Any) -> LoadedModel:
    return LoadedModel(name, Entry("model", name, lambda: model, origin="tests"), {}, model)


@pytest.fixture(scope="session")
def robust_page(
    robust_run: RobustRun, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("page") / "report.html"
    with temporary_home(report_home), robust_run.register_tasks():
        return build_report([(robust_run.folder, robust_run.run)], out)
