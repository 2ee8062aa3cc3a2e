"""Stored facts are those of the files, and nothing parses a file a second time for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from codeacumen.corpus.facts import npath_column, read_declared, read_sites
from codeacumen.languages.java.measures.npath import RULES, npath
from codeacumen.languages.java.measures.operators import operators, readable
from codeacumen.languages.java.resolve.facts import facts
from codeacumen.languages.java.syntax.file import JavaFile
from corpora import EXAMPLES, build_at

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
    build_at(folder / "corpus", [str(folder / "p")], workers=1, views=["text"])
    return Corpus.open(folder / "corpus")


@pytest.fixture(params=["examples", "odd"])
def corpus(request: pytest.FixtureRequest, examples_corpus: Corpus, odd_corpus: Corpus) -> Corpus:
    return examples_corpus if request.param == "examples" else odd_corpus


def plain(value: Any) -> Any:
    """Rows as lists, whether they are stored or not."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def test_call_facts_survive_being_stored(corpus: Corpus) -> None:
    for shard in corpus.shards:
        files = pq.read_table(corpus.table(shard, "files")).to_pylist()
        declared = dict(read_declared(corpus.folder / "shards" / shard))
        sites = {path: rest for path, *rest in read_sites(corpus.folder / "shards" / shard)}
        assert list(declared) == list(sites) == [file["path"] for file in files]
        for file in files:
            expected = facts(JavaFile(file["source"].encode()))
            stored, name_end = sites[file["path"]]
            assert plain(declared[file["path"]]) == plain(expected.declared)
            assert stored.texts == expected.sites.texts
            for column, same in zip(stored[1:], expected.sites[1:], strict=True):
                assert column.dtype == same.dtype
                assert np.array_equal(column, same)
            assert len(name_end) == len(stored.code)


def test_calls_end_where_their_names_do(corpus: Corpus) -> None:
    seen = 0
    for project, shards in corpus.manifest.shards.items():
        for shard in shards:
            files = pq.read_table(corpus.table(shard, "files")).to_pylist()
            sources = {file["path"]: file["source"].encode() for file in files}
            for call in pq.read_table(corpus.calls_of(project, shard)).to_pylist():
                if call["reference"] or "<init>" in call["callee"]:
                    continue
                name = call["callee"].partition("(")[0].partition("/")[0].rpartition(".")[2]
                written = sources[call["path"]][call["start_byte"] : call["end_byte"]]
                assert written.decode().replace("\\u0068", "h") == name.replace("\\u0068", "h")
                seen += 1
    assert seen


def test_measures_are_those_of_the_files(corpus: Corpus) -> None:
    for shard in corpus.shards:
        methods = pq.read_table(corpus.table(shard, "methods")).to_pylist()
        measures = pq.read_table(corpus.table(shard, "measures")).to_pylist()
        assert [row["method_id"] for row in methods] == [row["method_id"] for row in measures]
        for file in pq.read_table(corpus.table(shard, "files")).to_pylist():
            parsed = JavaFile(file["source"].encode())
            mine = [
                row
                for method, row in zip(methods, measures, strict=True)
                if method["file_id"] == file["file_id"]
            ]
            assert [row["readable"] for row in mine] == readable(parsed).tolist()
            for rules in RULES:
                values = dict(zip(parsed.bodies, npath(parsed, rules).tolist(), strict=True))
                stored = [row[npath_column(rules)] for row in mine]
                assert stored == [values.get(place) for place in range(len(mine))]
            found = operators(parsed)
            expected: list[list[tuple[int, int]]] = [[] for _ in mine]
            for place, which, node in zip(*map(np.ndarray.tolist, found), strict=True):
                expected[place].append((which, int(parsed.syntax.start[node])))
            assert expected == [
                list(zip(row["operators"], row["operator_starts"], strict=True)) for row in mine
            ]


def test_building_gluecode_parses_no_file(tmp_path: Path, parses: list[bytes], here: Any) -> None:
    """The first use derives the null facts, with one parse a file; from then on there is none."""
    from codeacumen.benchmarks.gluecode.build import Recipe, build
    from codeacumen.benchmarks.gluecode.warned import warnings_of
    from codeacumen.corpus import Corpus

    build_at(tmp_path / "corpus", EXAMPLES[:2])
    corpus = Corpus.open(tmp_path / "corpus")
    sizes = []
    for name in ("first", "second"):
        parses.clear()
        warnings, failed = warnings_of(corpus, here, [], lambda what, done, total: None)
        assert warnings
        assert not failed
        build(corpus, Recipe(), tmp_path / name, here, warnings)
        sizes.append(len(parses))
    assert sizes == [corpus.manifest.counts["files"], 0]
    for task in ("npath", "nulltoken"):
        assert (tmp_path / "first" / f"{task}.jsonl").read_bytes()


def test_measuring_a_corpus_parses_no_file(
    examples_corpus: Corpus, tmp_path: Path, parses: list[bytes], here: Any
) -> None:
    from codeacumen.corpus.measure import NPath, measured

    (part, *_) = measured(NPath("pmd7"), [str(examples_corpus.folder)], here, tmp_path)
    assert part.rows
    assert part.files
    assert not parses


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The sources that were parsed as whole files in this process."""
    import codeacumen.languages.java.syntax.file as module

    sources: list[bytes] = []
    real = module.parse_java

    def parse(source: bytes) -> Any:
        # A method parsed alone, in a class around it, is no whole file.
        if not source.startswith(module._HEAD):
            sources.append(source)
        return real(source)

    monkeypatch.setattr(module, "parse_java", parse)
    return sources


@pytest.fixture
def here() -> Any:
    """An engine without processes, so that all parses are counted."""

    class Here:
        def run(self, work: Any, items: Any, limit: float) -> Any:
            for place, item in enumerate(items):
                yield place, work(item)

    return Here()
