"""Tests of codeacumen-base: how it answers each task.

Examples are methods of the example projects, with questions of all five kinds about them; npath
bins come from ``codeacumen.languages.java.measures.npath``, which is tested against published
counts elsewhere. Distributions and the pointer are computed again with numpy from the layers'
outputs.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from codeacumen.api import Method, Prompt, Question
from codeacumen.languages.java.measures.npath import BINS
from codeacumen.models.neural.inputs.codeacumen_base import (
    QuestionKind,
    extract_features,
    split_token,
)
from codeacumen.models.neural.networks.codeacumen_base import Base
from codeacumen.models.neural.training.batches import rows_to_columns
from codeacumen.models.neural.training.encoded_file import EncodedFile
from models.neural.base_questions import FixedContext, make_mixed_examples, small

__all__ = ["small"]


# -------------------------------------------------------------------------------- the layers


def test_name_probabilities_mix_vocabulary_and_copying(small: tuple[Base, EncodedFile]) -> None:
    """The mixture is computed again in numpy from the decoder's own layers."""
    model, file = small
    torch.manual_seed(0)
    network: Any = model.build_network()
    network.eval()
    name_rows = [
        position
        for position in range(len(file))
        if file.read_column("asks")[position] == QuestionKind.NAME
    ][:4]
    batch = model.collate(file.take_rows(np.array(name_rows)))
    with torch.inference_mode():
        encoded = network.encode_batch(batch)
        place = network.select_question_states(encoded)
        previous = batch["target"][:, :-1]
        table = network.encoder.parts.weight
        probabilities = network.decoder(table, place, previous, encoded).numpy()
        decoder_outputs: list[torch.Tensor] = []
        handle = network.decoder.layers.register_forward_hook(
            lambda _, __, out: decoder_outputs.append(out)
        )
        network.decoder(table, place, previous, encoded)
        handle.remove()
        decoder_states = decoder_outputs[0].double().numpy()
    np.testing.assert_allclose(probabilities.sum(2), 1.0, rtol=1e-4)

    def apply_linear(layer: nn.Linear, values: Any) -> Any:
        return (
            values @ layer.weight.detach().double().numpy().T + layer.bias.detach().double().numpy()
        )

    words = table.detach().double().numpy()
    vocabulary_probabilities = compute_softmax(
        decoder_states @ words.T + network.decoder.bias.detach().double().numpy()
    )
    query, states = (
        apply_linear(network.decoder.query, decoder_states),
        encoded.states.double().numpy(),
    )
    scores = (
        query
        @ apply_linear(network.decoder.key, states).transpose(0, 2, 1)
        / decoder_states.shape[2] ** 0.5
    )
    scores[~np.repeat(encoded.mask.numpy()[:, None], scores.shape[1], 1)] = -np.inf
    copy_probabilities = compute_softmax(scores)
    gate = 1 / (1 + np.exp(-apply_linear(network.decoder.gate, decoder_states)))
    expected = gate * vocabulary_probabilities
    parts = encoded.parts.numpy()
    for row in range(len(parts)):
        for position in range(parts.shape[1]):
            expected[row, :, parts[row, position]] += (1 - gate[row, :, 0]) * copy_probabilities[
                row, :, position
            ]
    np.testing.assert_allclose(probabilities, expected, rtol=1e-3, atol=1e-6)


def compute_softmax(scores: Any) -> Any:
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def test_pointer_is_limited_to_names_of_the_method(small: tuple[Base, EncodedFile]) -> None:
    model, file = small
    network: Any = model.build_network()
    batch = model.collate(file.take_rows(np.arange(12)))
    with torch.inference_mode():
        probabilities, names = network.point_to_names(batch, network.encode_batch(batch))
    np.testing.assert_allclose(probabilities.sum(1).numpy(), 1.0, rtol=1e-4)
    is_allowed = ((batch["segment"] == 1) & (batch["first"] == 1) & (batch["name"] > 0)).numpy()
    is_allowed[:, 0] = True
    assert (probabilities.numpy()[~is_allowed] == 0).all()
    assert (names.numpy()[~is_allowed] == -1).all()
    assert (names.numpy()[:, 0] == 0).all()


def test_equal_names_have_relation_bias(small: tuple[Base, EncodedFile]) -> None:
    """The bias is the sum of the relations; each counts for itself, for each head."""
    model, _ = small
    network: Any = model.build_network()
    network.encoder.relate.data[0] = 3.0
    method_features = extract_features(
        Method("", "int METHOD_NAME(int a, int b) { return a + b + a; }"), None
    )
    assert method_features is not None
    batch = model.collate(rows_to_columns([model.encode(method_features)]))
    size = int(batch["sizes"][0])
    bias = network.encoder.compute_bias(batch, torch.float32)[0, 0].detach().numpy()
    # Padding is masked.
    assert (bias[:, size:] < -1000).all()
    bias, name = bias[:size, :size], batch["name"][0, :size].numpy()
    is_same_name = (name[:, None] == name[None]) & (name[None] != 0)
    assert is_same_name.sum() > len(name[name != 0])
    assert (bias[is_same_name] == 3.0).all()
    assert (bias[~is_same_name] == 0.0).all()


