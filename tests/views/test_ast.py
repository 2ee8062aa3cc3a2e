"""Tests of the trees of methods.

The oracles are the trees that the GLUECode paper prints (appendix A.2), and javac's trees, built
step by step as features-javac does (JavacTrees.java).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.ast import (
    LABELS,
    Trees,
    codes,
    draw_method_trees,
    is_canonical_double,
    tree_to_json,
)
from codeacumen.views.ast.kinds import assign_codes

JAVA = Path(__file__).parents[1] / "languages" / "java"

GET_KEY = b"""
class CAesEncrypt {
    public static Key getKey(String ahex)
    {
        try
        {
            byte[] bytes = CHexString.toByteArr(ahex);
            SecretKeySpec skeySpec = new SecretKeySpec(bytes, "AES");
            return skeySpec;
        }
        catch(Exception e)
        {
            System.err.println("CAesEncrypt.getKey: " + e);
            return null;
        }
    }
}
"""
# As printed, except for errors of the text extraction: the underscores of LEFT_OPERAND,
# STRING_LITERAL and RIGHT_OPERAND are restored, and an "ARGUMENTS" between the IDENTIFIER and the
# NAME of a type (nodes 40 and 41), at a line break, is removed, because with it every number in
# the printed edges would be one too small.
GET_KEY_LABELS = (
    "METHOD", "NAME", "MODIFIERS", "FLAGS", "RETURN_TYPE", "IDENTIFIER", "NAME", "PARAMETERS",
    "VARIABLE", "NAME", "TYPE", "IDENTIFIER", "NAME", "BODY", "BLOCK", "STATEMENTS", "TRY",
    "BLOCK", "STATEMENTS", "VARIABLE", "NAME", "TYPE", "ARRAY_TYPE", "TYPE", "PRIMITIVE_TYPE",
    "PRIMITIVE_TYPE_KIND", "INITIALIZER", "METHOD_INVOCATION", "METHOD_SELECT", "MEMBER_SELECT",
    "EXPRESSION", "IDENTIFIER", "NAME", "IDENTIFIER", "ARGUMENTS", "IDENTIFIER", "NAME",
    "VARIABLE", "NAME", "TYPE", "IDENTIFIER", "NAME", "INITIALIZER", "NEW_CLASS", "ARGUMENTS",
    "IDENTIFIER", "NAME", "STRING_LITERAL", "IDENTIFIER", "NAME", "RETURN", "EXPRESSION",
    "IDENTIFIER", "NAME", "CATCHES", "CATCH", "BLOCK", "STATEMENTS", "EXPRESSION_STATEMENT",
    "EXPRESSION", "METHOD_INVOCATION", "METHOD_SELECT", "MEMBER_SELECT", "EXPRESSION",
    "MEMBER_SELECT", "EXPRESSION", "IDENTIFIER", "NAME", "IDENTIFIER", "IDENTIFIER", "ARGUMENTS",
    "PLUS", "LEFT_OPERAND", "STRING_LITERAL", "RIGHT_OPERAND", "IDENTIFIER", "NAME", "RETURN",
    "EXPRESSION", "NULL_LITERAL", "VALUE", "PARAMETER", "VARIABLE", "NAME", "TYPE", "IDENTIFIER",
    "NAME",
)  # fmt: skip


def build_method_trees(source: bytes) -> Trees:
    file = JavaFile(source)
    return draw_method_trees(file, file.bodies)


def format_trees(method_trees: Trees) -> list[str]:
    """Return a line for each tree, in the format of JavacTrees.java."""
    labels = [LABELS[code] for code in method_trees.label]
    late_marks = np.where(method_trees.late, "*", "")
    parents = (
        np.char.add(method_trees.parent.astype("U"), late_marks).tolist() if len(late_marks) else []
    )
    spans = zip(method_trees.offsets[:-1].tolist(), method_trees.offsets[1:].tolist(), strict=True)
    return [
        f"{','.join(labels[start:stop])}\t{','.join(parents[start:stop])}" for start, stop in spans
    ]


def format_nested(source: bytes, method: int = 0) -> str:
    """Return a tree as one readable line, with ``~`` before late nodes."""
    method_trees = build_method_trees(source)
    first, stop = method_trees.offsets[method], method_trees.offsets[method + 1]
    children_of: dict[int, list[int]] = {}
    for child, parent in enumerate(method_trees.parent[first:stop].tolist()):
        children_of.setdefault(parent, []).append(child)

    def format_node(number: int) -> str:
        index = first + number
        name = ("~" if method_trees.late[index] else "") + LABELS[method_trees.label[index]]
        inner_text = " ".join(format_node(child) for child in children_of.get(number, ()))
        return f"{name}({inner_text})" if inner_text else name

    return format_node(0)


def format_statement(source: str) -> str:
    """Return the tree of a statement as one line."""
    tree = format_nested(f"class A {{ void f() {{ {source} }} }}".encode())
    opening = "METHOD(NAME RETURN_TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND)) BODY(BLOCK(STATEMENTS("
    assert tree.startswith(opening)
    return tree.removeprefix(opening).removesuffix("))))")


def build_published_tree(source: bytes) -> dict[str, list[object]]:
    method_trees = build_method_trees(source)
    published_tree: dict[str, list[object]] = tree_to_json(
        method_trees.label.tolist(), method_trees.parent.tolist(), method_trees.late.tolist()
    )
    return published_tree


def test_the_tree_printed_in_the_paper() -> None:
    published_tree = build_published_tree(GET_KEY)
    assert published_tree["ast_labels"] == list(GET_KEY_LABELS)
    edges = published_tree["ast_edges"]
    assert len(edges) == len(GET_KEY_LABELS) - 1
    # The paper prints only some of the edges.
    assert edges[:6] == [[0, 1], [0, 4], [0, 7], [0, 13], [0, 2], [2, 3]]
    edge_index = edges.index([54, 55])
    assert edges[edge_index : edge_index + 4] == [[54, 55], [55, 81], [55, 56], [56, 57]]
    assert edges[-6:] == [[79, 80], [81, 82], [82, 83], [82, 84], [84, 85], [85, 86]]


def test_the_tree_in_the_graph_of_the_paper() -> None:
    published_tree = build_published_tree(
        b'class A { public String getServletInfo() { return "Login request processing"; } }'
    )
    assert published_tree["ast_labels"] == [
        "METHOD",
        "NAME",
        "MODIFIERS",
        "FLAGS",
        "RETURN_TYPE",
        "IDENTIFIER",
        "NAME",
        "BODY",
        "BLOCK",
        "STATEMENTS",
        "RETURN",
        "EXPRESSION",
        "STRING_LITERAL",
    ]
    assert published_tree["ast_edges"] == [
        [0, 1],
        [0, 4],
        [0, 7],
        [0, 2],
        [2, 3],
        [4, 5],
        [5, 6],
        [7, 8],
        [8, 9],
        [9, 10],
        [10, 11],
        [11, 12],
    ]


@pytest.fixture(scope="module")
def javac(javac_program: Callable[..., str]) -> Callable[[list[Path]], dict[Path, list[str]]]:
    def run_javac(files: list[Path]) -> dict[Path, list[str]]:
        trees_by_path: dict[Path, list[str]] = {}
        for line in javac_program("JavacTrees", files).splitlines():
            if line.startswith("= "):
                current = trees_by_path.setdefault(Path(line[2:]), [])
            else:
                current.append(line)
        return trees_by_path

    return run_javac


@pytest.mark.parametrize("name", ["Trees.java", "Members.java"])
def test_every_construct_agrees_with_javac(
    javac: Callable[..., dict[Path, list[str]]], name: str
) -> None:
    file = JAVA / name
    assert format_trees(build_method_trees(file.read_bytes())) == javac([file])[file]


def test_source_with_unusual_tokens_agrees_with_javac(
    javac: Callable[..., dict[Path, list[str]]],
) -> None:
    """javac 17 does not know the patterns in the last method, so it is not compared."""
    file = JAVA / "Hard.java"
    our_trees = format_trees(build_method_trees(file.read_bytes()))
    assert len(our_trees) == 4
    assert our_trees[:3] == javac([file])[file][:3]


def test_javacs_tree_of_the_papers_method(
    javac: Callable[..., dict[Path, list[str]]], tmp_path: Path
) -> None:
    """The oracle JavacTrees.java itself agrees with the paper."""
    file = tmp_path / "CAesEncrypt.java"
    file.write_bytes(GET_KEY)
    (line,) = javac([file])[file]
    assert line.split("\t")[0] == ",".join(GET_KEY_LABELS)
    assert [line] == format_trees(build_method_trees(GET_KEY))


def test_trees_agree_with_javac_on_java_util(
    javac: Callable[..., dict[Path, list[str]]], part_of_java_util: list[Path]
) -> None:
    files = part_of_java_util
    javac_trees = javac(files)
    assert sum(map(len, javac_trees.values())) > 1_000
    different = [
        file.name
        for file in files
        if format_trees(build_method_trees(file.read_bytes())) != javac_trees[file]
    ]
    assert different == []


def test_patterns_of_java_21() -> None:
    """The expected trees follow by hand from JDK 21's tree interfaces, which javac 17 lacks."""
    selector = "EXPRESSION(PARENTHESIZED(EXPRESSION(IDENTIFIER(NAME))))"
    variable = "BINDING_PATTERN(~VARIABLE(NAME TYPE(IDENTIFIER(NAME))))"
    number = "BINDING_PATTERN(~VARIABLE(NAME TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND))))"
    call = (
        "BODY(EXPRESSION_STATEMENT(EXPRESSION(METHOD_INVOCATION(METHOD_SELECT(IDENTIFIER(NAME))))))"
    )
    assert format_statement("switch (o) { case String s when s.x -> f(); default -> f(); }") == (
        f"SWITCH({selector} CASES("
        f"CASE(LABELS(PATTERN_CASE_LABEL(PATTERN({variable})))"
        f" GUARD(MEMBER_SELECT(EXPRESSION(IDENTIFIER(NAME)) IDENTIFIER)) {call}) CASE({call})))"
    )
    assert format_statement(
        "switch (o) { case null, default -> f(); case P(int a, _) -> f(); }"
    ) == (
        f"SWITCH({selector} CASES("
        f"CASE(EXPRESSIONS(NULL_LITERAL(VALUE)) LABELS(DEFAULT_CASE_LABEL) {call})"
        f" CASE(LABELS(PATTERN_CASE_LABEL(PATTERN(DECONSTRUCTION_PATTERN("
        f"DECONSTRUCTOR(IDENTIFIER(NAME)) NESTED_PATTERNS({number} ANY_PATTERN))))) {call})))"
    )
    assert format_statement("switch (o) { case A a: case B _: f(); }") == (
        f"SWITCH({selector} CASES(CASE(LABELS(PATTERN_CASE_LABEL(PATTERN({variable}))))"
        " CASE(LABELS(PATTERN_CASE_LABEL(PATTERN(BINDING_PATTERN(~VARIABLE("
        f"TYPE(IDENTIFIER(NAME))))))) STATEMENTS({call.removeprefix('BODY(')})))"
    )
    assert format_statement("boolean b = o instanceof P<T>(Q(var x), String y);") == (
        "VARIABLE(NAME TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND)) INITIALIZER(INSTANCE_OF("
        "EXPRESSION(IDENTIFIER(NAME)) PATTERN(DECONSTRUCTION_PATTERN(DECONSTRUCTOR("
        "PARAMETERIZED_TYPE(TYPE(IDENTIFIER(NAME)) TYPE_ARGUMENTS(IDENTIFIER(NAME))))"
        " NESTED_PATTERNS(DECONSTRUCTION_PATTERN(DECONSTRUCTOR(IDENTIFIER(NAME))"
        f" NESTED_PATTERNS(BINDING_PATTERN(~VARIABLE(NAME)))) {variable}))))))"
    )


