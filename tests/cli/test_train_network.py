"""`codeacumen train NETWORK` and `codeacumen eval -m run:DIR`, as a person runs them on the
examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from codeacumen.models.neural.training.settings import CONFIGS
from datasets_by_hand import tasks_forgotten
from support import Codeacumen

__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_a_network_is_trained_and_asked(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    """With a configuration of one's own, whose seed counts, for two tasks at once."""
    mine, out = tmp_path / "mine.toml", tmp_path / "runs"
    mine.write_text((CONFIGS / "cnn.small.toml").read_text() + "seed = 7\n")
    words = (
        "train", "cnn", "-t", "gluecode/npath", "-t", "gluecode/naming", "--data", gluecode,
        "--config", mine, "--set", "training.epochs=2", "--workers", "1", "-o", out,
    )  # fmt: skip
    done = codeacumen_here(*words)
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stderr.split()).count("of 2 rounds") == 2, done.stderr
    for task in ("npath", "naming"):
        told = json.loads((out / task / "model.json").read_text())["training"]
        assert (told["seed"], told["epochs"]) == (7, 2)
    other = codeacumen_here(*words, "--seed", "3", "--json")
    assert json.loads(other.stdout)["gluecode/npath"]["training"]["seed"] == 3
    done = codeacumen_here("eval", "--tasks", f"gluecode@{gluecode}", "-m", f"run:{out}",
                       "--skip-unfit", "--out", tmp_path / "run", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert sorted(one["task"] for one in cells) == ["gluecode/naming", "gluecode/npath"]
    assert all(one["asked"] > 0 and not one["errors"] for one in cells)


@pytest.mark.thorough
def test_all_tasks_at_once_from_variants(
    codeacumen_here: Codeacumen, gluecode: Path, examples_corpus: object, tmp_path: Path
) -> None:
    """codeacumen-base: variants are made, one network answers five tasks."""
    corpus = examples_corpus.folder  # type: ignore[attr-defined]
    variants = tmp_path / "variants"
    done = codeacumen_here("dataset", "robustness", "--corpus", corpus, "--methods", gluecode,
                       "--split", "train", "--kind", "rename", "--where", "single",
                       "--most", "40", "--out", variants)  # fmt: skip
    assert done.returncode == 0, done.stderr
    words = (
        "train", "codeacumen-base", "-t", "gluecode", "--data", gluecode, "--variants", variants,
        "--config", "small", "--most", "40", "--set", "training.epochs=1", "--workers", "1",
    )  # fmt: skip
    done = codeacumen_here(*words, "-o", tmp_path / "base")
    assert done.returncode == 0, done.stderr
    done = codeacumen_here(
        "eval",
        "--tasks",
        f"gluecode@{gluecode}",
        "-m",
        f"run:{tmp_path / 'base'}",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert len(cells) == 5
    assert all(one["asked"] > 0 and not one["errors"] for one in cells)
