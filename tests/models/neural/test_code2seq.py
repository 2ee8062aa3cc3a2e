"""Tests of code2seq: its encoder against torch's BiLSTM and numpy, and the content of a batch."""

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
from codeacumen.models.neural.architecture import BEGIN, END, PAD, Features
from codeacumen.models.neural.networks.code2seq import Code2Seq
from codeacumen.models.neural.predict import compute_vectors
from codeacumen.models.neural.training.batches import rows_to_columns
from models.neural import small_networks

NAMING = small_networks.NAMING
TEXTS = (
    "int METHOD_NAME(Cart c) { int sum = 0; for (Item i : c) sum += i.unitPrice; return sum; }",
    "void METHOD_NAME(String firstName) { this.firstName = firstName; }",
    "boolean METHOD_NAME() { return size == 0; }",
)
NAMES = ("totalPrice", "setFirstName", "isEmpty")


def read_features(model: Code2Seq, text: str) -> Features:
    features = model.extract_features(Method("", text))
    assert features is not None
    return features


def make_model(**settings: Any) -> Code2Seq:
    """Return a model that has learned the words of a few methods."""
    model, _ = small_networks.make_small("code2seq", NAMING, **settings)
    assert isinstance(model, Code2Seq)
    counts: dict[str, Counter[str]] = {}
    for text, name in zip(TEXTS, NAMES, strict=True):
        for vocabulary, words in model.iter_words(read_features(model, text)):
            counts.setdefault(vocabulary, Counter()).update(words)
        counts.setdefault("labels", Counter()).update(model.labels.split_label(name))
    model.learn_vocabularies(counts)
    return model


def network_of(model: Code2Seq) -> Any:
    torch.manual_seed(5)
    network: Any = model.build_network()
    return network.eval()


def batch_of(model: Code2Seq, draw: np.random.Generator | None = None) -> dict[str, torch.Tensor]:
    rows = []
    for text, name in zip(TEXTS, NAMES, strict=True):
        target = model.encode_target(name, read_features(model, text))
        assert target is not None
        rows.append({**model.encode(read_features(model, text)), **target})
    return model.collate(rows_to_columns(rows), draw)


def split_lists(values: Any, sizes: Any) -> list[tuple[Any, ...]]:
    ends = np.cumsum([0, *sizes]).tolist()
    return [tuple(values[start:end]) for start, end in pairwise(ends)]


def decode_contexts(features: Features) -> list[tuple[Any, ...]]:
    """Return the contexts in words."""
    leaves = split_lists(features["parts"], features["parts_of"])
    paths = split_lists(features["nodes"], features["nodes_of"])
    columns = (features["left"], features["path"], features["right"])
    return [
        (leaves[int(left)], paths[int(path)], leaves[int(right)])
        for left, path, right in zip(*columns, strict=True)
    ]


def decode_batch(
    model: Code2Seq, batch: dict[str, torch.Tensor], row: int
) -> list[tuple[Any, ...]]:
    """Return the contexts in words, decoded from the tensors of a batch."""
    leaves = [
        tuple(model.vocabularies["subtokens"].words[code] for code in row_codes[:size])
        for row_codes, size in zip(
            batch["parts"].tolist(), batch["parts_size"].tolist(), strict=True
        )
    ]
    paths = [
        tuple(model.vocabularies["nodes"].words[code] for code in row_codes[:size])
        for row_codes, size in zip(
            batch["nodes"].tolist(), batch["nodes_size"].tolist(), strict=True
        )
    ]
    size = int(batch["path_size"][row])
    ends = (batch[name][row, :size].tolist() for name in ("left", "path", "right"))
    return [
        (leaves[left], paths[path], leaves[right]) for left, path, right in zip(*ends, strict=True)
    ]


# ---------------------------------------------------------------- content of a batch


def test_batch_holds_contexts_that_were_read() -> None:
    model = make_model(contexts=200, keep=1000)
    batch = batch_of(model)
    for row, text in enumerate(TEXTS):
        assert decode_batch(model, batch, row) == decode_contexts(read_features(model, text))
    # No row occurs twice.
    for name in ("parts", "nodes"):
        rows = [tuple(unique_row) for unique_row in batch[name].tolist()]
        assert len(set(rows)) == len(rows)


def test_contexts_are_sampled_only_in_training() -> None:
    model = make_model(contexts=5, keep=1000)
    all_contexts = [decode_contexts(read_features(model, text)) for text in TEXTS]
    first = [decode_batch(model, batch_of(model), row) for row in range(3)]
    assert first == [contexts[:5] for contexts in all_contexts]
    rng = np.random.default_rng(0)
    counts: Counter[Any] = Counter()
    for _ in range(40):
        batch = batch_of(model, rng)
        for row in range(3):
            sampled = decode_batch(model, batch, row)
            assert len(sampled) == 5
            assert not Counter(sampled) - Counter(all_contexts[row])
        counts.update(decode_batch(model, batch, 1))
    assert set(counts) == set(all_contexts[1])


def test_subtokens_count_once_per_context() -> None:
    model = make_model()
    features = read_features(model, TEXTS[1])
    counts = Counter(
        word for name, words in model.iter_words(features) if name == "subtokens" for word in words
    )
    expected = Counter(
        part for left, _, right in decode_contexts(features) for part in (*left, *right)
    )
    assert counts == expected
    assert counts["first"] > 1


def test_long_names_are_truncated() -> None:
    model = make_model(parts=2)
    text = "void METHOD_NAME() { use(aVeryLongNameIndeed, b); }"
    leaves = split_lists(
        read_features(model, text)["parts"], read_features(model, text)["parts_of"]
    )
    assert ("a", "very") in leaves
    assert max(map(len, leaves)) == 2


