"""Tests of reading labels from Infer's report.json.

The sentences have the forms that Infer 1.0.0 builds in ``Localise.ml`` and shows in its
documentation and tests. The token is the last identifier of the dereferenced expression; for a
call it is the name of the method.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.languages.java.nulls.report import NotReportsError, method_of, read_report, token_of

CASES = [
    ("object `s` last assigned on line 12 could be null and is dereferenced at line 14.", "s"),
    (
        "object `a.b.name` last accessed on line 3 could be null and is dereferenced by call to"
        " `trim()` at line 4.",
        "name",
    ),
    (
        "object returned by `map.get(key)` could be null and is dereferenced by call to `m()` at"
        " line 9.",
        "get",
    ),
    (
        "object returned by `Factory.make(other.size(),x[i]).find(y)` could be null and is"
        " dereferenced at line 9.",
        "find",
    ),
    ("object `rows[i]` could be null and is dereferenced at line 7.", "rows"),
    (
        "object `field` is annotated with @Nullable and is dereferenced without a null check"
        " at line 8",
        "field",
    ),
    ("object `größe` could be null and is dereferenced at line 8.", "größe"),
    ("`word` could be null (null value originating from line 3) and is dereferenced.", "word"),
    ("nothing is quoted here", ""),
    ("object `` could be null", ""),
    ("object returned by `unbalanced(x` could be null", "unbalanced"),
]


@pytest.mark.parametrize(("qualifier", "token"), CASES)
def test_token_of_a_sentence(qualifier: str, token: str) -> None:
    assert token_of(qualifier) == token


def _make_row(**other: object) -> dict[str, object]:
    row: dict[str, object] = {
        "bug_type": "NULL_DEREFERENCE",
        "qualifier": CASES[0][0],
        "severity": "ERROR",
        "line": 14,
        "column": -1,
        "procedure": "void p.A.run(java.lang.String)",
        "procedure_start_line": 10,
        "file": "src/p/A.java",
        "bug_trace": [
            {
                "level": 0,
                "filename": "src/p/A.java",
                "line_number": 10,
                "column_number": -1,
                "description": "start of procedure run(...)",
            },
            {
                "level": 1,
                "filename": "src/p/B.java",
                "line_number": 4,
                "column_number": -1,
                "description": "Taking true branch",
            },
        ],
        "key": "A.java|run|NULL_DEREFERENCE",
        "hash": "0",
        "bug_type_hum": "Null Dereference",
    }
    return row | other


def test_reports_keep_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [
        _make_row(),
        _make_row(bug_type="RESOURCE_LEAK"),
        _make_row(bug_type="NULLPTR_DEREFERENCE", line=20, qualifier=CASES[2][0]),
    ]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(rows))
    first, second = read_report(path)
    assert (first.path, first.name, first.line, first.token) == ("src/p/A.java", "run", 14, "s")
    assert first.bug_type == second.bug_type == "NULL_DEREFERENCE"
    assert [(step.level, step.line) for step in first.trace] == [(0, 10), (1, 4)]
    assert (second.line, second.token, second.expression) == (20, "get", "map.get(key)")
    assert read_report(path.read_bytes()) == read_report(str(path)) == [first, second]


def test_missing_fields_get_defaults() -> None:
    (report,) = read_report(json.dumps([{"bug_type": "NULL_DEREFERENCE"}, 3, None]).encode())
    assert (report.path, report.line, report.token, report.trace) == ("", -1, "", ())


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff\xfe", b"[" * 100_000, b'"text"'])
def test_other_files_are_rejected(data: bytes) -> None:
    with pytest.raises(NotReportsError):
        read_report(data)


def test_method_names() -> None:
    assert method_of("int a.b.C.size()") == "size"
    assert method_of("a.b.C.<init>(int,a.b.C)") == "<init>"
    assert method_of("") == ""
