"""Method similarity by shape: traits of two methods that do not depend on any name.

For each part, the similarity is the weighted Jaccard coefficient of the traits, where the value of
a trait is 1 + ln(count) times its inverse document frequency. (Behaviour of only one of the methods
lowers the coefficient, in agreement with human judges; in a cosine it would hardly count for a long
method.) A further part is the size, the length of the shorter body as a share of the longer. The
result is the mean of all parts that have any traits; nothing is learned.

The traits are in seven parts:

=============  ====================================================================================
``signature``  types of result and parameters (``int``, a number, an array, a type variable, an
               object, the declaring type), number of parameters, static, synchronized, throws
``types``      the declaring type: number of type variables, supertypes; the types of the fields and
               of the local variables
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
from codeacumen.languages.java.syntax.grammar import (
    field_names,
    node_names,
    symbol_mask,
    symbol_name,
)
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS
from codeacumen.languages.syntax import ListTree
from codeacumen.models.method_similarity.bags import (
    MAX_CACHED_TEXTS,
    SUPPORTED_TASKS,
    Bag,
    Floats,
    InverseDocumentFrequency,
    JoinedBags,
    ParsedMethod,
    count_items,
    hash_word,
    index_texts,
    join_bags,
    sum_minima_and_maxima,
)

PARTS = ("signature", "types", "control", "operators", "literals", "calls", "data")

# The tables below map primitive types and the grammar's kinds of nodes to the words of traits.
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
_LITERALS = frozenset((*NUMBER_LITERALS, "character_literal", "true", "false", "null_literal"))
_CALLS = {
    "method_invocation": "call",
    "object_creation_expression": "new",
    "explicit_constructor_invocation": "construct",
    "array_creation_expression": "new array",
    "method_reference": "reference",
}
# Expressions that are no variables, literals or field accesses.
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
# Use of a call's result, by the kind of the node around the call; ``used`` for other kinds.
_USES = {
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
# Expressions that stand for the expression inside them, and how many of them are skipped at most.
_WRAPPERS = ("parenthesized_expression", "cast_expression")
_MAX_WRAPPERS = 8

# The index of a part in ``PARTS``, and a text.
Trait = tuple[int, str]
SIGNATURE, TYPES, CONTROL, OPERATORS, LITERALS, CALLS, DATA = range(len(PARTS))


def list_traits(code: ParsedMethod) -> list[Trait]:
    """Return the traits of a method with repetitions; none if the text has no method."""
    if code.method == NONE:
        return []
    return [*_describe_signature(code), *_describe_types(code), *_BodyTraits(code).iterate_traits()]


def _describe_signature(code: ParsedMethod) -> Iterator[Trait]:
    declarations = code.file.declarations
    method = declarations.methods[code.method]
    owner = declarations.types[method.type] if method.type != NONE else None
    variables = {*method.type_parameters, *(owner.type_parameters if owner else ())}
    own_type = owner.name if owner else ""
    for type_trait in _describe_type(method.returns, variables, own_type):
        yield SIGNATURE, f"returns {type_trait}"
    for index, parameter in enumerate(method.parameters):
        # A trait for each number up to the method's, so that 2 and 3 parameters share traits.
        yield SIGNATURE, f"has {index + 1} parameters"
        for type_trait in _describe_type(parameter.type, variables, own_type):
            yield SIGNATURE, f"takes {type_trait}"
        if parameter.type == method.returns:
            yield SIGNATURE, "returns what it takes"
    if not method.parameters:
        yield SIGNATURE, "has no parameter"
    for modifier in ("static", "synchronized"):
        if modifier in method.modifiers:
            yield SIGNATURE, modifier
    if method.type_parameters:
        yield SIGNATURE, "has type variables"
    if _has_throws_clause(code, method):
        yield SIGNATURE, "throws"


def _describe_types(code: ParsedMethod) -> Iterator[Trait]:
    declarations = code.file.declarations
    syntax = code.file.syntax
    owner = declarations.methods[code.method].type
    variables: set[str] = set()
    own_type = ""
    if owner != NONE:
        type_ = declarations.types[owner]
        own_type, variables = type_.name, set(type_.type_parameters)
        yield TYPES, type_.kind
        yield TYPES, f"has {len(type_.type_parameters)} type variables"
        if "abstract" in type_.modifiers:
            yield TYPES, "abstract"
        for part in syntax.children(type_.node):
            if symbol_name(int(syntax.kind[part])) in ("superclass", "super_interfaces"):
                yield TYPES, symbol_name(int(syntax.kind[part]))
    for field in declarations.fields:
        static = "static " if "static" in field.modifiers else ""
        for type_trait in _describe_type(field.declared, variables, own_type):
            yield TYPES, f"{static}field {type_trait}"
    for node in np.flatnonzero(symbol_mask("local_variable_declaration")[syntax.kind]).tolist():
        for part in syntax.children(node):
            if field_names()[syntax.field[part]] == "type":
                for type_trait in _describe_type(
                    "".join(syntax.text(part).split()), variables, own_type
                ):
                    yield TYPES, f"local {type_trait}"


def _has_throws_clause(code: ParsedMethod, method: MethodDeclaration) -> bool:
    syntax = code.file.syntax
    return any(
        symbol_name(int(syntax.kind[node])) == "throws" for node in syntax.children(method.node)
    )


def _describe_type(written: str, variables: set[str], own_type: str) -> Iterator[str]:
    """Yield descriptions of a type without its name, from specific to general.

    ``written`` is the type as in the source, ``variables`` are the type variables in scope, and
    ``own_type`` is the name of the declaring type.
    """
    is_array = written.endswith(("[]", "..."))
    inner = written.rstrip("[].")
    name = inner.partition("<")[0]
    if inner in _NUMBERS:
        descriptions = [inner, f"{_NUMBERS[inner]} number", "number"]
    elif inner in ("void", "boolean"):
        descriptions = [inner]
    elif inner in variables:
        descriptions = ["type variable", "object"]
    else:
        descriptions = ["object"]
        if "<" in inner:
            descriptions.append("generic")
        if own_type and name == own_type:
            descriptions.append("own type")
    if is_array:
        yield "array"
    for description in descriptions:
        yield f"array of {description}" if is_array else description


class _BodyTraits(ListTree[str, str]):
    """The traits of all bodies of a text, from one walk over their nodes.

    ``role`` (an index in ``ROLES``) and ``access`` are those of the bound identifiers, by node.
    """

    def __init__(self, code: ParsedMethod) -> None:
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
        self.body_nodes = self._list_body_nodes(code)

    def _list_body_nodes(self, code: ParsedMethod) -> list[int]:
        """Return the nodes inside bodies, each once."""
        marks = np.zeros(len(self.kind) + 1, np.int64)
        for method in code.file.declarations.methods:
            if method.body != NONE:
                marks[method.body] += 1
                marks[self.stop[method.body]] -= 1
        return np.flatnonzero(np.cumsum(marks[:-1]) > 0).tolist()

    def iterate_traits(self) -> Iterator[Trait]:
        enclosing_by_node: dict[int, str] = {}
        for node in self.body_nodes:
            kind = self.kind[node]
            enclosing = enclosing_by_node.get(self.parent[node], "")
            if kind in _CONTROL:
                control = _CONTROL[kind]
                yield CONTROL, control
                yield CONTROL, f"{control} in {enclosing or 'body'}"
                if control == "loop":
                    yield CONTROL, kind
                enclosing = control
            elif kind in _OPERATIONS:
                yield from self._describe_operation(node, kind)
            elif kind in _LITERALS:
                yield LITERALS, self.text(node).lower()
            elif kind == "string_literal":
                yield LITERALS, "a string"
            elif kind == "identifier":
                yield from self._describe_variable(node)
            enclosing_by_node[node] = enclosing
            if kind in _CALLS:
                yield from self._describe_call(node, kind, enclosing)
            if kind == "return_statement":
                # The keyword, the value if there is one, and the semicolon.
                children = self._list_children(node)
                has_value = len(children) > 2
                value = self._describe_expression(children[1]) if has_value else "nothing"
                yield DATA, f"returns {value}"

    def _describe_operation(self, node: int, kind: str) -> Iterator[Trait]:
        parts = self._list_children(node)
        signs = [self.kind[part] for part in parts if not self.kind[part][:1].isalpha()]
        sign = signs[0] if signs and kind != "cast_expression" else kind
        yield OPERATORS, sign
        operands = [part for part in parts if self.field[part] not in ("", "operator", "type")]
        for operand in operands:
            yield OPERATORS, f"{sign} of {self._describe_expression(operand)}"
        if kind == "binary_expression" and len(operands) == 2:
            first, second = sorted(map(self._describe_expression, operands))
            yield OPERATORS, f"{sign} of {first} and {second}"
        if kind == "cast_expression":
            types = [self.kind[part] for part in parts if self.field[part] == "type"]
            yield OPERATORS, f"cast to {types[0] if types else ''}"
        if kind == "array_access":
            array = self._describe_expression(operands[0]) if operands else ""
            yield DATA, f"{self._name_access(node)} an element of {array}"

    def _name_access(self, node: int) -> str:
        """Return ``reads``, ``writes`` or ``updates``, the access to an array's element."""
        parent = self.parent[node]
        if self.kind[parent] == "assignment_expression" and self.field[node] == "left":
            return "writes"
        return "updates" if self.kind[parent] == "update_expression" else "reads"

    def _describe_call(self, node: int, kind: str, enclosing: str) -> Iterator[Trait]:
        call = _CALLS[kind]
        parts = self._list_children(node)
        receiver = next(
            (self._describe_expression(part) for part in parts if self.field[part] == "object"),
            "nothing",
        )
        arguments = [
            argument
            for part in parts
            if self.field[part] == "arguments"
            for argument in self._list_children(part)
            if self.kind[argument] not in ("(", ")", ",")
        ]
        use = self._find_use(node)
        yield CALLS, call
        yield CALLS, f"{call} with {len(arguments)}"
        yield CALLS, f"{call} is {use}"
        if call == "call":
            yield CALLS, f"{call} on {receiver} with {len(arguments)}"
            yield CALLS, f"{call} on {receiver} is {use}"
        if enclosing:
            yield CALLS, f"{call} in {enclosing}"
        for argument in arguments:
            yield CALLS, f"passes {self._describe_expression(argument)}"

    def _find_use(self, node: int) -> str:
        """Return the use of a call's result by the code around it, a word of ``_USES``."""
        child, parent = node, self.parent[node]
        for _ in range(_MAX_WRAPPERS):
            if parent < 0 or self.kind[parent] not in _WRAPPERS:
                break
            child, parent = parent, self.parent[parent]
        kind = self.kind[parent] if parent >= 0 else ""
        if kind == "lambda_expression" and self.field[child] == "body":
            return "returned"
        return _USES.get(kind, "used")

    def _describe_variable(self, node: int) -> Iterator[Trait]:
        access = _ACCESS.get(self.access.get(node, 0))
        if access is not None:
            yield DATA, f"{access} {ROLES[self.role[node]]}"

    def _describe_expression(self, node: int) -> str:
        """Return a description of an expression without any name."""
        for _ in range(_MAX_WRAPPERS):
            if self.kind[node] not in _WRAPPERS:
                break
            inner = [child for child in self._list_children(node) if self.kind[child][:1].isalpha()]
            if not inner:
                break
            # In a cast the type comes first.
            node = inner[-1]
        kind = self.kind[node]
        if kind in ("identifier", "type_identifier"):
            return ROLES[self.role.get(node, 0)]
        if kind in _LITERALS:
            text = self.text(node).lower()
            return text if len(text) <= 2 or kind in ("true", "false", "null_literal") else "number"
        if kind == "field_access":
            parts = self._list_children(node)
            return (
                "field"
                if self.kind[parts[0]] == "this"
                else f"part of {self._describe_expression(parts[0])}"
            )
        return _OTHERS.get(kind, "computed")

    def _list_children(self, node: int) -> list[int]:
        comments = ("line_comment", "block_comment")
        return [child for child in self.children(node) if self.kind[child] not in comments]


