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
from research.lexicon.name_facts import extract_facts
from research.lexicon.words import Codes, encode_sentences, split_comment_sentences

FORMAT = 1
# Larger files, in bytes, are data more often than code.
LARGEST = 400_000


@dataclass(frozen=True, slots=True)
class Reading:
    """Names, comments and flow of all files of the corpora.

    ``names`` are the distinct identifiers, ``words`` the distinct words of comments. ``name`` holds
    the identifiers of all files as indices of ``names``; those of file i begin at ``offsets[i]``;
    ``line`` is the line in the file. ``comments`` are encoded sentences (``words``). A row of
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


def read_corpora(
    corpora: Sequence[Corpus],
    engine: Engine,
    cache: Path,
    step: Progress = ignore_progress,
) -> tuple[Reading, SelectedFiles, int]:
    """Return the content of the corpora, the selected files, and the number of files left out.

    The content comes from the cache if the same files were read before with the same code.
    """
    selected_files = select_files(corpora)
    # A change of the language packages may change the names that are found.
    code_hash = hash_packages("codeacumen.languages")
    cache_file = cache / "names" / f"{selected_files.sha256[:32]}-{code_hash[:8]}-{FORMAT}.npz"
    cache_file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(cache_file.with_name(f"{cache_file.name}.lock")):
        if cache_file.is_file():
            return _load_reading(cache_file), selected_files, 0
        results, left_out = process_files(
            _read_stretch, selected_files.shards, engine, "reading code", step
        )
        code_reading = _merge_parts(selected_files, results)
        if not left_out:
            _save_reading(code_reading, cache_file)
    return code_reading, selected_files, left_out


@dataclass(frozen=True, slots=True)
class _FileReading:
    sha256: str
    project: str
    name: Codes
    line: Codes
    comments: Codes
    declared: Codes
    called: Codes
    moved: Codes


@dataclass(frozen=True, slots=True)
class _StretchReading:
    """Content of a stretch of files; codes are indices of its own lists."""

    files: list[_FileReading]
    names: list[str]
    words: list[str]


def _read_stretch(stretch: ShardFiles) -> _StretchReading:
    names: dict[str, int] = {}
    words: dict[str, int] = {}
    files = []
    columns = ["sha256", "project", "language", "bytes", "source"]
    table = pq.read_table(stretch.table, columns=columns).take(list(stretch.rows))
    for batch in table.to_batches(max_chunksize=64):
        for row in batch.to_pylist():
            if row["bytes"] <= LARGEST:
                source = row["source"].encode("utf-8", "surrogatepass")
                file_codes = read_file(row["language"], source, names, words)
                files.append(_FileReading(row["sha256"], row["project"], *file_codes))
    return _StretchReading(files, list(names), list(words))


def read_file(
    language: str, source: bytes, names: dict[str, int], words: dict[str, int]
) -> tuple[Codes, Codes, Codes, Codes, Codes, Codes]:
    """Return a file's names, lines, comments, declarations, calls and assignments as codes.

    New names and words extend the dictionaries.
    """
    file_facts = extract_facts(language, source)
    file_bytes = file_facts.syntax.source
    texts: dict[bytes, int] = {}
    spans = zip(
        file_facts.syntax.start[file_facts.name].tolist(),
        file_facts.syntax.end[file_facts.name].tolist(),
        strict=True,
    )
    codes = np.empty(len(file_facts.name) + 1, dtype=np.int32)
    for i, (start, end) in enumerate(spans):
        text = file_bytes[start:end]
        code = texts.get(text)
        if code is None:
            name = text.decode("utf-8", "replace").removeprefix("#").replace("\n", "")
            code = texts[text] = names.setdefault(name, len(names))
        codes[i] = code
    # An expression without a name is -1, which indexes the last element.
    codes[-1] = -1
    declared, called = file_facts.declared.copy(), file_facts.called.copy()
    for rows in (declared, called):
        rows[:, 0], rows[:, 3] = codes[rows[:, 0]], codes[rows[:, 3]]
    comments = encode_sentences(
        (sentence for text in file_facts.comments for sentence in split_comment_sentences(text)),
        words,
    )
    return codes[:-1], file_facts.line, comments, declared, called, codes[file_facts.moved]


def _merge_parts(selected_files: SelectedFiles, parts: Sequence[_StretchReading]) -> Reading:
    names: dict[str, int] = {}
    words: dict[str, int] = {}
    projects: dict[str, int] = {name: i for i, name in enumerate(selected_files.projects)}
    merged_files: list[_FileReading] = []
    for part in parts:
        name = np.array(
            [names.setdefault(spelling, len(names)) for spelling in part.names] + [-1], np.int32
        )
        word = np.array(
            [words.setdefault(spelling, len(words)) for spelling in part.words] + [-1], np.int32
        )
        for file in part.files:
            # -1 indexes the last element of both arrays, and so stays -1.
            project = projects.setdefault(file.project, len(projects))
            merged_files.append(
                replace(
                    file,
                    name=name[file.name],
                    comments=word[file.comments],
                    declared=_add_project(project, file.declared, name),
                    called=_add_project(project, file.called, name),
                    moved=name[file.moved],
                )
            )
    merged_files.sort(key=lambda file: file.sha256)
    return Reading(
        selected_files.sha256,
        list(names),
        list(words),
        _concatenate([file.name for file in merged_files]),
        _concatenate([file.line for file in merged_files]),
        np.cumsum([0] + [len(file.name) for file in merged_files]).astype(np.int64),
        _concatenate([file.comments for file in merged_files]),
        _number_declarations(_concatenate([file.declared for file in merged_files], 5)),
        _concatenate([file.called for file in merged_files], 5),
        _concatenate([file.moved for file in merged_files], 2),
    )


def _add_project(project: int, rows: Codes, name: Codes) -> Codes:
    """Return the rows with the project in front, and names as indices of all names."""
    first = np.full(len(rows), project)
    columns = np.column_stack([first, name[rows[:, 0]], rows[:, 1:3], name[rows[:, 3]]])
    return columns.astype(np.int32)


def _concatenate(arrays: Sequence[Codes], width: int = 0) -> Codes:
    empty = np.zeros((0, width) if width else 0, dtype=np.int32)
    return np.concatenate([empty, *arrays])


def _number_declarations(rows: Codes) -> Codes:
    """Return the rows with a number of the declaration; each declaration begins at position 0."""
    return np.column_stack([rows, np.cumsum(rows[:, 3] == 0)]).astype(np.int32)


def _save_reading(code_reading: Reading, cache_file: Path) -> None:
    part = cache_file.with_name(f"{cache_file.name}.{os.getpid()}.part")
    values = {field.name: getattr(code_reading, field.name) for field in fields(code_reading)}
    for name in ("names", "words", "sha256"):
        text = values[name] if name == "sha256" else "\n".join(values[name])
        values[name] = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    with part.open("wb") as stream:
        np.savez(stream, **values)
    part.replace(cache_file)


def _load_reading(cache_file: Path) -> Reading:
    with np.load(cache_file) as archive:
        values = {name: archive[name] for name in archive.files}
    for name in ("names", "words", "sha256"):
        text = values[name].tobytes().decode("utf-8", "surrogatepass")
        values[name] = text if name == "sha256" else text.split("\n") if text else []
    return Reading(**values)
