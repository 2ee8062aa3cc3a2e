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
class DirectVotes:
    """Votes of the direct survey.

    ``ratings`` has a row for each vote and a column for each question: 1 to LEVELS, or 0 if it was
    not answered. ``rater`` and ``pair`` have for each vote the index in ``raters`` and ``pairs``.
    """

    raters: tuple[str, ...]
    pairs: tuple[Pair, ...]
    rater: Ints
    pair: Ints
    ratings: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rater)

    def select_votes(self, votes: Mask) -> DirectVotes:
        """Return the votes of a mask over votes; raters and pairs keep their indices."""
        return replace(
            self, rater=self.rater[votes], pair=self.pair[votes], ratings=self.ratings[votes]
        )

    def drop_raters(self, raters: Mask) -> DirectVotes:
        """Return the votes without those of the raters in a mask over raters."""
        return self.select_votes(~raters[self.rater])

    def compute_scores(self) -> Floats:
        """Return the ratings scaled to 0 to 1, of shape (votes, questions); NaN: no answer."""
        scaled = (self.ratings.astype(np.float64) - 1) / (LEVELS - 1)
        return np.where(self.ratings > 0, scaled, np.nan)

    def count_ratings(self) -> Ints:
        """Return the number of ratings of each pair, for the question with fewer of them."""
        counts = [
            np.bincount(self.pair[self.ratings[:, question] > 0], minlength=len(self.pairs))
            for question in range(len(QUESTIONS))
        ]
        return np.minimum(*counts).astype(np.int64)


@dataclass(frozen=True, slots=True)
class IndirectVotes:
    """Votes of the indirect survey.

    ``rater`` and ``pair`` are indices as in ``DirectVotes``. ``second``: the pair's second name was
    removed from the context, otherwise the first. ``right``: the choice is correct, the rater chose
    the removed name (elsewhere in this file, ``right`` is the other name than ``left``).
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


def build_direct_votes(rows: Sequence[tuple[str, Pair, tuple[int, int]]]) -> DirectVotes:
    """Build votes from rows of rater, pair and ratings; no rater rates a pair twice."""
    raters, pairs = _sort_distinct(row[0] for row in rows), _sort_distinct(row[1] for row in rows)
    ratings = np.array([row[2] for row in rows], dtype=np.int8).reshape(-1, len(QUESTIONS))
    rater = _number_names([row[0] for row in rows], raters)
    pair = _number_names([row[1] for row in rows], pairs)
    order = np.lexsort((rater, pair))
    return DirectVotes(raters, pairs, rater[order], pair[order], ratings[order])


def build_indirect_votes(rows: Sequence[tuple[str, Pair, str, str]]) -> IndirectVotes:
    """Build votes from rows of rater, pair, the name removed from the context, and the choice."""
    raters, pairs = _sort_distinct(row[0] for row in rows), _sort_distinct(row[1] for row in rows)
    rater = _number_names([row[0] for row in rows], raters)
    pair = _number_names([row[1] for row in rows], pairs)
    second = np.array([row[2] == row[1][1] for row in rows], dtype=np.bool_)
    right = np.array([row[2] == row[3] for row in rows], dtype=np.bool_)
    order = np.lexsort((right, second, rater, pair))
    return IndirectVotes(raters, pairs, rater[order], pair[order], second[order], right[order])


def _sort_distinct(names: Iterable[Name]) -> tuple[Name, ...]:
    return tuple(sorted(set(names)))


def _number_names(names: Sequence[Name], distinct_names: Sequence[Name]) -> Ints:
    name_indices = {name: index for index, name in enumerate(distinct_names)}
    return np.array([name_indices[name] for name in names], dtype=np.int64)


def compute_spearman(first: Ints | Floats, second: Ints | Floats) -> float | None:
    """Return Spearman's ρ; None if one of the two does not vary."""
    if not len(first):
        return None
    (correlation,) = weighted_spearman(
        first.astype(float), second.astype(float), np.ones((1, len(first)))
    )
    return None if np.isnan(correlation) else float(correlation)


DIRECT = ("rater", "left", "right", *QUESTIONS)
INDIRECT = ("rater", "left", "right", "context", "original", "chosen")
ENDINGS = (".csv", ".jsonl", ".parquet")
_FORMAT = f"direct votes have the columns {', '.join(DIRECT)}; indirect {', '.join(INDIRECT)}"


