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
from research.naming_background.weigh import weigh_signals

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HELD_OUT_ONE_IN = 7


@dataclass(frozen=True, slots=True)
class BackgroundSettings:
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
class _StretchFacts:
    """Facts of a stretch of files: its own vocabulary of traits, and a row for each method."""

    projects: tuple[str, ...]
    traits: list[str]
    offsets: NDArray[np.int64]
    trait_codes: NDArray[np.int32]
    names: list[str]
    other_classes: NDArray[np.int8]
    project: NDArray[np.int32]
    # Methods of held-out projects, with the project's name.
    held_out: list[tuple[str, Facts]]


def _read_stretch(held_out_projects: frozenset[str], stretch: ShardFiles) -> _StretchFacts:
    table = stretch.read_columns(["project", "path", "language", "source"])
    code_of_trait: dict[str, int] = {}
    projects: dict[str, int] = {}
    ends, trait_codes, names, other_classes, project = [0], [], [], [], []
    held_out: list[tuple[str, Facts]] = []
    for row in table.to_pylist():
        if row["language"] != "java" or is_set_aside(row["path"]):
            continue
        file = JavaFile(row["source"].encode("utf-8", "surrogatepass"))
        project_number = projects.setdefault(row["project"], len(projects))
        for facts in read_facts(file, row["path"]):
            if not is_named_freely(facts):
                continue
            if row["project"] in held_out_projects:
                held_out.append((row["project"], facts))
                continue
            trait_codes += [
                code_of_trait.setdefault(trait, len(code_of_trait)) for trait in list_traits(facts)
            ]
            ends.append(len(trait_codes))
            names.append(facts.name)
            other_classes.append(classify_other_word(facts, (split_words(facts.name) or ("",))[0]))
            project.append(project_number)
    return _StretchFacts(
        tuple(projects),
        list(code_of_trait),
        np.array(ends, np.int64),
        np.array(trait_codes, np.int32),
        names,
        np.array(other_classes, np.int8),
        np.array(project, np.int32),
        held_out,
    )


def learn_background(
    corpora: Sequence[Corpus],
    settings: BackgroundSettings,
    engine: Engine,
    step: Progress = ignore_progress,
) -> Background:
    """Return the background of the corpora's methods."""
    selected_files = select_files(corpora)
    held_out_projects = select_held_out(selected_files.projects, settings.seed)
    parts, lost_files = process_files(
        partial(_read_stretch, held_out_projects), selected_files.shards, engine, "methods", step
    )
    background = _learn_verbs(parts, settings, step)
    projects: dict[str, list[Facts]] = {}
    for part in parts:
        for name, facts in part.held_out:
            projects.setdefault(name, []).append(facts)
    background.combination.update(weigh_signals(projects, background, settings.seed, step))
    background.about.update(
        _describe_training(selected_files, parts, lost_files, settings), kept=sorted(projects)
    )
    return background


def select_held_out(projects: Sequence[str], seed: int) -> frozenset[str]:
    """Return the projects that are held out to weigh signals: about one in seven, at least one."""
    lot_of_project = {
        name: hashlib.sha256(f"{seed} {name}".encode()).digest()[0] % _HELD_OUT_ONE_IN
        for name in projects
    }
    first = min(projects, key=lambda name: (lot_of_project[name], name))
    return frozenset(name for name in projects if lot_of_project[name] == 0 or name == first)


def _describe_training(
    selected_files: SelectedFiles,
    parts: Sequence[_StretchFacts],
    lost_files: int,
    settings: BackgroundSettings,
) -> dict[str, object]:
    return {
        "projects": list(selected_files.projects),
        "files": selected_files.file_counts.get("java", 0),
        "files_lost": lost_files,
        "files_sha256": selected_files.sha256,
        "methods": sum(len(part.names) for part in parts),
        "seed": settings.seed,
    }


def _learn_verbs(
    parts: Sequence[_StretchFacts], settings: BackgroundSettings, step: Progress
) -> Background:
    from research.naming_background.kernel import run_adagrad_pass as learn_rows

    verbs = _select_verbs(parts, settings)
    if not verbs:
        raise CodeacumenError(
            "too few methods to learn names from",
            f"a verb needs {settings.methods} methods of {settings.projects} projects: add corpora",
        )
    code_of_trait = _select_traits(parts, settings)
    offsets, rows, labels = _build_rows(parts, code_of_trait, verbs)
    class_count = len(verbs) + len(OTHERS)
    weights = np.zeros((len(code_of_trait), class_count), np.float32)
    squared_gradients = np.zeros_like(weights)
    rng = np.random.default_rng(settings.seed)
    for pass_number in range(settings.passes):
        step("learning", pass_number, settings.passes)
        order = rng.permutation(len(labels))
        learn_rows(offsets, rows, labels, order, weights, squared_gradients, settings.rate)
    step("learning", settings.passes, settings.passes)
    # Use the weights as they will be read from the file, where they are quantized.
    weights = quantize_weights(weights).astype(np.float32) * np.float32(STEP)
    shares = (np.bincount(labels, minlength=class_count) + 1) / (len(labels) + class_count)
    names = Counter(name for part in parts for name in part.names)
    return Background(
        tuple(verbs),
        tuple(code_of_trait),
        weights,
        np.log(shares).astype(np.float32),
        {name: count for name, count in sorted(names.items()) if count >= settings.names},
    )


def _select_verbs(parts: Sequence[_StretchFacts], settings: BackgroundSettings) -> dict[str, int]:
    """Return the number of each verb: first words of enough methods, the most frequent first."""
    counts: Counter[str] = Counter()
    used_in: dict[str, set[str]] = {}
    for part in parts:
        for name, project in zip(part.names, part.project.tolist(), strict=True):
            verb = (split_words(name) or ("",))[0]
            counts[verb] += 1
            used_in.setdefault(verb, set()).add(part.projects[project])
    frequent = [
        (-count, verb)
        for verb, count in counts.items()
        if verb and count >= settings.methods and len(used_in[verb]) >= settings.projects
    ]
    return {verb: number for number, (_, verb) in enumerate(sorted(frequent)[: settings.verbs])}


def _select_traits(parts: Sequence[_StretchFacts], settings: BackgroundSettings) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for part in parts:
        part_counts = np.bincount(part.trait_codes, minlength=len(part.traits)).tolist()
        counts.update(dict(zip(part.traits, part_counts, strict=True)))
    frequent = sorted(trait for trait, count in counts.items() if count >= settings.rare)
    return {trait: number for number, trait in enumerate(frequent)}


def _build_rows(
    parts: Sequence[_StretchFacts], code_of_trait: dict[str, int], verbs: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    lengths, trait_codes, labels = [np.zeros(1, np.int64)], [], []
    for part in parts:
        new_codes = np.array(
            [code_of_trait.get(trait, -1) for trait in part.traits] or [-1], np.int32
        )
        part_codes = new_codes[part.trait_codes]
        is_kept = part_codes >= 0
        kept_before = np.concatenate(([0], np.cumsum(is_kept)))
        lengths.append(np.diff(kept_before[part.offsets]))
        trait_codes.append(part_codes[is_kept])
        verb_labels = np.array(
            [verbs.get((split_words(name) or ("",))[0], -1) for name in part.names], int
        )
        labels.append(
            np.where(verb_labels < 0, len(verbs) + part.other_classes.astype(int), verb_labels)
        )
    return (
        np.cumsum(np.concatenate(lengths)),
        np.concatenate(trait_codes),
        np.concatenate(labels).astype(np.int32),
    )
