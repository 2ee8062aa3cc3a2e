"""Get published data sets, and build data sets from corpora."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import show_progress
from codeacumen.corpus import Corpus
from codeacumen.engines import start_engine


def get_dataset(name: str, source: str | Path | None = None, *, progress: bool = True) -> Path:
    """Download a published data set, or copy it from ``source``; return its folder.

    Every file is checked against its SHA-256. Files that are here are not fetched again.
    """
    from codeacumen.datasets import dataset_folder, find_dataset
    from codeacumen.datasets.fetch import fetch_dataset

    published = find_dataset(name)
    with show_progress(progress) as report:
        fetch_dataset(published, Path(source) if source is not None else None, progress=report)
    return dataset_folder(published)


def build_dataset(
    kind: str, corpus: str | Path | Corpus, out: str | Path, **options: Any
) -> dict[str, Json]:
    """Build a data set from a corpus into the folder ``out``; return its description.

    ``kind`` is ``gluecode``, ``robustness``, ``similarity`` or ``misnamed``; the options are those
    of ``build_gluecode``, ``build_robustness``, ``build_similarity`` and ``build_misnamed`` in
    this module. The tasks are named ``KIND@OUT``. The result is the same to the byte for any
    number of workers.
    """
    builders: dict[str, Callable[..., dict[str, Json]]] = {
        "gluecode": build_gluecode,
        "robustness": build_robustness,
        "similarity": build_similarity,
        "misnamed": build_misnamed,
    }
    if kind not in builders:
        raise CodeacumenError(
            f"no data set {kind!r} is built from a corpus", f"choose one of {', '.join(builders)}"
        )
    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    return builders[kind](opened, Path(out), **options)


def build_gluecode(
    corpus: Corpus,
    out: Path,
    *,
    seed: int = 0,
    rules: str = "pmd6",
    dedup: bool = False,
    infer: Sequence[str] = (),
    limit: int = 0,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> dict[str, Json]:
    """Build GLUECode's five tasks, as large as in the paper where the corpus allows it.

    ``rules`` are PMD's rules for NPath (pmd6, pmd7 or pmd7.14). With ``dedup`` no training method
    has a near-duplicate in dev or test. ``infer`` takes null dereferences of projects from Infer's
    reports, as ``PROJECT=FILE``. ``limit`` is the maximum number of training methods of a task.
    ``failures`` in the description lists files whose null analysis failed.
    """
    from codeacumen.benchmarks.gluecode.build import GluecodeRecipe, build_dataset
    from codeacumen.benchmarks.gluecode.specs import limit_sizes
    from codeacumen.benchmarks.gluecode.warned import collect_warnings

    started = start_engine(engine, workers)
    with show_progress(progress) as report:
        warnings, failures = collect_warnings(corpus, started, infer, report)
        recipe = GluecodeRecipe(seed, rules, dedup, limit_sizes(limit))
        about = build_dataset(corpus, recipe, out, started, warnings, report)
    lost = [f"{failure.project} {failure.path}: {failure.why}" for failure in failures]
    return {**about, "failures": lost}


def build_robustness(
    corpus: Corpus,
    out: Path,
    *,
    kinds: Sequence[str] | None = None,
    where: Sequence[str] | None = None,
    seed: int = 0,
    certify: str = "parses",
    class_path: str = "",
    split: str = "test",
    limit: int = 0,
    methods: str | Path | None = None,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> dict[str, Json]:
    """Build methods and variants that mean the same.

    ``kinds`` are transformations, by default the six; ``where`` are modes (single, all, 25%).
    ``certify`` says how far a variant is checked: none, parses, binds or compiles. ``limit`` is the
    maximum number of variants for each kind and mode. ``methods`` is the folder of a GLUECode data
    set: then only the methods of its naming task are transformed.
    """
    from codeacumen.datasets.variants.build import build_variant_dataset
    from codeacumen.datasets.variants.make import Recipe
    from codeacumen.transforms.certify.projects import CertificationTools
    from codeacumen.transforms.location import parse_modes
    from codeacumen.transforms.variants import parse_kinds

    recipe = Recipe(
        kinds=parse_kinds(kinds),
        where=parse_modes(where, ("single", "all")),
        seed=seed,
        split=split,
        certify=certify,
        most=limit,
    )
    chosen = _read_named_methods(Path(methods)) if methods is not None else None
    with show_progress(progress) as report:
        about: dict[str, Json] = build_variant_dataset(
            corpus,
            recipe,
            out,
            start_engine(engine, workers),
            CertificationTools(class_path),
            report,
            methods=chosen,
        )
    return about


def _read_named_methods(folder: Path) -> list[str]:
    """Return the ids of the methods of a GLUECode data set's naming task."""
    from codeacumen.benchmarks.gluecode.masks import NAMING
    from codeacumen.datasets.built import read_built

    return [row["id"] for row in read_built(folder).read_rows(f"{NAMING}.jsonl")]


