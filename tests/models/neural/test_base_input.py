"""Tests of the input of codeacumen-base: tokens with their place in the tree, the context, and
their encoding. Examples are methods of the example projects."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from codeacumen.api import Input, Method, Prompt, Question
from codeacumen.models.neural.inputs.codeacumen_base import (
    QuestionKind,
    extract_features,
    number_returns,
    tokenize_method,
)
from codeacumen.models.neural.inputs.codeacumen_base_nulls import MARKS, RETURN_KINDS
from codeacumen.models.neural.networks.codeacumen_base import Base
from codeacumen.models.neural.training.batches import rows_to_columns
from codeacumen.models.neural.training.encoded_file import EncodedFile
from models.neural.base_questions import FixedContext, join_tokens, small
from models.neural.small_networks import list_methods

__all__ = ["small"]


def test_token_has_words_role_statement_and_name() -> None:
    text = "int METHOD_NAME(int maxSize) { if (maxSize > 0) { return maxSize; } return 0; }"
    token_columns, shape = tokenize_method(text)
    tokens = join_tokens(token_columns)
    assert tokens == text.replace("(", " ( ").replace(")", " ) ").replace(";", " ;").split()
    name_positions = [place for place, token in enumerate(tokens) if token == "maxSize"]
    assert len({token_columns.name[place] for place in name_positions}) == 1
    assert token_columns.name[name_positions[0]] > 0
    assert token_columns.name[tokens.index("METHOD_NAME")] == 0
    assert token_columns.words[tokens.index("METHOD_NAME")] == "METHOD_NAME"
    return_positions = [place for place, token in enumerate(tokens) if token == "return"]
    assert [token_columns.depth[place] for place in return_positions] == [2, 1]
    assert (
        token_columns.statement[name_positions[1]]
        != token_columns.statement[name_positions[2]]
        == token_columns.statement[return_positions[0]]
    )
    assert shape.count("RETURN 1") == shape.count("RETURN 2") == shape.count("IF 1") == 1


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (Question("int f() { return 1 <MASK> 2; }", ()), QuestionKind.OPERATOR),
        (Question("int f() { return 1; }", ()), QuestionKind.NPATH),
        (Prompt("int f() { return a.<MASK>(); }"), QuestionKind.CALL),
        (Prompt("int f() { return a.b(); }"), QuestionKind.NULL),
        (Method("", "int METHOD_NAME() { }"), QuestionKind.NAME),
    ],
)
def test_question_determines_its_kind(question: Input, kind: QuestionKind) -> None:
    assert QuestionKind.from_input(question) is kind
    question_features = extract_features(question, None)
    assert question_features is not None
    assert question_features["asks"] == [kind]


@pytest.mark.parametrize("text", ["", "}", "\ud800", '"""', "int f( {", "<MASK>" * 50, "{" * 3000])
def test_any_text_is_supported(text: str) -> None:
    for question in (Method("", text), Prompt(text), Question(text, ())):
        extract_features(question, None)


def test_context_marks_callees_that_return_null() -> None:
    text = "int METHOD_NAME() { int trim = 1; return find(trim).size() + other(); }"
    method_features = extract_features(Method("m", text), FixedContext())  # type: ignore[arg-type]
    assert method_features is not None
    tokens = join_tokens(tokenize_method(text)[0])
    mark_by_token = {
        tokens[position]: MARKS[flag]
        for position, flag in enumerate(method_features["own_flag"])
        if flag
    }
    # A variable with a method's name is not a call, and nothing is known about `other`.
    assert mark_by_token == {"find": "null, dereferenced", "size": "other"}
    name_by_role = dict(
        zip(method_features["around_role"], method_features["around_name"], strict=True)
    )
    assert name_by_role["callee"] == method_features["own_name"][tokens.index("find")]
    flag_by_role = dict(
        zip(method_features["around_role"], method_features["around_flag"], strict=True)
    )
    assert RETURN_KINDS[flag_by_role["callee"]] == "null"
    assert flag_by_role["sibling"] == flag_by_role["field"] == 0
    assert set(name_by_role) >= {"header", "doc", "callee", "field", "sibling"}
    assert method_features["variant_words"]
    assert number_returns({}) == number_returns({"call_results": {"a": "something else"}}) == {}


def test_masked_name_is_not_a_word() -> None:
    for text, name in list_methods()[:200]:
        method_features = extract_features(Method("", text), None)
        assert method_features is not None
        if name.lower() not in text.lower():
            assert name not in join_tokens(tokenize_method(text)[0])
        assert method_features["own_words"].count("METHOD_NAME") >= 1


# -------------------------------------------------------------------------------- numbers


def test_sequence_is_method_followed_by_context(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    method_features = extract_features(
        Method("m", "int METHOD_NAME() { return find(1); }"), FixedContext()
    )  # type: ignore[arg-type]
    assert method_features is not None
    batch = model.collate(rows_to_columns([model.encode(method_features)]))
    assert batch["parts"].shape[1] % 8 == 0
    segments = batch["segment"][0][: int(batch["sizes"][0])].tolist()
    assert segments == sorted(segments)
    assert set(segments) == {0, 1, 2, 3}
    parts = batch["parts"][0]
    assert int(parts[0]) == model.subwords.begin
    method_text = model.subwords.decode_text(parts[batch["segment"][0] == 1].tolist())
    assert "METHOD_NAME" not in method_text
    assert "find" in method_text
    first = batch["first"][0][batch["segment"][0] == 1]
    assert int(first.sum()) == len(method_features["own_sizes"])


def test_mask_is_never_truncated(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    text = "void f() { " + "a(); " * 300 + "b.<MASK>(); " + "c(); " * 300 + "}"
    question_features = extract_features(Prompt(text), None)
    assert question_features is not None
    encoded = model.encode(question_features)
    assert model.subwords.mask in encoded["own_parts"]
    assert len(encoded["own_parts"]) <= model.settings.length - 2
    assert encoded["own_sizes"].sum() == len(encoded["own_parts"])


def test_possible_null_is_not_truncated_for_null_questions(
    small: tuple[Base, EncodedFile],
) -> None:
    model, _ = small
    text = "int METHOD_NAME() { " + "a(); " * 300 + "String s = null; s.b(); " + "c(); " * 300 + "}"
    null_flag = MARKS.index("holds null, dereferenced")
    for question, is_expected in ((Prompt(text), True), (Method("", text), False)):
        question_features = extract_features(question, None)
        assert question_features is not None
        encoded = model.encode(question_features)
        assert (null_flag in encoded["own_flag"].tolist()) is is_expected
        assert len(encoded["own_parts"]) <= model.settings.length - 2


def test_examples_of_small_tasks_are_repeated(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    tasks = np.array([0] * 4 + [2] * 400, np.int32)
    assert model.count_repetitions(tasks)[:4].tolist() == [8] * 4
    assert set(model.count_repetitions(tasks)[4:].tolist()) == {1}
