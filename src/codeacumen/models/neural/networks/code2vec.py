"""code2vec: a bag of path contexts, attention with one vector, and a name as one label.

    cᵢ = tanh(W · [token(leftᵢ); path(pathᵢ); token(rightᵢ)])    (n, contexts, 384)
    aᵢ = softmax over i of cᵢ · a
    v  = Σ aᵢ cᵢ                                                 (n, 384), the code vector
    p  = softmax(targets · v)                                    one row of ``targets`` for a name

A path is one word, its hash: two paths that differ in one node have unrelated embeddings.
``inputs.paths`` extracts the contexts. Shape: n examples.
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
    SingleLabel,
    Vocabulary,
)
from codeacumen.models.neural.inputs.paths import (
    PathLimits,
    extract_code2vec_contexts,
    is_identifier,
)
from codeacumen.models.neural.inputs.tokens import get_text
from codeacumen.models.neural.networks.layers import LabelHead, init_embeddings, make_mask
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.paths.leaves import code2vec_leaf_name


@dataclass(frozen=True, slots=True)
class Code2VecSettings:
    """Hyper-parameters.

    ``tokens``, ``paths`` and ``targets`` are maximum sizes of vocabularies. ``keep`` contexts of a
    method are sampled, of which the network uses ``contexts``. ``length`` and ``width`` limit a
    path (``PathLimits``). ``embedding`` is the size of the embedding of a token or a path, ``code``
    that of a code vector.
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


class WholeNameLabels(SingleLabel):
    """Labels that are sequences of words in lower case, such as ``get|name``, one for each name.

    ``getName`` and ``get_name`` are therefore the same label; answers are in camel case.
    """

    def split_label(self, label: str) -> Iterable[str]:
        name = "|".join(split_subtokens(label, lower=True))
        return (name,) if name else ()

    def encode_target(self, label: str) -> Encoded | None:
        names = tuple(self.split_label(label))
        return super().encode_target(names[0]) if names else None

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        name = super().decode_answer(predicted)
        if name is None:
            return None
        first, *rest = name.split("|")
        return first + "".join(word[:1].upper() + word[1:] for word in rest)


class Code2Vec(Architecture):
    """code2vec (Alon et al., POPL 2019)."""

    name = "code2vec"
    task_prefixes = ("gluecode/naming",)
    Settings = Code2VecSettings

    def make_labels(self) -> Labels:
        return WholeNameLabels(self.settings.targets)

    # ---------------------------------------------------------------- features

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return self._extract_method_features(get_text(item))

    def extract_text_features(self, text: str) -> Features | None:
        """Return the features of a method, or of an identifier that the vocabulary knows.

        An identifier alone is one token without a path.
        """
        if not is_identifier(text):
            return self._extract_method_features(text)
        name = code2vec_leaf_name(text)
        is_known = name in self.vocabularies["tokens"]
        return {"left": [name], "path": [], "right": []} if is_known else None

    def _extract_method_features(self, text: str) -> Features | None:
        """Return the path contexts of a method, None if it has none."""
        settings = self.settings
        limits = PathLimits(settings.length, settings.width, settings.keep)
        contexts = extract_code2vec_contexts(text, limits)
        if contexts is None:
            return None
        words, hashes = contexts.words, contexts.hashes
        return {
            "left": [words[at] for at in contexts.left.tolist()],
            "path": [hashes[at] for at in contexts.path.tolist()],
            "right": [words[at] for at in contexts.right.tolist()],
        }

    # ---------------------------------------------------------------- words and numbers

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "tokens", features["left"]  # type: ignore[misc]
        yield "tokens", features["right"]  # type: ignore[misc]
        yield "paths", features["path"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        for name in ("tokens", "paths"):
            max_size = getattr(self.settings, name)
            self.vocabularies[name] = Vocabulary.from_counts(counts[name], max_size)
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        """Return the numbers of the contexts that the network uses.

        Contexts whose three parts are all known come first, then those with one or two known parts.
        Contexts without a known part are used only if a method has no others.
        """
        columns = {
            name: self.vocabularies[vocabulary].encode_words(features[name])  # type: ignore[arg-type]
            for name, vocabulary in (("left", "tokens"), ("path", "paths"), ("right", "tokens"))
        }
        # An identifier alone has no path.
        if len(columns["path"]) < len(columns["left"]):
            return columns
        known_parts = np.sum([column != UNKNOWN for column in columns.values()], axis=0)
        informative = np.concatenate(
            [np.flatnonzero(known_parts == 3), np.flatnonzero((known_parts % 3) > 0)]
        )
        chosen = (informative if len(informative) else np.arange(len(known_parts)))[
            : self.settings.contexts
        ]
        return {name: column[chosen] for name, column in columns.items()}

    def build_network(self) -> Network:
        return Code2VecNetwork(
            self.settings,
            len(self.vocabularies["tokens"]),
            len(self.vocabularies["paths"]),
            len(self.labels.vocabulary),
        )


class Code2VecNetwork(nn.Module, Network):
    """The code vector of a method, and a softmax over the names."""

    def __init__(self, settings: Code2VecSettings, tokens: int, paths: int, labels: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(tokens, settings.embedding, padding_idx=PAD)
        self.paths = nn.Embedding(paths, settings.embedding, padding_idx=PAD)
        self.dropout = nn.Dropout(settings.dropout)
        self.dense = nn.Linear(3 * settings.embedding, settings.code, bias=False)
        self.attention = nn.Linear(settings.code, 1, bias=False)
        self.head = LabelHead(settings.code, labels)
        self.head.out = nn.Linear(settings.code, labels, bias=False)
        init_embeddings(self.tokens, self.paths, self.head.out)
        nn.init.xavier_uniform_(self.dense.weight)
        nn.init.xavier_uniform_(self.attention.weight)

    def compute_code_vectors(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return code vectors (n, d) and the attention weights of the contexts (n, contexts)."""
        left, right = self.tokens(batch["left"]), self.tokens(batch["right"])
        joined = torch.cat([left, self.paths(batch["path"]), right], 2)
        contexts = self.dense(self.dropout(joined)).tanh()
        scores = self.attention(contexts)[:, :, 0]
        mask = make_mask(batch["path_size"], scores.shape[1])
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(1)
        return (weights[:, None] @ contexts)[:, 0], weights

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return code vectors; of an identifier alone, its token's embedding.

        The embedding is padded with zeros to the length of a code vector. Zeros change no cosine
        between identifiers.
        """
        code, _ = self.compute_code_vectors(batch)
        token = self.tokens(batch["left"][:, 0]).to(code.dtype)
        token = functional.pad(token, (0, code.shape[1] - token.shape[1]))
        return torch.where(batch["path_size"][:, None] == 0, token, code)

    def compute_loss(self, batch: Batch) -> Tensor:
        return self.head.compute_loss(self.compute_code_vectors(batch)[0], batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.compute_code_vectors(batch)[0])
