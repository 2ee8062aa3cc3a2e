"""Tests of training again in the same folder: what is resumed, what is started anew, and what is
kept."""

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
from codeacumen.models.neural.training.checkpoints import load_network, read_model_json
from codeacumen.models.neural.training.fit import HISTORY, TENSORBOARD_DIR, fit_network
from codeacumen.models.neural.training.settings import TrainingSettings, apply_changes, read_config
from codeacumen.models.neural.training.train import (
    ANSWERS,
    WORK,
    TrainingRequest,
    make_request,
    run_training,
)
from models.neural.small_networks import (
    NAMING,
    make_examples,
    make_small,
    prepare_examples,
    small_training,
)
from models.neural.training_requests import (
    InlineEngine,
    NamingTask,
    ignore_progress,
    make_small_request,
)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that forbids to read the data from then on."""

    def forbid_reading() -> None:
        def refuse_read(*_: Any, **__: Any) -> Any:
            raise AssertionError("the data were read again")

        monkeypatch.setattr(training_module, "read_splits", refuse_read)

    return forbid_reading


class CorpusNaming(NamingTask):
    """A task whose methods are in a corpus, which is available or not."""

    def __init__(self, has_corpus: bool) -> None:
        self.fingerprint = "with a corpus" if has_corpus else "without"
        self.examples_fingerprint = "examples"
        self.whole_fingerprint = "with a corpus"


def make_cognac_request(task: Any, **further: Any) -> TrainingRequest:
    tables = apply_changes(read_config("cognac", "small"), {"training.epochs": 1})
    return make_request("cognac", tables, task, device="cpu", **further)


def test_prepared_data_can_be_trained_on_without_the_corpus(tmp_path: Path, unread: Any) -> None:
    with_corpus, without_corpus = CorpusNaming(True), CorpusNaming(False)
    answers: Any = ((with_corpus, None),)
    run_training(
        make_cognac_request(with_corpus, answers=answers, prepare=True),
        tmp_path / "one",
        InlineEngine(),
        ignore_progress,
    )
    shutil.copytree(tmp_path / "one", tmp_path / "prepared")
    unread()
    answers = ((without_corpus, None),)
    about = run_training(
        make_cognac_request(without_corpus, answers=answers),
        tmp_path / "one",
        InlineEngine(),
        ignore_progress,
    )
    assert about["rounds"] == 1
    prepared_request = make_cognac_request(
        without_corpus, answers=answers, prepared=tmp_path / "prepared"
    )
    again = run_training(prepared_request, tmp_path / "two", InlineEngine(), ignore_progress)
    assert again["weights_sha256"] == about["weights_sha256"]
    # Both record the data on which they were trained.
    assert again["data"]["fingerprint"] == about["data"]["fingerprint"] == "with a corpus"


def test_interrupted_reading_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(training_module, "read_splits", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_training(
                make_cognac_request(CorpusNaming(True)), tmp_path, InlineEngine(), ignore_progress
            )
    about = run_training(
        make_cognac_request(CorpusNaming(False)), tmp_path, InlineEngine(), ignore_progress
    )
    assert about["data"]["fingerprint"] == "without"


def test_killed_during_cleanup_can_be_trained_with_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is killed after the first file is removed."""

    def remove_and_interrupt(folder: Path, **_: Any) -> None:
        data = Path(folder) / "train.arrow"
        if data.is_file():
            data.unlink()
            raise KeyboardInterrupt

    killed, killed_copy = tmp_path / "one", tmp_path / "left"
    with monkeypatch.context() as patched:
        patched.setattr(training_module.shutil, "rmtree", remove_and_interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_training(
                make_small_request(training__epochs=1), killed, InlineEngine(), ignore_progress
            )
    shutil.copytree(killed, killed_copy)
    assert (
        run_training(
            make_small_request(training__epochs=2), killed_copy, InlineEngine(), ignore_progress
        )["rounds"]
        == 2
    )
    assert (
        run_training(
            make_small_request(training__epochs=1), killed, InlineEngine(), ignore_progress
        )["rounds"]
        == 1
    )
    assert not (killed / WORK).exists()


def test_wrong_folder_of_prepared_data_keeps_the_run(tmp_path: Path) -> None:
    about = run_training(
        make_small_request(training__epochs=1), tmp_path / "one", InlineEngine(), ignore_progress
    )
    wrong = replace(make_small_request(training__epochs=2), prepared=tmp_path / "nothing")
    with pytest.raises(CodeacumenError, match="nothing that was prepared"):
        run_training(wrong, tmp_path / "one", InlineEngine(), ignore_progress)
    assert read_model_json(tmp_path / "one") == about


def test_other_training_settings_use_prepared_data(tmp_path: Path, unread: Any) -> None:
    prepared = replace(make_small_request(training__epochs=1), prepare=True)
    run_training(prepared, tmp_path, InlineEngine(), ignore_progress)
    unread()
    assert (
        run_training(
            make_small_request(training__epochs=2), tmp_path, InlineEngine(), ignore_progress
        )["rounds"]
        == 2
    )


def test_answers_of_earlier_network_are_removed(tmp_path: Path) -> None:
    task: Any = NamingTask()
    with_answers = replace(make_small_request(training__epochs=1), answers=((task, None),))
    run_training(with_answers, tmp_path, InlineEngine(), ignore_progress)
    assert (tmp_path / ANSWERS).is_dir()
    run_training(make_small_request(training__epochs=2), tmp_path, InlineEngine(), ignore_progress)
    assert not (tmp_path / ANSWERS).exists()
    assert not (tmp_path / WORK).exists()


def test_prepared_run_resumes_without_its_starting_network(tmp_path: Path, unread: Any) -> None:
    task: Any = NamingTask()
    base = apply_changes(read_config("transformer", "small"), {"training.epochs": 1})
    first = make_request("transformer", base, task, pretrain=True, device="cpu")
    run_training(first, tmp_path / "base", InlineEngine(), ignore_progress)
    start = str(tmp_path / "base")
    tuned = make_request("transformer", base, task, start=start, device="cpu", prepare=True)
    run_training(tuned, tmp_path / "tuned", InlineEngine(), ignore_progress)
    shutil.rmtree(tmp_path / "base")
    unread()
    shutil.copytree(tmp_path / "tuned", tmp_path / "prepared")
    elsewhere = make_request("transformer", base, task, start="/elsewhere/base", device="cpu")
    about = run_training(elsewhere, tmp_path / "tuned", InlineEngine(), ignore_progress)
    assert about["rounds"] == 1
    # The starting point is identified by its weights, not by a folder of some machine.
    assert len(about["start"]) == 64
    assert "/elsewhere" not in (tmp_path / "tuned" / "model.json").read_text()
    # A finished training is not repeated, although it could not be started anew.
    assert run_training(elsewhere, tmp_path / "tuned", InlineEngine(), ignore_progress) == about
    other = replace(elsewhere, prepared=tmp_path / "prepared")
    again = run_training(other, tmp_path / "again", InlineEngine(), ignore_progress)
    assert again["weights_sha256"] == about["weights_sha256"]
    anew = replace(elsewhere, limit=3)
    with pytest.raises(CodeacumenError, match="no checkpoint"):
        run_training(anew, tmp_path / "tuned", InlineEngine(), ignore_progress)
    assert read_model_json(tmp_path / "tuned") == about


def test_invalid_start_is_reported_before_reading(tmp_path: Path, unread: Any) -> None:
    task: Any = NamingTask()
    unread()
    tables = read_config("transformer", "small")
    with pytest.raises(CodeacumenError, match="no checkpoint"):
        run_training(
            make_request("transformer", tables, task, start=str(tmp_path / "no")),
            tmp_path / "a",
            InlineEngine(),
            ignore_progress,
        )
    with pytest.raises(CodeacumenError, match="cannot start from another network"):
        make_request("cnn", read_config("cnn", "small"), task, start="x")


# --------------------------------------------------------------------------------------


def test_best_round_is_kept_and_patience_ends_training(tmp_path: Path, monkeypatch: Any) -> None:
    """With these scores the third round is the best, and the training ends after two worse ones;
    the weights of the third round are kept."""
    scores, states = [0.1, 0.2, 0.6, 0.3, 0.4, 0.9], []

    def return_next_score(dev: Any, architecture: Any, network: Any) -> tuple[float, float]:
        states.append({key: tensor.clone() for key, tensor in network.state_dict().items()})
        return 1.0, scores[len(states) - 1]

    monkeypatch.setattr(
        "codeacumen.models.neural.training.fit.DevScorer.score_network", return_next_score
    )
    torch.set_num_threads(1)
    model, _ = make_small("cnn", NAMING)
    file = prepare_examples(model, make_examples(NAMING, 48), tmp_path)
    training = small_training("cnn", epochs=9, batch=16, patience=2)
    taught = fit_network(model, file, file, training, tmp_path / "c", device="cpu")
    assert len(taught.history) == len(states) == 5
    assert taught.best["round"] == 2
    best_state = taught.network.state_dict()
    same = [all(torch.equal(best_state[key], state[key]) for key in best_state) for state in states]
    assert same == [False, False, True, False, False]


def test_infinite_loss_is_reported(tmp_path: Path) -> None:
    """The training stops after two rounds instead of running all 500."""
    model, _ = make_small("cnn", NAMING)
    file = prepare_examples(model, make_examples(NAMING, 32), tmp_path)
    training = small_training("cnn", epochs=500, batch=16, rate=1e30, optimiser="sgd")
    with pytest.raises(CodeacumenError, match="not a finite number"):
        fit_network(model, file, file, training, tmp_path / "c", device="cpu")
    assert len((tmp_path / "c" / HISTORY).read_text().splitlines()) <= 3


@pytest.mark.parametrize("key", ["judged", "batch", "epochs"])
def test_invalid_training_settings_are_refused(key: str) -> None:
    with pytest.raises(CodeacumenError, match=f"{key}=0"):
        TrainingSettings(**{key: 0})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compile_failure_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Simulate a machine without a C++ compiler for torch.compile.
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("torch._inductor.config.cpp.cxx", (str(tmp_path / "missing"),))
    with pytest.raises(CodeacumenError, match="network: InvalidCxxCompiler: ") as caught:
        run_training(
            make_small_request("mlp", training__compile=True),
            tmp_path / "out",
            InlineEngine(),
            ignore_progress,
        )
    assert caught.value.hint == "train it with training.compile=false"


def test_tensorboard_equals_history(tmp_path: Path) -> None:
    """The oracle reads the files: TensorBoard's own reader."""
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run_training(make_small_request(), tmp_path, InlineEngine(), ignore_progress)
    events = reader.EventAccumulator(str(tmp_path / TENSORBOARD_DIR))
    events.Reload()
    events_seen = [(event.step, event.value) for event in events.Scalars("dev_loss")]
    rows = np.genfromtxt(tmp_path / "history.csv", delimiter=",", names=True)
    np.testing.assert_allclose([value for _, value in events_seen], rows["dev_loss"], rtol=1e-4)
    assert [step for step, _ in events_seen] == rows["step"].astype(int).tolist()
    assert load_network(tmp_path)[0].name == "cnn"
