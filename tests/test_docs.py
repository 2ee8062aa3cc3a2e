"""The documentation is true: every command in it runs and prints what it says."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from filelock import FileLock

from codeacumen.cli import app
from docs_console import Sandbox, all_steps, matches, pages
from support import ROOT

Commands = tuple[str, ...]


def beginnings(page: Path) -> list[Commands]:
    """The page's first command, its first two, and so on."""
    commands = [step.command for step in all_steps(page)]
    return [tuple(commands[:count]) for count in range(1, len(commands) + 1)]


# Pages that begin alike: what begins several of them is run once.
SHARED_BEGINNINGS = {
    one
    for one, count in Counter(one for page in pages() for one in beginnings(page)).items()
    if count > 1
}


def warm(sandbox: Sandbox, python: Path) -> None:
    """Have the page's commands started by a Python that starts sooner."""
    launcher = sandbox.folder / "bin" / "codeacumen"
    launcher.write_text(f'#!/bin/sh\nexec "{python}" -m codeacumen "$@"\n')


def run_once(commands: Commands, sandbox: Sandbox, kept: Path) -> list[str]:
    """What the last of some commands prints after the others; the sandbox is as after it. Whoever
    comes first runs it and keeps what it printed and the folder, for all processes."""
    kept.mkdir(exist_ok=True)
    place = kept / hashlib.sha256("\n".join(commands).encode()).hexdigest()
    with FileLock(f"{place}.lock"):
        if not place.exists():
            found = sandbox.run(commands[-1])
            part = place.with_suffix(".part")
            shutil.copytree(sandbox.folder, part / "folder", symlinks=True)
            (part / "printed.json").write_text(json.dumps(found))
            part.rename(place)
            return found
    shutil.rmtree(sandbox.folder)
    shutil.copytree(place / "folder", sandbox.folder, symlinks=True)
    printed: list[str] = json.loads((place / "printed.json").read_text())
    return printed


@pytest.mark.parametrize(
    "page",
    [
        # tests/cli/test_verbs.py reproduces in every run.
        pytest.param(page, marks=pytest.mark.thorough if page.stem == "reproduce" else ())
        for page in pages()
    ],
    ids=[str(page.relative_to(ROOT)) for page in pages()],
)
def test_every_command_prints_what_the_page_says(
    page: Path, tmp_path: Path, idbench_source: Path, shared_folder: Path, warm_python: Path
) -> None:
    sandbox = Sandbox(tmp_path / "sandbox")
    warm(sandbox, warm_python)
    for step, commands in zip(all_steps(page), beginnings(page), strict=True):
        if commands in SHARED_BEGINNINGS:
            found = run_once(commands, sandbox, shared_folder / "consoles")
            warm(sandbox, warm_python)  # the folder may be another process's
        else:
            found = sandbox.run(step.command)
        assert matches(step.output, found), "\n".join([f"$ {step.command}", *found])


def test_a_wrong_output_is_noticed() -> None:
    assert matches(["a  b", "...", "z"], ["a b", "c", "d", "z"])
    assert matches(["..."], [])
    assert not matches(["a", "...", "z"], ["a", "c", "y"])
    assert not matches(["score 0.31"], ["score 0.32"])


def test_every_verb_has_a_page() -> None:
    import typer.main

    for verb in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        assert (ROOT / "docs" / "verbs" / f"{verb}.md").is_file(), verb


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_worked_example_is_the_file_that_runs() -> None:
    """The code shown in the guide is the example itself, not a copy that may drift."""
    guide = (ROOT / "docs" / "evaluating-your-model.md").read_text()
    (shown,) = re.findall(r"```python\n(\"\"\".*?)```", guide, re.DOTALL)
    assert shown == (ROOT / "examples" / "trigram_embedding.py").read_text()


def test_the_extensions_shown_are_the_files_that_run() -> None:
    page = (ROOT / "docs" / "extending.md").read_text()
    shown = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    files = sorted((ROOT / "examples" / "extending").glob("*.py"))
    assert sorted(shown) == sorted(file.read_text() for file in files)
