"""Tests of every family of data sets, built from Python, and of the ids of all tasks.

An id must not reveal the truth: it consists of the input, or neither its order nor a number in it
depends on the truth.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import spearmanr

import codeacumen
from codeacumen.api import Instance, Json, NamedMethod, Pair, Question
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import load_data
from codeacumen.registry import list_data_families, list_names, make_task
from renames.play_events import build_history
from report_pages import temporary_home
from robustness_dataset import tasks_forgotten
from support import SHARED

__all__ = ["tasks_forgotten"]

pytestmark = pytest.mark.usefixtures("tasks_forgotten")

FAMILIES = [family.name for family in list_data_families()]
PUBLISHED = ("idbench", "sesame", "liu2019")
# A smaller probability of a statistic without a dependence means that the ids reveal the truth.
UNLIKELY = 1e-3
PERMUTATIONS = 300


@pytest.fixture(scope="module")
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Install the published data sets that are in the shared folder."""
    with temporary_home(tmp_path_factory.mktemp("home")):
        for name in PUBLISHED:
            if (SHARED / name).is_dir():
                codeacumen.get_dataset(name, SHARED / name, progress=False)
        yield Path(os.environ["CODEACUMEN_HOME"])


@pytest.fixture(scope="module")
def build_family(
    data_home: Path, analysed_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Path, dict[str, Json]]]:
    """Return a function that builds a small data set of a family once."""
    built: dict[str, tuple[Path, dict[str, Json]]] = {}
    corpus_folder = analysed_corpus.folder

    def make_source(family: str) -> Any:
        folder = tmp_path_factory.mktemp(f"source-{family}")
        if family == "renames":
            history = build_history(folder / "events.git")
            mined = folder / "mined"
            codeacumen.mine_renames(history.folder, mined, workers=1, progress=False)
            return mined
        if family == "identifiers":
            from codeacumen.survey.simulate import SimulationPlan, write_survey

            write_survey(SimulationPlan(raters=150, pairs=60), folder / "votes")
            return folder / "votes"
        # A corpus can be named, or passed as an object.
        return analysed_corpus if family == "similarity" else corpus_folder

    options: dict[str, dict[str, Any]] = {
        "gluecode": {"dedup": True, "workers": 1},
        "robustness": {"kinds": ["rename", "permute"], "split": "all", "limit": 60, "workers": 1},
        "similarity": {"kinds": ["rename", "loop"], "limit": 40, "workers": 1},
        "renames": {"splits": (20, 0, 80), "by": "file", "without": []},
        "misnamed": {"limit": 12, "beside": 5},
        "identifiers": {"sizes": [("all", 0.5, 0.9)], "min_ratings": 5},
    }

    def build(family: str) -> tuple[Path, dict[str, Json]]:
        if family == "misnamed" and not (SHARED / "liu2019").is_dir():
            pytest.skip(f"Liu's methods are not in {SHARED / 'liu2019'}")
        if family not in built:
            out = tmp_path_factory.mktemp("built") / family
            about = codeacumen.build_dataset(
                family, make_source(family), out, progress=False, **options[family]
            )
            built[family] = (out, about)
        return built[family]

    return build


@pytest.mark.parametrize("family", FAMILIES)
def test_family_is_built_from_python_and_its_tasks_are_asked(
    family: str, build_family: Callable[[str], tuple[Path, dict[str, Json]]]
) -> None:
    out, about = build_family(family)
    described = codeacumen.describe_dataset(out)
    assert described["family"] == family
    assert described["tasks"]
    # The description of a cleaned survey is its report; that of the others is dataset.json.
    assert about["votes"] if family == "identifiers" else about["counts"] == described["counts"]
    results = codeacumen.evaluate("oracle", f"{family}@{out}", limit=5, progress=False)
    assert {cell.task for cell in results.run.cells} == set(described["tasks"])
    assert all(cell.computed and not cell.errors for cell in results.run.cells)


def list_truths(truth: Json) -> list[Any]:
    """Return the numbers and texts of a truth."""
    return [truth] if not isinstance(truth, dict) else list(truth.values())


def rank_values(values: Sequence[Any]) -> NDArray[Any]:
    """Return numbers with the order of the values, which are numbers or texts."""
    is_text = any(isinstance(value, str) for value in values)
    keys = [str(value) if is_text else float(value) for value in values]
    return np.unique(np.array(keys), return_inverse=True)[1]


