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
def run_adagrad_pass(
    offsets: NDArray[np.int64],
    traits: NDArray[np.int32],
    labels: NDArray[np.int32],
    order: NDArray[np.int64],
    weights: Numbers,
    squared_gradients: Numbers,
    rate: float,
) -> float:
    """Update the weights in one pass over the rows in the given order; return the mean loss.

    ``squared_gradients`` accumulates the squared gradients of AdaGrad.
    """
    class_count = weights.shape[1]
    scores = np.empty(class_count, np.float32)
    loss = 0.0
    for row in order:
        start, end = offsets[row], offsets[row + 1]
        scores[:] = 0
        for position in range(start, end):
            trait_weights = weights[traits[position]]
            for label in range(class_count):
                scores[label] += trait_weights[label]
        highest = scores.max()
        total = np.float32(0)
        for label in range(class_count):
            scores[label] = np.exp(scores[label] - highest)
            total += scores[label]
        for label in range(class_count):
            scores[label] /= total
        loss -= np.log(scores[labels[row]] + 1e-12)
        scores[labels[row]] -= 1
        for position in range(start, end):
            trait_weights, trait_squares = (
                weights[traits[position]],
                squared_gradients[traits[position]],
            )
            for label in range(class_count):
                gradient = scores[label]
                if gradient > 1e-4 or gradient < -1e-4:
                    trait_squares[label] += gradient * gradient
                    trait_weights[label] -= rate * gradient / np.sqrt(trait_squares[label] + 1e-2)
    return loss / max(1, len(order))
