"""Token streams of corpora: the sentences from which word2vec and FastText learn.

Each file is a sentence. Files are in the order of their hashes, which is a random order and the
same everywhere. A corpus is read once: the stream is cached under codeacumen's home by the hash of
its files, with words as numbers. Words that occur once are left out, since no embedding learns from
them.

Tokens are those of the language. Identifiers and numbers are as in the source. A string, character,
template, regular expression or text of JSX is a quote and its value, cut to ``LONGEST`` characters.
So no literal and no keyword is mistaken for a name.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.build import code_hash
from codeacumen.corpus.files import Chosen, Stretch, chosen, read, worked
from codeacumen.engines import Engine
from codeacumen.languages.base import KEYWORD, LITERAL, NAME, SIGN, load_language

FORMAT = 1
# The kinds of tokens that an embedding learns from, by the value of its setting ``tokens``.
READINGS = {
    "all": (NAME, KEYWORD, LITERAL, SIGN),
    "words": (NAME, KEYWORD, LITERAL),
    "names": (NAME,),
}
# Characters of a literal that are part of its word.
LONGEST = 40

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Stream:
    """The tokens of all files, as numbers.

    ``codes`` are indices of ``words``; those of file i begin at ``offsets[i]``. Words are ordered
    by their frequency in the whole stream; ``kind`` is the kind of each word, ``count`` the number
    of its occurrences in ``codes``. ``sha256`` is the hash of all files, ``left_out`` the number of
    files that crash any process that reads them.
    """

    sha256: str
    codes: Codes
    offsets: NDArray[np.int64]
    words: list[str]
    kind: NDArray[np.uint8]
    count: NDArray[np.int64]
    projects: tuple[str, ...]
    files: dict[str, int]
    left_out: int = 0

    @cached_property
    def tokens(self) -> int:
        return len(self.codes)

    def kept(self, reading: str, least: int) -> NDArray[np.bool_]:
        """Return a mask of the words of the chosen kinds that occur ``min_count`` times or more."""
        mask: NDArray[np.bool_] = np.isin(self.kind, READINGS[reading]) & (self.count >= least)
        return mask

    def first(self, most: int) -> Stream:
        """Return the stream of the first files that together have at least ``max_tokens`` tokens.

        Files are in random order, so these are a sample. 0 returns the whole stream.
        """
        if not most or most >= self.tokens:
            return self
        files = int(np.searchsorted(self.offsets, most, side="left"))
        codes = self.codes[: self.offsets[files]]
        count = np.bincount(codes, minlength=len(self.words)).astype(np.int64)
        return replace(self, codes=codes, offsets=self.offsets[: files + 1], count=count)

    def sentences(self, kept: NDArray[np.bool_], most: int) -> Iterator[Codes]:
        """Yield the selected words of each file, in pieces of at most ``max_words`` words."""
        for i in range(len(self.offsets) - 1):
            codes = np.asarray(self.codes[self.offsets[i] : self.offsets[i + 1]])
            codes = codes[kept[codes]]
            for start in range(0, len(codes), most):
                yield codes[start : start + most]


def stream(
    corpora: Sequence[Corpus],
    engine: Engine,
    cache: Path,
    step: Progress = ignore_progress,
) -> Stream:
    """Return the stream of all files of some corpora, from the cache if they were read before."""
    files = chosen(corpora)
    # Another version of the code may read other tokens.
    code = code_hash(("codeacumen.languages",))
    folder = cache / "streams" / f"{files.sha256[:32]}-{code[:8]}-{FORMAT}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    # If two processes need the same stream, the second waits and finds it in the cache.
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not (folder / "stream.json").is_file():
            made = _made(files, engine, step)
            if made.left_out:
                # Not cached: the next attempt may read all files.
                return made
            _save(made, folder)
    return _load(folder, files)


# ------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Read:
    """Words of a stretch of files: each file's hash and its tokens as indices of ``words``."""

    files: list[tuple[str, Codes]]
    words: list[tuple[int, str]]


