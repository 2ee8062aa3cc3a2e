"""Transform programs: variants that look different and mean the same.

A place, or location, is a candidate for a change in a method; it is refused if the transformation
cannot be applied there. A mode says which places of a method one variant changes: ``single`` (one
place, with a variant for each), ``all``, or a share such as ``25%``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import show_progress
from codeacumen.engines import start_engine
from codeacumen.interface.results import TemporaryFolder

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.transforms.run import TransformSummary

TESTS = "tests"


@dataclass(frozen=True, slots=True)
class ProgramVariant:
    """A file with one transformation applied to a method.

    ``kind`` names the transformation and ``where`` its mode. ``locations`` are the ids of the
    changed places. ``original`` and ``changed`` are the text of the whole file. ``certificate``
    says how far the variant was checked, ``doubt`` why an edit of the published tool may change the
    meaning; both may be empty.
    """

    project: str
    file: str
    line: int
    method: str
    kind: str
    where: str
    locations: tuple[str, ...]
    original: str
    changed: str
    certificate: Mapping[str, str] = field(default_factory=dict)
    doubt: Mapping[str, str] = field(default_factory=dict)


class Transformation:
    """The variants of programs, and what was refused.

    Iterating yields ``ProgramVariant`` objects, read one by one from the file ``out``, which holds
    a line of JSON for each. ``counts`` has for each kind the places, the refused ones by reason,
    the variants by mode, and those that failed a level of certification.
    """

    def __init__(
        self, corpus: Corpus, out: Path, counts: dict[str, Json], temporary: TemporaryFolder
    ) -> None:
        self.out = out
        self.counts = counts
        self._corpus = corpus
        # Keeps the temporary files as long as this object exists.
        self._temporary = temporary
        # Project, path, bytes and encoding of the file that was read last: the variants of a file
        # follow each other in ``out``.
        self._source: tuple[tuple[str, str], tuple[bytes, str]] | None = None

    @property
    def line_count(self) -> int:
        """Number of lines in ``out``: variants and, on request, refused places."""
        count: int = self.counts["lines"]
        return count

    @property
    def has_failures(self) -> bool:
        """True if a variant failed its certification or could not be written."""
        return any(counts["failed"] for counts in self.counts["kinds"].values())

    def __iter__(self) -> Iterator[ProgramVariant]:
        with self.out.open(encoding="utf-8") as stream:
            for line in stream:
                row = json.loads(line)
                if "edits" in row:  # the line of a refused place has none
                    yield self._to_variant(row)

    def __repr__(self) -> str:
        kinds = self.counts["kinds"]
        variants = sum(sum(counts["variants"].values()) for counts in kinds.values())
        return f"Transformation({variants:,} variants by {', '.join(kinds)})"

    def _to_variant(self, row: Json) -> ProgramVariant:
        from codeacumen.transforms.edits import Edit, apply_edits

        source, encoding = self._read_source(row["project"], row["file"])
        edits = [
            Edit(edit["start"], edit["end"], edit["text"].encode(encoding)) for edit in row["edits"]
        ]
        return ProgramVariant(
            project=row["project"],
            file=row["file"],
            line=row["line"],
            method=row["method"],
            kind=row["kind"],
            where=row["where"],
            locations=tuple(row["locations"]),
            original=source.decode(encoding).removeprefix("\ufeff"),
            changed=apply_edits(source, edits).decode(encoding).removeprefix("\ufeff"),
            certificate=row.get("certificate", {}),
            doubt=row.get("doubt", {}),
        )

    def _read_source(self, project: str, path: str) -> tuple[bytes, str]:
        """Return the bytes of a file as it is on disk, where the edits have their offsets, and its
        encoding."""
        if self._source is not None and self._source[0] == (project, path):
            return self._source[1]
        statement = (
            "select files.source, files.encoding, count(problems.path) as marks from files "
            "left join problems on problems.project = files.project and "
            "problems.path = files.path and problems.kind = 'byte order mark' "
            "where files.project = ? and files.path = ? group by all"
        )
        (row,) = self._corpus.query(statement, [project, path]).to_pylist()
        text = ("\ufeff" if row["marks"] else "") + row["source"]
        source = text.encode(row["encoding"]), row["encoding"]
        self._source = (project, path), source
        return source


def transform(
    sources: str | Path | Corpus | Sequence[str | Path],
    out: str | Path | None = None,
    *,
    kinds: Sequence[str] | None = None,
    where: Sequence[str] | None = None,
    seed: int = 0,
    certify: str = "none",
    class_path: str = "",
    test_command: str = "",
    write: str | Path | None = None,
    refused: bool = False,
    engine: str = "local",
    workers: int = 0,
    progress: bool = True,
) -> Transformation:
    """Transform programs so that they look different and mean the same; return the variants.

    ``sources`` are a corpus, or what a corpus is built from. ``kinds`` are transformations, by
    default the six; ``where`` are modes (single, all, 25%), by default single. ``certify`` says how
    far each variant is checked: none, parses, binds, compiles or tests; tests need a
    ``test_command``. ``out`` is the file of the variants, JSON lines; without it they are deleted
    with the result. ``write`` is a folder for the changed files. With ``refused``, ``out`` has a
    line for each refused place, too.
    """
    from codeacumen.transforms.certify.projects import CertificationTools
    from codeacumen.transforms.location import parse_modes
    from codeacumen.transforms.run import TransformRequest, write_variants
    from codeacumen.transforms.variants import parse_kinds

    order = TransformRequest(
        parse_kinds(kinds), parse_modes(where, ("single",)), seed, certify, refused
    )
    tested_folder = _find_tested_folder(sources, test_command) if certify == TESTS else None
    temporary = TemporaryFolder()
    lines = Path(out) if out is not None else temporary.path / "variants.jsonl"
    started_engine = start_engine(engine, workers)
    with show_progress(progress) as report:
        corpus = _open_or_build(sources, temporary.path / "corpus", started_engine, report)
        delivered = write_variants(
            corpus,
            order,
            started_engine,
            lines,
            CertificationTools(class_path, test_command, tested_folder),
            report,
            Path(write) if write is not None else None,
        )
    return Transformation(corpus, lines, _count_variants(delivered, order.kinds), temporary)


def _open_or_build(sources: Any, folder: Path, engine: Any, report: Any) -> Corpus:
    """Return the corpus of ``sources``, or build it in ``folder``, without views."""
    from codeacumen.core.home import codeacumen_home
    from codeacumen.corpus import Corpus
    from codeacumen.corpus.build import build_corpus_folder
    from codeacumen.corpus.manifest import NAME

    if isinstance(sources, Corpus):
        return sources
    source_list = _list_sources(sources)
    if len(source_list) == 1 and (Path(source_list[0]) / NAME).is_file():
        return Corpus.open(source_list[0])
    build_corpus_folder(
        source_list, folder, engine=engine, views=(), cache=codeacumen_home(), progress=report
    )
    return Corpus.open(folder)


def _list_sources(sources: Any) -> list[str]:
    source_list = [sources] if isinstance(sources, str | Path) else sources
    return [str(source) for source in source_list]


def _find_tested_folder(sources: Any, command: str) -> Path:
    """Return the folder that is copied to run the tests; raise an error if that is impossible."""
    if not command:
        raise CodeacumenError(
            "certifying with tests needs a command",
            "for example --test-command 'make check', run in a copy of the folder",
        )
    source_list = [] if not isinstance(sources, str | Path | Sequence) else _list_sources(sources)
    folder = (
        Path(source_list[0].partition("=")[2] or source_list[0]) if len(source_list) == 1 else None
    )
    if folder is None or not folder.is_dir():
        raise CodeacumenError(
            "tests can be run for one project, in its folder",
            "name just one folder: codeacumen transform lib/ --certify tests ...",
        )
    return folder


def _count_variants(delivered: TransformSummary, kinds: Sequence[str]) -> dict[str, Json]:
    """Return the counts of a transformation as JSON: the ``counts`` of ``Transformation``."""
    counts = delivered.counts
    return {
        "lines": delivered.lines,
        "kinds": {
            kind: {
                "locations": counts.locations[kind],
                "refused": {
                    reason: places
                    for (refused_kind, reason), places in counts.refused.most_common()
                    if refused_kind == kind
                },
                "variants": {
                    mode: variants
                    for (made_kind, mode), variants in counts.variants.items()
                    if made_kind == kind
                },
                "failed": [
                    {"level": level, "reason": reason, "variants": variants}
                    for (failed_kind, level, reason), variants in delivered.failed.most_common()
                    if failed_kind == kind
                ],
            }
            for kind in kinds
        },
    }
