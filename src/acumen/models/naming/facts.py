"""What a method is and does, as far as its own source tells, for who asks whether its name fits.

Nothing but ``name`` and ``subtokens`` depends on the name that is declared: a call of the method
itself, of an overload or of ``super`` under that name is ``SELF`` in ``calls`` and is left out of
``identifiers``; a comment that refers to it says ``SELF``. So the same body has the same facts
under another name, and a model that sees the facts does not see the name.

What stands in lambdas and in the classes inside a body belongs to the body too, except what they
return and throw: that is theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from acumen.lang.java.file import JavaFile, parse_snippet
from acumen.lang.subtokens import subtokens
from acumen.models.naming._facts_tree import head

__all__ = ["SELF", "Facts", "facts_of", "facts_of_text", "head", "is_named_freely"]

SELF = "<self>"


@dataclass(frozen=True, slots=True)
class Facts:
    """``place`` is the method's in ``declarations.methods``; ``owner`` the type that declares it,
    with its package. ``extends`` and ``implements`` are as written; a class without a name extends
    what it is made from. ``fields`` are the owner's, name and type. ``steps`` counts the statements
    of the body itself, ``statements`` those inside too.

    ``returned`` is the head of the return type (``List`` of ``java.util.List<String>``), arrays
    marked. ``returns_kinds`` tell what is returned, each kind once: field, not field, constant,
    other field, parameter, local, this, null, true, false, literal, new, call, element, lambda,
    boolean expression, arithmetic, assignment, switch, other; ``void`` where nothing is returned.
    ``returned_names`` are the variables among them.

    ``calls`` are receiver, name and number of arguments. The receiver is one word: a variable or
    type, ``this``, ``super``, ``f()`` for what a call gave, ``new``, ``?``; empty: an own method.

    Fields are this object's and its classes', also where the declaration is in another file.
    ``elements_written`` are fields of which an element or field was set, ``filled`` the parameters
    for which that is so, ``parameters_written`` those that were given another value. ``stored``
    pairs a parameter with the field it is put into as it is; ``derived`` those where the field gets
    what is computed from it.
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
        """The same method under another name."""
        return replace(self, name=name, subtokens=subtokens(name))


def facts_of(file: JavaFile, path: str = "") -> list[Facts]:
    """The methods of a file that have a body, constructors left out, in the order of the source."""
    from acumen.models.naming._facts_walk import walk

    return walk(file, path)


def facts_of_text(code: str) -> Facts | None:
    """The facts of a method's source by itself, comment and all; None where there is no method with
    a body in it."""
    snippet = parse_snippet(code, leading_newline=True, trailing_newline=True)
    for one in facts_of(snippet.file):
        if not one.anonymous and not one.local:
            return replace(one, line=one.line - 1)
    return None


def masked_doc(text: str, name: str) -> str:
    """A comment without the method's name where it refers to the method. A word that is also the
    name (``close`` in "must close it") is prose, and a rename leaves prose alone; a name of several
    words is always a reference."""
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
    """Return whether the author chose the name freely, and the name says something about the body.

    The name of an overriding method, ``main``, an empty method or a method of an anonymous or local
    class is given by something else than its body.
    """
    return not (
        facts.overrides or facts.empty or facts.anonymous or facts.local or facts.name == "main"
    )
