"""Saying an answer piece by piece, with the few likeliest beginnings kept at every step.

Shapes: n examples, k beginnings of each, v pieces to choose from.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from acumen.models.neural.vocabulary import BEGIN, END, PAD, UNKNOWN

# What is carried from step to step, each of shape (n, k, ...).
State = tuple[Tensor, ...]
# The pieces said last (n, k) and the state give the logarithms of probabilities (n, k, v).
Step = Callable[[Tensor, State], tuple[Tensor, State]]


def spoken(step: Step, state: State, width: int, longest: int) -> list[list[int]]:
    """The likeliest of ``width`` answers for each example, by the mean over its pieces, END
    included. An answer has one piece at least. With a width of 1 each piece is the likeliest."""
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
