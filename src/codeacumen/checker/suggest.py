"""Suggest names for one method, from what the checker learns of its project.

``interface.names.suggest_names`` calls ``suggest_for_method``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError
from codeacumen.checker.assess import exclude_rules
from codeacumen.checker.check import Report, read_project
from codeacumen.checker.files import find_projects
from codeacumen.checker.findings import Place
from codeacumen.checker.index import MethodIndex
from codeacumen.checker.reading import FileMethods
from codeacumen.checker.settings import CheckerSettings
from codeacumen.core.progress import Progress
from codeacumen.models.method_naming.suggestions import NameSuggestions
from codeacumen.models.method_naming.verdict import Verdict

if TYPE_CHECKING:
    from codeacumen.engines import Engine
    from codeacumen.models.method_naming.facts import Facts

HINT = "name a method by FILE.java:LINE or FILE.java:NAME"
# Maximum number of line numbers that an error lists.
_LINES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class SuggestedNames:
    """Names for the method at ``path`` and ``place``; ``path`` is from the project's root.

    ``verdict`` is the checker's verdict on the method's present name; None without evidence
    against it.
    """

    path: str
    place: Place
    owner: str
    name: str
    parameters: tuple[str, ...]
    suggestions: NameSuggestions
    verdict: Verdict | None

    @property
    def method(self) -> str:
        """Short form of the method: ``Type.name(int, String)``."""
        return f"{self.owner.rsplit('.', 1)[-1]}.{self.name}({', '.join(self.parameters)})"


def suggest_for_method(
    reference: str,
    settings: CheckerSettings,
    limit: int,
    home: Path,
    engine: Callable[[], Engine],
    report_progress: Progress,
) -> SuggestedNames:
    """Return names for the method that ``FILE.java:LINE`` or ``FILE.java:NAME`` refers to.

    The model learns from the whole project first, as in a check.
    """
    file, position = split_reference(reference)
    (project,) = find_projects([file])
    index = MethodIndex(home, project.root)
    try:
        methods, model, _ = read_project(
            settings, project, index, engine, report_progress, Report(settings, (project.root,))
        )
    finally:
        index.close()
    (path,) = project.parts
    if path not in methods:
        raise CodeacumenError(f"{file} is not a Java file", HINT)
    in_file = methods[path]
    if in_file.problem is not None:
        raise CodeacumenError(f"{file}: {in_file.problem.kind}: {in_file.problem.message}")
    number = _find_method(in_file, file, position)
    facts, place = in_file.facts[number], in_file.places[number]
    verdict = model.assess_methods(in_file.facts)[number]
    return SuggestedNames(
        path,
        place,
        facts.owner,
        facts.name,
        tuple(kind for kind, _ in facts.parameters),
        model.suggest_names(facts, limit),
        exclude_rules(verdict, settings.ignore) if verdict is not None else None,
    )


def split_reference(reference: str) -> tuple[Path, str]:
    """Return the file of a reference, and the line or name after the colon, which may be empty."""
    if Path(reference).is_file():
        return Path(reference), ""
    file, _, position = reference.rpartition(":")
    if not file or not Path(file).is_file():
        raise CodeacumenError(f"{reference}: no such file", HINT)
    return Path(file), position


def _find_method(methods: FileMethods, file: Path, position: str) -> int:
    """Return the index of the method at a line or with a name, the innermost of nested ones.

    ``position`` is the line, the name, or empty for the only method of the file; ``file`` is for
    messages.
    """

    def is_match(facts: Facts, place: Place) -> bool:
        if position.isdecimal():
            return place.first <= int(position) <= place.last
        return not position or facts.name == position

    numbers = [
        number
        for number, (facts, place) in enumerate(zip(methods.facts, methods.places, strict=True))
        if is_match(facts, place)
    ]
    if not numbers:
        names = ", ".join(dict.fromkeys(facts.name for facts in methods.facts)) or "none"
        at = f" at {position!r}" if position else ""
        raise CodeacumenError(
            f"{file} has no method with a body{at}", f"its methods with a body: {names}"
        )
    if len(numbers) > 1 and not position.isdecimal():
        lines = [str(methods.places[number].line) for number in numbers]
        shown_lines = ", ".join(lines[:_LINES_SHOWN]) + (
            ", ..." if len(lines) > _LINES_SHOWN else ""
        )
        called = f" called {position}" if position else ""
        raise CodeacumenError(
            f"{file} has {len(numbers)} methods{called}", f"name one by its line: {shown_lines}"
        )
    return max(numbers, key=lambda number: (methods.places[number].first, number))
