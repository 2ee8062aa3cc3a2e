"""The index of a corpus's methods by their words, which ``codeacumen similar find`` searches.

Scores are those of Okapi BM25: rare words have a high weight, repetitions of a word add less and
less, and the same words count less in a longer method. The index stores the contribution of each
word to each method's score, and a query adds up the postings of its words: the methods with a word,
each with this contribution. The arrays are memory-mapped, so a query reads only the postings that
it needs. A method's *number* is its position in the index, which is in the order of the corpus.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.languages.java.syntax.lexical import KEYWORDS
from codeacumen.search.index import Columns, Postings, Weights, top_k
from codeacumen.search.store import StoredIndex, open_or_build
from codeacumen.text.subtokens import split_subtokens

if TYPE_CHECKING:
    from tree_sitter import Node

    from codeacumen.corpus import Corpus
    from codeacumen.engines import Engine


# A name describes the method in a few words, so each of them counts as several of the body's.
NAME_WEIGHT = 3

# Comments and literals are matched whole, so that their content is not mistaken for code.
_CODE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"\"\".*?(?:\"\"\"|\Z)|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    r"|([^\W\d]\w*)",
    re.DOTALL,
)
_KEYWORDS = frozenset(KEYWORDS)
# A word of a JavaDoc comment, and the HTML tags, entities and tags of JavaDoc that are left out.
_WORD = re.compile(r"[^\W\d_][\w$]*")
_TAG = re.compile(r"<[^<>]{0,200}>|&\w{1,8};|[{]?@\w+")


@lru_cache(maxsize=1 << 17)
def _lower_subtokens(identifier: str) -> tuple[str, ...]:
    """Return the subtokens of two or more characters, in lower case."""
    return tuple(part.lower() for part in split_subtokens(identifier) if len(part) > 1)


def count_words(name: str, javadoc: str, text: str) -> dict[str, int]:
    """Return the words of a method with the number of times each counts.

    The words are those of its name, of its JavaDoc and of the identifiers of its code, as subtokens
    in lower case; a word of the name counts ``NAME_WEIGHT`` times. ``text`` is the source of the
    method, with or without its JavaDoc.

    >>> text = "boolean isEmpty() { return size == 0; }"
    >>> count_words("isEmpty", "/** Whether it is empty. */", text)
    {'is': 4, 'empty': 4, 'whether': 1, 'it': 1, 'size': 1}
    """
    counts: dict[str, int] = {}
    for word in _lower_subtokens(name):
        counts[word] = counts.get(word, 0) + NAME_WEIGHT
    for identifier in _WORD.findall(_TAG.sub(" ", javadoc)):
        for word in _lower_subtokens(identifier):
            counts[word] = counts.get(word, 0) + 1
    for identifier in _CODE.findall(text):
        # The method's own name is already counted.
        if identifier and identifier != name and identifier not in _KEYWORDS:
            for word in _lower_subtokens(identifier):
                counts[word] = counts.get(word, 0) + 1
    return counts


# Okapi BM25's usual constants: k1, the saturation of repetition, and b, the weight of length.
K, B = 1.2, 0.75
# Time limit for a shard, in seconds.
LIMIT = 900.0
# Version of the index. Increase it when a change of another module changes the index; a change of
# this file builds another index anyway.
VERSION = 2
# Maximum length of a summary in characters.
_SENTENCE = 120
# An inline tag such as {@link Type#name text}, of which the last word stays, or an HTML tag.
_MARKUP = re.compile(r"\{@\w+\s+(?:[^{}]*[#\s])?([^{}#\s]*)\}|<[^<>]{0,200}>")


@dataclass(frozen=True, slots=True)
class IndexedMethod:
    """A method of the index; ``summary`` is the first sentence of its JavaDoc, or empty.

    ``type`` is the declaring type, ``line`` counts from 1.
    """

    method_id: str
    project: str
    path: str
    line: int
    type: str
    signature: str
    summary: str


class WordIndex:
    """A stored index; its arrays are memory-mapped files.

    ``words.txt`` has a word for each column of the postings (``search.index``), ``rarity`` the
    inverse document frequency of each word, and last that of words that no method has.
    ``methods.jsonl`` has a line for each method, the fields of ``IndexedMethod``; ``starts`` has
    the offset in bytes of each line, and the size of the file.
    """

    def __init__(self, stored: StoredIndex) -> None:
        self.stored = stored
        self._starts = stored.load_array("starts", mapped=True)
        self._rarity = stored.load_array("rarity", mapped=True)
        offsets, method, weight = (
            stored.load_array(name, mapped=True) for name in ("offsets", "method", "weight")
        )
        self.postings = Postings(offsets, method, weight, len(self._starts) - 1)

    @cached_property
    def _columns(self) -> dict[str, int]:
        text = (self.stored.folder / "words.txt").read_text(encoding="utf-8")
        return {word: column for column, word in enumerate(text.split("\n"))}

    def compute_scores(self, counts: dict[str, int]) -> Weights:
        """Return the BM25 score of every method for a query, divided by that of an ideal method.

        The ideal method has mean length and the same words as the query, so its score is 1; a
        shorter method with these words has a little more. ``counts`` are those of ``count_words``.
        """
        query: list[tuple[int, float]] = []
        max_score = 0.0
        for word, count in sorted(counts.items()):
            weight = count * (K + 1) / (count + K)
            column = self._columns.get(word, -1)
            # A word that no method has still lowers all scores: column -1 is the last rarity, which
            # ``_write_index`` adds for such words.
            max_score += weight * weight * float(self._rarity[column])
            if column >= 0:
                query.append((column, weight))
        scores = self.postings.score_all(query)
        return scores / np.float32(max_score) if max_score else scores

    def describe_methods(self, numbers: Sequence[int]) -> list[IndexedMethod]:
        """Return the records of the methods of these numbers, read from disk."""
        methods = []
        with (self.stored.folder / "methods.jsonl").open("rb") as lines:
            for number in numbers:
                lines.seek(int(self._starts[number]))
                methods.append(IndexedMethod(*json.loads(lines.readline())))
        return methods


def open_word_index(
    corpus: Path,
    cache: Path,
    engine: Callable[[], Engine],
    progress: Progress = ignore_progress,
) -> WordIndex:
    """Return the index of a corpus; build it first if there is none."""
    code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    build = partial(_build_index, engine=engine, progress=progress)
    return WordIndex(open_or_build("words", corpus, cache, [VERSION, code], build))


@dataclass(frozen=True, slots=True)
class _Part:
    """The methods of a shard of the corpus.

    ``word`` (indices of ``words``) and ``count`` have an entry for each distinct word of each
    method, ``sizes`` the number of entries of each method, and ``lines`` the methods' lines of
    ``methods.jsonl``.
    """

    words: list[str]
    word: Columns
    count: Columns
    sizes: Columns
    lines: list[bytes]


# Columns of the corpus's table of methods.
_COLUMNS = [
    "method_id",
    "project",
    "path",
    "line",
    "type",
    "signature",
    "name",
    "javadoc",
    "text",
    "body",
]


def _read_shard(table: Path) -> _Part:
    """Return the methods with a body of a shard; worker processes call this."""
    import pyarrow.parquet as pq

    positions: dict[str, int] = {}
    word: list[int] = []
    count: list[int] = []
    sizes: list[int] = []
    lines: list[bytes] = []
    for batch in pq.ParquetFile(table).iter_batches(512, columns=_COLUMNS):
        for row in batch.to_pylist():
            if not row["body"]:
                continue
            counts = count_words(row["name"], row["javadoc"] or "", row["text"])
            word += [positions.setdefault(counted_word, len(positions)) for counted_word in counts]
            count += counts.values()
            sizes.append(len(counts))
            record: Json = [
                str(row["method_id"]),
                row["project"],
                row["path"],
                row["line"],
                row["type"],
                row["signature"],
                _first_sentence(row["javadoc"] or ""),
            ]
            lines.append(json.dumps(record).encode() + b"\n")
    codes, counts_by_word, lengths = (np.array(values, np.int32) for values in (word, count, sizes))
    return _Part(list(positions), codes, counts_by_word, lengths, lines)


def _first_sentence(javadoc: str) -> str:
    """Return the first sentence of a JavaDoc comment without markup, at most ``_SENTENCE`` long."""
    text = " ".join(line.strip(" \t*/") for line in javadoc[:1000].split("\n")).strip()
    text = " ".join(_MARKUP.sub(lambda match: match[1] or "", text).split())
    sentence = text.partition(". ")[0].partition(" @")[0]
    return sentence if len(sentence) <= _SENTENCE else sentence[: _SENTENCE - 1] + "…"


def _build_index(
    corpus: Corpus, stored: StoredIndex, engine: Callable[[], Engine], progress: Progress
) -> None:
    """Build the index of a corpus; worker processes read its shards."""
    from codeacumen.engines import WorkerLost

    tables = [corpus.table_path(shard, "methods").absolute() for shard in corpus.shards]
    parts: dict[int, _Part] = {}
    for done, (shard, outcome) in enumerate(engine().run(_read_shard, tables, LIMIT), 1):
        progress("indexing", done, len(tables))
        if isinstance(outcome, WorkerLost):
            raise CodeacumenError(
                f"{tables[shard]}: {outcome.reason}", "run it again with fewer --workers"
            )
        parts[shard] = outcome
    _write_index([parts[shard] for shard in sorted(parts)], stored)


def _write_index(parts: list[_Part], stored: StoredIndex) -> None:
    """Compute the weights of all methods and write the files of the index."""
    columns: dict[str, int] = {}
    codes = [
        np.array([columns.setdefault(word, len(columns)) for word in part.words], np.int32)[
            part.word
        ]
        for part in parts
    ]
    empty = np.zeros(0, np.int32)
    word = np.concatenate([empty, *codes])
    count = np.concatenate([empty, *(part.count for part in parts)])
    sizes = np.concatenate([empty, *(part.sizes for part in parts)])
    method = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    lengths = np.bincount(method, weights=count, minlength=len(sizes))
    mean_length = float(lengths.mean()) if len(lengths) else 0.0
    methods_with_word = np.bincount(word, minlength=len(columns))
    rarity = np.log1p((len(sizes) - methods_with_word + 0.5) / (methods_with_word + 0.5))
    length_factor = 1 - B + B * lengths / max(mean_length, 1.0)
    weight = rarity[word] * count * (K + 1) / (count + K * length_factor[method])
    postings = Postings.from_rows(
        word, method, weight.astype(np.float32), methods_with_word, len(sizes)
    )
    for name in ("offsets", "method", "weight"):
        stored.write_array(name, getattr(postings, name))
    # The last rarity is that of words that no method has.
    unseen_rarity = np.log1p((len(sizes) + 0.5) / 0.5)
    stored.write_array("rarity", np.append(rarity, unseen_rarity).astype(np.float32))
    lines = [line for part in parts for line in part.lines]
    starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    stored.write_array("starts", starts.astype(np.int64))
    (stored.folder / "methods.jsonl").write_bytes(b"".join(lines))
    (stored.folder / "words.txt").write_text("\n".join(columns), encoding="utf-8")


# Methods with the best scores that are read for each hit, because overloads are one hit.
_OVERLOADS = 8
# Minimum score of a method that shares a word with the query.
_SHARED = np.float32(1e-6)
HINT = "FILE.java:LINE, FILE.java:NAME, or the id of a method in the corpus"


@dataclass(frozen=True, slots=True)
class QueryMethod:
    """The method to search for; ``method_id`` is "" if it is not in the corpus."""

    name: str
    javadoc: str
    text: str
    method_id: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A method of the corpus and its score.

    ``others`` counts further methods with the same type and name (overloads, copies of the file).
    """

    method: IndexedMethod
    score: float
    others: int = 0


