"""Oracles: the trees the GLUECode paper prints (appendix A.2), and javac's own, drawn step by step
as features-javac does (JavacTrees.java)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.ast import LABELS, Trees, codes, is_printed, shape, trees
from codeacumen.views.ast.kinds import settle

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
# As printed, but for three slips of the extracted text: the underscores of LEFT_OPERAND,
# STRING_LITERAL and RIGHT_OPERAND are back, and an "ARGUMENTS" is gone that stands between the
# IDENTIFIER and the NAME of a type (nodes 40 and 41) where a line was broken: with it every
# number printed in the edges would be one too small.
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


def drawn(source: bytes) -> Trees:
    file = JavaFile(source)
    return trees(file, file.bodies)


def lines(found: Trees) -> list[str]:
    """A line a tree, as the Java program prints it."""
    labels = [LABELS[code] for code in found.label]
    late = np.where(found.late, "*", "")
    parents = np.char.add(found.parent.astype("U"), late).tolist() if len(late) else []
    spans = zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True)
    return [f"{','.join(labels[a:b])}\t{','.join(parents[a:b])}" for a, b in spans]


def nested(source: bytes, method: int = 0) -> str:
    """A tree on one line, to be read: ``~`` before what comes late."""
    found = drawn(source)
    first, stop = found.offsets[method], found.offsets[method + 1]
    below: dict[int, list[int]] = {}
    for child, parent in enumerate(found.parent[first:stop].tolist()):
        below.setdefault(parent, []).append(child)

    def text(number: int) -> str:
        at = first + number
        name = ("~" if found.late[at] else "") + LABELS[found.label[at]]
        inner = " ".join(text(child) for child in below.get(number, ()))
        return f"{name}({inner})" if inner else name

    return text(0)


def statement(source: str) -> str:
    """The tree of a statement."""
    tree = nested(f"class A {{ void f() {{ {source} }} }}".encode())
    before = "METHOD(NAME RETURN_TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND)) BODY(BLOCK(STATEMENTS("
    assert tree.startswith(before)
    return tree.removeprefix(before).removesuffix("))))")


def published(source: bytes) -> dict[str, list[object]]:
    found = drawn(source)
    told: dict[str, list[object]] = shape(
        found.label.tolist(), found.parent.tolist(), found.late.tolist()
    )
    return told


def test_the_tree_of_the_paper() -> None:
    told = published(GET_KEY)
    assert told["ast_labels"] == list(GET_KEY_LABELS)
    edges = told["ast_edges"]
    assert len(edges) == len(GET_KEY_LABELS) - 1
    # The edges that are printed; between them the paper leaves some out.
    assert edges[:6] == [[0, 1], [0, 4], [0, 7], [0, 13], [0, 2], [2, 3]]
    at = edges.index([54, 55])
    assert edges[at : at + 4] == [[54, 55], [55, 81], [55, 56], [56, 57]]
    assert edges[-6:] == [[79, 80], [81, 82], [82, 83], [82, 84], [84, 85], [85, 86]]


def test_the_tree_in_the_graph_of_the_paper() -> None:
    told = published(
        b'class A { public String getServletInfo() { return "Login request processing"; } }'
    )
    assert told["ast_labels"] == [
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
    assert told["ast_edges"] == [
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
    def run(files: list[Path]) -> dict[Path, list[str]]:
        found: dict[Path, list[str]] = {}
        for line in javac_program("JavacTrees", files).splitlines():
            if line.startswith("= "):
                current = found.setdefault(Path(line[2:]), [])
            else:
                current.append(line)
        return found

    return run


@pytest.mark.parametrize("name", ["Trees.java", "Members.java"])
def test_every_construct(javac: Callable[..., dict[Path, list[str]]], name: str) -> None:
    file = JAVA / name
    assert lines(drawn(file.read_bytes())) == javac([file])[file]


def test_what_is_hard_to_split_into_tokens(javac: Callable[..., dict[Path, list[str]]]) -> None:
    """Without the last method, whose patterns javac 17 does not know."""
    file = JAVA / "Hard.java"
    ours = lines(drawn(file.read_bytes()))
    assert len(ours) == 4
    assert ours[:3] == javac([file])[file][:3]


def test_the_paper_s_method_is_drawn_alike_by_javac(
    javac: Callable[..., dict[Path, list[str]]], tmp_path: Path
) -> None:
    """What draws javac's trees is itself held to the paper."""
    file = tmp_path / "CAesEncrypt.java"
    file.write_bytes(GET_KEY)
    (line,) = javac([file])[file]
    assert line.split("\t")[0] == ",".join(GET_KEY_LABELS)
    assert [line] == lines(drawn(GET_KEY))


