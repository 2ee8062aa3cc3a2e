"""What a training goes on from, what it begins anew, what it keeps: in one folder, run again."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.training import train as training_module
from codeacumen.models.neural.training.checkpoints import load, read_about
from codeacumen.models.neural.training.settings import Training, changed, read_config
from codeacumen.models.neural.training.teaching import BOARD, HISTORY, teach
from codeacumen.models.neural.training.train import ANSWERS, WORK, Request, request, train
from models.neural.checks import (
    NAMING,
    made,
    prepare,
    small_training,
    taught_examples,
)
from models.neural.trainings import Here, Naming, asked, nothing


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """From here on nothing may be read again."""

    def forbid() -> None:
        def read(*_: Any, **__: Any) -> Any:
            raise AssertionError("the data were read again")

        monkeypatch.setattr(training_module, "read", read)

    return forbid


class Seen(Naming):
    """Its methods lie in a corpus, which is at hand or not."""

    def __init__(self, here: bool) -> None:
        self.fingerprint = "with a corpus" if here else "without"
        self.examples_fingerprint = "examples"
        self.whole_fingerprint = "with a corpus"


def cognac(task: Any, **further: Any) -> Request:
    tables = changed(read_config("cognac", "small"), {"training.epochs": 1})
    return request("cognac", tables, task, device="cpu", **further)


def test_what_was_prepared_beside_the_corpus_is_learned_from_without(
    tmp_path: Path, unread: Any
) -> None:
    here, elsewhere = Seen(True), Seen(False)
    answers: Any = ((here, None),)
    train(cognac(here, answers=answers, prepare=True), tmp_path / "one", Here(), nothing)
    shutil.copytree(tmp_path / "one", tmp_path / "prepared")
    unread()
    answers = ((elsewhere, None),)
    about = train(cognac(elsewhere, answers=answers), tmp_path / "one", Here(), nothing)
    assert about["rounds"] == 1
    other = cognac(elsewhere, answers=answers, prepared=tmp_path / "prepared")
    again = train(other, tmp_path / "two", Here(), nothing)
    assert again["weights_sha256"] == about["weights_sha256"]
    # Both know what they have seen.
    assert again["data"]["fingerprint"] == about["data"]["fingerprint"] == "with a corpus"


def test_what_was_only_begun_beside_the_corpus_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(training_module, "read", die)
        with pytest.raises(KeyboardInterrupt):
            train(cognac(Seen(True)), tmp_path, Here(), nothing)
    about = train(cognac(Seen(False)), tmp_path, Here(), nothing)
    assert about["data"]["fingerprint"] == "without"


def test_killed_while_it_clears_up_it_can_be_trained_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first file that is removed is also the last: a kill."""

    def die(folder: Path, **_: Any) -> None:
        data = Path(folder) / "train.arrow"
        if data.is_file():
            data.unlink()
            raise KeyboardInterrupt

    one, left = tmp_path / "one", tmp_path / "left"
    with monkeypatch.context() as patched:
        patched.setattr(training_module.shutil, "rmtree", die)
        with pytest.raises(KeyboardInterrupt):
            train(asked(training__epochs=1), one, Here(), nothing)
    shutil.copytree(one, left)
    assert train(asked(training__epochs=2), left, Here(), nothing)["rounds"] == 2
    assert train(asked(training__epochs=1), one, Here(), nothing)["rounds"] == 1
    assert not (one / WORK).exists()


def test_a_wrong_folder_of_prepared_data_costs_nothing(tmp_path: Path) -> None:
    about = train(asked(training__epochs=1), tmp_path / "one", Here(), nothing)
    wrong = replace(asked(training__epochs=2), prepared=tmp_path / "nothing")
    with pytest.raises(CodeacumenError, match="nothing that was prepared"):
        train(wrong, tmp_path / "one", Here(), nothing)
    assert read_about(tmp_path / "one") == about


def test_other_steps_learn_from_what_is_prepared_already(tmp_path: Path, unread: Any) -> None:
    prepared = replace(asked(training__epochs=1), prepare=True)
    train(prepared, tmp_path, Here(), nothing)
    unread()
    assert train(asked(training__epochs=2), tmp_path, Here(), nothing)["rounds"] == 2


def test_answers_of_an_earlier_network_do_not_stay(tmp_path: Path) -> None:
    task: Any = Naming()
    with_answers = replace(asked(training__epochs=1), answers=((task, None),))
    train(with_answers, tmp_path, Here(), nothing)
    assert (tmp_path / ANSWERS).is_dir()
    train(asked(training__epochs=2), tmp_path, Here(), nothing)
    assert not (tmp_path / ANSWERS).exists()
    assert not (tmp_path / WORK).exists()


