"""Tests of graphs against edges worked out by hand, and the graph printed in the GLUECode paper."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.ast import LABELS, draw_method_trees
from codeacumen.views.graph import (
    EDGES,
    KINDS,
    Graphs,
    build_compatible_graphs,
    build_graphs,
    graph_to_json,
)

# Appendix A.2.
PAPER = """
{
    "backbone_sequence": [13, 14, 15, 16, 17, 18, 19, 20, 21, 22],
    "node_labels": ["METHOD", "NAME", "MODIFIERS", "FLAGS",
"RETURN_TYPE", "IDENTIFIER", "NAME", "BODY", "BLOCK",
"STATEMENTS", "RETURN", "EXPRESSION", "STRING_LITERAL", "PUBLIC",
         "String", "METH_PLACEHOLDER", "LPAREN", "RPAREN", "LBRACE",
"RETURN", "\\"Login request processing\\"", "SEMI", "RBRACE"],
    "edges": {
        "CH": [[0, 1], [0, 4], [0, 7], [0, 2], [2, 3], [4, 5], [5, 6], [7, 8], [8, 9], [9, 10],
               [10, 11], [11, 12]],
        "NT": [[13, 14], [14, 15], [15, 16], [16, 17], [17, 18], [18, 19], [19, 20], [20, 21],
               [21, 22]],
        "LU": [], "LW": [], "CF": [], "LL": [], "RT": [], "FA": [], "GB": [], "GN": []
    },
    "method_name": ["get", "Servlet", "Info"]
}
"""


def build_shapes(source: str, compat: bool = False) -> dict[str, Any]:
    """Return the graph of each method of a file in the published format, by the method's name."""
    file = JavaFile(source.encode())
    method_trees = draw_method_trees(file, file.bodies)
    method_graphs = (build_compatible_graphs if compat else build_graphs)(
        file, file.bodies, method_trees
    )
    return {
        file.declarations.methods[method_index].name: build_shape(
            file, method_graphs, method_trees, index
        )
        for index, method_index in enumerate(file.bodies)
    }


def build_shape(file: JavaFile, method_graphs: Graphs, method_trees: Any, index: int) -> Any:
    method = file.declarations.methods[file.bodies[index]]
    nodes = slice(int(method_trees.offsets[index]), int(method_trees.offsets[index + 1]))
    tokens = file.tokens
    first, last = np.searchsorted(
        tokens.start, (file.syntax.start[method.node], file.syntax.end[method.node])
    ).tolist()
    return graph_to_json(
        (
            method_trees.label[nodes].tolist(),
            method_trees.parent[nodes].tolist(),
            method_trees.late[nodes].tolist(),
        ),
        [tokens.spelling(token) for token in range(first, last)],
        {kind: method_graphs.edges[kind][index] for kind in EDGES},
        method.name,
        method_graphs.own_tokens[index],
    )


def format_edges(method: Any, kind: str) -> str:
    """Return the edges of a kind as text.

    Tokens with the same spelling are numbered in order; a node of the tree is named by its label.
    """
    labels = method["node_labels"]
    node_names: list[str] = []
    count_by_label: dict[str, int] = {}
    for node, label in enumerate(labels):
        if node in method["backbone_sequence"]:
            count_by_label[label] = count_by_label.get(label, 0) + 1
            label = f"{label}{count_by_label[label]}"
        node_names.append(label)
    return ", ".join(
        f"{node_names[source]}-{node_names[target]}" for source, target in method["edges"][kind]
    )


