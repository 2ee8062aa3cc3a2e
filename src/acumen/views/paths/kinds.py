"""Kinds of JavaParser 3.0.0-alpha.4 nodes, as path contexts spell them.

The strings are the parser's class names, with the operator where there is one. Constructs newer
than that parser have the names that later versions gave them. Numbers are stored in corpora:
kinds are only ever appended.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

KINDS: tuple[str, ...] = (
    "MethodDeclaration", "ConstructorDeclaration", "CompactConstructorDeclaration", "Parameter",
    "ReceiverParameter", "TypeParameter", "FieldDeclaration", "InitializerDeclaration",
    "EmptyMemberDeclaration", "ClassOrInterfaceDeclaration", "EnumDeclaration",
    "EnumConstantDeclaration", "AnnotationDeclaration", "AnnotationMemberDeclaration",
    "RecordDeclaration", "VariableDeclarator", "VariableDeclaratorId", "ArrayBracketPair",
    "MarkerAnnotationExpr", "NormalAnnotationExpr", "SingleMemberAnnotationExpr",
    "MemberValuePair", "QualifiedNameExpr",
    "ClassOrInterfaceType", "PrimitiveType", "VoidType", "ArrayType", "WildcardType", "UnionType",
    "IntersectionType",
    "BlockStmt", "ExpressionStmt", "TypeDeclarationStmt", "IfStmt", "WhileStmt", "DoStmt",
    "ForStmt", "ForeachStmt", "SwitchStmt", "SwitchEntryStmt", "TryStmt", "CatchClause",
    "SynchronizedStmt", "ReturnStmt", "ThrowStmt", "BreakStmt", "ContinueStmt", "YieldStmt",
    "AssertStmt", "LabeledStmt", "EmptyStmt", "ExplicitConstructorInvocationStmt",
    "NameExpr", "ThisExpr", "SuperExpr", "FieldAccessExpr", "ArrayAccessExpr", "MethodCallExpr",
    "ObjectCreationExpr", "ArrayCreationExpr", "ArrayCreationLevel", "ArrayInitializerExpr",
    "VariableDeclarationExpr", "CastExpr", "InstanceOfExpr", "ConditionalExpr", "EnclosedExpr",
    "LambdaExpr", "MethodReferenceExpr", "TypeExpr", "ClassExpr", "SwitchExpr", "PatternExpr",
    "RecordPatternExpr", "TemplateExpr",
    "IntegerLiteralExpr", "IntegerLiteralMinValueExpr", "LongLiteralExpr",
    "LongLiteralMinValueExpr", "DoubleLiteralExpr", "CharLiteralExpr", "StringLiteralExpr",
    "TextBlockLiteralExpr", "BooleanLiteralExpr", "NullLiteralExpr",
    "AssignExpr:assign", "AssignExpr:plus", "AssignExpr:minus", "AssignExpr:star",
    "AssignExpr:slash", "AssignExpr:rem", "AssignExpr:and", "AssignExpr:or", "AssignExpr:xor",
    "AssignExpr:lShift", "AssignExpr:rSignedShift", "AssignExpr:rUnsignedShift",
    "BinaryExpr:or", "BinaryExpr:and", "BinaryExpr:binOr", "BinaryExpr:binAnd", "BinaryExpr:xor",
    "BinaryExpr:equals", "BinaryExpr:notEquals", "BinaryExpr:less", "BinaryExpr:greater",
    "BinaryExpr:lessEquals", "BinaryExpr:greaterEquals", "BinaryExpr:lShift",
    "BinaryExpr:rSignedShift", "BinaryExpr:rUnsignedShift", "BinaryExpr:plus", "BinaryExpr:minus",
    "BinaryExpr:times", "BinaryExpr:divide", "BinaryExpr:remainder",
    "UnaryExpr:positive", "UnaryExpr:negative", "UnaryExpr:preIncrement",
    "UnaryExpr:preDecrement", "UnaryExpr:not", "UnaryExpr:inverse", "UnaryExpr:posIncrement",
    "UnaryExpr:posDecrement",
    # An operation whose operator is hidden.
    "BinaryExpr:mask",
)  # fmt: skip
KIND = {name: number for number, name in enumerate(KINDS)}

# By how an operator is written; the names are those of the parser's enumerations.
BINARY = {
    "||": "or", "&&": "and", "|": "binOr", "&": "binAnd", "^": "xor", "==": "equals",
    "!=": "notEquals", "<": "less", ">": "greater", "<=": "lessEquals", ">=": "greaterEquals",
    "<<": "lShift", ">>": "rSignedShift", ">>>": "rUnsignedShift", "+": "plus", "-": "minus",
    "*": "times", "/": "divide", "%": "remainder",
}  # fmt: skip
ASSIGN = {
    "=": "assign", "+=": "plus", "-=": "minus", "*=": "star", "/=": "slash", "%=": "rem",
    "&=": "and", "|=": "or", "^=": "xor", "<<=": "lShift", ">>=": "rSignedShift",
    ">>>=": "rUnsignedShift",
}  # fmt: skip
UNARY = {"+": "positive", "-": "negative", "!": "not", "~": "inverse"}
BEFORE = {"++": "preIncrement", "--": "preDecrement"}
AFTER = {"++": "posIncrement", "--": "posDecrement"}

# What code2seq prints; a kind that is not here prints its full name.
ABBREVIATIONS = {
    "ArrayAccessExpr": "ArAc", "ArrayBracketPair": "ArBr", "ArrayCreationExpr": "ArCr",
    "ArrayCreationLevel": "ArCrLvl", "ArrayInitializerExpr": "ArIn", "ArrayType": "ArTy",
    "AssertStmt": "Asrt", "AssignExpr:and": "AsAn", "AssignExpr:assign": "As",
    "AssignExpr:lShift": "AsLS", "AssignExpr:minus": "AsMi", "AssignExpr:or": "AsOr",
    "AssignExpr:plus": "AsP", "AssignExpr:rem": "AsRe", "AssignExpr:rSignedShift": "AsRSS",
    "AssignExpr:rUnsignedShift": "AsRUS", "AssignExpr:slash": "AsSl", "AssignExpr:star": "AsSt",
    "AssignExpr:xor": "AsX", "BinaryExpr:and": "And", "BinaryExpr:binAnd": "BinAnd",
    "BinaryExpr:binOr": "BinOr", "BinaryExpr:divide": "Div", "BinaryExpr:equals": "Eq",
    "BinaryExpr:greater": "Gt", "BinaryExpr:greaterEquals": "Geq", "BinaryExpr:less": "Ls",
    "BinaryExpr:lessEquals": "Leq", "BinaryExpr:lShift": "LS", "BinaryExpr:mask": "Mask",
    "BinaryExpr:minus": "Minus", "BinaryExpr:notEquals": "Neq", "BinaryExpr:or": "Or",
    "BinaryExpr:plus": "Plus", "BinaryExpr:remainder": "Mod", "BinaryExpr:rSignedShift": "RSS",
    "BinaryExpr:rUnsignedShift": "RUS", "BinaryExpr:times": "Mul", "BinaryExpr:xor": "Xor",
    "BlockStmt": "Bk", "BooleanLiteralExpr": "BoolEx", "CastExpr": "Cast", "CatchClause": "Catch",
    "CharLiteralExpr": "CharEx", "ClassExpr": "ClsEx", "ClassOrInterfaceDeclaration": "ClsD",
    "ClassOrInterfaceType": "Cls", "ConditionalExpr": "Cond", "ConstructorDeclaration": "Ctor",
    "DoStmt": "Do", "DoubleLiteralExpr": "Dbl", "EmptyMemberDeclaration": "Emp",
    "EnclosedExpr": "Enc", "ExplicitConstructorInvocationStmt": "ExpCtor", "ExpressionStmt": "Ex",
    "FieldAccessExpr": "Fld", "FieldDeclaration": "FldDec", "ForeachStmt": "Foreach",
    "ForStmt": "For", "IfStmt": "If", "InitializerDeclaration": "Init",
    "InstanceOfExpr": "InstanceOf", "IntegerLiteralExpr": "IntEx",
    "IntegerLiteralMinValueExpr": "IntMinEx", "LabeledStmt": "Labeled", "LambdaExpr": "Lambda",
    "LongLiteralExpr": "LongEx", "MarkerAnnotationExpr": "MarkerExpr", "MemberValuePair": "Mvp",
    "MethodCallExpr": "Cal", "MethodDeclaration": "Mth", "MethodReferenceExpr": "MethRef",
    "NameExpr": "Nm", "NormalAnnotationExpr": "NormEx", "NullLiteralExpr": "Null",
    "ObjectCreationExpr": "ObjEx", "Parameter": "Prm", "PrimitiveType": "Prim",
    "QualifiedNameExpr": "Qua", "ReturnStmt": "Ret", "SingleMemberAnnotationExpr": "SMEx",
    "StringLiteralExpr": "StrEx", "SuperExpr": "SupEx", "SwitchEntryStmt": "SwiEnt",
    "SwitchStmt": "Switch", "SynchronizedStmt": "Sync", "ThisExpr": "This", "ThrowStmt": "Thro",
    "TryStmt": "Try", "TypeDeclarationStmt": "TypeDec", "TypeExpr": "Type",
    "TypeParameter": "TypePar", "UnaryExpr:inverse": "Inverse", "UnaryExpr:negative": "Neg",
    "UnaryExpr:not": "Not", "UnaryExpr:posDecrement": "PosDec",
    "UnaryExpr:posIncrement": "PosInc", "UnaryExpr:positive": "Pos",
    "UnaryExpr:preDecrement": "PreDec", "UnaryExpr:preIncrement": "PreInc", "UnionType": "Unio",
    "VariableDeclarationExpr": "VDE", "VariableDeclarator": "VD", "VariableDeclaratorId": "VDID",
    "VoidType": "Void", "WhileStmt": "While", "WildcardType": "Wild",
}  # fmt: skip
SHORT: tuple[str, ...] = tuple(ABBREVIATIONS.get(name, name) for name in KINDS)

_NUMBERED = ("AssignExpr", "ArrayAccessExpr", "FieldAccessExpr", "MethodCallExpr")
# Kinds whose place among their siblings is told, or whose children's is.
NUMBERED: tuple[bool, ...] = tuple(name.split(":")[0] in _NUMBERED for name in KINDS)


def hash_code(text: str) -> int:
    """Java's ``String.hashCode``: over UTF-16 units, in 32 bits that wrap around."""
    value = 0
    units = text.encode("utf-16-be", errors="surrogatepass")
    for i in range(0, len(units), 2):
        value = (31 * value + 256 * units[i] + units[i + 1]) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


@lru_cache(maxsize=1)
def hashes() -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]:
    """For each kind: the hash of ``(kind``, 31 to the power of its length, and whether it is
    numbered."""
    opened = [f"({name}" for name in KINDS]
    codes = np.array([hash_code(text) & 0xFFFFFFFF for text in opened], dtype=np.uint64)
    powers = np.array([pow(31, len(text), 1 << 32) for text in opened], dtype=np.uint64)
    return codes, powers, np.array(NUMBERED)
