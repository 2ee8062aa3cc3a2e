"""Method similarity by shape: traits of two methods that do not depend on any name.

For each part, the similarity is the weighted Jaccard coefficient of the traits, where the value of
a trait is 1 + ln(count) times its inverse document frequency. (Behaviour of only one of the methods
lowers the coefficient, in agreement with human judges; in a cosine it would hardly count for a long
method.) A further part is the size, the length of the shorter body as a share of the longer. The
result is the mean of all parts that have any traits; nothing is learned.

The traits are in seven parts:

=============  ====================================================================================
``signature``  types of result and parameters (``int``, a number, an array, a type variable, an
               object, its own type), number of parameters, static, synchronized, throws
``types``      its class: number of type variables, supertypes; the types of the fields and of the
               local variables
``control``    loops, conditions, exceptions, returns; and their nesting
``operators``  operators, casts, ``instanceof``; and their operands
``literals``   numbers, characters and truth values, ``null``, strings
``calls``      calls and creations: the receiver (a field, a parameter, a type, …), the number of
               arguments, the use of the result; the arguments
``data``       the kinds of variables, fields and elements that are read and written; what is
               returned
=============  ====================================================================================

All parts but the signature include the other methods of the text: the method calls them, so they
are part of its behaviour.
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
# Expressions that are skipped on the way to the wrapped one, and how many of them at most.
_WRAPPERS = ("parenthesized_expression", "cast_expression")
_DEEP = 8

Trait = tuple[int, str]
SIGNATURE, TYPES, CONTROL, OPERATORS, LITERALS, CALLS, DATA = range(len(PARTS))


def traits(code: Code) -> list[Trait]:
    """Return the traits of a method, with repetitions, each with the index of its part."""
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
    """Yield descriptions of a type without its name, from specific to general."""
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
    """The traits of all bodies of a text, from one walk over their nodes."""

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
        """Return the nodes inside bodies, each once."""
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
                children = self._children(node)
                yield DATA, f"returns {self._what(children[1]) if len(children) > 2 else 'nothing'}"

    def _operation(self, node: int, kind: str) -> Iterator[Trait]:
        parts = self._children(node)
        signs = [self.kind[part] for part in parts if not self.kind[part][:1].isalpha()]
        sign = signs[0] if signs and kind != "cast_expression" else kind
        yield OPERATORS, sign
        operands = [part for part in parts if self.field[part] not in ("", "operator", "type")]
        for operand in operands:
            yield OPERATORS, f"{sign} of {self._what(operand)}"
        if kind == "binary_expression" and len(operands) == 2:
            first, second = sorted(map(self._what, operands))
            yield OPERATORS, f"{sign} of {first} and {second}"
        if kind == "cast_expression":
            types = [self.kind[part] for part in parts if self.field[part] == "type"]
            yield OPERATORS, f"cast to {types[0] if types else ''}"
        if kind == "array_access":
            array = self._what(operands[0]) if operands else ""
            yield DATA, f"{self._done_to(node)} an element of {array}"

    def _done_to(self, node: int) -> str:
        above = self.parent[node]
        if self.kind[above] == "assignment_expression" and self.field[node] == "left":
            return "writes"
        return "updates" if self.kind[above] == "update_expression" else "reads"

    def _call(self, node: int, kind: str, above: str) -> Iterator[Trait]:
        call = _CALLS[kind]
        parts = self._children(node)
        receiver = next(
            (self._what(part) for part in parts if self.field[part] == "object"), "nothing"
        )
        arguments = [
            argument
            for part in parts
            if self.field[part] == "arguments"
            for argument in self._children(part)
            if self.kind[argument] not in ("(", ")", ",")
        ]
        use = self._use(node)
        yield CALLS, call
        yield CALLS, f"{call} with {len(arguments)}"
        yield CALLS, f"{call} is {use}"
        if call == "call":
            yield CALLS, f"{call} on {receiver} with {len(arguments)}"
            yield CALLS, f"{call} on {receiver} is {use}"
        if above:
            yield CALLS, f"{call} in {above}"
        for argument in arguments:
            yield CALLS, f"passes {self._what(argument)}"

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
        """Return a description of an expression without any name."""
        for _ in range(_DEEP):
            if self.kind[node] not in _WRAPPERS:
                break
            inner = [child for child in self._children(node) if self.kind[child][:1].isalpha()]
            if not inner:
                break
            node = inner[-1]
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
# Number of low bits of a trait's number that are its hash; the bits above are its part.
_BITS = 61


class Seen(NamedTuple):
    """Traits of a text, and the number of tokens of its method; 0 if there is no method."""

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
    """Mean similarity of the parts of two methods; None if a text has no method."""

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
        # Add row by row: numpy's order of summation depends on the shape, and so on the batch.
        total, seen = np.zeros(len(pairs)), np.zeros(len(pairs))
        for row in rows:
            total += np.where(np.isnan(row), 0.0, row)
            seen += ~np.isnan(row)
        # If a single part was chosen and neither method has traits in it, they are alike.
        mean = np.where(seen > 0, total / np.maximum(seen, 1), 1.0)
        return [
            value if is_known else None
            for value, is_known in zip(mean.tolist(), known.tolist(), strict=True)
        ]

    def _overlap(self, found: Joined, part: int) -> Floats:
        """Return the weighted Jaccard coefficients of a part; NaN if neither method has traits."""
        values = (1 + np.log(found.counts)) * self.rarity.weights(found.keys)
        values = np.where(found.keys >> np.uint64(_BITS) == part, values, 0.0)
        least, most = overlaps(found.keys, found.offsets, values, found.left, found.right)
        answer: Floats = np.where(most > 0, least / np.where(most > 0, most, 1), np.nan)
        return answer