def read_query(reference: str, corpus: Path) -> QueryMethod:
    """Return the method that a reference of the form in ``HINT`` names."""
    file, _, at = reference.rpartition(":")
    if file and Path(file).is_file():
        return _find_in_file(Path(file), at)
    if Path(reference).is_file():
        return _find_in_file(Path(reference), "")
    from codeacumen.corpus import Corpus

    try:
        row = Corpus.open(corpus).method(reference)
    except CodeacumenError as error:
        raise CodeacumenError(
            f"{reference!r} is neither a file nor a method: {error}", HINT
        ) from error
    return QueryMethod(row["name"], row["javadoc"] or "", row["text"], row["method_id"])


@dataclass(frozen=True, slots=True)
class _ParsedMethod:
    """A method of a source file; ``first`` and ``last`` are its lines, from 1."""

    name: str
    first: int
    last: int
    javadoc: str
    text: str


def _find_in_file(path: Path, at: str) -> QueryMethod:
    """Return a method of a file; ``at`` is a line of it, its name, or "" for the only method."""
    from codeacumen.languages.java import wrap_snippet

    source = path.read_bytes()
    methods = _parse_methods(source)
    if not methods:
        # A method alone does not parse; inside a class, on the same lines, it does.
        snippet, _ = wrap_snippet(source)
        methods = _parse_methods(snippet)
    matches = [
        method
        for method in methods
        if not at
        or method.name == at
        or (at.isdecimal() and method.first <= int(at) <= method.last)
    ]
    if not matches:
        names = ", ".join(dict.fromkeys(method.name for method in methods)) or "none"
        raise CodeacumenError(f"{path} has no method at {at!r}", f"its methods: {names}")
    if not at.isdecimal() and len(matches) > 1:
        lines = ", ".join(str(method.first) for method in matches[:8])
        raise CodeacumenError(
            f"{path} has {len(matches)} methods{f' called {at}' if at else ''}",
            f"name one by its line: {lines}",
        )
    # A line inside a local class is inside two methods: the inner one begins last.
    innermost = matches[-1]
    return QueryMethod(innermost.name, innermost.javadoc, innermost.text)


