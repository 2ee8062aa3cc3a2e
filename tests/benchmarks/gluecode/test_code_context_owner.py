"""The class around a method, as who is asked about the method may see it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from codeacumen.benchmarks.gluecode import owner as owners
from codeacumen.benchmarks.gluecode.code_context import CorpusContext
from codeacumen.benchmarks.gluecode.masks import Mask
from codeacumen.benchmarks.rename4j.cases import Case, show_cases
from codeacumen.corpus import Corpus
from corpora import build_at

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
    build_at(folder / "corpus", [str(folder / "source")], workers=1)
    return Corpus.open(folder / "corpus")


def id_of(corpus: Corpus, type_: str, signature: str) -> str:
    query = "select method_id from methods where type = ? and signature = ?"
    (row,) = corpus.query(query, [type_, signature]).to_pylist()
    return str(row["method_id"])


def naming(corpus: Corpus, name: str) -> CorpusContext:
    return CorpusContext(corpus, lambda _: Mask("naming", name=name))


def test_what_is_told_of_a_class(corpus: Corpus) -> None:
    owner = naming(corpus, "fee").owner(id_of(corpus, "Store", "fee()"))
    assert owner["header"] == (
        "@Deprecated public class Store<T> extends Base /* price */ implements Runnable"
    )
    assert owner["fields"] == ["List<String> names", "List<String> others", "int[] price"]
    assert owner["imports"] == ["java.util.List", "static shop.Base.price"]
    assert owner["doc"] == ""
    assert [one["name"] for one in owner["methods"]] == [
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
    assert [one["name"] for one in owner["callers"]] == ["total", "price"]


def test_the_name_is_told_nowhere_but_as_a_field(corpus: Corpus) -> None:
    owner = naming(corpus, "price").owner(id_of(corpus, "Store", "price(int)"))
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
    assert {(one["type"], one["name"]) for one in owner["callers"]} >= {
        ("Store", "total"),
        ("Store", "METHOD_NAME"),
        ("User", "use"),
    }
    # A field stays, as everywhere: it is no method.
    assert owner["fields"][-1] == "int[] price"
    rest = json.dumps({**owner, "fields": []})
    assert not re.search(r"\bprice\b", rest)


def test_a_mask_that_is_left_out_would_be_noticed(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = id_of(corpus, "Store", "price(int)")
    monkeypatch.setattr(owners, "applied", lambda source, _: source)
    told = json.dumps(naming(corpus, "price").owner(price)["doc"])
    assert re.search(r"\bprice\b", told)


def test_a_class_without_a_name(corpus: Corpus) -> None:
    owner = naming(corpus, "run").owner(id_of(corpus, "Store.$1", "run()"))
    assert owner["header"] == "new Runnable()"
    assert owner["fields"] == ["int inner"]
    assert owner["methods"] == []


def test_who_is_called_by_a_masked_call_is_not_told(corpus: Corpus) -> None:
    total = id_of(corpus, "Store", "total(Store)")
    row = corpus.method(total)
    at = row["start_byte"] + row["text"].index("fee")
    context = CorpusContext(corpus, lambda _: Mask("completion", start=at, length=3))
    owner = context.owner(total)
    names = [one["name"] for one in owner["callees"]]
    assert "fee" not in names
    assert "fee" not in owner["gives"]
    assert "price" in owner["gives"]
    assert "price" in names
    fee = id_of(corpus, "Store", "fee()")
    whole = CorpusContext(corpus, lambda _: Mask("npath"))
    assert "fee" in [one["name"] for one in whole.owner(total)["callees"]]
    assert "total" in [one["name"] for one in whole.owner(fee)["callers"]]


def test_there_are_bounds(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_MOST_METHODS", "_MOST_FIELDS", "_MOST_IMPORTS", "_MOST_NEIGHBOURS"):
        monkeypatch.setattr(owners, name, 2)
    owner = naming(corpus, "price").owner(id_of(corpus, "Store", "total(Store)"))
    sizes = [len(owner[key]) for key in ("methods", "fields", "imports", "callees")]
    assert sizes == [2, 2, 2, 2]
    # Those around it.
    assert [one["name"] for one in owner["methods"]] == ["METHOD_NAME", "fee"]


def test_a_case_tells_its_class_at_most() -> None:
    known = Case("a", "", "x", "y", True, "p", context={"type": "Store"})
    context = show_cases(lambda: [known, Case("b", "", "x", "y", True, "p")])
    assert context.owner("a") == {"header": "class Store"}
    assert context.owner("b") == context.owner("nobody") == {}


def _gives(tmp_path: Path, bodies: dict[str, str], more: str = "") -> dict[str, str]:
    """What is told of methods of a class, each called by one more."""
    calls = " ".join(f"b.{name}();" for name in bodies)
    text = " ".join(bodies.values())
    text = f"class Box {{ String name; {text} void all(Box b) {{ {calls} all(b); }} }} {more}"
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "Box.java").write_text(text)
    build_at(tmp_path / "corpus", [str(tmp_path / "source")], workers=1)
    corpus = Corpus.open(tmp_path / "corpus")
    context = CorpusContext(corpus, lambda _: Mask("nulltoken"))
    found: dict[str, str] = context.owner(id_of(corpus, "Box", "all(Box)"))["gives"]
    return found


def test_it_is_told_what_callees_give(tmp_path: Path) -> None:
    """A null that is returned, chosen or promised in their own texts, or in those they hand on to:
    over three calls and no more, and in circles."""
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
    assert _gives(tmp_path, bodies) == {
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


def test_of_methods_of_one_name_the_worst_counts(tmp_path: Path) -> None:
    bodies = {"find": "String find() { return name; }"}
    more = "class Lid extends Box { String find() { return null; } }"
    assert _gives(tmp_path, bodies, more) == {"find": "null"}


def test_a_hidden_name_gives_what_it_gives(corpus: Corpus) -> None:
    """A name that is asked for is told nowhere."""
    whole = CorpusContext(corpus, lambda _: Mask("npath"))
    total = id_of(corpus, "Store", "total(Store)")
    assert "fee" in whole.owner(total)["gives"]
    told = naming(corpus, "fee").owner(total)["gives"]
    assert "fee" not in told
    assert "METHOD_NAME" in told
