"""Fixtures that extract path contexts from a few lines of Java."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import MethodPaths, Style, build_paths, format_path, paths_of_method
from codeacumen.views.paths.build import DECLARES, INNER
from javac import JAVA

Contexts = Callable[..., list[str]]


@pytest.fixture(scope="session")
def extract_from_members() -> Callable[..., MethodPaths]:
    """Return a function that extracts the paths of one method of a class with given members."""

    def extract_first_method(
        members: str, row: int = 0, length: int = 8, width: int = 2
    ) -> MethodPaths:
        file = JavaFile(f"class C {{ {members} }}".encode())
        methods = range(len(file.declarations.methods))
        file_paths = build_paths(
            file, methods, max_length=length, max_width=width, max_contexts=None
        )
        return paths_of_method(file_paths, row)

    return extract_first_method


@pytest.fixture(scope="session")
def contexts(extract_from_members: Callable[..., MethodPaths]) -> Contexts:
    """Return a function that lists all contexts of a method as the extractors print them."""

    def list_contexts(members: str, style: Style = "code2seq", **options: int) -> list[str]:
        method = extract_from_members(members, **options)
        names = [
            "METHOD_NAME" if role in (DECLARES, INNER) else name
            for name, role in zip(method.name, method.role, strict=True)
        ]
        tree = method.kind, method.parent, method.child
        return [
            ",".join(
                (
                    names[left],
                    format_path(*tree, method.leaf[left], method.leaf[right], style),
                    names[right],
                )
            )
            for left, right in zip(method.left, method.right, strict=True)
        ]

    return list_contexts


@pytest.fixture(scope="session")
def java(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """Return a function that runs a Java program of this folder on lines and returns its output."""
    command = shutil.which("java")
    if command is None:
        pytest.skip("no JDK here: Java's own library is the oracle")
    folder = tmp_path_factory.mktemp("oracle")

    def run_program(program: str, lines: list[str], *options: str) -> list[str]:
        list_path = folder / f"{program}.txt"
        list_path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        source = Path(__file__).with_name(f"{program}.java")
        completed = subprocess.run(
            [command, *JAVA, *options, str(source), str(list_path)], check=True, capture_output=True
        )
        return completed.stdout.decode("utf-8").split("\n")[:-1]

    return run_program
