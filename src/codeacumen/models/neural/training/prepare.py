"""Prepare a task's examples: extract features, count words, learn vocabularies, encode.

``train.run_training`` calls this. Worker processes extract and encode the examples in parts. A part
is first a Parquet file of words, then an Arrow file of numbers. Parts are joined in the order of
the examples, so the files are the same for any number of workers. The files lack examples without
features and examples whose answers the vocabulary cannot express; the sizes of a split show how
many. Dev examples whose answers the vocabulary cannot express are in a file of their own: they have
no loss, but count in the score. A network may also learn from certified variants of the methods
(``add_variants``). In all functions, ``step`` reports progress (``core.progress``).
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
from codeacumen.models.neural.training.encoded_file import make_record_batch, write_batches

# Pre-training has this name in place of a task's; it ignores the answers of the examples.
PRETRAIN = "pretrain"
SPLITS = ("train", "dev")
# Folder of the vocabularies; file of the dev examples whose answers the vocabulary cannot express.
VOCABULARIES, UNANSWERABLE_FILE = "vocabulary", "dev-unsaid.arrow"
# Maximum number of examples in a part.
_EXAMPLES_PER_PART = 2048
# In tasks without a dev split, one of this many training examples is held out for dev.
_HELD_OUT_EVERY = 10
# Maximum number of seconds for a part.
_SECONDS_PER_PART = 1800.0
# Column of a part's Parquet file: an example's answer, or an instance's id.
_LABEL = "label"

# Examples to encode: those whose answers the vocabulary can express, those whose answers it cannot
# express, or all of them, without training targets.
KeptExamples: TypeAlias = Literal["answerable", "unanswerable", "all"]
# File of a robustness data set that has the variants.
_VARIANTS = "variants.jsonl"


def iter_examples(task: Task, split: str) -> Iterator[Example]:
    """Yield the examples of a split, ``train`` or ``dev``.

    If the task ``HasExamples``, memory never holds all of them. If the task has no dev split, every
    tenth example of its training split is in dev instead.
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
            "choose a task with a training split",
        )
    for position, example in enumerate(training):
        if (position % _HELD_OUT_EVERY == 0) == (split == "dev"):
            yield example


def _sample_examples(task: Task, split: str, max_examples: int) -> Iterator[Example]:
    """Yield the examples of a split, or a random sample of at most ``max_examples`` (0: all).

    The sample is random, because the first examples come from only a few projects. The sample of
    dev is an eighth as large.
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
    """Data set and task from which a worker makes the ``CodeContext`` for an architecture.

    ``variants`` is a robustness data set with variants of the methods to learn from.
    """

    data: Path
    task: str
    variants: Path | None = None


@lru_cache(maxsize=1)
def _load_code_context(source: ContextSource) -> CodeContext | None:
    """Return the task's code context, None if it has none; add the source's variants if any."""
    from codeacumen.datasets.built import load_data
    from codeacumen.registry import make_task

    load_data(source.data)
    task = make_task(source.task)
    context = task.code_context() if isinstance(task, HasContext) else None
    return add_variants(context, source.variants) if context and source.variants else context


@dataclass(frozen=True, slots=True)
class ReadJob:
    """A part whose features a worker extracts.

    ``chunk`` pairs each input with the answer of its example or with the id of its instance.
    ``context_source`` is the source of the code context, None for a network that uses none.
    """

    plan: NetworkPlan
    chunk: list[tuple[Input, str]]
    context_source: ContextSource | None
    output_file: Path


@dataclass(frozen=True, slots=True)
class EncodeJob:
    """A part that a worker encodes: ``words`` is its Parquet file, ``vocabularies`` a folder."""

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
    context = _load_code_context(job.context_source) if job.context_source else None
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
    """Encode a part, write the examples to keep, and return how many these are.

    Write no file if there are none. An engine calls this in a worker process.
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
        # The target is None if the vocabulary cannot express the answer.
        if (target is None) != (job.kept_examples == "unanswerable"):
            continue
        rows.append({**architecture.encode(features), **(target or {})})
        answers.append(label)
    if rows:
        write_batches([make_record_batch(rows, answers)], job.output_file)
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

    Return the counts of the training split's words by vocabulary (``counts``) and, for each split,
    the numbers of all examples and of those with features (``sizes``: ``examples`` and ``read``).
    ``max_examples`` is per task; 0 means all.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    counts: dict[str, Counter[str]] = {}
    sizes: dict[str, dict[str, int]] = {}
    for split in SPLITS:
        sizes[split] = {"examples": 0, "read": 0}
        for task_index, (task, context_source) in enumerate(tasks):
            split_examples = _sample_examples(task, split, max_examples)
            pairs = ((example.input, str(example.truth)) for example in split_examples)
            counts_to_update = counts if split == "train" else {}
            output_dir = folder / split / f"{task_index:02}"
            part_sizes = _read_parts(
                plan, pairs, output_dir, engine, step, context_source, counts_to_update
            )
            sizes[split] = {name: sizes[split][name] + count for name, count in part_sizes.items()}
    return {"counts": counts, "sizes": sizes}


