"""Spelling of path contexts: kinds of nodes, code2vec's names of leaves and code2seq's parts.

Names and parts derive from the leaf's text as JavaParser prints it. The rules are those of the
authors' extractors, mistakes included: a rule meant for white space deletes ``//s``, and
``Integer`` becomes ``int`` in code2vec and ``integer`` in code2seq.

Kinds are JavaParser's class names, with the operator where there is one; constructs newer than
version 3.0.0-alpha.4 have the names of later versions. Corpora store the numbers of kinds:
only append to ``KINDS``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.text.subtokens import code2seq_parts, code2vec_name
from codeacumen.views.paths.tree import (
    BRACES,
    BRACKETS,
    DIAMOND,
    LEAST_INT,
    LEAST_LONG,
    NAME,
    PARENTHESES,
    TEXT,
    TYPE,
    WILDCARD,
)

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
    # An operation whose operator is masked.
    "BinaryExpr:mask",
)  # fmt: skip
KIND = {name: number for number, name in enumerate(KINDS)}

# Names of operators in the parser's enumerations.
BINARY = {
    "||": "or",
    "&&": "and",
    "|": "binOr",
    "&": "binAnd",
    "^": "xor",
    "==": "equals",
    "!=": "notEquals",
    "<": "less",
    ">": "greater",
    "<=": "lessEquals",
    ">=": "greaterEquals",
    "<<": "lShift",
    ">>": "rSignedShift",
    ">>>": "rUnsignedShift",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divide",
    "%": "remainder",
}
ASSIGN = {
    "=": "assign",
    "+=": "plus",
    "-=": "minus",
    "*=": "star",
    "/=": "slash",
    "%=": "rem",
    "&=": "and",
    "|=": "or",
    "^=": "xor",
    "<<=": "lShift",
    ">>=": "rSignedShift",
    ">>>=": "rUnsignedShift",
}
UNARY = {"+": "positive", "-": "negative", "!": "not", "~": "inverse"}
BEFORE = {"++": "preIncrement", "--": "preDecrement"}
AFTER = {"++": "posIncrement", "--": "posDecrement"}

# Kinds as code2seq prints them; missing kinds keep their full name.
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
# Numbered kinds: their child id (on the way down) or that of their children (on the way up and at
# the top) is printed in paths.
NUMBERED: tuple[bool, ...] = tuple(name.split(":")[0] in _NUMBERED for name in KINDS)


def hash_code(text: str) -> int:
    """Return Java's ``String.hashCode``, a polynomial of UTF-16 units modulo 2 ** 32."""
    value = 0
    units = text.encode("utf-16-be", errors="surrogatepass")
    for i in range(0, len(units), 2):
        value = (31 * value + 256 * units[i] + units[i + 1]) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


@lru_cache(maxsize=1)
def kind_hashes() -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]:
    """Return for each kind the hash of ``(kind``, 31 ** its length, and the mask ``NUMBERED``."""
    opened = [f"({name}" for name in KINDS]
    codes = np.array([hash_code(text) & 0xFFFFFFFF for text in opened], dtype=np.uint64)
    powers = np.array([pow(31, len(text), 1 << 32) for text in opened], dtype=np.uint64)
    return codes, powers, np.array(NUMBERED)


# The name of a leaf whose text has no character that code2vec keeps.
BLANK = "BLANK"
BOXED = {
    "Boolean": "boolean",
    "Byte": "byte",
    "Character": "char",
    "Double": "double",
    "Float": "float",
    "Integer": "int",
    "Long": "long",
    "Short": "short",
}
# Numbers that code2seq does not replace by <NUM>.
_KEPT_NUMBERS = ("0", "1", "32", "64")
_MAX_NAME_LENGTH = 50  # characters; code2vec cuts longer names
_FIXED_TEXTS = {
    BRACKETS: "[]",
    BRACES: "{}",
    PARENTHESES: "()",
    WILDCARD: "?",
    LEAST_INT: "-2147483648",
    LEAST_LONG: "-9223372036854775808L",
}

_WHOLE_NUMBER = re.compile(r"[0-9][0-9_]*")
_UNICODE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})")


def code2vec_leaf_name(text: str, boxed: bool = False) -> str:
    """Return code2vec's name of a leaf; a boxed type is printed as its primitive type."""
    return BOXED[text] if boxed else code2vec_name(text, BLANK)[:_MAX_NAME_LENGTH]


def code2seq_leaf_parts(text: str) -> str:
    """Return code2seq's name of a leaf: parts joined by bars, most whole numbers as <NUM>."""
    parts = "|".join(code2seq_parts(text.replace("|", " ")))
    if parts:
        return parts
    name = code2vec_leaf_name(text)
    is_number = _WHOLE_NUMBER.fullmatch(text) is not None
    return "<NUM>" if is_number and name not in _KEPT_NUMBERS else name


