"""Tests of the order of children in JavaParser 3.0.0-alpha.4, with contexts worked out by hand.

``length`` and ``width`` keep each case to little more than the node that it tests. Every method
begins with ``void`` (child 0) and its name (child 1), which form the first context.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

FIRST_CONTEXT = "void,Void0|Mth|Nm1,METHOD_NAME"

CASES: dict[str, tuple[str, dict[str, int], list[str]]] = {
    # Annotations, the id, the type, then its brackets. The type of the varargs n is int.
    "Parameter": (
        "void f(final @A String[] s, int... n) { }", {"length": 2},
        [
            FIRST_CONTEXT,
            "s,VDID1|Prm|Cls2,string", "s,VDID1|Prm|ArBr3,[]", "string,Cls2|Prm|ArBr3,[]",
            "n,VDID0|Prm|Prim1,int",
        ],
    ),
    # Brackets after the name are children of the id, which is then no leaf, so its name is absent.
    "brackets at a name": (
        "void f(int a[][]) { }", {"length": 3},
        [
            FIRST_CONTEXT, "void,Void0|Mth|Prm|Prim1,int", "METHOD_NAME,Nm1|Mth|Prm|Prim1,int",
            "[],ArBr0|VDID|ArBr1,[]", "[],ArBr0|VDID|Prm|Prim1,int", "[],ArBr1|VDID|Prm|Prim1,int",
        ],
    ),
    # A lambda's parameter has an id; its unknown type is not a leaf. The body is a statement.
    "lambda": (
        "void f() { return (x, y) -> z; }", {"length": 4},
        [
            FIRST_CONTEXT, "x,VDID0|Prm|Lambda|Prm|VDID0,y", "x,VDID0|Prm|Lambda|Ex|Nm0,z",
            "y,VDID0|Prm|Lambda|Ex|Nm0,z",
        ],
    ),
    # Scope 0, phantom 1, name 2. In a chain, the scope is child 0 of the outer expression.
    "FieldAccessExpr": (
        "void f() { x = o.p.q; }", {"length": 4},
        [
            FIRST_CONTEXT,
            "x,Nm0|As|Fld1|Fld0|Nm0,o", "x,Nm0|As|Fld1|Fld0|Nm2,p", "x,Nm0|As|Fld1|Nm2,q",
            "o,Nm0|Fld0|Nm2,p", "o,Nm0|Fld0|Fld1|Nm2,q", "p,Nm2|Fld0|Fld1|Nm2,q",
        ],
    ),
    # Scope, type, arguments, members.
    "ObjectCreationExpr": (
        "void f() { o.new T(a) { int i; }; }", {"length": 3, "width": 3},
        [
            FIRST_CONTEXT,
            "o,Nm0|ObjEx|Cls1,t", "o,Nm0|ObjEx|Nm2,a", "o,Nm0|ObjEx|FldDec|Prim0,int",
            "t,Cls1|ObjEx|Nm2,a", "t,Cls1|ObjEx|FldDec|Prim0,int",
            "a,Nm2|ObjEx|FldDec|Prim0,int", "int,Prim0|FldDec|VD|VDID0,i",
        ],
    ),
    # Type 0, declarators 1 and 2, brackets 3. A declarator: id 0, initialiser 1.
    "VariableDeclarationExpr, VariableDeclarator": (
        "void f() { final int[] i = a, j; }", {"length": 3, "width": 3},
        [
            FIRST_CONTEXT,
            "int,Prim0|VDE|VD|VDID0,i", "int,Prim0|VDE|VD|Nm1,a", "int,Prim0|VDE|VD|VDID0,j",
            "int,Prim0|VDE|ArBr3,[]",
            "i,VDID0|VD|Nm1,a", "i,VDID0|VD|VDE|ArBr3,[]", "a,Nm1|VD|VDE|ArBr3,[]",
            "j,VDID0|VD|VDE|ArBr3,[]",
        ],
    ),
    # The same after an annotation; the two brackets share an id.
    "FieldDeclaration": (
        "void f() { new X() { @A int[][] i; }; }", {"length": 3, "width": 3},
        [
            FIRST_CONTEXT,
            "x,Cls0|ObjEx|FldDec|Prim1,int", "x,Cls0|ObjEx|FldDec|ArBr3,[]",
            "x,Cls0|ObjEx|FldDec|ArBr3,[]",
            "a,Nm0|MarkerExpr|FldDec|Prim1,int", "a,Nm0|MarkerExpr|FldDec|ArBr3,[]",
            "a,Nm0|MarkerExpr|FldDec|ArBr3,[]",
            "int,Prim1|FldDec|VD|VDID0,i", "int,Prim1|FldDec|ArBr3,[]",
            "int,Prim1|FldDec|ArBr3,[]",
            "i,VDID0|VD|FldDec|ArBr3,[]", "i,VDID0|VD|FldDec|ArBr3,[]",
            "[],ArBr3|FldDec|ArBr3,[]",
        ],
    ),
    # Levels 0 and 1, which both span the whole expression and so have id 0; type 2; initialiser 3.
    "ArrayCreationExpr": (
        "void f() { new int[][] { }; }", {"length": 2, "width": 3},
        [
            FIRST_CONTEXT,
            "[],ArCrLvl0|ArCr|ArCrLvl0,[]", "[],ArCrLvl0|ArCr|Prim2,int",
            "[],ArCrLvl0|ArCr|ArIn3,{}",
            "[],ArCrLvl0|ArCr|Prim2,int", "[],ArCrLvl0|ArCr|ArIn3,{}", "int,Prim2|ArCr|ArIn3,{}",
        ],
    ),
    # A level with a length is not a leaf; the length is.
    "ArrayCreationLevel": (
        "void f() { new int[n][]; }", {"length": 3},
        [
            FIRST_CONTEXT, "n,Nm0|ArCrLvl|ArCr|ArCrLvl0,[]", "n,Nm0|ArCrLvl|ArCr|Prim2,int",
            "[],ArCrLvl0|ArCr|Prim2,int",
        ],
    ),
    # Condition 0, both initialisers 1 and 2, update 3, body 4.
    "ForStmt": (
        "void f() { for (a = 0, b = 1; c; e++) throw g; }", {"length": 3},
        [
            FIRST_CONTEXT,
            "c,Nm0|For|As1|Nm0,a", "c,Nm0|For|As1|IntEx1,0", "c,Nm0|For|As2|Nm0,b",
            "c,Nm0|For|As2|IntEx1,1", "a,Nm0|As|IntEx1,0", "b,Nm0|As|IntEx1,1",
        ],
    ),
    # The variable is a declaration: type, declarator, brackets. Then the iterable.
    "ForeachStmt": (
        "void f() { for (int[] i : a) throw b; }", {"length": 3},
        [
            FIRST_CONTEXT,
            "int,Prim0|VDE|VD|VDID0,i", "int,Prim0|VDE|ArBr2,[]", "int,Prim0|VDE|Foreach|Nm1,a",
            "i,VDID0|VD|VDE|ArBr2,[]", "[],ArBr2|VDE|Foreach|Nm1,a", "a,Nm1|Foreach|Thro|Nm0,b",
        ],
    ),
    "IfStmt": (
        "void f() { if (a) return b; else return c; }", {"length": 3},
        [FIRST_CONTEXT, "a,Nm0|If|Ret|Nm0,b", "a,Nm0|If|Ret|Nm0,c"],
    ),
    "WhileStmt": (
        "void f() { while (a) throw b; }", {"length": 3}, [FIRST_CONTEXT, "a,Nm0|While|Thro|Nm0,b"],
    ),
    # The body comes first, as in the source.
    "DoStmt": (
        "void f() { do throw b; while (a); }",
        {"length": 3}, [FIRST_CONTEXT, "b,Nm0|Thro|Do|Nm1,a"],
    ),
    # Selector, entries; an entry: its label, if it has one, then statements.
    "SwitchStmt, SwitchEntryStmt": (
        "void f() { switch (a) { case b: throw c; default: throw d; } }", {"length": 4},
        [
            FIRST_CONTEXT, "void,Void0|Mth|Bk|Switch|Nm0,a", "METHOD_NAME,Nm1|Mth|Bk|Switch|Nm0,a",
            "a,Nm0|Switch|SwiEnt|Nm0,b", "a,Nm0|Switch|SwiEnt|Thro|Nm0,c",
            "a,Nm0|Switch|SwiEnt|Thro|Nm0,d", "b,Nm0|SwiEnt|Thro|Nm0,c",
        ],
    ),
    # Resource 0, block 1, catch 2, finally 3. A catch: parameter 0 (id, type), block 1.
    "TryStmt, CatchClause": (
        "void f() { try (R r = a) { throw b; } catch (X | Y e) { throw c; } finally { throw d; } }",
        {"length": 6, "width": 1},
        [
            FIRST_CONTEXT,
            "METHOD_NAME,Nm1|Mth|Bk|Try|VDE|Cls0,r", "METHOD_NAME,Nm1|Mth|Bk|Try|VDE|VD|VDID0,r",
            "METHOD_NAME,Nm1|Mth|Bk|Try|VDE|VD|Nm1,a", "METHOD_NAME,Nm1|Mth|Bk|Try|Bk|Thro|Nm0,b",
            "METHOD_NAME,Nm1|Mth|Bk|Try|Catch|Prm|VDID0,e",
            "METHOD_NAME,Nm1|Mth|Bk|Try|Bk|Thro|Nm0,d",
            "r,Cls0|VDE|VD|VDID0,r", "r,Cls0|VDE|VD|Nm1,a", "r,Cls0|VDE|Try|Bk|Thro|Nm0,b",
            "r,VDID0|VD|Nm1,a", "r,VDID0|VD|VDE|Try|Bk|Thro|Nm0,b",
            "a,Nm1|VD|VDE|Try|Bk|Thro|Nm0,b",
            "b,Nm0|Thro|Bk|Try|Catch|Prm|VDID0,e",
            "e,VDID0|Prm|Unio|Cls0,x", "e,VDID0|Prm|Unio|Cls1,y",
            "e,VDID0|Prm|Catch|Bk|Thro|Nm0,c", "e,VDID0|Prm|Catch|Try|Bk|Thro|Nm0,d",
            "x,Cls0|Unio|Cls1,y", "x,Cls0|Unio|Prm|Catch|Bk|Thro|Nm0,c",
            "y,Cls1|Unio|Prm|Catch|Bk|Thro|Nm0,c",
        ],
    ),
    "ConditionalExpr": (
        "void f() { return a ? b : c; }", {"length": 2},
        [FIRST_CONTEXT, "a,Nm0|Cond|Nm1,b", "a,Nm0|Cond|Nm2,c", "b,Nm1|Cond|Nm2,c"],
    ),
    # Below an assignment, the top node of a path prints its child id; one on the way down does not.
    "BinaryExpr, AssignExpr": (
        "void f() { a = b * c; a <<= b; }", {"length": 3},
        [
            FIRST_CONTEXT,
            "a,Nm0|As|Mul|Nm0,b", "a,Nm0|As|Mul|Nm1,c", "b,Nm0|Mul1|Nm1,c",
            "a,Nm0|AsLS|Nm1,b",
        ],
    ),
    "ArrayAccessExpr": (
        "void f() { return a[b]; }", {"length": 2}, [FIRST_CONTEXT, "a,Nm0|ArAc|Nm1,b"],
    ),
    "CastExpr": ("void f() { return (T) a; }", {"length": 2}, [FIRST_CONTEXT, "t,Cls0|Cast|Nm1,a"]),
    "InstanceOfExpr": (
        "void f() { return a instanceof T; }",
        {"length": 2}, [FIRST_CONTEXT, "a,Nm0|InstanceOf|Cls1,t"],
    ),
    "SynchronizedStmt": (
        "void f() { synchronized (a) { throw b; } }", {"length": 4},
        [
            FIRST_CONTEXT, "void,Void0|Mth|Bk|Sync|Nm0,a", "METHOD_NAME,Nm1|Mth|Bk|Sync|Nm0,a",
            "a,Nm0|Sync|Bk|Thro|Nm0,b",
        ],
    ),
    # Phantom 0, member 1, type parameter 2, supertypes 3 and 4 (printed as 3), the name last.
    "ClassOrInterfaceDeclaration": (
        "void f() { class L<T> extends S implements I { int i; } }", {"length": 3, "width": 9},
        [
            FIRST_CONTEXT,
            "int,Prim0|FldDec|VD|VDID0,i", "int,Prim0|FldDec|ClsD|TypePar2,t",
            "int,Prim0|FldDec|ClsD|Cls3,s", "int,Prim0|FldDec|ClsD|Cls3,i",
            "int,Prim0|FldDec|ClsD|Nm3,l",
            "t,TypePar2|ClsD|Cls3,s", "t,TypePar2|ClsD|Cls3,i", "t,TypePar2|ClsD|Nm3,l",
            "s,Cls3|ClsD|Cls3,i", "s,Cls3|ClsD|Nm3,l", "i,Cls3|ClsD|Nm3,l",
        ],
    ),
    # Neither Entry nor List is a leaf: the scope 0 and the arguments 1 and 2 are.
    "ClassOrInterfaceType": (
        "void f() { Map.Entry<K, List<V>> x; }", {"length": 3},
        [
            FIRST_CONTEXT,
            "map,Cls0|Cls|Cls1,k", "map,Cls0|Cls|Cls|Cls0,v", "k,Cls1|Cls|Cls|Cls0,v",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_order_of_children(contexts: Callable[..., list[str]], case: str) -> None:
    method_source, limits, expected = CASES[case]
    assert contexts(method_source, **limits) == expected


def test_children_of_a_method_declaration(contexts: Callable[..., list[str]]) -> None:
    # Annotation 0, type parameter 1, element type 2, name 3, parameter 4 (id, type), brackets of
    # the type 5, those after the parameters 6, thrown type 7, body 8. Only code2vec's style prints
    # ids above 3. The width limits the paths to neighbours.
    method_source = "@A <T> int[] f(B b)[] throws E { x(); }"
    assert contexts(method_source, "code2vec", length=3, width=1) == [
        "a,(NameExpr0)^(MarkerAnnotationExpr)^(MethodDeclaration)_(TypeParameter1),t",
        "t,(TypeParameter1)^(MethodDeclaration)_(PrimitiveType2),int",
        "int,(PrimitiveType2)^(MethodDeclaration)_(NameExpr3),METHOD_NAME",
        "METHOD_NAME,(NameExpr3)^(MethodDeclaration)_(Parameter)_(VariableDeclaratorId0),b",
        "METHOD_NAME,(NameExpr3)^(MethodDeclaration)_(Parameter)_(ClassOrInterfaceType1),b",
        "b,(VariableDeclaratorId0)^(Parameter)_(ClassOrInterfaceType1),b",
        "b,(VariableDeclaratorId0)^(Parameter)^(MethodDeclaration)_(ArrayBracketPair5),[]",
        "b,(ClassOrInterfaceType1)^(Parameter)^(MethodDeclaration)_(ArrayBracketPair5),[]",
        "[],(ArrayBracketPair5)^(MethodDeclaration)_(ArrayBracketPair6),[]",
        "[],(ArrayBracketPair6)^(MethodDeclaration)_(ClassOrInterfaceType7),e",
    ]


def test_children_of_a_method_call(contexts: Callable[..., list[str]]) -> None:
    # Scope 0, type argument 1, phantom 2, arguments 3 and 4, name 5.
    assert contexts("void f() { o.<T>m(a, b); }", "code2vec", length=2)[1:] == [
        "o,(NameExpr0)^(MethodCallExpr)_(ClassOrInterfaceType1),t",
        "t,(ClassOrInterfaceType1)^(MethodCallExpr)_(NameExpr3),a",
        "a,(NameExpr3)^(MethodCallExpr)_(NameExpr4),b",
        "a,(NameExpr3)^(MethodCallExpr)_(NameExpr5),m",
        "b,(NameExpr4)^(MethodCallExpr)_(NameExpr5),m",
    ]


def test_child_ids_differ_between_the_ways_up_and_down(
    contexts: Callable[..., list[str]],
) -> None:
    # On the way up, each child of a call prints its id (BinaryExpr:plus1); on the way down, only a
    # call does (MethodCallExpr2).
    printed_contexts = contexts("void f() { g(a + b, h(c)); }", "code2vec", length=4)
    assert (
        "b,(NameExpr1)^(BinaryExpr:plus1)^(MethodCallExpr)_(MethodCallExpr2)_(NameExpr1),c"
        in printed_contexts
    )
    printed_contexts = contexts("void f() { g(h(a), b + c); }", "code2vec", length=4)
    assert (
        "a,(NameExpr1)^(MethodCallExpr1)^(MethodCallExpr)_(BinaryExpr:plus)_(NameExpr0),b"
        in printed_contexts
    )


def test_a_context_with_a_negative_width_is_kept(contexts: Callable[..., list[str]]) -> None:
    # Array types have no range, so the third type argument has the id of the first, 0. Its width
    # from the second, with id 1, is −1, which is below any limit.
    printed_contexts = contexts(
        "void f() { M<int[], K, char[]> x; }", "code2vec", length=3, width=0
    )
    assert printed_contexts == [
        "k,(ClassOrInterfaceType1)^(ClassOrInterfaceType)_(ArrayType)_(PrimitiveType0),char",
    ]
