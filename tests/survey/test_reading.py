"""Files of votes, whole and broken."""

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

HEAD = "rater,left,right,relatedness,similarity\n"
CHOICES = "rater,left,right,context,original,chosen\n"


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_direct_votes(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", HEAD + "ann,len,size,5,4\nbob,size,len,3,\n")
    votes = read_votes([path]).direct
    assert votes.raters == ("ann", "bob")
    assert votes.pairs == (("len", "size"),)
    assert votes.ratings.tolist() == [[5, 4], [3, 0]]
    assert votes.scores()[0].tolist() == [1.0, 0.75]


def test_indirect_votes_say_whose_context_it_is_by_name(tmp_path: Path) -> None:
    # With sides instead of names, a pair called left and right could not be told.
    rows = "ann,right,left,1,left,left\nann,left,right,1,right,left\n"
    votes = read_votes([written(tmp_path, "i.csv", CHOICES + rows)]).indirect
    assert votes.pairs == (("left", "right"),)
    assert votes.second.tolist() == [False, True]
    assert votes.right.tolist() == [True, False]


ROWS = [
    {"rater": "ann", "left": "len", "right": "size", "relatedness": 5, "similarity": 4},
    {"rater": "bob", "left": "a,b", "right": "größe", "relatedness": 1, "similarity": None},
]


def as_csv(mark: str) -> bytes:
    lines = [mark.join(ROWS[0])] + [
        mark.join('"a,b"' if one == "a,b" else str(one or "") for one in row.values())
        for row in ROWS
    ]
    return "\r\n".join(lines).encode()


def test_all_formats_say_the_same(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in ROWS)
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "p")
    files = [
        written(tmp_path, "comma", as_csv(",")),
        written(tmp_path, "semicolon", as_csv(";")),
        written(tmp_path, "tab", as_csv("\t")),
        written(tmp_path, "marked", b"\xef\xbb\xbf" + as_csv(",")),
        written(tmp_path, "wide", as_csv(",").decode().encode("utf-16")),
        written(tmp_path, "lines", lines),
        tmp_path / "p",
    ]
    for path in files:
        found = read_votes([path])
        assert not found.bad, path
        assert found.direct.pairs == (("a,b", "größe"), ("len", "size")), path
        assert found.direct.ratings.tolist() == [[1, 0], [5, 4]], path


@pytest.mark.parametrize(
    ("row", "why"),
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
def test_a_bad_row_is_named_and_the_others_count(
    tmp_path: Path, row: str | bytes, why: str
) -> None:
    data = row if isinstance(row, bytes) else row.encode()
    text = HEAD.encode() + b"ann,a,b,1,1\n" + data + b"\nbob,a,b,2,2\n"
    found = read_votes([written(tmp_path, "votes.csv", text)])
    (bad,) = found.bad
    assert (bad.file, bad.line) == ("votes.csv", 3)
    assert why in bad.why
    assert (len(found.direct), found.rows) == (2, 3)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("ann,a,b,1,c,a", "original is 'c', which is neither"),
        ("ann,a,b,1,a,left", "chosen is 'left', which is neither"),
        ("ann,a,b,,a,a", "no context"),
    ],
)
def test_a_bad_choice_is_named(tmp_path: Path, row: str, why: str) -> None:
    found = read_votes([written(tmp_path, "i.csv", CHOICES + row + "\nann,a,b,1,a,a\n")])
    assert why in found.bad[0].why
    assert len(found.indirect) == 1


@pytest.mark.parametrize(
    "line", ["{", "[1]", "{}", '{"rater": true}', "[" * 100_000, '{"rater": "\\ud800"}', "1e999"]
)
def test_bad_json_is_named(tmp_path: Path, line: str) -> None:
    found = read_votes([written(tmp_path, "v", f"{json.dumps(ROWS[0])}\n{line}\n")])
    assert [bad.line for bad in found.bad] == [2]
    assert len(found.direct) == 1


def test_who_says_the_same_twice_counts_once_who_contradicts_herself_not_at_all(
    tmp_path: Path,
) -> None:
    rows = "ann,a,b,1,1\nann,b,a,1,1\nbob,a,b,1,1\nbob,a,b,1,2\ncid,a,b,3,3\n"
    found = read_votes([written(tmp_path, "d.csv", HEAD + rows)])
    assert found.direct.raters == ("ann", "cid")
    assert found.repeated == 1
    assert [bad.line for bad in found.contradicting] == [4, 5]


def test_the_two_questions_may_be_answered_in_two_rows(tmp_path: Path) -> None:
    rows = "ann,a,b,1,\nann,a,b,,2\nbob,a,b,1,\nbob,a,b,1,2\ncid,a,b,1,\ncid,a,b,2,2\n"
    found = read_votes([written(tmp_path, "d.csv", HEAD + rows)])
    assert found.direct.raters == ("ann", "bob")
    assert found.direct.ratings.tolist() == [[1, 2], [1, 2]]
    assert found.repeated == 0
    assert [bad.line for bad in found.contradicting] == [6, 7]


def test_another_context_is_another_question(tmp_path: Path) -> None:
    rows = "ann,a,b,1,a,a\nann,a,b,2,a,b\nann,a,b,1,b,b\nann,a,b,1,b,a\n"
    found = read_votes([written(tmp_path, "i.csv", CHOICES + rows)])
    assert len(found.indirect) == 2
    assert [bad.line for bad in found.contradicting] == [4, 5]


def test_a_folder_and_what_is_none(tmp_path: Path) -> None:
    written(tmp_path, "direct.csv", HEAD + "ann,a,b,1,1\n")
    written(
        tmp_path,
        "indirect.jsonl",
        '{"rater":1,"left":"a","right":"b","context":1,"original":"a","chosen":"b"}',
    )
    written(tmp_path, "notes.csv", "anything")
    found = read_votes([tmp_path])
    assert (len(found.direct), len(found.indirect)) == (1, 1)
    assert found.indirect.raters == ("1",)
    with pytest.raises(CodeacumenError, match="its columns are anything"):
        read_votes([tmp_path / "notes.csv"])
    with pytest.raises(CodeacumenError, match="no such file"):
        read_votes([tmp_path / "missing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(CodeacumenError, match="no file of votes"):
        read_votes([tmp_path / "empty"])
    with pytest.raises(CodeacumenError, match="damaged"):
        read_votes([written(tmp_path, "broken.parquet", b"PAR1 and no more")])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.sampled_from([HEAD, CHOICES, '{"rater":1}\n', ""]))
def test_any_bytes_are_survivable(tmp_path: Path, data: bytes, head: str) -> None:
    path = written(tmp_path, "any", head.encode() + data)
    try:
        found = read_votes([path])
    except CodeacumenError:
        return
    assert found.rows >= len(found.bad) + len(found.direct) + len(found.indirect)
