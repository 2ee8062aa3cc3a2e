"""Tests of masking the name of a method in its text.

The oracles are cases written by hand and, for whole projects, the bindings: each use as a method
name is masked, and of the other tokens only strings that contain the name as a word.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.edits import Edit, apply_edits
from codeacumen.views.masking.text import (
    mask_in_other_method,
    mask_method,
    mask_snippet,
    mask_words,
)
from support import ROOT, iterate_variants

EXAMPLES = [
    file
    for project in ("ballot", "library", "quill", "tramway")
    for file in sorted((ROOT / "examples" / project).rglob("*.java"))
]

# Masked texts, in which ``§`` is METHOD_NAME; in the source it is ``walk``.
CASES = {
    "nothing but the declaration": "int §() { return 1; }",
    "a recursive call": "int §(int n) { return n == 0 ? 0 : §(n - 1); }",
    "through this and super": "void §() { this.§(); super.§(); T.this.§(); T.super.§(); }",
    "an overload": "void §() { §(1); §(1, 2); }",
    "of another object": "void § () { inner.§(); get().§ (); list.get(0)./* now */§(); }",
    "with type arguments": "<X> void §() { this.<X>§(); T.<java.util.List<X>>§(); }",
    "method references": "void §() { r = this::§; r = T::§; r = super::§; r = T::<X>§; }",
    "a reference of an expression of the name": "void §() { r = walk::§; r = walk::other; }",
    "declared again inside": "void §() { new Object() { void §() { §(); } }; }",
    "a local of the name": "int §() { int walk = 1; walk++; return walk + §() + walk; }",
    "a field of the name": "int §() { this.walk = 1; return o.walk + walk[0] + walk.length; }",
    "a parameter of the name": "int §(int walk) { return f(walk) + (walk); }",
    "a label of the name": "void §() { walk: for (;;) { §(); break walk; } }",
    "a type of the name": "walk §(walk w) { a = new walk<walk>(); return (walk) new o.walk(); }",
    "an annotation of the name": "@walk(walk = 1) @a.walk() void §() { @walk(2) int x; }",
    "a local record and its patterns": "void §(Object o) { record walk(int x) {} "
    "if (o instanceof walk(int y)) §(); }",
    "an enum constant with arguments": "void §() { enum E { walk(1); E(int x) {} } E.walk.§(); }",
    "the receiver of a call": "void §() { walk.other(); walk.§(); }",
    "words that only begin or end so": "void §() { walks(); rewalk(); walk2(); walk_(); $walk(); }",
    "strings": 'void §() { log("§"); log("in §()"); log("walks"); c = \'w\'; §(); }',
    "text blocks": 'void §() { log("""\n §();\n \\" § """); §(); }',
    "strings in annotations": '@Named("§") void §() { @A({"§", "walk2"}) int x; }',
    "after a string's escapes": r'void §() { log("\t§\n§\\nwalk \40§ \u0041walk \u0020§\u0020"); }',
    "comments": "void §() { // § the walks\n /* § and §() */ /** {@link #§} walked */ f(); }",
    "comments beside other letters": "void §() { // “§”, «§», walké, éwalk, walk_, §-er\n }",
    "lines that end as on old machines": "void §() {\r // §\r §();\r\n walk = 1; }",
    "comments in the declaration": "public /* § */ void §(/*§*/ int x) /* § */ { }",
    "a name after letters of two bytes": "void §() { String é = \"é §\"; ü(é).§(); /* é § */ }",
    "a lambda's body": "void §() { run(() -> §()); run(walk -> walk.§()); }",
    "a switch's labels": "void §(E e) { switch (e) { case walk: §(); } }",
    "a method without a body": "abstract void §();",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_uses_of_the_methods_name_are_masked(text: str) -> None:
    source = text.replace("§", "walk")
    expected = text.replace("§", "METHOD_NAME")
    file = JavaFile(f"class T {{ int before; {source} int after; }}".encode())
    assert not file.syntax.broken
    method_index = next(
        index for index, method in enumerate(file.declarations.methods) if method.name == "walk"
    )
    assert mask_method(file, method_index) == expected
    assert mask_snippet(source, "walk") == expected


