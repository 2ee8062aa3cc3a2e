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
from codeacumen.models.neural.catalogue import NetworkPlan
from codeacumen.models.neural.training import encoded

# Task of a network that is pre-trained: its examples have no answers.
PRETRAIN = "pretrain"
SPLITS = ("train", "dev")
VOCABULARIES, UNANSWERABLE_FILE = "vocabulary", "dev-unsaid.arrow"
# Examples of a part.
_EXAMPLES_PER_PART = 2048
# In tasks without a dev split, one of this many training examples is held out for dev.
_HELD_OUT_EVERY = 10
# Maximum number of seconds for a part.
_SECONDS_PER_PART = 1800.0
_LABEL = "label"

# Examples to encode: those whose answers the vocabulary can express, the others, or all, without
# their answers.
KeptExamples: TypeAlias = Literal["answerable", "unanswerable", "all"]
_VARIANTS = "variants.jsonl"


def iter_examples(task: Task, split: str) -> Iterator[Example]:
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
        if (position % _HELD_OUT_EVERY == 0) == (split == "dev"):
            yield example


def _sample_examples(task: Task, split: str, max_examples: int) -> Iterator[Example]:
    """Yield the examples of a split, or a random sample of at most ``max_examples``; 0: all.

    The first examples would be those of a few projects. The sample of dev is an eighth as large.
    """
    split_examples = iter_examples(task, split)
    max_examples = (
        max_examples if split == "train" or not max_examples else max(1, max_examples // 8)
    )
    count = sum(1 for _ in iter_examples(task, split)) if max_examples else 0
    if count <= max_examples:
        yield from split_examples
        return
    is_chosen = np.zeros(count, bool)
    is_chosen[np.random.default_rng(0).permutation(count)[:max_examples]] = True
    yield from compress(split_examples, is_chosen.tolist())


@dataclass(frozen=True, slots=True)
class ContextSource:
    """Data set and task from which a worker makes the ``CodeContext`` of an architecture.

    ``variants`` is a robustness data set with variants of the methods to learn from.
    """

    data: Path
    task: str
    variants: Path | None = None


@lru_cache(maxsize=1)
def _load_code_context(source: ContextSource) -> CodeContext | None:
    """Return the code context of a task, with variants if there are some."""
    from codeacumen.datasets.built import load_data
    from codeacumen.registry import make_task

    load_data(source.data)
    task = make_task(source.task)
    context = task.code_context() if isinstance(task, HasContext) else None
    return add_variants(context, source.variants) if context and source.variants else context


@dataclass(frozen=True, slots=True)
class ReadJob:
    """Inputs whose features a worker extracts; ``chunk`` has each with its answer or its id."""

    plan: NetworkPlan
    chunk: list[tuple[Input, str]]
    surroundings: ContextSource | None
    output_file: Path


@dataclass(frozen=True, slots=True)
class EncodeJob:
    """A part that a worker encodes."""

    plan: NetworkPlan
    vocabularies: Path
    words: Path
    output_file: Path
    kept_examples: KeptExamples


def extract_part(job: ReadJob) -> tuple[dict[str, dict[str, int]], int]:
    """Extract the features of a part and write them; an engine calls this in a worker process.

    Return the counts of words by vocabulary, and the number of examples that have features.
    """
    architecture = job.plan.build_architecture()
    context = _load_code_context(job.surroundings) if job.surroundings else None
    counts: dict[str, Counter[str]] = {}
    rows: list[Features] = []
    labels: list[str] = []
    for item, label in job.chunk:
        features = architecture.extract_features(item, context)
        if features is None:
            continue
        for name, words in architecture.iter_words(features):
            counts.setdefault(name, Counter()).update(words)
        if job.plan.purpose.task != PRETRAIN:
            counts.setdefault(LABELS, Counter()).update(architecture.labels.split_label(label))
        rows.append(features)
        labels.append(label)
    columns = {name: pa.array([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    table = pa.table({**columns, _LABEL: pa.array(labels, pa.string())})
    pq.write_table(table, job.output_file, compression="zstd")
    return {name: dict(word_counts) for name, word_counts in counts.items()}, len(rows)


def encode_part(job: EncodeJob) -> int:
    """Encode a part, write it, and return the number of its examples.

    An engine calls this in a worker process.
    """
    architecture = job.plan.build_architecture()
    architecture.load_vocabularies(job.vocabularies)
    table = pq.read_table(job.words)
    labels = table[_LABEL].to_pylist()
    names = [name for name in table.column_names if name != _LABEL]
    columns = [table[name].to_pylist() for name in names]
    rows, answers = [], []
    for label, *values in zip(labels, *columns, strict=True):
        features = dict(zip(names, values, strict=True))
        target = {} if job.kept_examples == "all" else architecture.encode_target(label, features)
        if (target is None) != (job.kept_examples == "unanswerable"):
            continue
        rows.append({**architecture.encode(features), **(target or {})})
        answers.append(label)
    if rows:
        encoded.write_batches([encoded.make_record_batch(rows, answers)], job.output_file)
    return len(rows)


def read_splits(
    plan: NetworkPlan,
    tasks: Sequence[tuple[Task, ContextSource | None]],
    folder: Path,
    engine: Engine,
    step: Progress,
    *,
    max_examples: int = 0,
) -> dict[str, Any]:
    """Extract the features of tasks' examples and write them as parts into ``folder``.

    Return the counts of the training split's words (``counts``) and the numbers of examples of each
    split (``sizes``).
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    counts: dict[str, Counter[str]] = {}
    sizes: dict[str, dict[str, int]] = {}
    for split in SPLITS:
        sizes[split] = {"examples": 0, "read": 0}
        for task_index, (task, surroundings) in enumerate(tasks):
            split_examples = _sample_examples(task, split, max_examples)
            pairs = ((example.input, str(example.truth)) for example in split_examples)
            counts_to_update = counts if split == "train" else {}
            output_dir = folder / split / f"{task_index:02}"
            part_sizes = _read_parts(
                plan, pairs, output_dir, engine, step, surroundings, counts_to_update
            )
            sizes[split] = {name: sizes[split][name] + count for name, count in part_sizes.items()}
    return {"counts": counts, "sizes": sizes}


def _read_parts(
    plan: NetworkPlan,
    pairs: Iterator[tuple[Input, str]],
    output_dir: Path,
    engine: Engine,
    step: Progress,
    surroundings: ContextSource | None,
    counts: dict[str, Counter[str]],
) -> dict[str, int]:
    """Write the parts of a split, and add its words to ``counts``."""
    sizes = {"examples": 0, "read": 0}
    jobs = _iter_read_jobs(plan, pairs, surroundings, output_dir)
    # Jobs are made in groups, so that the texts of all examples are never in memory together.
    for group_index, chunk in enumerate(_group_jobs(jobs, 64)):
        for job_index, outcome in engine.run(extract_part, chunk, _SECONDS_PER_PART):
            words, rows = _check_outcome(outcome, "reading")
            sizes["examples"] += len(chunk[job_index].chunk)
            sizes["read"] += rows
            for name, part_counts in words.items():
                counts.setdefault(name, Counter()).update(part_counts)
        step(f"reading {output_dir.parent.name}", (group_index + 1) * 64 * _EXAMPLES_PER_PART, 0)
    return sizes


def _iter_read_jobs(
    plan: NetworkPlan,
    pairs: Iterator[tuple[Input, str]],
    surroundings: ContextSource | None,
    output_dir: Path,
) -> Iterator[ReadJob]:
    """Yield a job for each part of the examples."""
    output_dir.mkdir(parents=True)
    part_index = 0
    while chunk := list(islice(pairs, _EXAMPLES_PER_PART)):
        yield ReadJob(plan, chunk, surroundings, output_dir / f"{part_index:06}.parquet")
        part_index += 1


def _group_jobs(jobs: Iterator[ReadJob], size: int) -> Iterator[list[ReadJob]]:
    """Yield the jobs in lists of ``size``."""
    while group := list(islice(jobs, size)):
        yield group


def _check_outcome(outcome: Any, activity: str) -> Any:
    """Return a job's outcome; raise an error if its worker was lost."""
    if isinstance(outcome, WorkerLost):
        raise CodeacumenError(
            f"{activity}: {outcome.why}", "use fewer workers, so that each has more memory"
        )
    return outcome


def encode_splits(
    plan: NetworkPlan, words: Path, vocabularies: Path, folder: Path, engine: Engine, step: Progress
) -> dict[str, int]:
    """Encode all parts, write a file for each split, and return the splits' numbers of examples."""
    example_counts: dict[str, int] = {}
    kept_examples: KeptExamples = "all" if plan.purpose.task == PRETRAIN else "answerable"
    for split in SPLITS:
        output_file = folder / f"{split}.arrow"
        example_counts[split] = _encode_parts(
            plan, words / split, vocabularies, output_file, engine, step, kept_examples
        )
        if not example_counts[split] and split == "train":
            raise CodeacumenError(
                "the training split has no example to learn from",
                "the vocabulary lacks the words of its answers, or its texts are empty",
            )
        if not example_counts[split]:
            # Too few examples to hold any out: the dev score is that of the training examples.
            shutil.copyfile(folder / "train.arrow", output_file)
    if kept_examples == "answerable" and example_counts["dev"]:
        _encode_parts(
            plan,
            words / "dev",
            vocabularies,
            folder / UNANSWERABLE_FILE,
            engine,
            step,
            "unanswerable",
        )
    return example_counts


def _encode_parts(
    plan: NetworkPlan,
    words: Path,
    vocabularies: Path,
    output_file: Path,
    engine: Engine,
    step: Progress,
    kept_examples: KeptExamples,
) -> int:
    """Encode all parts in a folder, join them in a file, and return the number of examples.

    Write no file if there is none.
    """
    parts = sorted(words.rglob("*.parquet"))
    part_files = [
        output_file.with_name(f"{output_file.stem}-{index:06}.arrow") for index in range(len(parts))
    ]
    jobs = [
        EncodeJob(plan, vocabularies, part, path, kept_examples)
        for part, path in zip(parts, part_files, strict=True)
    ]
    rows = {}
    for job_index, outcome in engine.run(encode_part, jobs, _SECONDS_PER_PART):
        rows[job_index] = _check_outcome(outcome, "encoding")
        step(f"encoding {output_file.stem}", len(rows), len(jobs))
    filled_files = [part_files[index] for index in range(len(part_files)) if rows[index]]
    if not filled_files:
        return 0
    row_count = encoded.write_batches(_iter_record_batches(filled_files), output_file)
    for part in filled_files:
        part.unlink()
    return row_count


def prepare_questions(
    plan: NetworkPlan,
    task: Task,
    vocabularies: Path,
    output_file: Path,
    engine: Engine,
    step: Progress,
    surroundings: ContextSource | None = None,
) -> int:
    """Encode a task's instances, to be answered by the trained network.

    The column of the answers has the instances' ids. Return the number of instances with features;
    write no file if there is none.
    """
    words = output_file.with_suffix(".words")
    shutil.rmtree(words, ignore_errors=True)
    pairs = ((instance.input, instance.id) for instance in task.instances())
    _read_parts(plan, pairs, words, engine, step, surroundings, {})
    question_count = _encode_parts(plan, words, vocabularies, output_file, engine, step, "all")
    shutil.rmtree(words)
    return question_count


def _iter_record_batches(parts: Iterable[Path]) -> Iterator[pa.RecordBatch]:
    """Yield the record batches of files, one file after the other."""
    for part in parts:
        with pa.memory_map(str(part)) as source:
            yield from (
                pa.ipc.open_file(source).get_batch(index)
                for index in range(pa.ipc.open_file(source).num_record_batches)
            )


def learn_and_save_vocabularies(
    architecture: Architecture, counts: Mapping[str, Mapping[str, int]], output_dir: Path
) -> None:
    """Learn an architecture's vocabularies from counts of words, and write them."""
    architecture.learn_vocabularies({LABELS: {}, **counts})
    shutil.rmtree(output_dir, ignore_errors=True)
    output_dir.mkdir(parents=True)
    architecture.save_vocabularies(output_dir)


# ---------------------------------------------------------------- certified variants


def add_variants(context: CodeContext, folder: Path) -> Any:
    """Return a context that also has ``get_variant``, a text with the meaning of a method.

    If a method has several variants, one is sampled with a weight inversely proportional to the
    number of variants of its kind: nearly every method has variables to rename, but few have a
    switch. The ids alone determine the sample.
    """
    built = read_built(folder)
    variant_counts = {
        kind: sum(counts.values()) for kind, counts in built.about["counts"]["variants"].items()
    }
    chosen: dict[str, tuple[float, str]] = {}
    for row in built.read_rows(_VARIANTS):
        digest = blake2b(f"{row['method']} {row['id']}".encode(), digest_size=6).digest()
        # Exponential race: the key is exponentially distributed with a mean proportional to the
        # number of variants of the kind; the smallest key wins.
        sampling_key = -math.log((int.from_bytes(digest) + 1) / 2**48) * variant_counts[row["kind"]]
        best = chosen.get(row["method"])
        if best is None or sampling_key < best[0]:
            chosen[row["method"]] = (sampling_key, row["text"])
    return _ContextWithVariants(context, {method: text for method, (_, text) in chosen.items()})


class _ContextWithVariants:
    """A code context with variants of methods."""

    def __init__(self, context: CodeContext, texts: dict[str, str]) -> None:
        self._code_context, self._texts = context, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._code_context, name)

    def get_variant(self, method: str) -> str:
        return self._texts.get(method, "")


def get_variants_hash(folder: Path) -> str:
    """Return the hash of the variants' file from its data set's record.

    The file itself is not needed to resume a training.
    """
    file_hash = read_built(folder).about["files"].get(_VARIANTS)
    if file_hash is None:
        raise CodeacumenError(
            f"{folder} holds no variants",
            "make some with `codeacumen dataset build robustness --split train`",
        )
    return str(file_hash)
