"""Make the tasks on method names: judge a name, recommend one, and judge by recommending.

``list_tasks`` returns the tasks of a built folder. The family ``renames`` has ``cases.jsonl``:
``renames/check/balanced`` judges both names of every rename, ``renames/check/imbalanced`` the old
names and those of the stable methods of the same files, ``renames/check/by-name`` is the balanced
one by recommended names, and ``renames/recommend`` predicts the new name; models may learn from the
training split. The family ``misnamed`` has ``drawn.jsonl`` and the task ``misnamed/check``: Liu's
inconsistent cases, each with stable methods of a corpus.

Clusters are projects, or files if there are fewer than five projects. A sampled stable method is in
the cluster of its case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from codeacumen.api import Example, Input, Instance, Json, NamedMethod, Task
from codeacumen.benchmarks.rename4j.cases import (
    FIRST_TAGS,
    Case,
    Load,
    asked_text,
    first_tag,
    liu_cases,
    show_cases,
)
from codeacumen.core.files import sha256_of
from codeacumen.datasets import dataset
from codeacumen.datasets.built import ABOUT, BuiltDataset, BuiltTask
from codeacumen.renames.dataset import CASES, read_cases
from codeacumen.renames.records import STABLE, Rename, StableMethod
from codeacumen.tasks.base import StandardTask, TaskInfo
from codeacumen.tasks.judging import JudgingByNameTask, JudgingTask, consistency_label
from codeacumen.tasks.naming import NamingTask


def _judge_case(case: Case) -> tuple[Input, Json]:
    """Return the input and the truth of a case whose name is judged."""
    truth = {"value": float(case.consistent), "label": consistency_label(case.consistent)}
    return NamedMethod(case.method, case.tested), truth


def _name_case(case: Case) -> tuple[Input, Json]:
    return case.method, case.fixed


def _judge_case_by_name(case: Case) -> tuple[Input, Json]:
    truth = {
        "value": case.fixed,
        "label": consistency_label(case.consistent),
        "tested": case.tested,
        "fixed": case.fixed,
    }
    return case.method, truth


_CONVERSIONS: dict[type[StandardTask], Callable[[Case], tuple[Input, Json]]] = {
    JudgingTask: _judge_case,
    NamingTask: _name_case,
    JudgingByNameTask: _judge_case_by_name,
}


def make_name_task(
    kind: type[StandardTask],
    info: TaskInfo,
    load: Load,
    training: Load | None = None,
    *,
    fingerprint: str,
    **options: Any,
) -> StandardTask:
    """Return a task of a kind on cases; ``fingerprint`` identifies the data set."""
    convert = _CONVERSIONS[kind]

    def load_instances() -> list[Instance]:
        return [Instance(case.id, *convert(case), case.cluster, case.tags) for case in load()]

    def load_examples(load_cases: Load) -> list[Example]:
        examples = []
        for case in load_cases():
            asked, truth = convert(case)
            examples.append(Example(asked, truth["value"] if isinstance(truth, dict) else truth))
        return examples

    return kind(
        info,
        load_instances,
        training=partial(load_examples, training) if training else None,
        code_context=lambda: show_cases(load),
        fingerprint=fingerprint,
        **options,
    )


DRAWN = "drawn.jsonl"
TRAIN, TEST = "train", "test"
FEWEST_PROJECTS = 5
CITATION = (
    "K. Kim, X. Zhou, D. Kim, J. Lawall, K. Liu, T. F. Bissyandé, J. Klein, J. Lee, D. Lo. How are "
    "We Detecting Inconsistent Method Names? An Empirical Study from Code Review Perspective. 2023."
)
BALANCED, IMBALANCED = "renames/check/balanced", "renames/check/imbalanced"
BY_NAME, RECOMMEND, MISNAMED = "renames/check/by-name", "renames/recommend", "misnamed/check"
SUMMARIES = {
    BALANCED: "Does this name fit this method? Old and new names of renamed methods",
    IMBALANCED: "Does this name fit this method? Old names among those of stable methods",
    BY_NAME: "Does this name fit this method? Derived from the name that a model predicts",
    RECOMMEND: "What is this method called? The new names of renamed methods",
    MISNAMED: "Does this name fit this method? Liu's wrong names among many right ones",
}


_KINDS: dict[str, type[StandardTask]] = {
    BALANCED: JudgingTask,
    IMBALANCED: JudgingTask,
    BY_NAME: JudgingByNameTask,
    RECOMMEND: NamingTask,
}


def make_task(built: BuiltDataset, name: str) -> Task:
    """Return a task of a folder of the family ``renames`` or ``misnamed``."""
    fingerprint = sha256_of(built.folder / ABOUT)
    info = TaskInfo(
        name=name,
        title=name.replace("/", ", ").capitalize(),
        summary=f"{SUMMARIES[name]} ({built.folder.name})",
        citation=dataset("liu2019").citation if name == MISNAMED else CITATION,
        # Within one first word, the share of wrong names would be random.
        slices=() if name == MISNAMED else FIRST_TAGS,
    )
    if name == MISNAMED:
        load = partial(realistic_cases, built)
        return make_name_task(JudgingTask, info, load, fingerprint=fingerprint, rare=True)
    has_training = any(True for _ in built.rows(CASES, f'"split": "{TRAIN}"'))
    return make_name_task(
        _KINDS[name],
        info,
        partial(cases_of, built.folder, name, TEST),
        partial(cases_of, built.folder, name, TRAIN) if has_training else None,
        fingerprint=fingerprint,
        **({"rare": True} if name == IMBALANCED else {}),
    )


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks of a folder."""
    files = built.about["files"]
    names = [BALANCED, BY_NAME, RECOMMEND] if CASES in files else []
    if CASES in files and any(True for _ in built.rows(STABLE, f'"split": "{TEST}"')):
        names.insert(1, IMBALANCED)
    if DRAWN in files:
        names.append(MISNAMED)
    for name in names:
        yield BuiltTask(name, SUMMARIES[name], built, make_task, (name,))