def test_javadoc_is_not_part_of_the_text() -> None:
    file = JavaFile(b"class T {\n  /** Will walk. */\n  @A void walk() { }\n}")
    assert mask_method(file, 0) == "@A void METHOD_NAME() { }"


def test_a_constructors_name_is_masked_only_in_its_declaration() -> None:
    file = JavaFile(b"class T { T() { this(1); } T(int x) { new T(); T::new; } }")
    assert mask_method(file, 0) == "METHOD_NAME() { this(1); }"
    assert mask_method(file, 1) == "METHOD_NAME(int x) { new T(); T::new; }"


def test_an_annotation_element_is_parsed_in_its_file() -> None:
    """An element of an annotation type is not a member of a class, so it is parsed in its file."""
    file = JavaFile(b"@interface A { /* b */ int b() default 2; int c() default b /* c */; }")
    assert mask_method(file, 1) == "int METHOD_NAME() default b /* METHOD_NAME */;"


def test_in_broken_source_all_occurrences_are_masked() -> None:
    text = mask_method(JavaFile(b'class T { void walk() { if ( walk(1); log("walk"); } }'), 0)
    assert text.replace("METHOD_NAME", "") == 'void () { if ( (1); log(""); }'
    assert mask_snippet("void walk(", "walk") == "void METHOD_NAME("
    assert mask_snippet("", "walk") == ""
    assert mask_snippet("{}", "") == "{}"


# --------------------------------------------------------------------------------------
# Names with escapes.
# --------------------------------------------------------------------------------------

# The source and its masked text.
ESCAPED = {
    "a call": (r"void walk() { w\u0061lk (); \uuu0077alk(); }", "void §() { § (); §(); }"),
    "a reference": (r"void walk() { r = this:: w\u0061lk; }", "void §() { r = this:: §; }"),
    "the declaration": (
        r"void w\u0061lk() { walk(); /* w\u0061LK */ }",
        r"void §() { §(); /* w\u0061LK */ }",
    ),
    "a comment": (r"void walk() { /* \u0077\u0061\u006c\u006B. */ }", "void §() { /* §. */ }"),
    "a string": (
        r'void walk() { log("w\141lk", "wal\u006b", "\167alk"); }',
        'void §() { log("§", "§", "§"); }',
    ),
    "a variable": (
        r"void walk() { int w\u0061lk = 1; f(\u0077alk); }",
        r"void §() { int w\u0061lk = 1; f(\u0077alk); }",
    ),
    "a longer name": (
        r"void walk() { walk\u0061(); \u0061walk(); }",
        r"void §() { walk\u0061(); \u0061walk(); }",
    ),
}


@pytest.mark.parametrize(("written", "left"), ESCAPED.values(), ids=ESCAPED)
def test_names_with_escapes_are_masked(written: str, left: str) -> None:
    expected = left.replace("§", "METHOD_NAME")
    assert mask_snippet(written, "walk") == mask_snippet(written, r"w\u0061lk") == expected


def test_variables_in_the_text_of_another_method_are_kept() -> None:
    """The text of another method may not contain the name, so its variables are not masked."""
    assert mask_in_other_method("void go() { int walk = 1; f(walk); }", "walk") == (
        "void go() { int walk = 1; f(walk); }"
    )
    assert mask_in_other_method("void go() { walk(); }", "walk") == "void go() { METHOD_NAME(); }"
    assert mask_in_other_method("void go() { walk(", "walk") is None
    assert mask_words("/** {@link #walk} walks, walk. */", "walk") == (
        "/** {@link #METHOD_NAME} walks, METHOD_NAME. */"
    )


# --------------------------------------------------------------------------------------
# After edits.
# --------------------------------------------------------------------------------------

SOURCE = b"class T { int a; int walk(int x) { f(walk(x)); return walk(x - 1); } int b; }"


def make_edit(old: bytes, new: bytes) -> Edit:
    return Edit(SOURCE.index(old), SOURCE.index(old) + len(old), new)