def test_a_part_of_java_util(
    javac: Callable[..., dict[Path, list[str]]], part_of_java_util: list[Path]
) -> None:
    files = part_of_java_util
    theirs = javac(files)
    assert sum(map(len, theirs.values())) > 1_000
    different = [file.name for file in files if lines(drawn(file.read_bytes())) != theirs[file]]
    assert different == []


def test_patterns_of_java_21() -> None:
    """javac 17 has no such trees: by hand, from the tree interfaces of JDK 21."""
    selector = "EXPRESSION(PARENTHESIZED(EXPRESSION(IDENTIFIER(NAME))))"
    variable = "BINDING_PATTERN(~VARIABLE(NAME TYPE(IDENTIFIER(NAME))))"
    number = "BINDING_PATTERN(~VARIABLE(NAME TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND))))"
    call = (
        "BODY(EXPRESSION_STATEMENT(EXPRESSION(METHOD_INVOCATION(METHOD_SELECT(IDENTIFIER(NAME))))))"
    )
    assert statement("switch (o) { case String s when s.x -> f(); default -> f(); }") == (
        f"SWITCH({selector} CASES("
        f"CASE(LABELS(PATTERN_CASE_LABEL(PATTERN({variable})))"
        f" GUARD(MEMBER_SELECT(EXPRESSION(IDENTIFIER(NAME)) IDENTIFIER)) {call}) CASE({call})))"
    )
    assert statement("switch (o) { case null, default -> f(); case P(int a, _) -> f(); }") == (
        f"SWITCH({selector} CASES("
        f"CASE(EXPRESSIONS(NULL_LITERAL(VALUE)) LABELS(DEFAULT_CASE_LABEL) {call})"
        f" CASE(LABELS(PATTERN_CASE_LABEL(PATTERN(DECONSTRUCTION_PATTERN("
        f"DECONSTRUCTOR(IDENTIFIER(NAME)) NESTED_PATTERNS({number} ANY_PATTERN))))) {call})))"
    )
    assert statement("switch (o) { case A a: case B _: f(); }") == (
        f"SWITCH({selector} CASES(CASE(LABELS(PATTERN_CASE_LABEL(PATTERN({variable}))))"
        " CASE(LABELS(PATTERN_CASE_LABEL(PATTERN(BINDING_PATTERN(~VARIABLE("
        f"TYPE(IDENTIFIER(NAME))))))) STATEMENTS({call.removeprefix('BODY(')})))"
    )
    assert statement("boolean b = o instanceof P<T>(Q(var x), String y);") == (
        "VARIABLE(NAME TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND)) INITIALIZER(INSTANCE_OF("
        "EXPRESSION(IDENTIFIER(NAME)) PATTERN(DECONSTRUCTION_PATTERN(DECONSTRUCTOR("
        "PARAMETERIZED_TYPE(TYPE(IDENTIFIER(NAME)) TYPE_ARGUMENTS(IDENTIFIER(NAME))))"
        " NESTED_PATTERNS(DECONSTRUCTION_PATTERN(DECONSTRUCTOR(IDENTIFIER(NAME))"
        f" NESTED_PATTERNS(BINDING_PATTERN(~VARIABLE(NAME)))) {variable}))))))"
    )


def test_what_is_not_named_in_java_21() -> None:
    assert statement("int _ = f((_, x) -> x, _ -> 1);") == (
        "VARIABLE(TYPE(PRIMITIVE_TYPE(PRIMITIVE_TYPE_KIND)) INITIALIZER(METHOD_INVOCATION("
        "METHOD_SELECT(IDENTIFIER(NAME)) ARGUMENTS("
        "LAMBDA_EXPRESSION(PARAMETERS(VARIABLE VARIABLE(NAME)) BODY(IDENTIFIER(NAME)))"
        " LAMBDA_EXPRESSION(PARAMETERS(VARIABLE) BODY(INT_LITERAL(VALUE)))))))"
    )
    assert statement('String s = STR."a\\{b}c\\{d.e}";') == (
        "VARIABLE(NAME TYPE(IDENTIFIER(NAME)) INITIALIZER(TEMPLATE(PROCESSOR(IDENTIFIER(NAME))"
        " EXPRESSIONS(IDENTIFIER(NAME) MEMBER_SELECT(EXPRESSION(IDENTIFIER(NAME)) IDENTIFIER)))))"
    )


def test_neighbouring_strings_stay_apart() -> None:
    assert statement('f("a" + "b");') == (
        "EXPRESSION_STATEMENT(EXPRESSION(METHOD_INVOCATION(METHOD_SELECT(IDENTIFIER(NAME))"
        " ARGUMENTS(PLUS(LEFT_OPERAND(STRING_LITERAL) RIGHT_OPERAND(STRING_LITERAL))))))"
    )


