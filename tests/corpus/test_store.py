"""Tests of the store: methods by id, their views, and the calls between them."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus, stored_corpus
from codeacumen.corpus.export import iterate_view_values
from codeacumen.corpus.ids import compute_method_ids
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from corpora import EXAMPLES, VIEWS, build_corpus_at


def read_all_methods(corpus: Corpus) -> list[dict[str, object]]:
    return list(corpus.query("select * from methods").to_pylist())


def test_every_method_is_found_by_its_id(examples_corpus: Corpus) -> None:
    for row in read_all_methods(examples_corpus):
        assert examples_corpus.method(str(row["method_id"])) == row


def test_method_text_equals_the_source(examples_corpus: Corpus) -> None:
    for row in read_all_methods(examples_corpus)[::7]:
        root = next(
            Path(example_root)
            for example_root in EXAMPLES
            if Path(example_root).name == row["project"]
        )
        source = (root / str(row["path"])).read_bytes()
        assert source[row["start_byte"] : row["end_byte"]].decode() == row["text"]  # type: ignore[misc]
        ids = compute_method_ids(
            str(row["project"]), str(row["path"]), JavaFile(source).declarations
        )
        assert ids[row["place"]] == uuid.UUID(str(row["method_id"]))  # type: ignore[call-overload]


@pytest.mark.parametrize("view", VIEWS)
def test_stored_views_equal_computed_views(
    examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory, view: str
) -> None:
    bare = tmp_path_factory.mktemp("bare") / "corpus"
    build_corpus_at(bare, EXAMPLES[:1], views=["text"])
    corpus = Corpus.open(bare)
    rows = [row for row in read_all_methods(corpus) if row["body"]][::11]
    assert len(rows) > 5
    view_object = make_view(view)
    for row in rows:
        method = str(row["method_id"])
        assert corpus.view(method, view) == examples_corpus.view(method, view)
        for compat in view_object.compats:
            is_left_out = "code2" in view and "constructor" in str(row["kind"])
            assert bool(corpus.view(method, view, compat)) != is_left_out


def test_missing_methods_views_and_tables_are_reported(examples_corpus: Corpus) -> None:
    with pytest.raises(CodeacumenError, match="no id of a method"):
        examples_corpus.method("main")
    with pytest.raises(CodeacumenError, match="there is no method"):
        examples_corpus.method(uuid.uuid4())
    method = str(read_all_methods(examples_corpus)[0]["method_id"])
    with pytest.raises(CodeacumenError, match="no view 'tokenz'") as caught:
        examples_corpus.view(method, "tokenz")
    assert "tokens" in caught.value.hint
    with pytest.raises(CodeacumenError, match="does not support the tool 'javac'"):
        examples_corpus.view(method, "tokens", "javac")
    with pytest.raises(CodeacumenError) as caught:
        examples_corpus.query("select * from nowhere")
    assert "methods" in caught.value.hint


def test_calls_support_no_tool(examples_corpus: Corpus) -> None:
    method = str(read_all_methods(examples_corpus)[0]["method_id"])
    with pytest.raises(CodeacumenError, match="the view calls does not support the tool 'javac'"):
        examples_corpus.view(method, "calls", "javac")
    with pytest.raises(CodeacumenError, match="the view calls does not support the tool 'javac'"):
        iterate_view_values(examples_corpus, "calls", "javac")
    # The error comes from the call of export, not from the first iteration.
    with pytest.raises(CodeacumenError, match="the view text does not support the tool 'javac'"):
        iterate_view_values(examples_corpus, "text", "javac")


def test_a_method_without_a_body(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("interface A { int f(int a); }")
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "A.java")])
    corpus = Corpus.open(tmp_path / "corpus")
    (row,) = read_all_methods(corpus)
    method = str(row["method_id"])
    for view in (view for view in VIEWS if view != "text"):
        with pytest.raises(CodeacumenError, match=r"A\.f\(int\) has no body"):
            corpus.view(method, view)
    with pytest.raises(CodeacumenError, match="has no body"):
        corpus.view(method, "text", "gluecode")
    assert corpus.view(method, "text") == "int f(int a);"
    assert corpus.view(method, "calls") == []


def test_only_the_shard_of_the_method_is_read(examples_corpus: Corpus, tmp_path: Path) -> None:
    """Reading a method needs no other shard, so it takes no longer in a large corpus."""
    folder = Path(shutil.copytree(examples_corpus.folder, tmp_path / "corpus"))
    for shard in [*folder.glob("shards/*"), *folder.glob("calls/*")]:
        if not shard.name.startswith("quill."):
            shutil.rmtree(shard)
    corpus = Corpus.open(folder)
    rows = [row for row in read_all_methods(examples_corpus) if row["project"] == "quill"]
    for row in rows[::9]:
        method = str(row["method_id"])
        assert corpus.method(method) == row
        assert corpus.calls(method) == examples_corpus.calls(method)
        for query in ("type_of", "file_of", "project_of", "siblings", "callers", "callees"):
            assert getattr(corpus, query)(method) == getattr(examples_corpus, query)(method)
        if row["body"]:
            compat = corpus.view(method, "ast", "features-javac")
            assert compat == examples_corpus.view(method, "ast")


def test_calls_of_a_method_equal_the_table(examples_corpus: Corpus) -> None:
    call_rows = examples_corpus.query(
        "select caller_id, start_byte, line, kind, reference, ambiguous, inside, callee, "
        "coalesce(list_sort(d.callees), []) as targets "
        "from calls c left join dispatch d on c.project = d.project and c.targets = d.targets "
        "where caller_id is not null order by caller_id, start_byte"
    ).to_pylist()
    ids = examples_corpus.query("select method_id from numbers order by number")
    names = ids["method_id"].to_pylist()
    expected: dict[str, list[dict[str, object]]] = {}
    for call in call_rows:
        caller = str(call.pop("caller_id"))
        targets = [names[number] for number in call.pop("targets")]
        expected.setdefault(caller, []).append({**call, "targets": targets})
    assert sum(map(len, expected.values())) > 4_000
    for row in read_all_methods(examples_corpus)[::3]:
        method = str(row["method_id"])
        assert examples_corpus.calls(method) == expected.get(method, [])


def test_ids_do_not_depend_on_the_number_of_methods(
    examples_corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few ids are read by position, many from the whole column; both give the same ids."""
    numbers = np.arange(0, len(examples_corpus), 3)
    ids = examples_corpus.read_ids(numbers)
    monkeypatch.setattr(stored_corpus, "_FEW", -1)
    assert examples_corpus.read_ids(numbers) == ids
    monkeypatch.undo()
    rows = examples_corpus.read_rows("methods", numbers.tolist(), ["method_id"])
    assert list(ids.values()) == [row["method_id"] for row in rows]
    assert examples_corpus.read_ids(np.empty(0, dtype=np.int64)) == {}


