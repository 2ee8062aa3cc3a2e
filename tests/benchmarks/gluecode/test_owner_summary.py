"""Tests of the owner record: the masked class around a method that a model may see."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from codeacumen.benchmarks.gluecode import owner_summary as owners
from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.benchmarks.rename4j.cases import Case, make_text_context
from codeacumen.corpus import Corpus
from corpora import build_corpus_at

STORE = """package shop;
import java.util.List;
import static shop.Base.price;
/** See {@link #price}. */
@Deprecated
public class Store<T> extends Base /* price */ implements Runnable {
    private final List<String> names = List.of("price"), others = price();
    int[] price;
    /** The price, as {@code price} and #price(int) say: reprice it. */
    int price(int count) { if (count > 1) { return count * price(1) + fee(); } return 1; }
    int price() { return price(1); }
    int total(Store other) { return other.price(2) - other.fee(); }
    int fee() { return new Runnable() { int inner; public void run() { price(1); } }.hash(); }
    Store() { }
    abstract int none(String... all);
}
"""
BASE = "package shop; class Base { int price(int count) { return 0; } }"
USER = "package user; class User { long use(shop.Base b) { return b.price(1); } }"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("owner")
    for name, text in (("shop/Store", STORE), ("shop/Base", BASE), ("user/User", USER)):
        path: Path = folder / "source" / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build_corpus_at(folder / "corpus", [str(folder / "source")], workers=1)
    return Corpus.open(folder / "corpus")


def id_of(corpus: Corpus, type_: str, signature: str) -> str:
    query = "select method_id from methods where type = ? and signature = ?"
    (row,) = corpus.query(query, [type_, signature]).to_pylist()
    return str(row["method_id"])


def naming_context(corpus: Corpus, name: str) -> CorpusContext:
    return CorpusContext(corpus, lambda _: Mask("naming", name=name))


def test_owner_lists_header_fields_imports_and_methods(corpus: Corpus) -> None:
    owner = naming_context(corpus, "fee").owner(id_of(corpus, "Store", "fee()"))
    assert owner["header"] == (
        "@Deprecated public class Store<T> extends Base /* price */ implements Runnable"
    )
    assert owner["fields"] == ["List<String> names", "List<String> others", "int[] price"]
    assert owner["imports"] == ["java.util.List", "static shop.Base.price"]
    assert owner["doc"] == ""
    assert [method["name"] for method in owner["methods"]] == [
        "price",
        "price",
        "total",
        "Store",
        "none",
    ]
    assert owner["methods"][-1] == {
        "type": "Store",
        "name": "none",
        "returns": "int",
        "parameters": ["String... all"],
    }
    assert [caller["name"] for caller in owner["callers"]] == ["total", "price"]


def test_name_is_masked_everywhere_except_in_fields(corpus: Corpus) -> None:
    owner = naming_context(corpus, "price").owner(id_of(corpus, "Store", "price(int)"))
    assert owner["header"].endswith("/* METHOD_NAME */ implements Runnable")
    assert owner["imports"][1] == "static shop.Base.METHOD_NAME"
    assert owner["doc"] == (
        "/** The METHOD_NAME, as {@code METHOD_NAME} and #METHOD_NAME(int) say: reprice it. */"
    )
    assert owner["methods"][0] == {
        "type": "Store",
        "name": "METHOD_NAME",
        "returns": "int",
        "parameters": [],
    }
    assert {(caller["type"], caller["name"]) for caller in owner["callers"]} >= {
        ("Store", "total"),
        ("Store", "METHOD_NAME"),
        ("User", "use"),
    }
    # A field with the same name is not masked, because it is not a method.
    assert owner["fields"][-1] == "int[] price"
    owner_without_fields = json.dumps({**owner, "fields": []})
    assert not re.search(r"\bprice\b", owner_without_fields)


def test_missing_mask_leaks_the_name(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    price = id_of(corpus, "Store", "price(int)")
    monkeypatch.setattr(owners, "apply_edits", lambda source, _: source)
    doc = json.dumps(naming_context(corpus, "price").owner(price)["doc"])
    assert re.search(r"\bprice\b", doc)


def test_owner_of_anonymous_class(corpus: Corpus) -> None:
    owner = naming_context(corpus, "run").owner(id_of(corpus, "Store.$1", "run()"))
    assert owner["header"] == "new Runnable()"
    assert owner["fields"] == ["int inner"]
    assert owner["methods"] == []


def test_callee_of_masked_call_is_not_listed(corpus: Corpus) -> None:
    total = id_of(corpus, "Store", "total(Store)")
    row = corpus.method(total)
    offset = row["start_byte"] + row["text"].index("fee")
    context = CorpusContext(corpus, lambda _: Mask("completion", start=offset, length=3))
    owner = context.owner(total)
    names = [callee["name"] for callee in owner["callees"]]
    assert "fee" not in names
    assert "fee" not in owner["call_results"]
    assert "price" in owner["call_results"]
    assert "price" in names
    fee = id_of(corpus, "Store", "fee()")
    unmasked_context = CorpusContext(corpus, lambda _: Mask("npath"))
    assert "fee" in [callee["name"] for callee in unmasked_context.owner(total)["callees"]]
    assert "total" in [caller["name"] for caller in unmasked_context.owner(fee)["callers"]]


def test_lists_of_an_owner_are_bounded(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_MOST_METHODS", "_MOST_FIELDS", "_MOST_IMPORTS", "_MOST_NEIGHBOURS"):
        monkeypatch.setattr(owners, name, 2)
    owner = naming_context(corpus, "price").owner(id_of(corpus, "Store", "total(Store)"))
    sizes = [len(owner[key]) for key in ("methods", "fields", "imports", "callees")]
    assert sizes == [2, 2, 2, 2]
    # The nearest methods are kept.
    assert [method["name"] for method in owner["methods"]] == ["METHOD_NAME", "fee"]


def test_owner_of_a_case_is_only_its_class() -> None:
    case = Case("a", "", "x", "y", True, "p", context={"type": "Store"})
    context = make_text_context(lambda: [case, Case("b", "", "x", "y", True, "p")])
    assert context.owner("a") == {"header": "class Store"}
    assert context.owner("b") == context.owner("nobody") == {}


def _classify_returns(
    tmp_path: Path, bodies: dict[str, str], more_classes: str = ""
) -> dict[str, str]:
    """Return the `call_results` record of a method that calls each method of `bodies` once."""
    calls = " ".join(f"b.{name}();" for name in bodies)
    text = " ".join(bodies.values())
    text = (
        f"class Box {{ String name; {text} void all(Box b) {{ {calls} all(b); }} }} {more_classes}"
    )
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "Box.java").write_text(text)
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "source")], workers=1)
    corpus = Corpus.open(tmp_path / "corpus")
    context = CorpusContext(corpus, lambda _: Mask("nulltoken"))
    classes_of_returns: dict[str, str] = context.owner(id_of(corpus, "Box", "all(Box)"))[
        "call_results"
    ]
    return classes_of_returns


def test_returns_of_callees_are_classified(tmp_path: Path) -> None:
    """A method is classified by its own return statements and annotations, or by those of the
    methods whose result it returns, over at most three calls; recursion ends the search."""
    bodies = {
        "bare": "String bare() { if (name == null) { return null; } return name; }",
        "chosen": "String chosen() { return name == null ? null : name; }",
        "promised": "@Nullable String promised() { return new String(); }",
        "plain": "String plain() { return (String) this.name; }",
        "asked": 'String asked() { String s = null; return "null"; }',
        "made": "Box made() { return new Box(bare()); }",
        "number": "int number() { return name == null ? null : 1; }",
        "trimmed": "String trimmed() { return bare().trim(); }",
        "once": 'String once() { return name == "" ? plain() : (String) bare(); }',
        "twice": "String twice() { return this.once(); }",
        "thrice": "String thrice() { return twice(); }",
        "further": "String further() { return thrice(); }",
        "circle": "String circle() { return circle(); }",
    }
    assert _classify_returns(tmp_path, bodies) == {
        "bare": "null",
        "chosen": "null",
        "promised": "null",
        "plain": "name",
        "asked": "other",
        "made": "other",
        "number": "other",
        "trimmed": "other",
        "once": "passed",
        "twice": "passed",
        "thrice": "passed",
        "further": "other",
        "circle": "other",
    }


def test_null_wins_among_methods_of_the_same_name(tmp_path: Path) -> None:
    bodies = {"find": "String find() { return name; }"}
    subclass = "class Lid extends Box { String find() { return null; } }"
    assert _classify_returns(tmp_path, bodies, subclass) == {"find": "null"}


def test_masked_name_keeps_its_class_of_returns(corpus: Corpus) -> None:
    """The record is keyed by the mask, not by the name that is the answer."""
    unmasked_context = CorpusContext(corpus, lambda _: Mask("npath"))
    total = id_of(corpus, "Store", "total(Store)")
    assert "fee" in unmasked_context.owner(total)["call_results"]
    returns = naming_context(corpus, "fee").owner(total)["call_results"]
    assert "fee" not in returns
    assert "METHOD_NAME" in returns
