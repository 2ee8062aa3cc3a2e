"""Nothing that is served for an instance tells its answer.

The proof has two steps. The first is javac's (``test_leaks_javac``): the source that is left does
not tell a name. The second is here, for every method with a body: a view that is served is the one
that a fresh parse of that source gives, so it is a function of what does not hold the answer.
Then whatever else is served is searched for the answer; and each search is shown to find something
as soon as a mask is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from acumen.corpus import Corpus
from acumen.corpus.ids import signature
from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.operators import operators
from acumen.registry import make_view
from acumen.tasks.methods import sight as sights
from acumen.tasks.methods.masks import Mask
from acumen.tasks.methods.sight import CorpusSight
from acumen.views.masked_files import MASKED_CALL, of_method, without_name, without_operator
from acumen.views.paths.leaves import target_of
from corpora import VIEWS

Row = dict[str, Any]
Masks = dict[str, Mask]
Leaks = Iterator[tuple[str, str]]
# What decides alike in an expression: the tree is the same, whichever of the two it is.
ALIKE = {
    "+": "-", "-": "+", "*": "%", "/": "*", "%": "/", "==": "!=", "!=": "==", "<": ">=",
    "<=": "<", ">": "<=", ">=": "<", "=": "=",
}  # fmt: skip


@lru_cache
def view_of(name: str) -> Any:
    return make_view(name)


@pytest.fixture(scope="module")
def methods(examples_corpus: Corpus) -> list[Row]:
    """All methods with a body, of every split."""
    found = examples_corpus.query("select method_id from methods where body").to_pylist()
    return [examples_corpus.method(str(row["method_id"])) for row in found]


@pytest.fixture(scope="module")
def files(examples_corpus: Corpus) -> dict[str, JavaFile]:
    found = examples_corpus.query("select file_id, source from files where language = 'java'")
    return {str(row["file_id"]): JavaFile(row["source"].encode()) for row in found.to_pylist()}


def looked_at(method: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Views, each with the tools whose output is looked at as well: of every method its text and
    its tokens, of every twelfth all views, of every 48th as every tool gives them."""
    lot = int(method[:2], 16)
    for name in VIEWS if lot % 12 == 0 else ("text", "tokens"):
        yield name, tuple(view_of(name).compats) if lot % 48 == 0 else ()


