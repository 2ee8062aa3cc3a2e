"""Keywords, links and criteria. Oracles: comments of the kinds that ReName4J tells of, with what
the paper says of these; and differences made by ``difflib``, whose lines are counted."""

from __future__ import annotations

import difflib
import random
import sys

import pytest

from codeacumen.renames.reviews import comments
from codeacumen.renames.reviews.comments import (
    Comment,
    Where,
    commit_at,
    hunk_line,
    link,
    mentions,
    shows,
    speaks_of_names,
)

# Old name, new name, comment, and the criterion of ReName4J's section 3.2 that it is an example of.
# The names and what is said are like the paper's own examples; the words are ours.
COMMENTS = [
    ("testGetConnection", "assertGetConnection",
     "Rename 'testGetConnection' into 'assertGetConnection', please.", "suggested"),
    ("completeRestoration", "completeRestorationIfPossible",
     "nit: could this be renamed, say 'maybeCompleteTransition' or "
     "'completeConversionIfNecessary'? As it is, one thinks that something is converted here for "
     "no reason.", "inspired"),
    ("getRealmRef", "realmRef",
     "The other getter methods of this class follow the naming convention of builders, name() and "
     "not getName(), and this one that of beans. Either is fine with me, if a class sticks to one.",
     "convention"),
    ("register", "generateToken",
     "`register` is no good name any more, now that it keeps no state. To be consistent with what "
     "it does: **generateToken**?", "consistency"),
    ("register", "generateToken",
     "`register` is no good name any more, now that it keeps no state. To be consistent with what "
     "it does: **generateToken**?", "suggested"),
    ("createTopicPartition", "extractTopicPartition",
     'I do not like "createTopicPartition" as a name: nothing is created, it is taken out of the '
     'record. How about "extractTopicPartition"?', "suggested"),
    ("size", "approximateNumEntries",
     'It is no exact count, and no count of bytes either. How about "approximateNumEntries"?',
     "suggested"),
    ("transitToRestoreActive", "enforceRestoreActive",
     "Renamed it, because nothing need change its state here: we call it whenever we want to be in "
     "that state.", None),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "comment", "criterion"), COMMENTS)
def test_examples_meet_the_papers_criteria(
    old: str, new: str, comment: str, criterion: str | None
) -> None:
    found = comments.find_features([comment], old, new, accepted=True, approved=False, own=False)
    if criterion is not None:
        assert criterion in found
        assert "typo" not in found
    else:
        assert not {"suggested", "inspired", "convention", "consistency"} & set(found)
    # Without one of the four words, a comment is found by another of the same pull request.
    assert speaks_of_names(comment) == (old != "size")


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("Naming is hard", True),
        ("please RENAME", True),
        ("two renames, one renaming", True),
        ("these are inconsistent", True),
        ("an inconsistency", True),
        ("not very descriptive", True),
        ("is it well named?", True),
        ("`name`", True),
        ("the filename, the hostname, a username", False),
        ("see config.name", False),
        ("namespace, namely", False),
        ("> rename this\n\ndone", False),
        ("consistent", False),
        ("", False),
    ],
)
def test_words_that_speak_of_names(text: str, speaks: bool) -> None:
    assert speaks_of_names(text) == speaks


def test_the_line_of_a_hunk_is_the_one_of_the_file() -> None:
    """Random files; difflib makes the difference, and the text at the line is the oracle."""
    draw = random.Random(8)
    checked = 0
    for _ in range(200):
        before = [f"line {draw.randrange(30)} {i}" for i in range(draw.randrange(1, 40))]
        after = [one for one in before if draw.random() > 0.2]
        after += [f"new {i}" for i in range(draw.randrange(4))]
        made = list(difflib.unified_diff(before, after, lineterm="", n=draw.randrange(4)))[2:]
        starts = [place for place, one in enumerate(made) if one.startswith("@@")]
        for place, one in enumerate(made):
            if one.startswith("@@"):
                continue
            head = max(start for start in starts if start < place)
            line, removed = hunk_line("\n".join(made[head : place + 1]))
            assert removed == one.startswith("-")
            assert (before if removed else after)[line - 1] == one[1:]
            checked += 1
    assert checked > 1000


def test_a_remark_in_a_hunk_is_no_line() -> None:
    assert hunk_line("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c") == (2, False)
    assert hunk_line("@@ -1 +1 @@\n+c\n\\ No newline at end of file") == (1, False)


def test_a_comment_on_a_whole_file_or_over_two_sides_has_no_range() -> None:
    item = {
        "id": 1,
        "pull_request_url": "x/pulls/7",
        "path": "A.java",
        "original_line": 9,
        "original_start_line": 3,
        "side": "RIGHT",
        "diff_hunk": "@@ -1 +1 @@\n+x",
    }
    one = comments.read_line_comment(item)
    assert one is not None
    assert (one.pull, one.first, one.last, one.left) == (7, 3, 9, False)
    one = comments.read_line_comment({**item, "start_side": "LEFT"})
    assert one is not None
    assert (one.first, one.last) == (9, 9)
    one = comments.read_line_comment({**item, "subject_type": "file"})
    assert one is not None
    assert (one.last, one.hunk) == (0, "")


