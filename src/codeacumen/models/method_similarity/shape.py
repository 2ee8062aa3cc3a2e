"""Methods by their shape: what can be told of them without any name.

Of each part the traits that both have, of all that one of them has, each counted 1 + ln(how often)
times its rarity (a weighted Jaccard coefficient: what only one of them does counts against it, as
people see it, while a cosine would forgive it to a long method). And the size, the shorter of two
bodies as a share of the longer. The answer is the mean of all parts of which there is something to
see; nothing is learned.

What can be told of a method without any name: its traits, in seven parts.

=============  ====================================================================================
``signature``  what it returns and takes (``int``, a number, an array, a type variable, an object,
               its own type), how many parameters, whether it is static, synchronized, throws
``types``      what its type is like: how many type variables, what it extends; what its fields and
               the variables of its body are
``control``    loops, conditions, exceptions, returns; and each inside which other
``operators``  operators, casts, ``instanceof``; and what they are applied to
``literals``   which numbers, characters and truth values, ``null``, strings
``calls``      calls and creations: on what (a field, a parameter, a type, …), with how many
               arguments, and what becomes of the result; what is passed
``data``       which kinds of variables, fields and elements are read and written; what is returned
=============  ====================================================================================

All but the first are of the method together with all other methods that its text holds: those
are what it calls, and part of what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from codeacumen.api import Pair
from codeacumen.languages.java.bindings.names import DECLARES, READS, ROLES, UPDATES, WRITES
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.grammar import among, field_names, name_of, node_names
from codeacumen.languages.syntax import ListTree
from codeacumen.models.method_similarity.bags import (
    KEPT,
    ONLY,
    Bag,
    Code,
    Floats,
    Joined,
    Rarity,
    bag_of,
    joined,
    number_of,
    overlaps,
    places_of,
)

PARTS = ("signature", "types", "control", "operators", "literals", "calls", "data")

_NUMBERS = {
    "byte": "whole",
    "short": "whole",
    "int": "whole",
    "long": "whole",
    "char": "whole",
    "float": "real",
    "double": "real",
}
_CONTROL = {
    "if_statement": "if",
    "for_statement": "loop",
    "while_statement": "loop",
    "do_statement": "loop",
    "enhanced_for_statement": "loop",
    "switch_expression": "switch",
    "try_statement": "try",
    "try_with_resources_statement": "try",
    "catch_clause": "catch",
    "finally_clause": "finally",
    "throw_statement": "throw",
    "return_statement": "return",
    "break_statement": "break",
    "continue_statement": "continue",
    "ternary_expression": "choice",
    "synchronized_statement": "synchronized",
    "lambda_expression": "lambda",
    "assert_statement": "assert",
    "yield_statement": "yield",
    "class_body": "class",
}
_OPERATIONS = frozenset(
    (
        "binary_expression",
        "assignment_expression",
        "unary_expression",
        "update_expression",
        "instanceof_expression",
        "cast_expression",
        "array_access",
    )
)
_LITERALS = frozenset(
    (
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "character_literal",
        "true",
        "false",
        "null_literal",
    )
)
_CALLS = {
    "method_invocation": "call",
    "object_creation_expression": "new",
    "explicit_constructor_invocation": "construct",
    "array_creation_expression": "new array",
    "method_reference": "reference",
}
_OTHERS = {
    "method_invocation": "a call",
    "object_creation_expression": "a new one",
    "array_creation_expression": "a new array",
    "array_access": "an element",
    "this": "this",
    "super": "super",
    "string_literal": "a string",
    "ternary_expression": "a choice",
    "lambda_expression": "a lambda",
    "method_reference": "a reference",
    "assignment_expression": "an assignment",
}
_USED = {
    "expression_statement": "dropped",
    "return_statement": "returned",
    "throw_statement": "thrown",
    "argument_list": "passed",
    "variable_declarator": "kept",
    "assignment_expression": "kept",
    "method_invocation": "asked",
    "binary_expression": "computed with",
    "unary_expression": "computed with",
    "if_statement": "decides",
    "while_statement": "decides",
    "for_statement": "decides",
    "enhanced_for_statement": "walked",
    "field_access": "looked into",
    "array_access": "looked into",
    "switch_expression": "decides",
}
_ACCESS = {DECLARES: "declares", READS: "reads", WRITES: "writes", UPDATES: "updates"}
# Wrappers that change nothing, and how many of them are looked through.
_WRAPPERS = ("parenthesized_expression", "cast_expression")
_DEEP = 8

Trait = tuple[int, str]
SIGNATURE, TYPES, CONTROL, OPERATORS, LITERALS, CALLS, DATA = range(len(PARTS))


def traits(code: Code) -> list[Trait]:
    """Places in ``PARTS`` with what is told, as often as it is so."""
    if code.method == NONE:
        return []
    return [*_signature(code), *_types(code), *_Body(code).traits()]


def _signature(code: Code) -> Iterator[Trait]:
    declared = code.file.declarations
    method = declared.methods[code.method]
    owner = declared.types[method.type] if method.type != NONE else None
    variables = {*method.type_parameters, *(owner.type_parameters if owner else ())}
    own = owner.name if owner else ""
    for told in _type_traits(method.returns, variables, own):
        yield SIGNATURE, f"returns {told}"
    for place, parameter in enumerate(method.parameters):
        yield SIGNATURE, f"has {place + 1} parameters"
        for told in _type_traits(parameter.type, variables, own):
            yield SIGNATURE, f"takes {told}"
        if parameter.type == method.returns:
            yield SIGNATURE, "returns what it takes"
    if not method.parameters:
        yield SIGNATURE, "has no parameter"
    for modifier in ("static", "synchronized"):
        if modifier in method.modifiers:
            yield SIGNATURE, modifier
    if method.type_parameters:
        yield SIGNATURE, "has type variables"
    if _throws(code, method):
        yield SIGNATURE, "throws"


def _types(code: Code) -> Iterator[Trait]:
    declared = code.file.declarations
    syntax = code.file.syntax
    owner = declared.methods[code.method].type
    variables: set[str] = set()
    own = ""
    if owner != NONE:
        type_ = declared.types[owner]
        own, variables = type_.name, set(type_.type_parameters)
        yield TYPES, type_.kind
        yield TYPES, f"has {len(type_.type_parameters)} type variables"
        if "abstract" in type_.modifiers:
            yield TYPES, "abstract"
        for part in syntax.children(type_.node):
            if name_of(int(syntax.kind[part])) in ("superclass", "super_interfaces"):
                yield TYPES, name_of(int(syntax.kind[part]))
    for field in declared.fields:
        static = "static " if "static" in field.modifiers else ""
        for told in _type_traits(field.declared, variables, own):
            yield TYPES, f"{static}field {told}"
    for node in np.flatnonzero(among("local_variable_declaration")[syntax.kind]).tolist():
        for part in syntax.children(node):
            if field_names()[syntax.field[part]] == "type":
                for told in _type_traits("".join(syntax.text(part).split()), variables, own):
                    yield TYPES, f"local {told}"


def _throws(code: Code, method: MethodDeclaration) -> bool:
    syntax = code.file.syntax
    return any(name_of(int(syntax.kind[node])) == "throws" for node in syntax.children(method.node))


def _type_traits(written: str, variables: set[str], own: str) -> Iterator[str]:
    """A type without its name: as told, and what it is more generally."""
    array = written.endswith(("[]", "..."))
    inner = written.rstrip("[].")
    name = inner.partition("<")[0]
    if inner in _NUMBERS:
        told = [inner, f"{_NUMBERS[inner]} number", "number"]
    elif inner in ("void", "boolean"):
        told = [inner]
    elif inner in variables:
        told = ["type variable", "object"]
    else:
        told = ["object"]
        if "<" in inner:
            told.append("generic")
        if own and name == own:
            told.append("own type")
    if array:
        yield "array"
    for one in told:
        yield f"array of {one}" if array else one


class _Body(ListTree[str, str]):
    """The traits of all code of a text; one walk over its nodes."""

    def __init__(self, code: Code) -> None:
        file = code.file
        kinds, fields = node_names(), field_names()
        super().__init__(
            file.syntax,
            [kinds[symbol] for symbol in file.syntax.kind.tolist()],
            [fields[number] for number in file.syntax.field.tolist()],
        )
        bound = file.bindings
        self.role = dict(zip(bound.node.tolist(), bound.role.tolist(), strict=True))
        self.access = dict(zip(bound.node.tolist(), bound.access.tolist(), strict=True))
        self.inside = self._inside(code)

    def _inside(self, code: Code) -> list[int]:
        """Nodes inside of bodies, each once."""
        marks = np.zeros(len(self.kind) + 1, np.int64)
        for method in code.file.declarations.methods:
            if method.body != NONE:
                marks[method.body] += 1
                marks[self.stop[method.body]] -= 1
        return np.flatnonzero(np.cumsum(marks[:-1]) > 0).tolist()

    def traits(self) -> Iterator[Trait]:
        around: dict[int, str] = {}
        for node in self.inside:
            kind = self.kind[node]
            above = around.get(self.parent[node], "")
            if kind in _CONTROL:
                told = _CONTROL[kind]
                yield CONTROL, told
                yield CONTROL, f"{told} in {above or 'body'}"
                if told == "loop":
                    yield CONTROL, kind
                above = told
            elif kind in _OPERATIONS:
                yield from self._operation(node, kind)
            elif kind in _LITERALS:
                yield LITERALS, self.text(node).lower()
            elif kind == "string_literal":
                yield LITERALS, "a string"
            elif kind == "identifier":
                yield from self._variable(node)
            around[node] = above
            if kind in _CALLS:
                yield from self._call(node, kind, above)
            if kind == "return_statement":
                held = self._children(node)
                yield DATA, f"returns {self._what(held[1]) if len(held) > 2 else 'nothing'}"

    def _operation(self, node: int, kind: str) -> Iterator[Trait]:
        parts = self._children(node)
        signs = [self.kind[one] for one in parts if not self.kind[one][:1].isalpha()]
        sign = signs[0] if signs and kind != "cast_expression" else kind
        yield OPERATORS, sign
        named = [one for one in parts if self.field[one] not in ("", "operator", "type")]
        for one in named:
            yield OPERATORS, f"{sign} of {self._what(one)}"
        if kind == "binary_expression" and len(named) == 2:
            lesser, greater = sorted(map(self._what, named))
            yield OPERATORS, f"{sign} of {lesser} and {greater}"
        if kind == "cast_expression":
            types = [self.kind[one] for one in parts if self.field[one] == "type"]
            yield OPERATORS, f"cast to {types[0] if types else ''}"
        if kind == "array_access":
            yield (
                DATA,
                f"{self._done_to(node)} an element of {self._what(named[0]) if named else ''}",
            )

    def _done_to(self, node: int) -> str:
        above = self.parent[node]
        if self.kind[above] == "assignment_expression" and self.field[node] == "left":
            return "writes"
        return "updates" if self.kind[above] == "update_expression" else "reads"

    def _call(self, node: int, kind: str, above: str) -> Iterator[Trait]:
        told = _CALLS[kind]
        parts = self._children(node)
        on = next((self._what(one) for one in parts if self.field[one] == "object"), "nothing")
        passed = [
            one
            for arguments in parts
            if self.field[arguments] == "arguments"
            for one in self._children(arguments)
            if self.kind[one] not in ("(", ")", ",")
        ]
        used = self._use(node)
        yield CALLS, told
        yield CALLS, f"{told} with {len(passed)}"
        yield CALLS, f"{told} is {used}"
        if told == "call":
            yield CALLS, f"{told} on {on} with {len(passed)}"
            yield CALLS, f"{told} on {on} is {used}"
        if above:
            yield CALLS, f"{told} in {above}"
        for one in passed:
            yield CALLS, f"passes {self._what(one)}"

    def _use(self, node: int) -> str:
        child, above = node, self.parent[node]
        for _ in range(_DEEP):
            if above < 0 or self.kind[above] not in _WRAPPERS:
                break
            child, above = above, self.parent[above]
        kind = self.kind[above] if above >= 0 else ""
        if kind == "lambda_expression" and self.field[child] == "body":
            return "returned"
        return _USED.get(kind, "used")

    def _variable(self, node: int) -> Iterator[Trait]:
        done = _ACCESS.get(self.access.get(node, 0))
        if done is not None:
            yield DATA, f"{done} {ROLES[self.role[node]]}"

    def _what(self, node: int) -> str:
        """An expression without any name."""
        for _ in range(_DEEP):
            if self.kind[node] not in _WRAPPERS:
                break
            held = [one for one in self._children(node) if self.kind[one][:1].isalpha()]
            if not held:
                break
            node = held[-1]
        kind = self.kind[node]
        if kind in ("identifier", "type_identifier"):
            return ROLES[self.role.get(node, 0)]
        if kind in _LITERALS:
            text = self.text(node).lower()
            return text if len(text) <= 2 or kind in ("true", "false", "null_literal") else "number"
        if kind == "field_access":
            parts = self._children(node)
            return "field" if self.kind[parts[0]] == "this" else f"part of {self._what(parts[0])}"
        return _OTHERS.get(kind, "computed")

    def _children(self, node: int) -> list[int]:
        comments = ("line_comment", "block_comment")
        return [child for child in self.children(node) if self.kind[child] not in comments]


ALL, SIZE = "all", "size"
ANSWERS = (ALL, *PARTS, SIZE)
# The bits of a trait's number below those that tell its part.
_BITS = 61


class Seen(NamedTuple):
    """A text's traits, and how many tokens its method has; 0: there is none."""

    bag: Bag
    size: int


