"""Tests of renaming variables in encoded tokens and of statements without an order. The oracle is
the certified transformation, which renames and swaps in the text, by the binding of each name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from codeacumen.api import Input, Method, Prompt
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.neural.inputs.codeacumen_base import (
    DECLARED,
    MEMBER_PREFIX,
    PER_TOKEN,
    Tokens,
    rename_variables,
    tokenize_method,
)
from codeacumen.models.neural.networks.codeacumen_base import Base
from codeacumen.models.neural.training.batches import rows_to_columns
from codeacumen.transforms.edits import apply_edits
from models.neural.base_questions import ALL, NAME
from models.neural.small_networks import EXAMPLES, list_methods, make_small
from support import iterate_variants

ROOM = 100_000


@pytest.fixture(scope="module")
def base() -> Base:
    """Return an architecture that has learned the parts and roles of the examples."""
    architecture, _ = make_small(
        NAME, ALL, length=ROOM, vocabulary=4000, renamed=0.0, unordered=False
    )
    assert isinstance(architecture, Base)
    counts: dict[str, Counter[str]] = {}
    for text, _ in list_methods():
        for name, words in architecture.iter_words(architecture.extract_text_features(text) or {}):
            counts.setdefault(name, Counter()).update(words)
    architecture.learn_vocabularies(counts)
    return architecture


def copy_with_settings(base: Base, **settings: Any) -> Base:
    """Return the architecture with other settings and the same vocabularies."""
    changed = Base(replace(base.settings, **settings), base.purpose)
    changed.vocabularies = base.vocabularies
    changed._set_subwords(base.subwords)
    return changed


def encode_tokens(base: Base, text: str) -> Tokens:
    features = base.extract_features(Method("", text))
    assert features is not None
    encoded = base.encode(features)
    columns = {name: encoded[f"own_{name}"] for name in PER_TOKEN}
    return Tokens(encoded["own_parts"], encoded["own_sizes"], columns)


def make_batch(base: Base, questions: Sequence[Input]) -> dict[str, torch.Tensor]:
    return base.collate(
        rows_to_columns(
            [base.encode(base.extract_features(question) or {}) for question in questions]
        )
    )


def are_equal(left: Tokens, right: Tokens) -> bool:
    return (
        np.array_equal(left.parts, right.parts)
        and np.array_equal(left.sizes, right.sizes)
        and all(np.array_equal(left.columns[name], right.columns[name]) for name in PER_TOKEN)
    )


def iterate_certified_variants(kind: str, where: str) -> Iterator[tuple[str, str]]:
    """Yield methods of the examples with their certified variants."""
    for path in sorted(EXAMPLES.glob("*/src/**/*.java")):
        file = JavaFile(path.read_bytes())
        for variant in iterate_variants(file, kind, where):
            node = file.declarations.methods[variant.method].node
            start, end = int(file.syntax.start[node]), int(file.syntax.end[node])
            changed_source = apply_edits(file.source, variant.edits)
            yield (
                file.source[start:end].decode(),
                changed_source[start : end + len(changed_source) - len(file.source)].decode(),
            )


def test_renaming_equals_certified_transformation(base: Base) -> None:
    declared = base.vocabularies["roles"].encode_words([DECLARED])[0]
    compared = 0
    for before, after in iterate_certified_variants("rename", "all"):
        original_tokens = encode_tokens(base, before)
        names = original_tokens.columns["name"][original_tokens.columns["role"] == declared]
        # The transformation separates variables that share a name, and the encoded tokens do
        # not; in a method of a nested class, the numbering of names continues.
        if len(set(names.tolist())) < len(names) or "var0" not in after:
            continue
        renamed_tokens = rename_variables(original_tokens, base._fresh_names, ROOM)
        if renamed_tokens is None:
            # The method contains a class.
            assert any(role.startswith(MEMBER_PREFIX) for role in tokenize_method(before)[0].role)
            continue
        assert are_equal(renamed_tokens, encode_tokens(base, after)), f"{before}\n{after}"
        compared += 1
    assert compared > 100


TEXT = "int METHOD_NAME(int size) { int sum = size(); this.sum = sum; return sum + size * sum; }"


def test_calls_and_fields_keep_their_name(base: Base) -> None:
    expected_text = (
        TEXT.replace("int size", "int var0").replace("* sum", "* var1").replace("+ size", "+ var0")
    )
    expected_text = (
        expected_text.replace("int sum", "int var1")
        .replace("= sum", "= var1")
        .replace("n sum", "n var1")
    )
    assert expected_text.count("var") == 6
    renamed_tokens = rename_variables(encode_tokens(base, TEXT), base._fresh_names, ROOM)
    assert renamed_tokens is not None
    assert are_equal(renamed_tokens, encode_tokens(base, expected_text))


def test_renaming_samples_variables_and_truncates(base: Base) -> None:
    original_tokens, rng = encode_tokens(base, TEXT), np.random.default_rng(0)
    samples = [rename_variables(original_tokens, base._fresh_names, ROOM, rng) for _ in range(60)]
    # Both variables, one of the two, or none.
    assert len({sample.parts.tobytes() if sample else b"" for sample in samples}) == 4
    truncated = rename_variables(original_tokens, base._fresh_names, 12)
    assert truncated is not None
    assert len(truncated.parts) == truncated.sizes.sum() <= 12
    assert {len(truncated.columns[name]) for name in PER_TOKEN} == {len(truncated.sizes)}


@pytest.mark.parametrize(
    "text",
    [
        "int METHOD_NAME() { return 1; }",
        "int METHOD_NAME(int a) { int var0 = a; return var0 + var1; }",
        "Object METHOD_NAME(int a) { return new Box() { int a = 1; int b() { return this.a; } }; }",
        "int METHOD_NAME(int METHOD_NAME) { return this.a + METHOD_NAME; }",
        "size",
    ],
)
def test_ambiguous_names_are_not_renamed(base: Base, text: str) -> None:
    assert rename_variables(encode_tokens(base, text), base._fresh_names, ROOM) is None


def test_training_adds_renamed_variants(base: Base) -> None:
    """In training, a share of the methods to be named gets a renamed variant with the same context;
    none does in evaluation, or if the share is 0."""
    questions = [Method("", TEXT)] * 200 + [Prompt(TEXT)] * 3
    rows = []
    for question in questions:
        question_features = base.extract_features(question)
        assert question_features is not None
        rows.append(
            {
                **base.encode(question_features),
                **(base.encode_target("<none>", question_features) or {}),
            }
        )
    columns = rows_to_columns(rows)
    assert "varied" not in base.collate(columns, np.random.default_rng(1))
    renaming = copy_with_settings(base, renamed=0.5)
    assert "varied" not in renaming.collate(columns)
    batch = renaming.collate(columns, np.random.default_rng(1))
    varied = batch["varied"].tolist()
    # Half of 200; in an eighth of these, no variable was sampled.
    assert 60 < len(varied) < 115
    assert varied == sorted(set(varied))
    assert max(varied) < 200
    assert len(batch["parts"]) == 203 + len(varied)
    is_changed = batch["parts"][203:] != batch["parts"][varied]
    assert bool(is_changed.any(1).all())


def test_model_without_order_ignores_swapped_statements(base: Base) -> None:
    """Without an order, the state that predicts the name is the same before and after the swap;
    with positions, it changes."""
    torch.manual_seed(3)
    unordered = copy_with_settings(base, unordered=True)
    network = unordered.build_network().eval()
    with torch.no_grad():
        # Initial weights map all inputs to nearly the same state, and relations weigh nothing.
        for weights in network.encoder.parameters():
            weights.add_(0.1 * torch.randn_like(weights))
    text_pairs = list(iterate_certified_variants("permute", "single"))[::4]
    assert len(text_pairs) > 20
    differences = []
    for architecture in (base, unordered):
        batch = make_batch(architecture, [Method("", text) for pair in text_pairs for text in pair])
        with torch.inference_mode():
            states = network.select_question_states(network.encode_batch(batch))
        differences.append((states[::2] - states[1::2]).abs().amax(1))
    assert bool((differences[0] > 1e-4).all())
    assert bool((differences[1] < 1e-4).all())


def test_only_naming_questions_lose_their_order(base: Base) -> None:
    unordered = copy_with_settings(base, unordered=True, length=64, around=16)
    questions: list[Input] = [Method("", TEXT), Prompt(TEXT)]
    batch = make_batch(unordered, questions)
    size = int(batch["sizes"][1])
    assert batch["place"][1, :size].tolist() == list(range(size))
    # <s>; the signature, the first statement and so on, each numbered from 1; </s>.
    places = batch["place"][0, :size].tolist()
    assert places[:4] == [0, 1, 2, 3]
    assert places[-1] == 63
    statement = batch["statement"][0, 1 : size - 1]
    for number in statement.unique():
        statement_places = batch["place"][0, 1 : size - 1][statement == number]
        assert statement_places.tolist() == list(range(1, len(statement_places) + 1))