@dataclass(frozen=True, slots=True, order=True)
class BadRow:
    """A rejected row; ``line`` counts from 1; in a Parquet file, it is the number of the row."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Votes:
    """All votes of a survey.

    ``rows`` counts all rows, ``bad`` are the unreadable ones, ``repeated`` is the number of rows
    that repeat another, and ``contradicting`` are rows with different answers of a rater to a
    question.
    """

    direct: DirectVotes
    indirect: IndirectVotes
    rows: int
    bad: tuple[BadRow, ...]
    repeated: int
    contradicting: tuple[BadRow, ...]


class _RowError(Exception):
    # The message is the reason why a row cannot be read.
    pass


# The line of a row, and its values by column; a text instead is the reason why it cannot be read.
Row = tuple[int, "dict[str, Any] | str"]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)


def read_votes(sources: Sequence[Path]) -> Votes:
    """Read the votes of files, and of the files in folders that ``list_vote_files`` returns."""
    # Rows (origin, key, answer): the origin is a BadRow without a reason, which names file and
    # line; the key is (rater, pair), in the indirect survey (rater, pair, removed name, context).
    direct: list[tuple[BadRow, tuple[str, Pair], tuple[int, int]]] = []
    indirect: list[tuple[BadRow, tuple[str, Pair, str, str], str]] = []
    bad: list[BadRow] = []
    rows = 0
    for path in list_vote_files(sources):
        columns, file_rows = _read_rows(path)
        is_direct = set(DIRECT) <= columns
        if not is_direct and not set(INDIRECT) <= columns:
            raise CodeacumenError(
                f"{path} holds no votes: its columns are {', '.join(sorted(columns)) or 'none'}",
                _FORMAT,
            )
        for line, row in file_rows:
            rows += 1
            try:
                if isinstance(row, str):
                    raise _RowError(row)
                origin = BadRow(path.name, line, "")
                if is_direct:
                    direct.append((origin, _read_rater_and_pair(row), _read_ratings(row)))
                else:
                    indirect.append((origin, *_read_choice(row)))
            except _RowError as error:
                bad.append(BadRow(path.name, line, str(error)))
    direct_answers, repeated, contradicting = _merge_answers(direct, _merge_ratings)
    indirect_answers, repeated_choices, contradicting_choices = _merge_answers(
        indirect, _get_single_choice
    )
    return Votes(
        build_direct_votes(
            [(*rater_and_pair, ratings) for rater_and_pair, ratings in direct_answers]
        ),
        build_indirect_votes(
            [
                (rater_and_pair, pair, own, chosen)
                for (rater_and_pair, pair, own, _), chosen in indirect_answers
            ]
        ),
        rows,
        tuple(sorted(bad)),
        repeated + repeated_choices,
        tuple(sorted(contradicting + contradicting_choices)),
    )


def list_vote_files(sources: Sequence[Path]) -> list[Path]:
    """Return the given files, and the files of given folders whose names mark them as votes."""
    vote_files: list[Path] = []
    for source in sources:
        if source.is_dir():
            inside = [
                path
                for path in sorted(source.iterdir())
                if path.suffix in ENDINGS and path.stem.startswith(("direct", "indirect"))
            ]
            if not inside:
                raise CodeacumenError(
                    f"{source} holds no file of votes",
                    "files in a folder must be called direct* or indirect*, and end in .csv, "
                    ".jsonl or .parquet",
                )
            vote_files += inside
        elif source.is_file():
            vote_files.append(source)
        else:
            raise CodeacumenError(f"{source}: there is no such file or folder")
    return vote_files


def _merge_answers(
    rows: Iterable[tuple[BadRow, Key, Value]], merge_values: Callable[[set[Value]], Value | None]
) -> tuple[list[tuple[Key, Value]], int, list[BadRow]]:
    """Return one answer for each key, the number of repeating rows, and the contradicting rows.

    ``rows`` are triples (origin, key, answer), as in ``read_votes``. ``merge_values`` returns the
    answer of a set of different answers; None if they contradict.
    """
    answers: dict[Key, list[tuple[BadRow, Value]]] = {}
    for origin, key, value in rows:
        answers.setdefault(key, []).append((origin, value))
    merged: list[tuple[Key, Value]] = []
    repeated, contradicting = 0, []
    for key, key_answers in answers.items():
        different = {value for _, value in key_answers}
        merged_value = merge_values(different)
        if merged_value is not None:
            merged.append((key, merged_value))
            repeated += len(key_answers) - len(different)
        else:
            reason = "the same rater answers the same question differently elsewhere"
            contradicting += [BadRow(origin.file, origin.line, reason) for origin, _ in key_answers]
    return merged, repeated, contradicting


def _merge_ratings(ratings: set[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the answers of all rows to both questions; None if two rows contradict each other."""
    first, second = ({rating[column] for rating in ratings if rating[column]} for column in (0, 1))
    if len(first) > 1 or len(second) > 1:
        return None
    return max(first, default=0), max(second, default=0)


