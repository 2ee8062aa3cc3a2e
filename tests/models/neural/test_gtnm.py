"""Tests of GTNM: its blocks and weights against independent computations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from codeacumen.api import Method
from codeacumen.models.neural.architecture import BEGIN, SEQUENCE_SPECIALS, Vocabulary
from codeacumen.models.neural.networks.gtnm import (
    GTNM,
    DecoderBlock,
    EncodedContexts,
    GTNMNetwork,
    GTNMSettings,
    compute_invoked_weights,
    make_sinusoids,
)
from codeacumen.models.neural.predict import predict_answers
from codeacumen.models.neural.training.batches import rows_to_columns
from models.neural import small_networks
from models.neural.small_networks import NAMING

TINY = GTNMSettings(
    local=6, project=5, doc=3, size=8, inner=12, blocks=2, heads=2, dropout=0.0, longest=3
)
WORDS = (*SEQUENCE_SPECIALS, "get", "name", "value", "string", "return")


# --------------------------------------------------------------------------------------


def model_of(settings: GTNMSettings = TINY) -> GTNM:
    gtnm = GTNM(settings, NAMING)
    gtnm.labels.vocabulary = Vocabulary(WORDS)
    gtnm.vocabularies["doc"] = Vocabulary(("<pad>", "<unk>", "gives", "the", "name"))
    return gtnm


def network_of(settings: GTNMSettings = TINY) -> GTNMNetwork:
    torch.manual_seed(3)
    network = GTNMNetwork(settings, len(WORDS), 5).eval()
    for weight in network.parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=0.5)
    return network


class FixedContext:
    """A context with one class."""

    def owner(self, method: str) -> Any:
        method_row = {
            "type": "T",
            "name": "getValue",
            "returns": "String",
            "parameters": ["int value"],
        }
        return {
            "header": "class Name",
            "fields": ["String value"],
            "imports": ["a.Value"],
            "doc": "/** Gives the name. */",
            "methods": [method_row],
            "callees": [method_row],
        }


def batch_of(model: GTNM) -> Any:
    texts = ["String METHOD_NAME() { return name; }", "void METHOD_NAME(String value) { get(); }"]
    contexts: list[Any] = [FixedContext(), None]
    rows = []
    for text, context, label in zip(texts, contexts, ("getName", "value"), strict=True):
        features = model.extract_features(Method("m", text), context)
        assert features is not None
        rows.append({**model.encode(features), **(model.encode_target(label, features) or {})})
    return model.collate(rows_to_columns(rows))


def test_features_and_encoding_of_each_context() -> None:
    model = model_of()
    features = model.extract_features(
        Method("m", "String METHOD_NAME() { return value; }"), FixedContext()
    )  # type: ignore[arg-type]
    assert features == {
        "local": ["string", "value"],
        "project": ["string", "get", "value", "int", "value"],
        "invoked": [1, 0, 1, 0, 1],
        "doc": ["gives", "the", "name"],
    }
    numbers = model.encode(features)
    assert numbers["doc"].tolist() == [2, 3, 4]
    string, get, value = (WORDS.index(word) for word in ("string", "get", "value"))
    assert numbers["project"].tolist() == [BEGIN, string, get, value, 1, value]
    assert numbers["invoked"].tolist() == [0, 1, 0, 1, 0, 1]
    assert numbers["local"].tolist() == [string, value]


def test_documentation_and_project_influence_outputs() -> None:
    model, network = model_of(), network_of()
    batch = batch_of(model)
    before = network.compute_vectors(batch)
    loss = network.compute_loss(batch)
    changed = {**batch, "doc": batch["doc"].flip(1)}
    assert not torch.allclose(network.compute_vectors(changed)[0], before[0], atol=1e-3)
    torch.testing.assert_close(network.compute_vectors(changed)[1], before[1])
    changed = {**batch, "invoked": 1 - batch["invoked"]}
    torch.testing.assert_close(network.compute_vectors(changed), before)
    assert abs((network.compute_loss(changed) - loss).item()) > 1e-4


def test_padding_does_not_change_outputs() -> None:
    model, network = model_of(), network_of()
    batch = batch_of(model)
    assert batch["project_size"].tolist() == [6, 1]
    assert batch["doc_size"].tolist() == [3, 0]
    before = network.compute_vectors(batch), network.compute_loss(batch), network.predict(batch)
    wide = dict(batch)
    for name in ("local", "project", "invoked", "doc"):
        wide[name] = nn.functional.pad(batch[name], (0, 1), value=1)
        for row, size in enumerate(batch[f"{name}_size"].tolist()):
            wide[name][row, size:] = 1
    torch.testing.assert_close(network.compute_vectors(wide), before[0])
    torch.testing.assert_close(network.compute_loss(wide), before[1])
    assert network.predict(wide) == before[2]


def test_decoder_is_causal() -> None:
    network = network_of()
    encoded = network.encode_batch(batch_of(model_of()))
    before = torch.tensor([[BEGIN, 4, 5], [BEGIN, 6, 7]])
    after = torch.tensor([[BEGIN, 4, 8], [BEGIN, 6, 4]])
    first, second = network.score_pieces(before, encoded), network.score_pieces(after, encoded)
    torch.testing.assert_close(first[:, :2], second[:, :2])
    assert not torch.allclose(first[:, 2], second[:, 2], atol=1e-3)


def test_block_without_project_equals_that_of_torch() -> None:
    """Oracle: ``nn.TransformerDecoderLayer``. If the project adds nothing, the second norm changes
    nothing."""
    torch.manual_seed(0)
    ours = DecoderBlock(TINY).eval()
    theirs = nn.TransformerDecoderLayer(8, 2, 12, 0.0, batch_first=True).eval()
    for attention in (ours.own, ours.all):
        nn.init.normal_(attention.in_proj_bias)
    nn.init.zeros_(ours.project.out_proj.weight)
    theirs.self_attn.load_state_dict(ours.own.state_dict())
    theirs.multihead_attn.load_state_dict(ours.all.state_dict())
    theirs.linear1.load_state_dict(ours.inner.state_dict())
    theirs.linear2.load_state_dict(ours.outer.state_dict())
    pieces, states, project = torch.randn(3, 4, 8), torch.randn(3, 5, 8), torch.randn(3, 2, 8)
    mask = torch.arange(5) < torch.tensor([[5], [2], [1]])
    later = torch.ones(4, 4, dtype=torch.bool).triu(1)
    encoded = EncodedContexts(states, mask, project, torch.ones(3, 2, dtype=torch.bool))
    expected = theirs(pieces, states, tgt_mask=later, memory_key_padding_mask=~mask)
    torch.testing.assert_close(ours(pieces, encoded, later), expected, rtol=1e-4, atol=1e-4)
    nn.init.normal_(ours.project.out_proj.weight)
    assert not torch.allclose(ours(pieces, encoded, later), expected, atol=1e-2)


def test_invoked_words_weigh_more() -> None:
    """Oracle: the softmax computed by hand over the unmasked words."""
    invoked = torch.tensor([[0, 1, 1, 0], [0, 1, 0, 0]])
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    weights = compute_invoked_weights(invoked, mask)
    exponentials = np.exp([1, 2, 2, 1])
    np.testing.assert_allclose(weights[0], 4 * exponentials / exponentials.sum(), rtol=1e-6)
    np.testing.assert_allclose(weights[1, :2], 2 * np.exp([1, 2]) / np.exp([1, 2]).sum(), rtol=1e-6)
    assert weights[1, 2:].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(weights.sum(1), [4, 2], rtol=1e-6)


def test_greedy_answers_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    """A wider beam is tested with all other networks."""
    model, _, taught, examples = small_networks.train_small(
        "gtnm", NAMING, tmp_path, most=24, training={"epochs": 2}, beam=1
    )
    features = [model.extract_features(example.input) for example in examples]
    batch_answers = predict_answers(model, taught.network, features, batch_size=len(features))
    assert predict_answers(model, taught.network, features, batch_size=1) == batch_answers


def test_positions_equal_equation() -> None:
    encodings = make_sinusoids(7, 6)
    for position in range(7):
        for pair in range(3):
            angle = position / 10_000 ** (2 * pair / 6)
            assert encodings[position, 2 * pair].item() == pytest.approx(np.sin(angle), abs=1e-6)
            assert encodings[position, 2 * pair + 1].item() == pytest.approx(
                np.cos(angle), abs=1e-6
            )
