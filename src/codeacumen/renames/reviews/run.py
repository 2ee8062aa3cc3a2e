"""Mine the reviews of several repositories and write the result files.

``renames.jsonl`` and ``stable.jsonl`` are the input of ``dataset build renames``, ``reviews.json``
holds the counts. The round of requests (see ``reviews.client``) ends when all files are written.

``review.csv`` has one row per candidate (a mined rename with its review), with an empty column
``decision`` for ``include`` or ``exclude`` and one for a ``note``. A byte order mark makes Excel
read it as UTF-8. A cell that a spreadsheet would take for a formula gets an apostrophe in front,
since comments come from strangers. Only ``id``, ``decision`` and ``note`` are read back, from
UTF-8, UTF-16 or Windows-1252, with commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.renames.records import RENAMES, STABLE, Rename, write_lines
from codeacumen.renames.reviews.client import AnswerSource
from codeacumen.renames.reviews.comments import KEYWORDS, is_clear
from codeacumen.renames.reviews.mining import MinedRepository, NoRepositoryError, mine_repository

COLUMNS = (
    "decision",
    "note",
    "old_name",
    "new_name",
    "comment",
    "features",
    "tags",
    "url",
    "author",
    "project",
    "pull",
    "path",
    "owner",
    "code_before",
    "code",
    "id",
)
# Excel cuts off a longer cell and breaks the row.
LONGEST_CELL = 32_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_DECISION_WORDS = {
    "include": "include",
    "i": "include",
    "yes": "include",
    "y": "include",
    "1": "include",
    "exclude": "exclude",
    "e": "exclude",
    "no": "exclude",
    "n": "exclude",
    "0": "exclude",
    "": "",
    "?": "",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on a candidate: ``include``, ``exclude`` or empty, and a note."""

    decision: str
    note: str = ""


def write_review_file(
    path: Path, renames: Iterable[Rename], decisions: Mapping[str, Decision]
) -> None:
    """Write the table of reviewed renames, with the ``decisions`` of the previous table by id."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for rename in renames:
        if rename.review is None:
            continue
        previous = decisions.get(rename.id, Decision(rename.review.decision))
        row = {
            "decision": previous.decision,
            "note": previous.note,
            "old_name": rename.old_name,
            "new_name": rename.new_name,
            "comment": rename.review.comment,
            "features": "; ".join(rename.review.features),
            "tags": "; ".join(rename.tags),
            "url": rename.review.url,
            "author": rename.review.author,
            "project": rename.project,
            "pull": str(rename.review.pull),
            "path": rename.path,
            "owner": rename.owner,
            "code_before": rename.code_before,
            "code": rename.code,
            "id": rename.id,
        }
        writer.writerow([_escape_cell(row[name]) for name in COLUMNS])
    text = out.getvalue().encode("utf-8", "backslashreplace")
    write_atomically(path, b"\xef\xbb\xbf" + text)


def _escape_cell(text: str) -> str:
    """Shorten a cell and mark it as text if it looks like a formula.

    >>> _escape_cell("=1+1"), _escape_cell("a plain comment")
    ("'=1+1", 'a plain comment')
    """
    text = text.replace("\0", "�")
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + " …"
    return f"'{text}" if text.startswith(_FORMULA) else text


def read_decisions(path: Path) -> dict[str, Decision]:
    """Return decisions by the id of the rename; rows without decision and note are left out."""
    hint = "it is the review file that `codeacumen renames reviews` wrote, with its decision column"
    try:
        text = _decode_text(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror}", hint) from error
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)
    previous_limit = csv.field_size_limit(1 << 30)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise CodeacumenError(f"{path} is not a table: {error}", hint) from error
    finally:
        csv.field_size_limit(previous_limit)
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if "id" not in names or "decision" not in names:
        raise CodeacumenError(f"{path} has no columns id and decision", hint)
    decisions: dict[str, Decision] = {}
    for number, row in enumerate(rows[1:], 2):
        cells = dict(zip(names, row, strict=False))
        key, verdict = cells.get("id", "").strip(), cells.get("decision", "").strip().lower()
        note = cells.get("note", "").strip()
        if verdict not in _DECISION_WORDS:
            raise CodeacumenError(
                f"{path}, row {number}: {verdict!r} is no decision",
                "write include or exclude, or leave it empty",
            )
        if not key or (not _DECISION_WORDS[verdict] and not note):
            continue
        decision = Decision(
            _DECISION_WORDS[verdict], note.removeprefix("'") if note[1:2] in _FORMULA else note
        )
        if decisions.get(key, decision).decision != decision.decision:
            raise CodeacumenError(f"{path}, row {number}: {key} was decided otherwise above")
        decisions[key] = decision
    return decisions


def _decode_text(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


REVIEW_FILE, ABOUT = "review.csv", "reviews.json"
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def mine_reviews(
    source: AnswerSource,
    repositories: Sequence[str],
    out: Path,
    since: str = "",
    step: Progress = ignore_progress,
) -> dict[str, Json]:
    """Mine repositories, write all files to ``out``, and return the content of ``reviews.json``.

    An unreadable repository is left out, with its error under ``problems``; if all are unreadable,
    the last error is raised."""
    names = list(dict.fromkeys(repositories))
    for name in names:
        if not _REPOSITORY.fullmatch(name) or not all(part.strip(".") for part in name.split("/")):
            raise CodeacumenError(
                f"{name!r} is no repository", "write OWNER/REPO, as in apache/kafka"
            )
    if since and not _DATE.fullmatch(since):
        raise CodeacumenError(f"{since!r} is no date", "write it as in 2020-01-31")
    # Read the table before the first request: a damaged one must not be overwritten.
    review_path = out / REVIEW_FILE
    decisions = read_decisions(review_path) if review_path.is_file() else {}
    results: list[MinedRepository] = []
    problems: dict[str, str] = {}
    for name in names:
        try:
            results.append(mine_repository(source, name, since, step))
        except NoRepositoryError as error:
            if name == names[-1] and not results:
                raise
            problems[name] = str(error)
    renames = [rename for result in results for rename in result.renames]
    about: dict[str, Json] = {
        "codeacumen": __version__,
        "keywords": list(KEYWORDS),
        "since": since,
        "repositories": {
            result.repository: {
                "counts": dict(result.counts),
                "skipped": dict(
                    sorted((reason, count) for reason, count in result.skipped.items() if count)
                ),
            }
            for result in results
        },
        "problems": problems,
        "cases": len(renames),
        "clear": sum(
            rename.review is not None and is_clear(rename.review.features) for rename in renames
        ),
        "stable": sum(len(result.stable) for result in results),
    }
    write_lines(out / RENAMES, renames)
    write_lines(out / STABLE, [method for result in results for method in result.stable])
    write_review_file(review_path, renames, decisions)
    write_atomically(out / ABOUT, (json.dumps(about, indent=1) + "\n").encode())
    for result in results:
        source.finish_round(result.repository)
    return about
