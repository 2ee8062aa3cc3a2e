"""Sets worked out by hand, one construct at a time.

In each body the occurrences of a variable are numbered in the order of the text, so ``x2`` is the
second ``x``. A table says for each occurrence which others may come last before it.
"""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import pytest

from codeacumen.languages.java.flow import kernel as _flow_kernel
from codeacumen.languages.java.flow import nodes as _flow_nodes
from codeacumen.languages.java.flow.graph import (
    DECLARE,
    EVENTS,
    EXCEPTION,
    READ,
    STATEMENT,
    WHEN_FALSE,
    WHEN_TRUE,
    WRITE,
    Flow,
    flow,
)
from codeacumen.languages.java.syntax.file import JavaFile

Table = dict[str, set[str]]


def tables(body: str, parameters: str = "") -> tuple[Table, Table]:
    """Last uses and last writes in a method's body."""
    file = JavaFile(f"class T {{ void m({parameters}) {{ {body} }} }}".encode())
    found = flow(file)
    names = labels(file, found)
    return (
        table(found, found.last_use, names, declared=True),
        table(found, found.last_write, names, declared=False),
    )


def labels(file: JavaFile, found: Flow) -> dict[int, str]:
    count: dict[str, int] = defaultdict(int)
    names: dict[int, str] = {}
    places = np.flatnonzero((found.variable >= 0) & found.local[found.variable])
    for node in sorted(set(found.node[places].tolist())):
        text = file.syntax.text(node)
        count[text] += 1
        names[node] = f"{text}{count[text]}"
    return names


def table(found: Flow, pairs: np.ndarray, names: dict[int, str], declared: bool) -> Table:
    read_and_written: Table = defaultdict(set)
    for point, earlier in pairs.tolist():
        if earlier < 0 or (found.event[earlier] == DECLARE and not declared):
            continue
        node, other = int(found.node[point]), int(found.node[earlier])
        # x++ reads before it writes.
        if node == other and (found.event[point], found.event[earlier]) == (WRITE, READ):
            continue
        read_and_written[names[node]].add(names[other])
    return dict(read_and_written)


def parsed(text: str) -> Table:
    """``x2: x1, x3: x1 x2`` as a table."""
    rows = (row.split(":") for row in text.split(",") if row.strip())
    return {name.strip(): set(others.split()) for name, others in rows}


