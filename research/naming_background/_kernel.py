"""Compiled multinomial logistic regression over traits, with a row of weights for each trait.

A method is a list of traits. AdaGrad gives each weight its own step size: the frequencies of traits
are as uneven as those of words, and rare traits should be learned fast.
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
    """Update the weights in one pass over the rows in the given order; return the mean loss.

    ``squared_gradients`` accumulates the squared gradients of AdaGrad.
    """
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
