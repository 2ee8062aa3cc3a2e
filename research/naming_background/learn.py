"""Learn a background: read facts of all methods, fit the regression, weigh the signals.

One project in seven, chosen by a hash of its name, is held out from the regression; the signals are
weighed on these projects.

Methods whose name is not their author's free choice are left out: overriding methods, ``main``,
empty methods, methods of anonymous classes, tests and examples.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import SelectedFiles, ShardFiles, process_files, select_files
from codeacumen.engines import Engine
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.background import (
    OTHERS,
    STEP,
    Background,
    classify_other_word,
    quantize_weights,
)
from codeacumen.models.method_naming.facts import Facts, is_named_freely, read_facts
from codeacumen.models.method_naming.neighbours import is_set_aside
from codeacumen.models.method_naming.traits import list_traits, split_words
from research.naming_background.weigh import weigh

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEPT_ONE_IN = 7


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of the background.

    At most ``verbs`` verbs are learned, each of at least ``methods`` methods in ``projects``
    projects. Traits of fewer than ``rare`` methods and complete names of fewer than ``names``
    methods are dropped.
    """

    verbs: int = 400
    projects: int = 3
    methods: int = 40
    rare: int = 20
    names: int = 5
    passes: int = 3
    rate: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    """Facts of a stretch of files: its own vocabulary of traits, and a row for each method."""

    projects: tuple[str, ...]
    traits: list[str]
    offsets: NDArray[np.int64]
    found: NDArray[np.int32]
    names: list[str]
    others: NDArray[np.int8]
    project: NDArray[np.int32]
    # Methods of held-out projects, with the project's name.
    kept: list[tuple[str, Facts]]


def _work(aside: frozenset[str], stretch: ShardFiles) -> _Part:
    table = stretch.read_columns(["project", "path", "language", "source"])
    places: dict[str, int] = {}
    projects: dict[str, int] = {}
    ends, found, names, others, project = [0], [], [], [], []
    kept: list[tuple[str, Facts]] = []
    for row in table.to_pylist():
        if row["language"] != "java" or is_set_aside(row["path"]):
            continue
        file = JavaFile(row["source"].encode("utf-8", "surrogatepass"))
        of = projects.setdefault(row["project"], len(projects))
        for facts in read_facts(file, row["path"]):
            if not is_named_freely(facts):
                continue
            if row["project"] in aside:
                kept.append((row["project"], facts))
                continue
            found += [places.setdefault(one, len(places)) for one in list_traits(facts)]
            ends.append(len(found))
            names.append(facts.name)
            others.append(classify_other_word(facts, (split_words(facts.name) or ("",))[0]))
            project.append(of)
    return _Part(
        tuple(projects),
        list(places),
        np.array(ends, np.int64),
        np.array(found, np.int32),
        names,
        np.array(others, np.int8),
        np.array(project, np.int32),
        kept,
    )


def learn(
    corpora: Sequence[Corpus],
    settings: Settings,
    engine: Engine,
    step: Progress = ignore_progress,
) -> Background:
    """Return the background of the corpora's methods."""
    files = select_files(corpora)
    aside = kept_of(files.projects, settings.seed)
    parts, lost = process_files(partial(_work, aside), files.shards, engine, "methods", step)
    background = _learned(parts, settings, step)
    projects: dict[str, list[Facts]] = {}
    for part in parts:
        for name, facts in part.kept:
            projects.setdefault(name, []).append(facts)
    background.combination.update(weigh(projects, background, settings.seed, step))
    background.about.update(_about(files, parts, lost, settings), kept=sorted(projects))
    return background


def kept_of(projects: Sequence[str], seed: int) -> frozenset[str]:
    """Return the projects that are held out to weigh signals: about one in seven, at least one."""
    drawn = {
        name: hashlib.sha256(f"{seed} {name}".encode()).digest()[0] % _KEPT_ONE_IN
        for name in projects
    }
    first = min(projects, key=lambda name: (drawn[name], name))
    return frozenset(name for name in projects if drawn[name] == 0 or name == first)


