"""Tests of last uses and last writes against sets worked out by hand, one construct at a time.

In each body the occurrences of a variable are numbered in the order of the text, so ``x2`` is the
second ``x``. A table lists for each occurrence the occurrences that may be the last before it.
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
    build_flow,
)
from codeacumen.languages.java.syntax.file import JavaFile

Table = dict[str, set[str]]


def compute_tables(body: str, parameters: str = "") -> tuple[Table, Table]:
    """Return the tables of last uses and of last writes in a method's body."""
    file = JavaFile(f"class T {{ void m({parameters}) {{ {body} }} }}".encode())
    method_flow = build_flow(file)
    label_of_node = label_occurrences(file, method_flow)
    return (
        build_table(method_flow, method_flow.last_use, label_of_node, include_declarations=True),
        build_table(method_flow, method_flow.last_write, label_of_node, include_declarations=False),
    )


def label_occurrences(file: JavaFile, method_flow: Flow) -> dict[int, str]:
    count_by_name: dict[str, int] = defaultdict(int)
    label_of_node: dict[int, str] = {}
    points = np.flatnonzero((method_flow.variable >= 0) & method_flow.local[method_flow.variable])
    for node in sorted(set(method_flow.node[points].tolist())):
        text = file.syntax.text(node)
        count_by_name[text] += 1
        label_of_node[node] = f"{text}{count_by_name[text]}"
    return label_of_node


def build_table(
    method_flow: Flow, pairs: np.ndarray, label_of_node: dict[int, str], include_declarations: bool
) -> Table:
    previous: Table = defaultdict(set)
    for point, earlier in pairs.tolist():
        if earlier < 0 or (method_flow.event[earlier] == DECLARE and not include_declarations):
            continue
        node, earlier_node = int(method_flow.node[point]), int(method_flow.node[earlier])
        # x++ reads before it writes.
        if node == earlier_node and (method_flow.event[point], method_flow.event[earlier]) == (
            WRITE,
            READ,
        ):
            continue
        previous[label_of_node[node]].add(label_of_node[earlier_node])
    return dict(previous)


def parse_table(text: str) -> Table:
    """Parse ``x2: x1, x3: x1 x2`` into a table."""
    rows = (row.split(":") for row in text.split(",") if row.strip())
    return {label.strip(): set(earlier_labels.split()) for label, earlier_labels in rows}


@pytest.mark.parametrize(
    ("body", "uses", "writes"),
    [
        # Sequences.
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
        # Each execution of a declaration creates a new variable.
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
        # The point after a finally block follows only normal completion of the try block.
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
        # A jump in finally replaces a pending return or exception.
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
        # Nothing in the block throws, but a handler must be reachable.
        (
            "int x = 0; try { x = 1; } catch (E e) { g(x); } g(x);",
            "x2: x1, x3: x1, x4: x2 x3",
            "x2: x1, x3: x1, x4: x1 x2",
        ),
        # Unboxing may throw; reading a primitive value may not.
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
        # Assertions may be disabled.
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
        # Lambdas and classes have separate flows.
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
        # Constant conditions.
        (
            "final boolean t = true; int x = 0; if (t) x = 1; g(x);",
            "t2: t1, x2: x1, x3: x2",
            "t2: t1, x2: x1, x3: x2",
        ),
        ("int x = 0; if (false) x = 1; g(x);", "x3: x1", "x3: x1"),
        ("int x = 0; while (!false) { x++; }", "x2: x1 x2", "x2: x1 x2"),
        # Unreachable code has no predecessors.
        ("int x = 0; return; g(x); g(x);", "x3: x2", ""),
    ],
)
def test_last_use_and_last_write(body: str, uses: str, writes: str) -> None:
    assert compute_tables(body) == (parse_table(uses), parse_table(writes))


def test_parameters_are_written_where_they_are_declared() -> None:
    uses, writes = compute_tables("a = b.length; g(a);", "int a, String... b")
    assert uses == writes == parse_table("a2: a1, b2: b1, a3: a2")


def format_graph(body: str) -> list[str]:
    """Return a line for each point of the flow: its event, its text and its successors."""
    file = JavaFile(f"class T {{ void m() {{ {body} }} }}".encode())
    method_flow = build_flow(file)
    lines = []
    for point in range(len(method_flow.node)):
        text = re.sub(r"\s+", " ", file.syntax.text(int(method_flow.node[point])))
        successors = [
            f"{' tfx'[method_flow.how[edge]].strip()}{method_flow.target[edge]}"
            for edge in range(method_flow.offsets[point], method_flow.offsets[point + 1])
        ]
        lines.append(
            f"{point} {EVENTS[method_flow.event[point]]} {text[:20]} -> {' '.join(successors)}"
        )
    return lines


def test_points_and_edges_of_a_loop() -> None:
    assert format_graph("int x = 1; while (x < 9) x = f(x);") == [
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


def test_each_body_that_runs_by_itself_is_a_unit() -> None:
    source = b"""class A {
      int field = 1;
      A() { this(() -> 2); }
      void m() { class L { int n = 3; { f(); } static { g(); } void k() { } } }
      abstract void none();
    }"""
    file = JavaFile(source)
    file_flow = build_flow(file)
    texts = [file.syntax.text(int(node)).split("{")[0].strip() for node in file_flow.unit]
    assert texts == ["A()", "() -> 2", "void m()", "int n = 3;", "", "static", "void k()"]
    entries, exits = file_flow.first[:-1], file_flow.first[1:] - 2
    assert {EVENTS[event] for event in file_flow.event[entries]} == {"entry"}
    assert {EVENTS[event] for event in file_flow.event[exits]} == {"exit"}
    partial_flow = build_flow(file, [1])
    assert [file.syntax.text(int(node))[:8] for node in partial_flow.unit] == [
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
    file_flow = build_flow(JavaFile(source))
    unit = file_flow.unit_of
    edge_sources = np.repeat(np.arange(len(file_flow.node)), np.diff(file_flow.offsets))
    assert (unit[edge_sources] == unit[file_flow.target]).all()
    assert {WHEN_TRUE, WHEN_FALSE, EXCEPTION} >= set(file_flow.how.tolist()) - {0}


def test_both_kernels_use_the_same_numbers() -> None:
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
