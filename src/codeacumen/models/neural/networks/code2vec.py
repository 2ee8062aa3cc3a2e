"""code2vec: a bag of path contexts, one attention vector, and a name as a whole.

    cᵢ = tanh(W · [token(leftᵢ); path(pathᵢ); token(rightᵢ)])    (n, contexts, 384)
    aᵢ = softmax over i of cᵢ · a
    v  = Σ aᵢ cᵢ                                                 (n, 384), the code vector
    p  = softmax(targets · v)                                    one row of ``targets`` for a name

A path is known by its hash alone: two paths that differ in one node have nothing in common.
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
    """``tokens``, ``paths`` and ``targets``: how many are known, the most frequent. Of ``keep``
    contexts that are drawn of a method, the network sees ``contexts``. ``length`` and ``width``
    bound a path."""

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
    """A name is the sequence of its words: ``get|name``, told in camel case. How its author wrote
    it, ``getName`` or ``get_name``, is no matter of what it means."""

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
    name = "code2vec"
    serves = ("gluecode/naming",)
    Settings = Settings

    def make_labels(self) -> Labels:
        return WholeName(self.settings.targets)

    # ---------------------------------------------------------------- what it reads

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self._read_method(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        """An identifier alone is a token that no path leads to, if it is one that was learned."""
        if not is_bare(text):
            return self._read_method(text)
        name = name_of(text)
        known = name in self.vocabularies["tokens"]
        return {"left": [name], "path": [], "right": []} if known else None

    def _read_method(self, text: str) -> Features | None:
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
        """Contexts all of whose parts are known come first, then those with some: as many as the
        network sees. Those with none tell nothing, and are left out where there is another."""
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
        """Code vectors, and how much each context weighs in them, (n, contexts)."""
        left, right = self.tokens(batch["left"]), self.tokens(batch["right"])
        joined = torch.cat([left, self.paths(batch["path"]), right], 2)
        contexts = self.dense(self.dropout(joined)).tanh()
        scores = self.attention(contexts)[:, :, 0]
        mask = mask_of(batch["path_size"], scores.shape[1])
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(1)
        return (weights[:, None] @ contexts)[:, 0], weights

    def vector(self, batch: Batch) -> Tensor:
        """Of an identifier alone, its token's embedding: filled up with zeros, which change no
        cosine, to the length of the others."""
        code, _ = self.attend(batch)
        token = self.tokens(batch["left"][:, 0]).to(code.dtype)
        token = functional.pad(token, (0, code.shape[1] - token.shape[1]))
        return torch.where(batch["path_size"][:, None] == 0, token, code)

    def loss(self, batch: Batch) -> Tensor:
        return self.head.loss(self.attend(batch)[0], batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.attend(batch)[0])
