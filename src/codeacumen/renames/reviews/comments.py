"""Pull requests and their comments: what they say about which method.

Any field may be missing: a deleted account has no author, an outdated comment no line. A value of
the wrong type counts as missing; a record that is unusable without it is skipped.

``speaks_of_names`` selects the comments that may ask for a rename. ReName4J (section 3.2) takes
words "such as" naming, name, inconsistent and descriptive; we take these four in all their forms.
``link`` finds the method that a thread is about: by commit, file and line, by the last line of the
diff hunk (which works where the commit is gone), or by the method's name. ``find_features`` applies
ReName4J's criteria as far as a program can: names that were accepted and that a comment suggested,
inspired, or asked for because of a convention or for consistency; no typos and no example code.
The features are hints for the person who decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from codeacumen.api import Json
from codeacumen.text.subtokens import subtokens

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
        number,
        _text(item, "html_url"),
        _text(item, "user", "login"),
        _text(item, "created_at"),
        merged or _text(item, "closed_at"),
        bool(merged),
        head,
        base,
    )


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
        number,
        LINE,
        pull,
        _text(item, "body"),
        _text(item, "html_url"),
        _text(item, "user", "login"),
        _text(item, "created_at"),
        _int(item, "in_reply_to_id") or number,
        _text(item, "original_commit_id") or _text(item, "commit_id"),
        path,
        min(first, last),
        last,
        side == "LEFT",
        "" if whole_file else _text(item, "diff_hunk"),
    )


def read_discussion(item: Json) -> Comment | None:
    number, pull = _int(item, "id"), _tail(item, "issue_url")
    if not number or not pull or _is_bot(item):
        return None
    return Comment(
        number,
        DISCUSSION,
        pull,
        _text(item, "body"),
        _text(item, "html_url"),
        _text(item, "user", "login"),
        _text(item, "created_at"),
        number,
    )


def read_verdict(item: Json, pull: int) -> Comment | None:
    """The text of a review; its comments on lines come with the others."""
    number, body = _int(item, "id"), _text(item, "body")
    if not number or not body or _is_bot(item):
        return None
    return Comment(
        number,
        VERDICT,
        pull,
        body,
        _text(item, "html_url"),
        _text(item, "user", "login"),
        _text(item, "submitted_at"),
        number,
        _text(item, "commit_id"),
    )


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


KEYWORDS = ("naming", "name", "inconsistent", "descriptive")
_FORMS = {
    "naming": r"(?:re-?)?naming",
    "name": r"(?:re-?)?name[ds]?",
    "inconsistent": r"inconsisten(?:t|tly|cy|cies)",
    "descriptive": r"descriptive(?:ly)?",
}
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_WORDS = re.compile(rf"(?<![\w.])(?:{'|'.join(_FORMS.values())})(?!\w)", re.IGNORECASE)


def speaks_of_names(text: str) -> bool:
    """Whether a comment holds one of the words; what it quotes of others does not count.

    >>> speaks_of_names("Can we rename this?"), speaks_of_names("> rename\\nThe filename is long.")
    (True, False)
    """
    return _WORDS.search(_QUOTED.sub("", text)) is not None


# From the surest to the weakest.
DECLARATION, SHOWN, NAMED, BODY = "declaration", "shown", "named", "body"
LINKS = (DECLARATION, SHOWN, NAMED, BODY)
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
# What stands before a name that is meant as one, though it is a plain word: "rename it to close".
_PROPOSED = (
    r"(?:\bto|\bcall(?:ed|ing)?(?: it| this| the method)?|\babout|\bbe|\bnamed?|\binto|->|=>|→"
    r"|\buse|\bprefer|\bproposal:?|\bmaybe|\bsuggest)"
)


@dataclass(frozen=True, slots=True)
class Where:
    """Where a method stood before it was renamed: lines count from 1, ``first`` with its comment,
    ``opens`` the one its body begins in."""

    commit: str
    path: str
    name: str
    first: int
    opens: int
    last: int


def link(thread: Sequence[Comment], where: Where, new_name: str) -> str:
    """How a thread is linked to a method; empty if it is not."""
    root = thread[0]
    place = _place(root, where) if root.kind == LINE else ""
    if place == DECLARATION:
        return DECLARATION
    if root.kind == LINE and shows(root, where.name):
        return SHOWN
    said = "\n".join(one.body for one in thread)
    if mentions(said, where.name) or mentions(said, new_name):
        return NAMED
    return place


def _place(comment: Comment, where: Where) -> str:
    first, last, left = comment.first, comment.last, comment.left
    if not last:
        last, left = hunk_line(comment.hunk)
        first = last
    if left or not last or (comment.commit, comment.path) != (where.commit, where.path):
        return ""
    if first <= where.opens and last >= where.first:
        return DECLARATION
    return BODY if first <= where.last and last >= where.first else ""


def hunk_line(hunk: str) -> tuple[int, bool]:
    """The line that a piece of a difference ends with, and whether it is one that was removed.

    >>> hunk_line("@@ -3,2 +4,3 @@ class A {\\n a\\n-b\\n+c\\n+d")
    (6, False)
    """
    # "\\ No newline at end of file" is a remark and no line.
    lines = [line for line in hunk.split("\n") if not line.startswith("\\")]
    match = _HUNK.match(lines[0]) if lines else None
    if not match or len(lines) < 2:
        return 0, False
    before, after = int(match[1]) - 1, int(match[2]) - 1
    for line in lines[1:]:
        before += line[:1] != "+"
        after += line[:1] != "-"
    removed = lines[-1].startswith("-")
    return (before if removed else after), removed


def shows(comment: Comment, name: str) -> bool:
    """Whether a name is declared or called in the lines that a comment stands at."""
    lines = comment.hunk.split("\n")[1:]
    several = max(1, comment.last - comment.first + 1)
    text = "\n".join(lines[-several:])
    return re.search(rf"(?<![\w$]){re.escape(name)}\s*\(", text) is not None


@lru_cache(maxsize=4096)
def _mentioned(name: str) -> re.Pattern[str]:
    spelt = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if len(subtokens(name)) > 1:
        return re.compile(spelt, re.IGNORECASE)
    # A plain word is a name only where it is marked as one, or where it stands like one.
    ways = (
        rf"[`'\"“#]\s*(?:\w+[.#])*{spelt}",
        rf"{spelt}\s*[`(]",
        rf"{_PROPOSED}[\s:*_]+{spelt}",
        rf"(?:^|[.!?]\s+|\brename\s+){spelt}\s+(?:should|could|to|->|→)",
    )
    return re.compile("|".join(ways), re.IGNORECASE)


def mentions(text: str, name: str) -> bool:
    """Whether a text speaks of a name, not only of the word that it is.

    >>> mentions("the size is wrong", "size"), mentions("`size` is wrong", "size")
    (False, True)
    """
    return bool(name) and _mentioned(name).search(text) is not None


ACCEPTED, APPROVED, SUGGESTED, INSPIRED = "accepted", "approved", "suggested", "inspired"
CONVENTION, CONSISTENCY, TYPO, EXAMPLE = "convention", "consistency", "typo", "example"
OWN_WORDS, OLD_NAME = "by the author", "old name"

_CONVENTION = re.compile(
    r"\bconvention|\bjava-?\s?beans?\b|\bcamel-?\s?case|\b(?:getter|setter)s?\b|\bbuilder\b"
    r"|\b(?:pre|suf)fix|\bnaming (?:style|scheme|pattern|rule)|\bcode ?style"
    r"|\bguideline|\bidiomatic",
    re.IGNORECASE,
)
_CONSISTENCY = re.compile(
    r"consisten(?:t|cy)|\bin line with\b|\balign(?:ed|s)? with\b|\bsymmetr|\buniform"
    r"|\b(?:same|similar) (?:name|naming|to|as)\b|\blike (?:the|all|every) others?\b"
    r"|\bmatch(?:es|ing)? (?:the|our|that|what)\b",
    re.IGNORECASE,
)
_TYPO = re.compile(r"\btypos?\b|\bmis-?spel|\bspell?(?:ed|ing|t)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w$]*")


def find_features(
    said: Sequence[str],
    old: str,
    new: str,
    *,
    accepted: bool,
    approved: bool,
    own: bool,
    tags: Sequence[str] = (),
) -> tuple[str, ...]:
    """What can be said of a case. ``said`` are the comments of the thread, the first one first;
    ``own``: the author of the change wrote the first; ``tags`` those of the rename."""
    text = "\n".join(said)
    proposed = is_suggested(said, new)
    told = {
        ACCEPTED: accepted,
        APPROVED: approved,
        SUGGESTED: proposed,
        INSPIRED: not proposed and inspired(text, old, new),
        CONVENTION: _CONVENTION.search(text) is not None,
        CONSISTENCY: _CONSISTENCY.search(text) is not None,
        TYPO: TYPO in tags or _TYPO.search(text) is not None,
        EXAMPLE: EXAMPLE in tags,
        OLD_NAME: mentions(text, old),
        OWN_WORDS: own,
    }
    return tuple(name for name, holds in told.items() if holds)


def is_suggested(said: Sequence[str], new: str) -> bool:
    """Whether somebody wrote the name that the method got."""
    return mentions("\n".join(said), new)


def inspired(text: str, old: str, new: str) -> bool:
    """Whether at least half of what is new in a name stands in a text, be it as part of another
    name; where nothing is new, what was taken away.

    >>> inspired("maybe completeConversionIfNecessary?", "completeRestoration",
    ...          "completeRestorationIfPossible")
    True
    """
    before, after = _words(old), _words(new)
    changed = after - before or before - after
    words = {part for word in _WORD.findall(text) for part in subtokens(word, lower=True)}
    return bool(changed) and 2 * len(changed & words) >= len(changed)


def is_clear(found: Sequence[str]) -> bool:
    """Whether a case meets the criteria by these features alone."""
    return (
        ACCEPTED in found
        and SUGGESTED in found
        and TYPO not in found
        and EXAMPLE not in found
        and OWN_WORDS not in found
    )


def _words(name: str) -> set[str]:
    return set(subtokens(name, lower=True))
