"""From a corpus to pages: the example projects, mined from end to end by the verb."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.mining import SAMPLE, Settings, mine_pairs, texts_of
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.benchmarks.sesame.mining.tokens import kinds, toksim
from corpora import contents, shared_engine

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from support import Codeacumen

SETTINGS = Settings(pairs=12, raters=("ann", "bob", "cy"))


@pytest.fixture(scope="module")
def mined(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mined") / "pairs"
    mine_pairs(examples_corpus, out, SETTINGS, shared_engine(2), 2)
    return out


def read_sample(mined: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (mined / SAMPLE).read_bytes().splitlines()]


def test_each_pair_has_what_is_needed_to_rate_it(mined: Path, examples_corpus: Corpus) -> None:
    """docsim and toksim are worked out again, from the texts alone."""
    sampled = read_sample(mined)
    assert [one["pair"] for one in sampled] == [str(number) for number in range(12)]
    texts = texts_of(mined)
    space = Space().fit(list(texts.values()))
    for one in sampled:
        first, second = one["first"], one["second"]
        assert first["project"] != second["project"]
        left, right = (space.of([texts[side["method_id"]]]) for side in (first, second))
        assert one["docsim"] == pytest.approx(float(left.multiply(right).sum()), abs=1e-5)
        bodies = [kinds(side["method"]) for side in (first, second)]
        assert one["toksim"] == pytest.approx(toksim(*bodies), abs=1e-6)
        assert one["msim"] == pytest.approx(0.75 * one["docsim"] + 0.25 * (1 - one["toksim"]))
        for side in (first, second):
            row = examples_corpus.method(side["method_id"])
            assert side["method"] == row["text"]
            assert side["javadoc"] == row["javadoc"]
            assert side["name"] in side["excerpt"]
    assert (mined / "preview" / "index.html").is_file()
    assert len(list((mined / "preview").glob("pair-*.html"))) == 12


def test_everybody_rates_every_pair_once(mined: Path) -> None:
    turns = list(csv.DictReader((mined / "assignment.csv").read_text().splitlines()))
    assert len({(turn["rater"], turn["pair"]) for turn in turns}) == len(turns) == 3 * 12


def test_the_same_bytes_whatever_the_workers(
    mined: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    mine_pairs(examples_corpus, tmp_path / "again", SETTINGS, shared_engine(1), 1)
    assert contents(tmp_path / "again") == contents(mined)


def test_what_was_killed_goes_on(examples_corpus: Corpus, mined: Path, tmp_path: Path) -> None:
    """A run that ended after the first stage, with half a file of the second; and damage."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "methods.parquet").write_bytes((mined / "methods.parquet").read_bytes())
    (out / "pairs.parquet.7.part").write_bytes(b"PAR1")
    _, stages = mine_pairs(examples_corpus, out, SETTINGS, shared_engine(2))
    assert stages.again == ["methods"]
    (out / "pairs.parquet").write_bytes(b"no longer what it was")
    _, stages = mine_pairs(examples_corpus, out, SETTINGS, shared_engine(2))
    assert stages.again == ["methods"]
    (out / "pairs.parquet.7.part").unlink()
    assert contents(out) == contents(mined)


def test_a_folder_of_somebody_elses_is_left_alone(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CodeacumenError, match=r"thesis\.tex"):
        mine_pairs(examples_corpus, tmp_path, SETTINGS, shared_engine(1))


def test_the_verb(
    codeacumen_here: Codeacumen, examples_corpus: Corpus, mined: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = codeacumen_here(
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
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["sample"]["pairs"] == 12
    assert contents(out) == contents(mined)
    method = read_sample(mined)[0]["first"]["method_id"]
    done = codeacumen_here("similar", "find", examples_corpus.folder, method, "-n", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") >= 6
    bad = codeacumen_here("similar", "mine", examples_corpus.folder, "-o", out, "--compat", "x")
    assert bad.returncode == 2
    assert "--compat sesame-tools" in bad.stderr


def test_votes_of_several_raters(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
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
    done = codeacumen_here("survey", "merge", *files, "--out", tmp_path / "votes.json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads((tmp_path / "votes.json").read_text())
    assert found["goals"] == [vote, vote]
    done = codeacumen_here("survey", "clean", tmp_path / "votes.json", "--out", tmp_path / "clean")
    assert done.returncode == 0, done.stderr
    files[0].write_text("no")
    assert codeacumen_here("survey", "merge", *files, "--out", tmp_path / "v.json").returncode == 2


@pytest.mark.thorough
def test_tuning_by_labels(codeacumen_here: Codeacumen, mined: Path, tmp_path: Path) -> None:
    pytest.importorskip("pymoo", reason="pymoo is not installed")
    texts = texts_of(mined)
    ids = sorted(texts, key=lambda one: (texts[one], one))
    labels = tmp_path / "labels.csv"
    rows = [f"{a},{a},1\n" for a in ids[:5]] + [f"{ids[0]},{b},0\n" for b in ids[-5:]]
    labels.write_text("left_id,right_id,similar\n" + "".join(rows))
    done = codeacumen_here("similar", "tune", labels, "--mined", mined, "--rounds", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["precision"] == 1
