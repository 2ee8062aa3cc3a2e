"""Tests of the conversion of JavaDoc to words.

The expected words of the SeSaMe tool were observed by running its rules on Eclipse's JDT 3.32,
whose comment parser it uses.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.languages.java.javadoc import (
    SESAME_TOOLS,
    extract_first_line,
    extract_words,
    list_block_tags,
)

# The comment, its words, and the words of the SeSaMe tool where they differ.
CASES = [
    ("/** Returns the size. */", "returns the size", None),
    ("/**Glued.*/", "glued", None),
    ("/**\r\n * Two\r\n ** lines,\r * three.\r\n */", "two lines three", None),
    ("/** Why?! So: one; two, three... */", "why so one two three", None),
    ("/** Calls hashCode of a URL or Object. */", "calls hashCode of a URL or object", None),
    ("/** A <b>bold</b><br/>word<p>Next. */", "a bold word next", None),
    ("/** x &lt;p&gt; y &amp;&nbsp;z &#65;&#x42; &unknown; */", "x <p> y & z AB &unknown",
     "x <p> y &\xa0z AB &unknown"),
    ("/** See {@link Foo#bar(int, String) the Bar} and {@link Foo}. */",
     "see Foo#bar the Bar and Foo", None),
    ("/** See {@linkplain #bar() Label.} or {@value #MAX}. */", "see #bar Label. or #MAX", None),
    ("/** Code {@code a.B < c; } and {@literal <B>}s. */", "code a.B < c; and <B> s", None),
    ("/** {@inheritDoc} Drops {@docRoot} tags. */", "drops tags", None),
    ("/**\n * Does.\n * @param theName the Name\n * @return it.\n * @throws E If not\n */",
     "does parameter theName the name returns it", None),
    ("/**\n * @param <T> the type\n * @since 1.0\n * @see Foo\n */",
     "parameter T the type", "parameter < T > the type"),
    ("/** I'm sure it can't, won't and don't; they're what we've said you'd do. */",
     "i am sure it cannot will not and do not they are what we have said you would do", None),
    ("/** It can not be, i.e. never, e.g. now. They'll do'nt. */",
     "it cannot be that is never for example now they will do not", None),
    ("/** Spec'ed, exec'ing, zero'd, add'ing and remove'ing. */",
     "specified executing zeroed adding and removing", None),
    # Defects of the tool that we do not reproduce by default.
    ("/** It wouldn't. */", "it would not", "it wouldn't"),
    ("/** It (The one, e.g. \"don't\") is. */", "it the one for example do not is",
     'it (The one for example "don\'t") is'),
    ("/** If i < n and n > 0. */", "if i < n and n > 0", "if i 0"),
    ("/**\n * A <a\n * href=\"x\">link</a> that can\n * not break.\n */",
     "a link that cannot break", 'a <a href="x">link that can not break'),
    ("/** Ends **/", "ends", None),
    ("/** */", "", None),
    ("/***/", "", None),
]  # fmt: skip


@pytest.mark.parametrize(("comment", "expected", "tool"), CASES)
def test_words_of_a_comment(comment: str, expected: str, tool: str | None) -> None:
    assert extract_words(comment) == expected
    assert extract_words(comment, SESAME_TOOLS) == (expected if tool is None else tool)


def test_inline_tags_of_newer_java_are_read_except_by_the_tool() -> None:
    comment = "/** {@return the {@code Size} of {@link It}} {@summary Short.} {@index word text} */"
    assert extract_words(comment) == "returns the Size of It short word"
    assert extract_words(comment, SESAME_TOOLS) == ""


def test_code_in_the_label_of_a_link() -> None:
    assert extract_words("/** The {@link Foo#get a {@code Bar}} is. */") == "the Foo#get a Bar is"


def test_a_block_tag_begins_only_at_a_line_start_outside_code() -> None:
    comment = (
        "/**\n * Mail me@home. {@code\n * @Override\n * int f() { }\n * } End.\n * @return x\n*/"
    )
    assert extract_words(comment) == "mail me@home @Override int f() { } end returns x"
    assert list_block_tags(comment) == ["return"]


def test_an_unclosed_tag_ends_with_its_block() -> None:
    for tag in ("code", "link", "foo"):
        comment = f"/**\n * One {{@{tag} two\n * three\n * @return Four\n * @author me */"
        assert extract_words(comment).endswith("returns four")
        assert list_block_tags(comment) == ["return", "author"]


def test_tags_and_the_opening() -> None:
    assert list_block_tags("/**\n * @test\n * @bug 12 */") == ["test", "bug"]
    assert extract_first_line("/**\n *\n * Test of it. */") == "Test of it."
    assert extract_first_line("/** {@code x} Test */") == ""
    assert extract_first_line("/** @test */") == ""


def test_an_unknown_tool_is_rejected() -> None:
    with pytest.raises(CodeacumenError, match="unknown JavaDoc rules"):
        extract_words("/** x */", "other")


SIGNS = st.text(alphabet=st.sampled_from("ab<>{}@&;#*/'n’t.\n\r \0x9é\udc80"), max_size=60)


@given(st.one_of(SIGNS, st.text()))
def test_words_of_any_text_have_no_surrounding_space(text: str) -> None:
    for compat in ("", SESAME_TOOLS):
        for comment in (text, f"/**{text}*/"):
            text_of_words = extract_words(comment, compat)
            assert text_of_words == text_of_words.strip()
            assert "\n" not in text_of_words


@pytest.mark.parametrize(
    "sign",
    [
        "<",
        "<!--",
        "{@code ",
        "{",
        "}",
        "&",
        "&#9",
        "{@link a(",
        "{@return ",
        "a'",
        "@a\n",
        "<a",
        "*",
        "9",
    ],
)
def test_time_is_linear_in_a_repeated_character(sign: str) -> None:
    """A quadratic algorithm would take hours, a recursive one would overflow the stack."""
    for text in (sign * 200_000, "&#" + sign * 200_000 + ";"):
        for compat in ("", SESAME_TOOLS):
            extract_words(f"/** {text} */", compat)
