"""Variable renaming: one variable of a method gets the name ``varN``, everywhere it is meant.

Occurrences are those that the bindings find, never those that read the same. The new name occurs
nowhere in the file, so it neither hides anything nor is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

from acumen.transforms.code import Code
from acumen.transforms.edits import Rewrite, replace
from acumen.transforms.location import Location, Numbered


class Rename:
    name = "rename"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        numbered = Numbered(self.name)
        found = []
        for variable in code.variables.get(method, ()):
            name = code.text(variable)
            start, end = code.span(variable)
            why = _refused(code, variable, name)
            found.append(Location(numbered.id(name), method, start, end, why, variable))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        taken: set[str] = set()
        found: list[Rewrite] = []
        for location in chosen:
            new = code.free("var", frozenset(taken))
            taken.add(new)
            places = code.occurrences[location.detail]
            found += [replace(*code.span(node), new.encode()) for node in places]
        return found


def _refused(code: Code, variable: int, name: str) -> str:
    declaration = code.parent[variable]
    if name == "this":
        return "it is the receiver"
    if name == "_":
        return "it has no name"
    if code.kind[declaration] == "ERROR" or code.start[variable] == code.end[variable]:
        return "the source is broken here"
    if _escaped(code):
        return "identifiers of this file are written with Unicode escapes"
    return ""


def _escaped(code: Code) -> bool:
    """An identifier may be spelt in several ways then."""
    return any("\\" in word for word in code.words)
