"""Tests that interrupted, continued and parallel mining, and unusual repositories, yield the same
renames."""

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
from codeacumen.engines import create_engine
from codeacumen.renames import history as reading
from codeacumen.renames import mining
from codeacumen.renames.mining import RenameMiningSettings, mine_repositories
from codeacumen.renames.records import read_renames, read_stable
from renames.events import ORIGINAL_FILE, RENAMED_FILE, java_file, method_source
from renames.events_special import EVENTS
from renames.play_events import History, InProcessEngine, Mined, play_event, prefix_paths
from renames.repositories import RepositoryBuilder
from support import Codeacumen, is_thorough


def read_contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def mine_into(out: Path, *repositories: Path, workers: int = 0, **settings: Any) -> dict[str, Any]:
    """Mine into a folder, by default in this process: starting a worker would dominate the time."""
    worker_engine = create_engine("local", workers) if workers else InProcessEngine()
    return mine_repositories(
        repositories, out, RenameMiningSettings(**settings), worker_engine, lambda *_: None
    )


def test_the_number_of_workers_does_not_change_the_result(
    history: History, mined: Mined, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mining, "_CHUNK", 7)
    mine_into(tmp_path, history.folder, workers=2)
    assert read_contents(tmp_path) == read_contents(mined.folder)


@pytest.mark.thorough
def test_mining_killed_at_any_moment_resumes_to_the_same_bytes(
    history: History, mined: Mined, tmp_path: Path
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from codeacumen.engines import create_engine\n"
        "from codeacumen.renames import mining\n"
        "mining._CHUNK = 5\n"
        "repository, out = map(Path, sys.argv[1:])\n"
        "mining.mine_repositories([repository], out, mining.RenameMiningSettings(), "
        "create_engine('local', 2), lambda *_: None)\n"
    )
    out = tmp_path / "out"
    log = out / "commits" / "events.jsonl"
    random_source = random.Random(8)
    killed_count = 0
    kills = 6 if is_thorough() else 3
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-c", code, str(history.folder), str(out)])
        size = log.stat().st_size if log.exists() else 0
        # Kill the process at a random moment after it begins to write.
        start_time = time.monotonic()
        while process.poll() is None and time.monotonic() - start_time < 60:
            if log.exists() and log.stat().st_size > size:
                break
            time.sleep(0.002)
        time.sleep(random_source.random() * 0.15)
        killed_count += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert killed_count >= kills // 2
    mine_into(out, history.folder, workers=2)
    assert read_contents(out) == read_contents(mined.folder)


