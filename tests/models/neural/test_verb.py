"""Trainings of networks and the model `run:DIR`, on a data set of the examples."""

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
from codeacumen.engines import engine
from codeacumen.models.neural.model import Trained, make_run
from codeacumen.models.neural.training.settings import read_config
from codeacumen.models.neural.training.train import WORK, request, train
from codeacumen.registry import make_model
from codeacumen.runs.ask import ask
from codeacumen.runs.plan import PlannedTask, model_card
from models.neural.checks import methods
from models.neural.trainings import Here, Naming, asked, nothing
from toys import Toy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "cnn"
    train(asked(), out, Here(), nothing)
    return out


def test_what_lies_in_the_folder(folder: Path) -> None:
    found = {path.name for path in folder.iterdir()}
    ours = {"model.json", "weights.safetensors", "vocabulary", "history.csv"}
    assert found - {"tensorboard"} == ours
    about = json.loads((folder / "model.json").read_text())
    assert about["data"]["sizes"]["train"] == {"examples": 120, "read": 120, "kept": 120}
    assert about["rounds"] == 2


def test_done_is_not_done_again(folder: Path) -> None:
    before = (folder / "weights.safetensors").stat().st_mtime_ns
    train(asked(), folder, Here(), nothing)
    assert (folder / "weights.safetensors").stat().st_mtime_ns == before


def test_the_same_weights_whatever_the_workers(folder: Path, tmp_path: Path) -> None:
    train(asked(), tmp_path / "two", engine("local", 2), nothing)
    for name in ("weights.safetensors", "vocabulary/tokens.txt", "vocabulary/labels.txt"):
        assert (tmp_path / "two" / name).read_bytes() == (folder / name).read_bytes(), name


def test_prepared_first_and_trained_later_is_the_same(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "later"
    told = train(replace(asked(), prepare=True), out, Here(), nothing)
    assert told["prepared"]["train"]["kept"] == 120
    assert (out / WORK / "train.arrow").is_file()
    train(asked(), out, Here(), nothing)
    assert (out / "weights.safetensors").read_bytes() == (
        folder / "weights.safetensors"
    ).read_bytes()


def test_what_was_prepared_serves_trainings_that_differ_in_learning(tmp_path: Path) -> None:
    """Without its structure codeacumen-base reads the same; with another vocabulary, it does
    not."""
    told = train(replace(asked("codeacumen-base"), prepare=True), tmp_path / "one", Here(), nothing)
    assert told["prepared"]["train"]["kept"] == 120
    other = asked("codeacumen-base", network__structure=False, training__epochs=1)
    done = train(replace(other, prepared=tmp_path / "one"), tmp_path / "two", Here(), nothing)
    assert done["settings"]["structure"] is False
    # What is taken over is left where it was.
    assert (tmp_path / "one" / WORK / "train.arrow").is_file()
    alone = train(other, tmp_path / "three", Here(), nothing)
    assert alone["weights_sha256"] == done["weights_sha256"]
    unlike = replace(asked("codeacumen-base", network__vocabulary=500), prepared=tmp_path / "one")
    with pytest.raises(CodeacumenError, match="nothing that was prepared for this"):
        train(unlike, tmp_path / "four", Here(), nothing)


def test_other_settings_begin_anew(tmp_path: Path) -> None:
    out = tmp_path / "run"
    train(asked(), out, Here(), nothing)
    about = train(asked(network__hidden=16), out, Here(), nothing)
    assert about["settings"]["hidden"] == 16


def test_a_trained_network_names_methods_and_has_vectors(folder: Path) -> None:
    model = make_run(str(folder), device="cpu")
    assert isinstance(model, Trained)
    text, _ = methods()[0]
    asked = [Method("a", text), Method("b", ""), Method("c", "\ud800 {{{ \x00")]
    names = model.name(asked)  # type: ignore[attr-defined]
    assert names[0]
    assert names[1] is None
    first, none = model.embed([text, ""])  # type: ignore[attr-defined]
    assert len(first) == 32
    assert none is None


def test_pairs_are_answered_in_a_run(folder: Path) -> None:
    """As SeSaMe and IdBench ask: two methods, or two names. The oracle is numpy's cosine."""
    made = make_model(f"run:{folder},device=cpu")
    pairs = [Pair(methods()[0][0], methods()[1][0]), Pair("count", "total"), Pair("count", "")]
    instances = [Instance(str(n), pair, 1.0) for n, pair in enumerate(pairs)]
    task = PlannedTask(Toy(instances))
    (answers,) = ask(made, task, lambda _: True)
    assert [one.error for one in answers] == ["", "", ""]
    assert answers[2].value is None
    for one, pair in zip(answers[:2], pairs, strict=False):
        a, b = np.array(made.model.embed([pair.left, pair.right]))  # type: ignore[attr-defined]
        assert one.value == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5)


