"""GGNN: its equations in dense numpy and in torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from numpy.typing import NDArray

from codeacumen.models.neural.inputs.graph import EDGE_KINDS
from codeacumen.models.neural.networks.ggnn import WAYS, Encoder, Propagation, Settings
from codeacumen.models.neural.training.batches import ragged
from models.neural import checks
from models.neural.checks import COMPLETION, NAMING, NPATH, Purpose

OPERATORS = Purpose("gluecode/operators", NPATH.capability)


# --------------------------------------------------------------------------------------


def _numbers(module: Any) -> dict[str, NDArray[np.float64]]:
    return {key: value.detach().double().numpy() for key, value in module.state_dict().items()}


def _gru(weights: dict[str, NDArray[np.float64]], told: Any, states: Any) -> Any:
    """Cho et al.'s unit, as torch writes it."""

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    one = told @ weights["cell.weight_ih"].T + weights["cell.bias_ih"]
    other = states @ weights["cell.weight_hh"].T + weights["cell.bias_hh"]
    (r, z, n), (hr, hz, hn) = np.split(one, 3, 1), np.split(other, 3, 1)
    update = sigmoid(z + hz)
    return (1 - update) * np.tanh(n + sigmoid(r + hr) * hn) + update * states


def test_a_step_is_the_equation() -> None:
    """Oracle: a matrix of neighbours for each kind of edge."""
    torch.manual_seed(3)
    step = Propagation(4, ways=3)
    torch.nn.init.normal_(step.bias)
    states = torch.randn(5, 4)
    # The second kind has no edge; node 4 is told nothing; one edge is drawn twice.
    sources, sinks, ways = [0, 1, 2, 2, 0, 0], [1, 2, 1, 3, 0, 0], [3, 0, 3]
    found = step(states, torch.tensor(sources), torch.tensor(sinks), torch.tensor(ways))
    weights = _numbers(step)
    h = states.double().numpy()
    told = np.zeros((5, 4))
    for kind, at in ((0, slice(0, 3)), (2, slice(3, 6))):
        neighbours = np.zeros((5, 5))
        np.add.at(neighbours, (sinks[at], sources[at]), 1)
        told += neighbours @ (h @ weights["weight"][kind] + weights["bias"][kind])
    np.testing.assert_allclose(found.detach().numpy(), _gru(weights, told, h), atol=1e-5)


def test_the_slope_of_a_step_is_that_of_small_changes() -> None:
    """Oracle: finite differences, as wide as single precision needs them. A state that is taken
    often gets the sum of what comes back, one that is never taken only its own."""
    torch.manual_seed(4)
    step = Propagation(3, ways=2)
    edges = torch.tensor([0, 0, 1, 0, 2]), torch.tensor([1, 2, 0, 0, 2]), torch.tensor([3, 2])
    states = torch.randn(4, 3, requires_grad=True)
    found = step(states, *edges)
    found.sum().backward()
    assert states.grad is not None
    around = torch.zeros_like(states)
    for row, column in np.ndindex(4, 3):
        for sign in (1, -1):
            moved = states.detach().clone()
            moved[row, column] += sign * 1e-2
            around[row, column] += sign * step(moved, *edges).sum().detach() / 2e-2
    torch.testing.assert_close(states.grad, around, atol=1e-3, rtol=1e-3)


def test_with_one_kind_of_edge_it_is_the_gated_graph_convolution() -> None:
    """Oracle: Li et al.'s equation with a dense matrix of neighbours and torch's own GRU cell."""
    torch.manual_seed(5)
    ours = Propagation(6, ways=1)
    states = torch.randn(9, 6)
    edges = torch.randint(0, 9, (2, 20))
    neighbours = torch.zeros(9, 9)
    for source, sink in edges.T.tolist():
        neighbours[sink, source] += 1
    expected = ours.cell(neighbours @ states @ ours.weight[0], states)
    found = ours(states, edges[0], edges[1], torch.tensor([20]))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def _model(purpose: Purpose, tmp_path: Path, **network: Any) -> tuple[Any, Any]:
    model, _ = checks.made("ggnn", purpose, **network)
    return model, checks.prepare(model, checks.taught_examples(purpose, 12), tmp_path)


