"""What methods give back, as far as their texts say: null, what another call gives, a variable.

Read word by word and not analysed: whether a method is warned of is decided otherwise
(``lang/java/nulls``), with branches, values and fields. This is what somebody sees who looks up
the methods that are called, and those that these hand on to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from acumen.corpus import Corpus

# The most telling first: of several methods of one name the first of these counts.
KINDS = NULL, PASSED, NAME, OTHER = "null", "passed", "name", "other"

# A call is looked up among so many that it may reach, the nearest; what these hand on, so often.
_TARGETS, _DEPTH = 4, 3
_RETURNED, _LONGEST = 8, 20_000
# Shards whose texts were read, and methods of which it is known.
_SHARDS, _METHODS = 256, 1 << 18
_NULL = re.compile(r"return\s*\(?\s*null\b|[?:]\s*null\s*[;:)]|@(?:Nullable|CheckForNull)\b")
_RETURN = re.compile(r"\breturn\b([^;]*)")
_CAST = re.compile(r"\s*\([\w$<>\[\]., ?]+\)(?=\s*[\w$(])")
_VARIABLE = re.compile(r"\s*(?:this\s*\.\s*)?(?!this\b|true\b|false\b|null\b)[A-Za-z_$][\w$]*\s*")
_PART = re.compile(r"[()\[\]{}]|[A-Za-z_$][\w$]*(?=\s*\()")
_PRIMITIVE = frozenset(("", "void", "boolean", "byte", "char", "short", "int", "long", "float",
                        "double"))  # fmt: skip


class Returned(NamedTuple):
    """Whether null is returned, chosen or promised; the calls whose results are handed on; whether
    a variable is."""

    null: bool
    calls: tuple[str, ...]
    variable: bool


def returned(text: str) -> Returned:
    """
    >>> returned("String f() { return a ? map.get(k) : other(k).trim(); }")
    Returned(null=False, calls=('get', 'trim'), variable=False)
    >>> returned("String f() { if (a) return null; return (String) this.name; }")
    Returned(null=True, calls=(), variable=True)
    """
    text = text[:_LONGEST]
    calls: dict[str, None] = {}
    variable = False
    for match in _RETURN.finditer(text):
        told = _CAST.sub("", match[1], count=1)
        if _VARIABLE.fullmatch(told):
            variable = True
        elif not told.lstrip().startswith("new "):
            calls |= dict.fromkeys(_handed_on(told))
    return Returned(_NULL.search(text) is not None, tuple(calls)[:_RETURNED], variable)


def _handed_on(expression: str) -> Iterable[str]:
    """Calls outside all brackets with whose results nothing else is done."""
    opened: list[str] = []
    name = ""
    for match in _PART.finditer(expression):
        part = match[0]
        if part in "([{":
            opened.append(name if part == "(" else "")
        elif part in ")]}":
            called = opened.pop() if opened else ""
            if called and not opened and not expression[match.end() :].lstrip().startswith("."):
                yield called
        name = part if part not in "()[]{}" else ""


class Gives:
    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._read = lru_cache(maxsize=_SHARDS)(self._columns)
        self._known = lru_cache(maxsize=_METHODS)(self._kind)
        self._targets = lru_cache(maxsize=_METHODS)(self._called)

    def of_calls(self, number: int, hidden: frozenset[int]) -> dict[str, str]:
        """Names of the methods that a method calls, sorted, and what they give; not those that are
        ``hidden``."""
        found: dict[str, str] = {}
        for name, targets in sorted(self._targets(number).items()):
            kinds = [self._known(one, _DEPTH) for one in targets if one not in hidden]
            if kinds:
                found[name] = min(kinds, key=KINDS.index)
        return found

    def _kind(self, number: int, depth: int) -> str:
        _, returns, given = self._row(number)
        if returns in _PRIMITIVE:
            return OTHER
        if given.null:
            return NULL
        for name in given.calls if depth else ():
            if any(
                self._known(one, depth - 1) in (NULL, PASSED)
                for one in self._targets(number).get(name, ())
            ):
                return PASSED
        return NAME if given.variable else OTHER

    def _called(self, number: int) -> dict[str, tuple[int, ...]]:
        """The methods that a method's calls may reach, by name, itself apart."""
        index = self.corpus.index
        found: dict[str, dict[int, None]] = {}
        for one in index.calls.gather(np.array([number], dtype=np.int32), guesses=True).tolist():
            targets = index.sets[one].astype(np.int64)
            near = np.argsort(np.abs(targets - number), kind="stable")[:_TARGETS]
            for target in targets[near].tolist():
                if target != number:
                    found.setdefault(self._row(target)[0], {})[target] = None
        return {name: tuple(targets) for name, targets in found.items()}

    def _row(self, number: int) -> tuple[str, str, Returned]:
        shard = self.corpus.shard_of(number)
        return self._read(shard)[number - int(self.corpus.first[shard])]

    def _columns(self, shard: int) -> list[tuple[str, str, Returned]]:
        """Of the texts only this much is kept: they are a hundred times as long."""
        path = self.corpus.table(self.corpus.shards[shard], "methods")
        columns = ("name", "returns", "text")
        table = self.corpus.read(path, list(columns))
        rows = zip(*(table[key].to_pylist() for key in columns), strict=True)
        return [(name, returns or "", returned(text or "")) for name, returns, text in rows]
