"""Select the methods of one shard of a corpus, and make their variants, for ``build``.

A method is selected if it is not a constructor, its body is not empty (at least two statements, as
the paper's tool counts them), it has no syntax error, and its class is not inside another method.
The paper is the generalizability study of Rabin et al. (``TNPA`` in ``datasets.catalogue``).

A kind is a transformation. A location is a part of a method that it may change
(``transforms.location``), and a mode (``where``) says which locations are changed. A level is a
degree of checking (``transforms.certify.LEVELS``). ``place`` is a method's index in its file.

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

from codeacumen.datasets.variants import mark_edit
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify import UNMADE, Certificate, level_index
from codeacumen.transforms.certify.front_end import Subject, own_certificates
from codeacumen.transforms.code import BLOCKS, LAMBDA, STATEMENTS, SWITCH, Code, code_of
from codeacumen.transforms.run import ReachIndex, open_in_project
from codeacumen.transforms.variants import Variant, is_published, try_variants
from codeacumen.views.masking.text import mask_method

# Fewest statements of a selected method: an empty body counts as one, and the paper uses methods
# with more.
FEWEST = 2

# Kinds of nodes that are statements only inside certain parents or fields; ``;`` is the empty
# statement.
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

    ``kinds`` are names of transformations. ``where`` are the modes: ``single`` changes one location
    of a method, ``all`` changes all, a share such as ``25%`` some. ``split`` is ``all`` for the
    whole corpus, ``certify`` the level of certification that variants must reach. ``most`` limits
    the variants of each kind and mode, 0 for no limit.
    """

    kinds: tuple[str, ...]
    where: tuple[str, ...] = ("single", "all")
    seed: int = 0
    split: str = "test"
    certify: str = "parses"
    most: int = 0


@dataclass(frozen=True, slots=True)
class VariantJob:
    """A shard to process; ``shards`` are all shards of its project, whose types it may use.

    Without ``part``, variants are only counted and sampled. With ``part``, a path without a suffix,
    the variants with ``wanted_ids`` (None: all) are written to files ``part_path``.
    ``only_methods`` are the ids of the methods to use (None: all).
    """

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    recipe: Recipe
    part: Path | None = None
    wanted_ids: frozenset[str] | None = None
    only_methods: frozenset[str] | None = None


# The key by which a variant is sampled, smallest first: its rank among its method's variants of the
# same kind and mode, a hash of seed and id, its id.
SamplingKey = tuple[int, str, str]


@dataclass(slots=True)
class ShardResult:
    """Result of a shard.

    ``methods`` counts the selected methods, ``variants`` all variants by kind and mode, ``refused``
    locations by kind and reason, ``dropped`` variants by kind, failed level and reason; at the
    level ``UNMADE`` methods are counted, not variants. ``sampling_keys`` are the smallest keys by
    kind and mode.
    """

    methods: int = 0
    variants: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    sampling_keys: dict[tuple[str, str], list[SamplingKey]] = field(default_factory=dict)

    def add_counts(self, other: ShardResult) -> None:
        """Add the counts and the sampling keys of another shard."""
        self.methods += other.methods
        self.variants += other.variants
        self.refused += other.refused
        self.dropped += other.dropped
        for key, keys in other.sampling_keys.items():
            self.sampling_keys.setdefault(key, []).extend(keys)


def sample_variants(sampling_keys: Iterable[SamplingKey], most: int) -> list[SamplingKey]:
    """Return the ``most`` smallest keys, in order.

    The rank comes first in a key, so the sample has second variants of methods only if it has the
    first variants of all methods.
    """
    return nsmallest(most, sampling_keys)


