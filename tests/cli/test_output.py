"""Tests of tables on a narrow terminal: short columns stay whole, one long column is folded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeacumen.cli._output import print_facts, print_json, print_table

ID = "12345678-1234-5678-9abc-123456789abc"
PATH = "check/brookside/circulation/library/LibraryCheck.java:628"


def print_sample_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int | None
) -> list[str]:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", str(columns))
    head = ["id", "methods", "file"]
    print_table(head, [[ID, "1,234", PATH]] * 2, right=(1,), wide=2)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]


def test_only_the_wide_column_is_folded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = print_sample_table(capsys, monkeypatch, 80)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["id", "methods", "file"]
    assert sum(ID in line for line in lines) == 2
    assert sum("1,234" in line for line in lines) == 2
    # The path is folded at a slash, without loss.
    pieces = [line.split()[-1] for line in lines[2:]]
    assert "".join(pieces) == PATH * 2
    assert pieces[0].endswith("/")


def test_lines_overflow_where_the_table_cannot_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = print_sample_table(capsys, monkeypatch, 40)
    assert lines[0].split() == ["id", "methods", "file"]
    assert sum(ID in line for line in lines) == 2
    assert max(map(len, lines)) > 40
    assert "".join(line.split()[-1] for line in lines[2:]) == PATH * 2


def test_title_and_caption_have_the_width_of_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    print_table(["first", "second"], [[ID, ID]], title="in words " * 9, caption="words " * 20)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(len(line) for line in lines if "words" in line) <= 50
    assert sum(line.count("words") for line in lines) == 29
    assert any(line.count(ID) == 2 for line in lines)


def test_pipe_output_is_not_folded_without_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = print_sample_table(capsys, monkeypatch, None)
    assert len(lines) == 4
    assert sum(PATH in line for line in lines) == 2


@pytest.mark.parametrize(
    ("cells", "folded"),
    [
        ([ID, ID], []),
        ([ID, "x " * 40], [1]),
        (["a/b/" * 30, "y " * 40], [0]),
        (["1" * 60, ID], []),
    ],
)
def test_longest_column_is_folded_by_default(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    cells: list[str],
    folded: list[int],
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    print_table(["first", "second"], [cells], right=(0,) if cells[0][0] == "1" else ())
    out = capsys.readouterr().out
    unfolded = [index for index, cell in enumerate(cells) if cell.strip() in out]
    assert unfolded == [index for index in range(2) if index not in folded]


def test_facts_and_empty_tables(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    print_facts(
        "title", [("lines of a method", "median 4, largest 136, " * 5), ("名" * 8, "字" * 40)]
    )
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 50 for line in lines)
    assert any("lines of a method" in line for line in lines)
    print_table(["a", "b"], [])
    print_table([], [])
    assert "a" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [80, 120])
def test_table_has_the_width_of_the_terminal(columns: int, tmp_path: Path) -> None:
    """Print the table to a pseudo-terminal, because a pipe has no width."""
    pty = pytest.importorskip("pty")
    code = (
        "from codeacumen.cli._output import print_table\n"
        f"print_table(['id', 'file'], [[{ID!r}, {PATH!r}]], wide=1)\n"
    )
    controller, terminal = pty.openpty()
    subprocess.run(["stty", "cols", str(columns)], stdin=terminal, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=terminal,
        stderr=terminal,
        stdin=terminal,
        env=environment,
    )
    assert process.wait(timeout=60) == 0
    out = os.read(controller, 1 << 16).decode()
    os.close(controller)
    os.close(terminal)
    assert ID in out
    assert (PATH in out) == (columns == 120)


def test_numbers_that_json_lacks_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_json([{"a": float("nan")}, (float("inf"), 0.5)])
    assert json.loads(capsys.readouterr().out) == [{"a": None}, [None, 0.5]]


def test_program_without_verb_prints_its_help() -> None:
    command = [sys.executable, "-m", "codeacumen"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 2
    helped = subprocess.run([*command, "--help"], capture_output=True, text=True)
    assert process.stdout.strip() == helped.stdout.strip() != ""
