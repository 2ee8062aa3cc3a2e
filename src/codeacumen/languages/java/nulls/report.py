"""What the analysis finds: a null dereference, with the steps that lead to it.

Infer's own reports (report.json) as the same records.

Infer reads bytecode and knows no columns, so the token has to come from the sentence it writes:
the last identifier of the expression in it, a variable or a field; of an object that was returned,
the name of the method that was called.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
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


BUG_TYPES = frozenset((BUG_TYPE, "NULLPTR_DEREFERENCE"))
# The expression is the first thing in quotes, or the first that a sentence of newer versions calls
# one; a call's comes after "returned by" or "returned from".
_QUOTED = re.compile(r"`([^`]*)`")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


class NotReportsError(ValueError):
    """A file that is not a list of Infer's reports."""


def read_report(source: Path | str | bytes) -> list[Report]:
    """The null dereferences of a report.json, in its order; from a path, or from its bytes."""
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotReportsError(f"not JSON: {error}") from None
    if not isinstance(rows, list):
        raise NotReportsError("not a list of reports")
    return [
        _report(row) for row in rows if isinstance(row, dict) and row.get("bug_type") in BUG_TYPES
    ]


def _report(row: dict[str, Any]) -> Report:
    qualifier = str(row.get("qualifier", ""))
    expression = expression_of(qualifier)
    trace = tuple(
        Step(
            _int(step.get("level")),
            str(step.get("filename", "")),
            _int(step.get("line_number")),
            str(step.get("description", "")),
        )
        for step in row.get("bug_trace") or ()
        if isinstance(step, dict)
    )
    return Report(
        path=str(row.get("file", "")),
        method=-1,
        name=method_of(str(row.get("procedure", ""))),
        line=_int(row.get("line")),
        offset=-1,
        token=token_of(qualifier),
        expression=expression,
        qualifier=qualifier,
        trace=trace,
    )


def expression_of(qualifier: str) -> str:
    """The expression that may be null.

    >>> expression_of("object `a.b` last assigned on line 3 could be null and is dereferenced")
    'a.b'
    """
    found = _QUOTED.search(qualifier)
    return found[1].strip() if found else ""


def token_of(qualifier: str) -> str:
    """The last identifier of the expression; of a call the method's name.

    >>> token_of("object returned by `map.get(key.name())` could be null and is dereferenced")
    'get'
    >>> token_of("object `this.rows[i]` could be null and is dereferenced at line 4.")
    'rows'
    """
    expression = _without_brackets(expression_of(qualifier))
    names = _IDENTIFIER.findall(expression)
    return names[-1] if names else ""


def _without_brackets(text: str) -> str:
    """Without arguments and indexes, which are expressions of their own."""
    kept = []
    depth = 0
    for letter in text:
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth = max(depth - 1, 0)
        elif depth == 0:
            kept.append(letter)
    return "".join(kept)


def method_of(procedure: str) -> str:
    """The method's simple name, of what Infer calls a procedure.

    >>> method_of("void codetoanalyze.java.A.run(String,int)"), method_of("p.A.<init>()")
    ('run', '<init>')
    """
    return procedure.partition("(")[0].rpartition(".")[2].rpartition(" ")[2].partition(":")[0]


def _int(value: object) -> int:
    return value if isinstance(value, int) else -1
