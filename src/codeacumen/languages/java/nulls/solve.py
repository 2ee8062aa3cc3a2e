"""A project, method by method from the bottom of its call graph.

Each method is run once its callees are known; methods that call each other in a circle are run
until nothing changes, a few times at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls._choices import Found
from codeacumen.languages.java.nulls._run import Result, analyse_unit
from codeacumen.languages.java.nulls._state import (
    GIVEN,
    NULL,
    Outcome,
    Summary,
    bounded,
    joined,
    returning,
)
from codeacumen.languages.java.nulls._unit import CallSite, Unit
from codeacumen.languages.java.nulls.facts import PLACE, Facts, facts
from codeacumen.languages.java.nulls.models import EQUALS, MODELS, throws
from codeacumen.languages.java.nulls.models import plain as plain_label
from codeacumen.languages.java.nulls.report import Report
from codeacumen.languages.java.resolve import Project, platform
from codeacumen.languages.java.resolve import facts as call_facts
from codeacumen.languages.java.syntax.file import JavaFile

# A call that may reach more methods tells nothing.
MOST_TARGETS = 4
_ROUNDS = 3
# So many uses of a method's result, of a field, or of what a file's maps hold make a belief.
_MANY = 2
_MOST_FIELDS = 8


def analyse(sources: Mapping[str, bytes]) -> list[Report]:
    """The reports of a whole project in memory, sources by path."""
    files = {path: JavaFile(source) for path, source in sorted(sources.items())}
    declared = {path: call_facts(file) for path, file in files.items()}
    project = Project([(path, one.declared) for path, one in declared.items()], platform())
    return solve(
        facts(file, project.link(path, declared[path].sites), path) for path, file in files.items()
    )


# Path and name of a method that the analysis could not bear, and why.
Fail = Callable[[str, str, Exception], None]


def solve(project: Iterable[Facts], fail: Fail | None = None) -> list[Report]:
    """The reports of one project from the facts of its files, in the order of paths and places.
    With ``fail``, a method that cannot be analysed is told there and ends nothing."""
    return Solver(list(project), fail).solve()


class Solver:
    def __init__(self, files: list[Facts], fail: Fail | None = None) -> None:
        self.fail = fail
        files = sorted(files, key=lambda file: file.path)
        self.units: list[tuple[Facts, int]] = []
        self.number: dict[tuple[str, int], int] = {}
        self.classes: dict[str, tuple[str, ...]] = {}
        self.records: dict[str, tuple[str, ...]] = {}
        for file in files:
            for row, columns in enumerate(file.units.tolist()):
                self.number[file.path, columns[PLACE]] = len(self.units)
                self.units.append((file, row))
            for name, empty in file.classes.items():
                self.classes[name] = tuple(file.texts[one] for one in empty)
            for name, parts in file.records.items():
                self.records[name] = tuple(file.texts[one] for one in parts)
        self.summaries: dict[int, Summary] = {}
        self._found: dict[tuple[str, tuple[tuple[str, int], ...]], Found | None] = {}

    def solve(self) -> list[Report]:
        reports: dict[tuple[str, int, str, int], tuple[Report, str]] = {}
        tested: set[tuple[str, str, int]] = set()
        for group in self._groups():
            rounds = _ROUNDS if len(group) > 1 or self._is_recursive(group[0]) else 1
            for _ in range(rounds):
                changed = False
                for number in group:
                    result = self._run(number)
                    if result is None:
                        continue
                    before = self.summaries.get(number)
                    if before is None or _keys(before) != _keys(result.summary):
                        changed = True
                    self.summaries[number] = result.summary
                    tested |= result.tested
                    for one, source in zip(result.reports, result.sources, strict=True):
                        key = (one.path, one.method, one.token, one.line)
                        reports.setdefault(key, (one, source))
                if not changed:
                    break
        found = _believed(list(reports.values()), tested)
        return sorted(found, key=lambda one: (one.path, one.offset, one.token))

    def _run(self, number: int) -> Result | None:
        file, row = self.units[number]
        unit = Unit(file, row)
        try:
            return analyse_unit(unit, self.find)
        except Exception as error:
            if self.fail is None:
                raise
            self.fail(file.path, unit.name, error)
            return None

    # ---- what a call may do

    def find(self, call: CallSite) -> Found | None:
        label = call.label
        plain = plain_label(label)
        model = MODELS.get(label)
        if model is None:
            model = MODELS.get(plain)
        if model is not None:
            return Found(model, frozenset(), True, throws(label))
        if plain.endswith(".equals") and len(call.arguments) == 1:
            return Found(EQUALS, frozenset(), True, throws(label))
        if not call.targets:
            return self._unwritten(plain)
        if len(call.targets) > MOST_TARGETS:
            return None
        summaries = []
        for target in call.targets:
            number = self.number.get(target)
            summary = self.summaries.get(number) if number is not None else None
            if summary is None:
                return None
            summaries.append(summary)
        return _united(summaries)

    def _unwritten(self, plain: str) -> Found | None:
        """A constructor that nobody wrote leaves fields null; a record's sets its components, and
        there are methods that give them."""
        owner, _, name = plain.rpartition(".")
        parts = self.records.get(owner)
        if parts is not None:
            if name in parts:
                return Found((returning(("f", name)),), frozenset(), False, frozenset())
            if name == "<init>":
                held = tuple((part, GIVEN + place + 1) for place, part in enumerate(parts))
                return Found((returning(1)._replace(fields=held),), frozenset(), False, frozenset())
        empty = self.classes.get(owner) if name == "<init>" else None
        if empty is None:
            return None
        fields = tuple((name, NULL) for name in sorted(empty)[:_MOST_FIELDS])
        return Found((returning(1)._replace(fields=fields),), frozenset(), False, frozenset())

    # ---- order

    def _callees(self, number: int) -> list[int]:
        file, row = self.units[number]
        first = int(file.units[row, 1])
        last = int(file.units[row + 1, 1]) if row + 1 < len(file.units) else len(file.code)
        rows = file.code[first:last].reshape(-1, code.WIDTH)
        found = []
        for call in rows[rows[:, 0] == code.CALL, 4].tolist():
            targets = file.targets[int(file.calls[call + 1])]
            if len(targets) <= MOST_TARGETS:
                for target in targets:
                    callee = self.number.get(target)
                    if callee is not None:
                        found.append(callee)
        return found

    def _is_recursive(self, number: int) -> bool:
        return number in self._callees(number)

    def _groups(self) -> list[list[int]]:
        """Circles of calls, callees first (Tarjan), without recursion."""
        count = len(self.units)
        index = [-1] * count
        low = [0] * count
        on_stack = [False] * count
        stack: list[int] = []
        groups: list[list[int]] = []
        clock = 0
        for root in range(count):
            if index[root] >= 0:
                continue
            work = [(root, iter(self._callees(root)))]
            index[root] = low[root] = clock
            clock += 1
            stack.append(root)
            on_stack[root] = True
            while work:
                node, callees = work[-1]
                for callee in callees:
                    if index[callee] < 0:
                        index[callee] = low[callee] = clock
                        clock += 1
                        stack.append(callee)
                        on_stack[callee] = True
                        work.append((callee, iter(self._callees(callee))))
                        break
                    if on_stack[callee]:
                        low[node] = min(low[node], index[callee])
                else:
                    work.pop()
                    if work:
                        above = work[-1][0]
                        low[above] = min(low[above], low[node])
                    if low[node] == index[node]:
                        group = []
                        while True:
                            one = stack.pop()
                            on_stack[one] = False
                            group.append(one)
                            if one == node:
                                break
                        groups.append(sorted(group))
        return groups


def _believed(reports: list[tuple[Report, str]], tested: set[tuple[str, str, int]]) -> list[Report]:
    """Without those whose null nobody believes in: a method's result, or a field, that many use
    as if it were never null and few test."""
    # One place that gave it counts once, however often its value is used.
    gave = {(source, one.path, one.trace[0].line) for one, source in reports if source}
    used = Counter(source for source, _, _ in gave)
    doubted = Counter(source for source, _, _ in tested)
    return [
        one
        for one, source in reports
        if not source or used[source] < _MANY or 2 * doubted[source] >= used[source]
    ]


def _keys(summary: Summary) -> tuple[object, ...]:
    return (frozenset(one.key for one in summary.outcomes), *summary[1:])


def _united(summaries: list[Summary]) -> Found:
    """What several methods may do, of which one runs. Null counts if half of them return it."""
    if len(summaries) == 1:
        one_ = summaries[0]
        return Found(one_.outcomes, one_.writes, False, one_.throws, one_.own, one_.changes)
    null = sum(
        any(not one.failing_parameter and one.result == NULL for one in summary.outcomes)
        for summary in summaries
    )
    outcomes: dict[tuple[object, ...], Outcome] = {}
    writes: frozenset[str] | None = frozenset()
    throws_ = own = changes = writes
    for summary in summaries:
        for one in summary.outcomes:
            if not one.failing_parameter and one.result == NULL and 2 * null < len(summaries):
                continue
            outcomes.setdefault(one.key, one)
        writes, throws_ = joined(writes, summary.writes), joined(throws_, summary.throws)
        own, changes = joined(own, summary.own), joined(changes, summary.changes)
    return Found(bounded(list(outcomes.values())), writes, False, throws_, own, changes)
