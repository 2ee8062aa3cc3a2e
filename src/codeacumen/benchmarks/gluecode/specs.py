"""Define the five tasks of GLUECode (2020), one record each; the other modules read the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from codeacumen import metrics
from codeacumen.api import Capability, Json, Metric
from codeacumen.benchmarks.gluecode import masks
from codeacumen.benchmarks.gluecode.masks import NO_WARNING, ORIGINS
from codeacumen.benchmarks.gluecode.sampling import (
    Positions,
    Sample,
    SamplingNumbers,
    sample_balanced,
    sample_names,
    sample_one_class_each,
    sample_plain,
    sample_warnings,
)
from codeacumen.metrics.name_recommendation import corpus_metrics
from codeacumen.text.subtokens import split_subtokens

if TYPE_CHECKING:
    from codeacumen.benchmarks.gluecode.candidates import Pool
    from codeacumen.languages.java.nulls.report import Report

# A row of the corpus's table of methods, by column.
Row: TypeAlias = dict[str, Any]
# Target number of instances, by task and split.
Sizes: TypeAlias = Mapping[str, Mapping[str, int]]
# Warnings of the null analysis, by the number in the corpus of the method that has them.
Warnings: TypeAlias = "Mapping[int, Sequence[Report]]"


class SampledMethod(NamedTuple):
    """A method that is sampled for a task.

    ``row`` is its row in the shard, ``label`` the number of its class (an index in the task's
    ``choices``; 1 or 0 with or without a warning), 0 for tasks without classes.
    ``start`` and ``end`` are the byte offsets in its file of the masked token, -1 if none is
    masked. ``near_duplicate`` is true if training has one. ``further`` has the task's own columns.
    """

    row: int
    label: int = 0
    start: int = -1
    end: int = -1
    near_duplicate: bool = False
    further: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class MethodTaskSpec:
    """Definition of a task: everything that differs between the five.

    The right answer is a text, ``label(row, sampled)``; a sampled method has the number of its
    class. ``sampling_key`` is part of the hash that decides which methods are sampled: it stays the
    same if the task gets another ``name``. ``question`` describes the task in ``dataset.json``,
    ``instruction`` is for models that read English. ``sizes`` are the paper's, by split.
    ``choices`` returns the labels of a task with classes, in the order of their numbers, else ().
    ``sampled_from`` names the task whose sample is the base of this one's, or is empty. ``tags``
    yields the slices of a row. ``ceiling`` says why the labels are right by construction, or is
    empty.
    """

    name: str
    title: str
    summary: str
    question: str
    capability: Capability
    metric: Metric
    sizes: Mapping[str, int]
    sampling_key: str
    # Samples a number of the methods at some positions of the pool, by their sampling numbers; the
    # positions of the result are indices of these positions.
    sample: Callable[[Pool, Positions, SamplingNumbers, int], Sample]
    # Returns the label, the right answer, of a method's row.
    label: Callable[[Row, SampledMethod], str]
    # Returns further fields of a SampledMethod, from the pool, its position in the pool, the number
    # of its class and the warnings.
    details: Callable[[Pool, int, int, Warnings], dict[str, Any]] = lambda *_: {}
    # Returns the task's own Parquet columns; a function, so that pyarrow is loaded on demand.
    columns: Callable[[], list[tuple[str, Any]]] = list
    choices: Callable[[], tuple[str, ...]] = tuple
    tags: Callable[[Mapping[str, Json]], Iterator[str]] = lambda row: iter(())
    instruction: str = ""
    sampled_from: str = ""
    further_metrics: Sequence[Metric] = ()
    slices: tuple[str, ...] = ()
    ceiling: str = ""
    # Columns that a model may see beside the text, in ``CodeContext.describe``.
    context: tuple[str, ...] = ()


def limit_sizes(limit: int) -> dict[str, dict[str, int]]:
    """Return the paper's sizes by task and split, limited.

    ``limit`` is the maximum for training, an eighth of it that for dev and test; 0 is no limit. A
    smaller sample is a part of a larger one.

    >>> limit_sizes(80_000)["naming"], limit_sizes(80_000)["npath"]["train"]
    ({'train': 80000, 'dev': 10000, 'test': 10000}, 9600)
    """
    limits = {"train": limit, "dev": limit // 8, "test": limit // 8}
    return {
        spec.name: {
            split: min(size, limits[split]) if limit else size for split, size in spec.sizes.items()
        }
        for spec in SPECS.values()
    }


def _positions_columns() -> list[tuple[str, Any]]:
    import pyarrow as pa

    return [("start_byte", pa.int32()), ("end_byte", pa.int32())]


def _load_npath_bins() -> tuple[str, ...]:
    from codeacumen.languages.java.measures.npath import BINS

    return BINS


def _sample_npath(pool: Pool, positions: Positions, numbers: SamplingNumbers, size: int) -> Sample:
    from codeacumen.languages.java.measures.npath import BINS, find_bins

    return sample_balanced(
        find_bins(pool.npath[positions]).astype(np.int64), numbers, len(BINS), size
    )


def _npath_columns() -> list[tuple[str, Any]]:
    import pyarrow as pa

    return [("value", pa.int64())]


NPATH = MethodTaskSpec(
    name=masks.NPATH,
    title="NPath complexity",
    summary="NPath complexity of a method, as one of twelve bins",
    question="NPath complexity of a method by PMD's rules, as one of twelve bins",
    instruction="Which of the choices holds the NPath complexity of this Java method, the number "
    "of acyclic paths through it?",
    capability=Capability.CLASSIFY,
    metric=metrics.accuracy,
    sizes={"train": 9_600, "dev": 1_200, "test": 1_200},
    sampling_key="npath",
    sample=_sample_npath,
    details=lambda pool, position, label, warnings: {
        "further": {"value": int(pool.npath[position])}
    },
    label=lambda method, sampled: _load_npath_bins()[sampled.label],
    columns=_npath_columns,
    choices=_load_npath_bins,
    ceiling="the labels come from a program that counts the paths exactly",
)


def _load_operators() -> tuple[str, ...]:
    from codeacumen.languages.java.measures.operators import OPERATORS

    return OPERATORS


def _operator_position(pool: Pool, position: int, label: int, warnings: Warnings) -> dict[str, Any]:
    """Return the offsets of the sampled operator of the class ``label``."""
    start = int(pool.operator[position, label])
    return {"start": start, "end": start + len(_load_operators()[label])}


OPERATORS = MethodTaskSpec(
    name=masks.OPERATORS,
    title="Operators",
    summary="The masked operator of a method, one of twelve",
    question="the masked operator of a method, one of twelve",
    instruction="Which operator stands in place of <MASK> in this Java method?",
    capability=Capability.CLASSIFY,
    metric=metrics.accuracy,
    sizes={"train": 9_600, "dev": 1_200, "test": 1_200},
    sampling_key="operators",
    sample=lambda pool, positions, numbers, size: sample_one_class_each(
        pool.operator[positions] >= 0, numbers, size
    ),
    details=_operator_position,
    label=lambda method, sampled: _load_operators()[sampled.label],
    columns=_positions_columns,
    choices=_load_operators,
)


NAMING = MethodTaskSpec(
    name=masks.NAMING,
    title="Method naming",
    summary="The name of a method",
    question="the name of a method",
    capability=Capability.NAME,
    metric=metrics.character_bleu,
    # The metrics of the generalizability study's Table 1.
    further_metrics=corpus_metrics(split_subtokens),
    sizes={"train": 800_000, "dev": 100_000, "test": 100_000},
    sampling_key="naming",
    sample=lambda pool, positions, numbers, size: sample_names(
        pool.named[positions], pool.letters[positions], numbers, size
    ),
    label=lambda method, sampled: str(method["name"]),
)


def _call_name(method: Row, sampled: SampledMethod) -> str:
    """Return the name of the masked call, from the method's text."""
    start, end = sampled.start - method["start_byte"], sampled.end - method["start_byte"]
    return str(method["text"].encode()[start:end].decode("utf-8", "replace"))


