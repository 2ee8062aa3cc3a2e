"""Compare what is served for an instance with what a file without the answer shows, for tests that
no served view leaks the answer."""

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
from codeacumen.views.masking.files import edit_file, name_edits, restrict_to_method
from corpora import VIEWS

Row = dict[str, Any]
Files = dict[str, JavaFile]
Masks = dict[str, Mask]
Leaks = Iterator[tuple[str, str]]


@lru_cache
def make_cached_view(name: str) -> Any:
    return make_view(name)


def hide_name(file: JavaFile, name: str) -> JavaFile:
    """Return the file with a method's name hidden."""
    return edit_file(file, name_edits(file, name))


def load_methods(corpus: Corpus) -> list[Row]:
    """Return all methods with a body, of every split."""
    table = corpus.query("select method_id from methods where body").to_pylist()
    return [corpus.method(str(row["method_id"])) for row in table]


def load_files(corpus: Corpus) -> Files:
    table = corpus.query("select file_id, source from files where language = 'java'")
    return {str(row["file_id"]): JavaFile(row["source"].encode()) for row in table.to_pylist()}


def select_views(method: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the views to compare, each with the tools whose output is compared too: text and tokens
    for every method, all views for every 24th, and all tools' formats for every 48th."""
    lot_number = int(method[:2], 16)
    for name in VIEWS if lot_number % 24 == 0 else ("text", "tokens"):
        yield name, tuple(make_cached_view(name).compats) if lot_number % 48 == 0 else ()


def collect_served_views(context: CorpusContext, method: str, other: str) -> dict[str, Any]:
    views: dict[str, Any] = {}
    for name, tools in select_views(other):
        views[name] = context.view_of(method, other, name)
        for compat in tools:
            views[f"{name} as {compat}"] = context.view_of(method, other, name, compat)
    return views


def compute_views(file: JavaFile, row: Row, text: str | None = None) -> dict[str, Any]:
    """Compute all views of a method from a file alone; ``text`` replaces the method's shown
    text."""
    method = file.declarations.methods[row["place"]]
    alone = restrict_to_method(file, row["place"])
    seeds = np.array([int(row["method_id"].replace("-", ""), 16) >> 64], dtype=np.uint64)
    method_row = {"name": method.name, "text": text or file.syntax.text(method.node)}
    views: dict[str, Any] = {}
    for name, tools in select_views(row["method_id"]):
        view = make_cached_view(name)
        rows = {
            table.name: {key: lists[0] for key, lists in table.columns(alone, seeds).items()}
            for table in view.tables
        }
        views[name] = view.value(method_row, rows)
        for compat in tools:
            views[f"{name} as {compat}"] = view.compatible(compat, file, row["place"])
    return views


def has_leaks_of(leaks: Leaks, kinds: Collection[str]) -> bool:
    """Return whether there are leaks of all these kinds; stop once all are found."""
    missing = set(kinds)
    for _, kind in leaks:
        missing.discard(kind)
        if not missing:
            return True
    return False


def iterate_strings(value: Any) -> Iterator[str]:
    """Yield all texts of a JSON value."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item


class Spy:
    """A third-party view that shows everything it can access."""

    name = "spy"
    compats: Mapping[str, str] = {"all": "the source too"}

    def __init__(self) -> None:
        self.tables = (make_cached_view("tokens").tables[0],)

    def value(self, method: Row, rows: Mapping[str, Row]) -> Any:
        hidden = ("method_id", "type_id", "file_id", "project_id")
        visible = {key: value for key, value in method.items() if key not in hidden}
        return json.loads(json.dumps([visible, rows["tokens"]["spelling"]]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Any:
        method = file.declarations.methods[place]
        comment = file.syntax.text(method.javadoc) if method.javadoc != NONE else ""
        return [file.source.decode(), method.name, comment, list(file.names.words)]
