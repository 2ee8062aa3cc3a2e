"""Tests of graphs of texts: equal to those of the graph view, truncated, masked, and of text that
is no method."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.neural.inputs.graph import EDGE_KINDS, Graph, build_graph, split_token
from codeacumen.views.ast import LABELS, draw_method_trees
from codeacumen.views.graph import EDGES, build_graphs, graph_to_json
from models.neural.small_networks import list_methods

METHOD = """int METHOD_NAME(int a, String... rest) {
    int sum = a;
    for (String one : rest) {
        if (one != null && sum > 0) { sum += one.length(); } else { sum = helper(sum, "not yet"); }
    }
    return sum;
}"""
# A method whose body is filled with a hundred statements, one of which may be masked.
LONG = "int f(int a, int b) {{ {} return a; }}"


def build_full_graph(text: str, **options: bool) -> Graph:
    graph = build_graph(text, 1_000_000, **options)
    assert graph is not None
    return graph


def list_edges(graph: Graph) -> set[tuple[str, int, int]]:
    columns = zip(graph.edges.tolist(), graph.sources.tolist(), graph.sinks.tolist(), strict=True)
    return {(EDGE_KINDS[kind], source, sink) for kind, source, sink in columns}


def assert_is_valid(graph: Graph) -> None:
    count = len(graph.kinds)
    assert len(graph.sizes) == count > 0
    assert sum(graph.sizes) == len(graph.words)
    assert len(graph.sources) == len(graph.sinks) == len(graph.edges)
    for ends in (graph.sources, graph.sinks):
        assert ((ends >= 0) & (ends < count)).all()
    assert ((graph.edges >= 0) & (graph.edges < len(EDGE_KINDS))).all()


def count_components(graph: Graph) -> int:
    weights, count = np.ones(len(graph.edges)), len(graph.kinds)
    adjacency = coo_matrix((weights, (graph.sources, graph.sinks)), shape=(count, count))
    return int(connected_components(adjacency, directed=False)[0])


def test_edges_equal_those_of_the_published_graph() -> None:
    """Oracle: the JSON of the graph view."""
    for text in (METHOD, *(text for text, _ in list_methods()[:60])):
        assert_equals_published_graph(text)


def assert_equals_published_graph(text: str) -> None:
    file = JavaFile(f"class T {{{text}\n}}".encode())
    body = min(file.bodies, key=lambda body: file.declarations.methods[body].node)
    tree = draw_method_trees(file, [body])
    view_graphs = build_graphs(file, [body], tree)
    node = file.declarations.methods[body].node
    start, end = file.syntax.start[node], file.syntax.end[node]
    spelled = [
        file.tokens.spelling(token)
        for token in range(len(file.tokens))
        if start <= file.tokens.start[token] < end
    ]
    columns = (tree.label.tolist(), tree.parent.tolist(), tree.late.tolist())
    edges = {kind: view_graphs.edges[kind][0] for kind in EDGES}
    published = graph_to_json(columns, spelled, edges, "", ())
    assert isinstance(published, dict)
    expected = {(kind, *pair) for kind, pairs in published["edges"].items() for pair in pairs}
    ours = build_full_graph(text)
    assert_is_valid(ours)
    assert {row for row in list_edges(ours) if row[0] != "TK"} == expected
    assert ours.kinds[: len(tree.label)] == [LABELS[label] for label in tree.label]
    assert len(ours.kinds) == len(tree.label) + len(spelled)


def test_token_is_linked_to_the_lowest_enclosing_node() -> None:
    graph = build_full_graph("int METHOD_NAME(int a) { return a + 1; }")
    links = {sink: graph.kinds[source] for kind, source, sink in list_edges(graph) if kind == "TK"}
    first = graph.kinds.index("token INT")
    parents = [
        (kind.removeprefix("token "), links[first + at])
        for at, kind in enumerate(graph.kinds[first:])
    ]
    assert parents == [
        ("INT", "PRIMITIVE_TYPE_KIND"),
        ("IDENTIFIER", "NAME"),
        ("LPAREN", "PARAMETERS"),
        ("INT", "PRIMITIVE_TYPE_KIND"),
        ("IDENTIFIER", "NAME"),
        ("RPAREN", "PARAMETERS"),
        ("LBRACE", "STATEMENTS"),
        ("RETURN", "RETURN"),
        ("IDENTIFIER", "NAME"),
        ("PLUS", "PLUS"),
        ("INTLITERAL", "VALUE"),
        ("SEMI", "RETURN"),
        ("RBRACE", "STATEMENTS"),
    ]
    assert count_components(graph) == 1


def test_only_names_and_literals_have_words() -> None:
    graph = build_full_graph(METHOD)
    ends = np.cumsum(graph.sizes)
    words_of_nodes = [
        (kind, tuple(graph.words[end - size : end]))
        for kind, size, end in zip(graph.kinds, graph.sizes, ends, strict=True)
        if size
    ]
    assert ("token IDENTIFIER", ("METHOD_NAME",)) in words_of_nodes
    assert ("token STRINGLITERAL", ("not", "yet")) in words_of_nodes
    assert {kind for kind, _ in words_of_nodes} == {
        "token IDENTIFIER",
        "token STRINGLITERAL",
        "token INTLITERAL",
    }
    assert split_token("toHTMLPage") == ("to", "html", "page")
    assert split_token("toHTMLPage", is_lowercase=False) == ("to", "HTML", "Page")
    assert split_token("_") == ("_",)
    assert split_token("1.5") == ("1.5",)
    assert len(split_token("a_" * 500)) == 10


def test_masked_operator_is_operation_of_its_own_kind() -> None:
    graph = build_full_graph("boolean f() { return a.b <MASK> (c); }", hides_operator=True)
    assert graph.kinds.count("MASK") == graph.kinds.count("token MASK") == 1
    assert graph.kinds.count("METHOD") == 1
    assert not {"EQUAL_TO", "ERRONEOUS"} & set(graph.kinds)


def test_masked_assignment_before_another_is_parsed() -> None:
    """``a == b = c`` is not valid Java: only an assignment can stand there."""
    graph = build_full_graph("void f() { a <MASK> b = c; }", hides_operator=True)
    assert graph.kinds.count("MASK") == 1
    assert graph.kinds.count("ASSIGNMENT") == 1
    assert "ERRONEOUS" not in graph.kinds


def test_masked_call_is_parsed_as_call() -> None:
    graph = build_full_graph("void f() { x.<MASK>(1); }")
    assert graph.kinds.count("METHOD_INVOCATION") == 1
    assert graph.words.count("<MASK>") == 1
    assert "ERRONEOUS" not in graph.kinds


def test_large_graph_is_truncated_to_its_first_tokens() -> None:
    text = LONG.format("a = b + g(a, b); " * 100)
    full = build_full_graph(text)
    count = sum(not kind.startswith("token ") for kind in full.kinds)
    for limit in (17, 100, 500):
        cut = build_graph(text, limit)
        assert cut is not None
        assert_is_valid(cut)
        assert 0.8 * limit < len(cut.kinds) <= limit
        assert cut.kinds[0] == "METHOD"
        assert count_components(cut) == 1
        tokens = [kind for kind in cut.kinds if kind.startswith("token ")]
        assert tokens == full.kinds[count : count + len(tokens)]
        # The edges between kept tokens, and no others.
        tree = len(cut.kinds) - len(tokens)
        between = {
            (kind, source - count, sink - count)
            for kind, source, sink in list_edges(full)
            if min(source, sink) >= count and max(source, sink) < count + len(tokens)
        }
        assert between == {
            (kind, source - tree, sink - tree)
            for kind, source, sink in list_edges(cut)
            if min(source, sink) >= tree
        }
        links = [row for row in list_edges(cut) if row[0] == "TK"]
        assert len(links) == len(tokens)


@pytest.mark.parametrize("place", [0, 3, 50, 99])
@pytest.mark.parametrize("operator", [True, False])
def test_mask_is_never_truncated(place: int, operator: bool) -> None:
    statements = ["a = b + g(a, b); "] * 100
    old, new = ("b + g", "b <MASK> g") if operator else (" g(", " <MASK>(")
    statements[place] = statements[place].replace(old, new)
    cut = build_graph(LONG.format("".join(statements)), 80, hides_operator=operator)
    assert cut is not None
    assert_is_valid(cut)
    assert len(cut.kinds) <= 80
    assert count_components(cut) == 1
    assert cut.kinds.count("token MASK") == operator
    assert cut.words.count("<MASK>") == (not operator)


def test_truncation_is_centred_on_the_mask() -> None:
    statements = ["g(); "] * 200
    statements[100] = "<MASK>(); "
    cut = build_graph(LONG.format("".join(statements)), 100)
    assert cut is not None
    before = cut.words[: cut.words.index("<MASK>")]
    after = cut.words[cut.words.index("<MASK>") + 1 :]
    assert abs(before.count("g") - after.count("g")) <= 1
    assert before.count("g") > 2


def test_deeply_nested_method_is_read_as_tokens() -> None:
    deep = "int f() { return " + "(" * 3000 + "1" + ")" * 3000 + "; }"
    graph = build_graph(deep, 300)
    assert graph is not None
    assert_is_valid(graph)
    assert len(graph.kinds) <= 300


def test_single_name_is_one_token() -> None:
    graph = build_graph("getFileName", 10)
    assert graph is not None
    assert graph.kinds == ["token IDENTIFIER"]
    assert graph.words == ["get", "file", "name"]
    assert len(graph.edges) == 0


@pytest.mark.parametrize("text", ["", "  \n", "// nothing", "/* nothing */"])
def test_empty_text_has_no_graph(text: str) -> None:
    assert build_graph(text, 10) is None


def test_broken_text_is_read_as_tokens() -> None:
    text = "int f( { x = (((; } ) else } } ]] new A() { void g() { } }" + " + ] )" * 40
    graph = build_graph(text, 500)
    assert graph is not None
    assert all(kind.startswith("token ") for kind in graph.kinds)
    assert {kind for kind, _, _ in list_edges(graph)} == {"NT"}


def test_constructors_and_abstract_methods_have_graphs() -> None:
    assert build_full_graph("public METHOD_NAME(int x) { this.x = x; }").kinds[0] == "METHOD"
    assert build_full_graph("abstract int METHOD_NAME(int x);").kinds[0] == "METHOD"


def test_any_text_is_supported() -> None:
    rng = random.Random(7)
    texts = [
        "\ud800 int \U0001f600 x() {}",
        "<MASK>",
        "<MASK><MASK> <MASK>",
        "}}}}",
        "\0",
        "'''\"",
        "int f(){return a <MASK> <MASK> b;}",
        "é" * 50,
        "x" * 300_000,
        "{" * 2000,
    ]
    for _ in range(60):
        text = list(rng.choice([METHOD, LONG.format("a <MASK> b(); " * 3)]))
        for _ in range(rng.randint(1, 30)):
            position = rng.randrange(len(text))
            text[position : position + rng.randint(0, 4)] = rng.choice("(){};<>\"'\\/*@.=é\n")
        texts.append("".join(text))
    for text in texts:
        for operator in (False, True):
            graph = build_graph(text, 150, hides_operator=operator)
            if graph is not None:
                assert_is_valid(graph)
                assert len(graph.kinds) <= 150
