"""Tests of splitting names into words, and texts and comments into sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from research.lexicon import _words
from research.lexicon._words import END, comment_sentences, pieces, sentences, words


def test_numbers_and_letters_stand_apart() -> None:
    assert pieces("md5sum_XMLParser2") == ("md", "5", "sum", "xml", "parser", "2")
    assert words("md5sum_XMLParser2") == ("md", "sum", "xml", "parser")
    # Subtokens outside ASCII are dropped; the other subtokens stay.
    assert words("größeMax") == ("max",)


@given(st.text(max_size=40))
def test_words_are_small_letters(name: str) -> None:
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words(name))


def test_a_comment_loses_its_markup() -> None:
    comment = """/**
     * Opens the {@link File}. See <b>readLine</b>, http://x.org/some/page
     * @param fileName the name of it
     * @author Somebody Else
     */"""
    assert list(comment_sentences(comment)) == [
        ["opens", "the", "file"],
        ["see", "read", "line"],
        ["file", "name", "the", "name", "of", "it"],
    ]


def test_a_licence_is_not_read() -> None:
    text = "// Copyright by somebody. Licensed to you under the terms"
    assert list(comment_sentences(text)) == []


def test_a_table_is_no_sentence() -> None:
    assert list(sentences("word " * 201)) == []
    assert len(next(sentences("word " * 200))) == 200
    assert list(sentences("word.")) == []


def test_sentences_as_places() -> None:
    places: dict[str, int] = {"a": 0}
    assert _words.coded([["a", "b"], ["b"]], places).tolist() == [0, 1, END, 1, END]
    assert places == {"a": 0, "b": 1}
