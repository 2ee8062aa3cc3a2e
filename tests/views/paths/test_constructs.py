"""What else JavaParser 3.0.0-alpha.4 makes of Java, and what we make of what it cannot read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.views.paths import KINDS, MethodPaths


def leaves(found: MethodPaths) -> list[str]:
    """The body's leaves, as kind, child id and name."""
    return [
        f"{KINDS[found.kind[node]]}{found.child[node]} {name}"
        for node, name in zip(found.leaf, found.name, strict=True)
    ][2:]


def kinds(found: MethodPaths) -> list[str]:
    """The body's nodes, without the body."""
    return [KINDS[kind] for kind in found.kind][4:]


CASES = {
    # Boxed types count as primitive ones, also as the name of a qualified type; not as a value.
    "Integer i = Integer.MAX;": (
        "PrimitiveType0 int", "VariableDeclaratorId0 i", "NameExpr0 integer", "NameExpr2 max",
    ),
    "x = (java.lang.Long) y;": ("NameExpr0 x", "ClassOrInterfaceType0 java", "NameExpr1 y"),
    # The least numbers are one literal with their minus; others are not.
    "x = - 2147483648;": ("NameExpr0 x", "IntegerLiteralMinValueExpr1 -2147483648"),
    "x = -9223372036854775808l;": ("NameExpr0 x", "LongLiteralMinValueExpr1 l"),
    "x = -2147483647;": ("NameExpr0 x", "IntegerLiteralExpr0 2147483647"),
    "x = 1L + 0x1p3 + 'c' + true;": (
        "NameExpr0 x", "LongLiteralExpr0 l", "DoubleLiteralExpr1 xp", "CharLiteralExpr1 c",
        "BooleanLiteralExpr1 true",
    ),
    # A diamond is a leaf, with its brackets.
    "new Vector3<>();": ("ClassOrInterfaceType0 vector",),
    # The word before :: is a type wherever it may be one.
    "x = a.b::c;": ("NameExpr0 x", "ClassOrInterfaceType0 a"),
    "x = this::<T>c;": ("NameExpr0 x", "ThisExpr0 this", "ClassOrInterfaceType1 t"),
    "x = int[]::new;": ("NameExpr0 x", "PrimitiveType0 int"),
    # A reference to an expression's method takes in the cast it is written in.
    "x = (T) a()::b;": ("NameExpr0 x", "ClassOrInterfaceType0 t", "NameExpr1 a"),
    # A lambda after a cast leaves behind what stood before its arrow.
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
    # A cast to two types is two casts, the outer one to the last type.
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
    # A type's annotation is its child: the type is no leaf.
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


@pytest.mark.parametrize("body", CASES, ids=str)
def test_leaves(one: Callable[..., MethodPaths], body: str) -> None:
    expected = [name.replace("METHOD", "f") for name in CASES[body]]
    assert leaves(one(f"void f() {{ {body} }}")) == expected


NODES = {
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


@pytest.mark.parametrize("body", NODES, ids=str)
def test_nodes(one: Callable[..., MethodPaths], body: str) -> None:
    assert kinds(one(f"void f() {{ {body} }}")) == list(NODES[body])


def test_comments_change_nothing(one: Callable[..., MethodPaths]) -> None:
    with_comments = "/** d */ void f(/* a */ int x) { // b\n g(/* c */); int[] y = { /* d */ }; }"
    assert one(with_comments) == one("void f(int x) { g(); int[] y = { }; }")
