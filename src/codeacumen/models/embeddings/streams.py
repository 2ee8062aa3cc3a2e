"""Token streams of corpora: the sentences from which word2vec and FastText learn.

Each file is a sentence. Files are in the order of their hashes, which is a random order and the
same everywhere. Files are read once: the stream is cached under codeacumen's home by their common
hash, with words as numbers. Words that occur once are left out, since no embedding learns from
them.

Tokens are those of the language. Identifiers and numbers are as in the source. A string, character,
template, regular expression or text of JSX is a quote and its value, cut to ``LONGEST`` characters,
so no literal is mistaken for a name. ``train`` is the caller.
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
from codeacumen.corpus.files import (
    SelectedFiles,
    ShardFiles,
    process_files,
    read_files,
    select_files,
)
from codeacumen.engines import Engine
from codeacumen.languages.base import KEYWORD, LITERAL, NAME, SIGN, load_language

# Version of the files in the cache; it is part of a folder's name.
FORMAT = 1
# The kinds of tokens that an embedding learns from, by the value of its setting ``tokens``.
TOKEN_SETS = {
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
    by their frequency in the whole stream; ``kind`` is the kind of each word (NAME, KEYWORD,
    LITERAL or SIGN), ``count`` the number of its occurrences in ``codes``. ``sha256`` is the hash
    of all files, ``file_counts`` their number by language, ``left_out`` the number of files that
    crash any process that reads them.
    """

    sha256: str
    codes: Codes
    offsets: NDArray[np.int64]
    words: list[str]
    kind: NDArray[np.uint8]
    count: NDArray[np.int64]
    projects: tuple[str, ...]
    file_counts: dict[str, int]
    left_out: int = 0

    @cached_property
    def token_count(self) -> int:
        return len(self.codes)

    def select_words(self, token_set: str, min_count: int) -> NDArray[np.bool_]:
        """Return a mask of the words of the chosen kinds that occur ``min_count`` times or more."""
        mask: NDArray[np.bool_] = np.isin(self.kind, TOKEN_SETS[token_set]) & (
            self.count >= min_count
        )
        return mask

    def take_first(self, max_tokens: int) -> Stream:
        """Return the stream of the first files that together have at least ``max_tokens`` tokens.

        Files are in random order, so these are a sample. 0 returns the whole stream.
        """
        if not max_tokens or max_tokens >= self.token_count:
            return self
        files = int(np.searchsorted(self.offsets, max_tokens, side="left"))
        codes = self.codes[: self.offsets[files]]
        count = np.bincount(codes, minlength=len(self.words)).astype(np.int64)
        return replace(self, codes=codes, offsets=self.offsets[: files + 1], count=count)

    def iterate_sentences(self, word_mask: NDArray[np.bool_], max_words: int) -> Iterator[Codes]:
        """Yield the selected words of each file, in pieces of at most ``max_words`` words."""
        for i in range(len(self.offsets) - 1):
            codes = np.asarray(self.codes[self.offsets[i] : self.offsets[i + 1]])
            codes = codes[word_mask[codes]]
            for start in range(0, len(codes), max_words):
                yield codes[start : start + max_words]


def load_stream(
    corpora: Sequence[Corpus],
    engine: Engine,
    cache: Path,
    progress: Progress = ignore_progress,
) -> Stream:
    """Return the stream of all files of some corpora, from the folder ``cache`` if it is there."""
    files = select_files(corpora)
    # Another version of the code may read other tokens.
    code = code_hash(("codeacumen.languages",))
    folder = cache / "streams" / f"{files.sha256[:32]}-{code[:8]}-{FORMAT}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    # If two processes need the same stream, the second waits and finds it in the cache.
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not (folder / "stream.json").is_file():
            new_stream = _build_stream(files, engine, progress)
            if new_stream.left_out:
                # Not cached: the next attempt may read all files.
                return new_stream
            _save_stream(new_stream, folder)
    return _load_cached_stream(folder, files)


# ------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _StretchWords:
    """Words of a stretch (some files of a shard): each file's hash and its tokens as indices of
    ``words``.

    A word is a pair (kind, text).
    """

    files: list[tuple[str, Codes]]
    words: list[tuple[int, str]]


def _build_stream(files: SelectedFiles, engine: Engine, progress: Progress) -> Stream:
    word_indices: dict[tuple[int, str], int] = {}
    codes_by_hash: dict[str, Codes] = {}
    results, left_out = process_files(_read_stretch, files.shards, engine, "reading", progress)
    for stretch_words in results:
        new_indices = np.fromiter(
            (word_indices.setdefault(word, len(word_indices)) for word in stretch_words.words),
            dtype=np.int32,
            count=len(stretch_words.words),
        )
        codes_by_hash |= {sha256: new_indices[codes] for sha256, codes in stretch_words.files}
    ordered = [codes_by_hash[sha256] for sha256 in sorted(codes_by_hash)]
    return _renumber_words(files, ordered, list(word_indices), left_out)


