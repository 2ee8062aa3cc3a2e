"""Parse pull requests and comments, and link comments to the methods that they discuss.

Any field may be missing: a deleted account has no author, an outdated comment no line. A value of
the wrong type counts as missing; a record that is unusable without it is skipped.

``speaks_of_names`` selects the comments that may request a rename. ReName4J (section 3.2) takes
words "such as" naming, name, inconsistent and descriptive; we take these four in all their forms.
``link_thread`` links a thread to a method: by commit, file and line; by the commented lines of the
diff hunk, if they declare or call the method (this works where the commit is gone); or by its name.
``find_features`` applies ReName4J's criteria as far as a program can: names that were accepted and
that a comment suggested, inspired, or requested because of a convention or for consistency; no
typos and no example code. The features are hints for the person who decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from codeacumen.api import Json
from codeacumen.text.subtokens import split_subtokens

# Kinds of comments: on lines of a file, on the whole pull request, and the text of a review.
LINE, DISCUSSION, VERDICT = "line", "discussion", "verdict"
_TAIL = re.compile(r"/(\d+)$")


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request; ``head`` is its last commit, ``base`` the commit to merge it into.

    ``created`` and ``closed`` (or merged) are times in the API's format, such as
    ``2022-01-31T12:00:00Z``.
    """

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
    """A comment on a line, in the discussion, or the text of a review's verdict, as ``kind`` says.

    ``commit`` is the commit that was shown when the comment was written, and lines are those of the
    file at that commit: an outdated comment has no line in the latest commit, but still in this
    one. ``is_on_removed_line``: the pull request removes the line, so the commit's file does not
    have it. Line 0 means that there is no line. ``time`` is in the API's format; ``thread`` is the
    id of the first comment of the thread; ``hunk`` is the part of the diff that ends with the
    commented line. Other unknown fields are empty."""

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
    first_line: int = 0
    last_line: int = 0
    is_on_removed_line: bool = False
    hunk: str = ""


def read_pull(item: Json) -> Pull | None:
    """Return the pull request in an item of the API's list; None without number, head or base."""
    number = _get_int(item, "number")
    head, base = _get_text(item, "head", "sha"), _get_text(item, "base", "sha")
    if not number or not head or not base:
        return None
    merged = _get_text(item, "merged_at")
    return Pull(
        number,
        _get_text(item, "html_url"),
        _get_text(item, "user", "login"),
        _get_text(item, "created_at"),
        merged or _get_text(item, "closed_at"),
        bool(merged),
        head,
        base,
    )


def read_line_comment(item: Json) -> Comment | None:
    """Return the comment on lines in an item of the API; None if it is unusable or by a bot."""
    number, pull, path = (
        _get_int(item, "id"),
        _get_trailing_number(item, "pull_request_url"),
        _get_text(item, "path"),
    )
    if not number or not pull or not path or _is_bot(item):
        return None
    whole_file = _get_text(item, "subject_type") == "file"
    last = 0 if whole_file else _get_int(item, "original_line") or _get_int(item, "line")
    first = _get_int(item, "original_start_line") or _get_int(item, "start_line") or last
    side = _get_text(item, "side") or "RIGHT"
    if (_get_text(item, "start_side") or side) != side:
        # A range from a removed to an added line: the numbers belong to two files.
        first = last
    return Comment(
        number,
        LINE,
        pull,
        _get_text(item, "body"),
        _get_text(item, "html_url"),
        _get_text(item, "user", "login"),
        _get_text(item, "created_at"),
        _get_int(item, "in_reply_to_id") or number,
        _get_text(item, "original_commit_id") or _get_text(item, "commit_id"),
        path,
        min(first, last),
        last,
        side == "LEFT",
        "" if whole_file else _get_text(item, "diff_hunk"),
    )


def read_discussion(item: Json) -> Comment | None:
    """Return the comment on a whole pull request; None if it is unusable or by a bot."""
    number, pull = _get_int(item, "id"), _get_trailing_number(item, "issue_url")
    if not number or not pull or _is_bot(item):
        return None
    return Comment(
        number,
        DISCUSSION,
        pull,
        _get_text(item, "body"),
        _get_text(item, "html_url"),
        _get_text(item, "user", "login"),
        _get_text(item, "created_at"),
        number,
    )


def read_verdict(item: Json, pull: int) -> Comment | None:
    """Return the text of a review as a comment; its comments on lines come with the line comments.

    None if it has no text or is by a bot.
    """
    number, body = _get_int(item, "id"), _get_text(item, "body")
    if not number or not body or _is_bot(item):
        return None
    return Comment(
        number,
        VERDICT,
        pull,
        body,
        _get_text(item, "html_url"),
        _get_text(item, "user", "login"),
        _get_text(item, "submitted_at"),
        number,
        _get_text(item, "commit_id"),
    )


