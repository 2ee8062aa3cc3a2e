"""Tests of the keywords, links and criteria of review comments.

The oracles are comments of the kinds that ReName4J describes, with the paper's classification, and
diffs made by ``difflib``, whose lines are counted.
"""

from __future__ import annotations

import difflib
import random
import sys

import pytest

from codeacumen.renames.reviews import comments
from codeacumen.renames.reviews.comments import (
    Comment,
    MethodPosition,
    find_commit_at,
    last_hunk_line,
    link_thread,
    mentions_name,
    shows_name,
    speaks_of_names,
)

# Old name, new name, comment, and the criterion of ReName4J's section 3.2 that it illustrates. The
# names are those of the paper's examples; the comments paraphrase them.
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
    features = comments.find_features([comment], old, new, accepted=True, approved=False, own=False)
    if criterion is not None:
        assert criterion in features
        assert "typo" not in features
    else:
        assert not {"suggested", "inspired", "convention", "consistency"} & set(features)
    # A comment without a keyword is found through another comment of the same pull request.
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
def test_comments_that_speak_of_names(text: str, speaks: bool) -> None:
    assert speaks_of_names(text) == speaks


def test_the_line_of_a_hunk_is_the_line_of_the_file() -> None:
    """difflib computes the diff of random files; the oracle is the text at the returned line."""
    random_source = random.Random(8)
    checked = 0
    for _ in range(200):
        before = [
            f"line {random_source.randrange(30)} {number}"
            for number in range(random_source.randrange(1, 40))
        ]
        after = [line for line in before if random_source.random() > 0.2]
        after += [f"new {number}" for number in range(random_source.randrange(4))]
        diff_lines = list(
            difflib.unified_diff(before, after, lineterm="", n=random_source.randrange(4))
        )[2:]
        starts = [index for index, diff_line in enumerate(diff_lines) if diff_line.startswith("@@")]
        for index, diff_line in enumerate(diff_lines):
            if diff_line.startswith("@@"):
                continue
            hunk_start = max(start for start in starts if start < index)
            line_number, removed = last_hunk_line("\n".join(diff_lines[hunk_start : index + 1]))
            assert removed == diff_line.startswith("-")
            assert (before if removed else after)[line_number - 1] == diff_line[1:]
            checked += 1
    assert checked > 1000


def test_a_remark_in_a_hunk_is_not_a_line() -> None:
    assert last_hunk_line("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c") == (2, False)
    assert last_hunk_line("@@ -1 +1 @@\n+c\n\\ No newline at end of file") == (1, False)


def test_comments_on_a_file_or_on_two_sides_have_no_range() -> None:
    item = {
        "id": 1,
        "pull_request_url": "x/pulls/7",
        "path": "A.java",
        "original_line": 9,
        "original_start_line": 3,
        "side": "RIGHT",
        "diff_hunk": "@@ -1 +1 @@\n+x",
    }
    comment = comments.read_line_comment(item)
    assert comment is not None
    assert (comment.pull, comment.first_line, comment.last_line, comment.is_on_removed_line) == (
        7,
        3,
        9,
        False,
    )
    comment = comments.read_line_comment({**item, "start_side": "LEFT"})
    assert comment is not None
    assert (comment.first_line, comment.last_line) == (9, 9)
    comment = comments.read_line_comment({**item, "subject_type": "file"})
    assert comment is not None
    assert (comment.last_line, comment.hunk) == (0, "")


@pytest.mark.parametrize("hunk", ["", "@@", "@@ -1 +1 @@", "nonsense\n+a", "@@ -a,b +c @@\n+x"])
def test_an_invalid_hunk_has_no_line(hunk: str) -> None:
    assert last_hunk_line(hunk) == (0, False)


