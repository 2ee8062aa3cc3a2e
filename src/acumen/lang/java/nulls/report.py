"""What the analysis finds: a null dereference, with the steps that lead to it."""

from __future__ import annotations

from typing import Any, NamedTuple

BUG_TYPE = "NULL_DEREFERENCE"


class Step(NamedTuple):
    """``level`` is the depth of calls below the method that is reported."""

    level: int
    path: str
    line: int
    description: str


class Report(NamedTuple):
    """``method`` is the method's place in its file's declarations (-1: not known), ``offset`` the
    byte of the token. ``token`` is the last identifier of the expression that is null: a variable,
    a field, or the method that returned it."""

    path: str
    method: int
    name: str
    line: int
    offset: int
    token: str
    expression: str
    qualifier: str
    trace: tuple[Step, ...] = ()
    bug_type: str = BUG_TYPE

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = self._asdict()
        found["trace"] = [step._asdict() for step in self.trace]
        return found