def seen_of(text: str) -> Seen:
    code = Code(text)
    told = traits(code)
    numbers = [part << _BITS | number_of(trait) >> (64 - _BITS) for part, trait in told]
    size = 0
    if code.method != NONE:
        syntax, (node, _) = code.file.syntax, code.span
        ends = [syntax.start[node], syntax.end[node]]
        size = int(np.diff(np.searchsorted(code.file.tokens.start, ends))[0])
    return Seen(bag_of(np.array(numbers, np.uint64)), size)


class Shape:
    """No answer where one text has no method."""

    batch_size = 1024
    only = ONLY

    def __init__(self, part: str) -> None:
        self.part = part
        self.seen = lru_cache(maxsize=KEPT)(seen_of)
        self.rarity = Rarity()

    def prepare(self, texts: Sequence[str]) -> None:
        if self.part != SIZE:
            self.rarity = Rarity([self._bag(text) for text in texts])

    def _bag(self, text: str) -> Bag:
        return self.seen(text).bag

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        left, right, texts = places_of(pairs)
        sizes = np.array([self.seen(text).size for text in texts], np.float64)
        known = (sizes[left] > 0) & (sizes[right] > 0)
        rows: list[Floats] = []
        if self.part != SIZE:
            found = joined(pairs, self._bag)
            wanted = range(len(PARTS)) if self.part == ALL else (PARTS.index(self.part),)
            rows += [self._overlap(found, part) for part in wanted]
        if self.part in (ALL, SIZE):
            least = np.minimum(sizes[left], sizes[right])
            rows.append(least / np.maximum(np.maximum(sizes[left], sizes[right]), 1))
        # Row by row: how numpy adds up a table hangs on its width, which is the batch's.
        total, seen = np.zeros(len(pairs)), np.zeros(len(pairs))
        for row in rows:
            total += np.where(np.isnan(row), 0.0, row)
            seen += ~np.isnan(row)
        # Of one part alone, neither has anything: in that they are alike.
        mean = np.where(seen > 0, total / np.maximum(seen, 1), 1.0)
        return [
            value if is_known else None
            for value, is_known in zip(mean.tolist(), known.tolist(), strict=True)
        ]

    def _overlap(self, found: Joined, part: int) -> Floats:
        """NaN where neither has anything in this part."""
        values = (1 + np.log(found.counts)) * self.rarity.weights(found.keys)
        values = np.where(found.keys >> np.uint64(_BITS) == part, values, 0.0)
        least, most = overlaps(found.keys, found.offsets, values, found.left, found.right)
        answer: Floats = np.where(most > 0, least / np.where(most > 0, most, 1), np.nan)
        return answer