# Values of the setting ``part``: a part, the size, or the mean of them all.
ALL, SIZE = "all", "size"
ANSWERS = (ALL, *PARTS, SIZE)
# Number of low bits of a trait's number that are its hash; the bits above are its part.
_BITS = 61


class TextTraits(NamedTuple):
    """Traits of a text, and the number of tokens of its method; 0 if there is no method."""

    bag: Bag
    size: int


def read_traits(text: str) -> TextTraits:
    """Return the traits of a text, hashed: items of part ``p`` are the numbers p · 2^61 + hash."""
    code = ParsedMethod(text)
    method_traits = list_traits(code)
    numbers = [part << _BITS | hash_word(trait) >> (64 - _BITS) for part, trait in method_traits]
    size = 0
    if code.method != NONE:
        syntax, (node, _) = code.file.syntax, code.span
        ends = [syntax.start[node], syntax.end[node]]
        size = int(np.diff(np.searchsorted(code.file.tokens.start, ends))[0])
    return TextTraits(count_items(np.array(numbers, np.uint64)), size)


class ShapeSimilarity:
    """Mean similarity of the parts of two methods; None if a text has no method."""

    batch_size = 1024
    only = SUPPORTED_TASKS

    def __init__(self, part: str) -> None:
        self.part = part
        self.text_traits = lru_cache(maxsize=MAX_CACHED_TEXTS)(read_traits)
        self.idf = InverseDocumentFrequency()

    def prepare(self, texts: Sequence[str]) -> None:
        if self.part != SIZE:
            self.idf = InverseDocumentFrequency([self._get_bag(text) for text in texts])

    def _get_bag(self, text: str) -> Bag:
        return self.text_traits(text).bag

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        left, right, texts = index_texts(pairs)
        sizes = np.array([self.text_traits(text).size for text in texts], np.float64)
        has_methods = (sizes[left] > 0) & (sizes[right] > 0)
        rows: list[Floats] = []
        if self.part != SIZE:
            bags = join_bags(pairs, self._get_bag)
            parts = range(len(PARTS)) if self.part == ALL else (PARTS.index(self.part),)
            rows += [self._compute_overlap(bags, part) for part in parts]
        if self.part in (ALL, SIZE):
            shorter = np.minimum(sizes[left], sizes[right])
            rows.append(shorter / np.maximum(np.maximum(sizes[left], sizes[right]), 1))
        # Add row by row: numpy's order of summation depends on the shape, and so on the batch.
        total, part_counts = np.zeros(len(pairs)), np.zeros(len(pairs))
        for row in rows:
            total += np.where(np.isnan(row), 0.0, row)
            part_counts += ~np.isnan(row)
        # If a single part was chosen and neither method has traits in it, they are alike.
        mean = np.where(part_counts > 0, total / np.maximum(part_counts, 1), 1.0)
        return [
            value if has_answer else None
            for value, has_answer in zip(mean.tolist(), has_methods.tolist(), strict=True)
        ]

    def _compute_overlap(self, bags: JoinedBags, part: int) -> Floats:
        """Return the weighted Jaccard coefficients of a part; NaN if neither method has traits."""
        values = (1 + np.log(bags.counts)) * self.idf.compute_idf(bags.keys)
        values = np.where(bags.keys >> np.uint64(_BITS) == part, values, 0.0)
        least, most = sum_minima_and_maxima(bags.keys, bags.offsets, values, bags.left, bags.right)
        coefficients: Floats = np.where(most > 0, least / np.where(most > 0, most, 1), np.nan)
        return coefficients
