"""The plain format of embeddings, and what is asked of them."""

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
from codeacumen.models.embeddings.vectors import Vectors, unit

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


def some(names: list[str], ngrams: bool = False) -> Vectors:
    rows = np.random.default_rng(0).normal(size=(len(names), 4)).astype(np.float32)
    told: dict[str, object] = {"kind": "w2v-sg"}
    table = None
    if ngrams:
        told["ngrams"] = {"shortest": 3, "longest": 6, "buckets": 50}
        table = np.random.default_rng(1).normal(size=(50, 4)).astype(np.float32)
    return Vectors(names, unit(rows), list(range(len(names), 0, -1)), told, table)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    made = some(ODD, ngrams=True)
    made.save(tmp_path)
    found = Vectors.load(tmp_path)
    assert found.names == ODD
    assert found.counts == made.counts
    assert isinstance(found.matrix, np.memmap)
    np.testing.assert_array_equal(found.matrix, made.matrix)
    assert found.ngrams is not None
    assert found.metadata["kind"] == "w2v-sg"
    assert found.metadata["names"] == len(ODD)


def test_the_same_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        some(ODD, ngrams=True).save(tmp_path / name)
    files = sorted(file.name for file in (tmp_path / "one").iterdir())
    assert files == ["metadata.json", "ngrams.npy", "vectors.npy", "vocabulary.txt"]
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@given(st.lists(st.text(), unique=True, max_size=20))
def test_any_name_survives(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("odd")
    some(names).save(folder)
    assert Vectors.load(folder).names == names


def test_cosine_is_that_of_numpy() -> None:
    made = some(["a", "b", "c"])
    a, b = made.matrix[0].astype(float), made.matrix[1].astype(float)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    found = made.similarity([("a", "b"), ("a", "a"), ("a", "nobody"), ("nobody", "never")])
    assert found[0] == pytest.approx(expected, abs=1e-6)
    assert found[1] == pytest.approx(1.0, abs=1e-6)
    assert found[2:] == [None, None]


def test_neighbours_as_sorting_all_gives_them() -> None:
    names = [f"n{i}" for i in range(200)]
    made = some(names)
    values = made.matrix @ made.matrix[7]
    expected = [names[i] for i in np.argsort(-values, kind="stable") if i != 7]
    for n in (1, 5, 199, 1000):
        found = made.neighbours("n7", n)
        assert found is not None
        assert [name for name, _ in found] == expected[:n]
    assert made.neighbours("nobody") is None


def test_of_equal_neighbours_the_frequent_come_first() -> None:
    rows = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], dtype=np.float32)
    made = Vectors(["x", "often", "less", "rare"], rows, [9, 5, 4, 3], {})
    assert made.neighbours("x", 2) == [("often", 0.0), ("less", 0.0)]


def test_zeros_have_no_cosine() -> None:
    made = Vectors(["a", "zero"], np.array([[1, 0], [0, 0]], dtype=np.float32), [2, 1], {})
    assert made.similarity([("a", "zero")]) == [None]


def test_an_unseen_name_is_made_of_its_parts_if_there_are_parts() -> None:
    with_parts, without = some(["known"], ngrams=True), some(["known"])
    assert with_parts.vector("unseen") is not None
    assert without.vector("unseen") is None
    # Too short for an n-gram of three characters with its marks: `<>` has two.
    assert with_parts.vector("") is None


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no embedding here"):
        Vectors.load(tmp_path)
    some(["a"]).save(tmp_path)
    (tmp_path / "vectors.npy").write_bytes(b"nothing")
    with pytest.raises(CodeacumenError, match="damaged"):
        Vectors.load(tmp_path)
    (tmp_path / "metadata.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(CodeacumenError, match="format"):
        Vectors.load(tmp_path)


def test_a_vocabulary_of_another_length_is_told(tmp_path: Path) -> None:
    some(["a", "b"]).save(tmp_path)
    (tmp_path / "vocabulary.txt").write_text("a\t1\n")
    with pytest.raises(CodeacumenError, match="damaged"):
        Vectors.load(tmp_path)


def test_the_model_has_no_answer_for_what_it_does_not_know(tmp_path: Path) -> None:
    some(["a", "b"]).save(tmp_path)
    model = make_embedding(str(tmp_path))
    found = model.similarity([Pair("a", "b"), Pair("a", "c")])
    assert found[0] is not None
    assert found[1] is None
    assert model.embed(["c"]) == [None]


def test_another_embedding_in_the_same_folder_is_another_model(tmp_path: Path) -> None:
    some(["a", "b"]).save(tmp_path)
    before = make_embedding(str(tmp_path)).fingerprint
    some(["a", "c"]).save(tmp_path)
    assert make_embedding(str(tmp_path)).fingerprint != before


def test_loading_needs_no_gensim(tmp_path: Path) -> None:
    some(["a", "b"], ngrams=True).save(tmp_path)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from codeacumen.models.embeddings.vectors import Vectors\n"
        f"assert Vectors.load(Path({str(tmp_path)!r})).vector('unseen') is not None\n"
        "print('gensim' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
