"""Tests of the input of Cognac and GTNM: words of a method and of its context."""

from __future__ import annotations

import time
from typing import Any

import pytest

from codeacumen.api import CodeacumenError, Method, NamedMethod, Prompt
from codeacumen.models.neural.inputs.context import (
    PLACE_NAMES,
    MethodContext,
    collect_local_words,
    collect_project_words,
    extract_cognac_features,
    extract_gtnm_features,
    read_method_context,
    split_doc,
    split_name,
    split_type,
)

TEXT = """/** Sums the {@code prices}; see METHOD_NAME.
 * @return the total */
@Override protected static long METHOD_NAME(List<Item> items, int... fees) throws IOException {
    long sum = METHOD_NAME(null);  // getTotal
    for (Item item : items) { if (item.isFree()) continue; sum += item.price("price"); }
    switch (sum) { case MAX: throw new Overflow(); }
    try (Reader r = open()) { assert r.ready(); } catch (IOException e) { }
    return helper.round(sum);
}"""
ROW = {"type": "Cart", "name": "addItem", "returns": "void", "parameters": ["List<Item> all"]}
SELF = {"type": "Cart", "name": "METHOD_NAME", "returns": "int", "parameters": []}
OWNER: dict[str, Any] = {
    "header": "public class ShoppingCart extends Base<Item>",
    "fields": ["Map<String,Item> stock"],
    "imports": ["java.util.List", "static shop.Base.METHOD_NAME", "shop.*"],
    "doc": "/** From the file. */",
    "methods": [ROW, SELF],
    "callers": [{"type": "Main", "name": "run", "returns": "Exit", "parameters": ["String[] a"]}],
    "callees": [ROW, SELF],
}


class FixedContext:
    def owner(self, method: str) -> Any:
        if method != "known":
            raise CodeacumenError("who is that?")
        return OWNER


AROUND: Any = FixedContext()


def test_context_of_method_without_class() -> None:
    context = read_method_context(Method("", TEXT))
    assert context.returns == "long"
    assert context.parameters == [("List<Item>", "items"), ("int...", "fees")]
    assert context.modifiers == ["protected", "static"]
    assert context.doc.startswith("/** Sums")
    assert context.header == context.class_name == ""
    assert not context.methods
    # Words of comments and literals do not count.
    assert "getTotal" not in context.body
    assert context.body.count("price") == 1


def test_each_word_has_the_place_of_its_statement() -> None:
    context = read_method_context(Method("", TEXT))
    places_by_word: dict[str, set[str]] = {}
    for word, place in zip(context.body, context.places, strict=True):
        places_by_word.setdefault(word, set()).add(PLACE_NAMES[place])
    assert places_by_word["sum"] == {"local", "expression", "switch", "return"}
    assert places_by_word["items"] == places_by_word["for"] == {"for"}
    assert places_by_word["isFree"] == {"if"}
    assert places_by_word["price"] == {"expression"}
    assert places_by_word["MAX"] == {"case"}
    assert places_by_word["Overflow"] == {"throw"}
    assert places_by_word["Reader"] == places_by_word["IOException"] == {"try"}
    assert places_by_word["ready"] == {"assert"}
    assert places_by_word["helper"] == {"return"}
    assert places_by_word["continue"] == {"if"}


def test_mask_is_not_a_word() -> None:
    context = read_method_context(Method("known", TEXT), AROUND)
    cognac_words = extract_cognac_features(context, 1000)["pieces"]
    gtnm_words = extract_gtnm_features(context, local=1000, project=1000, doc=100)
    for words in (cognac_words, gtnm_words["local"], gtnm_words["project"], gtnm_words["doc"]):
        assert words
        assert "method" not in words
        assert "name" not in words
    assert split_name("METHOD_NAME") == split_name("<MASK>") == split_name("MASKED_CALL") == ()
    assert split_name("methodName") == ("method", "name")


def test_cognac_words_in_order() -> None:
    context = read_method_context(
        Method("known", "int METHOD_NAME(Item[] x) { return size; }"), AROUND
    )
    cognac_input = extract_cognac_features(context, 100)
    placed_words = [
        (word, PLACE_NAMES[int(place)])
        for word, place in zip(cognac_input["pieces"], cognac_input["places"], strict=True)
    ]
    assert placed_words == [
        ("shopping", "class"),
        ("cart", "class"),
        ("int", "returns"),
        ("item", "parameter"),
        ("array", "parameter"),
        ("exit", "caller returns"),
        ("string", "caller parameter"),
        ("array", "caller parameter"),
        ("add", "callee"),
        ("item", "callee"),
        ("void", "callee returns"),
        ("list", "callee parameter"),
        ("item", "callee parameter"),
        ("int", "callee returns"),
        ("return", "return"),
        ("size", "return"),
    ]
    short = extract_cognac_features(context, 3)
    assert (short["pieces"], len(short["places"])) == (["shopping", "cart", "int"], 3)


