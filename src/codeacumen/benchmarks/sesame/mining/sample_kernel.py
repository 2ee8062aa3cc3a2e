"""Kernels of the MMR sampler: lists of neighbours, and the scan of the candidates for a choice.

``sample`` calls them, and its module docstring has the formulas and the numbered bounds. A choice
is a candidate that has been chosen for the sample; choices are numbered from 0 in that order. A row
is the index of a method. ``-1`` is the end of a linked list and the index of a best candidate that
does not exist yet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words, kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

# Scores are compared in units of 10⁻¹², so that the rounding errors of sums decide nothing.
UNIT = 1e12
# Tolerance for the rounding error of a bound, in the same units.
SLACK = 10.0
# Steps per unit of the argument in the table that bounds the sigmoid from below.
STEPS = 512


class PairCandidates(NamedTuple):
    """Columns of the candidates, in decreasing order of ``ceiling``.

    ``left`` and ``right`` are rows of methods; ``group`` numbers the pairs (project on the left,
    project on the right).
    ``ceiling`` is the largest possible msim of a pair; ``msim`` equals it until the true value
    ``is_known``. Candidates that were chosen are marked in ``is_taken``. ``max_cross`` is the
    largest cross similarity with one of the first ``checked_choices`` choices.
    """

    left: Ints
    right: Ints
    group: Ints
    ceiling: Floats
    msim: Floats
    is_known: NDArray[np.bool_]
    is_taken: NDArray[np.bool_]
    max_cross: Floats
    checked_choices: Ints


class ChosenPairs(NamedTuple):
    """State of the choices so far.

    ``project_counts`` has the number of choices by pair of projects, ``left_file_counts`` and
    ``right_file_counts`` by the file of the left and of the right method. Each method has a linked
    list of the choices that it is similar to, latest first: ``head`` is its first link, or -1; each
    link has ``choice``, ``weight`` (the sum of the method's msims to both methods of that choice)
    and ``after``, the next link, or -1.
    """

    project_counts: Longs
    left_file_counts: Longs
    right_file_counts: Longs
    head: Ints
    choice: Ints
    weight: Floats
    after: Ints


class Rule(NamedTuple):
    """Constants of the scoring rule.

    ``relevance`` is λ, ``choice_count`` the number of choices so far, ``sigmoid_bounds`` the table
    of ``make_sigmoid_table``; ``method_hashes`` and ``file`` (a number) are by method.
    """

    relevance: float
    choice_count: int
    sigmoid_bounds: Floats
    seed: np.uint64
    method_hashes: Words
    file: Ints


@kernel
def compute_sigmoid(x: float) -> float:
    """Return 2 / (1 + e^−x) − 1, which is from 0 to 1 where x is not negative."""
    return 2.0 / (1.0 + math.exp(-x)) - 1.0


@kernel
def make_sigmoid_table(limit: float) -> Floats:
    """Return a lower bound of the sigmoid in each step of 1 / STEPS, for arguments up to a limit.

    The sigmoid rises, so its value at the start of a step, less a rounding error, is the bound.
    """
    values = np.empty(int(limit * STEPS) + 2, dtype=np.float64)
    for i in range(len(values)):
        values[i] = max(0.0, compute_sigmoid(i / STEPS) - 1e-12)
    return values


@kernel
def hash_pair(seed: np.uint64, left: np.uint64, right: np.uint64) -> np.uint64:
    """Return the splitmix64 hash of a seed and the hashes of two methods.

    Among candidates of equal score, the smaller hash wins.
    """
    state = seed
    for part in (left, right):
        state = state + part + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return state


@kernel
def list_neighbours(left: Ints, right: Ints, methods: int) -> tuple[Longs, Ints, Ints]:
    """Return each method's partners in pairs, and the indices of those pairs, as ragged columns.

    Those of method m lie from ``offsets[m]`` to ``offsets[m + 1]``. ``methods`` is their number.
    """
    offsets = np.zeros(methods + 1, dtype=np.int64)
    for i in range(len(left)):
        offsets[left[i] + 1] += 1
        offsets[right[i] + 1] += 1
    for i in range(methods):
        offsets[i + 1] += offsets[i]
    fill = offsets[:-1].copy()
    neighbour = np.empty(2 * len(left), dtype=np.int32)
    neighbour_pair = np.empty_like(neighbour)
    for i in range(len(left)):
        left_method, right_method = left[i], right[i]
        neighbour[fill[left_method]], neighbour_pair[fill[left_method]] = right_method, i
        fill[left_method] += 1
        neighbour[fill[right_method]], neighbour_pair[fill[right_method]] = left_method, i
        fill[right_method] += 1
    return offsets, neighbour, neighbour_pair


@kernel
def link_choice(
    chosen: ChosenPairs, methods: Ints, weights: Floats, choice: int, first_free: int
) -> None:
    """Prepend a choice to the lists of the methods that are similar to it.

    ``methods`` are these methods, ``weights`` their ``ChosenPairs.weight``. The links have the
    indices from ``first_free`` on.
    """
    for i in range(len(methods)):
        index = first_free + i
        chosen.choice[index] = choice
        chosen.weight[index] = weights[i]
        chosen.after[index] = chosen.head[methods[i]]
        chosen.head[methods[i]] = index


@kernel
def _compute_max_cross(chosen: ChosenPairs, left: int, right: int, first_choice: int) -> float:
    """Return the largest cross similarity with a choice from ``first_choice`` on; 0 if none.

    ``left`` and ``right`` are the candidate's methods, whose lists are merged by choice.
    """
    max_cross = 0.0
    left_link, right_link = chosen.head[left], chosen.head[right]
    while True:
        left_choice = chosen.choice[left_link] if left_link >= 0 else -1
        right_choice = chosen.choice[right_link] if right_link >= 0 else -1
        latest = max(left_choice, right_choice)
        if latest < first_choice or latest < 0:
            return max_cross
        total = 0.0
        if left_choice == latest:
            total += chosen.weight[left_link]
            left_link = chosen.after[left_link]
        if right_choice == latest:
            total += chosen.weight[right_link]
            right_link = chosen.after[right_link]
        max_cross = max(max_cross, total)


@kernel
def _score_candidate(candidates: PairCandidates, chosen: ChosenPairs, rule: Rule, i: int) -> float:
    """Return a candidate's score, in units of 1 / UNIT, and bring its ``max_cross`` up to date.

    While its msim is unknown, this is an upper bound of the score.
    """
    left, right, choice_count = candidates.left[i], candidates.right[i], rule.choice_count
    # The argument of σ in Sim2: cross + projects + files.
    penalty = candidates.max_cross[i]
    if choice_count > 0:
        if candidates.checked_choices[i] < choice_count:
            candidates.max_cross[i] = max(
                penalty, _compute_max_cross(chosen, left, right, candidates.checked_choices[i])
            )
            candidates.checked_choices[i] = choice_count
            penalty = candidates.max_cross[i]
        penalty += chosen.project_counts[candidates.group[i]] / choice_count
        files = (
            chosen.left_file_counts[rule.file[left]] + chosen.right_file_counts[rule.file[right]]
        )
        penalty += files / choice_count
    value = rule.relevance * candidates.msim[i] - (1.0 - rule.relevance) * compute_sigmoid(penalty)
    return float(np.rint(value * UNIT))


@kernel
def _is_better(
    candidates: PairCandidates, rule: Rule, i: int, score: float, best: float, best_index: int
) -> bool:
    """Return whether a candidate beats the best so far; ties depend on hashes, then on rows."""
    if best_index < 0 or score != best:
        return score > best
    hash_ = hash_pair(
        rule.seed, rule.method_hashes[candidates.left[i]], rule.method_hashes[candidates.right[i]]
    )
    best_hash = hash_pair(
        rule.seed,
        rule.method_hashes[candidates.left[best_index]],
        rule.method_hashes[candidates.right[best_index]],
    )
    if hash_ != best_hash:
        return bool(hash_ < best_hash)
    if candidates.left[i] != candidates.left[best_index]:
        return bool(candidates.left[i] < candidates.left[best_index])
    return bool(candidates.right[i] < candidates.right[best_index])


@kernel
def scan_candidates(
    candidates: PairCandidates,
    chosen: ChosenPairs,
    rule: Rule,
    begin: int,
    best: float,
    best_index: int,
    requested: Ints,
) -> tuple[int, int, float, int]:
    """Scan the candidates from ``begin`` until no other can win, or until ``requested`` is full.

    ``requested`` receives the candidates whose msim the caller must compute. Return the index to
    continue at (-1 at the end), the number of requested candidates, the best score and its index.
    """
    choice_count, requested_count = rule.choice_count, 0
    for i in range(begin, len(candidates.left)):
        # Bound 4: no later candidate can win.
        if np.rint(rule.relevance * candidates.ceiling[i] * UNIT) + SLACK < best:
            return -1, requested_count, best, best_index
        if candidates.is_taken[i]:
            continue
        # Bound 3: ``files`` is left out, and ``max_cross`` may lack the latest choices.
        penalty = candidates.max_cross[i]
        if choice_count > 0:
            penalty += chosen.project_counts[candidates.group[i]] / choice_count
        # Beyond the end of the table, its last value is still a lower bound.
        step = min(int(penalty * STEPS), len(rule.sigmoid_bounds) - 1)
        bound = (
            rule.relevance * candidates.msim[i] - (1.0 - rule.relevance) * rule.sigmoid_bounds[step]
        )
        if bound * UNIT + SLACK < best:
            continue
        score = _score_candidate(candidates, chosen, rule, i)
        if score < best:
            continue
        if candidates.is_known[i]:
            if _is_better(candidates, rule, i, score, best, best_index):
                best, best_index = score, i
            continue
        requested[requested_count] = i
        requested_count += 1
        if requested_count == len(requested):
            return i + 1, requested_count, best, best_index
    return -1, requested_count, best, best_index


@kernel
def score_requested(
    candidates: PairCandidates,
    chosen: ChosenPairs,
    rule: Rule,
    requested: Ints,
    best: float,
    best_index: int,
) -> tuple[float, int]:
    """Return the best score and its index, including the requested candidates.

    Their msims must be known.
    """
    for i in requested:
        score = _score_candidate(candidates, chosen, rule, i)
        if _is_better(candidates, rule, i, score, best, best_index):
            best, best_index = score, i
    return best, best_index