def test_the_graph_printed_in_the_paper() -> None:
    source = 'class A { public String getServletInfo() { return "Login request processing"; } }'
    published = json.loads(PAPER)
    assert build_shapes(source, compat=True)["getServletInfo"] == published
    # By default the graph also has the edge of the return.
    published["edges"]["RT"] = [[19, 0]]
    method = build_shapes(source)["getServletInfo"]
    assert method == published
    assert list(method["edges"]) == list(KINDS)


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        ("int x = a; x = x + b;", "LU", "a2-a1, x2-x3, x3-x1, b2-b1"),
        ("int x = a; x = x + b;", "LW", "a2-a1, x2-x1, x3-x1, b2-b1"),
        # LL follows the order of the text; fields count if they have no qualifier.
        ("int x = a; x = x + f; f = this.f;", "LL", "a2-a1, x2-x1, x3-x2, f2-f1"),
        # In a loop, the last use may be the occurrence itself.
        ("while (p()) a++;", "LU", "a2-a1, a2-a2"),
        ("while (p()) a++;", "LW", "a2-a1, a2-a2"),
        ("int x; x = 1;", "LU", "x2-x1"),
        ("int x; x = 1;", "LW", ""),
        # Both copies of a finally block are the same tokens.
        ("try { p(); a = 1; } finally { g(a); }", "LU", "a2-a1, a3-a1, a3-a2"),
        ("int x = a + b;", "CF", "x1-a2, x1-b2"),
        ("a = b = f;", "CF", "a2-b2, a2-f1, b2-f1"),
        ("a += b; a++;", "CF", "a2-b2"),
        ("v[a] = b; v[a].c = b; this.f = b; p().f = b;", "CF", "v2-b2, v3-b3"),
        ("for (int x : v) g(x);", "CF", "x1-v2"),
        ("Object q = new T(a) { int n = b; };", "CF", "q1-a2, n1-b2"),
        ("R r = y -> y + a;", "CF", "r1-y2, r1-a2"),
        ("try (R r = g(a)) { }", "CF", "r1-a2"),
        (
            "if (p()) return; g(() -> { return; });",
            "RT",
            "RETURN1-METHOD, RETURN2-LAMBDA_EXPRESSION",
        ),
        ("new T() { int n() { return 1; } };", "RT", "RETURN1-METHOD"),
        ("m(b, a + 1, v, null);", "FA", "b2-a1, a2-b1, v2-v1"),
        ("g(a, b);", "FA", ""),
        ("class L { L(int... z) { } } new L(a, b);", "FA", "a2-z1, b2-z1"),
        (
            "class L { L(int z) { } L(int z, int w) { this(w); } } new L(a, b);",
            "FA",
            "w2-z1, a2-z2, b2-w1",
        ),
        ("if (a > 1) g(a, b); else g(b, a);", "GB", "a3-GREATER_THAN"),
        ("if (a > 1) g(a, b); else g(b, a);", "GN", "a4-GREATER_THAN"),
        ("while (a > 1) { a--; }", "GB", "a3-GREATER_THAN"),
        ("for (int i = 0; i < b; i++) g(i, a);", "GB", "i3-LESS_THAN, i4-LESS_THAN"),
        ("if ((p())) g(a);", "GB", ""),
        ("if (a > 1) { if (a < 9) g(a); }", "GB", "a3-GREATER_THAN, a4-GREATER_THAN, a4-LESS_THAN"),
        ("if (a > 1) { } else if (a < 9) g(a);", "GN", "a3-GREATER_THAN, a4-GREATER_THAN"),
        ("if (p(o) && o instanceof T t) g(t);", "GB", "t2-CONDITIONAL_AND"),
    ],
)
def test_default_edges(body: str, kind: str, expected: str) -> None:
    source = f"class A {{ int f; void m(int a, int b, int[] v, Object o) {{ {body} }} }}"
    assert format_edges(build_shapes(source)["m"], kind) == expected


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        # Edges go from the earlier to the later occurrence; the target of an assignment comes
        # before its right side; of all declarations, LU counts only parameters.
        ("int x = a; x = x + b;", "LU", "a1-a2, b1-b2, x2-x3"),
        ("int x = a; x = x + b;", "LW", "a1-a2, b1-b2, x1-x2, x1-x3"),
        ("String s = p(); s += a; g(s);", "LW", "a1-a2, s1-s2, s1-s3"),
        ("int s = p(); s += a; g(s);", "LW", "a1-a2, s1-s2, s2-s3"),
        ("try { p(); } catch (E e) { g(e); g(e); }", "LU", "e2-e3"),
        ("try { p(); } catch (E e) { g(e); g(e); }", "LW", ""),
        ("g(() -> a); new T() { int n(int z) { return z; } };", "LU", ""),
        # features-javac treats both branches of a constant condition as possible.
        ("while (true) { a = 1; } ", "LW", "a1-a2, a2-a2"),
        ("int x = a; x = x + f; f = this.f;", "LL", "a1-a2, x1-x2, x2-x3, f1-f2"),
        ("this.f = a; g(this);", "LL", "a1-a2, this1-this2"),
        ("v[a] = b; this.f = b; a += b;", "CF", "v2-b2, a2-b2, this1-b3"),
        ("a = b = f; R r = () -> { a = b; };", "CF", "a2-b2, a2-f1, r1-a3, r1-b3"),
        ("for (int x : v) g(x);", "CF", ""),
        ("return;", "RT", ""),
        ("class L { void n(int... z) { n(a, b); } }", "FA", "a2-z1"),
        (
            "if (a > 1) g(a, b); else g(this);",
            "GB",
            "IDENTIFIER-PARENTHESIZED, IDENTIFIER-PARENTHESIZED",
        ),
        ("if (a > 1) g(a, b); else g(this);", "GN", "IDENTIFIER-PARENTHESIZED"),
        ("while (a > 1) { a--; }", "GB", ""),
    ],
)
def test_edges_in_compatible_mode(body: str, kind: str, expected: str) -> None:
    source = f"class A {{ int f; void m(int a, int b, int[] v) {{ {body} }} }}"
    assert format_edges(build_shapes(source, compat=True)["m"], kind) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A { void m(int a) { g(a); } }", "a1-a2"),
        ("class A { A(int a) { g(a); } }", "a1-a2"),
        ("enum A { B; void m(int a) { g(a); } }", ""),
        ("interface A { default void m(int a) { g(a); } }", ""),
        ("record A() { void m(int a) { g(a); } }", ""),
        ("class O { class A { void m(int a) { g(a); } } }", ""),
    ],
)
def test_features_javac_follows_the_flow_only_in_top_level_classes(
    source: str, expected: str
) -> None:
    (method,) = build_shapes(source, compat=True).values()
    assert format_edges(method, "LU") == format_edges(method, "LW") == expected


