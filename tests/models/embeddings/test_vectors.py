"""Tests of the file format of embeddings and of queries on them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError, Pair
from codeacumen.models.embeddings.model import make_embedding
from codeacumen.models.embeddings.vectors import Vectors, normalize_rows

ODD = [
    "plain",
    "ünïcode",
    "日本",
    "tab\there",
    "line\nend",
    "back\\slash",
    "\\n",
    "\ud800",
    "",
    " ",
]


def make_vectors(names: list[str], ngrams: bool = False) -> Vectors:
    rows = np.random.default_rng(0).normal(size=(len(names), 4)).astype(np.float32)
    metadata: dict[str, object] = {"kind": "w2v-sg"}
    ngram_table = None
    if ngrams:
        metadata["ngrams"] = {"shortest": 3, "longest": 6, "buckets": 50}
        ngram_table = np.random.default_rng(1).normal(size=(50, 4)).astype(np.float32)
    return Vectors(
        names, normalize_rows(rows), list(range(len(names), 0, -1)), metadata, ngram_table
    )


def test_load_returns_saved_vectors(tmp_path: Path) -> None:
    saved = make_vectors(ODD, ngrams=True)
    saved.save(tmp_path)
    loaded = Vectors.load(tmp_path)
    assert loaded.names == ODD
    assert loaded.counts == saved.counts
    assert isinstance(loaded.matrix, np.memmap)
    np.testing.assert_array_equal(loaded.matrix, saved.matrix)
    assert loaded.ngrams is not None
    assert loaded.metadata["kind"] == "w2v-sg"
    assert loaded.metadata["names"] == len(ODD)


def test_equal_vectors_are_saved_as_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_vectors(ODD, ngrams=True).save(tmp_path / name)
    files = sorted(file.name for file in (tmp_path / "one").iterdir())
    assert files == ["metadata.json", "ngrams.npy", "vectors.npy", "vocabulary.txt"]
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@given(st.lists(st.text(), unique=True, max_size=20))
def test_any_name_can_be_saved_and_loaded(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    make_vectors(names).save(folder)
    assert Vectors.load(folder).names == names


def test_similarity_equals_cosine_by_numpy() -> None:
    vectors = make_vectors(["a", "b", "c"])
    a, b = vectors.matrix[0].astype(float), vectors.matrix[1].astype(float)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    similarities = vectors.similarity(
        [("a", "b"), ("a", "a"), ("a", "nobody"), ("nobody", "never")]
    )
    assert similarities[0] == pytest.approx(expected, abs=1e-6)
    assert similarities[1] == pytest.approx(1.0, abs=1e-6)
    assert similarities[2:] == [None, None]


def test_neighbours_equal_those_from_full_sort() -> None:
    names = [f"n{i}" for i in range(200)]
    vectors = make_vectors(names)
    values = vectors.matrix @ vectors.matrix[7]
    expected = [names[i] for i in np.argsort(-values, kind="stable") if i != 7]
    for count in (1, 5, 199, 1000):
        neighbours = vectors.neighbours("n7", count)
        assert neighbours is not None
        assert [name for name, _ in neighbours] == expected[:count]
    assert vectors.neighbours("nobody") is None


def test_ties_between_neighbours_prefer_frequent_names() -> None:
    rows = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], dtype=np.float32)
    vectors = Vectors(["x", "often", "less", "rare"], rows, [9, 5, 4, 3], {})
    assert vectors.neighbours("x", 2) == [("often", 0.0), ("less", 0.0)]


def test_zero_vector_has_no_cosine() -> None:
    vectors = Vectors(["a", "zero"], np.array([[1, 0], [0, 0]], dtype=np.float32), [2, 1], {})
    assert vectors.similarity([("a", "zero")]) == [None]


def test_unseen_name_has_vector_only_with_ngrams() -> None:
    with_ngrams, without_ngrams = make_vectors(["known"], ngrams=True), make_vectors(["known"])
    assert with_ngrams.get_vector("unseen") is not None
    assert without_ngrams.get_vector("unseen") is None
    # With its two boundary marks, the empty name is `<>`: too short for an n-gram of length three.
    assert with_ngrams.get_vector("") is None


def test_load_reports_folder_without_valid_embedding(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no embedding here"):
        Vectors.load(tmp_path)
    make_vectors(["a"]).save(tmp_path)
    (tmp_path / "vectors.npy").write_bytes(b"nothing")
    with pytest.raises(CodeacumenError, match="damaged"):
        Vectors.load(tmp_path)
    (tmp_path / "metadata.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(CodeacumenError, match="format"):
        Vectors.load(tmp_path)


def test_load_reports_vocabulary_of_wrong_length(tmp_path: Path) -> None:
    make_vectors(["a", "b"]).save(tmp_path)
    (tmp_path / "vocabulary.txt").write_text("a\t1\n")
    with pytest.raises(CodeacumenError, match="damaged"):
        Vectors.load(tmp_path)


def test_model_returns_none_for_unknown_names(tmp_path: Path) -> None:
    make_vectors(["a", "b"]).save(tmp_path)
    model = make_embedding(str(tmp_path))
    similarities = model.similarity([Pair("a", "b"), Pair("a", "c")])
    assert similarities[0] is not None
    assert similarities[1] is None
    assert model.embed(["c"]) == [None]


def test_fingerprint_depends_on_embedding_not_on_folder(tmp_path: Path) -> None:
    make_vectors(["a", "b"]).save(tmp_path)
    first_fingerprint = make_embedding(str(tmp_path)).fingerprint
    make_vectors(["a", "c"]).save(tmp_path)
    assert make_embedding(str(tmp_path)).fingerprint != first_fingerprint


def test_loading_needs_no_gensim(tmp_path: Path) -> None:
    make_vectors(["a", "b"], ngrams=True).save(tmp_path)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from codeacumen.models.embeddings.vectors import Vectors\n"
        f"assert Vectors.load(Path({str(tmp_path)!r})).get_vector('unseen') is not None\n"
        "print('gensim' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "False"
