"""GTNM: a transformer over a method, the project around it and its documentation.

    P = blocks₁(project)                                the context of the method
    S = blocks₂([project; local; documentation])        all three together
    w = softmax(1 + invoked), over the project's pieces, times their number
    each block of the decoder attends to the name so far, then to w ⊙ P, then to S
    P(piece) = softmax(E · decoder)                     E are the embeddings of the pieces

``invoked`` is 1 for a piece of the project that is also in the method; such pieces weigh e times as
much as others. ``inputs.context`` extracts the pieces. Shapes: n examples, l positions, t pieces of
a name, d dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.api import CodeContext, Input
from codeacumen.models.neural.architecture import (
    BEGIN,
    PAD,
    Batch,
    Encoded,
    Features,
    Network,
    Vocabulary,
)
from codeacumen.models.neural.inputs.context import (
    ContextArchitecture,
    extract_gtnm_features,
    read_method_context,
)
from codeacumen.models.neural.networks.layers import State, make_mask, search_beams

# Numbers of the contexts, which have an embedding each.
_PROJECT, _LOCAL, _DOC = range(3)


@dataclass(frozen=True, slots=True)
class GTNMSettings:
    """Hyper-parameters.

    ``local``, ``project``, ``doc`` and ``longest`` are maximum numbers of pieces, the last that of
    a name. ``least`` is the minimum number of occurrences of a known piece, ``smoothing`` the
    label smoothing of the loss. ``beam`` is the beam width; 1 is a greedy search.
    """

    vocabulary: int = 50_000
    least: int = 2
    local: int = 55
    project: int = 60
    doc: int = 10
    longest: int = 5
    size: int = 512
    inner: int = 2048
    blocks: int = 6
    heads: int = 8
    dropout: float = 0.3
    smoothing: float = 0.1
    beam: int = 1


class GTNM(ContextArchitecture):
    """GTNM (Liu et al., ICSE 2022). The documentation has a vocabulary of its own."""

    name = "gtnm"
    Settings = GTNMSettings

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        settings = self.settings
        features = extract_gtnm_features(
            read_method_context(item, context),
            local=settings.local,
            project=settings.project,
            doc=settings.doc,
        )
        return features if features["local"] else None

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "pieces", features["local"]  # type: ignore[misc]
        yield "pieces", features["project"]  # type: ignore[misc]
        yield "doc", features["doc"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        super().learn_vocabularies(counts)
        self.vocabularies["doc"] = Vocabulary.from_counts(
            counts.get("doc", {}), self.settings.vocabulary, min_count=self.settings.least
        )

    def encode(self, features: Features) -> Encoded:
        project = self.shared_vocabulary.encode_words(features["project"])  # type: ignore[arg-type]
        return {
            "local": self.shared_vocabulary.encode_words(features["local"]),  # type: ignore[arg-type]
            # BEGIN is a position to attend to even where the project is unknown.
            "project": np.concatenate([[np.int32(BEGIN)], project]),
            "invoked": np.array([0, *features["invoked"]], np.int32),
            "doc": self.vocabularies["doc"].encode_words(features["doc"]),  # type: ignore[arg-type]
        }

    def build_network(self) -> Network:
        return GTNMNetwork(
            self.settings, len(self.shared_vocabulary), len(self.vocabularies["doc"])
        )


class DecoderBlock(nn.Module):
    """A block of a transformer's decoder that attends to the project before all contexts.

    Each of its sublayers has a residual connection, followed by a layer normalisation.
    """

    def __init__(self, settings: GTNMSettings) -> None:
        super().__init__()
        size = settings.size

        def make_attention() -> nn.MultiheadAttention:
            return nn.MultiheadAttention(size, settings.heads, settings.dropout, batch_first=True)

        self.own, self.project, self.all = make_attention(), make_attention(), make_attention()
        self.inner = nn.Linear(size, settings.inner)
        self.outer = nn.Linear(settings.inner, size)
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(4))
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, states: Tensor, contexts: EncodedContexts, causal_mask: Tensor) -> Tensor:
        """Return the next states (n, t, d); ``causal_mask`` (t, t) is True at later pieces."""
        # Attention, the states that it reads, the mask of their padding, and that of later pieces.
        attentions = (
            (self.own, states, None, causal_mask),
            (self.project, contexts.project, ~contexts.project_mask, None),
            (self.all, contexts.states, ~contexts.mask, None),
        )
        for index, (attention, memory, padding_mask, attention_mask) in enumerate(attentions):
            attended, _ = attention(
                states,
                memory,
                memory,
                key_padding_mask=padding_mask,
                attn_mask=attention_mask,
                need_weights=False,
            )
            states = self.norms[index](states + self.dropout(attended))
        inner = self.outer(self.dropout(self.inner(states).relu()))
        output: Tensor = self.norms[3](states + self.dropout(inner))
        return output


@dataclass(frozen=True, slots=True)
class EncodedContexts:
    """The encoded input: states of all contexts together, and of the project alone.

    States are (n, l, d), masks (n, l), False at padding. ``project`` is already weighted by w.
    """

    states: Tensor
    mask: Tensor
    project: Tensor
    project_mask: Tensor

    def repeat_examples(self, times: int) -> EncodedContexts:
        """Return each example ``times`` times, for the beams of a search."""
        parts = (self.states, self.mask, self.project, self.project_mask)
        return EncodedContexts(*(tensor.repeat_interleave(times, 0) for tensor in parts))


class GTNMNetwork(nn.Module, Network):
    """Encoders of the project and of all contexts, and a decoder over both."""

    def __init__(self, settings: GTNMSettings, pieces: int, words: int) -> None:
        super().__init__()
        self.settings = settings
        size = settings.size
        self.embedding = nn.Embedding(pieces, size, padding_idx=PAD)
        self.doc_embedding = nn.Embedding(words, size, padding_idx=PAD)
        self.context = nn.Embedding(3, size)
        for table in (self.embedding, self.doc_embedding, self.context):
            nn.init.normal_(table.weight, std=size**-0.5)
        for table in (self.embedding, self.doc_embedding):
            nn.init.zeros_(table.weight.detach()[PAD])
        self.project_blocks = _make_encoder(settings)
        self.blocks = _make_encoder(settings)
        self.decoder = nn.ModuleList(DecoderBlock(settings) for _ in range(settings.blocks))
        self.dropout = nn.Dropout(settings.dropout)
        longest = max(settings.local, settings.project, settings.doc, settings.longest) + 2
        self.register_buffer("positions", make_sinusoids(longest, size), persistent=False)
        self.positions: Tensor

    def embed_pieces(
        self, table: nn.Embedding, numbers: Tensor, context: int | None = None
    ) -> Tensor:
        """Return the sums of embeddings of pieces, their positions and their context, (n, t, d).

        ``context`` is None for pieces of the name.
        """
        vectors = table(numbers) * math.sqrt(self.settings.size)
        vectors = vectors + self.positions[: numbers.shape[1]]
        if context is not None:
            vectors = vectors + self.context.weight[context] * math.sqrt(self.settings.size)
        dropped: Tensor = self.dropout(vectors)
        return dropped

    def encode_batch(self, batch: Batch) -> EncodedContexts:
        """Return the encoded contexts of a batch."""
        contexts = [
            ("project", self.embedding, _PROJECT),
            ("local", self.embedding, _LOCAL),
            ("doc", self.doc_embedding, _DOC),
        ]
        masks = [make_mask(batch[f"{name}_size"], batch[name].shape[1]) for name, _, _ in contexts]
        embedded = [
            self.embed_pieces(table, batch[name], context) for name, table, context in contexts
        ]
        mask = torch.cat(masks, 1)
        states = self.blocks(torch.cat(embedded, 1), src_key_padding_mask=~mask)
        project = self.project_blocks(embedded[0], src_key_padding_mask=~masks[0])
        weights = compute_invoked_weights(batch["invoked"], masks[0]).to(project.dtype)
        return EncodedContexts(states, mask, project * weights[:, :, None], masks[0])

    def score_pieces(self, previous: Tensor, contexts: EncodedContexts) -> Tensor:
        """Return scores (n, t, pieces) of the piece after each ``previous`` one."""
        states = self.embed_pieces(self.embedding, previous)
        length = previous.shape[1]
        causal_mask = torch.ones(length, length, dtype=torch.bool, device=previous.device).triu(1)
        for block in self.decoder:
            states = block(states, contexts, causal_mask)
        return states @ self.embedding.weight.T

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return the mean of the states of all contexts, (n, d)."""
        contexts = self.encode_batch(batch)
        mask = contexts.mask[:, :, None]
        return (contexts.states.masked_fill(~mask, 0.0)).sum(1) / mask.sum(1)

    def compute_loss(self, batch: Batch) -> Tensor:
        target = batch["target"]
        begin = torch.full_like(target[:, :1], BEGIN)
        scores = self.score_pieces(torch.cat([begin, target[:, :-1]], 1), self.encode_batch(batch))
        return functional.cross_entropy(
            scores.flatten(0, 1).float(),
            target.flatten(),
            ignore_index=PAD,
            label_smoothing=self.settings.smoothing,
        )

    def predict(self, batch: Batch) -> list[list[int]]:
        beam_width = self.settings.beam
        contexts = self.encode_batch(batch).repeat_examples(beam_width)

        def advance(last: Tensor, state: State) -> tuple[Tensor, State]:
            previous = torch.cat([state[0], last[:, :, None]], 2)
            scores = self.score_pieces(previous.flatten(0, 1), contexts)[:, -1].float()
            return scores.log_softmax(1).view(*last.shape, -1), (previous,)

        no_pieces = batch["local"].new_empty(len(batch["local"]), 1, 0)
        return search_beams(advance, (no_pieces,), beam_width, self.settings.longest)


def _make_encoder(settings: GTNMSettings) -> nn.TransformerEncoder:
    """Return the blocks of an encoder."""
    block = nn.TransformerEncoderLayer(
        settings.size, settings.heads, settings.inner, settings.dropout, batch_first=True
    )
    return nn.TransformerEncoder(block, settings.blocks, enable_nested_tensor=False)


def compute_invoked_weights(invoked: Tensor, mask: Tensor) -> Tensor:
    """Return weights (n, l) of the project's pieces: e times as large if a piece is invoked.

    The mean weight of an example's pieces is 1, and padding has the weight 0.
    """
    scores = (1.0 + invoked).masked_fill(~mask, -torch.inf)
    return scores.softmax(1) * mask.sum(1, keepdim=True)


def make_sinusoids(length: int, size: int) -> Tensor:
    """Return sinusoidal position embeddings (length, size)."""
    positions = torch.arange(length)[:, None]
    angles = positions * torch.exp(torch.arange(0, size, 2) * (-math.log(10_000.0) / size))
    table = torch.zeros(length, size)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table
