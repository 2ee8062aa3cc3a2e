"""Tests of ``codeacumen train embedding``, and of the commands that use an embedding: ``names
neighbours`` and ``reproduce idbench --embeddings``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.idbench import read_published_correlations
from codeacumen.corpus import Corpus
from codeacumen.interface.training import train_embedding
from codeacumen.models.embeddings.vectors import Vectors
from corpora import build_corpus_at
from support import ROOT, Codeacumen

pytest.importorskip("gensim")
QUILL = str(ROOT / "examples" / "quill")
SMALL = ("--size", "10", "--epochs", "2")


@pytest.fixture(scope="module")
def quill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a corpus once, because training on a folder of sources builds one each time."""
    out = tmp_path_factory.mktemp("quill") / "corpus"
    build_corpus_at(out, [QUILL], views=["text"])
    return out


@pytest.mark.parametrize("technique", ["w2v-cbow", "ft-sg", "paths"])
def test_an_embedding_of_each_technique_is_trained_and_has_neighbours(
    codeacumen: Codeacumen, quill: Path, tmp_path: Path, technique: str
) -> None:
    out = tmp_path / "w2v"
    completed = codeacumen("train", "embedding", technique, quill, "--out", out, *SMALL)
    assert completed.returncode == 0, completed.stderr
    assert "java files" in completed.stdout
    assert completed.stderr == ""
    vectors = Vectors.load(out)
    assert vectors.metadata["kind"] == technique
    assert vectors.metadata["data"]["files"]["java"] > 10
    name = vectors.names[0]
    completed = codeacumen("names", "neighbours", out, name, "-n", "3", "--json")
    assert completed.returncode == 0, completed.stderr
    (row,) = json.loads(completed.stdout)
    neighbours = vectors.neighbours(name, 3)
    assert neighbours is not None
    assert [neighbour["name"] for neighbour in row["neighbours"]] == [
        other for other, _ in neighbours
    ]


