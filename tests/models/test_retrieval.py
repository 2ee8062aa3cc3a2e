"""Tests of the model that names a method after its nearest neighbours."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Capability, CodeacumenError, Instance, Method
from codeacumen.corpus import Corpus
from codeacumen.models.retrieval import CorpusNeighbours
from codeacumen.registry import make_model
from codeacumen.runs.ask import ask_model
from codeacumen.runs.plan import PlannedTask, list_available_models
from codeacumen.views.masking.text import mask_snippet
from corpora import build_corpus_at
from support import make_plan
from toy_task import ToyTask


def make_namer(corpus: Corpus, settings: str = "split=all") -> CorpusNeighbours:
    model = make_model(f"nearest-namer:corpus={corpus.folder},{settings}").model
    assert isinstance(model, CorpusNeighbours)
    return model


@pytest.fixture(scope="module")
def everything(examples_corpus: Corpus) -> CorpusNeighbours:
    return make_namer(examples_corpus)


@pytest.fixture(scope="module")
def rows(examples_corpus: Corpus) -> list[dict[str, Any]]:
    table = examples_corpus.query(
        "select method_id::text as id, project, split, name, text from methods "
        "where kind = 'method' and body"
    )
    return list(table.to_pylist())


def make_question(row: dict[str, Any], id_: str = "") -> Method:
    return Method(id_ or row["id"], mask_snippet(row["text"], row["name"]))


def test_indexed_method_is_named_after_itself_unless_it_has_the_same_id(
    everything: CorpusNeighbours, rows: list[dict[str, Any]]
) -> None:
    truth = [row["name"] for row in rows]
    foreign_answers = everything.name([make_question(row, f"somebody/{row['id']}") for row in rows])
    correct_count = sum(answer == name for answer, name in zip(foreign_answers, truth, strict=True))
    assert correct_count > 0.95 * len(rows)
    answers = everything.name([make_question(row) for row in rows])
    assert sum(answer == name for answer, name in zip(answers, truth, strict=True)) < 0.4 * len(
        rows
    )
    variant_answers = everything.name(
        [make_question(row, f"{row['id']}/loop/single/3") for row in rows]
    )
    assert variant_answers == answers


def test_nearest_namer_beats_most_frequent_name(
    everything: CorpusNeighbours, rows: list[dict[str, Any]]
) -> None:
    names = [row["name"] for row in rows]
    answers = everything.name([make_question(row) for row in rows])
    correct_count = sum(answer == name for answer, name in zip(answers, names, strict=True))
    assert correct_count > 5 * Counter(names).most_common(1)[0][1]


def test_answer_does_not_depend_on_its_batch(
    everything: CorpusNeighbours, rows: list[dict[str, Any]]
) -> None:
    methods = [make_question(row) for row in rows[::5]]
    batch_answers = everything.name(methods)
    assert [everything.name([method])[0] for method in methods] == batch_answers
    assert everything.name(methods[::-1])[::-1] == batch_answers


def test_text_without_method_gets_identifier_or_none(everything: CorpusNeighbours) -> None:
    texts = ["", "}", "/*", "int METHOD_NAME(", "\udcff", "{" * 2000, "größe § 漢字"]
    answers = everything.name([Method(str(i), text) for i, text in enumerate(texts)])
    assert answers[0] is None
    assert all(answer is None or answer.isidentifier() for answer in answers)


def test_index_holds_only_the_chosen_split(
    examples_corpus: Corpus, rows: list[dict[str, Any]]
) -> None:
    train, test = (
        make_namer(examples_corpus, "split=train"),
        make_namer(examples_corpus, "split=test"),
    )
    sizes = Counter(row["split"] for row in rows)
    assert (len(train.index), len(test.index)) == (sizes["train"], sizes["test"])
    assert set(test.names) == {row["name"] for row in rows if row["split"] == "test"}
    assert make_model(f"nearest-namer:corpus={examples_corpus.folder}").settings["split"] == "train"


def test_vote_weighs_names_by_similarity() -> None:
    judge = object.__new__(CorpusNeighbours)
    judge.names = ["get", "set", "get", "add", "put"]
    assert judge._count_votes([1, 0, 2], [0.5, 0.45, 0.45]) == "get"
    assert judge._count_votes([1, 0, 2], [0.5, 0.35, 0.35]) == "set"
    # As many votes, but more similar.
    assert judge._count_votes([1, *[0] * 8], [1.0, *[0.5] * 8]) == "set"
    assert judge._count_votes([4, 3], [0.5, 0.5]) == "add"
    assert judge._count_votes([4, -1], [0.5, 0.0]) == "put"
    assert judge._count_votes([-1, -1], [0.0, 0.0]) is None


def test_nearest_namer_answers_in_a_run_like_the_bounds(
    examples_corpus: Corpus, rows: list[dict[str, Any]]
) -> None:
    instances = [Instance(row["id"], make_question(row), row["name"]) for row in rows[:40]]
    task = PlannedTask(ToyTask(instances, capability=Capability.NAME))
    for reference in (f"nearest-namer:corpus={examples_corpus.folder}", "majority", "oracle"):
        batches = ask_model(make_model(reference), task, lambda _: True)
        answers = [answer for batch in batches for answer in batch]
        assert len(answers) == 40
        assert not any(answer.error for answer in answers)


def test_fingerprint_depends_on_corpus(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "own" / "a").mkdir(parents=True)
    (tmp_path / "own" / "a" / "A.java").write_text(
        "class A { int size() { return n; } void clear() { all.clear(); } }"
    )
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "own")], workers=1, views=["text"])
    small = make_namer(Corpus.open(tmp_path / "corpus"))
    assert small.fingerprint != make_namer(examples_corpus).fingerprint
    # The views need not be stored.
    assert small.name([Method("", "int METHOD_NAME() { return n; }")]) == ["size"]


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ("", "needs a corpus", "corpus build"),
        ("corpus={empty}", "holds no corpus", "corpus build"),
        ("corpus={corpus},split=tests", "no split 'tests'", "train, dev, test"),
        ("corpus={small},split=dev", "no methods of the split dev", "it has test"),
        ("corpus={corpus},k=0", "k=0", "at least 1"),
        ("corpus={corpus},k=many", "k='many'", "at least 1"),
        ("corpus={corpus},paths=1.5", "paths=1.5", "from 0"),
    ],
)
def test_invalid_settings_are_refused(
    settings: str, message: str, hint: str, examples_corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "quill").mkdir()
    (tmp_path / "quill" / "A.java").write_text("class A { int size() { return 1; } }")
    build_corpus_at(tmp_path / "small", [str(tmp_path / "quill")], workers=1, views=["text"])
    model_settings = settings.format(
        empty=tmp_path / "none", corpus=examples_corpus.folder, small=tmp_path / "small"
    )
    with pytest.raises(CodeacumenError, match=message) as caught:
        make_model(f"nearest-namer:{model_settings}")
    assert hint in caught.value.hint


def test_without_corpus_other_models_are_evaluated() -> None:
    offer = list_available_models()
    assert "nearest-namer" not in offer.names
    assert "nearest-namer" in offer.absent
    assert not offer.broken
    cells, _ = make_plan(offer.names, ["abbreviations/match"], skip_unfit=True)
    assert len(cells) > 3
