"""Analysis of a project, bottom-up over its call graph.

Each method is analysed after its callees. Methods that call each other in a cycle are analysed
until their summaries no longer change, at most _ROUNDS times. A ``number`` is the index of a unit
(see ``facts``) among those of the whole project. Called by ``corpus.nulls``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from codeacumen.languages.java.nulls.facts import METHOD_INDEX, NullFacts, extract_facts
from codeacumen.languages.java.nulls.interpretation.method import UnitResult, analyse_unit
from codeacumen.languages.java.nulls.interpretation.method_unit import CallSite, MethodUnit
from codeacumen.languages.java.nulls.interpretation.outcomes import CallEffects
from codeacumen.languages.java.nulls.interpretation.state import (
    NULL,
    PARAMETER_FACT,
    Outcome,
    Summary,
    limit_outcomes,
    return_outcome,
    union_names,
)
from codeacumen.languages.java.nulls.library_models import EQUALS, MODELS, find_thrown
from codeacumen.languages.java.nulls.library_models import strip_parameters as plain_label
from codeacumen.languages.java.nulls.report import Report
from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.resolve import JavaProject, load_platform
from codeacumen.languages.java.resolve import extract_facts as call_facts
from codeacumen.languages.java.syntax.file import JavaFile

# A call that may reach more methods is treated as unknown.
MOST_TARGETS = 4
# Maximum number of analyses of each method of a cycle.
_ROUNDS = 3
# A source of nulls (a method's result, a field, or a file's maps) with at least this many reported
# origins is believed never to be null, unless tests for null are at least half as many.
_BELIEF_USES = 2
# Maximum number of null fields that the effects of an implicit constructor list.
_MOST_FIELDS = 8


def analyse_sources(sources: Mapping[str, bytes]) -> list[Report]:
    """Return the reports of a whole project in memory, from its sources by path."""
    files = {path: JavaFile(source) for path, source in sorted(sources.items())}
    call_facts_by_path = {path: call_facts(file) for path, file in files.items()}
    project = JavaProject(
        [(path, file_facts.declared) for path, file_facts in call_facts_by_path.items()],
        load_platform(),
    )
    return solve_project(
        extract_facts(file, project.link_file(path, call_facts_by_path[path].sites), path)
        for path, file in files.items()
    )


# Function that is called with path and name of a method whose analysis failed, and the error.
OnFailure = Callable[[str, str, Exception], None]


def solve_project(
    project: Iterable[NullFacts], on_failure: OnFailure | None = None
) -> list[Report]:
    """Return the reports of a project from the facts of its files, by path and offset.

    With ``on_failure``, an error in one method is passed to it, and the analysis continues.
    """
    return ProjectSolver(list(project), on_failure).analyse_methods()


class ProjectSolver:
    """Solver of one project: its units, and the summaries of those that have been analysed.

    ``units`` holds the facts of a file and the unit's row there; ``unit_numbers`` maps path and
    index of a method to its index in ``units``. ``classes`` and ``records`` are as in NullFacts,
    with names in place of the indices of texts.
    """

    def __init__(self, files: list[NullFacts], on_failure: OnFailure | None = None) -> None:
        self.on_failure = on_failure
        files = sorted(files, key=lambda file: file.path)
        self.units: list[tuple[NullFacts, int]] = []
        self.unit_numbers: dict[tuple[str, int], int] = {}
        self.classes: dict[str, tuple[str, ...]] = {}
        self.records: dict[str, tuple[str, ...]] = {}
        for file in files:
            for row, columns in enumerate(file.units.tolist()):
                self.unit_numbers[file.path, columns[METHOD_INDEX]] = len(self.units)
                self.units.append((file, row))
            for name, null_fields in file.classes.items():
                self.classes[name] = tuple(file.texts[text] for text in null_fields)
            for name, components in file.records.items():
                self.records[name] = tuple(file.texts[text] for text in components)
        self.summaries: dict[int, Summary] = {}

    def analyse_methods(self) -> list[Report]:
        """Analyse all methods and return the believed reports, sorted by path and offset.

        ``_drop_disbelieved`` says which reports are believed. Of reports with the same method,
        token and line only the first remains.
        """
        reports: dict[tuple[str, int, str, int], tuple[Report, str]] = {}
        tested_sources: set[tuple[str, str, int]] = set()
        for group in self._find_call_cycles():
            rounds = _ROUNDS if len(group) > 1 or self._is_recursive(group[0]) else 1
            for _ in range(rounds):
                changed = False
                for number in group:
                    result = self._analyse_method(number)
                    if result is None:
                        continue
                    earlier = self.summaries.get(number)
                    if earlier is None or _summary_key(earlier) != _summary_key(result.summary):
                        changed = True
                    self.summaries[number] = result.summary
                    tested_sources |= result.tested_sources
                    for report, source in zip(result.reports, result.sources, strict=True):
                        key = (report.path, report.method, report.token, report.line)
                        reports.setdefault(key, (report, source))
                if not changed:
                    break
        believed = _drop_disbelieved(list(reports.values()), tested_sources)
        return sorted(believed, key=lambda report: (report.path, report.offset, report.token))

    def _analyse_method(self, number: int) -> UnitResult | None:
        """Return the result of a unit's analysis; None if ``on_failure`` received an error."""
        file, row = self.units[number]
        unit = MethodUnit(file, row)
        try:
            return analyse_unit(unit, self.find_effects)
        except Exception as error:
            if self.on_failure is None:
                raise
            self.on_failure(file.path, unit.name, error)
            return None

    # ---- what a call may do

    def find_effects(self, call: CallSite) -> CallEffects | None:
        """Return the effects of a call, from a model or from summaries; None if unknown.

        A method in a cycle that has not been analysed yet makes the effects unknown.
        """
        label = call.label
        plain = plain_label(label)
        # A model for certain parameter types comes before one for all methods of the name.
        model = MODELS.get(label)
        if model is None:
            model = MODELS.get(plain)
        if model is not None:
            return CallEffects(model, frozenset(), True, find_thrown(label))
        if plain.endswith(".equals") and len(call.arguments) == 1:
            return CallEffects(EQUALS, frozenset(), True, find_thrown(label))
        if not call.targets:
            return self._implicit_member_effects(plain)
        if len(call.targets) > MOST_TARGETS:
            return None
        summaries = []
        for target in call.targets:
            number = self.unit_numbers.get(target)
            summary = self.summaries.get(number) if number is not None else None
            if summary is None:
                return None
            summaries.append(summary)
        return _unite_effects(summaries)

    def _implicit_member_effects(self, plain: str) -> CallEffects | None:
        """Return the effects of implicit members; None if the label names no such member.

        ``plain`` is a label without parameters. An implicit constructor leaves fields null, that of
        a record sets the components, and accessors return them (JLS 8.8.9, 8.10).
        """
        owner, _, name = plain.rpartition(".")
        components = self.records.get(owner)
        if components is not None:
            if name in components:
                return CallEffects((return_outcome(("f", name)),), frozenset(), False, frozenset())
            if name == "<init>":
                # Each component holds the argument at its position.
                field_facts = tuple(
                    (component, PARAMETER_FACT + index + 1)
                    for index, component in enumerate(components)
                )
                return CallEffects(
                    (return_outcome(1)._replace(fields=field_facts),),
                    frozenset(),
                    False,
                    frozenset(),
                )
        null_fields = self.classes.get(owner) if name == "<init>" else None
        if null_fields is None:
            return None
        fields = tuple((name, NULL) for name in sorted(null_fields)[:_MOST_FIELDS])
        return CallEffects(
            (return_outcome(1)._replace(fields=fields),), frozenset(), False, frozenset()
        )

    # ---- order

    def _list_callees(self, number: int) -> list[int]:
        """Return the units that the calls of a unit may run, of calls with few enough targets."""
        file, row = self.units[number]
        # Column 1 of a unit is FIRST_INSTRUCTION; a unit ends where the next one begins.
        first = int(file.units[row, 1])
        last = int(file.units[row + 1, 1]) if row + 1 < len(file.units) else len(file.code)
        rows = file.code[first:last].reshape(-1, ir.WIDTH)
        callees = []
        # Column 0 of an instruction is the operation, column 4 operand c: the position of the call
        # in ``calls``, whose second number is the set of targets.
        for call in rows[rows[:, 0] == ir.CALL, 4].tolist():
            targets = file.targets[int(file.calls[call + 1])]
            if len(targets) <= MOST_TARGETS:
                for target in targets:
                    callee = self.unit_numbers.get(target)
                    if callee is not None:
                        callees.append(callee)
        return callees

    def _is_recursive(self, number: int) -> bool:
        """Return whether a unit calls itself directly."""
        return number in self._list_callees(number)

    def _find_call_cycles(self) -> list[list[int]]:
        """Return the strongly connected components of the call graph, callees first.

        Tarjan's algorithm, iterative because call chains may be deep.
        """
        count = len(self.units)
        index = [-1] * count
        lowest_index = [0] * count
        on_stack = [False] * count
        stack: list[int] = []
        groups: list[list[int]] = []
        clock = 0
        for root in range(count):
            if index[root] >= 0:
                continue
            call_stack = [(root, iter(self._list_callees(root)))]
            index[root] = lowest_index[root] = clock
            clock += 1
            stack.append(root)
            on_stack[root] = True
            while call_stack:
                node, callees = call_stack[-1]
                for callee in callees:
                    if index[callee] < 0:
                        index[callee] = lowest_index[callee] = clock
                        clock += 1
                        stack.append(callee)
                        on_stack[callee] = True
                        call_stack.append((callee, iter(self._list_callees(callee))))
                        break
                    if on_stack[callee]:
                        lowest_index[node] = min(lowest_index[node], index[callee])
                else:
                    call_stack.pop()
                    if call_stack:
                        above = call_stack[-1][0]
                        lowest_index[above] = min(lowest_index[above], lowest_index[node])
                    if lowest_index[node] == index[node]:
                        group = []
                        while True:
                            member = stack.pop()
                            on_stack[member] = False
                            group.append(member)
                            if member == node:
                                break
                        groups.append(sorted(group))
        return groups