@pytest.mark.parametrize(
    ("text", "name", "is_mentioned"),
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
def test_a_mention_of_a_name_is_not_just_a_word(text: str, name: str, is_mentioned: bool) -> None:
    assert mentions_name(text, name) == is_mentioned


def make_thread(line: int, **changes: object) -> list[Comment]:
    values: dict[str, object] = {
        "id": 1, "kind": "line", "pull": 1, "body": "a better name?", "url": "", "author": "bob",
        "time": "", "thread": 1, "commit": "c", "path": "A.java",
        "first_line": line, "last_line": line,
    }  # fmt: skip
    return [Comment(**{**values, **changes})]  # type: ignore[arg-type]


# The JavaDoc starts at line 10, the body at line 14, and the method ends at line 20.
METHOD_LINES = MethodPosition("c", "A.java", "old", 10, 14, 20)


@pytest.mark.parametrize(
    ("thread", "how"),
    [
        (make_thread(9), ""),
        (make_thread(10), "declaration"),
        (make_thread(14), "declaration"),
        (make_thread(15), "body"),
        (make_thread(20), "body"),
        (make_thread(21), ""),
        (make_thread(25, first_line=8), "declaration"),
        (make_thread(25, first_line=16), "body"),
        (make_thread(12, commit="another"), ""),
        (make_thread(12, path="B.java"), ""),
        (make_thread(12, is_on_removed_line=True), ""),
        (make_thread(12, is_on_removed_line=True, hunk="@@ -1 +1 @@\n-  old(x)"), "shown"),
        (make_thread(30, hunk="@@ -1 +1 @@\n+  a.old (x)"), "shown"),
        (make_thread(30, hunk="@@ -1 +1 @@\n+  old(x)\n+  other"), ""),
        (make_thread(30, first_line=29, hunk="@@ -1 +1 @@\n+  old(x)\n+  other"), "shown"),
        (make_thread(30, body="why not `newer`?"), "named"),
        (make_thread(0, first_line=0, hunk="@@ -1,9 +12,9 @@\n+  other"), "declaration"),
        (
            make_thread(0, first_line=0, kind="discussion", path="", body="`old` is a bad name"),
            "named",
        ),
        (make_thread(0, first_line=0, kind="discussion", path="", body="a bad name"), ""),
    ],
)
def test_link_between_a_comment_and_a_method(thread: list[Comment], how: str) -> None:
    assert link_thread(thread, METHOD_LINES, "newer") == how


def test_missing_httpx_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    from codeacumen.api import CodeacumenError
    from codeacumen.renames.reviews.client import GitHub

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(CodeacumenError, match="httpx") as error:
        GitHub()
    assert "codeacumen[remote]" in error.value.hint


def test_a_call_of_another_method_is_no_link() -> None:
    (comment,) = make_thread(3, hunk="@@ -1 +1 @@\n+  older(x); bold(y)")
    assert not shows_name(comment, "old")


def test_commit_at_the_time_of_a_comment() -> None:
    chain = [
        {"sha": name, "commit": {"committer": {"date": f"2022-01-0{day}T00:00:00Z"}}}
        for name, day in (("a", 2), ("b", 4), ("c", 6))
    ]
    assert find_commit_at(chain, "2022-01-05T00:00:00Z") == "b"
    assert find_commit_at(chain, "2022-01-01T00:00:00Z") == "a"
    assert find_commit_at(chain, "2023-01-01T00:00:00Z") == "c"
    assert find_commit_at([{}, None, 3], "2023") == ""


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
def test_approval_by_reviewers(states: list[tuple[str, str]], agreed: bool) -> None:
    reviews = [{"user": {"login": name}, "state": state} for name, state in states]
    assert comments.is_pull_approved(reviews) == agreed


@pytest.mark.parametrize("item", [None, 3, "x", [], {}, {"id": True}, {"id": -1, "user": []}])
def test_invalid_items_are_not_comments(item: object) -> None:
    assert comments.read_pull(item) is None
    assert comments.read_line_comment(item) is None
    assert comments.read_discussion(item) is None
    assert comments.read_verdict(item, 1) is None
