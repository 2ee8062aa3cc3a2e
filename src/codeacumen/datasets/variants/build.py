"""Build a data set of methods and their variants from a corpus: ``dataset.json``,
``originals.jsonl`` and ``variants.jsonl``.

1. If the recipe limits the number of variants, find all and sample some, spread over the methods.
   The sample depends on the seed, not on the number of workers.
2. Make the variants, shard by shard; each must pass the checks of our own front end.
3. Run the checks of other tools, such as javac, project by project, if the recipe requires them.

The bytes depend on the corpus, the recipe and the version, never on the number of workers.
``shards`` explains the words kind, mode, location and level.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.manifest import NAME
from codeacumen.datasets.built import ABOUT, SCHEMA, require_dataset_folder
from codeacumen.datasets.variants import ORIGINALS, VARIANTS, WRONG
from codeacumen.datasets.variants.shards import (
    Recipe,
    Row,
    ShardResult,
    VariantJob,
    make_shard_variants,
    part_path,
    sample_variants,
    to_line,
)
from codeacumen.engines import Engine, WorkerLost
from codeacumen.transforms.certify import UNMADE, Certificate, level_index, strip_location
from codeacumen.transforms.certify.front_end import Subject
from codeacumen.transforms.certify.projects import CertificationTools, certify_variants
from codeacumen.transforms.edits import Edit
from codeacumen.transforms.run import group_by_project, load_java_sources
from codeacumen.transforms.variants import describe_kind, is_published

# Time limit for a shard, in seconds.
LIMIT = 3600.0


def build_variant_dataset(
    family: str,
    corpus: Corpus,
    recipe: Recipe,
    out: Path,
    engine: Engine,
    means: CertificationTools | None = None,
    progress: Progress = ignore_progress,
    methods: Iterable[str] | None = None,
) -> Json:
    """Write the data set and return the content of its ``dataset.json``.

    ``family`` is the name of the benchmark's family of data sets, ``means`` are the other tools and
    their settings. ``methods`` are the ids of the methods to use, by default all.
    """
    require_dataset_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=out) as temporary:
        only = None if methods is None else frozenset(methods)
        return _VariantsBuild(
            family,
            corpus,
            recipe,
            out,
            Path(temporary),
            engine,
            means or CertificationTools(),
            progress,
            only,
        ).run_stages()


@dataclass(slots=True)
class _VariantsBuild:
    """State of one build.

    ``parts`` is the temporary folder of the jobs' files, ``only`` the ids of the methods to use
    (None: all). The counters are for ``dataset.json``: ``variants`` by kind and mode, ``dropped``
    variants by kind, level and reason, ``edits`` of the published tool by kind, mode and mark (one
    of ``variants.MARKS``), and ``doubts`` about them by kind and reason.
    """

    family: str
    corpus: Corpus
    recipe: Recipe
    out: Path
    parts: Path
    engine: Engine
    means: CertificationTools
    progress: Progress
    only: frozenset[str] | None = None
    variants: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    edits: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    doubts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def run_stages(self) -> Json:
        """Make the files of the data set and return the content of ``dataset.json``."""
        methods_of_shard = self._group_by_shard()
        jobs = [
            VariantJob(
                self.corpus.folder,
                shard,
                tuple(shards),
                self.recipe,
                only_methods=methods_of_shard.get(shard),
            )
            for shards in self.corpus.manifest.shards.values()
            for shard in shards
            if self.only is None or shard in methods_of_shard
        ]
        # The counts of the first pass, which finds all variants; None if there is no limit.
        survey: ShardResult | None = None
        wanted_ids: frozenset[str] | None = None
        if self.recipe.most:
            survey = self._run_jobs("finding variants", jobs)
            sampled = [
                sample_variants(keys, self.recipe.most) for keys in survey.sampling_keys.values()
            ]
            wanted_ids = frozenset(id_ for keys in sampled for _, _, id_ in keys)
        jobs = [
            replace(job, part=self.parts / f"{index:06}", wanted_ids=wanted_ids)
            for index, job in enumerate(jobs)
        ]
        result = self._run_jobs("making variants", jobs)
        # The first pass counts variants that cannot be made, over all methods; the second counts
        # failed checks of the sampled variants.
        for source, is_unmade in ((survey or result, True), (result, False)):
            for (kind, level, reason), count in source.dropped.items():
                if (level == UNMADE) is is_unmade:
                    self.dropped[kind, level, strip_location(reason)] += count
        methods = self._join_parts(jobs)
        if not methods:
            raise self._no_variants_error()
        about = self._describe_dataset(survey or result, methods)
        for name in (ORIGINALS, VARIANTS):
            (self.parts / name).replace(self.out / name)
        text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
        write_atomically(self.out / ABOUT, text.encode())
        return about

    def _group_by_shard(self) -> dict[str, frozenset[str]]:
        """Return the ids of the methods to use by shard; empty if all methods are used."""
        ids_of_shard: dict[str, set[str]] = {}
        for method_id in self.only or ():
            shard = self.corpus.shards[self.corpus.shard_of(self.corpus.number_of(method_id))]
            ids_of_shard.setdefault(shard, set()).add(method_id)
        return {shard: frozenset(ids) for shard, ids in ids_of_shard.items()}

    def _run_jobs(self, description: str, jobs: Sequence[VariantJob]) -> ShardResult:
        """Run the jobs and return the sum of their results; ``description`` is the stage shown."""
        total = ShardResult()
        for done_count, (index, outcome) in enumerate(
            self.engine.run(make_shard_variants, jobs, LIMIT), 1
        ):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(
                    f"{jobs[index].shard} cannot be transformed: {outcome.reason}"
                )
            total.add_counts(outcome)
            self.progress(description, done_count, len(jobs))
        return total

    # ---------------------------------------------------------------- joining the parts

    def _join_parts(self, jobs: Sequence[VariantJob]) -> int:
        """Join the files of the jobs in the order of the corpus; return the number of originals.

        Originals of which no variant remains are left out.
        """
        method_count = 0
        with (
            (self.parts / ORIGINALS).open("w", encoding="utf-8") as originals,
            (self.parts / VARIANTS).open("w", encoding="utf-8") as variants,
        ):
            for project, project_jobs in group_by_project(self.corpus, jobs):
                method_ids = self._write_variants(project, project_jobs, variants)
                for row in _read_part(project_jobs, "originals"):
                    if row["id"] in method_ids:
                        originals.write(to_line(row))
                        method_count += 1
        return method_count

    def _write_variants(
        self, project: str, jobs: Sequence[VariantJob], stream: IO[str]
    ) -> set[str]:
        """Write the variants of a project that pass the checks; return their methods' ids."""
        rows = _read_part(jobs, "variants")
        if level_index(self.recipe.certify) >= level_index("compiles"):
            rows = self._certify_rows(project, list(rows))
        method_ids: set[str] = set()
        for row in rows:
            self.variants[row["kind"], row["where"]] += 1
            if "edit" in row:
                self.edits[row["kind"], row["where"], row["edit"]] += 1
                # Without the names in backquotes, so that equal reasons are counted together.
                if reason := strip_location(re.sub("`[^`]*`", "…", row["doubt"])):
                    self.doubts[row["kind"], reason] += 1
            method_ids.add(row["method"])
            stream.write(to_line(row))
        return method_ids

    def _certify_rows(self, project: str, rows: list[Row]) -> Iterator[Row]:
        """Yield the rows that pass the checks of other tools.

        Failing variants of the published tool are kept and marked as wrong.
        """
        if not rows:
            return
        sources = load_java_sources(self.corpus, project)
        subjects = [_make_subject(place, *row.pop("_")) for place, row in enumerate(rows)]
        own_certificates = [Certificate(**row["certificate"]) for row in rows]
        level = self.recipe.certify
        certificates = certify_variants(
            subjects, own_certificates, sources, level, self.means, self.progress
        )
        for row, certificate in zip(rows, certificates, strict=True):
            if certificate.holds:
                yield {**row, "certificate": certificate.to_json()}
            elif is_published(row["kind"]):
                yield {
                    **row,
                    "certificate": certificate.to_json(),
                    "edit": WRONG,
                    "doubt": row["doubt"] or certificate.reason,
                }
            else:
                self.dropped[
                    row["kind"], certificate.failed, strip_location(certificate.reason)
                ] += 1

    # ---------------------------------------------------------------- dataset.json

    def _describe_dataset(self, result: ShardResult, methods: int) -> dict[str, Json]:
        """Return the content of ``dataset.json``.

        ``result`` has the counts of all variants, sampled or not; ``methods`` is the number of
        originals.
        """
        return {
            "family": self.family,
            "schema": SCHEMA,
            "codeacumen": __version__,
            "task": "name",
            "kinds": {kind: describe_kind(kind) for kind in self.recipe.kinds},
            "settings": asdict(self.recipe),
            **({} if self.only is None else {"chosen_methods": len(self.only)}),
            "corpus": {
                "manifest_sha256": sha256_of(self.corpus.folder / NAME),
                "projects": list(self.corpus.manifest.projects),
            },
            "counts": {
                "methods": methods,
                "methods_examined": result.methods,
                "variants": _nest_counts(self.variants, self.recipe),
                "variants_found": _nest_counts(result.variants, self.recipe),
                "refused": _nest_counts(result.refused, self.recipe),
                "dropped": _nest_counts(self.dropped, self.recipe),
                **self._count_marks(),
            },
            "files": {name: sha256_of(self.parts / name) for name in (ORIGINALS, VARIANTS)},
        }

    def _count_marks(self) -> dict[str, Json]:
        """Return the counts of marks and doubts; empty without edits of the published tool."""
        if not self.edits:
            return {}
        return {
            "edits": _nest_counts(self.edits, self.recipe),
            "doubts": _nest_counts(self.doubts, self.recipe),
        }

    def _no_variants_error(self) -> CodeacumenError:
        split = self.recipe.split
        counts = self.corpus.query("select split, count(*) as n from methods group by 1 order by 1")
        methods_by_split = ", ".join(f"{row['split']} {row['n']:,}" for row in counts.to_pylist())
        searched = "the corpus" if split == "all" else f"the split {split}"
        return CodeacumenError(
            f"no method of {searched} has a variant of {', '.join(self.recipe.kinds)}",
            f"methods in the splits: {methods_by_split}; --split all uses all of them",
        )