def test_unnamed_variables_and_templates_of_java_21() -> None:
    assert format_statement("int _ = f((_, x) -> x, _ -> 1);") == (
        "VARIABLE(TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND)) INITIALIZER(METHOD_INVOCATION("
        "METHOD_SELECT(IDENTIFIER(NAME)) ARGUMENTS("
        "LAMBDA_EXPRESSION(PARAMETERS(VARIABLE VARIABLE(NAME)) BODY(IDENTIFIER(NAME)))"
        " LAMBDA_EXPRESSION(PARAMETERS(VARIABLE) BODY(INT_LITERAL(VALUE)))))))"
    )
    assert format_statement('String s = STR."a\\{b}c\\{d.e}";') == (
        "VARIABLE(NAME TYPE(IDENTIFIER(NAME)) INITIALIZER(TEMPLATE(PROCESSOR(IDENTIFIER(NAME))"
        " EXPRESSIONS(IDENTIFIER(NAME) MEMBER_SELECT(EXPRESSION(IDENTIFIER(NAME)) IDENTIFIER)))))"
    )


def test_concatenated_string_literals_are_not_merged() -> None:
    assert format_statement('f("a" + "b");') == (
        "EXPRESSION_STATEMENT(EXPRESSION(METHOD_INVOCATION(METHOD_SELECT(IDENTIFIER(NAME))"
        " ARGUMENTS(PLUS(LEFT_OPERAND(STRING_LITERAL) RIGHT_OPERAND(STRING_LITERAL))))))"
    )


