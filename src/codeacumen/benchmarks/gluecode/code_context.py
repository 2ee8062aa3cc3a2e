"""Serve views of the code around a method, from a corpus, with the task's answer hidden.

The answer is removed from the files' sources first, for ``naming`` in all files of the corpus, and
every view is computed from the remainder (``views.masking.files``). Stored views are served only
where nothing is hidden. Models that use the code context ask ``CorpusContext``, which
``open_context`` makes.

A mask is the hidden part of an instance (``masks.Mask``). A method has an id, the text of a UUID,
and a number, its index in the corpus; the column ``place`` has its index in its file.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from codeacumen.api import CodeacumenError, Json, View
from codeacumen.benchmarks.gluecode.masks import COMPLETION, NAMING, OPERATORS, Mask, mask_token
from codeacumen.benchmarks.gluecode.owner_summary import OwnerSummaries
from codeacumen.benchmarks.gluecode.specs import SPECS
from codeacumen.core.files import sha256_of
from codeacumen.corpus import Corpus
from codeacumen.corpus.ids import compute_signature
from codeacumen.corpus.manifest import NAME
from codeacumen.corpus.store import CALLS, require_compat
from codeacumen.datasets.built import BuiltDataset
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.masking.files import (
    MASKED,
    MASKED_CALL,
    Edits,
    call_edits,
    edit_file,
    map_offsets,
    name_edits,
    operator_edits,
    restrict_to_method,
    without_operator,
)
from codeacumen.views.masking.text import decode_name, mask_in_other_method
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
# The parts of a call's target: package and type, the method's name, types or number of arguments.
_LABEL = re.compile(r"(.*?)([^.(/]*)((?:[(/].*)?)", re.DOTALL)
# Files that are cached, original and masked: methods of one file are usually requested together.
_CACHED_FILES = 16


def _no_context(method: str) -> Mapping[str, Json]:
    return {}


class CorpusContext:
    """Code context from a corpus.

    ``mask_of`` returns the hidden part of a method's instance, ``context_of`` the data set's
    context of a masked call. Methods are ids. In all functions, ``method`` is the instance whose
    answer is hidden, ``other`` the method that is shown, by default (or if empty) the same.
    """

    def __init__(
        self,
        corpus: Corpus,
        mask_of: Callable[[str], Mask],
        context_of: Callable[[str], Mapping[str, Json]] = _no_context,
    ) -> None:
        self.corpus = corpus
        self._mask_of, self._context_of = mask_of, context_of
        self._load_file = lru_cache(maxsize=_CACHED_FILES)(self._parse_file)
        self._load_masked_file = lru_cache(maxsize=_CACHED_FILES)(self._mask_file)
        self._load_hidden_targets = lru_cache(maxsize=_CACHED_FILES)(self._find_hidden_targets)
        self._load_package = lru_cache(maxsize=4096)(self._read_package)
        self._load_view = lru_cache(maxsize=16)(make_view)
        self._owners = OwnerSummaries(corpus)

    def describe(self, method: str) -> Mapping[str, Json]:
        return self._context_of(method)

    def text(self, method: str) -> str:
        return str(self.view(method, "text"))

    def view(self, method: str, name: str, compat: str = "") -> Json:
        return self.view_of(method, method, name, compat)

    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json:
        """Return a view of the other method; None if it has no body and the view needs one.

        ``compat`` names the tool whose format the view has, or is empty.
        """
        if name == CALLS:
            require_compat(None, compat)
            return self.calls(method, other)
        view: View = self._load_view(name)
        require_compat(view, compat)
        row = self.corpus.method(other)
        if not row["body"] and (compat or view.tables):
            return None
        mask = self._mask_of(method)
        if not self._is_masked(mask, method, row["file_id"]):
            return self.corpus.view(other, name, compat)
        index, shard = row["place"], self._shard_of(other)
        # A view with tables has arrays for models; only views without any show the text to people.
        replacement = MASKED_CALL if view.tables and mask.task == COMPLETION else MASKED
        file = self._load_masked_file(shard, row["file_id"], mask, replacement)
        if compat:
            return view.compatible(compat, file, index)
        masked_row = self._mask_row(
            row, file, self._load_masked_file(shard, row["file_id"], mask, MASKED)
        )
        return view.value(masked_row, _compute_rows(view, file, index, other))

    def _is_masked(self, mask: Mask, method: str, file_id: str) -> bool:
        """Return whether a file may have hidden parts: any file for a name, the method's own file
        for a token.
        """
        if mask.task in (COMPLETION, OPERATORS):
            own = self.corpus.read_row("methods", self.corpus.number_of(method), ["file_id"])
            return bool(own["file_id"] == file_id)
        return mask.task == NAMING

    def _mask_row(self, row: Row, file: JavaFile, text_file: JavaFile) -> Row:
        """Return a method's row as the masked file has it: even the original length would leak
        information.

        ``text_file`` is the file masked for people, from which the text is taken.
        """
        declarations = file.declarations
        method = declarations.methods[row["place"]]
        comment = method.javadoc
        return {
            **row,
            "name": method.name,
            "signature": compute_signature(declarations, method),
            "start_byte": int(file.syntax.start[method.node]),
            "end_byte": int(file.syntax.end[method.node]),
            "javadoc": file.syntax.text(comment) if comment != NONE else "",
            "text": text_file.syntax.text(method.node),
        }

    def _shard_of(self, method: str) -> int:
        return self.corpus.shard_of(self.corpus.number_of(method))

    def _parse_file(self, shard: int, file_id: str) -> JavaFile:
        name = self.corpus.shards[shard]
        return JavaFile(
            self.corpus.read_row_with_id(name, "files", "file_id", file_id)["source"].encode()
        )

    def _mask_file(self, shard: int, file_id: str, mask: Mask, replacement: str) -> JavaFile:
        """Return a file without the answer; ``replacement`` takes the place of a masked call."""
        file = self._load_file(shard, file_id)
        if mask.task == OPERATORS:
            return without_operator(file, mask.start)
        return edit_file(file, _make_edits(file, mask, replacement))

    def _read_package(self, shard: int, file_id: str) -> str:
        path = self.corpus.table_path(self.corpus.shards[shard], "files")
        (row,) = self.corpus.take_rows(
            path, self.corpus.find_rows(path, "file_id", file_id), ["package"]
        )
        return str(row["package"])

    def siblings(self, method: str, other: str = "") -> Sequence[Mapping[str, Json]]:
        return self._describe_methods(method, self.corpus.siblings(other or method))

    def callers(self, method: str, other: str = "") -> Sequence[Mapping[str, Json]]:
        caller_rows = self.corpus.callers(other or method)
        return self._describe_methods(
            method, caller_rows, self._list_hidden_callers(method, other or method)
        )

    def callees(self, method: str, other: str = "") -> Sequence[Mapping[str, Json]]:
        callee_rows = self.corpus.callees(other or method)
        hidden = self._load_hidden_targets(method, self._mask_of(method)).get(other or method, ())
        return self._describe_methods(method, callee_rows, hidden)

    def owner(self, method: str) -> Mapping[str, Json]:
        """Return a summary of the class around a method, its siblings, callers and callees.

        ``OwnerSummaries`` makes it, bounded in size.
        """
        mask, number = self._mask_of(method), self.corpus.number_of(method)
        row = self.corpus.read_row("methods", number, ["file_id", "place"])
        file = self._load_file(self.corpus.shard_of(number), row["file_id"])
        is_masked = self._is_masked(mask, method, row["file_id"])
        edits = _make_edits(file, mask, MASKED) if is_masked else ()
        name = mask.name if mask.task == NAMING else ""
        # A masked call hides its targets, and its own method from the targets' callers.
        callers = frozenset(map(self.corpus.number_of, self._list_hidden_callers(method, method)))
        callees = frozenset(
            map(self.corpus.number_of, self._load_hidden_targets(method, mask).get(method, ()))
        )
        return self._owners.summarize(number, row["place"], file, edits, name, callers, callees)

    def calls(self, method: str, other: str = "") -> list[Row]:
        """Return the rows of the calls in a method, without a masked call.

        Their offsets are those in the masked file.
        """
        other = other or method
        mask, call_rows = self._mask_of(method), self.corpus.calls(other)
        row = self.corpus.read_row("methods", self.corpus.number_of(other), ["file_id"])
        if not self._is_masked(mask, method, row["file_id"]):
            return call_rows
        if mask.task == COMPLETION:
            call_rows = [call for call in call_rows if call["start_byte"] != mask.start]
        if mask.task == NAMING:
            call_rows = [
                {**call, "callee": _mask_callee(call["callee"], mask.name)} for call in call_rows
            ]
        edits = _make_edits(
            self._load_file(self._shard_of(other), row["file_id"]), mask, MASKED_CALL
        )
        starts = map_offsets(
            np.array([call["start_byte"] for call in call_rows], dtype=np.int32), edits
        )
        return [
            {**call, "start_byte": start}
            for call, start in zip(call_rows, starts.tolist(), strict=True)
        ]

    def _list_hidden_callers(self, method: str, other: str) -> list[str]:
        """Return the methods that call the other method by the masked call alone."""
        hidden_targets = self._load_hidden_targets(method, self._mask_of(method))
        return [caller for caller, targets in hidden_targets.items() if other in targets]

    def _find_hidden_targets(self, method: str, mask: Mask) -> dict[str, frozenset[str]]:
        """Return, by the id of each method around a masked call, the targets of this call alone.

        Targets that a visible call also reaches stay visible: their absence would leak the answer.
        """
        if mask.task != COMPLETION:
            return {}
        corpus, shard = self.corpus, self._shard_of(method)
        path = corpus.table_path(corpus.shards[shard], "methods")
        own_row = corpus.read_row("methods", corpus.number_of(method), ["file_id"])
        spans = corpus.take_rows(
            path,
            corpus.find_rows(path, "file_id", own_row["file_id"]),
            ["method_id", "start_byte", "end_byte"],
        )
        hidden_targets: dict[str, frozenset[str]] = {}
        for row in spans:
            if row["start_byte"] <= mask.start < row["end_byte"]:
                masked, visible = set[str](), set[str]()
                for call in corpus.calls(row["method_id"]):
                    is_masked = call["start_byte"] == mask.start
                    (masked if is_masked else visible).update(call["targets"])
                hidden_targets[row["method_id"]] = frozenset(masked - visible)
        return hidden_targets

    def _describe_methods(
        self, method: str, method_rows: Iterable[Row], hidden: Collection[str] = ()
    ) -> list[Mapping[str, Json]]:
        """Return the descriptions of methods with the answer hidden, without the hidden methods."""
        ids = [row["method_id"] for row in method_rows if row["method_id"] not in hidden]
        numbers = [self.corpus.number_of(method_id) for method_id in ids]
        mask = self._mask_of(method)
        return [
            self._describe_method(method, mask, self.corpus.shard_of(number), row)
            for number, row in zip(
                numbers, self.corpus.read_rows("methods", numbers, _COLUMNS), strict=True
            )
        ]

    def _describe_method(self, method: str, mask: Mask, shard: int, row: Row) -> Mapping[str, Json]:
        package = self._load_package(shard, row["file_id"])
        name, masked_signature, text = row["name"], row["signature"], row["text"]
        if self._is_masked(mask, method, row["file_id"]):
            if mask.task == NAMING:
                masked_text = mask_in_other_method(text, mask.name)
                text = (
                    masked_text if masked_text is not None else self._text_in_file(shard, mask, row)
                )
                if decode_name(name) == decode_name(mask.name):
                    masked_signature = (
                        METHOD_NAME + masked_signature[len(name) :]
                        if masked_signature.startswith(name)
                        else masked_signature
                    )
                    name = METHOD_NAME
            # The token is in this method, or in a method inside it.
            elif row["start_byte"] <= mask.start < row["end_byte"]:
                text = mask_token(text, mask.start - row["start_byte"], mask.length)
        return {
            "id": row["method_id"],
            "project": row["project"],
            "path": row["path"],
            "line": row["line"],
            "type": ".".join(filter(None, (package, row["type"]))),
            "name": name,
            "signature": masked_signature,
            "text": text,
        }

    def _text_in_file(self, shard: int, mask: Mask, row: Row) -> str:
        """Return a method's text in the masked file, for texts that cannot be masked alone."""
        file = self._load_masked_file(shard, row["file_id"], mask, MASKED)
        return file.syntax.text(file.declarations.methods[row["place"]].node)


