"""Facts about a method, read from its own source, for the models that judge its name.

Only ``name`` and ``subtokens`` depend on the declared name. A call of the method itself, of an
overload or of ``super`` under that name is ``SELF`` in ``calls`` and is left out of
``identifiers``; a comment that refers to the method contains ``SELF`` instead. So the same body has
the same facts under another name, and the facts do not leak the name to a model.

Lambdas and classes inside a body count as part of the body, except what they return and throw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration, type_text
from codeacumen.languages.java.syntax.file import JavaFile, parse_snippet
from codeacumen.models.method_naming.syntax import (
    OWN_CALL_MARK,
    BodyContents,
    BodyTree,
    Call,
    Write,
    simplify_type_name,
)
from codeacumen.text.lines import line_starts
from codeacumen.text.subtokens import split_subtokens

__all__ = [
    "SELF",
    "Facts",
    "is_named_freely",
    "read_facts",
    "read_facts_from_text",
    "simplify_type_name",
]

SELF = "<self>"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a method.

    ``line`` is the line of the name, from 1; ``method_index`` the index in
    ``JavaFile.declarations.methods``; ``owner`` the declaring type with its package, and
    ``owner_kind`` its kind (``class``, ``interface``, ``record``, ``anonymous``, ...). ``extends``
    and ``implements`` are as written; an anonymous class extends the type it instantiates.
    ``fields`` are the names and types of the owner's fields. ``anonymous`` and ``local`` say that
    the owner is an anonymous class (or the body of an enum constant) or a local one. ``doc`` is the
    JavaDoc with the method's name masked, or empty. ``overrides``: the method has ``@Override``.
    ``steps`` counts the statements directly in the body, ``statements`` includes nested ones, and
    ``tokens`` counts the body's tokens. ``empty``: there is no step; ``throws_only``: the only step
    is a throw statement.

    ``returns`` is the return type as written, ``returned`` its simple name (``List`` of
    ``java.util.List<String>``) with ``[]`` for arrays. ``returns_kinds`` are the distinct kinds of
    returned values: field, not field (``!f`` of a field ``f``), constant, other field, parameter,
    local, this, null, true, false, literal, new, call, element, lambda, boolean expression,
    arithmetic, assignment, switch, other; ``void`` if nothing is returned. ``returned_names`` are
    the variables among the returned values, ``returns_count`` is the number of return statements.
    ``parameters`` are pairs (simple type, name).
    ``throws`` are the types of the throws clause, ``thrown`` those of the throw statements (``?``
    for a variable), ``created`` those of new objects.

    ``calls`` are receiver, name and number of arguments. The receiver is one word: a variable or
    type, ``this``, ``super``, ``f()`` for the result of a call, ``new``, ``?``; it is empty for a
    method of the same class. ``self_calls`` and ``overload_calls`` count the calls of the method's
    own name with as many arguments as it has parameters, and with another number; ``super_calls``
    counts those on ``super``.

    Fields are those of this object and its classes, even if another file declares them.
    ``elements_written`` are fields of which the body sets an element or a field, ``filled`` are
    parameters of which the body sets one, ``others_written`` are fields of any other object, and
    ``parameters_written`` are parameters that the body assigns to. ``stored`` pairs a parameter
    with the field that it is assigned to unchanged; ``derived`` pairs it with a field whose new
    value is computed from it.

    ``loops`` to ``asserts`` count nodes of the kinds in ``_COUNTED``. ``strings`` are the distinct
    string literals of the body, cut to 40 characters, and ``identifiers`` its identifiers with
    repetitions, both in source order.
    """

    name: str
    subtokens: tuple[str, ...]
    path: str
    line: int
    method_index: int
    owner: str
    owner_kind: str
    extends: tuple[str, ...]
    implements: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    anonymous: bool
    local: bool
    returns: str
    returned: str
    parameters: tuple[tuple[str, str], ...]
    type_parameters: tuple[str, ...]
    modifiers: frozenset[str]
    annotations: tuple[str, ...]
    overrides: bool
    doc: str
    steps: int
    statements: int
    tokens: int
    empty: bool
    throws_only: bool
    returns_kinds: tuple[str, ...]
    returned_names: tuple[str, ...]
    returns_count: int
    throws: tuple[str, ...]
    thrown: tuple[str, ...]
    created: tuple[str, ...]
    calls: tuple[tuple[str, str, int], ...]
    self_calls: int
    overload_calls: int
    super_calls: int
    fields_read: tuple[str, ...]
    fields_written: tuple[str, ...]
    elements_written: tuple[str, ...]
    others_written: tuple[str, ...]
    parameters_written: tuple[str, ...]
    filled: tuple[str, ...]
    stored: tuple[tuple[str, str], ...]
    derived: tuple[tuple[str, str], ...]
    loops: int
    branches: int
    tries: int
    casts: int
    instanceofs: int
    lambdas: int
    asserts: int
    strings: tuple[str, ...]
    identifiers: tuple[str, ...]

    def with_name(self, name: str) -> Facts:
        """Return the facts of the same method under another name."""
        return replace(self, name=name, subtokens=split_subtokens(name))