def is_pull_approved(reviews: Iterable[Json]) -> bool:
    """Return True if a reviewer's last verdict is an approval, and nobody's requests changes."""
    last_states: dict[str, str] = {}
    for item in reviews:
        state = _get_text(item, "state").upper()
        if state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            last_states[_get_text(item, "user", "login")] = state
    return "APPROVED" in last_states.values() and "CHANGES_REQUESTED" not in last_states.values()


def find_commit_at(commits: Iterable[Json], time: str) -> str:
    """Return the hash of the last commit at a time, or of the first if all are later."""
    first = latest = ""
    for item in commits:
        sha = _get_text(item, "sha")
        first = first or sha
        if sha and _get_text(item, "commit", "committer", "date") <= time:
            latest = sha
    return latest or first


def group_threads(comments: Iterable[Comment]) -> dict[int, list[Comment]]:
    """Group comments by thread, in the order of writing."""
    comments_by_thread: dict[int, list[Comment]] = {}
    for comment in sorted(comments, key=lambda comment: (comment.time, comment.id)):
        comments_by_thread.setdefault(comment.thread, []).append(comment)
    return comments_by_thread


def parse_time(time: str) -> int:
    """Return the seconds since 1970 of a time in the API's format; 0 if it cannot be parsed."""
    try:
        return int(datetime.fromisoformat(time).timestamp())
    except (ValueError, OverflowError):
        return 0


def _get_value(item: Json, keys: Sequence[str]) -> Json:
    for key in keys:
        item = item.get(key) if isinstance(item, dict) else None
    return item


def _get_text(item: Json, *keys: str) -> str:
    value = _get_value(item, keys)
    # JSON may hold half of a surrogate pair, which cannot be encoded.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _get_int(item: Json, *keys: str) -> int:
    value = _get_value(item, keys)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _get_trailing_number(item: Json, key: str) -> int:
    """Return the number at the end of an address."""
    match = _TAIL.search(_get_text(item, key))
    return int(match[1]) if match else 0


def _is_bot(item: Json) -> bool:
    return _get_text(item, "user", "type") == "Bot" or _get_text(item, "user", "login").endswith(
        "[bot]"
    )


# ReName4J's four words; ``_FORMS`` has the pattern of all forms of each.
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
    """Return True if a comment holds a form of one of ``KEYWORDS``, outside of quoted lines.

    >>> speaks_of_names("Can we rename this?"), speaks_of_names("> rename\\nThe filename is long.")
    (True, False)
    """
    return _WORDS.search(_QUOTED.sub("", text)) is not None


# Kinds of links from the most certain to the weakest: the comment is on the declaration; the
# commented lines show the method's name; the thread mentions the old or new name; the comment is on
# the body.
DECLARATION, SHOWN, NAMED, BODY = "declaration", "shown", "named", "body"
LINKS = (DECLARATION, SHOWN, NAMED, BODY)
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
# Words before a plain word that mark it as a proposed name: "rename it to close".
_PROPOSED = (
    r"(?:\bto|\bcall(?:ed|ing)?(?: it| this| the method)?|\babout|\bbe|\bnamed?|\binto|->|=>|→"
    r"|\buse|\bprefer|\bproposal:?|\bmaybe|\bsuggest)"
)


@dataclass(frozen=True, slots=True)
class MethodPosition:
    """Position of a method before its rename.

    Lines count from 1; ``first_line`` includes its comment, and its body begins on ``body_line``.
    """

    commit: str
    path: str
    name: str
    first_line: int
    body_line: int
    last_line: int


def link_thread(thread: Sequence[Comment], method_position: MethodPosition, new_name: str) -> str:
    """Return the kind of link between a thread and a method; empty if there is none."""
    root = thread[0]
    position = _locate_comment(root, method_position) if root.kind == LINE else ""
    if position == DECLARATION:
        return DECLARATION
    if root.kind == LINE and shows_name(root, method_position.name):
        return SHOWN
    text = "\n".join(comment.body for comment in thread)
    if mentions_name(text, method_position.name) or mentions_name(text, new_name):
        return NAMED
    return position


def _locate_comment(comment: Comment, method_position: MethodPosition) -> str:
    """Return DECLARATION or BODY if the comment is on that part of the method, otherwise empty."""
    first_line, last_line, is_on_removed_line = (
        comment.first_line,
        comment.last_line,
        comment.is_on_removed_line,
    )
    if not last_line:
        last_line, is_on_removed_line = last_hunk_line(comment.hunk)
        first_line = last_line
    if (
        is_on_removed_line
        or not last_line
        or (comment.commit, comment.path) != (method_position.commit, method_position.path)
    ):
        return ""
    if first_line <= method_position.body_line and last_line >= method_position.first_line:
        return DECLARATION
    return (
        BODY
        if first_line <= method_position.last_line and last_line >= method_position.first_line
        else ""
    )


