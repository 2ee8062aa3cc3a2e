"""Pull requests and what was said in them, as far as the API's answers can be understood.

Anything may be missing: the author of a deleted account is null, an outdated comment has no line.
What is not of the kind it should be is taken to be missing; what cannot be used without it is left
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from acumen.api import Json

LINE, DISCUSSION, VERDICT = "line", "discussion", "verdict"
_TAIL = re.compile(r"/(\d+)$")


@dataclass(frozen=True, slots=True)
class Pull:
    """``head`` is its last commit, ``base`` the commit it was to be merged into."""

    number: int
    url: str
    author: str
    created: str
    closed: str
    merged: bool
    head: str
    base: str


@dataclass(frozen=True, slots=True)
class Comment:
    """``kind`` is a comment on a line, in the discussion, or the text of a review's verdict.

    ``commit`` is the one that was shown when the comment was written, and lines are those of the
    file at that commit: an outdated comment has lost its line in the latest one, not in this.
    ``left``: it stands at a line that the pull request removes, so the line is not one of that
    commit's file. 0 is no line; ``thread`` is the comment it answers to, or its own number.
    """

    id: int
    kind: str
    pull: int
    body: str
    url: str
    author: str
    time: str
    thread: int
    commit: str = ""
    path: str = ""
    first: int = 0
    last: int = 0
    left: bool = False
    hunk: str = ""


def read_pull(item: Json) -> Pull | None:
    number = _int(item, "number")
    head, base = _text(item, "head", "sha"), _text(item, "base", "sha")
    if not number or not head or not base:
        return None
    merged = _text(item, "merged_at")
    return Pull(
        number, _text(item, "html_url"), _text(item, "user", "login"), _text(item, "created_at"),
        merged or _text(item, "closed_at"), bool(merged), head, base,
    )  # fmt: skip


def read_line_comment(item: Json) -> Comment | None:
    number, pull, path = _int(item, "id"), _tail(item, "pull_request_url"), _text(item, "path")
    if not number or not pull or not path or _is_bot(item):
        return None
    whole_file = _text(item, "subject_type") == "file"
    last = 0 if whole_file else _int(item, "original_line") or _int(item, "line")
    first = _int(item, "original_start_line") or _int(item, "start_line") or last
    side = _text(item, "side") or "RIGHT"
    if (_text(item, "start_side") or side) != side:
        # From a removed line to one that was put in: their numbers are of two files.
        first = last
    return Comment(
        number, LINE, pull, _text(item, "body"), _text(item, "html_url"),
        _text(item, "user", "login"), _text(item, "created_at"),
        _int(item, "in_reply_to_id") or number,
        _text(item, "original_commit_id") or _text(item, "commit_id"),
        path, min(first, last), last, side == "LEFT",
        "" if whole_file else _text(item, "diff_hunk"),
    )  # fmt: skip


def read_discussion(item: Json) -> Comment | None:
    number, pull = _int(item, "id"), _tail(item, "issue_url")
    if not number or not pull or _is_bot(item):
        return None
    return Comment(
        number, DISCUSSION, pull, _text(item, "body"), _text(item, "html_url"),
        _text(item, "user", "login"), _text(item, "created_at"), number,
    )  # fmt: skip


def read_verdict(item: Json, pull: int) -> Comment | None:
    """The text of a review; its comments on lines come with the others."""
    number, body = _int(item, "id"), _text(item, "body")
    if not number or not body or _is_bot(item):
        return None
    return Comment(
        number, VERDICT, pull, body, _text(item, "html_url"), _text(item, "user", "login"),
        _text(item, "submitted_at"), number, _text(item, "commit_id"),
    )  # fmt: skip


def approved(reviews: Iterable[Json]) -> bool:
    """Whether somebody's last word was an approval, and nobody's a wish for changes."""
    last: dict[str, str] = {}
    for item in reviews:
        state = _text(item, "state").upper()
        if state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            last[_text(item, "user", "login")] = state
    return "APPROVED" in last.values() and "CHANGES_REQUESTED" not in last.values()


def commit_at(commits: Iterable[Json], time: str) -> str:
    """The last of a pull request's commits that was there at a time; else its first one."""
    first = found = ""
    for item in commits:
        sha = _text(item, "sha")
        first = first or sha
        if sha and _text(item, "commit", "committer", "date") <= time:
            found = sha
    return found or first


def threads(comments: Iterable[Comment]) -> dict[int, list[Comment]]:
    """Comments by the thread they are in, in the order in which they were written."""
    found: dict[int, list[Comment]] = {}
    for one in sorted(comments, key=lambda one: (one.time, one.id)):
        found.setdefault(one.thread, []).append(one)
    return found


def seconds(time: str) -> int:
    """A time as the API writes it, in seconds since 1970; 0 where that cannot be read."""
    try:
        return int(datetime.fromisoformat(time).timestamp())
    except (ValueError, OverflowError):
        return 0


def _value(item: Json, keys: Sequence[str]) -> Json:
    for key in keys:
        item = item.get(key) if isinstance(item, dict) else None
    return item


def _text(item: Json, *keys: str) -> str:
    found = _value(item, keys)
    # Half of a surrogate pair, which JSON may hold, can be written nowhere.
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def _int(item: Json, *keys: str) -> int:
    found = _value(item, keys)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def _tail(item: Json, key: str) -> int:
    """The number that an address ends with."""
    match = _TAIL.search(_text(item, key))
    return int(match[1]) if match else 0


def _is_bot(item: Json) -> bool:
    return _text(item, "user", "type") == "Bot" or _text(item, "user", "login").endswith("[bot]")
