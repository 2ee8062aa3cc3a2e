"""Two statements change places that share no word with each other, nor with what is between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import BLOCKS, Code
from acumen.transforms.edits import Rewrite
from acumen.transforms.location import Doubt, Location, Numbered
from acumen.transforms.permute import PLACES, SIMPLE, conflict, shown, swapped
from acumen.transforms.published.names import method_node, shape, words

# Of a longer row only so many statements are paired: each with each is too many.
_LONGEST = 60


class PublishedPermute:
    name = "published-permute"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why, numbered = method_node(code, method), code.unreadable(method), Numbered(self.name)
        found: list[Location] = []
        for run in _runs(code, top):
            for first, second, doubt in _pairs(code, run):
                id_ = numbered.id(f"{shown(code, first)}/{shown(code, second)}")
                start, end = code.start[first], code.end[second]
                found.append(
                    Location(
                        id_, method, start, end, why, (first, second), (start, end), doubt=doubt
                    )
                )
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return [swapped(code, *location.detail) for location in chosen]


def _runs(code: Code, top: int) -> Iterator[list[int]]:
    """Statements that follow each other in the order of their depth, and call no method. The two
    branches of an ``if``, and a ``try`` and its ``finally``, follow each other, too."""
    for row in _rows(code, top):
        run: list[int] = []
        for node in row:
            if code.kind[node] in SIMPLE and not code.of_kind(node, "method_invocation"):
                run.append(node)
                continue
            if len(run) > 1:
                yield run[:_LONGEST]
            run = []
        if len(run) > 1:
            yield run[:_LONGEST]


def _rows(code: Code, top: int) -> Iterator[list[int]]:
    behind: set[int] = set()
    for holder in code.of_kind(top, *PLACES):
        if holder in behind:
            continue
        row = _inside(code, holder)
        after = _next(code, holder)
        if after != NONE:
            behind.add(after)
            row += _inside(code, after)
        yield row


def _inside(code: Code, holder: int) -> list[int]:
    skipped = ("{", "}", ":", "switch_label")
    return [one for one in code.children(holder) if code.kind[one] not in skipped]


def _next(code: Code, block: int) -> int:
    """The block whose statements come right after a block's own in the order of depth."""
    above = code.parent[block]
    if code.kind[above] == "if_statement" and code.field[block] == "consequence":
        other = code.child(above, "alternative")
        return other if other != NONE and code.kind[other] in BLOCKS else NONE
    if code.kind[above] == "try_statement" and code.field[block] == "body":
        clauses = [one for one in code.children(above) if code.kind[one].endswith("_clause")]
        if [code.kind[one] for one in clauses] == ["finally_clause"]:
            return code.children(clauses[0])[-1]
    return NONE


def _pairs(code: Code, run: Sequence[int]) -> Iterator[tuple[int, int, Doubt | None]]:
    said = [{code.bytes(one) for one in words(code, node)} for node in run]
    parents = [code.parent[node] for node in run]
    shapes = {one: shape(code, one) for one in {*parents, *run}}
    for i, j in combinations(range(len(run)), 2):
        between = set().union(*said[i + 1 : j])
        if said[i] & said[j] or between & (said[i] | said[j]):
            continue
        if parents[i] == parents[j]:
            why = conflict(code, run[i : j + 1])
            doubt = Doubt(why, wrong=False) if why else None
        elif shapes[parents[i]] == shapes[parents[j]]:
            doubt = Doubt("they stand in different blocks")
        else:
            continue
        if shapes[run[i]] != shapes[run[j]]:
            yield run[i], run[j], doubt
