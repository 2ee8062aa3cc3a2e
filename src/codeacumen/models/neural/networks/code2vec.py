"""code2vec: a bag of path contexts, attention with one vector, and a name as one label.

    cᵢ = tanh(W · [token(leftᵢ); path(pathᵢ); token(rightᵢ)])    (n, contexts, 384)
    aᵢ = softmax over i of cᵢ · a
    v  = Σ aᵢ cᵢ                                                 (n, 384), the code vector
    p  = softmax(targets · v)                                    one row of ``targets`` for a name

A path is one word, its hash: two paths that differ in one node have unrelated embeddings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.api import CodeContext, Input
from codeacumen.models.neural.architecture import (
    PAD,
    UNKNOWN,
    Architecture,
    Batch,
    Encoded,
    Features,
    Labels,
    Network,
    OneLabel,
    Vocabulary,
)
from codeacumen.models.neural.inputs.paths import Reading, code2vec_contexts, is_bare
from codeacumen.models.neural.inputs.tokens import text_of
from codeacumen.models.neural.networks.layers import LabelHead, mask_of, spread
from codeacumen.text.subtokens import subtokens
from codeacumen.views.paths.leaves import name_of


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyper-parameters.

    ``tokens``, ``paths`` and ``targets`` are maximum sizes of vocabularies. ``keep`` contexts of a
    method are sampled, of which the network uses ``contexts``. ``length`` and ``width`` limit a
    path.
    """

    tokens: int = 1_301_136
    paths: int = 911_417
    targets: int = 261_245
    contexts: int = 200
    keep: int = 1000
    length: int = 8
    width: int = 2
    embedding: int = 128
    code: int = 384
    dropout: float = 0.25


class WholeName(OneLabel):
    """Labels that are sequences of words, such as ``get|name``; answers are in camel case.

    So ``getName`` and ``get_name`` are one label.
    """

    def words(self, label: str) -> Iterable[str]:
        found = "|".join(subtokens(label, lower=True))
        return (found,) if found else ()

    def target(self, label: str) -> Encoded | None:
        found = tuple(self.words(label))
        return super().target(found[0]) if found else None

    def answer(self, predicted: Sequence[int]) -> str | None:
        found = super().answer(predicted)
        if found is None:
            return None
        first, *rest = found.split("|")
        return first + "".join(one[:1].upper() + one[1:] for one in rest)


class Code2Vec(Architecture):
    """code2vec (Alon et al., POPL 2019)."""

    name = "code2vec"
    serves = ("gluecode/naming",)
    Settings = Settings

    def make_labels(self) -> Labels:
        return WholeName(self.settings.targets)

    # ---------------------------------------------------------------- features

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self._read_method(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        """Return the features of a method, or of an identifier that the vocabulary knows.

        An identifier alone is one token without a path.
        """
        if not is_bare(text):
            return self._read_method(text)
        name = name_of(text)
        known = name in self.vocabularies["tokens"]
        return {"left": [name], "path": [], "right": []} if known else None

    def _read_method(self, text: str) -> Features | None:
        """Return the path contexts of a method, None if it has none."""
        settings = self.settings
        reading = Reading(settings.length, settings.width, settings.keep)
        found = code2vec_contexts(text, reading)
        if found is None:
            return None
        words, hashes = found.words, found.hashes
        return {
            "left": [words[at] for at in found.left.tolist()],
            "path": [hashes[at] for at in found.path.tolist()],
            "right": [words[at] for at in found.right.tolist()],
        }

    # ---------------------------------------------------------------- words and numbers

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "tokens", features["left"]  # type: ignore[misc]
        yield "tokens", features["right"]  # type: ignore[misc]
        yield "paths", features["path"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        for name in ("tokens", "paths"):
            most = getattr(self.settings, name)
            self.vocabularies[name] = Vocabulary.counted(counts[name], most)
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        """Return the numbers of the contexts that the network uses.

        Contexts whose three parts are all known come first, then those with a known part. Contexts
        without a known part are used only if a method has no other.
        """
        made = {
            name: self.vocabularies[of].numbers(features[name])  # type: ignore[arg-type]
            for name, of in (("left", "tokens"), ("path", "paths"), ("right", "tokens"))
        }
        if len(made["path"]) < len(made["left"]):
            return made
        known = np.sum([column != UNKNOWN for column in made.values()], axis=0)
        best = np.concatenate([np.flatnonzero(known == 3), np.flatnonzero((known % 3) > 0)])
        chosen = (best if len(best) else np.arange(len(known)))[: self.settings.contexts]
        return {name: column[chosen] for name, column in made.items()}

    def network(self) -> Network:
        return Code2VecNetwork(
            self.settings,
            len(self.vocabularies["tokens"]),
            len(self.vocabularies["paths"]),
            len(self.labels.vocabulary),
        )


class Code2VecNetwork(nn.Module, Network):
    """The code vector of a method, and a softmax over the names."""

    def __init__(self, settings: Settings, tokens: int, paths: int, labels: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
        self.paths = nn.Embedding(paths, settings.embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(settings.dropout)
        self.dense = nn.Linear(3 * settings.embedding, settings.code, bias=False)
        self.attention = nn.Linear(settings.code, 1, bias=False)
        self.head = LabelHead(settings.code, labels)
        self.head.out = nn.Linear(settings.code, labels, bias=False)
        spread(self.tokens, self.paths, self.head.out)
        nn.init.xavier_uniform_(self.dense.weight)
        nn.init.xavier_uniform_(self.attention.weight)

    def attend(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return code vectors (n, d) and the attention weights of the contexts (n, contexts)."""
        left, right = self.tokens(batch["left"]), self.tokens(batch["right"])
        joined = torch.cat([left, self.paths(batch["path"]), right], 2)
        contexts = self.dense(self.dropout(joined)).tanh()
        scores = self.attention(contexts)[:, :, 0]
        mask = mask_of(batch["path_size"], scores.shape[1])
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(1)
        return (weights[:, None] @ contexts)[:, 0], weights

    def vector(self, batch: Batch) -> Tensor:
        """Return code vectors; of an identifier alone, its token's embedding.

        The embedding is padded with zeros to the length of a code vector. Zeros change no cosine
        between identifiers.
        """
        code, _ = self.attend(batch)
        token = self.tokens(batch["left"][:, 0]).to(code.dtype)
        token = functional.pad(token, (0, code.shape[1] - token.shape[1]))
        return torch.where(batch["path_size"][:, None] == 0, token, code)

    def loss(self, batch: Batch) -> Tensor:
        return self.head.loss(self.attend(batch)[0], batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.attend(batch)[0])
