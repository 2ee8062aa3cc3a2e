"""Tests of mining from corpus to rating pages, end to end, on the example projects."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.pipeline import (
    SAMPLE,
    MiningSettings,
    mine_pairs,
    read_texts,
)
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.benchmarks.sesame.mining.tokens import compute_token_kinds, compute_toksim
from corpora import read_files, shared_engine

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from support import Codeacumen

SETTINGS = MiningSettings(pairs=12, raters=("ann", "bob", "cy"))


@pytest.fixture(scope="module")
def mined(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mined") / "pairs"
    mine_pairs(examples_corpus, out, SETTINGS, shared_engine(2), 2)
    return out


def read_sample(mined: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (mined / SAMPLE).read_bytes().splitlines()]


def test_sampled_pairs_have_all_fields_for_rating(mined: Path, examples_corpus: Corpus) -> None:
    """docsim and toksim equal values that are recomputed from the texts alone."""
    sampled = read_sample(mined)
    assert [pair["pair"] for pair in sampled] == [str(number) for number in range(12)]
    texts = read_texts(mined)
    space = Space().fit(list(texts.values()))
    for pair in sampled:
        first, second = pair["first"], pair["second"]
        assert first["project"] != second["project"]
        left, right = (space.embed_texts([texts[side["method_id"]]]) for side in (first, second))
        assert pair["docsim"] == pytest.approx(float(left.multiply(right).sum()), abs=1e-5)
        bodies = [compute_token_kinds(side["method"]) for side in (first, second)]
        assert pair["toksim"] == pytest.approx(compute_toksim(*bodies), abs=1e-6)
        assert pair["msim"] == pytest.approx(0.75 * pair["docsim"] + 0.25 * (1 - pair["toksim"]))
        for side in (first, second):
            row = examples_corpus.method(side["method_id"])
            assert side["method"] == row["text"]
            assert side["javadoc"] == row["javadoc"]
            assert side["name"] in side["excerpt"]
    assert (mined / "preview" / "index.html").is_file()
    assert len(list((mined / "preview").glob("pair-*.html"))) == 12


def test_each_rater_rates_each_pair_once(mined: Path) -> None:
    turns = list(csv.DictReader((mined / "assignment.csv").read_text().splitlines()))
    assert len({(turn["rater"], turn["pair"]) for turn in turns}) == len(turns) == 3 * 12


def test_output_does_not_depend_on_the_number_of_workers(
    mined: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    mine_pairs(examples_corpus, tmp_path / "again", SETTINGS, shared_engine(1), 1)
    assert read_files(tmp_path / "again") == read_files(mined)


def test_interrupted_run_resumes(examples_corpus: Corpus, mined: Path, tmp_path: Path) -> None:
    """Resume a run that stopped in the second stage, and repair a damaged file."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "methods.parquet").write_bytes((mined / "methods.parquet").read_bytes())
    (out / "pairs.parquet.7.part").write_bytes(b"PAR1")
    _, stages = mine_pairs(examples_corpus, out, SETTINGS, shared_engine(2))
    assert stages.reused == ["methods"]
    (out / "pairs.parquet").write_bytes(b"no longer what it was")
    _, stages = mine_pairs(examples_corpus, out, SETTINGS, shared_engine(2))
    assert stages.reused == ["methods"]
    (out / "pairs.parquet.7.part").unlink()
    assert read_files(out) == read_files(mined)


def test_folder_with_other_files_is_rejected(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CodeacumenError, match=r"thesis\.tex"):
        mine_pairs(examples_corpus, tmp_path, SETTINGS, shared_engine(1))


def test_similar_mine_and_find_commands(
    codeacumen_here: Codeacumen, examples_corpus: Corpus, mined: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    completed = codeacumen_here(
        "similar",
        "mine",
        examples_corpus.folder,
        "-o",
        out,
        "--limit",
        "12",
        "--raters",
        "ann,bob,cy",
        "--json",
    )
    assert completed.returncode == 0, completed.stderr
    report = json.loads(completed.stdout)
    assert report["sample"]["pairs"] == 12
    assert read_files(out) == read_files(mined)
    method = read_sample(mined)[0]["first"]["method_id"]
    completed = codeacumen_here("similar", "find", examples_corpus.folder, method, "-n", "3")
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.count("\n") >= 6
    completed = codeacumen_here("similar", "find", examples_corpus.folder, method, "--json")
    assert {"method_id", "summary", "score"} <= json.loads(completed.stdout)[0].keys()
    repeated = codeacumen_here(
        "similar",
        "mine",
        examples_corpus.folder,
        "-o",
        out,
        "--limit",
        "12",
        "--raters",
        "ann,bob,cy",
    )
    assert "reused" in repeated.stdout
    failed = codeacumen_here("similar", "mine", examples_corpus.folder, "-o", out, "--compat", "x")
    assert failed.returncode == 2
    assert "--compat sesame-tools" in failed.stderr


def test_votes_of_several_raters_are_merged(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    vote = {"rating": 2, "confidence": 1}
    side = {"project": "p", "file": "f", "method": "m"}
    entry = {
        "pairid": "0",
        "first": side,
        "second": side,
        "goals": [vote],
        "operations": [vote],
        "effects": [vote],
    }
    files = []
    for name in ("ann", "bob"):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps([entry]))
    completed = codeacumen_here("survey", "merge", *files, "--out", tmp_path / "votes.json")
    assert completed.returncode == 0, completed.stderr
    (merged,) = json.loads((tmp_path / "votes.json").read_text())
    assert merged["goals"] == [vote, vote]
    completed = codeacumen_here(
        "survey", "clean", tmp_path / "votes.json", "--out", tmp_path / "clean"
    )
    assert completed.returncode == 0, completed.stderr
    files[0].write_text("no")
    assert codeacumen_here("survey", "merge", *files, "--out", tmp_path / "v.json").returncode == 2


@pytest.mark.thorough
def test_tuning_by_labels(codeacumen_here: Codeacumen, mined: Path, tmp_path: Path) -> None:
    pytest.importorskip("pymoo", reason="pymoo is not installed")
    texts = read_texts(mined)
    ids = sorted(texts, key=lambda method_id: (texts[method_id], method_id))
    labels = tmp_path / "labels.csv"
    rows = [f"{similar_id},{similar_id},1\n" for similar_id in ids[:5]] + [
        f"{ids[0]},{other_id},0\n" for other_id in ids[-5:]
    ]
    labels.write_text("left_id,right_id,similar\n" + "".join(rows))
    completed = codeacumen_here(
        "similar", "tune", labels, "--mined", mined, "--rounds", "2", "--json"
    )
    assert completed.returncode == 0, completed.stderr
    assert json.loads(completed.stdout)["precision"] == 1