def test_the_encoder_is_the_equations(tmp_path: Path) -> None:
    """Oracle: a graph's state and vector in numpy, node by node, edge by edge."""
    model, _ = _model(NAMING, tmp_path)
    settings = Settings(embedding=3, steps=2, dropout=0.5)
    torch.manual_seed(2)
    sizes = len(model.vocabularies["kinds"]), len(model.vocabularies["words"])
    encoder = Encoder(settings, *sizes).eval()
    features = model.read_text("int METHOD_NAME(int firstPlace) { return firstPlace; }")
    row = model.encode(features)
    states, vector, graph = encoder(model.collate(ragged([row])))
    assert graph.tolist() == [0] * len(row["kinds"])
    weights = _numbers(encoder)
    begin = []
    at = 0
    for kind, size in zip(row["kinds"], row["sizes"], strict=True):
        mine = weights["word.weight"][row["words"][at : at + size]]
        at += size
        mean = mine.mean(0) if size else np.zeros(3)
        begin.append(np.concatenate([weights["kind.weight"][kind], mean]))
    h = h0 = np.array(begin)
    inner = {k.removeprefix("propagation."): v for k, v in weights.items() if "propagation" in k}
    for _ in range(2):
        told = np.zeros_like(h)
        columns = zip(row["sources"], row["sinks"], row["edges"], strict=True)
        for source, sink, kind in columns:
            back = kind + len(EDGE_KINDS)
            told[sink] += h[source] @ inner["weight"][kind] + inner["bias"][kind]
            told[source] += h[sink] @ inner["weight"][back] + inner["bias"][back]
        h = _gru(inner, told, h)
    np.testing.assert_allclose(states.detach().numpy(), h, atol=1e-4)
    both = np.concatenate([h, h0], 1)
    gate = 1 / (1 + np.exp(-(both @ weights["gate.weight"].T + weights["gate.bias"])))
    total = (gate * np.tanh(both @ weights["value.weight"].T + weights["value.bias"])).sum(0)
    normed = (total - total.mean()) / np.sqrt(total.var() + 1e-5)
    np.testing.assert_allclose(vector.detach().numpy()[0], normed, atol=1e-3)


def test_a_batch_is_one_graph_in_pieces(tmp_path: Path) -> None:
    """Every message goes both ways, stays in its example, and stands with its kind."""
    model, file = _model(NAMING, tmp_path)
    rows = np.array([3, 0, 7])
    columns = file.take(rows)
    batch = model.collate(columns)
    assert len(next(iter(batch.values()))) == len(rows)
    assert batch["nodes"].tolist() == [len(columns["kinds"][at]) for at in range(3)]
    assert sum(batch["ways"].tolist()) == 2 * len(columns["edges"].values)
    assert len(batch["ways"]) == WAYS
    kinds = np.repeat(np.arange(WAYS), batch["ways"].numpy())
    found = set(zip(kinds, batch["sources"].tolist(), batch["sinks"].tolist(), strict=True))
    wanted = set()
    first = 0
    for at in range(3):
        mine = (columns[name][at] for name in ("edges", "sources", "sinks"))
        for kind, source, sink in zip(*mine, strict=True):
            wanted.add((kind, first + source, first + sink))
            wanted.add((kind + len(EDGE_KINDS), first + sink, first + source))
        first += len(columns["kinds"][at])
    assert found == wanted
    assert batch["target"].shape[0] == 3


def test_the_decoder_sees_the_nodes_of_its_own_graph(tmp_path: Path) -> None:
    """Oracle: torch's pad_sequence over the states of each graph."""
    model, file = _model(NAMING, tmp_path)
    network = model.network().eval()
    batch = model.collate(file.take(np.array([3, 0, 7, 5])))
    dense, mask, _ = network._seen(batch)
    states, _, graph = network.encoder(batch)
    parts = [states[graph == number] for number in range(4)]
    assert torch.equal(dense, torch.nn.utils.rnn.pad_sequence(parts, batch_first=True))
    ones = [torch.ones(len(part), dtype=torch.bool) for part in parts]
    assert torch.equal(mask, torch.nn.utils.rnn.pad_sequence(ones, batch_first=True))


def test_a_graph_without_edges_or_words_is_answered(tmp_path: Path) -> None:
    """A name alone has no edge, and signs have no word. Of a name without a known word nothing can
    be said."""
    model, _ = _model(NAMING, tmp_path)
    assert model.read_text("qqxzvw") is None
    network = model.network().eval()
    name = next(word for word in model.vocabularies["words"].words[2:] if word.isalpha())
    for texts in ([name], ["; ;"], [name, "; ;", "int f() { return 1; }"]):
        rows = [model.encode(model.read_text(text)) for text in texts]
        batch = model.collate(ragged(rows))
        assert torch.isfinite(network.vector(batch)).all()
        assert len(network.predict(batch)) == len(texts)


def test_half_precision_is_near_the_full(tmp_path: Path) -> None:
    model, file = _model(NAMING, tmp_path)
    torch.manual_seed(1)
    network = model.network().eval()
    batch = model.collate(file.take(np.arange(8)))
    # Messages and nodes alone: not every processor can read words with an LSTM in half precision.
    full = network.vector(batch).detach()
    with torch.autocast("cpu", torch.bfloat16):
        half = network.vector(batch).detach()
    assert half.dtype == torch.float32
    assert 0 < float((full - half).abs().max()) < 0.05


def test_words_keep_their_case_only_where_the_answer_does() -> None:
    text = "void f(int myXML) { <MASK>(myXML); }"
    for purpose, word in ((NAMING, "xml"), (COMPLETION, "XML"), (OPERATORS, "xml")):
        model, _ = checks.made("ggnn", purpose)
        features = model.read_text(text)
        assert features is not None
        assert word in features["words"]


def test_operators_are_read_as_operators() -> None:
    model, _ = checks.made("ggnn", OPERATORS)
    features = model.read_text("boolean f() { return (a) <MASK> (b); }")
    assert features is not None
    assert "MASK" in features["kinds"]
    assert "TYPE_CAST" not in features["kinds"]