def _read_parts(
    plan: NetworkPlan,
    pairs: Iterator[tuple[Input, str]],
    output_dir: Path,
    engine: Engine,
    step: Progress,
    context_source: ContextSource | None,
    counts: dict[str, Counter[str]],
) -> dict[str, int]:
    """Extract the features of inputs, write them as parts, and add their words to ``counts``.

    ``pairs`` has inputs, each with its answer or id. Return the numbers of all examples and of
    those with features.
    """
    sizes = {"examples": 0, "read": 0}
    jobs = _iter_read_jobs(plan, pairs, context_source, output_dir)
    # Make the jobs in groups, so that memory never holds the texts of all examples.
    for group_index, group in enumerate(_group_jobs(jobs, 64)):
        for job_index, outcome in engine.run(extract_part, group, _SECONDS_PER_PART):
            words, rows = _check_outcome(outcome, "reading")
            sizes["examples"] += len(group[job_index].chunk)
            sizes["read"] += rows
            for name, part_counts in words.items():
                counts.setdefault(name, Counter()).update(part_counts)
        step(f"reading {output_dir.parent.name}", (group_index + 1) * 64 * _EXAMPLES_PER_PART, 0)
    return sizes


def _iter_read_jobs(
    plan: NetworkPlan,
    pairs: Iterator[tuple[Input, str]],
    context_source: ContextSource | None,
    output_dir: Path,
) -> Iterator[ReadJob]:
    """Yield a job for each part of the examples."""
    output_dir.mkdir(parents=True)
    part_index = 0
    while chunk := list(islice(pairs, _EXAMPLES_PER_PART)):
        yield ReadJob(plan, chunk, context_source, output_dir / f"{part_index:06}.parquet")
        part_index += 1


def _group_jobs(jobs: Iterator[ReadJob], size: int) -> Iterator[list[ReadJob]]:
    """Yield the jobs in lists of ``size``."""
    while group := list(islice(jobs, size)):
        yield group


def _check_outcome(outcome: Any, activity: str) -> Any:
    """Return a job's outcome; raise an error if its worker was lost."""
    if isinstance(outcome, WorkerLost):
        raise CodeacumenError(
            f"a worker failed while {activity} examples: {outcome.reason}",
            "fewer workers leave more memory and processor time to each: --workers 1",
        )
    return outcome


