"""Report vague variable names and docstrings that open with a question word; part of `make lint`.

    python scripts/lint_plain_words.py FOLDER...

A vague name (`one`, `found`) says nothing about the value, and a docstring that opens with "what"
or "whether" does not say what the function returns. The exit code is 1 if there is any. A field
whose name is a key of a stored file keeps its name if its line ends with ``# stored key``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

VAGUE_NAMES = frozenset(
    (
        "one",
        "found",
        "told",
        "made",
        "known",
        "wanted",
        "asked",
        "given",
        "kept",
        "said",
        "seen",
        "whole",
        "drawn",
        "taken",
        "shown",
        "meant",
    )
)
QUESTION = re.compile(
    r"(what|which|who|whom|whose|where|whether|how|why|of|those|so|that|one|as)\b", re.IGNORECASE
)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def find_problems(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and message of every vague name and every docstring that opens with a question."""
    for node in ast.walk(tree):
        if isinstance(node, Documented):
            docstring = ast.get_docstring(node) or ""
            if QUESTION.match(docstring):
                opening = docstring.split()[0]
                yield (
                    getattr(node, "lineno", 1),
                    f"docstring opens with {opening!r}: say what is returned or done",
                )
        name = get_bound_name(node)
        if name.strip("_") in VAGUE_NAMES:
            yield node.lineno, f"vague name {name!r}: say what the value is"  # type: ignore[attr-defined]


def get_bound_name(node: ast.AST) -> str:
    """Return the name of a variable or parameter that the node binds, or an empty string."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


STORED_KEY = "# stored key"


def main() -> None:
    count = 0
    for folder in sys.argv[1:]:
        for file in sorted(Path(folder).rglob("*.py")):
            source = file.read_text(encoding="utf-8")
            stored = {
                number
                for number, text in enumerate(source.split("\n"), 1)
                if text.endswith(STORED_KEY)
            }
            for line, message in find_problems(ast.parse(source)):
                if line in stored:
                    continue
                print(f"{file}:{line}: {message}")
                count += 1
    if count:
        sys.exit(f"{count} problems")


if __name__ == "__main__":
    main()
