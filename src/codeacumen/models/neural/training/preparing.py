"""Prepare a task's examples: extract features, count words, learn vocabularies, encode.

Worker processes extract and encode the examples in parts. A part is first a Parquet file of words,
then an Arrow file of numbers. Parts are joined in the order of the examples, so the files are the
same for any number of workers. Examples without features are left out and counted, and so are those
whose answers the vocabulary cannot express. Such examples of dev are in a file of their own: they
have no loss, but count in the score. A network may also learn from certified variants of the
methods (``add_variants``).
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

# Task of a network that is pre-trained: its examples have no answers.
PRETRAIN = "pretrain"
SPLITS = ("train", "dev")
VOCABULARIES, UNSAID = "vocabulary", "dev-unsaid.arrow"
# Examples of a part.
_PART = 2048
# In tasks without a dev split, one of this many training examples is held out for dev.
_HELD_OUT = 10
# Maximum number of seconds for a part.
_LIMIT = 1800.0
_LABEL = "label"

# Examples to encode: those whose answers the vocabulary can express, the others, or all, without
# their answers.
Which: TypeAlias = Literal["answerable", "unanswerable", "all"]
_VARIANTS = "variants.jsonl"


def examples(task: Task, split: str) -> Iterator[Example]:
    """Yield the examples of a split.

    They are not all in memory if the task can yield them. If it has no dev split, a part of the
    training split is held out.
    """
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
    """Yield the examples of a split, or a random sample of at most ``max_examples``; 0: all.

    The first examples would be those of a few projects. The sample of dev is an eighth as large.
    """
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
    """Data set and task from which a worker makes the ``CodeContext`` of an architecture.

    ``variants`` is a robustness data set with variants of the methods to learn from.
    """

    data: Path
    task: str
    variants: Path | None = None


@lru_cache(maxsize=1)
def _code_context(where: Surroundings) -> CodeContext | None:
    """Return the code context of a task, with variants if there are some."""
    from codeacumen.datasets.built import load_data
    from codeacumen.registry import make_task

    load_data(where.data)
    task = make_task(where.task)
    context = task.code_context() if isinstance(task, HasContext) else None
    return with_variants(context, where.variants) if context and where.variants else context


@dataclass(frozen=True, slots=True)
class ReadJob:
    """Inputs whose features a worker extracts; ``chunk`` has each with its answer or its id."""

    plan: Plan
    chunk: list[tuple[Input, str]]
    surroundings: Surroundings | None
    into: Path


@dataclass(frozen=True, slots=True)
class EncodeJob:
    """A part that a worker encodes."""

    plan: Plan
    vocabularies: Path
    words: Path
    into: Path
    which: Which


def read_part(job: ReadJob) -> tuple[dict[str, dict[str, int]], int]:
    """Extract the features of a part and write them; an engine calls this in a worker process.

    Return the counts of words by vocabulary, and the number of examples that have features.
    """
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
    """Encode a part, write it, and return the number of its examples.

    An engine calls this in a worker process.
    """
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
        if (target is None) != (job.which == "unanswerable"):
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
    """Extract the features of tasks' examples and write them as parts into ``folder``.

    Return the counts of the training split's words (``counts``) and the numbers of examples of each
    split (``sizes``).
    """
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
    """Write the parts of a split, and add its words to ``counts``."""
    sizes = {"examples": 0, "read": 0}
    jobs = _jobs(plan, pairs, surroundings, into)
    # Jobs are made in groups, so that the texts of all examples are never in memory together.
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
    """Yield a job for each part of the examples."""
    into.mkdir(parents=True)
    place = 0
    while chunk := list(islice(pairs, _PART)):
        yield ReadJob(plan, chunk, surroundings, into / f"{place:06}.parquet")
        place += 1


def _grouped(jobs: Iterator[ReadJob], size: int) -> Iterator[list[ReadJob]]:
    """Yield the jobs in lists of ``size``."""
    while group := list(islice(jobs, size)):
        yield group


def _fine(outcome: Any, what: str) -> Any:
    """Return a job's outcome; raise an error if its worker was lost."""
    if isinstance(outcome, WorkerLost):
        raise CodeacumenError(
            f"{what}: {outcome.why}", "use fewer workers, so that each has more memory"
        )
    return outcome


