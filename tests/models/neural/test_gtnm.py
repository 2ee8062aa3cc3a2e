"""GTNM: its blocks and weights, computed in other ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from codeacumen.api import Method
from codeacumen.models.neural.answering import answers
from codeacumen.models.neural.architecture import BEGIN, SPOKEN, Vocabulary
from codeacumen.models.neural.networks.gtnm import (
    GTNM,
    DecoderBlock,
    GTNMNetwork,
    Read,
    Settings,
    invoked_weights,
    sinusoids,
)
from codeacumen.models.neural.training.batches import ragged
from models.neural import checks
from models.neural.checks import NAMING

TINY = Settings(
    local=6, project=5, doc=3, size=8, inner=12, blocks=2, heads=2, dropout=0.0, longest=3
)
WORDS = (*SPOKEN, "get", "name", "value", "string", "return")


# --------------------------------------------------------------------------------------


def model_of(settings: Settings = TINY) -> GTNM:
    made = GTNM(settings, NAMING)
    made.labels.vocabulary = Vocabulary(WORDS)
    made.vocabularies["doc"] = Vocabulary(("<pad>", "<unk>", "gives", "the", "name"))
    return made


def network_of(settings: Settings = TINY) -> GTNMNetwork:
    torch.manual_seed(3)
    made = GTNMNetwork(settings, len(WORDS), 5).eval()
    for weight in made.parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=0.5)
    return made


class Around:
    """A context that tells of one class."""

    def owner(self, method: str) -> Any:
        told = {"type": "T", "name": "getValue", "returns": "String", "parameters": ["int value"]}
        return {
            "header": "class Name",
            "fields": ["String value"],
            "imports": ["a.Value"],
            "doc": "/** Gives the name. */",
            "methods": [told],
            "callees": [told],
        }


def batch_of(model: GTNM) -> Any:
    texts = ["String METHOD_NAME() { return name; }", "void METHOD_NAME(String value) { get(); }"]
    contexts: list[Any] = [Around(), None]
    rows = []
    for text, context, label in zip(texts, contexts, ("getName", "value"), strict=True):
        features = model.read(Method("m", text), context)
        assert features is not None
        rows.append({**model.encode(features), **(model.target(label, features) or {})})
    return model.collate(ragged(rows))


def test_each_context_is_fed_where_it_belongs() -> None:
    model = model_of()
    features = model.read(Method("m", "String METHOD_NAME() { return value; }"), Around())  # type: ignore[arg-type]
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


def test_the_documentation_is_read_and_so_is_the_project() -> None:
    model, network = model_of(), network_of()
    batch = batch_of(model)
    before = network.vector(batch)
    loss = network.loss(batch)
    changed = {**batch, "doc": batch["doc"].flip(1)}
    assert not torch.allclose(network.vector(changed)[0], before[0], atol=1e-3)
    torch.testing.assert_close(network.vector(changed)[1], before[1])
    changed = {**batch, "invoked": 1 - batch["invoked"]}
    torch.testing.assert_close(network.vector(changed), before)
    assert abs((network.loss(changed) - loss).item()) > 1e-4


def test_padding_is_not_looked_at() -> None:
    model, network = model_of(), network_of()
    batch = batch_of(model)
    assert batch["project_size"].tolist() == [6, 1]
    assert batch["doc_size"].tolist() == [3, 0]
    before = network.vector(batch), network.loss(batch), network.predict(batch)
    wide = dict(batch)
    for name in ("local", "project", "invoked", "doc"):
        wide[name] = nn.functional.pad(batch[name], (0, 1), value=1)
        for row, size in enumerate(batch[f"{name}_size"].tolist()):
            wide[name][row, size:] = 1
    torch.testing.assert_close(network.vector(wide), before[0])
    torch.testing.assert_close(network.loss(wide), before[1])
    assert network.predict(wide) == before[2]


def test_no_piece_sees_a_later_one() -> None:
    network = network_of()
    read = network.encoded(batch_of(model_of()))
    before = torch.tensor([[BEGIN, 4, 5], [BEGIN, 6, 7]])
    after = torch.tensor([[BEGIN, 4, 8], [BEGIN, 6, 4]])
    first, second = network.said(before, read), network.said(after, read)
    torch.testing.assert_close(first[:, :2], second[:, :2])
    assert not torch.allclose(first[:, 2], second[:, 2], atol=1e-3)


def test_a_block_that_sees_no_project_is_that_of_torch() -> None:
    """Oracle: ``nn.TransformerDecoderLayer``. With nothing added, a second norm changes nothing."""
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
    said, states, project = torch.randn(3, 4, 8), torch.randn(3, 5, 8), torch.randn(3, 2, 8)
    mask = torch.arange(5) < torch.tensor([[5], [2], [1]])
    later = torch.ones(4, 4, dtype=torch.bool).triu(1)
    read = Read(states, mask, project, torch.ones(3, 2, dtype=torch.bool))
    wanted = theirs(said, states, tgt_mask=later, memory_key_padding_mask=~mask)
    torch.testing.assert_close(ours(said, read, later), wanted, rtol=1e-4, atol=1e-4)
    nn.init.normal_(ours.project.out_proj.weight)
    assert not torch.allclose(ours(said, read, later), wanted, atol=1e-2)


def test_what_is_invoked_weighs_more() -> None:
    """Oracle: the softmax by hand, over what is there."""
    invoked = torch.tensor([[0, 1, 1, 0], [0, 1, 0, 0]])
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    found = invoked_weights(invoked, mask)
    whole = np.exp([1, 2, 2, 1])
    np.testing.assert_allclose(found[0], 4 * whole / whole.sum(), rtol=1e-6)
    np.testing.assert_allclose(found[1, :2], 2 * np.exp([1, 2]) / np.exp([1, 2]).sum(), rtol=1e-6)
    assert found[1, 2:].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.sum(1), [4, 2], rtol=1e-6)


def test_a_search_of_width_one_is_independent_of_the_batch(tmp_path: Path) -> None:
    """A wider search is tested with all other networks."""
    model, _, taught, examples = checks.train(
        "gtnm", NAMING, tmp_path, most=24, training={"epochs": 2}, beam=1
    )
    features = [model.read(example.input) for example in examples]
    together = answers(model, taught.network, features, batch=len(features))
    assert answers(model, taught.network, features, batch=1) == together


def test_positions_are_those_of_the_equation() -> None:
    found = sinusoids(7, 6)
    for place in range(7):
        for pair in range(3):
            angle = place / 10_000 ** (2 * pair / 6)
            assert found[place, 2 * pair].item() == pytest.approx(np.sin(angle), abs=1e-6)
            assert found[place, 2 * pair + 1].item() == pytest.approx(np.cos(angle), abs=1e-6)
