"""Spot's CNN: its layers and its judgement, computed in other ways."""

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
from codeacumen.models.method_naming.spot import FARTHER, fitness
from codeacumen.models.neural.answering import answers, vectors
from codeacumen.models.neural.model import make_run
from codeacumen.models.neural.networks.spot_cnn import Settings, SpotCNN, SpotNetwork, whisker
from codeacumen.models.neural.training.train import train
from codeacumen.search.vectors import unit_rows
from codeacumen.text.subtokens import subtokens
from models.neural import checks
from models.neural.checks import NAMING
from models.neural.trainings import Here, asked, nothing


def test_words_are_learned_once(tmp_path: Path) -> None:
    model, _ = checks.made("spot-cnn", NAMING)
    file = checks.prepare(model, checks.taught_examples(NAMING, 16), tmp_path)
    training = checks.small_training("spot-cnn")
    model.before_teaching(file, training, tmp_path, "cpu")
    kept = next(tmp_path.glob("words.*"))
    first = kept.read_bytes()
    kept.unlink()
    kept.with_name(kept.name + ".part").write_bytes(b"half of it")
    model.before_teaching(file, training, tmp_path, "cpu")
    assert kept.read_bytes() == first
    written = kept.stat().st_mtime_ns
    model.before_teaching(file, training, tmp_path, "cpu")
    assert kept.stat().st_mtime_ns == written


# --------------------------------------------------------------------------------------
# As a user trains it, and asks it
# --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "spot"
    train(asked("spot-cnn"), out, Here(), nothing)  # type: ignore[arg-type]
    return out


def test_trained_it_names_judges_and_embeds(folder: Path) -> None:
    model: Any = make_run(str(folder), device="cpu")
    assert {Capability.NAME, Capability.JUDGE, Capability.EMBED} <= set(list_capabilities(model))
    shown = [Method("", text) for text, _ in checks.methods()[120:140]]
    names = [name for _, name in checks.methods()[120:140]]
    learned = {name for _, name in checks.methods()[:120]}
    assert set(model.name(shown)) <= {*learned, None}
    assert model.name([Method("", "int f() { return size(); }")])[0] in learned
    fits = model.judge([NamedMethod(one, name) for one, name in zip(shown, names, strict=True)])
    assert all(fit is None or 0 <= fit <= 1 for fit in fits)
    assert sum(fit is not None for fit in fits) > 8
    nobody = NamedMethod(shown[0], "xyzzyPlugh")
    assert model.judge([nobody, NamedMethod(Method("", ""), "get")]) == [None, None]


def test_outliers_are_not_learned_from(folder: Path) -> None:
    model = SpotCNN(Settings(), NAMING)
    model.learn_vocabularies({"labels": {"get": 5}, "sizes": {"10": 2, "20": 2, "1000": 1}})
    assert model.width == whisker({10: 2, 20: 2, 1000: 1}) == 36
    assert model.target("get", {"tokens": ["a"] * 36, "size": [36]}) is not None
    assert model.target("get", {"tokens": ["a"] * 38, "size": [38]}) is None
    assert len(model.encode({"tokens": ["a"] * 38, "size": [38]})["tokens"]) == 36
    assert whisker({3: 100}) == 8


def test_settings_are_checked() -> None:
    with pytest.raises(CodeacumenError, match="rank='r5'"):
        Settings(rank="r5")
    with pytest.raises(CodeacumenError, match="output='tanh'"):
        Settings(output="tanh")


# --------------------------------------------------------------------------------------
# The layers
# --------------------------------------------------------------------------------------


def network_of(length: int = 14, **settings: Any) -> SpotNetwork:
    torch.manual_seed(2)
    made = SpotNetwork(Settings(size=6, feature=5, name_size=4, **settings), 9, length, 7).eval()
    made.words.normal_()
    return made


def test_layers_are_those_of_the_paper() -> None:
    """Oracle: two-dimensional convolutions and pools, as the paper's code has them."""
    network = network_of()
    batch = {
        "tokens": torch.randint(1, 9, (3, 14)),
        "tokens_size": torch.tensor([14, 6, 1]),
    }
    read = network.embedded(batch)
    assert read[1, 6:].abs().sum() == read[2, 1:].abs().sum() == 0
    image = read[:, None]
    weight = network.first.weight.transpose(1, 2)[:, None]
    seen = functional.conv2d(image, weight, network.first.bias, stride=(1, 6)).relu()
    seen = functional.max_pool2d(seen, (2, 1), (2, 1))
    seen = functional.conv2d(seen, network.second.weight[..., None], network.second.bias).relu()
    seen = functional.max_pool2d(seen, (2, 1), (2, 1))
    wanted = network.dense(seen.flatten(1)).relu()
    torch.testing.assert_close(network.vector(batch), wanted)
    said = network.out(wanted)
    wanted_loss = (said - read.flatten(1)).abs().mean()
    torch.testing.assert_close(network.loss(batch), wanted_loss)
    softmax = network_of(output="softmax")
    wanted_loss = (said.softmax(1) - read.flatten(1)).abs().mean()
    softmax.load_state_dict(network.state_dict())
    torch.testing.assert_close(softmax.loss(batch), wanted_loss)


