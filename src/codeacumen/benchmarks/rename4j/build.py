"""Build ReName4J's realistic setting: 33 methods of a corpus for each of Liu's inconsistent names.

ReName4J asks whether the name of a method is right. An inconsistent (or misnamed) method has the
name that a later commit replaced; a stable method's name counts as right. Liu et al. published the
inconsistent methods; the stable ones are sampled here.

The result is a folder with ``dataset.json`` and ``sampled.jsonl``, the family ``misnamed``. Methods
are eligible by the rules of Liu et al.: their body is not empty, they are neither constructors nor
``main``, and their path does not mention tests, samples, examples or templates. Equal texts are
sampled once. The sample depends on the seed and the methods' ids alone. If a corpus has too few
methods, the data set has fewer cases, never fewer methods per case, because precision depends on
how rare wrong names are. The corpus should not contain projects that a model has learned from;
``MisnamedRecipe.split`` can restrict the sample to a split of the corpus instead.

``build_from_renames`` builds the family ``renames`` from mined renames (``codeacumen.renames``).
"""

from __future__ import annotations

import hashlib
import heapq
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.rename4j import read_published_lengths
from codeacumen.benchmarks.rename4j.cases import mask_names, read_renamed, remove_override
from codeacumen.benchmarks.rename4j.task import SAMPLED_FILE
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.manifest import NAME
from codeacumen.corpus.splits import SPLITS
from codeacumen.datasets import find_dataset, require_dataset
from codeacumen.datasets.built import ABOUT, SCHEMA, check_choice, require_dataset_folder

# About the ratio of ReName4J's imbalanced setting, 13,137 stable names to 400 inconsistent ones.
STABLE_PER_CASE = 33
# Liu et al. exclude files with these words in their path, which contains their package.
EXCLUDED_PATHS = re.compile(r"test|sample|example|template", re.IGNORECASE)
# End of a method with an empty body.
_EMPTY = re.compile(r"\{\s*\}\s*$")
_COLUMNS = ["method_id", "project", "split", "path", "type", "kind", "body", "name", "text"]
# Factor by which more methods are sampled than needed, because some have equal texts.
_OVERSAMPLING = 2
# Rows of a corpus table to read at a time.
_BATCH = 4096

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MisnamedRecipe:
    """Settings of a build.

    ``beside`` is the number of stable methods per inconsistent case, ``cases`` the maximum number
    of inconsistent cases (0 for all), and ``split`` the corpus's split to sample from, or "all".
    """

    seed: int = 0
    beside: int = STABLE_PER_CASE
    cases: int = 0
    split: str = "all"


