"""The lexicon of words: frequencies, English words, vectors, and the similarity of pairs of words.

The lexicon is one file of arrays, which ``research/lexicon`` writes:

``words``      uint8: the words, UTF-8, joined by line ends, by falling frequency
``frequency``  float32: each word's share of all words
``english``    bool: True if a dictionary has the word
``vectors``    int8 [words, d]: in the space of code, then in that of all text, d / 2 numbers each
``scale``      float32 [words, 2]: factors of the two halves' numbers
``pair``       uint32, rising: u · 65536 + v with word indices u < v: pairs with a similarity
``value``      uint8: that similarity, times 255
``fallback``   float32 [3]: a, b, c of all other pairs: a + b · cosine in code + c · cosine in text
``floor``      float32: a similarity that unrelated words seldom reach
``about``      uint8: JSON, the origin of the data

In the file, ``pair`` holds the gaps between its numbers, all first bytes before all second ones and
so on: most gaps are small, and planes of zeros compress well.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.models.identifier_similarity.split import MIN_PART_LENGTH, SHORT_PARTS, Compounds

FILE = Path(__file__).with_name("data") / "names.npz"
MAX_LEXICON_WORDS = 1 << 16

Arrays = Mapping[str, NDArray[Any]]
_LETTERS = re.compile("[a-z]+").fullmatch
# Number of dimensions of each array, and numpy's letter for the kind of its type.
_SHAPES = {
    "words": (1, "u"),
    "frequency": (1, "f"),
    "english": (1, "b"),
    "vectors": (2, "i"),
    "scale": (2, "f"),
    "pair": (1, "u"),
    "value": (1, "u"),
    "fallback": (1, "f"),
    "floor": (0, "f"),
    "about": (1, "u"),
}


class Lexicon:
    """The lexicon in memory.

    ``second`` has the second words of all pairs, and ``row`` the offset in it, and in ``value``, of
    the pairs of each first word. The other attributes are the arrays described above.
    """

    def __init__(self, arrays: Arrays) -> None:
        """Raise ValueError if the arrays are not as described above."""
        _check_arrays(arrays)
        text = arrays["words"].tobytes().decode()
        self.words: list[str] = text.split("\n") if text else []
        self.word_indices = {word: i for i, word in enumerate(self.words)}
        self.frequency = arrays["frequency"].astype(np.float64)
        self.english = arrays["english"]
        self.vectors = np.ascontiguousarray(arrays["vectors"], dtype=np.int8)
        self.scale = arrays["scale"].astype(np.float32)
        self.fallback = arrays["fallback"].astype(np.float64)
        self.floor = float(arrays["floor"])
        self.about: dict[str, Any] = json.loads(arrays["about"].tobytes() or b"{}")
        pair = arrays["pair"]
        self.second = (pair & 0xFFFF).astype(np.uint16)
        self.value = arrays["value"].astype(np.uint8)
        _check_words(self.words, self.word_indices, arrays)
        rows = np.arange(len(self.words) + 1, dtype=np.uint64) << np.uint64(16)
        self.row = np.searchsorted(pair.astype(np.uint64), rows).astype(np.int64)

    @classmethod
    def load(cls, path: Path = FILE) -> Lexicon:
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as opened:
                return cls({name: _decode_array(name, opened[name]) for name in opened.files})
        except FileNotFoundError as error:
            raise CodeacumenError(
                f"{path}: there is no lexicon", "research/lexicon of the repository builds one"
            ) from error
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise CodeacumenError(
                f"{path}: not a lexicon: {error}", "research/lexicon of the repository builds one"
            ) from error

    @cached_property
    def compounds(self) -> Compounds:
        """Splitter of compounds into words of the lexicon."""
        shares = np.log(np.maximum(self.frequency, 1e-12)).tolist()
        return Compounds(
            {
                word: share
                for word, share in zip(self.words, shares, strict=True)
                if (len(word) >= MIN_PART_LENGTH or word in SHORT_PARTS) and _LETTERS(word)
            }
        )

    @cached_property
    def letters(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Characters of all words, and the offset of each word, as of ``encode_letters``."""
        return encode_letters(self.words)


def encode_letters(words: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the characters of all words, concatenated, and the offset of each word."""
    text = "".join(words).encode("utf-32-le", "surrogatepass")
    starts = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=starts[1:])
    return np.frombuffer(text, np.uint32), starts


def pack_arrays(arrays: Arrays) -> bytes:
    """Return the bytes of a lexicon's file; the same bytes for the same arrays."""
    _check_arrays(arrays)
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **encode_arrays(arrays))
    return stream.getvalue()


def encode_arrays(arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return the arrays as they are stored in the file, in the file's order."""
    gaps = np.diff(arrays["pair"].astype("<u4"), prepend=np.zeros(1, "<u4"))
    planes = np.ascontiguousarray(gaps.view(np.uint8).reshape(-1, 4).T)
    return {name: planes if name == "pair" else arrays[name] for name in _SHAPES}


def _decode_array(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if name != "pair":
        return array
    if array.dtype != np.uint8 or array.ndim != 2 or len(array) != 4:
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")
    gaps = np.ascontiguousarray(array.T).view("<u4").ravel()
    return np.cumsum(gaps, dtype=np.uint64).astype(np.uint32)


def _check_arrays(arrays: Arrays) -> None:
    missing = [name for name in _SHAPES if name not in arrays]
    if missing:
        raise ValueError(f"it has no {', '.join(missing)}")
    for name, (dimensions, kind) in _SHAPES.items():
        array = arrays[name]
        if array.ndim != dimensions or array.dtype.kind != kind:
            raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")
    count = len(arrays["frequency"])
    pair = arrays["pair"].astype(np.uint64)
    first, second = pair >> np.uint64(16), pair & np.uint64(0xFFFF)
    for is_wrong, message in (
        (count > MAX_LEXICON_WORDS, "there are too many words"),
        (len(arrays["english"]) != count, "english has another length"),
        (len(arrays["vectors"]) != count, "vectors have another length"),
        (arrays["scale"].shape != (count, 2), "scale has another shape"),
        (arrays["vectors"].shape[1] % 2 != 0, "vectors have an odd number of columns"),
        (arrays["fallback"].shape != (3,), "fallback has another length"),
        (len(arrays["value"]) != len(pair), "pair and value differ in length"),
        (np.any(pair[1:] <= pair[:-1]), "pairs do not rise"),
        (np.any(first >= second) or np.any(second >= count), "pairs are not of two words"),
        (not 0 <= float(arrays["floor"]) < 1, "floor is not below 1"),
    ):
        if is_wrong:
            raise ValueError(message)


def _check_words(words: list[str], word_indices: Mapping[str, int], arrays: Arrays) -> None:
    if len(words) != len(arrays["frequency"]) or len(word_indices) != len(words):
        raise ValueError(
            f"{len(words)} words, {len(word_indices)} different ones, "
            f"{len(arrays['frequency'])} shares"
        )
