"""Methods drawn to stand beside Liu's. Oracle: the example projects, whose corpus is queried with
SQL; two builds of the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.rename4j.build import Recipe, build, is_eligible
from codeacumen.benchmarks.rename4j.cases import tidied, without_override
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import load_data
from codeacumen.registry import make_task


def rows(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "drawn.jsonl").read_text().splitlines()]


def test_as_many_beside_each_as_asked(
    liu: Path, examples_corpus: Corpus, tmp_path: Path, families: None
) -> None:
    about = build(examples_corpus, Recipe(beside=5, cases=12), tmp_path / "out")
    assert about["counts"]["cases"] == 12
    assert load_data(tmp_path / "out") == ["misnamed/check"]
    task = make_task("misnamed/check")
    assert task.metric.name == "average_precision"
    instances = task.instances()
    assert [one.truth["label"] for one in instances] == (["inconsistent"] + ["consistent"] * 5) * 12
    # A resample of clusters keeps the imbalance.
    for at in range(0, len(instances), 6):
        assert len({one.cluster for one in instances[at : at + 6]}) == 1
    texts = [one.input.method.text for one in instances]  # type: ignore[union-attr]
    assert all("METHOD_NAME" in text and "@Override" not in text for text in texts)
    assert all(text == text.strip() for text in texts)
    assert not any("/**" in text for text in texts)


def test_a_small_corpus_asks_about_fewer_and_keeps_the_imbalance(
    liu: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    about = build(examples_corpus, Recipe(), tmp_path / "out")
    counts = about["counts"]
    assert counts["drawn"] == 33 * counts["cases"]
    assert 0 < counts["cases"] < counts["inconsistent"] == 1403
    found = examples_corpus.query(
        "select count(*) as most from methods where kind = 'method' and body and name <> 'main' "
        "and not regexp_matches(lower(path), 'test|sample|example|template') and not "
        r"regexp_matches(text, '\{\s*\}\s*$')"
    )
    assert found.to_pylist() == [{"most": counts["eligible"]}]


def test_only_methods_of_a_split_are_drawn(
    liu: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    build(examples_corpus, Recipe(beside=3, cases=5, split="test"), tmp_path / "out")
    found = examples_corpus.query("select distinct project from methods where split = 'test'")
    wanted = {row["project"] for row in found.to_pylist()}
    assert {row["project"] for row in rows(tmp_path / "out")} <= wanted


def test_the_same_seed_draws_the_same_and_another_others(
    liu: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build(examples_corpus, Recipe(seed=seed, beside=3, cases=9), tmp_path / name)
    first, same, other = ((tmp_path / name / "drawn.jsonl").read_bytes() for name in "abc")
    assert first == same
    assert first != other
    drawn = rows(tmp_path / "a")
    assert len({(row["name"], row["text"]) for row in drawn}) == len(drawn)


def test_too_small_a_corpus_is_told(liu: Path, examples_corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="eligible methods"):
        build(examples_corpus, Recipe(beside=10**6, cases=1), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "eligible"),
    [
        ({}, True),
        ({"name": "main"}, False),
        ({"kind": "constructor"}, False),
        ({"body": False}, False),
        ({"path": "src/test/java/A.java"}, False),
        ({"path": "org/MyExamples/A.java"}, False),
        ({"path": "x/TemplateEngine.java"}, False),
        ({"text": "void f() {\n}"}, False),
    ],
)
def test_lius_filters(change: dict[str, object], eligible: bool) -> None:
    row = {
        "kind": "method",
        "body": True,
        "name": "f",
        "path": "a/A.java",
        "text": "void f() {g();}",
    }
    assert is_eligible({**row, **change}) is eligible


def test_texts_are_tidied_wherever_they_were_cut() -> None:
    cut = "\t\n\tint f() {\n\t\treturn 1;\n\t}\n"
    alone = "int f() {\n\t\treturn 1;\n\t}"
    assert tidied(cut) == tidied(alone) == "int f() {\n\treturn 1;\n}"
    assert tidied(" \n ") == ""
    assert without_override("@Override\n  @java.lang.Override public void f() {}") == (
        "public void f() {}"
    )
    assert without_override("@OverrideMe void f() {}") == "@OverrideMe void f() {}"
