"""Mine the reviews of several repositories and write the result files.

``renames.jsonl`` and ``stable.jsonl`` are the input of ``dataset build renames``, ``reviews.json``
holds the counts. A new round of requests begins only when all files are written.

``review.csv`` has one row per candidate, with an empty column ``decision`` for ``include`` or
``exclude`` and one for a ``note``. A byte order mark makes Excel read it as UTF-8. A cell that a
spreadsheet would take for a formula gets an apostrophe in front, since comments come from
strangers. Only ``id``, ``decision`` and ``note`` are read back, in any encoding and with any
separator.
"""

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
from codeacumen.renames.reviews.client import Source
from codeacumen.renames.reviews.comments import KEYWORDS, is_clear
from codeacumen.renames.reviews.mining import Found, NoRepositoryError, mine

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
# Excel cuts a cell off there, and breaks the row.
LONGEST_CELL = 32_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_MEANT = {
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
    decision: str
    note: str = ""


def write_review_file(
    path: Path, renames: Iterable[Rename], decided: Mapping[str, Decision]
) -> None:
    """Write the table; decisions that were made before stay in it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in renames:
        if one.review is None:
            continue
        before = decided.get(one.id, Decision(one.review.decision))
        row = {
            "decision": before.decision,
            "note": before.note,
            "old_name": one.old_name,
            "new_name": one.new_name,
            "comment": one.review.comment,
            "features": "; ".join(one.review.features),
            "tags": "; ".join(one.tags),
            "url": one.review.url,
            "author": one.review.author,
            "project": one.project,
            "pull": str(one.review.pull),
            "path": one.path,
            "owner": one.owner,
            "code_before": one.code_before,
            "code": one.code,
            "id": one.id,
        }
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    text = out.getvalue().encode("utf-8", "backslashreplace")
    write_atomically(path, b"\xef\xbb\xbf" + text)


def _cell(text: str) -> str:
    """
    >>> _cell("=1+1"), _cell("a plain comment")
    ("'=1+1", 'a plain comment')
    """
    text = text.replace("\0", "�")
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + " …"
    return f"'{text}" if text.startswith(_FORMULA) else text


def read_decisions(path: Path) -> dict[str, Decision]:
    """Decisions by the id of a rename; those left open are not among them."""
    hint = "it is the review file that `codeacumen renames reviews` wrote, with its decision column"
    try:
        text = _decoded(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror}", hint) from error
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    limit = csv.field_size_limit(1 << 30)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise CodeacumenError(f"{path} is no table: {error}", hint) from error
    finally:
        csv.field_size_limit(limit)
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if "id" not in names or "decision" not in names:
        raise CodeacumenError(f"{path} has no columns id and decision", hint)
    found: dict[str, Decision] = {}
    for number, row in enumerate(rows[1:], 2):
        cells = dict(zip(names, row, strict=False))
        key, said = cells.get("id", "").strip(), cells.get("decision", "").strip().lower()
        note = cells.get("note", "").strip()
        if said not in _MEANT:
            raise CodeacumenError(
                f"{path}, row {number}: {said!r} is no decision",
                "write include or exclude, or leave it empty",
            )
        if not key or (not _MEANT[said] and not note):
            continue
        one = Decision(_MEANT[said], note.removeprefix("'") if note[1:2] in _FORMULA else note)
        if found.get(key, one).decision != one.decision:
            raise CodeacumenError(f"{path}, row {number}: {key} was decided otherwise above")
        found[key] = one
    return found


def _decoded(data: bytes) -> str:
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
    source: Source,
    repositories: Sequence[str],
    out: Path,
    since: str = "",
    step: Progress = ignore_progress,
) -> dict[str, Json]:
    """Write all files; gives what ``reviews.json`` says. A repository that cannot be read is told
    of and left out; if none can, that is an error."""
    names = list(dict.fromkeys(repositories))
    for name in names:
        if not _REPOSITORY.fullmatch(name) or not all(part.strip(".") for part in name.split("/")):
            raise CodeacumenError(
                f"{name!r} is no repository", "write OWNER/REPO, as in apache/kafka"
            )
    if since and not _DATE.fullmatch(since):
        raise CodeacumenError(f"{since!r} is no date", "write it as in 2020-01-31")
    # Before anything is asked: a damaged table must not be written over.
    kept = out / REVIEW_FILE
    decided = read_decisions(kept) if kept.is_file() else {}
    found: list[Found] = []
    problems: dict[str, str] = {}
    for name in names:
        try:
            found.append(mine(source, name, since, step))
        except NoRepositoryError as error:
            if name == names[-1] and not found:
                raise
            problems[name] = str(error)
    renames = [rename for one in found for rename in one.renames]
    about: dict[str, Json] = {
        "codeacumen": __version__,
        "keywords": list(KEYWORDS),
        "since": since,
        "repositories": {
            one.repository: {
                "counts": dict(one.counts),
                "lost": dict(sorted((why, n) for why, n in one.lost.items() if n)),
            }
            for one in found
        },
        "problems": problems,
        "cases": len(renames),
        "clear": sum(one.review is not None and is_clear(one.review.features) for one in renames),
        "stable": sum(len(one.stable) for one in found),
    }
    write_lines(out / RENAMES, renames)
    write_lines(out / STABLE, [method for one in found for method in one.stable])
    write_review_file(kept, renames, decided)
    write_atomically(out / ABOUT, (json.dumps(about, indent=1) + "\n").encode())
    for one in found:
        source.finish(one.repository)
    return about
