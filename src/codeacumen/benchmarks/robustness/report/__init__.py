"""Build the report's section on robustness, with the paper's tables over all tasks of the runs.

Rabin et al. (IST 2021) show prediction change by transformation (Table 2), by share of changed
places (Table 3), the five types of pairs of names, before and after (Table 4), and subtoken scores
before and after (Table 5). A mode says which places of a method are changed: one, all or a share.
Each mode is an evaluation set of the task. A place, a location in ``transforms.location``, is
refused if the transformation is not certainly safe there; a variant is dropped if it fails a check.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeacumen.api import Json, ModelCard, Score, TaskCard
from codeacumen.benchmarks.robustness.report.plots import (
    Figures,
    build_figures,
    get_kind,
    list_robustness_tasks,
)
from codeacumen.benchmarks.robustness.report.variants import build_variant_data
from codeacumen.datasets.built import BuiltDataset
from codeacumen.metrics.prediction_change import TYPES
from codeacumen.report.merged_runs import Evidence, MergedRuns, find_score
from codeacumen.report.plots import Plot, escape_unprintable
from codeacumen.report.sections import Section
from codeacumen.runs.scoring import is_in_slice
from codeacumen.tasks.base import StandardTask

# Further metrics of the tables of types and of subtoken scores. The shares are those of
# the paper's figure 3: changed names among the right ones (CWP / (CCP + CWP)) and the wrong ones.
SHARES = ("cwp_share", "wrong_change_share")
SUBTOKENS = tuple(
    f"{score}_{when}" for score in ("precision", "recall", "f1") for when in ("before", "after")
)
# Number of reasons to list for each transformation and outcome; the others are summed.
MOST_REASONS = 8


@dataclass(frozen=True, slots=True)
class Change:
    """Prediction change of all models for a transformation in one mode.

    ``kind`` is the transformation's name, ``meaning`` describes it in words; ``slug`` is the task's
    anchor in the page. ``methods`` is None if the data set is not available; ``variants`` is the
    maximum number of variants that a model was scored on. ``scores`` are in the order of the
    models; None for a model that was not scored.
    """

    kind: str
    slug: str
    meaning: str
    mode: str
    methods: int | None
    variants: int
    scores: list[Score | None]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Further metrics of a transformation in its first mode, one row per scored model."""

    kind: str
    slug: str
    rows: list[tuple[str, ModelCard, list[Score | None]]]


@dataclass(frozen=True, slots=True)
class Reason:
    """Number ``n`` of places refused, or variants dropped (``what``), for a ``reason``.

    Names in the reason are replaced by ``…``.
    """

    kind: str
    what: str
    reason: str
    n: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Description of a data set.

    ``methods`` is the number of methods with variants, ``examined`` that of all examined methods.
    ``kinds`` has for each transformation its name, meaning, the numbers of variants by mode (kept:
    in the data set; found: before sampling and checks), of refused places and of dropped variants.
    """

    name: str
    projects: list[str]
    methods: int | None
    examined: int | None
    settings: Mapping[str, Json]
    modes: list[str]
    kinds: list[dict[str, Any]]
    reasons: list[Reason]


@dataclass(frozen=True, slots=True)
class RobustnessTables:
    """Content of the section; ``headline`` has the first mode of each task, ``modes`` all modes.

    Tasks with one mode are not in ``modes``.
    """

    models: list[tuple[str, ModelCard]]
    headline: list[Change]
    modes: list[Change]
    types: list[Breakdown]
    subtokens: list[Breakdown]
    figures: list[Figures]
    facts: list[Facts]


def build_sections(
    merged: MergedRuns, evidence: Mapping[str, Evidence], data_sets: Sequence[BuiltDataset]
) -> list[Section]:
    """Return the section about all robustness tasks of the runs, if there are any."""
    cards = list_robustness_tasks(merged)
    if not cards:
        return []
    scored_models = {cell.model for card in cards for cell in merged.cells_of_task(card.name)}
    models = sorted(
        ((name, card) for name, card in merged.models.items() if name in scored_models),
        key=lambda item: (item[1].is_baseline, item[0]),
    )
    changes = {
        card.name: [
            _build_change(merged, card, index, evidence[card.name], [name for name, _ in models])
            for index in range(len(card.evaluation_sets))
        ]
        for card in cards
    }
    content = RobustnessTables(
        models=models,
        headline=[lines[0] for lines in changes.values()],
        modes=[line for lines in changes.values() if len(lines) > 1 for line in lines],
        types=[_build_breakdown(merged, card, models, (*TYPES, *SHARES)) for card in cards],
        subtokens=[_build_breakdown(merged, card, models, SUBTOKENS) for card in cards],
        figures=build_figures(merged, cards),
        facts=_collect_facts(evidence[card.name] for card in cards),
    )
    return [
        Section(
            anchor="robustness",
            contents_title="Robustness, all together",
            package=__name__,
            template="robustness.html",
            content=content,
            plots=[plot for figure in content.figures for plot, *_ in figure.plots],
            styles=("robustness.css",),
            scripts=("variants.js",),
            data=build_variant_data(
                {get_kind(card): evidence[card.name] for card in cards},
                [name for name, _ in models],
            ),
            before_task=cards[0].name,
            summarized_tasks=frozenset(card.name for card in cards),
        )
    ]


def draw_plots(merged: MergedRuns) -> list[Plot]:
    """Return the plots of all models, in the page's order."""
    cards = list_robustness_tasks(merged)
    return [plot for figure in build_figures(merged, cards) for plot, *_ in figure.plots]