# ---------------------------------------------------------------- the equations


def test_paths_are_encoded_like_by_bidirectional_lstm() -> None:
    """Oracle: torch's packed LSTM with the same weights, and one path at a time."""
    model = make_model()
    network, batch = network_of(model), batch_of(model)
    settings = model.settings
    oracle = nn.LSTM(settings.embedding, settings.state, bidirectional=True, batch_first=True)
    state = dict(network.forwards.state_dict().items())
    state |= {f"{k}_reverse": v for k, v in network.backwards.state_dict().items()}
    oracle.load_state_dict(state)
    sizes = batch["nodes_size"]
    assert len(set(sizes.tolist())) > 2
    with torch.inference_mode():
        encoded_paths = network.embed_paths(batch)
        packed = pack_padded_sequence(
            network.nodes(batch["nodes"]), sizes, batch_first=True, enforce_sorted=False
        )
        final_states = oracle(packed)[1][0]
        torch.testing.assert_close(
            encoded_paths, torch.cat([final_states[0], final_states[1]], 1), atol=1e-6, rtol=1e-5
        )
        for row in (0, 1, 2):
            alone = oracle(network.nodes(batch["nodes"][row : row + 1, : sizes[row]]))[1][0]
            torch.testing.assert_close(encoded_paths[row], alone.flatten(), atol=1e-6, rtol=1e-5)


def test_contexts_by_hand() -> None:
    """Oracle: sums of parts, tanh of the concatenation, and the mean, in numpy from words."""
    model = make_model(contexts=200, keep=1000)
    network, batch = network_of(model), batch_of(model)
    with torch.inference_mode():
        states, mask, mean = network.embed_contexts(batch)
        paths = network.embed_paths(batch).double().numpy()
    tables = {
        name: getattr(network, name).weight.detach().double().numpy()
        for name in ("subtokens", "dense")
    }
    vocabulary = model.vocabularies["subtokens"]
    for row, text in enumerate(TEXTS):
        contexts = decode_contexts(read_features(model, text))
        ends = [
            [
                np.sum([tables["subtokens"][vocabulary.encode_word(part)] for part in end], axis=0)
                for end in (left, right)
            ]
            for left, _, right in contexts
        ]
        joined = [
            np.concatenate([left, paths[int(path)], right])
            for (left, right), path in zip(ends, batch["path"][row], strict=False)
        ]
        expected = np.tanh(np.array(joined) @ tables["dense"].T)
        assert int(mask[row].sum()) == len(expected)
        np.testing.assert_allclose(states[row, : len(expected)], expected, atol=1e-5)
        np.testing.assert_allclose(mean[row], expected.mean(0), atol=1e-5)


def test_loss_is_summed_over_pieces_of_a_name() -> None:
    """Oracle: piece by piece, one example at a time, from the decoder's own scores."""
    model = make_model()
    network, batch = network_of(model), batch_of(model)
    with torch.inference_mode():
        states, mask, mean = network.embed_contexts(batch)
        total = 0.0
        for row in range(3):
            pieces = [n for n in batch["target"][row].tolist() if n != PAD]
            assert pieces[-1] == END
            previous = torch.tensor([[BEGIN, *pieces[:-1]]])
            single_row = slice(row, row + 1)
            scores, _ = network.decoder._score_pieces(
                previous, states[single_row], mask[single_row], mean[single_row]
            )
            total += float(functional.cross_entropy(scores[0], torch.tensor(pieces)) * len(pieces))
        assert float(network.compute_loss(batch)) == pytest.approx(total / 3, rel=1e-5)


def test_padding_does_not_change_outputs() -> None:
    model = make_model(contexts=200, keep=1000)
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
        assert torch.equal(network.compute_vectors(batch), network.compute_vectors(other))
        assert float(network.compute_loss(batch)) == float(network.compute_loss(other))
        assert network.predict(batch) == network.predict(other)


def test_dropout_is_where_the_paper_has_it() -> None:
    """Dropout is applied to contexts and to outputs, and not to previous words."""
    network = network_of(make_model())
    assert network.decoder.dropout.p == 0
    assert network.dropout.p > 0
    dropout, output_layer = network.decoder.out
    assert dropout.p > 0
    assert output_layer.bias is None


# ---------------------------------------------------------------- identifiers


def test_identifier_vector_is_sum_of_its_parts() -> None:
    model = make_model()
    network = network_of(model)
    items = ["unitPrice", "firstName", TEXTS[0], "unknownWords", "price"]
    rows = compute_vectors(
        model, network, [model.extract_text_features(item) for item in items], batch_size=len(items)
    )
    assert rows[3] is None
    unit, first, method, _, price = (np.array(row or [0.0]) for row in rows)
    assert len(unit) == len(method)
    table = network.subtokens.weight.detach().numpy()
    number = model.vocabularies["subtokens"].encode_word
    np.testing.assert_allclose(
        unit[: table.shape[1]], table[number("unit")] + table[number("price")], atol=1e-6
    )
    np.testing.assert_allclose(price[: table.shape[1]], table[number("price")], atol=1e-6)
    assert not unit[table.shape[1] :].any()
    alone = compute_vectors(model, network, [model.extract_text_features("firstName")])[0]
    assert alone == pytest.approx(first.tolist())
    method_alone = compute_vectors(model, network, [model.extract_text_features(TEXTS[0])])[0]
    assert method_alone == pytest.approx(method.tolist(), abs=1e-5)
