"""From a task's examples to files of numbers: read, count, learn the vocabularies, encode.

Reading and encoding run in worker processes, part by part; a part is a Parquet file of words, then
an Arrow file of numbers. Parts are joined in the order of the examples, so the files are the same
for any number of workers. What cannot be read is left out and counted, and so is what cannot be
answered in known words; of dev that has a file of its own: it cannot be learned, and is judged.
A network may also learn from certified variants of the methods (``with_variants``).
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import compress, islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from codeacumen.api import (
    CodeacumenError,
    CodeContext,
    Example,
    HasContext,
    HasExamples,
    HasTraining,
    Input,
    Task,
)
from codeacumen.core.progress import Progress
from codeacumen.datasets.built import read_built
from codeacumen.engines import Engine, WorkerLost
from codeacumen.models.neural.architecture import LABELS, Architecture, Features
from codeacumen.models.neural.catalogue import Plan
from codeacumen.models.neural.training import encoded

# What a network is trained for that is asked nothing yet: its examples have no answers.
PRETRAIN = "pretrain"
SPLITS = ("train", "dev")
VOCABULARIES, UNSAID = "vocabulary", "dev-unsaid.arrow"
# Examples of a part.
_PART = 2048
# Of tasks without a dev split, one training example of so many is dev's.
_HELD_OUT = 10
# Seconds that a part may take.
_LIMIT = 1800.0
_LABEL = "label"

Which: TypeAlias = Literal["sayable", "unsaid", "all"]
_VARIANTS = "variants.jsonl"


def examples(task: Task, split: str) -> Iterator[Example]:
    """Yield the examples of a split; they are never all in memory where the task can yield them.
    Where there is no dev split, a part of training is held out."""
    training: Iterable[Example]
    if isinstance(task, HasExamples):
        if next(iter(task.examples("dev")), None) is not None:
            yield from task.examples(split)
            return
        training = task.examples("train")
    elif isinstance(task, HasTraining):
        training = task.training()
    else:
        raise CodeacumenError(
            f"{task.card.name} has no training split",
            "choose a task that has something to learn from",
        )
    for position, example in enumerate(training):
        if (position % _HELD_OUT == 0) == (split == "dev"):
            yield example


def _some(task: Task, split: str, most: int) -> Iterator[Example]:
    """All examples of a split, or so many, drawn: the first would be those of a few projects. Of
    dev, which is only looked at, an eighth of that will do."""
    found = examples(task, split)
    most = most if split == "train" or not most else max(1, most // 8)
    count = sum(1 for _ in examples(task, split)) if most else 0
    if count <= most:
        yield from found
        return
    kept = np.zeros(count, bool)
    kept[np.random.default_rng(0).permutation(count)[:most]] = True
    yield from compress(found, kept.tolist())


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a worker finds what an architecture may see around a method; ``variants``: a data set
    of robustness, whose variants of it may be learned from."""

    data: Path
    task: str
    variants: Path | None = None


@lru_cache(maxsize=1)
def _code_context(where: Surroundings) -> CodeContext | None:
    from codeacumen.datasets.built import load_data
    from codeacumen.registry import make_task

    load_data(where.data)
    task = make_task(where.task)
    context = task.code_context() if isinstance(task, HasContext) else None
    return with_variants(context, where.variants) if context and where.variants else context


@dataclass(frozen=True, slots=True)
class ReadJob:
    """``chunk``: each input with its answer, or with its id where it is only asked."""

    plan: Plan
    chunk: list[tuple[Input, str]]
    surroundings: Surroundings | None
    into: Path


@dataclass(frozen=True, slots=True)
class EncodeJob:
    """``which``: the examples whose answers the network can say, those that it cannot, or all, with
    no answer to be learned."""

    plan: Plan
    vocabularies: Path
    words: Path
    into: Path
    which: Which


