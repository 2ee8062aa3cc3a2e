"""The store: methods by id, their views, the calls between them."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus, stored
from codeacumen.corpus.export import export
from codeacumen.corpus.ids import method_ids
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from corpora import EXAMPLES, VIEWS, build_at


def all_methods(corpus: Corpus) -> list[dict[str, object]]:
    return list(corpus.query("select * from methods").to_pylist())


def test_every_method_is_found_by_its_id(examples_corpus: Corpus) -> None:
    for row in all_methods(examples_corpus):
        assert examples_corpus.method(str(row["method_id"])) == row


def test_a_method_is_its_text_in_its_file(examples_corpus: Corpus) -> None:
    for row in all_methods(examples_corpus)[::7]:
        root = next(Path(one) for one in EXAMPLES if Path(one).name == row["project"])
        source = (root / str(row["path"])).read_bytes()
        assert source[row["start_byte"] : row["end_byte"]].decode() == row["text"]  # type: ignore[misc]
        ids = method_ids(str(row["project"]), str(row["path"]), JavaFile(source).declarations)
        assert ids[row["place"]] == uuid.UUID(str(row["method_id"]))  # type: ignore[call-overload]


@pytest.mark.parametrize("view", VIEWS)
def test_a_stored_view_is_the_one_computed_on_demand(
    examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory, view: str
) -> None:
    bare = tmp_path_factory.mktemp("bare") / "corpus"
    build_at(bare, EXAMPLES[:1], views=["text"])
    corpus = Corpus.open(bare)
    rows = [row for row in all_methods(corpus) if row["body"]][::11]
    assert len(rows) > 5
    made = make_view(view)
    for row in rows:
        method = str(row["method_id"])
        assert corpus.view(method, view) == examples_corpus.view(method, view)
        for compat in made.compats:
            left_out = "code2" in view and "constructor" in str(row["kind"])
            assert bool(corpus.view(method, view, compat)) != left_out


def test_what_is_not_there_is_told(examples_corpus: Corpus) -> None:
    with pytest.raises(CodeacumenError, match="no id of a method"):
        examples_corpus.method("main")
    with pytest.raises(CodeacumenError, match="there is no method"):
        examples_corpus.method(uuid.uuid4())
    method = str(all_methods(examples_corpus)[0]["method_id"])
    with pytest.raises(CodeacumenError, match="no view 'tokenz'") as caught:
        examples_corpus.view(method, "tokenz")
    assert "tokens" in caught.value.hint
    with pytest.raises(CodeacumenError, match="does not support the tool 'javac'"):
        examples_corpus.view(method, "tokens", "javac")
    with pytest.raises(CodeacumenError) as caught:
        examples_corpus.query("select * from nowhere")
    assert "methods" in caught.value.hint


def test_no_tool_is_known_for_calls(examples_corpus: Corpus) -> None:
    method = str(all_methods(examples_corpus)[0]["method_id"])
    with pytest.raises(CodeacumenError, match="the view calls does not support the tool 'javac'"):
        examples_corpus.view(method, "calls", "javac")
    with pytest.raises(CodeacumenError, match="the view calls does not support the tool 'javac'"):
        export(examples_corpus, "calls", "javac")
    # Told at once, not when the first value is asked for.
    with pytest.raises(CodeacumenError, match="the view text does not support the tool 'javac'"):
        export(examples_corpus, "text", "javac")


def test_a_method_without_a_body(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("interface A { int f(int a); }")
    build_at(tmp_path / "corpus", [str(tmp_path / "A.java")])
    corpus = Corpus.open(tmp_path / "corpus")
    (row,) = all_methods(corpus)
    method = str(row["method_id"])
    for view in (view for view in VIEWS if view != "text"):
        with pytest.raises(CodeacumenError, match=r"A\.f\(int\) has no body"):
            corpus.view(method, view)
    with pytest.raises(CodeacumenError, match="has no body"):
        corpus.view(method, "text", "gluecode")
    assert corpus.view(method, "text") == "int f(int a);"
    assert corpus.view(method, "calls") == []


def test_only_the_methods_own_shard_is_read(examples_corpus: Corpus, tmp_path: Path) -> None:
    """So that it takes no longer in a large corpus: the other shards are not even there."""
    folder = Path(shutil.copytree(examples_corpus.folder, tmp_path / "corpus"))
    for place in [*folder.glob("shards/*"), *folder.glob("calls/*")]:
        if not place.name.startswith("quill."):
            shutil.rmtree(place)
    corpus = Corpus.open(folder)
    rows = [row for row in all_methods(examples_corpus) if row["project"] == "quill"]
    for row in rows[::9]:
        method = str(row["method_id"])
        assert corpus.method(method) == row
        assert corpus.calls(method) == examples_corpus.calls(method)
        for what in ("type_of", "file_of", "project_of", "siblings", "callers", "callees"):
            assert getattr(corpus, what)(method) == getattr(examples_corpus, what)(method)
        if row["body"]:
            compat = corpus.view(method, "ast", "features-javac")
            assert compat == examples_corpus.view(method, "ast")


def test_the_calls_of_a_method_are_those_of_the_table(examples_corpus: Corpus) -> None:
    found = examples_corpus.query(
        "select caller_id, start_byte, line, kind, reference, ambiguous, inside, callee, "
        "coalesce(list_sort(d.callees), []) as targets "
        "from calls c left join dispatch d on c.project = d.project and c.targets = d.targets "
        "where caller_id is not null order by caller_id, start_byte"
    ).to_pylist()
    ids = examples_corpus.query("select method_id from numbers order by number")
    names = ids["method_id"].to_pylist()
    expected: dict[str, list[dict[str, object]]] = {}
    for call in found:
        caller = str(call.pop("caller_id"))
        targets = [names[number] for number in call.pop("targets")]
        expected.setdefault(caller, []).append({**call, "targets": targets})
    assert sum(map(len, expected.values())) > 4_000
    for row in all_methods(examples_corpus)[::3]:
        method = str(row["method_id"])
        assert examples_corpus.calls(method) == expected.get(method, [])


def test_ids_of_many_methods_at_once(
    examples_corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few are read where they stand, many from the whole column: the same ids."""
    numbers = np.arange(0, len(examples_corpus), 3)
    few = examples_corpus.ids_of(numbers)
    monkeypatch.setattr(stored, "_FEW", -1)
    assert examples_corpus.ids_of(numbers) == few
    monkeypatch.undo()
    rows = examples_corpus.rows("methods", numbers.tolist(), ["method_id"])
    assert list(few.values()) == [row["method_id"] for row in rows]
    assert examples_corpus.ids_of(np.empty(0, dtype=np.int64)) == {}


