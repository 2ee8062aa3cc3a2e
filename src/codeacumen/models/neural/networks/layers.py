"""Layers that several networks share: masks, initial weights, heads, decoders and beam search.

Shapes: n examples, l positions of the input, t pieces of the answer, d dimensions; in beam search
k beams per example and v pieces of the vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.models.neural.architecture import BEGIN, END, PAD, SPECIALS, UNKNOWN, Batch, Network

# State of a decoder between steps; each tensor has the shape (n, k, ...).
State = tuple[Tensor, ...]
# A function from the last pieces (n, k) and the state to log-probabilities (n, k, v) and the state.
Step = Callable[[Tensor, State], tuple[Tensor, State]]


def mask_of(sizes: torch.Tensor, width: int) -> torch.Tensor:
    """Return a mask (n, length) that is True at positions before each sequence's end."""
    return torch.arange(width, device=sizes.device) < sizes[:, None]


def layer_precision(given: torch.Tensor) -> torch.dtype:
    """Return the type that layers compute in: a tensor's own, or a lower one under autocast."""
    kind = given.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else given.dtype


def spread(*tables: nn.Embedding | nn.Linear) -> None:
    """Initialise weights as the code of code2vec and code2seq does: uniform, with variance 1 / d.

    Torch's default for embeddings, with variance 1, would saturate every tanh.
    """
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
        """Return the mean cross-entropy."""
        return functional.cross_entropy(self.out(vector), label[:, 0])

    def predict(self, vector: Tensor) -> list[list[int]]:
        """Return the label with the highest score, as a list of one number."""
        scores = self.out(vector)
        if scores.shape[1] > len(SPECIALS):
            # Padding and the unknown label are not answers.
            scores[:, : len(SPECIALS)] = -torch.inf
        best: list[list[int]] = scores.argmax(1, keepdim=True).tolist()
        return best


class LabelNetwork(nn.Module, Network):
    """A network that answers with a label, which its ``head`` predicts from its vector."""

    head: LabelHead

    def loss(self, batch: Batch) -> Tensor:
        return self.head.loss(self.vector(batch), batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.vector(batch))


class PieceDecoder(nn.Module):
    """An LSTM that generates an answer piece by piece.

    With ``attention`` it attends to the input's ``states`` at each step, with Luong's general
    attention as in code2seq: a = softmax(h W sᵀ), o = tanh([h; a s] V), and a linear layer over o
    scores the pieces. Without attention o = h, so it depends only on the vector that it starts
    from.
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
        """Return the mean cross-entropy over the pieces.

        The decoder starts from ``vector`` (n, d); each row of ``target`` (n, t) ends with END.
        """
        begin = torch.full_like(target[:, :1], BEGIN)
        scores, _ = self._said(torch.cat([begin, target[:, :-1]], 1), states, mask, vector)
        return functional.cross_entropy(scores.flatten(0, 1), target.flatten(), ignore_index=PAD)

    def predict(
        self, states: Tensor, mask: Tensor, vector: Tensor, longest: int
    ) -> list[list[int]]:
        """Return the pieces of greedy decoding, until END."""
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
        """Return scores (n, t, pieces) of the piece after each ``previous`` one, and the memory."""
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
    """Return the best answer of a beam search for each example.

    Answers are ranked by the mean log-probability of their pieces, END included, and have at least
    one piece. With a ``beam_width`` of 1 the search is greedy.
    """
    n, device = len(state[0]), state[0].device
    state = tuple(one.expand(n, width, *one.shape[2:]) for one in state)
    rows = torch.arange(n, device=device)[:, None]
    last = torch.full((n, width), BEGIN, device=device)
    said = torch.empty((n, width, 0), dtype=torch.long, device=device)
    total = torch.full((n, width), -torch.inf, device=device)
    # All beams start equal, so all but one start with the score of an impossible answer.
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
        # A finished answer is padded at no cost.
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