def prediction_target(method: str) -> str:
    """Return the prediction target, the parts of a method's name."""
    return "|".join(code2seq_parts(method)) or code2vec_name(method, BLANK)


# Cached names and parts by text; few distinct names make up most of any code.
_NAME_CACHE: dict[str, tuple[str, str]] = {}
_MAX_CACHED = 1 << 17


def _compute_names(text: str) -> tuple[str, str]:
    """Compute and cache the name and the parts of a text."""
    plain = text
    if "\\u" in text:
        # The compiler translates Unicode escapes before it splits tokens (JLS 3.3).
        plain = _UNICODE.sub(lambda match: match[1] + chr(int(match[2], 16)), text)
    if plain.isascii() and plain.isdigit():
        names = plain[:_MAX_NAME_LENGTH], plain if plain in _KEPT_NUMBERS else "<NUM>"
    elif plain.isascii() and plain.isidentifier() and (parts := code2seq_parts(plain)):
        # The name of an identifier is the concatenation of its parts.
        names = "".join(parts)[:_MAX_NAME_LENGTH], "|".join(parts)
    else:
        names = code2vec_leaf_name(plain), code2seq_leaf_parts(plain)
    # Long texts are mostly literals that occur once.
    if len(text) <= 40:
        if len(_NAME_CACHE) >= _MAX_CACHED:
            _NAME_CACHE.clear()
        _NAME_CACHE[text] = names
    return names


class _LeafTexts:
    """Texts of leaves by number: the file's words first, then further texts."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        # Numbers of further texts by key: the text itself, or a word's index and a form of leaf.
        # The index is 0 for the forms in ``_FIXED_TEXTS``, whose text does not depend on a word.
        self.further: dict[bytes | tuple[int, int], int] = {}

    def number_of(self, key: bytes | tuple[int, int]) -> int:
        """Return the number of a text that is not a word of the file, by its key."""
        return self.further.setdefault(key, len(self.words) + len(self.further))

    def spell_texts(self, numbers: list[int]) -> list[tuple[str, str]]:
        """Return the names and the parts of the texts with these numbers, which are sorted."""
        find_cached = _NAME_CACHE.get
        words, keys = self.words, list(self.further)
        # The numbers are sorted, so the file's words come first.
        word_count = bisect_left(numbers, len(words))
        spellings = [
            find_cached(words[number]) or _compute_names(words[number])
            for number in numbers[:word_count]
        ]
        for number in numbers[word_count:]:
            key = keys[number - len(words)]
            if isinstance(key, bytes):
                text = key.decode("utf-8", errors="replace")
            elif key[1] in _FIXED_TEXTS:
                text = _FIXED_TEXTS[key[1]]
            elif key[1] == DIAMOND:
                text = f"{words[key[0]]}<>"
            else:
                # The key of a boxed type, the only word whose name depends on the leaf's kind.
                text = words[key[0]]
                spellings.append((code2vec_leaf_name(text, boxed=True), code2seq_leaf_parts(text)))
                continue
            spellings.append(find_cached(text) or _compute_names(text))
        return spellings


def leaf_names(
    file: JavaFile,
    kind: NDArray[np.int32],
    anchor: NDArray[np.int32],
    form: NDArray[np.int32],
) -> tuple[tuple[NDArray[np.int32], tuple[str, ...]], tuple[NDArray[np.int32], tuple[str, ...]]]:
    """Return the names and the parts of leaves, each as codes and a vocabulary.

    The arrays have an item for each leaf: its kind, the syntax node with its text, and its form
    (``tree.TEXT`` to ``LEAST_LONG``).
    """
    names, syntax = file.names, file.syntax
    texts = _LeafTexts(names.words)
    word = names.word_of[anchor]
    boxed = (kind == KIND["PrimitiveType"]) & (word >= 0)
    plain = (word >= 0) & ~boxed & ((form == TEXT) | (form == NAME) | (form == TYPE))
    number = word.copy()
    rest = np.flatnonzero(~plain)
    columns = (word[rest], form[rest], syntax.start[anchor[rest]], syntax.end[anchor[rest]])
    number[rest] = [
        texts.number_of(
            (0, leaf_form)
            if leaf_form in _FIXED_TEXTS
            else (word_index, leaf_form)
            if word_index >= 0
            else file.source[start:end]
        )
        for word_index, leaf_form, start, end in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
    used_numbers, positions = np.unique(number, return_inverse=True)
    spellings = texts.spell_texts(used_numbers.tolist())
    columns_and_words = []
    for column in range(2):
        words: dict[str, int] = {}
        codes = [words.setdefault(pair[column], len(words)) for pair in spellings]
        columns_and_words.append((np.array(codes, dtype=np.int32)[positions], tuple(words)))
    return columns_and_words[0], columns_and_words[1]
