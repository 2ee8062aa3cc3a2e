"""Run SeSaMe's pipeline from a corpus to pairs of methods that people can rate.

``codeacumen similar mine`` calls ``mine_pairs``. The docsim of two methods is the cosine of their
JavaDoc's vectors, their toksim the similarity of their bodies' tokens. ``mine_pairs`` writes a
folder with these files:

- ``methods.parquet``: the compared methods, with the words of their JavaDoc
- ``pairs.parquet``: all pairs with a docsim above a bound (0 unless the settings or the space raise
  it), as row numbers of ``methods.parquet``
- ``sample.jsonl``: the pairs to rate, in the order in which they were chosen, with their excerpts
- ``assignment.csv``: the raters' turns (pair, rater, position)
- ``preview/``: pages on which to rate the pairs
- ``mined.json``: the settings and the numbers of each stage

Each file is written atomically. A run reuses ``methods.parquet`` and ``pairs.parquet`` of an
earlier run if they come from the same corpus, code and settings, so an interrupted run can resume.
It always writes the other files anew.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.sesame.mining import rating, sample
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.registry import hash_modules

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from codeacumen.benchmarks.sesame.mining.pairs import StoredPairs
    from codeacumen.corpus import Corpus
    from codeacumen.engines import Engine

METHODS, PAIRS, SAMPLE, ASSIGNMENT = (
    "methods.parquet",
    "pairs.parquet",
    "sample.jsonl",
    "assignment.csv",
)
PREVIEW, RECORD = "preview", "mined.json"
# Key of the hash of a Parquet file's inputs in its metadata.
_INPUTS_KEY = "codeacumen.made_of"
# Seconds that a worker may take for the excerpt of a method.
_EXCERPT_TIMEOUT = 300.0
# In a dense space, only pairs above this cosine are stored: nearly all pairs are above 0 there.
DENSE_BOUND = 0.3


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """Settings of a run.

    ``space`` describes the vector space (see ``spaces``). ``compat`` is ``sesame-tools`` for the
    rules of the published tool, or empty for the paper's. Pairs are stored if their docsim is above
    ``least``. The sample has ``pairs`` pairs, all above ``sample.DEFAULT_BOUND``, too; ``mu``
    weighs docsim against toksim, ``relevance`` (λ) relevance against diversity. ``votes`` is the
    number of raters of each pair, ``raters`` the number of raters or their names.
    """

    space: str = "ppmi"
    compat: str = ""
    least: float = 0.0
    pairs: int = sample.DEFAULT_PAIRS
    mu: float = sample.MU
    relevance: float = sample.LAMBDA
    votes: int = rating.VOTES
    raters: int | tuple[str, ...] = 8
    seed: int = 0


@dataclass
class Stages:
    """Seconds of each stage ("methods", "docsim", "sample", "pages"), and the reused stages.

    A stage is reused if its file is from an earlier run with the same inputs.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)

    def time_stage(self, name: str) -> _StageTimer:
        return _StageTimer(self, name)


@dataclass
class _StageTimer:
    """Context manager that records the seconds of a stage."""

    stages: Stages
    name: str
    began: float = 0.0

    def __enter__(self) -> None:
        self.began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.stages.seconds[self.name] = round(time.monotonic() - self.began, 1)


def mine_pairs(
    corpus: Corpus,
    out: Path,
    settings: MiningSettings,
    engine: Engine,
    workers: int = 0,
    step: Progress = ignore_progress,
) -> tuple[dict[str, Json], Stages]:
    """Run all stages, and return the content of ``mined.json`` and the stages' times.

    0 ``workers`` means all processors; the stage "methods" and the excerpts run on ``engine``.
    """
    _check_output_folder(out)
    space = Space.parse(settings.space)
    stages = Stages()
    with stages.time_stage("methods"):
        table, counts = _load_methods(corpus, out, settings, engine, stages, step)
    if not table.num_rows:
        raise CodeacumenError(
            "no method of this corpus can be compared",
            "methods need JavaDoc and a body, and must pass SeSaMe's filters",
        )
    with stages.time_stage("docsim"):
        pairs = _load_pairs(table, out, space, settings, workers, stages, step)
    with stages.time_stage("sample"):
        step("sampling", 0, 1)
        chosen, entries = _sample_pairs(table, pairs, settings, workers)
        step("sampling", 1, 1)
    with stages.time_stage("pages"):
        _write_sample(corpus, table, entries, out, settings, engine, step)
    record = {
        "codeacumen": __version__,
        "corpus": sha256_of(corpus.folder / "manifest.json"),
        "settings": asdict(settings) | {"space": str(space)},
        "methods": counts,
        "pairs": {
            "above zero" if not pairs.notes.get("least") else f"above {pairs.notes['least']}": len(
                pairs
            )
        },
        "sample": {
            "candidates": chosen.candidate_count,
            "token_similarities": chosen.toksim_count,
            "pairs": len(chosen),
        },
    }
    write_atomically(out / RECORD, (json.dumps(record, indent=1) + "\n").encode())
    return record, stages