def make_shard_variants(job: VariantJob) -> ShardResult:
    """Sample or make the variants of a shard; an engine runs this function."""
    result = ShardResult()
    if job.part is None:
        for row, _, variants in _find_methods(job, result):
            for key, keys in _make_sampling_keys(job.recipe.seed, row, variants):
                result.sampling_keys.setdefault(key, []).extend(keys)
        result.sampling_keys = {
            key: sample_variants(keys, job.recipe.most)
            for key, keys in result.sampling_keys.items()
        }
        return result
    with (
        part_path(job, "originals").open("w", encoding="utf-8") as original_lines,
        part_path(job, "variants").open("w", encoding="utf-8") as variant_lines,
    ):
        for _, group in groupby(_find_methods(job, result), key=lambda entry: entry[1].file):
            for row, method, certified in _certify_methods(job, group):
                lines = [
                    to_line(line_row)
                    for variant, certificate in certified
                    if (
                        line_row := _variant_row_or_drop(
                            job.recipe, result, row, method, variant, certificate
                        )
                    )
                ]
                if lines:
                    original_lines.write(to_line(_original_row(row, method)))
                    variant_lines.writelines(lines)
    return result


def _certify_methods(
    job: VariantJob, methods: Iterable[tuple[Row, _MethodInFile, list[Variant]]]
) -> Iterator[tuple[Row, _MethodInFile, list[tuple[Variant, Certificate]]]]:
    """Yield the methods of one file with their wanted variants and these variants' certificates.

    The certificates come from the checks of our own front end, without other tools such as javac.
    """
    selected = [
        (row, method, _select_wanted(job, row, variants)) for row, method, variants in methods
    ]
    file = selected[0][1].file
    reaches = ReachIndex(file)
    all_variants = [variant for _, _, variants in selected for variant in variants]
    subjects = [
        Subject(at, "", variant.edits, reaches.reach_of(variant))
        for at, variant in enumerate(all_variants)
    ]
    certificates = own_certificates(file, subjects, job.recipe.certify)
    certified = ((variant, certificates[at]) for at, variant in enumerate(all_variants))
    for row, method, variants in selected:
        yield row, method, [next(certified) for _ in variants]


def _select_wanted(job: VariantJob, row: Row, variants: Sequence[Variant]) -> list[Variant]:
    return [
        variant
        for variant in variants
        if job.wanted_ids is None or make_variant_id(row, variant) in job.wanted_ids
    ]


def part_path(job: VariantJob, name: str) -> Path:
    """Return the file of the job's ``originals`` or ``variants``."""
    assert job.part is not None
    return job.part.with_suffix(f".{name}")


def _make_sampling_keys(
    seed: int, row: Row, variants: Sequence[Variant]
) -> Iterator[tuple[tuple[str, str], list[SamplingKey]]]:
    """Yield the sampling keys of a method's variants by kind and mode; ``row`` is the method's."""
    digests: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for variant in variants:
        id_ = make_variant_id(row, variant)
        digest = hashlib.sha256(f"{seed}\0{id_}".encode("utf-8", "backslashreplace")).hexdigest()
        digests.setdefault((variant.kind, variant.where), []).append((digest[:16], id_))
    for key, pairs in digests.items():
        yield key, [(rank, *pair) for rank, pair in enumerate(sorted(pairs))]


def to_line(row: Row) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class _MethodInFile:
    """A selected method.

    ``place`` is its index in ``declarations.methods``, ``span`` the range of its bytes,
    ``statements`` the number of its statements.
    """

    file: JavaFile
    place: int
    span: tuple[int, int]
    statements: int


def _find_methods(
    job: VariantJob, result: ShardResult
) -> Iterator[tuple[Row, _MethodInFile, list[Variant]]]:
    """Yield the selected methods of the shard, with all their variants; count in ``result``."""
    recipe = job.recipe
    for source, rows in _read_files(job):
        file = open_in_project(job.corpus, job.shards, rows[0]["path"], source.encode())
        code = code_of(file)
        for row in rows:
            node = file.declarations.methods[row["place"]].node
            statement_count = count_statements(code, node)
            if statement_count < FEWEST or code.has_syntax_error(node):
                continue
            result.methods += 1
            method = _MethodInFile(file, row["place"], code.span(node), statement_count)
            yield row, method, list(_find_variants(code, row["place"], recipe, result))


