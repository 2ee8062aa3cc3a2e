"""Tests of code2vec: its equations computed in numpy, and its choice of contexts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from codeacumen.api import Method
from codeacumen.models.neural.architecture import PAD, SPECIALS, UNKNOWN
from codeacumen.models.neural.networks.code2vec import Code2Vec, WholeNameLabels
from codeacumen.models.neural.predict import compute_vectors, predict_answers
from codeacumen.models.neural.training.batches import rows_to_columns
from models.neural import small_networks

NAMING = small_networks.NAMING
TEXTS = (
    "int METHOD_NAME(Cart cart) { int sum = 0; for (Item i : cart) sum += i.price; return sum; }",
    "void METHOD_NAME(String name) { this.name = name; }",
    "boolean METHOD_NAME() { return size == 0; }",
)
WORDS = {"totalPrice": "total|price", "setName": "set|name", "isEmpty": "is|empty"}
NAMES = tuple(WORDS)


def make_model(**settings: Any) -> Code2Vec:
    """Return a model that has learned the words of a few methods."""
    model, _ = small_networks.make_small("code2vec", NAMING, **settings)
    counts: dict[str, Counter[str]] = {}
    for text, name in zip(TEXTS, NAMES, strict=True):
        features = model.extract_features(Method("", text))
        assert features is not None
        for vocabulary, words in model.iter_words(features):
            counts.setdefault(vocabulary, Counter()).update(words)
        counts.setdefault("labels", Counter()).update(model.labels.split_label(name))
    model.learn_vocabularies(counts)
    assert isinstance(model, Code2Vec)
    return model


def batch_of(model: Code2Vec) -> dict[str, torch.Tensor]:
    rows = []
    for text, name in zip(TEXTS, NAMES, strict=True):
        features = model.extract_features(Method("", text))
        assert features is not None
        target = model.encode_target(name, features)
        assert target is not None
        rows.append({**model.encode(features), **target})
    return model.collate(rows_to_columns(rows))


# ---------------------------------------------------------------- the equations


def test_equations_by_hand() -> None:
    """Compute code vectors, attention and loss context by context without torch."""
    model = make_model(contexts=200, keep=1000)
    torch.manual_seed(3)
    network: Any = model.build_network()
    network.eval()
    batch = batch_of(model)
    with torch.inference_mode():
        code, weights = network.compute_code_vectors(batch)
        loss = float(network.compute_loss(batch))
    tokens, paths = (
        layer.weight.detach().double().numpy() for layer in (network.tokens, network.paths)
    )
    dense, target = (
        layer.weight.detach().double().numpy() for layer in (network.dense, network.head.out)
    )
    attention = network.attention.weight.detach().double().numpy()[0]
    losses = []
    for row, (text, name) in enumerate(zip(TEXTS, NAMES, strict=True)):
        features = model.extract_features(Method("", text))
        assert features is not None
        numbers = {
            key: [
                model.vocabularies[vocabulary_name].encode_word(str(word)) for word in features[key]
            ]
            for key, vocabulary_name in (("left", "tokens"), ("path", "paths"), ("right", "tokens"))
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
        right = model.labels.vocabulary.encode_word(WORDS[name])
        losses.append(np.log(np.exp(scores).sum()) - scores[right])
    assert loss == pytest.approx(np.mean(losses), abs=1e-4)


def test_padding_does_not_change_outputs() -> None:
    model = make_model()
    network: Any = model.build_network()
    network.eval()
    batch = batch_of(model)
    other = {name: tensor.clone() for name, tensor in batch.items()}
    for name in ("left", "path", "right"):
        outside = torch.arange(other[name].shape[1]) >= other["path_size"][:, None]
        assert outside.any()
        other[name][outside] = 3
    with torch.inference_mode():
        assert torch.equal(network.compute_vectors(batch), network.compute_vectors(other))
        assert float(network.compute_loss(batch)) == float(network.compute_loss(other))


def test_first_weights_are_the_published_ones() -> None:
    network: Any = make_model().build_network()
    for table in (network.tokens, network.paths):
        bound = (3 / table.weight.shape[1]) ** 0.5
        assert not table.weight[PAD].any()
        assert 0.9 * bound < float(table.weight.detach().abs().max()) <= bound
    assert network.head.out.bias is None
    assert network.dense.bias is None


# ---------------------------------------------------------------- which contexts


def test_known_contexts_are_taken_first() -> None:
    """Contexts are chosen in the order of their known parts: all, some; those with none never."""
    model = make_model(contexts=6)
    token, path = model.vocabularies["tokens"].words[2], model.vocabularies["paths"].words[2]
    columns: dict[str, list[str]] = {"left": [], "path": [], "right": []}
    for left, path_word, right in [
        ("no", "no", "no"),
        (token, "no", "no"),
        ("no", path, "no"),
        ("no", "no", token),
        *[(token, path, token)] * 4,
        ("no", "no", "no"),
    ]:
        columns["left"].append(left)
        columns["path"].append(path_word)
        columns["right"].append(right)
    encoded = model.encode(columns)
    known_parts = sum((encoded[name] != UNKNOWN).astype(int) for name in encoded)
    assert known_parts.tolist() == [3, 3, 3, 3, 1, 1]
    few = model.encode({name: column[:3] for name, column in columns.items()})
    assert len(few["path"]) == 2
    none = model.encode({name: column[:1] for name, column in columns.items()})
    assert none["path"].tolist() == [UNKNOWN]


def test_number_of_contexts_is_limited() -> None:
    model = make_model(contexts=5, keep=20)
    features = model.extract_features(Method("", TEXTS[0]))
    assert features is not None
    assert len(features["path"]) == 20
    assert len(model.encode(features)["path"]) == 5


# ---------------------------------------------------------------- names and identifiers


def test_label_is_the_words_of_a_name() -> None:
    labels = WholeNameLabels()
    labels.learn_vocabulary(Counter(word for name in NAMES for word in labels.split_label(name)))
    for name in ("totalPrice", "total_price", "TotalPrice"):
        target = labels.encode_target(name)
        assert target is not None
        assert labels.decode_answer(target["label"].tolist()) == "totalPrice"
    assert labels.encode_target("somethingElse") is None
    assert labels.encode_target("_") is None
    assert labels.decode_answer([UNKNOWN]) is None
    assert len(labels.vocabulary) == len(SPECIALS) + 3


def test_identifier_vector_is_that_of_its_token() -> None:
    model = make_model()
    network: Any = model.build_network()
    network.eval()
    items = ["cart", "price", TEXTS[0], "neverSeen", "name"]
    rows = compute_vectors(
        model, network, [model.extract_text_features(item) for item in items], batch_size=len(items)
    )
    assert rows[3] is None
    cart, price, method, _, name = (np.array(row or [0.0]) for row in rows)
    assert len(cart) == len(method)
    token = network.tokens.weight.detach().numpy()
    a, b = (token[model.vocabularies["tokens"].encode_word(word)] for word in ("cart", "price"))
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert cart @ price / np.linalg.norm(cart) / np.linalg.norm(price) == pytest.approx(expected)
    alone = compute_vectors(model, network, [model.extract_text_features("name")])[0]
    assert alone == pytest.approx(name.tolist())


def test_text_without_contexts_has_no_answer() -> None:
    model = make_model()
    all_features = [model.extract_features(Method("", text)) for text in ("", "int x;", TEXTS[1])]
    assert all_features[:2] == [None, None]
    predicted = predict_answers(model, model.build_network(), all_features)
    assert predicted[:2] == [None, None]
    assert predicted[2] in NAMES
