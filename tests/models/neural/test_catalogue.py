"""Networks by name, and those of other packages."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.catalogue import CATALOGUE, architecture, names
from codeacumen.models.neural.model import make_run
from codeacumen.models.neural.training.settings import changed, read_config
from codeacumen.models.neural.training.train import request, train
from codeacumen.registry.entries import ENTRIES
from models.neural.checks import methods
from models.neural.trainings import Here, Naming, nothing
from support import pretend_installed

MINE = """
from dataclasses import dataclass
from codeacumen.models.neural.networks import mlp

@dataclass(frozen=True, slots=True)
class Settings:
    vocabulary: int = 500
    length: int = 30
    embedding: int = 8
    hidden: int = 8

class Mine(mlp.MLP):
    name = "mine"
    Settings = Settings

number = 5
"""


@pytest.fixture(autouse=True)
def no_network_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, "network", {})


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, what: str) -> None:
    named = f"[codeacumen.networks]\nmine = {package}:{what}\n"
    folder.mkdir(exist_ok=True)
    pretend_installed(folder, monkeypatch, package, MINE, named)


def test_one_of_another_package_is_trained_and_asked_like_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "net_alpha", "Mine")
    assert names() == [*CATALOGUE, "mine"]
    tables = changed(read_config("mine"), {"training.epochs": 1, "network.hidden": 4})
    asked = request("mine", tables, Naming(), device="cpu")  # type: ignore[arg-type]
    about = train(asked, tmp_path / "run", Here(), nothing)
    assert (about["network"], about["settings"]["embedding"]) == ("mine", 8)  # type: ignore[index,call-overload]
    run = make_run(str(tmp_path / "run"), "cpu")
    (vector,) = run.embed([methods()[0][0]])  # type: ignore[union-attr]
    assert len(vector) == 4
    # Its answers are found again only while its package's code is the same.
    (tmp_path / "net_alpha.py").write_text(MINE + "# edited\n")
    assert make_run(str(tmp_path / "run"), "cpu").fingerprint != run.fingerprint


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("number", "the network mine of net_beta 1.0 is not an Architecture"),
        ("missing", "cannot load network 'mine' of the package net_beta: AttributeError"),
    ],
)
def test_what_is_none_is_told(
    what: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "net_beta", what)
    with pytest.raises(CodeacumenError, match=said):
        architecture("mine")


def test_two_of_one_name_are_refused_and_unknown_ones_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("net_gamma", "net_delta"):
        install(tmp_path / package, monkeypatch, package, "Mine")
    with pytest.raises(CodeacumenError, match=r"called 'mine': .*net_delta.*net_gamma"):
        architecture("mine")
    with pytest.raises(CodeacumenError, match="no network called 'yours'") as caught:
        architecture("yours")
    assert "mlp, cnn" in caught.value.hint
