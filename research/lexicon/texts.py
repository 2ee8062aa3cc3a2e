"""Read English texts, such as manuals, dictionaries and man pages, as sentences.

The format follows from the file name: HTML, plain text, reStructuredText, POD, man pages and
dictionaries of dictd, each also compressed by gzip. Other files are skipped.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.engines import Engine, WorkerLost
from research.lexicon.words import Codes, encode_sentences, split_sentences

# Bytes on disk of the files in a worker's batch.
BATCH = 2_000_000
# Most bytes read from a compressed file, which may be a decompression bomb.
LARGEST = 200_000_000
LIMIT = 1800.0

_MAN = re.compile(r"\.[1-9][a-z]*(\.gz)?$")
_PLAIN = re.compile(r"\.(txt|rst|md|text|pod)(\.gz)?$")
_PAGE = re.compile(r"\.x?html?(\.gz)?$")
_DICTIONARY = re.compile(r"\.dict(\.dz)?$")
_TAG = re.compile(r"(<[^<>]*>)")
_TAG_NAME = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements whose content is not English, and elements that end a sentence.
_SKIPPED = ("script", "style", "pre")
_BLOCKS = frozenset(
    ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "div", "dd", "dt", "title", "tr")
)
# Requests of roff at line starts, font changes and special characters.
_ROFF = re.compile(r"^[.'].*$|\\f.|\\[&-]|\\\(..", re.MULTILINE)
# Etymologies, sources, links and pronunciations of a dictionary.
_DICTIONARY_MARKS = re.compile(r"\[[^\]\n]{0,40}\]|[{}]|\\[^\\\n]{0,80}\\")


@dataclass(frozen=True, slots=True)
class Texts:
    """Encoded sentences (``words``) of all files; ``sha256`` is a hash of all file contents."""

    sha256: str
    words: list[str]
    codes: Codes
    files: int
    left_out: int = 0


def list_files(paths: Sequence[Path]) -> list[Path]:
    """Return the text files below the paths, sorted by relative name.

    A page is skipped if its source lies beside it in ``_sources``, as Sphinx writes it.
    """
    relative_names: dict[Path, str] = {}
    for path in paths:
        if not path.exists():
            raise CodeacumenError(
                f"{path}: no such file or folder", "name files or folders of texts"
            )
        entries = path.rglob("*") if path.is_dir() else [path]
        for file in entries:
            if _detect_kind(file.name) and file.is_file() and not file.is_symlink():
                relative_names[file] = (
                    file.relative_to(path).as_posix() if path.is_dir() else file.name
                )
    sources = {file for file in relative_names if "_sources" in file.parts}
    return [
        file
        for file in sorted(relative_names, key=lambda file: (relative_names[file], file))
        if not (_detect_kind(file.name) == "page" and _has_source(file, sources))
    ]


def read_texts(paths: Sequence[Path], engine: Engine, step: Progress = ignore_progress) -> Texts:
    """Read all texts below the paths, with one vocabulary and each content once."""
    batches: list[list[Path]] = [[]]
    size = 0
    for file in list_files(paths):
        batches[-1].append(file)
        size += file.stat().st_size
        if size > BATCH:
            batches.append([])
            size = 0
    batch_texts: dict[int, _BatchTexts] = {}
    left_out = 0
    for done, (batch, outcome) in enumerate(engine.run(_read_batch, batches, LIMIT), 1):
        step("reading texts", done, len(batches))
        if isinstance(outcome, WorkerLost):
            left_out += len(batches[batch])
        else:
            batch_texts[batch] = outcome
    code_of_word: dict[str, int] = {}
    contents: dict[str, Codes] = {}
    for batch in sorted(batch_texts):
        # The code -1 that ends a sentence indexes the last element, and stays -1.
        words = [
            code_of_word.setdefault(word, len(code_of_word)) for word in batch_texts[batch].words
        ]
        new_codes = np.array([*words, -1], dtype=np.int32)
        contents |= {sha256: new_codes[codes] for sha256, codes in batch_texts[batch].files}
    # Ordered by hash, so that paths do not matter; each content once.
    order = sorted(contents)
    codes = np.concatenate(
        [np.zeros(0, dtype=np.int32), *(contents[content_hash] for content_hash in order)]
    )
    sha256 = hashlib.sha256("\n".join(order).encode()).hexdigest()
    return Texts(sha256, list(code_of_word), codes, len(order), left_out)


def _detect_kind(name: str) -> str:
    for kind, pattern in (
        ("dictionary", _DICTIONARY),
        ("page", _PAGE),
        ("plain", _PLAIN),
        ("man", _MAN),
    ):
        if pattern.search(name):
            return kind
    return ""


def _has_source(page: Path, sources: set[Path]) -> bool:
    stem = page.name.split(".")[0]
    for folder in page.parents:
        source_file = folder / "_sources" / page.relative_to(folder)
        if any(source_file.with_name(f"{stem}.{ending}") in sources for ending in _SOURCE_ENDS):
            return True
    return False


_SOURCE_ENDS = ("rst.txt", "txt", "rst.txt.gz", "rst", "txt.gz")


@dataclass(frozen=True, slots=True)
class _BatchTexts:
    """Hash and encoded sentences of each file of a batch, with the batch's vocabulary."""

    files: list[tuple[str, Codes]]
    words: list[str]


def _read_batch(files: list[Path]) -> _BatchTexts:
    words: dict[str, int] = {}
    file_codes = []
    for file in files:
        data = _unpack(file)
        text = strip_markup(data.decode("utf-8", "replace"), _detect_kind(file.name))
        file_codes.append(
            (hashlib.sha256(data).hexdigest(), encode_sentences(split_sentences(text), words))
        )
    return _BatchTexts(file_codes, list(words))


def _unpack(file: Path) -> bytes:
    """Return a file's content, or as much of it as can be decompressed."""
    if not file.name.endswith((".gz", ".dz")):
        return file.read_bytes()
    content = bytearray()
    try:
        with gzip.open(file) as stream:
            while len(content) < LARGEST and (chunk := stream.read(1 << 20)):
                content += chunk
    except (OSError, EOFError, zlib.error):
        pass
    return bytes(content)


def strip_markup(text: str, kind: str) -> str:
    """Return the text without its markup."""
    if kind == "page":
        return _strip_tags(text)
    if kind == "man":
        return _ROFF.sub(" ", text)
    if kind == "dictionary":
        return _DICTIONARY_MARKS.sub(" ", text)
    return text


def _strip_tags(text: str) -> str:
    text_parts: list[str] = []
    skipped = ""
    for part in _TAG.split(text):
        tag = _TAG_NAME.match(part)
        if not tag:
            if not skipped and not part.startswith("<"):
                text_parts.append(part)
            continue
        closes, name = tag[1] == "/", tag[2].lower()
        if skipped:
            skipped = "" if closes and name == skipped else skipped
        elif name in _SKIPPED and not closes and not part.endswith("/>"):
            skipped = name
        if closes and name in _BLOCKS:
            text_parts.append("\n\n")
    return html.unescape("".join(text_parts))
