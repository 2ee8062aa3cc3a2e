"""acumen-base: what it reads, how it answers each task, and what every network must show.

Examples are methods of the example projects, with questions of all five kinds made of them; npath
bins are those of ``acumen.lang.java.npath``, which is tested against published counts elsewhere.
Distributions and the pointer are computed again here, with numpy, from what the layers gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from acumen.api import Example, Face, Input, Method, Prompt, Question
from acumen.lang.java.npath import BINS
from acumen.lang.java.operators import OPERATORS
from acumen.models.neural import exported
from acumen.models.neural.architecture import Purpose
from acumen.models.neural.asking import answers, vectors
from acumen.models.neural.base import Base
from acumen.models.neural.base_input import Asks, features, null_flags, own_tokens, words_of
from acumen.models.neural.base_nulls import GIVES, MARKS
from acumen.models.neural.encoded import EncodedFile
from acumen.models.neural.tensors import ragged
from acumen.models.neural.training import LAST, Taught, teach
from models.neural.checks import KilledError, _kill_at, made, methods, prepare, small_training

ALL = Purpose("gluecode", Face.GENERATE)
NAME = "acumen-base"


class Around:
    """A sight of the test's own: one callee, a field, candidates for a call, a variant."""

    def owner(self, method: str) -> dict[str, Any]:
        row = {"type": "Box", "name": "find", "returns": "String", "parameters": []}
        return {
            "header": "class Box extends Crate", "fields": ["int size"], "callees": [row],
            "gives": {"find": "null", "size": "other", "trim": "passed"},
            "methods": [{**row, "name": "open"}], "doc": "/** Tells where it lies. */",
        }  # fmt: skip

    def context(self, method: str) -> dict[str, Any]:
        return {"receiver": "java.util.List<String>", "candidates": ["add", "isEmpty", "add"]}

    def variant(self, method: str) -> str:
        return "int METHOD_NAME(int other) { return other + 1; }"


def mixed(count: int) -> list[Example]:
    """Questions of all five kinds about the examples' methods."""
    found: list[Example] = []
    for place, (text, name) in enumerate(methods()):
        if "<" in text:
            continue
        which = place % 5
        if which == 0:
            found.append(Example(Question(text, BINS), BINS[text.count("if (") % len(BINS)]))
        elif which == 1 and " == " in text:
            asked = Question(text.replace(" == ", " <MASK> ", 1), OPERATORS)
            found.append(Example(asked, "=="))
        elif which == 1 and " + " in text:
            found.append(Example(Question(text.replace(" + ", " <MASK> ", 1), OPERATORS), "+"))
        elif which == 2:
            found.append(Example(Method("", text), name))
        elif which == 3 and ".size(" in text:
            found.append(Example(Prompt(text.replace(".size(", ".<MASK>(", 1)), "size"))
        elif which == 4:
            found.append(Example(Prompt(text), "<none>" if place % 2 else "METHOD_NAME"))
    words = [t for t in found if t.truth != "METHOD_NAME"]
    for example in found:
        if example.truth == "METHOD_NAME":
            told, _ = own_tokens(example.input.text)  # type: ignore[union-attr]
            plain = [w for w, n in zip(_tokens(told), told.name, strict=True) if n]
            if plain:
                words.append(Example(example.input, plain[-1]))
    return words[:count]


