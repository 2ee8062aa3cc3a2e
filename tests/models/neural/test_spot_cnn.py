"""Tests of Spot's CNN: its layers and its judgement against independent computations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.nn import functional

from codeacumen.api import Capability, CodeacumenError, Method, NamedMethod
from codeacumen.models.adapters import list_capabilities
from codeacumen.models.method_naming.spot import FARTHER, compute_fitness
from codeacumen.models.neural.model import make_run
from codeacumen.models.neural.networks.spot_cnn import (
    SpotCNN,
    SpotCNNSettings,
    SpotNetwork,
    compute_upper_whisker,
)
from codeacumen.models.neural.predict import compute_vectors, predict_answers
from codeacumen.models.neural.training.train import run_training
from codeacumen.search.vectors import unit_rows
from codeacumen.text.subtokens import split_subtokens
from models.neural import small_networks
from models.neural.small_networks import NAMING
from models.neural.training_requests import InlineEngine, ignore_progress, make_small_request


def test_word_vectors_are_trained_once(tmp_path: Path) -> None:
    model, _ = small_networks.make_small("spot-cnn", NAMING)
    file = small_networks.prepare_examples(
        model, small_networks.make_examples(NAMING, 16), tmp_path
    )
    training = small_networks.small_training("spot-cnn")
    model.before_training(file, training, tmp_path, "cpu")
    words_file = next(tmp_path.glob("words.*"))
    first = words_file.read_bytes()
    words_file.unlink()
    words_file.with_name(words_file.name + ".part").write_bytes(b"half of it")
    model.before_training(file, training, tmp_path, "cpu")
    assert words_file.read_bytes() == first
    written = words_file.stat().st_mtime_ns
    model.before_training(file, training, tmp_path, "cpu")
    assert words_file.stat().st_mtime_ns == written


# --------------------------------------------------------------------------------------
# Training and prediction as a user runs them
# --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "spot"
    run_training(make_small_request("spot-cnn"), out, InlineEngine(), ignore_progress)  # type: ignore[arg-type]
    return out


def test_trained_network_names_judges_and_embeds(folder: Path) -> None:
    model: Any = make_run(str(folder), device="cpu")
    assert {Capability.NAME, Capability.JUDGE, Capability.EMBED} <= set(list_capabilities(model))
    masked_methods = [Method("", text) for text, _ in small_networks.list_methods()[120:140]]
    names = [name for _, name in small_networks.list_methods()[120:140]]
    learned = {name for _, name in small_networks.list_methods()[:120]}
    assert set(model.name(masked_methods)) <= {*learned, None}
    assert model.name([Method("", "int f() { return size(); }")])[0] in learned
    fits = model.judge(
        [NamedMethod(method, name) for method, name in zip(masked_methods, names, strict=True)]
    )
    assert all(fit is None or 0 <= fit <= 1 for fit in fits)
    assert sum(fit is not None for fit in fits) > 8
    unknown_name = NamedMethod(masked_methods[0], "xyzzyPlugh")
    assert model.judge([unknown_name, NamedMethod(Method("", ""), "get")]) == [None, None]


def test_outliers_are_skipped_in_training(folder: Path) -> None:
    model = SpotCNN(SpotCNNSettings(), NAMING)
    model.learn_vocabularies({"labels": {"get": 5}, "sizes": {"10": 2, "20": 2, "1000": 1}})
    assert model.input_length == compute_upper_whisker({10: 2, 20: 2, 1000: 1}) == 36
    assert model.encode_target("get", {"tokens": ["a"] * 36, "size": [36]}) is not None
    assert model.encode_target("get", {"tokens": ["a"] * 38, "size": [38]}) is None
    assert len(model.encode({"tokens": ["a"] * 38, "size": [38]})["tokens"]) == 36
    assert compute_upper_whisker({3: 100}) == 8


def test_settings_are_checked() -> None:
    with pytest.raises(CodeacumenError, match="rank='r5'"):
        SpotCNNSettings(rank="r5")
    with pytest.raises(CodeacumenError, match="output='tanh'"):
        SpotCNNSettings(output="tanh")


# --------------------------------------------------------------------------------------
# The layers
# --------------------------------------------------------------------------------------


def network_of(length: int = 14, **settings: Any) -> SpotNetwork:
    torch.manual_seed(2)
    network = SpotNetwork(
        SpotCNNSettings(size=6, feature=5, name_size=4, **settings), 9, length, 7
    ).eval()
    network.words.normal_()
    return network


def test_layers_equal_those_of_the_paper() -> None:
    """Oracle: two-dimensional convolutions and pools, as in the paper's code."""
    network = network_of()
    batch = {
        "tokens": torch.randint(1, 9, (3, 14)),
        "tokens_size": torch.tensor([14, 6, 1]),
    }
    embedded = network.embed_tokens(batch)
    assert embedded[1, 6:].abs().sum() == embedded[2, 1:].abs().sum() == 0
    image = embedded[:, None]
    weight = network.first.weight.transpose(1, 2)[:, None]
    hidden = functional.conv2d(image, weight, network.first.bias, stride=(1, 6)).relu()
    hidden = functional.max_pool2d(hidden, (2, 1), (2, 1))
    hidden = functional.conv2d(hidden, network.second.weight[..., None], network.second.bias).relu()
    hidden = functional.max_pool2d(hidden, (2, 1), (2, 1))
    expected_vectors = network.dense(hidden.flatten(1)).relu()
    torch.testing.assert_close(network.compute_vectors(batch), expected_vectors)
    output = network.out(expected_vectors)
    expected_loss = (output - embedded.flatten(1)).abs().mean()
    torch.testing.assert_close(network.compute_loss(batch), expected_loss)
    softmax = network_of(output="softmax")
    expected_loss = (output.softmax(1) - embedded.flatten(1)).abs().mean()
    softmax.load_state_dict(network.state_dict())
    torch.testing.assert_close(softmax.compute_loss(batch), expected_loss)