def _renumber_words(
    files: SelectedFiles, contents: list[Codes], words: list[tuple[int, str]], left_out: int
) -> Stream:
    """Return the stream of files, with words that occur twice or more, renumbered.

    Words are ordered by count, then alphabetically, so the numbers do not depend on the order of
    reading. ``contents`` are the codes of each file.
    """
    codes = np.concatenate(contents) if contents else np.zeros(0, dtype=np.int32)
    count = np.bincount(codes, minlength=len(words))
    frequent = np.flatnonzero(count > 1).tolist()
    frequent.sort(key=lambda i: (-count[i], words[i][1], words[i][0]))
    # New codes by old ones; -1 for words that are left out.
    new_codes = np.full(len(words), -1, dtype=np.int32)
    new_codes[frequent] = np.arange(len(frequent), dtype=np.int32)
    renumbered = new_codes[codes]
    in_vocabulary = renumbered >= 0
    ends = np.concatenate([[0], np.cumsum(in_vocabulary)])
    # ``sizes`` are the files' offsets among all tokens, ``ends[sizes]`` those among the remaining.
    sizes = np.concatenate([[0], np.cumsum([len(file_codes) for file_codes in contents])]).astype(
        np.int64
    )
    return Stream(
        files.sha256,
        renumbered[in_vocabulary],
        ends[sizes].astype(np.int64),
        [words[i][1] for i in frequent],
        np.array([words[i][0] for i in frequent], dtype=np.uint8),
        count[frequent].astype(np.int64),
        files.projects,
        files.file_counts,
        left_out,
    )


def _read_stretch(stretch: ShardFiles) -> _StretchWords:
    word_indices: dict[tuple[int, str], int] = {}
    files = []
    for sha256, language, source in read_files(stretch):
        files.append((sha256, encode_file(language, source, word_indices)))
    return _StretchWords(files, list(word_indices))


def encode_file(language: str, source: bytes, word_indices: dict[tuple[int, str], int]) -> Codes:
    """Return the tokens of a file as indices of words, which are pairs (kind, text).

    New words are added to ``word_indices``.
    """
    reader = load_language(language)
    tokens = reader.tokens(reader.parse(source))
    kinds = reader.token_kinds
    # Most tokens of a file repeat an earlier one: the same kind, the same bytes.
    texts: dict[tuple[int, bytes], int] = {}
    codes = np.empty(len(tokens), dtype=np.int32)
    columns = zip(tokens.kind.tolist(), tokens.start.tolist(), tokens.end.tolist(), strict=True)
    data = tokens.source
    for i, (kind, start, end) in enumerate(columns):
        key = (kind, data[start:end])
        code = texts.get(key)
        if code is None:
            role, is_quoted = kinds[kind]
            value = tokens.value(i) if is_quoted or role == NAME else ""
            text = f"'{value[:LONGEST]}" if is_quoted else value or tokens.text(i)
            if role == NAME:
                text = text.removeprefix("#")
            # An escape may denote a lone surrogate, which cannot be written as UTF-8.
            word = (role, text.encode("utf-8", "replace").decode())
            code = texts[key] = word_indices.setdefault(word, len(word_indices))
        codes[i] = code
    return codes


# ------------------------------------------------------------------------------- the cache


def _save_stream(new_stream: Stream, folder: Path) -> None:
    """Write the stream to a temporary folder, which is renamed when it is complete."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name in ("codes", "offsets", "kind", "count"):
        np.save(part / f"{name}.npy", getattr(new_stream, name), allow_pickle=False)
    (part / "words.json").write_text(json.dumps(new_stream.words))
    (part / "stream.json").write_text(
        json.dumps({"sha256": new_stream.sha256, "tokens": new_stream.token_count})
    )
    shutil.rmtree(folder, ignore_errors=True)
    part.replace(folder)


def _load_cached_stream(folder: Path, files: SelectedFiles) -> Stream:
    codes, offsets, kind, count = (
        np.load(folder / f"{name}.npy", mmap_mode="r" if name == "codes" else None)
        for name in ("codes", "offsets", "kind", "count")
    )
    words = json.loads((folder / "words.json").read_bytes())
    return Stream(
        files.sha256, codes, offsets, words, kind, count, files.projects, files.file_counts
    )
