"""Tests of GLUECode's plain networks: resuming a finished training, and the CNN's equation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from codeacumen.models.neural.training.fit import fit_network
from models.neural import small_networks
from models.neural.small_networks import NAMING


def test_finished_training_is_not_continued(tmp_path: Path) -> None:
    """If a training is killed after its last round and before it is saved, no round is added or
    lost."""
    torch.set_num_threads(1)
    model, _ = small_networks.make_small("cnn", NAMING)
    file = small_networks.prepare_examples(
        model, small_networks.make_examples(NAMING, 48), tmp_path
    )
    training = small_networks.small_training("cnn", epochs=30, patience=1, rate=0.05)
    results = [
        fit_network(model, file, file, training, tmp_path / "c", device="cpu") for _ in range(2)
    ]
    assert len(results[0].history) < 30
    assert results[0].history == results[1].history
    for key, value in results[0].network.state_dict().items():
        assert torch.equal(value, results[1].network.state_dict()[key])


def test_convolution_equals_equation() -> None:
    """Oracle: the four lines of the equation in numpy."""
    from codeacumen.models.neural.networks.token_classifiers import CNNNetwork, CNNSettings

    torch.manual_seed(1)
    network = CNNNetwork(CNNSettings(embedding=3, channels=4, hidden=2), 10, 5).eval()
    tokens = torch.tensor([[2, 3, 4, 5, 6, 0, 0]])
    vectors = network.compute_vectors({"tokens": tokens, "tokens_size": torch.tensor([5])})
    weights = {key: value.detach().numpy() for key, value in network.state_dict().items()}
    embedded = np.pad(weights["embedding.weight"][[2, 3, 4, 5, 6]], ((2, 2), (0, 0)))
    windows = np.stack([embedded[offset : offset + 5].T for offset in range(5)])
    convolved = np.einsum("lec,oec->lo", windows, weights["convolution.weight"])
    pooled = np.maximum(convolved + weights["convolution.bias"], 0).mean(0)
    hidden = np.maximum(weights["dense.weight"] @ pooled + weights["dense.bias"], 0)
    np.testing.assert_allclose(vectors.detach().numpy()[0], hidden, rtol=1e-5)