def _completion_columns() -> list[tuple[str, Any]]:
    import pyarrow as pa

    return [
        *_positions_columns(),
        ("origin", pa.string()),
        ("receiver", pa.string()),
        ("static", pa.bool_()),
        ("arguments", pa.int32()),
        ("candidates", pa.list_(pa.string())),
    ]


def _completion_tags(row: Mapping[str, Json]) -> Iterator[str]:
    yield f"origin:{row['origin']}"


COMPLETION = MethodTaskSpec(
    name=masks.COMPLETION,
    title="Call completion",
    summary="The method that a masked call calls",
    question="the method that a masked call calls",
    instruction="Which method is called in place of <MASK> in this Java method? "
    "Answer with its name alone.",
    capability=Capability.GENERATE,
    metric=metrics.exact_match,
    slices=tuple(f"origin:{origin}" for origin in ORIGINS),
    tags=_completion_tags,
    context=("receiver", "arguments", "candidates", "static"),
    sizes={"train": 800_000, "dev": 100_000, "test": 100_000},
    sampling_key="completion",
    sampled_from=NAMING.name,
    sample=lambda pool, positions, numbers, size: sample_plain(
        pool.call[positions] >= 0, numbers, size
    ),
    details=lambda pool, position, label, warnings: {
        "start": int(pool.call[position]),
        "end": int(pool.call_end[position]),
    },
    label=_call_name,
    columns=_completion_columns,
)


