"""GLUECode's plain networks: the end of a training, and an equation computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from codeacumen.models.neural.training.teaching import teach
from models.neural import checks
from models.neural.checks import NAMING


def test_what_has_ended_is_not_gone_on_with(tmp_path: Path) -> None:
    """Killed after its last round and before it was saved: no round is added, none is lost."""
    torch.set_num_threads(1)
    model, _ = checks.made("cnn", NAMING)
    file = checks.prepare(model, checks.taught_examples(NAMING, 48), tmp_path)
    training = checks.small_training("cnn", epochs=30, patience=1, rate=0.05)
    ways = [teach(model, file, file, training, tmp_path / "c", device="cpu") for _ in range(2)]
    assert len(ways[0].history) < 30
    assert ways[0].history == ways[1].history
    for key, value in ways[0].network.state_dict().items():
        assert torch.equal(value, ways[1].network.state_dict()[key])


def test_the_convolution_is_the_equation() -> None:
    """Oracle: the four lines of the equation, in numpy."""
    from codeacumen.models.neural.networks.cnn import CNNNetwork, Settings

    torch.manual_seed(1)
    network = CNNNetwork(Settings(embedding=3, channels=4, hidden=2), 10, 5).eval()
    tokens = torch.tensor([[2, 3, 4, 5, 6, 0, 0]])
    found = network.vector({"tokens": tokens, "tokens_size": torch.tensor([5])})
    weights = {key: value.detach().numpy() for key, value in network.state_dict().items()}
    embedded = np.pad(weights["embedding.weight"][[2, 3, 4, 5, 6]], ((2, 2), (0, 0)))
    windows = np.stack([embedded[at : at + 5].T for at in range(5)])
    convolved = np.einsum("lec,oec->lo", windows, weights["convolution.weight"])
    seen = np.maximum(convolved + weights["convolution.bias"], 0).mean(0)
    hidden = np.maximum(weights["dense.weight"] @ seen + weights["dense.bias"], 0)
    np.testing.assert_allclose(found.detach().numpy()[0], hidden, rtol=1e-5)
