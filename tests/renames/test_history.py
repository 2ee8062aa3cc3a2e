"""Tests of mining against events written by hand, and of file moves against the git program."""

from __future__ import annotations

import subprocess
from collections import Counter

import pytest

from codeacumen.renames.records import Rename, read_renames, read_stable
from renames.events import Event
from renames.events_special import EVENTS
from renames.play_events import History, Mined

OTHER_CHANGES = ("changed", "signature", "moved", "rewritten", "removed", "delegates")


@pytest.fixture(scope="session")
def renames(mined: Mined) -> dict[str, list[Rename]]:
    renames_by_commit: dict[str, list[Rename]] = {}
    for rename in read_renames(mined.folder / "renames.jsonl"):
        renames_by_commit.setdefault(rename.commit, []).append(rename)
    return renames_by_commit


def test_there_are_enough_kinds_of_events() -> None:
    assert len({event.name for event in EVENTS}) == len(EVENTS) >= 60


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_each_event_yields_its_renames(
    event: Event, history: History, renames: dict[str, list[Rename]]
) -> None:
    event_renames = [
        rename for commit in history.commits[event.name] for rename in renames.get(commit, [])
    ]
    actual = Counter(
        (
            rename.old_name,
            rename.new_name,
            frozenset(rename.tags),
            rename.name_stable,
            rename.body_stable,
        )
        for rename in event_renames
    )
    expected = Counter(
        (
            expected_rename.old,
            expected_rename.new,
            frozenset(expected_rename.tags.split()),
            expected_rename.name_stable,
            expected_rename.body_stable,
        )
        for expected_rename in event.renames
    )
    assert actual == expected


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_other_changes_are_counted(event: Event, history: History, mined: Mined) -> None:
    counts: Counter[str] = Counter()
    for commit in history.commits[event.name]:
        counts.update(mined.log[commit]["counts"])
    expected_counts = event.counts
    for name in {
        *OTHER_CHANGES,
        *(key for key in expected_counts if key != "new"),
        *(key for key in counts if key.startswith("files: ")),
    }:
        assert counts[name] == expected_counts.get(name, 0), (name, counts)
    assert counts["new"] >= expected_counts.get("new", 0)


@pytest.mark.parametrize(
    "event", [event for event in EVENTS if event.stable is not None], ids=lambda event: event.name
)
def test_untouched_methods_beside_a_rename_are_stable(event: Event, mined: Mined) -> None:
    folder = f"e{EVENTS.index(event)}/"
    names = [
        method.name
        for method in read_stable(mined.folder / "stable.jsonl")
        if method.path.startswith(folder)
    ]
    assert (names == ["keep"]) is event.stable, names


def test_file_moves_agree_with_git(history: History, mined: Mined) -> None:
    """The oracle is git's own detection of renames, at the same threshold of 50 %."""
    git_output = subprocess.run(
        [
            "git",
            "-C",
            str(history.folder),
            "log",
            "-M50%",
            "--diff-filter=R",
            "--name-status",
            "--no-merges",
            "--format=commit %H",
            "main",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected: set[tuple[str, str, str]] = set()
    commit = ""
    for line in git_output.splitlines():
        if line.startswith("commit "):
            commit = line.split()[1]
        elif line:
            _, old, new = line.split("\t")
            expected.add((commit, old, new))
    actual = {
        (commit, old, new)
        for commit, record in mined.log.items()
        if record["kind"] == "ordinary"
        for old, new in record.get("paths", ())
    }
    assert actual == expected
    assert expected


def test_code_is_that_of_the_revisions(history: History, renames: dict[str, list[Rename]]) -> None:
    """The file that `git show` prints contains the method, before and after the rename."""
    first_event_renames = [
        rename
        for commit_renames in renames.values()
        for rename in commit_renames
        if "e0/" in rename.path
    ]
    for rename in first_event_renames:
        for commit, path, code in (
            (rename.commit, rename.path, rename.code),
            (rename.parent, rename.path_before, rename.code_before),
        ):
            file_text = subprocess.run(
                ["git", "-C", str(history.folder), "show", f"{commit}:{path}"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            assert code in file_text
        assert rename.old_name in rename.code_before
        assert rename.new_name in rename.code
    assert first_event_renames
