"""GLUECode's CNN: a convolution over windows of five tokens, averaged over the method.

E = embedding(tokens)             (n, l, 64)
C = ReLU(conv₅(E))                (n, l, 128)
h = ReLU(W · mean over l of C)    (n, 64)
p = softmax(U · h)
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from codeacumen.models.neural.architecture import PAD, Batch, Labels, Network, SingleLabel
from codeacumen.models.neural.inputs.tokens import TokenArchitecture
from codeacumen.models.neural.networks.layers import LabelHead, LabelNetwork, make_mask


@dataclass(frozen=True, slots=True)
class CNNSettings:
    """Hyper-parameters; ``vocabulary`` limits tokens and labels, ``length`` the tokens read."""

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    channels: int = 128
    window: int = 5
    hidden: int = 64


class CNN(TokenArchitecture):
    """GLUECode's convolutional network."""

    name = "cnn"
    Settings = CNNSettings

    def make_labels(self) -> Labels:
        return SingleLabel(self.settings.vocabulary)

    def build_network(self) -> Network:
        return CNNNetwork(
            self.settings, len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        )


class CNNNetwork(LabelNetwork):
    """A convolution, its mean over the tokens, and a hidden layer."""

    def __init__(self, settings: CNNSettings, tokens: int, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
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
