"""How well a cleaning found what a simulation had hidden: raters by kind, pairs with contexts that
show nothing, and how close the scores are to the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from acumen.api import Json
from acumen.survey.clean import LABELS, Benchmark, Cleaned
from acumen.survey.conversion import choices, distances, means, similarities
from acumen.survey.reading import Votes
from acumen.survey.votes import QUESTIONS, Pair, spearman

# Kinds of raters that a cleaning should find.
BAD = ("random", "contrarian", "straight")


def judged(cleaned: Cleaned, votes: Votes, truth: Mapping[str, Json]) -> dict[str, Json]:
    """For each size: raters of each kind and how many of them were dropped; precision and recall
    of dropping bad ones; Spearman's ρ between scores and the truth, on the same pairs before
    (``raw``) and after."""
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
    """Scores of all votes, by label."""
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