@lru_cache(maxsize=8)
def cases_of(folder: Path, name: str, split: str) -> tuple[Case, ...]:
    """Return the cases of a task's split, in the order of the files."""
    known = read_cases(folder)
    renames = [one.rename for one in known.cases if one.split == split]
    stable = [one.method for one in known.stable if one.split == split]
    of_files = len({one.project for one in renames}) < FEWEST_PROJECTS
    found: list[Case] = []
    for one in renames:
        if name == RECOMMEND:
            found.append(_case(one, one.id, one.new_name, True, of_files, check=False))
            continue
        found.append(_case(one, f"{one.id}/old", one.old_name, False, of_files))
        if name != IMBALANCED:
            found.append(_case(one, f"{one.id}/new", one.new_name, True, of_files))
    if name == IMBALANCED or (name == RECOMMEND and split == TRAIN):
        # Unchanged names are training examples, too.
        found += [_stable(one, of_files) for one in stable]
    return tuple(found)


def _case(
    one: Rename, id_: str, tested: str, consistent: bool, of_files: bool, *, check: bool = True
) -> Case:
    return Case(
        id=id_,
        text=asked_text(one.code, one.new_name, (one.old_name,) if check else ()),
        tested=tested,
        fixed=one.new_name,
        consistent=consistent,
        cluster=_cluster(one, of_files),
        tags=frozenset((first_tag(tested), *(f"tag:{tag}" for tag in one.tags))),
        context={"type": one.owner, "package": "", "project": one.project},
    )


def _stable(one: StableMethod, of_files: bool) -> Case:
    return Case(
        id=one.id,
        text=asked_text(one.code, one.name),
        tested=one.name,
        fixed=one.name,
        consistent=True,
        cluster=_cluster(one, of_files),
        tags=frozenset((first_tag(one.name),)),
        context={"type": one.owner, "package": "", "project": one.project},
    )


def _cluster(one: Rename | StableMethod, of_files: bool) -> str:
    return f"{one.project}/{one.path}" if of_files else one.project


def realistic_cases(built: BuiltDataset) -> Sequence[Case]:
    """Return Liu's inconsistent cases of the folder, each followed by its stable methods.

    A case and its methods are one cluster, so that wrong names are equally rare in every resample:
    precision depends on their share.
    """
    wrong = {case.id: case for case in liu_cases("check", comments=False) if not case.consistent}
    found: list[Case] = []
    begun: set[str] = set()
    for row in built.rows(DRAWN):
        case = wrong[row["beside"]]
        if case.id not in begun:
            begun.add(case.id)
            found.append(case)
        found.append(
            Case(
                id=row["id"],
                text=row["text"],
                tested=row["name"],
                fixed=row["name"],
                consistent=True,
                cluster=case.cluster,
                tags=frozenset((first_tag(row["name"]),)),
                context={"type": row["type"], "package": "", "project": row["project"]},
            )
        )
    return found
