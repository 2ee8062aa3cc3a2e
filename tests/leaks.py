"""What is served for an instance, and what a file without the answer would give: for tests that
nothing served tells the answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.masking.files import edited, name_edits, of_method
from corpora import VIEWS

Row = dict[str, Any]
Files = dict[str, JavaFile]
Masks = dict[str, Mask]
Leaks = Iterator[tuple[str, str]]


@lru_cache
def view_of(name: str) -> Any:
    return make_view(name)


def without_name(file: JavaFile, name: str) -> JavaFile:
    """Return the file with a method's name hidden."""
    return edited(file, name_edits(file, name))


def methods_of(corpus: Corpus) -> list[Row]:
    """All methods with a body, of every split."""
    found = corpus.query("select method_id from methods where body").to_pylist()
    return [corpus.method(str(row["method_id"])) for row in found]


def files_of(corpus: Corpus) -> Files:
    found = corpus.query("select file_id, source from files where language = 'java'")
    return {str(row["file_id"]): JavaFile(row["source"].encode()) for row in found.to_pylist()}


def looked_at(method: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Views, each with the tools whose output is looked at as well: of every method its text and
    its tokens, of every 24th all views, of every 48th as every tool gives them."""
    lot = int(method[:2], 16)
    for name in VIEWS if lot % 24 == 0 else ("text", "tokens"):
        yield name, tuple(view_of(name).compats) if lot % 48 == 0 else ()


def served(context: CorpusContext, method: str, other: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, tools in looked_at(other):
        found[name] = context.view_of(method, other, name)
        for compat in tools:
            found[f"{name} as {compat}"] = context.view_of(method, other, name, compat)
    return found


def computed(file: JavaFile, row: Row, text: str | None = None) -> dict[str, Any]:
    """All views of a method from a file alone; ``text`` where people see another one."""
    method = file.declarations.methods[row["place"]]
    alone = of_method(file, row["place"])
    seeds = np.array([int(row["method_id"].replace("-", ""), 16) >> 64], dtype=np.uint64)
    told = {"name": method.name, "text": text or file.syntax.text(method.node)}
    found: dict[str, Any] = {}
    for name, tools in looked_at(row["method_id"]):
        view = view_of(name)
        rows = {
            table.name: {key: lists[0] for key, lists in table.columns(alone, seeds).items()}
            for table in view.tables
        }
        found[name] = view.value(told, rows)
        for compat in tools:
            found[f"{name} as {compat}"] = view.compatible(compat, file, row["place"])
    return found


def noticed(leaks: Leaks, kinds: Collection[str]) -> bool:
    """Whether there are leaks of all these kinds; looks no further then."""
    missing = set(kinds)
    for _, what in leaks:
        missing.discard(what)
        if not missing:
            return True
    return False


def strings(value: Any) -> Iterator[str]:
    """All texts of a JSON value."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            pending += one.values()
        elif isinstance(one, list | tuple):
            pending += one


class Spy:
    """A view that somebody else wrote: shows all it can get hold of."""

    name = "spy"
    compats: Mapping[str, str] = {"all": "the source too"}

    def __init__(self) -> None:
        self.tables = (view_of("tokens").tables[0],)

    def value(self, method: Row, rows: Mapping[str, Row]) -> Any:
        hidden = ("method_id", "type_id", "file_id", "project_id")
        told = {key: value for key, value in method.items() if key not in hidden}
        return json.loads(json.dumps([told, rows["tokens"]["spelling"]]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Any:
        method = file.declarations.methods[place]
        comment = file.syntax.text(method.javadoc) if method.javadoc != NONE else ""
        return [file.source.decode(), method.name, comment, list(file.names.words)]
