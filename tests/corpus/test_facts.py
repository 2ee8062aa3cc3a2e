"""Tests that stored facts equal those of the files, and that no file is parsed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from codeacumen.corpus.facts import npath_column_name, read_declared, read_sites
from codeacumen.languages.java.measures.npath import RULES, compute_npath
from codeacumen.languages.java.measures.operators import find_operators, find_readable_methods
from codeacumen.languages.java.resolve.facts import extract_facts
from codeacumen.languages.java.syntax.file import JavaFile
from corpora import EXAMPLES, build_corpus_at

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus

SOURCE = """
package p;

import java.util.*;

record Point<T>(int x, List<T> names) implements Runnable { public void run() { x(); } }

enum Colour { RED { void f() { g\\u0068(); } }, GREEN; <E extends Number> void g(E[] e, int n) { } }

class Grüße { int größe; int f() { return f() + größe - 1 + 2; } abstract void g(); void h( { }
"""


@pytest.fixture(scope="module")
def odd_corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    from codeacumen.corpus import Corpus

    folder = tmp_path_factory.mktemp("odd")
    (folder / "p").mkdir()
    (folder / "p" / "Odd.java").write_text(SOURCE)
    (folder / "p" / "Empty.java").write_text("")
    build_corpus_at(folder / "corpus", [str(folder / "p")], workers=1, views=["text"])
    return Corpus.open(folder / "corpus")


@pytest.fixture(params=["examples", "odd"])
def corpus(request: pytest.FixtureRequest, examples_corpus: Corpus, odd_corpus: Corpus) -> Corpus:
    return examples_corpus if request.param == "examples" else odd_corpus


def to_plain_lists(value: Any) -> Any:
    """Return nested tuples as lists, so that stored and computed rows compare equal."""
    if isinstance(value, dict):
        return {key: to_plain_lists(item) for key, item in value.items()}
    return [to_plain_lists(item) for item in value] if isinstance(value, list | tuple) else value


def test_stored_call_facts_equal_those_of_the_files(corpus: Corpus) -> None:
    for shard in corpus.shards:
        files = pq.read_table(corpus.table_path(shard, "files")).to_pylist()
        declared = dict(read_declared(corpus.folder / "shards" / shard))
        sites = {path: rest for path, *rest in read_sites(corpus.folder / "shards" / shard)}
        assert list(declared) == list(sites) == [file["path"] for file in files]
        for file in files:
            expected = extract_facts(JavaFile(file["source"].encode()))
            stored, name_end = sites[file["path"]]
            assert to_plain_lists(declared[file["path"]]) == to_plain_lists(expected.declared)
            assert stored.texts == expected.sites.texts
            for column, expected_column in zip(stored[1:], expected.sites[1:], strict=True):
                assert column.dtype == expected_column.dtype
                assert np.array_equal(column, expected_column)
            assert len(name_end) == len(stored.code)


def test_calls_end_at_the_end_of_their_names(corpus: Corpus) -> None:
    call_count = 0
    for project, shards in corpus.manifest.shards.items():
        for shard in shards:
            files = pq.read_table(corpus.table_path(shard, "files")).to_pylist()
            sources = {file["path"]: file["source"].encode() for file in files}
            for call in pq.read_table(corpus.calls_path(project, shard)).to_pylist():
                if call["reference"] or "<init>" in call["callee"]:
                    continue
                name = call["callee"].partition("(")[0].partition("/")[0].rpartition(".")[2]
                call_text = sources[call["path"]][call["start_byte"] : call["end_byte"]]
                assert call_text.decode().replace("\\u0068", "h") == name.replace("\\u0068", "h")
                call_count += 1
    assert call_count


def test_stored_measures_equal_those_of_the_files(corpus: Corpus) -> None:
    for shard in corpus.shards:
        methods = pq.read_table(corpus.table_path(shard, "methods")).to_pylist()
        measures = pq.read_table(corpus.table_path(shard, "measures")).to_pylist()
        assert [row["method_id"] for row in methods] == [row["method_id"] for row in measures]
        for file in pq.read_table(corpus.table_path(shard, "files")).to_pylist():
            parsed = JavaFile(file["source"].encode())
            file_measures = [
                row
                for method, row in zip(methods, measures, strict=True)
                if method["file_id"] == file["file_id"]
            ]
            assert [row["readable"] for row in file_measures] == find_readable_methods(
                parsed
            ).tolist()
            for rules in RULES:
                values = dict(
                    zip(parsed.bodies, compute_npath(parsed, rules).tolist(), strict=True)
                )
                stored = [row[npath_column_name(rules)] for row in file_measures]
                assert stored == [
                    values.get(method_index) for method_index in range(len(file_measures))
                ]
            operator_table = find_operators(parsed)
            expected: list[list[tuple[int, int]]] = [[] for _ in file_measures]
            for method_index, operator, node in zip(
                *map(np.ndarray.tolist, operator_table), strict=True
            ):
                expected[method_index].append((operator, int(parsed.syntax.start[node])))
            assert expected == [
                list(zip(row["operators"], row["operator_starts"], strict=True))
                for row in file_measures
            ]


def test_building_gluecode_parses_no_file(
    tmp_path: Path, parsed_sources: list[bytes], in_process_engine: Any
) -> None:
    """The first use parses each file once to derive the null facts; later uses parse nothing."""
    from codeacumen.benchmarks.gluecode.build import GluecodeRecipe, build_dataset, collect_warnings
    from codeacumen.corpus import Corpus

    build_corpus_at(tmp_path / "corpus", EXAMPLES[:2])
    corpus = Corpus.open(tmp_path / "corpus")
    parse_counts = []
    for name in ("first", "second"):
        parsed_sources.clear()
        warnings, failed = collect_warnings(
            corpus, in_process_engine, [], lambda stage, done, total: None
        )
        assert warnings
        assert not failed
        build_dataset(corpus, GluecodeRecipe(), tmp_path / name, in_process_engine, warnings)
        parse_counts.append(len(parsed_sources))
    assert parse_counts == [corpus.manifest.counts["files"], 0]
    for task in ("npath", "nulltoken"):
        assert (tmp_path / "first" / f"{task}.jsonl").read_bytes()


def test_measuring_a_corpus_parses_no_file(
    examples_corpus: Corpus, tmp_path: Path, parsed_sources: list[bytes], in_process_engine: Any
) -> None:
    from codeacumen.corpus.measure import NPath, measure_sources

    (part, *_) = measure_sources(
        NPath("pmd7"), [str(examples_corpus.folder)], in_process_engine, tmp_path
    )
    assert part.rows
    assert part.files
    assert not parsed_sources


@pytest.fixture
def parsed_sources(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return a list that records the sources parsed as whole files in this process."""
    import codeacumen.languages.java.syntax.file as module
    from codeacumen.languages.java import SNIPPET_HEAD

    sources: list[bytes] = []
    parse_java = module.parse_java

    def record_parse(source: bytes) -> Any:
        # A method that is parsed alone in a wrapper class is not a whole file.
        if not source.startswith(SNIPPET_HEAD):
            sources.append(source)
        return parse_java(source)

    monkeypatch.setattr(module, "parse_java", record_parse)
    return sources


@pytest.fixture
def in_process_engine() -> Any:
    """Return an engine that works in this process, so that all parses are counted."""

    class InProcessEngine:
        def run(self, work: Any, items: Any, limit: float) -> Any:
            for index, item in enumerate(items):
                yield index, work(item)

    return InProcessEngine()
