"""What the Transformer has besides its encoder: what is masked to be guessed, and its heads.

Shapes: n examples, l positions of the input, t parts of the answer, d dimensions, v parts known.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from acumen.lang.columns import Ragged
from acumen.models.neural.subwords_input import Subwords
from acumen.models.neural.tensors import mask_of

# Of what is chosen to be guessed: so much is shown as <mask>, and so much as any other part; the
# rest is shown as it is.
_AS_MASK, _AS_OTHER = 0.8, 0.1


class Masking:
    """BERT's: ``share`` of the parts are to be guessed. No special token is."""

    def __init__(self, subwords: Subwords, share: float) -> None:
        self.share, self.mask = share, subwords.mask
        self.ordinary = np.setdiff1d(np.arange(len(subwords), dtype=np.int32), subwords.specials)
        self.guessable = np.zeros(len(subwords), bool)
        self.guessable[self.ordinary] = True

    def __call__(
        self, column: Ragged, draw: np.random.Generator | None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """What is shown, and where it is to be guessed; both flat, as the column's values."""
        values: NDArray[np.int32] = column.values
        chance = _hashed(column) if draw is None else draw.random((3, len(values)))
        chosen = self.guessable[values] & (chance[0] < self.share)
        other = self.ordinary[(chance[2] * len(self.ordinary)).astype(np.int64)]
        shown = np.where(chosen & (chance[1] < _AS_MASK), np.int32(self.mask), values)
        swapped = chosen & (chance[1] >= _AS_MASK) & (chance[1] < _AS_MASK + _AS_OTHER)
        return np.where(swapped, other, shown), chosen


def _hashed(column: Ragged) -> NDArray[np.float64]:
    """Three numbers in [0, 1) for each part, which hang on nothing but its text and its place: dev
    is always asked the same, whatever stands beside it in a batch."""
    lengths = np.diff(column.offsets)
    starts = np.repeat(column.offsets[:-1], lengths)
    place = (np.arange(len(column.values)) - starts + column.offsets[0]).astype(np.uint64)
    parts = _mixed(_mixed(column.values.astype(np.uint64)) + place)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(parts, dtype=np.uint64)])
    ends = column.offsets - column.offsets[0]
    text = np.repeat(sums[ends[1:]] - sums[ends[:-1]], lengths)
    found = _mixed(text + place * np.uint64(3) + np.arange(3, dtype=np.uint64)[:, None])
    return (found >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's step: near numbers come out far from each other."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class GuessHead(nn.Module):
    """RoBERTa's: LayerNorm(GELU(W h)), compared with the embedding of every part."""

    def __init__(self, width: int, parts: int, epsilon: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.layer_norm = nn.LayerNorm(width, eps=epsilon)
        self.bias = nn.Parameter(torch.zeros(parts))
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        seen = self.layer_norm(functional.gelu(self.dense(states)))
        return functional.linear(seen, table, self.bias)


class SubwordDecoder(nn.Module):
    """Says an answer part by part: a transformer's decoder that looks at all of the input.

    The first thing it is given is the state at the place asked about; then come the parts said so
    far, by the encoder's own embeddings (``table``), with which what it says is compared too.
    """

    def __init__(
        self, width: int, parts: int, *, layers: int, heads: int, inner: int, dropout: float,
        longest: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.longest = longest
        self.positions = nn.Embedding(longest + 1, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        layer = nn.TransformerDecoderLayer(width, heads, inner, dropout, "gelu", batch_first=True)
        self.layers = nn.TransformerDecoder(layer, layers)
        self.bias = nn.Parameter(torch.zeros(parts))
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(
        self, table: Tensor, place: Tensor, said: Tensor, states: Tensor, mask: Tensor
    ) -> Tensor:
        """Scores (n, t + 1, v) of what comes after ``place`` (n, d), and after each ``said``."""
        given = torch.cat([place[:, None], functional.embedding(said, table)], 1)
        steps = given.shape[1]
        given = self.dropout(self.norm(given + self.positions.weight[:steps]))
        later = torch.ones(steps, steps, dtype=torch.bool, device=said.device).triu(1)
        seen = self.layers(given, states, tgt_mask=later, memory_key_padding_mask=~mask)
        return functional.linear(seen, table, self.bias)

    def loss(
        self, table: Tensor, place: Tensor, states: Tensor, mask: Tensor, target: Tensor,
        sizes: Tensor,
    ) -> Tensor:  # fmt: skip
        """Mean over the parts of the targets (n, t), each of which ends with </s>."""
        there = mask_of(sizes, target.shape[1])
        target = target.masked_fill(~there, 0)
        scores = self(table, place, target[:, :-1], states, mask)
        return functional.cross_entropy(scores[there], target[there])

    def predict(
        self, table: Tensor, place: Tensor, states: Tensor, mask: Tensor, subwords: Subwords
    ) -> list[list[int]]:
        """The likeliest part at each step, until </s>; an answer has one part at least."""
        said = torch.zeros(len(place), 0, dtype=torch.long, device=place.device)
        ended = torch.zeros(len(place), dtype=torch.bool, device=place.device)
        never = [one for one in subwords.specials if one != subwords.end]
        for step in range(self.longest + 1):
            scores = self(table, place, said, states, mask)[:, -1]
            scores[:, never if step else list(subwords.specials)] = -torch.inf
            best = scores.argmax(1)
            said = torch.cat([said, best[:, None]], 1)
            ended |= best == subwords.end
            if bool(ended.all()):
                break
        rows: list[list[int]] = said.tolist()
        return rows
