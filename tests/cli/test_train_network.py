"""Tests of `codeacumen train network` and `codeacumen eval -m run:DIR` on the examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from codeacumen.interface.catalogue import load_task
from codeacumen.interface.training import TrainedNetwork, train_network
from codeacumen.models.neural.training.settings import CONFIGS
from robustness_dataset import tasks_forgotten
from support import Codeacumen

__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_a_network_is_trained_for_each_task_and_evaluated(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    """Train for two tasks at once with a configuration file, whose seed is used."""
    config, out = tmp_path / "mine.toml", tmp_path / "runs"
    config.write_text((CONFIGS / "cnn.small.toml").read_text() + "seed = 7\n")
    command = (
        "train",
        "network",
        "cnn",
        "-t",
        f"gluecode/npath@{gluecode}",
        "-t",
        f"gluecode/naming@{gluecode}",
        "--config",
        config,
        "--set",
        "training.epochs=2",
        "--workers",
        "1",
        "-o",
        out,
    )
    completed = codeacumen_here(*command)
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.count("of 2 rounds") == 2, completed.stdout
    assert f"next: codeacumen eval -m run:{out} -t gluecode/npath@{gluecode}" in completed.stdout
    for task in ("npath", "naming"):
        training = json.loads((out / task / "model.json").read_text())["training"]
        assert (training["seed"], training["epochs"]) == (7, 2)
    with_seed = codeacumen_here(*command, "--seed", "3", "--json")
    assert json.loads(with_seed.stdout)["gluecode/npath"]["training"]["seed"] == 3
    completed = codeacumen_here(
        "eval",
        "-t",
        f"gluecode@{gluecode}",
        "-m",
        f"run:{out}",
        "--skip-unfit",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert completed.returncode == 0, completed.stderr
    cells = json.loads(completed.stdout)["cells"]
    assert sorted(cell["task"] for cell in cells) == ["gluecode/naming", "gluecode/npath"]
    assert all(cell["computed"] > 0 and not cell["errors"] for cell in cells)


def test_train_network_equals_the_command(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    completed = codeacumen_here(
        "train",
        "network",
        "mlp",
        "-t",
        f"gluecode/npath@{gluecode}",
        "--config",
        "small",
        "--set",
        "training.epochs=1",
        "--limit",
        "8",
        "-j",
        "1",
        "-o",
        tmp_path / "command",
    )
    assert completed.returncode == 0, completed.stderr
    called: list[TrainedNetwork] = []
    (trained,) = train_network(
        "mlp",
        load_task(f"gluecode/npath@{gluecode}"),
        tmp_path / "function",
        config="small",
        changes={"training.epochs": 1},
        limit=8,
        workers=1,
        on_trained=called.append,
    )
    assert called == [trained]
    assert (trained.task, trained.folder) == ("gluecode/npath", tmp_path / "function")
    assert trained.about["data"]["limit"] == 8
    about = json.loads((tmp_path / "command" / "model.json").read_text())
    assert about["weights_sha256"] == trained.about["weights_sha256"]


@pytest.mark.parametrize(
    ("network", "tasks", "message"),
    [
        ("perceptron", ("gluecode/npath@{}",), "there is no network called 'perceptron'"),
        ("cnn", ("gluecode/npath@nowhere",), "nowhere/dataset.json: No such file"),
        ("cnn", ("pretrain@{}",), "cnn cannot be pre-trained"),
        ("transformer", ("pretrain@{}", "gluecode/npath@{}"), "pretrain is a training of its own"),
        ("code2vec", ("gluecode/npath@{}",), "code2vec cannot be trained for gluecode/npath"),
    ],
)
def test_invalid_network_or_task_is_rejected(
    codeacumen_here: Codeacumen,
    gluecode: Path,
    tmp_path: Path,
    network: str,
    tasks: tuple[str, ...],
    message: str,
) -> None:
    options = [part for task in tasks for part in ("-t", task.format(gluecode))]
    completed = codeacumen_here(
        "train", "network", network, *options, "--config", "small", "-o", tmp_path / "run"
    )
    assert completed.returncode == 2
    assert message in completed.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
def test_training_starts_from_a_pretrained_transformer(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    options = ("--config", "small", "--set", "training.epochs=1", "--limit", "40", "-j", "1")
    base, out = tmp_path / "base", tmp_path / "run"
    completed = codeacumen_here(
        "train", "network", "transformer", "-t", f"pretrain@{gluecode}", *options, "-o", base
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.startswith("transformer for pretrain: dev loss ")
    assert "next:" not in completed.stdout
    completed = codeacumen_here(
        "train",
        "network",
        "transformer",
        "-t",
        f"gluecode/npath@{gluecode}",
        "--from",
        base,
        *options,
        "-o",
        out,
    )
    assert completed.returncode == 0, completed.stderr
    started_from = json.loads((out / "model.json").read_text())["start"]
    assert started_from == json.loads((base / "model.json").read_text())["weights_sha256"]


@pytest.mark.thorough
def test_one_network_for_all_tasks_with_variants(
    codeacumen_here: Codeacumen, gluecode: Path, examples_corpus: object, tmp_path: Path
) -> None:
    """Train codeacumen-base with variants; one network answers five tasks."""
    corpus = examples_corpus.folder  # type: ignore[attr-defined]
    variants = tmp_path / "variants"
    completed = codeacumen_here(
        "dataset",
        "build",
        "robustness",
        corpus,
        "--methods",
        gluecode,
        "--split",
        "train",
        "--kind",
        "rename",
        "--where",
        "single",
        "--limit",
        "40",
        "--out",
        variants,
    )
    assert completed.returncode == 0, completed.stderr
    command = (
        "train",
        "network",
        "codeacumen-base",
        "-t",
        f"gluecode@{gluecode}",
        "--variants",
        variants,
        "--config",
        "small",
        "--limit",
        "40",
        "--set",
        "training.epochs=1",
        "--workers",
        "1",
    )
    completed = codeacumen_here(*command, "-o", tmp_path / "base")
    assert completed.returncode == 0, completed.stderr
    completed = codeacumen_here(
        "eval",
        "-t",
        f"gluecode@{gluecode}",
        "-m",
        f"run:{tmp_path / 'base'}",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert completed.returncode == 0, completed.stderr
    cells = json.loads(completed.stdout)["cells"]
    assert len(cells) == 5
    assert all(cell["computed"] > 0 and not cell["errors"] for cell in cells)
