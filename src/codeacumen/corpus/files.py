"""The files of corpora that embeddings are trained on: hand-written files, each content once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.integrity import unreadable
from codeacumen.engines import Engine, WorkerLost
from codeacumen.registry import names

# Time limit for a shard, in seconds; the first shard may have to wait for the kernels' compilation.
LIMIT = 1800.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Selected rows of the table ``files`` of one shard; sent to worker processes."""

    corpus: Path
    table: Path
    rows: tuple[int, ...]

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Return columns of the selected rows; raise an error that says if the corpus is
        damaged.
        """
        try:
            return pq.read_table(self.table, columns=list(names)).take(list(self.rows))
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self.corpus, self.table) from error


@dataclass(frozen=True, slots=True)
class Chosen:
    """Files to train on, by shard.

    ``sha256`` covers the contents alone, not the corpora and shards that hold them. ``projects``
    and ``file_counts`` (by language) describe the files in the record of a training run.
    """

    sha256: str
    stretches: tuple[Stretch, ...]
    projects: tuple[str, ...]
    files: dict[str, int]


def chosen(corpora: Sequence[Corpus], languages: Sequence[str] = ()) -> Chosen:
    """Return the files of these languages, by default of all registered languages.

    Minified, generated and vendored files are left out, and all but the first copy of a content.
    """
    accepted = languages or names("language")
    seen: dict[str, str] = {}
    stretches: list[Stretch] = []
    for corpus in corpora:
        for shard in corpus.shards:
            table = corpus.table(shard, "files")
            columns = corpus.read(table, ["sha256", "language", "origin"]).to_pydict()
            rows = []
            values = zip(columns["sha256"], columns["language"], columns["origin"], strict=True)
            for row, (sha256, language, origin) in enumerate(values):
                if language in accepted and origin == "written" and sha256 not in seen:
                    seen[sha256] = language
                    rows.append(row)
            if rows:
                folder = corpus.folder.absolute()
                stretches.append(Stretch(folder, table.absolute(), tuple(rows)))
    if not seen:
        raise CodeacumenError(
            f"there is no file in {', '.join(accepted)} to learn from",
            "minified, generated and vendored files do not count",
        )
    contents = "\n".join(f"{sha256} {language}" for sha256, language in sorted(seen.items()))
    counts = Counter(seen.values())
    return Chosen(
        hashlib.sha256(contents.encode()).hexdigest(),
        tuple(stretches),
        tuple(sorted({name for corpus in corpora for name in corpus.manifest.projects})),
        {name: counts[name] for name in accepted if name in counts},
    )


def read(stretch: Stretch) -> Iterator[tuple[str, str, bytes]]:
    """Yield hash, language and source of each file."""
    found = stretch.columns(["sha256", "language", "source"])
    for batch in found.to_batches(max_chunksize=64):
        for row in batch.to_pylist():
            yield row["sha256"], row["language"], row["source"].encode("utf-8", "surrogatepass")


def worked(
    work: Callable[[Stretch], T],
    stretches: Sequence[Stretch],
    engine: Engine,
    what: str,
    step: Progress,
) -> tuple[list[T], int]:
    """Run ``work`` on all shards; return the results in order and the number of lost files.

    Where a shard kills its worker, its files are processed one by one, and only files that kill a
    worker again are lost.
    """
    found: dict[tuple[int, int], T] = {}
    lost: list[int] = []
    for done, (place, outcome) in enumerate(engine.run(work, stretches, LIMIT), 1):
        step(what, done, len(stretches))
        if isinstance(outcome, WorkerLost):
            lost.append(place)
        else:
            found[place, 0] = outcome
    single = [
        (place, number, replace(stretches[place], rows=(row,)))
        for place in lost
        for number, row in enumerate(stretches[place].rows)
    ]
    left_out = 0
    for which, outcome in engine.run(work, [one for _, _, one in single], LIMIT):
        if isinstance(outcome, WorkerLost):
            left_out += 1
        else:
            found[single[which][:2]] = outcome
    return [found[key] for key in sorted(found)], left_out
