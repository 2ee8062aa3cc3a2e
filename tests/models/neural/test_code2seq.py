"""code2seq: its encoder against torch's own BiLSTM and numpy, and what a batch is made of."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from codeacumen.api import Method
from codeacumen.models.neural.answering import vectors
from codeacumen.models.neural.architecture import BEGIN, END, PAD, Features
from codeacumen.models.neural.networks.code2seq import Code2Seq
from codeacumen.models.neural.training.batches import ragged
from models.neural import checks

NAMING = checks.NAMING
TEXTS = (
    "int METHOD_NAME(Cart c) { int sum = 0; for (Item i : c) sum += i.unitPrice; return sum; }",
    "void METHOD_NAME(String firstName) { this.firstName = firstName; }",
    "boolean METHOD_NAME() { return size == 0; }",
)
NAMES = ("totalPrice", "setFirstName", "isEmpty")


def read(model: Code2Seq, text: str) -> Features:
    features = model.read(Method("", text))
    assert features is not None
    return features


def knowing(**settings: Any) -> Code2Seq:
    """A model that has learned the words of a few methods."""
    model, _ = checks.made("code2seq", NAMING, **settings)
    assert isinstance(model, Code2Seq)
    counts: dict[str, Counter[str]] = {}
    for text, name in zip(TEXTS, NAMES, strict=True):
        for vocabulary, words in model.words(read(model, text)):
            counts.setdefault(vocabulary, Counter()).update(words)
        counts.setdefault("labels", Counter()).update(model.labels.words(name))
    model.learn_vocabularies(counts)
    return model


def network_of(model: Code2Seq) -> Any:
    torch.manual_seed(5)
    network: Any = model.network()
    return network.eval()


def batch_of(model: Code2Seq, draw: np.random.Generator | None = None) -> dict[str, torch.Tensor]:
    rows = []
    for text, name in zip(TEXTS, NAMES, strict=True):
        target = model.target(name, read(model, text))
        assert target is not None
        rows.append({**model.encode(read(model, text)), **target})
    return model.collate(ragged(rows), draw)


def lists(values: Any, sizes: Any) -> list[tuple[Any, ...]]:
    ends = np.cumsum([0, *sizes]).tolist()
    return [tuple(values[a:b]) for a, b in pairwise(ends)]


def told(features: Features) -> list[tuple[Any, ...]]:
    """Contexts in words."""
    leaves = lists(features["parts"], features["parts_of"])
    paths = lists(features["nodes"], features["nodes_of"])
    columns = (features["left"], features["path"], features["right"])
    return [
        (leaves[int(a)], paths[int(p)], leaves[int(b)]) for a, p, b in zip(*columns, strict=True)
    ]


def in_batch(model: Code2Seq, batch: dict[str, torch.Tensor], row: int) -> list[tuple[Any, ...]]:
    """The same, back from the tensors of a batch."""
    leaves = [
        tuple(model.vocabularies["subtokens"].words[n] for n in some[:size])
        for some, size in zip(batch["parts"].tolist(), batch["parts_size"].tolist(), strict=True)
    ]
    paths = [
        tuple(model.vocabularies["nodes"].words[n] for n in some[:size])
        for some, size in zip(batch["nodes"].tolist(), batch["nodes_size"].tolist(), strict=True)
    ]
    size = int(batch["path_size"][row])
    ends = (batch[name][row, :size].tolist() for name in ("left", "path", "right"))
    return [(leaves[a], paths[p], leaves[b]) for a, p, b in zip(*ends, strict=True)]


# ---------------------------------------------------------------- what a batch is made of


def test_a_batch_says_what_was_read() -> None:
    model = knowing(contexts=200, keep=1000)
    batch = batch_of(model)
    for row, text in enumerate(TEXTS):
        assert in_batch(model, batch, row) == told(read(model, text))
    # And nothing twice.
    for name in ("parts", "nodes"):
        rows = [tuple(one) for one in batch[name].tolist()]
        assert len(set(rows)) == len(rows)


def test_contexts_are_drawn_in_training_alone() -> None:
    model = knowing(contexts=5, keep=1000)
    all_of = [told(read(model, text)) for text in TEXTS]
    first = [in_batch(model, batch_of(model), row) for row in range(3)]
    assert first == [some[:5] for some in all_of]
    draw = np.random.default_rng(0)
    seen: Counter[Any] = Counter()
    for _ in range(40):
        batch = batch_of(model, draw)
        for row in range(3):
            mine = in_batch(model, batch, row)
            assert len(mine) == 5
            assert not Counter(mine) - Counter(all_of[row])
        seen.update(in_batch(model, batch, 1))
    assert set(seen) == set(all_of[1])


def test_subtokens_count_as_often_as_contexts_have_them() -> None:
    model = knowing()
    features = read(model, TEXTS[1])
    counts = Counter(
        word for name, words in model.words(features) if name == "subtokens" for word in words
    )
    wanted = Counter(part for left, _, right in told(features) for part in (*left, *right))
    assert counts == wanted
    assert counts["first"] > 1


def test_long_names_are_cut() -> None:
    model = knowing(parts=2)
    text = "void METHOD_NAME() { use(aVeryLongNameIndeed, b); }"
    leaves = lists(read(model, text)["parts"], read(model, text)["parts_of"])
    assert ("a", "very") in leaves
    assert max(map(len, leaves)) == 2


# ---------------------------------------------------------------- the equations


def test_paths_are_read_as_by_a_bidirectional_lstm() -> None:
    """Torch's own, packed, with the same weights; and one path at a time."""
    model = knowing()
    network, batch = network_of(model), batch_of(model)
    settings = model.settings
    both = nn.LSTM(settings.embedding, settings.state, bidirectional=True, batch_first=True)
    state = dict(network.forwards.state_dict().items())
    state |= {f"{k}_reverse": v for k, v in network.backwards.state_dict().items()}
    both.load_state_dict(state)
    sizes = batch["nodes_size"]
    assert len(set(sizes.tolist())) > 2
    with torch.inference_mode():
        found = network.paths(batch)
        packed = pack_padded_sequence(
            network.nodes(batch["nodes"]), sizes, batch_first=True, enforce_sorted=False
        )
        last = both(packed)[1][0]
        torch.testing.assert_close(found, torch.cat([last[0], last[1]], 1), atol=1e-6, rtol=1e-5)
        for row in (0, 1, 2):
            alone = both(network.nodes(batch["nodes"][row : row + 1, : sizes[row]]))[1][0]
            torch.testing.assert_close(found[row], alone.flatten(), atol=1e-6, rtol=1e-5)