@pytest.mark.parametrize(
    ("body", "uses", "writes"),
    [
        # One after the other.
        ("int x = 1; g(x); g(x);", "x2: x1, x3: x2", "x2: x1, x3: x1"),
        ("int x; x = 1; g(x);", "x2: x1, x3: x2", "x3: x2"),
        # The right side before the left is written (JLS 15.26.1); the left is read first in a
        # compound assignment (15.26.2).
        ("int x = 1; x = x + 1; g(x);", "x2: x3, x3: x1, x4: x2", "x2: x1, x3: x1, x4: x2"),
        ("int x = 1; x += x; g(x);", "x2: x1 x3, x3: x2, x4: x2", "x2: x1, x3: x1, x4: x2"),
        ("int x = 0; x++; --x; g(x);", "x2: x1, x3: x2, x4: x3", "x2: x1, x3: x2, x4: x3"),
        ("int x = 0; (x)++; g((x));", "x2: x1, x3: x2", "x2: x1, x3: x2"),
        (
            "int[] x = f(); int i = 0; x[i++] = i;",
            "x2: x1, i2: i1, i3: i2",
            "x2: x1, i2: i1, i3: i2",
        ),
        ("int[] x = f(); x[0] += g(x);", "x2: x1, x3: x2", "x2: x1, x3: x1"),
        (
            "String x = f(); x.m(x = f(), x);",
            "x2: x1, x3: x2, x4: x3",
            "x2: x1, x3: x1, x4: x3",
        ),
        # Branches.
        (
            "int x = 1; if (p()) x = 2; else g(x); g(x);",
            "x2: x1, x3: x1, x4: x2 x3",
            "x2: x1, x3: x1, x4: x1 x2",
        ),
        (
            "int x = 1; if (p() && g(x)) g(x); g(x);",
            "x2: x1, x3: x2, x4: x1 x2 x3",
            "x2: x1, x3: x1, x4: x1",
        ),
        (
            "int x = 1; if (p() || g(x)) g(x); else g(x); g(x);",
            "x2: x1, x3: x1 x2, x4: x2, x5: x3 x4",
            "x2: x1, x3: x1, x4: x1, x5: x1",
        ),
        (
            "int x = 1; if (!(p() && g(x))) x = 2; g(x);",
            "x2: x1, x3: x1 x2, x4: x2 x3",
            "x2: x1, x3: x1, x4: x1 x3",
        ),
        (
            "int x = 1; g(p() ? x : (x = 2)); g(x);",
            "x2: x1, x3: x1, x4: x2 x3",
            "x2: x1, x3: x1, x4: x1 x3",
        ),
        (
            "int x = 1; boolean y = p() && g(x = 2); g(x);",
            "x2: x1, x3: x1 x2",
            "x2: x1, x3: x1 x2",
        ),
        (
            "int x = 0; if (p() ? g(x) : q()) g(x); g(x);",
            "x2: x1, x3: x1 x2, x4: x1 x2 x3",
            "x2: x1, x3: x1, x4: x1",
        ),
        # Loops.
        (
            "int x = 1; while (p()) { g(x); x = 2; } g(x);",
            "x2: x1 x3, x3: x2, x4: x1 x3",
            "x2: x1 x3, x3: x1 x3, x4: x1 x3",
        ),
        (
            "int x = 1; while (true) { if (p()) break; x = 2; } g(x);",
            "x2: x1 x2, x3: x1 x2",
            "x2: x1 x2, x3: x1 x2",
        ),
        (
            "int x = 1; do { g(x); } while (g(x)); g(x);",
            "x2: x1 x3, x3: x2, x4: x3",
            "x2: x1, x3: x1, x4: x1",
        ),
        (
            "int x = 1; do { if (p()) continue; x = 2; } while (g(x));",
            "x2: x1 x3, x3: x1 x2 x3",
            "x2: x1 x2, x3: x1 x2",
        ),
        # In the text: declaration, condition, update, body.
        (
            "for (int i = 0; i < 9; i++) g(i);",
            "i2: i1 i3, i3: i4, i4: i2",
            "i2: i1 i3, i3: i1 i3, i4: i1 i3",
        ),
        ("int x = 0; for (;;) { if (p()) return; x++; }", "x2: x1 x2", "x2: x1 x2"),
        (
            "int x = 0; for (int i = 0; p(); i++) { if (q()) continue; g(x); x = 1; }",
            "i2: i1 i2, x2: x1 x3, x3: x2",
            "i2: i1 i2, x2: x1 x3, x3: x1 x3",
        ),
        (
            "int x = 0; for (int y : f(x)) { g(x, y); x = y; } g(x);",
            "x2: x1, x3: x2 x4, x4: x3, x5: x2 x4, y2: y1, y3: y2",
            "x2: x1, x3: x1 x4, x4: x1 x4, x5: x1 x4, y2: y1, y3: y1",
        ),
        (
            "int x = 0; a: b: for (;;) { for (;;) { if (p()) break a; if (q()) continue b;"
            " x = 1; } } g(x);",
            "x2: x1 x2, x3: x1 x2",
            "x2: x1 x2, x3: x1 x2",
        ),
        (
            "int x = 0; a: { if (p()) break a; x = 1; } g(x);",
            "x2: x1, x3: x1 x2",
            "x2: x1, x3: x1 x2",
        ),
        # A variable is a new one each time it is declared.
        ("while (p()) { int x = 1; g(x); }", "x2: x1", "x2: x1"),
        (
            "while (p()) { int x; if (q()) x = 1; else x = 2; g(x); }",
            "x2: x1, x3: x1, x4: x2 x3",
            "x4: x2 x3",
        ),
        # switch: statements, with and without fall-through, and expressions.
        (
            "int x = 0; switch (k()) { case 1: x = 1; case 2: g(x); break; default: x = 2; } g(x);",
            "x2: x1, x3: x1 x2, x4: x1, x5: x3 x4",
            "x2: x1, x3: x1 x2, x4: x1, x5: x1 x2 x4",
        ),
        (
            "int x = 0; switch (k()) { case 1: case 2: x = 1; } g(x);",
            "x2: x1, x3: x1 x2",
            "x2: x1, x3: x1 x2",
        ),
        (
            "int x = 0; switch (k()) { case 1, 2 -> x = 1; case 3 -> { g(x); } } g(x);",
            "x2: x1, x3: x1, x4: x1 x2 x3",
            "x2: x1, x3: x1, x4: x1 x2",
        ),
        (
            "int x = 0; g(switch (k()) { case 1 -> x; case 2 -> throw e();"
            " default -> { x = 2; yield x; } }); g(x);",
            "x2: x1, x3: x1, x4: x3, x5: x2 x4",
            "x2: x1, x3: x1, x4: x3, x5: x1 x3",
        ),
        (
            "int x = 0; g(switch (k()) { case 1: x = 1; default: yield x; });",
            "x2: x1, x3: x1 x2",
            "x2: x1, x3: x1 x2",
        ),
        (
            "int x = 0; while (p()) { switch (k()) { case 1: continue; case 2: break; default:"
            " return; } x = 1; } g(x);",
            "x2: x1 x2, x3: x1 x2",
            "x2: x1 x2, x3: x1 x2",
        ),
        # Exceptions: from each operation to each handler.
        (
            "int x = 0; try { x = 1; f(); x = 2; } catch (E e) { g(x); } g(x);",
            "x2: x1, x3: x2, x4: x2, x5: x3 x4",
            "x2: x1, x3: x2, x4: x2, x5: x2 x3",
        ),
        (
            "int x = 0; try { f(); x = 1; f(); } catch (E e) { x = 2; } catch (F e) { g(x); }"
            " g(x);",
            "x2: x1, x3: x1 x2, x4: x1 x2, x5: x2 x3 x4",
            "x2: x1, x3: x1 x2, x4: x1 x2, x5: x1 x2 x3",
        ),
        # After the block, finally is run only by what ended well.
        (
            "int x = 0; try { x = 1; f(); x = 2; } finally { g(x); } g(x);",
            "x2: x1, x3: x2, x4: x2 x3, x5: x4",
            "x2: x1, x3: x2, x4: x2 x3, x5: x3",
        ),
        (
            "int x = 0; try { if (p()) { x = 1; return; } x = 2; } finally { g(x); } g(x);",
            "x2: x1, x3: x1, x4: x1 x2 x3, x5: x4",
            "x2: x1, x3: x1, x4: x1 x2 x3, x5: x3",
        ),
        (
            "int x = 0; while (p()) { try { x = 1; f(); break; } finally { x = 2; } } g(x);",
            "x2: x1, x3: x2, x4: x1 x3",
            "x2: x1, x3: x2, x4: x1 x3",
        ),
        (
            "int x = 0; while (p()) { try { f(); continue; } finally { g(x); } } g(x);",
            "x2: x1 x2, x3: x1 x2",
            "x2: x1, x3: x1",
        ),
        # A jump in finally replaces what was under way.
        (
            "int x = 0; while (p()) { try { x = 1; return; } finally { break; } } g(x);",
            "x2: x1, x3: x1 x2",
            "x2: x1, x3: x1 x2",
        ),
        (
            "int x = 0; try { try { f(); x = 1; } catch (E e) { g(x); } } catch (F e) { g(x); }",
            "x2: x1, x3: x1, x4: x1 x3",
            "x2: x1, x3: x1, x4: x1",
        ),
        (
            "int x = 0; try (R r = o(x); R s = o(r)) { x = 1; } catch (E e) { g(x); } g(x);",
            "x2: x1, x3: x2, x4: x2 x3, x5: x3 x4, r2: r1",
            "x2: x1, x3: x1, x4: x1 x3, x5: x1 x3, r2: r1",
        ),
        (
            "int x = 0; if (p()) { x = 1; throw e(x); } g(x);",
            "x2: x1, x3: x2, x4: x1",
            "x2: x1, x3: x2, x4: x1",
        ),
        # Nothing in it throws; but what catches must be reachable.
        (
            "int x = 0; try { x = 1; } catch (E e) { g(x); } g(x);",
            "x2: x1, x3: x1, x4: x2 x3",
            "x2: x1, x3: x1, x4: x1 x2",
        ),
        # Unboxing throws, a primitive value does not.
        (
            "Integer i = f(); int x = 0; try { x = 1; int y = i; x = 2; f(); } catch (E e)"
            " { g(x); }",
            "i2: i1, x2: x1, x3: x2, x4: x2 x3",
            "i2: i1, x2: x1, x3: x2, x4: x2 x3",
        ),
        (
            "int i = f(); int x = 0; try { x = 1; int y = i; x = 2; f(); } catch (E e) { g(x); }",
            "i2: i1, x2: x1, x3: x2, x4: x3",
            "i2: i1, x2: x1, x3: x2, x4: x3",
        ),
        (
            "int x = 0; synchronized (f(x)) { g(x); } g(x);",
            "x2: x1, x3: x2, x4: x3",
            "x2: x1, x3: x1, x4: x1",
        ),
        # Assertions may be off.
        (
            "int x = 0; assert g(x) : x; g(x);",
            "x2: x1, x3: x2, x4: x1 x2",
            "x2: x1, x3: x1, x4: x1",
        ),
        # Patterns.
        (
            "Object o = f(); if (o instanceof String s && g(s)) g(s); g(o);",
            "o2: o1, o3: o2, s2: s1, s3: s2",
            "o2: o1, o3: o1, s2: s1, s3: s1",
        ),
        (
            "Object o = f(); if (!(o instanceof String s)) return; g(s);",
            "o2: o1, s2: s1",
            "o2: o1, s2: s1",
        ),
        (
            "Object o = f(); if (o instanceof P(int u, Q(var v))) g(u, v);",
            "o2: o1, u2: u1, v2: v1",
            "o2: o1, u2: u1, v2: v1",
        ),
        (
            "Object o = f(); int x = 0; switch (o) { case String s when g(x) -> x = s.n();"
            " case Integer i -> g(x); default -> g(x); } g(x);",
            "o2: o1, s2: s1, x2: x1, x3: x2, x4: x1 x2, x5: x1 x2, x6: x3 x4 x5",
            "o2: o1, s2: s1, x2: x1, x3: x1, x4: x1, x5: x1, x6: x1 x3",
        ),
        # A lambda and a class have a flow of their own.
        (
            "int x = 0; r = () -> { g(x); g(x); }; g(x);",
            "x3: x2, x4: x1",
            "x4: x1",
        ),
        (
            "r = (y, z) -> y + z + y; s = w -> w;",
            "y2: y1, z2: z1, y3: y2, w2: w1",
            "y2: y1, z2: z1, y3: y1, w2: w1",
        ),
        (
            "int x = 0; new T() { int n = x; void n(int z) { g(x, z); g(x); } }; g(x);",
            "x4: x3, x5: x1, z2: z1",
            "x5: x1, z2: z1",
        ),
        # Conditions that are constant.
        (
            "final boolean t = true; int x = 0; if (t) x = 1; g(x);",
            "t2: t1, x2: x1, x3: x2",
            "t2: t1, x2: x1, x3: x2",
        ),
        ("int x = 0; if (false) x = 1; g(x);", "x3: x1", "x3: x1"),
        ("int x = 0; while (!false) { x++; }", "x2: x1 x2", "x2: x1 x2"),
        # What is never reached has nothing before it.
        ("int x = 0; return; g(x); g(x);", "x3: x2", ""),
    ],
)
def test_last_use_and_last_write(body: str, uses: str, writes: str) -> None:
    assert tables(body) == (parsed(uses), parsed(writes))


