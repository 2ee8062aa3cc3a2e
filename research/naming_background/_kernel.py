"""Loops of the background, compiled: logistic regression over traits, one row of weights a trait.

Rows are lists of traits. The step sizes are AdaGrad's, each weight's own: traits are as uneven as
words, and what is rare should be learned fast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

Numbers = NDArray[np.float32]


@kernel
def learn(
    offsets: NDArray[np.int64],
    traits: NDArray[np.int32],
    verbs: NDArray[np.int32],
    order: NDArray[np.int64],
    weights: Numbers,
    seen: Numbers,
    rate: float,
) -> float:
    """One pass over the rows in an order; the mean loss on the way. ``seen`` sums squared
    gradients."""
    many = weights.shape[1]
    odds = np.empty(many, np.float32)
    loss = 0.0
    for row in order:
        start, end = offsets[row], offsets[row + 1]
        odds[:] = 0
        for place in range(start, end):
            own = weights[traits[place]]
            for verb in range(many):
                odds[verb] += own[verb]
        top = odds.max()
        total = np.float32(0)
        for verb in range(many):
            odds[verb] = np.exp(odds[verb] - top)
            total += odds[verb]
        for verb in range(many):
            odds[verb] /= total
        loss -= np.log(odds[verbs[row]] + 1e-12)
        odds[verbs[row]] -= 1
        for place in range(start, end):
            own, sums = weights[traits[place]], seen[traits[place]]
            for verb in range(many):
                slope = odds[verb]
                if slope > 1e-4 or slope < -1e-4:
                    sums[verb] += slope * slope
                    own[verb] -= rate * slope / np.sqrt(sums[verb] + 1e-2)
    return loss / max(1, len(order))