def test_an_inner_method_has_its_own_tree() -> None:
    method_trees = build_method_trees(
        b"class A { void f() { new B() { int g() { return 1; } }; } }"
    )
    outer = method_trees.label[: method_trees.offsets[1]].tolist()
    inner = method_trees.label[method_trees.offsets[1] :].tolist()
    inner_start = next(index for index in range(1, len(outer)) if LABELS[outer[index]] == "METHOD")
    assert outer[inner_start : inner_start + len(inner)] == inner
    assert method_trees.parent[method_trees.offsets[1]] == -1
    inner_parents = method_trees.parent[inner_start + 1 : inner_start + len(inner)] - inner_start
    assert inner_parents.tolist() == method_trees.parent[method_trees.offsets[1] + 1 :].tolist()


def test_syntax_nodes_of_tree_nodes() -> None:
    source = b"class A { int f(int a, int[] b) { if (a > 1) g(b[0]); return a; } }"
    file = JavaFile(source)
    method_trees = draw_method_trees(file, file.bodies)
    pairs = [
        (LABELS[code], file.syntax.text(node))
        for code, node in zip(method_trees.label.tolist(), method_trees.node.tolist(), strict=True)
    ]
    assert ("METHOD", source[10:-2].decode()) == pairs[0]
    assert ("PARENTHESIZED", "(a > 1)") in pairs
    names = [text for label, text in pairs if label == "NAME"]
    assert names == ["f", "a", "b", "a", "g", "b", "a"]
    assert [text for label, text in pairs if label == "VARIABLE"] == ["int a", "int[] b"]
    assert ("ARGUMENTS", "(b[0])") in pairs
    assert [text for label, text in pairs if label == "VALUE"] == ["1", "0"]


