"""An index of a corpus's methods by their words, for ``acumen similar find``.

Okapi BM25: a word that few methods have counts much, its repetition less and less, and a long
method less for the same words. What a word adds to a method's score is worked out when the index is
made; a question then adds up the rows of its words.

The index lies in acumen's own folder, under the hash of the corpus's manifest and of the code that
made it. Its arrays are mapped into memory: a question reads only the rows it needs.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError, Json
from acumen.core.progress import Progress, ignore_progress
from acumen.files import sha256_of
from acumen.similar.words import words

if TYPE_CHECKING:
    from acumen.corpus import Corpus
    from acumen.engines import Engine

# Okapi's usual constants: how soon repetition stops counting, how much length counts.
K, B = 1.2, 0.75
# Seconds for a shard.
LIMIT = 900.0
# A corpus changes its manifest; another way to make an index needs another number here.
VERSION = 1
_SENTENCE = 120
_MARKUP = re.compile(r"\{@\w+\s+(?:[^{}]*[#\s])?([^{}#\s]*)\}|<[^<>]{0,200}>")

Integers = NDArray[np.int32]
Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Method:
    """A method that was found, and where."""

    method_id: str
    project: str
    path: str
    line: int
    type: str
    signature: str
    says: str


class Index:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _array(self, name: str) -> NDArray[Any]:
        found: NDArray[Any] = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return found

    @cached_property
    def methods(self) -> int:
        return len(self._array("places")) - 1

    @cached_property
    def place(self) -> dict[str, int]:
        text = (self.folder / "words.txt").read_text(encoding="utf-8")
        return {word: number for number, word in enumerate(text.split("\n"))}

    def scores(self, said: dict[str, int]) -> Numbers:
        """How much of what is said each method says too, from 0 to 1: a method of the same words
        and of their mean length has 1, or a little more if it is shorter."""
        found = np.zeros(self.methods, dtype=np.float32)
        first, method, adds = self._array("first"), self._array("method"), self._array("adds")
        rarity = self._array("rarity")
        most = 0.0
        for word, times in sorted(said.items()):
            weight = times * (K + 1) / (times + K)
            number = self.place.get(word, -1)
            # Words that no method has are said all the same: they make everything less alike.
            rare = float(rarity[number]) if number >= 0 else float(rarity[-1])
            most += weight * weight * rare
            if number >= 0:
                row = slice(int(first[number]), int(first[number + 1]))
                found[method[row]] += np.float32(weight) * adds[row]
        return found / np.float32(most) if most else found

    def about(self, numbers: Sequence[int]) -> list[Method]:
        places = self._array("places")
        found = []
        with (self.folder / "methods.jsonl").open("rb") as lines:
            for number in numbers:
                lines.seek(int(places[number]))
                found.append(Method(*json.loads(lines.readline())))
        return found


def index_of(
    corpus: Path, cache: Path, engine: Callable[[], Engine],
    step: Progress = ignore_progress,
) -> Index:  # fmt: skip
    """The index of a corpus, made if it is not there yet."""
    # By its name: to ask who knows it would load what reads corpora.
    manifest = corpus / "manifest.json"
    if not manifest.is_file():
        raise AcumenError(f"{corpus} holds no corpus", "`acumen corpus build` makes a corpus")
    folder = cache / "similar" / f"{sha256_of(manifest)[:32]}-{_code()[:8]}-{VERSION}"
    if not folder.is_dir():
        from acumen.corpus import Corpus

        _build(Corpus.open(corpus), folder, engine(), step)
    return Index(folder)


def _code() -> str:
    """Other words make another index."""
    from acumen.similar import words as module

    return hashlib.sha256(Path(module.__file__).read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Part:
    """Of one shard: each method's words, as places in ``words``, and how often it says them."""

    words: list[str]
    word: Integers
    times: Integers
    sizes: Integers
    lines: list[bytes]


_COLUMNS = [
    "method_id", "project", "path", "line", "type", "signature", "name", "javadoc", "text", "body",
]  # fmt: skip


