"""Build a corpus: sources in, a folder of Parquet files out.

1. Find all projects and their files, and split them into shards.
2. Analyse the shards on the engine.
3. Link the calls of each project, which needs all of its declarations.
4. Index methods and calls, write the manifest, remove files that belong to no shard.

A shard is a group of consecutive files of one project (``corpus.shards``); linking finds the
methods that each call may reach (``corpus.link``); an engine is a pool of worker processes.

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
from codeacumen.corpus.ids import project_id
from codeacumen.corpus.index import write_index
from codeacumen.corpus.kernels import compile_kernels
from codeacumen.corpus.link import LinkedShard, LinkJob, link_key, link_shard
from codeacumen.corpus.manifest import (
    LOCK,
    Manifest,
    find_damage,
    read_manifest,
    remove_build_output,
    require_buildable,
    write_manifest,
)
from codeacumen.corpus.manifest import (
    NAME as MANIFEST,
)
from codeacumen.corpus.parquet import replace_table
from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.rows import sha256_hex
from codeacumen.corpus.schema import PROJECTS
from codeacumen.corpus.shards import (
    BuildSettings,
    Shard,
    ShardPlan,
    make_shard,
    probe_file,
    slugify,
    split_into_shards,
    sum_stage_seconds,
    to_printable,
)
from codeacumen.corpus.sources import Entry, Project, find_projects
from codeacumen.corpus.splits import SHARES, split_of
from codeacumen.corpus.store import Corpus
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.base import list_languages
from codeacumen.registry import find_entry, hash_packages, list_loadable_names, load_plugin

# Time limits for a shard and for a single file, in seconds. A shard of 4 MB takes a few seconds.
SHARD_LIMIT, FILE_LIMIT = 600.0, 60.0

# Packages and libraries whose versions the rows of a corpus depend on, for ``code_hash``.
_PACKAGES = ("codeacumen.languages", "codeacumen.corpus", "codeacumen.views")
LIBRARIES = ("tree-sitter", "tree-sitter-java", "tree-sitter-javascript", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class Summary:
    """Result of a build.

    ``counts`` are those of the manifest. ``problems`` maps each kind of problem to the number of
    files that have it and the number of files left out because of it. ``without_files`` are
    projects of which the corpus has no file. ``parsed`` counts the files analysed now, ``reused``
    the shards that existed already, ``shards`` all shards. ``seconds`` is wall time by stage,
    ``processor_seconds`` the processor time of all worker processes by step of the analysis,
    ``peak_bytes`` the peak memory of the largest worker. ``left_out`` are the errors of views and
    languages whose packages cannot be imported; ``interface.corpora`` adds them after the build.
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
    left_out: tuple[str, ...] = ()


def build_corpus_folder(
    sources: Sequence[str],
    out: Path,
    *,
    engine: Engine,
    views: Sequence[str],
    cache: Path,
    shares: tuple[int, int, int] = SHARES,
    largest: int = LARGEST,
    plugins: Sequence[Path] = (),
    progress: Progress = ignore_progress,
) -> Summary:
    """Build a corpus of the sources in the folder ``out``, or bring the corpus there up to date.

    Missing sources and an unsuitable folder are reported before any work begins. ``cache`` is the
    folder of fetched sources and of markers of compiled kernels, which all corpora share.
    ``shares`` are the relative sizes of train, dev and test; files of more than ``largest`` bytes
    are left out. ``views`` are the names of the views to store with each method; ``plugins`` are
    Python files to load first.
    """
    for plugin in plugins:
        load_plugin(plugin)
    require_buildable(out)
    previous = read_manifest(out)
    settings = BuildSettings(
        tuple(views),
        shares,
        largest,
        code_hash(_PACKAGES, views),
        tuple(str(path.resolve()) for path in plugins),
    )
    found_projects = find_projects(sources, cache / "sources", progress, largest)
    _require_same_projects(out, previous, found_projects)
    compile_kernels(engine, cache / "compiled", progress)
    with _lock_folder(out):
        if previous is None:
            remove_build_output(out)
        return _CorpusBuild(out, engine, settings, progress).run_stages(found_projects, previous)


