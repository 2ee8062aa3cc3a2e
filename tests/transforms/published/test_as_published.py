"""Tests of the published tool's edits. The oracle is the tool itself: its observed output for these
methods, right or wrong, is stored in the definitions beside the data; javac and the JVM show which
of its programs are broken."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.edits import apply_edits
from codeacumen.transforms.variants import PUBLISHED, Variant
from corpora import EXAMPLES
from support import iterate_variants

needs_jdk = pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK here")


def make_variants(kind: str, method: str, where: str = "single") -> list[tuple[str, str]]:
    """Return the text of each variant, with single spaces, and its doubt."""
    file = JavaFile(f"class T {{ {method} }}".encode())
    texts_and_doubts = []
    for variant in iterate_variants(file, f"published-{kind}", where, methods=[file.bodies[0]]):
        text = apply_edits(file.source, variant.edits).decode()
        texts_and_doubts.append(
            (
                normalize_spaces(text.removeprefix("class T { ").removesuffix(" }")),
                variant.doubt.reason if variant.doubt else "",
            )
        )
    return texts_and_doubts


def normalize_spaces(text: str) -> str:
    """Return the text with white space only between words, as the tool compares its own output."""
    return re.sub(r"\s*(\W)\s*", r"\1", " ".join(text.split()))


CASES = [
    (
        "rename",
        "void m(int x) { this.x = x; o.x(); y.x = 1; x: for (;;) { break x; } }",
        "void m(int var0) { this.var0 = var0; o.var0(); y.var0 = 1; "
        "var0: for (;;) { break var0; } }",
        "it renames",
    ),
    (
        "rename",
        "int m(int n, int var0) { return n + var0; }",
        "int m(int var1, int var0) { return var1 + var0; }",
        "",
    ),
    (
        "boolean",
        "void m() { boolean done = p(); done |= q(); }",
        "void m() { boolean done = !(p()); done |= !(q()); }",
        "the added value",
    ),
    (
        "boolean",
        "void m() { Boolean b = null; if (b == null) f(); }",
        "void m() { Boolean b = !(null); if (!b == null) f(); }",
        "Boolean may be null",
    ),
    (
        "boolean",
        "int m() { boolean ok = p(); return ok ? 1 : 2; }",
        "int m() { boolean ok = !(p()); return ok ? 1 : 2; }",
        "a use stays",
    ),
    (
        "boolean",
        "void m() { boolean a = p(); if ((a)) f(); }",
        "void m() { boolean a = !(p()); if ((a)) f(); }",
        "a use stays",
    ),
    (
        "boolean",
        "boolean m() { boolean a = p(); if (!a) f(a); return a && q(); }",
        "boolean m() { boolean a = !(p()); if (a) f(!a); return !a && q(); }",
        "",
    ),
    (
        "loop",
        "void m() { for (int i = 0; i < 10; i++) { if (i == 3) continue; f(i); } }",
        "void m() { { int i = 0; while (i < 10) { if (i == 3) continue; f(i); i++; } } }",
        "a continue skips the update",
    ),
    (
        "loop",
        "void m() { outer: for (int i = 0; i < 3; i++) { for (int k : a) continue outer; } }",
        "void m() { outer: { int i = 0; while (i < 3) { for (int k : a) continue outer; i++; } } }",
        "a continued label",
    ),
    (
        "loop",
        "int m() { for (int i = 0; ; i++) { return i; } }",
        "int m() { { int i = 0; while (true) { return i; i++; } } }",
        "the update may not be reachable",
    ),
    ("loop", "void m() { while (p()) f(); }", "void m() { for (; p(); ) f(); }", ""),
    (
        "switch",
        "void m(int k) { switch (k) { case 1: case 2: f(); break; case 3: g(); case 4: h(); } }",
        "void m(int k) { if (k == 1) { } else if (k == 2) { f(); } else if (k == 3) { g(); } "
        "else if (k == 4) { h(); } }",
        "a case falls into the next",
    ),
    (
        "switch",  # a case that only breaks loses nothing
        "void m(int k) { switch (k) { case 1: f(); case 2: break; default: d(); } }",
        "void m(int k) { if (k == 1) { f(); } else if (k == 2) { } else { d(); } }",
        "",
    ),
    (
        "switch",
        "void m(int k) { switch (k) { case 1: f(); case 2: g(); default: } }",
        "void m(int k) { if (k == 1) { f(); } else if (k == 2) { g(); } else { } }",
        "a case falls into the next",
    ),
    (
        "switch",
        "void m(int k) { switch (k) { default: d(); break; case 1: f(); } }",
        "void m(int k) { if (k == 1) { f(); } else { d(); } }",
        "",
    ),
    (
        "switch",
        "void m(int k) { switch (k) { default: d(); } }",
        "void m(int k) { if (k == k) { d(); } }",
        "",
    ),
    (
        "switch",
        'void m(String s) { switch (s) { case "a": f(); break; default: g(); } }',
        'void m(String s) { if (s == "a") { f(); } else { g(); } }',
        "strings are compared by ==",
    ),
    (
        "switch",  # a certain doubt precedes an uncertain one
        "void m(Unknown u) { switch (u.x()) { case A: f(); case B: g(); } }",
        "void m(Unknown u) { if (u.x() == A) { f(); } else if (u.x() == B) { g(); } }",
        "a case falls into the next",
    ),
    (
        "boolean",  # both variables keep their meaning, which cannot be detected here
        "void m() { { boolean a = p(); f(a); } { boolean a; a = q(); f(a); } }",
        "void m() { { boolean a = !(p()); f(!a); } { boolean a; a = !(q()); f(!a); } }",
        "it changes another variable",
    ),
    (
        "switch",
        "void m() { switch (next()) { case 1: f(); break; case 2: g(); } }",
        "void m() { if (next() == 1) { f(); } else if (next() == 2) { g(); } }",
        "the selector is computed again",
    ),
]


@pytest.mark.parametrize(("kind", "before", "after", "doubt"), CASES)
def test_variants_equal_observed_output_of_the_tool(
    kind: str, before: str, after: str, doubt: str
) -> None:
    text, stated_doubt = make_variants(kind, before)[0]
    assert text == normalize_spaces(after)
    assert stated_doubt.startswith(doubt) if doubt else not stated_doubt


def test_statements_of_two_branches_are_swapped() -> None:
    head = "void m(boolean c, int a, int b) {"
    texts_and_doubts = make_variants(
        "permute", f"{head} if (c) {{ a = 1; b = 2; }} else {{ a = 1; b = 2; }} }}"
    )
    wrong = normalize_spaces(head + " if (c) { a = 1; a = 1; } else { b = 2; b = 2; } }")
    assert (wrong, "they are in different blocks") in texts_and_doubts
    assert (
        normalize_spaces(head + " if (c) { b = 2; a = 1; } else { a = 1; b = 2; } }"),
        "",
    ) in texts_and_doubts


@pytest.mark.parametrize(
    ("body", "count", "doubt"),
    [
        ("int a = 1; int b = 2; return a + b;", 1, ""),
        ("String a = null; String b = null; return a + b;", 0, ""),  # String is a word too
        ("int a = f(); int b = 2; return a + b;", 0, ""),
        ("p[0] = 5; q = r[0]; return q;", 1, "may"),
        ("int u = w / z; this.k = 3; return u;", 1, "the first"),
        ("int a = 1; int b = a; int c = 3; return c;", 1, ""),
    ],
)
def test_statements_without_common_words_are_swapped(body: str, count: int, doubt: str) -> None:
    texts_and_doubts = make_variants(
        "permute", f"Object m(int[] p, int[] r, int q, int w, int z, int v) {{ {body} }}"
    )
    assert len(texts_and_doubts) == count
    assert all(
        doubt in stated_doubt if doubt else not stated_doubt for _, stated_doubt in texts_and_doubts
    )


def test_equal_loops_are_one_location_and_equal_names_are_renamed_together() -> None:
    twice = "void m() { while (p()) f(); while (p()) f(); }"
    ((first, _), (second, _)) = make_variants("loop", twice)
    assert first == second == normalize_spaces("void m() { for (; p(); ) f(); for (; p(); ) f(); }")
    loops = "void m() { for (int i = 0; i < 2; i++) f(i); for (int i = 0; i < 3; i++) g(i); }"
    texts_and_doubts = make_variants("rename", loops)
    assert len(texts_and_doubts) == 2
    assert texts_and_doubts[0] == texts_and_doubts[1]
    assert "i" not in re.findall(r"\w+", texts_and_doubts[0][0])
    assert not texts_and_doubts[0][1]


def test_declaration_is_inserted_before_a_statement() -> None:
    ((text, doubt),) = make_variants("unused", "void m() { f(); while (p()) { g(); h(); } }")
    assert re.search(r'[{;]String timestamp="[^"]+";(f\(\);|while\()', text)
    assert not doubt
    assert not make_variants("unused", "void m(int timestamp) { f(); }")
    assert not make_variants("unused", "void m() { }")


def test_all_locations_are_changed_together() -> None:
    ((text, _),) = make_variants(
        "rename", "int m(int a, int b) { int c = a; return b + c; }", "all"
    )
    assert text == normalize_spaces(
        "int m(int var0, int var1) { int var2 = var0; return var1 + var2; }"
    )
    nested = "void m() { for (int i = 0; i < 2; i++) { while (p()) f(i); } }"
    ((text, _),) = make_variants("loop", nested, "all")
    assert text == normalize_spaces(
        "void m() { { int i = 0; while (i < 2) { for (; p(); ) f(i); i++; } } }"
    )


@pytest.mark.thorough
@needs_jdk
def test_javac_accepts_variants_without_doubt(tmp_path: Path) -> None:
    """In the examples' methods, every variant without a doubt compiles. Some variants with a doubt
    do not, or their names refer to something else."""
    doubted = broken = sound = 0
    sources = {}
    for folder in EXAMPLES:
        for path in sorted(Path(folder).rglob("src/**/*.java")):
            file = JavaFile(path.read_bytes())
            variant_by_method: dict[int, Variant] = {}
            for kind in PUBLISHED:
                for variant in iterate_variants(file, kind):
                    if variant.doubt:
                        doubted += 1
                        broken += variant.doubt.wrong
                    else:
                        variant_by_method.setdefault(variant.method, variant)
                        sound += 1
            edits = [
                edit
                for variant in select_disjoint(file, variant_by_method)
                for edit in variant.edits
            ]
            sources[path] = apply_edits(file.source, sorted(edits))
    for folder in EXAMPLES:
        out = tmp_path / Path(folder).name
        files = []
        for path, text in sources.items():
            if Path(folder) in path.parents:
                files.append(out / path.relative_to(folder))
                files[-1].parent.mkdir(parents=True, exist_ok=True)
                files[-1].write_bytes(text)
        command = ["javac", "-nowarn", "-encoding", "UTF-8", "-d", str(out / "classes")]
        done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert sound > 1000
    assert doubted > 200
    assert broken > 50


def select_disjoint(file: JavaFile, mine: dict[int, Variant]) -> list[Variant]:
    """Return variants that do not overlap."""
    disjoint: list[Variant] = []
    end = 0
    for variant in sorted(mine.values(), key=lambda variant: variant.edits[0].start):
        node = file.declarations.methods[variant.method].node
        start, stop = int(file.syntax.start[node]), int(file.syntax.end[node])
        if start >= end:
            disjoint.append(variant)
            end = stop
    return disjoint