def test_padding_does_not_change_outputs() -> None:
    network = network_of()
    batch = {"tokens": torch.randint(1, 9, (2, 7)), "tokens_size": torch.tensor([7, 3])}
    before = network.compute_vectors(batch), network.compute_loss(batch)
    wide = {**batch, "tokens": nn.functional.pad(batch["tokens"], (0, 5), value=4)}
    wide["tokens"][1, 3:] = 5
    torch.testing.assert_close(network.compute_vectors(wide), before[0])
    torch.testing.assert_close(network.compute_loss(wide), before[1])


def test_words_are_frozen_and_nothing_is_predicted_without_memory() -> None:
    network = network_of()
    assert "words" not in dict(network.named_parameters())
    batch = {"tokens": torch.ones(2, 3, dtype=torch.int64), "tokens_size": torch.tensor([3, 3])}
    assert network.predict(batch) == [[1], [1]]


# --------------------------------------------------------------------------------------
# Judging, and the stored training data
# --------------------------------------------------------------------------------------


def test_names_are_judged_by_rule_of_spot() -> None:
    """Oracle: scikit-learn's neighbours of bodies and of names, and Spot's decision."""
    from sklearn.neighbors import NearestNeighbors

    labels = [f"{verb}{noun}" for verb in ("get", "set", "is", "add") for noun in "ABCDE"]
    model = SpotCNN(SpotCNNSettings(size=6, feature=5, name_size=4, k=3), NAMING)
    model.learn_vocabularies({"labels": dict.fromkeys(labels, 1), "sizes": {"20": 3}})
    network: Any = model.build_network()
    torch.manual_seed(5)
    numbers = torch.tensor([model.labels.vocabulary.encode_word(label) for label in labels]).repeat(
        4
    )
    bodies = torch.randn(80, 5)
    words = torch.randn(len(model.vocabularies["names"]), 4)
    network.store_methods(unit_rows(bodies), numbers, words, torch.arange(2, len(words)))
    network.name_vectors = model._infer_vectors(
        network, model._encode_names(model.label_names.words)
    )
    asked_bodies = torch.randn(30, 5)
    names = [labels[(7 * n) % 20] for n in range(28)] + ["getBCE", "nothing"]
    fits = model.judge_names(network, asked_bodies.tolist(), names)
    assert fits[-1] is None

    split = [tuple(part.lower() for part in split_subtokens(name)) for name in (*labels, *names)]
    found_vectors = model._infer_vectors(network, model._encode_names(split)).numpy()
    name_vector = dict(zip((*labels, *names), found_vectors, strict=True))
    body_names = [labels[n % 20] for n in range(80)]
    by_body = NearestNeighbors(n_neighbors=15, metric="cosine").fit(bodies)
    for body, name, fit in zip(asked_bodies[:29], names[:29], fits[:29], strict=True):
        others = [body_name for body_name in body_names if body_name != name]
        table = np.stack([name_vector[other] for other in others])
        order = np.argsort(-(table @ name_vector[name]).round(5), kind="stable")
        left = [first_word(others[n]) for n in order[: 3 * FARTHER]]
        right = [first_word(body_names[n]) for n in by_body.kneighbors(body[None])[1][0]]
        assert fit is not None
        assert (fit >= 0.5) == bool({*left[:3]} & {*right[:3]})
        assert fit == pytest.approx(compute_fitness(left, right, 3))
    assert {fit >= 0.5 for fit in fits[:29] if fit is not None} == {True, False}


def first_word(name: str) -> str:
    return split_subtokens(name)[0]


def test_stored_training_data_is_restored() -> None:
    network, other = network_of(), network_of()
    network.store_methods(
        torch.rand(11, 5).half(), torch.arange(11), torch.rand(7, 4), torch.tensor([2, 3])
    )
    network.name_vectors = torch.rand(6, 4).half()
    other.load_state_dict(network.state_dict())
    for name, value in network.state_dict().items():
        assert torch.equal(other.state_dict()[name], value)


def test_vectors_equal_those_compared_in_prediction(tmp_path: Path) -> None:
    model, _, taught, examples = small_networks.train_small(
        "spot-cnn", NAMING, tmp_path, training={"epochs": 1}
    )
    features = [model.extract_features(example.input) for example in examples]
    rows = torch.tensor(compute_vectors(model, taught.network, features))
    network: Any = taught.network
    torch.testing.assert_close(unit_rows(rows), network.features.float(), atol=2e-3, rtol=0)
    assert all(predict_answers(model, taught.network, features))
    assert network.features.dtype == torch.float16
    assert len(network.features) == len(network.labels) == len(examples)