def _parse_methods(source: bytes) -> list[_ParsedMethod]:
    """Return the methods and constructors with a body, in source order.

    The function uses tree-sitter alone, because the rest of codeacumen takes longer to load than a
    whole query may take.
    """
    from tree_sitter import Parser, Query, QueryCursor

    from codeacumen.languages.java import load_grammar

    tree = Parser(load_grammar()).parse(source)
    nodes = QueryCursor(Query(load_grammar(), _QUERY)).captures(tree.root_node).get("method", [])
    methods = []
    for node in sorted(nodes, key=lambda node: node.start_byte):
        name, comment = node.child_by_field_name("name"), node.prev_named_sibling
        is_javadoc = comment is not None and comment.type == "block_comment"
        javadoc = _decode_node(comment) if comment is not None and is_javadoc else ""
        methods.append(
            _ParsedMethod(
                _decode_node(name) if name is not None else "",
                # Not ``.row``: in tree-sitter 0.26.0 that frees the number too early, and the
                # process crashes later (py-tree-sitter #466).
                node.start_point[0] + 1,
                node.end_point[0] + 1,
                javadoc if javadoc.startswith("/**") else "",
                _decode_node(node),
            )
        )
    return methods


def _decode_node(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_QUERY = """
[(method_declaration body: (block)) (constructor_declaration body: (constructor_body))
 (compact_constructor_declaration body: (block))] @method
"""


def find_similar(index: WordIndex, query: QueryMethod, max_hits: int = 10) -> list[Hit]:
    """Return the most similar methods, best first, among those that share a word with the query.

    Methods with equal scores are in the order of the corpus. The query itself is left out.
    """
    scores = index.compute_scores(count_words(query.name, query.javadoc, query.text))
    best = top_k(scores, max_hits * _OVERLOADS)
    best = best[scores[best] >= _SHARED]
    hits: dict[tuple[str, str, str], Hit] = {}
    for number, method in zip(best.tolist(), index.describe_methods(best.tolist()), strict=True):
        if method.method_id == query.method_id:
            continue
        key = (method.project, method.type, method.signature.partition("(")[0])
        if key in hits:
            hits[key] = replace(hits[key], others=hits[key].others + 1)
        else:
            hits[key] = Hit(method, round(float(scores[number]), 4))
    return list(hits.values())[:max_hits]
