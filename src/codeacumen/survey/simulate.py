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
    Benchmark,
    Cleaned,
    choices,
    distances,
    means,
    similarities,
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
    sorted_pair,
    spearman,
)

KINDS = ("honest", "noisy", "random", "contrarian", "straight")
TRUTH = "truth.json"
CONTEXTS = 5
# Standard deviation of the noise on a scale from 0 to 1, and attention to contexts from -1 to 1.
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
class Plan:
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
class Simulated:
    """Rows of the files, and the truth: each rater's kind, and each pair's scores."""

    direct: list[tuple[Any, ...]]
    indirect: list[tuple[Any, ...]]
    kinds: dict[str, str]
    pairs: tuple[Pair, ...]
    relatedness: Floats
    similarity: Floats
    unhelpful: np.ndarray


def simulate(plan: Plan) -> Simulated:
    """Simulate a survey; the same plan gives the same survey."""
    rng = np.random.default_rng(plan.seed)
    pairs = _pairs(plan.pairs, rng)
    similarity = rng.beta(0.6, 0.9, plan.pairs)
    # Similar names are related; the converse need not hold.
    relatedness = similarity + (1 - similarity) * rng.beta(0.8, 1.2, plan.pairs)
    unhelpful = rng.random(plan.pairs) < plan.unhelpful
    truth = np.stack([relatedness, similarity], axis=1)
    seen = np.where(unhelpful, 1.0, similarity)
    kinds: dict[str, str] = {}
    direct: list[tuple[Any, ...]] = []
    indirect: list[tuple[Any, ...]] = []
    width = len(str(plan.raters))
    for number, kind in enumerate(_kinds(plan, rng), 1):
        rater = f"rater{number:0{width}}"
        kinds[rater] = kind
        asked = _drawn(plan.pairs, plan.direct, rng)
        ratings = _ratings(kind, truth[asked], rng).tolist()
        for place, answers in zip(asked.tolist(), ratings, strict=True):
            direct.append((rater, *_shown(pairs[place], rng), *answers))
        for place in _drawn(plan.pairs, plan.indirect, rng).tolist():
            left, right = _shown(pairs[place], rng)
            original = (left, right)[rng.integers(2)]
            context = int(rng.integers(CONTEXTS)) + 1
            chosen = _choice(kind, (left, right), original, float(seen[place]), rng)
            indirect.append((rater, left, right, context, original, chosen))
    return Simulated(direct, indirect, kinds, pairs, relatedness, similarity, unhelpful)


def write(plan: Plan, out: Path) -> Simulated:
    """Write a survey as ``direct.csv`` and ``indirect.csv``, and its truth as ``truth.json``."""
    if out.is_dir() and any(out.iterdir()) and not (out / TRUTH).is_file():
        raise CodeacumenError(
            f"{out} is no simulated survey, and not empty",
            "choose a folder that is empty or does not exist yet",
        )
    found = simulate(plan)
    truth = {
        "plan": {**asdict(plan), "shares": dict(plan.shares)},
        "raters": found.kinds,
        "pairs": [
            {
                "pair": pair,
                "relatedness": round(float(found.relatedness[place]), 4),
                "similarity": round(float(found.similarity[place]), 4),
                "unhelpful": bool(found.unhelpful[place]),
            }
            for place, pair in enumerate(found.pairs)
        ],
    }
    write_atomically(out / "direct.csv", _csv(DIRECT, found.direct))
    write_atomically(out / "indirect.csv", _csv(INDIRECT, found.indirect))
    write_atomically(out / TRUTH, (json.dumps(truth, indent=1) + "\n").encode())
    return found


def read_truth(folder: Path) -> dict[str, Json] | None:
    """Return the truth of a folder of simulated votes; None if the votes are not simulated."""
    path = folder / TRUTH
    if not path.is_file():
        return None
    try:
        found: dict[str, Json] = json.loads(path.read_bytes())
        if {"raters", "pairs"} <= found.keys():
            return found
    except (ValueError, AttributeError):
        pass
    raise CodeacumenError(f"{path} is damaged", "`codeacumen survey simulate` writes it again")


def _kinds(plan: Plan, rng: np.random.Generator) -> list[str]:
    """Return a kind for each rater in random order; counts match the shares to within one."""
    names = [kind for kind in KINDS if plan.shares.get(kind)]
    bounds = np.cumsum([plan.shares[kind] for kind in names])
    edges = np.rint(bounds / bounds[-1] * plan.raters).astype(int)
    counts = np.diff(edges, prepend=0).tolist()
    every = [kind for kind, count in zip(names, counts, strict=True) for _ in range(count)]
    return [every[place] for place in rng.permutation(len(every)).tolist()]


