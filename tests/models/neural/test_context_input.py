"""What two models read of a method and of what surrounds it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from codeacumen.api import CodeacumenError, Method, NamedMethod, Prompt
from codeacumen.models.neural.inputs.context import (
    PLACES,
    Seen,
    cognac_features,
    doc_words,
    gtnm_features,
    local_words,
    look,
    pieces,
    project_words,
    type_words,
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


class Around:
    def owner(self, method: str) -> Any:
        if method != "known":
            raise CodeacumenError("who is that?")
        return OWNER


AROUND: Any = Around()


def test_a_method_alone() -> None:
    seen = look(Method("", TEXT))
    assert seen.returns == "long"
    assert seen.parameters == [("List<Item>", "items"), ("int...", "fees")]
    assert seen.modifiers == ["protected", "static"]
    assert seen.doc.startswith("/** Sums")
    assert seen.header == seen.owner == ""
    assert not seen.methods
    # Neither comments nor literals are words.
    assert "getTotal" not in seen.body
    assert seen.body.count("price") == 1


def test_each_word_knows_its_statement() -> None:
    seen = look(Method("", TEXT))
    told: dict[str, set[str]] = {}
    for word, place in zip(seen.body, seen.places, strict=True):
        told.setdefault(word, set()).add(PLACES[place])
    assert told["sum"] == {"local", "expression", "switch", "return"}
    assert told["items"] == told["for"] == {"for"}
    assert told["isFree"] == {"if"}
    assert told["price"] == {"expression"}
    assert told["MAX"] == {"case"}
    assert told["Overflow"] == {"throw"}
    assert told["Reader"] == told["IOException"] == {"try"}
    assert told["ready"] == {"assert"}
    assert told["helper"] == {"return"}
    assert told["continue"] == {"if"}


def test_the_mask_is_no_word() -> None:
    seen = look(Method("known", TEXT), AROUND)
    read = cognac_features(seen, 1000)["pieces"]
    whole = gtnm_features(seen, local=1000, project=1000, doc=100)
    for words in (read, whole["local"], whole["project"], whole["doc"]):
        assert words
        assert "method" not in words
        assert "name" not in words
    assert pieces("METHOD_NAME") == pieces("<MASK>") == pieces("MASKED_CALL") == ()
    assert pieces("methodName") == ("method", "name")


def test_what_cognac_reads_and_in_which_order() -> None:
    seen = look(Method("known", "int METHOD_NAME(Item[] x) { return size; }"), AROUND)
    found = cognac_features(seen, 100)
    told = [
        (word, PLACES[int(place)])
        for word, place in zip(found["pieces"], found["places"], strict=True)
    ]
    assert told == [
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
    short = cognac_features(seen, 3)
    assert (short["pieces"], len(short["places"])) == (["shopping", "cart", "int"], 3)


def test_what_gtnm_reads() -> None:
    seen = look(Method("known", "public int METHOD_NAME(Item[] x) { return stock.all; }"), AROUND)
    assert local_words(seen) == ["public", "int", "Item", "array", "x", "stock", "all"]
    assert project_words(seen) == [
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
    found = gtnm_features(seen, local=3, project=8, doc=2)
    assert found == {
        # The last of each; single letters are no words.
        "local": ["array", "stock", "all"],
        "project": ["stock", "void", "add", "item", "list", "item", "all", "int"],
        "invoked": [1, 0, 0, 0, 0, 0, 1, 0],
        # The first of these, and documentation they are.
        "doc": ["from", "the"],
    }


def test_the_comment_in_the_text_goes_first() -> None:
    assert doc_words(look(Method("known", TEXT), AROUND).doc) == ["sums", "the", "prices", "see"]


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
def test_documentation(doc: str, words: list[str]) -> None:
    assert doc_words(doc) == words


def test_types() -> None:
    assert type_words("int") == ("int",)
    assert type_words("Map.Entry<K,?>[][]") == ("Map", "Entry", "K", "array")
    assert type_words("") == ()


def test_where_nothing_is_known_of_a_method_the_text_has_to_do() -> None:
    for asked in (Method("other", TEXT), Method("", TEXT), NamedMethod(Method("x", TEXT), "f")):
        assert look(asked, AROUND) == look(Method("", TEXT))
    assert look(NamedMethod(Method("known", TEXT), "f"), AROUND).owner == "ShoppingCart"
    assert look(Prompt(TEXT, "known"), AROUND).owner == "ShoppingCart"


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
def test_the_name_of_a_class(header: str, owner: str) -> None:
    assert Seen(header=header).owner == owner


def test_an_identifier_is_read_too() -> None:
    found = cognac_features(look(Method("", "maxItemCount")), 10)
    assert found["pieces"] == ["max", "item", "count"]
    assert {PLACES[int(place)] for place in found["places"]} == {"other"}


def test_any_text_is_read_without_an_error_and_soon() -> None:
    deep = "void METHOD_NAME() {" + "if (a) {" * 3000 + "}" * 3001
    odd = (
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
    began = time.monotonic()
    for text in odd:
        seen = look(Method("", text))
        assert len(seen.body) == len(seen.places)
        assert len(cognac_features(seen, 350)["pieces"]) <= 350
        gtnm_features(seen, local=55, project=60, doc=10)
    assert time.monotonic() - began < 60
