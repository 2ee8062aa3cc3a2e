"""The networks by name: ours, and those that other packages register as ``codeacumen.networks``. A
module is imported, and torch with it, when its network is wanted."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError
from codeacumen.registry import code_hash, modules_hash

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from codeacumen.models.neural.architecture import Architecture, Purpose


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an architecture is, and what to tell about it before torch is there."""

    module: str
    summary: str


CATALOGUE = {
    "mlp": Entry("mlp.MLP", "200 tokens, one hidden layer (GLUECode)"),
    "cnn": Entry("cnn.CNN", "a convolution over tokens, averaged (GLUECode)"),
    "bilstm": Entry("bilstm.BiLSTM", "tokens read from both ends (GLUECode)"),
    "seq2seq": Entry("seq2seq.Seq2Seq", "words read and said by LSTMs (GLUECode)"),
    "transformer": Entry(
        "transformer.Transformer", "six layers of RoBERTa's shape over subwords (GLUECode)"
    ),
    "code2vec": Entry("code2vec.Code2Vec", "attention over path contexts, a name as a whole"),
    "code2seq": Entry("code2seq.Code2Seq", "paths read node by node, a name word by word"),
    "ggnn": Entry("ggnn.GGNN", "messages along the edges of tree, tokens and data flow"),
    "cognac": Entry("cognac.Cognac", "a pointer-generator that sees callers and callees"),
    "codeacumen-base": Entry(
        "base.Base", "tokens, structure and surroundings, for all tasks at once (ours)"
    ),
    "gtnm": Entry("gtnm.GTNM", "a transformer over method, project and documentation"),
    "spot-cnn": Entry("spot_cnn.SpotCNN", "Spot: the nearest bodies and names it was taught"),
}


GROUP = "codeacumen.networks"


def names() -> list[str]:
    """All networks, ours first. A package cannot take the place of one of ours."""
    return list(dict.fromkeys([*CATALOGUE, *sorted(one.name for one in _points())]))


def _points() -> list[EntryPoint]:
    # Which packages there are is looked up when somebody asks: for most commands nobody does.
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))


def architecture(name: str) -> type[Architecture]:
    if name not in CATALOGUE:
        return _foreign(name)
    module, _, kind = CATALOGUE[name].module.partition(".")
    try:
        found: type[Architecture] = getattr(
            importlib.import_module(f"codeacumen.models.neural.networks.{module}"), kind
        )
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("codeacumen"):
            raise
        raise CodeacumenError(
            f"{name} needs {error.name}, which is not installed", "pip install 'codeacumen[neural]'"
        ) from error
    return found


def hash_network_code(name: str) -> str:
    """Return the hash of the code of a network, without loading one of ours."""
    if name not in CATALOGUE:
        return code_hash(architecture(name))
    module = CATALOGUE[name].module.partition(".")[0]
    return modules_hash(f"codeacumen.models.neural.networks.{module}")


def _foreign(name: str) -> type[Architecture]:
    """One of another package."""
    points = sorted((one for one in _points() if one.name == name), key=_package)
    if not points:
        raise CodeacumenError(
            f"there is no network called {name!r}", f"choose of {', '.join(names())}"
        )
    if len(points) > 1:
        told = " and ".join(map(_package, points))
        raise CodeacumenError(f"{name} is registered by {told}", "remove one of these packages")
    from codeacumen.models.neural.architecture import Architecture

    where = f"{name} of {_package(points[0])}"
    try:
        found = points[0].load()
    except Exception as error:  # whatever somebody else's code may raise
        raise CodeacumenError(f"{where}: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Architecture)):
        raise CodeacumenError(
            f"{where} is no Architecture", "the contract is codeacumen.models.neural.architecture"
        )
    return found


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


@dataclass(frozen=True, slots=True)
class Plan:
    """An architecture by name, with its settings: what another process makes it from."""

    name: str
    settings: dict[str, object]
    purpose: Purpose

    def make(self) -> Architecture:
        kind = architecture(self.name)
        return kind(kind.Settings(**self.settings), self.purpose)
