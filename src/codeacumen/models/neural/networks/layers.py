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
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

from codeacumen.models.neural.architecture import BEGIN, END, PAD, SPECIALS, UNKNOWN, Batch, Network

# State of a decoder between steps; each tensor has the shape (n, k, ...), with k = 1 before the
# first step.
State = tuple[Tensor, ...]
# A function from the last pieces (n, k) and the state to the log-probabilities (n, k, v) of each
# next piece and the next state.
Step = Callable[[Tensor, State], tuple[Tensor, State]]


def make_mask(sizes: torch.Tensor, length: int) -> torch.Tensor:
    """Return a mask (n, length) that is True before the end of each sequence; ``sizes`` is (n)."""
    return torch.arange(length, device=sizes.device) < sizes[:, None]


def get_layer_dtype(tensor: torch.Tensor) -> torch.dtype:
    """Return the type that layers compute in: the tensor's, or that of an active autocast."""
    device_type = tensor.device.type
    return (
        torch.get_autocast_dtype(device_type)
        if torch.is_autocast_enabled(device_type)
        else tensor.dtype
    )


def init_embeddings(*layers: nn.Embedding | nn.Linear) -> None:
    """Initialise weights as the code of code2vec and code2seq does: uniform, with variance 1 / d.

    Torch's default for embeddings, with variance 1, would saturate every tanh.
    """
    for layer in layers:
        bound = math.sqrt(3 / layer.weight.shape[1])
        nn.init.uniform_(layer.weight, -bound, bound)
        if isinstance(layer, nn.Embedding):
            nn.init.zeros_(layer.weight[PAD])


# ---------------------------------------------------------------- heads and decoders


def pack_tokens(embedding: nn.Embedding, batch: Batch) -> PackedSequence:
    """Return the embeddings of the tokens, packed for an LSTM.

    An LSTM backwards thus starts at the last token and not in the padding.
    """
    return pack_padded_sequence(
        embedding(batch["tokens"]),
        batch["tokens_size"].cpu(),
        batch_first=True,
        enforce_sorted=False,
    )


class LabelHead(nn.Module):
    """A softmax over the labels; ``size`` is that of a vector, ``labels`` the number of labels."""

    def __init__(self, size: int, labels: int) -> None:
        super().__init__()
        self.out = nn.Linear(size, labels)

    def compute_loss(self, vector: Tensor, label: Tensor) -> Tensor:
        """Return the mean cross-entropy of ``label`` (n, 1), given ``vector`` (n, size)."""
        return functional.cross_entropy(self.out(vector), label[:, 0])

    def predict(self, vector: Tensor) -> list[list[int]]:
        """Return each example's label with the highest score, as a list of one number."""
        scores = self.out(vector)
        if scores.shape[1] > len(SPECIALS):
            # Padding and the unknown label are not answers.
            scores[:, : len(SPECIALS)] = -torch.inf
        labels: list[list[int]] = scores.argmax(1, keepdim=True).tolist()
        return labels


class LabelNetwork(nn.Module, Network):
    """A network that answers with a label, which its ``head`` predicts from its vector."""

    head: LabelHead

    def compute_loss(self, batch: Batch) -> Tensor:
        return self.head.compute_loss(self.compute_vectors(batch), batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.compute_vectors(batch))


