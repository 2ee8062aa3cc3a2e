"""Tests of the documentation: every command in it runs and prints the shown output."""

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
from docs_console import Sandbox, iterate_steps, list_pages, matches
from support import ROOT

Commands = tuple[str, ...]


def list_command_prefixes(page: Path) -> list[Commands]:
    """Return the page's first command, its first two commands, and so on."""
    commands = [step.command for step in iterate_steps(page)]
    return [tuple(commands[:count]) for count in range(1, len(commands) + 1)]


# Several pages have the same first commands: these are run once.
SHARED_BEGINNINGS = {
    prefix
    for prefix, count in Counter(
        prefix for page in list_pages() for prefix in list_command_prefixes(page)
    ).items()
    if count > 1
}


def install_warm_launcher(sandbox: Sandbox, python: Path) -> None:
    """Let a Python that starts faster run the page's commands."""
    launcher = sandbox.folder / "bin" / "codeacumen"
    launcher.write_text(f'#!/bin/sh\nexec "{python}" -m codeacumen "$@"\n')


def run_once(commands: Commands, sandbox: Sandbox, storage: Path) -> list[str]:
    """Return the output of the last command after the others; the sandbox is left in the resulting
    state. The first process runs the command and stores output and folder for all processes."""
    storage.mkdir(exist_ok=True)
    stored = storage / hashlib.sha256("\n".join(commands).encode()).hexdigest()
    with FileLock(f"{stored}.lock"):
        if not stored.exists():
            printed_lines = sandbox.run_command(commands[-1])
            partial = stored.with_suffix(".part")
            shutil.copytree(sandbox.folder, partial / "folder", symlinks=True)
            (partial / "printed.json").write_text(json.dumps(printed_lines))
            partial.rename(stored)
            return printed_lines
    shutil.rmtree(sandbox.folder)
    shutil.copytree(stored / "folder", sandbox.folder, symlinks=True)
    printed: list[str] = json.loads((stored / "printed.json").read_text())
    return printed


@pytest.mark.parametrize(
    "page",
    [
        # tests/cli/test_verbs.py runs `reproduce` in every test run.
        pytest.param(page, marks=pytest.mark.thorough if page.stem == "reproduce" else ())
        for page in list_pages()
    ],
    ids=[str(page.relative_to(ROOT)) for page in list_pages()],
)
def test_commands_print_output_shown_on_the_page(
    page: Path, tmp_path: Path, idbench_source: Path, shared_folder: Path, warm_python: Path
) -> None:
    sandbox = Sandbox(tmp_path / "sandbox")
    install_warm_launcher(sandbox, warm_python)
    for step, commands in zip(iterate_steps(page), list_command_prefixes(page), strict=True):
        if commands in SHARED_BEGINNINGS:
            printed = run_once(commands, sandbox, shared_folder / "consoles")
            install_warm_launcher(sandbox, warm_python)  # the folder may be another process's
        else:
            printed = sandbox.run_command(step.command)
        assert matches(step.output, printed), "\n".join([f"$ {step.command}", *printed])


def test_matches_detects_wrong_output() -> None:
    assert matches(["a  b", "...", "z"], ["a b", "c", "d", "z"])
    assert matches(["..."], [])
    assert not matches(["a", "...", "z"], ["a", "c", "y"])
    assert not matches(["score 0.31"], ["score 0.32"])


def test_every_verb_has_a_page() -> None:
    import typer.main

    for verb in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        assert (ROOT / "docs" / "verbs" / f"{verb}.md").is_file(), verb


@pytest.mark.parametrize("page", list_pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_existing_targets(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_worked_example_equals_the_file() -> None:
    """The code shown in the guide is the example itself, not a copy that may drift."""
    guide = (ROOT / "docs" / "evaluating-your-model.md").read_text()
    (code,) = re.findall(r"```python\n(\"\"\".*?)```", guide, re.DOTALL)
    assert code == (ROOT / "examples" / "trigram_embedding.py").read_text()


def test_extension_examples_equal_the_files() -> None:
    page = (ROOT / "docs" / "extending.md").read_text()
    code_blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    files = sorted((ROOT / "examples" / "extending").glob("*.py"))
    assert sorted(code_blocks) == sorted(file.read_text() for file in files)
