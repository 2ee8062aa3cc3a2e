"""Simulated surveys with a known truth: raters of known quality rate pairs of known similarity.

They show which raters and pairs the filters find, and which they do not.

============ ==================================================== ==========================
rater        direct survey                                        indirect survey
============ ==================================================== ==========================
honest       the truth plus a little noise                        follows the context
noisy        the truth plus much noise                            often guesses
random       a uniformly random answer                            guesses
contrarian   the opposite of the truth plus a little noise        chooses the other name
straight     always the same answer                               chooses the left name
============ ==================================================== ==========================

The more similar two names are, the less a context shows which of them was removed: an attentive
rater is right with a probability of 1 − similarity / 2. The contexts of some pairs are unhelpful
whatever the names, like short and meaningless code (IdBench, section II-B, c): raters can only
guess, and the names seem to be similar.

``judge_cleaning`` compares a cleaning with the truth: dropped raters by kind, dropped pairs with
unhelpful contexts, and the correlation of the scores with the truth. ``codeacumen survey simulate``
writes a simulated survey.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import write_atomically
from codeacumen.survey.clean import (
    LABELS,
    CleanedBenchmark,
    CleanedSurvey,
    compute_distances,
    compute_means,
    compute_similarities,
    count_choices,
)
from codeacumen.survey.votes import (
    DIRECT,
    INDIRECT,
    LEVELS,
    QUESTIONS,
    Floats,
    Ints,
    Pair,
    Votes,
    compute_spearman,
    sorted_pair,
)

KINDS = ("honest", "noisy", "random", "contrarian", "straight")
TRUTH = "truth.json"
# Number of contexts of each name.
CONTEXTS = 5
# Standard deviation of the noise on a scale from 0 to 1, and attention to contexts from -1 to 1:
# the choice is right with a probability of 0.5 + attention * (1 - similarity) / 2.
NOISE = {"honest": 0.12, "noisy": 0.3, "contrarian": 0.12}
ATTENTION = {"honest": 0.95, "noisy": 0.6, "random": 0.0, "contrarian": -0.95, "straight": 0.0}

_VERBS = (
    "get",
    "set",
    "add",
    "remove",
    "find",
    "read",
    "write",
    "open",
    "close",
    "start",
    "stop",
    "send",
    "load",
    "save",
    "parse",
    "print",
    "count",
    "merge",
    "split",
    "sort",
    "check",
    "build",
    "draw",
    "move",
    "copy",
    "reset",
    "update",
    "create",
    "delete",
    "render",
)
_NOUNS = (
    "Item",
    "Index",
    "Node",
    "List",
    "Map",
    "Key",
    "Value",
    "User",
    "File",
    "Path",
    "Event",
    "Error",
    "State",
    "Size",
    "Color",
    "Point",
    "Line",
    "Text",
    "Name",
    "Row",
    "Column",
    "Page",
    "Image",
    "Button",
    "Layer",
    "Token",
    "Buffer",
    "Stream",
    "Query",
    "Result",
    "Date",
    "Time",
)


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """Settings of a simulation.

    ``shares`` are the shares of the kinds of raters; ``direct`` and ``indirect`` the numbers of
    questions to each rater; ``unhelpful`` is the share of pairs with unhelpful contexts.
    """

    raters: int = 500
    pairs: int = 300
    direct: int = 18
    indirect: int = 15
    unhelpful: float = 0.1
    shares: Mapping[str, float] = field(
        default_factory=lambda: {
            "honest": 0.6,
            "noisy": 0.15,
            "random": 0.1,
            "contrarian": 0.1,
            "straight": 0.05,
        }
    )
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = set(self.shares) - set(KINDS)
        if unknown:
            raise CodeacumenError(
                f"no such kind of rater: {', '.join(sorted(unknown))}",
                f"choose from {', '.join(KINDS)}",
            )
        if not self.shares or min(self.shares.values()) < 0 or sum(self.shares.values()) <= 0:
            raise CodeacumenError("shares of raters must be at least 0, and not all of them 0")


@dataclass(frozen=True, slots=True)
class SimulatedSurvey:
    """Rows of the files (columns DIRECT and INDIRECT), and the truth: each rater's kind, and each
    pair's scores.

    ``relatedness``, ``similarity`` (0 to 1) and ``unhelpful`` (bool) have shape (pairs,).
    """

    direct: list[tuple[Any, ...]]
    indirect: list[tuple[Any, ...]]
    kinds: dict[str, str]
    pairs: tuple[Pair, ...]
    relatedness: Floats
    similarity: Floats
    unhelpful: np.ndarray


def simulate_survey(plan: SimulationPlan) -> SimulatedSurvey:
    """Simulate a survey; the same plan gives the same survey."""
    rng = np.random.default_rng(plan.seed)
    pairs = _sample_pairs(plan.pairs, rng)
    similarity = rng.beta(0.6, 0.9, plan.pairs)
    # Similar names are related; the converse need not hold.
    relatedness = similarity + (1 - similarity) * rng.beta(0.8, 1.2, plan.pairs)
    unhelpful = rng.random(plan.pairs) < plan.unhelpful
    truth = np.stack([relatedness, similarity], axis=1)
    # In unhelpful contexts raters guess, as between interchangeable names.
    apparent_similarity = np.where(unhelpful, 1.0, similarity)
    kinds: dict[str, str] = {}
    direct: list[tuple[Any, ...]] = []
    indirect: list[tuple[Any, ...]] = []
    width = len(str(plan.raters))
    for number, kind in enumerate(_sample_kinds(plan, rng), 1):
        rater = f"rater{number:0{width}}"
        kinds[rater] = kind
        rated = _sample_indices(plan.pairs, plan.direct, rng)
        ratings = _simulate_ratings(kind, truth[rated], rng).tolist()
        for index, answers in zip(rated.tolist(), ratings, strict=True):
            direct.append((rater, *_shuffle_pair(pairs[index], rng), *answers))
        for index in _sample_indices(plan.pairs, plan.indirect, rng).tolist():
            left, right = _shuffle_pair(pairs[index], rng)
            original = (left, right)[rng.integers(2)]
            context = int(rng.integers(CONTEXTS)) + 1
            chosen = _simulate_choice(
                kind, (left, right), original, float(apparent_similarity[index]), rng
            )
            indirect.append((rater, left, right, context, original, chosen))
    return SimulatedSurvey(direct, indirect, kinds, pairs, relatedness, similarity, unhelpful)


def write_survey(plan: SimulationPlan, out: Path) -> SimulatedSurvey:
    """Write a survey as ``direct.csv`` and ``indirect.csv``, and its truth as ``truth.json``."""
    if out.is_dir() and any(out.iterdir()) and not (out / TRUTH).is_file():
        raise CodeacumenError(
            f"{out} is no simulated survey, and not empty",
            "choose a folder that is empty or does not exist yet",
        )
    survey = simulate_survey(plan)
    truth = {
        "plan": {**asdict(plan), "shares": dict(plan.shares)},
        "raters": survey.kinds,
        "pairs": [
            {
                "pair": pair,
                "relatedness": round(float(survey.relatedness[index]), 4),
                "similarity": round(float(survey.similarity[index]), 4),
                "unhelpful": bool(survey.unhelpful[index]),
            }
            for index, pair in enumerate(survey.pairs)
        ],
    }
    write_atomically(out / "direct.csv", _format_csv(DIRECT, survey.direct))
    write_atomically(out / "indirect.csv", _format_csv(INDIRECT, survey.indirect))
    write_atomically(out / TRUTH, (json.dumps(truth, indent=1) + "\n").encode())
    return survey


def read_truth(folder: Path) -> dict[str, Json] | None:
    """Return the truth of a folder of simulated votes; None if the votes are not simulated."""
    path = folder / TRUTH
    if not path.is_file():
        return None
    try:
        truth: dict[str, Json] = json.loads(path.read_bytes())
        if {"raters", "pairs"} <= truth.keys():
            return truth
    except (ValueError, AttributeError):
        pass
    raise CodeacumenError(f"{path} is damaged", "`codeacumen survey simulate` writes it again")


def _sample_kinds(plan: SimulationPlan, rng: np.random.Generator) -> list[str]:
    """Return a kind for each rater in random order; counts match the shares to within one."""
    names = [kind for kind in KINDS if plan.shares.get(kind)]
    bounds = np.cumsum([plan.shares[kind] for kind in names])
    edges = np.rint(bounds / bounds[-1] * plan.raters).astype(int)
    counts = np.diff(edges, prepend=0).tolist()
    all_kinds = [kind for kind, count in zip(names, counts, strict=True) for _ in range(count)]
    return [all_kinds[index] for index in rng.permutation(len(all_kinds)).tolist()]


def _sample_pairs(count: int, rng: np.random.Generator) -> tuple[Pair, ...]:
    plain = [verb + noun for verb, noun in product(_VERBS, _NOUNS)]
    rounds = 2 * count // len(plain) + 1
    names = [name + (str(turn) if turn else "") for turn in range(rounds) for name in plain]
    order = rng.permutation(len(names))[: 2 * count].tolist()
    return tuple(
        sorted_pair(names[left], names[right])
        for left, right in zip(order[::2], order[1::2], strict=True)
    )


def _sample_indices(pairs: int, count: int, rng: np.random.Generator) -> Ints:
    indices: Ints = rng.choice(pairs, size=min(count, pairs), replace=False)
    return indices


def _shuffle_pair(pair: Pair, rng: np.random.Generator) -> Pair:
    return pair if rng.integers(2) else (pair[1], pair[0])


def _simulate_ratings(kind: str, truth: Floats, rng: np.random.Generator) -> Ints:
    if kind == "random":
        return rng.integers(1, LEVELS + 1, truth.shape)
    if kind == "straight":
        return np.full(truth.shape, rng.integers(1, LEVELS + 1))
    noisy_scores = (1 - truth if kind == "contrarian" else truth) + rng.normal(
        0, NOISE[kind], truth.shape
    )
    return np.rint(np.clip(noisy_scores, 0, 1) * (LEVELS - 1)).astype(np.int64) + 1


def _simulate_choice(
    kind: str, names: Pair, original: str, similarity: float, rng: np.random.Generator
) -> str:
    if kind == "straight":
        return names[0]
    # True is the index 1: the second name if the original is the first.
    other = names[names[0] == original]
    is_right = rng.random() < 0.5 + ATTENTION[kind] * (1 - similarity) / 2
    return original if is_right else other


def _format_csv(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


# Kinds of raters that a cleaning should drop; votes of noisy raters still contain the truth.
BAD = ("random", "contrarian", "straight")


def judge_cleaning(
    cleaned: CleanedSurvey, votes: Votes, truth: Mapping[str, Json]
) -> dict[str, Json]:
    """Return for each size how well the cleaning recovers the truth.

    ``truth`` is that of ``read_truth``. The result has the number of raters and of dropped raters
    by kind, precision and recall of dropping the BAD kinds, the number of dropped outlier pairs and
    of those with unhelpful contexts, and Spearman's ρ between scores and truth on the same pairs
    before (``raw``) and after cleaning, and before cleaning on all pairs.
    """
    raw = _score_all_votes(votes)
    return {
        benchmark.size.name: _judge_size(benchmark, raw, truth) for benchmark in cleaned.benchmarks
    }


def _judge_size(
    benchmark: CleanedBenchmark, raw: Mapping[str, Mapping[Pair, float]], truth: Mapping[str, Json]
) -> dict[str, Json]:
    kinds: Mapping[str, str] = truth["raters"]
    dropped_raters = {
        entry.subject for entry in benchmark.dropped if isinstance(entry.subject, str)
    }
    bad_dropped = sum(kinds.get(str(rater)) in BAD for rater in dropped_raters)
    bad = sum(kind in BAD for kind in kinds.values())
    total = Counter(kinds.values())
    dropped = Counter(kinds[str(rater)] for rater in dropped_raters if rater in kinds)
    outlier_pairs = {
        entry.subject for entry in benchmark.dropped if entry.filter_name == "outlier pair"
    }
    unhelpful = {
        tuple(pair_truth["pair"]) for pair_truth in truth["pairs"] if pair_truth["unhelpful"]
    }
    return {
        "raters": {
            kind: {"raters": total[kind], "dropped": dropped[kind]} for kind in sorted(total)
        },
        "precision": bad_dropped / len(dropped_raters) if dropped_raters else None,
        "recall": bad_dropped / bad if bad else None,
        "outlier_pairs": {
            "dropped": len(outlier_pairs),
            "unhelpful": len(outlier_pairs & unhelpful),
        },
        "spearman": {
            label: _compute_correlations(benchmark, column, raw[label], truth)
            for column, label in enumerate(LABELS)
        },
    }


def _compute_correlations(
    benchmark: CleanedBenchmark, column: int, raw: Mapping[Pair, float], truth: Mapping[str, Json]
) -> dict[str, float | None]:
    question = "relatedness" if LABELS[column] == "relatedness" else "similarity"
    true = {tuple(pair_truth["pair"]): pair_truth[question] for pair_truth in truth["pairs"]}
    labels = benchmark.labels[:, column].tolist()
    rows = [
        (raw[pair], label, true[pair])
        for pair, label in zip(benchmark.pairs, labels, strict=True)
        if not np.isnan(label) and pair in true
    ]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    everything = [(raw[pair], true[pair]) for pair in raw if pair in true]
    all_columns = np.array(everything, dtype=np.float64).reshape(-1, 2).T
    return {
        "raw": compute_spearman(columns[0], columns[2]),
        "cleaned": compute_spearman(columns[1], columns[2]),
        "raw_on_all_pairs": compute_spearman(all_columns[0], all_columns[1]),
    }


def _score_all_votes(votes: Votes) -> dict[str, dict[Pair, float]]:
    """Return the scores from all votes, without cleaning, by label and pair; NaN is left out."""
    direct = compute_means(votes.direct)
    contextual = compute_similarities(compute_distances(*count_choices(votes.indirect)))
    scores_by_label = {
        question: dict(zip(votes.direct.pairs, direct[:, column].tolist(), strict=True))
        for column, question in enumerate(QUESTIONS)
    }
    scores_by_label["contextual_similarity"] = dict(
        zip(votes.indirect.pairs, contextual.tolist(), strict=True)
    )
    return {
        label: {pair: score for pair, score in scores.items() if not np.isnan(score)}
        for label, scores in scores_by_label.items()
    }