def test_only_select_queries_are_allowed(examples_corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for sql in (
        f"copy (select 1) to '{out}'",
        "create table mine as select 1",
        "drop view methods",
        "select 1; select 2",
        f"select 1; copy (select 1) to '{out}'",
        "",
        "  ",
        "pragma version",
    ):
        with pytest.raises(CodeacumenError) as caught:
            examples_corpus.query(sql)
        assert "select" in caught.value.hint
    assert not out.exists()
    for sql in ("with a as (select 1) select * from a", "from methods limit 1", "describe methods"):
        assert examples_corpus.query(sql).num_rows


def test_callers_and_callees_equal_the_edges(examples_corpus: Corpus) -> None:
    edges = {
        (str(row["caller_id"]), str(row["callee_id"]))
        for row in examples_corpus.query(
            "select distinct caller_id, callee_id from edges where caller_id is not null"
        ).to_pylist()
    }
    assert len(edges) > 200
    for row in read_all_methods(examples_corpus)[::5]:
        method = str(row["method_id"])
        callees = {str(callee["method_id"]) for callee in examples_corpus.callees(method)}
        callers = {str(caller["method_id"]) for caller in examples_corpus.callers(method)}
        # A recursive method is not its own caller or callee.
        assert callees == {
            callee_id
            for caller_id, callee_id in edges
            if caller_id == method and callee_id != method
        }
        assert callers == {
            caller_id
            for caller_id, callee_id in edges
            if callee_id == method and caller_id != method
        }


def test_depth_two_follows_calls_of_callees(examples_corpus: Corpus) -> None:
    further_count = 0
    for row in read_all_methods(examples_corpus)[::9]:
        method = str(row["method_id"])
        within_two = examples_corpus.callees(method, depth=2)
        direct = {str(row["method_id"]) for row in examples_corpus.callees(method)}
        assert {str(row["method_id"]) for row in within_two if row["depth"] == 1} == direct
        further = {str(row["method_id"]) for row in within_two if row["depth"] == 2}
        reached = {
            str(row["method_id"]) for callee in direct for row in examples_corpus.callees(callee)
        }
        assert further == reached - direct - {method}
        further_count += len(further)
    assert further_count > 20


def test_siblings_type_file_and_project(examples_corpus: Corpus) -> None:
    for row in read_all_methods(examples_corpus)[::13]:
        method = str(row["method_id"])
        expected = examples_corpus.query(
            "select method_id from methods where type_id = ? and method_id <> ? order by place",
            [str(row["type_id"]), method],
        )["method_id"].to_pylist()
        assert [sibling["method_id"] for sibling in examples_corpus.siblings(method)] == expected
        assert examples_corpus.type_of(method)["type_id"] == row["type_id"]
        assert examples_corpus.file_of(method)["path"] == row["path"]
        assert examples_corpus.project_of(method)["project"] == row["project"]
