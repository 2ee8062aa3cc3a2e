"""Hand-written cases; and, for whole projects, the bindings: whatever they call a method of the
name is masked, and of the other tokens only strings that hold it as a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.edits import Edit, apply
from codeacumen.transforms.variants import variants
from codeacumen.views.masking.text import masked, masked_other, masked_text, masked_words
from support import ROOT

EXAMPLES = [
    file
    for project in ("ballot", "library", "quill", "tramway")
    for file in sorted((ROOT / "examples" / project).rglob("*.java"))
]

# Each text as it is masked; ``§`` stands for METHOD_NAME and is ``walk`` in the source.
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
def test_the_name_is_masked_where_it_tells_the_methods(text: str) -> None:
    source = text.replace("§", "walk")
    wanted = text.replace("§", "METHOD_NAME")
    file = JavaFile(f"class T {{ int before; {source} int after; }}".encode())
    assert not file.syntax.broken
    place = next(i for i, one in enumerate(file.declarations.methods) if one.name == "walk")
    assert masked_text(file, place) == wanted
    assert masked(source, "walk") == wanted


def test_javadoc_is_not_part_of_the_text() -> None:
    file = JavaFile(b"class T {\n  /** Will walk. */\n  @A void walk() { }\n}")
    assert masked_text(file, 0) == "@A void METHOD_NAME() { }"


def test_a_constructor_keeps_the_type_but_not_the_name() -> None:
    file = JavaFile(b"class T { T() { this(1); } T(int x) { new T(); T::new; } }")
    assert masked_text(file, 0) == "METHOD_NAME() { this(1); }"
    assert masked_text(file, 1) == "METHOD_NAME(int x) { new T(); T::new; }"


def test_what_stands_only_in_its_place_is_read_there() -> None:
    """An element of an annotation is no member of a class."""
    file = JavaFile(b"@interface A { /* b */ int b() default 2; int c() default b /* c */; }")
    assert masked_text(file, 1) == "int METHOD_NAME() default b /* METHOD_NAME */;"


def test_in_broken_source_rather_too_much_is_masked() -> None:
    text = masked_text(JavaFile(b'class T { void walk() { if ( walk(1); log("walk"); } }'), 0)
    assert text.replace("METHOD_NAME", "") == 'void () { if ( (1); log(""); }'
    assert masked("void walk(", "walk") == "void METHOD_NAME("
    assert masked("", "walk") == ""
    assert masked("{}", "") == "{}"


# --------------------------------------------------------------------------------------
# Names with escapes.
# --------------------------------------------------------------------------------------

# What is written, and what is left of it.
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
def test_escapes_do_not_hide_a_name_from_the_mask(written: str, left: str) -> None:
    wanted = left.replace("§", "METHOD_NAME")
    assert masked(written, "walk") == masked(written, r"w\u0061lk") == wanted


def test_another_methods_text_keeps_its_variables() -> None:
    """A method's own text has its name at least once; that of a caller may have none of it."""
    assert masked_other("void go() { int walk = 1; f(walk); }", "walk") == (
        "void go() { int walk = 1; f(walk); }"
    )
    assert masked_other("void go() { walk(); }", "walk") == "void go() { METHOD_NAME(); }"
    assert masked_other("void go() { walk(", "walk") is None
    assert masked_words("/** {@link #walk} walks, walk. */", "walk") == (
        "/** {@link #METHOD_NAME} walks, METHOD_NAME. */"
    )


# --------------------------------------------------------------------------------------
# After edits.
# --------------------------------------------------------------------------------------

SOURCE = b"class T { int a; int walk(int x) { f(walk(x)); return walk(x - 1); } int b; }"


def edit(old: bytes, new: bytes) -> Edit:
    return Edit(SOURCE.index(old), SOURCE.index(old) + len(old), new)


