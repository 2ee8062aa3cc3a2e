"""One name for several models: each task goes to the one that is made for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError, Example, Method, Question
from codeacumen.datasets.built import load_data
from codeacumen.models.retrieval import Nearest
from codeacumen.registry import make_model, model
from codeacumen.report import build_report
from codeacumen.runs.evaluate import evaluate
from codeacumen.runs.plan import make_plan
from codeacumen.runs.scoring import Settings
from datasets_by_hand import tasks_forgotten
from methods_by_hand import write_methods

__all__ = ["tasks_forgotten"]

TASKS = ("npath", "operators", "naming", "completion", "nulltoken")


@pytest.fixture
def data(tmp_path: Path, home: Path, tasks_forgotten: None) -> Path:
    folder = write_methods(tmp_path / "data")
    load_data(folder)
    return folder


def test_it_answers_all_five_and_has_an_overall_score(data: Path, tmp_path: Path) -> None:
    """Every pattern of the data set by hand is in its training split: all can be right."""
    references = ["classical", "majority", "random-label", "completion:context=method", "oracle"]
    cells, unfit = make_plan(references, ["gluecode"], skip_unfit=True)
    assert len(unfit) == 4  # completion answers one task
    run = evaluate(cells, tmp_path / "run", Settings(resamples=100))
    assert not [cell.errors for cell in run.cells if cell.counts.failed]
    value = {(cell.task, cell.model): cell.scores[0].value for cell in run.cells}
    for task in TASKS:
        assert value[f"gluecode/{task}", "classical"] == 1.0, task
    overall = {one.model: one.value for one in run.overall}
    assert overall["classical"] == overall["oracle"] == 1.0
    assert overall["majority"] < 0.6
    assert "completion:context=method" not in overall
    page = build_report([(tmp_path / "run", run)], tmp_path / "report.html").read_text()
    section = page.split('id="overall-gluecode"')[1].split("</section>")[0]
    rows = section.split("<tr")
    assert next(row for row in rows if ">majority" in row).count('class="num') == 7
    # Table 2 of the paper, and its mean.
    (transformer,) = [row for row in rows if "Transformer" in row]
    assert [
        n for n in ("0.747", "0.782", "0.389", "0.534", "0.239", "0.538") if n in transformer
    ] == ["0.747", "0.782", "0.389", "0.534", "0.239", "0.538"]
    assert "another corpus" in section


def test_its_parts_are_settings(data: Path) -> None:
    made = make_model("classical:completion=completion:context=method,npath=majority")
    assert made.settings["completion"] == "completion:context=method"
    assert made.settings["npath"] == "majority"
    assert len(made.model.fingerprint.split()) == 5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("npath=levenshtein", "needs classify"),
        ("npath=oracle", "outside the training split"),
        ("naming=completion", "needs name"),
    ],
)
def test_a_part_must_have_the_face_and_may_not_see_labels(setting: str, reason: str) -> None:
    with pytest.raises(CodeacumenError, match=reason):
        make_model(f"classical:{setting}")


def test_a_text_that_looks_masked_does_not_mislead() -> None:
    class Silent:
        supervision = "train"

        def fit(self, examples: Sequence[Example]) -> None: ...

        def classify(self, questions: Sequence[Question]) -> list[str]:
            return ["from operators"] * len(questions)

    model("silent-classifier")(Silent)
    try:
        both = make_model("classical:operators=silent-classifier,npath=majority").model
        shown = [Example(Question("if", ("a", "b")), "a") for _ in range(5)]
        shown.append(Example(Question('x = "<MASK>";', ("a", "b")), "a"))
        both.fit(shown)  # type: ignore[union-attr]
        assert both.classify([Question("if", ("a", "b"))]) == ["a"]  # type: ignore[union-attr]
        both.fit([Example(Question("a <MASK> b", ("a", "b")), "a")])  # type: ignore[union-attr]
        assert both.classify([Question("<MASK>", ("a",))]) == ["from operators"]  # type: ignore[union-attr]
    finally:
        from codeacumen.registry.entries import ENTRIES

        del ENTRIES["model"]["silent-classifier"]


def test_names_are_those_of_the_nearest_training_methods() -> None:
    nearest = Nearest(k=3, paths=0.5)
    assert nearest.name([Method("x", "int METHOD_NAME() { return size; }")]) == [None]
    nearest.fit(
        [
            Example(Method("a", "int METHOD_NAME() { return size; }"), "getSize"),
            Example(Method("b", "int METHOD_NAME() { return this.size; }"), "getSize"),
            Example(Method("c", "void METHOD_NAME() { stream.close(); }"), "close"),
        ]
    )
    asked = [
        Method("x", "int METHOD_NAME() { return size; }"),
        Method("y", "void METHOD_NAME() { stream.close(); }"),
        Method("z", ""),
    ]
    assert nearest.name(asked) == ["getSize", "close", None]
    nearest.fit([])
    assert nearest.name(asked) == [None, None, None]
