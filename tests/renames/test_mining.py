"""Interrupted, continued, in parallel, from odd repositories: always the same renames."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import codeacumen
from codeacumen.api import CodeacumenError
from codeacumen.engines import engine
from codeacumen.renames import history as reading
from codeacumen.renames import mining
from codeacumen.renames.mining import Settings, mine
from codeacumen.renames.records import read_renames, read_stable
from renames.events import A, B, java, method
from renames.events_later import EVENTS
from renames.playing import Here, History, Mined, placed, play
from renames.repositories import Maker
from support import Codeacumen, is_thorough


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def mined_into(out: Path, *repositories: Path, workers: int = 0, **settings: Any) -> dict[str, Any]:
    """Without workers, in this process: starting one takes longer than most of this."""
    found = engine("local", workers) if workers else Here()
    return mine(repositories, out, Settings(**settings), found, lambda *_: None)


def test_the_number_of_workers_changes_nothing(
    history: History, mined: Mined, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mining, "_CHUNK", 7)
    mined_into(tmp_path, history.folder, workers=2)
    assert contents(tmp_path) == contents(mined.folder)


@pytest.mark.thorough
def test_killed_at_any_moment_it_ends_with_the_same_bytes(
    history: History, mined: Mined, tmp_path: Path
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from codeacumen.engines import engine\n"
        "from codeacumen.renames import mining\n"
        "mining._CHUNK = 5\n"
        "repository, out = map(Path, sys.argv[1:])\n"
        "mining.mine([repository], out, mining.Settings(), engine('local', 2), lambda *_: None)\n"
    )
    out = tmp_path / "out"
    log = out / "commits" / "events.jsonl"
    lot = random.Random(8)
    killed = 0
    kills = 6 if is_thorough() else 3
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-c", code, str(history.folder), str(out)])
        size = log.stat().st_size if log.exists() else 0
        # Once it is at work, at a random moment of it.
        began = time.monotonic()
        while process.poll() is None and time.monotonic() - began < 60:
            if log.exists() and log.stat().st_size > size:
                break
            time.sleep(0.002)
        time.sleep(lot.random() * 0.15)
        killed += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert killed >= kills // 2
    mined_into(out, history.folder, workers=2)
    assert contents(out) == contents(mined.folder)


def test_a_torn_or_damaged_line_is_read_again(
    history: History, mined: Mined, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(mined.folder, out)
    log = out / "commits" / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    lines[40] = b"{torn\n"
    log.write_bytes(b"".join(lines[:100]) + lines[100][:30])
    (out / "renames.jsonl").unlink()
    told = mined_into(out, history.folder)
    assert told["read"]["events"] == len(lines) - 99
    assert contents(out) == contents(mined.folder)


def test_after_new_commits_only_these_are_read(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "growing.git")
    chosen = [
        (place, event)
        for place, event in enumerate(EVENTS)
        if event.name in ("plain", "taken back", "renamed again", "a branch renames", "typo")
    ]
    maker.commit({k: v for place, event in chosen for k, v in placed(place, event.start).items()})
    for place, event in chosen[:2]:
        play(maker, place, event)
    out = tmp_path / "out"
    first = mined_into(out, maker.folder)
    steps = sum(len(play(maker, place, event)) for place, event in chosen[2:])
    second = mined_into(out, maker.folder)
    assert second["read"]["growing"] == steps
    assert (
        first["read"]["growing"] == sum(second["projects"]["growing"]["commits"].values()) - steps
    )
    assert mined_into(out, maker.folder)["read"]["growing"] == 0
    mined_into(tmp_path / "anew", maker.folder)
    assert contents(out) == contents(tmp_path / "anew")


def test_stability_is_told_by_the_last_revision_looked_at(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "back.git")
    maker.commit({"A.java": A})
    renamed = maker.commit({"A.java": B})
    maker.commit({"A.java": A})
    mined_into(tmp_path / "one", maker.folder, branch=renamed)
    (one,) = read_renames(tmp_path / "one" / "renames.jsonl")
    assert (one.name_stable, one.body_stable, one.tags) == (True, True, ("first-subtoken",))
    mined_into(tmp_path / "since", maker.folder, since=renamed)
    (one,) = read_renames(tmp_path / "since" / "renames.jsonl")
    assert (one.old_name, one.new_name) == ("total", "compute")


def test_a_shallow_clone_is_read_as_far_as_it_goes(
    history: History, mined: Mined, tmp_path: Path
) -> None:
    place = tmp_path / "events"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "60", f"file://{history.folder}", str(place)], check=True
    )
    told = mined_into(tmp_path / "out", place)
    commits = told["projects"]["events"]["commits"]
    assert commits["shallow"] >= 1
    there = subprocess.run(
        ["git", "-C", str(place), "log", "--format=%H"], check=True, capture_output=True, text=True
    ).stdout.split()
    assert sum(commits.values()) == len(there)
    whole = {one.id: one for one in read_renames(mined.folder / "renames.jsonl")}
    found = list(read_renames(tmp_path / "out" / "renames.jsonl"))
    assert found
    ends = subprocess.run(
        ["git", "-C", str(place), "log", "--format=%H", "--max-parents=0"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    # A commit whose parent is not there tells nothing; all others tell what they told.
    assert {one.id for one in found} == {
        id_ for id_, one in whole.items() if one.commit in set(there) - set(ends)
    }


def test_repositories_that_have_nothing(tmp_path: Path) -> None:
    empty = Maker(tmp_path / "empty.git")
    other = Maker(tmp_path / "other.git")
    other.commit({"README": "text"})
    told = mined_into(tmp_path / "out", empty.folder, other.folder)
    assert [one["renames"] for one in told["projects"].values()] == [0, 0]
    assert list(read_renames(tmp_path / "out" / "renames.jsonl")) == []
    assert list(read_stable(tmp_path / "out" / "stable.jsonl")) == []


@pytest.mark.parametrize("place", ["nowhere", "https://example.org/a.git", "git@example.org:a/b"])
def test_what_is_no_repository_is_told(place: str, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match=r"there is no|not on this disk"):
        mined_into(tmp_path / "out", Path(place))


def test_a_folder_that_is_no_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(CodeacumenError, match="no git repository"):
        mined_into(tmp_path / "out", tmp_path / "folder")
    maker = Maker(tmp_path / "a.git")
    maker.commit({"A.java": A})
    with pytest.raises(CodeacumenError, match="no branch, tag or commit v9"):
        mined_into(tmp_path / "out", maker.folder, branch="v9")


def test_two_repositories_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        Maker(tmp_path / folder / "a.git").commit({"A.java": A})
    with pytest.raises(CodeacumenError, match="two repositories are called a"):
        mined_into(tmp_path / "out", tmp_path / "one" / "a.git", tmp_path / "two" / "a.git")


def test_a_history_with_a_hole_is_told(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "hole.git")
    first = maker.commit({"A.java": A})
    maker.commit({"A.java": B})
    (maker.folder / "objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(CodeacumenError, match="a commit of its history is missing"):
        mined_into(tmp_path / "out", maker.folder)


def test_a_missing_object_costs_its_file_only(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "hole.git")
    maker.commit({"A.java": A, "B.java": java("B", method("old"))})
    hole = maker.repository.create_blob(b"class B { int lost; }")
    maker.commit({"A.java": B, "B.java": b"class B { int lost; }"})
    name = str(hole)
    (maker.folder / "objects" / name[:2] / name[2:]).unlink()
    told = mined_into(tmp_path / "out", maker.folder)["projects"]["hole"]
    assert told["renames"] == 1
    assert told["methods"]["files: unreadable"] == 1


def test_a_commit_that_takes_too_long_is_left_out_and_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = Maker(tmp_path / "slow.git")
    maker.commit({"A.java": A})
    slow = maker.commit({"A.java": B})
    repository = maker.repository
    clock = iter(range(0, 10_000, 7))
    monkeypatch.setattr(reading.time, "monotonic", lambda: float(next(clock)))
    found = reading.read_commit(repository, slow, reading.Versions(repository), 5.0)
    assert (found["kind"], found["why"]) == ("left out", "it took more than 5 seconds")
    monkeypatch.undo()
    # What was left out is listed, and read again when it may take longer.
    told = mined_into(tmp_path / "out", maker.folder, limit=0.000001)
    assert told["projects"]["slow"]["left out"] == [[slow, "it took more than 1e-06 seconds"]]
    assert mined_into(tmp_path / "out", maker.folder, limit=0.000001)["read"]["slow"] == 0
    told = mined_into(tmp_path / "out", maker.folder, limit=10.0)
    assert told["read"]["slow"] == 1
    assert told["projects"]["slow"]["renames"] == 1


class Lossy(Here):
    """It loses every item with more than one commit, and one commit for good."""

    def __init__(self, deadly: str) -> None:
        self.deadly = deadly

    def run(self, work: Any, items: Any, limit: float) -> Any:
        from codeacumen.engines import WorkerLost

        for place, item in enumerate(items):
            lost = work is mining.read_commits and (len(item[1]) > 1 or item[1] == [self.deadly])
            yield place, WorkerLost("SIGSEGV") if lost else work(item)


def test_a_lost_process_costs_the_commit_it_was_lost_with(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "deadly.git")
    maker.commit({"A.java": A})
    maker.commit({"A.java": B})
    deadly = maker.commit({"A.java": java("A", method("sum"))})
    told = mine([maker.folder], tmp_path / "out", Settings(), Lossy(deadly), lambda *_: None)
    assert told["projects"]["deadly"]["renames"] == 1
    assert [one[0] for one in told["projects"]["deadly"]["left out"]] == [deadly]


def test_the_verb(
    history: History, mined: Mined, tmp_path: Path, codeacumen_here: Codeacumen
) -> None:
    done = codeacumen_here(
        "renames", "mine", history.folder, "--out", tmp_path / "out", "--workers", "1"
    )
    assert done.returncode == 0
    assert "renames" in done.stdout
    assert contents(tmp_path / "out") == contents(mined.folder)
    assert f"next:    codeacumen dataset build renames {tmp_path / 'out'}" in done.stderr
    wrong = codeacumen_here("renames", "mine", tmp_path, "--out", tmp_path / "out")
    assert wrong.returncode == 2


def test_mine_renames_from_python(history: History, mined: Mined, tmp_path: Path) -> None:
    out = tmp_path / "out"
    description = codeacumen.mine_renames(history.folder, out, workers=1, progress=False)
    assert contents(out) == contents(mined.folder)
    project = description["projects"]["events"]
    assert project["renames"] == len((out / "renames.jsonl").read_bytes().splitlines())
    assert description["read"] == {"events": sum(project["commits"].values())}
    again = codeacumen.mine_renames([str(history.folder)], str(out), workers=1, progress=False)
    assert again["read"] == {"events": 0}