def served(sight: CorpusSight, method: str, other: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, tools in looked_at(other):
        found[name] = sight.view_of(method, other, name)
        for compat in tools:
            found[f"{name} as {compat}"] = sight.view_of(method, other, name, compat)
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


# --------------------------------------------------------------------------------------
# Naming.
# --------------------------------------------------------------------------------------


def naming_masks(methods: list[Row]) -> Masks:
    return {
        row["method_id"]: Mask("naming", name=row["name"])
        for row in methods
        if row["kind"] == "method"
    }


def naming_leaks(sight: CorpusSight, methods: list[Row], whole: frozenset[str]) -> Leaks:
    """The label as a word in anything served. ``whole`` are names that are nothing but methods'."""
    for row in methods:
        method, name = row["method_id"], row["name"]
        if row["kind"] != "method" or name not in whole:
            continue
        others = [*sight.callers(method), *sight.siblings(method), *sight.callees(method)]
        seen = {
            **served(sight, method, method), "calls": sight.calls(method), "others": others,
        }  # fmt: skip
        for other in others[:1] + others[-1:]:
            seen[f"tokens of {other['name']}"] = sight.view_of(method, other["id"], "tokens")
            seen[f"calls of {other['name']}"] = sight.calls(method, other["id"])
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
def whole(
    examples_corpus: Corpus, files: dict[str, JavaFile], methods: list[Row]
) -> frozenset[str]:
    """Names of methods that no variable, field or type of the projects has."""
    sources = {id_: file.source.decode() for id_, file in files.items()}
    found: set[str] = set()
    for name in {row["name"] for row in methods if row["kind"] == "method"}:
        pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        holding = [id_ for id_, text in sources.items() if pattern.search(text)]
        if not any(
            pattern.search(without_name(files[id_], name).source.decode()) for id_ in holding
        ):
            found.add(name)
    return frozenset(found)


def test_a_view_without_the_name_is_that_of_a_source_without_it(
    examples_corpus: Corpus, methods: list[Row], files: dict[str, JavaFile]
) -> None:
    masks = naming_masks(methods)
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    count = 0
    for row in methods:
        if row["kind"] != "method":
            continue
        source = without_name(files[row["file_id"]], row["name"]).source
        fresh = JavaFile(source)
        method = row["method_id"]
        assert served(sight, method, method) == computed(fresh, row), row["name"]
        assert sight.text(method) == fresh.syntax.text(
            fresh.declarations.methods[row["place"]].node
        )
        count += 1
    assert count > 600


def test_others_are_seen_without_the_name_as_well(
    examples_corpus: Corpus, methods: list[Row], files: dict[str, JavaFile]
) -> None:
    masks = naming_masks(methods)
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    count = 0
    for row in methods[::7]:
        if row["kind"] != "method":
            continue
        method = row["method_id"]
        for seen in [*sight.callers(method)[:2], *sight.siblings(method)[:1]]:
            other = examples_corpus.method(seen["id"])
            if not other["body"]:
                continue
            fresh = JavaFile(without_name(files[other["file_id"]], row["name"]).source)
            assert served(sight, method, other["method_id"]) == computed(fresh, other)
            told = fresh.declarations.methods[other["place"]]
            assert seen["text"] == fresh.syntax.text(told.node)
            assert (seen["name"], seen["signature"]) == (
                told.name, signature(fresh.declarations, told),
            )  # fmt: skip
            count += 1
    assert count > 80


def test_nothing_served_holds_the_name(
    examples_corpus: Corpus, methods: list[Row], whole: frozenset[str]
) -> None:
    assert len(whole) > 150
    masks = naming_masks(methods)
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    assert list(naming_leaks(sight, methods, whole)) == []


def _as_it_is(*arguments: Any) -> Any:
    return arguments[0]


HOLES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "what is stored is served": lambda patch: patch.setattr(
        CorpusSight, "_is_masked", lambda *_: False
    ),
    "files are as they are": lambda patch: patch.setattr(sights, "_edits", lambda *_: []),
    "rows are as they are": lambda patch: patch.setattr(
        CorpusSight, "_told", lambda self, row, *_: row
    ),
    "texts of others are as they are": lambda patch: patch.setattr(
        sights, "masked_other", _as_it_is
    ),
    "names of others are as they are": lambda patch: patch.setattr(
        sights, "plain", lambda _: object()
    ),
    "labels of calls are as they are": lambda patch: patch.setattr(sights, "_callee", _as_it_is),
}


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_a_hole_in_the_mask_of_a_name_is_noticed(
    hole: Callable[[pytest.MonkeyPatch], None], examples_corpus: Corpus, methods: list[Row],
    whole: frozenset[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    hole(monkeypatch)
    masks = naming_masks(methods)
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    assert next(naming_leaks(sight, methods, whole), None)


# --------------------------------------------------------------------------------------
# Completion.
# --------------------------------------------------------------------------------------


def completion_masks(corpus: Corpus, methods: list[Row], files: dict[str, JavaFile]) -> Masks:
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
    sight: CorpusSight, methods: list[Row], masks: Masks, files: dict[str, JavaFile]
) -> Leaks:
    corpus = sight.corpus
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
        seen = served(sight, method, method)
        yield from ((method, name) for name in wanted if seen[name] != wanted[name])
        calls = corpus.calls(method)
        (hidden,) = (call for call in calls if call["start_byte"] == mask.start)
        told = [(call["callee"], call["line"]) for call in calls if call is not hidden]
        if [(call["callee"], call["line"]) for call in sight.calls(method)] != told:
            yield method, "calls"
        if {one["id"] for one in sight.callees(method)} & set(hidden["targets"]):
            yield method, "callees"
        for target in hidden["targets"][:3]:
            if method in {one["id"] for one in sight.callers(method, target)}:
                yield method, "callers"


def test_a_masked_call_is_in_no_view_and_no_edge(
    examples_corpus: Corpus, methods: list[Row], files: dict[str, JavaFile]
) -> None:
    masks = completion_masks(examples_corpus, methods, files)
    assert len(masks) > 400
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    assert list(completion_leaks(sight, methods, masks, files)) == []


@pytest.mark.parametrize(
    ("hole", "nothing", "where"),
    [
        ("_is_masked", False, {"text", "tokens", "code2vec", "code2seq", "graph", "calls"}),
        ("_hidden_call", (frozenset(), frozenset()), {"callees", "callers"}),
    ],
)
def test_a_hole_in_the_mask_of_a_call_is_noticed(
    hole: str, nothing: Any, where: set[str], examples_corpus: Corpus, methods: list[Row],
    files: dict[str, JavaFile], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    masks = completion_masks(examples_corpus, methods, files)
    monkeypatch.setattr(CorpusSight, hole, lambda *_: nothing)
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    found = {what for _, what in completion_leaks(sight, methods[::3], masks, files)}
    assert where <= found


# --------------------------------------------------------------------------------------
# Operators.
# --------------------------------------------------------------------------------------


def operator_masks(methods: list[Row], files: dict[str, JavaFile]) -> Masks:
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


def operator_leaks(
    sight: CorpusSight, methods: list[Row], masks: Masks, files: dict[str, JavaFile]
) -> Leaks:
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
        seen = served(sight, method, method)
        yield from ((method, name) for name in wanted if seen[name] != wanted[name])
        if seen["text"].count("<MASK>") != 1 or seen["tokens"].count("MASK") != 1:
            yield method, "no mask"
        calls = sight.corpus.calls(method)
        moved = [
            call["start_byte"] + (len("<MASK>") - mask.length) * (call["start_byte"] > mask.start)
            for call in calls
        ]
        if [call["start_byte"] for call in sight.calls(method)] != moved:
            yield method, "places of calls"


def test_no_view_tells_which_operator_is_hidden(
    examples_corpus: Corpus, methods: list[Row], files: dict[str, JavaFile]
) -> None:
    masks = operator_masks(methods, files)
    assert len(masks) > 250
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    assert list(operator_leaks(sight, methods, masks, files)) == []


def test_an_operator_that_is_not_hidden_is_noticed(
    examples_corpus: Corpus, methods: list[Row], files: dict[str, JavaFile],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    masks = operator_masks(methods, files)
    monkeypatch.setattr(CorpusSight, "_is_masked", lambda *_: False)
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    found = {what for _, what in operator_leaks(sight, methods[::3], masks, files)}
    assert {*VIEWS, "no mask", "places of calls"} <= found


# --------------------------------------------------------------------------------------
# A view that somebody else wrote, and tasks that hide nothing.
# --------------------------------------------------------------------------------------


class Spy:
    """Shows all it can get hold of."""

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


def test_a_spy_sees_no_name(
    examples_corpus: Corpus, methods: list[Row], whole: frozenset[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    masks = naming_masks(methods)
    monkeypatch.setattr(sights, "make_view", lambda name: Spy())
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    for row in methods[::3]:
        if row["name"] in whole and row["kind"] == "method":
            pattern = re.compile(rf"(?<![\w$]){re.escape(row['name'])}(?![\w$])")
            for compat in ("", "all"):
                seen = sight.view(row["method_id"], "spy", compat)
                assert not any(pattern.search(text) for text in strings(seen)), row["name"]


def test_a_spy_sees_no_length_of_an_operator(
    examples_corpus: Corpus, methods: list[Row], files: dict[str, JavaFile],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    masks = operator_masks(methods, files)
    monkeypatch.setattr(sights, "make_view", lambda name: Spy())
    sight = CorpusSight(examples_corpus, masks.__getitem__)
    for row in methods:
        if row["method_id"] in masks:
            told, _ = sight.view(row["method_id"], "spy")
            assert told["end_byte"] - told["start_byte"] == len(told["text"].encode())


@pytest.mark.parametrize("task", ["npath", "nulltoken"])
def test_tasks_that_hide_nothing_show_what_is_stored(
    task: str, examples_corpus: Corpus, methods: list[Row]
) -> None:
    sight = CorpusSight(examples_corpus, lambda _: Mask(task))
    for row in methods[::40]:
        method = row["method_id"]
        for name in (*VIEWS, "calls"):
            assert sight.view(method, name) == examples_corpus.view(method, name)