def _get_single_choice(choices: set[str]) -> str | None:
    return next(iter(choices)) if len(choices) == 1 else None


# ------------------------------------------------------------------------- one row


def _read_rater_and_pair(row: dict[str, Any]) -> tuple[str, Pair]:
    left, right = _read_text(row, "left"), _read_text(row, "right")
    if left == right:
        raise _RowError("left and right are the same name")
    return _read_text(row, "rater"), sorted_pair(left, right)


def _read_text(row: dict[str, Any], column: str) -> str:
    value = row.get(column)
    is_text = isinstance(value, (str, int)) and not isinstance(value, bool)
    text = str(value).strip() if is_text else ""
    if not text:
        raise _RowError(f"no {column}")
    if not text.isprintable() or "\ufffd" in text:
        raise _RowError(f"{column} contains characters that are not printable")
    return text


def _read_ratings(row: dict[str, Any]) -> tuple[int, int]:
    first, second = (_read_rating(row, question) for question in QUESTIONS)
    if not first and not second:
        raise _RowError("neither question is answered")
    return first, second


def _read_rating(row: dict[str, Any], question: str) -> int:
    value = row.get(question)
    if value is None or (isinstance(value, str) and not value.strip()):
        return 0
    try:
        number = float(value) if not isinstance(value, bool) else 0.0
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if number not in range(1, LEVELS + 1):
        raise _RowError(
            f"{question} is {_shorten_value(value)}, not a whole number from 1 to {LEVELS}"
        )
    return int(number)


def _read_choice(row: dict[str, Any]) -> tuple[tuple[str, Pair, str, str], str]:
    rater, pair = _read_rater_and_pair(row)
    original, chosen = _read_text(row, "original"), _read_text(row, "chosen")
    for column, name in (("original", original), ("chosen", chosen)):
        if name not in pair:
            raise _RowError(f"{column} is {_shorten_value(name)}, which is neither left nor right")
    return (rater, pair, original, _read_text(row, "context")), chosen


def _shorten_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# ------------------------------------------------------------------------- one file


def _read_rows(path: Path) -> tuple[set[str], Iterator[Row]]:
    """Return the columns of a file, and its rows; the first bytes determine the format."""
    data = path.read_bytes()
    if data.startswith(b"PAR1"):
        return _read_parquet(path, data)
    for byte_order_mark, encoding in (
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(byte_order_mark):
            data = data.decode(encoding, errors="replace").encode()
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace").lstrip("\ufeff")
    lines = [
        (number, line)
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1)
        if line.strip()
    ]
    if lines and lines[0][1].lstrip().startswith("{"):
        return _read_json_lines(lines)
    return _read_csv(lines)


def _read_json_lines(lines: Sequence[tuple[int, str]]) -> tuple[set[str], Iterator[Row]]:
    rows: list[Row] = [(number, _parse_object(line)) for number, line in lines]
    # The first row may be a bad one, so collect the columns of all rows.
    columns: set[str] = set()
    for _, row in rows:
        if isinstance(row, dict):
            columns |= row.keys()
    return columns, iter(rows)


def _parse_object(line: str) -> dict[str, Any] | str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "not valid JSON"
    return value if isinstance(value, dict) else "not a JSON object"


def _read_csv(lines: Sequence[tuple[int, str]]) -> tuple[set[str], Iterator[Row]]:
    """Parse each line by itself, so that an unclosed quote affects its own line only.

    This is safe because no name contains a line end.
    """
    if not lines:
        return set(), iter(())
    header = lines[0][1]
    headers = {separator: _split_cells(header, separator) or [] for separator in ",;\t"}
    separator = max(headers, key=lambda candidate: len(headers[candidate]))
    names = [name.strip().lower() for name in headers[separator]]

    def read_rows() -> Iterator[Row]:
        for number, line in lines[1:]:
            cells = _split_cells(line, separator)
            if cells is None:
                yield number, "not valid CSV"
            elif len(cells) != len(names):
                yield number, f"{len(cells)} columns, expected {len(names)}"
            else:
                yield number, dict(zip(names, cells, strict=True))

    return set(names), read_rows()


def _split_cells(line: str, separator: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None


def _read_parquet(path: Path, data: bytes) -> tuple[set[str], Iterator[Row]]:
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