def test_gtnm_words() -> None:
    context = read_method_context(
        Method("known", "public int METHOD_NAME(Item[] x) { return stock.all; }"), AROUND
    )
    assert collect_local_words(context) == ["public", "int", "Item", "array", "x", "stock", "all"]
    assert collect_project_words(context) == [
        "void",
        "addItem",
        "List",
        "Item",
        "all",
        "int",
        "METHOD_NAME",
        "List",
        "METHOD_NAME",
        "public",
        "class",
        "ShoppingCart",
        "extends",
        "Base",
        "Item",
        "Map",
        "String",
        "Item",
        "stock",
        "void",
        "addItem",
        "List",
        "Item",
        "all",
        "int",
        "METHOD_NAME",
    ]
    gtnm_input = extract_gtnm_features(context, local=3, project=8, doc=2)
    assert gtnm_input == {
        # The last words of each; single letters are dropped.
        "local": ["array", "stock", "all"],
        "project": ["stock", "void", "add", "item", "list", "item", "all", "int"],
        "invoked": [1, 0, 0, 0, 0, 0, 1, 0],
        # The first words of the documentation.
        "doc": ["from", "the"],
    }


def test_comment_in_the_text_precedes_that_of_the_file() -> None:
    assert split_doc(read_method_context(Method("known", TEXT), AROUND).doc) == [
        "sums",
        "the",
        "prices",
        "see",
    ]


@pytest.mark.parametrize(
    ("doc", "words"),
    [
        ("", []),
        ("/***/", []),
        (
            "/**\n * Is it\n * <p>a tag&nbsp;or\n *   @param x no\n */",
            ["is", "it", "a", "tag", "or"],
        ),
        ("/** @return nothing */", []),
        (
            "/** a@b.c {@link List#add(Object) adding} */",
            ["a", "b", "c", "list", "add", "object", "adding"],
        ),
    ],
)
def test_words_of_documentation(doc: str, words: list[str]) -> None:
    assert split_doc(doc) == words


def test_words_of_types() -> None:
    assert split_type("int") == ("int",)
    assert split_type("Map.Entry<K,?>[][]") == ("Map", "Entry", "K", "array")
    assert split_type("") == ()


def test_unknown_method_is_read_from_its_text_alone() -> None:
    for question in (Method("other", TEXT), Method("", TEXT), NamedMethod(Method("x", TEXT), "f")):
        assert read_method_context(question, AROUND) == read_method_context(Method("", TEXT))
    assert (
        read_method_context(NamedMethod(Method("known", TEXT), "f"), AROUND).class_name
        == "ShoppingCart"
    )
    assert read_method_context(Prompt(TEXT, "known"), AROUND).class_name == "ShoppingCart"


@pytest.mark.parametrize(
    ("header", "owner"),
    [
        ("enum Colour implements X", "Colour"),
        ("new Runnable()", "Runnable"),
        ("class Outer.Inner", "Outer.Inner"),
        ("record P<T>(int x)", "P"),
        ("", ""),
        ("public @interface Marks", "Marks"),
    ],
)
def test_class_name_from_header(header: str, owner: str) -> None:
    assert MethodContext(header=header).class_name == owner


def test_identifier_is_read_as_words() -> None:
    identifier_input = extract_cognac_features(read_method_context(Method("", "maxItemCount")), 10)
    assert identifier_input["pieces"] == ["max", "item", "count"]
    assert {PLACE_NAMES[int(place)] for place in identifier_input["places"]} == {"other"}


def test_any_text_is_read_fast_and_without_error() -> None:
    deep = "void METHOD_NAME() {" + "if (a) {" * 3000 + "}" * 3001
    odd_texts = (
        "",
        "}",
        "{",
        "\ud800",
        "\0",
        "void METHOD_NAME(",
        'int METHOD_NAME() { return "',
        deep,
        "void METHOD_NAME() {" + "x = y;" * 100_000 + "}",
        "=> <MASK> 你好",
        "new " * 9999,
    )
    start = time.monotonic()
    for text in odd_texts:
        context = read_method_context(Method("", text))
        assert len(context.body) == len(context.places)
        assert len(extract_cognac_features(context, 350)["pieces"]) <= 350
        extract_gtnm_features(context, local=55, project=60, doc=10)
    assert time.monotonic() - start < 60