def test_damaged_lines_of_the_log_are_mined_again(
    history: History, mined: Mined, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(mined.folder, out)
    log = out / "commits" / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    lines[40] = b"{torn\n"
    log.write_bytes(b"".join(lines[:100]) + lines[100][:30])
    (out / "renames.jsonl").unlink()
    summary = mine_into(out, history.folder)
    assert summary["read"]["events"] == len(lines) - 99
    assert read_contents(out) == read_contents(mined.folder)


def test_only_new_commits_are_read(tmp_path: Path) -> None:
    maker = RepositoryBuilder(tmp_path / "growing.git")
    chosen_events = [
        (event_number, event)
        for event_number, event in enumerate(EVENTS)
        if event.name in ("plain", "taken back", "renamed again", "a branch renames", "typo")
    ]
    maker.commit(
        {
            path: content
            for event_number, event in chosen_events
            for path, content in prefix_paths(event_number, event.initial_files).items()
        }
    )
    for event_number, event in chosen_events[:2]:
        play_event(maker, event_number, event)
    out = tmp_path / "out"
    first = mine_into(out, maker.folder)
    steps = sum(
        len(play_event(maker, event_number, event)) for event_number, event in chosen_events[2:]
    )
    second = mine_into(out, maker.folder)
    assert second["read"]["growing"] == steps
    assert (
        first["read"]["growing"] == sum(second["projects"]["growing"]["commits"].values()) - steps
    )
    assert mine_into(out, maker.folder)["read"]["growing"] == 0
    mine_into(tmp_path / "anew", maker.folder)
    assert read_contents(out) == read_contents(tmp_path / "anew")


def test_stability_depends_on_the_last_revision_read(tmp_path: Path) -> None:
    maker = RepositoryBuilder(tmp_path / "back.git")
    maker.commit({"A.java": ORIGINAL_FILE})
    renamed = maker.commit({"A.java": RENAMED_FILE})
    maker.commit({"A.java": ORIGINAL_FILE})
    mine_into(tmp_path / "one", maker.folder, branch=renamed)
    (rename,) = read_renames(tmp_path / "one" / "renames.jsonl")
    assert (rename.name_stable, rename.body_stable, rename.tags) == (
        True,
        True,
        ("first-subtoken",),
    )
    mine_into(tmp_path / "since", maker.folder, since=renamed)
    (rename,) = read_renames(tmp_path / "since" / "renames.jsonl")
    assert (rename.old_name, rename.new_name) == ("total", "compute")


def test_a_shallow_clone_yields_the_renames_of_its_commits(
    history: History, mined: Mined, tmp_path: Path
) -> None:
    clone = tmp_path / "events"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "60", f"file://{history.folder}", str(clone)], check=True
    )
    summary = mine_into(tmp_path / "out", clone)
    commits = summary["projects"]["events"]["commits"]
    assert commits["shallow"] >= 1
    cloned_commits = subprocess.run(
        ["git", "-C", str(clone), "log", "--format=%H"], check=True, capture_output=True, text=True
    ).stdout.split()
    assert sum(commits.values()) == len(cloned_commits)
    rename_of_id = {rename.id: rename for rename in read_renames(mined.folder / "renames.jsonl")}
    mined_renames = list(read_renames(tmp_path / "out" / "renames.jsonl"))
    assert mined_renames
    root_commits = subprocess.run(
        ["git", "-C", str(clone), "log", "--format=%H", "--max-parents=0"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    # A commit without its parent yields no renames; the others yield the same as in the full clone.
    assert {rename.id for rename in mined_renames} == {
        id_
        for id_, rename in rename_of_id.items()
        if rename.commit in set(cloned_commits) - set(root_commits)
    }


def test_repositories_without_java_yield_nothing(tmp_path: Path) -> None:
    empty = RepositoryBuilder(tmp_path / "empty.git")
    other = RepositoryBuilder(tmp_path / "other.git")
    other.commit({"README": "text"})
    summary = mine_into(tmp_path / "out", empty.folder, other.folder)
    assert [project["renames"] for project in summary["projects"].values()] == [0, 0]
    assert list(read_renames(tmp_path / "out" / "renames.jsonl")) == []
    assert list(read_stable(tmp_path / "out" / "stable.jsonl")) == []


@pytest.mark.parametrize("place", ["nowhere", "https://example.org/a.git", "git@example.org:a/b"])
def test_missing_and_remote_repositories_are_rejected(place: str, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match=r"there is no|not on this disk"):
        mine_into(tmp_path / "out", Path(place))


def test_a_folder_without_repository_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(CodeacumenError, match="no git repository"):
        mine_into(tmp_path / "out", tmp_path / "folder")
    maker = RepositoryBuilder(tmp_path / "a.git")
    maker.commit({"A.java": ORIGINAL_FILE})
    with pytest.raises(CodeacumenError, match="no branch, tag or commit v9"):
        mine_into(tmp_path / "out", maker.folder, branch="v9")


def test_two_repositories_of_one_name_are_rejected(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        RepositoryBuilder(tmp_path / folder / "a.git").commit({"A.java": ORIGINAL_FILE})
    with pytest.raises(CodeacumenError, match="two repositories are called a"):
        mine_into(tmp_path / "out", tmp_path / "one" / "a.git", tmp_path / "two" / "a.git")


def test_a_history_with_a_missing_commit_is_rejected(tmp_path: Path) -> None:
    maker = RepositoryBuilder(tmp_path / "hole.git")
    first = maker.commit({"A.java": ORIGINAL_FILE})
    maker.commit({"A.java": RENAMED_FILE})
    (maker.folder / "objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(CodeacumenError, match="a commit of its history is missing"):
        mine_into(tmp_path / "out", maker.folder)


def test_a_missing_object_loses_only_its_file(tmp_path: Path) -> None:
    maker = RepositoryBuilder(tmp_path / "hole.git")
    maker.commit({"A.java": ORIGINAL_FILE, "B.java": java_file("B", method_source("old"))})
    blob = maker.repository.create_blob(b"class B { int lost; }")
    maker.commit({"A.java": RENAMED_FILE, "B.java": b"class B { int lost; }"})
    blob_hash = str(blob)
    (maker.folder / "objects" / blob_hash[:2] / blob_hash[2:]).unlink()
    project_summary = mine_into(tmp_path / "out", maker.folder)["projects"]["hole"]
    assert project_summary["renames"] == 1
    assert project_summary["methods"]["files: unreadable"] == 1


def test_a_commit_that_takes_too_long_is_left_out_and_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = RepositoryBuilder(tmp_path / "slow.git")
    maker.commit({"A.java": ORIGINAL_FILE})
    slow = maker.commit({"A.java": RENAMED_FILE})
    repository = maker.repository
    clock = iter(range(0, 10_000, 7))
    monkeypatch.setattr(reading.time, "monotonic", lambda: float(next(clock)))
    record = reading.read_commit(repository, slow, reading.VersionCache(repository), 5.0)
    assert (record["kind"], record["reason"]) == ("skipped", "it took more than 5 seconds")
    monkeypatch.undo()
    # The summary lists commits left out, and a larger limit reads them again.
    summary = mine_into(tmp_path / "out", maker.folder, limit=0.000001)
    assert summary["projects"]["slow"]["skipped"] == [[slow, "it took more than 1e-06 seconds"]]
    assert mine_into(tmp_path / "out", maker.folder, limit=0.000001)["read"]["slow"] == 0
    summary = mine_into(tmp_path / "out", maker.folder, limit=10.0)
    assert summary["read"]["slow"] == 1
    assert summary["projects"]["slow"]["renames"] == 1


class LossyEngine(InProcessEngine):
    """An engine that loses every item with several commits, and always one certain commit."""

    def __init__(self, deadly: str) -> None:
        self.deadly = deadly

    def run(self, work: Any, items: Any, limit: float) -> Any:
        from codeacumen.engines import WorkerLost

        for index, item in enumerate(items):
            is_lost = work is mining.read_commits and (len(item[1]) > 1 or item[1] == [self.deadly])
            yield index, WorkerLost("SIGSEGV") if is_lost else work(item)


def test_a_lost_process_loses_only_its_commit(tmp_path: Path) -> None:
    maker = RepositoryBuilder(tmp_path / "deadly.git")
    maker.commit({"A.java": ORIGINAL_FILE})
    maker.commit({"A.java": RENAMED_FILE})
    deadly = maker.commit({"A.java": java_file("A", method_source("sum"))})
    summary = mine_repositories(
        [maker.folder],
        tmp_path / "out",
        RenameMiningSettings(),
        LossyEngine(deadly),
        lambda *_: None,
    )
    assert summary["projects"]["deadly"]["renames"] == 1
    assert [left_out[0] for left_out in summary["projects"]["deadly"]["skipped"]] == [deadly]


def test_renames_mine_command(
    history: History, mined: Mined, tmp_path: Path, codeacumen_here: Codeacumen
) -> None:
    result = codeacumen_here(
        "renames", "mine", history.folder, "--out", tmp_path / "out", "--workers", "1"
    )
    assert result.returncode == 0
    assert "renames" in result.stdout
    assert read_contents(tmp_path / "out") == read_contents(mined.folder)
    assert f"next:    codeacumen dataset build renames {tmp_path / 'out'}" in result.stderr
    rejected = codeacumen_here("renames", "mine", tmp_path, "--out", tmp_path / "out")
    assert rejected.returncode == 2


def test_mine_renames_from_python(history: History, mined: Mined, tmp_path: Path) -> None:
    out = tmp_path / "out"
    description = codeacumen.mine_renames(history.folder, out, workers=1, progress=False)
    assert read_contents(out) == read_contents(mined.folder)
    project = description["projects"]["events"]
    assert project["renames"] == len((out / "renames.jsonl").read_bytes().splitlines())
    assert description["read"] == {"events": sum(project["commits"].values())}
    again = codeacumen.mine_renames([str(history.folder)], str(out), workers=1, progress=False)
    assert again["read"] == {"events": 0}