@contextmanager
def open_or_build(sources: Sequence[str], engine: Engine, progress: Progress) -> Iterator[Corpus]:
    """Yield the corpus if the only source is one, or else a temporary corpus of the sources.

    The temporary corpus has no views and is deleted at the end of the context.
    """
    if len(sources) == 1 and (Path(sources[0]) / MANIFEST).is_file():
        yield Corpus.open(sources[0])
        return
    with tempfile.TemporaryDirectory(prefix="codeacumen-corpus-") as temporary:
        out = Path(temporary) / "corpus"
        build_corpus_folder(
            sources, out, engine=engine, views=(), cache=codeacumen_home(), progress=progress
        )
        yield Corpus.open(out)


class _CorpusBuild:
    """State of one build: its folder, engine and settings, and the wall time of its stages."""

    def __init__(
        self, out: Path, engine: Engine, settings: BuildSettings, progress: Progress
    ) -> None:
        self.out, self.engine, self.settings, self.progress = out, engine, settings, progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time_stage(self, name: str) -> Iterator[None]:
        """Record the wall time of the context as that of a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 3)

    def run_stages(self, projects: Sequence[Project], previous: Manifest | None) -> Summary:
        """Build the corpus; ``previous`` is the manifest of the last build, complete or not.

        If nothing has changed, the folder stays as it is and nothing is linked.
        """
        old = previous or Manifest(False, ())
        manifest = Manifest(
            False,
            tuple(project.name for project in projects),
            _settings_to_json(self.settings),
            old.shards,
            old.links,
            old.crashing_files,
            files=old.files,
        )
        with self.time_stage("check"):
            repaired = self.remove_damaged(old)
        with self.time_stage("find"):
            plans = self.plan_shards(projects, old)
        # A complete corpus stays readable until something has to change.
        if not old.complete:
            write_manifest(self.out, manifest)
        with self.time_stage("analyse"):
            shards, crashing = self.analyse_shards(plans)
        shards_of_project = {
            project.name: [shard.key for shard in shards if shard.project == project.name]
            for project in projects
        }
        files = {
            f"shards/{shard.key}/{name}.parquet": digest
            for shard in shards
            for name, digest in shard.hashes.items()
        }
        unchanged = (old.shards, old.settings) == (shards_of_project, manifest.settings)
        if old.complete and unchanged and not repaired and files.items() <= old.files.items():
            return self.summarize(old.counts, shards, [])
        with self.time_stage("link"):
            links, linked = self.link_calls(projects, shards)
        with self.time_stage("index"):
            manifest = replace(
                manifest,
                complete=True,
                shards=shards_of_project,
                links=links,
                crashing_files=crashing,
            )
            self.write_projects_table(projects, shards)
            files |= write_index(self.out, manifest)
            counts = _count_contents(projects, shards, linked)
            manifest = replace(manifest, counts=counts, files=dict(sorted(files.items())))
            write_manifest(self.out, manifest)
            _remove_leftovers(self.out, manifest)
        return self.summarize(counts, shards, linked)

    def summarize(
        self, counts: dict[str, int], shards: Sequence[Shard], linked: Sequence[LinkedShard]
    ) -> Summary:
        """Return the result of the build; ``linked`` is empty if nothing was linked."""
        parsed, reused = (
            sum(shard.parsed for shard in shards),
            sum(not shard.is_new for shard in shards),
        )
        peaks = [shard.peak for shard in shards] + [linked_shard.peak for linked_shard in linked]
        files = Counter({shard.project: 0 for shard in shards})
        for shard in shards:
            files[shard.project] += shard.rows["files"]
        return Summary(
            str(self.out),
            counts,
            _count_problems(shards),
            [name for name in files if not files[name]],
            parsed,
            reused,
            len(shards),
            self.seconds,
            _sum_processor_seconds(shards, linked),
            max(peaks, default=0),
        )

    def remove_damaged(self, old: Manifest) -> bool:
        """Remove changed files outside of shards, so that they are written again.

        Return whether any was changed or missing. Shards are checked later, by the worker that
        wants to reuse them.
        """
        # Projects, calls and index; ``files`` maps each path in the corpus to its SHA-256.
        other_files = {
            file: digest for file, digest in old.files.items() if not file.startswith("shards/")
        }
        damage = find_damage(self.out, other_files)
        for file in damage.changed:
            _remove_path(self.out / file)
        return bool(damage)

    def plan_shards(self, projects: Sequence[Project], old: Manifest) -> list[ShardPlan]:
        """Return the plans of all shards, project by project, each project's in order of paths."""
        # Rows written by other code or for other views cannot be reused.
        has_same_settings = old.settings == _settings_to_json(self.settings)
        plans: list[ShardPlan] = []
        suffixes = tuple(list_languages())
        for project in projects:
            crashing = {
                path: (digest, Problem(path, kind, message))
                for name, path, digest, kind, message in old.crashing_files
                if name == project.name and has_same_settings
            }
            previous_shards = tuple(old.shards.get(project.name, ())) if has_same_settings else ()
            # A project without files still gets one shard, so that all tables exist.
            for entries in list(split_into_shards(project.list_entries(suffixes))) or [[]]:
                paths = tuple(entry.path for entry in entries if isinstance(entry, Entry))
                problems = tuple(problem for problem in entries if isinstance(problem, Problem))
                crashing_here = {path: crashing[path] for path in paths if path in crashing}
                plans.append(
                    ShardPlan(
                        self.out,
                        project,
                        self.settings,
                        paths,
                        problems,
                        previous_shards,
                        crashing_here,
                    )
                )
        return plans

    def analyse_shards(self, plans: list[ShardPlan]) -> tuple[list[Shard], list[list[str]]]:
        """Return all shards in the order of the plans, and the rows of ``Manifest.crashing_files``.

        Where a shard kills its worker, every file is analysed alone, and files that kill a worker
        again are left out.
        """
        # Both hold positions in ``plans``; suspects are the shards that killed their worker.
        shards: dict[int, Shard] = {}
        suspects: list[int] = []
        for index, outcome in self.engine.run(make_shard, plans, SHARD_LIMIT):
            if isinstance(outcome, WorkerLost):
                suspects.append(index)
            else:
                shards[index] = outcome
            self.progress("analysing", len(shards), len(plans))
        for index in sorted(suspects):
            plans[index] = self.mark_crashing_files(plans[index])
            for _, outcome in self.engine.run(make_shard, [plans[index]], SHARD_LIMIT):
                if isinstance(outcome, WorkerLost):
                    first = plans[index].paths[0] if plans[index].paths else ""
                    raise CodeacumenError(
                        f"{plans[index].project.name}: the files from {first} on cannot be "
                        f"analysed together: {outcome.reason}",
                        "fewer workers leave more memory to each: --workers 1",
                    )
                shards[index] = outcome
        crashing = [
            [plan.project.name, path, digest, problem.kind, problem.message]
            for plan in plans
            for path, (digest, problem) in sorted(plan.crashing.items())
        ]
        return [shards[index] for index in range(len(plans))], crashing

    def mark_crashing_files(self, plan: ShardPlan) -> ShardPlan:
        """Return the plan with the files in ``crashing`` that kill a process when analysed alone.

        A file also counts as crashing if its analysis takes more than ``FILE_LIMIT`` seconds.
        """
        single_file_plans = [replace(plan, paths=(path,), problems=()) for path in plan.paths]
        crashing = dict(plan.crashing)
        for index, outcome in self.engine.run(probe_file, single_file_plans, FILE_LIMIT):
            if isinstance(outcome, WorkerLost):
                path = plan.paths[index]
                content = plan.project.read_file(path)
                if isinstance(content, bytes):
                    crashing[path] = (sha256_hex(content), Problem(path, "crashed", outcome.reason))
        return replace(plan, crashing=crashing)

    def link_calls(
        self, projects: Sequence[Project], shards: Sequence[Shard]
    ) -> tuple[dict[str, str], list[LinkedShard]]:
        """Link the calls of all shards.

        Return the name of each project's folder in ``calls``, and the counts of each shard's calls.
        """
        links: dict[str, str] = {}
        jobs: list[LinkJob] = []
        for project in projects:
            keys = tuple(shard.key for shard in shards if shard.project == project.name)
            key = link_key(keys, self.settings.code)
            links[project.name] = f"{slugify(project.name)}.{key}"
            jobs += [
                LinkJob(self.out, project.name, links[project.name], keys, index)
                for index in range(len(keys))
            ]
        linked: dict[int, LinkedShard] = {}
        for index, outcome in self.engine.run(link_shard, jobs, SHARD_LIMIT):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(
                    f"{jobs[index].project}: its calls cannot be linked: {outcome.reason}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            linked[index] = outcome
            self.progress("linking calls", len(linked), len(jobs))
        return links, [linked[index] for index in range(len(jobs))]

    def write_projects_table(self, projects: Sequence[Project], shards: Sequence[Shard]) -> None:
        """Write ``projects.parquet`` with a row for each project, in the order of the sources."""
        rows = [
            {
                "project_id": project_id(project.name).bytes,
                "project": project.name,
                "source": project.source,
                "revision": project.revision,
                "split": split_of(project.name, self.settings.shares),
                "licences": [
                    {
                        "path": to_printable(licence_file.path),
                        "licence": ", ".join(licence_file.ids) or "unknown",
                    }
                    for licence_file in project.list_licence_files()
                ],
                **{
                    table: sum(
                        shard.rows[table] for shard in shards if shard.project == project.name
                    )
                    for table in ("files", "methods")
                },
            }
            for project in projects
        ]
        table = pa.Table.from_pylist(rows, schema=PROJECTS)
        replace_table(table, self.out / "projects.parquet")


def _count_contents(
    projects: Sequence[Project], shards: Sequence[Shard], linked: Sequence[LinkedShard]
) -> dict[str, int]:
    """Return the manifest's ``counts``: the sizes of the corpus, by name."""
    rows = {
        table: sum(shard.rows[table] for shard in shards) for table in ("files", "types", "methods")
    }
    skipped = sum(left_out for shard in shards for _, left_out in shard.problems)
    return {
        "projects": len(projects),
        "files": rows["files"],
        "files_left_out": skipped,
        "types": rows["types"],
        "methods": rows["methods"],
        "bodies": sum(shard.bodies for shard in shards),
        "calls": sum(linked_shard.calls for linked_shard in linked),
        "calls_inside": sum(linked_shard.inside for linked_shard in linked),
        "calls_ambiguous": sum(linked_shard.ambiguous for linked_shard in linked),
    }


def _sum_processor_seconds(
    shards: Sequence[Shard], linked: Sequence[LinkedShard]
) -> dict[str, float]:
    """Return the processor time of each stage in seconds, summed over all processes."""
    total = sum_stage_seconds(shard.seconds for shard in shards)
    total["linking"] = sum(linked_shard.seconds for linked_shard in linked)
    return {name: round(value, 2) for name, value in total.items()}


def _count_problems(shards: Sequence[Shard]) -> dict[str, tuple[int, int]]:
    """Return for each kind of problem the number of files and of skipped files that have it."""
    kinds = Counter(kind for shard in shards for kind, _ in shard.problems)
    skipped = Counter(kind for shard in shards for kind, left_out in shard.problems if left_out)
    # Most frequent kinds first.
    ordered = sorted(
        kinds.items(), key=lambda kind_and_count: (-kind_and_count[1], kind_and_count[0])
    )
    return {kind: (count, skipped[kind]) for kind, count in ordered}


def _settings_to_json(settings: BuildSettings) -> dict[str, Any]:
    """Return the settings as the manifest stores them: without plug-ins, which ``code`` covers."""
    return {
        "views": list(settings.views),
        "shares": list(settings.shares),
        "largest": settings.largest,
        "code": settings.code,
    }


def code_hash(packages: Sequence[str], views: Sequence[str] = ()) -> str:
    """Return the hash of the code that derived data depend on.

    The hash covers the packages, the views and languages of plug-ins and other packages, and the
    versions of the libraries that parse and write. A change of a comment changes it too.
    """
    used = [find_entry("view", name) for name in views]
    used += [find_entry("language", name) for name in list_loadable_names("language")[0]]
    others = [registered.code_sha256 for registered in used if registered.origin != "codeacumen"]
    libraries = [f"{name} {version(name)}" for name in LIBRARIES]
    parts = [hash_packages(*packages), *others, *libraries]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _require_same_projects(
    out: Path, previous: Manifest | None, projects: Sequence[Project]
) -> None:
    """Raise an error if the corpus in ``out`` has projects that the sources lack.

    A corpus may gain projects and its projects may change, but an update removes none: the folder
    probably holds another corpus.
    """
    missing = sorted(
        set(previous.projects if previous else ()) - {project.name for project in projects}
    )
    if missing:
        raise CodeacumenError(
            f"{out} holds another corpus, with {', '.join(missing[:5])}, not among these sources",
            "name the sources of these projects too, or choose another --out",
        )


@contextmanager
def _lock_folder(out: Path) -> Iterator[None]:
    """Create the folder and lock it; raise an error if another build has locked it."""
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
    for folder, current in (("shards", shards), ("calls", links), ("nulls", links)):
        for path in (out / folder).iterdir() if (out / folder).is_dir() else ():
            if path.name not in current:
                _remove_path(path)
    # ``*.part`` are files that a killed build had not finished writing.
    for file in out.rglob("*.part"):
        file.unlink(missing_ok=True)


def _remove_path(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
