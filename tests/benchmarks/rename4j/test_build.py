"""Tests of sampling consistent methods beside Liu's. Oracles: SQL queries of the corpus of the
example projects, and two builds with equal bytes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError, NamedMethod
from codeacumen.benchmarks.rename4j.build import MisnamedRecipe, build_dataset, is_eligible
from codeacumen.benchmarks.rename4j.cases import normalize_indentation, remove_override
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import load_data
from codeacumen.registry import make_task


def read_rows(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "sampled.jsonl").read_text().splitlines()]


def test_build_samples_the_requested_number_per_case(
    liu: Path, examples_corpus: Corpus, tmp_path: Path, families: None
) -> None:
    about = build_dataset(examples_corpus, MisnamedRecipe(beside=5, cases=12), tmp_path / "out")
    assert about["counts"]["cases"] == 12
    assert load_data(tmp_path / "out") == ["misnamed/check"]
    task = make_task("misnamed/check")
    assert task.metric.name == "average_precision"
    instances = task.instances()
    # A case and the methods sampled for it are one cluster, so resampling keeps the imbalance.
    positions = set()
    for start in range(0, len(instances), 6):
        group = instances[start : start + 6]
        assert len({instance.cluster for instance in group}) == 1
        labels = [instance.truth["label"] for instance in group]
        assert sorted(labels) == ["consistent"] * 5 + ["inconsistent"]
        positions.add(labels.index("inconsistent"))
    # Neither the place among them, nor the id, nor the context reveals the label.
    assert len(positions) > 2
    context = task.code_context()  # type: ignore[attr-defined]
    for instance in instances:
        assert re.fullmatch("[0-9a-f]{16}", instance.id), instance.id
        assert isinstance(instance.input, NamedMethod)
        assert instance.input.method.id == instance.id
        described = context.describe(instance.id)
        assert described == {"type": described["type"], "package": "", "project": ""}
        assert "." not in described["type"]
    texts = [instance.input.method.text for instance in instances]  # type: ignore[union-attr]
    assert all("METHOD_NAME" in text and "@Override" not in text for text in texts)
    assert all(text == text.strip() for text in texts)
    assert not any("/**" in text for text in texts)


def test_small_corpus_has_fewer_cases_at_the_same_imbalance(
    liu: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    about = build_dataset(examples_corpus, MisnamedRecipe(), tmp_path / "out")
    counts = about["counts"]
    assert counts["sampled"] == 33 * counts["cases"]
    assert 0 < counts["cases"] < counts["inconsistent"] == 1403
    eligible_count = examples_corpus.query(
        "select count(*) as most from methods where kind = 'method' and body and name <> 'main' "
        "and not regexp_matches(lower(path), 'test|sample|example|template') and not "
        r"regexp_matches(text, '\{\s*\}\s*$')"
    )
    assert eligible_count.to_pylist() == [{"most": counts["eligible"]}]


def test_only_methods_of_the_split_are_sampled(
    liu: Path, examples_corpus: Corpus, tmp_path: Path
) -> None:
    build_dataset(
        examples_corpus, MisnamedRecipe(beside=3, cases=5, split="test"), tmp_path / "out"
    )
    projects_table = examples_corpus.query(
        "select distinct project from methods where split = 'test'"
    )
    split_projects = {row["project"] for row in projects_table.to_pylist()}
    assert {row["project"] for row in read_rows(tmp_path / "out")} <= split_projects


def test_sample_depends_on_the_seed(liu: Path, examples_corpus: Corpus, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build_dataset(
            examples_corpus, MisnamedRecipe(seed=seed, beside=3, cases=9), tmp_path / name
        )
    first, same, other = ((tmp_path / name / "sampled.jsonl").read_bytes() for name in "abc")
    assert first == same
    assert first != other
    sampled_rows = read_rows(tmp_path / "a")
    assert len({(row["name"], row["text"]) for row in sampled_rows}) == len(sampled_rows)


def test_too_small_corpus_is_rejected(liu: Path, examples_corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="eligible methods"):
        build_dataset(examples_corpus, MisnamedRecipe(beside=10**6, cases=1), tmp_path / "out")
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
def test_eligibility_follows_the_filters_of_liu(change: dict[str, object], eligible: bool) -> None:
    row = {
        "kind": "method",
        "body": True,
        "name": "f",
        "path": "a/A.java",
        "text": "void f() {g();}",
    }
    assert is_eligible({**row, **change}) is eligible


def test_indentation_and_override_are_removed() -> None:
    indented = "\t\n\tint f() {\n\t\treturn 1;\n\t}\n"
    unindented = "int f() {\n\t\treturn 1;\n\t}"
    assert (
        normalize_indentation(indented)
        == normalize_indentation(unindented)
        == "int f() {\n\treturn 1;\n}"
    )
    assert normalize_indentation(" \n ") == ""
    assert remove_override("@Override\n  @java.lang.Override public void f() {}") == (
        "public void f() {}"
    )
    assert remove_override("@OverrideMe void f() {}") == "@OverrideMe void f() {}"
