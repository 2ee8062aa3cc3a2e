"""Tests of the table of candidates, which is written for a spreadsheet and read back from it.

The oracle for formulas is OWASP's list of their first characters for CSV injection.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.renames.records import Rename, Review
from codeacumen.renames.reviews.run import COLUMNS, Decision, read_decisions, write_review_file


def make_rename(id_: str, comment: str = "rename it", code: str = "void b() { }") -> Rename:
    review = Review(comment, "https://example.org/1", "bob", 1, True, ("accepted", "suggested"))
    return Rename(
        id_,
        "acme/widgets",
        "c1",
        "c0",
        0,
        "A.java",
        "A.java",
        "A",
        "a",
        "b",
        (),
        "void",
        code,
        "void a() { }",
        review=review,
    )


def read_rows(path: Path) -> list[dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_table_has_one_row_per_candidate(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    comment = 'a "better" name,\nplease; ü 名'
    write_review_file(
        path, [make_rename("1", comment), make_rename("2")], {"2": Decision("exclude", "no")}
    )
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    first, second = read_rows(path)
    assert tuple(first) == COLUMNS
    assert (first["id"], first["decision"], first["comment"]) == ("1", "", comment)
    assert first["features"] == "accepted; suggested"
    assert (second["decision"], second["note"]) == ("exclude", "no")
    assert read_decisions(path) == {"2": Decision("exclude", "no")}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_cell_never_starts_as_a_formula(tmp_path: Path, start: str) -> None:
    path = tmp_path / "review.csv"
    formula = f'{start}HYPERLINK("http://example.org","x")'
    write_review_file(
        path, [make_rename("1", formula, code=formula)], {"1": Decision("include", formula)}
    )
    (row,) = read_rows(path)
    for cell in row.values():
        assert not cell.startswith(start)
    assert row["comment"] == f"'{formula}"
    # Writing the table repeatedly does not change a note.
    for _ in range(3):
        write_review_file(path, [make_rename("1", formula)], read_decisions(path))
    assert read_rows(path)[0]["note"].lstrip("'").strip() == formula.strip()
    assert len(read_rows(path)[0]["note"]) <= len(formula) + 1


def test_long_and_invalid_cells(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review_file(path, [make_rename("1", "x" * 100_000), make_rename("2", "\0 \ud800")], {})
    first, second = read_rows(path)
    assert len(first["comment"]) < 32_767
    assert "\0" not in second["comment"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_saved_by_a_spreadsheet_is_read(
    tmp_path: Path, encoding: str, separator: str
) -> None:
    path = tmp_path / "saved.csv"
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(["ID", "note", " Decision "])
    writer.writerows([["1", "schön,\r\nja; \t", "Include "], ["2", "", ""], ["3", "", "NO"]])
    path.write_bytes(out.getvalue().encode(encoding))
    assert read_decisions(path) == {
        "1": Decision("include", "schön,\r\nja;"),
        "3": Decision("exclude"),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,decision\n1,maybe\n", "row 2: 'maybe' is no decision"),
        ("id,decision\n1,yes\n1,no\n", "decided otherwise"),
        ("name,what\n1,yes\n", "no columns id and decision"),
        ("", "no columns id and decision"),
    ],
)
def test_an_invalid_table_is_rejected(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(CodeacumenError, match=says):
        read_decisions(path)
    with pytest.raises(CodeacumenError):
        read_decisions(tmp_path / "missing.csv")
