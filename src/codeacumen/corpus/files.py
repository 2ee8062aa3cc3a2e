"""Select and process the hand-written files of corpora, each content once.

Embeddings are trained on these files; surveys and nearest-method indexes read them too.
"""

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
from codeacumen.corpus.manifest import damaged_corpus_error
from codeacumen.engines import Engine, WorkerLost
from codeacumen.registry import list_names

# Time limit for a shard, in seconds; the first shard may have to wait for the kernels' compilation.
LIMIT = 1800.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ShardFiles:
    """Selected rows of the table ``files`` of one shard; sent to worker processes.

    ``corpus`` is the folder of the corpus, ``table`` the file of the table, ``rows`` are positions.
    """

    corpus: Path
    table: Path
    rows: tuple[int, ...]

    def read_columns(self, names: Sequence[str]) -> pa.Table:
        """Return columns of the selected rows; raise an error if the corpus is damaged."""
        try:
            return pq.read_table(self.table, columns=list(names)).take(list(self.rows))
        except (OSError, pa.ArrowException) as error:
            raise damaged_corpus_error(self.corpus, self.table) from error


@dataclass(frozen=True, slots=True)
class SelectedFiles:
    """Files to train on, by shard.

    ``sha256`` covers contents and languages alone, not the corpora and shards that hold the files.
    ``projects`` (every project of the corpora, selected files or not) and ``file_counts`` (by
    language) are for the record of a training run.
    """

    sha256: str
    shards: tuple[ShardFiles, ...]
    projects: tuple[str, ...]
    file_counts: dict[str, int]


def select_files(corpora: Sequence[Corpus], languages: Sequence[str] = ()) -> SelectedFiles:
    """Return the files of these languages, by default of all registered languages.

    Minified, generated and vendored files are left out, and all but the first copy of a content.
    """
    accepted = languages or list_names("language")
    language_of_hash: dict[str, str] = {}
    shards: list[ShardFiles] = []
    for corpus in corpora:
        for shard in corpus.shards:
            table = corpus.table_path(shard, "files")
            columns = corpus.read_table(table, ["sha256", "language", "origin"]).to_pydict()
            rows = []
            values = zip(columns["sha256"], columns["language"], columns["origin"], strict=True)
            for row, (sha256, language, origin) in enumerate(values):
                if language in accepted and origin == "written" and sha256 not in language_of_hash:
                    language_of_hash[sha256] = language
                    rows.append(row)
            if rows:
                folder = corpus.folder.absolute()
                shards.append(ShardFiles(folder, table.absolute(), tuple(rows)))
    if not language_of_hash:
        raise CodeacumenError(
            f"there is no file in {', '.join(accepted)} to learn from",
            "minified, generated and vendored files do not count",
        )
    contents = "\n".join(
        f"{sha256} {language}" for sha256, language in sorted(language_of_hash.items())
    )
    counts = Counter(language_of_hash.values())
    return SelectedFiles(
        hashlib.sha256(contents.encode()).hexdigest(),
        tuple(shards),
        tuple(sorted({name for corpus in corpora for name in corpus.manifest.projects})),
        {name: counts[name] for name in accepted if name in counts},
    )


def read_files(shard_files: ShardFiles) -> Iterator[tuple[str, str, bytes]]:
    """Yield hash, language and source of each file."""
    table = shard_files.read_columns(["sha256", "language", "source"])
    for batch in table.to_batches(max_chunksize=64):
        for row in batch.to_pylist():
            yield row["sha256"], row["language"], row["source"].encode("utf-8", "surrogatepass")


def process_files(
    work: Callable[[ShardFiles], T],
    shards: Sequence[ShardFiles],
    engine: Engine,
    description: str,
    progress: Progress,
) -> tuple[list[T], int]:
    """Run ``work`` on all shards; return the results in order and the number of lost files.

    Where a shard kills its worker, its files are processed one by one, with a result for each, and
    only files that kill a worker again are lost. ``description`` is the stage that is shown.
    """
    # Keys: index of the shard, and index of the file in its ``rows`` (0 unless its files were
    # processed one by one).
    results: dict[tuple[int, int], T] = {}
    lost_indexes: list[int] = []
    for done, (index, outcome) in enumerate(engine.run(work, shards, LIMIT), 1):
        progress(description, done, len(shards))
        if isinstance(outcome, WorkerLost):
            lost_indexes.append(index)
        else:
            results[index, 0] = outcome
    single_files = [
        (index, number, replace(shards[index], rows=(row,)))
        for index in lost_indexes
        for number, row in enumerate(shards[index].rows)
    ]
    lost_file_count = 0
    for job_index, outcome in engine.run(
        work, [shard_files for _, _, shard_files in single_files], LIMIT
    ):
        if isinstance(outcome, WorkerLost):
            lost_file_count += 1
        else:
            results[single_files[job_index][:2]] = outcome
    return [results[key] for key in sorted(results)], lost_file_count
