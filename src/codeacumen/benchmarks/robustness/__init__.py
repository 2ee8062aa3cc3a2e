"""Robustness: does a model predict the same name after a semantics-preserving transformation?

This is the metamorphic relation of Rabin et al. (IST 2021), section 4. A data set of this family
has methods and variants of them (``datasets/variants``); each kind of transformation is a task,
``robustness/KIND``. A model names every original and every variant, with the name masked in both.
Each mode (one place changed, all places, or a share such as 25%) is an evaluation set. Slices are
the size of the method (the buckets of the paper's figure 4) and, for edits of the published tool,
properties of the edit (``MARKS``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from codeacumen import metrics
from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Json, Method
from codeacumen.datasets import find_dataset
from codeacumen.datasets.built import BuiltDataset, BuiltTask
from codeacumen.datasets.variants import MARKS, ORIGINALS, VARIANTS
from codeacumen.tasks.base import StandardTask, TaskInfo
from codeacumen.text.subtokens import split_subtokens

# Maximum number of statements and name of each bucket but ``_LARGEST``, which is unbounded.
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


def find_bucket(statements: int) -> str:
    """Return the name of the bucket of a number of statements."""
    return next((name for limit, name in _BUCKETS if statements <= limit), _LARGEST)


# Description of the evaluation set of each mode that is not a share.
_MEANINGS = {
    "single": "variants with one place changed",
    "all": "variants with all places changed, of methods with several",
}


class RobustnessTask(StandardTask):
    """Task that compares the names that a model predicts for a method and for its variants.

    ``kind`` is the transformation.
    """

    capability = Capability.NAME

    def __init__(self, built: BuiltDataset, kind: str) -> None:
        self.kind = kind
        info = TaskInfo(
            name=f"robustness/{kind}",
            title=f"Robustness: {kind}",
            summary=_summarize_kind(built, kind),
            citation=find_dataset("tnpa").citation,
            evaluation_sets=tuple(_make_evaluation_set(mode) for mode in list_modes(built, kind)),
            slices=(*(f"statements:{name}" for name in BUCKETS), *_list_mark_slices(built, kind)),
            lower_is_better=True,
        )
        super().__init__(
            info,
            partial(load_instances, built, kind),
            metric=metrics.prediction_change(split_subtokens),
            metrics=metrics.change_metrics(split_subtokens),
            built=built,
        )

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """Return for each variant the predicted names before and after the transformation.

        A missing name becomes an empty one, so that it counts as a name that can change. An error
        on either method is an error of the pair.
        """
        paired_answers: dict[str, Answer] = {}
        for instance in instances:
            before, after = answers.get(instance.cluster), answers.get(instance.id)
            if "variant" not in instance.tags or before is None or after is None:
                continue
            error = before.error or after.error
            names = {"before": _get_name(before), "after": _get_name(after)}
            paired_answers[instance.id] = Answer(instance.id, None if error else names, error)
        return paired_answers


def load_instances(built: BuiltDataset, kind: str) -> list[Instance]:
    """Return the originals that have variants of a kind, each followed by its variants.

    The cluster of both is the original's id.
    """
    variants: dict[str, list[dict[str, Json]]] = {}
    for row in built.read_rows(VARIANTS, containing=f'"kind": "{kind}"'):
        variants.setdefault(row["method"], []).append(row)
    instances: list[Instance] = []
    for original in built.read_rows(ORIGINALS):
        if original["id"] not in variants:
            continue
        size = f"statements:{find_bucket(original['statements'])}"
        instances.append(_make_instance(original, original, "original", size))
        for row in variants[original["id"]]:
            edit_tags = [f"edit:{row['edit']}"] if "edit" in row else []
            tags = ("variant", size, f"where:{row['where']}", *edit_tags)
            instances.append(_make_instance(row, original, *tags))
    return instances


def _get_name(answer: Answer) -> Json:
    return "" if answer.value is None else answer.value


def _make_instance(row: dict[str, Json], original: dict[str, Json], *tags: str) -> Instance:
    return Instance(
        id=row["id"],
        input=Method(row["id"], row["text"], "java"),
        truth=original["name"],
        cluster=original["id"],
        tags=frozenset(tags),
    )


def _summarize_kind(built: BuiltDataset, kind: str) -> str:
    return f"Stability of the predicted name when {built.about['kinds'][kind]}"


def _list_mark_slices(built: BuiltDataset, kind: str) -> tuple[str, ...]:
    """Return the slices by properties of the edits; none unless the published tool made them."""
    has_marks = kind in built.about["counts"].get("edits", {})
    return tuple(f"edit:{mark}" for mark in MARKS) if has_marks else ()


def _make_evaluation_set(mode: str) -> EvaluationSet:
    share = f"variants with {mode} of the places changed, of methods with four or more"
    return EvaluationSet(mode, _MEANINGS.get(mode, share), tag=f"where:{mode}")


def list_modes(built: BuiltDataset, kind: str) -> list[str]:
    """Return the modes that have variants; ``single``, the headline's, is first."""
    counts = built.about["counts"]["variants"].get(kind, {})
    return sorted(
        (mode for mode, count in counts.items() if count), key=lambda mode: mode != "single"
    )


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks of a data set, one for each kind that has variants."""
    for kind in built.about["kinds"]:
        if list_modes(built, kind):
            name = f"robustness/{kind}"
            yield BuiltTask(name, _summarize_kind(built, kind), built, RobustnessTask, (kind,))