def test_labels_keep_their_numbers() -> None:
    """Corpora store the numbers of labels, so new labels must come at the end."""
    digest = hashlib.sha256(",".join(LABELS[:169]).encode()).hexdigest()
    assert digest.startswith("04233158fc9ceae5")
    assert len(set(LABELS)) == len(LABELS) <= 256


@pytest.mark.parametrize(
    ("literal", "same"),
    [
        ("1.0", True),
        ("1.50", False),
        ("0.001", True),
        ("1.0E-4", True),
        ("0.0001", False),
        ("1.0e7", True),
        ("10000000.0", False),
        ("9999999.0", True),
        ("1e10", False),
        ("1.0E10", True),
        (".5", False),
        ("1.", False),
        ("0.0", True),
        ("1_0.5", True),
        ("4.9E-324", True),
        ("5e-324", False),
        ("1.7976931348623157E308", True),
        ("2d", False),
        ("1.5f", False),
        ("1e999", False),
        ("0.1", True),
        ("0.10000000000000001", False),
    ],
)
def test_fractions_with_the_same_text_in_java(literal: str, same: bool) -> None:
    """The expected values follow by hand from the description of Double.toString."""
    assert is_canonical_double(literal.encode()) is same


def test_a_different_version_of_the_code_tables_is_detected() -> None:
    no_nodes, no_bytes = np.zeros((0, codes.COLUMNS), np.int32), np.zeros(0, np.uint8)
    empty_tables = np.zeros((4, 256), np.uint8), np.zeros(256, np.uint8)
    assert assign_codes(no_nodes, no_bytes, *empty_tables, codes.VERSION)
    assert not assign_codes(no_nodes, no_bytes, *empty_tables, codes.VERSION + 1)


