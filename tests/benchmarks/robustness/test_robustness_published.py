"""Edits of the published tool in a data set: kept whatever they are, marked, asked and told apart.
What is expected was worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.benchmarks.robustness import Robustness
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import read_built
from codeacumen.datasets.variants.build import build
from codeacumen.datasets.variants.make import Recipe
from codeacumen.transforms.certify.projects import Means
from codeacumen.transforms.variants import PUBLISHED
from corpora import project_of, shared_engine
from support import Codeacumen

SOURCE = """class Desk {
    int place;

    int move(int place) { this.place = place; return place; }

    int count(int[] all) {
        int sum = 0;
        for (int i = 0; i < all.length; i++) { if (all[i] < 0) continue; sum += all[i]; }
        return sum;
    }

    int swap(int[] a, int[] b, int c) { a[0] = 1; c = b[0]; return c; }

    boolean plain(int n) { boolean small = n < 10; while (n > 0) { n--; } return small; }
}
"""
FOUND = {
    ("move", "published-rename", "wrong"): 1,  # the field, too
    ("count", "published-rename", "sound"): 3,
    ("count", "published-loop", "wrong"): 1,  # the update is skipped
    ("swap", "published-rename", "sound"): 3,
    ("swap", "published-permute", "unproved"): 1,  # a and b may be one
    ("plain", "published-rename", "sound"): 2,
    ("plain", "published-loop", "sound"): 1,
    ("plain", "published-boolean", "sound"): 1,
    **{(name, "published-unused", "sound"): 1 for name in ("move", "count", "swap", "plain")},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return project_of(tmp_path_factory.mktemp("desk"), "Desk.java", SOURCE)


@pytest.mark.parametrize("level", ["parses", "binds", "compiles"])
def test_each_edit_is_kept_and_marked(desk: Corpus, tmp_path: Path, level: str) -> None:
    recipe = Recipe(tuple(PUBLISHED), ("single",), split="all", certify=level)
    about = build(desk, recipe, tmp_path, shared_engine(1), Means())
    names = {}
    for line in (tmp_path / "originals.jsonl").read_text().splitlines():
        row = json.loads(line)
        names[row["id"]] = row["name"]
    found: dict[tuple[str, str, str], int] = {}
    for line in (tmp_path / "variants.jsonl").read_text().splitlines():
        row = json.loads(line)
        key = names[row["method"]], row["kind"], row["edit"]
        found[key] = found.get(key, 0) + 1
        assert bool(row["doubt"]) == (row["edit"] != "sound")
    assert found == FOUND
    counts = about["counts"]
    assert counts["edits"]["published-loop"] == {"single": {"sound": 1, "wrong": 1}}
    assert counts["doubts"]["published-loop"] == {"a continue skips the update": 1}
    assert not counts["dropped"]


def test_marks_are_slices(desk: Corpus, tmp_path: Path) -> None:
    recipe = Recipe(("rename", "published-rename"), ("single",), split="all")
    build(desk, recipe, tmp_path, shared_engine(1))
    ours, theirs = (Robustness(read_built(tmp_path), one) for one in recipe.kinds)
    marks = {"edit:sound", "edit:unproved", "edit:wrong"}
    assert marks <= set(theirs.card.slices)
    assert not marks & set(ours.card.slices)
    tags = [one.tags & marks for one in theirs.instances() if "variant" in one.tags]
    assert sorted(map(tuple, tags)) == [("edit:sound",)] * 8 + [("edit:wrong",)]
    assert not any(one.tags & marks for one in ours.instances())


def test_from_the_command_line(codeacumen: Codeacumen, desk: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "both"
    done = codeacumen(
        "dataset",
        "build",
        "robustness",
        desk.folder,
        "--split",
        "all",
        "-k",
        "all",
        "-k",
        "published",
        "-w",
        "single",
        "--out",
        out,
    )
    assert done.returncode == 0, done.stderr
    assert "What is known of the published tool's edits" in done.stdout
    assert "a continue skips the update" in done.stdout
    done = codeacumen(
        "eval",
        "--task",
        f"robustness/published-loop@{out}",
        "-m",
        "majority",
        "--out",
        tmp_path / "run",
    )
    assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "run" / "results.json").read_text())["cells"][0]["scores"]
    seen = {one["slice"]: one["n"] for one in scores if one["metric"] == "pcp"}
    assert seen["edit:wrong"] == seen["edit:sound"] == 1