def test_a_method_inside_another_is_drawn_alone_and_inside() -> None:
    found = drawn(b"class A { void f() { new B() { int g() { return 1; } }; } }")
    outer = found.label[: found.offsets[1]].tolist()
    inner = found.label[found.offsets[1] :].tolist()
    at = next(i for i in range(1, len(outer)) if LABELS[outer[i]] == "METHOD")
    assert outer[at : at + len(inner)] == inner
    assert found.parent[found.offsets[1]] == -1
    inside = found.parent[at + 1 : at + len(inner)] - at
    assert inside.tolist() == found.parent[found.offsets[1] + 1 :].tolist()


def test_which_syntax_a_node_stands_for() -> None:
    source = b"class A { int f(int a, int[] b) { if (a > 1) g(b[0]); return a; } }"
    file = JavaFile(source)
    found = trees(file, file.bodies)
    pairs = [
        (LABELS[code], file.syntax.text(node))
        for code, node in zip(found.label.tolist(), found.node.tolist(), strict=True)
    ]
    assert ("METHOD", source[10:-2].decode()) == pairs[0]
    assert ("PARENTHESIZED", "(a > 1)") in pairs
    names = [text for label, text in pairs if label == "NAME"]
    assert names == ["f", "a", "b", "a", "g", "b", "a"]
    assert [text for label, text in pairs if label == "VARIABLE"] == ["int a", "int[] b"]
    assert ("ARGUMENTS", "(b[0])") in pairs
    assert [text for label, text in pairs if label == "VALUE"] == ["1", "0"]


def test_a_label_keeps_its_number() -> None:
    """Numbers are stored in corpora: new names go to the end."""
    known = hashlib.sha256(",".join(LABELS[:169]).encode()).hexdigest()
    assert known.startswith("04233158fc9ceae5")
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
def test_fractions_as_they_are_printed(literal: str, same: bool) -> None:
    """By hand, from the description of Double.toString."""
    assert is_printed(literal.encode()) is same


def test_code_compiled_with_other_numbers_is_told() -> None:
    none, bytes_ = np.zeros((0, codes.COLUMNS), np.int32), np.zeros(0, np.uint8)
    tables_ = np.zeros((4, 256), np.uint8), np.zeros(256, np.uint8)
    assert settle(none, bytes_, *tables_, codes.VERSION)
    assert not settle(none, bytes_, *tables_, codes.VERSION + 1)


def check(found: Trees) -> None:
    """Pre-order: a parent stands before its children, and only a root has none."""
    for first, stop in zip(found.offsets[:-1], found.offsets[1:], strict=True):
        parents = found.parent[first:stop]
        assert parents[0] == -1
        assert LABELS[found.label[first]] == "METHOD"
        assert (parents[1:] >= 0).all()
        assert (parents[1:] < np.arange(1, stop - first)).all()
    assert found.offsets[-1] == len(found.label) == len(found.late) == len(found.node)


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
def test_broken_source_is_survivable(source: bytes) -> None:
    check(drawn(source))


def test_what_does_not_parse_is_erroneous() -> None:
    assert "ERRONEOUS" in nested(b"class A { void f() { a(); ) b(); } }")


SOURCE = (JAVA / "Trees.java").read_bytes()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(SOURCE)), st.integers(0, 400), st.binary(max_size=8))
def test_any_bytes_are_survivable(at: int, width: int, instead: bytes) -> None:
    file = JavaFile(SOURCE[:at] + instead + SOURCE[at + width :])
    every = [place for place, _ in enumerate(file.declarations.methods)]
    check(trees(file, every))


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
def test_nesting_costs_no_recursion(before: str, middle: str, after: str) -> None:
    """Not a time limit: what was quadratic would take minutes here."""
    deep = before * 10_000 + middle + after * 10_000
    found = drawn(f"class A {{ void f() {{ {deep}; }} }}".encode())
    check(found)
    assert len(found.label) > 10_000


def test_many_names_taken_for_types() -> None:
    """A long sum of them is a sum of as many; more would keep the parser itself busy."""
    found = drawn(f"class A {{ void f() {{ x = {'a * (b) + ' * 1_000} c * d; }} }}".encode())
    check(found)
    counts = np.bincount(found.label, minlength=len(LABELS))
    expected = {"PLUS": 1_000, "MULTIPLY": 1_001, "PARENTHESIZED": 1_000, "TYPE_CAST": 0}
    assert {name: counts[LABELS.index(name)] for name in expected} == expected


def test_many_brackets_and_many_members() -> None:
    brackets = drawn(f"class A {{ void f(int{'[]' * 10_000} a) {{ }} }}".encode())
    assert np.count_nonzero(brackets.label == LABELS.index("ARRAY_TYPE")) == 10_000
    many = drawn(f"class A {{ void f() {{ {'a(); ' * 50_000} }} }}".encode())
    assert np.count_nonzero(many.label == LABELS.index("EXPRESSION_STATEMENT")) == 50_000
