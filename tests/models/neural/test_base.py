"""codeacumen-base: how it answers each task.

Examples are methods of the example projects, with questions of all five kinds made of them; npath
bins are those of ``codeacumen.languages.java.measures.npath``, which is tested against published
counts elsewhere. Distributions and the pointer are computed again here, with numpy, from what the
layers gave.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from codeacumen.api import Method, Prompt, Question
from codeacumen.languages.java.measures.npath import BINS
from codeacumen.models.neural.inputs.base import Asks, features, words_of
from codeacumen.models.neural.networks.base import Base
from codeacumen.models.neural.training.batches import ragged
from codeacumen.models.neural.training.encoded import EncodedFile
from models.neural.base_examples import Around, mixed, small

__all__ = ["small"]


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


def test_examples_have_questions_of_most_kinds() -> None:
    """The contract of all networks is tested on these examples."""
    assert len({Asks.of(example.input) for example in mixed(32)}) >= 4


def test_each_variant_is_held_to_its_own_method(small: tuple[Base, EncodedFile]) -> None:
    """Among questions of other kinds, where some methods have a variant. The oracle asks for each
    sequence by itself, and sums in numpy what the two say of a name."""
    model = copy(small[0])
    model.settings = replace(model.settings, alone=0.0, dropout=0.0, agree=3.0, renamed=0.0)
    texts = {
        "none": "void METHOD_NAME(int b) { b.size(); }",
        "sum": "int METHOD_NAME(int a) { return a + 1; }",
        "size": "boolean METHOD_NAME() { return rows > 0; }",
    }
    variants = {
        "sum": "int METHOD_NAME(int o) { return o + 1; }",
        "size": "boolean METHOD_NAME() { int k; return rows > 0; }",
    }

    class Varied(Around):
        def variant(self, method: str) -> str:
            return variants.get(method, "")

    inputs = [
        (Prompt(texts["none"]), "b"),
        (Method("none", texts["none"]), "list"),
        (Method("sum", texts["sum"]), "sumAll"),
        (Question(texts["sum"], BINS), BINS[0]),
        (Method("size", texts["size"]), "size"),
    ]
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
        expected += 3.0 * (one * np.log(one / mean) + two * np.log(two / mean)).sum()
        # Method and variant count for half each; the method counted for one without it.
        each = [np.log(part[np.arange(len(target)), target]).sum() for part in (one, two)]
        expected += (each[0] - each[1]) / 2
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
