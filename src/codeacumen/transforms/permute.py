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
from codeacumen.transforms.effects import Effect, Element, effect_analysis
from codeacumen.transforms.location import Location, LocationIds

# Largest distance between two statements to swap, in statements; it keeps the number of pairs
# linear in the length of a block.
WINDOW = 4
BLOCK_KINDS = (*sorted(BLOCKS), "switch_block_statement_group")
SIMPLE_STATEMENTS = frozenset(("expression_statement", "local_variable_declaration"))
_TRIES = frozenset(("try_statement", "try_with_resources_statement"))
_ABBREVIATION_LENGTH = 20  # characters of a statement in the id of a location


class Permute:
    """Permutation of two independent statements (abbreviated PS in the paper)."""

    name = "permute"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        location_ids = LocationIds(self.name)
        unreadable = code.unreadable_reason(method)
        locations = []
        for first, second, refusal in sorted(_find_pairs(code, method, unreadable)):
            start, end = code.start[first], code.end[second]
            name = f"{abbreviate_statement(code, first)}/{abbreviate_statement(code, second)}"
            locations.append(
                Location(
                    location_ids.next_id(name),
                    method,
                    start,
                    end,
                    refusal,
                    (first, second),
                    (start, end),
                )
            )
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        return [swap_statements(code, *location.detail) for location in selected]


def swap_statements(code: Code, first_node: int, second_node: int) -> Rewrite:
    """Return the rewrite that swaps two statements."""
    first_span, second_span = code.span(first_node), code.span(second_node)
    between: list[Part] = (
        [(first_span[1], second_span[0])] if first_span[1] < second_span[0] else []
    )
    return Rewrite(first_span[0], second_span[1], (second_span, *between, first_span))


def abbreviate_statement(code: Code, node: int) -> str:
    """Return the beginning of a statement on one line, for the location's id."""
    start = code.start[node]
    text = code.source[start : min(code.end[node], start + 10 * _ABBREVIATION_LENGTH)]
    return " ".join(text.decode("utf-8", "ignore").split())[:_ABBREVIATION_LENGTH]


# ---- candidates


def _find_pairs(code: Code, method: int, unreadable: str) -> Iterator[tuple[int, int, str]]:
    """Yield each pair of simple statements within the window, with the reason why they must not be
    swapped (empty if they may)."""
    guards: dict[int, int] = {}
    for block in code.nodes_of(method, *BLOCK_KINDS):
        guards[block] = guard = _find_guard(code, block, guards)
        for run in _find_runs(code, block):
            if unreadable:
                yield from ((*pair, unreadable) for pair in _pairs_in_window(run))
            else:
                yield from _explain_pairs(code, ConflictFinder(code, guard), run)


def _find_runs(code: Code, block: int) -> Iterator[list[int]]:
    """Yield the longest runs of adjacent statements of a block that only compute or declare."""
    run: list[int] = []
    for node in code.children(block):
        if code.kind[node] in SIMPLE_STATEMENTS:
            run.append(node)
        else:
            if len(run) > 1:
                yield run
            run = []
    if len(run) > 1:
        yield run


def _pairs_in_window(run: list[int]) -> Iterator[tuple[int, int]]:
    """Yield all pairs of a run that are at most ``WINDOW`` apart."""
    for index, first in enumerate(run):
        for second in run[index + 1 : index + 1 + WINDOW]:
            yield first, second


def _explain_pairs(
    code: Code, conflicts: ConflictFinder, run: list[int]
) -> Iterator[tuple[int, int, str]]:
    """Yield the pairs of a run within the window, with the reason why they must not be swapped
    (empty if they may)."""
    effects = [effect_analysis(code).effects_of_node(node) for node in run]
    # For each statement, its conflicts with each of the next statements in the window.
    conflict_rows = [
        [conflicts.explain(effect, other) for other in effects[index + 1 : index + 1 + WINDOW]]
        for index, effect in enumerate(effects)
    ]
    for index, conflict_row in enumerate(conflict_rows):
        for step, direct_conflict in enumerate(conflict_row):
            first, second = run[index], run[index + 1 + step]
            refusal = direct_conflict.format("the first", "the second")
            for between in range(step):
                if refusal:
                    break
                # The conflict of the statement between with the second one.
                second_conflict = conflict_rows[index + 1 + between][step - between - 1]
                refusal = conflict_row[between].format(
                    "the first", "a statement between"
                ) or second_conflict.format("a statement between", "the second")
            if not refusal and code.node_bytes(first) == code.node_bytes(second):
                refusal = "they are the same"
            yield first, second, refusal


