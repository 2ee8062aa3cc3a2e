"""Tests of GGNN: its equations in dense numpy and in torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from numpy.typing import NDArray

from codeacumen.models.neural.inputs.graph import EDGE_KINDS
from codeacumen.models.neural.networks.ggnn import WAYS, GGNNSettings, GraphEncoder, Propagation
from codeacumen.models.neural.training.batches import rows_to_columns
from models.neural import small_networks
from models.neural.small_networks import COMPLETION, NAMING, NPATH, Purpose

OPERATORS = Purpose("gluecode/operators", NPATH.capability)


# --------------------------------------------------------------------------------------


def weights_to_numpy(module: Any) -> dict[str, NDArray[np.float64]]:
    return {key: value.detach().double().numpy() for key, value in module.state_dict().items()}


def compute_gru(weights: dict[str, NDArray[np.float64]], messages: Any, states: Any) -> Any:
    """Return the output of Cho et al.'s gated recurrent unit, as torch defines it."""

    def compute_sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    input_gates = messages @ weights["cell.weight_ih"].T + weights["cell.bias_ih"]
    state_gates = states @ weights["cell.weight_hh"].T + weights["cell.bias_hh"]
    (r, z, n), (hr, hz, hn) = np.split(input_gates, 3, 1), np.split(state_gates, 3, 1)
    update = compute_sigmoid(z + hz)
    return (1 - update) * np.tanh(n + compute_sigmoid(r + hr) * hn) + update * states


def test_step_equals_equation() -> None:
    """Oracle: an adjacency matrix for each kind of edge."""
    torch.manual_seed(3)
    step = Propagation(4, ways=3)
    torch.nn.init.normal_(step.bias)
    states = torch.randn(5, 4)
    # The second kind has no edge; node 4 receives no message; one edge occurs twice.
    sources, sinks, edge_counts = [0, 1, 2, 2, 0, 0], [1, 2, 1, 3, 0, 0], [3, 0, 3]
    new_states = step(states, torch.tensor(sources), torch.tensor(sinks), torch.tensor(edge_counts))
    weights = weights_to_numpy(step)
    old_states = states.double().numpy()
    messages = np.zeros((5, 4))
    for kind, edge_range in ((0, slice(0, 3)), (2, slice(3, 6))):
        neighbours = np.zeros((5, 5))
        np.add.at(neighbours, (sinks[edge_range], sources[edge_range]), 1)
        messages += neighbours @ (old_states @ weights["weight"][kind] + weights["bias"][kind])
    np.testing.assert_allclose(
        new_states.detach().numpy(), compute_gru(weights, messages, old_states), atol=1e-5
    )


def test_gradient_of_step_equals_finite_differences() -> None:
    """Oracle: finite differences, with steps suited to single precision. A state used several times
    gets the sum of the gradients; an unused one only its own."""
    torch.manual_seed(4)
    step = Propagation(3, ways=2)
    edges = torch.tensor([0, 0, 1, 0, 2]), torch.tensor([1, 2, 0, 0, 2]), torch.tensor([3, 2])
    states = torch.randn(4, 3, requires_grad=True)
    new_states = step(states, *edges)
    new_states.sum().backward()
    assert states.grad is not None
    differences = torch.zeros_like(states)
    for row, column in np.ndindex(4, 3):
        for sign in (1, -1):
            moved = states.detach().clone()
            moved[row, column] += sign * 1e-2
            differences[row, column] += sign * step(moved, *edges).sum().detach() / 2e-2
    torch.testing.assert_close(states.grad, differences, atol=1e-3, rtol=1e-3)


def test_step_with_one_kind_of_edge_is_gated_graph_convolution() -> None:
    """Oracle: Li et al.'s equation with a dense adjacency matrix and torch's GRU cell."""
    torch.manual_seed(5)
    ours = Propagation(6, ways=1)
    states = torch.randn(9, 6)
    edges = torch.randint(0, 9, (2, 20))
    neighbours = torch.zeros(9, 9)
    for source, sink in edges.T.tolist():
        neighbours[sink, source] += 1
    expected = ours.cell(neighbours @ states @ ours.weight[0], states)
    new_states = ours(states, edges[0], edges[1], torch.tensor([20]))
    torch.testing.assert_close(new_states, expected, atol=1e-5, rtol=1e-4)


def prepare_model(purpose: Purpose, tmp_path: Path, **network: Any) -> tuple[Any, Any]:
    model, _ = small_networks.make_small("ggnn", purpose, **network)
    return model, small_networks.prepare_examples(
        model, small_networks.make_examples(purpose, 12), tmp_path
    )


