"""Tests of further nodes of JavaParser 3.0.0-alpha.4, and of syntax newer than it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.views.paths import KINDS, MethodPaths


def list_leaves(method: MethodPaths) -> list[str]:
    """Return the leaves of the body as kind, child id and name."""
    return [
        f"{KINDS[method.kind[node]]}{method.child[node]} {name}"
        for node, name in zip(method.leaf, method.name, strict=True)
    ][2:]


def list_kinds(method: MethodPaths) -> list[str]:
    """Return the kinds of the nodes inside the body."""
    return [KINDS[kind] for kind in method.kind][4:]


LEAVES = {
    # Boxed types count as primitive types; as a value or in a qualified name they do not.
    "Integer i = Integer.MAX;": (
        "PrimitiveType0 int", "VariableDeclaratorId0 i", "NameExpr0 integer", "NameExpr2 max",
    ),
    "x = (java.lang.Long) y;": ("NameExpr0 x", "ClassOrInterfaceType0 java", "NameExpr1 y"),
    # The minus and the smallest number form one literal; other numbers are unary expressions.
    "x = - 2147483648;": ("NameExpr0 x", "IntegerLiteralMinValueExpr1 -2147483648"),
    "x = -9223372036854775808l;": ("NameExpr0 x", "LongLiteralMinValueExpr1 l"),
    "x = -2147483647;": ("NameExpr0 x", "IntegerLiteralExpr0 2147483647"),
    "x = 1L + 0x1p3 + 'c' + true;": (
        "NameExpr0 x", "LongLiteralExpr0 l", "DoubleLiteralExpr1 xp", "CharLiteralExpr1 c",
        "BooleanLiteralExpr1 true",
    ),
    # A type with a diamond is a leaf.
    "new Vector3<>();": ("ClassOrInterfaceType0 vector",),
    # The name before :: is a type wherever it may be one.
    "x = a.b::c;": ("NameExpr0 x", "ClassOrInterfaceType0 a"),
    "x = this::<T>c;": ("NameExpr0 x", "ThisExpr0 this", "ClassOrInterfaceType1 t"),
    "x = int[]::new;": ("NameExpr0 x", "PrimitiveType0 int"),
    # A reference to a method of an expression includes a cast before it.
    "x = (T) a()::b;": ("NameExpr0 x", "ClassOrInterfaceType0 t", "NameExpr1 a"),
    # Before a lambda after a cast, the expression before its arrow remains as a leaf.
    "x = (T) y -> z;": (
        "NameExpr0 x", "ClassOrInterfaceType0 t", "NameExpr1 y", "VariableDeclaratorId0 y",
        "NameExpr0 z",
    ),
    "x = (T) () -> z;": (
        "NameExpr0 x", "ClassOrInterfaceType0 t", "EnclosedExpr1 ()", "NameExpr0 z",
    ),
    "x = a ? b : (y) -> z;": (
        "NameExpr0 x", "NameExpr0 a", "NameExpr1 b", "NameExpr0 y", "VariableDeclaratorId0 y",
        "NameExpr0 z",
    ),
    # A cast to two types is two casts, of which the outer is to the last type.
    "x = (A & B) y;": (
        "NameExpr0 x", "ClassOrInterfaceType0 b", "ClassOrInterfaceType0 a", "NameExpr1 y",
    ),
    "A.B.this.f();": ("NameExpr0 a", "NameExpr2 b", "NameExpr2 METHOD"),
    "A.super.g(); super.h();": (
        "NameExpr0 a", "NameExpr2 g", "SuperExpr0 super", "NameExpr2 h",
    ),
    "x = A.B.class; x = int[].class;": (
        "NameExpr0 x", "ClassOrInterfaceType0 a", "NameExpr0 x", "PrimitiveType0 int",
    ),
    "int[] a[] = {{}, {1}};": (
        "PrimitiveType0 int", "ArrayBracketPair0 []", "ArrayInitializerExpr0 {}",
        "IntegerLiteralExpr0 1", "ArrayBracketPair2 []",
    ),
    "List<? extends A> a; List<?> b;": (
        "ClassOrInterfaceType0 a", "VariableDeclaratorId0 a", "WildcardType0 ?",
        "VariableDeclaratorId0 b",
    ),
    # Labels, break and empty statements have no leaf.
    "l: for (;;) { break l; } ; assert a : b;": ("NameExpr0 a", "NameExpr1 b"),
    "@A(1) @B(x = 2) @c.D int i;": (
        "NameExpr0 a", "IntegerLiteralExpr1 1", "NameExpr0 b", "IntegerLiteralExpr0 2",
        "NameExpr0 c", "PrimitiveType3 int", "VariableDeclaratorId0 i",
    ),
    "new A() { ; { } A() { super(); } };": (
        "ClassOrInterfaceType0 a", "EmptyMemberDeclaration1 ;", "NameExpr2 a",
    ),
    # The annotation of a type is its child, so the type is not a leaf.
    "x = (@A B) y;": ("NameExpr0 x", "NameExpr0 a", "NameExpr1 y"),
    "if (((a))) ;": ("NameExpr0 a",),
    # Newer than that parser.
    "try (r) { }": ("NameExpr0 r",),
    "x = a instanceof T t;": (
        "NameExpr0 x", "NameExpr0 a", "ClassOrInterfaceType0 t", "VariableDeclaratorId1 t",
    ),
    "x = switch (a) { case 1, 2 -> b; default -> { yield c; } };": (
        "NameExpr0 x", "NameExpr0 a", "IntegerLiteralExpr0 1", "IntegerLiteralExpr1 2",
        "NameExpr0 b", "NameExpr0 c",
    ),
    'var s = """\n  a b""";': (
        "ClassOrInterfaceType0 var", "VariableDeclaratorId0 s", "TextBlockLiteralExpr1 ab",
    ),
    "record R(int i) { }": ("NameExpr0 r", "VariableDeclaratorId0 i", "PrimitiveType1 int"),
    "enum E implements I { A, B(1); int i; }": (
        "PrimitiveType0 int", "VariableDeclaratorId0 i", "ClassOrInterfaceType2 i",
        "EnumConstantDeclaration3 a", "IntegerLiteralExpr0 1", "NameExpr5 e",
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", LEAVES, ids=str)
def test_leaves_of_constructs(extract_from_members: Callable[..., MethodPaths], body: str) -> None:
    expected = [name.replace("METHOD", "f") for name in LEAVES[body]]
    assert list_leaves(extract_from_members(f"void f() {{ {body} }}")) == expected


KINDS_OF_NODES = {
    "x = (T) a()::b;": (
        "ExpressionStmt", "AssignExpr:assign", "NameExpr", "MethodReferenceExpr", "CastExpr",
        "ClassOrInterfaceType", "MethodCallExpr", "NameExpr",
    ),
    "x = (A & B) y;": (
        "ExpressionStmt", "AssignExpr:assign", "NameExpr", "CastExpr", "ClassOrInterfaceType",
        "CastExpr", "IntersectionType", "ClassOrInterfaceType", "NameExpr",
    ),
    "x = (int[][]) y;": (
        "ExpressionStmt", "AssignExpr:assign", "NameExpr", "CastExpr", "ArrayType", "ArrayType",
        "PrimitiveType", "NameExpr",
    ),
    "class L { L() { this(1); } static { } }": (
        "TypeDeclarationStmt", "ClassOrInterfaceDeclaration", "ConstructorDeclaration",
        "BlockStmt", "ExplicitConstructorInvocationStmt", "IntegerLiteralExpr", "NameExpr",
        "InitializerDeclaration", "BlockStmt", "NameExpr",
    ),
    "a++; --a; a = ~b; a %= !b;": (
        "ExpressionStmt", "UnaryExpr:posIncrement", "NameExpr", "ExpressionStmt",
        "UnaryExpr:preDecrement", "NameExpr", "ExpressionStmt", "AssignExpr:assign", "NameExpr",
        "UnaryExpr:inverse", "NameExpr", "ExpressionStmt", "AssignExpr:rem", "NameExpr",
        "UnaryExpr:not", "NameExpr",
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", KINDS_OF_NODES, ids=str)
def test_nodes_of_constructs(extract_from_members: Callable[..., MethodPaths], body: str) -> None:
    assert list_kinds(extract_from_members(f"void f() {{ {body} }}")) == list(KINDS_OF_NODES[body])


def test_comments_change_nothing(extract_from_members: Callable[..., MethodPaths]) -> None:
    with_comments = "/** d */ void f(/* a */ int x) { // b\n g(/* c */); int[] y = { /* d */ }; }"
    assert extract_from_members(with_comments) == extract_from_members(
        "void f(int x) { g(); int[] y = { }; }"
    )
