"""Tests of ``codeacumen survey`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from codeacumen.models.embeddings.vectors import Vectors, normalize_rows
from corpora import build_corpus_at
from support import SHARED, Codeacumen


@pytest.fixture
def votes(codeacumen_here: Codeacumen, tmp_path: Path) -> Path:
    folder = tmp_path / "votes"
    completed = codeacumen_here(
        "survey",
        "simulate",
        "--out",
        folder,
        "--raters",
        "60",
        "--pairs",
        "30",
        "--share",
        "honest=4",
        "--share",
        "random=1",
    )
    assert completed.returncode == 0, completed.stderr
    assert "1,080 direct and 900 indirect votes" in completed.stdout
    return folder


def test_simulated_votes_are_cleaned(
    codeacumen_here: Codeacumen, votes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "benchmark"
    completed = codeacumen_here("survey", "clean", votes, "--out", out)
    assert completed.returncode == 0, completed.stderr
    for size in ("small", "medium", "large"):
        assert (out / f"{size}_pair_wise.csv").is_file()
        assert f"{size}: τ" in completed.stdout
    assert "without outlier raters" in completed.stdout
    assert "simulated raters" in completed.stdout
    report = json.loads(codeacumen_here("survey", "clean", votes, "-o", out, "--json").stdout)
    assert report["simulated"]["small"]["raters"]["random"]["dropped"] >= 10
    assert report["rules"]["scale"] == "ordinal"


def test_cleaning_does_not_depend_on_order_and_format(
    codeacumen_here: Codeacumen, votes: Path, tmp_path: Path
) -> None:
    # The same votes in reverse order, as JSON lines.
    head, *rows = (votes / "direct.csv").read_text().splitlines()
    names = head.split(",")
    lines = [json.dumps(dict(zip(names, row.split(","), strict=True))) for row in reversed(rows)]
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join(lines))
    for out, source in (("a", votes / "direct.csv"), ("b", other)):
        assert codeacumen_here("survey", "clean", source, "-o", tmp_path / out).returncode == 0
    for name in ("small_pair_wise.csv", "large_pair_wise.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_malformed_rows_are_reported(
    codeacumen_here: Codeacumen, votes: Path, tmp_path: Path
) -> None:
    with (votes / "direct.csv").open("a") as stream:
        stream.write("zoe,a,b,9,1\n" * 7)
    completed = codeacumen_here("survey", "clean", votes, "-o", tmp_path / "out")
    assert completed.returncode == 0
    assert "direct.csv:1082: left out: relatedness is '9'" in completed.stderr
    assert "... and 2 more" in completed.stderr


def test_clean_options_are_rules(codeacumen_here: Codeacumen, votes: Path, tmp_path: Path) -> None:
    completed = codeacumen_here(
        "survey",
        "clean",
        votes,
        "-o",
        tmp_path / "out",
        "--size",
        "mine=0.3,0.5",
        "--scale",
        "interval",
        "--increase",
        "0.2",
        "--min-ratings",
        "5",
        "--json",
    )
    rules = json.loads(completed.stdout)["rules"]
    assert rules == {
        "scale": "interval",
        "downer_increase": 0.2,
        "least_votes": 5,
        "sizes": {"mine": {"tau": 0.3, "theta": 0.5}},
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clean", "nowhere"], "there is no such file"),
        (["clean", "{votes}", "--size", "mine"], "not a name and two thresholds"),
        (["clean", "{votes}", "--size", "../x=1,1"], "not a name and two thresholds"),
        (["simulate", "--share", "random"], "not a kind and a number"),
    ],
)
def test_invalid_survey_arguments_are_rejected(
    codeacumen_here: Codeacumen, votes: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    words = [word.format(votes=votes) for word in arguments]
    completed = codeacumen_here("survey", *words, "-o", tmp_path / "out")
    assert completed.returncode == 2
    assert message in completed.stderr


def test_clean_sesame(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    path = SHARED / "sesame" / "dataset-unfiltered.json"
    if not path.is_file():
        pytest.skip(f"SeSaMe's files are not in {path.parent}")
    completed = codeacumen_here("survey", "clean", path, "-o", tmp_path / "out")
    assert completed.returncode == 0, completed.stderr
    assert "900 pairs, 857 kept" in completed.stdout
    assert "66 pairs similar in all three, 543 dissimilar" in completed.stdout
    again = codeacumen_here("survey", "clean", path, "-o", tmp_path / "out", "--json")
    assert json.loads(again.stdout)["pairs"]["after"] == 857
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    assert codeacumen_here("survey", "clean", path, "-o", tmp_path / "other").returncode == 2


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("corpus")
    (root / "project").mkdir()
    for number in range(3):
        lines = "\n".join(f"var item{i % 7} = i + index + {i};" for i in range(60))
        (root / "project" / f"{number}.js").write_text(f"// {number}\n{lines}\n")
    build_corpus_at(root / "corpus", [str(root / "project")], views=("text",))
    return root / "corpus"


def test_select_chooses_pairs(codeacumen_here: Codeacumen, corpus: Path, tmp_path: Path) -> None:
    # An embedding as `codeacumen train embedding` writes it.
    names = ["i", "index", "item1", "item2"]
    rows = normalize_rows(np.arange(1, 13, dtype=np.float64).reshape(4, 3) % 5)
    Vectors(names, rows, [9, 9, 9, 9], {"kind": "toy"}).save(tmp_path / "toy")
    arguments = [
        "survey",
        "select",
        corpus,
        "--min-count",
        "20",
        "--limit",
        "6",
        "--random",
        "2",
        "--embedding",
        tmp_path / "toy",
        "-j",
        "1",
    ]
    completed = codeacumen_here(*arguments, "--out", tmp_path / "a.json")
    assert completed.returncode == 0, completed.stderr
    assert "6 pairs of" in completed.stdout
    assert "cosine: toy" in completed.stdout
    selection = json.loads((tmp_path / "a.json").read_bytes())
    assert selection["frequent_identifiers"] == 9
    assert {pair["reason"] for pair in selection["pairs"]} >= {"toy", "random"}
    assert all(len(identifier["contexts"]) == 5 for identifier in selection["identifiers"])
    codeacumen_here(*arguments, "--out", tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    (tmp_path / "words.txt").write_text("i index")
    selected_words = codeacumen_here(
        *arguments, "--words", tmp_path / "words.txt", "--limit", "99", "--out", tmp_path / "c.json"
    )
    assert "of 99 pairs: there are no more such names" in selected_words.stderr
    selection = json.loads((tmp_path / "c.json").read_bytes())
    assert {"left": "i", "right": "index", "reason": "synonyms"} in selection["pairs"]
    completed = codeacumen_here(
        *arguments, "--embedding", tmp_path / "x" / "toy", "-o", tmp_path / "d"
    )
    assert "the same name" in completed.stderr


def test_occurrences_counts_idbench_identifiers(
    codeacumen_here: Codeacumen, idbench: Path, corpus: Path
) -> None:
    completed = codeacumen_here("survey", "occurrences", corpus, "-j", "1")
    assert completed.returncode == 0, completed.stderr
    assert "1 of 484" in completed.stdout
    json_output = codeacumen_here("survey", "occurrences", corpus, "-j", "1", "--json")
    (language,) = json.loads(json_output.stdout)["languages"].values()
    assert (language["total"], language["max"]) == (180, 180)
