"""Which comment speaks of which method: by file and line, by the line it shows, or by name.

The API does not say. A comment on a line knows its file, the commit that was shown and the line in
it, so it lies in a method, at its declaration or in its body. It also carries the lines of the
difference above it, the last of which is the one commented on: an old name there is a call or the
declaration, also where the commit is gone. And any comment may spell the method's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from acumen.lang.subtokens import subtokens
from acumen.renames.reviews.comments import LINE, Comment

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