def test_inserted_text_is_masked() -> None:
    edits = [make_edit(b"f(walk(x));", b"g(walk(x), walk::walk, /* walk */ walk.walk(walk));")]
    assert mask_method(JavaFile(SOURCE), 0, edits) == (
        "int METHOD_NAME(int x) { g(METHOD_NAME(x), walk::METHOD_NAME, /* METHOD_NAME */ "
        "walk.METHOD_NAME(walk)); return METHOD_NAME(x - 1); }"
    )


def test_deleted_text_is_absent() -> None:
    edits = [make_edit(b"f(walk(x));", b""), make_edit(b"walk(x - 1)", b'"walk"')]
    assert (
        mask_method(JavaFile(SOURCE), 0, edits)
        == 'int METHOD_NAME(int x) {  return "METHOD_NAME"; }'
    )


def test_edits_outside_the_method_are_ignored() -> None:
    edits = [
        make_edit(b"int a;", b"int walk(String s) { }"),
        make_edit(b"f(", b"g("),
        make_edit(b"int b;", b""),
    ]
    text = "int METHOD_NAME(int x) { g(METHOD_NAME(x)); return METHOD_NAME(x - 1); }"
    assert mask_method(JavaFile(SOURCE), 0, edits) == text


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([make_edit(b"walk(int x)", b"run(int x)")], "the method's name"),
        ([make_edit(b"a; int", b"a; long")], "bounds"),
        ([make_edit(b"f(walk(x));", b""), make_edit(b"walk(x)", b"")], "overlaps another"),
    ],
)
def test_invalid_edits_are_rejected(edits: list[Edit], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mask_method(JavaFile(SOURCE), 0, edits)


@pytest.mark.parametrize("kind", ["rename", "loop", "boolean"])
def test_a_variant_is_masked_like_the_edited_file(kind: str) -> None:
    count = 0
    for path in EXAMPLES[::3]:
        file = JavaFile(path.read_bytes())
        for variant in iterate_variants(file, kind, "all"):
            changed = JavaFile(apply_edits(file.source, variant.edits))
            text = mask_method(file, variant.method, variant.edits)
            assert text == mask_method(changed, variant.method)
            count += 1
    assert count > (100 if kind == "rename" else 5)


# --------------------------------------------------------------------------------------
# Whole projects.
# --------------------------------------------------------------------------------------


def list_expected_tokens(file: JavaFile, method_index: int) -> list[str]:
    """Return the tokens of a method, masked by the bindings."""
    syntax, method = file.syntax, file.declarations.methods[method_index]
    method_name_nodes = file.bindings.node[file.bindings.role == ROLE["method"]].tolist()
    names = file.names
    own_name_nodes = {
        node for node in method_name_nodes if names.words[names.word_of[node]] == method.name
    }
    first, last = syntax.start[method.node], syntax.end[method.node]
    word = re.compile(rf"(?<![\w$]){re.escape(method.name)}(?![\w$])")
    tokens: list[str] = []
    for index in range(len(file.tokens)):
        if first <= file.tokens.start[index] < last:
            text = file.tokens.text(index)
            if text.startswith('"'):
                text = word.sub("METHOD_NAME", text)
            tokens.append("METHOD_NAME" if file.tokens.node[index] in own_name_nodes else text)
    return tokens


def check_by_bindings(paths: list[Path]) -> tuple[int, int]:
    method_count = repeated_count = 0
    for path in paths:
        file = JavaFile(path.read_bytes())
        for method_index in file.bodies:
            method = file.declarations.methods[method_index]
            text = mask_method(file, method_index)
            tokens = JavaFile(f"class T {{{text}\n}}".encode()).tokens
            spellings = [tokens.text(index) for index in range(3, len(tokens) - 1)]
            assert spellings == list_expected_tokens(file, method_index), (path, method.name)
            assert mask_snippet(file.syntax.text(method.node), method.name) == text
            method_count += 1
            repeated_count += spellings.count("METHOD_NAME") > 1
    return method_count, repeated_count


def test_examples_agree_with_the_bindings() -> None:
    method_count, repeated_count = check_by_bindings(EXAMPLES)
    assert method_count > 600
    assert repeated_count > 20


def test_java_util_agrees_with_the_bindings(java_util: list[Path]) -> None:
    method_count, repeated_count = check_by_bindings(java_util[::12])
    assert method_count > 300
    assert repeated_count > 30
