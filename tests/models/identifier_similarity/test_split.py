"""Words of identifiers. Oracles: ``subtokens``, which does it letter by letter, and every way there
is to cut a short word."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.models.identifier_similarity.lexicon import Lexicon, arrays_of
from codeacumen.models.identifier_similarity.split import (
    LETTER,
    MOST_WORDS,
    STRETCH,
    Compounds,
    Splitter,
    pieces,
)
from codeacumen.text.subtokens import subtokens

WORDS = {
    "touch": 1e-4,
    "move": 2e-4,
    "to": 1e-2,
    "of": 1e-2,
    "init": 1e-4,
    "lambda": 1e-6,
    "chm": 1e-7,
    "ove": 1e-8,
    "ouch": 1e-7,
    "movement": 1e-7,
}
LEXICON = Lexicon(arrays_of(WORDS, english={"touch", "move", "to", "of", "movement"}))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("touchMove", ["touch", "move"]),
        ("touchmove", ["touch", "move"]),
        ("TOUCH_MOVE2", ["touch", "move", "2"]),
        ("movement", ["movement"]),  # in a dictionary, so not "move" and "ment"
        ("movements", ["movements"]),  # nor is its plural cut
        ("xqtouch", ["xq", "touch"]),
        ("init", ["init"]),  # frequent, so not to be cut
        ("abcdefgh", ["abcdefgh"]),
        ("utf8Decode", ["utf", "8", "decode"]),
        ("XMLParser", ["xml", "parser"]),
        ("λ", ["lambda"]),
        ("Δx", ["delta", "x"]),
        ("ς", ["sigma"]),
        ("имяФайла", ["имя", "файла"]),
        ("größe", ["grosse"]),
        ("e\u0301t\u00e9", ["ete"]),
        ("x²", ["x", "2"]),
        ("٣", ["3"]),
        ("ok😀", ["ok", "grinning", "face"]),
        ("中", ["中"]),
        ("", [""]),
        ("$", ["$"]),
        ("__", ["__"]),
        ("\ud800", ["\ud800"]),
        ("\u200d", ["\u200d"]),
    ],
)
def test_words(name: str, words: list[str]) -> None:
    assert Splitter(LEXICON).words(name) == words


@given(st.text(alphabet="abAB12_$ -.é", max_size=14))
def test_pieces_are_subtokens_with_digits_apart(name: str) -> None:
    slowly = [
        piece
        for token in subtokens(name.replace("é", "e"))
        for piece in re.findall("[a-z]+|[0-9]+", token.lower())
    ]
    assert [piece.lower() for piece in pieces(name)] == slowly


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_any_characters(name: str) -> None:
    words = Splitter(LEXICON).words(name)
    assert 1 <= len(words) <= MOST_WORDS
    assert all(words) or not name


def score(parts: tuple[str, ...], known: dict[str, float]) -> float:
    """A known part may be taken for a stretch, where that is likelier."""
    return sum(max(known.get(part, -math.inf), STRETCH + LETTER * len(part)) for part in parts)


def cuts(word: str) -> list[tuple[str, ...]]:
    """All of them."""
    found = []
    for count in range(len(word)):
        for places in itertools.combinations(range(1, len(word)), count):
            bounds = [0, *places, len(word)]
            found.append(tuple(word[a:b] for a, b in itertools.pairwise(bounds)))
    return found


@given(
    st.text(alphabet="abc", min_size=1, max_size=9),
    st.dictionaries(
        st.text(alphabet="abc", min_size=1, max_size=4), st.floats(-30, -1), max_size=12
    ),
)
def test_a_word_is_cut_as_well_as_can_be(word: str, known: dict[str, float]) -> None:
    found = tuple(Compounds(known).cut(word))
    assert "".join(found) == word
    best = max(score(parts, known) for parts in cuts(word))
    assert math.isclose(score(found, known), best, rel_tol=1e-12)


def test_unknown_words_are_numbered_after_those_known() -> None:
    splitter = Splitter(LEXICON)
    splitter.split(["zzz", "yyy"])
    split = splitter.split(["yyy_move", "qqq", "yyy"])
    count = len(LEXICON.words)
    assert split.unknown == ["yyy", "qqq"]
    assert split.numbers.tolist() == [count, LEXICON.place["move"], count + 1, count]
    assert split.offsets.tolist() == [0, 2, 3, 4]


def test_long_names_are_data() -> None:
    splitter = Splitter(LEXICON)
    assert len(splitter.words("aB" * 5000)) == MOST_WORDS
    assert splitter.words("touch" * 2000) == ["touch" * 2000]


def test_what_was_seen_before_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeacumen.models.identifier_similarity.split._KEPT", 10)
    splitter = Splitter(LEXICON)
    names = ["touchmove", "zzzTouch", "ofmove", "qqq", "zzz"]
    for name in names * 2:
        assert splitter.words(name) == Splitter(LEXICON).words(name)
