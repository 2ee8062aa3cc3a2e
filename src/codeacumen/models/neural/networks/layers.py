"""Layers that several networks share: masks, first weights, heads, decoders and beam search.

Shapes: n examples, l positions of the input, t pieces of the answer, d dimensions; in beam search
k beginnings of each answer and v pieces to choose from.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.models.neural.architecture import BEGIN, END, PAD, SPECIALS, UNKNOWN, Batch, Network

# What is carried from step to step, each of shape (n, k, ...).
State = tuple[Tensor, ...]
# The pieces said last (n, k) and the state give the logarithms of probabilities (n, k, v).
Step = Callable[[Tensor, State], tuple[Tensor, State]]


def mask_of(sizes: torch.Tensor, width: int) -> torch.Tensor:
    """True where there is something, shape (n, width)."""
    return torch.arange(width, device=sizes.device) < sizes[:, None]


def layer_precision(given: torch.Tensor) -> torch.dtype:
    """The one that layers compute in: lower than what they are given, where precision is mixed."""
    kind = given.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else given.dtype


def spread(*tables: nn.Embedding | nn.Linear) -> None:
    """First weights of tables of vectors as both papers' code draws them: uniform, of variance
    1 / d. Torch's own, of variance 1, would drive every tanh to its ends."""
    for table in tables:
        bound = math.sqrt(3 / table.weight.shape[1])
        nn.init.uniform_(table.weight, -bound, bound)
        if isinstance(table, nn.Embedding):
            nn.init.zeros_(table.weight[PAD])


# ---------------------------------------------------------------- heads and decoders


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
        self,
        pieces: int,
        *,
        embedding: int,
        hidden: int,
        states: int,
        attention: bool,
        dropout: float = 0.0,
    ) -> None:
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
        self,
        before: Tensor,
        states: Tensor,
        mask: Tensor,
        vector: Tensor,
        memory: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
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


# ---------------------------------------------------------------- beam search


def spoken(step: Step, state: State, width: int, longest: int) -> list[list[int]]:
    """Beam search: the likeliest of ``width`` answers for each example, by the mean over its
    pieces, END included. An answer has one piece at least. With a width of 1 each piece is the
    likeliest."""
    n, device = len(state[0]), state[0].device
    state = tuple(one.expand(n, width, *one.shape[2:]) for one in state)
    rows = torch.arange(n, device=device)[:, None]
    last = torch.full((n, width), BEGIN, device=device)
    said = torch.empty((n, width, 0), dtype=torch.long, device=device)
    total = torch.full((n, width), -torch.inf, device=device)
    # All begin alike: but one of them counts for nothing at first.
    total[:, 0] = 0.0
    length = torch.zeros((n, width), device=device)
    ended = torch.zeros((n, width), dtype=torch.bool, device=device)
    for at in range(longest + 1):
        likely, state = step(last, state)
        likely = likely.float()
        likely[:, :, [PAD, UNKNOWN, BEGIN]] = -torch.inf
        if at == 0:
            likely[:, :, END] = -torch.inf
        elif at == longest:
            likely[:, :, END + 1 :] = -torch.inf
        # What has ended goes on as it is, for nothing.
        likely[ended] = -torch.inf
        likely[:, :, PAD] = torch.where(ended, 0.0, -torch.inf)
        length = length + ~ended
        each = total[:, :, None] + likely
        _, best = (each / length[:, :, None]).flatten(1).topk(width)
        mother, last = best // likely.shape[2], best % likely.shape[2]
        total = each.flatten(1).gather(1, best)
        length, ended = length[rows, mother], ended[rows, mother] | (last == END)
        state = tuple(one[rows, mother] for one in state)
        said = torch.cat([said[rows, mother], last[:, :, None]], 2)
        if bool(ended.all()):
            break
    first = (total / length).argmax(1)
    found: list[list[int]] = said[rows[:, 0], first].tolist()
    return [[piece for piece in one if piece not in (PAD, END)] for one in found]
