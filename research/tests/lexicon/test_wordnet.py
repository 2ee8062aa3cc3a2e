"""Tests of reading WordNet's files, and of the features of word pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from research.lexicon.pair_tables import make_keys, split_keys
from research.lexicon.wordnet import WordNet, read_wordnet
from research.lexicon.wordnet_features import FEATURES, build_senses

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


def features_of_pair(wordnet: WordNet, left: str, right: str) -> dict[str, float]:
    keys = make_keys(np.array([WORDS.index(left)]), np.array([WORDS.index(right)]))
    (row,) = build_senses(wordnet, WORDS).compute_features(keys).tolist()
    return {name: round(value, 4) for name, value in zip(FEATURES, row, strict=True) if value}


def test_read_wordnet(wordnet: WordNet) -> None:
    assert wordnet.members[2] == ["car", "auto"]
    assert wordnet.meanings["open"] == [5, 7]
    assert wordnet.meanings["truck_farm"] == [4]
    assert wordnet.hypernyms[2] == [1]
    assert wordnet.ancestors[2] == {2: 0, 1: 1, 0: 2}
    assert wordnet.antonyms == {("open", "close"), ("close", "open")}
    assert wordnet.derived_forms == {("open", "open")}
    assert ["vehicle", "what", "carries", "people"] in list(wordnet.iterate_sentences())
    assert ["the", "vehicle", "stopped"] in list(wordnet.iterate_sentences())


def test_base_forms_of_inflected_words(wordnet: WordNet) -> None:
    assert wordnet.list_base_forms("cars") == ["cars", "car"]
    assert wordnet.list_base_forms("closing") == ["closing", "close"]
    assert wordnet.has_word("cars")
    assert not wordnet.has_word("ids")


def test_features_of_pairs(wordnet: WordNet) -> None:
    """Expected values are computed by hand; paths go over the nearest common hypernym."""
    assert features_of_pair(wordnet, "car", "auto") == {"synonym": 1.0}
    assert features_of_pair(wordnet, "car", "truck") == {"path": 0.3333, "sibling": 1.0}
    assert features_of_pair(wordnet, "car", "vehicle") == {"path": 0.5, "above": 1.0}
    assert features_of_pair(wordnet, "car", "entity") == {"path": 0.3333, "above": 0.5}
    assert features_of_pair(wordnet, "open", "close") == {"opposite": 1.0}
    assert features_of_pair(wordnet, "open", "shut") == {}
    assert features_of_pair(wordnet, "big", "huge") == {"like": 1.0}
    assert features_of_pair(wordnet, "cars", "car") == {"synonym": 1.0, "derived": 1.0}
    # Both meanings of "open" count, the rarer one less.
    assert features_of_pair(wordnet, "opened", "open") == {"synonym": 1.0, "derived": 1.0}
    assert features_of_pair(wordnet, "car", "nothing") == {}


def test_pair_keys_do_not_depend_on_word_order(wordnet: WordNet) -> None:
    pairs = np.array([(i, j) for i in range(len(WORDS)) for j in range(len(WORDS)) if i != j])
    keys = make_keys(pairs[:, 0], pairs[:, 1])
    left, right = split_keys(keys)
    assert (left < right).all()


def test_incomplete_wordnet_is_reported(tmp_path: Path, wordnet_folder: Path) -> None:
    with pytest.raises(CodeacumenError, match="no WordNet in"):
        read_wordnet(tmp_path)
    (wordnet_folder / "index.verb").unlink()
    with pytest.raises(CodeacumenError, match="can be read"):
        read_wordnet(wordnet_folder)
    (wordnet_folder / "data.noun").write_text("not a database\n")
    with pytest.raises(CodeacumenError, match="can be read"):
        read_wordnet(wordnet_folder)