def check_preorder(method_trees: Trees) -> None:
    """Check that trees are in pre-order, and that only roots have no parent."""
    for first, stop in zip(method_trees.offsets[:-1], method_trees.offsets[1:], strict=True):
        parents = method_trees.parent[first:stop]
        assert parents[0] == -1
        assert LABELS[method_trees.label[first]] == "METHOD"
        assert (parents[1:] >= 0).all()
        assert (parents[1:] < np.arange(1, stop - first)).all()
    assert (
        method_trees.offsets[-1]
        == len(method_trees.label)
        == len(method_trees.late)
        == len(method_trees.node)
    )


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"class",
        b"}}}}",
        b"void f() {",
        b"class A { void f() { int } }",
        b"class A { int f( { return ; } }",
        b"class A { void f() { x = ; y + ; foo(; } }",
        b"class A { void f() { switch (x) { case 1 -> a(); case 2: b(); } } }",
        b"class A { void f() { for (int i = 0; i < ; ) try { catch } } }",
        b"class A { void f() { new ; new A( ; (B) ; x instanceof ; a::; -; } }",
        b"class A { R { } void g(this, A B.this, int..., @) { } }",
        b"\xff\xfe\x00",
        b"record R(int a) { R { } R { } } class S { S { a(); } }",
    ],
)
def test_broken_source_raises_no_error(source: bytes) -> None:
    check_preorder(build_method_trees(source))


def test_invalid_statements_are_erroneous() -> None:
    assert "ERRONEOUS" in format_nested(b"class A { void f() { a(); ) b(); } }")


SOURCE = (JAVA / "Trees.java").read_bytes()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(SOURCE)), st.integers(0, 400), st.binary(max_size=8))
def test_any_bytes_raise_no_error(position: int, width: int, replacement: bytes) -> None:
    file = JavaFile(SOURCE[:position] + replacement + SOURCE[position + width :])
    all_methods = [place for place, _ in enumerate(file.declarations.methods)]
    check_preorder(draw_method_trees(file, all_methods))


@pytest.mark.parametrize(
    ("before", "middle", "after"),
    [
        ("(", "1", ")"),
        ("{ ", "", "}"),
        ("a + ", "a", ""),
        ("", "a", " + a"),
        ("", "a", ".b()"),
        ("a(", "1", ")"),
        ("if (a) ", ";", ""),
        ("- ", "a", ""),
        ("", "a", "[0]"),
        ("() -> ", "1", ""),
        ("a ? ", "b", " : c"),
        ("new A() { Object f = ", "1", "; }"),
        ("a: ", ";", ""),
        ("new int[", "1", "]"),
        ("x = (a) + ", "b", ""),
    ],
)
def test_deep_nesting_does_not_recurse(before: str, middle: str, after: str) -> None:
    """No time limit is needed: a quadratic algorithm would take minutes."""
    deep = before * 10_000 + middle + after * 10_000
    method_trees = build_method_trees(f"class A {{ void f() {{ {deep}; }} }}".encode())
    check_preorder(method_trees)
    assert len(method_trees.label) > 10_000


def test_ambiguous_casts_are_sums() -> None:
    """A long sum with parenthesised names is parsed as a sum, not as casts.

    With more terms the parser itself would take too long.
    """
    method_trees = build_method_trees(
        f"class A {{ void f() {{ x = {'a * (b) + ' * 1_000} c * d; }} }}".encode()
    )
    check_preorder(method_trees)
    counts = np.bincount(method_trees.label, minlength=len(LABELS))
    expected = {"PLUS": 1_000, "MULTIPLY": 1_001, "PARENTHESIZED": 1_000, "TYPE_CAST": 0}
    assert {name: counts[LABELS.index(name)] for name in expected} == expected


def test_many_brackets_and_many_statements() -> None:
    brackets = build_method_trees(f"class A {{ void f(int{'[]' * 10_000} a) {{ }} }}".encode())
    assert np.count_nonzero(brackets.label == LABELS.index("ARRAY_TYPE")) == 10_000
    statements = build_method_trees(f"class A {{ void f() {{ {'a(); ' * 50_000} }} }}".encode())
    assert np.count_nonzero(statements.label == LABELS.index("EXPRESSION_STATEMENT")) == 50_000
