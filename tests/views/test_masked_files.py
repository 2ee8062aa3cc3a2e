"""Files with something hidden. The oracle is the parser: where the source that remains is Java, a
fresh parse of it must give the very nodes that were moved; and no view may tell twelve operators
apart."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from codeacumen.languages.java.measures.operators import OPERATORS, operators
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.masking.files import (
    MASKED,
    MASKED_CALL,
    Edit,
    applied,
    call_edits,
    edited,
    moved,
    name_edits,
    of_method,
    without_operator,
)
from corpora import VIEWS
from support import ROOT, is_thorough

FILES = sorted((ROOT / "examples" / "quill").rglob("*.java"))


@lru_cache
def view_of(name: str) -> Any:
    return make_view(name)


def shown(file: JavaFile, place: int) -> dict[str, str]:
    """All that can be seen of a method, in every view and as every tool would give it."""
    method = file.declarations.methods[place]
    row = {"name": method.name, "text": file.syntax.text(method.node)}
    alone, seeds = of_method(file, place), np.zeros(1, dtype=np.uint64)
    found: dict[str, Any] = {}
    for name in VIEWS:
        view = view_of(name)
        rows = {
            table.name: {key: lists[0] for key, lists in table.columns(alone, seeds).items()}
            for table in view.tables
        }
        found[name] = view.value(row, rows)
        for compat in view.compats:
            found[f"{name} as {compat}"] = view.compatible(compat, file, place)
    return {name: json.dumps(value) for name, value in found.items()}


def same_nodes(one: JavaFile, two: JavaFile) -> bool:
    return all(
        np.array_equal(getattr(one.syntax, column), getattr(two.syntax, column))
        for column in ("kind", "field", "start", "end", "parent", "stop")
    )


def test_places_move_with_the_text_before_them() -> None:
    source = b"ab cde f ghij"
    edits = [Edit(0, 2, b"x"), Edit(3, 6, b"longer"), Edit(9, 13, b"")]
    assert applied(source, edits) == b"x longer f "
    offsets = np.arange(len(source) + 1, dtype=np.int32)
    # What was inside of an edit is at its end.
    assert moved(offsets, edits).tolist() == [0, 1, 1, 2, 8, 8, 8, 9, 10, 11, 11, 11, 11, 11]
    assert moved(offsets, []).tolist() == offsets.tolist()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_without_a_name_the_nodes_are_those_of_a_fresh_parse(path: Any) -> None:
    file = JavaFile(path.read_bytes())
    for name in {method.name for method in file.declarations.methods}:
        hidden = edited(file, name_edits(file, name))
        assert same_nodes(hidden, JavaFile(hidden.source)), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_without_a_call_the_nodes_are_those_of_a_fresh_parse(path: Any) -> None:
    file = JavaFile(path.read_bytes())
    source = file.source
    every = 3 if is_thorough() else 9
    for i in range(len(file.tokens) - 1):
        start, end = int(file.tokens.start[i]), int(file.tokens.end[i])
        after = file.tokens.text(i + 1)
        if after != "(" or not source[start:end].decode().isidentifier() or i % every:
            continue
        try:
            hidden = edited(file, call_edits(file, start))
        except ValueError:
            continue  # a word of the language: if (
        assert hidden.source == source[:start] + MASKED_CALL.encode() + source[end:]
        assert same_nodes(hidden, JavaFile(hidden.source))


def test_a_method_alone_has_the_views_that_it_has_among_others() -> None:
    file = JavaFile(FILES[0].read_bytes())
    seeds = np.arange(len(file.bodies), dtype=np.uint64)
    for at, place in enumerate(file.bodies):
        alone = of_method(file, place)
        for name in VIEWS:
            for table in view_of(name).tables:
                whole = table.columns(file, seeds)
                part = table.columns(alone, seeds[at : at + 1])
                assert {key: lists[at] for key, lists in whole.items()} == {
                    key: lists[0] for key, lists in part.items()
                }, table.name


# --------------------------------------------------------------------------------------
# Operators.
# --------------------------------------------------------------------------------------

# The same place in the same structure; ``@`` is the operator.
PLACES = (
    "if (ok) g((a@b), a);",
    "while ((a @ b)) { a++; }",
    "x = c * (a @ b) + (a) - b;",
    "f(-(a[1] @ b.c));",
    "if (ok && (a @ b)) { a = 1; } else b = 2;",
    "for (int i = 0; (i @ b); i++) { a(b); }",
    "g(v -> (v @ b));",
    's = "x" + (s @ "y");',
    "return (a /* @ */ @ /* = */ b);",
    "do { if (a) return (a @ this.x); } while (b);",
    "int d = (a @ b), e = (d);",
    "g(new T[] {(a @ b)}, o ? (p) : q);",
    "switch ((a @ b)) { default: a = b; }",
)
HEAD, TAIL = "class T { int x; int f(int a, int b) { ", " return 1; } int g() { return x + 1; } }"


def hidden_operator(place: str, operator: str) -> JavaFile:
    before, after = place.rsplit("@", 1) if "/*" not in place else place.split("@ /* =", 1)
    after = after if "/*" not in place else f" /* ={after}"
    file = JavaFile(f"{HEAD}{before}{operator}{after}{TAIL}".encode())
    assert not file.syntax.broken
    return without_operator(file, len((HEAD + before).encode()))


@pytest.mark.parametrize("place", PLACES)
def test_no_view_tells_one_operator_from_another(place: str) -> None:
    """But the edges of the graph, which stay: there an assignment writes."""
    seen: dict[str, set[str]] = {}
    nodes: set[bytes] = set()
    for operator in OPERATORS:
        file = hidden_operator(place, operator)
        nodes.add(b"".join(c.tobytes() for c in (file.syntax.kind, file.syntax.start)))
        nodes.add(file.source if "/*" not in place else b"")
        for name, value in shown(file, 0).items():
            if name.startswith("graph"):
                value = json.dumps({**json.loads(value), "edges": ""})
            seen.setdefault(name, set()).add(value)
        assert file.source.count(MASKED.encode()) == 1
    assert len(nodes) == 2  # the nodes, and the source
    assert {name: len(values) for name, values in seen.items()} == dict.fromkeys(seen, 1)
    (tokens,), (labels,), (paths,) = seen["tokens"], seen["ast"], seen["code2seq"]
    assert json.loads(tokens).count("MASK") == 1
    assert json.loads(labels)["ast_labels"].count("MASK") == 1
    assert "|Mask" in paths


def test_the_kinds_of_a_hidden_operation() -> None:
    found = shown(hidden_operator("x = (a @ b);", "="), 0)
    labels = json.loads(found["ast"])["ast_labels"]
    at = labels.index("MASK")
    assert labels[at : at + 7] == [
        "MASK",
        "LEFT_OPERAND",
        "IDENTIFIER",
        "NAME",
        "RIGHT_OPERAND",
        "IDENTIFIER",
        "NAME",
    ]
    assert "a,Nm0|Mask|Nm1,b" in json.loads(found["code2seq"])


def test_the_graph_keeps_its_edges() -> None:
    """In the file that is hidden, nothing would write a; and the condition would be no node."""
    text = f"{HEAD}if (a < b) {{ a = b; f(a); }}{TAIL}"
    plain = JavaFile(text.encode())
    for sign in ("<", "= b;"):
        hidden = without_operator(plain, text.index(sign))
        for name in ("graph", "graph as features-javac"):
            before, after = (json.loads(shown(one, 0)[name])["edges"] for one in (plain, hidden))
            assert before == after, name
            assert after["LW"] if name == "graph" else after["CF"]
            assert after["GB"]


def test_all_operators_of_an_example_are_hidden() -> None:
    count = 0
    for path in FILES:
        file = JavaFile(path.read_bytes())
        found = operators(file)
        for place, node in zip(found.method.tolist(), found.node.tolist(), strict=True):
            start, end = int(file.syntax.start[node]), int(file.syntax.end[node])
            hidden = without_operator(file, start)
            assert hidden.source == file.source[:start] + b"<MASK>" + file.source[end:]
            spelt = [hidden.tokens.spelling(i) for i in range(len(hidden.tokens))]
            # Only that token is another one.
            before = [file.tokens.spelling(i) for i in range(len(file.tokens))]
            token = spelt.index("MASK")
            assert spelt[:token] + spelt[token + 1 :] == before[:token] + before[token + 1 :]
            count += 1
            assert place in file.bodies
            break
    assert count > 10


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("class T { int f() { return -a; } }", 27),  # a sign
        ("class T { int a = 1; }", 16),  # of a declaration
        ("class T { }", 0),
        ("class T { }", 99),
        ("class T { int f() { return a + b; } }", 28),  # not where it begins
        ("", 0),
    ],
)
def test_where_no_operator_is_nothing_is_hidden(text: str, start: int) -> None:
    with pytest.raises(ValueError, match="no operator"):
        without_operator(JavaFile(text.encode()), start)
    with pytest.raises(ValueError, match="no call"):
        call_edits(JavaFile(b"class T { }"), start + 1)


# --------------------------------------------------------------------------------------
# Any bytes.
# --------------------------------------------------------------------------------------

ODD = {
    "nothing": b"",
    "no Java": b"\xff\xfe walk( \x00 /* walk",
    "a name cut off": b"class T { void walk() { walk(",
    "an open string": b'class T { void walk() { log("walk',
    "broken": b'class T { void walk() { if ( walk(1); log("walk"; } int b() { walk(); } }',
    "escapes": rb"class T { void walk() { w\u0061lk(); \u0077alk = 1; /* \u0077alk \u00 */ } }",
    "deep": b"class T { void walk() { x = " + b"(" * 10_000 + b"walk()" + b")" * 10_000 + b"; } }",
    "old line ends": b"class T {\r void walk() {\r\n // walk\r walk();\r }\r}",
}


@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_any_file_can_be_hidden_in(source: bytes) -> None:
    file = JavaFile(source)
    hidden = edited(file, name_edits(file, "walk"))
    assert b"walk()" not in hidden.source
    assert len(hidden.syntax) == len(file.syntax)
    assert len(hidden.declarations.methods) == len(file.declarations.methods)
    assert (hidden.syntax.start <= hidden.syntax.end).all()
    assert hidden.syntax.end.max() <= len(hidden.source)
    for place in hidden.bodies:
        shown(hidden, place)


def test_nothing_to_hide_changes_nothing() -> None:
    file = JavaFile(FILES[0].read_bytes())
    assert same_nodes(edited(file, []), file)
    assert edited(file, name_edits(file, "noSuchName")).source == file.source
