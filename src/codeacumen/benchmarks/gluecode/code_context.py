"""Serve views of the code around a method, from a corpus, with the task's answer hidden.

The answer is removed from the files' sources first, including those of other packages, and every
view is computed from the remainder (``views.masking.files``). Stored views are served only where
nothing is hidden.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from codeacumen.api import CodeacumenError, Json, View
from codeacumen.benchmarks.gluecode.masks import COMPLETION, NAMING, OPERATORS, Mask, without_token
from codeacumen.benchmarks.gluecode.owner import Owners
from codeacumen.benchmarks.gluecode.specs import SPECS
from codeacumen.core.files import sha256_of
from codeacumen.corpus import Corpus
from codeacumen.corpus.ids import signature
from codeacumen.corpus.manifest import NAME
from codeacumen.corpus.store import CALLS, compat_of
from codeacumen.datasets.built import BuiltDataset
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.masking.files import (
    MASKED,
    MASKED_CALL,
    Edits,
    call_edits,
    edited,
    moved,
    name_edits,
    of_method,
    operator_edits,
    without_operator,
)
from codeacumen.views.masking.text import masked_other, plain
from codeacumen.views.paths import METHOD_NAME

Row = dict[str, Any]

_COLUMNS = (
    "method_id",
    "project",
    "path",
    "line",
    "type",
    "name",
    "signature",
    "text",
    "file_id",
    "place",
    "start_byte",
    "end_byte",
)
_LABEL = re.compile(r"(.*?)([^.(/]*)((?:[(/].*)?)", re.DOTALL)
# Files that are cached, original and masked: methods of one file are usually requested together.
_KEPT = 16


def _nothing(method: str) -> Mapping[str, Json]:
    return {}


class CorpusContext:
    """Code context from a corpus.

    ``mask_of`` returns the hidden part of a method's instance, ``context_of`` the data set's
    context of a masked call. ``other`` is another method, shown with the first method's answer
    hidden.
    """

    def __init__(
        self,
        corpus: Corpus,
        mask_of: Callable[[str], Mask],
        context_of: Callable[[str], Mapping[str, Json]] = _nothing,
    ) -> None:
        self.corpus = corpus
        self._mask_of, self._context_of = mask_of, context_of
        self._file = lru_cache(maxsize=_KEPT)(self._parsed)
        self._masked = lru_cache(maxsize=_KEPT)(self._hidden)
        self._call = lru_cache(maxsize=_KEPT)(self._hidden_call)
        self._package = lru_cache(maxsize=4096)(self._package_of)
        self._view = lru_cache(maxsize=16)(make_view)
        self._owners = Owners(corpus)

    def describe(self, method: str) -> Mapping[str, Json]:
        return self._context_of(method)

    def text(self, method: str) -> str:
        return str(self.view(method, "text"))

    def view(self, method: str, name: str, compat: str = "") -> Json:
        return self.view_of(method, method, name, compat)

    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json:
        """Return a view of the other method; None if it has no body and the view needs one."""
        if name == CALLS:
            compat_of(None, compat)
            return self.calls(method, other)
        view: View = self._view(name)
        compat_of(view, compat)
        row = self.corpus.method(other)
        if not row["body"] and (compat or view.tables):
            return None
        mask = self._mask_of(method)
        if not self._is_masked(mask, method, row["file_id"]):
            return self.corpus.view(other, name, compat)
        place, shard = row["place"], self._shard(other)
        # Only views without arrays show the text to people.
        shown = MASKED_CALL if view.tables and mask.task == COMPLETION else MASKED
        file = self._masked(shard, row["file_id"], mask, shown)
        if compat:
            return view.compatible(compat, file, place)
        told = self._told(row, file, self._masked(shard, row["file_id"], mask, MASKED))
        return view.value(told, _rows_of(view, file, place, other))

    def _is_masked(self, mask: Mask, method: str, file_id: str) -> bool:
        """Return whether a file has hidden parts: a name in any file, a token in the method's
        own.
        """
        if mask.task in (COMPLETION, OPERATORS):
            own = self.corpus.row("methods", self.corpus.number(method), ["file_id"])
            return bool(own["file_id"] == file_id)
        return mask.task == NAMING

    def _told(self, row: Row, file: JavaFile, shown: JavaFile) -> Row:
        """Return a method's row as the masked file has it: even the original length would leak
        information.
        """
        declared = file.declarations
        method = declared.methods[row["place"]]
        comment = method.javadoc
        return {
            **row,
            "name": method.name,
            "signature": signature(declared, method),
            "start_byte": int(file.syntax.start[method.node]),
            "end_byte": int(file.syntax.end[method.node]),
            "javadoc": file.syntax.text(comment) if comment != NONE else "",
            "text": shown.syntax.text(method.node),
        }

    def _shard(self, method: str) -> int:
        return self.corpus.shard_of(self.corpus.number(method))

    def _parsed(self, shard: int, file_id: str) -> JavaFile:
        name = self.corpus.shards[shard]
        return JavaFile(self.corpus.row_with(name, "files", "file_id", file_id)["source"].encode())

    def _hidden(self, shard: int, file_id: str, mask: Mask, shown: str) -> JavaFile:
        file = self._file(shard, file_id)
        if mask.task == OPERATORS:
            return without_operator(file, mask.start)
        return edited(file, _edits(file, mask, shown))

    def _package_of(self, shard: int, file_id: str) -> str:
        path = self.corpus.table(self.corpus.shards[shard], "files")
        (row,) = self.corpus.take(path, self.corpus.where(path, "file_id", file_id), ["package"])
        return str(row["package"])

    def siblings(self, method: str, other: str = "") -> Sequence[Mapping[str, Json]]:
        return self._brief(method, self.corpus.siblings(other or method))

    def callers(self, method: str, other: str = "") -> Sequence[Mapping[str, Json]]:
        found = self.corpus.callers(other or method)
        return self._brief(method, found, self._not_callers(method, other or method))

    def callees(self, method: str, other: str = "") -> Sequence[Mapping[str, Json]]:
        found = self.corpus.callees(other or method)
        hidden = self._call(method, self._mask_of(method)).get(other or method, ())
        return self._brief(method, found, hidden)

    def owner(self, method: str) -> Mapping[str, Json]:
        """Return a summary of the class around a method, its siblings, callers and callees."""
        mask, number = self._mask_of(method), self.corpus.number(method)
        row = self.corpus.row("methods", number, ["file_id", "place"])
        file = self._file(self.corpus.shard_of(number), row["file_id"])
        masked = self._is_masked(mask, method, row["file_id"])
        edits = _edits(file, mask, MASKED) if masked else ()
        name = mask.name if mask.task == NAMING else ""
        # A masked call hides its targets, and its own method from the targets' callers.
        callers = frozenset(map(self.corpus.number, self._not_callers(method, method)))
        callees = frozenset(map(self.corpus.number, self._call(method, mask).get(method, ())))
        return self._owners.around(number, row["place"], file, edits, name, callers, callees)

    def calls(self, method: str, other: str = "") -> list[Row]:
        """Return the calls in a method, without a masked one."""
        other = other or method
        mask, found = self._mask_of(method), self.corpus.calls(other)
        row = self.corpus.row("methods", self.corpus.number(other), ["file_id"])
        if not self._is_masked(mask, method, row["file_id"]):
            return found
        if mask.task == COMPLETION:
            found = [call for call in found if call["start_byte"] != mask.start]
        if mask.task == NAMING:
            found = [{**call, "callee": _callee(call["callee"], mask.name)} for call in found]
        edits = _edits(self._file(self._shard(other), row["file_id"]), mask, MASKED_CALL)
        starts = moved(np.array([call["start_byte"] for call in found], dtype=np.int32), edits)
        return [
            {**call, "start_byte": start}
            for call, start in zip(found, starts.tolist(), strict=True)
        ]

    def _not_callers(self, method: str, other: str) -> list[str]:
        """Return the methods that call the other method by the masked call alone."""
        reached = self._call(method, self._mask_of(method))
        return [caller for caller, targets in reached.items() if other in targets]

    def _hidden_call(self, method: str, mask: Mask) -> dict[str, frozenset[str]]:
        """Return the methods that enclose a masked call, each with the targets of this call alone.

        Targets that a visible call also reaches stay visible: their absence would leak the answer.
        """
        if mask.task != COMPLETION:
            return {}
        corpus, shard = self.corpus, self._shard(method)
        path = corpus.table(corpus.shards[shard], "methods")
        own = corpus.row("methods", corpus.number(method), ["file_id"])
        spans = corpus.take(
            path,
            corpus.where(path, "file_id", own["file_id"]),
            ["method_id", "start_byte", "end_byte"],
        )
        found: dict[str, frozenset[str]] = {}
        for row in spans:
            if row["start_byte"] <= mask.start < row["end_byte"]:
                masked, visible = set[str](), set[str]()
                for call in corpus.calls(row["method_id"]):
                    is_masked = call["start_byte"] == mask.start
                    (masked if is_masked else visible).update(call["targets"])
                found[row["method_id"]] = frozenset(masked - visible)
        return found

    def _brief(
        self, method: str, found: Iterable[Row], hidden: Collection[str] = ()
    ) -> list[Mapping[str, Json]]:
        """Return rows of methods with the answer hidden, without the hidden methods."""
        ids = [row["method_id"] for row in found if row["method_id"] not in hidden]
        numbers = [self.corpus.number(one) for one in ids]
        mask = self._mask_of(method)
        return [
            self._seen(method, mask, self.corpus.shard_of(number), row)
            for number, row in zip(
                numbers, self.corpus.rows("methods", numbers, _COLUMNS), strict=True
            )
        ]

    def _seen(self, method: str, mask: Mask, shard: int, row: Row) -> Mapping[str, Json]:
        package = self._package(shard, row["file_id"])
        name, told, text = row["name"], row["signature"], row["text"]
        if self._is_masked(mask, method, row["file_id"]):
            if mask.task == NAMING:
                alone = masked_other(text, mask.name)
                text = alone if alone is not None else self._text_in_file(shard, mask, row)
                if plain(name) == plain(mask.name):
                    told = METHOD_NAME + told[len(name) :] if told.startswith(name) else told
                    name = METHOD_NAME
            elif row["start_byte"] <= mask.start < row["end_byte"]:
                text = without_token(text, mask.start - row["start_byte"], mask.length)
        return {
            "id": row["method_id"],
            "project": row["project"],
            "path": row["path"],
            "line": row["line"],
            "type": ".".join(filter(None, (package, row["type"]))),
            "name": name,
            "signature": told,
            "text": text,
        }

    def _text_in_file(self, shard: int, mask: Mask, row: Row) -> str:
        file = self._masked(shard, row["file_id"], mask, MASKED)
        return file.syntax.text(file.declarations.methods[row["place"]].node)


def _edits(file: JavaFile, mask: Mask, shown: str) -> Edits:
    if mask.task == NAMING:
        return name_edits(file, mask.name)
    if mask.task == OPERATORS:
        return operator_edits(file, mask.start)
    return call_edits(file, mask.start, shown)


def _rows_of(view: View, file: JavaFile, place: int, method: str) -> dict[str, Row]:
    """Return the rows that the store would have for one method, as input of a view."""
    alone = of_method(file, place)
    seeds = np.array([uuid.UUID(method).int >> 64], dtype=np.uint64)
    return {
        table.name: {name: lists[0] for name, lists in table.columns(alone, seeds).items()}
        for table in view.tables
    }


def _callee(label: str, name: str) -> str:
    """Return a call's target, ``package.Type.name(types)`` or ``name/2``, with the name masked."""
    match = _LABEL.fullmatch(label)
    if match is None or plain(match[2]) != plain(name):
        return label
    return f"{match[1]}{METHOD_NAME}{match[3]}"


