"""Build a robustness data set from a corpus: ``dataset.json``, ``originals.jsonl`` and
``variants.jsonl``.

1. If the recipe limits the number of variants, find all and sample some, spread over the methods.
   The sample depends on the seed, not on the number of workers.
2. Make the variants, shard by shard; each must pass the checks of our own front end.
3. Run the checks of other tools, such as javac, project by project.

The bytes depend on the corpus, the recipe and the version, never on the number of workers.
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
from codeacumen.datasets.built import ABOUT, SCHEMA, must_be_ours
from codeacumen.datasets.variants import ORIGINALS, VARIANTS, WRONG
from codeacumen.datasets.variants.make import (
    Job,
    LoadedModel,
    Recipe,
    Row,
    draw,
    part_of,
    to_line,
    work,
)
from codeacumen.engines import Engine, WorkerLost
from codeacumen.transforms.certify import UNMADE, Certificate, level_of, without_place
from codeacumen.transforms.certify.projects import Means, certify
from codeacumen.transforms.certify.reading import Subject
from codeacumen.transforms.edits import Edit
from codeacumen.transforms.run import by_project, sources_of
from codeacumen.transforms.variants import is_published, meaning

# Time limit for a shard, in seconds.
LIMIT = 3600.0


def build(
    corpus: Corpus,
    recipe: Recipe,
    out: Path,
    engine: Engine,
    means: Means | None = None,
    step: Progress = ignore_progress,
    methods: Iterable[str] | None = None,
) -> Json:
    """Write the data set and return the content of its ``dataset.json``.

    ``methods`` are the ids of the methods to use, by default all.
    """
    must_be_ours(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=out) as name:
        only = None if methods is None else frozenset(methods)
        return _Build(corpus, recipe, out, Path(name), engine, means or Means(), step, only).run()


@dataclass(slots=True)
class _Build:
    corpus: Corpus
    recipe: Recipe
    out: Path
    parts: Path
    engine: Engine
    means: Means
    step: Progress
    only: frozenset[str] | None = None
    variants: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    edits: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    doubts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def run(self) -> Json:
        mine = self._by_shard()
        jobs = [
            Job(self.corpus.folder, shard, tuple(shards), self.recipe, only=mine.get(shard))
            for shards in self.corpus.manifest.shards.values()
            for shard in shards
            if self.only is None or shard in mine
        ]
        found: LoadedModel | None = None
        wanted: frozenset[str] | None = None
        if self.recipe.most:
            found = self._work("finding variants", jobs)
            kept = [draw(lots, self.recipe.most) for lots in found.lots.values()]
            wanted = frozenset(id_ for lots in kept for _, _, id_ in lots)
        jobs = [
            replace(job, part=self.parts / f"{place:06}", wanted=wanted)
            for place, job in enumerate(jobs)
        ]
        made = self._work("making variants", jobs)
        # The first pass counts variants that cannot be made, over all methods; the second counts
        # failed checks of the sampled variants.
        for seen, here in ((found or made, True), (made, False)):
            for (kind, level, why), n in seen.dropped.items():
                if (level == UNMADE) is here:
                    self.dropped[kind, level, without_place(why)] += n
        methods = self._join(jobs)
        if not methods:
            raise self._nothing()
        about = self._about(found or made, methods)
        for name in (ORIGINALS, VARIANTS):
            (self.parts / name).replace(self.out / name)
        text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
        write_atomically(self.out / ABOUT, text.encode())
        return about

    def _by_shard(self) -> dict[str, frozenset[str]]:
        """Return the ids of the methods to use, by shard; a job gets those of its shard only."""
        found: dict[str, set[str]] = {}
        for one in self.only or ():
            shard = self.corpus.shards[self.corpus.shard_of(self.corpus.number(one))]
            found.setdefault(shard, set()).add(one)
        return {shard: frozenset(ids) for shard, ids in found.items()}

    def _work(self, what: str, jobs: Sequence[Job]) -> LoadedModel:
        made = LoadedModel()
        for done, (place, outcome) in enumerate(self.engine.run(work, jobs, LIMIT), 1):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(f"{jobs[place].shard} cannot be transformed: {outcome.why}")
            made.add(outcome)
            self.step(what, done, len(jobs))
        return made

    # ---------------------------------------------------------------- joining the parts

    def _join(self, jobs: Sequence[Job]) -> int:
        """Join the parts in the order of the corpus; return the number of originals."""
        methods = 0
        with (
            (self.parts / ORIGINALS).open("w", encoding="utf-8") as originals,
            (self.parts / VARIANTS).open("w", encoding="utf-8") as variants,
        ):
            for project, mine in by_project(self.corpus, jobs):
                kept = self._variants(project, mine, variants)
                for row in _rows(mine, "originals"):
                    if row["id"] in kept:
                        originals.write(to_line(row))
                        methods += 1
        return methods

    def _variants(self, project: str, jobs: Sequence[Job], stream: IO[str]) -> set[str]:
        """Write the variants of a project that pass the checks; return their methods' ids."""
        rows = _rows(jobs, "variants")
        if level_of(self.recipe.certify) >= level_of("compiles"):
            rows = self._certified(project, list(rows))
        kept: set[str] = set()
        for row in rows:
            self.variants[row["kind"], row["where"]] += 1
            if "edit" in row:
                self.edits[row["kind"], row["where"], row["edit"]] += 1
                if why := without_place(re.sub("`[^`]*`", "…", row["doubt"])):
                    self.doubts[row["kind"], why] += 1
            kept.add(row["method"])
            stream.write(to_line(row))
        return kept

    def _certified(self, project: str, rows: list[Row]) -> Iterator[Row]:
        """Yield the rows that pass the checks of other tools.

        Failing variants of the published tool are kept and marked as wrong.
        """
        if not rows:
            return
        sources = sources_of(self.corpus, project)
        subjects = [_subject(place, *row.pop("_")) for place, row in enumerate(rows)]
        known = [Certificate(**row["certificate"]) for row in rows]
        level = self.recipe.certify
        certificates = certify(subjects, known, sources, level, self.means, self.step)
        for row, one in zip(rows, certificates, strict=True):
            if one.holds:
                yield {**row, "certificate": one.json()}
            elif is_published(row["kind"]):
                yield {
                    **row,
                    "certificate": one.json(),
                    "edit": WRONG,
                    "doubt": row["doubt"] or one.why,
                }
            else:
                self.dropped[row["kind"], one.failed, without_place(one.why)] += 1

    # ---------------------------------------------------------------- dataset.json

    def _about(self, made: LoadedModel, methods: int) -> dict[str, Json]:
        return {
            "family": "robustness",
            "schema": SCHEMA,
            "codeacumen": __version__,
            "task": "name",
            "kinds": {kind: meaning(kind) for kind in self.recipe.kinds},
            "settings": asdict(self.recipe),
            **({} if self.only is None else {"chosen_methods": len(self.only)}),
            "corpus": {
                "manifest_sha256": sha256_of(self.corpus.folder / NAME),
                "projects": list(self.corpus.manifest.projects),
            },
            "counts": {
                "methods": methods,
                "methods_looked_at": made.methods,
                "variants": _nested(self.variants, self.recipe),
                "variants_found": _nested(made.found, self.recipe),
                "refused": _nested(made.refused, self.recipe),
                "dropped": _nested(self.dropped, self.recipe),
                **self._marked(),
            },
            "files": {name: sha256_of(self.parts / name) for name in (ORIGINALS, VARIANTS)},
        }

    def _marked(self) -> dict[str, Json]:
        """Return the counts of marks and of doubts about the published tool's edits."""
        if not self.edits:
            return {}
        return {
            "edits": _nested(self.edits, self.recipe),
            "doubts": _nested(self.doubts, self.recipe),
        }

    def _nothing(self) -> CodeacumenError:
        split = self.recipe.split
        found = self.corpus.query("select split, count(*) as n from methods group by 1 order by 1")
        there = ", ".join(f"{row['split']} {row['n']:,}" for row in found.to_pylist())
        whose = "the corpus" if split == "all" else f"the split {split}"
        return CodeacumenError(
            f"no method of {whose} has a variant of {', '.join(self.recipe.kinds)}",
            f"methods in the splits: {there}; --split all uses all of them",
        )


def _rows(jobs: Sequence[Job], what: str) -> Iterator[Row]:
    for job in jobs:
        with part_of(job, what).open(encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def _subject(
    place: int, path: str, edits: list[tuple[int, int, str]], span: tuple[int, int]
) -> Subject:
    made = tuple(Edit(start, end, text.encode()) for start, end, text in edits)
    reach = (
        min([span[0], *(one.start for one in made)]),
        max([span[1], *(one.end for one in made)]),
    )
    return Subject(place, path, made, reach)


def _nested(counts: Counter[Any], recipe: Recipe) -> dict[str, Json]:
    """Return counts as nested dictionaries, one level per part of the keys.

    Kinds and modes are in the order of the recipe, reasons in alphabetical order.
    """
    order = {name: place for place, name in enumerate((*recipe.kinds, *recipe.where))}
    found: dict[str, Json] = {}
    for key in sorted(counts, key=lambda key: [(order.get(one, len(order)), one) for one in key]):
        inner = found
        for part in key[:-1]:
            inner = inner.setdefault(part, {})
        inner[key[-1]] = counts[key]
    return found
