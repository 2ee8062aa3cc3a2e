"""Tests of results.json: it holds everything a reader needs, can be read again, and is refused if
invalid."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import codeacumen
from codeacumen.api import (
    Capability,
    Ceiling,
    CodeacumenError,
    Counts,
    EvaluationSet,
    ModelCard,
    Run,
    Score,
    Scores,
    TaskCard,
)
from codeacumen.runs.evaluate import evaluate_cells
from codeacumen.runs.record import make_file_name
from codeacumen.runs.results import read_run, run_to_json, write_run
from codeacumen.runs.scoring import ScoringSettings
from support import Codeacumen, make_plan

ROOT = Path(__file__).resolve().parents[2]

RUN = Run(
    seed=7,
    confidence=0.9,
    resamples=100,
    tasks={
        "toy/one": TaskCard(
            "toy/one",
            "Toy",
            "2",
            Capability.CLASSIFY,
            "accuracy",
            "A \ud800 summary",
            "toy",
            "Nobody",
            (
                EvaluationSet("complete", "those all answer", "complete"),
                EvaluationSet("own", "its own"),
            ),
            ("short", "long"),
            Ceiling("people", 0.9, "Table 1"),
        ),
        "toy/two": TaskCard("toy/two", "Toy, too", "1", Capability.SIMILARITY, "spearman"),
    },
    models={"m:k=1": ModelCard("m:k=1", "A model", {"k": 1, "of": ["a", None]}, ("embed",))},
    cells=(
        Scores(
            "toy/one",
            "m:k=1",
            (
                Score("accuracy", "complete", "", 0.1 + 0.2, 0.25, 1 / 3, 12),
                Score("accuracy", "own", "long", None, None, None, 0, "no answers"),
            ),
            Counts(12, 10, 1, 1),
            "answers/toy/one/m.jsonl",
            "ab",
            "cd",
            12,
            0.5,
            ("p1: ValueError: \ud800 \x00 \u2028 名前",),
        ),
    ),
    provenance={"git": None, "packages": {"numpy": "2.0"}},
)


def test_read_run_returns_what_was_written(tmp_path: Path) -> None:
    """Every field, every digit and every character are restored."""
    path = write_run(tmp_path, RUN)
    assert path == tmp_path / "results.json"
    assert read_run(tmp_path) == read_run(path) == RUN
    # Plain UTF-8 and plain JSON: other programs read it too.
    json.loads(path.read_bytes().decode("utf-8"), parse_constant=pytest.fail)


@pytest.mark.parametrize("schema", ["codeacumen.results/2", "something else", None])
def test_unknown_schema_is_refused_with_hint(tmp_path: Path, schema: str | None) -> None:
    record = {**run_to_json(RUN), "schema": schema}
    path = tmp_path / "results.json"
    path.write_text(json.dumps(record))
    with pytest.raises(CodeacumenError) as caught:
        read_run(tmp_path)
    assert f"{path}: the schema is {schema!r}" in str(caught.value)
    assert "codeacumen.results/3" in str(caught.value)
    assert "codeacumen eval" in caught.value.hint


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, RUN)
    content = path.read_bytes()
    assert len(content) > 500
    for cut in range(len(content) - 2):  # the last two bytes are "}" and a line end
        path.write_bytes(content[:cut])
        with pytest.raises(CodeacumenError, match="not a results file"):
            read_run(tmp_path)


RECORD = run_to_json(RUN)


@pytest.mark.parametrize(
    "damaged",
    [
        [],
        {},
        None,
        "text",
        {"schema": "codeacumen.results/3"},
        *({**RECORD, key: None} for key in ("tasks", "models", "cells")),
        {**RECORD, "cells": [{}]},
        {**RECORD, "models": {"m": {"surprise": 1}}},
        {**RECORD, "tasks": {"t": {**RECORD["tasks"]["toy/two"], "capability": "smell"}}},
    ],
)
def test_json_of_another_structure_is_refused(tmp_path: Path, damaged: Any) -> None:
    (tmp_path / "results.json").write_text(json.dumps(damaged))
    with pytest.raises(CodeacumenError, match=r"results\.json: "):
        read_run(tmp_path)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_endless_brackets_are_refused(tmp_path: Path, opening: bytes) -> None:
    (tmp_path / "results.json").write_bytes(opening * 100_000)
    with pytest.raises(CodeacumenError, match="not a results file"):
        read_run(tmp_path)


@given(st.binary(max_size=50))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_bytes_are_refused(tmp_path: Path, noise: bytes) -> None:
    (tmp_path / "results.json").write_bytes(noise)
    with pytest.raises(CodeacumenError, match=r"results\.json: "):
        read_run(tmp_path)


def test_similar_model_names_have_different_files() -> None:
    """Slashes, dots, any length, any character: each name has one file, and none is outside the
    folder."""
    references = ["m", "m:a", "m:a,b", "m:a/b", "m:a b", "m_a", "../m", "..", "m:\ud800", "x" * 300]
    files = [make_file_name(reference) for reference in references]
    assert len(set(files)) == len(references)
    assert all("/" not in name and len(name) < 120 and name.isascii() for name in files)
    assert make_file_name("ft-cbow") == "ft-cbow"


def test_folder_without_results_is_reported_with_hint(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CodeacumenError, match="No such file") as caught:
            read_run(path)
        assert "`codeacumen eval`" in caught.value.hint


# --------------------------------------------------------------------------------------
# Results of a real run.
# --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Return results.json of a real run, as any JSON reader sees it."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEACUMEN_HOME", str(folder / "home"))
        cells, _ = make_plan(["levenshtein", "random:seed=3"], ["abbreviations"])
        evaluate_cells(cells, folder / "run", ScoringSettings(seed=5, resamples=100))
    record: Mapping[str, Any] = json.loads((folder / "run" / "results.json").read_text())
    return record


def test_scores_come_with_intervals_and_counts(written: Mapping[str, Any]) -> None:
    assert len(written["cells"]) == 4
    for cell in written["cells"]:
        for score in cell["scores"]:
            assert score["low"] < score["value"] < score["high"]
            assert score["n"] == cell["counts"]["instances"]
        assert cell["counts"]["answered"] == cell["computed"] == cell["counts"]["instances"]
        assert cell["counts"]["failed"] == cell["counts"]["unanswered"] == 0


def test_data_and_answers_have_hashes(written: Mapping[str, Any]) -> None:
    """Two tasks and two models: one data hash per task, one answer hash per cell."""
    assert len({cell["data_sha256"] for cell in written["cells"]}) == 2
    assert len({cell["answers_sha256"] for cell in written["cells"]}) == 4
    assert all(len(cell["data_sha256"]) == 64 for cell in written["cells"])


def test_seed_and_settings_are_recorded(written: Mapping[str, Any]) -> None:
    assert (written["seed"], written["resamples"], written["confidence"]) == (5, 100, 0.95)
    assert written["models"]["random:seed=3"]["settings"] == {"seed": 3}
    assert written["tasks"]["abbreviations/match"]["version"] == "1"


def test_environment_is_recorded(written: Mapping[str, Any]) -> None:
    provenance = written["provenance"]
    assert provenance["codeacumen"] == codeacumen.__version__
    assert provenance["packages"]["numpy"] == version("numpy")
    assert provenance["packages"]["scikit-learn"] == version("scikit-learn")
    assert "torch" not in provenance["packages"]
    assert provenance["python"] == platform.python_version()
    assert provenance["platform"] == platform.platform()
    assert 0 < provenance["seconds"] < 600
    assert sum(cell["seconds"] for cell in written["cells"]) <= provenance["seconds"]
    # An interpreter with numpy takes some 30 MB; no test machine has a terabyte.
    assert 10_000_000 < provenance["peak_memory_bytes"] < 10**12


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_commit_of_the_checkout_is_recorded(written: Mapping[str, Any]) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert written["provenance"]["git"]["commit"] == head.stdout.strip()
    assert isinstance(written["provenance"]["git"]["changed"], bool)


def test_scores_depend_on_the_seed(
    codeacumen: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds if every model is called again: only time and memory may differ."""

    def run_and_get_scores(*options: str) -> list[Any]:
        done = codeacumen(
            "eval",
            "-m",
            "levenshtein",
            "-m",
            "random",
            "-t",
            "abbreviations/match",
            "--resamples",
            "200",
            "--fresh",
            "--json",
            "-o",
            tmp_path / "run",
            *options,
        )
        assert done.returncode == 0, done.stderr
        return [cell["scores"] for cell in json.loads(done.stdout)["cells"]]

    first = run_and_get_scores("--seed", "1")
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert run_and_get_scores("--seed", "1") == first
    monkeypatch.delenv("PYTHONHASHSEED")
    other = run_and_get_scores("--seed", "2")
    assert [cell_scores[0]["value"] for cell_scores in other] == [
        cell_scores[0]["value"] for cell_scores in first
    ]
    assert [cell_scores[0]["low"] for cell_scores in other] != [
        cell_scores[0]["low"] for cell_scores in first
    ]


def test_results_file_equals_printed_json(codeacumen: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen(
        "eval", "-m", "levenshtein", "-t", "abbreviations/expand", "-o", tmp_path, "--json"
    )
    assert json.loads((tmp_path / "results.json").read_text()) == json.loads(done.stdout)