def test_only_questions_are_answered(examples_corpus: Corpus, tmp_path: Path) -> None:
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


def test_callers_and_callees_are_two_sides_of_the_edges(examples_corpus: Corpus) -> None:
    edges = {
        (str(row["caller_id"]), str(row["callee_id"]))
        for row in examples_corpus.query(
            "select distinct caller_id, callee_id from edges where caller_id is not null"
        ).to_pylist()
    }
    assert len(edges) > 200
    for row in all_methods(examples_corpus)[::5]:
        me = str(row["method_id"])
        callees = {str(one["method_id"]) for one in examples_corpus.callees(me)}
        callers = {str(one["method_id"]) for one in examples_corpus.callers(me)}
        # A recursive method is not its own neighbour.
        assert callees == {b for a, b in edges if a == me and b != me}
        assert callers == {a for a, b in edges if b == me and a != me}


def test_depth_follows_calls_of_calls(examples_corpus: Corpus) -> None:
    deep = 0
    for row in all_methods(examples_corpus)[::9]:
        me = str(row["method_id"])
        two = examples_corpus.callees(me, depth=2)
        one = {str(row["method_id"]) for row in examples_corpus.callees(me)}
        assert {str(row["method_id"]) for row in two if row["depth"] == 1} == one
        further = {str(row["method_id"]) for row in two if row["depth"] == 2}
        reached = {str(row["method_id"]) for near in one for row in examples_corpus.callees(near)}
        assert further == reached - one - {me}
        deep += len(further)
    assert deep > 20


def test_siblings_type_file_and_project(examples_corpus: Corpus) -> None:
    for row in all_methods(examples_corpus)[::13]:
        me = str(row["method_id"])
        expected = examples_corpus.query(
            "select method_id from methods where type_id = ? and method_id <> ? order by place",
            [str(row["type_id"]), me],
        )["method_id"].to_pylist()
        assert [one["method_id"] for one in examples_corpus.siblings(me)] == expected
        assert examples_corpus.type_of(me)["type_id"] == row["type_id"]
        assert examples_corpus.file_of(me)["path"] == row["path"]
        assert examples_corpus.project_of(me)["project"] == row["project"]
