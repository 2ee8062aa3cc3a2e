"""Which methods a change touches; ``git diff`` is the oracle for the lines."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pygit2
import pytest

from checker.projects import ACCOUNT, Check, GetVoid, commit, names, write
from codeacumen.api import CodeacumenError
from codeacumen.checker.check import NOW
from codeacumen.checker.files import base_of, changes

FILE = "src/bank/Account.java"
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@pytest.fixture
def repository(project: Path) -> Path:
    commit(project, {})
    return project


def test_nothing_changed(repository: Path, run: Check) -> None:
    assert run(repository, since="HEAD").findings == []
    assert run(repository, staged=True).findings == []


def test_only_what_changed_is_judged(repository: Path, run: Check) -> None:
    write(repository, {FILE: ACCOUNT.replace("total += limit", "total -= limit")})
    report = run(repository, since="HEAD")
    assert (names(report), report.methods) == (["getLimit"], 1)
    assert report.findings[0].place.line == 8
    # Nothing of it is staged.
    assert run(repository, staged=True).findings == []


def test_staged_is_what_will_be_committed(repository: Path, run: Check) -> None:
    write(repository, {FILE: ACCOUNT.replace("total += limit", "total -= limit")})
    opened = pygit2.Repository(str(repository))
    opened.index.add(FILE)
    opened.index.write()
    # What lies on the disk is another file by now.
    write(repository, {FILE: "class Other { void getSomething() {} }"})
    assert names(run(repository, staged=True)) == ["getLimit"]
    assert names(run(repository, since="HEAD")) == ["getSomething"]


def test_new_files(repository: Path, run: Check) -> None:
    write(repository, {"src/bank/New.java": "class New { void getNew() {} }"})
    assert names(run(repository, since="HEAD")) == ["getNew"]
    assert run(repository, staged=True).findings == []
    commit(repository, {})
    assert run(repository, since="HEAD").findings == []
    assert names(run(repository, since="HEAD~1")) == ["getNew"]


def test_before_the_first_commit(project: Path, run: Check) -> None:
    pygit2.init_repository(str(project))
    assert run(project, staged=True).findings == []
    opened = pygit2.Repository(str(project))
    opened.index.add_all()
    opened.index.write()
    assert sorted(names(run(project, staged=True))) == ["getLimit", "getTotal"]
    with pytest.raises(CodeacumenError, match="nothing was ever committed"):
        run(project, since="HEAD")


def test_removed_lines_touch_the_method_around_them(repository: Path, run: Check) -> None:
    write(repository, {FILE: ACCOUNT.replace("        total += limit;\n", "")})
    assert names(run(repository, since="HEAD")) == ["getLimit"]


def test_a_method_that_went_touches_no_other(repository: Path, run: Check) -> None:
    gone = "    void getLimit(int limit) {\n        total += limit;\n    }\n"
    assert gone in ACCOUNT
    write(repository, {FILE: ACCOUNT.replace(gone, "")})
    assert run(repository, since="HEAD").findings == []


def test_a_comment_is_part_of_its_method(repository: Path, run: Check) -> None:
    text = ACCOUNT.replace("    void getTotal()", "    /** Gets it. */\n    void getTotal()")
    write(repository, {FILE: text})
    assert names(run(repository, since="HEAD")) == ["getTotal"]


def test_files_that_moved_or_went(repository: Path, run: Check) -> None:
    write(repository, {"src/gone/B.java": "class B { void getGone() {} }"})
    commit(repository, {})
    (repository / FILE).rename(repository / "src" / "Account.java")
    (repository / "src" / "gone" / "B.java").unlink()
    opened = pygit2.Repository(str(repository))
    opened.index.add_all()
    opened.index.write()
    assert run(repository, staged=True).findings == []


def test_what_is_left_out_of_a_check_is_left_out_here(repository: Path, run: Check) -> None:
    source = "class A { void getA() {} }"
    write(repository, {"src/test/A.java": source, "build/A.java": source, ".gitignore": "no/\n"})
    write(repository, {"no/A.java": source, "src/a b/ü.java": source})
    report = run(repository, since="HEAD")
    assert [one.path for one in report.findings] == ["src/a b/ü.java"]
    assert run(repository / "src" / "bank", since="HEAD").findings == []


def test_lines_that_git_cannot_count(repository: Path, run: Check) -> None:
    write(repository, {"src/U.java": "class U {\n void getU() {}\n}".encode("utf-16")})
    old_mac = ACCOUNT.replace("\n", "\r").replace("Account", "Old")
    write(repository, {"src/Old.java": old_mac})
    commit(repository, {})
    write(repository, {"src/U.java": "class U {\n\n void getU() {}\n}".encode("utf-16")})
    write(repository, {"src/Old.java": old_mac.replace("total = 0", "total = 1")})
    assert sorted(names(run(repository, since="HEAD"))) == ["getLimit", "getTotal", "getU"]


def test_learned_from_the_project_before(
    repository: Path, run: Check, get_void: list[GetVoid], home: Path
) -> None:
    write(repository, {FILE: ACCOUNT.replace("total += limit", "total -= limit")})
    run(repository, since="HEAD")
    before = [f"{FILE}:{name}" for name in ("getTotal", "getLimit", "getBalance")]
    now = [one.replace(":", f"{NOW}:") for one in before]
    assert get_void[-1].learned == before + now
    # The second time, what was learned before is there.
    made = len(get_void)
    assert names(run(repository, since="HEAD")) == ["getLimit"]
    assert len(get_void) == made


def test_where_the_branch_left(repository: Path) -> None:
    opened = pygit2.Repository(str(repository))
    root = str(opened.head.target)
    opened.branches.create("topic", opened[root].peel(pygit2.Commit))
    on_main = commit(repository, {"src/Main.java": "class Main {}"})
    opened.checkout("refs/heads/topic")
    assert base_of(opened, "main") == on_main
    assert base_of(opened, "main...") == root
    for wrong in ("none", "...", "-x", "", "HEAD~99", "\0"):
        with pytest.raises(CodeacumenError):
            base_of(opened, wrong)


def test_no_repository(project: Path, run: Check) -> None:
    with pytest.raises(CodeacumenError, match="not in a git repository"):
        run(project, since="HEAD")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_lines_are_those_of_git(repository: Path) -> None:
    lines = [f"line {i}\n" for i in range(200)]
    commit(repository, {"src/Long.java": "".join(lines)})
    changed = [line for i, line in enumerate(lines) if i % 17 != 3]
    changed = [
        line.upper() if i % 23 == 5 else line + "new\n" if i % 29 == 7 else line
        for i, line in enumerate(changed)
    ]
    write(repository, {"src/Long.java": "".join(changed)})
    told = subprocess.run(
        ["git", "-c", "safe.directory=*", "diff", "-U0", "HEAD"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    expected = []
    for start, count in _HUNK.findall(told):
        first, many = int(start), int(count or 1)
        expected.append((first, first + many - 1) if many else (first + 1, first))
    opened = pygit2.Repository(str(repository))
    (found,) = changes(opened, str(opened.head.target), staged=False)
    assert list(found.lines or ()) == expected
    assert len(expected) > 20
