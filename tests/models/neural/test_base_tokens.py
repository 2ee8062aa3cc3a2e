"""Variables renamed in numbers alone, and statements without an order: the oracle is the certified
transformation, which renames and swaps in the text, by what each name is bound to."""

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
from codeacumen.models.neural.inputs.base import (
    DECLARED,
    PER_TOKEN,
    WITHIN,
    Tokens,
    own_tokens,
    renamed,
)
from codeacumen.models.neural.networks.base import Base
from codeacumen.models.neural.training.batches import ragged
from codeacumen.transforms.edits import apply
from codeacumen.transforms.variants import variants
from models.neural.base_examples import ALL, NAME
from models.neural.checks import EXAMPLES, made, methods

ROOM = 100_000


@pytest.fixture(scope="module")
def base() -> Base:
    """It knows the parts and roles of the examples."""
    architecture, _ = made(NAME, ALL, length=ROOM, vocabulary=4000, renamed=0.0, unordered=False)
    assert isinstance(architecture, Base)
    counts: dict[str, Counter[str]] = {}
    for text, _ in methods():
        for name, words in architecture.words(architecture.read_text(text) or {}):
            counts.setdefault(name, Counter()).update(words)
    architecture.learn_vocabularies(counts)
    return architecture


def otherwise(base: Base, **settings: Any) -> Base:
    """It with other settings, and the same words."""
    made = Base(replace(base.settings, **settings), base.purpose)
    made.vocabularies = base.vocabularies
    made._take(base.subwords)
    return made


def tokens(base: Base, text: str) -> Tokens:
    features = base.read(Method("", text))
    assert features is not None
    held = base.encode(features)
    columns = {name: held[f"own_{name}"] for name in PER_TOKEN}
    return Tokens(held["own_parts"], held["own_sizes"], columns)


def shown(base: Base, asked: Sequence[Input]) -> dict[str, torch.Tensor]:
    return base.collate(ragged([base.encode(base.read(one) or {}) for one in asked]))


def same(one: Tokens, other: Tokens) -> bool:
    return (
        np.array_equal(one.parts, other.parts)
        and np.array_equal(one.sizes, other.sizes)
        and all(np.array_equal(one.columns[name], other.columns[name]) for name in PER_TOKEN)
    )


def in_text(kind: str, where: str) -> Iterator[tuple[str, str]]:
    """Methods of the examples, and their certified variants."""
    for path in sorted(EXAMPLES.glob("*/src/**/*.java")):
        file = JavaFile(path.read_bytes())
        for one in variants(file, kind, where):
            node = file.declarations.methods[one.method].node
            start, end = int(file.syntax.start[node]), int(file.syntax.end[node])
            after = apply(file.source, one.edits)
            yield (
                file.source[start:end].decode(),
                after[start : end + len(after) - len(file.source)].decode(),
            )


def test_as_the_transformation_renames(base: Base) -> None:
    declared = base.vocabularies["roles"].numbers([DECLARED])[0]
    compared = 0
    for before, after in in_text("rename", "all"):
        own = tokens(base, before)
        names = own.columns["name"][own.columns["role"] == declared]
        # What has a name in common is told apart by the transformation, and not by numbers; a
        # method of a class within a method has names that count on.
        if len(set(names.tolist())) < len(names) or "var0" not in after:
            continue
        found = renamed(own, base._fresh, ROOM)
        if found is None:
            # A class within it.
            assert any(role.startswith(WITHIN) for role in own_tokens(before)[0].role)
            continue
        assert same(found, tokens(base, after)), f"{before}\n{after}"
        compared += 1
    assert compared > 100


TEXT = "int METHOD_NAME(int size) { int sum = size(); this.sum = sum; return sum + size * sum; }"


