"""Kernels of the MMR sampler: lists of neighbours, and the scan of the candidates for a choice."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words, kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]

# Scores are compared in units of 10⁻¹², so that the rounding errors of sums decide nothing.
UNIT = 1e12
# Tolerance for the rounding of a bound, in the same units.
SLACK = 10.0
# Steps per unit of the argument in the table that bounds the sigmoid from below.
STEPS = 512


class Candidates(NamedTuple):
    """Columns of the candidates, in decreasing order of ``ceiling``.

    ``ceiling`` is the largest possible msim of a pair; ``msim`` equals it until the true value is
    known. ``max_cross`` is the largest sum of cross similarities with the first choices, whose
    number is ``checked_choices``. ``group`` numbers the pairs of projects.
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
    """State of the choices so far.

    ``project_counts`` has the number of choices by pair of projects, ``left_file_counts`` and
    ``right_file_counts`` by the file of the left and of the right method. Each method has a linked
    list of the choices that it is similar to, latest first: ``head`` is its first link; each link
    has ``choice``, ``weight`` (the sum of the method's msims to both methods of that choice) and
    ``after``, the next link.
    """

    project: Places
    first: Places
    second: Places
    head: Ints
    choice: Ints
    weight: Floats
    after: Ints


class Rule(NamedTuple):
    """λ, the number of choices, the sigmoid's lower bound, the seed, methods' hashes and files."""

    relevance: float
    choice_count: int
    low: Floats
    seed: np.uint64
    number: Words
    file: Ints


@kernel
def sigmoid(x: float) -> float:
    """Return 2 / (1 + e^−x) − 1, which is from 0 to 1 where x is not negative."""
    return 2.0 / (1.0 + math.exp(-x)) - 1.0


@kernel
def table(most: float) -> Floats:
    """Return a value slightly below the sigmoid at the start of each step."""
    found = np.empty(int(most * STEPS) + 2, dtype=np.float64)
    for i in range(len(found)):
        found[i] = max(0.0, sigmoid(i / STEPS) - 1e-12)
    return found


@kernel
def lot(seed: np.uint64, left: np.uint64, right: np.uint64) -> np.uint64:
    """Return the number that breaks a tie: the candidate with the smaller one wins."""
    x = seed
    for part in (left, right):
        x = x + part + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return x


@kernel
def neighbours(left: Ints, right: Ints, methods: int) -> tuple[Places, Ints, Ints]:
    """Return each method's partners in pairs, and the indices of those pairs, as ragged columns."""
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
    """Prepend a choice to the lists of the methods that are similar to it."""
    for i in range(len(methods)):
        at = used + i
        chosen.choice[at] = choice
        chosen.weight[at] = weights[i]
        chosen.after[at] = chosen.head[methods[i]]
        chosen.head[methods[i]] = at


@kernel
def _cross(chosen: Chosen, left: int, right: int, seen: int) -> float:
    """Return the largest cross similarity with a choice from ``first_choice`` on."""
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
    """Return a candidate's rounded score, or an upper bound of it while its msim is unknown."""
    left, right, many = of.left[i], of.right[i], rule.choice_count
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
    """Return whether a candidate beats the best so far, whatever the order of the candidates."""
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
    """Scan the candidates until no other can win, or until ``requested`` is full.

    ``requested`` receives the candidates whose msim the caller must compute. Return where to
    continue (-1 at the end), the number of requested candidates, the best score and its index.
    """
    many, wanted = rule.choice_count, 0
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
    """Return the best score and its index, including the requested candidates."""
    for i in asked:
        score = _score(of, chosen, rule, i)
        if _better(of, rule, i, score, best, place):
            best, place = score, i
    return best, place
