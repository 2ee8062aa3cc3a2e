"""Tests of ``codeacumen names suggest``, ``compare`` and ``neighbours``, and their Python API."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import codeacumen
from checker.projects import write_files
from codeacumen.api import CodeacumenError, Pair
from codeacumen.models.embeddings.vectors import Vectors, normalize_rows
from support import Codeacumen

BASKET = """package shop;

class Basket {
    private String owner;
    private int total;

    void getOwner(String owner) { this.owner = owner; }

    int total() { return total; }

    int total(int other) { return total + other; }

    Runnable later() {
        return new Runnable() {
            public void run() { total = 0; }
        };
    }
}
"""
FILE = "src/shop/Basket.java"


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEACUMEN_HOME", str(home))
    folder = tmp_path / "shop"
    write_files(folder, {FILE: BASKET})
    monkeypatch.chdir(folder)
    return folder


def test_suggest_ranks_the_right_verb_first(codeacumen_here: Codeacumen, shop: Path) -> None:
    completed = codeacumen_here("names", "suggest", f"{FILE}:getOwner", "--json")
    assert completed.returncode == 0, completed.stderr
    suggested = json.loads(completed.stdout)
    assert (suggested["name"], suggested["line"]) == ("getOwner", 7)
    assert suggested["probability"] > 0.9
    best = suggested["suggestions"][0]
    assert best["name"] == "setOwner"
    assert best["confidence"] > 0.5 > suggested["confidence"]
    assert "it stores its parameter" in best["reasons"][0]


def test_suggestions_agree_with_the_check(shop: Path) -> None:
    (finding,) = codeacumen.check_names("src", progress=False).reported
    suggested = codeacumen.suggest_names(f"{FILE}:7", progress=False)
    assert suggested.verdict is not None
    assert suggested.verdict.wrong == finding.probability
    best = [(name.name, name.confidence) for name in suggested.suggestions.names]
    for suggestion in finding.suggestions:
        assert (suggestion.name, suggestion.confidence) in best


def test_suggest_never_repeats_the_name_and_obeys_the_limit(
    codeacumen_here: Codeacumen, shop: Path
) -> None:
    for limit in (1, 3):
        completed = codeacumen_here("names", "suggest", f"{FILE}:9", "-n", limit, "--json")
        names = [name["name"] for name in json.loads(completed.stdout)["suggestions"]]
        assert len(names) == len(set(names)) <= limit
        assert "total" not in names


def test_suggest_uses_the_innermost_method_of_a_line(shop: Path) -> None:
    assert codeacumen.suggest_names(f"{FILE}:15", progress=False).name == "run"
    assert codeacumen.suggest_names(f"{FILE}:14", progress=False).name == "later"


def test_suggest_prints_names_with_confidence_and_reason(
    codeacumen_here: Codeacumen, shop: Path
) -> None:
    completed = codeacumen_here("names", "suggest", f"{FILE}:7")
    assert completed.returncode == 0, completed.stderr
    assert f"Basket.getOwner(String), {FILE}:7" in completed.stdout
    assert "setOwner" in completed.stdout
    assert "getOwner (now)" in completed.stdout
    assert "Probability that the current name is wrong: 0.9" in completed.stdout


def test_suggest_by_rules_alone_needs_siblings(codeacumen_here: Codeacumen, shop: Path) -> None:
    completed = codeacumen_here("names", "suggest", f"{FILE}:7", "--background", "none")
    assert completed.returncode == 0, completed.stderr
    assert "no suggestions" in completed.stderr


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("nowhere.java:7", "nowhere.java:7: no such file"),
        (f"{FILE}:total", "has 2 methods called total"),
        (f"{FILE}:total", "name one by its line: 9, 11"),
        (FILE, "has 5 methods"),
        (f"{FILE}:1", "has no method with a body at '1'"),
        (f"{FILE}:size", "its methods with a body: getOwner, total, later, run"),
        ("notes.txt:3", "notes.txt is not a Java file"),
    ],
)
def test_suggest_errors_list_the_methods(
    codeacumen_here: Codeacumen, shop: Path, method: str, message: str
) -> None:
    (shop / "notes.txt").write_text("none")
    completed = codeacumen_here("names", "suggest", method)
    assert completed.returncode == 2
    assert message in completed.stderr


def test_compare_prints_every_pair(codeacumen_here: Codeacumen) -> None:
    completed = codeacumen_here("names", "compare", "minWidth", "maxWidth", "width", "--json")
    assert completed.returncode == 0, completed.stderr
    pairs = json.loads(completed.stdout)
    name_pairs = [(pair["left"], pair["right"]) for pair in pairs]
    assert name_pairs == [("minWidth", "maxWidth"), ("minWidth", "width"), ("maxWidth", "width")]
    # The names share a topic, but neither can replace the other.
    assert pairs[0]["relatedness"] > 0.7 > 0.5 > pairs[0]["similarity"]
    completed = codeacumen_here("names", "compare", "minWidth", "maxWidth")
    assert f"{pairs[0]['similarity']:.3f}" in completed.stdout
    assert f"{pairs[0]['relatedness']:.3f}" in completed.stdout


def test_compare_accepts_string_models(codeacumen_here: Codeacumen) -> None:
    completed = codeacumen_here("names", "compare", "abcd", "abce", "-m", "levenshtein", "--json")
    (pair,) = json.loads(completed.stdout)
    assert (pair["similarity"], pair["relatedness"]) == (0.75, 0.75)
    completed = codeacumen_here("names", "compare", "abcd", "abce", "-m", "levenshtein")
    assert "levenshtein does not distinguish similar from related" in completed.stdout


def test_compare_computes_the_cosine_of_an_embedding(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    rows = normalize_rows(np.array([[1.0, 0.0], [1.0, 1.0]]))
    Vectors(["length", "size"], rows, [9, 9], {"kind": "toy"}).save(tmp_path / "toy")
    model = f"embedding:{tmp_path / 'toy'}"
    completed = codeacumen_here("names", "compare", "length", "size", "-m", model, "--json")
    assert completed.returncode == 0, completed.stderr
    assert json.loads(completed.stdout)[0]["similarity"] == pytest.approx(0.5**0.5, abs=1e-6)
    completed = codeacumen_here("names", "compare", "length", "unseen", "-m", model)
    assert completed.returncode == 1
    assert "has no answer for length, unseen" in completed.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("len",), "two different names are needed"),
        (("len", "len"), "two different names are needed"),
        (("len", "size", "-m", "antipatterns"), "antipatterns cannot compare identifiers"),
        (("len", "size", "-m", "oracle"), "oracle learns from the labels of a task"),
        (("len", "size", "-m", "nothing"), "no model 'nothing'"),
    ],
)
def test_invalid_comparisons_are_rejected(
    codeacumen_here: Codeacumen, arguments: tuple[str, ...], message: str
) -> None:
    completed = codeacumen_here("names", "compare", *arguments)
    assert completed.returncode == 2
    assert message in completed.stderr


class LengthModel:
    """A model for which names of similar length are similar."""

    def similarity(self, pairs: list[Pair]) -> list[float]:
        return [1 / (1 + abs(len(pair.left) - len(pair.right))) for pair in pairs]


class FailingModel:
    def similarity(self, pairs: list[Pair]) -> list[float]:
        raise ValueError("out of order")


def test_compare_names_accepts_objects() -> None:
    (pair,) = codeacumen.compare_names(["a", "ab"], LengthModel())
    assert (pair.left, pair.right, pair.similarity, pair.relatedness) == ("a", "ab", 0.5, 0.5)
    with pytest.raises(CodeacumenError, match="FailingModel failed on a, ab: out of order"):
        codeacumen.compare_names(["a", "ab"], FailingModel())


def test_neighbours_are_the_nearest_of_the_embedding(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    rows = normalize_rows(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    Vectors(["length", "size", "click"], rows, [9, 9, 9], {"kind": "toy"}).save(tmp_path / "toy")
    completed = codeacumen_here(
        "names", "neighbours", tmp_path / "toy", "length", "-n", "1", "--json"
    )
    assert completed.returncode == 0, completed.stderr
    (answer,) = json.loads(completed.stdout)
    assert answer == {
        "name": "length",
        "known": True,
        "neighbours": [{"name": "size", "cosine": pytest.approx(0.5**0.5, abs=1e-6)}],
    }
    completed = codeacumen_here("names", "neighbours", tmp_path / "toy", "length", "unseen")
    assert completed.returncode == 1
    assert "size 0.71" in completed.stdout
    assert "unseen: it has no vector" in completed.stderr
    assert codeacumen_here("names", "neighbours", tmp_path, "length").returncode == 2


def test_check_names_returns_findings(shop: Path) -> None:
    report = codeacumen.check_names(shop, progress=False)
    (finding,) = report.reported
    assert (finding.path, finding.method) == (FILE, "Basket.getOwner(String)")
    assert finding.suggestions[0].name == "setOwner"
    assert report.failed
    assert not codeacumen.check_names([FILE], threshold=1.0, progress=False).reported
    assert not codeacumen.check_names(shop, fail_on="never", progress=False).failed
    with pytest.raises(CodeacumenError, match="exclude each other"):
        codeacumen.check_names(shop, since="HEAD", staged=True)
