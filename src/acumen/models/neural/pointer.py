"""A decoder that says a name piece by piece and may copy each from the input.

    x = X [c'; embedding of the piece before]          c' is what was looked at then
    h, m = LSTM(x)
    e = v · tanh(K s + Q [h; m])                       for the state s of each position
    a = p ⊙ exp(e), over its sum                       p is how telling its place is
    c = Σ a s
    g = σ(w · [c; h; m; x])
    P(word) = g · softmax(V U [h; c]) + (1 - g) · Σ a over the positions where the word stands

Words of the input that the vocabulary lacks are numbered behind it, for each example anew: they can
be copied, though not be said. Shapes: n examples, l positions, k pieces at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from acumen.models.neural._beam import State, spoken
from acumen.models.neural.vocabulary import BEGIN, PAD, UNKNOWN

_TINY = 1e-12


class Source(NamedTuple):
    """``words`` (n, l) are extended numbers, ``states`` (n, l, d) what was read; ``telling`` (n, l)
    is 0 where there is nothing."""

    words: Tensor
    states: Tensor
    telling: Tensor


class Pointer(nn.Module):
    def __init__(self, embedding: nn.Embedding, hidden: int, dropout: float) -> None:
        super().__init__()
        pieces, size = embedding.num_embeddings, embedding.embedding_dim
        self.embedding, self.pieces = embedding, pieces
        self.given = nn.Linear(2 * hidden + size, size)
        self.cell = nn.LSTMCell(size, hidden)
        self.key = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.query = nn.Linear(2 * hidden, 2 * hidden)
        self.score = nn.Linear(2 * hidden, 1, bias=False)
        self.gate = nn.Linear(4 * hidden + size, 1)
        self.blend = nn.Linear(3 * hidden, hidden)
        self.out = nn.Linear(hidden, pieces)
        self.dropout = nn.Dropout(dropout)

    def begin(self, hidden: Tensor, cell: Tensor, source: Source) -> State:
        """The state before anything was said; ``hidden`` and ``cell`` are (n, d)."""
        looked = source.states.new_zeros(len(hidden), 1, source.states.shape[2])
        return hidden[:, None], cell[:, None], looked

    def attention(self, query: Tensor, keys: Tensor, telling: Tensor) -> Tensor:
        """(n, k, l): a softmax in which each position weighs as much as its place tells."""
        scores: Tensor = self.score((keys[:, None] + query[:, :, None]).tanh())[..., 0].float()
        there = telling[:, None] > 0
        scores = scores + telling.clamp_min(_TINY).log()[:, None]
        return scores.masked_fill(~there, torch.finfo(scores.dtype).min).softmax(2)

    def look(
        self, last: Tensor, state: State, source: Source, keys: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, State]:
        """What the pieces ``last`` (n, k) lead to: scores of the vocabulary (n, k, v), the gate
        (n, k), the attention (n, k, l), and the state after them."""
        known = last.where(last < self.pieces, UNKNOWN)
        hidden, cell, looked = state
        given = self.given(torch.cat([looked, self.embedding(known)], 2))
        n, k = last.shape
        flat = (hidden.reshape(n * k, -1), cell.reshape(n * k, -1))
        hidden, cell = (one.view(n, k, -1) for one in self.cell(given.view(n * k, -1), flat))
        inside = torch.cat([hidden, cell], 2)
        weights = self.attention(self.query(inside), keys, source.telling)
        looked = weights.to(source.states.dtype) @ source.states
        gate = self.gate(torch.cat([looked, inside, given], 2))[..., 0].float().sigmoid()
        scores = self.out(self.dropout(self.blend(torch.cat([hidden, looked], 2))))
        return scores.float(), gate, weights, (hidden, cell, looked)

    def loss(self, source: Source, state: State, target: Tensor) -> Tensor:
        """``target`` (n, t) has extended numbers and ends with END. For each example the mean over
        its pieces, and of these the mean."""
        keys = self.dropout(self.key(source.states))
        last = torch.full_like(target[:, :1], BEGIN)
        lost = []
        for at in range(target.shape[1]):
            scores, gate, weights, state = self.look(last, state, source, keys)
            last = target[:, at : at + 1]
            lost.append(-self.chance(last, scores, gate, weights, source).log())
        said = (target != PAD).float()
        return ((torch.cat(lost, 1) * said).sum(1) / said.sum(1)).mean()

    def chance(
        self, wanted: Tensor, scores: Tensor, gate: Tensor, weights: Tensor, source: Source
    ) -> Tensor:
        """How likely the pieces ``wanted`` (n, k) are, without the distribution over all."""
        known = wanted.where(wanted < self.pieces, PAD)
        named = scores.log_softmax(2).gather(2, known[:, :, None])[..., 0].exp()
        named = named * (wanted < self.pieces)
        copied = (weights * (source.words[:, None] == wanted[:, :, None])).sum(2)
        return (gate * named + (1 - gate) * copied).clamp_min(_TINY)

    def distribution(self, scores: Tensor, gate: Tensor, weights: Tensor, words: Tensor) -> Tensor:
        """(n, k, v + own): over the vocabulary and each example's own words behind it."""
        own = max(0, int(words.max()) + 1 - self.pieces)
        named = gate[..., None] * scores.softmax(2)
        whole = functional.pad(named, (0, own))
        places = words[:, None].expand(weights.shape)
        return whole.scatter_add(2, places, (1 - gate)[..., None] * weights)

    def predict(self, source: Source, state: State, width: int, longest: int) -> list[list[int]]:
        keys = self.key(source.states)

        def step(last: Tensor, state: State) -> tuple[Tensor, State]:
            scores, gate, weights, state = self.look(last, state, source, keys)
            chances = self.distribution(scores, gate, weights, source.words)
            return chances.clamp_min(_TINY).log(), state

        return spoken(step, state, width, longest)
