"""Tests that reproduce the paper's figures from the published votes and detect a changed vote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.benchmarks.sesame import reproduce as recipe
from codeacumen.datasets import dataset_folder, find_dataset
from codeacumen.datasets.fetch import fetch_dataset
from codeacumen.reproduce import OUTSIDE, WITHIN, RecipeOptions
from support import SHARED, Codeacumen


@pytest.fixture
def votes(home: Path) -> Path:
    if not (SHARED / "sesame" / "methods.jsonl").is_file():
        pytest.skip(f"SeSaMe's files are not in {SHARED / 'sesame'}")
    fetch_dataset(find_dataset("sesame"), SHARED / "sesame")
    return dataset_folder(find_dataset("sesame"))


def test_all_figures_equal_those_of_the_paper(votes: Path) -> None:
    cells = {cell.technique: cell for cell in recipe.compute_cells(RecipeOptions())}
    assert {cell.verdict for cell in cells.values()} == {WITHIN}
    assert cells["pairs_kept"].ours == 857
    assert cells["pairs_majority_similar_in_all_three"].ours == 66
    assert cells["pairs_majority_dissimilar_in_all_three"].ours == 543
    assert cells["alpha_goals"].ours == pytest.approx(0.874, abs=5e-4)


def test_changed_vote_changes_the_figures(votes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = votes / recipe.UNFILTERED
    entries = json.loads(path.read_bytes())
    # Let one voter disagree where all agreed.
    entry = next(entry for entry in entries if entry["pairid"] == "0")
    slot = next(vote for vote in entry["goals"] if vote["rating"] == 2)
    slot["rating"] = 0
    path.write_text(json.dumps(entries))
    monkeypatch.setattr(recipe, "require_dataset", lambda name: votes)
    verdicts = {cell.technique: cell.verdict for cell in recipe.compute_cells(RecipeOptions())}
    assert verdicts["pairs_kept"] == OUTSIDE
    assert verdicts["pairs_sampled"] == WITHIN


def test_reproduce_command_reports_figures(votes: Path, codeacumen_here: Codeacumen) -> None:
    completed = codeacumen_here("reproduce", "sesame")
    assert completed.returncode == 0
    assert "43 removed; the same as in dataset.json" in completed.stdout
    cells = json.loads(codeacumen_here("reproduce", "sesame", "--json").stdout)
    assert len(cells) == 9