def _sample_nulltoken(
    pool: Pool, positions: Positions, numbers: SamplingNumbers, size: int
) -> Sample:
    """Sample methods with exactly one warning, and methods without any."""
    # Tests pass null on purpose, and expect the exception.
    is_not_test = ~pool.is_test_code[positions]
    with_warning = is_not_test & (pool.warnings[positions] == 1)
    # Methods without a warning are from projects with warnings and have calls, so that neither the
    # project nor the absence of calls reveals the answer.
    in_warned_project = np.isin(
        pool.project[positions], np.unique(pool.project[positions][with_warning])
    )
    without_warning = (
        is_not_test
        & in_warned_project
        & (pool.warnings[positions] == 0)
        & (pool.call[positions] >= 0)
    )
    return sample_warnings(with_warning, without_warning, numbers, size)


def _warning_columns(pool: Pool, position: int, label: int, warnings: Warnings) -> dict[str, Any]:
    """Return the columns of the method's warning, which the data set has and no model sees.

    They are empty for a method without a warning, whose ``label`` is 0.
    """
    if not label:
        return {}
    report = warnings[int(pool.number[position])][0]
    record = report.as_json()
    names = ("token", "expression", "qualifier", "trace")
    further = {**{name: record[name] for name in names}, "warning_line": report.line}
    return {"further": further}


def _nulltoken_columns() -> list[tuple[str, Any]]:
    import pyarrow as pa

    texts = ("token", "expression", "qualifier")
    names = ("level", "path", "line", "description")
    types = (pa.int32(), pa.string(), pa.int32(), pa.string())
    step = pa.struct(list(zip(names, types, strict=True)))
    return [
        *((name, pa.string()) for name in texts),
        ("trace", pa.list_(step)),
        ("warning_line", pa.int32()),
    ]


def _nulltoken_tags(row: Mapping[str, Json]) -> Iterator[str]:
    yield "no-warning" if row["label"] == NO_WARNING else "warning"


NULLTOKEN = MethodTaskSpec(
    name=masks.NULLTOKEN,
    title="Null dereference",
    summary="The token that may be null where a method dereferences it, if any",
    question="the token that may be null where a method dereferences it, if any",
    instruction="At which token may this Java method dereference null? Answer with that token "
    f"alone, the last name of the expression that is null, or with {NO_WARNING} if at none.",
    capability=Capability.GENERATE,
    metric=metrics.exact_match,
    slices=("warning", "no-warning"),
    tags=_nulltoken_tags,
    sizes={"train": 10_000, "dev": 1_000, "test": 1_000},
    sampling_key="nulltoken",
    sample=_sample_nulltoken,
    details=_warning_columns,
    label=lambda method, sampled: str((sampled.further or {}).get("token", NO_WARNING)),
    columns=_nulltoken_columns,
    ceiling="the analysis of the whole project that found the dereferences is right by "
    "construction",
)

SPECS = {spec.name: spec for spec in (NPATH, OPERATORS, NAMING, COMPLETION, NULLTOKEN)}
