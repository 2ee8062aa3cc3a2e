"""GLUECode's plain networks, which answer with a label for a method's tokens: MLP, CNN and BiLSTM.

MLP: the first 200 tokens, one hidden layer.

E = embedding(tokens)     (n, 200, 64), zeros where there is no token
h = ReLU(W · flat(E))     (n, 64)
p = softmax(U · h)

CNN: a convolution over windows of five tokens, averaged over the method.

E = embedding(tokens)             (n, l, 64)
C = ReLU(conv₅(E))                (n, l, 128)
h = ReLU(W · mean over l of C)    (n, 64)
p = softmax(U · h)

BiLSTM: an LSTM over the tokens in both directions.

E = embedding(tokens)                         (n, l, 64)
b = [last state forwards; last backwards]     (n, 128)
h = ReLU(W · b)                               (n, 64)
p = softmax(U · h)

Shapes: n examples, l tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.models.neural.architecture import PAD, Batch, Labels, Network, SingleLabel
from codeacumen.models.neural.inputs.tokens import TokenArchitecture
from codeacumen.models.neural.networks.layers import LabelHead, LabelNetwork, make_mask, pack_tokens
from codeacumen.text.columns import Ragged


class TokenNetwork(LabelNetwork):
    """A network whose first layer are the embeddings of the tokens.

    ``tokens`` and ``labels`` are the sizes of the vocabularies.
    """

    def __init__(self, settings: Any, tokens: int, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)


class TokenClassifier(TokenArchitecture):
    """An architecture that reads tokens and answers with a label."""

    network_class: ClassVar[type[TokenNetwork]]

    def make_labels(self) -> Labels:
        return SingleLabel(self.settings.vocabulary)

    def build_network(self) -> Network:
        return self.network_class(
            self.settings, len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        )


@dataclass(frozen=True, slots=True)
class MLPSettings:
    """Hyper-parameters; ``vocabulary`` limits tokens and labels, ``length`` the tokens read."""

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    hidden: int = 64


class MLPNetwork(TokenNetwork):
    """Embeddings of all tokens, concatenated, and one hidden layer."""

    def __init__(self, settings: MLPSettings, tokens: int, labels: int) -> None:
        super().__init__(settings, tokens, labels)
        self.length = settings.length
        self.dense = nn.Linear(settings.length * settings.embedding, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        tokens = batch["tokens"]
        tokens = functional.pad(tokens, (0, self.length - tokens.shape[1]), value=PAD)
        return self.dense(self.embedding(tokens).flatten(1)).relu()


class MLP(TokenClassifier):
    """GLUECode's multi-layer perceptron."""

    name = "mlp"
    Settings = MLPSettings
    network_class = MLPNetwork

    def compute_lengths(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        """Return zeros: all examples are padded to one length, so batches need no sorting."""
        return np.zeros(len(columns["tokens"]), np.int64)


@dataclass(frozen=True, slots=True)
class CNNSettings:
    """Hyper-parameters; ``vocabulary`` limits tokens and labels, ``length`` the tokens read."""

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    channels: int = 128
    window: int = 5
    hidden: int = 64


class CNNNetwork(TokenNetwork):
    """A convolution, its mean over the tokens, and a hidden layer."""

    def __init__(self, settings: CNNSettings, tokens: int, labels: int) -> None:
        super().__init__(settings, tokens, labels)
        self.convolution = nn.Conv1d(
            settings.embedding, settings.channels, settings.window, padding="same"
        )
        self.dense = nn.Linear(settings.channels, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        tokens = batch["tokens"]
        features = self.convolution(self.embedding(tokens).transpose(1, 2)).relu()
        mask = make_mask(batch["tokens_size"], tokens.shape[1])[:, None]
        mean = (features * mask).sum(2) / mask.sum(2)
        return self.dense(mean).relu()


class CNN(TokenClassifier):
    """GLUECode's convolutional network."""

    name = "cnn"
    Settings = CNNSettings
    network_class = CNNNetwork


@dataclass(frozen=True, slots=True)
class BiLSTMSettings:
    """Hyper-parameters; ``vocabulary`` limits tokens and labels, ``length`` the tokens read."""

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    hidden: int = 64


class BiLSTMNetwork(TokenNetwork):
    """The last states of both directions, and a hidden layer."""

    def __init__(self, settings: BiLSTMSettings, tokens: int, labels: int) -> None:
        super().__init__(settings, tokens, labels)
        # The paper's LSTM is as wide as its embedding.
        self.lstm = nn.LSTM(
            settings.embedding, settings.embedding, bidirectional=True, batch_first=True
        )
        self.dense = nn.Linear(2 * settings.embedding, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        _, (last, _) = self.lstm(pack_tokens(self.embedding, batch))
        return self.dense(torch.cat([last[0], last[1]], 1)).relu()


class BiLSTM(TokenClassifier):
    """GLUECode's bidirectional LSTM."""

    name = "bilstm"
    Settings = BiLSTMSettings
    network_class = BiLSTMNetwork
