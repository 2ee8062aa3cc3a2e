"""Vectors of words and of names, learned with negative sampling in batches on any device.

Skip-gram (Mikolov et al., 2013): a word tells its neighbours from words that are drawn. Paragraph
vectors in their simplest form (PV-DBOW, Le and Mikolov, 2014): a name tells its words from others.

A batch is one step for all that is in it, and what is drawn is drawn for all of it. A vector that
is in it often would be thrown about by the sum of its steps: it goes no farther than one whole step
of their mean. All that is drawn hangs on the seed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# Words of a batch, and words that are drawn for it.
BATCH, DRAWN = 2048, 512
# The rate falls to this share of what it was.
_LAST = 1e-4
# Names are found by so many steps from nothing, of so much of the gradient.
_STEPS, _STEP = 50, 0.5


@dataclass(frozen=True, slots=True)
class Learning:
    """``negative``: how many drawn words weigh as much as they would for each true one."""

    size: int
    rate: float
    epochs: int
    negative: int = 5
    seed: int = 0


class Noise:
    """Words by their frequency to the power 3/4, drawn with one stream of random numbers."""

    def __init__(self, counts: NDArray[np.int64], seed: Sequence[int]) -> None:
        shares = np.cumsum(counts.astype(np.float64) ** 0.75)
        self.shares = shares / shares[-1]
        self.random = np.random.default_rng(seed)

    def draw(self, many: int) -> NDArray[np.int64]:
        return np.searchsorted(self.shares, self.random.random(many), side="right")


def begun(many: int, size: int, seed: Sequence[int], device: str) -> Tensor:
    """Where vectors begin, as in word2vec."""
    random = np.random.default_rng(seed).random((many, size), dtype=np.float32)
    return torch.from_numpy((random - np.float32(0.5)) / np.float32(size)).to(device)


def move(table: Tensor, rows: Tensor, gradient: Tensor, weight: Tensor, rate: float) -> None:
    """Rows go up their gradients, in place. ``weight``: how many steps each gradient is."""
    there, place = rows.unique(return_inverse=True)
    many = _summed(place, weight, len(there))
    step = rate / (rate * many).clamp(min=1.0)
    table[there] += _summed(place, gradient, len(there)) * step[:, None]


def _summed(place: Tensor, values: Tensor, size: int) -> Tensor:
    made = values.new_zeros(size, *values.shape[1:])
    if values.is_cuda:
        # In one order: index_add_ there adds in whichever order the threads come.
        return made.index_put_((place,), values, accumulate=True)
    return made.index_add_(0, place, values)


# --------------------------------------------------------------------------------------
# Words
# --------------------------------------------------------------------------------------


def word_vectors(
    words: NDArray[np.int32],
    text: NDArray[np.int32],
    many: int,
    window: int,
    how: Learning,
    device: str = "cpu",
) -> Tensor:
    """(many, size). ``text``: which text each word is in; those of a text follow each other. A word
    that is in none has a vector of zeros: nothing is known of it."""
    counts = np.bincount(words, minlength=many)
    rows = begun(many, how.size, (how.seed, 0), device)
    others = torch.zeros_like(rows)
    noise = Noise(counts, (how.seed, 1))
    stream = torch.from_numpy(words.astype(np.int64)).to(device)
    texts = torch.from_numpy(text.astype(np.int64)).to(device)
    steps = -(-len(words) // BATCH)
    order = np.random.default_rng((how.seed, 2))
    done = 0
    for _ in range(how.epochs):
        for at in order.permutation(steps).tolist():
            rate = _falling(how.rate, done, how.epochs * steps)
            here = slice(at * BATCH, (at + 1) * BATCH)
            drawn = torch.from_numpy(noise.draw(DRAWN)).to(device)
            word_step(rows, others, stream[here], texts[here], drawn, window, how.negative, rate)
            done += 1
    rows[torch.from_numpy(counts == 0).to(device)] = 0.0
    return rows.cpu()


def in_scale(vectors: Tensor, words: NDArray[np.int32]) -> Tensor:
    """Such that the values of a text's words have a mean square of one."""
    counts = torch.from_numpy(np.bincount(words, minlength=len(vectors))).to(vectors.dtype)
    square = (vectors.square().mean(1) * counts).sum() / counts.sum().clamp(min=1)
    return vectors / square.sqrt().clamp(min=1e-12)


