"""Tests of method mining, with JDT's node counts as the oracle and a corpus for the filters."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.methods import (
    FILTERS,
    Mined,
    format_type,
    is_test_method,
    is_tool_test,
    make_schema,
    mine_methods,
    write_methods,
)
from codeacumen.benchmarks.sesame.mining.tokens import NOTHING, measure_bodies
from codeacumen.corpus import Corpus
from codeacumen.engines import WorkerLost
from codeacumen.languages.java.javadoc import SESAME_TOOLS
from corpora import build_corpus_at, shared_engine

# Nodes of each body, with its block, as counted by Eclipse's JDT 3.32 at language level 8.
SIZES = [
    ("", 1),
    ("return;", 2),
    ("return x;", 3),
    ("this.x = x;", 7),
    ("foo();", 4),
    ("super.foo();", 4),
    ("return this;", 3),
    ("return x.y.z;", 7),
    ("this.a.b(c);", 8),
    ("int[] a = new int[3];", 12),
    ("return new int[]{1, 2};", 9),
    ("List<String> a = new ArrayList<>();", 13),
    ("Map.Entry<K, V> e = null;", 14),
    ("for (String s : names) use(s);", 11),
    ("for (int i = 0; ; ) { }", 8),
    ("if (ok) return;", 4),
    ("if (ok) { } else ;", 5),
    ("while (!done) step();", 7),
    ("do { step(); } while (ok);", 7),
    ("switch (k) { case 1: break; default: go(); }", 10),
    ("try { go(); } catch (A | B e) { } finally { }", 16),
    ("try (R r = open()) { }", 10),
    ("synchronized (this) { n++; }", 7),
    ('throw new IllegalStateException("no");', 6),
    ("run(() -> go());", 7),
    ("run(x -> x.go());", 10),
    ("map(String::length);", 7),
    ("map(ArrayList::new);", 7),
    ("return (List<T>) x;", 9),
    ("return (A & B) x;", 9),
    ("return x instanceof T;", 6),
    ("return -1;", 4),
    ('return "a" + b;', 5),
    ("return a ? b : c;", 6),
    ("final int x = 1;", 7),
    ("@Foo int x;", 7),
    ("int a[][], b;", 9),
    ("class L { int f; }", 8),
    ("return new Object() { int f() { return 1; } };", 12),
    ('assert ok : "no";', 4),
    ("out: while (true) continue out;", 7),
    ("return Outer.this.x;", 6),
    ("return int.class;", 4),
    ("a[i] = (b);", 8),
    ("java.util.List<? extends T> x;", 14),
    ("{ { } }", 3),
    ("return ((x));", 5),
    ("if ((ok)) go();", 7),
    ("return Foo.<T>bar(1L, 2.0, 'c', null, true);", 12),
]


@pytest.mark.parametrize(("statements", "nodes"), SIZES)
def test_node_counts_equal_those_of_jdt(statements: str, nodes: int) -> None:
    (body,) = measure_bodies([f"void f() {{ {statements} }}"])
    assert body.nodes == nodes


def test_infix_and_throw_flags_of_bodies() -> None:
    texts = [
        "int f() { return a + b; }",
        "int f() { return a ? b : c; }",
        "int f() { return a instanceof B; }",
        "int f() { /* no */ throw new E(); // never\n }",
        "int f() { a(); throw new E(); }",
        "int f() { { throw new E(); } }",
        "int f() { ; throw new E(); }",
    ]
    parsed_bodies = list(measure_bodies(texts))
    assert [body.infix for body in parsed_bodies] == [True, True, *[False] * 5]
    assert [body.throws for body in parsed_bodies] == [*[False] * 3, True, *[False] * 3]


GOOD = [
    "void f() { }",
    "default int f() { return 1; }",
    "@A({1}) <T> T f(T... a)[] { { } }",
    "int f() { class B { void g() { throw new E(); } } return 1; }",
    "void f() { // c\n }",
]
BAD = [
    "void f() {",
    "} void f() { }",
    "",
    "int",
    'void f() { "',
    "/*",
    "void f() { ) }",
    "class A{\n}",
]


@given(st.lists(st.sampled_from(GOOD + BAD), max_size=8))
def test_bodies_do_not_depend_on_other_texts(texts: list[str]) -> None:
    assert list(measure_bodies(texts)) == [
        body for text in texts for body in measure_bodies([text])
    ]


def test_text_without_a_method_body_is_nothing() -> None:
    assert list(measure_bodies(["int x;", "abstract void f();"])) == [NOTHING, NOTHING]


@pytest.mark.parametrize(
    ("type_text", "expected"),
    [
        ("int", "int"),
        ("T...", "T[]"),
        ("int[][]", "int[][]"),
        ("Map<K,V>", "Map<K, V>"),
        ("Map<? extends K,? super List<? extends V>>...", "Map<?, ?>[]"),
        ("List<?>", "List<?>"),
        ("A<B>.C<? extends D<E,F>,G>[]", "A<B>.C<?, G>[]"),
        ("a.b.C", "a.b.C"),
    ],
)
def test_types_are_spelled_like_in_sesame(type_text: str, expected: str) -> None:
    assert format_type(type_text) == expected


def test_tests_are_recognised_by_name_and_folder() -> None:
    assert is_test_method("src/test/a/FooTest.java", "FooTest")
    assert is_test_method("src/tests/a/Foo.java", "Foo.TestsOfIt")
    assert not is_test_method("src/main/a/FooTest.java", "FooTest")
    assert not is_test_method("src/test/a/Helper.java", "Helper")
    assert not is_test_method("src/test/a/FooTestCase.java", "FooTestCase")
    assert is_tool_test("src/test/a/FooTestCase.java")
    assert is_tool_test("tags/1.0/Foo.java")
    assert not is_tool_test("src/main/TestFoo.java")
    assert not is_tool_test("src/test/a/Foo.java")


MAIN = """
package p;
public class Main {
    /** Adds two numbers. @param is text here */
    public int add(int a, int... b) { return a + b[0]; }
    /** Sums them up, privately. */
    private int sum(java.util.Map<String, ? extends Number> a) { return a.size() + 1; }
    /** Makes it. */
    public Main() { int a = 1 + 2; }
    int undocumented() { return 1 + 1; }
    /** Small. */
    int small() { return x; }
    /** Refuses. */
    int refuse() { throw new UnsupportedOperationException("a" + "b"); }
    /** Hashes. */
    public int hashCode() { return 1 + 2; }
    /** Compares. */
    public boolean equals(java.lang.Object other) { return this == other; }
    /** {@inheritDoc} */
    int inherited() { return 1 + 2; }
    /** Is abstract. */
    abstract int none();
    private static class Hidden {
        /** Adds within. */
        int add() { return 1 + 2; }
        class Inner { /** Deeper. */ int add() { return 1 + 2; } }
    }
    enum E {
        A { /** In a constant. */ int f() { return 1 + 1; } };
        /** In it. */ int g() { return 1 + 1; }
    }
    int local() {
        class Local { /** Is local. */ int f() { return 1 + 1; } }
        return new Object() { /** Has no name. */ int f() { return 1 + 1; } }.f();
    }
}
/** @test */
class Other { /** Runs. */ int f() { return 1 + 1; } }
"""
TEST = "package p; class {} {{ /** Tests it. */ int f() {{ return 1 + 1; }} }}\n"
BROKEN = (
    "class B { /** Is broken. */ int f() { return 1 + ; } /** Is not. */ int g() { return 1 + 1; } "
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("mined")
    files = {
        "zebra/src/p/Main.java": MAIN,
        "zebra/test/p/MainTest.java": TEST.format("MainTest"),
        "zebra/test/p/MainTestCase.java": TEST.format("MainTestCase"),
        "zebra/test/p/Helper.java": "/** Test of it. */ " + TEST.format("Helper").split(";", 1)[1],
        "ant/B.java": BROKEN,
        "ant/Empty.java": "",
        "ant/script.js": "function f() { return 1 + 1 }",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build_corpus_at(
        folder / "corpus", [str(folder / "zebra"), str(folder / "ant")], views=["tokens"]
    )
    return Corpus.open(folder / "corpus")


def mine_corpus(corpus: Corpus, compat: str = "", workers: int = 1) -> Mined:
    return mine_methods(corpus, shared_engine(workers), compat)


def test_filters_of_the_paper(corpus: Corpus) -> None:
    mined_methods = mine_corpus(corpus)
    assert mined_methods.table["key"].to_pylist() == [
        "B.f()",
        "B.g()",
        "Main.add(int, int[])",
        "Main.sum(java.util.Map<String, ?>)",
        "Main.Hidden.add()",
        "Main.Hidden.Inner.add()",
        "Main.E.$1.f()",
        "Main.E.g()",
        "Main.Local.f()",
        "Main.$2.f()",
        "Other.f()",
        "Helper.f()",
        "MainTestCase.f()",
    ]
    assert mined_methods.counts.dropped == dict.fromkeys(FILTERS, 0) | {
        "undocumented": 2,
        "without a body": 1,
        "constructors": 1,
        "equals, hashCode, toString": 2,
        "tests": 1,
        "small": 1,
        "only throw": 1,
        "say nothing": 1,
    }
    assert mined_methods.counts.mined == 13
    assert mined_methods.counts.methods == len(corpus)


def test_filters_of_the_published_tool(corpus: Corpus) -> None:
    mined_methods = mine_corpus(corpus, SESAME_TOOLS)
    assert mined_methods.table["key"].to_pylist() == [
        "B.f()",
        "B.g()",
        "Main.add(int, int[])",
        "Main.E.g()",
    ]
    dropped = mined_methods.counts.dropped
    assert (dropped["tests"], dropped["in excluded types"]) == (4, 5)
    assert dropped["private"] == 1


def test_columns_of_a_mined_method(corpus: Corpus) -> None:
    table = mine_corpus(corpus).table
    assert table.schema == make_schema()
    (row,) = (row for row in table.to_pylist() if row["key"] == "Main.add(int, int[])")
    assert row["project"] == "zebra"
    assert row["path"] == "src/p/Main.java"
    assert (row["type"], row["name"], row["line"], row["end_line"]) == ("p.Main", "add", 5, 5)
    assert row["words"] == "adds two numbers @param is text here"
    assert row["javadoc"].startswith("/** Adds")
    assert row["text"] == "public int add(int a, int... b) { return a + b[0]; }"
    assert len(row["kinds"]) == 10
    assert corpus.method(row["method_id"])["signature"] == row["signature"]


def test_result_does_not_depend_on_the_number_of_workers(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    tables: list[pa.Table] = []
    for workers in (1, 2):
        mined_methods = mine_corpus(examples_corpus, workers=workers)
        write_methods(mined_methods.table, tmp_path / f"{workers}" / "methods.parquet")
        tables.append(mined_methods.table)
    assert tables[0].equals(tables[1])
    assert tables[0].num_rows > 50
    one_worker, two_workers = ((tmp_path / name / "methods.parquet").read_bytes() for name in "12")
    assert one_worker == two_workers
    columns = (tables[0][name].to_pylist() for name in ("project", "path", "start_byte"))
    order = list(zip(*columns, strict=True))
    assert order == sorted(order)


class FailingEngine:
    """An engine that loses its worker on some items."""

    def __init__(self, is_deadly: Callable[[Any], bool]) -> None:
        self.is_deadly = is_deadly

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for index, item in enumerate(items):
            yield index, WorkerLost("it died") if self.is_deadly(item) else work(item)


def test_only_methods_that_kill_their_worker_fail(corpus: Corpus) -> None:
    complete = mine_corpus(corpus)
    recovered = mine_methods(corpus, FailingEngine(lambda shard: not shard.rows))
    assert recovered.table.equals(complete.table)
    assert recovered.counts == complete.counts
    incomplete = mine_methods(corpus, FailingEngine(lambda shard: shard.rows in ((), (0,))))
    assert incomplete.counts.failed == len(corpus.shards)
    assert incomplete.counts.methods == complete.counts.methods
    remaining_ids = incomplete.table["method_id"].to_pylist()
    assert 0 < len(remaining_ids) < complete.counts.mined
    assert set(remaining_ids) < set(complete.table["method_id"].to_pylist())


def test_damaged_corpus_is_reported(corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(corpus.folder, tmp_path / "copy")
    copy = Corpus.open(tmp_path / "copy")
    copy.table_path(copy.shards[0], "methods").write_bytes(b"PAR1")
    with pytest.raises(CodeacumenError, match="methods"):
        mine_corpus(copy)
    with pytest.raises(CodeacumenError, match="unknown JavaDoc rules"):
        mine_corpus(corpus, "other")
