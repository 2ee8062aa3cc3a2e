"""A method and a name in question, wherever the two come from; and the sight around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from acumen.api import Json, Method
from acumen.lang.subtokens import subtokens

# First words of names that are frequent enough for a slice of their own.
FIRST = ("get", "is", "set", "do", "add", "create", "to", "has")
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Case:
    """``text`` is masked; ``tested`` is the name under test and ``fixed`` the right one.
    ``context`` is what is known of the place: ``type``, ``package``, ``project``."""

    id: str
    text: str
    tested: str
    fixed: str
    consistent: bool
    cluster: str
    tags: frozenset[str] = frozenset()
    context: Mapping[str, Json] = field(default_factory=dict)

    @property
    def method(self) -> Method:
        return Method(self.id, self.text)


Load = Callable[[], Sequence[Case]]


def first_tag(name: str) -> str:
    """The slice of a name's first word."""
    words = subtokens(name)
    first = words[0].lower() if words else OTHER
    return f"first:{first if first in FIRST else OTHER}"


FIRST_TAGS = tuple(f"first:{one}" for one in (*FIRST, OTHER))


class CaseSight:
    """What there is to see around a method: its masked text, and where it stands. Other methods of
    its file are not in the data."""

    def __init__(self, cases: Load) -> None:
        self._load = cases
        self._cases: dict[str, Case] | None = None

    def _case(self, method: str) -> Case | None:
        if self._cases is None:
            self._cases = {case.id: case for case in self._load()}
        return self._cases.get(method)

    def view(self, method: str, name: str, compat: str = "") -> Json:
        case = self._case(method)
        return case.text if case and name == "text" and not compat else None

    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json:
        return self.view(method, name, compat) if other == method else None

    def context(self, method: str) -> Mapping[str, Json]:
        case = self._case(method)
        return case.context if case else {}

    def callers(self, method: str) -> Sequence[Mapping[str, Json]]:
        return ()

    def callees(self, method: str) -> Sequence[Mapping[str, Json]]:
        return ()

    def siblings(self, method: str) -> Sequence[Mapping[str, Json]]:
        return ()

    def owner(self, method: str) -> Mapping[str, Json]:
        """The class's name, where the data tell it."""
        name = self.context(method).get("type")
        return {"header": f"class {name}"} if name else {}
