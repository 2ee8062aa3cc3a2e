"""All methods of a corpus that may be asked about, as columns; and what each task draws of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.corpus import Corpus
from acumen.corpus.parquet import values_of
from acumen.corpus.splits import SPLITS
from acumen.lang.java.npath import BINS, bins_of
from acumen.lang.java.operators import OPERATORS
from acumen.tasks.methods import draw
from acumen.tasks.methods.candidates import Candidates
from acumen.tasks.methods.draw import SIZES, Drawn
from acumen.tasks.methods.lots import lots
from acumen.tasks.methods.twins import Families, has_twin_in

TEST_FOLDERS = frozenset(("test", "tests", "testing", "androidTest", "testFixtures"))

Sizes = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Pool:
    """One value a method. ``number`` is its number in the corpus, ``shard`` and ``row`` its place;
    ``warnings`` how many the null analysis has for it; ``of_tests``: it is test code."""

    number: NDArray[np.int64]
    shard: NDArray[np.int32]
    row: NDArray[np.int32]
    id: NDArray[np.uint8]
    split: NDArray[np.int8]
    project: NDArray[np.int32]
    npath: NDArray[np.int64]
    named: NDArray[np.bool_]
    letters: NDArray[np.int32]
    call: NDArray[np.int32]
    call_end: NDArray[np.int32]
    operator: NDArray[np.int32]
    warnings: NDArray[np.int32]
    of_tests: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.number)

    def of(self, split: str) -> NDArray[np.bool_]:
        mine: NDArray[np.bool_] = self.split == SPLITS.index(split)
        return mine


def pool(corpus: Corpus, found: Sequence[Candidates], warned: Mapping[int, int]) -> Pool:
    """``found`` stands in the order of the corpus's shards; ``warned`` has the number of warnings
    of each method that has any."""
    shard = np.repeat(np.arange(len(found), dtype=np.int32), [len(one.row) for one in found])
    row = _joined([one.row for one in found], np.int32)
    number = corpus.first[shard] + row
    ids, split, project, of_tests = _known(corpus)
    return Pool(
        number=number,
        shard=shard,
        row=row,
        id=ids[number],
        split=split[number],
        project=project[number],
        npath=_joined([one.npath for one in found], np.int64),
        named=_joined([one.named for one in found], np.bool_),
        letters=_joined([one.letters for one in found], np.int32),
        call=_joined([one.call for one in found], np.int32),
        call_end=_joined([one.call_end for one in found], np.int32),
        operator=_joined([one.operator.ravel() for one in found], np.int32).reshape(
            -1, len(OPERATORS)
        ),
        warnings=np.array([warned.get(one, 0) for one in number.tolist()], dtype=np.int32),
        of_tests=of_tests[number],
    )


def _known(
    corpus: Corpus,
) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int32], NDArray[np.bool_]]:
    """Ids, splits and projects of all methods of a corpus, by number; which are test code."""
    ids: list[bytes] = []
    splits: list[str] = []
    tests: list[bool] = []
    project = np.repeat(
        np.array([corpus.manifest.projects.index(one) for one in corpus.project_of_shard]),
        np.diff(corpus.first),
    )
    for shard in corpus.shards:
        table = corpus.read(corpus.table(shard, "methods"), ["method_id", "split", "path"])
        ids += values_of(table["method_id"])
        splits += table["split"].to_pylist()
        tests += [is_test(path) for path in table["path"].to_pylist()]
    numbers = np.array([SPLITS.index(one) for one in splits], dtype=np.int8)
    raw = np.frombuffer(b"".join(ids), dtype=np.uint8).reshape(-1, 16)
    return raw, numbers, project.astype(np.int32), np.array(tests, dtype=np.bool_)


@lru_cache(maxsize=1024)
def is_test(path: str) -> bool:
    """Whether a file is test code, by the folders it lies in.

    >>> is_test("src/test/java/a/B.java"), is_test("src/main/java/a/Test.java")
    (True, False)
    """
    return any(part in TEST_FOLDERS for part in path.split("/")[:-1])


def _joined(columns: Sequence[NDArray[Any]], type_: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=type_), *columns]).astype(type_)


@dataclass(frozen=True, slots=True)
class Draw:
    """What a task asks: ``drawn`` holds places of the pool, for each split; ``twin`` tells for
    each of them whether a twin of it is asked in training."""

    drawn: Mapping[str, Drawn]
    twin: Mapping[str, NDArray[np.bool_]]


def draws(
    methods: Pool, seed: int, family: Families | None, *, dedup: bool, sizes: Sizes = SIZES
) -> dict[str, Draw]:
    """``family`` is that of each method of the pool, None where twins are not known. With
    ``dedup``, no method of a split has a twin in a later one: what would be tested is not
    trained on."""
    fine = _without_twins(methods, family) if dedup and family is not None else None
    found: dict[str, Draw] = {}
    for task in sizes:
        drawn = {}
        for split in SPLITS:
            mine = methods.of(split) if fine is None else methods.of(split) & fine
            at = np.flatnonzero(mine)
            # Completion is asked of the methods that are asked for their names.
            about = found["naming"].drawn[split].chosen if task == "completion" else at
            drawn[split] = _drawn(methods, task, about, seed, sizes[task][split])
        found[task] = Draw(drawn, _twins(methods, drawn, family))
    return found


def _drawn(methods: Pool, task: str, at: NDArray[np.int64], seed: int, size: int) -> Drawn:
    mine = lots(seed, task, methods.id[at])
    if task == "npath":
        made = draw.balanced(bins_of(methods.npath[at]).astype(np.int64), mine, len(BINS), size)
    elif task == "operators":
        made = draw.one_each(methods.operator[at] >= 0, mine, size)
    elif task == "naming":
        made = draw.names(methods.named[at], methods.letters[at], mine, size)
    elif task == "completion":
        made = draw.plain(draw.first(methods.call[at] >= 0, mine, size), size)
    else:
        # Tests give null on purpose, and expect the exception.
        plain = ~methods.of_tests[at]
        warned = plain & (methods.warnings[at] == 1)
        # A model should not be able to tell by the project, or by there being nothing to do.
        near = np.isin(methods.project[at], np.unique(methods.project[at][warned]))
        calm = plain & near & (methods.warnings[at] == 0) & (methods.call[at] >= 0)
        made = draw.warnings(warned, calm, mine, size)
    return replace(made, chosen=at[made.chosen])


def _without_twins(methods: Pool, family: Families) -> NDArray[np.bool_]:
    fine = np.ones(len(methods), dtype=np.bool_)
    for place, split in enumerate(SPLITS):
        later = methods.split > place
        fine &= ~has_twin_in(family, methods.of(split), later)
    return fine


def _twins(
    methods: Pool, drawn: Mapping[str, Drawn], family: Families | None
) -> dict[str, NDArray[np.bool_]]:
    found = {}
    seen = np.zeros(len(methods), dtype=np.bool_)
    seen[drawn["train"].chosen] = True
    for split, one in drawn.items():
        if family is None or split == "train":
            found[split] = np.zeros(len(one.chosen), dtype=np.bool_)
        else:
            mine = np.zeros(len(methods), dtype=np.bool_)
            mine[one.chosen] = True
            found[split] = has_twin_in(family, mine, seen)[one.chosen]
    return found
