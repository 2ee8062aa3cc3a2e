"""Tests of which methods a change touches. Oracle for lines: ``git diff``."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pygit2
import pytest

from checker.projects import ACCOUNT, Check, GetVoid, commit_files, reported_names, write_files
from codeacumen.api import CodeacumenError
from codeacumen.checker.check import CHANGED_SUFFIX
from codeacumen.checker.files import list_changed_files, resolve_base

FILE = "src/bank/Account.java"
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@pytest.fixture
def repository(project: Path) -> Path:
    commit_files(project, {})
    return project


def test_nothing_changed(repository: Path, run: Check) -> None:
    assert run(repository, since="HEAD").findings == []
    assert run(repository, staged=True).findings == []


def test_only_changed_methods_are_judged(repository: Path, run: Check) -> None:
    write_files(repository, {FILE: ACCOUNT.replace("total += limit", "total -= limit")})
    report = run(repository, since="HEAD")
    assert (reported_names(report), report.methods) == (["getLimit"], 1)
    assert report.findings[0].place.line == 8
    # Nothing is staged.
    assert run(repository, staged=True).findings == []


def test_staged_check_reads_the_index(repository: Path, run: Check) -> None:
    write_files(repository, {FILE: ACCOUNT.replace("total += limit", "total -= limit")})
    opened = pygit2.Repository(str(repository))
    opened.index.add(FILE)
    opened.index.write()
    # The working tree has another content by now.
    write_files(repository, {FILE: "class Other { void getSomething() {} }"})
    assert reported_names(run(repository, staged=True)) == ["getLimit"]
    assert reported_names(run(repository, since="HEAD")) == ["getSomething"]


def test_new_files(repository: Path, run: Check) -> None:
    write_files(repository, {"src/bank/New.java": "class New { void getNew() {} }"})
    assert reported_names(run(repository, since="HEAD")) == ["getNew"]
    assert run(repository, staged=True).findings == []
    commit_files(repository, {})
    assert run(repository, since="HEAD").findings == []
    assert reported_names(run(repository, since="HEAD~1")) == ["getNew"]


def test_check_before_the_first_commit(project: Path, run: Check) -> None:
    pygit2.init_repository(str(project))
    assert run(project, staged=True).findings == []
    opened = pygit2.Repository(str(project))
    opened.index.add_all()
    opened.index.write()
    assert sorted(reported_names(run(project, staged=True))) == ["getLimit", "getTotal"]
    with pytest.raises(CodeacumenError, match="the repository has no commits"):
        run(project, since="HEAD")


def test_removed_lines_change_the_enclosing_method(repository: Path, run: Check) -> None:
    write_files(repository, {FILE: ACCOUNT.replace("        total += limit;\n", "")})
    assert reported_names(run(repository, since="HEAD")) == ["getLimit"]


def test_removed_method_changes_no_other(repository: Path, run: Check) -> None:
    removed = "    void getLimit(int limit) {\n        total += limit;\n    }\n"
    assert removed in ACCOUNT
    write_files(repository, {FILE: ACCOUNT.replace(removed, "")})
    assert run(repository, since="HEAD").findings == []


def test_changed_comment_changes_its_method(repository: Path, run: Check) -> None:
    text = ACCOUNT.replace("    void getTotal()", "    /** Gets it. */\n    void getTotal()")
    write_files(repository, {FILE: text})
    assert reported_names(run(repository, since="HEAD")) == ["getTotal"]


def test_moved_or_removed_files_are_unchanged(repository: Path, run: Check) -> None:
    write_files(repository, {"src/gone/B.java": "class B { void getGone() {} }"})
    commit_files(repository, {})
    (repository / FILE).rename(repository / "src" / "Account.java")
    (repository / "src" / "gone" / "B.java").unlink()
    opened = pygit2.Repository(str(repository))
    opened.index.add_all()
    opened.index.write()
    assert run(repository, staged=True).findings == []


def test_skipped_files_are_skipped_with_since(repository: Path, run: Check) -> None:
    source = "class A { void getA() {} }"
    write_files(
        repository, {"src/test/A.java": source, "build/A.java": source, ".gitignore": "no/\n"}
    )
    write_files(repository, {"no/A.java": source, "src/a b/ü.java": source})
    report = run(repository, since="HEAD")
    assert [finding.path for finding in report.findings] == ["src/a b/ü.java"]
    assert run(repository / "src" / "bank", since="HEAD").findings == []


def test_changes_in_files_with_unusual_line_ends(repository: Path, run: Check) -> None:
    write_files(repository, {"src/U.java": "class U {\n void getU() {}\n}".encode("utf-16")})
    old_mac = ACCOUNT.replace("\n", "\r").replace("Account", "Old")
    write_files(repository, {"src/Old.java": old_mac})
    commit_files(repository, {})
    write_files(repository, {"src/U.java": "class U {\n\n void getU() {}\n}".encode("utf-16")})
    write_files(repository, {"src/Old.java": old_mac.replace("total = 0", "total = 1")})
    assert sorted(reported_names(run(repository, since="HEAD"))) == ["getLimit", "getTotal", "getU"]


def test_assessor_learns_from_the_base_commit(
    repository: Path, run: Check, get_void: list[GetVoid], home: Path
) -> None:
    write_files(repository, {FILE: ACCOUNT.replace("total += limit", "total -= limit")})
    run(repository, since="HEAD")
    before = [f"{FILE}:{name}" for name in ("getTotal", "getLimit", "getBalance")]
    now = [name.replace(":", f"{CHANGED_SUFFIX}:") for name in before]
    assert get_void[-1].learned == before + now
    # The second check loads the learned model.
    assessor_count = len(get_void)
    assert reported_names(run(repository, since="HEAD")) == ["getLimit"]
    assert len(get_void) == assessor_count


def test_base_of_a_branch(repository: Path) -> None:
    opened = pygit2.Repository(str(repository))
    root = str(opened.head.target)
    opened.branches.create("topic", opened[root].peel(pygit2.Commit))
    on_main = commit_files(repository, {"src/Main.java": "class Main {}"})
    opened.checkout("refs/heads/topic")
    assert resolve_base(opened, "main") == on_main
    assert resolve_base(opened, "main...") == root
    for invalid_revision in ("none", "...", "-x", "", "HEAD~99", "\0"):
        with pytest.raises(CodeacumenError):
            resolve_base(opened, invalid_revision)


def test_since_needs_a_git_repository(project: Path, run: Check) -> None:
    with pytest.raises(CodeacumenError, match="not in a git repository"):
        run(project, since="HEAD")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_changed_lines_equal_those_of_git(repository: Path) -> None:
    lines = [f"line {i}\n" for i in range(200)]
    commit_files(repository, {"src/Long.java": "".join(lines)})
    changed = [line for i, line in enumerate(lines) if i % 17 != 3]
    changed = [
        line.upper() if i % 23 == 5 else line + "new\n" if i % 29 == 7 else line
        for i, line in enumerate(changed)
    ]
    write_files(repository, {"src/Long.java": "".join(changed)})
    diff = subprocess.run(
        ["git", "-c", "safe.directory=*", "diff", "-U0", "HEAD"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    expected = []
    for start, count in _HUNK.findall(diff):
        first, line_count = int(start), int(count or 1)
        expected.append((first, first + line_count - 1) if line_count else (first + 1, first))
    opened = pygit2.Repository(str(repository))
    (change,) = list_changed_files(opened, str(opened.head.target), staged=False)
    assert list(change.lines or ()) == expected
    assert len(expected) > 20
