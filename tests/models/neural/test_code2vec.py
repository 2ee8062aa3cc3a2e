"""code2vec: its equations by hand in numpy, and which contexts it sees."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from codeacumen.api import Method
from codeacumen.models.neural.answering import answers, vectors
from codeacumen.models.neural.architecture import PAD, SPECIALS, UNKNOWN
from codeacumen.models.neural.networks.code2vec import Code2Vec, WholeName
from codeacumen.models.neural.training.batches import ragged
from models.neural import checks

NAMING = checks.NAMING
TEXTS = (
    "int METHOD_NAME(Cart cart) { int sum = 0; for (Item i : cart) sum += i.price; return sum; }",
    "void METHOD_NAME(String name) { this.name = name; }",
    "boolean METHOD_NAME() { return size == 0; }",
)
WORDS = {"totalPrice": "total|price", "setName": "set|name", "isEmpty": "is|empty"}
NAMES = tuple(WORDS)


def knowing(**settings: Any) -> Code2Vec:
    """A model that has learned the words of a few methods."""
    model, _ = checks.made("code2vec", NAMING, **settings)
    counts: dict[str, Counter[str]] = {}
    for text, name in zip(TEXTS, NAMES, strict=True):
        features = model.read(Method("", text))
        assert features is not None
        for vocabulary, words in model.words(features):
            counts.setdefault(vocabulary, Counter()).update(words)
        counts.setdefault("labels", Counter()).update(model.labels.words(name))
    model.learn_vocabularies(counts)
    assert isinstance(model, Code2Vec)
    return model


def batch_of(model: Code2Vec) -> dict[str, torch.Tensor]:
    rows = []
    for text, name in zip(TEXTS, NAMES, strict=True):
        features = model.read(Method("", text))
        assert features is not None
        target = model.target(name, features)
        assert target is not None
        rows.append({**model.encode(features), **target})
    return model.collate(ragged(rows))


# ---------------------------------------------------------------- the equations


def test_the_equations_by_hand() -> None:
    """Code vectors, attention and loss, computed context by context without torch."""
    model = knowing(contexts=200, keep=1000)
    torch.manual_seed(3)
    network: Any = model.network()
    network.eval()
    batch = batch_of(model)
    with torch.inference_mode():
        code, weights = network.attend(batch)
        loss = float(network.loss(batch))
    tokens, paths = (t.weight.detach().double().numpy() for t in (network.tokens, network.paths))
    dense, target = (t.weight.detach().double().numpy() for t in (network.dense, network.head.out))
    attention = network.attention.weight.detach().double().numpy()[0]
    losses = []
    for row, (text, name) in enumerate(zip(TEXTS, NAMES, strict=True)):
        features = model.read(Method("", text))
        assert features is not None
        numbers = {
            key: [model.vocabularies[of].number(str(word)) for word in features[key]]
            for key, of in (("left", "tokens"), ("path", "paths"), ("right", "tokens"))
        }
        contexts = np.array(
            [
                np.tanh(dense @ np.concatenate([tokens[left], paths[path], tokens[right]]))
                for left, path, right in zip(*numbers.values(), strict=True)
            ]
        )
        raised = np.exp(contexts @ attention)
        share = raised / raised.sum()
        np.testing.assert_allclose(code[row], share @ contexts, atol=1e-5)
        np.testing.assert_allclose(np.sort(weights[row][: len(share)]), np.sort(share), atol=1e-5)
        assert float(weights[row][len(share) :].sum()) == 0
        scores = target @ (share @ contexts)
        right = model.labels.vocabulary.number(WORDS[name])
        losses.append(np.log(np.exp(scores).sum()) - scores[right])
    assert loss == pytest.approx(np.mean(losses), abs=1e-4)


def test_what_stands_in_the_padding_does_not_matter() -> None:
    model = knowing()
    network: Any = model.network()
    network.eval()
    batch = batch_of(model)
    other = {name: tensor.clone() for name, tensor in batch.items()}
    for name in ("left", "path", "right"):
        outside = torch.arange(other[name].shape[1]) >= other["path_size"][:, None]
        assert outside.any()
        other[name][outside] = 3
    with torch.inference_mode():
        assert torch.equal(network.vector(batch), network.vector(other))
        assert float(network.loss(batch)) == float(network.loss(other))


def test_first_weights_are_the_published_ones() -> None:
    network: Any = knowing().network()
    for table in (network.tokens, network.paths):
        bound = (3 / table.weight.shape[1]) ** 0.5
        assert not table.weight[PAD].any()
        assert 0.9 * bound < float(table.weight.detach().abs().max()) <= bound
    assert network.head.out.bias is None
    assert network.dense.bias is None


# ---------------------------------------------------------------- which contexts


def test_known_contexts_are_seen_first() -> None:
    """Of too many, those with all parts known, then those with some; never those with none."""
    model = knowing(contexts=6)
    token, path = model.vocabularies["tokens"].words[2], model.vocabularies["paths"].words[2]
    columns: dict[str, list[str]] = {"left": [], "path": [], "right": []}
    for left, joined, right in [
        ("no", "no", "no"),
        (token, "no", "no"),
        ("no", path, "no"),
        ("no", "no", token),
        *[(token, path, token)] * 4,
        ("no", "no", "no"),
    ]:
        columns["left"].append(left)
        columns["path"].append(joined)
        columns["right"].append(right)
    made = model.encode(columns)
    known = sum((made[name] != UNKNOWN).astype(int) for name in made)
    assert known.tolist() == [3, 3, 3, 3, 1, 1]
    few = model.encode({name: column[:3] for name, column in columns.items()})
    assert len(few["path"]) == 2
    none = model.encode({name: column[:1] for name, column in columns.items()})
    assert none["path"].tolist() == [UNKNOWN]


def test_no_more_contexts_than_the_network_sees() -> None:
    model = knowing(contexts=5, keep=20)
    features = model.read(Method("", TEXTS[0]))
    assert features is not None
    assert len(features["path"]) == 20
    assert len(model.encode(features)["path"]) == 5


# ---------------------------------------------------------------- names and identifiers


def test_a_name_is_its_words() -> None:
    labels = WholeName()
    labels.learn(Counter(word for name in NAMES for word in labels.words(name)))
    for name in ("totalPrice", "total_price", "TotalPrice"):
        target = labels.target(name)
        assert target is not None
        assert labels.answer(target["label"].tolist()) == "totalPrice"
    assert labels.target("somethingElse") is None
    assert labels.target("_") is None
    assert labels.answer([UNKNOWN]) is None
    assert len(labels.vocabulary) == len(SPECIALS) + 3


def test_identifiers_are_as_near_as_their_tokens() -> None:
    model = knowing()
    network: Any = model.network()
    network.eval()
    items = ["cart", "price", TEXTS[0], "neverSeen", "name"]
    rows = vectors(model, network, [model.read_text(one) for one in items], batch=len(items))
    assert rows[3] is None
    cart, price, method, _, name = (np.array(row or [0.0]) for row in rows)
    assert len(cart) == len(method)
    token = network.tokens.weight.detach().numpy()
    a, b = (token[model.vocabularies["tokens"].number(word)] for word in ("cart", "price"))
    wanted = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert cart @ price / np.linalg.norm(cart) / np.linalg.norm(price) == pytest.approx(wanted)
    alone = vectors(model, network, [model.read_text("name")])[0]
    assert alone == pytest.approx(name.tolist())


def test_nothing_to_read_is_no_answer() -> None:
    model = knowing()
    asked = [model.read(Method("", text)) for text in ("", "int x;", TEXTS[1])]
    assert asked[:2] == [None, None]
    said = answers(model, model.network(), asked)
    assert said[:2] == [None, None]
    assert said[2] in NAMES
