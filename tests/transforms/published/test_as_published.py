"""The published tool's edits. The oracle is the tool itself: what it was seen to make of these
methods, right or wrong, told in the definitions beside the data; javac and the JVM say which
of its programs are broken."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.edits import apply
from codeacumen.transforms.variants import PUBLISHED, Variant, variants
from corpora import EXAMPLES

needs_jdk = pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK here")


def made(kind: str, method: str, where: str = "single") -> list[tuple[str, str]]:
    """Each variant's text, with single spaces, and the doubt."""
    file = JavaFile(f"class T {{ {method} }}".encode())
    found = []
    for one in variants(file, f"published-{kind}", where, methods=[file.bodies[0]]):
        text = apply(file.source, one.edits).decode()
        found.append(
            (
                tight(text.removeprefix("class T { ").removesuffix(" }")),
                one.doubt.why if one.doubt else "",
            )
        )
    return found


def tight(text: str) -> str:
    """Without white space but between words, as the tool compares its own output."""
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
        "what is added",
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
        "a label",
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
        "switch",  # nothing is missed of a case that only breaks
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
        "texts are compared by ==",
    ),
    (
        "switch",  # what is sure is told before what is not
        "void m(Unknown u) { switch (u.x()) { case A: f(); case B: g(); } }",
        "void m(Unknown u) { if (u.x() == A) { f(); } else if (u.x() == B) { g(); } }",
        "a case falls into the next",
    ),
    (
        "boolean",  # both variables keep their meaning, and nothing here can tell
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
def test_what_the_tool_was_seen_to_do(kind: str, before: str, after: str, doubt: str) -> None:
    text, told = made(kind, before)[0]
    assert text == tight(after)
    assert told.startswith(doubt) if doubt else not told


def test_statements_of_two_branches_change_places() -> None:
    head = "void m(boolean c, int a, int b) {"
    found = made("permute", f"{head} if (c) {{ a = 1; b = 2; }} else {{ a = 1; b = 2; }} }}")
    wrong = tight(head + " if (c) { a = 1; a = 1; } else { b = 2; b = 2; } }")
    assert (wrong, "they stand in different blocks") in found
    assert (tight(head + " if (c) { b = 2; a = 1; } else { a = 1; b = 2; } }"), "") in found


@pytest.mark.parametrize(
    ("body", "count", "doubt"),
    [
        ("int a = 1; int b = 2; return a + b;", 1, ""),
        ("String a = null; String b = null; return a + b;", 0, ""),  # String is a word, too
        ("int a = f(); int b = 2; return a + b;", 0, ""),
        ("p[0] = 5; q = r[0]; return q;", 1, "may"),
        ("int u = w / z; this.k = 3; return u;", 1, "the first"),
        ("int a = 1; int b = a; int c = 3; return c;", 1, ""),
    ],
)
def test_what_shares_no_word_changes_places(body: str, count: int, doubt: str) -> None:
    found = made("permute", f"Object m(int[] p, int[] r, int q, int w, int z, int v) {{ {body} }}")
    assert len(found) == count
    assert all(doubt in told if doubt else not told for _, told in found)


def test_loops_that_read_the_same_are_one_place_and_two_variables_of_a_name_are_renamed() -> None:
    twice = "void m() { while (p()) f(); while (p()) f(); }"
    ((first, _), (second, _)) = made("loop", twice)
    assert first == second == tight("void m() { for (; p(); ) f(); for (; p(); ) f(); }")
    loops = "void m() { for (int i = 0; i < 2; i++) f(i); for (int i = 0; i < 3; i++) g(i); }"
    found = made("rename", loops)
    assert len(found) == 2
    assert found[0] == found[1]
    assert "i" not in re.findall(r"\w+", found[0][0])
    assert not found[0][1]


def test_a_declaration_is_put_before_a_statement_of_the_body() -> None:
    ((text, doubt),) = made("unused", "void m() { f(); while (p()) { g(); h(); } }")
    assert re.search(r'[{;]String timestamp="[^"]+";(f\(\);|while\()', text)
    assert not doubt
    assert not made("unused", "void m(int timestamp) { f(); }")
    assert not made("unused", "void m() { }")


def test_all_places() -> None:
    ((text, _),) = made("rename", "int m(int a, int b) { int c = a; return b + c; }", "all")
    assert text == tight("int m(int var0, int var1) { int var2 = var0; return var1 + var2; }")
    nested = "void m() { for (int i = 0; i < 2; i++) { while (p()) f(i); } }"
    ((text, _),) = made("loop", nested, "all")
    assert text == tight("void m() { { int i = 0; while (i < 2) { for (; p(); ) f(i); i++; } } }")


@pytest.mark.thorough
@needs_jdk
def test_javac_refuses_what_is_doubted_and_takes_what_is_not(tmp_path: Path) -> None:
    """Of the examples' methods: a variant without a doubt compiles, whatever its kind. Some with
    one do not, or have names that mean something else."""
    doubted = broken = sound = 0
    sources = {}
    for folder in EXAMPLES:
        for path in sorted(Path(folder).rglob("src/**/*.java")):
            file = JavaFile(path.read_bytes())
            mine: dict[int, Variant] = {}
            for kind in PUBLISHED:
                for one in variants(file, kind):
                    if one.doubt:
                        doubted += 1
                        broken += one.doubt.wrong
                    else:
                        mine.setdefault(one.method, one)
                        sound += 1
            edits = [edit for one in _apart(file, mine) for edit in one.edits]
            sources[path] = apply(file.source, sorted(edits))
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


def _apart(file: JavaFile, mine: dict[int, Variant]) -> list[Variant]:
    """Variants that do not touch each other."""
    found: list[Variant] = []
    end = 0
    for one in sorted(mine.values(), key=lambda one: one.edits[0].start):
        node = file.declarations.methods[one.method].node
        start, stop = int(file.syntax.start[node]), int(file.syntax.end[node])
        if start >= end:
            found.append(one)
            end = stop
    return found
