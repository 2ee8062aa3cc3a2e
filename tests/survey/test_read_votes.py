"""Tests of reading files of votes, valid and damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.survey.votes import read_votes

DIRECT_HEADER = "rater,left,right,relatedness,similarity\n"
CHOICE_HEADER = "rater,left,right,context,original,chosen\n"


def write_file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_direct_votes(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.csv", DIRECT_HEADER + "ann,len,size,5,4\nbob,size,len,3,\n")
    votes = read_votes([path]).direct
    assert votes.raters == ("ann", "bob")
    assert votes.pairs == (("len", "size"),)
    assert votes.ratings.tolist() == [[5, 4], [3, 0]]
    assert votes.compute_scores()[0].tolist() == [1.0, 0.75]


def test_indirect_votes_name_the_owner_of_the_context(tmp_path: Path) -> None:
    # If the columns held sides instead of names, the pair (left, right) would be ambiguous.
    rows = "ann,right,left,1,left,left\nann,left,right,1,right,left\n"
    votes = read_votes([write_file(tmp_path, "i.csv", CHOICE_HEADER + rows)]).indirect
    assert votes.pairs == (("left", "right"),)
    assert votes.second.tolist() == [False, True]
    assert votes.right.tolist() == [True, False]


ROWS = [
    {"rater": "ann", "left": "len", "right": "size", "relatedness": 5, "similarity": 4},
    {"rater": "bob", "left": "a,b", "right": "größe", "relatedness": 1, "similarity": None},
]


def format_csv(separator: str) -> bytes:
    lines = [separator.join(ROWS[0])] + [
        separator.join('"a,b"' if value == "a,b" else str(value or "") for value in row.values())
        for row in ROWS
    ]
    return "\r\n".join(lines).encode()


def test_all_formats_have_the_same_content(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in ROWS)
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "p")
    files = [
        write_file(tmp_path, "comma", format_csv(",")),
        write_file(tmp_path, "semicolon", format_csv(";")),
        write_file(tmp_path, "tab", format_csv("\t")),
        write_file(tmp_path, "marked", b"\xef\xbb\xbf" + format_csv(",")),
        write_file(tmp_path, "wide", format_csv(",").decode().encode("utf-16")),
        write_file(tmp_path, "lines", lines),
        tmp_path / "p",
    ]
    for path in files:
        votes = read_votes([path])
        assert not votes.bad, path
        assert votes.direct.pairs == (("a,b", "größe"), ("len", "size")), path
        assert votes.direct.ratings.tolist() == [[1, 0], [5, 4]], path


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("ann,len,size,6,1", "relatedness is '6', not a whole number from 1 to 5"),
        ("ann,len,size,1,2.5", "similarity is '2.5', not"),
        ("ann,len,size,nan,1", "relatedness is 'nan', not"),
        ("ann,len,size,,", "neither question is answered"),
        (",len,size,1,1", "no rater"),
        ("ann,len,len,1,1", "the same name"),
        ("ann,len,size,1", "4 columns, expected 5"),
        ('ann,"len,size,1,1', "not valid CSV"),
        (b"ann,l\xff,size,1,1", "left contains characters that are not printable"),
        (b"ann,l\0,size,1,1", "left contains characters that are not printable"),
        ("ann," + "x" * 200_000 + ",size,1,1", "not valid CSV"),
    ],
)
def test_a_bad_row_is_reported_and_the_others_count(
    tmp_path: Path, row: str | bytes, reason: str
) -> None:
    data = row if isinstance(row, bytes) else row.encode()
    text = DIRECT_HEADER.encode() + b"ann,a,b,1,1\n" + data + b"\nbob,a,b,2,2\n"
    votes = read_votes([write_file(tmp_path, "votes.csv", text)])
    (bad,) = votes.bad
    assert (bad.file, bad.line) == ("votes.csv", 3)
    assert reason in bad.reason
    assert (len(votes.direct), votes.rows) == (2, 3)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("ann,a,b,1,c,a", "original is 'c', which is neither"),
        ("ann,a,b,1,a,left", "chosen is 'left', which is neither"),
        ("ann,a,b,,a,a", "no context"),
    ],
)
def test_a_bad_choice_is_reported(tmp_path: Path, row: str, reason: str) -> None:
    votes = read_votes([write_file(tmp_path, "i.csv", CHOICE_HEADER + row + "\nann,a,b,1,a,a\n")])
    assert reason in votes.bad[0].reason
    assert len(votes.indirect) == 1


@pytest.mark.parametrize(
    "line", ["{", "[1]", "{}", '{"rater": true}', "[" * 100_000, '{"rater": "\\ud800"}', "1e999"]
)
def test_bad_json_is_reported(tmp_path: Path, line: str) -> None:
    votes = read_votes([write_file(tmp_path, "v", f"{json.dumps(ROWS[0])}\n{line}\n")])
    assert [bad.line for bad in votes.bad] == [2]
    assert len(votes.direct) == 1


def test_repeated_votes_count_once_and_contradicting_votes_not(
    tmp_path: Path,
) -> None:
    rows = "ann,a,b,1,1\nann,b,a,1,1\nbob,a,b,1,1\nbob,a,b,1,2\ncid,a,b,3,3\n"
    votes = read_votes([write_file(tmp_path, "d.csv", DIRECT_HEADER + rows)])
    assert votes.direct.raters == ("ann", "cid")
    assert votes.repeated == 1
    assert [bad.line for bad in votes.contradicting] == [4, 5]


def test_two_rows_may_answer_the_two_questions(tmp_path: Path) -> None:
    rows = "ann,a,b,1,\nann,a,b,,2\nbob,a,b,1,\nbob,a,b,1,2\ncid,a,b,1,\ncid,a,b,2,2\n"
    votes = read_votes([write_file(tmp_path, "d.csv", DIRECT_HEADER + rows)])
    assert votes.direct.raters == ("ann", "bob")
    assert votes.direct.ratings.tolist() == [[1, 2], [1, 2]]
    assert votes.repeated == 0
    assert [bad.line for bad in votes.contradicting] == [6, 7]


def test_choices_in_different_contexts_are_different_votes(tmp_path: Path) -> None:
    rows = "ann,a,b,1,a,a\nann,a,b,2,a,b\nann,a,b,1,b,b\nann,a,b,1,b,a\n"
    votes = read_votes([write_file(tmp_path, "i.csv", CHOICE_HEADER + rows)])
    assert len(votes.indirect) == 2
    assert [bad.line for bad in votes.contradicting] == [4, 5]


def test_folders_and_files_without_votes(tmp_path: Path) -> None:
    write_file(tmp_path, "direct.csv", DIRECT_HEADER + "ann,a,b,1,1\n")
    write_file(
        tmp_path,
        "indirect.jsonl",
        '{"rater":1,"left":"a","right":"b","context":1,"original":"a","chosen":"b"}',
    )
    write_file(tmp_path, "notes.csv", "anything")
    votes = read_votes([tmp_path])
    assert (len(votes.direct), len(votes.indirect)) == (1, 1)
    assert votes.indirect.raters == ("1",)
    with pytest.raises(CodeacumenError, match="its columns are anything"):
        read_votes([tmp_path / "notes.csv"])
    with pytest.raises(CodeacumenError, match="no such file"):
        read_votes([tmp_path / "missing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(CodeacumenError, match="no file of votes"):
        read_votes([tmp_path / "empty"])
    with pytest.raises(CodeacumenError, match="damaged"):
        read_votes([write_file(tmp_path, "broken.parquet", b"PAR1 and no more")])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=300), st.sampled_from([DIRECT_HEADER, CHOICE_HEADER, '{"rater":1}\n', ""])
)
def test_any_bytes_are_read_or_rejected(tmp_path: Path, data: bytes, header: str) -> None:
    path = write_file(tmp_path, "any", header.encode() + data)
    try:
        votes = read_votes([path])
    except CodeacumenError:
        return
    assert votes.rows >= len(votes.bad) + len(votes.direct) + len(votes.indirect)