def word_step(
    rows: Tensor,
    others: Tensor,
    words: Tensor,
    texts: Tensor,
    drawn: Tensor,
    window: int,
    negative: int,
    rate: float,
) -> None:
    """One step up the gradient of  Σ w(o) [log σ(vᵢ·uⱼ) + negative · mean over n of log σ(-vᵢ·uₙ)],
    over all words i and j of a text that are o ≤ window apart. word2vec draws for each word how far
    it looks; w(o) = (window - o + 1) / window is how often it looks that far."""
    mine, theirs, noise = rows[words], others[words], others[drawn]
    for_mine, for_theirs = torch.zeros_like(mine), torch.zeros_like(theirs)
    pairs = mine.new_zeros(len(words))
    for apart in range(1, min(window, len(words) - 1) + 1):
        left, right = slice(None, -apart), slice(apart, None)
        share = (window - apart + 1) / window
        together = (texts[left] == texts[right]).to(mine.dtype) * share
        for one, other in ((left, right), (right, left)):
            error = torch.sigmoid(-(mine[one] * theirs[other]).sum(1)) * together
            for_mine[one] += error[:, None] * theirs[other]
            for_theirs[other] += error[:, None] * mine[one]
            pairs[one] += together
    share_of_each = negative / len(drawn)
    wrong = torch.sigmoid(mine @ noise.T) * (pairs * share_of_each)[:, None]
    for_mine -= wrong @ noise
    for_noise = -(wrong.T @ mine)
    of_noise = (pairs.sum() * share_of_each).expand(len(drawn))
    move(rows, words, for_mine, pairs, rate)
    move(
        others,
        torch.cat([words, drawn]),
        torch.cat([for_theirs, for_noise]),
        torch.cat([pairs, of_noise]),
        rate,
    )


def _falling(rate: float, done: int, total: int) -> float:
    return rate * max(_LAST, 1 - done / max(1, total))


# --------------------------------------------------------------------------------------
# Names
# --------------------------------------------------------------------------------------


def name_word_vectors(
    names: NDArray[np.int64],
    words: NDArray[np.int64],
    many: int,
    how: Learning,
    device: str = "cpu",
) -> tuple[Tensor, NDArray[np.int64]]:
    """The vectors of the words that names are told by, (many, size), and words drawn by their
    frequency, which names are found with. ``names``: the name of each method, a row of ``words``:
    the numbers of its words, zeros behind."""
    counts = np.bincount(words[names].ravel(), minlength=many)
    counts[0] = 0
    if not counts.any():
        counts[-1] = 1
    rows = begun(len(words), how.size, (how.seed, 3), device)
    others = torch.zeros(many, how.size, device=device)
    noise = Noise(counts, (how.seed, 4))
    order = np.random.default_rng((how.seed, 5))
    table = torch.from_numpy(words).to(device)
    steps = -(-len(names) // BATCH)
    done = 0
    for _ in range(how.epochs):
        shuffled = order.permutation(names)
        for at in range(0, len(names), BATCH):
            some = torch.from_numpy(shuffled[at : at + BATCH]).to(device)
            drawn = torch.from_numpy(noise.draw(DRAWN)).to(device)
            rate = _falling(how.rate, done, how.epochs * steps)
            _name_step(rows, others, some, table[some], drawn, how.negative, rate)
            done += 1
    return others.cpu(), np.sort(noise.draw(DRAWN))


def _name_step(
    rows: Tensor,
    others: Tensor,
    names: Tensor,
    words: Tensor,
    drawn: Tensor,
    negative: int,
    rate: float,
) -> None:
    mine, there = rows[names], (words > 0).to(rows.dtype)
    error, wrong, up = _name_errors(mine, words, others, drawn, negative)
    for_words = (error[:, :, None] * mine[:, None]).flatten(0, 1)
    of_noise = (there.sum() * negative / len(drawn)).expand(len(drawn))
    move(rows, names, up, there.sum(1), rate)
    move(
        others,
        torch.cat([words.flatten(), drawn]),
        torch.cat([for_words, -(wrong.T @ mine)]),
        torch.cat([there.flatten(), of_noise]),
        rate,
    )
    others[0] = 0.0


def _name_errors(
    mine: Tensor, words: Tensor, others: Tensor, drawn: Tensor, negative: int
) -> tuple[Tensor, Tensor, Tensor]:
    """How much is missing of each word (n, w) and too much of what is drawn (n, drawn), and the
    gradient of the names, (n, size)."""
    theirs, noise = others[words], others[drawn]
    there = (words > 0).to(mine.dtype)
    error = torch.sigmoid(-(theirs @ mine[:, :, None])[:, :, 0]) * there
    weight = there.sum(1, keepdim=True) * (negative / len(drawn))
    wrong = torch.sigmoid(mine @ noise.T) * weight
    return error, wrong, (error[:, None] @ theirs)[:, 0] - wrong @ noise


def found_names(words: Tensor, others: Tensor, drawn: Tensor, negative: int = 5) -> Tensor:
    """Unit vectors of names, (n, size), from the vectors of their words, which stay: what training
    would have made of a name, found from nothing. So a name has one vector, seen or not. Zeros
    where no word is known."""
    # The gradient rises no faster than by a quarter of the longest vector's square for each word.
    steepest = (others * others).sum(1).max().clamp(min=1e-12) / 4
    made = []
    for some in words.split(BATCH):
        sizes = (some > 0).sum(1, keepdim=True).clamp(min=1) * (1 + negative)
        mine = others.new_zeros(len(some), others.shape[1])
        for _ in range(_STEPS):
            *_, up = _name_errors(mine, some, others, drawn, negative)
            mine += up * (_STEP / (steepest * sizes))
        made.append(mine * (some > 0).any(1, keepdim=True))
    return torch.nn.functional.normalize(torch.cat(made), dim=1)