def read_facts(file: JavaFile, path: str = "") -> list[Facts]:
    """Return the facts of all methods with a body, without constructors, in source order.

    ``path`` becomes ``Facts.path`` and is not opened.
    """
    methods = file.declarations.methods
    method_indices = [index for index in file.bodies if methods[index].kind == "method"]
    if not method_indices:
        return []
    reader = _FactsReader(file, path, method_indices)
    return [reader.read_method(i) for i in range(len(method_indices))]


def read_facts_from_text(code: str) -> Facts | None:
    """Return the facts of a method given as text, with or without its comment.

    Return None if the text contains no method with a body.
    """
    snippet = parse_snippet(code, leading_newline=True, trailing_newline=True)
    for method_facts in read_facts(snippet.file):
        if not method_facts.anonymous and not method_facts.local:
            # The newline in front of the snippet is a line more.
            return replace(method_facts, line=method_facts.line - 1)
    return None


def mask_doc(text: str, name: str) -> str:
    """Return a comment with ``SELF`` in place of references to the method.

    A single word that is also the name (``close`` in "must close it") is prose unless it is marked
    as code, because a rename leaves prose alone; a name of several words is always a reference.
    """
    if name not in text:
        return text
    return _compile_reference(name).sub(SELF, text)


@lru_cache(maxsize=1 << 12)
def _compile_reference(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    if len(split_subtokens(name)) > 1:
        return re.compile(rf"(?<![\w$]){word}(?![\w$])")
    marked = rf"(?:(?<=#)|(?<=\{{@code )|(?<=<code>)|(?<=<tt>)){word}(?![\w$])"
    return re.compile(rf"{marked}|(?<![\w$]){word}(?=\()")


def is_named_freely(facts: Facts) -> bool:
    """Return True if the author chose the name freely and the body determines it.

    That is not so for an overriding method, ``main``, an empty method, or a method of an anonymous
    or local class. The rules have a test of their own, ``name_words.is_name_chosen``.
    """
    return not (
        facts.overrides or facts.empty or facts.anonymous or facts.local or facts.name == "main"
    )


# Kinds of nodes that each count of ``Facts`` includes.
_COUNTED = {
    "statements": (
        "expression_statement", "local_variable_declaration", "if_statement", "for_statement",
        "enhanced_for_statement", "while_statement", "do_statement", "try_statement",
        "try_with_resources_statement", "return_statement", "throw_statement", "assert_statement",
        "break_statement", "continue_statement", "labeled_statement", "synchronized_statement",
        "yield_statement", "explicit_constructor_invocation",
    ),
    "loops": ("for_statement", "enhanced_for_statement", "while_statement", "do_statement"),
    "branches": ("if_statement", "switch_expression", "ternary_expression"),
    "tries": ("try_statement", "try_with_resources_statement"),
    "casts": ("cast_expression",),
    "instanceofs": ("instanceof_expression",),
    "lambdas": ("lambda_expression", "method_reference"),
    "asserts": ("assert_statement",),
}  # fmt: skip
# Children of a body or of a return statement that are neither statements nor values.
_NO_STEPS = frozenset(("{", "}", ";", "line_comment", "block_comment"))
# Kinds of types that have no name of their own.
_NAMELESS = frozenset(("anonymous", "enum constant"))
# Maximum number of nested types in a qualified name: types may be nested 10,000 deep.
_MOST_NAMES = 50


class _TypeFacts(NamedTuple):
    """Facts about a declaring type, which all its methods share; see ``Facts``."""

    owner: str
    kind: str
    extends: tuple[str, ...]
    implements: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    local: bool


class _FactsReader:
    """Reader of the facts of a file's methods from its syntax tree.

    ``method_indices`` are the indices in ``file.declarations.methods`` of the methods to read; an
    index ``i`` is a position in this list.
    """

    def __init__(self, file: JavaFile, path: str, method_indices: list[int]) -> None:
        self.file, self.path, self.method_indices = file, path, method_indices
        self.tree = BodyTree(file)
        self.methods = [file.declarations.methods[index] for index in method_indices]
        body = np.array([method.body for method in self.methods], dtype=np.int32)
        self.contents = BodyContents(file, self.tree, body, file.syntax.stop[body])
        self.counts = {name: self.contents.count_kinds(*kinds) for name, kinds in _COUNTED.items()}
        spans = (file.syntax.start[body], file.syntax.end[body])
        first, last = (np.searchsorted(file.tokens.start, at) for at in spans)
        self.tokens: list[int] = (last - first).tolist()
        # A method's line is the line of its name.
        self.name_nodes = [
            max(self.tree.find_part(method.node, "name"), method.node) for method in self.methods
        ]
        at = file.syntax.start[self.name_nodes]
        # ``line_starts`` leaves out the first line.
        lines = np.searchsorted(line_starts(file.source), at, side="right") + 1
        self.lines: list[int] = lines.tolist()
        self.types: dict[int, _TypeFacts] = {}
        self.fields_of: dict[int, list[tuple[str, str]]] = {}
        for field_declaration in file.declarations.fields:
            self.fields_of.setdefault(field_declaration.type, []).append(
                (field_declaration.name, field_declaration.declared)
            )

    def read_method(self, i: int) -> Facts:
        method, tree, contents, counts = self.methods[i], self.tree, self.contents, self.counts
        name, parameter_count = method.name, len(method.parameters)
        type_ = self._get_type(method.type)
        doc = tree.text(method.javadoc) if method.javadoc != NONE else ""
        steps = [
            child
            for child in tree.children(method.body)
            if tree.get_kind_name(child) not in _NO_STEPS
        ]
        # A call is (receiver, name, number of arguments).
        calls = self._read_calls(i, name)
        self_calls = [call for call in calls if call[1] == SELF]
        own_calls = [call for call in self_calls if call[0] != "super"]
        writes = contents.writes[i]
        returns = contents.returns.get(method.node, ())
        kinds, returned = self._read_returned(returns)
        return Facts(
            name=name,
            subtokens=split_subtokens(name),
            path=self.path,
            line=self.lines[i],
            method_index=self.method_indices[i],
            owner=type_.owner,
            owner_kind=type_.kind,
            extends=type_.extends,
            implements=type_.implements,
            fields=type_.fields,
            anonymous=type_.kind in _NAMELESS,
            local=type_.local,
            returns=method.returns,
            returned=simplify_type_name(method.returns),
            parameters=tuple(
                (simplify_type_name(parameter.type), parameter.name)
                for parameter in method.parameters
            ),
            type_parameters=method.type_parameters,
            modifiers=method.modifiers,
            annotations=method.annotations,
            overrides="Override" in method.annotations,
            doc=mask_doc(doc, name),
            steps=len(steps),
            statements=counts["statements"][i],
            tokens=self.tokens[i],
            empty=not steps,
            throws_only=len(steps) == 1 and tree.get_kind_name(steps[0]) == "throw_statement",
            returns_kinds=kinds,
            returned_names=returned,
            returns_count=len(returns),
            throws=self._read_throws_clause(method),
            thrown=self._read_thrown_types(contents.throws.get(method.node, ())),
            created=_drop_repeats(contents.created[i]),
            calls=tuple(calls),
            self_calls=sum(call[2] == parameter_count for call in own_calls),
            overload_calls=sum(call[2] != parameter_count for call in own_calls),
            super_calls=len(self_calls) - len(own_calls),
            fields_read=_drop_repeats(contents.reads[i]),
            fields_written=_list_written(writes, "fields_written"),
            elements_written=_list_written(writes, "elements_written"),
            others_written=_list_written(writes, "others_written"),
            parameters_written=_list_written(writes, "parameters_written"),
            filled=_list_written(writes, "filled"),
            stored=tuple(dict.fromkeys(pair for write in writes for pair in write.stored)),
            derived=tuple(dict.fromkeys(pair for write in writes for pair in write.derived)),
            loops=counts["loops"][i],
            branches=counts["branches"][i],
            tries=counts["tries"][i],
            casts=counts["casts"][i],
            instanceofs=counts["instanceofs"][i],
            lambdas=counts["lambdas"][i],
            asserts=counts["asserts"][i],
            strings=_drop_repeats(contents.strings[i]),
            identifiers=self._read_identifiers(i, name),
        )

    def _read_calls(self, i: int, name: str) -> list[tuple[str, str, int]]:
        """Return ``Facts.calls``: own names without their mark, calls of the method as ``SELF``."""
        marked_name, node, own_call = (
            OWN_CALL_MARK + name,
            self.name_nodes[i],
            f"{OWN_CALL_MARK}{name}()",
        )

        def unmark_call(call: Call) -> tuple[str, str, int]:
            receiver, called, arguments, declared = call
            if receiver[:1] == OWN_CALL_MARK:
                receiver = f"{SELF}()" if receiver == own_call else receiver[1:]
            if called == marked_name or declared == node:
                called = SELF
            elif called[:1] == OWN_CALL_MARK:
                called = called[1:]
            return receiver, called, arguments

        return [unmark_call(call) for call in self.contents.calls[i]]

    def _read_identifiers(self, i: int, name: str) -> tuple[str, ...]:
        """Return the identifiers of a body, with repetitions, without the method's own name."""
        spans, marked_name = self.contents.identifiers, OWN_CALL_MARK + name
        words = spans[i]
        hidden = self.contents.resolved.get(self.name_nodes[i])
        if hidden:
            hidden_indices = {index - spans.first[i] for index in hidden}
            words = [word for index, word in enumerate(words) if index not in hidden_indices]
        return tuple(
            [
                word if word[:1] != OWN_CALL_MARK else word[1:]
                for word in words
                if word != marked_name
            ]
        )

    def _read_returned(self, nodes: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return ``returns_kinds`` and ``returned_names`` for the nodes of return statements."""
        pairs: list[tuple[str, str]] = []
        for node in nodes:
            values = [
                child
                for child in self.tree.children(node)[1:]
                if self.tree.get_kind_name(child) not in _NO_STEPS
            ]
            if values:
                pairs += self.tree.classify_value(values[0])
        names = _drop_repeats([name for _, name in pairs])
        return tuple(dict.fromkeys(kind for kind, _ in pairs)) or ("void",), names

    def _read_throws_clause(self, method: MethodDeclaration) -> tuple[str, ...]:
        tree, at = self.tree, method.body - 1
        # The throws clause directly precedes the body: go up from the node before the body.
        while at > method.node and tree.parent[at] != method.node:
            at = tree.parent[at]
        if tree.get_kind_name(at) != "throws":
            return ()
        types = [
            child for child in tree.children(at) if tree.get_kind_name(child)[-4:] in _TYPE_ENDS
        ]
        return _drop_repeats([tree.read_type_name(type_node) for type_node in types])

    def _read_thrown_types(self, nodes: Iterable[int]) -> tuple[str, ...]:
        """Return the types of thrown objects; ``?`` for a variable, whose type is not looked up."""
        tree, heads = self.tree, list[str]()
        for node in nodes:
            # ``node + 1`` is the keyword throw.
            value = tree.unwrap_expression(node + 2) if node + 2 < tree.stop[node] else node
            is_created = tree.get_kind_name(value) == "object_creation_expression"
            type_ = tree.find_part(value, "type") if is_created else -1
            heads.append(tree.read_type_name(type_) if type_ >= 0 else "?")
        return _drop_repeats(heads)

    def _get_type(self, type_index: int) -> _TypeFacts:
        type_facts = self.types.get(type_index)
        if type_facts is None:
            type_facts = self.types[type_index] = self._read_type(type_index)
        return type_facts

    def _read_type(self, type_index: int) -> _TypeFacts:
        declarations = self.file.declarations
        if type_index == NONE:
            return _TypeFacts(declarations.package, "", (), (), (), local=False)
        declaration = declarations.types[type_index]
        names: list[str] = []
        index = type_index
        while index != NONE and len(names) < _MOST_NAMES:
            names.append(declarations.types[index].name)
            index = declarations.types[index].owner
        owner = ".".join(
            [*([declarations.package] if declarations.package else ()), *reversed(names)]
        )
        extends, implements = self._read_supertypes(declaration.node, declaration.kind)
        fields = [(component.name, component.type) for component in declaration.components]
        fields += self.fields_of.get(type_index, ())
        local = declaration.method != NONE and declaration.kind not in _NAMELESS
        return _TypeFacts(owner, declaration.kind, extends, implements, tuple(fields), local)

    def _read_supertypes(self, node: int, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        tree, syntax = self.tree, self.file.syntax
        if kind == "anonymous":
            created_type = tree.find_part(tree.parent[node], "type")
            return ((type_text(syntax, created_type),) if created_type >= 0 else ()), ()
        extends: list[str] = []
        implements: list[str] = []
        for child in tree.children(node):
            kind_name = tree.get_kind_name(child)
            # The first child of a clause is its keyword.
            if kind_name == "superclass":
                extends += [type_text(syntax, type_node) for type_node in tree.children(child)[1:]]
            elif kind_name in ("super_interfaces", "extends_interfaces"):
                type_names = implements if kind_name == "super_interfaces" else extends
                for group in tree.children(child)[1:]:
                    listed = [
                        type_node
                        for type_node in tree.children(group)
                        if tree.get_kind_name(type_node) != ","
                    ]
                    type_names += [type_text(syntax, type_node) for type_node in listed]
        return tuple(extends), tuple(implements)


# Ends of the grammar's kinds of types, such as type_identifier and generic_type.
_TYPE_ENDS = frozenset(("fier", "type"))


def _list_written(writes: Sequence[Write], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(write.name for write in writes if write.kind == kind))


def _drop_repeats(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))
