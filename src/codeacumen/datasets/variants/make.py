"""Select the methods of one shard of a corpus, and make their variants.

A method is selected if it is not a constructor, its body is not empty (at least two statements, as
the paper's tool counts them), it has no syntax error, and its class is not inside another method.

The paper's tool counts the nodes that JavaParser calls statements, everywhere below the method,
including lambdas and classes inside it. Blocks are statements, the method's body among them: an
empty method has one statement, ``{ return x; }`` two. The body of a lambda that is an expression
counts as one; the header of a ``for`` and the cases of a ``switch`` do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from codeacumen.datasets.variants import mark
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify import UNMADE, Certificate, level_of
from codeacumen.transforms.certify.reading import Subject, own_certificates
from codeacumen.transforms.code import BLOCKS, LAMBDA, STATEMENTS, SWITCH, Code, code_of
from codeacumen.transforms.run import Reaches, in_project
from codeacumen.transforms.variants import Variant, is_published, tried
from codeacumen.views.masking.text import masked_text

# An empty body counts as one statement; the paper uses methods with more.
FEWEST = 2

# Kinds of nodes that are statements or not, depending on their parent.
_HERE_OR_THERE = frozenset(
    (
        ";",
        SWITCH,
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "local_variable_declaration",
    )
)
_ALWAYS = (STATEMENTS | BLOCKS) - _HERE_OR_THERE
_HOLD_STATEMENTS = BLOCKS | {"switch_block_statement_group", "labeled_statement"}
_BODIES = frozenset(("body", "consequence", "alternative"))


def count_statements(code: Code, method: int) -> int:
    """Return the number of statements of a method, given the node of its declaration."""
    kind, field, parent = code.kind, code.field, code.parent
    count = 0
    for node in range(method + 1, code.stop[method]):
        word = kind[node]
        if word in _ALWAYS:
            count += 1
        elif word in _HERE_OR_THERE:
            inside = kind[parent[node]]
            count += inside in _HOLD_STATEMENTS or (field[node] in _BODIES and inside != LAMBDA)
        elif word == LAMBDA:
            count += kind[code.child(node, "body")] not in BLOCKS
    return count


Row = dict[str, Any]

_COLUMNS = [
    "method_id",
    "file_id",
    "project",
    "split",
    "path",
    "place",
    "kind",
    "name",
    "body",
    "nested",
    "line",
]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of a data set.

    ``where`` are the modes; ``split`` is ``all`` for the whole corpus. ``most`` limits the variants
    of each kind and mode, 0 for no limit.
    """

    kinds: tuple[str, ...]
    where: tuple[str, ...] = ("single", "all")
    seed: int = 0
    split: str = "test"
    certify: str = "parses"
    most: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to process; ``shards`` are all shards of its project, whose types it may use.

    Without ``part``, variants are only counted and sampled. With it, the variants with
    ``wanted_ids`` (None: all) are written to files beside that path. ``only_methods`` restricts the
    methods (None: all).
    """

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    recipe: Recipe
    part: Path | None = None
    wanted: frozenset[str] | None = None
    only: frozenset[str] | None = None


# The key by which a variant is sampled, smallest first: its rank among its method's variants, a
# hash of seed and id, its id.
Lot = tuple[int, str, str]


@dataclass(slots=True)
class LoadedModel:
    """Result of a shard: counts of methods, of variants found, of refused locations and of dropped
    variants (by kind, failed level and reason), and the smallest sampling keys of each kind and
    mode. At the level ``UNMADE`` methods are counted, not variants."""

    methods: int = 0
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lots: dict[tuple[str, str], list[Lot]] = field(default_factory=dict)

    def add(self, other: LoadedModel) -> None:
        self.methods += other.methods
        self.found += other.found
        self.refused += other.refused
        self.dropped += other.dropped
        for key, lots in other.lots.items():
            self.lots.setdefault(key, []).extend(lots)


def draw(lots: Iterable[Lot], most: int) -> list[Lot]:
    """Return the smallest keys: one variant of each method, then second variants, and so on."""
    return nsmallest(most, lots)


def work(job: Job) -> LoadedModel:
    """Sample or make the variants of a shard; an engine runs this function."""
    made = LoadedModel()
    if job.part is None:
        for row, _, variants in _methods(job, made):
            for key, lots in _lots(job.recipe.seed, row, variants):
                made.lots.setdefault(key, []).extend(lots)
        made.lots = {key: draw(lots, job.recipe.most) for key, lots in made.lots.items()}
        return made
    with (
        part_of(job, "originals").open("w", encoding="utf-8") as first,
        part_of(job, "variants").open("w", encoding="utf-8") as second,
    ):
        for _, here in groupby(_methods(job, made), key=lambda one: one[1].file):
            for row, method, known in _certified(job, here):
                lines = [
                    to_line(told)
                    for variant, certificate in known
                    if (told := _kept(job.recipe, made, row, method, variant, certificate))
                ]
                if lines:
                    first.write(to_line(_original(row, method)))
                    second.writelines(lines)
    return made


def _certified(
    job: Job, methods: Iterable[tuple[Row, _Method, list[Variant]]]
) -> Iterator[tuple[Row, _Method, list[tuple[Variant, Certificate]]]]:
    """Yield the methods of one file with their wanted variants and own certificates."""
    held = [(row, method, _wanted(job, row, variants)) for row, method, variants in methods]
    file = held[0][1].file
    reaches = Reaches(file)
    asked = [one for _, _, variants in held for one in variants]
    subjects = [Subject(at, "", one.edits, reaches.of(one)) for at, one in enumerate(asked)]
    found = own_certificates(file, subjects, job.recipe.certify)
    known = ((one, found[at]) for at, one in enumerate(asked))
    for row, method, variants in held:
        yield row, method, [next(known) for _ in variants]


def _wanted(job: Job, row: Row, variants: Sequence[Variant]) -> list[Variant]:
    return [one for one in variants if job.wanted is None or variant_id(row, one) in job.wanted]


def part_of(job: Job, what: str) -> Path:
    assert job.part is not None
    return job.part.with_suffix(f".{what}")


def _lots(
    seed: int, row: Row, variants: Sequence[Variant]
) -> Iterator[tuple[tuple[str, str], list[Lot]]]:
    drawn: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for variant in variants:
        id_ = variant_id(row, variant)
        digest = hashlib.sha256(f"{seed}\0{id_}".encode("utf-8", "backslashreplace")).hexdigest()
        drawn.setdefault((variant.kind, variant.where), []).append((digest[:16], id_))
    for key, pairs in drawn.items():
        yield key, [(place, *pair) for place, pair in enumerate(sorted(pairs))]


def to_line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class _Method:
    file: JavaFile
    place: int
    span: tuple[int, int]
    statements: int


def _methods(job: Job, made: LoadedModel) -> Iterator[tuple[Row, _Method, list[Variant]]]:
    """Yield the selected methods of the shard, with all their variants."""
    recipe = job.recipe
    for source, rows in _files(job):
        file = in_project(job.corpus, job.shards, rows[0]["path"], source.encode())
        code = code_of(file)
        for row in rows:
            node = file.declarations.methods[row["place"]].node
            size = count_statements(code, node)
            if size < FEWEST or code.broken(node):
                continue
            made.methods += 1
            method = _Method(file, row["place"], code.span(node), size)
            yield row, method, list(_variants(code, row["place"], recipe, made))


def _files(job: Job) -> Iterator[tuple[str, list[Row]]]:
    """Yield text and methods of each file, in the order of the corpus."""
    folder = job.corpus / "shards" / job.shard
    methods = pq.read_table(folder / "methods.parquet", columns=_COLUMNS)
    taken = pc.and_(methods["body"], pc.invert(methods["nested"]))
    taken = pc.and_(taken, pc.equal(methods["kind"], "method"))
    if job.recipe.split != "all":
        taken = pc.and_(taken, pc.equal(methods["split"], job.recipe.split))
    rows = methods.filter(taken).to_pylist()
    if job.only is not None:
        rows = [row for row in rows if str(row["method_id"]) in job.only]
    if job.wanted is not None:
        ids = {one.partition("/")[0] for one in job.wanted}
        rows = [row for row in rows if str(row["method_id"]) in ids]
    if not rows:
        return
    files = pq.read_table(folder / "files.parquet", columns=["file_id", "source", "language"])
    files = files.filter(pc.equal(files["language"], "java"))
    texts = dict(zip(files["file_id"].to_pylist(), files["source"].to_pylist(), strict=True))
    for file_id, mine in groupby(rows, key=lambda row: row["file_id"]):
        if file_id in texts:
            yield texts[file_id], list(mine)


def _variants(code: Code, place: int, recipe: Recipe, made: LoadedModel) -> Iterator[Variant]:
    for kind in recipe.kinds:
        found, variants, why = tried(code.file, kind, recipe.where, place, recipe.seed)
        if why:
            made.dropped[kind, UNMADE, why] += 1
        made.refused.update((kind, one.refused) for one in found if one.refused)
        for variant in variants:
            # The mode ``all`` needs several locations, as in the paper; with one it is ``single``.
            if variant.where != "all" or len(variant.locations) > 1:
                made.found[kind, variant.where] += 1
                yield variant


def variant_id(row: Row, variant: Variant) -> str:
    where = variant.where
    last = "+".join(variant.locations) if where == "single" else where
    return f"{row['method_id']}/{variant.kind}/{where}/{last}"


def _original(row: Row, method: _Method) -> Row:
    return {
        "id": str(row["method_id"]),
        "project": row["project"],
        "path": row["path"],
        "line": row["line"],
        "name": row["name"],
        "text": masked_text(method.file, method.place),
        "statements": method.statements,
    }


def _kept(
    recipe: Recipe,
    made: LoadedModel,
    row: Row,
    method: _Method,
    variant: Variant,
    certificate: Certificate,
) -> Row | None:
    """Return the row of a variant, or None if it failed a check.

    Variants of the published tool are kept in any case, and marked.
    """
    level, why = certificate.failed, certificate.why
    if certificate.holds or is_published(variant.kind):
        try:
            return _told(recipe, row, method, variant, certificate)
        except Exception as error:  # a variant that cannot be rendered is dropped
            level, why = recipe.certify, f"{type(error).__name__}: {error}"
    made.dropped[variant.kind, level, why] += 1
    return None


def _told(
    recipe: Recipe, row: Row, method: _Method, variant: Variant, certificate: Certificate
) -> Row:
    """Return the row of a variant; the key ``_`` has the input for checks of other tools."""
    told: Row = {
        "id": variant_id(row, variant),
        "method": str(row["method_id"]),
        "kind": variant.kind,
        "where": variant.where,
        "locations": list(variant.locations),
        "text": masked_text(method.file, method.place, variant.edits),
        "certificate": certificate.json(),
    }
    if is_published(variant.kind):
        why = variant.doubt.why if variant.doubt else certificate.why
        told |= {"edit": mark(certificate, variant.doubt), "doubt": why}
    if level_of(recipe.certify) >= level_of("compiles"):
        edits = [[one.start, one.end, one.text.decode()] for one in variant.edits]
        told["_"] = [row["path"], edits, method.span]
    return told