def test_it_goes_on_where_what_it_began_from_is_gone(tmp_path: Path, unread: Any) -> None:
    task: Any = Naming()
    base = changed(read_config("transformer", "small"), {"training.epochs": 1})
    first = request("transformer", base, task, pretrain=True, device="cpu")
    train(first, tmp_path / "base", Here(), nothing)
    start = str(tmp_path / "base")
    tuned = request("transformer", base, task, start=start, device="cpu", prepare=True)
    train(tuned, tmp_path / "tuned", Here(), nothing)
    shutil.rmtree(tmp_path / "base")
    unread()
    shutil.copytree(tmp_path / "tuned", tmp_path / "prepared")
    elsewhere = request("transformer", base, task, start="/elsewhere/base", device="cpu")
    about = train(elsewhere, tmp_path / "tuned", Here(), nothing)
    assert about["rounds"] == 1
    # What it began from is told by its weights, not by a folder of some machine.
    assert len(about["start"]) == 64
    assert "/elsewhere" not in (tmp_path / "tuned" / "model.json").read_text()
    # Finished, it is left alone, though nobody could begin it anew.
    assert train(elsewhere, tmp_path / "tuned", Here(), nothing) == about
    other = replace(elsewhere, prepared=tmp_path / "prepared")
    again = train(other, tmp_path / "again", Here(), nothing)
    assert again["weights_sha256"] == about["weights_sha256"]
    anew = replace(elsewhere, limit=3)
    with pytest.raises(CodeacumenError, match="no checkpoint"):
        train(anew, tmp_path / "tuned", Here(), nothing)
    assert read_about(tmp_path / "tuned") == about


def test_what_cannot_be_begun_from_is_told_before_anything_is_read(
    tmp_path: Path, unread: Any
) -> None:
    task: Any = Naming()
    unread()
    tables = read_config("transformer", "small")
    with pytest.raises(CodeacumenError, match="no checkpoint"):
        train(
            request("transformer", tables, task, start=str(tmp_path / "no")),
            tmp_path / "a",
            Here(),
            nothing,
        )
    with pytest.raises(CodeacumenError, match="cannot start from another network"):
        request("cnn", read_config("cnn", "small"), task, start="x")


# --------------------------------------------------------------------------------------


def test_the_best_round_is_kept_and_so_many_follow(tmp_path: Path, monkeypatch: Any) -> None:
    """Scores as they are told here: the third round is the best, and two without a better end it.
    What is kept are the weights that it had then."""
    scores, states = [0.1, 0.2, 0.6, 0.3, 0.4, 0.9], []

    def look(dev: Any, architecture: Any, network: Any) -> tuple[float, float]:
        states.append({key: one.clone() for key, one in network.state_dict().items()})
        return 1.0, scores[len(states) - 1]

    monkeypatch.setattr("codeacumen.models.neural.training.teaching.Dev.look", look)
    torch.set_num_threads(1)
    model, _ = made("cnn", NAMING)
    file = prepare(model, taught_examples(NAMING, 48), tmp_path)
    training = small_training("cnn", epochs=9, batch=16, patience=2)
    taught = teach(model, file, file, training, tmp_path / "c", device="cpu")
    assert len(taught.history) == len(states) == 5
    assert taught.best["round"] == 2
    kept = taught.network.state_dict()
    same = [all(torch.equal(kept[key], one[key]) for key in kept) for one in states]
    assert same == [False, False, True, False, False]


def test_a_loss_that_is_no_number_is_told(tmp_path: Path) -> None:
    """And after two rounds, not after 500 that nothing is learned in."""
    model, _ = made("cnn", NAMING)
    file = prepare(model, taught_examples(NAMING, 32), tmp_path)
    training = small_training("cnn", epochs=500, batch=16, rate=1e30, optimiser="sgd")
    with pytest.raises(CodeacumenError, match="not a finite number"):
        teach(model, file, file, training, tmp_path / "c", device="cpu")
    assert len((tmp_path / "c" / HISTORY).read_text().splitlines()) <= 3


@pytest.mark.parametrize("key", ["judged", "batch", "epochs"])
def test_what_cannot_be_is_told_at_once(key: str) -> None:
    with pytest.raises(CodeacumenError, match=f"{key}=0"):
        Training(**{key: 0})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_torch_cannot_compile_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Torch's own compiler, on a machine that has no compiler of C++.
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("torch._inductor.config.cpp.cxx", (str(tmp_path / "missing"),))
    with pytest.raises(CodeacumenError, match="network: InvalidCxxCompiler: ") as caught:
        train(asked("mlp", training__compile=True), tmp_path / "out", Here(), nothing)
    assert caught.value.hint == "train it with training.compile=false"


def test_tensorboard_has_what_the_history_has(tmp_path: Path) -> None:
    """The oracle reads the files: TensorBoard's own reader."""
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    train(asked(), tmp_path, Here(), nothing)
    events = reader.EventAccumulator(str(tmp_path / BOARD))
    events.Reload()
    told = [(one.step, one.value) for one in events.Scalars("dev_loss")]
    rows = np.genfromtxt(tmp_path / "history.csv", delimiter=",", names=True)
    np.testing.assert_allclose([value for _, value in told], rows["dev_loss"], rtol=1e-4)
    assert [step for step, _ in told] == rows["step"].astype(int).tolist()
    assert load(tmp_path)[0].name == "cnn"