def test_contexts_by_hand() -> None:
    """Sums of parts, tanh of what is joined, the mean: in numpy, from words."""
    model = knowing(contexts=200, keep=1000)
    network, batch = network_of(model), batch_of(model)
    with torch.inference_mode():
        states, mask, mean = network.contexts(batch)
        paths = network.paths(batch).double().numpy()
    tables = {
        name: getattr(network, name).weight.detach().double().numpy()
        for name in ("subtokens", "dense")
    }
    known = model.vocabularies["subtokens"]
    for row, text in enumerate(TEXTS):
        contexts = told(read(model, text))
        ends = [
            [
                np.sum([tables["subtokens"][known.number(part)] for part in end], axis=0)
                for end in (left, right)
            ]
            for left, _, right in contexts
        ]
        joined = [
            np.concatenate([left, paths[int(path)], right])
            for (left, right), path in zip(ends, batch["path"][row], strict=False)
        ]
        wanted = np.tanh(np.array(joined) @ tables["dense"].T)
        assert int(mask[row].sum()) == len(wanted)
        np.testing.assert_allclose(states[row, : len(wanted)], wanted, atol=1e-5)
        np.testing.assert_allclose(mean[row], wanted.mean(0), atol=1e-5)


def test_the_loss_is_summed_over_a_name() -> None:
    """Piece by piece, one example at a time, through the decoder's own scores."""
    model = knowing()
    network, batch = network_of(model), batch_of(model)
    with torch.inference_mode():
        states, mask, mean = network.contexts(batch)
        total = 0.0
        for row in range(3):
            pieces = [n for n in batch["target"][row].tolist() if n != PAD]
            assert pieces[-1] == END
            before = torch.tensor([[BEGIN, *pieces[:-1]]])
            one = slice(row, row + 1)
            scores, _ = network.decoder._said(before, states[one], mask[one], mean[one])
            total += float(functional.cross_entropy(scores[0], torch.tensor(pieces)) * len(pieces))
        assert float(network.loss(batch)) == pytest.approx(total / 3, rel=1e-5)


def test_what_stands_in_the_padding_does_not_matter() -> None:
    model = knowing(contexts=200, keep=1000)
    network, batch = network_of(model), batch_of(model)
    other = {name: tensor.clone() for name, tensor in batch.items()}
    for names, size in (
        (("left", "path", "right"), "path_size"),
        (("parts",), "parts_size"),
        (("nodes",), "nodes_size"),
    ):
        for name in names:
            outside = torch.arange(other[name].shape[1]) >= other[size][:, None]
            assert outside.any()
            other[name][outside] = 2
    with torch.inference_mode():
        assert torch.equal(network.vector(batch), network.vector(other))
        assert float(network.loss(batch)) == float(network.loss(other))
        assert network.predict(batch) == network.predict(other)


def test_dropout_is_where_it_was_published() -> None:
    """On contexts and on what is said; words said before are read whole."""
    network = network_of(knowing())
    assert network.decoder.dropout.p == 0
    assert network.dropout.p > 0
    dropout, said = network.decoder.out
    assert dropout.p > 0
    assert said.bias is None


# ---------------------------------------------------------------- identifiers


def test_identifiers_are_as_near_as_their_parts() -> None:
    model = knowing()
    network = network_of(model)
    items = ["unitPrice", "firstName", TEXTS[0], "unknownWords", "price"]
    rows = vectors(model, network, [model.read_text(one) for one in items], batch=len(items))
    assert rows[3] is None
    unit, first, method, _, price = (np.array(row or [0.0]) for row in rows)
    assert len(unit) == len(method)
    table = network.subtokens.weight.detach().numpy()
    number = model.vocabularies["subtokens"].number
    np.testing.assert_allclose(
        unit[: table.shape[1]], table[number("unit")] + table[number("price")], atol=1e-6
    )
    np.testing.assert_allclose(price[: table.shape[1]], table[number("price")], atol=1e-6)
    assert not unit[table.shape[1] :].any()
    alone = vectors(model, network, [model.read_text("firstName")])[0]
    assert alone == pytest.approx(first.tolist())
    beside = vectors(model, network, [model.read_text(TEXTS[0])])[0]
    assert beside == pytest.approx(method.tolist(), abs=1e-5)