def _drop_disbelieved(
    reports: list[tuple[Report, str]], tested_sources: set[tuple[str, str, int]]
) -> list[Report]:
    """Return the reports without those whose source the code believes never to be null.

    Such a source is a method's result, a field or a file's maps, with at least _BELIEF_USES
    reported origins and less than half as many tests for null. ``reports`` pairs each report with
    its source (empty: none).
    """
    # Each origin counts once, however often its value is used. The first step of a trace is the
    # origin.
    origins = {(source, report.path, report.trace[0].line) for report, source in reports if source}
    use_counts = Counter(source for source, _, _ in origins)
    test_counts = Counter(source for source, _, _ in tested_sources)
    return [
        report
        for report, source in reports
        if not source
        or use_counts[source] < _BELIEF_USES
        or 2 * test_counts[source] >= use_counts[source]
    ]


def _summary_key(summary: Summary) -> tuple[object, ...]:
    """Return a key that is equal for summaries that differ only in order or in steps."""
    return (frozenset(outcome.key for outcome in summary.outcomes), *summary[1:])


def _unite_effects(summaries: list[Summary]) -> CallEffects:
    """Return the effects of a call that runs one of several methods.

    A null result counts if at least half of the methods may return it.
    """
    if len(summaries) == 1:
        only = summaries[0]
        return CallEffects(
            only.outcomes, only.writes, False, only.throws, only.own_writes, only.changes
        )
    null_count = sum(
        any(
            not outcome.failing_parameter and outcome.result == NULL for outcome in summary.outcomes
        )
        for summary in summaries
    )
    outcomes: dict[tuple[object, ...], Outcome] = {}
    writes: frozenset[str] | None = frozenset()
    thrown = own_writes = changes = writes
    for summary in summaries:
        for outcome in summary.outcomes:
            if (
                not outcome.failing_parameter
                and outcome.result == NULL
                and 2 * null_count < len(summaries)
            ):
                continue
            outcomes.setdefault(outcome.key, outcome)
        writes, thrown = union_names(writes, summary.writes), union_names(thrown, summary.throws)
        own_writes, changes = (
            union_names(own_writes, summary.own_writes),
            union_names(changes, summary.changes),
        )
    return CallEffects(
        limit_outcomes(list(outcomes.values())), writes, False, thrown, own_writes, changes
    )
