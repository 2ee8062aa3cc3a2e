"""Tests of networks by name, and of networks from other packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("torch")

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.catalogue import CATALOGUE, list_networks, load_architecture
from codeacumen.models.neural.model import make_run
from codeacumen.models.neural.training import batches
from codeacumen.models.neural.training.settings import apply_changes, read_config
from codeacumen.models.neural.training.train import make_request, run_training
from codeacumen.registry.entries import ENTRIES
from models.neural.small_networks import list_methods
from models.neural.training_requests import InlineEngine, NamingTask, ignore_progress
from support import pretend_installed

MINE = """
from dataclasses import dataclass
from codeacumen.models.neural.networks.token_classifiers import MLP

@dataclass(frozen=True, slots=True)
class Settings:
    vocabulary: int = 500
    length: int = 30
    embedding: int = 8
    hidden: int = 8

class Mine(MLP):
    name = "mine"
    Settings = Settings

number = 5
"""


@pytest.fixture(autouse=True)
def no_network_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, "network", {})


def install_network(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, attribute: str
) -> None:
    entry_points = f"[codeacumen.networks]\nmine = {package}:{attribute}\n"
    folder.mkdir(exist_ok=True)
    pretend_installed(folder, monkeypatch, package, MINE, entry_points)


def test_network_of_another_package_trains_and_predicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_network(tmp_path, monkeypatch, "net_alpha", "Mine")
    assert list_networks() == [*CATALOGUE, "mine"]
    tables = apply_changes(read_config("mine"), {"training.epochs": 1, "network.hidden": 4})
    training_request = make_request("mine", tables, NamingTask(), device="cpu")  # type: ignore[arg-type]
    about = run_training(training_request, tmp_path / "run", InlineEngine(), ignore_progress)
    assert (about["network"], about["settings"]["embedding"]) == ("mine", 8)  # type: ignore[index,call-overload]
    run = make_run(str(tmp_path / "run"), "cpu")
    (vector,) = run.embed([list_methods()[0][0]])  # type: ignore[union-attr]
    assert len(vector) == 4
    # Cached answers are valid only while the code of the package is the same ...
    (tmp_path / "net_alpha.py").write_text(MINE + "# edited\n")
    edited = make_run(str(tmp_path / "run"), "cpu").fingerprint
    assert edited != run.fingerprint
    # ... and torch and the device are, also if "auto" chooses the device.
    assert make_run(str(tmp_path / "run"), "auto").fingerprint == edited
    with monkeypatch.context() as patch:
        patch.setattr(batches, "choose_device", lambda _: "cuda")
        assert make_run(str(tmp_path / "run"), "auto").fingerprint != edited
    monkeypatch.setattr(
        "codeacumen.models.neural.model.version",
        lambda name: "99.0" if name == "torch" else metadata.version(name),
    )
    assert make_run(str(tmp_path / "run"), "auto").fingerprint != edited


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("number", "the network mine of net_beta 1.0 is not an Architecture"),
        ("missing", "cannot load network 'mine' of the package net_beta: AttributeError"),
    ],
)
def test_invalid_network_is_reported(
    attribute: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_network(tmp_path, monkeypatch, "net_beta", attribute)
    with pytest.raises(CodeacumenError, match=message):
        load_architecture("mine")


def test_duplicate_and_unknown_network_names_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("net_gamma", "net_delta"):
        install_network(tmp_path / package, monkeypatch, package, "Mine")
    with pytest.raises(CodeacumenError, match=r"have the name 'mine': .*net_delta.*net_gamma"):
        load_architecture("mine")
    with pytest.raises(CodeacumenError, match="no network called 'yours'") as caught:
        load_architecture("yours")
    assert "mlp, cnn" in caught.value.hint