def test_parameters_are_written_where_they_are_declared() -> None:
    uses, writes = tables("a = b.length; g(a);", "int a, String... b")
    assert uses == writes == parsed("a2: a1, b2: b1, a3: a2")


def graph(body: str) -> list[str]:
    """Points and edges in words: what happens, where, and what may follow."""
    file = JavaFile(f"class T {{ void m() {{ {body} }} }}".encode())
    found = flow(file)
    lines = []
    for point in range(len(found.node)):
        text = re.sub(r"\s+", " ", file.syntax.text(int(found.node[point])))
        follows = [
            f"{' tfx'[found.how[edge]].strip()}{found.target[edge]}"
            for edge in range(found.offsets[point], found.offsets[point + 1])
        ]
        lines.append(f"{point} {EVENTS[found.event[point]]} {text[:20]} -> {' '.join(follows)}")
    return lines


def test_points_and_edges() -> None:
    assert graph("int x = 1; while (x < 9) x = f(x);") == [
        "0 entry void m() { int x = 1 -> 1",
        "1 statement int x = 1; -> 2",
        "2 bind x -> 3",
        "3 statement while (x < 9) x = f( -> 4",
        "4 read x -> 5",
        "5 branch x < 9 -> t6 f10",
        "6 statement x = f(x); -> 7",
        "7 read x -> 8",
        "8 operates f(x) -> x11 9",
        "9 write x -> 4",
        "10 exit void m() { int x = 1 -> ",
        "11 raise void m() { int x = 1 -> ",
    ]


