"""The store: methods by id, their views, the calls between them."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from acumen.api import AcumenError
from acumen.corpus import Corpus
from acumen.corpus.ids import method_ids
from acumen.lang.java.file import JavaFile
from acumen.registry import make_view
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
            assert corpus.view(method, view, compat)


def test_what_is_not_there_is_told(examples_corpus: Corpus) -> None:
    with pytest.raises(AcumenError, match="no id of a method"):
        examples_corpus.method("main")
    with pytest.raises(AcumenError, match="there is no method"):
        examples_corpus.method(uuid.uuid4())
    method = str(all_methods(examples_corpus)[0]["method_id"])
    with pytest.raises(AcumenError, match="no view called 'tokenz'") as caught:
        examples_corpus.view(method, "tokenz")
    assert "tokens" in caught.value.hint
    with pytest.raises(AcumenError, match="knows no tool called 'javac'"):
        examples_corpus.view(method, "tokens", "javac")
    with pytest.raises(AcumenError) as caught:
        examples_corpus.query("select * from nowhere")
    assert "methods" in caught.value.hint


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