def build_similarity(
    corpus: Corpus,
    out: Path,
    *,
    kinds: Sequence[str] | None = None,
    seed: int = 0,
    certify: str = "parses",
    class_path: str = "",
    split: str = "all",
    limit: int = 100,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> dict[str, Json]:
    """Build pairs of methods by construction: a method and its variants, and unrelated methods.

    The options are those of ``build_robustness``.
    """
    from codeacumen.benchmarks.sesame.build import build_dataset
    from codeacumen.datasets.variants.make import Recipe
    from codeacumen.transforms.certify.projects import CertificationTools
    from codeacumen.transforms.variants import parse_kinds

    recipe = Recipe(kinds=parse_kinds(kinds), seed=seed, split=split, certify=certify, most=limit)
    with show_progress(progress) as report:
        started = start_engine(engine, workers)
        about: dict[str, Json] = build_dataset(
            corpus, recipe, out, started, CertificationTools(class_path), report
        )
    return about


def build_misnamed(
    corpus: Corpus,
    out: Path,
    *,
    beside: int = 33,
    limit: int = 0,
    split: str = "all",
    seed: int = 0,
    progress: bool = True,
) -> dict[str, Json]:
    """Build Liu et al.'s misnamed methods among stable methods of a corpus, ``beside`` for each.

    ``limit`` is the maximum number of misnamed methods; 0 takes all.
    """
    from codeacumen.benchmarks.rename4j.build import MisnamedRecipe, build_dataset

    with show_progress(progress) as report:
        about: dict[str, Json] = build_dataset(
            corpus, MisnamedRecipe(seed, beside, limit, split), out, report
        )
    return about


def build_renames(
    renames: Sequence[str | Path],
    out: str | Path,
    *,
    decisions: Sequence[str | Path] = (),
    undecided: str = "clear",
    without: Sequence[str] | None = None,
    splits: tuple[int, int, int] = (0, 0, 100),
    by: str = "project",
    seed: int = 0,
) -> dict[str, Json]:
    """Build renamed methods and stable methods of the same files from mined renames.

    ``renames`` are folders that ``mine_renames`` or ``codeacumen renames reviews`` wrote,
    ``decisions`` review files. ``undecided`` says which renames from reviews without a decision are
    taken: clear, include or exclude. ``without`` are tags of renames to leave out, by default those
    of doubtful ones. ``by`` (project or file) goes to one split as a whole.
    """
    from codeacumen.renames.dataset import (
        DROPPED_TAGS,
        RenameDatasetSettings,
        SelectionRules,
        build_rename_dataset,
    )

    tags = DROPPED_TAGS if without is None else tuple(without)
    settings = RenameDatasetSettings(splits, by, seed, SelectionRules(undecided, tags))
    folders = [Path(folder) for folder in renames]
    about: dict[str, Json] = build_rename_dataset(
        folders, _read_decisions(decisions), Path(out), settings
    )
    return about


def _read_decisions(files: Sequence[str | Path]) -> dict[str, str]:
    """Return the decisions of review files by the keys of the renames."""
    from codeacumen.renames.reviews.run import read_decisions

    decisions: dict[str, str] = {}
    for path in map(Path, files):
        for key, review in read_decisions(path).items():
            if review.decision and decisions.get(key, review.decision) != review.decision:
                raise CodeacumenError(
                    f"{path}: {key} is decided otherwise in another file", "agree on one decision"
                )
            if review.decision:
                decisions[key] = review.decision
    return decisions
