"""Votes as arrays, read from CSV, JSON lines or Parquet; the content determines the format.

======== ===================================================================================
direct   ``rater, left, right, relatedness, similarity``: the last two from 1 to 5; one of the
         two may be empty
indirect ``rater, left, right, context, original, chosen``: the context that was shown, the name
         that was removed from it, and the chosen name, the last two as names, not as sides
======== ===================================================================================

Other columns are ignored. A row that cannot be read is reported and left out. A repeated vote
counts once, and the two questions may be answered in two rows. Where a rater gave two different
answers to the same question, none of that rater's rows on the pair counts.

Raters and pairs are numbered by their sorted names and votes are sorted, so the order of the rows
does not matter. A pair has no direction, because surveys show the two names in random order; the
name that sorts first is written first.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.metrics.ranks import weighted_spearman

QUESTIONS = ("relatedness", "similarity")
# A five-point Likert scale, 1 to 5; 0 stands for a question that was not answered.
LEVELS = 5

Pair: TypeAlias = tuple[str, str]
Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Name = TypeVar("Name", str, Pair)


@dataclass(frozen=True, slots=True)
class Direct:
    """Votes of the direct survey.

    ``ratings`` has a row for each vote and a column for each question. ``rater`` and ``pair`` are
    indices of ``raters`` and ``pairs``.
    """

    raters: tuple[str, ...]
    pairs: tuple[Pair, ...]
    rater: Ints
    pair: Ints
    ratings: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rater)

    def where(self, votes: Mask) -> Direct:
        """Return the votes of a mask; raters and pairs keep their numbers."""
        return replace(
            self, rater=self.rater[votes], pair=self.pair[votes], ratings=self.ratings[votes]
        )

    def without(self, raters: Mask) -> Direct:
        """Return the votes without those of some raters."""
        return self.where(~raters[self.rater])

    def scores(self) -> Floats:
        """Return the ratings scaled to 0 to 1; NaN for a question without an answer."""
        scaled = (self.ratings.astype(np.float64) - 1) / (LEVELS - 1)
        return np.where(self.ratings > 0, scaled, np.nan)

    def votes_of_pairs(self) -> Ints:
        """Return the number of ratings of each pair, for the question with fewer of them."""
        counts = [
            np.bincount(self.pair[self.ratings[:, one] > 0], minlength=len(self.pairs))
            for one in range(len(QUESTIONS))
        ]
        return np.minimum(*counts).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Indirect:
    """Votes of the indirect survey.

    ``second``: the context is one of the pair's second name. ``right``: the rater chose the name
    that was removed from the context.
    """

    raters: tuple[str, ...]
    pairs: tuple[Pair, ...]
    rater: Ints
    pair: Ints
    second: Mask
    right: Mask

    def __len__(self) -> int:
        return len(self.rater)


def sorted_pair(left: str, right: str) -> Pair:
    return (left, right) if left <= right else (right, left)


def direct_votes(rows: Sequence[tuple[str, Pair, tuple[int, int]]]) -> Direct:
    """Build votes from rows of rater, pair and ratings; no rater rates a pair twice."""
    raters, pairs = _names(row[0] for row in rows), _names(row[1] for row in rows)
    ratings = np.array([row[2] for row in rows], dtype=np.int8).reshape(-1, len(QUESTIONS))
    rater = _numbers([row[0] for row in rows], raters)
    pair = _numbers([row[1] for row in rows], pairs)
    order = np.lexsort((rater, pair))
    return Direct(raters, pairs, rater[order], pair[order], ratings[order])


def indirect_votes(rows: Sequence[tuple[str, Pair, str, str]]) -> Indirect:
    """Build votes from rows of rater, pair, the name removed from the context, and the choice."""
    raters, pairs = _names(row[0] for row in rows), _names(row[1] for row in rows)
    rater = _numbers([row[0] for row in rows], raters)
    pair = _numbers([row[1] for row in rows], pairs)
    second = np.array([row[2] == row[1][1] for row in rows], dtype=np.bool_)
    right = np.array([row[2] == row[3] for row in rows], dtype=np.bool_)
    order = np.lexsort((right, second, rater, pair))
    return Indirect(raters, pairs, rater[order], pair[order], second[order], right[order])


def _names(names: Iterable[Name]) -> tuple[Name, ...]:
    return tuple(sorted(set(names)))


def _numbers(names: Sequence[Name], known: Sequence[Name]) -> Ints:
    places = {name: place for place, name in enumerate(known)}
    return np.array([places[name] for name in names], dtype=np.int64)


def spearman(one: Ints | Floats, other: Ints | Floats) -> float | None:
    """Return Spearman's ρ; None if one of the two does not vary."""
    if not len(one):
        return None
    (found,) = weighted_spearman(one.astype(float), other.astype(float), np.ones((1, len(one))))
    return None if np.isnan(found) else float(found)