def test_candidate_can_be_predicted(small: tuple[Base, EncodedFile]) -> None:
    model, _ = small
    question = Prompt("int f(List a) { return a.<MASK>(); }", "m")
    question_features = extract_features(question, FixedContext())  # type: ignore[arg-type]
    assert question_features is not None
    assert question_features["candidates"] == ["add", "isEmpty"]
    target = model.encode_target("isEmpty", question_features)
    assert target is not None
    assert target["chosen"].tolist() == [1]
    network: Any = model.build_network()
    network.eval()
    network.offers.bias.data[:] = 20.0
    with torch.inference_mode():
        batch = model.collate(rows_to_columns([model.encode(question_features)]))
        answer = model.decode_answer(network.predict(batch)[0])
        _, candidate_scores = network.score_candidates(
            batch, network.select_question_states(network.encode_batch(batch))
        )
    assert answer == ["add", "isEmpty"][int(candidate_scores[0].argmax())]
    assert split_token("isEmpty", False) == ("is", "Empty")


# -------------------------------------------------------------------------------- learning


def test_examples_have_questions_of_most_kinds() -> None:
    """The contract test of all networks uses these examples."""
    assert len({QuestionKind.from_input(example.input) for example in make_mixed_examples(32)}) >= 4


def test_agreement_loss_pairs_each_variant_with_its_method(small: tuple[Base, EncodedFile]) -> None:
    """The batch has questions of other kinds, and only some methods have a variant. The oracle
    evaluates each sequence alone, and sums in numpy the divergence of both predictions of a name.
    """
    model = copy(small[0])
    model.settings = replace(model.settings, alone=0.0, dropout=0.0, agree=3.0, renamed=0.0)
    texts = {
        "none": "void METHOD_NAME(int b) { b.size(); }",
        "sum": "int METHOD_NAME(int a) { return a + 1; }",
        "size": "boolean METHOD_NAME() { return rows > 0; }",
    }
    variants = {
        "sum": "int METHOD_NAME(int o) { return o + 1; }",
        "size": "boolean METHOD_NAME() { int k; return rows > 0; }",
    }

    class VariedContext(FixedContext):
        def get_variant(self, method: str) -> str:
            return variants.get(method, "")

    inputs = [
        (Prompt(texts["none"]), "b"),
        (Method("none", texts["none"]), "list"),
        (Method("sum", texts["sum"]), "sumAll"),
        (Question(texts["sum"], BINS), BINS[0]),
        (Method("size", texts["size"]), "size"),
    ]
    rows = []
    for question, label in inputs:
        question_features = extract_features(question, VariedContext())  # type: ignore[arg-type]
        assert question_features is not None
        target = model.encode_target(label, question_features)
        assert target is not None
        rows.append({**model.encode(question_features), **target})
    batch = model.collate(rows_to_columns(rows), np.random.default_rng(1))
    assert batch["varied"].tolist() == [2, 4]
    torch.manual_seed(0)
    network: Any = model.build_network()
    network.eval()
    with torch.no_grad():
        loss_difference = float(
            network.compute_loss(batch) - network.compute_loss(model.collate(rows_to_columns(rows)))
        )

    def predict_name(text: str, row: int) -> Any:
        method_features = extract_features(Method("m", text), VariedContext())  # type: ignore[arg-type]
        assert method_features is not None
        encoded = network.encode_batch(
            single_batch := model.collate(rows_to_columns([model.encode(method_features)]))
        )
        target = torch.from_numpy(rows[row]["target"].astype(np.int64))[None]
        table = network.encoder.parts.weight
        assert len(single_batch["asks"]) == 1
        probabilities = network.decoder(
            table, network.select_question_states(encoded), target[:, :-1], encoded
        )
        return probabilities[0].detach().double().numpy(), target[0].numpy()

    expected = 0.0
    for row, name in ((2, "sum"), (4, "size")):
        (method_probabilities, target), (variant_probabilities, _) = (
            predict_name(texts[name], row),
            predict_name(variants[name], row),
        )
        mean = (method_probabilities + variant_probabilities) / 2
        expected += (
            3.0
            * (
                method_probabilities * np.log(method_probabilities / mean)
                + variant_probabilities * np.log(variant_probabilities / mean)
            ).sum()
        )
        # Method and variant count half each; without a variant, the method counts fully.
        log_likelihoods = [
            np.log(probabilities[np.arange(len(target)), target]).sum()
            for probabilities in (method_probabilities, variant_probabilities)
        ]
        expected += (log_likelihoods[0] - log_likelihoods[1]) / 2
    assert loss_difference == pytest.approx(expected / len(rows), rel=1e-3)


def test_variants_add_to_the_training_loss(tmp_path: Path, small: tuple[Base, EncodedFile]) -> None:
    """In training, variants add to the loss: a contrastive loss in pre-training, agreement of the
    names afterwards. In evaluation, they are ignored."""
    model, _ = small
    texts = ["int METHOD_NAME(int a) { return a + 1; }", "void METHOD_NAME(int b) { b.size(); }"]
    rows = []
    for text in texts:
        method_features = extract_features(Method("m", text), FixedContext())  # type: ignore[arg-type]
        assert method_features is not None
        rows.append(
            {
                **model.encode(method_features),
                **(model.encode_target("size", method_features) or {}),
            }
        )
    evaluation_batch = model.collate(rows_to_columns(rows))
    assert "varied" not in evaluation_batch
    batch = model.collate(rows_to_columns(rows), np.random.default_rng(1))
    assert batch["varied"].tolist() == [0, 1]
    network: Any = model.build_network()
    for share in (0.0, 1.0):
        network.set_progress(share)
        torch.manual_seed(0)
        with_variants = network.compute_loss(batch).detach()
        torch.manual_seed(0)
        without = network.compute_loss({k: v for k, v in batch.items() if k != "varied"}).detach()
        assert float(with_variants) > float(without)
    unit_vectors = torch.eye(3)
    assert (
        float(network.compute_contrastive_loss(unit_vectors, unit_vectors))
        < 1e-3
        < float(network.compute_contrastive_loss(unit_vectors, unit_vectors.flip(0)))
    )
