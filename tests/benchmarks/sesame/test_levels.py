"""Tests of the masking levels. Oracles: javac's scanner, which must find the same kinds of tokens
in masked text, and a search for names of the original."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.lexical import KEYWORDS
from codeacumen.languages.java.syntax.tokens import KINDS, tokenize_java
from codeacumen.views.masking.levels import BARE, LEVELS, UNCOMMENTED, UNNAMED, WHOLE, show_level

SMALL = '''package a.b;
/** Adds fooBar to {@code total}; see java.util.List#add, e.g. JDK APIs.
 *  @param fooBar how much, {@link #total}
 */
// alone on its line
class Till { // trailing
    /* before */ int/**/total; String s = "words, // no comment"; char c = 'x';
    /* one */ /* two */
    String t = """
        text /* no comment */
        """;
    @Override var add(int fooBar) { here: total /* between */ += fooBar; return 0x1F + 2_0; } // end
}'''


def test_level_whole_keeps_the_text() -> None:
    assert show_level(SMALL, WHOLE) == SMALL


def test_level_uncommented_removes_comments() -> None:
    assert (
        show_level(SMALL, UNCOMMENTED)
        == '''package a.b;
class Till {
    int total; String s = "words, // no comment"; char c = 'x';
    String t = """
        text /* no comment */
        """;
    @Override var add(int fooBar) { here: total += fooBar; return 0x1F + 2_0; }
}'''
    )


def test_level_unnamed_masks_names() -> None:
    assert (
        show_level(SMALL, UNNAMED)
        == '''package v1.v2;
/** Adds v11 to {@code v4}; see v13.v14.v15#v10, e.g. JDK v16.
 *  @param v11 how much, {@link #v4}
 */
// alone on its line
class v3 { // trailing
    /* before */ int/**/v4; v5 v6 = ""; char v7 = ' ';
    /* one */ /* two */
    v5 v8 = """
""";
    @v9 var v10(int v11) { v12: v4 /* between */ += v11; return 0x1F + 2_0; } // end
}'''
    )


def test_level_bare_removes_comments_and_masks_names() -> None:
    assert (
        show_level(SMALL, BARE)
        == '''package v1.v2;
class v3 {
    int v4; v5 v6 = ""; char v7 = ' ';
    v5 v8 = """
""";
    @v9 var v10(int v11) { v12: v4 += v11; return 0x1F + 2_0; }
}'''
    )


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        # Contextual keywords.
        ("record Point(int x) {}", "record v1(int v2) {}"),
        ("sealed interface A permits B {}", "sealed interface v1 permits v2 {}"),
        ("non-sealed class A {}", "non-sealed class v1 {}"),
        ("class A { int yield; }", "class v1 { int v2; }"),
        ("@interface A {}", "@interface v1 {}"),
        ("class A<T extends List<List<T>>> {}", "class v1<v2 extends v3<v3<v2>>> {}"),
        # Code with syntax errors.
        ("class A { int # ü§ x.y = ; } }} foo", "class v1 { int # v2§ v3.v4 = ; } }} v5"),
        ('class A { String s = "never ended; }', 'class v1 { v2 v3 = "v4 v5; }'),
        ("return word", "return v1"),
        ("class A { with to = provides } ) to with", "class v1 { v2 v3 = v4 } ) v3 v2"),
        ("", ""),
        ("/* never ended word", "/* v1 v2 v3"),
    ],
)
def test_level_bare_of_unusual_code(source: str, bare: str) -> None:
    assert show_level(source, BARE) == bare


@pytest.mark.parametrize(
    ("comment", "masked_comment"),
    [
        ("// see size(), e.g. i.e. Size", "// see v2(), e.g. i.e. Size"),
        ("/** @throws IOException if */", "/** @throws v3 if */"),
        ("/** <p>&lt; x_y JDK URLs 1.5 $a */", "/** <p>&lt; v3 JDK v4 1.5 v5 */"),
        ("/** A#size a.size(java.lang.Object). */", "/** v1#v2 v3.v2(v4.v5.v6). */"),
        ("/* this.size null */", "/* this.v2 null */"),
        ("// 'size' isn't A's", "// 'v2' isn't v1's"),
    ],
)
def test_names_in_comments(comment: str, masked_comment: str) -> None:
    text = "class A {{ int size; {} \n}}"
    assert show_level(text.format(comment), UNNAMED) == f"class v1 {{ int v2; {masked_comment} \n}}"


@given(
    st.text(alphabet=st.sampled_from("ab1_$.\"'/*\\\n\r\t {}();@#ü\x00\ue000\ud800"), max_size=60)
)
def test_malformed_text_is_masked(text: str) -> None:
    for level in LEVELS:
        masked = show_level(text, level)
        if level == BARE:
            assert not re.search(r"(?<![\w$])[ab]", masked)


def test_deep_nesting_does_not_recurse() -> None:
    text = "class A { int x = " + "(" * 10_000 + "y" + ")" * 10_000 + "; }"
    assert show_level(text, BARE) == text.replace("A", "v1").replace("x", "v2").replace("y", "v3")


@pytest.fixture(scope="module")
def methods(sesame_source: Path) -> list[str]:
    """Return the texts of every fifth pair."""
    with (sesame_source / "methods.jsonl").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [row[side] for row in rows[::5] for side in ("first", "second")]


def test_javac_finds_the_same_kinds_of_tokens(
    methods: list[str], javac_program: Callable[..., str], tmp_path: Path
) -> None:
    files = []
    for number, text in enumerate(methods):
        for level in LEVELS:
            file = tmp_path / f"{number}_{level}.java"
            file.write_text(show_level(text, level), encoding="utf-8")
            files.append(file)
    kinds: dict[str, list[str]] = {}
    for line in javac_program("JavacTokens", files).splitlines():
        if line.startswith("= "):
            current = kinds.setdefault(Path(line[2:]).stem, [])
        else:
            current.append(line.partition(" ")[0])
    assert len(kinds) == len(files)
    for number in range(len(methods)):
        original_kinds = kinds[f"{number}_{WHOLE}"]
        assert len(original_kinds) > 10
        for level in LEVELS:
            assert kinds[f"{number}_{level}"] == original_kinds, methods[number]


def test_no_name_of_the_original_is_left(methods: list[str]) -> None:
    name_count = 0
    for text in methods:
        token_table = tokenize_java(parse_java(text.encode()))
        names = {
            token_table.text(i)
            for i in range(len(token_table))
            if KINDS[token_table.kind[i]] == "IDENTIFIER"
        } - {"var"}
        names = {name for name in names if not re.fullmatch(r"v\d+", name)}
        for level in (UNNAMED, BARE):
            # Tags, abbreviations and the t of don't are not names, even if a variable is called so.
            remaining = re.sub(
                r"@[a-z]+\b|\b(e\.g|i\.e)\b|(?<=\w)'\w+", "", show_level(text, level)
            )
            words = set(re.findall(r"[\w$]+", remaining)) - set(KEYWORDS)
            assert not names & words
        name_count += len(names)
        bare = show_level(text, BARE)
        assert all(
            re.fullmatch(r"v\d+|\d\w*", word) or word in KEYWORDS
            for word in re.findall(r"(?<![\w.])[\w$]+", bare)
        )
    assert name_count > 5000


def test_masking_does_not_depend_on_comments(methods: list[str]) -> None:
    for text in methods[:60]:
        assert show_level(show_level(text, UNNAMED), UNCOMMENTED) == show_level(text, BARE)