def open_context(built: BuiltDataset, kind: str) -> CorpusContext | None:
    """Return the code context of a data set's task; None if its corpus is not beside it."""
    about = built.about.get("corpus")
    if not isinstance(about, dict) or "folder" not in about:
        return None
    path = built.folder / about["folder"]
    if not (path / NAME).is_file() or sha256_of(path / NAME) != about["manifest_sha256"]:
        return None
    masks: dict[str, Mask] = {}
    contexts: dict[str, Mapping[str, Json]] = {}
    for row in built.rows(f"{kind}.jsonl"):
        masks[row["id"]] = _mask(kind, row)
        contexts[row["id"]] = {name: row[name] for name in SPECS[kind].context}

    def mask_of(method: str) -> Mask:
        if method not in masks:
            raise CodeacumenError(
                f"{built.folder} has no instance for the method {method}",
                "the code context covers the methods of the data set's rows",
            )
        return masks[method]

    return CorpusContext(Corpus.open(path), mask_of, lambda method: contexts.get(method, {}))


def _mask(kind: str, row: Mapping[str, Json]) -> Mask:
    if kind == NAMING:
        return Mask(kind, name=row["label"])
    if kind in (COMPLETION, OPERATORS):
        return Mask(kind, start=row["start_byte"], length=row["end_byte"] - row["start_byte"])
    return Mask(kind)
