"""Tests of the masked code context, on a small project written for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.gluecode.code_context import CorpusContext, open_context
from codeacumen.benchmarks.gluecode.masks import MASK, Mask, mask_method_text, mask_token
from codeacumen.core.files import sha256_of
from codeacumen.corpus import Corpus
from codeacumen.corpus.manifest import NAME
from codeacumen.datasets.built import BuiltDataset
from corpora import build_corpus_at

STORE = """package shop;
/** See {@link #price}. */
class Store extends Base {
    int tax;
    /** The price, as {@code price} says. */
    int price(int count) { if (count > 1) { return count * price(1); } return tax + 1; }
    int price() { return price(1); }
    int total(Store other) { log("price"); return other.price(2) - other.fee() + other.fee(); }
    int fee() { Runnable r = new Runnable() { public void run() { total(null); } }; return 2; }
    void log(String text) { }
    abstract int none();
}
"""
BASE = "package shop; class Base { int price(int count) { return 0; } int other() { return 3; } }"
USER = "package user; class User { int use(shop.Base b) { int price = b.price(1); return price; } }"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("context")
    for name, text in (("shop/Store", STORE), ("shop/Base", BASE), ("user/User", USER)):
        path = folder / "source" / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build_corpus_at(folder / "corpus", [str(folder / "source")], workers=1)
    return Corpus.open(folder / "corpus")


def id_of(corpus: Corpus, type_: str, signature: str) -> str:
    query = "select method_id from methods where type = ? and signature = ?"
    (row,) = corpus.query(query, [type_, signature]).to_pylist()
    return str(row["method_id"])


def naming_context(corpus: Corpus, name: str = "price") -> CorpusContext:
    return CorpusContext(corpus, lambda _: Mask("naming", name=name))


def test_method_name_is_masked_in_callers_and_siblings(corpus: Corpus) -> None:
    price = id_of(corpus, "Store", "price(int)")
    context = naming_context(corpus)
    assert context.text(price) == (
        "int METHOD_NAME(int count) { if (count > 1) { return count * METHOD_NAME(1); } "
        "return tax + 1; }"
    )
    callers = {(row["type"], row["name"]): row["text"] for row in context.callers(price)}
    assert callers == {
        ("shop.Store", "METHOD_NAME"): "int METHOD_NAME() { return METHOD_NAME(1); }",
        ("shop.Store", "total"): 'int total(Store other) { log("METHOD_NAME"); '
        "return other.METHOD_NAME(2) - other.fee() + other.fee(); }",
        # A variable with the same name is not masked.
        ("user.User", "use"): "int use(shop.Base b) { int price = b.METHOD_NAME(1); "
        "return price; }",
    }
    (overload,) = (row for row in context.siblings(price) if row["name"] == "METHOD_NAME")
    assert overload["signature"] == "METHOD_NAME()"
    assert overload["path"].endswith("Store.java")
    assert overload["line"] == 7


def test_calls_are_listed_with_the_name_masked(corpus: Corpus) -> None:
    total = id_of(corpus, "Store", "total(Store)")
    price = id_of(corpus, "Store", "price(int)")
    context = naming_context(corpus)
    calls = context.calls(price, total)
    assert [call["callee"] for call in calls] == [
        "shop.Store.log(java.lang.String)",
        "shop.Store.METHOD_NAME(int)",
        "shop.Store.fee()",
        "shop.Store.fee()",
    ]
    # Positions of calls refer to the masked file.
    text = context.view_of(price, total, "text")
    first = calls[0]["start_byte"] - text.index("log")
    assert [text[call["start_byte"] - first :][:3] for call in calls] == [
        "log",
        "MET",
        "fee",
        "fee",
    ]
    assert context.view_of(price, total, "calls") == calls


def test_method_without_body_has_only_a_text_view(corpus: Corpus) -> None:
    price, none = id_of(corpus, "Store", "price(int)"), id_of(corpus, "Store", "none()")
    context = naming_context(corpus)
    assert context.view_of(price, none, "text") == "abstract int none();"
    assert context.view_of(price, none, "ast") is None


def test_unknown_views_and_tools_are_rejected(corpus: Corpus) -> None:
    price = id_of(corpus, "Store", "price(int)")
    context = naming_context(corpus)
    for name, compat in (("text", "nobody"), ("calls", "gluecode"), ("nothing", "")):
        with pytest.raises(CodeacumenError):
            context.view(price, name, compat)


def completion_context(
    corpus: Corpus, method: str, word: str, occurrence: int = 0
) -> CorpusContext:
    row = corpus.method(method)
    offset = -1
    for _ in range(occurrence + 1):
        offset = row["text"].index(word + "(", offset + 1)
    mask = Mask("completion", start=row["start_byte"] + offset, length=len(word))
    return CorpusContext(corpus, lambda _: mask, lambda _: {"receiver": "shop.Store"})


def test_masked_call_is_removed_from_views_and_call_edges(corpus: Corpus) -> None:
    total, fee = id_of(corpus, "Store", "total(Store)"), id_of(corpus, "Store", "fee()")
    context = completion_context(corpus, total, "fee", 1)
    assert context.text(total).endswith("other.price(2) - other.fee() + other.<MASK>(); }")
    assert context.view(total, "text", "gluecode") == context.text(total)
    tokens = context.view(total, "tokens")
    assert (tokens.count("fee"), tokens.count("MASKED_CALL")) == (1, 1)
    # The other call of fee stays visible, so fee stays among the callees: its absence would leak
    # the answer.
    assert [call["callee"].split("Store.")[1] for call in context.calls(total)] == [
        "log(java.lang.String)",
        "price(int)",
        "fee()",
    ]
    assert {row["name"] for row in context.callees(total)} == {"log", "price", "fee"}
    assert total in {row["id"] for row in context.callers(total, fee)}
    assert context.describe(total) == {"receiver": "shop.Store"}
    # A callee that only the masked call reaches is hidden.
    price = id_of(corpus, "Store", "price(int)")
    context = completion_context(corpus, total, "price")
    assert {row["name"] for row in context.callees(total)} == {"log", "fee"}
    assert price in {row["method_id"] for row in corpus.callees(total)}
    assert total not in {row["id"] for row in context.callers(total, price)}
    assert total in {row["method_id"] for row in corpus.callers(price)}


def test_masked_call_is_hidden_in_the_enclosing_method(corpus: Corpus) -> None:
    """The text of ``fee`` holds the class whose method calls ``total``."""
    run, fee = id_of(corpus, "Store.$1", "run()"), id_of(corpus, "Store", "fee()")
    context = completion_context(corpus, run, "total")
    assert "<MASK>(null)" in context.view_of(run, fee, "text")
    assert "total" not in context.view_of(run, fee, "tokens")
    (sibling,) = (
        row
        for row in context.siblings(run, id_of(corpus, "Store", "price()"))
        if row["name"] == "fee"
    )
    assert "<MASK>(null)" in sibling["text"]


def test_operator_is_masked_in_all_views(corpus: Corpus) -> None:
    total, price = id_of(corpus, "Store", "total(Store)"), id_of(corpus, "Store", "price(int)")
    row = corpus.method(total)
    mask = Mask("operators", start=row["start_byte"] + row["text"].index("-"), length=1)
    context = CorpusContext(corpus, lambda _: mask)
    assert "other.price(2) <MASK> other.fee() +" in context.text(total)
    assert context.view(total, "tokens").count("MASK") == 1
    assert "MASK" in context.view(total, "graph")["node_labels"]
    assert context.view(total, "graph")["edges"] == corpus.view(total, "graph")["edges"]
    # Other methods and other files are not masked.
    assert context.view_of(total, price, "ast") == corpus.view(price, "ast")
    assert {row["name"] for row in context.callees(total)} == {"log", "price", "fee"}
    caller = next(row for row in context.callers(total, price) if row["id"] == total)
    assert caller["text"] == context.text(total)


# --------------------------------------------------------------------------------------
# Masked text and data sets.
# --------------------------------------------------------------------------------------


def test_stored_text_equals_served_text(corpus: Corpus) -> None:
    price = id_of(corpus, "Store", "price(int)")
    row = corpus.method(price)
    assert mask_method_text("naming", row) == naming_context(corpus).text(price)
    offset = row["text"].index("*")
    mask = Mask("operators", start=row["start_byte"] + offset, length=1)
    text = mask_method_text("operators", row, mask.start, mask.length)
    assert text == CorpusContext(corpus, lambda _: mask).text(price)
    assert "count <MASK> price(1)" in text
    for task in ("npath", "nulltoken"):
        assert mask_method_text(task, row) == row["text"]
    with pytest.raises(ValueError, match="no task"):
        mask_method_text("other", row)


@pytest.mark.parametrize(("at", "length"), [(-1, 2), (0, 0), (4, 9), (99, 1)])
def test_token_outside_the_text_is_rejected(at: int, length: int) -> None:
    with pytest.raises(ValueError, match="no token"):
        mask_token("é = 1", at, length)


def test_token_offsets_are_in_bytes() -> None:
    assert mask_token("é = 1", 3, 1) == f"é {MASK} 1"


def write_built_dataset(
    corpus: Corpus, folder: Path, kind: str, rows: list[dict[str, Any]]
) -> BuiltDataset:
    folder.mkdir(exist_ok=True)
    path = folder / f"{kind}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    about = {
        "corpus": {
            "folder": str(corpus.folder),
            "manifest_sha256": sha256_of(corpus.folder / NAME),
        },
        "files": {path.name: sha256_of(path)},
    }
    return BuiltDataset(folder, "gluecode", about)


def test_data_set_opens_its_corpus(corpus: Corpus, tmp_path: Path) -> None:
    total = id_of(corpus, "Store", "total(Store)")
    row = corpus.method(total)
    start = row["start_byte"] + row["text"].index("fee")
    description = {"receiver": "", "arguments": 0, "candidates": ["fee"], "static": False}
    location = {"start_byte": start, "end_byte": start + 3}
    rows = {
        "naming": {"id": total, "label": "total"},
        "completion": {"id": total, "label": "fee", **location, **description},
        "operators": {
            "id": total, "label": "+", "start_byte": row["start_byte"] + row["text"].index("+"),
            "end_byte": row["start_byte"] + row["text"].index("+") + 1,
        },
        "npath": {"id": total, "label": "1"},
    }  # fmt: skip
    expected_substrings = {
        "naming": "METHOD_NAME",
        "completion": MASK,
        "operators": MASK,
        "npath": "total",
    }
    for kind, dataset_row in rows.items():
        context = open_context(write_built_dataset(corpus, tmp_path, kind, [dataset_row]), kind)
        assert context is not None
        assert expected_substrings[kind] in context.text(total)
        assert context.describe(total) == (description if kind == "completion" else {})
        with pytest.raises(CodeacumenError, match="has no instance"):
            context.text(id_of(corpus, "Store", "fee()"))


def test_no_context_without_the_same_corpus(corpus: Corpus, tmp_path: Path) -> None:
    dataset = write_built_dataset(corpus, tmp_path, "npath", [])
    for about in (
        {},
        {"corpus": "abc"},
        {"corpus": {"folder": "nowhere", "manifest_sha256": ""}},
        {"corpus": {"folder": str(corpus.folder), "manifest_sha256": "another"}},
    ):
        changed_about = {**dataset.about, "corpus": None, **about}
        assert (
            open_context(BuiltDataset(dataset.folder, "gluecode", changed_about), "npath") is None
        )
