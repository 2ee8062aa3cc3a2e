"""Every kind of event is what it is by hand; files move where the git program says so."""

from __future__ import annotations

import subprocess
from collections import Counter

import pytest

from codeacumen.renames.records import Rename, read_renames, read_stable
from renames.events import Event
from renames.events_later import EVENTS
from renames.playing import History, Mined

NO_RENAME = ("changed", "signature", "moved", "rewritten", "gone", "delegates")


@pytest.fixture(scope="session")
def renames(mined: Mined) -> dict[str, list[Rename]]:
    found: dict[str, list[Rename]] = {}
    for one in read_renames(mined.folder / "renames.jsonl"):
        found.setdefault(one.commit, []).append(one)
    return found


def test_there_are_enough_kinds_of_events() -> None:
    assert len({event.name for event in EVENTS}) == len(EVENTS) >= 60


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_each_event_is_told_as_what_it_is(
    event: Event, history: History, renames: dict[str, list[Rename]]
) -> None:
    found = [one for commit in history.commits[event.name] for one in renames.get(commit, [])]
    told = Counter(
        (one.old_name, one.new_name, frozenset(one.tags), one.name_stable, one.body_stable)
        for one in found
    )
    wanted = Counter(
        (one.old, one.new, frozenset(one.tags.split()), one.name_stable, one.body_stable)
        for one in event.found
    )
    assert told == wanted


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_what_is_no_rename_is_counted(event: Event, history: History, mined: Mined) -> None:
    counts: Counter[str] = Counter()
    for commit in history.commits[event.name]:
        counts.update(mined.log[commit]["counts"])
    wanted = event.counts
    for name in {
        *NO_RENAME,
        *(one for one in wanted if one != "new"),
        *(one for one in counts if one.startswith("files: ")),
    }:
        assert counts[name] == wanted.get(name, 0), (name, counts)
    assert counts["new"] >= wanted.get("new", 0)


@pytest.mark.parametrize(
    "event", [one for one in EVENTS if one.stable is not None], ids=lambda event: event.name
)
def test_methods_beside_a_rename_are_stable_if_nothing_happens_to_them(
    event: Event, mined: Mined
) -> None:
    place = f"e{EVENTS.index(event)}/"
    names = [
        one.name for one in read_stable(mined.folder / "stable.jsonl") if one.path.startswith(place)
    ]
    assert (names == ["keep"]) is event.stable, names


def test_files_move_where_git_says_so(history: History, mined: Mined) -> None:
    """The git program's own detection of renames, at the same half of the lines, is the oracle."""
    said = subprocess.run(
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
    wanted: set[tuple[str, str, str]] = set()
    commit = ""
    for line in said.splitlines():
        if line.startswith("commit "):
            commit = line.split()[1]
        elif line:
            _, old, new = line.split("\t")
            wanted.add((commit, old, new))
    found = {
        (commit, old, new)
        for commit, record in mined.log.items()
        if record["kind"] == "ordinary"
        for old, new in record.get("paths", ())
    }
    assert found == wanted
    assert wanted


def test_code_is_that_of_the_revisions(history: History, renames: dict[str, list[Rename]]) -> None:
    """What `git show` prints of the file holds the method, before and after."""
    ones = [one for found in renames.values() for one in found if "e0/" in one.path]
    for one in ones:
        for commit, path, code in (
            (one.commit, one.path, one.code),
            (one.parent, one.path_before, one.code_before),
        ):
            shown = subprocess.run(
                ["git", "-C", str(history.folder), "show", f"{commit}:{path}"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            assert code in shown
        assert one.old_name in one.code_before
        assert one.new_name in one.code
    assert ones
