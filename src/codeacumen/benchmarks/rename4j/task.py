"""Make the tasks on method names: judge a name, recommend one, and judge by recommending.

``list_tasks`` yields the tasks of a built folder. Stable methods have names that count as right.
The family ``renames`` has ``cases.jsonl``. ``renames/check/balanced`` judges both names of every
rename, ``renames/check/imbalanced`` the old names of renames and the names of the stable methods of
the same files. ``renames/check/by-name`` is like the balanced task but judges by recommended names,
and ``renames/recommend`` predicts the new name. Models may learn from the training split. The
family ``misnamed`` has ``sampled.jsonl`` and the task ``misnamed/check``: Liu's inconsistent cases,
each with stable methods of a corpus.

Clusters are projects, or files if there are fewer than five projects. In ``misnamed/check``, a
stable method is in the cluster of the case that it stands beside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from codeacumen.api import Example, Input, Instance, Json, NamedMethod, Task
from codeacumen.benchmarks.rename4j.cases import (
    FIRST_TAGS,
    Case,
    LoadCases,
    load_liu_cases,
    make_first_tag,
    make_text_context,
    mask_names,
    read_renamed,
)
from codeacumen.core.files import sha256_of
from codeacumen.datasets import find_dataset, require_dataset
from codeacumen.datasets.built import ABOUT, BuiltDataset, BuiltTask
from codeacumen.renames.dataset import CASES, read_cases
from codeacumen.renames.records import STABLE, Rename, StableMethod
from codeacumen.tasks.base import StandardTask, TaskInfo, make_neutral_id
from codeacumen.tasks.kinds import JudgingByNameTask, JudgingTask, NamingTask, consistency_label


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


# Function that returns input and truth of a case, by the kind of task.
_CONVERSIONS: dict[type[StandardTask], Callable[[Case], tuple[Input, Json]]] = {
    JudgingTask: _judge_case,
    NamingTask: _name_case,
    JudgingByNameTask: _judge_case_by_name,
}


def make_name_task(
    kind: type[StandardTask],
    info: TaskInfo,
    load: LoadCases,
    training: LoadCases | None = None,
    *,
    fingerprint: str,
    **options: Any,
) -> StandardTask:
    """Return a task of a kind on the cases that ``load`` returns.

    ``kind`` is a key of ``_CONVERSIONS``. ``training`` returns the cases to learn from, if there
    are any; ``fingerprint`` identifies the data set; ``options`` go to the kind's constructor.
    """
    convert = _CONVERSIONS[kind]

    def load_instances() -> list[Instance]:
        return [Instance(case.id, *convert(case), case.cluster, case.tags) for case in load()]

    def load_examples(load_cases: LoadCases) -> list[Example]:
        examples = []
        for case in load_cases():
            input_, truth = convert(case)
            # A model learns from the value alone: the fitness, or the right name.
            examples.append(Example(input_, truth["value"] if isinstance(truth, dict) else truth))
        return examples

    return kind(
        info,
        load_instances,
        training=partial(load_examples, training) if training else None,
        code_context=lambda: make_text_context(load),
        fingerprint=fingerprint,
        **options,
    )


# Stable methods of the family ``misnamed``.
SAMPLED_FILE = "sampled.jsonl"
TRAIN, TEST = "train", "test"
# With fewer projects, files are the clusters.
FEWEST_PROJECTS = 5
CITATION = (
    "K. Kim, X. Zhou, D. Kim, J. Lawall, K. Liu, T. F. Bissyandé, J. Klein, J. Lee, D. Lo. How are "
    "We Detecting Inconsistent Method Names? An Empirical Study from Code Review Perspective. 2023."
)
BALANCED, IMBALANCED = "renames/check/balanced", "renames/check/imbalanced"
BY_NAME, RECOMMEND, MISNAMED = "renames/check/by-name", "renames/recommend", "misnamed/check"
SUMMARIES = {
    BALANCED: "Check names: the old and new names of renamed methods",
    IMBALANCED: "Check names: old names of renamed methods among names of stable methods",
    BY_NAME: "Check names by the name that a model predicts",
    RECOMMEND: "Recommend names: the new names of renamed methods",
    MISNAMED: "Check names: Liu's wrong names among many right ones",
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
        version="1" if name == RECOMMEND else "2",  # In version 1, the ids revealed the label.
        citation=find_dataset("liu2019").citation if name == MISNAMED else CITATION,
        # In a slice of misnamed/check, the share of wrong names would be random.
        slices=() if name == MISNAMED else FIRST_TAGS,
    )
    if name == MISNAMED:
        load = partial(load_realistic_cases, built)
        return make_name_task(JudgingTask, info, load, fingerprint=fingerprint, rare=True)
    has_training = any(True for _ in built.read_rows(CASES, f'"split": "{TRAIN}"'))
    return make_name_task(
        _KINDS[name],
        info,
        partial(load_cases, built.folder, name, TEST),
        partial(load_cases, built.folder, name, TRAIN) if has_training else None,
        fingerprint=fingerprint,
        **({"rare": True} if name == IMBALANCED else {}),
    )


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks for which a folder has the files and, for the imbalanced one, the methods."""
    files = built.about["files"]
    names = [BALANCED, BY_NAME, RECOMMEND] if CASES in files else []
    if CASES in files and any(True for _ in built.read_rows(STABLE, f'"split": "{TEST}"')):
        names.insert(1, IMBALANCED)
    if SAMPLED_FILE in files:
        names.append(MISNAMED)
    for name in names:
        yield BuiltTask(name, SUMMARIES[name], built, make_task, (name,))


