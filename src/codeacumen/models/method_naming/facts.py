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
from codeacumen.models.method_naming.syntax import BARE, Call, Found, Tree, Write, head
from codeacumen.text.lines import line_starts
from codeacumen.text.subtokens import subtokens

__all__ = ["SELF", "Facts", "facts_of", "facts_of_text", "head", "is_named_freely"]

SELF = "<self>"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a method.

    ``method_index`` is the method's index in ``declarations.methods``; ``owner`` is the declaring
    type with its package. ``extends`` and ``implements`` are as written; an anonymous class extends
    the type it instantiates. ``fields`` are the names and types of the owner's fields. ``steps``
    counts the statements directly in the body, ``statements`` includes nested ones.

    ``returned`` is the simple name of the return type (``List`` of ``java.util.List<String>``) with
    ``[]`` for arrays. ``returns_kinds`` are the distinct kinds of returned values: field, not
    field, constant, other field, parameter, local, this, null, true, false, literal, new, call,
    element, lambda, boolean expression, arithmetic, assignment, switch, other; ``void`` if nothing
    is returned. ``returned_names`` are the variables among the returned values.

    ``calls`` are receiver, name and number of arguments. The receiver is one word: a variable or
    type, ``this``, ``super``, ``f()`` for the result of a call, ``new``, ``?``; it is empty for a
    method of the same class.

    Fields are those of this object and its classes, even if another file declares them.
    ``elements_written`` are fields of which the body sets an element or a field; ``filled`` are
    parameters of which it does; ``parameters_written`` are parameters that it assigns to.
    ``stored`` pairs a parameter with the field that it is assigned to unchanged; ``derived`` pairs
    it with a field whose new value is computed from it.
    """

    name: str
    subtokens: tuple[str, ...]
    path: str
    line: int
    place: int
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

    def named(self, name: str) -> Facts:
        """Return the facts of the same method under another name."""
        return replace(self, name=name, subtokens=subtokens(name))


def facts_of(file: JavaFile, path: str = "") -> list[Facts]:
    """Return the facts of all methods with a body, without constructors, in source order."""
    methods = file.declarations.methods
    places = [place for place in file.bodies if methods[place].kind == "method"]
    if not places:
        return []
    walked = _Walk(file, path, places)
    return [walked.method(i) for i in range(len(places))]


def facts_of_text(code: str) -> Facts | None:
    """Return the facts of a method given as text, with or without its comment.

    Return None if the text contains no method with a body.
    """
    snippet = parse_snippet(code, leading_newline=True, trailing_newline=True)
    for one in facts_of(snippet.file):
        if not one.anonymous and not one.local:
            return replace(one, line=one.line - 1)
    return None


def masked_doc(text: str, name: str) -> str:
    """Return a comment with ``SELF`` in place of references to the method.

    A single word that is also the name (``close`` in "must close it") is prose unless it is marked
    as code, because a rename leaves prose alone; a name of several words is always a reference.
    """
    if name not in text:
        return text
    return _reference(name).sub(SELF, text)


@lru_cache(maxsize=1 << 12)
def _reference(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    if len(subtokens(name)) > 1:
        return re.compile(rf"(?<![\w$]){word}(?![\w$])")
    marked = rf"(?:(?<=#)|(?<=\{{@code )|(?<=<code>)|(?<=<tt>)){word}(?![\w$])"
    return re.compile(rf"{marked}|(?<![\w$]){word}(?=\()")


def is_named_freely(facts: Facts) -> bool:
    """Return True if the author chose the name freely and the body determines it.

    The body does not determine the name of an overriding method, ``main``, an empty method, or a
    method of an anonymous or local class.
    """
    return not (
        facts.overrides or facts.empty or facts.anonymous or facts.local or facts.name == "main"
    )


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
_NO_STEPS = frozenset(("{", "}", ";", "line_comment", "block_comment"))
_NAMELESS = frozenset(("anonymous", "enum constant"))
# Maximum number of nested types in a qualified name: types may be nested 10,000 deep.
_MOST_NAMES = 50


class _Type(NamedTuple):
    owner: str
    kind: str
    extends: tuple[str, ...]
    implements: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    local: bool


class _Walk:
    """Reader of the facts of a file's methods from its syntax tree."""

    def __init__(self, file: JavaFile, path: str, places: list[int]) -> None:
        self.file, self.path, self.places = file, path, places
        self.tree = Tree(file)
        self.methods = [file.declarations.methods[place] for place in places]
        body = np.array([one.body for one in self.methods], dtype=np.int32)
        self.found = Found(file, self.tree, body, file.syntax.stop[body])
        self.counts = {name: self.found.count(*kinds) for name, kinds in _COUNTED.items()}
        spans = (file.syntax.start[body], file.syntax.end[body])
        first, last = (np.searchsorted(file.tokens.start, at) for at in spans)
        self.tokens: list[int] = (last - first).tolist()
        # A method's line is the line of its name.
        self.name_nodes = [max(self.tree.part(one.node, "name"), one.node) for one in self.methods]
        at = file.syntax.start[self.name_nodes]
        lines = np.searchsorted(line_starts(file.source), at, side="right") + 1
        self.lines: list[int] = lines.tolist()
        self.types: dict[int, _Type] = {}
        self.fields_of: dict[int, list[tuple[str, str]]] = {}
        for one in file.declarations.fields:
            self.fields_of.setdefault(one.type, []).append((one.name, one.declared))

    def method(self, i: int) -> Facts:
        method, tree, found, counts = self.methods[i], self.tree, self.found, self.counts
        name, width = method.name, len(method.parameters)
        type_ = self._type(method.type)
        doc = tree.text(method.javadoc) if method.javadoc != NONE else ""
        steps = [one for one in tree.children(method.body) if tree.called(one) not in _NO_STEPS]
        calls = self._calls(i, name)
        same = [call for call in calls if call[1] == SELF]
        own = [call for call in same if call[0] != "super"]
        writes = found.writes[i]
        returns = found.returns.get(method.node, ())
        kinds, returned = self._returned(returns)
        return Facts(
            name=name,
            subtokens=subtokens(name),
            path=self.path,
            line=self.lines[i],
            place=self.places[i],
            owner=type_.owner,
            owner_kind=type_.kind,
            extends=type_.extends,
            implements=type_.implements,
            fields=type_.fields,
            anonymous=type_.kind in _NAMELESS,
            local=type_.local,
            returns=method.returns,
            returned=head(method.returns),
            parameters=tuple((head(one.type), one.name) for one in method.parameters),
            type_parameters=method.type_parameters,
            modifiers=method.modifiers,
            annotations=method.annotations,
            overrides="Override" in method.annotations,
            doc=masked_doc(doc, name),
            steps=len(steps),
            statements=counts["statements"][i],
            tokens=self.tokens[i],
            empty=not steps,
            throws_only=len(steps) == 1 and tree.called(steps[0]) == "throw_statement",
            returns_kinds=kinds,
            returned_names=returned,
            returns_count=len(returns),
            throws=self._throws(method),
            thrown=self._thrown(found.throws.get(method.node, ())),
            created=_distinct(found.created[i]),
            calls=tuple(calls),
            self_calls=sum(call[2] == width for call in own),
            overload_calls=sum(call[2] != width for call in own),
            super_calls=len(same) - len(own),
            fields_read=_distinct(found.reads[i]),
            fields_written=_written(writes, "fields_written"),
            elements_written=_written(writes, "elements_written"),
            others_written=_written(writes, "others_written"),
            parameters_written=_written(writes, "parameters_written"),
            filled=_written(writes, "filled"),
            stored=tuple(dict.fromkeys(pair for one in writes for pair in one.stored)),
            derived=tuple(dict.fromkeys(pair for one in writes for pair in one.derived)),
            loops=counts["loops"][i],
            branches=counts["branches"][i],
            tries=counts["tries"][i],
            casts=counts["casts"][i],
            instanceofs=counts["instanceofs"][i],
            lambdas=counts["lambdas"][i],
            asserts=counts["asserts"][i],
            strings=_distinct(found.strings[i]),
            identifiers=self._identifiers(i, name),
        )

    def _calls(self, i: int, name: str) -> list[tuple[str, str, int]]:
        bare, node, given = BARE + name, self.name_nodes[i], f"{BARE}{name}()"

        def shown(call: Call) -> tuple[str, str, int]:
            receiver, called, arguments, declared = call
            if receiver[:1] == BARE:
                receiver = f"{SELF}()" if receiver == given else receiver[1:]
            if called == bare or declared == node:
                called = SELF
            elif called[:1] == BARE:
                called = called[1:]
            return receiver, called, arguments

        return [shown(call) for call in self.found.calls[i]]

    def _identifiers(self, i: int, name: str) -> tuple[str, ...]:
        spans, bare = self.found.identifiers, BARE + name
        words = spans[i]
        hidden = self.found.resolved.get(self.name_nodes[i])
        if hidden:
            places = {place - spans.first[i] for place in hidden}
            words = [word for place, word in enumerate(words) if place not in places]
        return tuple([word if word[:1] != BARE else word[1:] for word in words if word != bare])

    def _returned(self, nodes: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        pairs: list[tuple[str, str]] = []
        for node in nodes:
            values = [
                child
                for child in self.tree.children(node)[1:]
                if self.tree.called(child) not in _NO_STEPS
            ]
            if values:
                pairs += self.tree.kinds(values[0])
        names = _distinct([name for _, name in pairs])
        return tuple(dict.fromkeys(kind for kind, _ in pairs)) or ("void",), names

    def _throws(self, method: MethodDeclaration) -> tuple[str, ...]:
        tree, at = self.tree, method.body - 1
        # The throws clause directly precedes the body: go up from the node before the body.
        while at > method.node and tree.parent[at] != method.node:
            at = tree.parent[at]
        if tree.called(at) != "throws":
            return ()
        types = [child for child in tree.children(at) if tree.called(child)[-4:] in _TYPE_ENDS]
        return _distinct([tree.head(one) for one in types])

    def _thrown(self, nodes: Iterable[int]) -> tuple[str, ...]:
        """Return the types of thrown objects; ``?`` for a variable, whose type is not looked up."""
        tree, heads = self.tree, list[str]()
        for node in nodes:
            value = tree.peeled(node + 2) if node + 2 < tree.stop[node] else node
            made = tree.called(value) == "object_creation_expression"
            type_ = tree.part(value, "type") if made else -1
            heads.append(tree.head(type_) if type_ >= 0 else "?")
        return _distinct(heads)

    def _type(self, place: int) -> _Type:
        known = self.types.get(place)
        if known is None:
            known = self.types[place] = self._read_type(place)
        return known

    def _read_type(self, place: int) -> _Type:
        declared = self.file.declarations
        if place == NONE:
            return _Type(declared.package, "", (), (), (), local=False)
        one = declared.types[place]
        names: list[str] = []
        at = place
        while at != NONE and len(names) < _MOST_NAMES:
            names.append(declared.types[at].name)
            at = declared.types[at].owner
        owner = ".".join([*([declared.package] if declared.package else ()), *reversed(names)])
        extends, implements = self._supertypes(one.node, one.kind)
        fields = [(part.name, part.type) for part in one.components]
        fields += self.fields_of.get(place, ())
        local = one.method != NONE and one.kind not in _NAMELESS
        return _Type(owner, one.kind, extends, implements, tuple(fields), local)

    def _supertypes(self, node: int, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        tree, syntax = self.tree, self.file.syntax
        if kind == "anonymous":
            made = tree.part(tree.parent[node], "type")
            return ((type_text(syntax, made),) if made >= 0 else ()), ()
        extends: list[str] = []
        implements: list[str] = []
        for child in tree.children(node):
            called = tree.called(child)
            if called == "superclass":
                extends += [type_text(syntax, one) for one in tree.children(child)[1:]]
            elif called in ("super_interfaces", "extends_interfaces"):
                wanted = implements if called == "super_interfaces" else extends
                for group in tree.children(child)[1:]:
                    listed = [one for one in tree.children(group) if tree.called(one) != ","]
                    wanted += [type_text(syntax, one) for one in listed]
        return tuple(extends), tuple(implements)


_TYPE_ENDS = frozenset(("fier", "type"))


def _written(writes: Sequence[Write], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.name for one in writes if one.kind == kind))


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))