DIRECT = ("rater", "left", "right", *QUESTIONS)
INDIRECT = ("rater", "left", "right", "context", "original", "chosen")
ENDINGS = (".csv", ".jsonl", ".parquet")
_FORMAT = f"direct votes have the columns {', '.join(DIRECT)}; indirect {', '.join(INDIRECT)}"


@dataclass(frozen=True, slots=True, order=True)
class BadRow:
    """A rejected row; ``line`` counts from 1 and is the row's number in a Parquet file."""

    file: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Votes:
    """All votes of a survey.

    ``bad`` are unreadable rows, ``repeated`` is the number of rows that repeat another, and
    ``contradicting`` are rows with different answers of a rater to the same question.
    """

    direct: Direct
    indirect: Indirect
    rows: int
    bad: tuple[BadRow, ...]
    repeated: int
    contradicting: tuple[BadRow, ...]


class _RowError(Exception):
    pass


Row = tuple[int, "dict[str, Any] | str"]  # A text is the reason why there is no row.
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)


def read_votes(places: Sequence[Path]) -> Votes:
    """Read the votes of all files, and of all files directly in folders."""
    direct: list[tuple[BadRow, tuple[str, Pair], tuple[int, int]]] = []
    indirect: list[tuple[BadRow, tuple[str, Pair, str, str], str]] = []
    bad: list[BadRow] = []
    rows = 0
    for path in files_of(places):
        columns, found = _rows(path)
        is_direct = set(DIRECT) <= columns
        if not is_direct and not set(INDIRECT) <= columns:
            raise CodeacumenError(
                f"{path} holds no votes: its columns are {', '.join(sorted(columns)) or 'none'}",
                _FORMAT,
            )
        for line, row in found:
            rows += 1
            try:
                if isinstance(row, str):
                    raise _RowError(row)
                here = BadRow(path.name, line, "")
                if is_direct:
                    direct.append((here, _who(row), _ratings(row)))
                else:
                    indirect.append((here, *_choice(row)))
            except _RowError as error:
                bad.append(BadRow(path.name, line, str(error)))
    kept, repeated, contradicting = _settled(direct, _both)
    choices, again, others = _settled(indirect, _only)
    return Votes(
        direct_votes([(*who, ratings) for who, ratings in kept]),
        indirect_votes([(who, pair, own, chosen) for (who, pair, own, _), chosen in choices]),
        rows,
        tuple(sorted(bad)),
        repeated + again,
        tuple(sorted(contradicting + others)),
    )


def files_of(places: Sequence[Path]) -> list[Path]:
    """Return the given files, and the files of given folders whose names mark them as votes."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = [
                path
                for path in sorted(place.iterdir())
                if path.suffix in ENDINGS and path.stem.startswith(("direct", "indirect"))
            ]
            if not inside:
                raise CodeacumenError(
                    f"{place} holds no file of votes",
                    "files in a folder must be called direct* or indirect*, and end in .csv, "
                    ".jsonl or .parquet",
                )
            found += inside
        elif place.is_file():
            found.append(place)
        else:
            raise CodeacumenError(f"{place}: there is no such file or folder")
    return found


def _settled(
    rows: Iterable[tuple[BadRow, Key, Value]], joined: Callable[[set[Value]], Value | None]
) -> tuple[list[tuple[Key, Value]], int, list[BadRow]]:
    """Return one answer to each question, the number of repeating rows, and contradicting rows."""
    answers: dict[Key, list[tuple[BadRow, Value]]] = {}
    for here, key, value in rows:
        answers.setdefault(key, []).append((here, value))
    kept: list[tuple[Key, Value]] = []
    repeated, contradicting = 0, []
    for key, mine in answers.items():
        different = {value for _, value in mine}
        one = joined(different)
        if one is not None:
            kept.append((key, one))
            repeated += len(mine) - len(different)
        else:
            why = "the same rater answers the same question differently elsewhere"
            contradicting += [BadRow(here.file, here.line, why) for here, _ in mine]
    return kept, repeated, contradicting


def _both(ratings: set[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the answers of all rows to both questions; None if two rows contradict each other."""
    first, second = ({one[place] for one in ratings if one[place]} for place in (0, 1))
    if len(first) > 1 or len(second) > 1:
        return None
    return max(first, default=0), max(second, default=0)


