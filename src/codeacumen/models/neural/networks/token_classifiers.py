"""GLUECode's MLP: the first 200 tokens, one hidden layer.

E = embedding(tokens)     (n, 200, 64), zeros where there is no token
h = ReLU(W · flat(E))     (n, 64)
p = softmax(U · h)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.models.neural.architecture import PAD, Batch, Labels, Network, SingleLabel
from codeacumen.models.neural.inputs.tokens import TokenArchitecture
from codeacumen.models.neural.networks.layers import LabelHead, LabelNetwork
from codeacumen.text.columns import Ragged


@dataclass(frozen=True, slots=True)
class MLPSettings:
    """Hyper-parameters; ``vocabulary`` limits tokens and labels, ``length`` the tokens read."""

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    hidden: int = 64


class MLP(TokenArchitecture):
    """GLUECode's multi-layer perceptron."""

    name = "mlp"
    Settings = MLPSettings

    def make_labels(self) -> Labels:
        return SingleLabel(self.settings.vocabulary)

    def compute_lengths(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        """Return zeros: all examples are padded to one length, so batches need no sorting."""
        return np.zeros(len(columns["tokens"]), np.int64)

    def build_network(self) -> Network:
        return MLPNetwork(
            self.settings, len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        )


class MLPNetwork(LabelNetwork):
    """Embeddings of all tokens, concatenated, and one hidden layer."""

    def __init__(self, settings: MLPSettings, tokens: int, labels: int) -> None:
        super().__init__()
        self.length = settings.length
        self.embedding = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
        self.dense = nn.Linear(settings.length * settings.embedding, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        tokens = batch["tokens"]
        tokens = functional.pad(tokens, (0, self.length - tokens.shape[1]), value=PAD)
        return self.dense(self.embedding(tokens).flatten(1)).relu()