def read_part(job: ReadJob) -> tuple[dict[str, dict[str, int]], int]:
    """What an engine runs: writes the words of a part; gives how often there is each, and how many
    examples could be read."""
    architecture = job.plan.make()
    context = _code_context(job.surroundings) if job.surroundings else None
    counts: dict[str, Counter[str]] = {}
    rows: list[Features] = []
    labels: list[str] = []
    for asked, label in job.chunk:
        features = architecture.read(asked, context)
        if features is None:
            continue
        for name, words in architecture.words(features):
            counts.setdefault(name, Counter()).update(words)
        if job.plan.purpose.task != PRETRAIN:
            counts.setdefault(LABELS, Counter()).update(architecture.labels.words(label))
        rows.append(features)
        labels.append(label)
    columns = {name: pa.array([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    table = pa.table({**columns, _LABEL: pa.array(labels, pa.string())})
    pq.write_table(table, job.into, compression="zstd")
    return {name: dict(found) for name, found in counts.items()}, len(rows)


def encode_part(job: EncodeJob) -> int:
    """What an engine runs: writes the numbers of a part; gives of how many examples."""
    architecture = job.plan.make()
    architecture.load_vocabularies(job.vocabularies)
    table = pq.read_table(job.words)
    labels = table[_LABEL].to_pylist()
    names = [name for name in table.column_names if name != _LABEL]
    columns = [table[name].to_pylist() for name in names]
    rows, answers = [], []
    for label, *values in zip(labels, *columns, strict=True):
        features = dict(zip(names, values, strict=True))
        target = {} if job.which == "all" else architecture.target(label, features)
        if (target is None) != (job.which == "unsaid"):
            continue
        rows.append({**architecture.encode(features), **(target or {})})
        answers.append(label)
    if rows:
        encoded.write([encoded.record_batch(rows, answers)], job.into)
    return len(rows)


def read(
    plan: Plan,
    tasks: Sequence[tuple[Task, Surroundings | None]],
    folder: Path,
    engine: Engine,
    step: Progress,
    *,
    most: int = 0,
) -> dict[str, Any]:
    """The words of all examples of some tasks, as parts in ``folder``; gives the counts of the
    training split's words, and how many examples there are of each split."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    counts: dict[str, Counter[str]] = {}
    told: dict[str, dict[str, int]] = {}
    for split in SPLITS:
        told[split] = {"examples": 0, "read": 0}
        for place, (task, surroundings) in enumerate(tasks):
            chosen = _some(task, split, most)
            pairs = ((one.input, str(one.truth)) for one in chosen)
            counted = counts if split == "train" else {}
            into = folder / split / f"{place:02}"
            sizes = _read(plan, pairs, into, engine, step, surroundings, counted)
            told[split] = {name: told[split][name] + many for name, many in sizes.items()}
    return {"counts": counts, "sizes": told}


def _read(
    plan: Plan,
    pairs: Iterator[tuple[Input, str]],
    into: Path,
    engine: Engine,
    step: Progress,
    surroundings: Surroundings | None,
    counts: dict[str, Counter[str]],
) -> dict[str, int]:
    """Write the parts of a split, and add up in ``counts`` how often there is each word."""
    sizes = {"examples": 0, "read": 0}
    jobs = _jobs(plan, pairs, surroundings, into)
    # A part is handed over when a worker is free: the texts of all never lie in memory.
    for place, chunk in enumerate(_grouped(jobs, 64)):
        for at, outcome in engine.run(read_part, chunk, _LIMIT):
            words, rows = _fine(outcome, "reading")
            sizes["examples"] += len(chunk[at].chunk)
            sizes["read"] += rows
            for name, mine in words.items():
                counts.setdefault(name, Counter()).update(mine)
        step(f"reading {into.parent.name}", (place + 1) * 64 * _PART, 0)
    return sizes


def _jobs(
    plan: Plan, pairs: Iterator[tuple[Input, str]], surroundings: Surroundings | None, into: Path
) -> Iterator[ReadJob]:
    into.mkdir(parents=True)
    place = 0
    while chunk := list(islice(pairs, _PART)):
        yield ReadJob(plan, chunk, surroundings, into / f"{place:06}.parquet")
        place += 1


def _grouped(jobs: Iterator[ReadJob], size: int) -> Iterator[list[ReadJob]]:
    while group := list(islice(jobs, size)):
        yield group


def _fine(outcome: Any, what: str) -> Any:
    if isinstance(outcome, WorkerLost):
        raise CodeacumenError(f"{what}: {outcome.why}", "fewer workers leave more memory to each")
    return outcome


def encode(
    plan: Plan, words: Path, vocabularies: Path, folder: Path, engine: Engine, step: Progress
) -> dict[str, int]:
    """The numbers of all parts, joined to one file a split; gives how many examples each has."""
    kept: dict[str, int] = {}
    which: Which = "all" if plan.purpose.task == PRETRAIN else "sayable"
    for split in SPLITS:
        into = folder / f"{split}.arrow"
        kept[split] = _encode(plan, words / split, vocabularies, into, engine, step, which)
        if not kept[split] and split == "train":
            raise CodeacumenError(
                "nothing of the training split can be learned from",
                "its answers are in no known words, or its texts are empty",
            )
        if not kept[split]:
            # Of a handful of examples nothing can be held out: they are judged by themselves.
            shutil.copyfile(folder / "train.arrow", into)
    if which == "sayable" and kept["dev"]:
        _encode(plan, words / "dev", vocabularies, folder / UNSAID, engine, step, "unsaid")
    return kept


def _encode(
    plan: Plan,
    words: Path,
    vocabularies: Path,
    into: Path,
    engine: Engine,
    step: Progress,
    which: Which,
) -> int:
    parts = sorted(words.rglob("*.parquet"))
    made = [into.with_name(f"{into.stem}-{place:06}.arrow") for place in range(len(parts))]
    jobs = [
        EncodeJob(plan, vocabularies, part, path, which)
        for part, path in zip(parts, made, strict=True)
    ]
    rows = {}
    for place, outcome in engine.run(encode_part, jobs, _LIMIT):
        rows[place] = _fine(outcome, "encoding")
        step(f"encoding {into.stem}", len(rows), len(jobs))
    there = [made[place] for place in range(len(made)) if rows[place]]
    if not there:
        return 0
    many = encoded.write(_batches(there), into)
    for part in there:
        part.unlink()
    return many


def prepare_questions(
    plan: Plan,
    task: Task,
    vocabularies: Path,
    into: Path,
    engine: Engine,
    step: Progress,
    surroundings: Surroundings | None = None,
) -> int:
    """A task's instances in numbers, to be answered when the network is trained; where its answer
    would stand there is the id. Gives how many could be read: none leaves no file."""
    words = into.with_suffix(".words")
    shutil.rmtree(words, ignore_errors=True)
    pairs = ((one.input, one.id) for one in task.instances())
    _read(plan, pairs, words, engine, step, surroundings, {})
    many = _encode(plan, words, vocabularies, into, engine, step, "all")
    shutil.rmtree(words)
    return many


def _batches(parts: Iterable[Path]) -> Iterator[pa.RecordBatch]:
    for part in parts:
        with pa.memory_map(str(part)) as source:
            yield from (
                pa.ipc.open_file(source).get_batch(at)
                for at in range(pa.ipc.open_file(source).num_record_batches)
            )


def learn(architecture: Architecture, counts: Mapping[str, Mapping[str, int]], into: Path) -> None:
    architecture.learn_vocabularies({LABELS: {}, **counts})
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    architecture.save_vocabularies(into)


# ---------------------------------------------------------------- certified variants


def with_variants(context: CodeContext, folder: Path) -> Any:
    """A context that also has ``variant``: of a method a text that means the same, "" for none. Of
    several variants one is drawn, by the ids alone; one of a kind of which there are half as many
    is drawn twice as often, for nearly every method has variables to rename, and few a switch."""
    built = read_built(folder)
    many = {kind: sum(some.values()) for kind, some in built.about["counts"]["variants"].items()}
    held: dict[str, tuple[float, str]] = {}
    for row in built.rows(_VARIANTS):
        drawn = blake2b(f"{row['method']} {row['id']}".encode(), digest_size=6).digest()
        # How long one waits for it: the more there are of its kind, the longer. The first is taken.
        lot = -math.log((int.from_bytes(drawn) + 1) / 2**48) * many[row["kind"]]
        known = held.get(row["method"])
        if known is None or lot < known[0]:
            held[row["method"]] = (lot, row["text"])
    return _Varied(context, {method: text for method, (_, text) in held.items()})


class _Varied:
    def __init__(self, context: CodeContext, texts: dict[str, str]) -> None:
        self._code_context, self._texts = context, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._code_context, name)

    def variant(self, method: str) -> str:
        return self._texts.get(method, "")


def variants_hash(folder: Path) -> str:
    """What its data set says they are: to go on with a training the file itself is not needed."""
    known = read_built(folder).about["files"].get(_VARIANTS)
    if known is None:
        raise CodeacumenError(
            f"{folder} holds no variants",
            "`codeacumen dataset build robustness --split train` makes some",
        )
    return str(known)
