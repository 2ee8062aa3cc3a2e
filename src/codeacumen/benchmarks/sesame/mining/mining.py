"""Run SeSaMe's pipeline from a corpus to pairs of methods that people can rate.

``codeacumen similar mine`` calls it. It writes a folder with these files:

- ``methods.parquet``: the compared methods, with the words of their JavaDoc
- ``pairs.parquet``: all pairs with a docsim above 0, by row numbers of ``methods.parquet``
- ``sample.jsonl``: the pairs to rate, in the order of choice, with their excerpts
- ``assignment.csv``: the raters' turns (pair, rater, position)
- ``preview/``: pages on which to rate the pairs
- ``mined.json``: the settings and the numbers of each stage

Each file is written atomically. The results of an earlier run are reused if they come from the same
corpus, code and settings, so an interrupted run can resume.
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
from codeacumen.registry import modules_hash

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from codeacumen.benchmarks.sesame.mining.pairs import Pairs
    from codeacumen.corpus import Corpus
    from codeacumen.engines import Engine

METHODS, PAIRS, SAMPLE, ASSIGNMENT = (
    "methods.parquet",
    "pairs.parquet",
    "sample.jsonl",
    "assignment.csv",
)
PREVIEW, RECORD = "preview", "mined.json"
_MADE_OF = "codeacumen.made_of"
# Seconds for the excerpt of a method.
_LIMIT = 300.0
# Lower bound of a stored cosine in a dense space, where nearly all pairs are slightly similar.
DENSE_LEAST = 0.3


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run.

    ``least`` is the lower bound of a stored docsim; ``raters`` is their number or their names.
    """

    space: str = "ppmi"
    compat: str = ""
    least: float = 0.0
    pairs: int = sample.MANY
    mu: float = sample.MU
    relevance: float = sample.LAMBDA
    votes: int = rating.VOTES
    raters: int | tuple[str, ...] = 8
    seed: int = 0


@dataclass
class Stages:
    """Seconds of each stage, and the stages whose results were reused."""

    seconds: dict[str, float] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)

    def timed(self, name: str) -> _Timed:
        return _Timed(self, name)


@dataclass
class _Timed:
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
    settings: Settings,
    engine: Engine,
    workers: int = 0,
    step: Progress = ignore_progress,
) -> tuple[dict[str, Json], Stages]:
    """Run all stages, and return the content of ``mined.json`` and the stages' times."""
    _check(out)
    space = Space.parse(settings.space)
    stages = Stages()
    with stages.timed("methods"):
        table, counts = _methods(corpus, out, settings, engine, stages, step)
    if not table.num_rows:
        raise CodeacumenError(
            "no method of this corpus can be compared",
            "methods need JavaDoc and a body, and must pass SeSaMe's filters",
        )
    with stages.timed("docsim"):
        pairs = _pairs(table, out, space, settings, workers, stages, step)
    with stages.timed("sample"):
        step("sampling", 0, 1)
        chosen, entries = _sample(table, pairs, settings, workers)
        step("sampling", 1, 1)
    with stages.timed("pages"):
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
            "candidates": chosen.candidates,
            "token similarities": chosen.compared,
            "pairs": len(chosen),
        },
    }
    write_atomically(out / RECORD, (json.dumps(record, indent=1) + "\n").encode())
    return record, stages


