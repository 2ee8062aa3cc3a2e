"""Completion of calls by frequency, with and without the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError, Example, Prompt, UsesContext
from codeacumen.benchmarks.gluecode.baselines.completion import call_site
from codeacumen.benchmarks.gluecode.task import MethodTask
from codeacumen.datasets.built import read_built
from codeacumen.registry import make_model
from methods_by_hand import write_methods


class Told:
    """What is said about each method, and nothing else to see."""

    def __init__(self, contexts: Mapping[str, Mapping[str, Any]]) -> None:
        self.contexts = contexts

    def describe(self, method: str) -> Mapping[str, Any]:
        return self.contexts.get(method, {})


def completed(
    context: str, shown: Sequence[tuple[str, str]], asked: Prompt, told: Any = None
) -> str | None:
    model: Any = make_model(f"completion:context={context}").model
    if isinstance(model, UsesContext):
        model.use_context(told)
    model.fit([Example(Prompt(text), name) for text, name in shown])
    (answer,) = model.generate([asked])
    assert answer is None or isinstance(answer, str)
    return answer


def test_a_call_is_read_from_the_text() -> None:
    site = call_site(
        "int size(Map<String, List<Item>> items, Shelf[] shelves) {\n"
        '  Item item = shelves[0].first(); items.put("a", f(1, 2));\n'
        "  String label = items.<MASK>(key(1, 2), item).trim(); return 0; }"
    )
    assert (site.receiver, site.type, site.arguments) == ("items", "Map", 2)
    assert (site.before, site.after, site.following, site.target) == ("=", ".", "trim", "label")
    assert site.words == {"label", "key", "item"}
    assert site.called == {
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
def test_receivers_and_arguments(text: str, receiver: str, type_: str, arguments: int) -> None:
    site = call_site(text)
    assert (site.receiver, site.type, site.arguments) == (receiver, type_, arguments)


def test_the_name_most_often_called_so_is_the_answer() -> None:
    shown = [("void m(List list) { list.<MASK>(x); }", "add")] * 3
    shown += [("void m(List list) { list.<MASK>(); }", "size")] * 5
    asked = Prompt("void other(List values) { values.<MASK>(y); }")
    assert completed("method", shown, asked) == "add"
    assert completed("method", shown, Prompt("int n(List v) { return v.<MASK>(); }")) == "size"


def test_a_name_can_be_taken_from_the_method_or_put_together() -> None:
    asked = Prompt("void m(Bell bell) { bell.ring(); bell.<MASK>(); }")
    assert completed("method", [], asked) == "ring"
    asked = Prompt("void m(Point p) { int width = p.<MASK>(); }")
    assert completed("method", [], asked) == "getWidth"
    assert completed("method", [], Prompt("void m(Point p) { p.<MASK>(); }")) is None


def test_the_project_knows_names_that_nobody_else_has() -> None:
    shown = [("void m(Bell bell) { bell.<MASK>(); }", "ring")] * 5
    asked = Prompt("void m(Bell bell) { bell.<MASK>(); }", "m1")
    told = Told({"m1": {"receiver": "my.Bell", "arguments": 0, "candidates": ["chime", "toll"]}})
    assert completed("method", shown, asked) == "ring"
    assert completed("project", shown, asked, told) in ("chime", "toll")
    # Where nothing is told, it is the other one.
    assert completed("project", shown, asked, Told({})) == "ring"
    assert completed("project", shown, asked, None) == "ring"


def test_the_type_of_the_receiver_tells_where_the_text_does_not() -> None:
    """All texts are alike; only the qualified type differs."""
    text = "void m() { x.<MASK>(); }"
    model: Any = make_model("completion:context=project").model
    offered = ["close", "open"]
    told = {
        f"{type_}{i}": {"receiver": type_, "arguments": 0, "candidates": offered}
        for type_ in ("a.Door", "b.Shop")
        for i in range(6)
    }
    model.use_context(Told(told))
    model.fit(
        [
            Example(Prompt(text, f"{type_}{i}"), name)
            for type_, name in (("a.Door", "open"), ("b.Shop", "close"))
            for i in range(5)
        ]
    )
    assert model.generate([Prompt(text, "a.Door5"), Prompt(text, "b.Shop5")]) == ["open", "close"]


def test_global_context_beats_the_method_alone(tmp_path: Path) -> None:
    """On the data set by hand, a third of whose calls only the project can tell."""
    task = MethodTask(read_built(write_methods(tmp_path)), "completion")
    right = {}
    for context in ("method", "project"):
        model: Any = make_model(f"completion:context={context}").model
        if isinstance(model, UsesContext):
            model.use_context(task.code_context())
        model.fit(task.training())
        instances = task.instances()
        answers = model.generate([one.input for one in instances])
        right[context] = [a == i.truth for a, i in zip(answers, instances, strict=True)]
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
def test_any_text_is_survived(text: str) -> None:
    shown = [("void m(List list) { list.<MASK>(x); }", "add"), (text, "name")]
    assert completed("project", shown, Prompt(text, "m"), None) is not None


def test_another_context_is_refused() -> None:
    with pytest.raises(CodeacumenError, match="context='file'"):
        make_model("completion:context=file")