def test_padding_is_not_looked_at() -> None:
    network = network_of()
    batch = {"tokens": torch.randint(1, 9, (2, 7)), "tokens_size": torch.tensor([7, 3])}
    before = network.vector(batch), network.loss(batch)
    wide = {**batch, "tokens": nn.functional.pad(batch["tokens"], (0, 5), value=4)}
    wide["tokens"][1, 3:] = 5
    torch.testing.assert_close(network.vector(wide), before[0])
    torch.testing.assert_close(network.loss(wide), before[1])


def test_words_are_not_taught_and_nothing_is_said_without_memory() -> None:
    network = network_of()
    assert "words" not in dict(network.named_parameters())
    batch = {"tokens": torch.ones(2, 3, dtype=torch.int64), "tokens_size": torch.tensor([3, 3])}
    assert network.predict(batch) == [[1], [1]]


# --------------------------------------------------------------------------------------
# Judging, and what is remembered
# --------------------------------------------------------------------------------------


def test_a_name_is_judged_by_spots_rule() -> None:
    """Oracle: the neighbours of scikit-learn, of bodies and of names, and Spot's decision."""
    from sklearn.neighbors import NearestNeighbors

    labels = [f"{verb}{noun}" for verb in ("get", "set", "is", "add") for noun in "ABCDE"]
    model = SpotCNN(Settings(size=6, feature=5, name_size=4, k=3), NAMING)
    model.learn_vocabularies({"labels": dict.fromkeys(labels, 1), "sizes": {"20": 3}})
    network: Any = model.network()
    torch.manual_seed(5)
    numbers = torch.tensor([model.labels.vocabulary.number(one) for one in labels]).repeat(4)
    bodies = torch.randn(80, 5)
    words = torch.randn(len(model.vocabularies["names"]), 4)
    network.remember(unit_rows(bodies), numbers, words, torch.arange(2, len(words)))
    network.name_vectors = model._found(network, model._in_numbers(model.names.words))
    asked_bodies = torch.randn(30, 5)
    names = [labels[(7 * n) % 20] for n in range(28)] + ["getBCE", "nothing"]
    fits = model.judge(network, asked_bodies.tolist(), names)
    assert fits[-1] is None

    split = [tuple(part.lower() for part in subtokens(one)) for one in (*labels, *names)]
    found = model._found(network, model._in_numbers(split)).numpy()
    name_vector = dict(zip((*labels, *names), found, strict=True))
    spoken = [labels[n % 20] for n in range(80)]
    by_body = NearestNeighbors(n_neighbors=15, metric="cosine").fit(bodies)
    for body, name, fit in zip(asked_bodies[:29], names[:29], fits[:29], strict=True):
        others = [one for one in spoken if one != name]
        table = np.stack([name_vector[one] for one in others])
        order = np.argsort(-(table @ name_vector[name]).round(5), kind="stable")
        left = [_verb(others[n]) for n in order[: 3 * FARTHER]]
        right = [_verb(spoken[n]) for n in by_body.kneighbors(body[None])[1][0]]
        assert fit is not None
        assert (fit >= 0.5) == bool({*left[:3]} & {*right[:3]})
        assert fit == pytest.approx(fitness(left, right, 3))
    assert {fit >= 0.5 for fit in fits[:29] if fit is not None} == {True, False}


def _verb(name: str) -> str:
    return subtokens(name)[0]


def test_what_is_remembered_is_restored_in_its_size() -> None:
    network, other = network_of(), network_of()
    network.remember(
        torch.rand(11, 5).half(), torch.arange(11), torch.rand(7, 4), torch.tensor([2, 3])
    )
    network.name_vectors = torch.rand(6, 4).half()
    other.load_state_dict(network.state_dict())
    for name, value in network.state_dict().items():
        assert torch.equal(other.state_dict()[name], value)


def test_vectors_are_those_that_are_compared(tmp_path: Path) -> None:
    model, _, made, examples = checks.train("spot-cnn", NAMING, tmp_path, training={"epochs": 1})
    features = [model.read(one.input) for one in examples]
    rows = torch.tensor(vectors(model, made.network, features))
    network: Any = made.network
    torch.testing.assert_close(unit_rows(rows), network.features.float(), atol=2e-3, rtol=0)
    assert all(answers(model, made.network, features))
    assert network.features.dtype == torch.float16
    assert len(network.features) == len(network.labels) == len(examples)
