"""SeSaMe: do two methods share goals, operations, effects? Ranked as developers did.

Twelve tasks, ``sesame/FLAVOUR/SIGHT``: three questions, each asked of four amounts of source
(``sights.py``). The truth has several readings (``ratings.py``): the headline is the rank
correlation with the votes' mean weighted by confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from acumen.api import Ceiling, Convention, Face, Instance, Metric, Pair, TaskCard
from acumen.datasets import dataset, missing_files, require
from acumen.metrics import read_metric
from acumen.registry import task
from acumen.tasks.similarity.sights import SIGHTS

FLAVOURS = {
    "goals": "have the same purpose",
    "operations": "take the same steps",
    "effects": "change the state alike",
}
APPROACH, SAME_KIND, UNSURE = "approach differs", "same kind of project", "low confidence"
# A tag to look at pairs by, but no slice: where all are 0 or 2 there is little to rank.
UNANIMOUS = "unanimous"

HEADLINE = read_metric("spearman")
_SIMILAR = "mean rating of 1 or more"
FURTHER = (
    read_metric("kendall"),
    read_metric("roc_auc", "mean", 1.0, told=_SIMILAR),
    read_metric("average_precision", "mean", 1.0, told=_SIMILAR),
    read_metric("best_f1", "mean", 1.0, told=_SIMILAR),
    read_metric("all_positive_f1", "mean", 1.0, told=_SIMILAR),
    read_metric("roc_auc", "majority", 2.0, suffix="agree", told="majority agrees"),
    read_metric("spearman", "majority", suffix="majority", told="with the ordinal majority"),
    read_metric(
        "spearman", "majority_all", suffix="majority_all",
        told="with the ordinal majority of all votes",
    ),
)  # fmt: skip
CONVENTION = Convention("own", "every pair the model itself scores")


class Sesame:
    """Rank pairs of methods as developers did."""

    metric: Metric = HEADLINE
    metrics: Sequence[Metric] = FURTHER

    def __init__(self, flavour: str, sight: str) -> None:
        self.flavour, self.sight_name = flavour, sight

    @cached_property
    def card(self) -> TaskCard:
        return TaskCard(
            name=f"sesame/{self.flavour}/{self.sight_name}",
            title=f"SeSaMe {self.flavour}, {self.sight_name}",
            version="1",
            face=Face.SIMILARITY,
            metric=self.metric.name,
            summary=_summary(self.flavour, self.sight_name),
            dataset="sesame",
            citation=dataset("sesame").citation,
            conventions=(CONVENTION,),
            slices=(APPROACH, SAME_KIND, UNSURE),
            ceiling=_ceiling(self.flavour),
        )

    def instances(self) -> Sequence[Instance]:
        from acumen.tasks.similarity.pairs import read_pairs
        from acumen.tasks.similarity.sights import shown

        return [
            Instance(
                id=pair.id,
                input=Pair(
                    shown(pair.first, self.sight_name),
                    shown(pair.second, self.sight_name),
                    self.flavour,
                ),
                truth=dict(pair.readings[self.flavour]),
                cluster=pair.cluster,
                tags=pair.tags[self.flavour],
            )
            for pair in read_pairs(require("sesame"))
        ]


def _summary(flavour: str, sight: str) -> str:
    return f"Do two methods {FLAVOURS[flavour]}? Ranked as developers did ({SIGHTS[sight]})"


def _ceiling(flavour: str) -> Ceiling | None:
    """From the votes; unknown while they are not on this machine."""
    if missing_files(dataset("sesame")):
        return None
    from acumen.tasks.similarity.pairs import PAIRS
    from acumen.tasks.similarity.ratings import ceiling, ratings_of

    value = ceiling(ratings_of(require("sesame") / PAIRS), flavour)
    return Ceiling("a voter against the other two (Spearman)", round(value, 3), "SeSaMe's votes")


@dataclass(frozen=True, slots=True)
class _Factory:
    flavour: str
    sight: str

    def __call__(self) -> Sesame:
        return Sesame(self.flavour, self.sight)


for _flavour in FLAVOURS:
    for _sight in SIGHTS:
        task(f"sesame/{_flavour}/{_sight}", summary=_summary(_flavour, _sight))(
            _Factory(_flavour, _sight)
        )
