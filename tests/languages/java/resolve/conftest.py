"""Fixture that links small Java sources and formats each call as one line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeacumen.languages.java.resolve import Call, JavaProject, extract_facts, load_platform
from codeacumen.languages.java.syntax.file import JavaFile

Link = Callable[..., dict[str, list[str]]]


@pytest.fixture
def link() -> Link:
    """Return a function that links source texts and lists their calls by the name at the call.

    A call is formatted as its kind, the named method, ``->`` (``?`` if ambiguous) and the methods
    it may reach.
    """

    def link_sources(*sources: str) -> dict[str, list[str]]:
        files = {f"{index}.java": JavaFile(text.encode()) for index, text in enumerate(sources)}
        facts_by_path = {path: extract_facts(file) for path, file in files.items()}
        project = JavaProject(
            [(path, file_facts.declared) for path, file_facts in facts_by_path.items()],
            load_platform(),
        )
        calls_by_name: dict[str, list[str]] = {}
        for path, file in files.items():
            for call in project.link_file(path, facts_by_path[path].sites):
                calls_by_name.setdefault(_read_identifier(file.source, call.offset), []).append(
                    _format_call(files, call)
                )
        return calls_by_name

    return link_sources


def _read_identifier(source: bytes, offset: int) -> str:
    text = source[offset:].decode()
    length = next(
        (index for index, letter in enumerate(text) if not letter.isidentifier()), len(text)
    )
    return text[:length]


def _format_call(files: dict[str, JavaFile], call: Call) -> str:
    names = []
    for path, method_index in call.targets:
        declarations = files[path].declarations
        method = declarations.methods[method_index]
        names.append(".".join([*declarations.type_path(method.type), method.name]))
    arrow = "?" if call.ambiguous else "->"
    kind = f"{call.kind}&" if call.reference else call.kind
    return " ".join([kind, call.callee, arrow, *sorted(names)])
