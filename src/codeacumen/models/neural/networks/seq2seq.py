"""GLUECode's Seq2Seq and Seq2Tok: an encoder LSTM over pieces of tokens, and a decoder LSTM.

    E = embedding(pieces of tokens)        (n, l, 64)
    v = last state of the encoder          (n, 64)
    Seq2Seq (naming, completion, nulltoken): an LSTM that starts from v generates piece by piece
    Seq2Tok (npath, operators: classes): p = softmax(U · ReLU(W · v))

A piece is a subtoken of a name, or any other token as a whole, so few pieces are unknown. Shapes:
n examples, l pieces, d = 64.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from codeacumen.api import Capability
from codeacumen.models.neural.architecture import (
    PAD,
    Batch,
    Labels,
    Network,
    PieceLabels,
    SingleLabel,
)
from codeacumen.models.neural.inputs.tokens import TokenArchitecture, split_name_token
from codeacumen.models.neural.networks.layers import (
    LabelHead,
    LabelNetwork,
    PieceDecoder,
    make_mask,
    pack_tokens,
)


@dataclass(frozen=True, slots=True)
class Seq2SeqSettings:
    """Hyper-parameters; ``vocabulary`` limits pieces of tokens and of answers.

    ``length`` is the maximum number of pieces of a method, ``longest`` that of an answer.
    ``embedding`` is also the size of the LSTMs' states; ``hidden`` is the size of Seq2Tok's hidden
    layer.
    """

    vocabulary: int = 10_000
    length: int = 200
    embedding: int = 64
    hidden: int = 64
    longest: int = 10


class Seq2Seq(TokenArchitecture):
    """Seq2Tok for classes, Seq2Seq for other answers."""

    name = "seq2seq"
    Settings = Seq2SeqSettings
    split_token = staticmethod(split_name_token)

    def make_labels(self) -> Labels:
        if self.purpose.capability is Capability.CLASSIFY:
            return SingleLabel(self.settings.vocabulary)
        return PieceLabels(self.settings.vocabulary, self.settings.longest)

    def build_network(self) -> Network:
        sizes = len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        if isinstance(self.labels, SingleLabel):
            return Seq2TokNetwork(self.settings, *sizes)
        return Seq2SeqNetwork(self.settings, *sizes)


class TokenEncoder(nn.Module):
    """The last state (n, d) of an LSTM over the pieces."""

    def __init__(self, settings: Seq2SeqSettings, tokens: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
        self.lstm = nn.LSTM(settings.embedding, settings.embedding, batch_first=True)

    def forward(self, batch: Batch) -> Tensor:
        _, (last, _) = self.lstm(pack_tokens(self.embedding, batch))
        return last[0]


class Seq2TokNetwork(LabelNetwork):
    """The encoder, a hidden layer and a softmax over the labels."""

    def __init__(self, settings: Seq2SeqSettings, tokens: int, labels: int) -> None:
        super().__init__()
        self.encoder = TokenEncoder(settings, tokens)
        self.dense = nn.Linear(settings.embedding, settings.hidden)
        self.head = LabelHead(settings.hidden, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        return self.dense(self.encoder(batch)).relu()


class Seq2SeqNetwork(nn.Module, Network):
    """The encoder, and a decoder that starts from its last state.

    ``tokens`` is the number of different pieces of tokens, ``pieces`` that of pieces of answers.
    """

    def __init__(self, settings: Seq2SeqSettings, tokens: int, pieces: int) -> None:
        super().__init__()
        self.encoder = TokenEncoder(settings, tokens)
        self.max_pieces = settings.longest
        self.decoder = PieceDecoder(
            pieces,
            embedding=settings.embedding,
            hidden=settings.embedding,
            states=settings.embedding,
            attention=False,
        )

    def compute_vectors(self, batch: Batch) -> Tensor:
        return self.encoder(batch)

    def compute_loss(self, batch: Batch) -> Tensor:
        vector = self.compute_vectors(batch)
        return self.decoder.compute_loss(*_make_single_state(vector), vector, batch["target"])

    def predict(self, batch: Batch) -> list[list[int]]:
        vector = self.compute_vectors(batch)
        return self.decoder.predict(*_make_single_state(vector), vector, self.max_pieces)


def _make_single_state(vector: Tensor) -> tuple[Tensor, Tensor]:
    """Return the states and mask for ``PieceDecoder``, which ignores them without attention."""
    return vector[:, None], make_mask(vector.new_ones(len(vector)).long(), 1)