def _pairs(count: int, rng: np.random.Generator) -> tuple[Pair, ...]:
    plain = [verb + noun for verb, noun in product(_VERBS, _NOUNS)]
    rounds = 2 * count // len(plain) + 1
    names = [name + (str(turn) if turn else "") for turn in range(rounds) for name in plain]
    order = rng.permutation(len(names))[: 2 * count].tolist()
    return tuple(
        sorted_pair(names[one], names[other])
        for one, other in zip(order[::2], order[1::2], strict=True)
    )


def _drawn(pairs: int, wanted: int, rng: np.random.Generator) -> Ints:
    found: Ints = rng.choice(pairs, size=min(wanted, pairs), replace=False)
    return found


def _shown(pair: Pair, rng: np.random.Generator) -> Pair:
    return pair if rng.integers(2) else (pair[1], pair[0])


def _ratings(kind: str, truth: Floats, rng: np.random.Generator) -> Ints:
    if kind == "random":
        return rng.integers(1, LEVELS + 1, truth.shape)
    if kind == "straight":
        return np.full(truth.shape, rng.integers(1, LEVELS + 1))
    meant = (1 - truth if kind == "contrarian" else truth) + rng.normal(0, NOISE[kind], truth.shape)
    return np.rint(np.clip(meant, 0, 1) * (LEVELS - 1)).astype(np.int64) + 1


def _choice(
    kind: str, shown: Pair, original: str, similarity: float, rng: np.random.Generator
) -> str:
    if kind == "straight":
        return shown[0]
    other = shown[shown[0] == original]
    is_right = rng.random() < 0.5 + ATTENTION[kind] * (1 - similarity) / 2
    return original if is_right else other


def _csv(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


# Kinds of raters that a cleaning should find.
BAD = ("random", "contrarian", "straight")


def judged(cleaned: Cleaned, votes: Votes, truth: Mapping[str, Json]) -> dict[str, Json]:
    """Return for each size how well the cleaning recovers the truth.

    The result has the number of raters and of dropped raters by kind, precision and recall of
    dropping the BAD kinds, and Spearman's ρ between scores and truth on the same pairs, before
    (``raw``) and after cleaning.
    """
    raw = _raw(votes)
    return {one.size.name: _size(one, raw, truth) for one in cleaned.benchmarks}


def _size(
    benchmark: Benchmark, raw: Mapping[str, Mapping[Pair, float]], truth: Mapping[str, Json]
) -> dict[str, Json]:
    kinds: Mapping[str, str] = truth["raters"]
    gone = {one.what for one in benchmark.dropped if isinstance(one.what, str)}
    found = sum(kinds.get(str(rater)) in BAD for rater in gone)
    bad = sum(kind in BAD for kind in kinds.values())
    total = Counter(kinds.values())
    dropped = Counter(kinds[str(rater)] for rater in gone if rater in kinds)
    odd = {one.what for one in benchmark.dropped if one.by == "outlier pair"}
    unhelpful = {tuple(one["pair"]) for one in truth["pairs"] if one["unhelpful"]}
    return {
        "raters": {
            kind: {"raters": total[kind], "dropped": dropped[kind]} for kind in sorted(total)
        },
        "precision": found / len(gone) if gone else None,
        "recall": found / bad if bad else None,
        "outlier_pairs": {"dropped": len(odd), "unhelpful": len(odd & unhelpful)},
        "spearman": {
            label: _correlations(benchmark, place, raw[label], truth)
            for place, label in enumerate(LABELS)
        },
    }


def _correlations(
    benchmark: Benchmark, place: int, raw: Mapping[Pair, float], truth: Mapping[str, Json]
) -> dict[str, float | None]:
    question = "relatedness" if LABELS[place] == "relatedness" else "similarity"
    true = {tuple(one["pair"]): one[question] for one in truth["pairs"]}
    labels = benchmark.labels[:, place].tolist()
    rows = [
        (raw[pair], label, true[pair])
        for pair, label in zip(benchmark.pairs, labels, strict=True)
        if not np.isnan(label) and pair in true
    ]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    everything = [(raw[pair], true[pair]) for pair in raw if pair in true]
    whole = np.array(everything, dtype=np.float64).reshape(-1, 2).T
    return {
        "raw": spearman(columns[0], columns[2]),
        "cleaned": spearman(columns[1], columns[2]),
        "raw_on_all_pairs": spearman(whole[0], whole[1]),
    }


def _raw(votes: Votes) -> dict[str, dict[Pair, float]]:
    """Return the scores from all votes, without cleaning, by label."""
    direct = means(votes.direct)
    contextual = similarities(distances(*choices(votes.indirect)))
    found = {
        question: dict(zip(votes.direct.pairs, direct[:, place].tolist(), strict=True))
        for place, question in enumerate(QUESTIONS)
    }
    found["contextual_similarity"] = dict(
        zip(votes.indirect.pairs, contextual.tolist(), strict=True)
    )
    return {
        label: {pair: score for pair, score in scores.items() if not np.isnan(score)}
        for label, scores in found.items()
    }
