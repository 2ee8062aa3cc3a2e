"""What methods give back, as far as their texts say: null, what another call gives, a variable.

Read off their return statements and not analysed: whether a method is warned of is decided
otherwise (``lang/java/nulls``), with branches, values and fields. This is what somebody sees who
looks up the methods that are called, and those that these hand on to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from acumen.corpus import Corpus
from acumen.lang.java.file import parse_snippet
from acumen.lang.java.grammar import among
from acumen.lang.java.returned import Returned, returned

# The most telling first: of several methods of one name the first of these counts.
KINDS = NULL, PASSED, NAME, OTHER = "null", "passed", "name", "other"

# A call is looked up among so many that it may reach, the nearest; what these hand on, so often.
_TARGETS, _DEPTH = 4, 3
_LONGEST = 20_000
# Shards whose texts were read, and methods of which it is known.
_SHARDS, _METHODS = 128, 1 << 18
_PRIMITIVE = frozenset(("", "void", "boolean", "byte", "char", "short", "int", "long", "float",
                        "double"))  # fmt: skip
_NOTHING = Returned(null=False, calls=(), variable=False)


def given(text: str) -> Returned:
    """What the method of a text returns; nothing is known of one that holds no method.

    >>> given("String f() { return a ? map.get(k) : null; }")
    Returned(null=True, calls=('get',), variable=False)
    """
    syntax = parse_snippet(text[:_LONGEST]).file.syntax
    methods = np.flatnonzero(among("method_declaration")[syntax.kind])
    return returned(syntax, int(methods[0])) if len(methods) else _NOTHING


class Gives:
    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._read = lru_cache(maxsize=_SHARDS)(self._columns)
        self._returned = lru_cache(maxsize=_METHODS)(self._of_text)
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
        own = self._returned(number)
        if own.null:
            return NULL
        for name in own.calls if depth else ():
            if any(
                self._known(one, depth - 1) in (NULL, PASSED)
                for one in self._targets(number).get(name, ())
            ):
                return PASSED
        return NAME if own.variable else OTHER

    def _called(self, number: int) -> dict[str, tuple[int, ...]]:
        """The methods that a method's calls may reach, by name, itself apart."""
        index = self.corpus.index
        found: dict[str, dict[int, None]] = {}
        for one in index.calls.gather(np.array([number], dtype=np.int32), guesses=True).tolist():
            targets = index.sets[one].astype(np.int64)
            near = np.argsort(np.abs(targets - number), kind="stable")[:_TARGETS]
            for target in targets[near].tolist():
                if target != number:
                    found.setdefault(self._told(target, "name"), {})[target] = None
        return {name: tuple(targets) for name, targets in found.items()}

    def _of_text(self, number: int) -> Returned:
        """Parsed when it is asked for: of most methods nobody asks."""
        if self._told(number, "returns") in _PRIMITIVE:
            return _NOTHING
        return given(self._told(number, "text"))

    def _told(self, number: int, column: str) -> str:
        shard = self.corpus.shard_of(number)
        return self._read(shard)[column][number - int(self.corpus.first[shard])].as_py() or ""

    def _columns(self, shard: int) -> dict[str, Any]:
        """About a megabyte, nearly all of it the texts."""
        path = self.corpus.table(self.corpus.shards[shard], "methods")
        table = self.corpus.read(path, ["name", "returns", "text"]).combine_chunks()
        return {name: table[name].chunk(0) for name in table.column_names}
