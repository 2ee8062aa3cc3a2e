"""Tests of splitting identifiers into words. Oracles: ``subtokens``, which works letter by letter,
and all possible cuts of a short word."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.models.identifier_similarity.lexicon import Lexicon
from codeacumen.models.identifier_similarity.split import (
    LETTER,
    MAX_WORDS,
    STRETCH,
    Compounds,
    Splitter,
    split_pieces,
)
from codeacumen.text.subtokens import split_subtokens
from lexicons import make_arrays

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
LEXICON = Lexicon(make_arrays(WORDS, english={"touch", "move", "to", "of", "movement"}))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("touchMove", ["touch", "move"]),
        ("touchmove", ["touch", "move"]),
        ("TOUCH_MOVE2", ["touch", "move", "2"]),
        ("movement", ["movement"]),  # in a dictionary, so not "move" and "ment"
        ("movements", ["movements"]),  # nor is its plural cut
        ("xqtouch", ["xq", "touch"]),
        ("init", ["init"]),  # frequent, so it is not cut
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
def test_splitter_returns_words(name: str, words: list[str]) -> None:
    assert Splitter(LEXICON).split_name(name) == words


@given(st.text(alphabet="abAB12_$ -.é", max_size=14))
def test_pieces_equal_subtokens_with_digits_separated(name: str) -> None:
    expected = [
        piece
        for token in split_subtokens(name.replace("é", "e"))
        for piece in re.findall("[a-z]+|[0-9]+", token.lower())
    ]
    assert [piece.lower() for piece in split_pieces(name)] == expected


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_splitter_accepts_any_characters(name: str) -> None:
    words = Splitter(LEXICON).split_name(name)
    assert 1 <= len(words) <= MAX_WORDS
    assert all(words) or not name


def score_cut(parts: tuple[str, ...], known_words: dict[str, float]) -> float:
    """Score a cut. A part counts as known word or as unknown stretch, whichever is likelier."""
    return sum(
        max(known_words.get(part, -math.inf), STRETCH + LETTER * len(part)) for part in parts
    )


def list_cuts(word: str) -> list[tuple[str, ...]]:
    """Return all ways to cut the word."""
    all_cuts = []
    for cut_count in range(len(word)):
        for positions in itertools.combinations(range(1, len(word)), cut_count):
            bounds = [0, *positions, len(word)]
            all_cuts.append(tuple(word[a:b] for a, b in itertools.pairwise(bounds)))
    return all_cuts


@given(
    st.text(alphabet="abc", min_size=1, max_size=9),
    st.dictionaries(
        st.text(alphabet="abc", min_size=1, max_size=4), st.floats(-30, -1), max_size=12
    ),
)
def test_cut_has_best_possible_score(word: str, known_words: dict[str, float]) -> None:
    parts_found = tuple(Compounds(known_words).segment(word))
    assert "".join(parts_found) == word
    best = max(score_cut(parts, known_words) for parts in list_cuts(word))
    assert math.isclose(score_cut(parts_found, known_words), best, rel_tol=1e-12)


def test_unknown_words_are_numbered_after_known_words() -> None:
    splitter = Splitter(LEXICON)
    splitter.split_names(["zzz", "yyy"])
    split = splitter.split_names(["yyy_move", "qqq", "yyy"])
    count = len(LEXICON.words)
    assert split.unknown == ["yyy", "qqq"]
    assert split.numbers.tolist() == [count, LEXICON.word_indices["move"], count + 1, count]
    assert split.offsets.tolist() == [0, 2, 3, 4]


def test_long_names_are_split_within_limit() -> None:
    splitter = Splitter(LEXICON)
    assert len(splitter.split_name("aB" * 5000)) == MAX_WORDS
    assert splitter.split_name("touch" * 2000) == ["touch" * 2000]


def test_cache_does_not_change_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeacumen.models.identifier_similarity.split._MAX_CACHED_CHARS", 10)
    splitter = Splitter(LEXICON)
    names = ["touchmove", "zzzTouch", "ofmove", "qqq", "zzz"]
    for name in names * 2:
        assert splitter.split_name(name) == Splitter(LEXICON).split_name(name)
