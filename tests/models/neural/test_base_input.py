"""What codeacumen-base reads: tokens with their place in the tree, surroundings, and as numbers.

Examples are methods of the example projects.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from codeacumen.api import Input, Method, Prompt, Question
from codeacumen.models.neural.inputs.base import Asks, features, null_flags, own_tokens
from codeacumen.models.neural.inputs.base_nulls import GIVES, MARKS
from codeacumen.models.neural.networks.base import Base
from codeacumen.models.neural.training.batches import ragged
from codeacumen.models.neural.training.encoded import EncodedFile
from models.neural.base_examples import Around, small, tokens_of
from models.neural.checks import methods

__all__ = ["small"]


def test_a_token_has_words_a_role_a_statement_and_a_name() -> None:
    text = "int METHOD_NAME(int maxSize) { if (maxSize > 0) { return maxSize; } return 0; }"
    told, shape = own_tokens(text)
    tokens = tokens_of(told)
    assert tokens == text.replace("(", " ( ").replace(")", " ) ").replace(";", " ;").split()
    at = [place for place, one in enumerate(tokens) if one == "maxSize"]
    assert len({told.name[place] for place in at}) == 1
    assert told.name[at[0]] > 0
    assert told.name[tokens.index("METHOD_NAME")] == 0
    assert told.words[tokens.index("METHOD_NAME")] == "METHOD_NAME"
    returns = [place for place, one in enumerate(tokens) if one == "return"]
    assert [told.depth[place] for place in returns] == [2, 1]
    assert told.statement[at[1]] != told.statement[at[2]] == told.statement[returns[0]]
    assert shape.count("RETURN 1") == shape.count("RETURN 2") == shape.count("IF 1") == 1


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (Question("int f() { return 1 <MASK> 2; }", ()), Asks.OPERATOR),
        (Question("int f() { return 1; }", ()), Asks.NPATH),
        (Prompt("int f() { return a.<MASK>(); }"), Asks.CALL),
        (Prompt("int f() { return a.b(); }"), Asks.NULL),
        (Method("", "int METHOD_NAME() { }"), Asks.NAME),
    ],
)
def test_what_is_asked_is_told_by_the_question(asked: Input, kind: Asks) -> None:
    assert Asks.of(asked) is kind
    read = features(asked, None)
    assert read is not None
    assert read["asks"] == [kind]


@pytest.mark.parametrize("text", ["", "}", "\ud800", '"""', "int f( {", "<MASK>" * 50, "{" * 3000])
def test_any_text_is_survived(text: str) -> None:
    for asked in (Method("", text), Prompt(text), Question(text, ())):
        features(asked, None)


def test_surroundings_tell_of_callees_that_give_null() -> None:
    text = "int METHOD_NAME() { int trim = 1; return find(trim).size() + other(); }"
    read = features(Method("m", text), Around())  # type: ignore[arg-type]
    assert read is not None
    tokens = tokens_of(own_tokens(text)[0])
    marked = {tokens[at]: MARKS[flag] for at, flag in enumerate(read["own_flag"]) if flag}
    # A variable of a method's name is no call, and of `other` nothing is known.
    assert marked == {"find": "null, dereferenced", "size": "other"}
    around = dict(zip(read["around_role"], read["around_name"], strict=True))
    assert around["callee"] == read["own_name"][tokens.index("find")]
    flags = dict(zip(read["around_role"], read["around_flag"], strict=True))
    assert GIVES[flags["callee"]] == "null"
    assert flags["sibling"] == flags["field"] == 0
    assert set(around) >= {"header", "doc", "callee", "field", "sibling"}
    assert read["variant_words"]
    assert null_flags({}) == null_flags({"gives": {"a": "something else"}}) == {}


def test_the_name_that_is_asked_for_is_no_word() -> None:
    for text, name in methods()[:200]:
        read = features(Method("", text), None)
        assert read is not None
        if name.lower() not in text.lower():
            assert name not in tokens_of(own_tokens(text)[0])
        assert read["own_words"].count("METHOD_NAME") >= 1


# -------------------------------------------------------------------------------- numbers


def test_a_sequence_is_the_method_then_its_surroundings(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    read = features(Method("m", "int METHOD_NAME() { return find(1); }"), Around())  # type: ignore[arg-type]
    assert read is not None
    batch = model.collate(ragged([model.encode(read)]))
    assert batch["parts"].shape[1] % 8 == 0
    segments = batch["segment"][0][: int(batch["sizes"][0])].tolist()
    assert segments == sorted(segments)
    assert set(segments) == {0, 1, 2, 3}
    parts = batch["parts"][0]
    assert int(parts[0]) == model.subwords.begin
    own = model.subwords.text(parts[batch["segment"][0] == 1].tolist())
    assert "METHOD_NAME" not in own
    assert "find" in own
    first = batch["first"][0][batch["segment"][0] == 1]
    assert int(first.sum()) == len(read["own_sizes"])


def test_what_is_masked_is_never_cut_off(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    text = "void f() { " + "a(); " * 300 + "b.<MASK>(); " + "c(); " * 300 + "}"
    read = features(Prompt(text), None)
    assert read is not None
    made_ = model.encode(read)
    assert model.subwords.mask in made_["own_parts"]
    assert len(made_["own_parts"]) <= model.settings.length - 2
    assert made_["own_sizes"].sum() == len(made_["own_parts"])


def test_where_null_may_be_is_not_cut_off_if_that_is_asked(
    small: tuple[Base, EncodedFile],
) -> None:
    model, _ = small
    text = "int METHOD_NAME() { " + "a(); " * 300 + "String s = null; s.b(); " + "c(); " * 300 + "}"
    held = MARKS.index("holds null, dereferenced")
    for asked, seen in ((Prompt(text), True), (Method("", text), False)):
        read = features(asked, None)
        assert read is not None
        made_ = model.encode(read)
        assert (held in made_["own_flag"].tolist()) is seen
        assert len(made_["own_parts"]) <= model.settings.length - 2


def test_few_examples_are_shown_oftener(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    tasks = np.array([0] * 4 + [2] * 400, np.int32)
    assert model.times(tasks)[:4].tolist() == [8] * 4
    assert set(model.times(tasks)[4:].tolist()) == {1}