def _made(files: Chosen, engine: Engine, step: Progress) -> Stream:
    places: dict[tuple[int, str], int] = {}
    contents: dict[str, Codes] = {}
    results, left_out = worked(_work, files.stretches, engine, "reading", step)
    for found in results:
        numbers = np.fromiter(
            (places.setdefault(word, len(places)) for word in found.words),
            dtype=np.int32,
            count=len(found.words),
        )
        contents |= {sha256: numbers[codes] for sha256, codes in found.files}
    ordered = [contents[sha256] for sha256 in sorted(contents)]
    return _canonical(files, ordered, list(places), left_out)


def _canonical(
    files: Chosen, contents: list[Codes], known: list[tuple[int, str]], left_out: int
) -> Stream:
    """Renumber the words independently of the order of reading: by count, then alphabetically."""
    codes = np.concatenate(contents) if contents else np.zeros(0, dtype=np.int32)
    count = np.bincount(codes, minlength=len(known))
    often = np.flatnonzero(count > 1).tolist()
    often.sort(key=lambda i: (-count[i], known[i][1], known[i][0]))
    new = np.full(len(known), -1, dtype=np.int32)
    new[often] = np.arange(len(often), dtype=np.int32)
    renamed = new[codes]
    whole = renamed >= 0
    ends = np.concatenate([[0], np.cumsum(whole)])
    sizes = np.concatenate([[0], np.cumsum([len(one) for one in contents])]).astype(np.int64)
    return Stream(
        files.sha256,
        renamed[whole],
        ends[sizes].astype(np.int64),
        [known[i][1] for i in often],
        np.array([known[i][0] for i in often], dtype=np.uint8),
        count[often].astype(np.int64),
        files.projects,
        files.files,
        left_out,
    )


def _work(stretch: Stretch) -> _Read:
    places: dict[tuple[int, str], int] = {}
    files = []
    for sha256, language, source in read(stretch):
        files.append((sha256, words_of(language, source, places)))
    return _Read(files, list(places))


def words_of(language: str, source: bytes, places: dict[tuple[int, str], int]) -> Codes:
    """Return the tokens of a file as indices; new words are added to ``word_indices``."""
    reader = load_language(language)
    found = reader.tokens(reader.parse(source))
    kinds = reader.token_kinds
    # Most tokens of a file repeat an earlier one: the same kind, the same bytes.
    texts: dict[tuple[int, bytes], int] = {}
    codes = np.empty(len(found), dtype=np.int32)
    columns = zip(found.kind.tolist(), found.start.tolist(), found.end.tolist(), strict=True)
    data = found.source
    for i, (kind, start, end) in enumerate(columns):
        key = (kind, data[start:end])
        place = texts.get(key)
        if place is None:
            role, is_quoted = kinds[kind]
            value = found.value(i) if is_quoted or role == NAME else ""
            text = f"'{value[:LONGEST]}" if is_quoted else value or found.text(i)
            if role == NAME:
                text = text.removeprefix("#")
            # An escape may denote a lone surrogate, which cannot be written as UTF-8.
            word = (role, text.encode("utf-8", "replace").decode())
            place = texts[key] = places.setdefault(word, len(places))
        codes[i] = place
    return codes


# ------------------------------------------------------------------------------- the cache


def _save(made: Stream, folder: Path) -> None:
    """Write the stream to a temporary folder, which is renamed when it is complete."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name in ("codes", "offsets", "kind", "count"):
        np.save(part / f"{name}.npy", getattr(made, name), allow_pickle=False)
    (part / "words.json").write_text(json.dumps(made.words))
    (part / "stream.json").write_text(json.dumps({"sha256": made.sha256, "tokens": made.tokens}))
    shutil.rmtree(folder, ignore_errors=True)
    part.replace(folder)


def _load(folder: Path, files: Chosen) -> Stream:
    codes, offsets, kind, count = (
        np.load(folder / f"{name}.npy", mmap_mode="r" if name == "codes" else None)
        for name in ("codes", "offsets", "kind", "count")
    )
    words = json.loads((folder / "words.json").read_bytes())
    return Stream(files.sha256, codes, offsets, words, kind, count, files.projects, files.files)
