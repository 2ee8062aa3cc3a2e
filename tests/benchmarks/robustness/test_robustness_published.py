"""Tests of the published tool's edits in a data set: all are kept, marked as sound, unproved or
wrong, and scored by mark. Expected results are worked out by hand."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from codeacumen.benchmarks.robustness import RobustnessTask
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import read_built
from codeacumen.datasets.variants.build import build_variant_dataset
from codeacumen.datasets.variants.shards import Recipe
from codeacumen.transforms.certify.projects import CertificationTools
from codeacumen.transforms.variants import PUBLISHED
from corpora import build_single_file_corpus, shared_engine
from support import Codeacumen

build_dataset = partial(build_variant_dataset, "robustness")

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
EXPECTED_COUNTS = {
    ("move", "published-rename", "wrong"): 1,  # renames the field, too
    ("count", "published-rename", "sound"): 3,
    ("count", "published-loop", "wrong"): 1,  # the update is skipped
    ("swap", "published-rename", "sound"): 3,
    ("swap", "published-permute", "unproved"): 1,  # a and b may be the same array
    ("plain", "published-rename", "sound"): 2,
    ("plain", "published-loop", "sound"): 1,
    ("plain", "published-boolean", "sound"): 1,
    **{(name, "published-unused", "sound"): 1 for name in ("move", "count", "swap", "plain")},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build_single_file_corpus(tmp_path_factory.mktemp("desk"), "Desk.java", SOURCE)


@pytest.mark.parametrize("level", ["parses", "binds", "compiles"])
def test_each_published_edit_is_kept_with_its_mark(
    desk: Corpus, tmp_path: Path, level: str
) -> None:
    recipe = Recipe(tuple(PUBLISHED), ("single",), split="all", certify=level)
    about = build_dataset(desk, recipe, tmp_path, shared_engine(1), CertificationTools())
    names = {}
    for line in (tmp_path / "originals.jsonl").read_text().splitlines():
        row = json.loads(line)
        names[row["id"]] = row["name"]
    counts_by_edit: dict[tuple[str, str, str], int] = {}
    for line in (tmp_path / "variants.jsonl").read_text().splitlines():
        row = json.loads(line)
        key = names[row["method"]], row["kind"], row["edit"]
        counts_by_edit[key] = counts_by_edit.get(key, 0) + 1
        assert bool(row["doubt"]) == (row["edit"] != "sound")
    assert counts_by_edit == EXPECTED_COUNTS
    counts = about["counts"]
    assert counts["edits"]["published-loop"] == {"single": {"sound": 1, "wrong": 1}}
    assert counts["doubts"]["published-loop"] == {"a continue skips the update": 1}
    assert not counts["dropped"]


def test_marks_are_slices(desk: Corpus, tmp_path: Path) -> None:
    recipe = Recipe(("rename", "published-rename"), ("single",), split="all")
    build_dataset(desk, recipe, tmp_path, shared_engine(1))
    our_task, published_task = (RobustnessTask(read_built(tmp_path), kind) for kind in recipe.kinds)
    marks = {"edit:sound", "edit:unproved", "edit:wrong"}
    assert marks <= set(published_task.card.slices)
    assert not marks & set(our_task.card.slices)
    tags = [
        instance.tags & marks
        for instance in published_task.instances()
        if "variant" in instance.tags
    ]
    assert sorted(map(tuple, tags)) == [("edit:sound",)] * 8 + [("edit:wrong",)]
    assert not any(instance.tags & marks for instance in our_task.instances())


def test_published_edits_from_the_command_line(
    codeacumen: Codeacumen, desk: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "both"
    completed = codeacumen(
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
    assert completed.returncode == 0, completed.stderr
    assert "Correctness of the published tool's edits" in completed.stdout
    assert "a continue skips the update" in completed.stdout
    completed = codeacumen(
        "eval",
        "--task",
        f"robustness/published-loop@{out}",
        "-m",
        "majority",
        "--out",
        tmp_path / "run",
    )
    assert completed.returncode == 0, completed.stderr
    scores = json.loads((tmp_path / "run" / "results.json").read_text())["cells"][0]["scores"]
    n_by_slice = {
        one_score["slice"]: one_score["n"] for one_score in scores if one_score["metric"] == "pcp"
    }
    assert n_by_slice["edit:wrong"] == n_by_slice["edit:sound"] == 1
