"""Robustness: is a method named alike before and after a transformation that keeps its meaning?

The metamorphic relation of Rabin et al. (IST 2021), section 4: a model should answer alike for
programs that mean the same. A data set of this family holds methods and variants of them
(``datasets/variants``); each kind of transformation in it is a task. A model names every original
and every variant, with the name masked in both. Slices are the size of the method (the buckets of
the paper's
figure 4) and, for edits of the published tool, what is known of the edit (``MARKS``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from codeacumen import metrics
from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Json, Method
from codeacumen.datasets import dataset
from codeacumen.datasets.built import BuiltDataset, BuiltTask
from codeacumen.datasets.variants import MARKS, ORIGINALS, VARIANTS
from codeacumen.tasks.base import StandardTask, TaskInfo
from codeacumen.text.subtokens import subtokens

# The most statements of each bucket, and its name; the last one has no end.
_BUCKETS = (
    (5, "1-5"),
    (10, "6-10"),
    (15, "11-15"),
    (20, "16-20"),
    (25, "21-25"),
    (50, "26-50"),
    (100, "51-100"),
)
_LARGEST = "101+"
BUCKETS = (*(name for _, name in _BUCKETS), _LARGEST)


def bucket(statements: int) -> str:
    return next((name for most, name in _BUCKETS if statements <= most), _LARGEST)


_MEANINGS = {
    "single": "variants with one place changed",
    "all": "variants with all places changed, of methods with several",
}


class Robustness(StandardTask):
    """Name a method and its variants alike."""

    capability = Capability.NAME

    def __init__(self, built: BuiltDataset, kind: str) -> None:
        self.kind = kind
        info = TaskInfo(
            name=f"robustness/{kind}",
            title=f"Robustness: {kind}",
            summary=_summary(built, kind),
            citation=dataset("tnpa").citation,
            evaluation_sets=tuple(_evaluation_set(where) for where in modes(built, kind)),
            slices=(*(f"statements:{name}" for name in BUCKETS), *_marks(built, kind)),
            lower_is_better=True,
        )
        super().__init__(
            info,
            partial(load_instances, built, kind),
            metric=metrics.prediction_change(subtokens),
            metrics=metrics.change_metrics(subtokens),
            built=built,
        )

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """For each variant the names that the model gave before and after. No name is an answer
        too, which can change; what failed on either failed for the pair."""
        found: dict[str, Answer] = {}
        for instance in instances:
            before, after = answers.get(instance.cluster), answers.get(instance.id)
            if "variant" not in instance.tags or before is None or after is None:
                continue
            error = before.error or after.error
            names = {"before": _name(before), "after": _name(after)}
            found[instance.id] = Answer(instance.id, None if error else names, error)
        return found


def load_instances(built: BuiltDataset, kind: str) -> list[Instance]:
    """Each original that has variants of a kind, then these variants."""
    variants: dict[str, list[dict[str, Json]]] = {}
    for row in built.rows(VARIANTS, holding=f'"kind": "{kind}"'):
        variants.setdefault(row["method"], []).append(row)
    instances: list[Instance] = []
    for original in built.rows(ORIGINALS):
        if original["id"] not in variants:
            continue
        size = f"statements:{bucket(original['statements'])}"
        instances.append(_instance(original, original, "original", size))
        for row in variants[original["id"]]:
            marked = [f"edit:{row['edit']}"] if "edit" in row else []
            tags = ("variant", size, f"where:{row['where']}", *marked)
            instances.append(_instance(row, original, *tags))
    return instances


def _name(answer: Answer) -> Json:
    return "" if answer.value is None else answer.value


def _instance(row: dict[str, Json], original: dict[str, Json], *tags: str) -> Instance:
    return Instance(
        id=row["id"],
        input=Method(row["id"], row["text"], "java"),
        truth=original["name"],
        cluster=original["id"],
        tags=frozenset(tags),
    )


def _summary(built: BuiltDataset, kind: str) -> str:
    return f"Is a method named alike when {built.about['kinds'][kind]}?"


def _marks(built: BuiltDataset, kind: str) -> tuple[str, ...]:
    """Slices of what is known of an edit, where the edits are the published tool's."""
    marked = kind in built.about["counts"].get("edits", {})
    return tuple(f"edit:{one}" for one in MARKS) if marked else ()


def _evaluation_set(where: str) -> EvaluationSet:
    share = f"variants with {where} of the places changed, of methods with four or more"
    return EvaluationSet(where, _MEANINGS.get(where, share), tag=f"where:{where}")


def modes(built: BuiltDataset, kind: str) -> list[str]:
    """The modes that there are variants of, the headline's first."""
    counts = built.about["counts"]["variants"].get(kind, {})
    return sorted((where for where, n in counts.items() if n), key=lambda where: where != "single")


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """The tasks of a data set: one for each kind that it has variants of."""
    for kind in built.about["kinds"]:
        if modes(built, kind):
            name = f"robustness/{kind}"
            yield BuiltTask(name, _summary(built, kind), built, Robustness, (kind,))