def _tokens(told: Any) -> list[str]:
    ends = np.cumsum(told.sizes)
    return ["".join(told.words[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def taught(
    folder: Path, examples: Sequence[Example], *, step: Any = None,
    network: dict[str, Any] | None = None, **training: Any,
) -> tuple[Base, Any, Taught]:  # fmt: skip
    torch.set_num_threads(1)
    model, plan = made(NAME, ALL, **(network or {}))
    file = prepare(model, examples, folder)
    settings = small_training(NAME, **training)
    into = folder / "checkpoints"
    assert isinstance(model, Base)
    more = {"step": step} if step else {}
    return model, plan, teach(model, file, file, settings, into, device="cpu", **more)


# -------------------------------------------------------------------------------- reading


def test_a_token_has_words_a_role_a_statement_and_a_name() -> None:
    text = "int METHOD_NAME(int maxSize) { if (maxSize > 0) { return maxSize; } return 0; }"
    told, shape = own_tokens(text)
    tokens = _tokens(told)
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
    tokens = _tokens(own_tokens(text)[0])
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
            assert name not in _tokens(own_tokens(text)[0])
        assert read["own_words"].count("METHOD_NAME") >= 1


# -------------------------------------------------------------------------------- numbers


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Base, EncodedFile]:
    model, _ = made(NAME, ALL)
    assert isinstance(model, Base)
    return model, prepare(model, mixed(60), tmp_path_factory.mktemp("base"))


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


# -------------------------------------------------------------------------------- the layers


def test_chances_are_a_distribution_that_may_copy(small: tuple[Base, EncodedFile]) -> None:
    """The mixture, again in numpy, from the decoder's own layers."""
    model, file = small
    torch.manual_seed(0)
    network: Any = model.network()
    network.eval()
    names = [at for at in range(len(file)) if file.values("asks")[at] == Asks.NAME][:4]
    batch = model.collate(file.take(np.array(names)))
    with torch.inference_mode():
        read = network.read(batch)
        place = network.place(read)
        said = batch["target"][:, :-1]
        table = network.encoder.parts.weight
        chances = network.decoder(table, place, said, read).numpy()
        caught: list[torch.Tensor] = []
        handle = network.decoder.layers.register_forward_hook(lambda _, __, out: caught.append(out))
        network.decoder(table, place, said, read)
        handle.remove()
        seen = caught[0].double().numpy()
    np.testing.assert_allclose(chances.sum(2), 1.0, rtol=1e-4)

    def linear(layer: nn.Linear, x: Any) -> Any:
        return x @ layer.weight.detach().double().numpy().T + layer.bias.detach().double().numpy()

    words = table.detach().double().numpy()
    named = _softmax(seen @ words.T + network.decoder.bias.detach().double().numpy())
    query, states = linear(network.decoder.query, seen), read.states.double().numpy()
    scores = query @ linear(network.decoder.key, states).transpose(0, 2, 1) / seen.shape[2] ** 0.5
    scores[~np.repeat(read.mask.numpy()[:, None], scores.shape[1], 1)] = -np.inf
    copied = _softmax(scores)
    gate = 1 / (1 + np.exp(-linear(network.decoder.gate, seen)))
    wanted = gate * named
    parts = read.parts.numpy()
    for n in range(len(parts)):
        for at in range(parts.shape[1]):
            wanted[n, :, parts[n, at]] += (1 - gate[n, :, 0]) * copied[n, :, at]
    np.testing.assert_allclose(chances, wanted, rtol=1e-3, atol=1e-6)


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_only_the_methods_names_are_pointed_at(small: tuple[Base, EncodedFile]) -> None:
    model, file = small
    network: Any = model.network()
    batch = model.collate(file.take(np.arange(12)))
    with torch.inference_mode():
        chances, names = network.pointing(batch, network.read(batch))
    np.testing.assert_allclose(chances.sum(1).numpy(), 1.0, rtol=1e-4)
    may = ((batch["segment"] == 1) & (batch["first"] == 1) & (batch["name"] > 0)).numpy()
    may[:, 0] = True
    assert (chances.numpy()[~may] == 0).all()
    assert (names.numpy()[~may] == -1).all()
    assert (names.numpy()[:, 0] == 0).all()


def test_same_names_are_tied(small: tuple[Base, EncodedFile]) -> None:
    """The bias is what the relations say: each counts by itself, for each head."""
    model, _ = small
    network: Any = model.network()
    network.encoder.relate.data[0] = 3.0
    read = features(Method("", "int METHOD_NAME(int a, int b) { return a + b + a; }"), None)
    assert read is not None
    batch = model.collate(ragged([model.encode(read)]))
    size = int(batch["sizes"][0])
    bias = network.encoder.bias(batch, torch.float32)[0, 0].detach().numpy()
    # Nobody looks at padding.
    assert (bias[:, size:] < -1000).all()
    bias, name = bias[:size, :size], batch["name"][0, :size].numpy()
    tied = (name[:, None] == name[None]) & (name[None] != 0)
    assert tied.sum() > len(name[name != 0])
    assert (bias[tied] == 3.0).all()
    assert (bias[~tied] == 0.0).all()


def test_a_candidate_may_be_chosen(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    asked = Prompt("int f(List a) { return a.<MASK>(); }", "m")
    read = features(asked, Around())  # type: ignore[arg-type]
    assert read is not None
    assert read["candidates"] == ["add", "isEmpty"]
    target = model.target("isEmpty", read)
    assert target is not None
    assert target["chosen"].tolist() == [1]
    network: Any = model.network()
    network.eval()
    network.offers.bias.data[:] = 20.0
    with torch.inference_mode():
        batch = model.collate(ragged([model.encode(read)]))
        said = model.answer(network.predict(batch)[0])
        _, offered = network.offering(batch, network.place(network.read(batch)))
    assert said == ["add", "isEmpty"][int(offered[0].argmax())]
    assert words_of("isEmpty", False) == ("is", "Empty")


# -------------------------------------------------------------------------------- learning


def test_it_learns_all_kinds_by_heart(tmp_path: Path) -> None:
    examples = mixed(32)
    kinds = {Asks.of(one.input) for one in examples}
    assert len(kinds) >= 4
    model, _, done = taught(
        tmp_path, examples, epochs=160, batch=32, round=80, rate=0.003,
        network={"pretrain": 0.05, "alone": 0.0},
    )  # fmt: skip
    assert done.history[-1]["loss"] < 0.5 * done.history[0]["loss"]
    said = answers(model, done.network, [model.read(one.input) for one in examples])
    right = sum(a == b.truth for a, b in zip(said, examples, strict=True))
    assert right >= 0.85 * len(examples), [
        (a, b.truth) for a, b in zip(said, examples, strict=True)
    ]


def test_saved_and_loaded_it_says_the_same_whatever_is_beside(tmp_path: Path) -> None:
    examples = mixed(40)
    model, plan, done = taught(tmp_path, examples, epochs=3)
    exported.save(tmp_path / "saved", plan, model, done.network, {})
    again, network = exported.load(tmp_path / "saved")
    read = [model.read(one.input) for one in examples]
    before = answers(model, done.network, read)
    assert answers(again, network, read) == before
    assert answers(again, network, read, batch=1) == before
    rows, single = (vectors(again, network, read, batch=batch) for batch in (40, 1))
    np.testing.assert_allclose(rows, single, rtol=1e-3, atol=1e-4)


def test_killed_it_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    """In pre-training what is masked is drawn: the draws are the round's."""
    weights = []
    for way in ("whole", "killed"):
        wanted = {"epochs": 4, "batch": 16, "network": {"pretrain": 0.5, "dropout": 0.1}}
        if way == "killed":
            with pytest.raises(KilledError):
                taught(tmp_path / way, mixed(40), step=_kill_at(7), **wanted)
        taught(tmp_path / way, mixed(40), **wanted)
        path = tmp_path / way / "checkpoints" / LAST
        weights.append(torch.load(path, weights_only=False)["state_dict"])
    for key, value in weights[0].items():
        assert torch.equal(value, weights[1][key]), key


def test_each_variant_is_held_to_its_own_method(small: tuple[Base, EncodedFile]) -> None:
    """Among questions of other kinds, where some methods have a variant. The oracle asks for each
    sequence by itself, and sums in numpy what the two say of a name."""
    model = copy(small[0])
    model.settings = replace(model.settings, alone=0.0, dropout=0.0)
    texts = {
        "none": "void METHOD_NAME(int b) { b.size(); }",
        "sum": "int METHOD_NAME(int a) { return a + 1; }",
        "size": "boolean METHOD_NAME() { return rows > 0; }",
    }
    variants = {"sum": "int METHOD_NAME(int o) { return o + 1; }", "size": "boolean METHOD_NAME() "
                "{ int k; return rows > 0; }"}  # fmt: skip

    class Varied(Around):
        def variant(self, method: str) -> str:
            return variants.get(method, "")

    inputs = [(Prompt(texts["none"]), "b"), (Method("none", texts["none"]), "list"),
              (Method("sum", texts["sum"]), "sumAll"), (Question(texts["sum"], BINS), BINS[0]),
              (Method("size", texts["size"]), "size")]  # fmt: skip
    rows = []
    for asked, label in inputs:
        read = features(asked, Varied())  # type: ignore[arg-type]
        assert read is not None
        target = model.target(label, read)
        assert target is not None
        rows.append({**model.encode(read), **target})
    batch = model.collate(ragged(rows), np.random.default_rng(1))
    assert batch["varied"].tolist() == [2, 4]
    torch.manual_seed(0)
    network: Any = model.network()
    network.eval()
    with torch.no_grad():
        apart = float(network.loss(batch) - network.loss(model.collate(ragged(rows))))

    def said(text: str, row: int) -> Any:
        read = features(Method("m", text), Varied())  # type: ignore[arg-type]
        assert read is not None
        alone = network.read(one := model.collate(ragged([model.encode(read)])))
        target = torch.from_numpy(rows[row]["target"].astype(np.int64))[None]
        table = network.encoder.parts.weight
        assert len(one["asks"]) == 1
        chances = network.decoder(table, network.place(alone), target[:, :-1], alone)
        return chances[0].detach().double().numpy(), target[0].numpy()

    expected = 0.0
    for row, name in ((2, "sum"), (4, "size")):
        (one, target), (two, _) = said(texts[name], row), said(variants[name], row)
        mean = (one + two) / 2
        expected += (one * np.log(one / mean) + two * np.log(two / mean)).sum()
        expected -= np.log(two[np.arange(len(target)), target]).sum()
    assert apart == pytest.approx(expected / len(rows), rel=1e-3)


def test_variants_are_learned_from(tmp_path: Path, small: tuple[Base, EncodedFile]) -> None:
    """In training a variant costs: to be known in pre-training, to be named alike afterwards. In
    evaluation it is not looked at."""
    model, _ = small
    texts = ["int METHOD_NAME(int a) { return a + 1; }", "void METHOD_NAME(int b) { b.size(); }"]
    rows = []
    for text in texts:
        read = features(Method("m", text), Around())  # type: ignore[arg-type]
        assert read is not None
        rows.append({**model.encode(read), **(model.target("size", read) or {})})
    quiet = model.collate(ragged(rows))
    assert "varied" not in quiet
    batch = model.collate(ragged(rows), np.random.default_rng(1))
    assert batch["varied"].tolist() == [0, 1]
    network: Any = model.network()
    for share in (0.0, 1.0):
        network.at(share)
        torch.manual_seed(0)
        with_variants = network.loss(batch).detach()
        torch.manual_seed(0)
        without = network.loss({k: v for k, v in batch.items() if k != "varied"}).detach()
        assert float(with_variants) > float(without)
    one = torch.eye(3)
    assert float(network.contrast(one, one)) < 1e-3 < float(network.contrast(one, one.flip(0)))