def _read_part(jobs: Sequence[VariantJob], name: str) -> Iterator[Row]:
    """Yield the rows of the jobs' ``originals`` or ``variants``, in order."""
    for job in jobs:
        with part_path(job, name).open(encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def _make_subject(
    place: int, path: str, edits: list[tuple[int, int, str]], span: tuple[int, int]
) -> Subject:
    """Return the variant to check at position ``place`` in the list of rows.

    The other arguments are the value of the row's key ``_``; ``span`` is that of the method, in
    bytes.
    """
    new_edits = tuple(Edit(start, end, text.encode()) for start, end, text in edits)
    reach = (
        min([span[0], *(edit.start for edit in new_edits)]),
        max([span[1], *(edit.end for edit in new_edits)]),
    )
    return Subject(place, path, new_edits, reach)


def _nest_counts(counts: Counter[Any], recipe: Recipe) -> dict[str, Json]:
    """Return counts as nested dictionaries, one level per part of the keys.

    Kinds and modes are in the order of the recipe, reasons in alphabetical order.
    """
    order = {name: place for place, name in enumerate((*recipe.kinds, *recipe.where))}
    nested: dict[str, Json] = {}
    for key in sorted(
        counts, key=lambda key: [(order.get(part, len(order)), part) for part in key]
    ):
        inner = nested
        for name in key[:-1]:
            inner = inner.setdefault(name, {})
        inner[key[-1]] = counts[key]
    return nested
