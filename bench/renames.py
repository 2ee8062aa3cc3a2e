"""Benchmark the mining of renames from a long history, with one worker and with two.

    python bench/renames.py             a table
    python bench/renames.py --json

Part of ``make bench``. The history is synthetic: files of the JDK, and commits that each change a
few of them by adding a statement, renaming a method or moving a file. So its renames are known. The
baselines read the same history: ``git log -p`` prints all changes, pygit2 lists the files that
differ.
"""

from __future__ import annotations

import gc
import os
import random
import re
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

from jdk import Jdk, Rows, Told, jdk_source, show

COMMITS = 2000
FILES = 600
_METHOD = re.compile(
    rb"^ +(?:public|private|protected|static)(?: static| final)* [\w<>\[\]]+ (\w+)\([^()]*\) \{\n",
    re.MULTILINE,
)


def history(folder: Path, archive: Path, seed: int = 8) -> set[tuple[str, str]]:
    """Create a repository with a synthetic history; return its renames as (old name, new name)."""
    import pygit2
    from pygit2.enums import FileMode

    lot = random.Random(seed)
    with zipfile.ZipFile(archive) as source:
        names = sorted(
            name
            for name in source.namelist()
            if name.startswith("java.base/java/") and name.endswith(".java")
        )
        files = {name: source.read(name) for name in lot.sample(names, FILES)}
    repository = pygit2.init_repository(str(folder), bare=True, initial_head="main")
    index = pygit2.Index()
    parents: list[pygit2.Oid] = []
    made: set[tuple[str, str]] = set()

    def put(path: str) -> None:
        blob = repository.create_blob(files[path])
        index.add(pygit2.IndexEntry(path, blob, FileMode.BLOB))

    def commit(clock: int) -> None:
        who = pygit2.Signature("A", "a@example.org", 1_500_000_000 + clock, 0)
        tree = index.write_tree(repository)
        parents[:] = [repository.create_commit("refs/heads/main", who, who, "x", tree, parents)]

    for path in files:
        put(path)
    commit(0)
    for clock in range(1, COMMITS):
        for path in lot.sample(sorted(files), lot.choice([1, 1, 2, 3, 5])):
            heads = list(_METHOD.finditer(files[path]))
            if not heads:
                continue
            head = lot.choice(heads)
            name = head[1]
            kind = lot.random()
            if kind < 0.2 and len(re.findall(rb"\b%s\b" % name, files[path])) == 1:
                new = b"%sAnew%d" % (name.split(b"Anew")[0], clock)
                files[path] = re.sub(rb"\b%s\b" % name, new, files[path])
                made.add((name.decode(), new.decode()))
            elif kind < 0.23:
                moved = f"moved{clock}/{path.rpartition('/')[2]}"
                files[moved] = files.pop(path)
                index.remove(path)
                path = moved
            else:
                at = head.end()
                files[path] = files[path][:at] + b"int x%d = 1;\n" % clock + files[path][at:]
            put(path)
        commit(clock)
    subprocess.run(["git", "-C", str(folder), "gc", "-q"], check=True)
    return made


def walked(folder: Path) -> None:
    """List the changed files of every commit with pygit2, as a lower bound of the work."""
    import pygit2

    from codeacumen.renames.history import list_changes, list_commits

    repository = pygit2.Repository(str(folder))
    for name in list_commits(repository, str(repository.head.target)):
        commit = repository[name]
        assert isinstance(commit, pygit2.Commit)
        if commit.parents:
            list_changes(repository, commit.parents[0], commit)


def processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def renames(jdk: Jdk | None = None) -> Told:
    from codeacumen.engines import create_engine
    from codeacumen.renames.mining import RenameMiningSettings, mine_repositories
    from codeacumen.renames.records import read_renames

    archive = jdk.archive if jdk is not None else jdk_source()
    if archive is None:
        return [], ["renames not measured: the JDK source is missing"]
    rows: Rows = []
    told: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "history.git"
        made = history(folder, archive)
        clock = time.perf_counter()
        command = ["git", "-C", str(folder), "log", "-p", "-M", "--format=%H", "main"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        printing = time.perf_counter() - clock
        clock = time.perf_counter()
        walked(folder)
        walking = time.perf_counter() - clock
        for workers in (1, 2):
            out = Path(place) / f"out{workers}"
            workers_of = create_engine("local", workers)
            clock, spent = time.perf_counter(), processor_seconds()
            mined = mine_repositories(
                [folder], out, RenameMiningSettings(), workers_of, lambda *_: None
            )
            wall = time.perf_counter() - clock
            del workers_of  # the time of a worker is counted only after it has ended
            gc.collect()
            spent = processor_seconds() - spent
            what = f"renames: {COMMITS:,} commits, {workers} worker{'s' * (workers > 1)}"
            rows.append((what, wall, printing, "git log -p -M of the same"))
            told.append(
                f"{what}: {wall:.1f} s, {COMMITS / wall:,.0f} commits a second, "
                f"{COMMITS / spent:,.0f} a second of processor; git log -p "
                f"{printing:.1f} s, pygit2 alone {walking:.1f} s"
            )
        found = {(one.old_name, one.new_name) for one in read_renames(out / "renames.jsonl")}
        project = mined["projects"]["history"]
        told.append(
            f"{len(made & found):,} of {len(made):,} renames found, "
            f"{len(found - made):,} false; {project['stable']:,} stable methods, "
            f"{project['methods']['files']:,} file versions"
        )
    return rows, told


if __name__ == "__main__":
    show(*renames())