def _build_change(
    merged: MergedRuns, card: TaskCard, index: int, evidence: Evidence, models: Sequence[str]
) -> Change:
    evaluation_set = card.evaluation_sets[index]
    cells = [merged.cells.get((card.name, model)) for model in models]
    scores = [find_score(cell, evaluation_set.name) if cell else None for cell in cells]
    # A method and its variants are one cluster, so clusters count the methods.
    methods = {
        instance.cluster for instance in evidence.instances if is_in_slice(instance, evaluation_set)
    }
    return Change(
        kind=get_kind(card),
        slug=merged.slugs[card.name],
        meaning=_get_meaning(evidence, get_kind(card)),
        mode=evaluation_set.name,
        methods=len(methods) or None,
        variants=max((score.n for score in scores if score), default=0),
        scores=scores,
    )


def _get_meaning(evidence: Evidence, kind: str) -> str:
    return str(_get_about(evidence).get("kinds", {}).get(kind, ""))


def _build_breakdown(
    merged: MergedRuns,
    card: TaskCard,
    models: Sequence[tuple[str, ModelCard]],
    metrics: Sequence[str],
) -> Breakdown:
    evaluation_set = card.evaluation_sets[0].name
    rows = []
    for name, model in models:
        cell = merged.cells.get((card.name, name))
        if cell is not None:
            scores = [find_score(cell, evaluation_set, metric=metric) for metric in metrics]
            rows.append((name, model, scores))
    return Breakdown(get_kind(card), merged.slugs[card.name], rows)


# --------------------------------------------------------------------------------------
# The data set.
# --------------------------------------------------------------------------------------


def _get_about(evidence: Evidence) -> Mapping[str, Json]:
    built = evidence.task.built if isinstance(evidence.task, StandardTask) else None
    about: Mapping[str, Json] = built.about if built is not None else {}
    return about


def _collect_facts(evidence: Iterable[Evidence]) -> list[Facts]:
    facts_by_folder = {}
    for task_evidence in evidence:
        built = task_evidence.task.built if isinstance(task_evidence.task, StandardTask) else None
        if built is not None and built.folder not in facts_by_folder:
            facts_by_folder[built.folder] = _build_facts(built.folder.name, built.about)
    return list(facts_by_folder.values())


def _build_facts(name: str, about: Mapping[str, Json]) -> Facts:
    counts = about["counts"]
    variants_kept, variants_found = counts.get("variants", {}), counts.get("variants_found", {})
    refused, dropped = counts.get("refused", {}), counts.get("dropped", {})
    modes = list(dict.fromkeys(mode for by_mode in variants_kept.values() for mode in by_mode))
    kinds, reasons = [], []
    for kind, meaning in about["kinds"].items():
        dropped_by_check = dropped.get(kind, {})
        kept_by_mode = variants_kept.get(kind, {})
        kinds.append(
            {
                "kind": kind,
                "meaning": meaning,
                "variants": [
                    (kept_by_mode.get(mode, 0), variants_found.get(kind, kept_by_mode).get(mode, 0))
                    for mode in modes
                ],
                "refused": sum(refused.get(kind, {}).values()),
                "dropped": sum(
                    count
                    for counts_by_reason in dropped_by_check.values()
                    for count in counts_by_reason.values()
                ),
            }
        )
        reasons += _summarize_reasons(kind, "refused", refused.get(kind, {}))
        for check, counts_by_reason in dropped_by_check.items():
            reasons += _summarize_reasons(kind, f"dropped: {check}", counts_by_reason)
    return Facts(
        name=escape_unprintable(name),
        projects=list(about.get("corpus", {}).get("projects", [])),
        methods=counts.get("methods"),
        examined=counts.get("methods_examined"),
        settings=about.get("settings", {}),
        modes=modes,
        kinds=kinds,
        reasons=reasons,
    )


def _summarize_reasons(
    kind: str, outcome: str, counts_by_reason: Mapping[str, int]
) -> list[Reason]:
    """Return the most frequent reasons, merged where they differ only in names (in backquotes)."""
    merged_counts: Counter[str] = Counter()
    for reason, count in counts_by_reason.items():
        merged_counts[re.sub(r"`[^`]*`", "`…`", reason)] += count
    ordered = sorted(merged_counts.items(), key=lambda item: (-item[1], item[0]))
    reasons = [Reason(kind, outcome, reason, count) for reason, count in ordered[:MOST_REASONS]]
    rest = ordered[MOST_REASONS:]
    if rest:
        reasons.append(
            Reason(kind, outcome, f"{len(rest)} other reasons", sum(count for _, count in rest))
        )
    return reasons
