"""Statement permutation: two statements of one block change places.

Neither may depend on the other, and neither may depend on the statements between them: no statement
reads or writes what another one writes, and the order of exceptions, calls and volatile accesses
does not change observably. Arrays of the same type, and fields of the same name, are assumed to be
aliases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import BLOCKS, LAMBDA, Code
from codeacumen.transforms.edits import Part, Rewrite
from codeacumen.transforms.effects import Effect, Element, effects_of
from codeacumen.transforms.location import Location, Numbered

# Largest distance of two statements: keeps the number of pairs linear in the length of a block.
WINDOW = 4
PLACES = (*sorted(BLOCKS), "switch_block_statement_group")
SIMPLE = frozenset(("expression_statement", "local_variable_declaration"))
_TRIES = frozenset(("try_statement", "try_with_resources_statement"))
_SHOWN = 20


class Permute:
    """Permutation of two independent statements (abbreviated PS in the paper)."""

    name = "permute"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        numbered = Numbered(self.name)
        unreadable = code.unreadable(method)
        found = []
        for first, second, why in sorted(_pairs(code, method, unreadable)):
            start, end = code.start[first], code.end[second]
            what = f"{shown(code, first)}/{shown(code, second)}"
            found.append(
                Location(numbered.id(what), method, start, end, why, (first, second), (start, end))
            )
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [swapped(code, *location.detail) for location in chosen]


def swapped(code: Code, one: int, other: int) -> Rewrite:
    """Return the rewrite that swaps two statements."""
    first, second = code.span(one), code.span(other)
    between: list[Part] = [(first[1], second[0])] if first[1] < second[0] else []
    return Rewrite(first[0], second[1], (second, *between, first))


def shown(code: Code, node: int) -> str:
    """Return the beginning of a statement on one line, for the location's id."""
    start = code.start[node]
    text = code.source[start : min(code.end[node], start + 10 * _SHOWN)]
    return " ".join(text.decode("utf-8", "ignore").split())[:_SHOWN]


# ---- candidates


def _pairs(code: Code, method: int, unreadable: str) -> Iterator[tuple[int, int, str]]:
    """Yield each pair of simple statements within the window, with the reason why they must not be
    swapped (empty if they may)."""
    guards: dict[int, int] = {}
    for block in code.nodes_of(method, *PLACES):
        guards[block] = guard = _guard(code, block, guards)
        for run in _runs(code, block):
            if unreadable:
                yield from ((*pair, unreadable) for pair in _windows(run))
            else:
                yield from _judged(code, Conflicts(code, guard), run)


def _runs(code: Code, block: int) -> Iterator[list[int]]:
    """Yield the longest runs of adjacent statements of a block that only compute or declare."""
    run: list[int] = []
    for node in code.children(block):
        if code.kind[node] in SIMPLE:
            run.append(node)
        else:
            if len(run) > 1:
                yield run
            run = []
    if len(run) > 1:
        yield run


def _windows(run: list[int]) -> Iterator[tuple[int, int]]:
    """Yield all pairs of a run that are at most ``WINDOW`` apart."""
    for place, first in enumerate(run):
        for second in run[place + 1 : place + 1 + WINDOW]:
            yield first, second