def test_a_call_and_a_field_keep_the_variables_name(base: Base) -> None:
    said = (
        TEXT.replace("int size", "int var0").replace("* sum", "* var1").replace("+ size", "+ var0")
    )
    said = said.replace("int sum", "int var1").replace("= sum", "= var1").replace("n sum", "n var1")
    assert said.count("var") == 6
    found = renamed(tokens(base, TEXT), base._fresh, ROOM)
    assert found is not None
    assert same(found, tokens(base, said))


def test_some_are_drawn_and_what_has_no_room_is_cut_off(base: Base) -> None:
    own, draw = tokens(base, TEXT), np.random.default_rng(0)
    drawn = [renamed(own, base._fresh, ROOM, draw) for _ in range(60)]
    # All, one or the other, or none.
    assert len({one.parts.tobytes() if one else b"" for one in drawn}) == 4
    short = renamed(own, base._fresh, 12)
    assert short is not None
    assert len(short.parts) == short.sizes.sum() <= 12
    assert {len(short.columns[name]) for name in PER_TOKEN} == {len(short.sizes)}


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
def test_nothing_is_renamed_where_it_might_mean_something_else(base: Base, text: str) -> None:
    assert renamed(tokens(base, text), base._fresh, ROOM) is None


def test_methods_without_a_variant_get_one_while_it_learns(base: Base) -> None:
    """A share of those that are to be named, with their own surroundings; none where nothing is
    drawn, as in evaluation, nor where no share is set."""
    questions = [Method("", TEXT)] * 200 + [Prompt(TEXT)] * 3
    rows = []
    for one in questions:
        read = base.read(one)
        assert read is not None
        rows.append({**base.encode(read), **(base.target("<none>", read) or {})})
    columns = ragged(rows)
    assert "varied" not in base.collate(columns, np.random.default_rng(1))
    some = otherwise(base, renamed=0.5)
    assert "varied" not in some.collate(columns)
    batch = some.collate(columns, np.random.default_rng(1))
    varied = batch["varied"].tolist()
    # A half of 200, of which an eighth has drawn no variable.
    assert 60 < len(varied) < 115
    assert varied == sorted(set(varied))
    assert max(varied) < 200
    assert len(batch["parts"]) == 203 + len(varied)
    changed = batch["parts"][203:] != batch["parts"][varied]
    assert bool(changed.any(1).all())


def test_swapped_statements_are_the_same_to_one_that_sees_no_order(base: Base) -> None:
    """A name is then said by what is the same before and after, so it is the same; one that sees
    where each part stands is moved."""
    torch.manual_seed(3)
    unordered = otherwise(base, unordered=True)
    network = unordered.network().eval()
    with torch.no_grad():
        # As it begins, all that it reads is nearly the same to it, and no relation counts.
        for weights in network.encoder.parameters():
            weights.add_(0.1 * torch.randn_like(weights))
    swapped = list(in_text("permute", "single"))[::4]
    assert len(swapped) > 20
    moved = []
    for some in (base, unordered):
        batch = shown(some, [Method("", one) for pair in swapped for one in pair])
        with torch.inference_mode():
            states = network.place(network.read(batch))
        moved.append((states[::2] - states[1::2]).abs().amax(1))
    assert bool((moved[0] > 1e-4).all())
    assert bool((moved[1] < 1e-4).all())


def test_only_names_are_asked_for_without_an_order(base: Base) -> None:
    unordered = otherwise(base, unordered=True, length=64, around=16)
    asked: list[Input] = [Method("", TEXT), Prompt(TEXT)]
    batch = shown(unordered, asked)
    size = int(batch["sizes"][1])
    assert batch["place"][1, :size].tolist() == list(range(size))
    # <s>; the signature, the first statement and so on, each from its own beginning; </s>.
    places = batch["place"][0, :size].tolist()
    assert places[:4] == [0, 1, 2, 3]
    assert places[-1] == 63
    statement = batch["statement"][0, 1 : size - 1]
    for one in statement.unique():
        mine = batch["place"][0, 1 : size - 1][statement == one]
        assert mine.tolist() == list(range(1, len(mine) + 1))