def last_hunk_line(hunk: str) -> tuple[int, bool]:
    """Return the number of a diff hunk's last line (0: none), and True if it was removed.

    The number of a removed line is that in the old file.

    >>> last_hunk_line("@@ -3,2 +4,3 @@ class A {\\n a\\n-b\\n+c\\n+d")
    (6, False)
    """
    # "\\ No newline at end of file" is not a line of the file.
    lines = [line for line in hunk.split("\n") if not line.startswith("\\")]
    match = _HUNK.match(lines[0]) if lines else None
    if not match or len(lines) < 2:
        return 0, False
    before, after = int(match[1]) - 1, int(match[2]) - 1
    for line in lines[1:]:
        before += line[:1] != "+"
        after += line[:1] != "-"
    is_removed = lines[-1].startswith("-")
    return (before if is_removed else after), is_removed


def shows_name(comment: Comment, name: str) -> bool:
    """Return True if the commented lines, the last ones of the hunk, declare or call a name."""
    lines = comment.hunk.split("\n")[1:]
    line_count = max(1, comment.last_line - comment.first_line + 1)
    text = "\n".join(lines[-line_count:])
    return re.search(rf"(?<![\w$]){re.escape(name)}\s*\(", text) is not None


@lru_cache(maxsize=4096)
def _compile_mention_pattern(name: str) -> re.Pattern[str]:
    name_pattern = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if len(split_subtokens(name)) > 1:
        return re.compile(name_pattern, re.IGNORECASE)
    # A plain word is a name only with a mark, or in the position of a name.
    patterns = (
        rf"[`'\"“#]\s*(?:\w+[.#])*{name_pattern}",
        rf"{name_pattern}\s*[`(]",
        rf"{_PROPOSED}[\s:*_]+{name_pattern}",
        rf"(?:^|[.!?]\s+|\brename\s+){name_pattern}\s+(?:should|could|to|->|→)",
    )
    return re.compile("|".join(patterns), re.IGNORECASE)


def mentions_name(text: str, name: str) -> bool:
    """Return True if a text mentions a method's name, not only the same plain word.

    >>> mentions_name("the size is wrong", "size"), mentions_name("`size` is wrong", "size")
    (False, True)
    """
    return bool(name) and _compile_mention_pattern(name).search(text) is not None


# Features of a case, as records and the review file write them; see ``find_features``.
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
    comments: Sequence[str],
    old: str,
    new: str,
    *,
    accepted: bool,
    approved: bool,
    own: bool,
    tags: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the features that a case has.

    ``comments`` are those of the thread, in order; ``old`` and ``new`` are the method's names.
    ``accepted``: the pull request was merged or approved. ``own``: its author wrote the first
    comment. ``tags`` are those of the rename."""
    text = "\n".join(comments)
    suggested = is_suggested(comments, new)
    features = {
        ACCEPTED: accepted,
        APPROVED: approved,
        SUGGESTED: suggested,
        INSPIRED: not suggested and is_inspired(text, old, new),
        CONVENTION: _CONVENTION.search(text) is not None,
        CONSISTENCY: _CONSISTENCY.search(text) is not None,
        TYPO: TYPO in tags or _TYPO.search(text) is not None,
        EXAMPLE: EXAMPLE in tags,
        OLD_NAME: mentions_name(text, old),
        OWN_WORDS: own,
    }
    return tuple(name for name, is_present in features.items() if is_present)


def is_suggested(comments: Sequence[str], new: str) -> bool:
    """Return True if a comment contains the method's new name."""
    return mentions_name("\n".join(comments), new)


def is_inspired(text: str, old: str, new: str) -> bool:
    """Return True if a text holds at least half of the new words of a name.

    If there are no new words, the removed ones count. The words may be part of another name.

    >>> is_inspired("maybe completeConversionIfNecessary?", "completeRestoration",
    ...             "completeRestorationIfPossible")
    True
    """
    before, after = _split_name(old), _split_name(new)
    changed = after - before or before - after
    words = {part for word in _WORD.findall(text) for part in split_subtokens(word, lower=True)}
    return bool(changed) and 2 * len(changed & words) >= len(changed)


def is_clear(features: Sequence[str]) -> bool:
    """Return True if a name was suggested by another person, accepted, and no typo or example."""
    return (
        ACCEPTED in features
        and SUGGESTED in features
        and TYPO not in features
        and EXAMPLE not in features
        and OWN_WORDS not in features
    )


def _split_name(name: str) -> set[str]:
    return set(split_subtokens(name, lower=True))
