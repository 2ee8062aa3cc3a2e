"""Tasks on a folder of names: renames that were decided on, or methods drawn to stand beside
Liu's.

With ``cases.jsonl`` (``acumen names dataset``): ``names/check/balanced`` asks about both names of
every rename, ``names/check/imbalanced`` about the old names and those of the stable methods of the
same files, ``names/check/by-name`` is the balanced one by recommended names, and
``names/recommend`` asks for the new name. Whatever is in the training split is there to learn from.

Without (``acumen tasks build names``): ``names/liu/realistic``, every inconsistent case of Liu's
among stable methods of a corpus.

Projects are clusters; with fewer than five of them, files are. A drawn method is in the cluster of
the case that it stands beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from acumen.api import Task
from acumen.datasets import dataset
from acumen.datasets.built import ABOUT, Built
from acumen.files import sha256_of
from acumen.renames.dataset import CASES, read_cases
from acumen.renames.records import STABLE, Rename, StableMethod
from acumen.tasks.names.cases import Case, first_tag
from acumen.tasks.names.liu import liu_cases
from acumen.tasks.names.task import About, Check, CheckByName, Recommend
from acumen.tasks.names.texts import asked_text

DRAWN = "drawn.jsonl"
TRAIN, TEST = "train", "test"
FEWEST_PROJECTS = 5
CITATION = (
    "K. Kim, X. Zhou, D. Kim, J. Lawall, K. Liu, T. F. Bissyandé, J. Klein, J. Lee, D. Lo. How are "
    "We Detecting Inconsistent Method Names? An Empirical Study from Code Review Perspective. 2023."
)
BALANCED, IMBALANCED = "check/balanced", "check/imbalanced"
BY_NAME, RECOMMEND, REALISTIC = "check/by-name", "recommend", "liu/realistic"
SUMMARIES = {
    BALANCED: "Does this name fit this method? Old and new names of renamed methods",
    IMBALANCED: "Does this name fit this method? Old names among those of stable methods",
    BY_NAME: "Does this name fit this method? By the name that a model would give it",
    RECOMMEND: "What is this method called? The new names of renamed methods",
    REALISTIC: "Does this name fit this method? Wrong ones of Liu's among many right ones",
}


@dataclass(frozen=True, slots=True)
class _Factory:
    built: Built
    kind: str

    def __call__(self) -> Task:
        folder = self.built.folder
        about = About(
            name=f"names/{self.kind}",
            title=f"Names: {self.kind.replace('/', ', ')}",
            summary=f"{SUMMARIES[self.kind]} ({folder.name})",
            citation=dataset("liu2019").citation if self.kind == REALISTIC else CITATION,
            # How rare wrong names are among those of one first word would be chance.
            by_word=self.kind != REALISTIC,
            fingerprint=sha256_of(folder / ABOUT),
        )
        if self.kind == REALISTIC:
            return Check(about, lambda: realistic_cases(self.built), rare=True)
        kind = self.kind
        trains = any(True for _ in self.built.rows(CASES, f'"split": "{TRAIN}"'))

        def training() -> Sequence[Case]:
            return cases_of(folder, kind, TRAIN)

        def asked() -> Sequence[Case]:
            return cases_of(folder, kind, TEST)

        learnt = training if trains else None
        if kind == RECOMMEND:
            return Recommend(about, asked, learnt)
        if kind == BY_NAME:
            return CheckByName(about, asked, learnt)
        return Check(about, asked, learnt, rare=kind == IMBALANCED)


def tasks(built: Built) -> Iterator[tuple[str, str, _Factory]]:
    """The tasks of a folder."""
    files = built.about["files"]
    kinds = [BALANCED, BY_NAME, RECOMMEND] if CASES in files else []
    if CASES in files and any(True for _ in built.rows(STABLE, f'"split": "{TEST}"')):
        kinds.insert(1, IMBALANCED)
    if DRAWN in files:
        kinds.append(REALISTIC)
    for kind in kinds:
        yield f"names/{kind}", SUMMARIES[kind], _Factory(built, kind)


@lru_cache(maxsize=8)
def cases_of(folder: Path, kind: str, split: str) -> tuple[Case, ...]:
    """The cases of a split, in the order of the files."""
    known = read_cases(folder)
    renames = [one.rename for one in known.cases if one.split == split]
    stable = [one.method for one in known.stable if one.split == split]
    of_files = len({one.project for one in renames}) < FEWEST_PROJECTS
    found: list[Case] = []
    for one in renames:
        if kind == RECOMMEND:
            found.append(_case(one, one.id, one.new_name, True, of_files, check=False))
            continue
        found.append(_case(one, f"{one.id}/old", one.old_name, False, of_files))
        if kind != IMBALANCED:
            found.append(_case(one, f"{one.id}/new", one.new_name, True, of_files))
    if kind == IMBALANCED or (kind == RECOMMEND and split == TRAIN):
        # Names that stayed are names to learn from, too.
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


def realistic_cases(built: Built) -> Sequence[Case]:
    """Liu's inconsistent cases that the folder names, and the drawn methods, by turns: each case
    before those that stand beside it, and in one cluster with them. So wrong names are as rare in
    every resample as they are in all: precision hangs on that."""
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