def explain_conflict(code: Code, run: Sequence[int]) -> str:
    """Return why the first and the last of some adjacent statements of a block must not be swapped;
    empty if they may."""
    conflicts = ConflictFinder(code, _find_guard(code, code.parent[run[0]], {}))
    first, *between, last = (effect_analysis(code).effects_of_node(node) for node in run)
    for effect, other, labels in (
        (first, last, ("the first", "the second")),
        *((first, effect, ("the first", "a statement between")) for effect in between),
        *((effect, last, ("a statement between", "the second")) for effect in between),
    ):
        if reason := conflicts.explain(effect, other):
            return reason.format(*labels)
    return ""


# ---- conflicts between two statements


class ConflictFinder:
    """Reasons why two statements of a block must not be swapped.

    A reason contains ``{0}`` and ``{1}`` for the two statements; it is empty if there is no
    conflict. ``guard`` is the node of the ``try`` around the block, NONE if there is none.
    """

    def __init__(self, code: Code, guard: int) -> None:
        self.code = code
        self.guard = guard

    def explain(self, effect: Effect, other: Effect) -> str:
        """Return the first conflict between the effects of two statements."""
        return (
            self._explain_variables(effect, other)
            or _explain_fields(effect, other)
            or _explain_arrays(effect, other)
            or _explain_calls(effect, other)
            or _explain_order(effect, other)
            or self._explain_exception(effect, other, "{0}", "{1}")
            or self._explain_exception(other, effect, "{1}", "{0}")
        )

    def _explain_variables(self, effect: Effect, other: Effect) -> str:
        """Return a conflict over a local variable or over the meaning of a name."""
        text = self.code.text
        if shared := effect.declares & (other.reads | other.writes):
            return f"{{1}} uses `{text(min(shared))}`, which {{0}} declares"
        if shared := effect.writes & other.reads:
            return f"{{1}} reads `{text(min(shared))}`, which {{0}} writes"
        if shared := other.writes & effect.reads:
            return f"{{0}} reads `{text(min(shared))}`, which {{1}} writes"
        if shared := effect.writes & other.writes:
            return f"{{0}} and {{1}} both write `{text(min(shared))}`"
        if ambiguous_words := (effect.new_words & other.words) | (other.new_words & effect.words):
            return f"`{min(ambiguous_words)}` means different things in {{0}} and {{1}}"
        return ""

    def _explain_exception(
        self, thrower: Effect, writer: Effect, thrower_label: str, writer_label: str
    ) -> str:
        """Return a conflict over a write of ``writer`` that is visible if ``thrower`` throws or
        does not end."""
        cause = thrower.calls or thrower.throws
        if not cause:
            return ""
        if writer.field_writes:
            written_name = min(writer.field_writes)
        elif writer.array_writes:
            return f"{thrower_label} {cause}, and {writer_label} writes an array"
        else:
            visible_variables = [
                node for node in writer.writes if not self._is_hidden_from_handlers(node)
            ]
            if not visible_variables:
                return ""
            written_name = self.code.text(min(visible_variables))
        return f"{thrower_label} {cause}, and {writer_label} writes `{written_name}`"

    def _is_hidden_from_handlers(self, variable: int) -> bool:
        """Return whether no handler of the method can see a variable after an exception."""
        return self.guard == NONE or self.code.is_inside(variable, self.guard)


