"""Nothing that is served for an instance of completion tells the call, nothing that is served for
one of operators the operator; and tasks that hide nothing show all.

For every method with a body, a view that is served is the one that a fresh parse gives of a source
in which the token stands masked, or is another that binds alike: so it is a function of what does
not hold the answer. Each comparison is shown to find something as soon as a mask is left out.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from codeacumen.benchmarks.gluecode import code_context as contexts
from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.corpus import Corpus
from codeacumen.languages.java.measures.operators import operators
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.masking.files import MASKED_CALL, without_operator
from corpora import VIEWS
from leaks import Files, Leaks, Masks, Row, Spy, computed, files_of, methods_of, noticed, served
from support import some

# What decides alike in an expression: the tree is the same, whichever of the two it is.
ALIKE = {
    "+": "-", "-": "+", "*": "%", "/": "*", "%": "/", "==": "!=", "!=": "==", "<": ">=",
    "<=": "<", ">": "<=", ">=": "<", "=": "=",
}  # fmt: skip


@pytest.fixture(scope="module")
def methods(examples_corpus: Corpus) -> list[Row]:
    return methods_of(examples_corpus)


@pytest.fixture(scope="module")
def files(examples_corpus: Corpus) -> Files:
    return files_of(examples_corpus)


# --------------------------------------------------------------------------------------
# Completion.
# --------------------------------------------------------------------------------------


def completion_masks(corpus: Corpus, methods: list[Row], files: Files) -> Masks:
    """One call of each method that calls one."""
    masks: Masks = {}
    for row in methods:
        calls = [
            call
            for call in corpus.calls(row["method_id"])
            if not call["reference"] and "<init>" not in call["callee"]
        ]
        if calls:
            start = calls[len(row["text"]) % len(calls)]["start_byte"]
            tokens = files[row["file_id"]].tokens
            end = int(tokens.end[np.searchsorted(tokens.start, start)])
            masks[row["method_id"]] = Mask("completion", start=start, length=end - start)
    return masks


def completion_leaks(
    context: CorpusContext, methods: list[Row], masks: Masks, files: Files
) -> Leaks:
    corpus = context.corpus
    for row in methods:
        method = row["method_id"]
        if method not in masks:
            continue
        mask, source = masks[method], files[row["file_id"]].source
        end = mask.start + mask.length
        at = mask.start - row["start_byte"]
        text = row["text"].encode()
        shown = (text[:at] + b"<MASK>" + text[at + mask.length :]).decode()
        fresh = JavaFile(source[: mask.start] + MASKED_CALL.encode() + source[end:])
        wanted = computed(fresh, row, shown)
        if "text as gluecode" in wanted:
            lines = wanted["text as gluecode"]
            wanted["text as gluecode"] = lines.replace(MASKED_CALL, "<MASK>", 1)
        seen = served(context, method, method)
        yield from ((method, name) for name in wanted if seen[name] != wanted[name])
        calls = corpus.calls(method)
        (hidden,) = (call for call in calls if call["start_byte"] == mask.start)
        told = [(call["callee"], call["line"]) for call in calls if call is not hidden]
        if [(call["callee"], call["line"]) for call in context.calls(method)] != told:
            yield method, "calls"
        # Whoever another call reaches is told, or it would be told by its absence.
        visible = {target for call in calls if call is not hidden for target in call["targets"]}
        visible -= {method}
        if {one["id"] for one in context.callees(method)} != visible:
            yield method, "callees"
        name, owner = source[mask.start : end].decode(), context.owner(method)
        if name in owner["gives"] and not re.search(rf"\b{name}\b", shown):
            yield method, "gives"
        if set(owner["gives"]) != {corpus.method(one)["name"] for one in visible}:
            yield method, "gives"
        for target in set(hidden["targets"][:3]) - {method}:
            told_caller = method in {one["id"] for one in context.callers(method, target)}
            if told_caller != (target in visible):
                yield method, "callers"


def test_a_masked_call_is_in_no_view_and_no_edge(
    examples_corpus: Corpus, methods: list[Row], files: Files
) -> None:
    masks = completion_masks(examples_corpus, methods, files)
    assert len(masks) > 400
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert list(completion_leaks(context, some(methods), masks, files)) == []


@pytest.mark.parametrize(
    ("hole", "nothing", "where"),
    [
        ("_is_masked", False, {"text", "tokens", "code2vec", "code2seq", "graph", "calls"}),
        ("_hidden_call", {}, {"callees", "callers", "gives"}),
    ],
)
def test_a_hole_in_the_mask_of_a_call_is_noticed(
    hole: str,
    nothing: Any,
    where: set[str],
    examples_corpus: Corpus,
    methods: list[Row],
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = completion_masks(examples_corpus, methods, files)
    monkeypatch.setattr(CorpusContext, hole, lambda *_: nothing)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert noticed(completion_leaks(context, methods, masks, files), where)


# --------------------------------------------------------------------------------------
# Operators.
# --------------------------------------------------------------------------------------


def operator_masks(methods: list[Row], files: Files) -> Masks:
    """One operator of each method that has one."""
    masks: Masks = {}
    by_place = {(row["file_id"], row["place"]): row["method_id"] for row in methods}
    for id_, file in files.items():
        found = operators(file)
        for place, node in zip(found.method.tolist(), found.node.tolist(), strict=True):
            start, end = int(file.syntax.start[node]), int(file.syntax.end[node])
            # The last one counts.
            masks[by_place[id_, place]] = Mask("operators", start=start, length=end - start)
    return masks


def operator_leaks(context: CorpusContext, methods: list[Row], masks: Masks, files: Files) -> Leaks:
    """Whether it matters which of two operators, which bind alike, is hidden."""
    for row in methods:
        method = row["method_id"]
        if method not in masks:
            continue
        mask, source = masks[method], files[row["file_id"]].source
        end = mask.start + mask.length
        other = ALIKE[source[mask.start : end].decode()].encode()
        changed = JavaFile(source[: mask.start] + other + source[end:])
        wanted = computed(without_operator(changed, mask.start), row)
        seen = served(context, method, method)
        yield from ((method, name) for name in wanted if seen[name] != wanted[name])
        if seen["text"].count("<MASK>") != 1 or seen["tokens"].count("MASK") != 1:
            yield method, "no mask"
        calls = context.corpus.calls(method)
        moved = [
            call["start_byte"] + (len("<MASK>") - mask.length) * (call["start_byte"] > mask.start)
            for call in calls
        ]
        if [call["start_byte"] for call in context.calls(method)] != moved:
            yield method, "places of calls"


def test_no_view_tells_which_operator_is_hidden(
    examples_corpus: Corpus, methods: list[Row], files: Files
) -> None:
    masks = operator_masks(methods, files)
    assert len(masks) > 250
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert list(operator_leaks(context, some(methods), masks, files)) == []


def test_an_operator_that_is_not_hidden_is_noticed(
    examples_corpus: Corpus,
    methods: list[Row],
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = operator_masks(methods, files)
    monkeypatch.setattr(CorpusContext, "_is_masked", lambda *_: False)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    kinds = {*VIEWS, "no mask", "places of calls"}
    assert noticed(operator_leaks(context, methods, masks, files), kinds)


def test_a_spy_sees_no_length_of_an_operator(
    examples_corpus: Corpus,
    methods: list[Row],
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = operator_masks(methods, files)
    monkeypatch.setattr(contexts, "make_view", lambda name: Spy())
    context = CorpusContext(examples_corpus, masks.__getitem__)
    for row in methods:
        if row["method_id"] in masks:
            told, _ = context.view(row["method_id"], "spy")
            assert told["end_byte"] - told["start_byte"] == len(told["text"].encode())


# --------------------------------------------------------------------------------------
# Tasks that hide nothing.
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["npath", "nulltoken"])
def test_tasks_that_hide_nothing_show_what_is_stored(
    task: str, examples_corpus: Corpus, methods: list[Row]
) -> None:
    context = CorpusContext(examples_corpus, lambda _: Mask(task))
    for row in methods[::40]:
        method = row["method_id"]
        for name in (*VIEWS, "calls"):
            assert context.view(method, name) == examples_corpus.view(method, name)
