"""Tests of splitting names into words, and texts and comments into sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from research.lexicon import words
from research.lexicon.words import (
    END,
    split_comment_sentences,
    split_pieces,
    split_sentences,
    split_words,
)


def test_pieces_separate_numbers_from_letters() -> None:
    assert split_pieces("md5sum_XMLParser2") == ("md", "5", "sum", "xml", "parser", "2")
    assert split_words("md5sum_XMLParser2") == ("md", "sum", "xml", "parser")
    # Subtokens outside ASCII are dropped; the other subtokens stay.
    assert split_words("größeMax") == ("max",)


@given(st.text(max_size=40))
def test_words_are_lower_case(name: str) -> None:
    assert all(word.isascii() and word.isalpha() and word.islower() for word in split_words(name))


def test_comment_sentences_have_no_markup() -> None:
    comment = """/**
     * Opens the {@link File}. See <b>readLine</b>, http://x.org/some/page
     * @param fileName the name of it
     * @author Somebody Else
     */"""
    assert list(split_comment_sentences(comment)) == [
        ["opens", "the", "file"],
        ["see", "read", "line"],
        ["file", "name", "the", "name", "of", "it"],
    ]


def test_licence_has_no_sentences() -> None:
    text = "// Copyright by somebody. Licensed to you under the terms"
    assert list(split_comment_sentences(text)) == []


def test_very_long_sentence_is_dropped() -> None:
    assert list(split_sentences("word " * 201)) == []
    assert len(next(split_sentences("word " * 200))) == 200
    assert list(split_sentences("word.")) == []


def test_encode_sentences() -> None:
    places: dict[str, int] = {"a": 0}
    assert words.encode_sentences([["a", "b"], ["b"]], places).tolist() == [0, 1, END, 1, END]
    assert places == {"a": 0, "b": 1}
