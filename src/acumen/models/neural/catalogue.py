"""The networks by name. A module is imported, and torch with it, when its network is wanted."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acumen.api import AcumenError

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Architecture, Purpose


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
    "acumen-base": Entry(
        "base.Base", "tokens, structure and surroundings, for all tasks at once (ours)"
    ),
    "gtnm": Entry("gtnm.GTNM", "a transformer over method, project and documentation"),
    "spot-cnn": Entry("spot_cnn.SpotCNN", "Spot: the nearest bodies and names it was taught"),
}


def architecture(name: str) -> type[Architecture]:
    if name not in CATALOGUE:
        raise AcumenError(
            f"there is no network called {name!r}", f"choose of {', '.join(CATALOGUE)}"
        )
    module, _, kind = CATALOGUE[name].module.partition(".")
    try:
        found: type[Architecture] = getattr(
            importlib.import_module(f"acumen.models.neural.{module}"), kind
        )
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("acumen"):
            raise
        raise AcumenError(
            f"{name} needs {error.name}, which is not installed", "pip install 'acumen[neural]'"
        ) from error
    return found


@dataclass(frozen=True, slots=True)
class Plan:
    """An architecture by name, with its settings: what another process makes it from."""

    name: str
    settings: dict[str, object]
    purpose: Purpose

    def make(self) -> Architecture:
        kind = architecture(self.name)
        return kind(kind.Settings(**self.settings), self.purpose)
