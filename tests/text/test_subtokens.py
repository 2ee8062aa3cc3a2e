from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.text.subtokens import (
    code2seq_parts,
    code2vec_name,
    context_words,
    find_ascii_runs,
    split_lossless,
    split_subtokens,
    spot_words,
)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("length", ["length"]),
        ("maxLineLength", ["max", "Line", "Length"]),
        ("XMLHttpRequest", ["XML", "Http", "Request"]),
        ("parseXML", ["parse", "XML"]),
        ("tag_h4", ["tag", "h4"]),
        ("utf8Decode", ["utf8", "Decode"]),
        ("MAX_VALUE", ["MAX", "VALUE"]),
        ("__proto__", ["proto"]),
        ("$scope", ["scope"]),
        ("this$0", ["this", "0"]),
        ("aB", ["a", "B"]),
        ("größeÄndern", ["größe", "Ändern"]),
        ("_", []),
        ("", []),
    ],
)
def test_rules_of_splitting(identifier: str, expected: list[str]) -> None:
    assert list(split_subtokens(identifier)) == expected


@given(st.text(max_size=40))
def test_subtokens_keep_letters_and_digits_in_order(identifier: str) -> None:
    letters_and_digits = "".join(char for char in identifier if char.isalnum())
    assert "".join(split_subtokens(identifier)) == letters_and_digits


@pytest.mark.parametrize(
    ("identifier", "apart", "dropped"),
    [
        ("md5sum", ["md", "5", "sum"], ["mdsum"]),
        ("toHTML4_page", ["to", "HTML", "4", "page"], ["to", "html", "page"]),
        ("this$0", ["this", "0"], ["this"]),
        ("x²Y", ["x", "²", "Y"], ["x", "y"]),
        ("ÄnderungÉtat٣", ["Änderung", "État", "٣"], ["änderung", "état"]),
        ("_", [], []),
    ],
)
def test_digits_and_case(identifier: str, apart: list[str], dropped: list[str]) -> None:
    assert list(split_subtokens(identifier, digits="apart")) == apart
    assert list(split_subtokens(identifier, lower=True, digits="drop")) == dropped
    assert spot_words(identifier) == tuple(dropped)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("toHTMLPage_2", ["to", "HTML", "Page", "_", "2"]),
        ("getXMLs", ["get", "XM", "Ls"]),
        ("utf8Decode$", ["utf", "8", "Decode", "$"]),
        ("größe", ["gr", "ö", "ß", "e"]),
        ("<none>", ["<none>"]),
        ("", []),
    ],
)
def test_lossless_pieces(name: str, expected: list[str]) -> None:
    assert list(split_lossless(name)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("toHTMLPage_2", ["to", "html", "page"]),
        ("i", []),
        ("aBoxOf3Xs", ["box", "of3", "xs"]),
        ("2x_3", []),
        ("İ", ["i̇"]),
    ],
)
def test_words_of_context_networks(name: str, expected: list[str]) -> None:
    assert list(context_words(name)) == expected


@pytest.mark.parametrize(
    ("text", "name", "parts"),
    [
        ("getHTTPResponse", "gethttpresponse", ["get", "http", "response"]),
        ("md5sum_", "mdsum", ["md", "sum"]),
        ("MAX_VALUE", "maxvalue", ["max", "value"]),
        ("größe", "gre", ["gre"]),
        ("état", "tat", ["tat"]),
        ("'4 2'", "4_2", []),
        ('"no Such\\nfile, x"', "nosuchfilex", ["no", "suchfile", "x"]),
        ("//sSay", "ay", ["say"]),
        ("_1", "_1", []),
        ("", "", []),
    ],
)
def test_code2vec_names_and_code2seq_parts(text: str, name: str, parts: list[str]) -> None:
    assert code2vec_name(text) == name
    assert code2seq_parts(text) == parts


@given(st.text(st.characters(max_codepoint=127), max_size=30))
def test_runs_of_ascii_names_are_subtokens_with_digits_apart(name: str) -> None:
    assert tuple(find_ascii_runs(name)) == split_subtokens(name, digits="apart")


@given(st.text(max_size=40))
def test_lossless_pieces_join_to_the_name(name: str) -> None:
    assert "".join(split_lossless(name)) == name


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True))
def test_identifiers_have_the_parts_of_the_general_rule(name: str) -> None:
    # With a trailing blank the text is not an identifier, so the general rule applies, which strips
    # blanks at the end.
    assert code2seq_parts(name) == code2seq_parts(f"{name} ")
