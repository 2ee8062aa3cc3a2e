"""Run, compare and refresh the console examples of the documentation.

A ```` ```console ```` block holds commands, each after ``$ ``, and their output. The blocks of a
page run in order in one empty folder. A line ``...`` stands for omitted lines.

``docs/python.md`` is one Python session: the output of a ```` ```python ```` block is in the
```` ```text ```` block after it. Tests compare the pages with the real output.

    python scripts/docs_console.py             rewrite the outputs in docs/ and README.md
    python scripts/docs_console.py PAGE...     rewrite those of these pages
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codeacumen.corpus.kernels import marker_path

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("CODEACUMEN_SHARED_DATA", ROOT.parent / "shared" / "data"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION = ROOT / "docs" / "python.md"
SESSION_BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n\n^```text\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Step:
    command: str
    output: list[str]


def list_pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def parse_steps(block: str) -> list[Step]:
    parsed_steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            parsed_steps.append(Step(line[2:], []))
        elif parsed_steps:
            parsed_steps[-1].output.append(line)
    return parsed_steps


class Sandbox:
    """An empty folder in which a page's commands run, with the examples beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
        (folder / "bin").mkdir(exist_ok=True)
        launcher = folder / "bin" / "codeacumen"
        launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m codeacumen "$@"\n')
        launcher.chmod(0o755)
        # The output must not depend on the terminal's width.
        inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        self.environment = {
            **inherited,
            "HOME": str(folder),
            "CODEACUMEN_HOME": str(folder / ".local" / "share" / "codeacumen"),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "IDBENCH": str(SHARED / "idbench"),
            "TNPA": str(SHARED / "tnpa"),
            "LIU": str(SHARED / "liu2019"),
        }
        # Pretend that the kernels are compiled: no page shows the notice of the first build.
        kernels_marker = marker_path(Path(self.environment["CODEACUMEN_HOME"]) / "compiled")
        kernels_marker.parent.mkdir(parents=True, exist_ok=True)
        kernels_marker.touch()

    def run_command(self, command: str) -> list[str]:
        completed = subprocess.run(
            command,
            shell=True,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        text = completed.stdout.replace(str(self.folder), "~")
        return [line.rstrip() for line in text.splitlines()]


def _squeeze_spaces(line: str) -> str:
    """Return the line with runs of spaces and rules as one space: columns vary with the paths."""
    return re.sub(r"[\s─]+", " ", line).strip()


def matches(expected: list[str], actual: list[str]) -> bool:
    """Return whether the output matches the page; ``...`` matches any lines."""
    expected_lines = [line for line in map(_squeeze_spaces, expected) if line]
    actual_lines = [line for line in map(_squeeze_spaces, actual) if line]
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected_lines
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual_lines)) is not None


def _shorten_output(expected: list[str], output: list[str]) -> list[str]:
    """Return new output with ``...`` where the page omits lines."""
    if "..." not in expected:
        return output
    head = expected.index("...")
    tail = len(expected) - head - 1
    return [*output[:head], "...", *(output[-tail:] if tail else [])]


def refresh_page(text: str, sandbox: Sandbox) -> str:
    """Return a page's text with the present output of its commands."""

    def rewrite_block(match: re.Match[str]) -> str:
        lines: list[str] = []
        for step in parse_steps(match.group(1)):
            lines += [
                f"$ {step.command}",
                *_shorten_output(step.output, sandbox.run_command(step.command)),
            ]
        return "```console\n" + "\n".join(lines) + "\n```"

    return BLOCK.sub(rewrite_block, text)


def iterate_steps(page: Path) -> Iterator[Step]:
    for match in BLOCK.finditer(page.read_text()):
        yield from parse_steps(match.group(1))


def run_session(sandbox: Sandbox, python: str = sys.executable) -> list[str]:
    """Return what each block of the Python session prints."""
    blocks = [match["code"] for match in SESSION_BLOCK.finditer(SESSION.read_text())]
    names = {"EXAMPLES": "examples", "IDBENCH": sandbox.environment["IDBENCH"]}
    source = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    source += "".join(f"{block}\nprint(chr(0), end='')\n" for block in blocks)
    completed = subprocess.run(
        [python, "-c", source],
        cwd=sandbox.folder,
        env=sandbox.environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if completed.returncode:
        raise RuntimeError(completed.stderr)
    return [
        "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
        for output in completed.stdout.split("\0")[:-1]
    ]


def refresh_session(sandbox: Sandbox) -> str:
    """Return the page of the Python session with the present output of its blocks."""
    outputs = iter(run_session(sandbox))

    def rewrite_block(match: re.Match[str]) -> str:
        output = next(outputs)
        output_block = f"\n\n```text\n{output}\n```" if output else ""
        return f"```python\n{match['code']}```{output_block}"

    return SESSION_BLOCK.sub(rewrite_block, SESSION.read_text())


def main(arguments: list[str]) -> None:
    for page in [Path(name).resolve() for name in arguments] or list_pages():
        text = page.read_text()
        if page == SESSION:
            with tempfile.TemporaryDirectory() as folder:
                page.write_text(refresh_session(Sandbox(Path(folder).resolve())))
            print(page.relative_to(ROOT))
        if not BLOCK.search(text):
            continue
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(refresh_page(text, Sandbox(Path(folder).resolve())))
        print(page.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
