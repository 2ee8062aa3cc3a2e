"""Tests of call completion by frequency, with and without project context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError, Example, Prompt, UsesContext
from codeacumen.benchmarks.gluecode.baselines.completion import parse_call_site
from codeacumen.benchmarks.gluecode.task import MethodTask
from codeacumen.datasets.built import read_built
from codeacumen.registry import make_model
from gluecode_dataset import write_methods


class StubContext:
    """A code context that only describes methods."""

    def __init__(self, contexts: Mapping[str, Mapping[str, Any]]) -> None:
        self.contexts = contexts

    def describe(self, method: str) -> Mapping[str, Any]:
        return self.contexts.get(method, {})


def complete_call(
    context: str, training: Sequence[tuple[str, str]], prompt: Prompt, code_context: Any = None
) -> str | None:
    model: Any = make_model(f"completion:context={context}").model
    if isinstance(model, UsesContext):
        model.use_context(code_context)
    model.fit([Example(Prompt(text), name) for text, name in training])
    (answer,) = model.generate([prompt])
    assert answer is None or isinstance(answer, str)
    return answer


def test_call_site_is_parsed_from_text() -> None:
    site = parse_call_site(
        "int size(Map<String, List<Item>> items, Shelf[] shelves) {\n"
        '  Item item = shelves[0].first(); items.put("a", f(1, 2));\n'
        "  String label = items.<MASK>(key(1, 2), item).trim(); return 0; }"
    )
    assert (site.receiver, site.type, site.arguments) == ("items", "Map", 2)
    assert (site.before, site.after, site.following, site.target) == ("=", ".", "trim", "label")
    assert site.words == {"label", "key", "item"}
    assert site.called_names == {
        "first": {"shelves[]"},
        "put": {"items"},
        "f": {""},
        "key": {""},
        "trim": {"<MASK>()"},
    }


@pytest.mark.parametrize(
    ("text", "receiver", "type_", "arguments"),
    [
        ("void m() { <MASK>(); }", "", "", 0),
        ("void m() { this.<MASK>(a); }", "this", "", 1),
        ("void m() { Files.<MASK>(a, b, c); }", "Files", "static Files", 3),
        ("void m(int[] a) { a[i].<MASK>(); }", "a[]", "int", 0),
        ("void m() { f(x, y).<MASK>(g(a, b)); }", "f()", "", 1),
        ("void m() { new Buffer(3).<MASK>(); }", "new Buffer", "Buffer", 0),
        ('void m() { "text".<MASK>(1); }', "text", "String", 1),
        ("void m(Object o) { ((String) o).<MASK>(); }", ")", "", 0),
        ("void m() { for (Entry<K, V> e : all) e.<MASK>(); }", "e", "Entry", 0),
        ("void m() { a.b.c.<MASK>(x -> { return 1, 2; }); }", "c", "", 1),
    ],
)
def test_call_site_finds_receiver_and_arguments(
    text: str, receiver: str, type_: str, arguments: int
) -> None:
    site = parse_call_site(text)
    assert (site.receiver, site.type, site.arguments) == (receiver, type_, arguments)


def test_most_frequent_name_for_the_call_site_wins() -> None:
    training = [("void m(List list) { list.<MASK>(x); }", "add")] * 3
    training += [("void m(List list) { list.<MASK>(); }", "size")] * 5
    prompt = Prompt("void other(List values) { values.<MASK>(y); }")
    assert complete_call("method", training, prompt) == "add"
    assert (
        complete_call("method", training, Prompt("int n(List v) { return v.<MASK>(); }")) == "size"
    )


def test_name_is_copied_from_the_method_or_composed() -> None:
    prompt = Prompt("void m(Bell bell) { bell.ring(); bell.<MASK>(); }")
    assert complete_call("method", [], prompt) == "ring"
    prompt = Prompt("void m(Point p) { int width = p.<MASK>(); }")
    assert complete_call("method", [], prompt) == "getWidth"
    assert complete_call("method", [], Prompt("void m(Point p) { p.<MASK>(); }")) is None


def test_project_context_offers_names_absent_from_training() -> None:
    training = [("void m(Bell bell) { bell.<MASK>(); }", "ring")] * 5
    prompt = Prompt("void m(Bell bell) { bell.<MASK>(); }", "m1")
    code_context = StubContext(
        {"m1": {"receiver": "my.Bell", "arguments": 0, "candidates": ["chime", "toll"]}}
    )
    assert complete_call("method", training, prompt) == "ring"
    assert complete_call("project", training, prompt, code_context) in ("chime", "toll")
    # Without a description, the answer falls back to the method context.
    assert complete_call("project", training, prompt, StubContext({})) == "ring"
    assert complete_call("project", training, prompt, None) == "ring"


def test_receiver_type_decides_between_equal_texts() -> None:
    """All texts are equal; only the qualified receiver type differs."""
    text = "void m() { x.<MASK>(); }"
    model: Any = make_model("completion:context=project").model
    candidates = ["close", "open"]
    description_by_method = {
        f"{type_}{i}": {"receiver": type_, "arguments": 0, "candidates": candidates}
        for type_ in ("a.Door", "b.Shop")
        for i in range(6)
    }
    model.use_context(StubContext(description_by_method))
    model.fit(
        [
            Example(Prompt(text, f"{type_}{i}"), name)
            for type_, name in (("a.Door", "open"), ("b.Shop", "close"))
            for i in range(5)
        ]
    )
    assert model.generate([Prompt(text, "a.Door5"), Prompt(text, "b.Shop5")]) == ["open", "close"]


def test_project_context_beats_method_context(tmp_path: Path) -> None:
    """In the hand-written data set, a third of the calls needs project context."""
    task = MethodTask(read_built(write_methods(tmp_path)), "completion")
    right = {}
    for context in ("method", "project"):
        model: Any = make_model(f"completion:context={context}").model
        if isinstance(model, UsesContext):
            model.use_context(task.code_context())
        model.fit(task.training())
        instances = task.instances()
        answers = model.generate([instance.input for instance in instances])
        right[context] = [
            answer == instance.truth for answer, instance in zip(answers, instances, strict=True)
        ]
    assert all(right["project"])
    assert sum(right["method"]) == len(right["method"]) * 2 / 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<MASK>",
        "<MASK>(",
        ".<MASK>",
        "(((.<MASK>)",
        "a.b.c.<MASK>(((",
        "]].<MASK>",
        "\udcff",
        "x" + ".f()" * 5000 + ".<MASK>()",
        "(" * 10_000 + "<MASK>" + ")" * 10_000,
        "no mask",
    ],
)
def test_malformed_text_is_completed(text: str) -> None:
    training = [("void m(List list) { list.<MASK>(x); }", "add"), (text, "name")]
    assert complete_call("project", training, Prompt(text, "m"), None) is not None


def test_unknown_context_is_rejected() -> None:
    with pytest.raises(CodeacumenError, match="context='file'"):
        make_model("completion:context=file")
