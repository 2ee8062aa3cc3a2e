"""The table of candidates: written for a spreadsheet, read back whatever the spreadsheet did.

The oracle for what is a formula is the list of beginnings that OWASP gives for CSV injection.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.renames.records import Rename, Review
from codeacumen.renames.reviews.run import COLUMNS, Decision, read_decisions, write_review_file


def rename(id_: str, comment: str = "rename it", code: str = "void b() { }") -> Rename:
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


def rows(path: Path) -> list[dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_one_row_a_candidate(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    said = 'a "better" name,\nplease; ü 名'
    write_review_file(path, [rename("1", said), rename("2")], {"2": Decision("exclude", "no")})
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    first, second = rows(path)
    assert tuple(first) == COLUMNS
    assert (first["id"], first["decision"], first["comment"]) == ("1", "", said)
    assert first["features"] == "accepted; suggested"
    assert (second["decision"], second["note"]) == ("exclude", "no")
    assert read_decisions(path) == {"2": Decision("exclude", "no")}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_comment_is_never_a_formula(tmp_path: Path, start: str) -> None:
    path = tmp_path / "review.csv"
    bad = f'{start}HYPERLINK("http://example.org","x")'
    write_review_file(path, [rename("1", bad, code=bad)], {"1": Decision("include", bad)})
    (row,) = rows(path)
    for cell in row.values():
        assert not cell.startswith(start)
    assert row["comment"] == f"'{bad}"
    # Written again and again, a note stays what it is.
    for _ in range(3):
        write_review_file(path, [rename("1", bad)], read_decisions(path))
    assert rows(path)[0]["note"].lstrip("'").strip() == bad.strip()
    assert len(rows(path)[0]["note"]) <= len(bad) + 1


def test_long_and_strange_cells(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review_file(path, [rename("1", "x" * 100_000), rename("2", "\0 \ud800")], {})
    first, second = rows(path)
    assert len(first["comment"]) < 32_767
    assert "\0" not in second["comment"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_that_a_spreadsheet_saved(tmp_path: Path, encoding: str, separator: str) -> None:
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
def test_a_table_that_cannot_be_understood(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(CodeacumenError, match=says):
        read_decisions(path)
    with pytest.raises(CodeacumenError):
        read_decisions(tmp_path / "missing.csv")
