"""Tests of the lexicon's file: it is loaded as it was written, and damage is reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.models.identifier_similarity.lexicon import (
    Lexicon,
    encode_arrays,
    encode_letters,
    pack_arrays,
)
from lexicons import make_arrays

ARRAYS = make_arrays(
    {"begin": 1e-3, "start": 2e-3, "end": 1e-4},
    english={"begin", "end"},
    vectors={"begin": [1.0, 0.0, 0.6, -0.8], "start": [0.0, -2.0, 0.0, 1.0]},
    pairs={("begin", "start"): 0.8, ("end", "begin"): 0.2},
    fallback=(0.1, 0.2, 0.3),
    floor=0.25,
    about={"version": 1},
)


def test_load_returns_what_was_packed(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    file.write_bytes(pack_arrays(ARRAYS))
    lexicon = Lexicon.load(file)
    assert lexicon.words == ["start", "begin", "end"]
    assert lexicon.english.tolist() == [False, True, True]
    assert lexicon.about == {"version": 1}
    assert lexicon.floor == 0.25
    # start (0) is paired with begin (1), and begin with end (2).
    assert lexicon.row.tolist() == [0, 1, 2, 2]
    assert lexicon.second.tolist() == [1, 2]
    assert (lexicon.value / 255).tolist() == [204 / 255, 51 / 255]
    halves = lexicon.vectors.reshape(3, 2, 2) * lexicon.scale[:, :, None]
    expected = [[[0, -2], [0, 1]], [[1, 0], [0.6, -0.8]], [[0, 0], [0, 0]]]
    np.testing.assert_allclose(halves, expected, atol=0.005)


def test_equal_arrays_are_packed_to_equal_bytes() -> None:
    assert pack_arrays(ARRAYS) == pack_arrays(dict(reversed(ARRAYS.items())))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("pair", np.array([9, 3], np.uint32), "do not rise"),
        ("pair", np.array([1, 5], np.uint32), "not of two words"),
        ("value", np.array([1], np.uint8), "differ in length"),
        ("scale", np.zeros((3, 3), np.float32), "another shape"),
        ("vectors", np.zeros((3, 3), np.int8), "odd number of columns"),
        ("floor", np.array(1.0, np.float32), "below 1"),
        ("frequency", np.zeros(3, np.int32), "frequency is int32"),
        ("words", np.frombuffer(b"a\na\nb", np.uint8), "3 words, 2 different"),
        ("words", np.frombuffer(b"\xff\na\nb", np.uint8), "decode"),
    ],
)
def test_inconsistent_array_is_reported(
    name: str, array: np.ndarray, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "names.npz"
    np.savez(file, **encode_arrays({**ARRAYS, name: array}))
    with pytest.raises(CodeacumenError, match=message):
        Lexicon.load(file)


def test_pairs_not_stored_as_gaps_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    np.savez(file, **{**encode_arrays(ARRAYS), "pair": ARRAYS["pair"]})
    with pytest.raises(CodeacumenError, match="pair is uint32"):
        Lexicon.load(file)


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", pack_arrays(ARRAYS)[:200]])
def test_damaged_file_is_reported(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    file.write_bytes(content)
    with pytest.raises(CodeacumenError, match="not a lexicon"):
        Lexicon.load(file)


def test_missing_file_and_missing_array_are_reported(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no lexicon"):
        Lexicon.load(tmp_path / "names.npz")
    np.savez(tmp_path / "some.npz", words=ARRAYS["words"])
    with pytest.raises(CodeacumenError, match="it has no frequency"):
        Lexicon.load(tmp_path / "some.npz")


def test_letters_of_any_words() -> None:
    letters, starts = encode_letters(["ab", "", "\ud800λ", "😀"])
    assert letters.tolist() == [97, 98, 0xD800, 0x3BB, 0x1F600]
    assert starts.tolist() == [0, 2, 2, 4, 5]


def test_empty_lexicon_is_valid() -> None:
    lexicon = Lexicon(make_arrays({}))
    assert lexicon.words == []
    assert lexicon.compounds.segment("begin") == ["begin"]
