"""Vectors of words and of names for Spot, trained with negative sampling on any device.

Words are trained with skip-gram (Mikolov et al., 2013): a word's vector predicts its neighbours.
Names are trained as paragraph vectors (PV-DBOW, Le and Mikolov, 2014): a name's vector predicts its
words. ``networks.spot_cnn`` calls both.

All words of a batch are updated in one step and share their negative samples. A vector that occurs
often in a batch would diverge under the sum of its gradients, so its step is at most their mean.
All random numbers depend on the seed alone. Word 0 is padding. Shapes: n words or names, w words of
a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# Number of words or names in a batch, and of its negative samples.
BATCH, NEGATIVES = 2048, 512
# The negative samples of a batch together weigh as much as this many for each true word.
NEGATIVE_WEIGHT = 5
# The learning rate decays linearly to this share of its initial value.
_FINAL_RATE_SHARE = 1e-4
# Steps of gradient ascent that infer a name's vector, and their size relative to the largest one
# that the gradient's Lipschitz constant allows.
_STEPS, _STEP = 50, 0.5


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """Hyper-parameters: size of a vector, initial learning rate, epochs.

    ``negative`` is the weight of the negative samples together for each true word.
    """

    size: int
    rate: float
    epochs: int
    negative: int = NEGATIVE_WEIGHT
    seed: int = 0


class NoiseSampler:
    """Samples words with probabilities proportional to their frequency to the power 3/4."""

    def __init__(self, counts: NDArray[np.int64], seed: Sequence[int]) -> None:
        shares = np.cumsum(counts.astype(np.float64) ** 0.75)
        self.shares = shares / shares[-1]
        self.random = np.random.default_rng(seed)

    def sample(self, count: int) -> NDArray[np.int64]:
        """Return the numbers of ``count`` words, sampled with replacement."""
        return np.searchsorted(self.shares, self.random.random(count), side="right")


def init_vectors(count: int, size: int, seed: Sequence[int], device: str) -> Tensor:
    """Return initial vectors (count, size), uniform in ±1 / (2 size) as in word2vec."""
    random = np.random.default_rng(seed).random((count, size), dtype=np.float32)
    return torch.from_numpy((random - np.float32(0.5)) / np.float32(size)).to(device)


def apply_gradients(
    table: Tensor, rows: Tensor, gradient: Tensor, weight: Tensor, rate: float
) -> None:
    """Add gradients to the rows of a table, in place.

    ``gradient`` (n, size) has a gradient for each of ``rows`` (n), which may repeat, and ``weight``
    (n) the number of word pairs in it. A row's step is at most the mean gradient of its pairs.
    """
    distinct_rows, index = rows.unique(return_inverse=True)
    step_counts = _sum_by_index(index, weight, len(distinct_rows))
    step = rate / (rate * step_counts).clamp(min=1.0)
    table[distinct_rows] += _sum_by_index(index, gradient, len(distinct_rows)) * step[:, None]


def _sum_by_index(index: Tensor, values: Tensor, size: int) -> Tensor:
    """Return ``size`` rows: the sums of the values with each index."""
    sums = values.new_zeros(size, *values.shape[1:])
    if values.is_cuda:
        # Deterministic: on a GPU, index_add_ sums in the order in which the threads finish.
        return sums.index_put_((index,), values, accumulate=True)
    return sums.index_add_(0, index, values)


# --------------------------------------------------------------------------------------
# Words
# --------------------------------------------------------------------------------------


def learn_word_vectors(
    words: NDArray[np.int32],
    text_of_word: NDArray[np.int32],
    vocabulary_size: int,
    window: int,
    options: LearningOptions,
    device: str = "cpu",
) -> Tensor:
    """Train skip-gram vectors of words and return them, (vocabulary_size, size), on the CPU.

    ``words`` are the numbers of the words of all texts, one text after the other, and
    ``text_of_word`` has the number of each word's text. A word that never occurs gets a vector of
    zeros.
    """
    counts = np.bincount(words, minlength=vocabulary_size)
    vectors = init_vectors(vocabulary_size, options.size, (options.seed, 0), device)
    context_vectors = torch.zeros_like(vectors)
    noise = NoiseSampler(counts, (options.seed, 1))
    stream = torch.from_numpy(words.astype(np.int64)).to(device)
    texts = torch.from_numpy(text_of_word.astype(np.int64)).to(device)
    steps = -(-len(words) // BATCH)
    order = np.random.default_rng((options.seed, 2))
    done = 0
    for _ in range(options.epochs):
        for step in order.permutation(steps).tolist():
            rate = _decay_rate(options.rate, done, options.epochs * steps)
            batch = slice(step * BATCH, (step + 1) * BATCH)
            negatives = torch.from_numpy(noise.sample(NEGATIVES)).to(device)
            update_word_vectors(
                vectors,
                context_vectors,
                stream[batch],
                texts[batch],
                negatives,
                window,
                options.negative,
                rate,
            )
            done += 1
    vectors[torch.from_numpy(counts == 0).to(device)] = 0.0
    return vectors.cpu()


def normalise_scale(vectors: Tensor, words: NDArray[np.int32]) -> Tensor:
    """Return the vectors scaled so that over the words of the texts their mean square is 1."""
    counts = torch.from_numpy(np.bincount(words, minlength=len(vectors))).to(vectors.dtype)
    mean_square = (vectors.square().mean(1) * counts).sum() / counts.sum().clamp(min=1)
    return vectors / mean_square.sqrt().clamp(min=1e-12)


def update_word_vectors(
    vectors: Tensor,
    context_vectors: Tensor,
    words: Tensor,
    texts: Tensor,
    negatives: Tensor,
    window: int,
    negative: int,
    rate: float,
) -> None:
    """Update the vectors of a batch of consecutive words by one step of gradient ascent.

    The objective is  Σ w(o) [log σ(vᵢ·uⱼ) + negative · mean over n of log σ(-vᵢ·uₙ)]  over all
    words i and j of a text at a distance o ≤ window. word2vec samples a window for each word;
    w(o) = (window - o + 1) / window is the probability that it includes the distance o.
    """
    word_rows, context_rows, negative_rows = (
        vectors[words],
        context_vectors[words],
        context_vectors[negatives],
    )
    word_gradient, context_gradient = torch.zeros_like(word_rows), torch.zeros_like(context_rows)
    pairs = word_rows.new_zeros(len(words))
    for distance in range(1, min(window, len(words) - 1) + 1):
        left, right = slice(None, -distance), slice(distance, None)
        share = (window - distance + 1) / window
        is_pair = (texts[left] == texts[right]).to(word_rows.dtype) * share
        for centre, context in ((left, right), (right, left)):
            error = torch.sigmoid(-(word_rows[centre] * context_rows[context]).sum(1)) * is_pair
            word_gradient[centre] += error[:, None] * context_rows[context]
            context_gradient[context] += error[:, None] * word_rows[centre]
            pairs[centre] += is_pair
    share_of_each = negative / len(negatives)
    noise_error = torch.sigmoid(word_rows @ negative_rows.T) * (pairs * share_of_each)[:, None]
    word_gradient -= noise_error @ negative_rows
    negative_gradient = -(noise_error.T @ word_rows)
    negative_weight = (pairs.sum() * share_of_each).expand(len(negatives))
    apply_gradients(vectors, words, word_gradient, pairs, rate)
    apply_gradients(
        context_vectors,
        torch.cat([words, negatives]),
        torch.cat([context_gradient, negative_gradient]),
        torch.cat([pairs, negative_weight]),
        rate,
    )


def _decay_rate(rate: float, done: int, total: int) -> float:
    """Return the learning rate after ``done`` of ``total`` steps."""
    return rate * max(_FINAL_RATE_SHARE, 1 - done / max(1, total))


# --------------------------------------------------------------------------------------
# Names
# --------------------------------------------------------------------------------------


def learn_name_word_vectors(
    names: NDArray[np.int64],
    words: NDArray[np.int64],
    vocabulary_size: int,
    options: LearningOptions,
    device: str = "cpu",
) -> tuple[Tensor, NDArray[np.int64]]:
    """Train PV-DBOW on the methods' names.

    Return the output vectors of words (vocabulary_size, size), and a fixed sample of negatives for
    ``infer_name_vectors``. ``names`` has the row in ``words`` of each method's name; ``words``
    (distinct names, w) has the numbers of each name's words, padded with zeros.
    """
    counts = np.bincount(words[names].ravel(), minlength=vocabulary_size)
    counts[0] = 0
    # Without a known word there is nothing to learn, but ``NoiseSampler`` needs a word.
    if not counts.any():
        counts[-1] = 1
    name_vectors = init_vectors(len(words), options.size, (options.seed, 3), device)
    word_vectors = torch.zeros(vocabulary_size, options.size, device=device)
    noise = NoiseSampler(counts, (options.seed, 4))
    order = np.random.default_rng((options.seed, 5))
    table = torch.from_numpy(words).to(device)
    steps = -(-len(names) // BATCH)
    done = 0
    for _ in range(options.epochs):
        shuffled = order.permutation(names)
        for start in range(0, len(names), BATCH):
            batch_names = torch.from_numpy(shuffled[start : start + BATCH]).to(device)
            negatives = torch.from_numpy(noise.sample(NEGATIVES)).to(device)
            rate = _decay_rate(options.rate, done, options.epochs * steps)
            _update_name_vectors(
                name_vectors,
                word_vectors,
                batch_names,
                table[batch_names],
                negatives,
                options.negative,
                rate,
            )
            done += 1
    return word_vectors.cpu(), np.sort(noise.sample(NEGATIVES))


def _update_name_vectors(
    name_vectors: Tensor,
    word_vectors: Tensor,
    names: Tensor,
    words: Tensor,
    negatives: Tensor,
    negative: int,
    rate: float,
) -> None:
    """Update the vectors of a batch of names and of words by one step of gradient ascent."""
    name_rows, is_word = name_vectors[names], (words > 0).to(name_vectors.dtype)
    error, noise_error, name_gradient = _compute_name_errors(
        name_rows, words, word_vectors, negatives, negative
    )
    word_gradient = (error[:, :, None] * name_rows[:, None]).flatten(0, 1)
    negative_weight = (is_word.sum() * negative / len(negatives)).expand(len(negatives))
    apply_gradients(name_vectors, names, name_gradient, is_word.sum(1), rate)
    apply_gradients(
        word_vectors,
        torch.cat([words.flatten(), negatives]),
        torch.cat([word_gradient, -(noise_error.T @ name_rows)]),
        torch.cat([is_word.flatten(), negative_weight]),
        rate,
    )
    word_vectors[0] = 0.0


def _compute_name_errors(
    name_rows: Tensor, words: Tensor, word_vectors: Tensor, negatives: Tensor, negative: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the errors of true words and of negatives, and the gradient of the names' vectors.

    An error is the absolute derivative of the objective by the product of a name's and a word's
    vector, (n, w) for true words and (n, negatives) for negatives; the gradient is (n, size).
    """
    word_rows, negative_rows = word_vectors[words], word_vectors[negatives]
    is_word = (words > 0).to(name_rows.dtype)
    error = torch.sigmoid(-(word_rows @ name_rows[:, :, None])[:, :, 0]) * is_word
    weight = is_word.sum(1, keepdim=True) * (negative / len(negatives))
    noise_error = torch.sigmoid(name_rows @ negative_rows.T) * weight
    return error, noise_error, (error[:, None] @ word_rows)[:, 0] - noise_error @ negative_rows


def infer_name_vectors(words: Tensor, word_vectors: Tensor, negatives: Tensor) -> Tensor:
    """Return unit vectors of names (n, size), inferred by gradient ascent from zero.

    The vectors of words are fixed, so a name gets the same vector whether it was in training or
    not. A name without a known word gets zeros. ``words`` (n, w) is padded with zeros.
    """
    # The gradient's Lipschitz constant is at most a quarter of the largest squared norm per word.
    steepest = (word_vectors * word_vectors).sum(1).max().clamp(min=1e-12) / 4
    vectors = []
    for chunk in words.split(BATCH):
        sizes = (chunk > 0).sum(1, keepdim=True).clamp(min=1) * (1 + NEGATIVE_WEIGHT)
        name_rows = word_vectors.new_zeros(len(chunk), word_vectors.shape[1])
        for _ in range(_STEPS):
            *_, gradient = _compute_name_errors(
                name_rows, chunk, word_vectors, negatives, NEGATIVE_WEIGHT
            )
            name_rows += gradient * (_STEP / (steepest * sizes))
        vectors.append(name_rows * (chunk > 0).any(1, keepdim=True))
    return torch.nn.functional.normalize(torch.cat(vectors), dim=1)
