"""Cognac: its copying, its prior and its search, computed in other ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from codeacumen.api import Method
from codeacumen.models.neural.answering import answers
from codeacumen.models.neural.architecture import BEGIN, END, SPOKEN, UNKNOWN, Vocabulary
from codeacumen.models.neural.inputs.context import PLACE
from codeacumen.models.neural.networks.cognac import Cognac, CognacNetwork, Settings
from codeacumen.models.neural.networks.layers import spoken
from codeacumen.models.neural.training.batches import ragged
from models.neural.checks import NAMING

TINY = Settings(embedding=5, hidden=4, dropout=0.0, longest=4)
WORDS = (*SPOKEN, "get", "set", "name", "value", "void", "return", "string")


# --------------------------------------------------------------------------------------


@pytest.fixture
def model() -> Cognac:
    made = Cognac(TINY, NAMING)
    made.labels.vocabulary = Vocabulary(WORDS)
    return made


def network_of(model: Cognac, seed: int = 1) -> CognacNetwork:
    """Weights large enough to tell things apart."""
    torch.manual_seed(seed)
    network = CognacNetwork(model.settings, len(model.spoken)).eval()
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.7)
    network.seen += 50
    network.found += torch.arange(len(network.found))
    return network


def batch_of(model: Cognac, texts: list[str], names: list[str]) -> Any:
    rows = []
    for text, name in zip(texts, names, strict=True):
        features = model.read(Method("", text))
        assert features is not None
        rows.append({**model.encode(features), **(model.target(name, features) or {})})
    return model.collate(ragged(rows))


TEXTS = [
    "String METHOD_NAME() { return quuxName; }",
    "void METHOD_NAME(String value) { this.blorp = value; zork.name(blorp); if (x) return; }",
]


def test_unknown_words_are_numbered_behind_the_vocabulary(model: Cognac) -> None:
    features = model.read(Method("", TEXTS[1]))
    assert features is not None
    numbers = model.encode(features)
    words: Any = features["pieces"]
    assert words == [
        "void",
        "string",
        "this",
        "blorp",
        "value",
        "zork",
        "name",
        "blorp",
        "if",
        "return",
    ]
    first = len(WORDS)
    void, string, value, name, back = (
        WORDS.index(w) for w in ("void", "string", "value", "name", "return")
    )
    assert numbers["pieces"].tolist() == [
        void,
        string,
        first,
        first + 1,
        value,
        first + 2,
        name,
        first + 1,
        first + 3,
        back,
    ]
    letters = "".join(chr(one) for one in numbers["spelt"])
    assert letters == "this\0blorp\0zork\0if\0"
    assert len(set(numbers["own"].tolist())) == 4


def test_a_name_finds_its_unknown_words_in_the_input(model: Cognac) -> None:
    batch = batch_of(model, TEXTS, ["getQuuxFlim", "zorkBlorp"])
    own = len(WORDS)
    # quux is the first unknown word of its text; flim is nowhere.
    assert batch["target"].tolist() == [
        [WORDS.index("get"), own, UNKNOWN, END],
        [own + 2, own + 1, END, 0],
    ]


def test_a_copied_word_is_spelt(model: Cognac) -> None:
    network, own = network_of(model), len(WORDS)
    batch = batch_of(model, TEXTS, ["get", "get"])
    spelt = batch["spelt"].tolist()
    said = [WORDS.index("get"), own + 2, own + 1]
    written = [number for piece in said for number in network._written(piece, spelt[1])]
    assert model.answer(written) == "getZorkBlorp"
    assert model.answer([*written, END, WORDS.index("set")]) == "getZorkBlorp"
    assert model.answer([]) is None


def parts(network: CognacNetwork, batch: Any) -> Any:
    source, state = network.encoded(batch)
    keys = network.pointer.key(source.states)
    last = torch.full((len(source.words), 1), BEGIN)
    return source, network.pointer.look(last, state, source, keys)


def test_the_mixture_sums_to_one(model: Cognac) -> None:
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    source, (scores, gate, weights, _) = parts(network, batch)
    whole = network.pointer.distribution(scores, gate, weights, source.words)
    assert whole.shape == (2, 1, len(WORDS) + 4)
    torch.testing.assert_close(whole.sum(2), torch.ones(2, 1))
    torch.testing.assert_close(weights.sum(2), torch.ones(2, 1))
    # Nothing is copied from padding, nor an own word that an example has not.
    assert (weights[0, 0, batch["pieces_size"][0] :] == 0).all()
    assert (whole[0, 0, len(WORDS) + 2 :] == 0).all()


def test_what_is_said_where_nothing_is_copied_is_the_plain_decoder(model: Cognac) -> None:
    network = network_of(model)
    source, (scores, _, weights, _) = parts(network, batch_of(model, TEXTS, ["get", "get"]))
    one = torch.ones(2, 1)
    whole = network.pointer.distribution(scores, one, weights, source.words)
    torch.testing.assert_close(whole[:, :, : len(WORDS)], scores.softmax(2))
    assert (whole[:, :, len(WORDS) :] == 0).all()
    copied = network.pointer.distribution(scores, 0 * one, weights, source.words)
    for row in range(2):
        for word in range(whole.shape[2]):
            wanted = weights[row, 0][source.words[row] == word].sum()
            assert copied[row, 0, word].item() == pytest.approx(wanted.item(), abs=1e-6)


def test_the_loss_is_that_of_the_whole_distribution(model: Cognac) -> None:
    """Oracle: all probabilities, one after the other, and their logarithms."""
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["getQuuxFlim", "zorkBlorp"])
    source, state = network.encoded(batch)
    keys = network.pointer.key(source.states)
    target, last = batch["target"], torch.full((2, 1), BEGIN)
    lost = [0.0, 0.0]
    for at in range(target.shape[1]):
        scores, gate, weights, state = network.pointer.look(last, state, source, keys)
        whole = network.pointer.distribution(scores, gate, weights, source.words)
        last = target[:, at : at + 1]
        for row in range(2):
            if target[row, at]:
                lost[row] -= whole[row, 0, target[row, at]].log().item()
    wanted = (lost[0] / 4 + lost[1] / 3) / 2
    assert network.loss(batch).item() == pytest.approx(wanted, rel=1e-5)


def test_attention_and_prior_are_the_equations(model: Cognac) -> None:
    """Oracle: a step of the first example alone, in numpy."""
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    source, (scores, gate, weights, _) = parts(network, batch)
    w = {key: value.detach().numpy().astype(float) for key, value in network.state_dict().items()}
    size = int(batch["pieces_size"][0])
    states = source.states[0, :size].detach().numpy().astype(float)
    hidden, cell = (one[0, 0].detach().numpy() for one in network.encoded(batch)[1][:2])

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def linear(name: str, x: Any) -> Any:
        return w[f"pointer.{name}.weight"] @ x + w.get(f"pointer.{name}.bias", 0)

    x = linear("given", np.concatenate([np.zeros(8), w["embedding.weight"][BEGIN]]))
    gates = w["pointer.cell.weight_ih"] @ x + w["pointer.cell.bias_ih"]
    gates = gates + w["pointer.cell.weight_hh"] @ hidden + w["pointer.cell.bias_hh"]
    into, keep, new, out = np.split(gates, 4)
    cell = sigmoid(keep) * cell + sigmoid(into) * np.tanh(new)
    hidden = sigmoid(out) * np.tanh(cell)
    inside = np.concatenate([hidden, cell])
    energy = np.array(
        [linear("score", np.tanh(linear("key", s) + linear("query", inside)))[0] for s in states]
    )
    places = batch["places"][0, :size].numpy()
    overall = (w["found"].sum() + 1) / (w["seen"].sum() + 30)
    prior = (w["found"][places] + 100 * overall) / (w["seen"][places] + 100)
    attention = prior * np.exp(energy)
    attention /= attention.sum()
    np.testing.assert_allclose(weights[0, 0, :size].detach().numpy(), attention, rtol=1e-4)
    looked = attention @ states
    wanted = sigmoid(linear("gate", np.concatenate([looked, inside, x])))
    np.testing.assert_allclose(gate[0, 0].item(), wanted[0], rtol=1e-4)
    said = linear("out", linear("blend", np.concatenate([hidden, looked])))
    np.testing.assert_allclose(scores[0, 0].detach().numpy(), said, rtol=1e-4, atol=1e-4)


def test_the_prior_is_counted_in_training_alone(model: Cognac) -> None:
    network = CognacNetwork(TINY, len(WORDS))
    batch = batch_of(model, TEXTS, ["getQuuxName", "setValue"])
    network.eval().loss(batch)
    assert int(network.seen.sum()) == 0
    network.train().loss(batch)
    told = {name: (int(network.found[n]), int(network.seen[n])) for name, n in PLACE.items()}
    # return quux name; | this blorp value, zork name blorp | if, return
    assert told["return"] == (2, 4)
    assert told["expression"] == (1, 6)
    assert told["parameter"] == (0, 1)
    assert told["returns"] == (0, 2)
    assert told["<pad>"] == (0, 0)


def test_without_a_prior_all_places_are_alike(model: Cognac) -> None:
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    assert len(set(network.telling(batch)[1].tolist())) > 2
    network.settings = Settings(prior=False)
    assert set(network.telling(batch).flatten().tolist()) == {0.0, 1.0}


def test_padding_is_not_looked_at(model: Cognac) -> None:
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    short = int(batch["pieces_size"].argmin())
    size = int(batch["pieces_size"][short])
    before, vectors = network.predict(batch), network.vector(batch)
    loss = network.loss(batch)
    batch["pieces"][short, size:] = WORDS.index("value")
    batch["places"][short, size:] = PLACE["return"]
    assert network.predict(batch) == before
    torch.testing.assert_close(network.vector(batch), vectors)
    torch.testing.assert_close(network.loss(batch), loss)


def chain(table: dict[tuple[int, ...], dict[int, float]], pieces: int) -> Any:
    """A step that knows the probabilities after each beginning."""

    def step(last: Any, state: Any) -> Any:
        (before,) = state
        before = torch.cat([before, last[:, :, None]], 2)
        made = torch.full((*last.shape, pieces), 1e-9)
        for row in range(last.shape[0]):
            for beam in range(last.shape[1]):
                known = tuple(one for one in before[row, beam].tolist() if one > END)
                for piece, chance in table.get(known, {END: 1.0}).items():
                    made[row, beam, piece] = chance
        return made.log(), (before,)

    return step, (torch.zeros(2, 1, 0, dtype=torch.long),)


def test_a_wider_search_finds_the_likelier_name() -> None:
    a, b, c, d = range(4, 8)
    table = {
        (): {a: 0.6, b: 0.4},
        (a,): {c: 0.5, d: 0.5},
        (b,): {d: 1.0},
        (a, c): {END: 1.0},
        (b, d): {END: 1.0},
    }
    step, state = chain(table, 8)
    assert spoken(step, state, 1, 5)[0][0] == a
    assert spoken(step, state, 2, 5) == [[b, d], [b, d]]


def test_a_name_has_one_piece_at_least_and_not_too_many() -> None:
    a = 4
    step, state = chain({(): {END: 0.9, a: 0.1}}, 5)
    assert spoken(step, state, 2, 3)[0] == [a]
    step, state = chain({(a,) * n: {a: 1.0} for n in range(9)}, 5)
    assert spoken(step, state, 3, 3)[0] == [a, a, a]


def test_copying_answers_with_words_that_nobody_taught() -> None:
    """After training on names that are a word of the body, an unknown word is copied."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Cognac(Settings(embedding=8, hidden=16, dropout=0.0), NAMING)
    model.labels.vocabulary = Vocabulary((*SPOKEN, "void", "return"))
    words = ["alpha", "beta", "gamma", "delta"]
    batch = batch_of(model, [f"void METHOD_NAME() {{ return {one}; }}" for one in words], words)
    assert (batch["target"][:, 0] == len(model.spoken)).all()
    network: Any = model.network()
    optimiser = torch.optim.Adam(network.parameters(), 0.05)
    for _ in range(60):
        optimiser.zero_grad()
        network.loss(batch).backward()
        optimiser.step()
    asked = Method("", "void METHOD_NAME() { return zyzzyva; }")
    assert answers(model, network.eval(), [model.read(asked)]) == ["zyzzyva"]
