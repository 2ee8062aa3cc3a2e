"""Read corpora: names, sentences of comments, and which name is passed or assigned to which.

Each distinct file counts once, in the order of hashes, so the result does not depend on the number
of workers. Results are cached under codeacumen's home.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from filelock import FileLock
from numpy.typing import NDArray

from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.files import SelectedFiles, ShardFiles, process_files, select_files
from codeacumen.engines import Engine
from codeacumen.registry import hash_packages
from research.lexicon._syntax import facts
from research.lexicon._words import Codes, coded, comment_sentences

FORMAT = 1
# Larger files, in bytes, are data more often than code.
LARGEST = 400_000


@dataclass(frozen=True, slots=True)
class Reading:
    """Names, comments and flow of all files of the corpora.

    ``names`` are the distinct identifiers, ``words`` the distinct words of comments. ``name`` holds
    the identifiers of all files as indices of ``names``; those of file i begin at ``offsets[i]``;
    ``line`` is the line in the file. ``comments`` are encoded sentences (``_words``). A row of
    ``declared`` or ``called`` is project, function's name, number of parameters, position, name; in
    ``declared`` a number of the declaration follows. A row of ``moved`` is target and value.
    """

    sha256: str
    names: list[str]
    words: list[str]
    name: Codes
    line: Codes
    offsets: NDArray[np.int64]
    comments: Codes
    declared: Codes
    called: Codes
    moved: Codes


def reading(
    corpora: Sequence[Corpus],
    engine: Engine,
    cache: Path,
    step: Progress = ignore_progress,
) -> tuple[Reading, SelectedFiles, int]:
    """Return the content of the corpora, the selected files, and the number of files left out.

    The content comes from the cache if the same files were read before with the same code.
    """
    files = select_files(corpora)
    # A change of the language packages may change the names that are found.
    code = hash_packages("codeacumen.languages")
    place = cache / "names" / f"{files.sha256[:32]}-{code[:8]}-{FORMAT}.npz"
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place.with_name(f"{place.name}.lock")):
        if place.is_file():
            return _load(place), files, 0
        results, left_out = process_files(_work, files.shards, engine, "reading code", step)
        made = _merged(files, results)
        if not left_out:
            _save(made, place)
    return made, files, left_out


@dataclass(frozen=True, slots=True)
class _File:
    sha256: str
    project: str
    name: Codes
    line: Codes
    comments: Codes
    declared: Codes
    called: Codes
    moved: Codes


@dataclass(frozen=True, slots=True)
class _Part:
    """Content of a stretch of files; codes are indices of its own lists."""

    files: list[_File]
    names: list[str]
    words: list[str]


def _work(stretch: ShardFiles) -> _Part:
    names: dict[str, int] = {}
    words: dict[str, int] = {}
    files = []
    columns = ["sha256", "project", "language", "bytes", "source"]
    found = pq.read_table(stretch.table, columns=columns).take(list(stretch.rows))
    for batch in found.to_batches(max_chunksize=64):
        for row in batch.to_pylist():
            if row["bytes"] <= LARGEST:
                source = row["source"].encode("utf-8", "surrogatepass")
                read = file_of(row["language"], source, names, words)
                files.append(_File(row["sha256"], row["project"], *read))
    return _Part(files, list(names), list(words))


def file_of(
    language: str, source: bytes, names: dict[str, int], words: dict[str, int]
) -> tuple[Codes, Codes, Codes, Codes, Codes, Codes]:
    """Return a file's names, lines, comments, declarations, calls and assignments as codes.

    New names and words extend the dictionaries.
    """
    found = facts(language, source)
    data = found.syntax.source
    texts: dict[bytes, int] = {}
    spans = zip(
        found.syntax.start[found.name].tolist(), found.syntax.end[found.name].tolist(), strict=True
    )
    codes = np.empty(len(found.name) + 1, dtype=np.int32)
    for i, (start, end) in enumerate(spans):
        text = data[start:end]
        code = texts.get(text)
        if code is None:
            name = text.decode("utf-8", "replace").removeprefix("#").replace("\n", "")
            code = texts[text] = names.setdefault(name, len(names))
        codes[i] = code
    # An expression without a name is -1, which indexes the last element.
    codes[-1] = -1
    declared, called = found.declared.copy(), found.called.copy()
    for rows in (declared, called):
        rows[:, 0], rows[:, 3] = codes[rows[:, 0]], codes[rows[:, 3]]
    comments = coded(
        (sentence for text in found.comments for sentence in comment_sentences(text)), words
    )
    return codes[:-1], found.line, comments, declared, called, codes[found.moved]


def _merged(files: SelectedFiles, parts: Sequence[_Part]) -> Reading:
    names: dict[str, int] = {}
    words: dict[str, int] = {}
    projects: dict[str, int] = {name: i for i, name in enumerate(files.projects)}
    found: list[_File] = []
    for part in parts:
        name = np.array([names.setdefault(x, len(names)) for x in part.names] + [-1], np.int32)
        word = np.array([words.setdefault(x, len(words)) for x in part.words] + [-1], np.int32)
        for one in part.files:
            # -1 indexes the last element of both arrays, and so stays -1.
            project = projects.setdefault(one.project, len(projects))
            found.append(
                replace(
                    one,
                    name=name[one.name],
                    comments=word[one.comments],
                    declared=_of_project(project, one.declared, name),
                    called=_of_project(project, one.called, name),
                    moved=name[one.moved],
                )
            )
    found.sort(key=lambda one: one.sha256)
    return Reading(
        files.sha256,
        list(names),
        list(words),
        _joined([one.name for one in found]),
        _joined([one.line for one in found]),
        np.cumsum([0] + [len(one.name) for one in found]).astype(np.int64),
        _joined([one.comments for one in found]),
        _numbered(_joined([one.declared for one in found], 5)),
        _joined([one.called for one in found], 5),
        _joined([one.moved for one in found], 2),
    )


def _of_project(project: int, rows: Codes, name: Codes) -> Codes:
    """Return the rows with the project in front, and names as indices of all names."""
    first = np.full(len(rows), project)
    found = np.column_stack([first, name[rows[:, 0]], rows[:, 1:3], name[rows[:, 3]]])
    return found.astype(np.int32)


def _joined(arrays: Sequence[Codes], width: int = 0) -> Codes:
    empty = np.zeros((0, width) if width else 0, dtype=np.int32)
    return np.concatenate([empty, *arrays])


def _numbered(rows: Codes) -> Codes:
    """Return the rows with a number of the declaration; each declaration begins at position 0."""
    return np.column_stack([rows, np.cumsum(rows[:, 3] == 0)]).astype(np.int32)


def _save(made: Reading, place: Path) -> None:
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    values = {field.name: getattr(made, field.name) for field in fields(made)}
    for name in ("names", "words", "sha256"):
        text = values[name] if name == "sha256" else "\n".join(values[name])
        values[name] = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    with part.open("wb") as stream:
        np.savez(stream, **values)
    part.replace(place)


def _load(place: Path) -> Reading:
    with np.load(place) as found:
        values = {name: found[name] for name in found.files}
    for name in ("names", "words", "sha256"):
        text = values[name].tobytes().decode("utf-8", "surrogatepass")
        values[name] = text if name == "sha256" else text.split("\n") if text else []
    return Reading(**values)
