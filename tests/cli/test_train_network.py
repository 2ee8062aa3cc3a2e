"""`codeacumen train network` and `codeacumen eval -m run:DIR`, as a person runs them on the
examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from codeacumen.interface.catalogue import load_task
from codeacumen.interface.training import TrainedNetwork, train_network
from codeacumen.models.neural.training.settings import CONFIGS
from datasets_by_hand import tasks_forgotten
from support import Codeacumen

__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_a_network_is_trained_for_each_task_and_evaluated(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    """With a configuration file, whose seed counts, for two tasks at once."""
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
    done = codeacumen_here(*command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("of 2 rounds") == 2, done.stdout
    assert f"next: codeacumen eval -m run:{out} -t gluecode/npath@{gluecode}" in done.stdout
    for task in ("npath", "naming"):
        training = json.loads((out / task / "model.json").read_text())["training"]
        assert (training["seed"], training["epochs"]) == (7, 2)
    with_seed = codeacumen_here(*command, "--seed", "3", "--json")
    assert json.loads(with_seed.stdout)["gluecode/npath"]["training"]["seed"] == 3
    done = codeacumen_here(
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
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert sorted(one["task"] for one in cells) == ["gluecode/naming", "gluecode/npath"]
    assert all(one["asked"] > 0 and not one["errors"] for one in cells)


def test_the_function_trains_what_the_command_trains(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    done = codeacumen_here(
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
    assert done.returncode == 0, done.stderr
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
def test_a_network_or_task_that_cannot_be_is_an_error(
    codeacumen_here: Codeacumen,
    gluecode: Path,
    tmp_path: Path,
    network: str,
    tasks: tuple[str, ...],
    message: str,
) -> None:
    options = [part for task in tasks for part in ("-t", task.format(gluecode))]
    done = codeacumen_here(
        "train", "network", network, *options, "--config", "small", "-o", tmp_path / "run"
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
def test_a_transformer_is_pretrained_and_begun_from(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    options = ("--config", "small", "--set", "training.epochs=1", "--limit", "40", "-j", "1")
    base, out = tmp_path / "base", tmp_path / "run"
    done = codeacumen_here(
        "train", "network", "transformer", "-t", f"pretrain@{gluecode}", *options, "-o", base
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("transformer for pretrain: dev loss ")
    assert "next:" not in done.stdout
    done = codeacumen_here(
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
    assert done.returncode == 0, done.stderr
    started_from = json.loads((out / "model.json").read_text())["start"]
    assert started_from == json.loads((base / "model.json").read_text())["weights_sha256"]


@pytest.mark.thorough
def test_all_tasks_at_once_from_variants(
    codeacumen_here: Codeacumen, gluecode: Path, examples_corpus: object, tmp_path: Path
) -> None:
    """codeacumen-base: variants are made, one network answers five tasks."""
    corpus = examples_corpus.folder  # type: ignore[attr-defined]
    variants = tmp_path / "variants"
    done = codeacumen_here(
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
    assert done.returncode == 0, done.stderr
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
    done = codeacumen_here(*command, "-o", tmp_path / "base")
    assert done.returncode == 0, done.stderr
    done = codeacumen_here(
        "eval",
        "-t",
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