class PieceDecoder(nn.Module):
    """An LSTM that generates an answer piece by piece.

    With ``attention`` it attends to the input's ``states`` at each step, with Luong's general
    attention as in code2seq: a = softmax(h W sᵀ), o = tanh([h; a s] V), and a linear layer over o
    scores the pieces. Without attention o = h, so the answer depends only on the vector that the
    LSTM starts from. ``pieces`` is the size of the vocabulary; ``embedding``, ``hidden`` and
    ``states`` are the sizes of a piece's embedding, of the LSTM's state and of an input's state.
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

    def compute_loss(self, states: Tensor, mask: Tensor, vector: Tensor, target: Tensor) -> Tensor:
        """Return the mean cross-entropy over the pieces, with teacher forcing.

        ``states`` (n, l, d) and ``mask`` (n, l) are the encoded input. The decoder starts from
        ``vector`` (n, d); each row of ``target`` (n, t) ends with END and padding.
        """
        begin = torch.full_like(target[:, :1], BEGIN)
        scores, _ = self._score_pieces(torch.cat([begin, target[:, :-1]], 1), states, mask, vector)
        return functional.cross_entropy(scores.flatten(0, 1), target.flatten(), ignore_index=PAD)

    def predict(
        self, states: Tensor, mask: Tensor, vector: Tensor, max_pieces: int
    ) -> list[list[int]]:
        """Return the pieces of greedy decoding, at most ``max_pieces`` + 1, END included.

        The lists are equally long: pieces after END have no meaning.
        """
        last = torch.full((len(vector), 1), BEGIN, device=vector.device)
        memory: tuple[Tensor, Tensor] | None = None
        pieces: list[Tensor] = []
        ended = torch.zeros(len(vector), dtype=torch.bool, device=vector.device)
        for _ in range(max_pieces + 1):
            scores, memory = self._score_pieces(last, states, mask, vector, memory)
            scores[:, :, [PAD, UNKNOWN, BEGIN]] = -torch.inf
            last = scores.argmax(2)
            pieces.append(last)
            ended |= last[:, 0] == END
            if bool(ended.all()):
                break
        rows: list[list[int]] = torch.cat(pieces, 1).tolist()
        return rows

    def _score_pieces(
        self,
        previous: Tensor,
        states: Tensor,
        mask: Tensor,
        vector: Tensor,
        memory: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return scores (n, t, pieces) of the piece after each ``previous`` one, and the memory.

        ``memory`` is the LSTM's hidden and cell state; None before the first piece.
        """
        if memory is None:
            hidden, cell = self.begin(vector).tanh().chunk(2, dim=1)
            memory = (hidden[None].contiguous(), cell[None].contiguous())
        steps, memory = self.cell(self.dropout(self.embedding(previous)), memory)
        if self.look is not None and self.blend is not None:
            weights = self.look(steps) @ states.transpose(1, 2)
            weights = weights.masked_fill(~mask[:, None], torch.finfo(weights.dtype).min).softmax(2)
            steps = self.blend(torch.cat([steps, weights @ states], 2)).tanh()
        return self.out(self.dropout(steps)), memory


# ---------------------------------------------------------------- beam search


def search_beams(step: Step, state: State, beam_width: int, max_pieces: int) -> list[list[int]]:
    """Return the best answer of a beam search for each example.

    Answers are ranked by the mean log-probability of their pieces, END included, have at least one
    piece and at most ``max_pieces``, and are returned without END. ``state`` is that before the
    first piece. With a ``beam_width`` of 1 the search is greedy.
    """
    n, device = len(state[0]), state[0].device
    state = tuple(part.expand(n, beam_width, *part.shape[2:]) for part in state)
    rows = torch.arange(n, device=device)[:, None]
    last = torch.full((n, beam_width), BEGIN, device=device)
    pieces = torch.empty((n, beam_width, 0), dtype=torch.long, device=device)
    total = torch.full((n, beam_width), -torch.inf, device=device)
    # All beams start equal, so all but one start with the score of an impossible answer.
    total[:, 0] = 0.0
    length = torch.zeros((n, beam_width), device=device)
    ended = torch.zeros((n, beam_width), dtype=torch.bool, device=device)
    for step_number in range(max_pieces + 1):
        scores, state = step(last, state)
        scores = scores.float()
        scores[:, :, [PAD, UNKNOWN, BEGIN]] = -torch.inf
        # An answer has a piece before END, and no more than ``max_pieces``.
        if step_number == 0:
            scores[:, :, END] = -torch.inf
        elif step_number == max_pieces:
            scores[:, :, END + 1 :] = -torch.inf
        # A finished answer is padded at no cost.
        scores[ended] = -torch.inf
        scores[:, :, PAD] = torch.where(ended, 0.0, -torch.inf)
        length = length + ~ended
        totals = total[:, :, None] + scores
        _, best = (totals / length[:, :, None]).flatten(1).topk(beam_width)
        # ``parent`` is the beam that each new beam continues, ``last`` the piece that it adds.
        parent, last = best // scores.shape[2], best % scores.shape[2]
        total = totals.flatten(1).gather(1, best)
        length, ended = length[rows, parent], ended[rows, parent] | (last == END)
        state = tuple(part[rows, parent] for part in state)
        pieces = torch.cat([pieces[rows, parent], last[:, :, None]], 2)
        if bool(ended.all()):
            break
    best_beam = (total / length).argmax(1)
    best_rows: list[list[int]] = pieces[rows[:, 0], best_beam].tolist()
    return [[piece for piece in row if piece not in (PAD, END)] for row in best_rows]