def _work(table: Path) -> _Part:
    import pyarrow.parquet as pq

    places: dict[str, int] = {}
    word: list[int] = []
    times: list[int] = []
    sizes: list[int] = []
    lines: list[bytes] = []
    for batch in pq.ParquetFile(table).iter_batches(512, columns=_COLUMNS):
        for row in batch.to_pylist():
            if not row["body"]:
                continue
            said = words(row["name"], row["javadoc"] or "", row["text"])
            word += [places.setdefault(one, len(places)) for one in said]
            times += said.values()
            sizes.append(len(said))
            told: Json = [
                str(row["method_id"]), row["project"], row["path"], row["line"], row["type"],
                row["signature"], _first_sentence(row["javadoc"] or ""),
            ]  # fmt: skip
            lines.append(json.dumps(told).encode() + b"\n")
    codes, often, many = (np.array(one, np.int32) for one in (word, times, sizes))
    return _Part(list(places), codes, often, many, lines)


def _first_sentence(javadoc: str) -> str:
    text = " ".join(line.strip(" \t*/") for line in javadoc[:1000].split("\n")).strip()
    text = " ".join(_MARKUP.sub(lambda found: found[1] or "", text).split())
    sentence = text.partition(". ")[0].partition(" @")[0]
    return sentence if len(sentence) <= _SENTENCE else sentence[: _SENTENCE - 1] + "…"


def _build(corpus: Corpus, folder: Path, engine: Engine, step: Progress) -> None:
    from acumen.engines import Died

    tables = [corpus.table(shard, "methods").absolute() for shard in corpus.shards]
    parts: dict[int, _Part] = {}
    for done, (place, outcome) in enumerate(engine.run(_work, tables, LIMIT), 1):
        step("indexing", done, len(tables))
        if isinstance(outcome, Died):
            raise AcumenError(
                f"{tables[place]}: {outcome.why}", "run it again with fewer --workers"
            )
        parts[place] = outcome
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".index-") as scratch:
        made = Path(scratch) / "index"
        made.mkdir()
        _write([parts[place] for place in sorted(parts)], made)
        try:
            made.replace(folder)
        except OSError:
            # Somebody else was faster; theirs is the same.
            if not folder.is_dir():
                raise
            shutil.rmtree(made)


def _write(parts: list[_Part], folder: Path) -> None:
    places: dict[str, int] = {}
    codes = [
        np.array([places.setdefault(word, len(places)) for word in part.words], np.int32)[part.word]
        for part in parts
    ]
    word = np.concatenate([np.zeros(0, np.int32), *codes])
    times = np.concatenate([np.zeros(0, np.int32), *(part.times for part in parts)])
    sizes = np.concatenate([np.zeros(0, np.int32), *(part.sizes for part in parts)])
    method = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    said = np.bincount(method, weights=times, minlength=len(sizes))
    length = float(said.mean()) if len(said) else 0.0
    having = np.bincount(word, minlength=len(places))
    rarity = np.log1p((len(sizes) - having + 0.5) / (having + 0.5))
    longer = 1 - B + B * said / max(length, 1.0)
    adds = rarity[word] * times * (K + 1) / (times + K * longer[method])
    order = np.argsort(word, kind="stable")
    np.save(folder / "first.npy", np.concatenate([[0], np.cumsum(having)]).astype(np.int64))
    np.save(folder / "method.npy", method[order])
    np.save(folder / "adds.npy", adds[order].astype(np.float32))
    # The last stands for words that no method has.
    never = np.log1p((len(sizes) + 0.5) / 0.5)
    np.save(folder / "rarity.npy", np.append(rarity, never).astype(np.float32))
    lines = [line for part in parts for line in part.lines]
    starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    np.save(folder / "places.npy", starts.astype(np.int64))
    with (folder / "methods.jsonl").open("wb") as stream:
        stream.writelines(lines)
    (folder / "words.txt").write_text("\n".join(places), encoding="utf-8")
