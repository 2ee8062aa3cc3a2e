"""``codeacumen train``, ``codeacumen neighbours`` and ``codeacumen reproduce idbench
--trained``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.benchmarks.idbench.figures import published_correlations
from codeacumen.models.embeddings.vectors import Vectors
from corpora import build_at
from support import ROOT, Codeacumen

pytest.importorskip("gensim")
QUILL = str(ROOT / "examples" / "quill")
SMALL = ("--size", "10", "--epochs", "2")


@pytest.fixture(scope="module")
def quill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus: what is trained on a folder of sources begins by building one."""
    out = tmp_path_factory.mktemp("quill") / "corpus"
    build_at(out, [QUILL], views=["text"])
    return out


@pytest.mark.parametrize("technique", ["w2v-cbow", "ft-sg", "paths"])
def test_train_and_ask(codeacumen: Codeacumen, quill: Path, tmp_path: Path, technique: str) -> None:
    out = tmp_path / "made"
    done = codeacumen("train", technique, quill, "--out", out, *SMALL)
    assert done.returncode == 0, done.stderr
    assert "java files" in done.stderr
    assert done.stdout == ""
    made = Vectors.load(out)
    assert made.metadata["kind"] == technique
    assert made.metadata["data"]["files"]["java"] > 10
    name = made.names[0]
    done = codeacumen("neighbours", out, name, "-n", "3", "--json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)
    near = made.neighbours(name, 3)
    assert near is not None
    assert [one["name"] for one in told["neighbours"]] == [other for other, _ in near]


def test_the_same_bytes_whatever_the_workers(
    codeacumen: Codeacumen, quill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, workers in (("one", "1"), ("two", "2")):
        options = ("--out", tmp_path / name, "-j", workers, *SMALL)
        done = codeacumen("train", "w2v-sg", quill, *options)
        assert done.returncode == 0, done.stderr
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_a_name_without_a_vector_is_told(codeacumen: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen("train", "w2v-cbow", QUILL, "--out", tmp_path / "made", *SMALL)
    assert done.returncode == 0, done.stderr
    done = codeacumen("neighbours", tmp_path / "made", "String", "neverHeardOf")
    assert done.returncode == 1
    assert "neverHeardOf: it has no vector" in done.stderr
    assert "String" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("paths", QUILL, "--window", "3", "--out", "x"), "--window is not for paths"),
        (("w2v-sg", "nowhere", "--out", "x"), "no such folder"),
        (("w2v-sg", QUILL, "--out", "full"), "not empty"),
    ],
)
def test_what_cannot_be_is_told(
    codeacumen: Codeacumen, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    done = codeacumen("train", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_neighbours_of_no_embedding(codeacumen: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen("neighbours", tmp_path, "a")
    assert done.returncode == 2
    assert "no embedding here" in done.stderr


def test_trained_rows_stand_beside_the_published(
    codeacumen: Codeacumen, codeacumen_here: Codeacumen, quill: Path, idbench: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for technique in ("ft-cbow", "w2v-cbow"):
        out = tmp_path / "all" / technique
        done = codeacumen("train", technique, quill, "--out", out, *SMALL)
        assert done.returncode == 0, done.stderr
    # Of the published rows, those that ours stand beside.
    table = [one for one in published_correlations() if one.technique in ("FT-cbow", "w2v-cbow")]
    monkeypatch.setattr(
        "codeacumen.benchmarks.idbench.reproduce.published_correlations", lambda: table
    )
    done = codeacumen_here(
        "reproduce", "idbench", "--trained", tmp_path / "all", "--resamples", "100", "--json"
    )
    assert done.returncode == 0, done.stderr
    cells = [cell for cell in json.loads(done.stdout) if cell["table"] == "trained"]
    assert len(cells) == 18
    large = {c["technique"]: c for c in cells if (c["task"], c["size"]) == ("relatedness", "large")}
    # FastText makes vectors of parts, so it scores all; word2vec knows hardly any of these names.
    assert large["ft-cbow"]["n"] == 266
    assert large["ft-cbow"]["note"].startswith("scores 289 of 289 pairs")
    assert large["ft-cbow"]["published"] == pytest.approx(0.7284, abs=1e-4)
    assert large["w2v-cbow"]["n"] < 30
    assert large["w2v-cbow"]["published"] == pytest.approx(0.3739, abs=1e-4)


def test_trained_needs_embeddings(codeacumen: Codeacumen, idbench: Path, tmp_path: Path) -> None:
    done = codeacumen("reproduce", "idbench", "--trained", tmp_path)
    assert done.returncode == 2
    assert "neither an embedding" in done.stderr
    done = codeacumen("reproduce", "generalizability", "--trained", tmp_path)
    assert done.returncode == 2
    assert "--trained is for idbench" in done.stderr
