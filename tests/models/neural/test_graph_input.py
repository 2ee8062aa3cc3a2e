"""Graphs of texts: those of the graph view, whole, cut, masked, and of what is no method."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.neural.inputs.graph import EDGE_KINDS, Graph, graph_of, words_of
from codeacumen.views.ast import LABELS, trees
from codeacumen.views.graph import EDGES, graphs, shape
from models.neural.checks import methods

METHOD = """int METHOD_NAME(int a, String... rest) {
    int sum = a;
    for (String one : rest) {
        if (one != null && sum > 0) { sum += one.length(); } else { sum = helper(sum, "not yet"); }
    }
    return sum;
}"""
# A hundred statements, and the place of one of them to be masked.
LONG = "int f(int a, int b) {{ {} return a; }}"


def _whole(text: str, **how: bool) -> Graph:
    found = graph_of(text, 1_000_000, **how)
    assert found is not None
    return found


def _rows(graph: Graph) -> set[tuple[str, int, int]]:
    columns = zip(graph.edges.tolist(), graph.sources.tolist(), graph.sinks.tolist(), strict=True)
    return {(EDGE_KINDS[kind], source, sink) for kind, source, sink in columns}


def _is_sound(graph: Graph) -> None:
    count = len(graph.kinds)
    assert len(graph.sizes) == count > 0
    assert sum(graph.sizes) == len(graph.words)
    assert len(graph.sources) == len(graph.sinks) == len(graph.edges)
    for ends in (graph.sources, graph.sinks):
        assert ((ends >= 0) & (ends < count)).all()
    assert ((graph.edges >= 0) & (graph.edges < len(EDGE_KINDS))).all()


def _pieces(graph: Graph) -> int:
    ones, count = np.ones(len(graph.edges)), len(graph.kinds)
    drawn = coo_matrix((ones, (graph.sources, graph.sinks)), shape=(count, count))
    return int(connected_components(drawn, directed=False)[0])


def test_edges_are_those_of_the_published_graph() -> None:
    """Oracle: the JSON of the graph view."""
    for text in (METHOD, *(text for text, _ in methods()[:60])):
        _is_published(text)


def _is_published(text: str) -> None:
    file = JavaFile(f"class T {{{text}\n}}".encode())
    place = min(file.bodies, key=lambda place: file.declarations.methods[place].node)
    tree = trees(file, [place])
    found = graphs(file, [place], tree)
    node = file.declarations.methods[place].node
    start, end = file.syntax.start[node], file.syntax.end[node]
    spelled = [
        file.tokens.spelling(at)
        for at in range(len(file.tokens))
        if start <= file.tokens.start[at] < end
    ]
    columns = (tree.label.tolist(), tree.parent.tolist(), tree.late.tolist())
    edges = {kind: found.edges[kind][0] for kind in EDGES}
    published = shape(columns, spelled, edges, "", ())
    assert isinstance(published, dict)
    wanted = {(kind, *pair) for kind, pairs in published["edges"].items() for pair in pairs}
    ours = _whole(text)
    _is_sound(ours)
    assert {row for row in _rows(ours) if row[0] != "TK"} == wanted
    assert ours.kinds[: len(tree.label)] == [LABELS[one] for one in tree.label]
    assert len(ours.kinds) == len(tree.label) + len(spelled)


def test_every_token_hangs_on_the_lowest_node_around_it() -> None:
    graph = _whole("int METHOD_NAME(int a) { return a + 1; }")
    links = {sink: graph.kinds[source] for kind, source, sink in _rows(graph) if kind == "TK"}
    first = graph.kinds.index("token INT")
    told = [
        (kind.removeprefix("token "), links[first + at])
        for at, kind in enumerate(graph.kinds[first:])
    ]
    assert told == [
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
    assert _pieces(graph) == 1


def test_names_and_literals_have_words_and_nothing_else_has() -> None:
    graph = _whole(METHOD)
    ends = np.cumsum(graph.sizes)
    said = [
        (kind, tuple(graph.words[end - size : end]))
        for kind, size, end in zip(graph.kinds, graph.sizes, ends, strict=True)
        if size
    ]
    assert ("token IDENTIFIER", ("METHOD_NAME",)) in said
    assert ("token STRINGLITERAL", ("not", "yet")) in said
    assert {kind for kind, _ in said} == {
        "token IDENTIFIER",
        "token STRINGLITERAL",
        "token INTLITERAL",
    }
    assert words_of("toHTMLPage") == ("to", "html", "page")
    assert words_of("toHTMLPage", lower=False) == ("to", "HTML", "Page")
    assert words_of("_") == ("_",)
    assert words_of("1.5") == ("1.5",)
    assert len(words_of("a_" * 500)) == 10


def test_a_hidden_operator_is_an_operation_of_its_own_kind() -> None:
    graph = _whole("boolean f() { return a.b <MASK> (c); }", operator=True)
    assert graph.kinds.count("MASK") == graph.kinds.count("token MASK") == 1
    assert graph.kinds.count("METHOD") == 1
    assert not {"EQUAL_TO", "ERRONEOUS"} & set(graph.kinds)


def test_a_hidden_assignment_before_another_is_read() -> None:
    """``a == b = c`` is no Java: there, only an assignment can stand."""
    graph = _whole("void f() { a <MASK> b = c; }", operator=True)
    assert graph.kinds.count("MASK") == 1
    assert graph.kinds.count("ASSIGNMENT") == 1
    assert "ERRONEOUS" not in graph.kinds


def test_a_hidden_call_is_a_call() -> None:
    graph = _whole("void f() { x.<MASK>(1); }")
    assert graph.kinds.count("METHOD_INVOCATION") == 1
    assert graph.words.count("<MASK>") == 1
    assert "ERRONEOUS" not in graph.kinds


def test_too_large_a_graph_is_cut_to_its_first_tokens() -> None:
    text = LONG.format("a = b + g(a, b); " * 100)
    whole = _whole(text)
    count = sum(not kind.startswith("token ") for kind in whole.kinds)
    for most in (17, 100, 500):
        cut = graph_of(text, most)
        assert cut is not None
        _is_sound(cut)
        assert 0.8 * most < len(cut.kinds) <= most
        assert cut.kinds[0] == "METHOD"
        assert _pieces(cut) == 1
        tokens = [kind for kind in cut.kinds if kind.startswith("token ")]
        assert tokens == whole.kinds[count : count + len(tokens)]
        # Every edge between two tokens that are kept, and no other.
        tree = len(cut.kinds) - len(tokens)
        between = {
            (kind, source - count, sink - count)
            for kind, source, sink in _rows(whole)
            if min(source, sink) >= count and max(source, sink) < count + len(tokens)
        }
        assert between == {
            (kind, source - tree, sink - tree)
            for kind, source, sink in _rows(cut)
            if min(source, sink) >= tree
        }
        links = [row for row in _rows(cut) if row[0] == "TK"]
        assert len(links) == len(tokens)


@pytest.mark.parametrize("place", [0, 3, 50, 99])
@pytest.mark.parametrize("operator", [True, False])
def test_the_mask_is_never_cut_off(place: int, operator: bool) -> None:
    statements = ["a = b + g(a, b); "] * 100
    old, new = ("b + g", "b <MASK> g") if operator else (" g(", " <MASK>(")
    statements[place] = statements[place].replace(old, new)
    cut = graph_of(LONG.format("".join(statements)), 80, operator=operator)
    assert cut is not None
    _is_sound(cut)
    assert len(cut.kinds) <= 80
    assert _pieces(cut) == 1
    assert cut.kinds.count("token MASK") == operator
    assert cut.words.count("<MASK>") == (not operator)


def test_the_cut_around_a_mask_has_the_same_on_both_sides() -> None:
    statements = ["g(); "] * 200
    statements[100] = "<MASK>(); "
    cut = graph_of(LONG.format("".join(statements)), 100)
    assert cut is not None
    before = cut.words[: cut.words.index("<MASK>")]
    after = cut.words[cut.words.index("<MASK>") + 1 :]
    assert abs(before.count("g") - after.count("g")) <= 1
    assert before.count("g") > 2


def test_a_method_that_is_all_depth_is_read_as_tokens() -> None:
    deep = "int f() { return " + "(" * 3000 + "1" + ")" * 3000 + "; }"
    found = graph_of(deep, 300)
    assert found is not None
    _is_sound(found)
    assert len(found.kinds) <= 300


def test_a_name_alone_is_one_token() -> None:
    found = graph_of("getFileName", 10)
    assert found is not None
    assert found.kinds == ["token IDENTIFIER"]
    assert found.words == ["get", "file", "name"]
    assert len(found.edges) == 0


@pytest.mark.parametrize("text", ["", "  \n", "// nothing", "/* nothing */"])
def test_nothing_is_none(text: str) -> None:
    assert graph_of(text, 10) is None


def test_a_broken_text_is_its_tokens_not_a_part_that_happens_to_parse() -> None:
    text = "int f( { x = (((; } ) else } } ]] new A() { void g() { } }" + " + ] )" * 40
    found = graph_of(text, 500)
    assert found is not None
    assert all(kind.startswith("token ") for kind in found.kinds)
    assert {kind for kind, _, _ in _rows(found)} == {"NT"}


def test_constructors_and_methods_without_a_body_are_graphs_too() -> None:
    assert _whole("public METHOD_NAME(int x) { this.x = x; }").kinds[0] == "METHOD"
    assert _whole("abstract int METHOD_NAME(int x);").kinds[0] == "METHOD"


def test_any_text_is_read() -> None:
    draw = random.Random(7)
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
        text = list(draw.choice([METHOD, LONG.format("a <MASK> b(); " * 3)]))
        for _ in range(draw.randint(1, 30)):
            place = draw.randrange(len(text))
            text[place : place + draw.randint(0, 4)] = draw.choice("(){};<>\"'\\/*@.=é\n")
        texts.append("".join(text))
    for text in texts:
        for operator in (False, True):
            found = graph_of(text, 150, operator=operator)
            if found is not None:
                _is_sound(found)
                assert len(found.kinds) <= 150
