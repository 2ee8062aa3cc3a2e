"""Tests of training networks and of the model `run:DIR`, on a data set of the examples."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from codeacumen.api import Capability, CodeacumenError, Instance, Method, Pair, TaskCard
from codeacumen.engines import create_engine
from codeacumen.models.neural.model import NetworkModel, make_run
from codeacumen.models.neural.training.settings import read_config
from codeacumen.models.neural.training.train import WORK, make_request, run_training
from codeacumen.registry import make_model
from codeacumen.runs.ask import ask_model
from codeacumen.runs.plan import PlannedTask, create_model_card
from models.neural.small_networks import list_methods
from models.neural.training_requests import (
    InlineEngine,
    NamingTask,
    ignore_progress,
    make_small_request,
)
from toy_task import ToyTask


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "cnn"
    run_training(make_small_request(), out, InlineEngine(), ignore_progress)
    return out


def test_files_of_a_trained_run(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    expected = {"model.json", "weights.safetensors", "vocabulary", "history.csv"}
    assert names - {"tensorboard"} == expected
    about = json.loads((folder / "model.json").read_text())
    assert about["data"]["sizes"]["train"] == {"examples": 120, "read": 120, "kept": 120}
    assert about["rounds"] == 2


def test_finished_training_is_not_repeated(folder: Path) -> None:
    before = (folder / "weights.safetensors").stat().st_mtime_ns
    run_training(make_small_request(), folder, InlineEngine(), ignore_progress)
    assert (folder / "weights.safetensors").stat().st_mtime_ns == before


def test_weights_do_not_depend_on_number_of_workers(folder: Path, tmp_path: Path) -> None:
    run_training(make_small_request(), tmp_path / "two", create_engine("local", 2), ignore_progress)
    for name in ("weights.safetensors", "vocabulary/tokens.txt", "vocabulary/labels.txt"):
        assert (tmp_path / "two" / name).read_bytes() == (folder / name).read_bytes(), name


def test_training_after_preparation_has_same_weights(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "later"
    about = run_training(
        replace(make_small_request(), prepare=True), out, InlineEngine(), ignore_progress
    )
    assert about["prepared"]["train"]["kept"] == 120
    assert (out / WORK / "train.arrow").is_file()
    run_training(make_small_request(), out, InlineEngine(), ignore_progress)
    assert (out / "weights.safetensors").read_bytes() == (
        folder / "weights.safetensors"
    ).read_bytes()


def test_prepared_data_serves_other_training_settings(tmp_path: Path) -> None:
    """Without its structure codeacumen-base reads the same input; with another vocabulary it does
    not."""
    about = run_training(
        replace(make_small_request("codeacumen-base"), prepare=True),
        tmp_path / "one",
        InlineEngine(),
        ignore_progress,
    )
    assert about["prepared"]["train"]["kept"] == 120
    other = make_small_request("codeacumen-base", network__structure=False, training__epochs=1)
    done = run_training(
        replace(other, prepared=tmp_path / "one"), tmp_path / "two", InlineEngine(), ignore_progress
    )
    assert done["settings"]["structure"] is False
    # The prepared data stays where it is.
    assert (tmp_path / "one" / WORK / "train.arrow").is_file()
    alone = run_training(other, tmp_path / "three", InlineEngine(), ignore_progress)
    assert alone["weights_sha256"] == done["weights_sha256"]
    other_vocabulary = replace(
        make_small_request("codeacumen-base", network__vocabulary=500), prepared=tmp_path / "one"
    )
    with pytest.raises(CodeacumenError, match="nothing that was prepared for this"):
        run_training(other_vocabulary, tmp_path / "four", InlineEngine(), ignore_progress)


def test_other_settings_start_a_new_training(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run_training(make_small_request(), out, InlineEngine(), ignore_progress)
    about = run_training(
        make_small_request(network__hidden=16), out, InlineEngine(), ignore_progress
    )
    assert about["settings"]["hidden"] == 16


def test_trained_network_names_methods_and_embeds(folder: Path) -> None:
    model = make_run(str(folder), device="cpu")
    assert isinstance(model, NetworkModel)
    text, _ = list_methods()[0]
    questions = [Method("a", text), Method("b", ""), Method("c", "\ud800 {{{ \x00")]
    names = model.name(questions)  # type: ignore[attr-defined]
    assert names[0]
    assert names[1] is None
    first, none = model.embed([text, ""])  # type: ignore[attr-defined]
    assert len(first) == 32
    assert none is None


def test_pairs_are_answered_in_a_run(folder: Path) -> None:
    """Pairs are two methods, as in SeSaMe, or two names, as in IdBench. The oracle is numpy's
    cosine."""
    loaded_model = make_model(f"run:{folder},device=cpu")
    pairs = [
        Pair(list_methods()[0][0], list_methods()[1][0]),
        Pair("count", "total"),
        Pair("count", ""),
    ]
    instances = [Instance(str(n), pair, 1.0) for n, pair in enumerate(pairs)]
    task = PlannedTask(ToyTask(instances))
    (answers,) = ask_model(loaded_model, task, lambda _: True)
    assert [answer.error for answer in answers] == ["", "", ""]
    assert answers[2].value is None
    for answer, pair in zip(answers[:2], pairs, strict=False):
        a, b = np.array(loaded_model.model.embed([pair.left, pair.right]))  # type: ignore[attr-defined]
        assert answer.value == pytest.approx(
            a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5
        )


def test_folder_with_one_network_per_task_is_one_model(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "naming")
    model = make_run(str(tmp_path), device="cpu")
    assert model.only == ("gluecode/naming",)
    model.start_task(NamingTask.card)  # type: ignore[union-attr]
    assert model.name([Method("a", list_methods()[0][0])]) != [None]  # type: ignore[union-attr]


def test_answers_written_after_training_equal_those_of_the_model(tmp_path: Path) -> None:
    """The answers come from prepared input; unreadable methods have no answer."""
    task: Any = NamingTask()
    out = tmp_path / "run"
    run_training(
        replace(make_small_request(), answers=((task, None),)), out, InlineEngine(), ignore_progress
    )
    lines = (out / "answers" / "gluecode" / "naming.jsonl").read_text().splitlines()
    written_answers = {row["id"]: row["answer"] for row in map(json.loads, lines)}
    instances = task.instances()
    model: Any = make_run(str(out), device="cpu")
    predicted = model.name([instance.input for instance in instances])
    assert predicted[-1] is None
    assert written_answers == {
        instance.id: name for instance, name in zip(instances[:-1], predicted[:-1], strict=True)
    }


def test_tasks_of_another_kind_are_refused() -> None:
    class Classes(NamingTask):
        card = TaskCard("gluecode/npath", "NPath", "1", Capability.CLASSIFY, "accuracy")

    tables = read_config("cnn", "small")
    with pytest.raises(CodeacumenError, match="cannot answer gluecode/npath"):
        make_request("cnn", tables, NamingTask(), answers=((Classes(), None),))  # type: ignore[arg-type]


def test_dev_score_counts_all_answers(folder: Path) -> None:
    """Examples whose answer the network cannot produce count too. The oracle counts the words in
    the answers of the saved network, for all methods of dev one by one."""
    about = json.loads((folder / "model.json").read_text())
    dev = NamingTask().examples("dev")
    assert about["data"]["sizes"]["dev"]["kept"] < len(dev)
    predicted = [make_run(str(folder), "cpu").name([example.input]) for example in dev]  # type: ignore
    hits = total = 0
    for (answer,), example in zip(predicted, dev, strict=True):
        predicted_words, true_words = (
            re.findall("[A-Z]?[a-z]+|[0-9]+", name or "") for name in (answer, example.truth)
        )
        remaining_words = [word.lower() for word in true_words]
        total += len(predicted_words) + len(true_words)
        for word in predicted_words:
            if word.lower() in remaining_words:
                remaining_words.remove(word.lower())
                hits += 1
    assert about["best"]["dev_score"] == pytest.approx(2 * hits / total)


def test_missing_device_is_reported_before_reading(folder: Path, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(CodeacumenError, match="no GPU"):
        run_training(
            replace(make_small_request(), device="cuda"),
            tmp_path / "out",
            InlineEngine(),
            ignore_progress,
        )
    assert not (tmp_path / "out").exists()
    with pytest.raises(CodeacumenError, match="no GPU"):
        make_run(str(folder), "cuda")
    with pytest.raises(CodeacumenError, match="no device 'gpu'"):
        make_run(str(folder), "gpu")


def test_unsupported_task_is_refused_before_training() -> None:
    class Judging(NamingTask):
        card = TaskCard("renames/check/balanced", "Checking", "1", Capability.JUDGE, "accuracy")

    with pytest.raises(CodeacumenError, match="cannot be taught to judge"):
        make_request("cognac", read_config("cognac", "small"), Judging())  # type: ignore[arg-type]


def test_model_card_says_trained_before(folder: Path) -> None:
    card = create_model_card(make_model(f"run:{folder},device=cpu"))
    assert (card.supervision, card.labels_seen) == ("before", "trained before the run")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"training__epochs": 0}, "epochs=0"),
        ({"training__optimiser": "magic"}, "choose one of adam"),
        ({"network__layers": 3}, "has no 'layers'"),
        ({"network__hidden": "wide"}, "hidden='wide'"),
        ({"nowhere__x": 1}, "network.KEY=VALUE"),
    ],
)
def test_invalid_setting_is_reported_with_valid_ones(
    change: dict[str, object], message: str
) -> None:
    with pytest.raises(CodeacumenError) as caught:
        make_small_request(**change)
    assert message in f"{caught.value} {caught.value.hint}"


def test_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(CodeacumenError, match="not empty"):
        run_training(make_small_request(), tmp_path, InlineEngine(), ignore_progress)
    assert (tmp_path / "thesis.txt").read_text() == "precious"


def test_damaged_network_is_reported(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "x")
    weights = tmp_path / "x" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    model = make_run(str(tmp_path / "x"), device="cpu")
    with pytest.raises(CodeacumenError, match="damaged"):
        model.name([Method("a", "void f() {}")])  # type: ignore[union-attr]
    # Missing weights are reported when the model is loaded.
    weights.unlink()
    with pytest.raises(CodeacumenError, match="no weights"):
        make_run(str(tmp_path / "x"), device="cpu")
