"""What stands at the end of a network: one label, or a decoder that says pieces.

Shapes: n examples, l positions of the input, t pieces of the answer, d dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from acumen.models.neural.architecture import Network
from acumen.models.neural.vocabulary import BEGIN, END, PAD, SPECIALS, UNKNOWN

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Batch


class LabelHead(nn.Module):
    """A softmax over the labels."""

    def __init__(self, size: int, labels: int) -> None:
        super().__init__()
        self.out = nn.Linear(size, labels)

    def loss(self, vector: Tensor, label: Tensor) -> Tensor:
        return functional.cross_entropy(self.out(vector), label[:, 0])

    def predict(self, vector: Tensor) -> list[list[int]]:
        scores = self.out(vector)
        if scores.shape[1] > len(SPECIALS):
            # Padding and the unknown are no answers.
            scores[:, : len(SPECIALS)] = -torch.inf
        best: list[list[int]] = scores.argmax(1, keepdim=True).tolist()
        return best


class LabelNetwork(nn.Module, Network):
    """A network that answers with a label: its ``head`` says which, of its ``vector``."""

    head: LabelHead

    def loss(self, batch: Batch) -> Tensor:
        return self.head.loss(self.vector(batch), batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.vector(batch))


class PieceDecoder(nn.Module):
    """An LSTM that says one piece after the other.

    With ``attention`` it looks at the input's ``states`` before each piece (Luong's general
    attention, as code2seq's): a = softmax(h W sᵀ), o = tanh([h; a s] V), and o says the piece.
    Without, o = h, and all it knows is the vector it starts from.
    """

    def __init__(
        self, pieces: int, *, embedding: int, hidden: int, states: int, attention: bool,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embedding = nn.Embedding(pieces, embedding, padding_idx=PAD)
        self.cell = nn.LSTM(embedding, hidden, batch_first=True)
        self.begin = nn.Linear(states, 2 * hidden)
        self.dropout = nn.Dropout(dropout)
        self.look = nn.Linear(hidden, states, bias=False) if attention else None
        self.blend = nn.Linear(hidden + states, hidden, bias=False) if attention else None
        self.out = nn.Linear(hidden, pieces)

    def loss(self, states: Tensor, mask: Tensor, vector: Tensor, target: Tensor) -> Tensor:
        """``vector`` (n, d) is what the decoder starts from; ``target`` (n, t) ends with END."""
        begin = torch.full_like(target[:, :1], BEGIN)
        scores, _ = self._said(torch.cat([begin, target[:, :-1]], 1), states, mask, vector)
        return functional.cross_entropy(scores.flatten(0, 1), target.flatten(), ignore_index=PAD)

    def predict(
        self, states: Tensor, mask: Tensor, vector: Tensor, longest: int
    ) -> list[list[int]]:
        """The likeliest piece at each step, until END."""
        said = torch.full((len(vector), 1), BEGIN, device=vector.device)
        memory: tuple[Tensor, Tensor] | None = None
        found: list[Tensor] = []
        ended = torch.zeros(len(vector), dtype=torch.bool, device=vector.device)
        for _ in range(longest + 1):
            scores, memory = self._said(said, states, mask, vector, memory)
            scores[:, :, [PAD, UNKNOWN, BEGIN]] = -torch.inf
            said = scores.argmax(2)
            found.append(said)
            ended |= said[:, 0] == END
            if bool(ended.all()):
                break
        rows: list[list[int]] = torch.cat(found, 1).tolist()
        return rows

    def _said(
        self, before: Tensor, states: Tensor, mask: Tensor, vector: Tensor,
        memory: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:  # fmt: skip
        """Scores (n, t, pieces) of the pieces that follow those ``before``."""
        if memory is None:
            hidden, cell = self.begin(vector).tanh().chunk(2, dim=1)
            memory = (hidden[None].contiguous(), cell[None].contiguous())
        steps, memory = self.cell(self.dropout(self.embedding(before)), memory)
        if self.look is not None and self.blend is not None:
            weights = self.look(steps) @ states.transpose(1, 2)
            weights = weights.masked_fill(~mask[:, None], torch.finfo(weights.dtype).min).softmax(2)
            steps = self.blend(torch.cat([steps, weights @ states], 2)).tanh()
        return self.out(self.dropout(steps)), memory
