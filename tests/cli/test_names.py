"""``codeacumen names suggest``, ``compare`` and ``neighbours``, and the same from Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import codeacumen
from checker.projects import write
from codeacumen.api import CodeacumenError, Pair
from codeacumen.models.embeddings.vectors import Vectors, unit
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
    write(folder, {FILE: BASKET})
    monkeypatch.chdir(folder)
    return folder


def test_suggest_ranks_the_right_verb_first(codeacumen_here: Codeacumen, shop: Path) -> None:
    done = codeacumen_here("names", "suggest", f"{FILE}:getOwner", "--json")
    assert done.returncode == 0, done.stderr
    suggested = json.loads(done.stdout)
    assert (suggested["name"], suggested["line"]) == ("getOwner", 7)
    assert suggested["probability"] > 0.9
    best = suggested["suggestions"][0]
    assert best["name"] == "setOwner"
    assert best["confidence"] > 0.5 > suggested["confidence"]
    assert "it stores its parameter" in best["reasons"][0]


def test_suggest_names_are_those_of_the_check(shop: Path) -> None:
    (finding,) = codeacumen.check_names("src", progress=False).reported
    suggested = codeacumen.suggest_names(f"{FILE}:7", progress=False)
    assert suggested.verdict is not None
    assert suggested.verdict.wrong == finding.probability
    best = [(name.name, name.confidence) for name in suggested.suggestions.names]
    for better in finding.suggestions:
        assert (better.name, better.confidence) in best


def test_suggest_never_repeats_the_name_and_obeys_the_limit(
    codeacumen_here: Codeacumen, shop: Path
) -> None:
    for limit in (1, 3):
        done = codeacumen_here("names", "suggest", f"{FILE}:9", "-n", limit, "--json")
        names = [name["name"] for name in json.loads(done.stdout)["suggestions"]]
        assert len(names) == len(set(names)) <= limit
        assert "total" not in names


def test_suggest_takes_the_inner_method_of_a_line(shop: Path) -> None:
    assert codeacumen.suggest_names(f"{FILE}:15", progress=False).name == "run"
    assert codeacumen.suggest_names(f"{FILE}:14", progress=False).name == "later"


def test_suggest_prints_names_with_confidence_and_reason(
    codeacumen_here: Codeacumen, shop: Path
) -> None:
    done = codeacumen_here("names", "suggest", f"{FILE}:7")
    assert done.returncode == 0, done.stderr
    assert f"Basket.getOwner(String), {FILE}:7" in done.stdout
    assert "setOwner" in done.stdout
    assert "getOwner (now)" in done.stdout
    assert "is wrong with a probability of 0.9" in done.stdout


def test_suggest_by_rules_alone_needs_siblings(codeacumen_here: Codeacumen, shop: Path) -> None:
    done = codeacumen_here("names", "suggest", f"{FILE}:7", "--background", "none")
    assert done.returncode == 0, done.stderr
    assert "no other name is likely" in done.stderr


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
def test_suggest_says_which_methods_there_are(
    codeacumen_here: Codeacumen, shop: Path, method: str, message: str
) -> None:
    (shop / "notes.txt").write_text("none")
    done = codeacumen_here("names", "suggest", method)
    assert done.returncode == 2
    assert message in done.stderr


def test_compare_prints_every_pair(codeacumen_here: Codeacumen) -> None:
    done = codeacumen_here("names", "compare", "minWidth", "maxWidth", "width", "--json")
    assert done.returncode == 0, done.stderr
    pairs = json.loads(done.stdout)
    named = [(pair["left"], pair["right"]) for pair in pairs]
    assert named == [("minWidth", "maxWidth"), ("minWidth", "width"), ("maxWidth", "width")]
    # They share a topic, and neither can stand for the other.
    assert pairs[0]["relatedness"] > 0.7 > 0.5 > pairs[0]["similarity"]
    done = codeacumen_here("names", "compare", "minWidth", "maxWidth")
    assert f"{pairs[0]['similarity']:.3f}" in done.stdout
    assert f"{pairs[0]['relatedness']:.3f}" in done.stdout


def test_compare_takes_any_model_of_strings(codeacumen_here: Codeacumen) -> None:
    done = codeacumen_here("names", "compare", "abcd", "abce", "-m", "levenshtein", "--json")
    (pair,) = json.loads(done.stdout)
    assert (pair["similarity"], pair["relatedness"]) == (0.75, 0.75)
    done = codeacumen_here("names", "compare", "abcd", "abce", "-m", "levenshtein")
    assert "levenshtein does not distinguish similar from related" in done.stdout


def test_compare_takes_the_cosine_of_an_embedding(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    rows = unit(np.array([[1.0, 0.0], [1.0, 1.0]]))
    Vectors(["length", "size"], rows, [9, 9], {"kind": "toy"}).save(tmp_path / "toy")
    model = f"embedding:{tmp_path / 'toy'}"
    done = codeacumen_here("names", "compare", "length", "size", "-m", model, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["similarity"] == pytest.approx(0.5**0.5, abs=1e-6)
    done = codeacumen_here("names", "compare", "length", "unseen", "-m", model)
    assert done.returncode == 1
    assert "has no answer for length, unseen" in done.stderr


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
def test_compare_says_what_is_missing(
    codeacumen_here: Codeacumen, arguments: tuple[str, ...], message: str
) -> None:
    done = codeacumen_here("names", "compare", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


class Lengths:
    """Names are as similar as they are long."""

    def similarity(self, pairs: list[Pair]) -> list[float]:
        return [1 / (1 + abs(len(pair.left) - len(pair.right))) for pair in pairs]


class Failing:
    def similarity(self, pairs: list[Pair]) -> list[float]:
        raise ValueError("out of order")


def test_compare_takes_an_object() -> None:
    (pair,) = codeacumen.compare_names(["a", "ab"], Lengths())
    assert (pair.left, pair.right, pair.similarity, pair.relatedness) == ("a", "ab", 0.5, 0.5)
    with pytest.raises(CodeacumenError, match="Failing failed on a, ab: out of order"):
        codeacumen.compare_names(["a", "ab"], Failing())


def test_neighbours_are_the_nearest_of_the_embedding(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    rows = unit(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    Vectors(["length", "size", "click"], rows, [9, 9, 9], {"kind": "toy"}).save(tmp_path / "toy")
    done = codeacumen_here("names", "neighbours", tmp_path / "toy", "length", "-n", "1", "--json")
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout)
    assert answer == {
        "name": "length",
        "known": True,
        "neighbours": [{"name": "size", "cosine": pytest.approx(0.5**0.5, abs=1e-6)}],
    }
    done = codeacumen_here("names", "neighbours", tmp_path / "toy", "length", "unseen")
    assert done.returncode == 1
    assert "size 0.71" in done.stdout
    assert "unseen: it has no vector" in done.stderr
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