def test_embedding_does_not_depend_on_the_number_of_workers(
    codeacumen: Codeacumen, quill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, workers in (("one", "1"), ("two", "2")):
        options = ("--out", tmp_path / name, "-j", workers, *SMALL)
        completed = codeacumen("train", "embedding", "w2v-sg", quill, *options)
        assert completed.returncode == 0, completed.stderr
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_options_are_settings_of_the_embedding(
    codeacumen: Codeacumen, quill: Path, tmp_path: Path
) -> None:
    options = (
        "--min-count",
        "5",
        "--tokens",
        "names",
        "--limit",
        "2000",
        "--window",
        "2",
        "--negative",
        "3",
        "--alpha",
        "0.1",
        "--seed",
        "4",
    )
    out = tmp_path / "w2v"
    completed = codeacumen(
        "train", "embedding", "w2v-sg", quill, *options, *SMALL, "--json", "--out", out
    )
    assert completed.returncode == 0, completed.stderr
    facts = json.loads(completed.stdout)
    assert (facts["kind"], facts["folder"], facts["dimensions"]) == ("w2v-sg", str(out), 10)
    expected = {
        "min_count": 5,
        "tokens": "names",
        "limit": 2000,
        "window": 2,
        "negative": 3,
        "alpha": 0.1,
        "seed": 4,
        "size": 10,
        "epochs": 2,
    }
    assert facts["settings"].items() >= expected.items()
    assert 0 < facts["data"]["tokens"] <= 2000
    assert min(Vectors.load(out).counts) >= 5


def test_train_embedding_equals_the_command(
    codeacumen: Codeacumen, quill: Path, tmp_path: Path
) -> None:
    completed = codeacumen(
        "train", "embedding", "w2v-cbow", quill, "--out", tmp_path / "w2v", *SMALL
    )
    assert completed.returncode == 0, completed.stderr
    trained = train_embedding(
        "w2v-cbow", Corpus.open(quill), tmp_path / "own", size=10, epochs=2, workers=1
    )
    assert trained.folder == tmp_path / "own"
    assert trained.files_left_out == 0
    for file in (tmp_path / "w2v").iterdir():
        assert file.read_bytes() == (tmp_path / "own" / file.name).read_bytes()


def test_wrong_arguments_of_the_function_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no technique called 'glove'"):
        train_embedding("glove", QUILL, tmp_path / "own")
    with pytest.raises(CodeacumenError, match="no corpus to train on"):
        train_embedding("paths", [], tmp_path / "own")
    with pytest.raises(CodeacumenError, match="no setting 'tokens'") as error:
        train_embedding("paths", QUILL, tmp_path / "own", tokens="names")
    assert "min_count" in error.value.hint
    with pytest.raises(CodeacumenError, match="tokens='most'"):
        train_embedding("w2v-sg", QUILL, tmp_path / "own", tokens="most")
    assert not (tmp_path / "own").exists()


def test_a_name_without_a_vector_is_reported(codeacumen: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen(
        "train", "embedding", "w2v-cbow", QUILL, "--out", tmp_path / "w2v", *SMALL
    )
    assert completed.returncode == 0, completed.stderr
    completed = codeacumen("names", "neighbours", tmp_path / "w2v", "String", "neverHeardOf")
    assert completed.returncode == 1
    assert "neverHeardOf: it has no vector" in completed.stderr
    assert "String" in completed.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("paths", QUILL, "--window", "3", "--out", "x"), "paths has no setting 'window'"),
        (("paths", QUILL, "--fast", "--out", "x"), "paths has no setting 'fast'"),
        (("w2v", QUILL, "--out", "x"), "Invalid value"),
        (("w2v-sg", QUILL, "--engine", "abacus", "--out", "x"), "no engine called 'abacus'"),
        (("w2v-sg", "nowhere", "--out", "x"), "no such folder"),
        (("w2v-sg", QUILL, "--out", "full"), "not empty"),
    ],
)
def test_a_wrong_argument_is_an_error(
    codeacumen: Codeacumen, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    completed = codeacumen("train", "embedding", *arguments, cwd=tmp_path)
    assert completed.returncode == 2
    assert message in completed.stderr


def test_neighbours_need_an_embedding(codeacumen: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen("names", "neighbours", tmp_path, "a")
    assert completed.returncode == 2
    assert "no embedding here" in completed.stderr


def test_trained_rows_are_compared_with_the_published(
    codeacumen: Codeacumen,
    codeacumen_here: Codeacumen,
    quill: Path,
    idbench: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for technique in ("ft-cbow", "w2v-cbow"):
        out = tmp_path / "all" / technique
        completed = codeacumen("train", "embedding", technique, quill, "--out", out, *SMALL)
        assert completed.returncode == 0, completed.stderr
    # Only the published rows that have a trained counterpart.
    table = [
        correlation
        for correlation in read_published_correlations()
        if correlation.technique in ("FT-cbow", "w2v-cbow")
    ]
    monkeypatch.setattr(
        "codeacumen.benchmarks.idbench.reproduce.read_published_correlations", lambda: table
    )
    completed = codeacumen_here(
        "reproduce", "idbench", "--embeddings", tmp_path / "all", "--resamples", "100", "--json"
    )
    assert completed.returncode == 0, completed.stderr
    cells = [cell for cell in json.loads(completed.stdout) if cell["table"] == "trained"]
    assert len(cells) == 18
    large = {
        cell["technique"]: cell
        for cell in cells
        if (cell["task"], cell["size"]) == ("relatedness", "large")
    }
    # FastText builds vectors from n-grams and scores all pairs; word2vec knows few of these names.
    assert large["ft-cbow"]["n"] == 266
    assert large["ft-cbow"]["note"].startswith("scores 289 of 289 pairs")
    assert large["ft-cbow"]["published"] == pytest.approx(0.7284, abs=1e-4)
    assert large["w2v-cbow"]["n"] < 30
    assert large["w2v-cbow"]["published"] == pytest.approx(0.3739, abs=1e-4)


def test_trained_needs_embeddings(codeacumen: Codeacumen, idbench: Path, tmp_path: Path) -> None:
    completed = codeacumen("reproduce", "idbench", "--embeddings", tmp_path)
    assert completed.returncode == 2
    assert "neither an embedding" in completed.stderr
    completed = codeacumen("reproduce", "generalizability", "--embeddings", tmp_path)
    assert completed.returncode == 2
    assert "papers that do: idbench" in completed.stderr
