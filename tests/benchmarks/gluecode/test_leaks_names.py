"""Tests that no served view of a naming instance leaks the name.

The proof has two steps. First, ``test_leaks_javac`` shows with javac that the masked source does
not contain the name. Second, the tests here show for a sample of methods with a body (a thorough
run: for all) that a served view equals the view of a fresh parse of the masked source, so it
depends only on text without the answer. Everything else that is served is searched for the answer,
and each search is shown to find the leak as soon as one mask is removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from answer_leaks import (
    Files,
    Leaks,
    Masks,
    Row,
    Spy,
    collect_served_views,
    compute_views,
    hide_name,
    iterate_strings,
    load_files,
    load_methods,
)
from codeacumen.benchmarks.gluecode import code_context as contexts
from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.corpus import Corpus
from codeacumen.corpus.ids import compute_signature
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths.leaves import prediction_target
from support import take_every

ServeViews = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def methods(examples_corpus: Corpus) -> list[Row]:
    return load_methods(examples_corpus)


@pytest.fixture(scope="module")
def files(examples_corpus: Corpus) -> Files:
    return load_files(examples_corpus)


def naming_masks(methods: list[Row]) -> Masks:
    return {
        row["method_id"]: Mask("naming", name=row["name"])
        for row in methods
        if row["kind"] == "method"
    }


@pytest.fixture(scope="module")
def serve_views(examples_corpus: Corpus, methods: list[Row]) -> ServeViews:
    """Return a cached function from a method to the views served for it."""
    context = CorpusContext(examples_corpus, naming_masks(methods).__getitem__)
    return cache(lambda method: collect_served_views(context, method, method))


def find_naming_leaks(
    context: CorpusContext,
    methods: Sequence[Row],
    method_only_names: frozenset[str],
    serve_views: ServeViews | None = None,
) -> Leaks:
    """Yield each (method, view) in which the label occurs as a word.

    Only names that are used for nothing but methods are searched for.
    """
    serve_views = serve_views or (lambda method: collect_served_views(context, method, method))
    for row in methods:
        method, name = row["method_id"], row["name"]
        if row["kind"] != "method" or name not in method_only_names:
            continue
        others = [*context.callers(method), *context.siblings(method), *context.callees(method)]
        served_views = {**serve_views(method), "calls": context.calls(method), "others": others}
        for other in others[:1] + others[-1:]:
            served_views[f"tokens of {other['name']}"] = context.view_of(
                method, other["id"], "tokens"
            )
            served_views[f"calls of {other['name']}"] = context.calls(method, other["id"])
        pattern = re.compile(rf"(?<![\w$|]){re.escape(name)}(?![\w$|])")
        case_variants = {
            word
            for word in re.findall(r"\w+", served_views["text"])
            if word.lower() == name.lower()
        }
        for view_name, value in served_views.items():
            # Path views have lower-case names, so "key" there may stand for the visible name "Key".
            if (not case_variants or not view_name.startswith("code2")) and any(
                pattern.search(text) for text in iterate_strings(value)
            ):
                yield method, view_name
        if served_views.get("code2seq", "").split(" ")[0] == prediction_target(name):
            yield method, "the target of code2seq"


@pytest.fixture(scope="module")
def method_only_names(examples_corpus: Corpus, files: Files, methods: list[Row]) -> frozenset[str]:
    """Return the method names that no variable, field or type of the projects has."""
    sources = {id_: file.source.decode() for id_, file in files.items()}
    unambiguous: set[str] = set()
    for name in {row["name"] for row in take_every(methods) if row["kind"] == "method"}:
        pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        files_with_name = [id_ for id_, text in sources.items() if pattern.search(text)]
        if not any(
            pattern.search(hide_name(files[id_], name).source.decode()) for id_ in files_with_name
        ):
            unambiguous.add(name)
    return frozenset(unambiguous)


@pytest.mark.thorough
def test_served_views_equal_views_of_masked_source(
    methods: list[Row], files: Files, serve_views: ServeViews
) -> None:
    count = 0
    for row in take_every(methods):
        if row["kind"] != "method":
            continue
        source = hide_name(files[row["file_id"]], row["name"]).source
        fresh = JavaFile(source)
        served_views = serve_views(row["method_id"])
        assert served_views == compute_views(fresh, row), row["name"]
        assert served_views["text"] == fresh.syntax.text(
            fresh.declarations.methods[row["place"]].node
        )
        count += 1
    assert count > 150


def test_other_methods_are_served_with_the_name_masked(
    examples_corpus: Corpus, methods: list[Row], files: Files
) -> None:
    masks = naming_masks(methods)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    count = 0
    for row in methods[::24]:
        if row["kind"] != "method":
            continue
        method = row["method_id"]
        for neighbour in [*context.callers(method)[:2], *context.siblings(method)[:1]]:
            other = examples_corpus.method(neighbour["id"])
            if not other["body"]:
                continue
            fresh = JavaFile(hide_name(files[other["file_id"]], row["name"]).source)
            assert collect_served_views(context, method, other["method_id"]) == compute_views(
                fresh, other
            )
            declaration = fresh.declarations.methods[other["place"]]
            assert neighbour["text"] == fresh.syntax.text(declaration.node)
            assert (neighbour["name"], neighbour["signature"]) == (
                declaration.name,
                compute_signature(fresh.declarations, declaration),
            )
            count += 1
    assert count > 50


def test_no_served_view_contains_the_name(
    examples_corpus: Corpus,
    methods: list[Row],
    method_only_names: frozenset[str],
    serve_views: ServeViews,
) -> None:
    assert len(method_only_names) > 50
    masks = naming_masks(methods)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert (
        list(find_naming_leaks(context, take_every(methods), method_only_names, serve_views)) == []
    )


def _return_first_argument(*arguments: Any) -> Any:
    return arguments[0]


HOLES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "stored views are served": lambda patch: patch.setattr(
        CorpusContext, "_is_masked", lambda *_: False
    ),
    "files are not masked": lambda patch: patch.setattr(contexts, "_make_edits", lambda *_: []),
    "rows are not masked": lambda patch: patch.setattr(
        CorpusContext, "_mask_row", lambda self, row, *_: row
    ),
    "texts of other methods are not masked": lambda patch: patch.setattr(
        contexts, "mask_in_other_method", _return_first_argument
    ),
    "names of other methods are not masked": lambda patch: patch.setattr(
        contexts, "decode_name", lambda _: object()
    ),
    "callees of calls are not masked": lambda patch: patch.setattr(
        contexts, "_mask_callee", _return_first_argument
    ),
}


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_each_leak_of_the_name_mask_is_detected(
    hole: Callable[[pytest.MonkeyPatch], None],
    examples_corpus: Corpus,
    methods: list[Row],
    method_only_names: frozenset[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hole(monkeypatch)
    masks = naming_masks(methods)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert next(find_naming_leaks(context, methods, method_only_names), None)


def test_spy_view_receives_no_name(
    examples_corpus: Corpus,
    methods: list[Row],
    method_only_names: frozenset[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = naming_masks(methods)
    monkeypatch.setattr(contexts, "make_view", lambda name: Spy())
    context = CorpusContext(examples_corpus, masks.__getitem__)
    for row in methods[::3]:
        if row["name"] in method_only_names and row["kind"] == "method":
            pattern = re.compile(rf"(?<![\w$]){re.escape(row['name'])}(?![\w$])")
            for compat in ("", "all"):
                spied = context.view(row["method_id"], "spy", compat)
                assert not any(pattern.search(text) for text in iterate_strings(spied)), row["name"]