def test_a_unit_for_each_body_that_runs_by_itself() -> None:
    source = b"""class A {
      int field = 1;
      A() { this(() -> 2); }
      void m() { class L { int n = 3; { f(); } static { g(); } void k() { } } }
      abstract void none();
    }"""
    file = JavaFile(source)
    found = flow(file)
    texts = [file.syntax.text(int(node)).split("{")[0].strip() for node in found.unit]
    assert texts == ["A()", "() -> 2", "void m()", "int n = 3;", "", "static", "void k()"]
    entries, exits = found.first[:-1], found.first[1:] - 2
    assert {EVENTS[event] for event in found.event[entries]} == {"entry"}
    assert {EVENTS[event] for event in found.event[exits]} == {"exit"}
    chosen = flow(file, [1])
    assert [file.syntax.text(int(node))[:8] for node in chosen.unit] == [
        "void m()",
        "int n = ",
        "{ f(); }",
        "static {",
        "void k()",
    ]


def test_edges_stay_inside_their_unit() -> None:
    source = (
        b"class A { void m() { try { f(() -> { throw e; }); } finally { g(); } } void n() { } }"
    )
    found = flow(JavaFile(source))
    unit = found.unit_of
    source_of = np.repeat(np.arange(len(found.node)), np.diff(found.offsets))
    assert (unit[source_of] == unit[found.target]).all()
    assert {WHEN_TRUE, WHEN_FALSE, EXCEPTION} >= set(found.how.tolist()) - {0}


def test_both_kernels_mean_the_same_by_their_numbers() -> None:
    for name in (
        "EXIT",
        "RAISE",
        "BRANCH",
        "JOIN",
        "SET",
        "JUMP",
        "ARC",
        "HUB",
        "HALTS",
        "NEXT",
        "EXCEPTION",
    ):
        assert getattr(_flow_nodes, name) == getattr(_flow_kernel, name), name
    assert [name.upper() for name in EVENTS] == [
        name
        for name in (
            "ENTRY",
            "EXIT",
            "RAISE",
            "STATEMENT",
            "OPERATES",
            "BRANCH",
            "JOIN",
            "HANDLER",
            "TARGET",
            "DECLARE",
            "BIND",
            "READ",
            "WRITE",
        )
        if getattr(_flow_kernel, name) == EVENTS.index(name.lower())
    ]
    assert EVENTS[STATEMENT] == "statement"
