"""JavaDoc to words. What the tool of SeSaMe makes of each comment was seen by running its rules on
Eclipse's JDT 3.32, whose parser of comments it uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.languages.java.javadoc import SESAME_TOOLS, opening, tags, words

# The comment; its words; the tool's, where they are others.
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
    # What is mended.
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
def test_the_words_of_a_comment(comment: str, expected: str, tool: str | None) -> None:
    assert words(comment) == expected
    assert words(comment, SESAME_TOOLS) == (expected if tool is None else tool)


def test_inline_tags_of_newer_java_are_read_and_the_tool_knows_none_of_them() -> None:
    comment = "/** {@return the {@code Size} of {@link It}} {@summary Short.} {@index word text} */"
    assert words(comment) == "returns the Size of It short word"
    assert words(comment, SESAME_TOOLS) == ""


def test_code_in_the_label_of_a_link() -> None:
    assert words("/** The {@link Foo#get a {@code Bar}} is. */") == "the Foo#get a Bar is"


def test_a_block_begins_only_where_a_line_does_and_not_in_code() -> None:
    comment = (
        "/**\n * Mail me@home. {@code\n * @Override\n * int f() { }\n * } End.\n * @return x\n*/"
    )
    assert words(comment) == "mail me@home @Override int f() { } end returns x"
    assert tags(comment) == ["return"]


def test_a_tag_that_is_never_closed_ends_with_its_block() -> None:
    for tag in ("code", "link", "foo"):
        comment = f"/**\n * One {{@{tag} two\n * three\n * @return Four\n * @author me */"
        assert words(comment).endswith("returns four")
        assert tags(comment) == ["return", "author"]


def test_tags_and_the_opening() -> None:
    assert tags("/**\n * @test\n * @bug 12 */") == ["test", "bug"]
    assert opening("/**\n *\n * Test of it. */") == "Test of it."
    assert opening("/** {@code x} Test */") == ""
    assert opening("/** @test */") == ""


def test_an_unknown_tool_is_refused() -> None:
    with pytest.raises(CodeacumenError, match="called 'other'"):
        words("/** x */", "other")


SIGNS = st.text(alphabet=st.sampled_from("ab<>{}@&;#*/'n’t.\n\r \0x9é\udc80"), max_size=60)


@given(st.one_of(SIGNS, st.text()))
def test_any_text_gives_words(text: str) -> None:
    for compat in ("", SESAME_TOOLS):
        for comment in (text, f"/**{text}*/"):
            found = words(comment, compat)
            assert found == found.strip()
            assert "\n" not in found


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
def test_a_long_comment_of_one_sign_takes_no_longer_than_another(sign: str) -> None:
    """Anything that were quadratic would take hours, anything recursive would end."""
    for text in (sign * 200_000, "&#" + sign * 200_000 + ";"):
        for compat in ("", SESAME_TOOLS):
            words(f"/** {text} */", compat)
