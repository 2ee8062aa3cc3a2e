"""The loops of MMR: who knows whom, and one look at the candidates for one choice."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words, kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]

# Scores are compared in units of 10⁻¹²: what two sums of the same numbers differ by is no merit.
UNIT = 1e12
# What the rounding of a bound may hide, in the same units.
SLACK = 10.0
# Steps of a table that is never above the sigmoid, for one unit of its argument.
STEPS = 512


class Candidates(NamedTuple):
    """Columns, in the order of ``ceiling``: the largest msim that a pair may have, going down.

    ``msim`` is that too until the true one is ``known``. ``crossed`` is the largest sum of cross
    similarities with the first ``seen`` choices. ``group`` numbers the pairs of projects.
    """

    left: Ints
    right: Ints
    group: Ints
    ceiling: Floats
    msim: Floats
    known: NDArray[np.bool_]
    taken: NDArray[np.bool_]
    crossed: Floats
    seen: Ints


class Chosen(NamedTuple):
    """What the choices so far tell: ``project`` counts them by pair of projects, ``first`` and
    ``second`` by the file of the left and the right method.

    For each method a chain of the choices that it knows, from the latest: ``head`` is where it
    begins, then ``choice``, ``weight`` (its msim to both methods of that choice) and ``after``.
    """

    project: Places
    first: Places
    second: Places
    head: Ints
    choice: Ints
    weight: Floats
    after: Ints


class Rule(NamedTuple):
    """λ, how many are chosen, the table below the sigmoid, the seed, and a number and a file for
    each method."""

    relevance: float
    many: int
    low: Floats
    seed: np.uint64
    number: Words
    file: Ints


@kernel
def sigmoid(x: float) -> float:
    """2 / (1 + e^−x) − 1, from 0 to 1 for what is not negative."""
    return 2.0 / (1.0 + math.exp(-x)) - 1.0


@kernel
def table(most: float) -> Floats:
    """The sigmoid at the beginning of each step, and a little below."""
    found = np.empty(int(most * STEPS) + 2, dtype=np.float64)
    for i in range(len(found)):
        found[i] = max(0.0, sigmoid(i / STEPS) - 1e-12)
    return found


@kernel
def lot(seed: np.uint64, left: np.uint64, right: np.uint64) -> np.uint64:
    """A number that decides between equals: the smaller one is chosen."""
    x = seed
    for part in (left, right):
        x = x + part + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return x


@kernel
def neighbours(left: Ints, right: Ints, methods: int) -> tuple[Places, Ints, Ints]:
    """For each method the others that it is in a pair with, and the places of those pairs."""
    offsets = np.zeros(methods + 1, dtype=np.int64)
    for i in range(len(left)):
        offsets[left[i] + 1] += 1
        offsets[right[i] + 1] += 1
    for i in range(methods):
        offsets[i + 1] += offsets[i]
    fill = offsets[:-1].copy()
    other = np.empty(2 * len(left), dtype=np.int32)
    pair = np.empty_like(other)
    for i in range(len(left)):
        a, b = left[i], right[i]
        other[fill[a]], pair[fill[a]] = b, i
        fill[a] += 1
        other[fill[b]], pair[fill[b]] = a, i
        fill[b] += 1
    return offsets, other, pair


@kernel
def link(chosen: Chosen, methods: Ints, weights: Floats, choice: int, used: int) -> None:
    """Adds a choice to the chains of the methods that know it."""
    for i in range(len(methods)):
        at = used + i
        chosen.choice[at] = choice
        chosen.weight[at] = weights[i]
        chosen.after[at] = chosen.head[methods[i]]
        chosen.head[methods[i]] = at


@kernel
def _cross(chosen: Chosen, left: int, right: int, seen: int) -> float:
    """The largest cross similarity with a choice from ``seen`` on."""
    most = 0.0
    a, b = chosen.head[left], chosen.head[right]
    while True:
        one = chosen.choice[a] if a >= 0 else -1
        two = chosen.choice[b] if b >= 0 else -1
        latest = max(one, two)
        if latest < seen or latest < 0:
            return most
        total = 0.0
        if one == latest:
            total += chosen.weight[a]
            a = chosen.after[a]
        if two == latest:
            total += chosen.weight[b]
            b = chosen.after[b]
        most = max(most, total)


@kernel
def _score(of: Candidates, chosen: Chosen, rule: Rule, i: int) -> float:
    """The score of a candidate, rounded; of one whose msim is not known, a bound."""
    left, right, many = of.left[i], of.right[i], rule.many
    alike = of.crossed[i]
    if many > 0:
        if of.seen[i] < many:
            of.crossed[i] = max(alike, _cross(chosen, left, right, of.seen[i]))
            of.seen[i] = many
            alike = of.crossed[i]
        alike += chosen.project[of.group[i]] / many
        files = chosen.first[rule.file[left]] + chosen.second[rule.file[right]]
        alike += files / many
    value = rule.relevance * of.msim[i] - (1.0 - rule.relevance) * sigmoid(alike)
    return float(np.rint(value * UNIT))


@kernel
def _better(of: Candidates, rule: Rule, i: int, score: float, best: float, place: int) -> bool:
    """Whether a candidate comes before the best so far, whatever the order they come in."""
    if place < 0 or score != best:
        return score > best
    mine = lot(rule.seed, rule.number[of.left[i]], rule.number[of.right[i]])
    other = lot(rule.seed, rule.number[of.left[place]], rule.number[of.right[place]])
    if mine != other:
        return bool(mine < other)
    if of.left[i] != of.left[place]:
        return bool(of.left[i] < of.left[place])
    return bool(of.right[i] < of.right[place])


@kernel
def look(
    of: Candidates, chosen: Chosen, rule: Rule, begin: int, best: float, place: int, asked: Ints
) -> tuple[int, int, float, int]:
    """Goes on through the candidates until none further can win, or until ``asked`` is full of
    those whose msim has to be known. Gives where to go on (-1: done), the number asked for, the
    best score and its place.
    """
    many, wanted = rule.many, 0
    for i in range(begin, len(of.left)):
        if np.rint(rule.relevance * of.ceiling[i] * UNIT) + SLACK < best:
            return -1, wanted, best, place
        if of.taken[i]:
            continue
        alike = of.crossed[i]
        if many > 0:
            alike += chosen.project[of.group[i]] / many
        step = min(int(alike * STEPS), len(rule.low) - 1)
        bound = rule.relevance * of.msim[i] - (1.0 - rule.relevance) * rule.low[step]
        if bound * UNIT + SLACK < best:
            continue
        score = _score(of, chosen, rule, i)
        if score < best:
            continue
        if of.known[i]:
            if _better(of, rule, i, score, best, place):
                best, place = score, i
            continue
        asked[wanted] = i
        wanted += 1
        if wanted == len(asked):
            return i + 1, wanted, best, place
    return -1, wanted, best, place


@kernel
def weigh(
    of: Candidates, chosen: Chosen, rule: Rule, asked: Ints, best: float, place: int
) -> tuple[float, int]:
    """The best after the candidates that were asked for are known."""
    for i in asked:
        score = _score(of, chosen, rule, i)
        if _better(of, rule, i, score, best, place):
            best, place = score, i
    return best, place
