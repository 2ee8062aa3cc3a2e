"""Reports of null dereferences, from this analysis or from Infer's report.json.

Infer reads bytecode, which has no columns. The token of its report is therefore taken from the
message: the last identifier of the expression, which is a variable, a field, or the name of the
called method.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

BUG_TYPE = "NULL_DEREFERENCE"


class Step(NamedTuple):
    """A step of a trace, which leads from the origin of a null to its dereference.

    ``level`` is the depth of calls below the reported method, ``line`` counts from 1.
    """

    level: int
    path: str
    line: int
    description: str


class Report(NamedTuple):
    """A null dereference.

    ``method`` is the index of the method in its file's declarations (-1: unknown), ``name`` its
    simple name, ``offset`` the byte of the token (-1: unknown). ``token`` is the last identifier of
    ``expression``, which is null: a variable, a field, or the method that returned it.
    ``qualifier`` is the message for the reader.
    """

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
        """Return the report as it is written to JSON."""
        record: dict[str, Any] = self._asdict()
        record["trace"] = [step._asdict() for step in self.trace]
        return record


BUG_TYPES = frozenset((BUG_TYPE, "NULLPTR_DEREFERENCE"))
# The expression is the first quoted text; that of a call follows "returned by" or
# "returned from".
_QUOTED = re.compile(r"`([^`]*)`")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


class NotReportsError(ValueError):
    """Raised for a file that is not a list of Infer's reports."""


def read_report(source: Path | str | bytes) -> list[Report]:
    """Return the null dereferences of Infer's report.json, in its order.

    ``source`` is the path of the file, or its bytes. Raises NotReportsError for other content.
    """
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotReportsError(f"not JSON: {error}") from None
    if not isinstance(rows, list):
        raise NotReportsError("not a list of reports")
    return [
        _parse_report(row)
        for row in rows
        if isinstance(row, dict) and row.get("bug_type") in BUG_TYPES
    ]


def _parse_report(row: dict[str, Any]) -> Report:
    """Return the report in a row of report.json; missing fields become -1 or empty."""
    qualifier = str(row.get("qualifier", ""))
    expression = expression_of(qualifier)
    trace = tuple(
        Step(
            _int_or_unknown(step.get("level")),
            str(step.get("filename", "")),
            _int_or_unknown(step.get("line_number")),
            str(step.get("description", "")),
        )
        for step in row.get("bug_trace") or ()
        if isinstance(step, dict)
    )
    return Report(
        path=str(row.get("file", "")),
        method=-1,
        name=method_of(str(row.get("procedure", ""))),
        line=_int_or_unknown(row.get("line")),
        offset=-1,
        token=token_of(qualifier),
        expression=expression,
        qualifier=qualifier,
        trace=trace,
    )


def expression_of(qualifier: str) -> str:
    """Return the expression that may be null.

    >>> expression_of("object `a.b` last assigned on line 3 could be null and is dereferenced")
    'a.b'
    """
    quotation = _QUOTED.search(qualifier)
    return quotation[1].strip() if quotation else ""


def token_of(qualifier: str) -> str:
    """Return the last identifier of the expression; for a call, the method's name.

    >>> token_of("object returned by `map.get(key.name())` could be null and is dereferenced")
    'get'
    >>> token_of("object `this.rows[i]` could be null and is dereferenced at line 4.")
    'rows'
    """
    expression = _strip_brackets(expression_of(qualifier))
    names = _IDENTIFIER.findall(expression)
    return names[-1] if names else ""


def _strip_brackets(text: str) -> str:
    """Return the text without arguments and indexes, which are expressions of their own."""
    letters = []
    depth = 0
    for letter in text:
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth = max(depth - 1, 0)
        elif depth == 0:
            letters.append(letter)
    return "".join(letters)


def method_of(procedure: str) -> str:
    """Return the simple name of the method that Infer calls a procedure.

    >>> method_of("void codetoanalyze.java.A.run(String,int)"), method_of("p.A.<init>()")
    ('run', '<init>')
    """
    return procedure.partition("(")[0].rpartition(".")[2].rpartition(" ")[2].partition(":")[0]


def _int_or_unknown(value: object) -> int:
    """Return a number from JSON; -1 for anything else."""
    return value if isinstance(value, int) else -1