def _read_files(job: VariantJob) -> Iterator[tuple[str, list[Row]]]:
    """Yield text and candidate methods (rows of ``_COLUMNS``) of each Java file, in order."""
    folder = job.corpus / "shards" / job.shard
    methods = pq.read_table(folder / "methods.parquet", columns=_COLUMNS)
    is_selected = pc.and_(methods["body"], pc.invert(methods["nested"]))
    is_selected = pc.and_(is_selected, pc.equal(methods["kind"], "method"))
    if job.recipe.split != "all":
        is_selected = pc.and_(is_selected, pc.equal(methods["split"], job.recipe.split))
    rows = methods.filter(is_selected).to_pylist()
    if job.only_methods is not None:
        rows = [row for row in rows if str(row["method_id"]) in job.only_methods]
    if job.wanted_ids is not None:
        ids = {variant_id.partition("/")[0] for variant_id in job.wanted_ids}
        rows = [row for row in rows if str(row["method_id"]) in ids]
    if not rows:
        return
    files = pq.read_table(folder / "files.parquet", columns=["file_id", "source", "language"])
    files = files.filter(pc.equal(files["language"], "java"))
    texts = dict(zip(files["file_id"].to_pylist(), files["source"].to_pylist(), strict=True))
    for file_id, file_rows in groupby(rows, key=lambda row: row["file_id"]):
        if file_id in texts:
            yield texts[file_id], list(file_rows)


def _find_variants(
    code: Code, place: int, recipe: Recipe, result: ShardResult
) -> Iterator[Variant]:
    """Yield the variants of the method at index ``place``; count in ``result``."""
    for kind in recipe.kinds:
        locations, variants, problem = try_variants(
            code.file, kind, recipe.where, place, recipe.seed
        )
        if problem:
            result.dropped[kind, UNMADE, problem] += 1
        result.refused.update(
            (kind, location.refused) for location in locations if location.refused
        )
        for variant in variants:
            # A variant of the mode ``all`` needs several locations, as in the paper; one with a
            # single location would equal that of ``single``.
            if variant.where != "all" or len(variant.locations) > 1:
                result.variants[kind, variant.where] += 1
                yield variant


def make_variant_id(row: Row, variant: Variant) -> str:
    """Return the id METHOD/KIND/single/LOCATIONS, or METHOD/KIND/MODE/MODE for other modes."""
    where = variant.where
    last = "+".join(variant.locations) if where == "single" else where
    return f"{row['method_id']}/{variant.kind}/{where}/{last}"


def _original_row(row: Row, method: _MethodInFile) -> Row:
    """Return the row of ``originals.jsonl``; in ``text`` the method's name is masked."""
    return {
        "id": str(row["method_id"]),
        "project": row["project"],
        "path": row["path"],
        "line": row["line"],
        "name": row["name"],
        "text": mask_method(method.file, method.place),
        "statements": method.statements,
    }


def _variant_row_or_drop(
    recipe: Recipe,
    result: ShardResult,
    row: Row,
    method: _MethodInFile,
    variant: Variant,
    certificate: Certificate,
) -> Row | None:
    """Return the row of a variant, or None if it failed a check; count dropped variants.

    Variants of the published tool are kept even if a check fails, and are marked.
    """
    level, reason = certificate.failed, certificate.reason
    if certificate.holds or is_published(variant.kind):
        try:
            return _variant_row(recipe, row, method, variant, certificate)
        except Exception as error:  # a variant that cannot be rendered is dropped
            level, reason = recipe.certify, f"{type(error).__name__}: {error}"
    result.dropped[variant.kind, level, reason] += 1
    return None


def _variant_row(
    recipe: Recipe, row: Row, method: _MethodInFile, variant: Variant, certificate: Certificate
) -> Row:
    """Return the row of a variant.

    The key ``_`` (path, edits, span of the method) is the input for checks of other tools;
    ``build`` removes it.
    """
    variant_row: Row = {
        "id": make_variant_id(row, variant),
        "method": str(row["method_id"]),
        "kind": variant.kind,
        "where": variant.where,
        "locations": list(variant.locations),
        "text": mask_method(method.file, method.place, variant.edits),
        "certificate": certificate.to_json(),
    }
    if is_published(variant.kind):
        reason = variant.doubt.reason if variant.doubt else certificate.reason
        variant_row |= {"edit": mark_edit(certificate, variant.doubt), "doubt": reason}
    if level_index(recipe.certify) >= level_index("compiles"):
        edits = [[edit.start, edit.end, edit.text.decode()] for edit in variant.edits]
        variant_row["_"] = [row["path"], edits, method.span]
    return variant_row