def test_a_network_for_each_task_is_one_model(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "naming")
    model = make_run(str(tmp_path), device="cpu")
    assert model.only == ("gluecode/naming",)
    model.start_task(Naming.card)  # type: ignore[union-attr]
    assert model.name([Method("a", methods()[0][0])]) != [None]  # type: ignore[union-attr]


def test_tasks_are_answered_at_the_end_as_the_model_answers_them(tmp_path: Path) -> None:
    """From numbers that were prepared beside the data; what cannot be read is not answered."""
    task: Any = Naming()
    out = tmp_path / "run"
    train(replace(asked(), answers=((task, None),)), out, Here(), nothing)
    lines = (out / "answers" / "gluecode" / "naming.jsonl").read_text().splitlines()
    told = {one["id"]: one["answer"] for one in map(json.loads, lines)}
    instances = task.instances()
    model: Any = make_run(str(out), device="cpu")
    said = model.name([one.input for one in instances])
    assert said[-1] is None
    assert told == {one.id: name for one, name in zip(instances[:-1], said[:-1], strict=True)}


def test_only_tasks_of_its_own_kind_are_answered() -> None:
    class Classes(Naming):
        card = TaskCard("gluecode/npath", "NPath", "1", Capability.CLASSIFY, "accuracy")

    tables = read_config("cnn", "small")
    with pytest.raises(CodeacumenError, match="cannot answer gluecode/npath"):
        request("cnn", tables, Naming(), answers=((Classes(), None),))  # type: ignore[arg-type]


def test_dev_is_judged_by_all_of_its_answers(folder: Path) -> None:
    """Also by those that the network cannot say: the oracle counts the words of what the saved
    network answers, all of dev's methods asked one by one."""
    about = json.loads((folder / "model.json").read_text())
    dev = Naming().examples("dev")
    assert about["data"]["sizes"]["dev"]["kept"] < len(dev)
    said = [make_run(str(folder), "cpu").name([one.input]) for one in dev]  # type: ignore
    hits = total = 0
    for (answer,), one in zip(said, dev, strict=True):
        mine, true = (re.findall("[A-Z]?[a-z]+|[0-9]+", name or "") for name in (answer, one.truth))
        held = [word.lower() for word in true]
        total += len(mine) + len(true)
        for word in mine:
            if word.lower() in held:
                held.remove(word.lower())
                hits += 1
    assert about["best"]["dev_score"] == pytest.approx(2 * hits / total)


def test_the_device_is_looked_for_before_anything_is_read(folder: Path, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(CodeacumenError, match="no GPU"):
        train(replace(asked(), device="cuda"), tmp_path / "out", Here(), nothing)
    assert not (tmp_path / "out").exists()
    with pytest.raises(CodeacumenError, match="no GPU"):
        make_run(str(folder), "cuda")
    with pytest.raises(CodeacumenError, match="no device 'gpu'"):
        make_run(str(folder), "gpu")


def test_what_a_network_cannot_be_taught_is_told_before_it_is() -> None:
    class Judging(Naming):
        card = TaskCard("renames/check/balanced", "Checking", "1", Capability.JUDGE, "accuracy")

    with pytest.raises(CodeacumenError, match="cannot be taught to judge"):
        request("cognac", read_config("cognac", "small"), Judging())  # type: ignore[arg-type]


def test_tables_tell_that_it_was_trained_before(folder: Path) -> None:
    card = model_card(make_model(f"run:{folder},device=cpu"))
    assert (card.supervision, card.labels_seen) == ("before", "was trained before")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"training__epochs": 0}, "epochs=0"),
        ({"training__optimiser": "magic"}, "choose one of adam"),
        ({"network__layers": 3}, "has no 'layers'"),
        ({"network__hidden": "wide"}, "hidden='wide'"),
        ({"nowhere__x": 1}, "network.KEY=VALUE"),
    ],
)
def test_a_wrong_setting_says_what_is_right(change: dict[str, object], said: str) -> None:
    with pytest.raises(CodeacumenError) as found:
        asked(**change)
    assert said in f"{found.value} {found.value.hint}"


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(CodeacumenError, match="not empty"):
        train(asked(), tmp_path, Here(), nothing)
    assert (tmp_path / "thesis.txt").read_text() == "precious"


def test_a_damaged_network_is_told(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "x")
    weights = tmp_path / "x" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    model = make_run(str(tmp_path / "x"), device="cpu")
    with pytest.raises(CodeacumenError, match="damaged"):
        model.name([Method("a", "void f() {}")])  # type: ignore[union-attr]
    # A network without weights is told of before anything is asked.
    weights.unlink()
    with pytest.raises(CodeacumenError, match="no weights"):
        make_run(str(tmp_path / "x"), device="cpu")