def _about(
    files: SelectedFiles, parts: Sequence[_Part], lost: int, settings: Settings
) -> dict[str, object]:
    return {
        "projects": list(files.projects),
        "files": files.file_counts.get("java", 0),
        "files_lost": lost,
        "files_sha256": files.sha256,
        "methods": sum(len(part.names) for part in parts),
        "seed": settings.seed,
    }


def _learned(parts: Sequence[_Part], settings: Settings, step: Progress) -> Background:
    from research.naming_background._kernel import learn as learn_rows

    verbs = _verbs(parts, settings)
    if not verbs:
        raise CodeacumenError(
            "too few methods to learn names from",
            f"a verb needs {settings.methods} methods of {settings.projects} projects: add corpora",
        )
    kept = _kept_traits(parts, settings)
    offsets, rows, labels = _rows(parts, kept, verbs)
    many = len(verbs) + len(OTHERS)
    weights = np.zeros((len(kept), many), np.float32)
    seen = np.zeros_like(weights)
    draw = np.random.default_rng(settings.seed)
    for one in range(settings.passes):
        step("learning", one, settings.passes)
        order = draw.permutation(len(labels))
        learn_rows(offsets, rows, labels, order, weights, seen, settings.rate)
    step("learning", settings.passes, settings.passes)
    # Use the weights as they will be read from the file, where they are quantized.
    weights = quantize_weights(weights).astype(np.float32) * np.float32(STEP)
    shares = (np.bincount(labels, minlength=many) + 1) / (len(labels) + many)
    names = Counter(name for part in parts for name in part.names)
    return Background(
        tuple(verbs),
        tuple(kept),
        weights,
        np.log(shares).astype(np.float32),
        {name: count for name, count in sorted(names.items()) if count >= settings.names},
    )


def _verbs(parts: Sequence[_Part], settings: Settings) -> dict[str, int]:
    """Return the number of each verb: first words of enough methods, the most frequent first."""
    counts: Counter[str] = Counter()
    used_in: dict[str, set[str]] = {}
    for part in parts:
        for name, project in zip(part.names, part.project.tolist(), strict=True):
            first = (split_words(name) or ("",))[0]
            counts[first] += 1
            used_in.setdefault(first, set()).add(part.projects[project])
    enough = [
        (-count, first)
        for first, count in counts.items()
        if first and count >= settings.methods and len(used_in[first]) >= settings.projects
    ]
    return {first: place for place, (_, first) in enumerate(sorted(enough)[: settings.verbs])}


def _kept_traits(parts: Sequence[_Part], settings: Settings) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for part in parts:
        of_part = np.bincount(part.found, minlength=len(part.traits)).tolist()
        counts.update(dict(zip(part.traits, of_part, strict=True)))
    enough = sorted(trait for trait, count in counts.items() if count >= settings.rare)
    return {trait: place for place, trait in enumerate(enough)}


def _rows(
    parts: Sequence[_Part], kept: dict[str, int], verbs: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    lengths, found, labels = [np.zeros(1, np.int64)], [], []
    for part in parts:
        places = np.array([kept.get(trait, -1) for trait in part.traits] or [-1], np.int32)
        mapped = places[part.found]
        there = mapped >= 0
        sums = np.concatenate(([0], np.cumsum(there)))
        lengths.append(np.diff(sums[part.offsets]))
        found.append(mapped[there])
        firsts = np.array(
            [verbs.get((split_words(name) or ("",))[0], -1) for name in part.names], int
        )
        labels.append(np.where(firsts < 0, len(verbs) + part.others.astype(int), firsts))
    return (
        np.cumsum(np.concatenate(lengths)),
        np.concatenate(found),
        np.concatenate(labels).astype(np.int32),
    )
