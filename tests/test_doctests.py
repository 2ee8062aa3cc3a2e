"""The examples in the package's docstrings return what they show."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

from support import ROOT

PACKAGE = ROOT / "src"
PROMPT = re.compile(r"^\s*>>> ", re.MULTILINE)
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if PROMPT.search(path.read_text("utf-8"))]


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def test_modules_with_examples_are_found() -> None:
    assert len(FILES) > 20


@pytest.mark.parametrize("name", [module_name(path) for path in FILES])
def test_examples_return_what_they_show(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0, f"no example of {name} is in a docstring"
    assert result.failed == 0, f"{result.failed} of {result.attempted} examples of {name} fail"
