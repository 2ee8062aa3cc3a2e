"""Tests of Cognac: its copying, its prior and its search against independent computations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from codeacumen.api import Method
from codeacumen.models.neural.architecture import BEGIN, END, SEQUENCE_SPECIALS, UNKNOWN, Vocabulary
from codeacumen.models.neural.inputs.context import NUMBER_OF_PLACE
from codeacumen.models.neural.networks.cognac import Cognac, CognacNetwork, CognacSettings
from codeacumen.models.neural.networks.layers import search_beams
from codeacumen.models.neural.predict import predict_answers
from codeacumen.models.neural.training.batches import rows_to_columns
from models.neural.small_networks import NAMING

TINY = CognacSettings(embedding=5, hidden=4, dropout=0.0, longest=4)
WORDS = (*SEQUENCE_SPECIALS, "get", "set", "name", "value", "void", "return", "string")


# --------------------------------------------------------------------------------------


@pytest.fixture
def model() -> Cognac:
    cognac = Cognac(TINY, NAMING)
    cognac.labels.vocabulary = Vocabulary(WORDS)
    return cognac


def network_of(model: Cognac, seed: int = 1) -> CognacNetwork:
    """Return a network whose weights are large enough to make outputs differ."""
    torch.manual_seed(seed)
    network = CognacNetwork(model.settings, len(model.shared_vocabulary)).eval()
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.7)
    network.seen += 50
    network.found += torch.arange(len(network.found))
    return network


def batch_of(model: Cognac, texts: list[str], names: list[str]) -> Any:
    rows = []
    for text, name in zip(texts, names, strict=True):
        features = model.extract_features(Method("", text))
        assert features is not None
        rows.append({**model.encode(features), **(model.encode_target(name, features) or {})})
    return model.collate(rows_to_columns(rows))


TEXTS = [
    "String METHOD_NAME() { return quuxName; }",
    "void METHOD_NAME(String value) { this.blorp = value; zork.name(blorp); if (x) return; }",
]


def test_unknown_words_are_numbered_after_the_vocabulary(model: Cognac) -> None:
    features = model.extract_features(Method("", TEXTS[1]))
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
    letters = "".join(chr(code_point) for code_point in numbers["spelt"])
    assert letters == "this\0blorp\0zork\0if\0"
    assert len(set(numbers["own"].tolist())) == 4


def test_target_refers_to_unknown_words_of_the_input(model: Cognac) -> None:
    batch = batch_of(model, TEXTS, ["getQuuxFlim", "zorkBlorp"])
    first_unknown = len(WORDS)
    # quux is the first unknown word of its text; flim does not occur.
    assert batch["target"].tolist() == [
        [WORDS.index("get"), first_unknown, UNKNOWN, END],
        [first_unknown + 2, first_unknown + 1, END, 0],
    ]


def test_copied_word_is_spelled_out(model: Cognac) -> None:
    network, first_unknown = network_of(model), len(WORDS)
    batch = batch_of(model, TEXTS, ["get", "get"])
    spelt = batch["spelt"].tolist()
    pieces = [WORDS.index("get"), first_unknown + 2, first_unknown + 1]
    written = [number for piece in pieces for number in network._spell_piece(piece, spelt[1])]
    assert model.decode_answer(written) == "getZorkBlorp"
    assert model.decode_answer([*written, END, WORDS.index("set")]) == "getZorkBlorp"
    assert model.decode_answer([]) is None


def compute_first_step(network: CognacNetwork, batch: Any) -> Any:
    source, state = network.encode_batch(batch)
    keys = network.pointer.key(source.states)
    last = torch.full((len(source.words), 1), BEGIN)
    return source, network.pointer.decode_step(last, state, source, keys)


def test_mixture_sums_to_one(model: Cognac) -> None:
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    source, (scores, gate, weights, _) = compute_first_step(network, batch)
    distribution = network.pointer.compute_distribution(scores, gate, weights, source.words)
    assert distribution.shape == (2, 1, len(WORDS) + 4)
    torch.testing.assert_close(distribution.sum(2), torch.ones(2, 1))
    torch.testing.assert_close(weights.sum(2), torch.ones(2, 1))
    # Nothing is copied from padding, nor an unknown word that the example lacks.
    assert (weights[0, 0, batch["pieces_size"][0] :] == 0).all()
    assert (distribution[0, 0, len(WORDS) + 2 :] == 0).all()


def test_gate_selects_between_decoder_and_copying(model: Cognac) -> None:
    network = network_of(model)
    source, (scores, _, weights, _) = compute_first_step(
        network, batch_of(model, TEXTS, ["get", "get"])
    )
    open_gate = torch.ones(2, 1)
    generated = network.pointer.compute_distribution(scores, open_gate, weights, source.words)
    torch.testing.assert_close(generated[:, :, : len(WORDS)], scores.softmax(2))
    assert (generated[:, :, len(WORDS) :] == 0).all()
    copied = network.pointer.compute_distribution(scores, 0 * open_gate, weights, source.words)
    for row in range(2):
        for word in range(generated.shape[2]):
            expected = weights[row, 0][source.words[row] == word].sum()
            assert copied[row, 0, word].item() == pytest.approx(expected.item(), abs=1e-6)


def test_loss_equals_that_of_the_full_distribution(model: Cognac) -> None:
    """Oracle: the logarithms of all probabilities, computed one after the other."""
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["getQuuxFlim", "zorkBlorp"])
    source, state = network.encode_batch(batch)
    keys = network.pointer.key(source.states)
    target, last = batch["target"], torch.full((2, 1), BEGIN)
    losses = [0.0, 0.0]
    for step in range(target.shape[1]):
        scores, gate, weights, state = network.pointer.decode_step(last, state, source, keys)
        distribution = network.pointer.compute_distribution(scores, gate, weights, source.words)
        last = target[:, step : step + 1]
        for row in range(2):
            if target[row, step]:
                losses[row] -= distribution[row, 0, target[row, step]].log().item()
    expected = (losses[0] / 4 + losses[1] / 3) / 2
    assert network.compute_loss(batch).item() == pytest.approx(expected, rel=1e-5)


def test_attention_and_prior_equal_equations(model: Cognac) -> None:
    """Oracle: a step of the first example alone, in numpy."""
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    source, (scores, gate, weights, _) = compute_first_step(network, batch)
    weights_by_name = {
        key: value.detach().numpy().astype(float) for key, value in network.state_dict().items()
    }
    size = int(batch["pieces_size"][0])
    states = source.states[0, :size].detach().numpy().astype(float)
    hidden, cell = (
        state_part[0, 0].detach().numpy() for state_part in network.encode_batch(batch)[1][:2]
    )

    def compute_sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def apply_linear(name: str, x: Any) -> Any:
        return weights_by_name[f"pointer.{name}.weight"] @ x + weights_by_name.get(
            f"pointer.{name}.bias", 0
        )

    x = apply_linear(
        "given", np.concatenate([np.zeros(8), weights_by_name["embedding.weight"][BEGIN]])
    )
    gates = weights_by_name["pointer.cell.weight_ih"] @ x + weights_by_name["pointer.cell.bias_ih"]
    gates = (
        gates
        + weights_by_name["pointer.cell.weight_hh"] @ hidden
        + weights_by_name["pointer.cell.bias_hh"]
    )
    into, keep, new, out = np.split(gates, 4)
    cell = compute_sigmoid(keep) * cell + compute_sigmoid(into) * np.tanh(new)
    hidden = compute_sigmoid(out) * np.tanh(cell)
    inside = np.concatenate([hidden, cell])
    energy = np.array(
        [
            apply_linear("score", np.tanh(apply_linear("key", s) + apply_linear("query", inside)))[
                0
            ]
            for s in states
        ]
    )
    places = batch["places"][0, :size].numpy()
    overall = (weights_by_name["found"].sum() + 1) / (weights_by_name["seen"].sum() + 30)
    prior = (weights_by_name["found"][places] + 100 * overall) / (
        weights_by_name["seen"][places] + 100
    )
    attention = prior * np.exp(energy)
    attention /= attention.sum()
    np.testing.assert_allclose(weights[0, 0, :size].detach().numpy(), attention, rtol=1e-4)
    attended = attention @ states
    expected_gate = compute_sigmoid(apply_linear("gate", np.concatenate([attended, inside, x])))
    np.testing.assert_allclose(gate[0, 0].item(), expected_gate[0], rtol=1e-4)
    expected_scores = apply_linear("out", apply_linear("blend", np.concatenate([hidden, attended])))
    np.testing.assert_allclose(scores[0, 0].detach().numpy(), expected_scores, rtol=1e-4, atol=1e-4)


def test_prior_is_counted_only_in_training(model: Cognac) -> None:
    network = CognacNetwork(TINY, len(WORDS))
    batch = batch_of(model, TEXTS, ["getQuuxName", "setValue"])
    network.eval().compute_loss(batch)
    assert int(network.seen.sum()) == 0
    network.train().compute_loss(batch)
    counts_by_place = {
        name: (int(network.found[number]), int(network.seen[number]))
        for name, number in NUMBER_OF_PLACE.items()
    }
    # return quux name; | this blorp value, zork name blorp | if, return
    assert counts_by_place["return"] == (2, 4)
    assert counts_by_place["expression"] == (1, 6)
    assert counts_by_place["parameter"] == (0, 1)
    assert counts_by_place["returns"] == (0, 2)
    assert counts_by_place["<pad>"] == (0, 0)


def test_without_prior_all_places_weigh_the_same(model: Cognac) -> None:
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    assert len(set(network.compute_prior(batch)[1].tolist())) > 2
    network.settings = CognacSettings(prior=False)
    assert set(network.compute_prior(batch).flatten().tolist()) == {0.0, 1.0}


def test_padding_does_not_change_outputs(model: Cognac) -> None:
    network = network_of(model)
    batch = batch_of(model, TEXTS, ["get", "get"])
    short_row = int(batch["pieces_size"].argmin())
    size = int(batch["pieces_size"][short_row])
    before, vectors = network.predict(batch), network.compute_vectors(batch)
    loss = network.compute_loss(batch)
    batch["pieces"][short_row, size:] = WORDS.index("value")
    batch["places"][short_row, size:] = NUMBER_OF_PLACE["return"]
    assert network.predict(batch) == before
    torch.testing.assert_close(network.compute_vectors(batch), vectors)
    torch.testing.assert_close(network.compute_loss(batch), loss)


def make_step(next_probabilities: dict[tuple[int, ...], dict[int, float]], pieces: int) -> Any:
    """Return a step function with given probabilities after each prefix."""

    def compute_log_probabilities(last: Any, state: Any) -> Any:
        (before,) = state
        before = torch.cat([before, last[:, :, None]], 2)
        probabilities = torch.full((*last.shape, pieces), 1e-9)
        for row in range(last.shape[0]):
            for beam in range(last.shape[1]):
                prefix = tuple(code for code in before[row, beam].tolist() if code > END)
                for piece, probability in next_probabilities.get(prefix, {END: 1.0}).items():
                    probabilities[row, beam, piece] = probability
        return probabilities.log(), (before,)

    return compute_log_probabilities, (torch.zeros(2, 1, 0, dtype=torch.long),)


def test_wider_beam_finds_likelier_name() -> None:
    a, b, c, d = range(4, 8)
    table = {
        (): {a: 0.6, b: 0.4},
        (a,): {c: 0.5, d: 0.5},
        (b,): {d: 1.0},
        (a, c): {END: 1.0},
        (b, d): {END: 1.0},
    }
    step, state = make_step(table, 8)
    assert search_beams(step, state, 1, 5)[0][0] == a
    assert search_beams(step, state, 2, 5) == [[b, d], [b, d]]


def test_name_has_at_least_one_piece_and_at_most_the_limit() -> None:
    a = 4
    step, state = make_step({(): {END: 0.9, a: 0.1}}, 5)
    assert search_beams(step, state, 2, 3)[0] == [a]
    step, state = make_step({(a,) * n: {a: 1.0} for n in range(9)}, 5)
    assert search_beams(step, state, 3, 3)[0] == [a, a, a]


def test_unknown_word_is_copied_after_training() -> None:
    """After training on names that are a word of the body, the network copies an unknown word."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Cognac(CognacSettings(embedding=8, hidden=16, dropout=0.0), NAMING)
    model.labels.vocabulary = Vocabulary((*SEQUENCE_SPECIALS, "void", "return"))
    words = ["alpha", "beta", "gamma", "delta"]
    batch = batch_of(model, [f"void METHOD_NAME() {{ return {word}; }}" for word in words], words)
    assert (batch["target"][:, 0] == len(model.shared_vocabulary)).all()
    network: Any = model.build_network()
    optimiser = torch.optim.Adam(network.parameters(), 0.05)
    for _ in range(60):
        optimiser.zero_grad()
        network.compute_loss(batch).backward()
        optimiser.step()
    method = Method("", "void METHOD_NAME() { return zyzzyva; }")
    assert predict_answers(model, network.eval(), [model.extract_features(method)]) == ["zyzzyva"]
