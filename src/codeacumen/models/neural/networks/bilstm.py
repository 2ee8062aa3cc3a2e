"""GLUECode's BiLSTM: an LSTM over a method's tokens in both directions.

E = embedding(tokens)                         (n, l, 64)
b = [last state forwards; last backwards]     (n, 128)
h = ReLU(W · b)                               (n, 64)
p = softmax(U · h)
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from codeacumen.models.neural.architecture import PAD, Batch, Labels, Network, SingleLabel
from codeacumen.models.neural.inputs.tokens import TokenArchitecture
from codeacumen.models.neural.networks.layers import LabelHead, LabelNetwork


@dataclass(frozen=True, slots=True)
class BiLSTMSettings:
    """Hyper-parameters; ``vocabulary`` limits tokens and labels, ``length`` the tokens read."""

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    hidden: int = 64


class BiLSTM(TokenArchitecture):
    """GLUECode's bidirectional LSTM."""

    name = "bilstm"
    Settings = BiLSTMSettings

    def make_labels(self) -> Labels:
        return SingleLabel(self.settings.vocabulary)

    def build_network(self) -> Network:
        return BiLSTMNetwork(
            self.settings, len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        )


class BiLSTMNetwork(LabelNetwork):
    """The last states of both directions, and a hidden layer."""

    def __init__(self, settings: BiLSTMSettings, tokens: int, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
        # The paper's LSTM is as wide as its embedding.
        self.lstm = nn.LSTM(
            settings.embedding, settings.embedding, bidirectional=True, batch_first=True
        )
        self.dense = nn.Linear(2 * settings.embedding, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        # Packed, so that the backward direction starts at the last token and not in the padding.
        packed = pack_padded_sequence(
            self.embedding(batch["tokens"]),
            batch["tokens_size"].cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        _, (last, _) = self.lstm(packed)
        return self.dense(torch.cat([last[0], last[1]], 1)).relu()