def _check_output_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise CodeacumenError(f"{out} is a file", "choose a folder")
    own_names = {METHODS, PAIRS, SAMPLE, ASSIGNMENT, PREVIEW, RECORD}
    foreign = [
        path.name
        for path in (out.iterdir() if out.is_dir() else ())
        if path.name not in own_names and not path.name.endswith(".part")
    ]
    if foreign:
        raise CodeacumenError(
            f"{out} has files that mining does not write, such as {sorted(foreign)[0]}",
            "choose an empty or new folder",
        )


def _hash_inputs(*parts: object) -> str:
    """Return a hash of a file's inputs and of the code of this module and the modules it uses."""
    text = json.dumps([hash_modules(__name__), *map(str, parts)])
    return hashlib.sha256(text.encode()).hexdigest()


def _load_methods(
    corpus: Corpus,
    out: Path,
    settings: MiningSettings,
    engine: Engine,
    stages: Stages,
    step: Progress,
) -> tuple[pa.Table, Json]:
    """Return the methods and their counts, from an earlier run if its inputs are the same."""
    import pyarrow.parquet as pq

    from codeacumen.benchmarks.sesame.mining.methods import mine_methods, write_methods

    path = out / METHODS
    key = _hash_inputs(sha256_of(corpus.folder / "manifest.json"), settings.compat)
    metadata = _read_metadata(path)
    if metadata.get(_INPUTS_KEY) == key:
        stages.reused.append("methods")
        return pq.read_table(path), json.loads(metadata["codeacumen.counts"])
    mined = mine_methods(corpus, engine, settings.compat, step)
    counts = {
        "in_corpus": mined.counts.methods,
        "compared": mined.counts.mined,
        "dropped": dict(mined.counts.dropped),
        "failed": mined.counts.failed,
    }
    table = mined.table.replace_schema_metadata(
        {_INPUTS_KEY: key, "codeacumen.counts": json.dumps(counts)}
    )
    write_methods(table, path)
    return table, counts


def _read_metadata(path: Path) -> dict[str, str]:
    """Return the metadata of a Parquet file; empty if the file is missing or unreadable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowException):
        return {}
    return {key.decode(): value.decode() for key, value in metadata.items()}


def _load_pairs(
    table: pa.Table,
    out: Path,
    space: Space,
    settings: MiningSettings,
    workers: int,
    stages: Stages,
    step: Progress,
) -> StoredPairs:
    """Return the pairs and their docsim, from an earlier run if its inputs are the same.

    The inputs are the methods' own inputs, the space and the bound.
    """
    from codeacumen.benchmarks.sesame.mining.pairs import StoredPairs, write_pairs

    path = out / PAIRS
    min_cosine = max(settings.least, DENSE_BOUND) if space.is_dense else settings.least
    table_key = (table.schema.metadata or {}).get(_INPUTS_KEY.encode(), b"").decode()
    key = _hash_inputs(table_key, space, min_cosine)
    if _read_metadata(path).get(_INPUTS_KEY) == key:
        stages.reused.append("docsim")
        return StoredPairs.open(path)
    step("vectors", 0, 1)
    vectors = space.fit(table["words"].to_pylist()).vectors
    step("vectors", 1, 1)
    notes = {_INPUTS_KEY: key} | ({"least": str(min_cosine)} if min_cosine else {})
    write_pairs(vectors, path, min_cosine=min_cosine, workers=workers, notes=notes, step=step)
    return StoredPairs.open(path)


def _sample_pairs(
    table: pa.Table, pairs: StoredPairs, settings: MiningSettings, workers: int
) -> tuple[sample.PairSample, list[dict[str, Any]]]:
    """Return the sample, and its entries: id, rows of the table, docsim, toksim, msim and score."""
    import numpy as np

    from codeacumen.benchmarks.sesame.mining.tokens import compute_toksims
    from codeacumen.core.machine import count_processors

    columns = {name: table[name].to_pylist() for name in ("method_id", "project", "path")}
    files = [
        f"{project}\0{path}"
        for project, path in zip(columns["project"], columns["path"], strict=True)
    ]
    bodies = split_bodies(table)
    eligible = None
    if settings.compat:
        eligible = np.array([not sample.is_skipped_path(path) for path in columns["path"]])

    def compute_sample_toksims(
        left: NDArray[np.int32], right: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        return compute_toksims(bodies, left, right)

    left = pairs.left
    chosen = sample.sample_pairs(
        sample.CandidatePairs(left, pairs.right, pairs.similar),
        sample.MethodColumns(columns["method_id"], columns["project"], files),
        compute_sample_toksims if settings.mu < 1 else None,
        sample.SamplingSettings(
            pair_count=settings.pairs,
            mu=settings.mu,
            relevance=settings.relevance,
            seed=settings.seed,
        ),
        eligible=eligible,
        workers=workers or count_processors(),
    )
    entries = [
        {
            "pair": str(number),
            "rows": (int(left[pair_index]), int(pairs.right[pair_index])),
            "docsim": _round_score(chosen.sim[number]),
            "toksim": _round_score(chosen.toksim[number]),
            "msim": _round_score(chosen.msim[number]),
            "score": _round_score(chosen.score[number]),
        }
        for number, pair_index in enumerate(chosen.pair_indices.tolist())
    ]
    return chosen, entries


def _round_score(value: float) -> float | None:
    """Return a rounded number, or None for NaN, which JSON lacks."""
    return None if value != value else round(float(value), 9)


def split_bodies(table: pa.Table) -> list[bytes]:
    """Return the token kinds of each method's body, one byte per token."""
    kinds = table["kinds"].combine_chunks()
    data = kinds.values.to_numpy().tobytes()
    ends = kinds.offsets.to_numpy().tolist()
    return [data[start:end] for start, end in pairwise(ends)]