def list_input_texts(instance: Instance) -> list[str]:
    """Return the short texts of the input that an id may consist of."""
    if isinstance(instance.input, Pair):
        return [instance.input.left, instance.input.right]
    return [instance.input.text] if isinstance(instance.input, Question) else []


def remove_input(instance: Instance) -> str:
    """Return what an id adds to the input."""
    first, *rest = [*list_input_texts(instance), ""]
    remainder = instance.id.removeprefix(first)
    return remainder.removesuffix(rest[0]) if rest else remainder


def find_longest_run(values: NDArray[Any]) -> int:
    """Return the length of the longest run of equal values."""
    return max(len(list(run)) for _, run in groupby(values.tolist()))


def find_id_leak(ids: Sequence[str], truths: Sequence[Any]) -> str:
    """Return how the ids depend on the truths; empty if they do not."""
    values = rank_values(truths)
    if len(set(ids)) < 2 or len(set(values.tolist())) < 2:
        return ""
    numbers = [int((re.findall(r"\d+", id_) or ["0"])[-1]) for id_ in ids]
    for name, order in (("order", rank_values(ids)), ("number", np.array(numbers, dtype=float))):
        if len(set(order.tolist())) < 2:
            continue
        test = spearmanr(order, values)
        if test.pvalue < UNLIKELY:
            return f"the {name} of the ids: ρ = {test.statistic:.2f}"
        if len(set(values.tolist())) <= 5:
            rng = np.random.default_rng(0)
            longest = find_longest_run(values[np.argsort(order, kind="stable")])
            by_chance = [find_longest_run(rng.permutation(values)) for _ in range(PERMUTATIONS)]
            if longest > 1.5 * max(by_chance):
                return f"{longest} equal truths in the order of the {name}s"
    return ""


def check_ids(task_name: str) -> None:
    instances = make_task(task_name).instances()
    # The ids of a method's variants begin with the method's id: such instances count once.
    instances = list({i.id.partition("/")[0]: i for i in reversed(instances)}.values())[::-1]
    remainders = [remove_input(instance) for instance in instances]
    truths = [list_truths(instance.truth) for instance in instances]
    for column in zip(*truths, strict=True):
        assert not (leak := find_id_leak(remainders, column)), f"{task_name}: {leak}"
        lengths = [len(value) for value in column if isinstance(value, str)]
        if len(lengths) == len(column):
            leak = find_id_leak(remainders, lengths)
            assert not leak, f"{task_name}: lengths of the truths, {leak}"
    for instance, remainder in zip(instances, remainders, strict=True):
        if not isinstance(instance.input, NamedMethod):
            texts = [text for text in list_truths(instance.truth) if isinstance(text, str)]
            assert not any(len(text) > 2 and text in remainder for text in texts), instance.id


@pytest.mark.parametrize("dataset", ["abbreviations", *PUBLISHED])
def test_ids_of_published_tasks_do_not_reveal_the_truth(dataset: str, data_home: Path) -> None:
    prefix = "names/liu/" if dataset == "liu2019" else f"{dataset}/"
    if dataset in PUBLISHED and not (SHARED / dataset).is_dir():
        pytest.skip(f"{dataset} is not in {SHARED}")
    task_names = [name for name in list_names("task") if name.startswith(prefix)]
    assert task_names
    for name in task_names:
        check_ids(name)


@pytest.mark.parametrize("family", FAMILIES)
def test_ids_of_built_tasks_do_not_reveal_the_truth(
    family: str, build_family: Callable[[str], tuple[Path, dict[str, Json]]]
) -> None:
    task_names = load_data(build_family(family)[0])
    for name in task_names:
        check_ids(name)


def test_revealing_ids_are_detected() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 2000).tolist()
    row_numbers = [f"row-{number:04d}" for number in range(2000)]
    assert find_id_leak(row_numbers, labels) == ""
    # In Liu's data, the last 73 rows have the same label.
    assert find_id_leak(row_numbers, [*labels[:-73], *[1] * 73])
    run_inside = [*labels[:963], *[1] * 73, *labels[1036:]]
    assert "equal truths" in find_id_leak(row_numbers, run_inside)
    # In SeSaMe's data, similar pairs have low numbers.
    assert "ρ" in find_id_leak(row_numbers, np.linspace(2, 0, 2000) + rng.normal(0, 2, 2000))
    assert "ρ" in find_id_leak(
        [f"{id_}/{label}" for id_, label in zip(row_numbers, labels, strict=True)], labels
    )