def test_encoder_equals_equations(tmp_path: Path) -> None:
    """Oracle: state and vector of a graph in numpy, node by node and edge by edge."""
    model, _ = prepare_model(NAMING, tmp_path)
    settings = GGNNSettings(embedding=3, steps=2, dropout=0.5)
    torch.manual_seed(2)
    sizes = len(model.vocabularies["kinds"]), len(model.vocabularies["words"])
    encoder = GraphEncoder(settings, *sizes).eval()
    features = model.extract_text_features("int METHOD_NAME(int firstPlace) { return firstPlace; }")
    row = model.encode(features)
    states, vector, graph = encoder(model.collate(rows_to_columns([row])))
    assert graph.tolist() == [0] * len(row["kinds"])
    weights = weights_to_numpy(encoder)
    first_states = []
    at = 0
    for kind, size in zip(row["kinds"], row["sizes"], strict=True):
        word_rows = weights["word.weight"][row["words"][at : at + size]]
        at += size
        mean = word_rows.mean(0) if size else np.zeros(3)
        first_states.append(np.concatenate([weights["kind.weight"][kind], mean]))
    h = h0 = np.array(first_states)
    inner = {k.removeprefix("propagation."): v for k, v in weights.items() if "propagation" in k}
    for _ in range(2):
        messages = np.zeros_like(h)
        columns = zip(row["sources"], row["sinks"], row["edges"], strict=True)
        for source, sink, kind in columns:
            reverse_kind = kind + len(EDGE_KINDS)
            messages[sink] += h[source] @ inner["weight"][kind] + inner["bias"][kind]
            messages[source] += (
                h[sink] @ inner["weight"][reverse_kind] + inner["bias"][reverse_kind]
            )
        h = compute_gru(inner, messages, h)
    np.testing.assert_allclose(states.detach().numpy(), h, atol=1e-4)
    joined = np.concatenate([h, h0], 1)
    gate = 1 / (1 + np.exp(-(joined @ weights["gate.weight"].T + weights["gate.bias"])))
    total = (gate * np.tanh(joined @ weights["value.weight"].T + weights["value.bias"])).sum(0)
    normed = (total - total.mean()) / np.sqrt(total.var() + 1e-5)
    np.testing.assert_allclose(vector.detach().numpy()[0], normed, atol=1e-3)


def test_batch_is_a_disjoint_union_of_graphs(tmp_path: Path) -> None:
    """Every message is sent in both directions, stays in its example, and is grouped by kind."""
    model, file = prepare_model(NAMING, tmp_path)
    rows = np.array([3, 0, 7])
    columns = file.take_rows(rows)
    batch = model.collate(columns)
    assert len(next(iter(batch.values()))) == len(rows)
    assert batch["nodes"].tolist() == [len(columns["kinds"][at]) for at in range(3)]
    assert sum(batch["ways"].tolist()) == 2 * len(columns["edges"].values)
    assert len(batch["ways"]) == WAYS
    kinds = np.repeat(np.arange(WAYS), batch["ways"].numpy())
    edges = set(zip(kinds, batch["sources"].tolist(), batch["sinks"].tolist(), strict=True))
    expected = set()
    first_node = 0
    for at in range(3):
        example_edges = (columns[name][at] for name in ("edges", "sources", "sinks"))
        for kind, source, sink in zip(*example_edges, strict=True):
            expected.add((kind, first_node + source, first_node + sink))
            expected.add((kind + len(EDGE_KINDS), first_node + sink, first_node + source))
        first_node += len(columns["kinds"][at])
    assert edges == expected
    assert batch["target"].shape[0] == 3


def test_decoder_sees_only_nodes_of_its_graph(tmp_path: Path) -> None:
    """Oracle: torch's pad_sequence over the states of each graph."""
    model, file = prepare_model(NAMING, tmp_path)
    network = model.build_network().eval()
    batch = model.collate(file.take_rows(np.array([3, 0, 7, 5])))
    dense, mask, _ = network._encode_for_decoder(batch)
    states, _, graph = network.encoder(batch)
    parts = [states[graph == number] for number in range(4)]
    assert torch.equal(dense, torch.nn.utils.rnn.pad_sequence(parts, batch_first=True))
    ones = [torch.ones(len(part), dtype=torch.bool) for part in parts]
    assert torch.equal(mask, torch.nn.utils.rnn.pad_sequence(ones, batch_first=True))


def test_graph_without_edges_or_words_is_supported(tmp_path: Path) -> None:
    """A single name has no edge, and punctuation has no word. A name without a known word has no
    answer."""
    model, _ = prepare_model(NAMING, tmp_path)
    assert model.extract_text_features("qqxzvw") is None
    network = model.build_network().eval()
    name = next(word for word in model.vocabularies["words"].words[2:] if word.isalpha())
    for texts in ([name], ["; ;"], [name, "; ;", "int f() { return 1; }"]):
        rows = [model.encode(model.extract_text_features(text)) for text in texts]
        batch = model.collate(rows_to_columns(rows))
        assert torch.isfinite(network.compute_vectors(batch)).all()
        assert len(network.predict(batch)) == len(texts)


def test_half_precision_is_close_to_full_precision(tmp_path: Path) -> None:
    model, file = prepare_model(NAMING, tmp_path)
    torch.manual_seed(1)
    network = model.build_network().eval()
    batch = model.collate(file.take_rows(np.arange(8)))
    # No LSTM over words: not every processor supports one in half precision.
    full = network.compute_vectors(batch).detach()
    with torch.autocast("cpu", torch.bfloat16):
        half = network.compute_vectors(batch).detach()
    assert half.dtype == torch.float32
    assert 0 < float((full - half).abs().max()) < 0.05


def test_words_keep_their_case_only_if_answers_do() -> None:
    text = "void f(int myXML) { <MASK>(myXML); }"
    for purpose, word in ((NAMING, "xml"), (COMPLETION, "XML"), (OPERATORS, "xml")):
        model, _ = small_networks.make_small("ggnn", purpose)
        features = model.extract_text_features(text)
        assert features is not None
        assert word in features["words"]


def test_masked_operator_is_parsed_as_operator() -> None:
    model, _ = small_networks.make_small("ggnn", OPERATORS)
    features = model.extract_text_features("boolean f() { return (a) <MASK> (b); }")
    assert features is not None
    assert "MASK" in features["kinds"]
    assert "TYPE_CAST" not in features["kinds"]
