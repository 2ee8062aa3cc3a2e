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

from jdk import Jdk, Result, Rows, find_jdk_source, print_results

COMMITS = 2000
FILES = 600
_METHOD = re.compile(
    rb"^ +(?:public|private|protected|static)(?: static| final)* [\w<>\[\]]+ (\w+)\([^()]*\) \{\n",
    re.MULTILINE,
)


def make_history(folder: Path, archive: Path, seed: int = 8) -> set[tuple[str, str]]:
    """Create a repository with a synthetic history; return its renames as (old name, new name)."""
    import pygit2
    from pygit2.enums import FileMode

    rng = random.Random(seed)
    with zipfile.ZipFile(archive) as source:
        names = sorted(
            name
            for name in source.namelist()
            if name.startswith("java.base/java/") and name.endswith(".java")
        )
        files = {name: source.read(name) for name in rng.sample(names, FILES)}
    repository = pygit2.init_repository(str(folder), bare=True, initial_head="main")
    index = pygit2.Index()
    parents: list[pygit2.Oid] = []
    expected: set[tuple[str, str]] = set()

    def stage_file(path: str) -> None:
        blob = repository.create_blob(files[path])
        index.add(pygit2.IndexEntry(path, blob, FileMode.BLOB))

    def write_commit(number: int) -> None:
        signature = pygit2.Signature("A", "a@example.org", 1_500_000_000 + number, 0)
        tree = index.write_tree(repository)
        parents[:] = [
            repository.create_commit("refs/heads/main", signature, signature, "x", tree, parents)
        ]

    for path in files:
        stage_file(path)
    write_commit(0)
    for number in range(1, COMMITS):
        for path in rng.sample(sorted(files), rng.choice([1, 1, 2, 3, 5])):
            declarations = list(_METHOD.finditer(files[path]))
            if not declarations:
                continue
            declaration = rng.choice(declarations)
            name = declaration[1]
            draw = rng.random()
            if draw < 0.2 and len(re.findall(rb"\b%s\b" % name, files[path])) == 1:
                new_name = b"%sAnew%d" % (name.split(b"Anew")[0], number)
                files[path] = re.sub(rb"\b%s\b" % name, new_name, files[path])
                expected.add((name.decode(), new_name.decode()))
            elif draw < 0.23:
                new_path = f"moved{number}/{path.rpartition('/')[2]}"
                files[new_path] = files.pop(path)
                index.remove(path)
                path = new_path
            else:
                position = declaration.end()
                files[path] = (
                    files[path][:position] + b"int x%d = 1;\n" % number + files[path][position:]
                )
            stage_file(path)
        write_commit(number)
    subprocess.run(["git", "-C", str(folder), "gc", "-q"], check=True)
    return expected


def walk_history(folder: Path) -> None:
    """List the changed files of every commit with pygit2, as a lower bound of the work."""
    import pygit2

    from codeacumen.renames.history import list_changes, list_commits

    repository = pygit2.Repository(str(folder))
    for name in list_commits(repository, str(repository.head.target)):
        commit = repository[name]
        assert isinstance(commit, pygit2.Commit)
        if commit.parents:
            list_changes(repository, commit.parents[0], commit)


def sum_processor_seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure_renames(jdk: Jdk | None = None) -> Result:
    from codeacumen.engines import create_engine
    from codeacumen.renames.mining import RenameMiningSettings, mine_repositories
    from codeacumen.renames.records import read_renames

    archive = jdk.archive if jdk is not None else find_jdk_source()
    if archive is None:
        return [], ["renames not measured: the JDK source is missing"]
    rows: Rows = []
    remarks: list[str] = []
    with tempfile.TemporaryDirectory() as temporary_folder:
        folder = Path(temporary_folder) / "history.git"
        expected = make_history(folder, archive)
        start = time.perf_counter()
        command = ["git", "-C", str(folder), "log", "-p", "-M", "--format=%H", "main"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        git_seconds = time.perf_counter() - start
        start = time.perf_counter()
        walk_history(folder)
        walk_seconds = time.perf_counter() - start
        for workers in (1, 2):
            out = Path(temporary_folder) / f"out{workers}"
            worker_engine = create_engine("local", workers)
            start, processor_time = time.perf_counter(), sum_processor_seconds()
            manifest = mine_repositories(
                [folder], out, RenameMiningSettings(), worker_engine, lambda *_: None
            )
            wall_seconds = time.perf_counter() - start
            del worker_engine  # the time of a worker is counted only after it has ended
            gc.collect()
            processor_time = sum_processor_seconds() - processor_time
            label = f"renames: {COMMITS:,} commits, {workers} worker{'s' * (workers > 1)}"
            rows.append((label, wall_seconds, git_seconds, "git log -p -M of the same"))
            remarks.append(
                f"{label}: {wall_seconds:.1f} s, {COMMITS / wall_seconds:,.0f} commits a second, "
                f"{COMMITS / processor_time:,.0f} a second of processor; git log -p "
                f"{git_seconds:.1f} s, pygit2 alone {walk_seconds:.1f} s"
            )
        mined_renames = {
            (rename.old_name, rename.new_name) for rename in read_renames(out / "renames.jsonl")
        }
        project_counts = manifest["projects"]["history"]
        remarks.append(
            f"{len(expected & mined_renames):,} of {len(expected):,} renames found, "
            f"{len(mined_renames - expected):,} false; {project_counts['stable']:,} stable "
            "methods, "
            f"{project_counts['methods']['files']:,} file versions"
        )
    return rows, remarks


if __name__ == "__main__":
    print_results(*measure_renames())