def _find_guard(code: Code, block: int, guard_by_block: dict[int, int]) -> int:
    """Return the innermost ``try`` that may catch an exception in a block, or whose ``finally``
    runs, before it leaves the method or the lambda; NONE if there is none.

    ``guard_by_block`` holds the results for blocks further out.
    """
    child = block
    for node in code.ancestors(block):
        if node in guard_by_block:
            return guard_by_block[node]
        if code.kind[node] == LAMBDA or code.method_of[node] != code.method_of[block]:
            return NONE
        if code.kind[node] in _TRIES:
            # A ``finally`` protects the handlers, too; without one, only the body is protected.
            last_kind = code.kind[code.children(node)[-1]]
            unprotected_kinds = (
                ("finally_clause",) if last_kind == "finally_clause" else ("catch_clause",)
            )
            if code.kind[child] not in unprotected_kinds:
                return node
        child = node
    return NONE


def _explain_fields(effect: Effect, other: Effect) -> str:
    """Return a conflict over a field."""
    if not (effect.field_writes or other.field_writes):
        return ""
    if shared := effect.field_writes & other.field_writes:
        return f"{{0}} and {{1}} both write `{min(shared)}`"
    if shared := effect.field_writes & (other.field_reads | other.other_field_names):
        return f"{{1}} reads `{min(shared)}`, which {{0}} writes"
    if shared := other.field_writes & (effect.field_reads | effect.other_field_names):
        return f"{{0}} reads `{min(shared)}`, which {{1}} writes"
    return ""


def _explain_arrays(effect: Effect, other: Effect) -> str:
    """Return a conflict over an element of an array."""
    if _may_overlap(effect.array_writes, other.array_writes):
        return "{0} and {1} may write the same element of an array"
    if _may_overlap(effect.array_writes, other.array_reads):
        return "{1} may read the element of an array that {0} writes"
    if _may_overlap(other.array_writes, effect.array_reads):
        return "{0} may read the element of an array that {1} writes"
    return ""


def _may_overlap(elements: set[Element], other_elements: set[Element]) -> bool:
    """Return whether two sets may have an element of an array in common."""
    return any(_may_be_same(element, other) for element in elements for other in other_elements)


def _may_be_same(element: Element, other: Element) -> bool:
    """Return whether two array elements may be the same.

    They are not if their arrays have different types, or if they have different indices into the
    array of one variable. The items 0 to 2 of an element are the kind of its type, the variable and
    the index (see ``effects.Element``).
    """
    if element[0] != other[0] and element[0] and other[0]:
        return False
    return not (
        element[1] == other[1] != NONE
        and NONE not in (element[2], other[2])
        and element[2] != other[2]
    )


def _explain_calls(effect: Effect, other: Effect) -> str:
    """Return a conflict over a call.

    A call may read and write all shared state, throw, and have effects outside the program.
    """
    if effect.calls and other.calls:
        if effect.calls.startswith("calls") and other.calls.startswith("calls"):
            return "{0} and {1} both call methods"
        return f"{{0}} {effect.calls}, and {{1}} {other.calls}"
    return _explain_beside_call(effect, other, "{0}", "{1}") or _explain_beside_call(
        other, effect, "{1}", "{0}"
    )


def _explain_beside_call(caller: Effect, other: Effect, caller_label: str, other_label: str) -> str:
    """Return a conflict between a call in one statement and a read or an exception in the other."""
    if not caller.calls:
        return ""
    if other.field_reads:
        return f"{caller_label} {caller.calls}, and {other_label} reads `{min(other.field_reads)}`"
    if other.array_reads:
        return f"{caller_label} {caller.calls}, and {other_label} reads an array"
    return (
        f"{caller_label} {caller.calls}, and {other_label} {other.throws}" if other.throws else ""
    )


def _explain_order(effect: Effect, other: Effect) -> str:
    """Return a conflict over the order of effects.

    If both statements may throw, the first exception is visible. No access may be moved over a
    volatile one (JLS 17.4).
    """
    if effect.throws and other.throws:
        return f"both may throw: {{0}} {effect.throws}, {{1}} {other.throws}"
    if (effect.volatile_field and other.touches_shared_memory) or (
        other.volatile_field and effect.touches_shared_memory
    ):
        return f"`{effect.volatile_field or other.volatile_field}` is volatile"
    return ""