def _make_edits(file: JavaFile, mask: Mask, replacement: str) -> Edits:
    if mask.task == NAMING:
        return name_edits(file, mask.name)
    if mask.task == OPERATORS:
        return operator_edits(file, mask.start)
    return call_edits(file, mask.start, replacement)


def _compute_rows(view: View, file: JavaFile, index: int, method: str) -> dict[str, Row]:
    """Return the row of each of a view's tables that the corpus would store for one method.

    ``index`` is the method's index in the file, ``method`` its id.
    """
    method_file = restrict_to_method(file, index)
    # The upper half of the id seeds the view's random samples, as in the build of the corpus.
    seeds = np.array([uuid.UUID(method).int >> 64], dtype=np.uint64)
    return {
        table.name: {name: lists[0] for name, lists in table.columns(method_file, seeds).items()}
        for table in view.tables
    }


def _mask_callee(label: str, name: str) -> str:
    """Return a call's target, ``package.Type.name(types)`` or ``name/2``, with the name masked.

    A target with another name is returned unchanged.
    """
    match = _LABEL.fullmatch(label)
    if match is None or decode_name(match[2]) != decode_name(name):
        return label
    return f"{match[1]}{METHOD_NAME}{match[3]}"


def open_context(built: BuiltDataset, kind: str) -> CorpusContext | None:
    """Return the code context of a data set's task, or None if its corpus is not available.

    The corpus must lie where ``dataset.json`` says and be unchanged. ``kind`` is the task's name.
    """
    about = built.about.get("corpus")
    if not isinstance(about, dict) or "folder" not in about:
        return None
    path = built.folder / about["folder"]
    if not (path / NAME).is_file() or sha256_of(path / NAME) != about["manifest_sha256"]:
        return None
    masks: dict[str, Mask] = {}
    contexts: dict[str, Mapping[str, Json]] = {}
    for row in built.read_rows(f"{kind}.jsonl"):
        masks[row["id"]] = _make_mask(kind, row)
        contexts[row["id"]] = {name: row[name] for name in SPECS[kind].context}

    def mask_of(method: str) -> Mask:
        if method not in masks:
            raise CodeacumenError(
                f"{built.folder} has no instance for the method {method}",
                "the code context covers the methods of the data set's rows",
            )
        return masks[method]

    return CorpusContext(Corpus.open(path), mask_of, lambda method: contexts.get(method, {}))


def _make_mask(kind: str, row: Mapping[str, Json]) -> Mask:
    if kind == NAMING:
        return Mask(kind, name=row["label"])
    if kind in (COMPLETION, OPERATORS):
        return Mask(kind, start=row["start_byte"], length=row["end_byte"] - row["start_byte"])
    return Mask(kind)
