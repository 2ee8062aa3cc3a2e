"""Path contexts of a few lines of Java."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from acumen.lang.java.file import JavaFile
from acumen.views.paths import MethodPaths, Style, method_paths, path_string, paths
from acumen.views.paths.build import DECLARES, INNER

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
