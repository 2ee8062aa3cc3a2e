"""Build a corpus: sources in, a folder of Parquet files out.

1. Find all projects and their files, and split them into shards.
2. Analyse the shards on the engine.
3. Link the calls of each project, which needs all of its declarations.
4. Index methods and calls, write the manifest, remove files that belong to no shard.

A build that is killed at any point and run again produces the same bytes.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from codeacumen.api import CodeacumenError
from codeacumen.core.home import codeacumen_home
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.compiled import compile_kernels
from codeacumen.corpus.ids import project_id
from codeacumen.corpus.index import write_index
from codeacumen.corpus.integrity import damage
from codeacumen.corpus.link import Link, Linked, link_key, link_shard
from codeacumen.corpus.manifest import (
    LOCK,
    Manifest,
    clear,
    must_be_ready,
    read_manifest,
    write_manifest,
)
from codeacumen.corpus.manifest import (
    NAME as MANIFEST,
)
from codeacumen.corpus.parquet import replace_table
from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.rows import sha256
from codeacumen.corpus.schema import PROJECTS
from codeacumen.corpus.shards import (
    Plan,
    Settings,
    Shard,
    added,
    cut,
    make_shard,
    printable,
    probe_file,
    slug,
)
from codeacumen.corpus.sources import Entry, Project, projects
from codeacumen.corpus.splits import SHARES, split_of
from codeacumen.corpus.store import Corpus
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.base import list_languages
from codeacumen.registry import entry, load_plugin, names, packages_hash

# Time limits for a shard and for a single file, in seconds. A shard of 4 MB takes a few seconds.
SHARD_LIMIT, FILE_LIMIT = 600.0, 60.0

# Packages whose code the rows of a corpus depend on.
_PACKAGES = ("codeacumen.languages", "codeacumen.corpus", "codeacumen.views")
LIBRARIES = ("tree-sitter", "tree-sitter-java", "tree-sitter-javascript", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class Summary:
    """Result of a build.

    ``parsed`` counts the files analysed now, ``reused`` the shards that existed already.
    ``problems`` maps each kind of problem to the number of files that have it and the number of
    files left out because of it. ``without_files`` are projects of which the corpus has no file.
    ``seconds`` is wall time by stage, ``processor_seconds`` the time of all processes by stage.
    """

    folder: str
    counts: dict[str, int]
    problems: dict[str, tuple[int, int]]
    without_files: list[str]
    parsed: int
    reused: int
    shards: int
    seconds: dict[str, float]
    processor_seconds: dict[str, float]
    peak_bytes: int


def build(
    sources: Sequence[str],
    out: Path,
    *,
    engine: Engine,
    views: Sequence[str],
    cache: Path,
    shares: tuple[int, int, int] = SHARES,
    largest: int = LARGEST,
    plugins: Sequence[Path] = (),
    step: Progress = ignore_progress,
) -> Summary:
    """Build a corpus of the sources in the folder ``out``, or bring the corpus there up to date.

    Missing sources and an unsuitable folder are reported before any work begins. ``cache`` is the
    folder of fetched sources, which all corpora share.
    """
    for plugin in plugins:
        load_plugin(plugin)
    must_be_ready(out)
    before = read_manifest(out)
    settings = Settings(
        tuple(views),
        shares,
        largest,
        code_hash(_PACKAGES, views),
        tuple(str(path.resolve()) for path in plugins),
    )
    found = projects(sources, cache / "sources", step, largest)
    _must_be_the_same(out, before, found)
    compile_kernels(engine, cache / "compiled", step)
    with _locked(out):
        if before is None:
            clear(out)
        return _Build(out, engine, settings, step).run(found, before)


@contextmanager
def open_or_build(sources: Sequence[str], engine: Engine, progress: Progress) -> Iterator[Corpus]:
    """Yield the corpus in a folder, or a temporary corpus of the sources, without views."""
    if len(sources) == 1 and (Path(sources[0]) / MANIFEST).is_file():
        yield Corpus.open(sources[0])
        return
    with tempfile.TemporaryDirectory(prefix="codeacumen-corpus-") as name:
        out = Path(name) / "corpus"
        build(sources, out, engine=engine, views=(), cache=codeacumen_home(), step=progress)
        yield Corpus.open(out)


class _Build:
    """State of one build: its folder, engine and settings, and the wall time of its stages."""

    def __init__(self, out: Path, engine: Engine, settings: Settings, step: Progress) -> None:
        self.out, self.engine, self.settings, self.step = out, engine, settings, step
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        clock = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - clock, 3)

    def run(self, found: Sequence[Project], before: Manifest | None) -> Summary:
        old = before or Manifest(False, ())
        manifest = Manifest(
            False,
            tuple(project.name for project in found),
            _told(self.settings),
            old.shards,
            old.links,
            old.lethal,
            files=old.files,
        )
        with self.stage("check"):
            repaired = self.remove_damaged(old)
        with self.stage("find"):
            plans = self.plans(found, old)
        # A complete corpus stays readable until something has to change.
        if not old.complete:
            write_manifest(self.out, manifest)
        with self.stage("analyse"):
            shards, lethal = self.analyse(plans)
        of_project = {
            project.name: [shard.key for shard in shards if shard.project == project.name]
            for project in found
        }
        files = {
            f"shards/{shard.key}/{name}.parquet": sha
            for shard in shards
            for name, sha in shard.hashes.items()
        }
        unchanged = (old.shards, old.settings) == (of_project, manifest.settings)
        if old.complete and unchanged and not repaired and files.items() <= old.files.items():
            return self.summary(old.counts, shards, [])
        with self.stage("link"):
            links, linked = self.link(found, shards)
        with self.stage("index"):
            manifest = replace(
                manifest, complete=True, shards=of_project, links=links, lethal=lethal
            )
            self.projects_table(found, shards)
            files |= write_index(self.out, manifest)
            counts = _counts(found, shards, linked)
            manifest = replace(manifest, counts=counts, files=dict(sorted(files.items())))
            write_manifest(self.out, manifest)
            _remove_leftovers(self.out, manifest)
        return self.summary(counts, shards, linked)

    def summary(
        self, counts: dict[str, int], shards: Sequence[Shard], linked: Sequence[Linked]
    ) -> Summary:
        parsed, reused = sum(one.parsed for one in shards), sum(not one.made for one in shards)
        peaks = [one.peak for one in shards] + [one.peak for one in linked]
        files = Counter({one.project: 0 for one in shards})
        for one in shards:
            files[one.project] += one.rows["files"]
        return Summary(
            str(self.out),
            counts,
            _problems(shards),
            [name for name in files if not files[name]],
            parsed,
            reused,
            len(shards),
            self.seconds,
            _cost(shards, linked),
            max(peaks, default=0),
        )

    def remove_damaged(self, old: Manifest) -> bool:
        """Remove damaged files, so that they are written again; return whether any were damaged.

        Shards are checked later, by the worker that wants to reuse them.
        """
        others = {file: sha for file, sha in old.files.items() if not file.startswith("shards/")}
        found = damage(self.out, others)
        for file in found.changed:
            _remove(self.out / file)
        return bool(found)

    def plans(self, found: Sequence[Project], old: Manifest) -> list[Plan]:
        # Rows written by other code or for other views cannot be reused.
        same = old.settings == _told(self.settings)
        plans: list[Plan] = []
        suffixes = tuple(list_languages())
        for project in found:
            lethal = {
                path: (digest, Problem(path, kind, message))
                for name, path, digest, kind, message in old.lethal
                if name == project.name and same
            }
            before = tuple(old.shards.get(project.name, ())) if same else ()
            # A project without files still gets one shard, so that all tables exist.
            for stretch in list(cut(project.entries(suffixes))) or [[]]:
                paths = tuple(entry.path for entry in stretch if isinstance(entry, Entry))
                problems = tuple(one for one in stretch if isinstance(one, Problem))
                mine = {path: lethal[path] for path in paths if path in lethal}
                plans.append(Plan(self.out, project, self.settings, paths, problems, before, mine))
        return plans

    def analyse(self, plans: list[Plan]) -> tuple[list[Shard], list[list[str]]]:
        """Return all shards in the order of the plans, and the lethal files.

        Where a shard kills its worker, every file is analysed alone, and files that kill a worker
        again are left out.
        """
        made: dict[int, Shard] = {}
        suspects: list[int] = []
        for place, outcome in self.engine.run(make_shard, plans, SHARD_LIMIT):
            if isinstance(outcome, WorkerLost):
                suspects.append(place)
            else:
                made[place] = outcome
            self.step("analysing", len(made), len(plans))
        for place in sorted(suspects):
            plans[place] = self.without_lethal(plans[place])
            for _, outcome in self.engine.run(make_shard, [plans[place]], SHARD_LIMIT):
                if isinstance(outcome, WorkerLost):
                    first = plans[place].paths[0] if plans[place].paths else ""
                    raise CodeacumenError(
                        f"{plans[place].project.name}: the files from {first} on cannot be "
                        f"analysed together: {outcome.why}",
                        "fewer workers leave more memory to each: --workers 1",
                    )
                made[place] = outcome
        lethal = [
            [plan.project.name, path, digest, problem.kind, problem.message]
            for plan in plans
            for path, (digest, problem) in sorted(plan.lethal.items())
        ]
        return [made[place] for place in range(len(plans))], lethal

    def without_lethal(self, plan: Plan) -> Plan:
        """Return the plan with the files that kill the process which analyses them."""
        alone = [replace(plan, paths=(path,), problems=()) for path in plan.paths]
        lethal = dict(plan.lethal)
        for place, outcome in self.engine.run(probe_file, alone, FILE_LIMIT):
            if isinstance(outcome, WorkerLost):
                path = plan.paths[place]
                content = plan.project.read(path)
                if isinstance(content, bytes):
                    lethal[path] = (sha256(content), Problem(path, "lethal", outcome.why))
        return replace(plan, lethal=lethal)

    def link(
        self, found: Sequence[Project], shards: Sequence[Shard]
    ) -> tuple[dict[str, str], list[Linked]]:
        links: dict[str, str] = {}
        tasks: list[Link] = []
        for project in found:
            keys = tuple(shard.key for shard in shards if shard.project == project.name)
            key = link_key(keys, self.settings.code)
            links[project.name] = f"{slug(project.name)}.{key}"
            tasks += [
                Link(self.out, project.name, links[project.name], keys, place)
                for place in range(len(keys))
            ]
        linked: dict[int, Linked] = {}
        for place, outcome in self.engine.run(link_shard, tasks, SHARD_LIMIT):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(
                    f"{tasks[place].project}: its calls cannot be linked: {outcome.why}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            linked[place] = outcome
            self.step("linking calls", len(linked), len(tasks))
        return links, [linked[place] for place in range(len(tasks))]

    def projects_table(self, found: Sequence[Project], shards: Sequence[Shard]) -> None:
        rows = [
            {
                "project_id": project_id(project.name).bytes,
                "project": project.name,
                "source": project.source,
                "revision": project.revision,
                "split": split_of(project.name, self.settings.shares),
                "licences": [
                    {"path": printable(one.path), "licence": ", ".join(one.ids) or "unknown"}
                    for one in project.licences()
                ],
                **{
                    table: sum(s.rows[table] for s in shards if s.project == project.name)
                    for table in ("files", "methods")
                },
            }
            for project in found
        ]
        table = pa.Table.from_pylist(rows, schema=PROJECTS)
        replace_table(table, self.out / "projects.parquet")


def _counts(
    found: Sequence[Project], shards: Sequence[Shard], linked: Sequence[Linked]
) -> dict[str, int]:
    rows = {
        table: sum(shard.rows[table] for shard in shards) for table in ("files", "types", "methods")
    }
    skipped = sum(left_out for shard in shards for _, left_out in shard.problems)
    return {
        "projects": len(found),
        "files": rows["files"],
        "files_left_out": skipped,
        "types": rows["types"],
        "methods": rows["methods"],
        "bodies": sum(shard.bodies for shard in shards),
        "calls": sum(one.calls for one in linked),
        "calls_inside": sum(one.inside for one in linked),
        "calls_ambiguous": sum(one.ambiguous for one in linked),
    }


def _cost(shards: Sequence[Shard], linked: Sequence[Linked]) -> dict[str, float]:
    """Return the processor time of each stage, summed over all processes."""
    total = added(shard.seconds for shard in shards)
    total["linking"] = sum(one.seconds for one in linked)
    return {name: round(value, 2) for name, value in total.items()}


def _problems(shards: Sequence[Shard]) -> dict[str, tuple[int, int]]:
    kinds = Counter(kind for shard in shards for kind, _ in shard.problems)
    lost = Counter(kind for shard in shards for kind, left_out in shard.problems if left_out)
    # Most frequent kinds first.
    ordered = sorted(kinds.items(), key=lambda one: (-one[1], one[0]))
    return {kind: (count, lost[kind]) for kind, count in ordered}


def _told(settings: Settings) -> dict[str, Any]:
    return {
        "views": list(settings.views),
        "shares": list(settings.shares),
        "largest": settings.largest,
        "code": settings.code,
    }


def code_hash(packages: Sequence[str], views: Sequence[str] = ()) -> str:
    """Return the hash of what derived data depend on besides the source: these packages, views
    and languages of plug-ins, and the libraries that parse and write."""
    used = [entry("view", name) for name in views]
    used += [entry("language", name) for name in names("language")]
    others = [known.code_sha256 for known in used if known.origin != "codeacumen"]
    libraries = [f"{name} {version(name)}" for name in LIBRARIES]
    parts = [packages_hash(*packages), *others, *libraries]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _must_be_the_same(out: Path, before: Manifest | None, found: Sequence[Project]) -> None:
    """Raise an error if the corpus in ``out`` has projects that the sources lack.

    A corpus may gain projects and its projects may change, but an update removes none: the folder
    probably holds another corpus.
    """
    missing = sorted(set(before.projects if before else ()) - {project.name for project in found})
    if missing:
        raise CodeacumenError(
            f"{out} holds another corpus, with {', '.join(missing[:5])}, not among these sources",
            "name the sources of these projects too, or choose another --out",
        )


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / LOCK, timeout=0):
            yield
    except Timeout as error:
        raise CodeacumenError(
            f"another build is working on {out}", "wait for it, or choose another --out"
        ) from error


def _remove_leftovers(out: Path, manifest: Manifest) -> None:
    """Remove files of killed builds and of shards that the corpus no longer has."""
    shards = {shard for keys in manifest.shards.values() for shard in keys}
    links = set(manifest.links.values())
    for folder, kept in (("shards", shards), ("calls", links), ("nulls", links)):
        for found in (out / folder).iterdir() if (out / folder).is_dir() else ():
            if found.name not in kept:
                _remove(found)
    for file in out.rglob("*.part"):
        file.unlink(missing_ok=True)


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
