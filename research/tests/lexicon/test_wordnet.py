"""Tests of reading WordNet's files, and of the features of word pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from research.lexicon._pairs import keys_of, parted
from research.lexicon._senses import FEATURES, senses
from research.lexicon.wordnet import WordNet, read_wordnet

WORDS = [
    "entity",
    "vehicle",
    "car",
    "auto",
    "truck",
    "open",
    "close",
    "shut",
    "big",
    "huge",
    "cars",
    "opened",
    "nothing",
]


@pytest.fixture
def wordnet(wordnet_folder: Path) -> WordNet:
    return read_wordnet(wordnet_folder)


def said(wordnet: WordNet, left: str, right: str) -> dict[str, float]:
    keys = keys_of(np.array([WORDS.index(left)]), np.array([WORDS.index(right)]))
    (row,) = senses(wordnet, WORDS).of(keys).tolist()
    return {name: round(value, 4) for name, value in zip(FEATURES, row, strict=True) if value}


def test_what_is_read(wordnet: WordNet) -> None:
    assert wordnet.members[2] == ["car", "auto"]
    assert wordnet.meanings["open"] == [5, 7]
    assert wordnet.meanings["truck_farm"] == [4]
    assert wordnet.above[2] == [1]
    assert wordnet.ancestors[2] == {2: 0, 1: 1, 0: 2}
    assert wordnet.opposite == {("open", "close"), ("close", "open")}
    assert wordnet.derived == {("open", "open")}
    assert ["vehicle", "what", "carries", "people"] in list(wordnet.sentences())
    assert ["the", "vehicle", "stopped"] in list(wordnet.sentences())


def test_inflected_words(wordnet: WordNet) -> None:
    assert wordnet.bases("cars") == ["cars", "car"]
    assert wordnet.bases("closing") == ["closing", "close"]
    assert wordnet.knows("cars")
    assert not wordnet.knows("ids")


def test_pairs(wordnet: WordNet) -> None:
    """Expected values are computed by hand; paths go over the nearest common hypernym."""
    assert said(wordnet, "car", "auto") == {"synonym": 1.0}
    assert said(wordnet, "car", "truck") == {"path": 0.3333, "sibling": 1.0}
    assert said(wordnet, "car", "vehicle") == {"path": 0.5, "above": 1.0}
    assert said(wordnet, "car", "entity") == {"path": 0.3333, "above": 0.5}
    assert said(wordnet, "open", "close") == {"opposite": 1.0}
    assert said(wordnet, "open", "shut") == {}
    assert said(wordnet, "big", "huge") == {"like": 1.0}
    assert said(wordnet, "cars", "car") == {"synonym": 1.0, "derived": 1.0}
    # Both meanings of "open" count, the rarer one less.
    assert said(wordnet, "opened", "open") == {"synonym": 1.0, "derived": 1.0}
    assert said(wordnet, "car", "nothing") == {}


def test_it_does_not_matter_which_word_is_first(wordnet: WordNet) -> None:
    every = np.array([(i, j) for i in range(len(WORDS)) for j in range(len(WORDS)) if i != j])
    keys = keys_of(every[:, 0], every[:, 1])
    left, right = parted(keys)
    assert (left < right).all()


def test_no_wordnet(tmp_path: Path, wordnet_folder: Path) -> None:
    with pytest.raises(CodeacumenError, match="no WordNet in"):
        read_wordnet(tmp_path)
    (wordnet_folder / "index.verb").unlink()
    with pytest.raises(CodeacumenError, match="can be read"):
        read_wordnet(wordnet_folder)
    (wordnet_folder / "data.noun").write_text("not a database\n")
    with pytest.raises(CodeacumenError, match="can be read"):
        read_wordnet(wordnet_folder)
