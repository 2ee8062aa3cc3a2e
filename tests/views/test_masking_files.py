"""Tests of files with a hidden name, call or operator.

The oracle is the parser: where the remaining source is valid Java, its nodes must equal the moved
nodes. No view may distinguish the twelve operators.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from codeacumen.languages.java.measures.operators import OPERATORS, find_operators
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.masking.files import (
    MASKED,
    MASKED_CALL,
    Edit,
    apply_edits,
    call_edits,
    edit_file,
    map_offsets,
    name_edits,
    restrict_to_method,
    without_operator,
)
from corpora import VIEWS
from support import ROOT, is_thorough

FILES = sorted((ROOT / "examples" / "quill").rglob("*.java"))


@lru_cache
def load_view(name: str) -> Any:
    return make_view(name)


def render_views(file: JavaFile, method_index: int) -> dict[str, str]:
    """Return the values of a method in all views and in the formats of all tools."""
    method = file.declarations.methods[method_index]
    row = {"name": method.name, "text": file.syntax.text(method.node)}
    single_method, seeds = restrict_to_method(file, method_index), np.zeros(1, dtype=np.uint64)
    rendered: dict[str, Any] = {}
    for name in VIEWS:
        view = load_view(name)
        rows = {
            table.name: {
                key: lists[0] for key, lists in table.columns(single_method, seeds).items()
            }
            for table in view.tables
        }
        rendered[name] = view.value(row, rows)
        for compat in view.compats:
            rendered[f"{name} as {compat}"] = view.compatible(compat, file, method_index)
    return {name: json.dumps(value) for name, value in rendered.items()}


def have_same_nodes(first: JavaFile, second: JavaFile) -> bool:
    return all(
        np.array_equal(getattr(first.syntax, column), getattr(second.syntax, column))
        for column in ("kind", "field", "start", "end", "parent", "stop")
    )


def test_positions_move_with_the_text_before_them() -> None:
    source = b"ab cde f ghij"
    edits = [Edit(0, 2, b"x"), Edit(3, 6, b"longer"), Edit(9, 13, b"")]
    assert apply_edits(source, edits) == b"x longer f "
    offsets = np.arange(len(source) + 1, dtype=np.int32)
    # Positions inside an edit move to its end.
    assert map_offsets(offsets, edits).tolist() == [0, 1, 1, 2, 8, 8, 8, 9, 10, 11, 11, 11, 11, 11]
    assert map_offsets(offsets, []).tolist() == offsets.tolist()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nodes_without_a_name_agree_with_a_fresh_parse(path: Any) -> None:
    file = JavaFile(path.read_bytes())
    for name in {method.name for method in file.declarations.methods}:
        hidden = edit_file(file, name_edits(file, name))
        assert have_same_nodes(hidden, JavaFile(hidden.source)), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nodes_without_a_call_agree_with_a_fresh_parse(path: Any) -> None:
    file = JavaFile(path.read_bytes())
    source = file.source
    step = 3 if is_thorough() else 9
    for index in range(len(file.tokens) - 1):
        start, end = int(file.tokens.start[index]), int(file.tokens.end[index])
        next_token = file.tokens.text(index + 1)
        if next_token != "(" or not source[start:end].decode().isidentifier() or index % step:
            continue
        try:
            hidden = edit_file(file, call_edits(file, start))
        except ValueError:
            continue  # a keyword, as in: if (
        assert hidden.source == source[:start] + MASKED_CALL.encode() + source[end:]
        assert have_same_nodes(hidden, JavaFile(hidden.source))


def test_views_of_a_single_method_agree_with_those_in_its_file() -> None:
    file = JavaFile(FILES[0].read_bytes())
    seeds = np.arange(len(file.bodies), dtype=np.uint64)
    for index, method_index in enumerate(file.bodies):
        single_method = restrict_to_method(file, method_index)
        for name in VIEWS:
            for table in load_view(name).tables:
                file_columns = table.columns(file, seeds)
                method_columns = table.columns(single_method, seeds[index : index + 1])
                assert {key: lists[index] for key, lists in file_columns.items()} == {
                    key: lists[0] for key, lists in method_columns.items()
                }, table.name


# --------------------------------------------------------------------------------------
# Operators.
# --------------------------------------------------------------------------------------

# Positions of an operator, written ``@``, where each operator has the same structure.
TEMPLATES = (
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
CODE_BEFORE, CODE_AFTER = (
    "class T { int x; int f(int a, int b) { ",
    " return 1; } int g() { return x + 1; } }",
)


def hide_operator(template: str, operator: str) -> JavaFile:
    before, after = template.rsplit("@", 1) if "/*" not in template else template.split("@ /* =", 1)
    after = after if "/*" not in template else f" /* ={after}"
    file = JavaFile(f"{CODE_BEFORE}{before}{operator}{after}{CODE_AFTER}".encode())
    assert not file.syntax.broken
    return without_operator(file, len((CODE_BEFORE + before).encode()))


@pytest.mark.parametrize("place", TEMPLATES)
def test_no_view_reveals_the_hidden_operator(place: str) -> None:
    """The edges of the graph are excluded, since they still show that an assignment writes."""
    values_by_view: dict[str, set[str]] = {}
    nodes: set[bytes] = set()
    for operator in OPERATORS:
        file = hide_operator(place, operator)
        nodes.add(b"".join(column.tobytes() for column in (file.syntax.kind, file.syntax.start)))
        nodes.add(file.source if "/*" not in place else b"")
        for name, value in render_views(file, 0).items():
            if name.startswith("graph"):
                value = json.dumps({**json.loads(value), "edges": ""})
            values_by_view.setdefault(name, set()).add(value)
        assert file.source.count(MASKED.encode()) == 1
    assert len(nodes) == 2  # the nodes, and the source
    assert {name: len(values) for name, values in values_by_view.items()} == dict.fromkeys(
        values_by_view, 1
    )
    (tokens,), (labels,), (paths,) = (
        values_by_view["tokens"],
        values_by_view["ast"],
        values_by_view["code2seq"],
    )
    assert json.loads(tokens).count("MASK") == 1
    assert json.loads(labels)["ast_labels"].count("MASK") == 1
    assert "|Mask" in paths


def test_kinds_of_a_hidden_operation() -> None:
    rendered = render_views(hide_operator("x = (a @ b);", "="), 0)
    labels = json.loads(rendered["ast"])["ast_labels"]
    mask_index = labels.index("MASK")
    assert labels[mask_index : mask_index + 7] == [
        "MASK",
        "LEFT_OPERAND",
        "IDENTIFIER",
        "NAME",
        "RIGHT_OPERAND",
        "IDENTIFIER",
        "NAME",
    ]
    assert "a,Nm0|Mask|Nm1,b" in json.loads(rendered["code2seq"])


def test_the_graph_keeps_its_edges() -> None:
    """Edges computed from the file with the hidden operator would lack a write or a condition."""
    text = f"{CODE_BEFORE}if (a < b) {{ a = b; f(a); }}{CODE_AFTER}"
    original = JavaFile(text.encode())
    for operator_text in ("<", "= b;"):
        hidden = without_operator(original, text.index(operator_text))
        for name in ("graph", "graph as features-javac"):
            before, after = (
                json.loads(render_views(java_file, 0)[name])["edges"]
                for java_file in (original, hidden)
            )
            assert before == after, name
            assert after["LW"] if name == "graph" else after["CF"]
            assert after["GB"]


def test_operators_of_the_examples_are_hidden() -> None:
    count = 0
    for path in FILES:
        file = JavaFile(path.read_bytes())
        found_operators = find_operators(file)
        for method_index, node in zip(
            found_operators.method.tolist(), found_operators.node.tolist(), strict=True
        ):
            start, end = int(file.syntax.start[node]), int(file.syntax.end[node])
            hidden = without_operator(file, start)
            assert hidden.source == file.source[:start] + b"<MASK>" + file.source[end:]
            spellings = [hidden.tokens.spelling(index) for index in range(len(hidden.tokens))]
            # All other tokens are unchanged.
            before = [file.tokens.spelling(index) for index in range(len(file.tokens))]
            token = spellings.index("MASK")
            assert (
                spellings[:token] + spellings[token + 1 :] == before[:token] + before[token + 1 :]
            )
            count += 1
            assert method_index in file.bodies
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
def test_hiding_without_an_operator_or_call_is_an_error(text: str, start: int) -> None:
    with pytest.raises(ValueError, match="no operator"):
        without_operator(JavaFile(text.encode()), start)
    with pytest.raises(ValueError, match="no name of a call"):
        call_edits(JavaFile(b"class T { }"), start + 1)


# --------------------------------------------------------------------------------------
# Any bytes.
# --------------------------------------------------------------------------------------

UNUSUAL_SOURCES = {
    "nothing": b"",
    "no Java": b"\xff\xfe walk( \x00 /* walk",
    "a name cut off": b"class T { void walk() { walk(",
    "an open string": b'class T { void walk() { log("walk',
    "broken": b'class T { void walk() { if ( walk(1); log("walk"; } int b() { walk(); } }',
    "escapes": rb"class T { void walk() { w\u0061lk(); \u0077alk = 1; /* \u0077alk \u00 */ } }",
    "deep": b"class T { void walk() { x = " + b"(" * 10_000 + b"walk()" + b")" * 10_000 + b"; } }",
    "old line ends": b"class T {\r void walk() {\r\n // walk\r walk();\r }\r}",
}


@pytest.mark.parametrize("source", UNUSUAL_SOURCES.values(), ids=UNUSUAL_SOURCES)
def test_names_are_hidden_in_any_file(source: bytes) -> None:
    file = JavaFile(source)
    hidden = edit_file(file, name_edits(file, "walk"))
    assert b"walk()" not in hidden.source
    assert len(hidden.syntax) == len(file.syntax)
    assert len(hidden.declarations.methods) == len(file.declarations.methods)
    assert (hidden.syntax.start <= hidden.syntax.end).all()
    assert hidden.syntax.end.max() <= len(hidden.source)
    for method_index in hidden.bodies:
        render_views(hidden, method_index)


def test_edits_without_effect_change_nothing() -> None:
    file = JavaFile(FILES[0].read_bytes())
    assert have_same_nodes(edit_file(file, []), file)
    assert edit_file(file, name_edits(file, "noSuchName")).source == file.source