def _only(choices: set[str]) -> str | None:
    return next(iter(choices)) if len(choices) == 1 else None


# ------------------------------------------------------------------------- one row


def _who(row: dict[str, Any]) -> tuple[str, Pair]:
    left, right = _name(row, "left"), _name(row, "right")
    if left == right:
        raise _RowError("left and right are the same name")
    return _name(row, "rater"), sorted_pair(left, right)


def _name(row: dict[str, Any], column: str) -> str:
    value = row.get(column)
    known = isinstance(value, (str, int)) and not isinstance(value, bool)
    text = str(value).strip() if known else ""
    if not text:
        raise _RowError(f"no {column}")
    if not text.isprintable() or "\ufffd" in text:
        raise _RowError(f"{column} contains characters that are not printable")
    return text


def _ratings(row: dict[str, Any]) -> tuple[int, int]:
    first, second = (_rating(row, question) for question in QUESTIONS)
    if not first and not second:
        raise _RowError("neither question is answered")
    return first, second


def _rating(row: dict[str, Any], question: str) -> int:
    value = row.get(question)
    if value is None or (isinstance(value, str) and not value.strip()):
        return 0
    try:
        number = float(value) if not isinstance(value, bool) else 0.0
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if number not in range(1, LEVELS + 1):
        raise _RowError(f"{question} is {_short(value)}, not a whole number from 1 to {LEVELS}")
    return int(number)


def _choice(row: dict[str, Any]) -> tuple[tuple[str, Pair, str, str], str]:
    rater, pair = _who(row)
    original, chosen = _name(row, "original"), _name(row, "chosen")
    for column, name in (("original", original), ("chosen", chosen)):
        if name not in pair:
            raise _RowError(f"{column} is {_short(name)}, which is neither left nor right")
    return (rater, pair, original, _name(row, "context")), chosen


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# ------------------------------------------------------------------------- one file


def _rows(path: Path) -> tuple[set[str], Iterator[Row]]:
    """Return the columns of a file, and its rows."""
    data = path.read_bytes()
    if data.startswith(b"PAR1"):
        return _parquet(path, data)
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            data = data.decode(encoding, errors="replace").encode()
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace").lstrip("\ufeff")
    lines = [
        (number, line)
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1)
        if line.strip()
    ]
    if lines and lines[0][1].lstrip().startswith("{"):
        return _json_lines(lines)
    return _csv(lines)


def _json_lines(lines: Sequence[tuple[int, str]]) -> tuple[set[str], Iterator[Row]]:
    rows: list[Row] = [(number, _object(line)) for number, line in lines]
    # The first row may be a bad one, so collect the columns of all rows.
    columns: set[str] = set()
    for _, row in rows:
        if isinstance(row, dict):
            columns |= row.keys()
    return columns, iter(rows)


def _object(line: str) -> dict[str, Any] | str:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return "not valid JSON"
    return found if isinstance(found, dict) else "not a JSON object"


def _csv(lines: Sequence[tuple[int, str]]) -> tuple[set[str], Iterator[Row]]:
    """Parse each line by itself, so that an unclosed quote affects its own line only.

    This is safe because no name contains a line end.
    """
    if not lines:
        return set(), iter(())
    head = lines[0][1]
    headers = {mark: _cells(head, mark) or [] for mark in ",;\t"}
    mark = max(headers, key=lambda one: len(headers[one]))
    names = [name.strip().lower() for name in headers[mark]]

    def rows() -> Iterator[Row]:
        for number, line in lines[1:]:
            cells = _cells(line, mark)
            if cells is None:
                yield number, "not valid CSV"
            elif len(cells) != len(names):
                yield number, f"{len(cells)} columns, expected {len(names)}"
            else:
                yield number, dict(zip(names, cells, strict=True))

    return set(names), rows()


def _cells(line: str, mark: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=mark, strict=True), [])
    except csv.Error:
        return None


def _parquet(path: Path, data: bytes) -> tuple[set[str], Iterator[Row]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(data))
        rows = table.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise CodeacumenError(
            f"{path} begins as Parquet does but is damaged: {error}", "write it again"
        ) from error
    return set(table.column_names), iter(enumerate(rows, 1))
