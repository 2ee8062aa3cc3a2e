"""Tests that no served view leaks the masked call (completion) or the masked operator (operators),
and that tasks without a mask serve the stored views.

For each method with a body, a served view equals the view of a fresh parse of a source in which the
token is masked, or is replaced by another operator of the same precedence. So the view depends
only on text without the answer. Each comparison is shown to fail as soon as one mask is removed.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from answer_leaks import (
    Files,
    Leaks,
    Masks,
    Row,
    Spy,
    collect_served_views,
    compute_views,
    has_leaks_of,
    load_files,
    load_methods,
)
from codeacumen.benchmarks.gluecode import code_context as contexts
from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.corpus import Corpus
from codeacumen.languages.java.measures.operators import find_operators
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.masking.files import MASKED_CALL, without_operator
from corpora import VIEWS
from support import take_every

# Pairs of operators with the same precedence: exchanging them leaves the syntax tree unchanged.
SAME_PRECEDENCE = {
    "+": "-", "-": "+", "*": "%", "/": "*", "%": "/", "==": "!=", "!=": "==", "<": ">=",
    "<=": "<", ">": "<=", ">=": "<", "=": "=",
}  # fmt: skip


@pytest.fixture(scope="module")
def methods(examples_corpus: Corpus) -> list[Row]:
    return load_methods(examples_corpus)


@pytest.fixture(scope="module")
def files(examples_corpus: Corpus) -> Files:
    return load_files(examples_corpus)


# --------------------------------------------------------------------------------------
# Completion.
# --------------------------------------------------------------------------------------


def make_completion_masks(corpus: Corpus, methods: list[Row], files: Files) -> Masks:
    """Return a mask of one call for each method that has a call."""
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


def find_completion_leaks(
    context: CorpusContext, methods: list[Row], masks: Masks, files: Files
) -> Leaks:
    corpus = context.corpus
    for row in methods:
        method = row["method_id"]
        if method not in masks:
            continue
        mask, source = masks[method], files[row["file_id"]].source
        end = mask.start + mask.length
        offset = mask.start - row["start_byte"]
        text = row["text"].encode()
        masked_text = (text[:offset] + b"<MASK>" + text[offset + mask.length :]).decode()
        fresh = JavaFile(source[: mask.start] + MASKED_CALL.encode() + source[end:])
        expected = compute_views(fresh, row, masked_text)
        if "text as gluecode" in expected:
            lines = expected["text as gluecode"]
            expected["text as gluecode"] = lines.replace(MASKED_CALL, "<MASK>", 1)
        served_views = collect_served_views(context, method, method)
        yield from ((method, name) for name in expected if served_views[name] != expected[name])
        calls = corpus.calls(method)
        (hidden,) = (call for call in calls if call["start_byte"] == mask.start)
        visible_calls = [(call["callee"], call["line"]) for call in calls if call is not hidden]
        if [(call["callee"], call["line"]) for call in context.calls(method)] != visible_calls:
            yield method, "calls"
        # Callees that another call reaches are listed; their absence would leak the answer.
        visible = {target for call in calls if call is not hidden for target in call["targets"]}
        visible -= {method}
        if {callee["id"] for callee in context.callees(method)} != visible:
            yield method, "callees"
        name, owner = source[mask.start : end].decode(), context.owner(method)
        if name in owner["call_results"] and not re.search(rf"\b{name}\b", masked_text):
            yield method, "call_results"
        if set(owner["call_results"]) != {corpus.method(callee)["name"] for callee in visible}:
            yield method, "call_results"
        for target in set(hidden["targets"][:3]) - {method}:
            is_listed_caller = method in {
                caller["id"] for caller in context.callers(method, target)
            }
            if is_listed_caller != (target in visible):
                yield method, "callers"


def test_masked_call_is_absent_from_views_and_call_edges(
    examples_corpus: Corpus, methods: list[Row], files: Files
) -> None:
    masks = make_completion_masks(examples_corpus, methods, files)
    assert len(masks) > 400
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert list(find_completion_leaks(context, take_every(methods), masks, files)) == []


@pytest.mark.parametrize(
    ("hole", "nothing", "where"),
    [
        ("_is_masked", False, {"text", "tokens", "code2vec", "code2seq", "graph", "calls"}),
        ("_find_hidden_targets", {}, {"callees", "callers", "call_results"}),
    ],
)
def test_each_leak_of_the_call_mask_is_detected(
    hole: str,
    nothing: Any,
    where: set[str],
    examples_corpus: Corpus,
    methods: list[Row],
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = make_completion_masks(examples_corpus, methods, files)
    monkeypatch.setattr(CorpusContext, hole, lambda *_: nothing)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert has_leaks_of(find_completion_leaks(context, methods, masks, files), where)


# --------------------------------------------------------------------------------------
# Operators.
# --------------------------------------------------------------------------------------


def make_operator_masks(methods: list[Row], files: Files) -> Masks:
    """Return a mask of the last operator for each method that has an operator."""
    masks: Masks = {}
    method_by_index = {(row["file_id"], row["place"]): row["method_id"] for row in methods}
    for id_, file in files.items():
        operator_table = find_operators(file)
        for method_index, node in zip(
            operator_table.method.tolist(), operator_table.node.tolist(), strict=True
        ):
            start, end = int(file.syntax.start[node]), int(file.syntax.end[node])
            # A later operator of the same method overwrites an earlier one.
            masks[method_by_index[id_, method_index]] = Mask(
                "operators", start=start, length=end - start
            )
    return masks


def find_operator_leaks(
    context: CorpusContext, methods: list[Row], masks: Masks, files: Files
) -> Leaks:
    """Yield each (method, view) that changes with the masked operator."""
    for row in methods:
        method = row["method_id"]
        if method not in masks:
            continue
        mask, source = masks[method], files[row["file_id"]].source
        end = mask.start + mask.length
        other = SAME_PRECEDENCE[source[mask.start : end].decode()].encode()
        changed = JavaFile(source[: mask.start] + other + source[end:])
        expected = compute_views(without_operator(changed, mask.start), row)
        served_views = collect_served_views(context, method, method)
        yield from ((method, name) for name in expected if served_views[name] != expected[name])
        if served_views["text"].count("<MASK>") != 1 or served_views["tokens"].count("MASK") != 1:
            yield method, "no mask"
        calls = context.corpus.calls(method)
        moved_starts = [
            call["start_byte"] + (len("<MASK>") - mask.length) * (call["start_byte"] > mask.start)
            for call in calls
        ]
        if [call["start_byte"] for call in context.calls(method)] != moved_starts:
            yield method, "places of calls"


def test_no_view_depends_on_the_masked_operator(
    examples_corpus: Corpus, methods: list[Row], files: Files
) -> None:
    masks = make_operator_masks(methods, files)
    assert len(masks) > 250
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert list(find_operator_leaks(context, take_every(methods), masks, files)) == []


def test_unmasked_operator_is_detected(
    examples_corpus: Corpus,
    methods: list[Row],
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = make_operator_masks(methods, files)
    monkeypatch.setattr(CorpusContext, "_is_masked", lambda *_: False)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    kinds = {*VIEWS, "no mask", "places of calls"}
    assert has_leaks_of(find_operator_leaks(context, methods, masks, files), kinds)


def test_spy_view_receives_positions_of_the_mask(
    examples_corpus: Corpus,
    methods: list[Row],
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = make_operator_masks(methods, files)
    monkeypatch.setattr(contexts, "make_view", lambda name: Spy())
    context = CorpusContext(examples_corpus, masks.__getitem__)
    for row in methods:
        if row["method_id"] in masks:
            spied_node, _ = context.view(row["method_id"], "spy")
            assert spied_node["end_byte"] - spied_node["start_byte"] == len(
                spied_node["text"].encode()
            )


# --------------------------------------------------------------------------------------
# Tasks that hide nothing.
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["npath", "nulltoken"])
def test_unmasked_tasks_serve_stored_views(
    task: str, examples_corpus: Corpus, methods: list[Row]
) -> None:
    context = CorpusContext(examples_corpus, lambda _: Mask(task))
    for row in methods[::40]:
        method = row["method_id"]
        for name in (*VIEWS, "calls"):
            assert context.view(method, name) == examples_corpus.view(method, name)