def test_text_that_edits_bring_is_masked_as_well() -> None:
    edits = [edit(b"f(walk(x));", b"g(walk(x), walk::walk, /* walk */ walk.walk(walk));")]
    assert masked_text(JavaFile(SOURCE), 0, edits) == (
        "int METHOD_NAME(int x) { g(METHOD_NAME(x), walk::METHOD_NAME, /* METHOD_NAME */ "
        "walk.METHOD_NAME(walk)); return METHOD_NAME(x - 1); }"
    )


def test_what_edits_take_away_is_gone() -> None:
    edits = [edit(b"f(walk(x));", b""), edit(b"walk(x - 1)", b'"walk"')]
    assert (
        masked_text(JavaFile(SOURCE), 0, edits)
        == 'int METHOD_NAME(int x) {  return "METHOD_NAME"; }'
    )


def test_edits_before_and_after_the_method_are_passed_over() -> None:
    edits = [edit(b"int a;", b"int walk(String s) { }"), edit(b"f(", b"g("), edit(b"int b;", b"")]
    text = "int METHOD_NAME(int x) { g(METHOD_NAME(x)); return METHOD_NAME(x - 1); }"
    assert masked_text(JavaFile(SOURCE), 0, edits) == text


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([edit(b"walk(int x)", b"run(int x)")], "the method's name"),
        ([edit(b"a; int", b"a; long")], "bounds"),
        ([edit(b"f(walk(x));", b""), edit(b"walk(x)", b"")], "overlaps another"),
    ],
)
def test_edits_that_make_no_variant_are_refused(edits: list[Edit], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        masked_text(JavaFile(SOURCE), 0, edits)


@pytest.mark.parametrize("kind", ["rename", "loop", "boolean"])
def test_a_variant_is_masked_as_the_file_it_makes(kind: str) -> None:
    count = 0
    for path in EXAMPLES[::3]:
        file = JavaFile(path.read_bytes())
        for variant in variants(file, kind, "all"):
            changed = JavaFile(apply(file.source, variant.edits))
            text = masked_text(file, variant.method, variant.edits)
            assert text == masked_text(changed, variant.method)
            count += 1
    assert count > (100 if kind == "rename" else 5)


# --------------------------------------------------------------------------------------
# Whole projects.
# --------------------------------------------------------------------------------------


def expected_tokens(file: JavaFile, place: int) -> list[str]:
    """A method's tokens, masked by the bindings."""
    syntax, method = file.syntax, file.declarations.methods[place]
    called = file.bindings.node[file.bindings.role == ROLE["method"]].tolist()
    own = {node for node in called if file.names.text(node) == method.name}
    first, last = syntax.start[method.node], syntax.end[method.node]
    word = re.compile(rf"(?<![\w$]){re.escape(method.name)}(?![\w$])")
    spelt: list[str] = []
    for i in range(len(file.tokens)):
        if first <= file.tokens.start[i] < last:
            text = file.tokens.text(i)
            if text.startswith('"'):
                text = word.sub("METHOD_NAME", text)
            spelt.append("METHOD_NAME" if file.tokens.node[i] in own else text)
    return spelt


def check_by_bindings(paths: list[Path]) -> tuple[int, int]:
    methods = several = 0
    for path in paths:
        file = JavaFile(path.read_bytes())
        for place in file.bodies:
            method = file.declarations.methods[place]
            text = masked_text(file, place)
            tokens = JavaFile(f"class T {{{text}\n}}".encode()).tokens
            spelt = [tokens.text(i) for i in range(3, len(tokens) - 1)]
            assert spelt == expected_tokens(file, place), (path, method.name)
            assert masked(file.syntax.text(method.node), method.name) == text
            methods += 1
            several += spelt.count("METHOD_NAME") > 1
    return methods, several


def test_examples_agree_with_the_bindings() -> None:
    methods, several = check_by_bindings(EXAMPLES)
    assert methods > 600
    assert several > 20


def test_java_util_agrees_with_the_bindings(java_util: list[Path]) -> None:
    methods, several = check_by_bindings(java_util[::12])
    assert methods > 300
    assert several > 30