_METHOD_COLUMNS = (
    "method_id",
    "project",
    "path",
    "type",
    "name",
    "signature",
    "key",
    "line",
    "end_line",
)


def _write_sample(
    corpus: Corpus,
    table: pa.Table,
    entries: Sequence[dict[str, Any]],
    out: Path,
    settings: MiningSettings,
    engine: Engine,
    step: Progress,
) -> None:
    """Write the sample, the raters' turns and the pages; take ``rows`` out of the entries."""
    from codeacumen.benchmarks.sesame.mining.rating_pages import ShownPair, Side, write_pages

    shown_pairs = []
    lines = []
    # Take all rows at once, because each take searches all chunks of the table.
    row_indices = [row for entry in entries for row in entry["rows"]]
    method_rows = table.select([*_METHOD_COLUMNS, "javadoc", "text"]).take(row_indices).to_pylist()
    excerpts = iter(_make_excerpts(corpus, method_rows, engine, step))
    methods = iter(method_rows)
    for entry in entries:
        sides = []
        for method in (next(methods) for _ in entry.pop("rows")):
            method["method"] = method.pop("text")
            sides.append({**method, "excerpt": next(excerpts)})
        lines.append(json.dumps({**entry, "first": sides[0], "second": sides[1]}) + "\n")
        swapped = rating.is_swapped(entry["pair"], seed=settings.seed)
        first, second = (
            Side(side["project"], side["path"], side["key"], side["excerpt"]) for side in sides
        )
        shown_pairs.append(ShownPair(entry["pair"], first, second, swapped))
    write_atomically(out / SAMPLE, "".join(lines).encode("utf-8", "surrogatepass"))
    if entries:
        pairs = [
            rating.PairToRate(row["pair"], row["first"]["method_id"], row["second"]["method_id"])
            for row in map(json.loads, lines)
        ]
        turns = rating.assign_pairs(
            pairs, settings.raters, votes=settings.votes, seed=settings.seed
        )
        rating.write_assignment(turns, out / ASSIGNMENT)
    write_pages(out / PREVIEW, shown_pairs)


def _make_excerpts(
    corpus: Corpus, methods: Sequence[dict[str, Any]], engine: Engine, step: Progress
) -> list[str]:
    """Return each method's excerpt, or the method's text alone if making the excerpt fails."""
    from codeacumen.engines import WorkerLost

    excerpts = [str(method["text"]) for method in methods]
    jobs = []
    for method in methods:
        row = corpus.method(method["method_id"])
        jobs.append((corpus.file_of(method["method_id"])["source"], row["place"]))
    for done, (index, outcome) in enumerate(engine.run(_make_excerpt, jobs, _EXCERPT_TIMEOUT), 1):
        step("pages", done, len(jobs))
        if not isinstance(outcome, WorkerLost) and outcome:
            excerpts[index] = outcome
    return excerpts


def _make_excerpt(job: tuple[str, int]) -> str:
    """Return the excerpt of a file's source and a method's index, or "" if it fails."""
    from codeacumen.benchmarks.sesame.mining.excerpts import format_method_excerpt
    from codeacumen.languages.java.syntax.file import JavaFile

    source, index = job
    try:
        return format_method_excerpt(JavaFile(source.encode("utf-8", "surrogatepass")), index)
    except (RecursionError, ValueError, IndexError, KeyError):
        return ""


def read_texts(out: Path) -> dict[str, str]:
    """Read the words of each method's JavaDoc, by method id, from the folder of a mining run."""
    import pyarrow.parquet as pq

    path = out / METHODS
    if not path.is_file():
        raise CodeacumenError(
            f"{out} has no {METHODS}", f"codeacumen similar mine CORPUS --out {out}"
        )
    table = pq.read_table(path, columns=["method_id", "words"])
    return dict(zip(table["method_id"].to_pylist(), table["words"].to_pylist(), strict=True))