def _check(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise CodeacumenError(f"{out} is a file", "choose a folder")
    ours = {METHODS, PAIRS, SAMPLE, ASSIGNMENT, PREVIEW, RECORD}
    foreign = [
        one.name
        for one in (out.iterdir() if out.is_dir() else ())
        if one.name not in ours and not one.name.endswith(".part")
    ]
    if foreign:
        raise CodeacumenError(
            f"{out} has other files, such as {sorted(foreign)[0]}",
            "choose an empty or new folder",
        )


def _made_of(*parts: object) -> str:
    """Return a hash that identifies the inputs of a file, including the package's code."""
    text = json.dumps([modules_hash(__name__), *map(str, parts)])
    return hashlib.sha256(text.encode()).hexdigest()


def _methods(
    corpus: Corpus, out: Path, settings: Settings, engine: Engine, stages: Stages, step: Progress
) -> tuple[pa.Table, Json]:
    import pyarrow.parquet as pq

    from codeacumen.benchmarks.sesame.mining.methods import mine, write

    path = out / METHODS
    key = _made_of(sha256_of(corpus.folder / "manifest.json"), settings.compat)
    known = _noted(path)
    if known.get(_MADE_OF) == key:
        stages.again.append("methods")
        return pq.read_table(path), json.loads(known["codeacumen.counts"])
    mined = mine(corpus, engine, settings.compat, step)
    counts = {
        "in the corpus": mined.counts.methods,
        "compared": mined.counts.kept,
        "dropped": dict(mined.counts.dropped),
        "lost": mined.counts.lost,
    }
    table = mined.table.replace_schema_metadata(
        {_MADE_OF: key, "codeacumen.counts": json.dumps(counts)}
    )
    write(table, path)
    return table, counts


def _noted(path: Path) -> dict[str, str]:
    """Return the metadata of a file of an earlier run; empty if it is unreadable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowException):
        return {}
    return {key.decode(): value.decode() for key, value in found.items()}


def _pairs(
    table: pa.Table,
    out: Path,
    space: Space,
    settings: Settings,
    workers: int,
    stages: Stages,
    step: Progress,
) -> Pairs:
    from codeacumen.benchmarks.sesame.mining.pairs import Pairs, write_pairs

    path = out / PAIRS
    least = max(settings.least, DENSE_LEAST) if space.dense else settings.least
    of = (table.schema.metadata or {}).get(_MADE_OF.encode(), b"").decode()
    key = _made_of(of, space, least)
    if _noted(path).get(_MADE_OF) == key:
        stages.again.append("docsim")
        return Pairs.open(path)
    step("vectors", 0, 1)
    vectors = space.fit(table["words"].to_pylist()).vectors
    step("vectors", 1, 1)
    notes = {_MADE_OF: key} | ({"least": str(least)} if least else {})
    write_pairs(vectors, path, least=least, workers=workers, notes=notes, step=step)
    return Pairs.open(path)


def _sample(
    table: pa.Table, pairs: Pairs, settings: Settings, workers: int
) -> tuple[sample.Sample, list[dict[str, Any]]]:
    import numpy as np

    from codeacumen.benchmarks.sesame.mining.tokens import toksims
    from codeacumen.core.machine import processors

    columns = {name: table[name].to_pylist() for name in ("method_id", "project", "path")}
    files = [
        f"{project}\0{path}"
        for project, path in zip(columns["project"], columns["path"], strict=True)
    ]
    bodies = bodies_of(table)
    eligible = None
    if settings.compat:
        eligible = np.array([not sample.is_left_out(path) for path in columns["path"]])

    def compared(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        return toksims(bodies, left, right)

    left = pairs.left
    chosen = sample.sample(
        sample.Pairs(left, pairs.right, pairs.similar),
        sample.Methods(columns["method_id"], columns["project"], files),
        compared if settings.mu < 1 else None,
        sample.Settings(
            many=settings.pairs, mu=settings.mu, relevance=settings.relevance, seed=settings.seed
        ),
        eligible=eligible,
        workers=workers or processors(),
    )
    entries = [
        {
            "pair": str(number),
            "rows": (int(left[place]), int(pairs.right[place])),
            "docsim": _rounded(chosen.sim[number]),
            "toksim": _rounded(chosen.toksim[number]),
            "msim": _rounded(chosen.msim[number]),
            "score": _rounded(chosen.score[number]),
        }
        for number, place in enumerate(chosen.place.tolist())
    ]
    return chosen, entries


def _rounded(value: float) -> float | None:
    return None if value != value else round(float(value), 9)


def bodies_of(table: pa.Table) -> list[bytes]:
    kinds = table["kinds"].combine_chunks()
    data = kinds.values.to_numpy().tobytes()
    ends = kinds.offsets.to_numpy().tolist()
    return [data[start:end] for start, end in pairwise(ends)]


_TOLD = ("method_id", "project", "path", "type", "name", "signature", "key", "line", "end_line")


def _write_sample(
    corpus: Corpus,
    table: pa.Table,
    entries: Sequence[dict[str, Any]],
    out: Path,
    settings: Settings,
    engine: Engine,
    step: Progress,
) -> None:
    from codeacumen.benchmarks.sesame.mining.preview import Shown, Side, write_pages

    shown = []
    lines = []
    # Take all rows at once, because each take searches all chunks of the table.
    wanted = [row for entry in entries for row in entry["rows"]]
    method_rows = table.select([*_TOLD, "javadoc", "text"]).take(wanted).to_pylist()
    excerpts = iter(_excerpts(corpus, method_rows, engine, step))
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
        shown.append(Shown(entry["pair"], first, second, swapped))
    write_atomically(out / SAMPLE, "".join(lines).encode("utf-8", "surrogatepass"))
    if entries:
        pairs = [
            rating.Pair(row["pair"], row["first"]["method_id"], row["second"]["method_id"])
            for row in map(json.loads, lines)
        ]
        turns = rating.assign(pairs, settings.raters, votes=settings.votes, seed=settings.seed)
        rating.write_assignment(turns, out / ASSIGNMENT)
    write_pages(out / PREVIEW, shown)


def _excerpts(
    corpus: Corpus, methods: Sequence[dict[str, Any]], engine: Engine, step: Progress
) -> list[str]:
    """Return each method's excerpt, or the method alone where its file cannot be resolved."""
    from codeacumen.engines import WorkerLost

    found = [str(method["text"]) for method in methods]
    asked = []
    for method in methods:
        row = corpus.method(method["method_id"])
        asked.append((corpus.file_of(method["method_id"])["source"], row["place"]))
    for done, (place, outcome) in enumerate(engine.run(_excerpt, asked, _LIMIT), 1):
        step("pages", done, len(asked))
        if not isinstance(outcome, WorkerLost) and outcome:
            found[place] = outcome
    return found


def _excerpt(asked: tuple[str, int]) -> str:
    from codeacumen.benchmarks.sesame.mining.surroundings import excerpt
    from codeacumen.languages.java.syntax.file import JavaFile

    source, place = asked
    try:
        return excerpt(JavaFile(source.encode("utf-8", "surrogatepass")), place)
    except (RecursionError, ValueError, IndexError, KeyError):
        return ""


def texts_of(out: Path) -> dict[str, str]:
    """Return the words of each method's JavaDoc by method id, from a folder of a mining run."""
    import pyarrow.parquet as pq

    path = out / METHODS
    if not path.is_file():
        raise CodeacumenError(
            f"{out} has no {METHODS}", f"codeacumen similar mine CORPUS --out {out}"
        )
    table = pq.read_table(path, columns=["method_id", "words"])
    return dict(zip(table["method_id"].to_pylist(), table["words"].to_pylist(), strict=True))