def encode_splits(
    plan: NetworkPlan, words: Path, vocabularies: Path, folder: Path, engine: Engine, step: Progress
) -> dict[str, int]:
    """Encode all parts, write a file for each split, and return the splits' numbers of examples.

    If dev has no example to keep, its file is a copy of train's. Otherwise, except for
    pre-training, also write ``UNANSWERABLE_FILE`` if there are such examples.
    """
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
                "check the examples: their texts may be empty, or the vocabulary may lack the "
                "words of their answers",
            )
        if not example_counts[split]:
            # No dev example is left: the dev score is that of the training examples.
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
    """Encode all parts in a folder, join them in a file, and return the number of its examples.

    Write no file if there are no examples to keep.
    """
    word_files = sorted(words.rglob("*.parquet"))
    encoded_files = [
        output_file.with_name(f"{output_file.stem}-{index:06}.arrow")
        for index in range(len(word_files))
    ]
    jobs = [
        EncodeJob(plan, vocabularies, word_file, encoded_file, kept_examples)
        for word_file, encoded_file in zip(word_files, encoded_files, strict=True)
    ]
    rows = {}
    for job_index, outcome in engine.run(encode_part, jobs, _SECONDS_PER_PART):
        rows[job_index] = _check_outcome(outcome, "encoding")
        step(f"encoding {output_file.stem}", len(rows), len(jobs))
    # ``encode_part`` writes no file for a part without examples to keep.
    filled_files = [encoded_files[index] for index in range(len(encoded_files)) if rows[index]]
    if not filled_files:
        return 0
    row_count = write_batches(_iter_record_batches(filled_files), output_file)
    for encoded_file in filled_files:
        encoded_file.unlink()
    return row_count


def prepare_questions(
    plan: NetworkPlan,
    task: Task,
    vocabularies: Path,
    output_file: Path,
    engine: Engine,
    step: Progress,
    context_source: ContextSource | None = None,
) -> int:
    """Encode a task's instances, so that the trained network can answer them.

    The file has the instances' ids in the column of the answers. Return the number of instances
    with features; write no file if no instance has any.
    """
    words = output_file.with_suffix(".words")
    shutil.rmtree(words, ignore_errors=True)
    pairs = ((instance.input, instance.id) for instance in task.instances())
    _read_parts(plan, pairs, words, engine, step, context_source, {})
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
    """Return a context with ``get_variant``, which returns a text that means the same as a method.

    ``folder`` is a robustness data set. If a method has several variants, sample one, with a weight
    inversely proportional to the number of all variants of its kind: nearly every method has
    variables to rename, but few have a switch. The sample is always the same, because hashes of the
    ids replace random numbers.
    """
    built = read_built(folder)
    variant_counts = {
        kind: sum(counts.values()) for kind, counts in built.about["counts"]["variants"].items()
    }
    chosen: dict[str, tuple[float, str]] = {}
    for row in built.read_rows(_VARIANTS):
        digest = blake2b(f"{row['method']} {row['id']}".encode(), digest_size=6).digest()
        # Exponential race: the 48 bits of the hash are a uniform number in (0, 1], so the key is
        # exponentially distributed with a mean proportional to the number of variants of the kind;
        # the smallest key wins.
        sampling_key = -math.log((int.from_bytes(digest) + 1) / 2**48) * variant_counts[row["kind"]]
        best = chosen.get(row["method"])
        if best is None or sampling_key < best[0]:
            chosen[row["method"]] = (sampling_key, row["text"])
    return _ContextWithVariants(context, {method: text for method, (_, text) in chosen.items()})


class _ContextWithVariants:
    """A code context that also ``OffersVariants``; ``texts`` has a variant by the method's id."""

    def __init__(self, context: CodeContext, texts: dict[str, str]) -> None:
        self._code_context, self._texts = context, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._code_context, name)

    def get_variant(self, method: str) -> str:
        return self._texts.get(method, "")


def get_variants_hash(folder: Path) -> str:
    """Return the hash of the variants' file, as the data set's record states it.

    A training can therefore resume without the file itself.
    """
    file_hash = read_built(folder).about["files"].get(_VARIANTS)
    if file_hash is None:
        raise CodeacumenError(
            f"{folder} holds no variants",
            "make some with `codeacumen dataset build robustness --split train`",
        )
    return str(file_hash)