def encode(
    plan: Plan, words: Path, vocabularies: Path, folder: Path, engine: Engine, step: Progress
) -> dict[str, int]:
    """Encode all parts, write a file for each split, and return the splits' numbers of examples."""
    kept: dict[str, int] = {}
    which: Which = "all" if plan.purpose.task == PRETRAIN else "answerable"
    for split in SPLITS:
        into = folder / f"{split}.arrow"
        kept[split] = _encode(plan, words / split, vocabularies, into, engine, step, which)
        if not kept[split] and split == "train":
            raise CodeacumenError(
                "the training split has no example to learn from",
                "the vocabulary lacks the words of its answers, or its texts are empty",
            )
        if not kept[split]:
            # Too few examples to hold any out: the dev score is that of the training examples.
            shutil.copyfile(folder / "train.arrow", into)
    if which == "answerable" and kept["dev"]:
        _encode(plan, words / "dev", vocabularies, folder / UNSAID, engine, step, "unanswerable")
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
    """Encode all parts in a folder, join them in a file, and return the number of examples.

    Write no file if there is none.
    """
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
    """Encode a task's instances, to be answered by the trained network.

    The column of the answers has the instances' ids. Return the number of instances with features;
    write no file if there is none.
    """
    words = into.with_suffix(".words")
    shutil.rmtree(words, ignore_errors=True)
    pairs = ((one.input, one.id) for one in task.instances())
    _read(plan, pairs, words, engine, step, surroundings, {})
    many = _encode(plan, words, vocabularies, into, engine, step, "all")
    shutil.rmtree(words)
    return many


def _batches(parts: Iterable[Path]) -> Iterator[pa.RecordBatch]:
    """Yield the record batches of files, one file after the other."""
    for part in parts:
        with pa.memory_map(str(part)) as source:
            yield from (
                pa.ipc.open_file(source).get_batch(at)
                for at in range(pa.ipc.open_file(source).num_record_batches)
            )


def learn(architecture: Architecture, counts: Mapping[str, Mapping[str, int]], into: Path) -> None:
    """Learn an architecture's vocabularies from counts of words, and write them."""
    architecture.learn_vocabularies({LABELS: {}, **counts})
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    architecture.save_vocabularies(into)


# ---------------------------------------------------------------- certified variants


def with_variants(context: CodeContext, folder: Path) -> Any:
    """Return a context that also has ``get_variant``, a text with the meaning of a method.

    If a method has several variants, one is sampled with a weight inversely proportional to the
    number of variants of its kind: nearly every method has variables to rename, but few have a
    switch. The ids alone determine the sample.
    """
    built = read_built(folder)
    many = {kind: sum(some.values()) for kind, some in built.about["counts"]["variants"].items()}
    held: dict[str, tuple[float, str]] = {}
    for row in built.rows(_VARIANTS):
        drawn = blake2b(f"{row['method']} {row['id']}".encode(), digest_size=6).digest()
        # Exponential race: the key is exponentially distributed with a mean proportional to the
        # number of variants of the kind; the smallest key wins.
        lot = -math.log((int.from_bytes(drawn) + 1) / 2**48) * many[row["kind"]]
        known = held.get(row["method"])
        if known is None or lot < known[0]:
            held[row["method"]] = (lot, row["text"])
    return _Varied(context, {method: text for method, (_, text) in held.items()})


class _Varied:
    """A code context with variants of methods."""

    def __init__(self, context: CodeContext, texts: dict[str, str]) -> None:
        self._code_context, self._texts = context, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._code_context, name)

    def variant(self, method: str) -> str:
        return self._texts.get(method, "")


def variants_hash(folder: Path) -> str:
    """Return the hash of the variants' file from its data set's record.

    The file itself is not needed to resume a training.
    """
    known = read_built(folder).about["files"].get(_VARIANTS)
    if known is None:
        raise CodeacumenError(
            f"{folder} holds no variants",
            "make some with `codeacumen dataset build robustness --split train`",
        )
    return str(known)
