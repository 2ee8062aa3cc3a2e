"""Networks by name: our own, and those that plug-ins and other packages register.

Importing this module does not import torch: ``load_architecture`` imports only the module of the
network that it returns.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen import registry
from codeacumen.api import CodeacumenError
from codeacumen.registry import hash_code, hash_modules

if TYPE_CHECKING:
    from codeacumen.models.neural.architecture import Architecture, Purpose


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """Module, class and description of one of our networks; available without torch.

    ``module`` names module and class in the package ``networks``, such as ``ggnn.GGNN``.
    """

    module: str
    summary: str


CATALOGUE = {
    "mlp": CatalogueEntry("token_classifiers.MLP", "200 tokens, one hidden layer (GLUECode)"),
    "cnn": CatalogueEntry(
        "token_classifiers.CNN", "a convolution over tokens, averaged (GLUECode)"
    ),
    "bilstm": CatalogueEntry("token_classifiers.BiLSTM", "tokens read from both ends (GLUECode)"),
    "seq2seq": CatalogueEntry("seq2seq.Seq2Seq", "an encoder LSTM and a decoder LSTM (GLUECode)"),
    "transformer": CatalogueEntry(
        "transformer.Transformer", "six layers of RoBERTa's shape over subwords (GLUECode)"
    ),
    "code2vec": CatalogueEntry(
        "code2vec.Code2Vec", "attention over path contexts; a name is one label"
    ),
    "code2seq": CatalogueEntry("code2seq.Code2Seq", "LSTMs over paths; a name word by word"),
    "ggnn": CatalogueEntry("ggnn.GGNN", "messages along the edges of tree, tokens and data flow"),
    "cognac": CatalogueEntry(
        "cognac.Cognac", "a pointer-generator over a method, callers and callees"
    ),
    "codeacumen-base": CatalogueEntry(
        "codeacumen_base.Base", "tokens, structure and context; one network for all tasks (ours)"
    ),
    "gtnm": CatalogueEntry("gtnm.GTNM", "a transformer over method, project and documentation"),
    "spot-cnn": CatalogueEntry(
        "spot_cnn.SpotCNN", "Spot: nearest bodies and names of training methods"
    ),
}


def list_networks() -> list[str]:
    """Return the names of all networks, our own first, without importing any network."""
    return list(dict.fromkeys([*CATALOGUE, *registry.list_names("network")]))


def load_architecture(name: str) -> type[Architecture]:
    """Return the architecture class of a network.

    If a plug-in or another package registers the name of one of our networks, ours is returned.
    """
    if name not in CATALOGUE:
        return _load_registered(name)
    module, _, class_name = CATALOGUE[name].module.partition(".")
    try:
        network_module = importlib.import_module(f"codeacumen.models.neural.networks.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("codeacumen"):
            raise
        raise CodeacumenError(
            f"{name} needs {error.name}, which is not installed", "pip install 'codeacumen[neural]'"
        ) from error
    architecture_class: type[Architecture] = getattr(network_module, class_name)
    return architecture_class


def _load_registered(name: str) -> type[Architecture]:
    """Return the architecture class that a plug-in or another package registers by this name."""
    from codeacumen.models.neural.architecture import Architecture

    if name not in list_networks():
        raise CodeacumenError(
            f"there is no network called {name!r}", f"choose one of {', '.join(list_networks())}"
        )
    entry = registry.find_entry("network", name)
    if not (isinstance(entry.factory, type) and issubclass(entry.factory, Architecture)):
        raise CodeacumenError(
            f"the network {name} of {entry.origin} is not an Architecture",
            "derive it from codeacumen.models.neural.architecture.Architecture",
        )
    return entry.factory


def hash_network_code(name: str) -> str:
    """Return the hash of a network's code; only a network outside the catalogue is imported."""
    if name not in CATALOGUE:
        return hash_code(load_architecture(name))
    module = CATALOGUE[name].module.partition(".")[0]
    return hash_modules(f"codeacumen.models.neural.networks.{module}")


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """Name, settings and purpose of an architecture: enough to build it in another process."""

    name: str
    settings: dict[str, object]
    purpose: Purpose

    def build_architecture(self) -> Architecture:
        """Return the architecture; its vocabularies are still empty."""
        architecture_class = load_architecture(self.name)
        return architecture_class(architecture_class.Settings(**self.settings), self.purpose)
