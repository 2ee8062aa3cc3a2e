"""Small Java in, calls out, told in a line each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.languages.java.resolve import Call, Project, facts, platform
from codeacumen.languages.java.syntax.file import JavaFile

Link = Callable[..., dict[str, list[str]]]


@pytest.fixture
def link() -> Link:
    """Links files given as texts; gives for each name at which a call stands what is told of the
    calls: kind, what it names, and the methods it may reach, ``?`` before them if ambiguous."""

    def run(*sources: str) -> dict[str, list[str]]:
        files = {f"{place}.java": JavaFile(text.encode()) for place, text in enumerate(sources)}
        made = {path: facts(file) for path, file in files.items()}
        project = Project([(path, one.declared) for path, one in made.items()], platform())
        told: dict[str, list[str]] = {}
        for path, file in files.items():
            for call in project.link(path, made[path].sites):
                told.setdefault(_word(file.source, call.offset), []).append(_line(files, call))
        return told

    return run


def _word(source: bytes, offset: int) -> str:
    text = source[offset:].decode()
    size = next((i for i, letter in enumerate(text) if not letter.isidentifier()), len(text))
    return text[:size]


def _line(files: dict[str, JavaFile], call: Call) -> str:
    names = []
    for path, place in call.targets:
        declared = files[path].declarations
        method = declared.methods[place]
        names.append(".".join([*declared.path(method.type), method.name]))
    mark = "?" if call.ambiguous else "->"
    kind = f"{call.kind}&" if call.reference else call.kind
    return " ".join([kind, call.callee, mark, *sorted(names)])