def test_an_inner_method_is_in_both_graphs() -> None:
    source = (
        "class A { int m(int a) { return new T() { int n(int b) { if (b > 1) return b; return a; }"
        " }.k(a); } }"
    )
    shape_by_method = build_shapes(source)
    outer, inner = shape_by_method["m"], shape_by_method["n"]
    assert format_edges(inner, "LU") == "b2-b1, b3-b2"
    assert format_edges(inner, "GB") == "b3-GREATER_THAN"
    assert format_edges(inner, "RT") == "RETURN1-METHOD, RETURN2-METHOD"
    # A captured parameter has no last use inside the class; after it the outer flow continues.
    assert format_edges(outer, "LU") == "b2-b1, b3-b2, a3-a1"
    assert format_edges(outer, "LL") == "b2-b1, b3-b2, a2-a1, a3-a2"
    assert format_edges(outer, "RT") == "RETURN1-METHOD, RETURN2-METHOD, RETURN3-METHOD"
    return_targets = [edge[1] for edge in outer["edges"]["RT"]]
    assert return_targets[0] == 0
    assert return_targets[1] == return_targets[2] > 0


def test_an_inner_tree_is_part_of_its_outer_tree() -> None:
    """The node numbers of inner methods rely on this property."""
    file = JavaFile(
        b"class A { int m(int a) { for (;;) { try { new T() { @X int n(int... b) throws E { do {"
        b" b[0]++; } while (a > 1); return 1; } }; } catch (E e) { } } } }"
    )
    method_trees = draw_method_trees(file, file.bodies)
    outer, inner = (
        [LABELS[label] for label in method_trees.label[start:stop]]
        for start, stop in zip(method_trees.offsets[:-1], method_trees.offsets[1:], strict=True)
    )
    inner_start = outer.index("METHOD", 1)
    assert outer[inner_start : inner_start + len(inner)] == inner


def test_the_own_name_is_hidden() -> None:
    source = (
        "class A { int walkTree(int a) { walkTree(a); b.walkTree(1, 2); g(this::walkTree);"
        " walkTree = 1; } }"
    )
    default_shape = build_shapes(source)["walkTree"]
    labels = default_shape["node_labels"]
    assert labels.count("METH_PLACEHOLDER") == 4
    assert labels.count("walkTree") == 1  # a variable
    compatible_shape = build_shapes(source, compat=True)["walkTree"]
    assert compatible_shape["node_labels"].count("METH_PLACEHOLDER") == 1
    assert compatible_shape["node_labels"].count("walkTree") == 4
    assert default_shape["method_name"] == compatible_shape["method_name"] == ["walk", "Tree"]


def test_edges_connect_nodes_of_their_graph() -> None:
    source = (
        "class A { int f; A(int a) { this.f = a; } static int g(int a) { R r = b -> b + a; return"
        " a; } void h() { for (int i = f; i < f; i++) { if (i > f) h(); } } }"
    )
    for compat in (False, True):
        for method in build_shapes(source, compat).values():
            size = len(method["node_labels"])
            tokens = method["backbone_sequence"]
            assert tokens == list(range(size - len(tokens), size))
            for kind, pairs in method["edges"].items():
                assert all(0 <= end < size for pair in pairs for end in pair)
                if kind not in ("CH", "NT"):
                    assert pairs == sorted(pairs)
                    assert len(pairs) == len({tuple(pair) for pair in pairs})


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"class",
        b"class A { void m() { if (a",
        b"class A { void m() { x = ; for (int y : ) { } if () { } else { } } }",
        b"\xff\xfe\x00",
        b"class A { void () { return } }",
        b"class A { void m(int) { m(1, ; new (x) } A( { this(1) } }",
    ],
)
def test_broken_source_raises_no_error(source: bytes) -> None:
    file = JavaFile(source)
    method_trees = draw_method_trees(file, file.bodies)
    for build in (build_graphs, build_compatible_graphs):
        assert set(build(file, file.bodies, method_trees).edges) == set(EDGES)


@pytest.mark.parametrize(
    "body",
    [
        b"if (x > 1) {" * 2_000 + b"x++;" + b"}" * 2_000,
        b"x = " * 5_000 + b"x;",
        b"m(" * 5_000 + b"x" + b")" * 5_000 + b";",
        b"if (x == 1) { } else " * 2_000 + b"x++;",
        b"if (" + b" && ".join([b"x > 1"] * 5_000) + b") { " + b"x++;" * 5_000 + b" }",
    ],
)
def test_the_number_of_edges_is_bounded(body: bytes) -> None:
    """Without a limit, each of these methods would have millions of edges."""
    file = JavaFile(b"class A { int m(int x) { " + body + b" } }")
    method_trees = draw_method_trees(file, file.bodies)
    method_graphs = build_graphs(file, file.bodies, method_trees)
    assert sum(len(method_graphs.edges[kind].values) for kind in EDGES) < 200 * len(file.tokens)
