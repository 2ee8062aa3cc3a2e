"""The documentation is true: every command in it runs and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acumen.cli import app
from docs_console import Sandbox, all_steps, matches, pages
from support import ROOT


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_prints_what_the_page_says(
    page: Path, tmp_path: Path, idbench_source: Path
) -> None:
    sandbox = Sandbox(tmp_path)
    for step in all_steps(page):
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
