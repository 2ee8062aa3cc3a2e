"""Verbs that promise the same, and promises that exclude each other.

``generate`` instead of ``create`` is a matter of taste; ``get`` instead of ``set`` is not. So a
verb is doubted only in favour of a family that promises something else. Verbs that promise nothing
in particular (``process``, ``handle``, ``init``) are in no family, and so are rare ones: whoever
writes ``peek`` means it.
"""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "get": ("get", "fetch", "retrieve"),
    "set": ("set", "assign"),
    "ask": ("is", "has", "can", "should", "are", "contains", "matches", "supports", "equals"),
    "add": ("add", "append", "insert", "push", "prepend", "enqueue"),
    "remove": ("remove", "delete", "clear", "drop"),
    "convert": ("to", "as", "convert"),
    "create": ("create", "new", "make", "build", "generate", "construct", "instantiate"),
}  # fmt: skip

# A method that removes may give what was there, one that creates may get it from a cache.
OPPOSED: dict[str, frozenset[str]] = {
    "get": frozenset(("set", "add", "remove")),
    "set": frozenset(("get", "ask", "remove")),
    "ask": frozenset(("get", "set", "add", "remove")),
    "add": frozenset(("get", "ask", "remove")),
    "remove": frozenset(("add", "set", "ask")),
    "convert": frozenset(("set", "ask", "add", "remove")),
    "create": frozenset(("set", "ask", "remove")),
}

FAMILY_OF = {verb: family for family, verbs in FAMILIES.items() for verb in verbs}
PROMISES = {
    "get": "get something",
    "set": "set something",
    "ask": "answer a question",
    "add": "add something",
    "remove": "remove something",
    "convert": "convert something",
    "create": "create something",
}
