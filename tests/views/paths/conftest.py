"""Path contexts of a few lines of Java."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import MethodPaths, Style, method_paths, path_string, paths
from codeacumen.views.paths.build import DECLARES, INNER
from javac import JAVA

Contexts = Callable[..., list[str]]


@pytest.fixture(scope="session")
def one() -> Callable[..., MethodPaths]:
    """The paths of the first method of a class with these members."""

    def make(members: str, row: int = 0, **options: int | None) -> MethodPaths:
        file = JavaFile(f"class C {{ {members} }}".encode())
        found = paths(file, range(len(file.declarations.methods)), **{"most": None, **options})
        return method_paths(found, row)

    return make


@pytest.fixture(scope="session")
def contexts(one: Callable[..., MethodPaths]) -> Contexts:
    """All contexts with their paths spelled out, as the extractors print them."""

    def make(members: str, style: Style = "code2seq", **options: int | None) -> list[str]:
        found = one(members, **options)
        names = [
            "METHOD_NAME" if role in (DECLARES, INNER) else name
            for name, role in zip(found.name, found.role, strict=True)
        ]
        tree = found.kind, found.parent, found.child
        return [
            f"{names[i]},{path_string(*tree, found.leaf[i], found.leaf[j], style)},{names[j]}"
            for i, j in zip(found.left, found.right, strict=True)
        ]

    return make


@pytest.fixture(scope="session")
def java(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """Runs a Java program beside these tests on lines; gives the lines it prints."""
    command = shutil.which("java")
    if command is None:
        pytest.skip("no JDK here: Java's own library is the oracle")
    folder = tmp_path_factory.mktemp("oracle")

    def run(program: str, lines: list[str], *options: str) -> list[str]:
        listed = folder / f"{program}.txt"
        listed.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        source = Path(__file__).with_name(f"{program}.java")
        done = subprocess.run(
            [command, *JAVA, *options, str(source), str(listed)], check=True, capture_output=True
        )
        return done.stdout.decode("utf-8").split("\n")[:-1]

    return run