@pytest.mark.parametrize("hunk", ["", "@@", "@@ -1 +1 @@", "nonsense\n+a", "@@ -a,b +c @@\n+x"])
def test_a_hunk_that_is_none(hunk: str) -> None:
    assert hunk_line(hunk) == (0, False)


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [
        ("the size is wrong", "size", False),
        ("`size` is wrong", "size", True),
        ("size() is wrong", "size", True),
        ("rename it to close", "close", True),
        ("let us call it open", "open", True),
        ("close should be named shut", "close", True),
        ("we are close to that", "close", False),
        ("Collection#size", "size", True),
        ("getValue is wrong", "getValue", True),
        ("GetValue is wrong", "getValue", True),
        ("getValues is wrong", "getValue", False),
        ("$getValue", "getValue", False),
        ("anything", "", False),
        ("a+b", "a+b(", False),
    ],
)
def test_a_name_or_only_a_word(text: str, name: str, meant: bool) -> None:
    assert mentions(text, name) == meant


def at(line: int, **changes: object) -> list[Comment]:
    values: dict[str, object] = {
        "id": 1, "kind": "line", "pull": 1, "body": "a better name?", "url": "", "author": "bob",
        "time": "", "thread": 1, "commit": "c", "path": "A.java", "first": line, "last": line,
    }  # fmt: skip
    return [Comment(**{**values, **changes})]  # type: ignore[arg-type]


# JavaDoc from line 10, the body opens in 14, the last line is 20.
PLACE = Where("c", "A.java", "old", 10, 14, 20)


@pytest.mark.parametrize(
    ("thread", "how"),
    [
        (at(9), ""),
        (at(10), "declaration"),
        (at(14), "declaration"),
        (at(15), "body"),
        (at(20), "body"),
        (at(21), ""),
        (at(25, first=8), "declaration"),
        (at(25, first=16), "body"),
        (at(12, commit="another"), ""),
        (at(12, path="B.java"), ""),
        (at(12, left=True), ""),
        (at(12, left=True, hunk="@@ -1 +1 @@\n-  old(x)"), "shown"),
        (at(30, hunk="@@ -1 +1 @@\n+  a.old (x)"), "shown"),
        (at(30, hunk="@@ -1 +1 @@\n+  old(x)\n+  other"), ""),
        (at(30, first=29, hunk="@@ -1 +1 @@\n+  old(x)\n+  other"), "shown"),
        (at(30, body="why not `newer`?"), "named"),
        (at(0, first=0, hunk="@@ -1,9 +12,9 @@\n+  other"), "declaration"),
        (at(0, first=0, kind="discussion", path="", body="`old` is a bad name"), "named"),
        (at(0, first=0, kind="discussion", path="", body="a bad name"), ""),
    ],
)
def test_how_a_comment_is_linked_to_a_method(thread: list[Comment], how: str) -> None:
    assert link(thread, PLACE, "newer") == how


def test_without_httpx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from codeacumen.api import CodeacumenError
    from codeacumen.renames.reviews.client import GitHub

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(CodeacumenError, match="httpx") as error:
        GitHub()
    assert "codeacumen[remote]" in error.value.hint


def test_a_call_of_another_method_shows_nothing() -> None:
    (comment,) = at(3, hunk="@@ -1 +1 @@\n+  older(x); bold(y)")
    assert not shows(comment, "old")


def test_which_commit_a_discussion_was_about() -> None:
    chain = [
        {"sha": name, "commit": {"committer": {"date": f"2022-01-0{day}T00:00:00Z"}}}
        for name, day in (("a", 2), ("b", 4), ("c", 6))
    ]
    assert commit_at(chain, "2022-01-05T00:00:00Z") == "b"
    assert commit_at(chain, "2022-01-01T00:00:00Z") == "a"
    assert commit_at(chain, "2023-01-01T00:00:00Z") == "c"
    assert commit_at([{}, None, 3], "2023") == ""


@pytest.mark.parametrize(
    ("states", "agreed"),
    [
        ([("a", "APPROVED")], True),
        ([("a", "CHANGES_REQUESTED"), ("a", "APPROVED")], True),
        ([("a", "APPROVED"), ("b", "CHANGES_REQUESTED")], False),
        ([("a", "APPROVED"), ("a", "COMMENTED")], True),
        ([("a", "APPROVED"), ("a", "DISMISSED")], False),
        ([], False),
    ],
)
def test_whether_reviewers_agreed(states: list[tuple[str, str]], agreed: bool) -> None:
    reviews = [{"user": {"login": name}, "state": state} for name, state in states]
    assert comments.approved(reviews) == agreed


@pytest.mark.parametrize("item", [None, 3, "x", [], {}, {"id": True}, {"id": -1, "user": []}])
def test_answers_that_are_no_comments(item: object) -> None:
    assert comments.read_pull(item) is None
    assert comments.read_line_comment(item) is None
    assert comments.read_discussion(item) is None
    assert comments.read_verdict(item, 1) is None