@lru_cache(maxsize=8)
def load_cases(folder: Path, name: str, split: str) -> tuple[Case, ...]:
    """Return the cases of a task of the family ``renames`` in a split, in the order of the files.

    ``name`` is the task's; by-name has the cases of the balanced task.
    """
    built_cases = read_cases(folder)
    renames = [case.rename for case in built_cases.cases if case.split == split]
    stable = [case.method for case in built_cases.stable if case.split == split]
    by_file = len({rename.project for rename in renames}) < FEWEST_PROJECTS
    cases: list[Case] = []
    for rename in renames:
        if name == RECOMMEND:
            cases.append(
                _make_rename_case(rename, rename.id, rename.new_name, True, by_file, check=False)
            )
            continue
        old_id = make_neutral_id(f"{rename.id}/old")
        cases.append(_make_rename_case(rename, old_id, rename.old_name, False, by_file))
        if name != IMBALANCED:
            new_id = make_neutral_id(f"{rename.id}/new")
            cases.append(_make_rename_case(rename, new_id, rename.new_name, True, by_file))
    if name == IMBALANCED or (name == RECOMMEND and split == TRAIN):
        # Unchanged names are training examples, too.
        cases += [_make_stable_case(method, by_file) for method in stable]
    return tuple(cases)


def _make_rename_case(
    rename: Rename,
    case_id: str,
    tested: str,
    consistent: bool,
    by_file: bool,
    *,
    check: bool = True,
) -> Case:
    """Return the case of a rename with the name ``tested``; ``check`` masks the old name, too."""
    return Case(
        id=case_id,
        text=mask_names(rename.code, rename.new_name, (rename.old_name,) if check else ()),
        tested=tested,
        fixed=rename.new_name,
        consistent=consistent,
        cluster=_choose_cluster(rename, by_file),
        tags=frozenset((make_first_tag(tested), *(f"tag:{tag}" for tag in rename.tags))),
        context={"type": rename.owner, "package": "", "project": rename.project},
    )


def _make_stable_case(method: StableMethod, by_file: bool) -> Case:
    return Case(
        id=make_neutral_id(method.id),
        text=mask_names(method.code, method.name),
        tested=method.name,
        fixed=method.name,
        consistent=True,
        cluster=_choose_cluster(method, by_file),
        tags=frozenset((make_first_tag(method.name),)),
        context={"type": method.owner, "package": "", "project": method.project},
    )


def _choose_cluster(method: Rename | StableMethod, by_file: bool) -> str:
    return f"{method.project}/{method.path}" if by_file else method.project


def load_realistic_cases(built: BuiltDataset) -> Sequence[Case]:
    """Return Liu's inconsistent cases of the folder, each among its stable methods.

    A case and its methods are one cluster, so that wrong names are equally rare in every resample:
    precision depends on their share. Ids, order and context do not distinguish the two kinds of
    methods: projects, packages and the spelling of the type would reveal Liu's methods.
    """
    methods = read_renamed(require_dataset("liu2019"))
    case_by_method = {
        method.id: case
        for method, case in zip(methods, load_liu_cases("check", comments=False), strict=True)
    }
    groups: dict[str, list[Case]] = {}
    for row in built.read_rows(SAMPLED_FILE):
        case = case_by_method[row["beside"]]
        group = groups.setdefault(
            case.id,
            [
                replace(
                    case,
                    id=make_neutral_id(row["beside"]),
                    context=_make_type_context(case.context["type"]),
                )
            ],
        )
        group.append(
            Case(
                id=make_neutral_id(row["id"]),
                text=row["text"],
                tested=row["name"],
                fixed=row["name"],
                consistent=True,
                cluster=case.cluster,
                tags=frozenset((make_first_tag(row["name"]),)),
                context=_make_type_context(row["type"]),
            )
        )
    return [case for group in groups.values() for case in sorted(group, key=lambda case: case.id)]


def _make_type_context(type_name: str) -> dict[str, Json]:
    """Return a context with the simple name of the type alone."""
    return {"type": re.split(r"[.$]", type_name)[-1], "package": "", "project": ""}
