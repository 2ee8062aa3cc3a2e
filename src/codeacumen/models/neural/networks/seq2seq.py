"""GLUECode's Seq2Seq and Seq2Tok: an encoder LSTM over the words of tokens, and a decoder LSTM.

    E = embedding(pieces of tokens)        (n, l, 64)
    v = last state of the encoder          (n, 64)
    Seq2Seq (names, calls, null tokens): an LSTM that starts from v generates piece by piece
    Seq2Tok (classes): p = softmax(U · ReLU(W · v))

Names are split into words, so few pieces are unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from codeacumen.api import Capability
from codeacumen.models.neural.architecture import PAD, Batch, InPieces, Labels, Network, OneLabel
from codeacumen.models.neural.inputs.tokens import ReadsTokens, in_pieces
from codeacumen.models.neural.networks.layers import LabelHead, LabelNetwork, PieceDecoder, mask_of


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyper-parameters; ``vocabulary`` limits pieces of tokens and of answers.

    ``length`` is the maximum number of pieces of a method, ``longest`` that of an answer.
    """

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    hidden: int = 64
    longest: int = 10


class Seq2Seq(ReadsTokens):
    """Seq2Tok for classes, Seq2Seq for other answers."""

    name = "seq2seq"
    Settings = Settings
    cut = staticmethod(in_pieces)

    def make_labels(self) -> Labels:
        if self.purpose.capability is Capability.CLASSIFY:
            return OneLabel(self.settings.vocabulary)
        return InPieces(self.settings.vocabulary, self.settings.longest)

    def network(self) -> Network:
        sizes = len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        if isinstance(self.labels, OneLabel):
            return Seq2TokNetwork(self.settings, *sizes)
        return Seq2SeqNetwork(self.settings, *sizes)


class Encoder(nn.Module):
    """The last state (n, d) of an LSTM over the pieces."""

    def __init__(self, settings: Settings, tokens: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
        self.lstm = nn.LSTM(settings.embedding, settings.embedding, batch_first=True)

    def forward(self, batch: Batch) -> Tensor:
        packed = pack_padded_sequence(
            self.embedding(batch["tokens"]),
            batch["tokens_size"].cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        _, (last, _) = self.lstm(packed)
        return last[0]


class Seq2TokNetwork(LabelNetwork):
    """The encoder, a hidden layer and a softmax over the labels."""

    def __init__(self, settings: Settings, tokens: int, labels: int) -> None:
        super().__init__()
        self.encoder = Encoder(settings, tokens)
        self.dense = nn.Linear(settings.embedding, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def vector(self, batch: Batch) -> Tensor:
        return self.dense(self.encoder(batch)).relu()


class Seq2SeqNetwork(nn.Module, Network):
    """The encoder, and a decoder that starts from its last state."""

    def __init__(self, settings: Settings, tokens: int, pieces: int) -> None:
        super().__init__()
        self.encoder = Encoder(settings, tokens)
        self.longest = settings.longest
        self.decoder = PieceDecoder(
            pieces,
            embedding=settings.embedding,
            hidden=settings.embedding,
            states=settings.embedding,
            attention=False,
        )

    def vector(self, batch: Batch) -> Tensor:
        return self.encoder(batch)

    def loss(self, batch: Batch) -> Tensor:
        vector = self.vector(batch)
        return self.decoder.loss(*_alone(vector), vector, batch["target"])

    def predict(self, batch: Batch) -> list[list[int]]:
        vector = self.vector(batch)
        return self.decoder.predict(*_alone(vector), vector, self.longest)


def _alone(vector: Tensor) -> tuple[Tensor, Tensor]:
    """Return the states and mask of a decoder without attention: the vector it starts from."""
    return vector[:, None], mask_of(vector.new_ones(len(vector)).long(), 1)