def _judged(code: Code, conflicts: Conflicts, run: list[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the pairs of a run with the reason why they must not be swapped."""
    did = [effects_of(code).of(node) for node in run]
    # For each statement, its conflicts with each of the next statements in the window.
    rows = [
        [conflicts.between(one, other) for other in did[place + 1 : place + 1 + WINDOW]]
        for place, one in enumerate(did)
    ]
    for place, row in enumerate(rows):
        for step, direct in enumerate(row):
            first, second = run[place], run[place + 1 + step]
            why = direct.format("the first", "the second")
            for between in range(step):
                if why:
                    break
                below = rows[place + 1 + between][step - between - 1]
                why = row[between].format("the first", "a statement between") or below.format(
                    "a statement between", "the second"
                )
            if not why and code.bytes(first) == code.bytes(second):
                why = "they are the same"
            yield first, second, why


def conflict(code: Code, run: Sequence[int]) -> str:
    """Return why the first and the last of some adjacent statements of a block must not be swapped;
    empty if they may."""
    conflicts = Conflicts(code, _guard(code, code.parent[run[0]], {}))
    first, *between, last = (effects_of(code).of(node) for node in run)
    for one, other, words in (
        (first, last, ("the first", "the second")),
        *((first, one, ("the first", "a statement between")) for one in between),
        *((one, last, ("a statement between", "the second")) for one in between),
    ):
        if why := conflicts.between(one, other):
            return why.format(*words)
    return ""


# ---- conflicts between two statements


class Conflicts:
    """Reasons why two statements of a block must not be swapped.

    A reason contains ``{0}`` and ``{1}`` for the two statements; it is empty if there is no
    conflict. ``guard`` is the ``try`` around the block.
    """

    def __init__(self, code: Code, guard: int) -> None:
        self.code = code
        self.guard = guard

    def between(self, one: Effect, other: Effect) -> str:
        """Return the first conflict between the effects of two statements."""
        return (
            self._variables(one, other)
            or _fields(one, other)
            or _arrays(one, other)
            or _calls(one, other)
            or _order(one, other)
            or self._throws(one, other, "{0}", "{1}")
            or self._throws(other, one, "{1}", "{0}")
        )

    def _variables(self, one: Effect, other: Effect) -> str:
        """Return a conflict over a local variable or over the meaning of a name."""
        text = self.code.text
        if found := one.declares & (other.reads | other.writes):
            return f"{{1}} uses `{text(min(found))}`, which {{0}} declares"
        if found := one.writes & other.reads:
            return f"{{1}} reads `{text(min(found))}`, which {{0}} writes"
        if found := other.writes & one.reads:
            return f"{{0}} reads `{text(min(found))}`, which {{1}} writes"
        if found := one.writes & other.writes:
            return f"{{0}} and {{1}} both write `{text(min(found))}`"
        if words := (one.new_words & other.words) | (other.new_words & one.words):
            return f"`{min(words)}` means different things in {{0}} and {{1}}"
        return ""

    def _throws(self, one: Effect, other: Effect, first: str, second: str) -> str:
        """Return a conflict over a write that is visible if the first statement throws or does not
        end."""
        how = one.calls or one.throws
        if not how:
            return ""
        if other.field_writes:
            seen = min(other.field_writes)
        elif other.array_writes:
            return f"{first} {how}, and {second} writes an array"
        else:
            caught = [node for node in other.writes if not self._inside(node)]
            if not caught:
                return ""
            seen = self.code.text(min(caught))
        return f"{first} {how}, and {second} writes `{seen}`"

    def _inside(self, variable: int) -> bool:
        """Return whether no exception handler can see a variable."""
        return self.guard == NONE or self.code.inside(variable, self.guard)


def _guard(code: Code, block: int, known: dict[int, int]) -> int:
    """Return the innermost ``try`` that may catch an exception in a block, or whose ``finally``
    runs, before it leaves the method or the lambda; NONE if there is none.

    ``guard_by_block`` holds the results for blocks further out.
    """
    below = block
    for node in code.up(block):
        if node in known:
            return known[node]
        if code.kind[node] == LAMBDA or code.method_of[node] != code.method_of[block]:
            return NONE
        if code.kind[node] in _TRIES:
            last = code.kind[code.children(node)[-1]]
            after = ("finally_clause",) if last == "finally_clause" else ("catch_clause",)
            if code.kind[below] not in after:
                return node
        below = node
    return NONE


def _fields(one: Effect, other: Effect) -> str:
    """Return a conflict over a field."""
    if not (one.field_writes or other.field_writes):
        return ""
    if found := one.field_writes & other.field_writes:
        return f"{{0}} and {{1}} both write `{min(found)}`"
    if found := one.field_writes & (other.field_reads | other.named):
        return f"{{1}} reads `{min(found)}`, which {{0}} writes"
    if found := other.field_writes & (one.field_reads | one.named):
        return f"{{0}} reads `{min(found)}`, which {{1}} writes"
    return ""


def _arrays(one: Effect, other: Effect) -> str:
    """Return a conflict over an element of an array."""
    if _meet(one.array_writes, other.array_writes):
        return "{0} and {1} may write the same element of an array"
    if _meet(one.array_writes, other.array_reads):
        return "{1} may read the element of an array that {0} writes"
    if _meet(other.array_writes, one.array_reads):
        return "{0} may read the element of an array that {1} writes"
    return ""


def _meet(some: set[Element], others: set[Element]) -> bool:
    """Return whether two sets may have an element of an array in common."""
    return any(_same(one, other) for one in some for other in others)


def _same(one: Element, other: Element) -> bool:
    """Return whether two array elements may be the same.

    They are not if their arrays have different types, or if they have different indices into the
    array of one variable.
    """
    if one[0] != other[0] and one[0] and other[0]:
        return False
    return not (
        one[1] == other[1] != NONE and NONE not in (one[2], other[2]) and one[2] != other[2]
    )


def _calls(one: Effect, other: Effect) -> str:
    """Return a conflict over a call.

    A call may read and write all shared state, throw, and have effects outside the program.
    """
    if one.calls and other.calls:
        if one.calls.startswith("calls") and other.calls.startswith("calls"):
            return "{0} and {1} both call methods"
        return f"{{0}} {one.calls}, and {{1}} {other.calls}"
    return _beside_call(one, other, "{0}", "{1}") or _beside_call(other, one, "{1}", "{0}")


def _beside_call(one: Effect, other: Effect, first: str, second: str) -> str:
    """Return a conflict between a call in one statement and a read or an exception in the other."""
    if not one.calls:
        return ""
    if other.field_reads:
        return f"{first} {one.calls}, and {second} reads `{min(other.field_reads)}`"
    if other.array_reads:
        return f"{first} {one.calls}, and {second} reads an array"
    return f"{first} {one.calls}, and {second} {other.throws}" if other.throws else ""


def _order(one: Effect, other: Effect) -> str:
    """Return a conflict over the order of effects.

    If both statements may throw, the first exception is visible. No access may be moved over a
    volatile one (JLS 17.4).
    """
    if one.throws and other.throws:
        return f"both may throw: {{0}} {one.throws}, {{1}} {other.throws}"
    if (one.ordered and other.shares) or (other.ordered and one.shares):
        return f"`{one.ordered or other.ordered}` is volatile"
    return ""
