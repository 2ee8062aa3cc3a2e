"""Repositories one after the other, and the files that come of it.

``renames.jsonl`` and ``stable.jsonl`` are what ``names dataset`` reads, ``review.csv`` what a
person decides on, ``reviews.json`` what was counted. A new round of questions begins only when all
of these are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from acumen import __version__
from acumen.api import AcumenError, Json
from acumen.core.progress import Progress, ignore_progress
from acumen.files import write_atomically
from acumen.renames.records import RENAMES, STABLE, write_lines
from acumen.renames.reviews.answers import Source
from acumen.renames.reviews.criteria import is_clear
from acumen.renames.reviews.keywords import KEYWORDS
from acumen.renames.reviews.mining import Found, NoRepositoryError, mine
from acumen.renames.reviews.reviewfile import read_decisions, write_review_file

REVIEW_FILE, ABOUT = "review.csv", "reviews.json"
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def mine_reviews(
    source: Source, repositories: Sequence[str], out: Path, since: str = "",
    step: Progress = ignore_progress,
) -> dict[str, Json]:  # fmt: skip
    """Write all files; gives what ``reviews.json`` says. A repository that cannot be read is told
    of and left out; if none can, that is an error."""
    names = list(dict.fromkeys(repositories))
    for name in names:
        if not _REPOSITORY.fullmatch(name) or not all(part.strip(".") for part in name.split("/")):
            raise AcumenError(f"{name!r} is no repository", "write OWNER/REPO, as in apache/kafka")
    if since and not _DATE.fullmatch(since):
        raise AcumenError(f"{since!r} is no date", "write it as in 2020-01-31")
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
        "acumen": __version__,
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
