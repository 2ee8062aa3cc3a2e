"""The models that name a method as its nearest neighbours are named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import Capability, CodeacumenError, Instance, Method
from codeacumen.corpus import Corpus
from codeacumen.models.retrieval import NearestNamer
from codeacumen.registry import make_model
from codeacumen.runs.ask import ask
from codeacumen.runs.plan import PlannedTask, make_plan, offered_models
from codeacumen.views.masking.text import masked
from corpora import build_at
from toys import Toy


def namer(corpus: Corpus, settings: str = "split=all") -> NearestNamer:
    made = make_model(f"nearest-namer:corpus={corpus.folder},{settings}").model
    assert isinstance(made, NearestNamer)
    return made


@pytest.fixture(scope="module")
def everything(examples_corpus: Corpus) -> NearestNamer:
    return namer(examples_corpus)


@pytest.fixture(scope="module")
def rows(examples_corpus: Corpus) -> list[dict[str, Any]]:
    found = examples_corpus.query(
        "select method_id::text as id, project, split, name, text from methods "
        "where kind = 'method' and body"
    )
    return list(found.to_pylist())


def question(row: dict[str, Any], id_: str = "") -> Method:
    return Method(id_ or row["id"], masked(row["text"], row["name"]))


def test_a_method_it_knows_is_named_after_itself_unless_it_is_the_one_asked_for(
    everything: NearestNamer, rows: list[dict[str, Any]]
) -> None:
    truth = [row["name"] for row in rows]
    strange = everything.name([question(row, f"somebody/{row['id']}") for row in rows])
    known = sum(answer == name for answer, name in zip(strange, truth, strict=True))
    assert known > 0.95 * len(rows)
    honest = everything.name([question(row) for row in rows])
    assert sum(answer == name for answer, name in zip(honest, truth, strict=True)) < 0.4 * len(rows)
    variants = everything.name([question(row, f"{row['id']}/loop/single/3") for row in rows])
    assert variants == honest


def test_it_beats_the_most_frequent_name(
    everything: NearestNamer, rows: list[dict[str, Any]]
) -> None:
    names = [row["name"] for row in rows]
    answers = everything.name([question(row) for row in rows])
    right = sum(answer == name for answer, name in zip(answers, names, strict=True))
    assert right > 5 * Counter(names).most_common(1)[0][1]


def test_an_answer_does_not_depend_on_its_batch(
    everything: NearestNamer, rows: list[dict[str, Any]]
) -> None:
    methods = [question(row) for row in rows[::5]]
    together = everything.name(methods)
    assert [everything.name([method])[0] for method in methods] == together
    assert everything.name(methods[::-1])[::-1] == together


def test_what_is_no_method_gets_some_answer_or_none(everything: NearestNamer) -> None:
    texts = ["", "}", "/*", "int METHOD_NAME(", "\udcff", "{" * 2000, "größe § 漢字"]
    answers = everything.name([Method(str(i), text) for i, text in enumerate(texts)])
    assert answers[0] is None
    assert all(answer is None or answer.isidentifier() for answer in answers)


def test_only_the_split_is_learned(examples_corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    train, test = namer(examples_corpus, "split=train"), namer(examples_corpus, "split=test")
    sizes = Counter(row["split"] for row in rows)
    assert (len(train.index), len(test.index)) == (sizes["train"], sizes["test"])
    assert set(test.names) == {row["name"] for row in rows if row["split"] == "test"}
    assert make_model(f"nearest-namer:corpus={examples_corpus.folder}").settings["split"] == "train"


def test_the_vote() -> None:
    judge = object.__new__(NearestNamer)
    judge.names = ["get", "set", "get", "add", "put"]
    assert judge._voted([1, 0, 2], [0.5, 0.45, 0.45]) == "get"
    assert judge._voted([1, 0, 2], [0.5, 0.35, 0.35]) == "set"
    # As many votes, but nearer.
    assert judge._voted([1, *[0] * 8], [1.0, *[0.5] * 8]) == "set"
    assert judge._voted([4, 3], [0.5, 0.5]) == "add"
    assert judge._voted([4, -1], [0.5, 0.0]) == "put"
    assert judge._voted([-1, -1], [0.0, 0.0]) is None


def test_it_can_be_asked_beside_the_bounds(
    examples_corpus: Corpus, rows: list[dict[str, Any]]
) -> None:
    instances = [Instance(row["id"], question(row), row["name"]) for row in rows[:40]]
    task = PlannedTask(Toy(instances, capability=Capability.NAME))
    for reference in (f"nearest-namer:corpus={examples_corpus.folder}", "majority", "oracle"):
        batches = ask(make_model(reference), task, lambda _: True)
        answers = [answer for batch in batches for answer in batch]
        assert len(answers) == 40
        assert not any(answer.error for answer in answers)


def test_another_corpus_is_another_model(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "own" / "a").mkdir(parents=True)
    (tmp_path / "own" / "a" / "A.java").write_text(
        "class A { int size() { return n; } void clear() { all.clear(); } }"
    )
    build_at(tmp_path / "corpus", [str(tmp_path / "own")], workers=1, views=["text"])
    small = namer(Corpus.open(tmp_path / "corpus"))
    assert small.fingerprint != namer(examples_corpus).fingerprint
    # The views need not be stored.
    assert small.name([Method("", "int METHOD_NAME() { return n; }")]) == ["size"]


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ("", "needs a corpus", "corpus build"),
        ("corpus={empty}", "holds no corpus", "corpus build"),
        ("corpus={corpus},split=tests", "no split 'tests'", "train, dev, test"),
        ("corpus={small},split=dev", "no methods of the split dev", "it has test"),
        ("corpus={corpus},k=0", "k=0", "1 or more"),
        ("corpus={corpus},k=many", "k='many'", "1 or more"),
        ("corpus={corpus},paths=1.5", "paths=1.5", "from 0"),
    ],
)
def test_settings_that_make_no_model(
    settings: str, message: str, hint: str, examples_corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "quill").mkdir()
    (tmp_path / "quill" / "A.java").write_text("class A { int size() { return 1; } }")
    build_at(tmp_path / "small", [str(tmp_path / "quill")], workers=1, views=["text"])
    told = settings.format(
        empty=tmp_path / "none", corpus=examples_corpus.folder, small=tmp_path / "small"
    )
    with pytest.raises(CodeacumenError, match=message) as caught:
        make_model(f"nearest-namer:{told}")
    assert hint in caught.value.hint


def test_without_a_corpus_the_others_are_evaluated() -> None:
    offer = offered_models()
    assert "nearest-namer" not in offer.names
    assert "nearest-namer" in offer.absent
    assert not offer.broken
    cells, _ = make_plan(offer.names, ["abbreviations/match"], skip_unfit=True)
    assert len(cells) > 3