def build_dataset(
    corpus: Corpus, recipe: MisnamedRecipe, out: Path, step: Progress = ignore_progress
) -> Json:
    """Write the data set, and return the content of its ``dataset.json``."""
    require_dataset_folder(out)
    if recipe.beside < 1:
        raise CodeacumenError(
            f"--beside {recipe.beside}: a case needs at least one stable method",
            "use --beside 1 or more",
        )
    inconsistent_ids = [
        method.id for method in read_renamed(require_dataset("liu2019")) if not method.consistent
    ]
    inconsistent_ids.sort(key=lambda case_id: _hash_sampling_key(recipe.seed, case_id))
    case_ids = inconsistent_ids[: recipe.cases] if recipe.cases else inconsistent_ids
    method_count = recipe.beside * len(case_ids)
    eligible = _CountingIterator(_read_eligible(corpus, recipe.split, step))
    candidates = heapq.nsmallest(
        _OVERSAMPLING * method_count,
        eligible,
        key=lambda row: _hash_sampling_key(recipe.seed, row["id"]),
    )
    sampled, eligible_count = _take_distinct(candidates, method_count, step), eligible.count
    case_count = len(sampled) // recipe.beside
    if not case_count:
        raise CodeacumenError(
            f"the corpus has {eligible_count:,} eligible methods, but one case needs "
            f"{recipe.beside}",
            "use a larger corpus, or fewer methods per case (--beside)",
        )
    out.mkdir(parents=True, exist_ok=True)
    lines = []
    for index, row in enumerate(sampled[: case_count * recipe.beside]):
        # In a record, "beside" is the id of the inconsistent case that the method belongs to.
        record = {**row, "beside": case_ids[index // recipe.beside]}
        lines.append(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n")
    write_atomically(out / SAMPLED_FILE, "".join(lines).encode("utf-8", "replace"))
    about = {
        "family": "misnamed",
        "schema": SCHEMA,
        "codeacumen": __version__,
        "kinds": {"check": "check names, of which one in many is wrong"},
        "settings": asdict(recipe),
        "corpus": {"manifest_sha256": sha256_of(corpus.folder / NAME)},
        "liu2019": find_dataset("liu2019").files[0].sha256,
        "counts": {
            "cases": min(case_count, len(case_ids)),
            "inconsistent": len(inconsistent_ids),
            "sampled": len(lines),
            "eligible": eligible_count,
            "projects": len({row["project"] for row in sampled}),
        },
        "files": {SAMPLED_FILE: sha256_of(out / SAMPLED_FILE)},
    }
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    write_atomically(out / ABOUT, text.encode())
    return about


def _hash_sampling_key(seed: int, instance_id: str) -> bytes:
    """Return the sampling key of an instance; the smallest keys are sampled."""
    return hashlib.sha256(f"{seed}\0{instance_id}".encode()).digest()


def _read_eligible(corpus: Corpus, split: str, step: Progress) -> Iterator[Row]:
    """Yield the eligible methods with their original text."""
    import pyarrow.parquet as pq

    methods = corpus.list_table_files().get("methods", [])
    for table_index, table in enumerate(methods):
        for batch in pq.ParquetFile(table).iter_batches(_BATCH, columns=_COLUMNS):
            for row in batch.to_pylist():
                if split in ("all", row["split"]) and is_eligible(row):
                    fields = {
                        name: row[name] for name in ("project", "path", "type", "name", "text")
                    }
                    yield {"id": str(row["method_id"]), **fields}
        step("reading", table_index + 1, len(methods))


class _CountingIterator:
    """Iterator over rows that counts them, because they are too many for a list."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self.rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for row in self.rows:
            self.count += 1
            yield row


def is_eligible(row: Row) -> bool:
    """Return whether Liu et al.'s rules accept a method."""
    return (
        row["kind"] == "method"
        and bool(row["body"])
        and row["name"] != "main"
        and not EXCLUDED_PATHS.search(row["path"])
        and not _EMPTY.search(row["text"])
    )


def _take_distinct(rows: Sequence[Row], limit: int, step: Progress) -> list[Row]:
    """Return the first ``limit`` rows that differ in name or text.

    The text is the one that a model sees: without comments and ``@Override``, and with the name
    masked. It replaces the row's original text.
    """
    seen_texts: set[tuple[str, str]] = set()
    distinct: list[Row] = []
    for row in rows:
        if len(distinct) == limit:
            break
        text = mask_names(remove_override(row["text"]), row["name"])
        if text and (row["name"], text) not in seen_texts:
            seen_texts.add((row["name"], text))
            distinct.append({**row, "text": text})
            if len(distinct) % 256 == 0:
                step("sampling", len(distinct), limit)
    return distinct


def build_from_corpus(
    corpus: str | Path | Corpus,
    out: Path,
    report: Progress,
    *,
    beside: int = STABLE_PER_CASE,
    limit: int = 0,
    split: str = "all",
    seed: int = 0,
) -> dict[str, Json]:
    """Build Liu et al.'s misnamed methods among stable methods of a corpus, ``beside`` for each.

    ``limit`` is the maximum number of misnamed methods; 0 takes all. ``split`` is the split of the
    corpus to sample from, or all. ``report`` is called with the progress. The result is the content
    of ``dataset.json``.
    """
    check_choice("split", split, (*SPLITS, "all"))
    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    about: dict[str, Json] = build_dataset(
        opened, MisnamedRecipe(seed, beside, limit, split), out, report
    )
    return about


def build_from_renames(
    renames: str | Path | Sequence[str | Path],
    out: Path,
    report: Progress,
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
    ``decisions`` are files with decisions on them. ``undecided`` selects the renames from code
    reviews without a decision: clear (those whose new name a reviewer suggested and the author
    accepted), include (all) or exclude (none). ``without`` are tags of renames to leave out, by
    default those of doubtful ones. ``splits`` are the shares of train, dev and test, in any unit; a
    project or file (``by``) goes to one split as a whole. The result is the content of
    ``dataset.json``.
    """
    from codeacumen.renames.dataset import (
        DROPPED_TAGS,
        RenameDatasetSettings,
        SelectionRules,
        build_rename_dataset,
    )

    tags = DROPPED_TAGS if without is None else tuple(without)
    settings = RenameDatasetSettings(splits, by, seed, SelectionRules(undecided, tags))
    check_choice("by", by, ("project", "file"))
    check_choice("undecided", undecided, ("clear", "include", "exclude"))
    several = [renames] if isinstance(renames, str | Path) else renames
    about: dict[str, Json] = build_rename_dataset(
        [Path(folder) for folder in several],
        _read_decisions(decisions),
        out,
        settings,
        # Mean lengths of published data sets' names, to report beside those of this data set.
        read_published_lengths(),
    )
    return about


def _read_decisions(files: Sequence[str | Path]) -> dict[str, str]:
    """Return the decisions of some files by the keys of the renames; raise an error on conflict."""
    from codeacumen.renames.reviews.run import read_decisions

    decisions: dict[str, str] = {}
    for path in map(Path, files):
        for key, review in read_decisions(path).items():
            if review.decision and decisions.get(key, review.decision) != review.decision:
                raise CodeacumenError(
                    f"{path}: {key} has another decision in another file",
                    "make the decisions equal",
                )
            if review.decision:
                decisions[key] = review.decision
    return decisions
