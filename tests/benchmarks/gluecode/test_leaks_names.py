"""Nothing that is served for an instance of naming tells the name.

The proof has two steps. The first is javac's (``test_leaks_javac``): the source that is left does
not tell a name. The second is here, for some methods with a body, in a thorough run for every one:
a view that is served is the one that a fresh parse of that source gives, so it is a function of
what does not hold the answer. Then whatever else is served is searched for the answer; and each
search is shown to find something as soon as a mask is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from codeacumen.benchmarks.gluecode import code_context as contexts
from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.corpus import Corpus
from codeacumen.corpus.ids import signature
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths.leaves import target_of
from leaks import (
    Files,
    Leaks,
    Masks,
    Row,
    Spy,
    computed,
    files_of,
    methods_of,
    served,
    strings,
    without_name,
)
from support import some

Shown = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def methods(examples_corpus: Corpus) -> list[Row]:
    return methods_of(examples_corpus)


@pytest.fixture(scope="module")
def files(examples_corpus: Corpus) -> Files:
    return files_of(examples_corpus)


def naming_masks(methods: list[Row]) -> Masks:
    return {
        row["method_id"]: Mask("naming", name=row["name"])
        for row in methods
        if row["kind"] == "method"
    }


@pytest.fixture(scope="module")
def shown(examples_corpus: Corpus, methods: list[Row]) -> Shown:
    """What is served of a method, kept for the next test."""
    context = CorpusContext(examples_corpus, naming_masks(methods).__getitem__)
    return cache(lambda method: served(context, method, method))


def naming_leaks(
    context: CorpusContext,
    methods: Sequence[Row],
    whole: frozenset[str],
    shown: Shown | None = None,
) -> Leaks:
    """The label as a word in anything served. ``whole`` are names that are nothing but methods'."""
    shown = shown or (lambda method: served(context, method, method))
    for row in methods:
        method, name = row["method_id"], row["name"]
        if row["kind"] != "method" or name not in whole:
            continue
        others = [*context.callers(method), *context.siblings(method), *context.callees(method)]
        seen = {**shown(method), "calls": context.calls(method), "others": others}
        for other in others[:1] + others[-1:]:
            seen[f"tokens of {other['name']}"] = context.view_of(method, other["id"], "tokens")
            seen[f"calls of {other['name']}"] = context.calls(method, other["id"])
        pattern = re.compile(rf"(?<![\w$|]){re.escape(name)}(?![\w$|])")
        alike = {word for word in re.findall(r"\w+", seen["text"]) if word.lower() == name.lower()}
        for what, value in seen.items():
            # Paths have names in small letters: those of Key tell nothing about key.
            if (not alike or not what.startswith("code2")) and any(
                pattern.search(text) for text in strings(value)
            ):
                yield method, what
        if seen.get("code2seq", "").split(" ")[0] == target_of(name):
            yield method, "the target of code2seq"


@pytest.fixture(scope="module")
def whole(examples_corpus: Corpus, files: Files, methods: list[Row]) -> frozenset[str]:
    """Names of methods that no variable, field or type of the projects has."""
    sources = {id_: file.source.decode() for id_, file in files.items()}
    found: set[str] = set()
    for name in {row["name"] for row in some(methods) if row["kind"] == "method"}:
        pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        holding = [id_ for id_, text in sources.items() if pattern.search(text)]
        if not any(
            pattern.search(without_name(files[id_], name).source.decode()) for id_ in holding
        ):
            found.add(name)
    return frozenset(found)


@pytest.mark.thorough
def test_a_view_without_the_name_is_that_of_a_source_without_it(
    methods: list[Row], files: Files, shown: Shown
) -> None:
    count = 0
    for row in some(methods):
        if row["kind"] != "method":
            continue
        source = without_name(files[row["file_id"]], row["name"]).source
        fresh = JavaFile(source)
        seen = shown(row["method_id"])
        assert seen == computed(fresh, row), row["name"]
        assert seen["text"] == fresh.syntax.text(fresh.declarations.methods[row["place"]].node)
        count += 1
    assert count > 150


def test_others_are_seen_without_the_name_as_well(
    examples_corpus: Corpus, methods: list[Row], files: Files
) -> None:
    masks = naming_masks(methods)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    count = 0
    for row in methods[::24]:
        if row["kind"] != "method":
            continue
        method = row["method_id"]
        for seen in [*context.callers(method)[:2], *context.siblings(method)[:1]]:
            other = examples_corpus.method(seen["id"])
            if not other["body"]:
                continue
            fresh = JavaFile(without_name(files[other["file_id"]], row["name"]).source)
            assert served(context, method, other["method_id"]) == computed(fresh, other)
            told = fresh.declarations.methods[other["place"]]
            assert seen["text"] == fresh.syntax.text(told.node)
            assert (seen["name"], seen["signature"]) == (
                told.name,
                signature(fresh.declarations, told),
            )
            count += 1
    assert count > 50


def test_nothing_served_holds_the_name(
    examples_corpus: Corpus, methods: list[Row], whole: frozenset[str], shown: Shown
) -> None:
    assert len(whole) > 50
    masks = naming_masks(methods)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert list(naming_leaks(context, some(methods), whole, shown)) == []


def _as_it_is(*arguments: Any) -> Any:
    return arguments[0]


HOLES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "what is stored is served": lambda patch: patch.setattr(
        CorpusContext, "_is_masked", lambda *_: False
    ),
    "files are as they are": lambda patch: patch.setattr(contexts, "_edits", lambda *_: []),
    "rows are as they are": lambda patch: patch.setattr(
        CorpusContext, "_told", lambda self, row, *_: row
    ),
    "texts of others are as they are": lambda patch: patch.setattr(
        contexts, "masked_other", _as_it_is
    ),
    "names of others are as they are": lambda patch: patch.setattr(
        contexts, "plain", lambda _: object()
    ),
    "labels of calls are as they are": lambda patch: patch.setattr(contexts, "_callee", _as_it_is),
}


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_a_hole_in_the_mask_of_a_name_is_noticed(
    hole: Callable[[pytest.MonkeyPatch], None],
    examples_corpus: Corpus,
    methods: list[Row],
    whole: frozenset[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hole(monkeypatch)
    masks = naming_masks(methods)
    context = CorpusContext(examples_corpus, masks.__getitem__)
    assert next(naming_leaks(context, methods, whole), None)


def test_a_spy_sees_no_name(
    examples_corpus: Corpus,
    methods: list[Row],
    whole: frozenset[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masks = naming_masks(methods)
    monkeypatch.setattr(contexts, "make_view", lambda name: Spy())
    context = CorpusContext(examples_corpus, masks.__getitem__)
    for row in methods[::3]:
        if row["name"] in whole and row["kind"] == "method":
            pattern = re.compile(rf"(?<![\w$]){re.escape(row['name'])}(?![\w$])")
            for compat in ("", "all"):
                seen = context.view(row["method_id"], "spy", compat)
                assert not any(pattern.search(text) for text in strings(seen)), row["name"]
