"""GGNN with a sequence decoder: message passing along the edges of a method's graph.

    h⁰ = [embedding(kind); mean of embedding(words)]       a node, 2 · 128
    m  = Σ over edges u → v of kind k of Wₖ hᵗ(u) + bₖ      messages to a node v, both directions
    hᵗ⁺¹ = GRU(m, hᵗ)                                       8 times, with the same weights
    g  = LayerNorm(Σ over nodes of σ(G [h⁸; h⁰]) ⊙ tanh(V [h⁸; h⁰]))

An LSTM that starts from g and attends to the h⁸ of all nodes generates a name; a class is
softmax(U · g). A batch of graphs is one graph with several components, so only the decoder's input
is padded. Shapes: n examples, ``nodes`` all nodes of a batch, d = 256 dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from codeacumen.api import Capability
from codeacumen.models.neural.architecture import (
    PAD,
    Batch,
    Labels,
    Network,
    PieceLabels,
    SingleLabel,
)
from codeacumen.models.neural.inputs.graph import EDGE_KINDS, GraphArchitecture
from codeacumen.models.neural.networks.layers import (
    LabelHead,
    LabelNetwork,
    PieceDecoder,
    get_layer_dtype,
    make_mask,
)
from codeacumen.models.neural.training.batches import pad_columns
from codeacumen.text.columns import Ragged

# Kinds of messages: along the edges of each kind, then against them.
WAYS = 2 * len(EDGE_KINDS)
# Columns that ``GGNN.collate`` joins to one graph.
_GRAPH = ("kinds", "words", "sizes", "sources", "sinks", "edges")


@dataclass(frozen=True, slots=True)
class GGNNSettings:
    """Hyper-parameters.

    ``vocabulary`` is the maximum size of the vocabularies of words and of answers, ``nodes`` that
    of a graph, ``longest`` that of a method's name, in words. ``embedding`` is the size of the
    embedding of a node's kind and of that of its words; a node's state has both. ``steps`` is the
    number of rounds of messages, ``decoder`` the size of the decoder's state.
    """

    vocabulary: int = 10_000
    nodes: int = 1000
    embedding: int = 128
    steps: int = 8
    decoder: int = 256
    dropout: float = 0.2
    longest: int = 6


class GGNN(GraphArchitecture):
    """Gated graph neural network (Fernandes et al., ICLR 2019)."""

    name = "ggnn"
    host_tensors = frozenset({"ways", "widest"})
    Settings = GGNNSettings

    def make_labels(self) -> Labels:
        settings = self.settings
        if self.purpose.capability is Capability.CLASSIFY:
            return SingleLabel(settings.vocabulary)
        if self.purpose.capability is Capability.NAME:
            return PieceLabels(settings.vocabulary, settings.longest, is_lowercase=True)
        return PieceLabels(settings.vocabulary)

    def build_network(self) -> Network:
        kinds, words = len(self.vocabularies["kinds"]), len(self.vocabularies["words"])
        encoder, answers = GraphEncoder(self.settings, kinds, words), len(self.labels.vocabulary)
        if isinstance(self.labels, PieceLabels):
            return GGNNGenerator(encoder, self.settings, answers, self.labels.max_pieces)
        return GGNNClassifier(encoder, self.settings, answers)

    def collate(
        self, columns: Mapping[str, Ragged], rng: np.random.Generator | None = None
    ) -> Batch:
        """Return one graph of all examples.

        ``nodes`` (n) has the number of nodes of each example, ``widest`` (1) the largest of them.
        ``kinds`` and ``bags`` have an entry for each node: its kind, and the offset of its first
        word in ``words``. ``sources`` and ``sinks`` have the nodes of each message, sorted by kind;
        ``ways`` has the number of messages of each of the ``WAYS`` kinds.
        """
        # An edge has the numbers of its nodes in its own graph; ``shift`` is the number of nodes of
        # the examples before.
        graph = {name: columns[name] for name in _GRAPH}
        nodes = np.diff(graph["kinds"].offsets)
        shift = np.repeat(np.cumsum(nodes) - nodes, np.diff(graph["edges"].offsets))
        sources, sinks = graph["sources"].values + shift, graph["sinks"].values + shift
        kinds = graph["edges"].values
        kinds = np.concatenate([kinds, kinds + len(EDGE_KINDS)]).astype(np.int16)
        order = np.argsort(kinds, kind="stable")
        sizes = graph["sizes"].values.astype(np.int64)
        arrays = {
            "nodes": nodes,
            "widest": nodes.max(initial=1, keepdims=True),
            "kinds": graph["kinds"].values.astype(np.int64),
            "words": graph["words"].values.astype(np.int64),
            "bags": np.cumsum(sizes) - sizes,
            "sources": np.concatenate([sources, sinks])[order],
            "sinks": np.concatenate([sinks, sources])[order],
            "ways": np.bincount(kinds, minlength=WAYS),
        }
        other_columns = {name: column for name, column in columns.items() if name not in _GRAPH}
        return {
            **{name: torch.from_numpy(array) for name, array in arrays.items()},
            **pad_columns(other_columns),
        }


class Propagation(nn.Module):
    """Rounds of messages between nodes, each followed by a GRU step; ``size`` is d."""

    def __init__(self, size: int, ways: int = WAYS) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(ways, size, size))
        self.bias = nn.Parameter(torch.zeros(ways, size))
        self.cell = nn.GRUCell(size, size)
        for matrix in self.weight:
            nn.init.xavier_uniform_(matrix)

    def forward(
        self, states: Tensor, sources: Tensor, sinks: Tensor, ways: Tensor, rounds: int = 1
    ) -> Tensor:
        """Return the nodes' states (nodes, d) after ``rounds`` rounds of messages.

        Messages are sorted by kind, so each kind is one matrix product over its edges; most kinds
        have few. The weights of each kind and the sum of a node's biases are the same in all rounds
        and are computed once: slicing the weights costs a GPU as much as using them. ``ways`` is on
        the host, so that the CPU never waits for a number from the GPU.
        """
        count, kinds = len(states), torch.arange(len(ways), device=sinks.device)
        message_counts = ways.to(sinks.device, non_blocking=True)
        kind = kinds.repeat_interleave(message_counts, output_size=len(sinks))
        # How many messages of each kind a node receives, (nodes, kinds) once reshaped.
        incoming = self.bias.new_zeros(count * len(ways))
        incoming.index_add_(0, sinks * len(ways) + kind, incoming.new_ones(1).expand(len(sinks)))
        with torch.autocast(sinks.device.type, enabled=False):
            biases = incoming.view(count, len(ways)) @ self.bias
        dtype = get_layer_dtype(states)
        weights, sizes = self.weight.to(dtype).unbind(), ways.tolist()
        for _ in range(rounds):
            inputs = torch.split(_SelectRows.apply(states.to(dtype), sources), sizes)
            products = [
                rows @ weight for rows, weight in zip(inputs, weights, strict=True) if len(rows)
            ]
            # Sum in full precision: a node may receive many messages.
            messages = (
                torch.cat(products).float() if products else states.new_zeros(0, states.shape[1])
            )
            received = _sum_rows(messages, sinks, count) + biases
            states = self.cell(received, states)
        return states


def _sum_rows(rows: Tensor, index: Tensor, count: int) -> Tensor:
    """Return (count, d): each row of ``rows`` (n, d) added to the row that ``index`` (n) names."""
    return rows.new_zeros(count, rows.shape[1]).index_add_(0, index, rows)


class _SelectRows(torch.autograd.Function):
    """``states[index]`` with another gradient than torch's.

    The gradients of a state that is selected several times are summed in full precision, and
    without the sort of the indices that torch does on a GPU.
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.count = len(states)
        return states.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (index,), (gradient,) = ctx.saved_tensors, gradients
        dtype = torch.promote_types(gradient.dtype, torch.float32)
        total = gradient.new_zeros(ctx.count, gradient.shape[1], dtype=dtype)
        return total.index_add_(0, index, gradient.to(dtype)).to(gradient.dtype), None


class GraphEncoder(nn.Module):
    """Encodes graphs: states of all nodes, and a vector for each graph."""

    def __init__(self, settings: GGNNSettings, kinds: int, words: int) -> None:
        super().__init__()
        size = 2 * settings.embedding
        self.steps = settings.steps
        self.kind = nn.Embedding(kinds, settings.embedding, padding_idx=PAD)
        self.word = nn.EmbeddingBag(words, settings.embedding, mode="mean", padding_idx=PAD)
        self.propagation = Propagation(size)
        self.gate, self.value = nn.Linear(2 * size, size), nn.Linear(2 * size, size)
        self.norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return states (nodes, d), vectors (n, d), and the index of each node's graph (nodes)."""
        words = self.word(batch["words"], batch["bags"])
        initial = self.dropout(torch.cat([self.kind(batch["kinds"]), words], 1))
        messages = batch["sources"], batch["sinks"], batch["ways"]
        states = self.propagation(initial, *messages, self.steps)
        both = torch.cat([states, initial], 1)
        count = len(batch["nodes"])
        graph = torch.repeat_interleave(batch["nodes"], output_size=len(states))
        gated = self.gate(both).sigmoid() * self.value(both).tanh()
        vector = self.norm(_sum_rows(gated.float(), graph, count))
        return self.dropout(states), vector, graph


class GGNNClassifier(LabelNetwork):
    """A graph encoder that answers with one label; ``labels`` is the number of labels."""

    def __init__(self, encoder: GraphEncoder, settings: GGNNSettings, labels: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = LabelHead(2 * settings.embedding, labels)

    def compute_vectors(self, batch: Batch) -> Tensor:
        vectors: Tensor = self.encoder(batch)[1]
        return vectors


class GGNNGenerator(nn.Module, Network):
    """A graph encoder with a decoder that generates an answer piece by piece."""

    def __init__(
        self, encoder: GraphEncoder, settings: GGNNSettings, pieces: int, max_pieces: int
    ) -> None:
        super().__init__()
        self.encoder, self.max_pieces = encoder, max_pieces
        self.decoder = PieceDecoder(
            pieces,
            embedding=settings.embedding,
            hidden=settings.decoder,
            states=2 * settings.embedding,
            attention=True,
            dropout=settings.dropout,
        )

    def compute_vectors(self, batch: Batch) -> Tensor:
        vectors: Tensor = self.encoder(batch)[1]
        return vectors

    def compute_loss(self, batch: Batch) -> Tensor:
        return self.decoder.compute_loss(*self._encode_for_decoder(batch), batch["target"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(*self._encode_for_decoder(batch), self.max_pieces)

    def _encode_for_decoder(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the states of each graph's nodes (n, widest, d), their mask, and the vectors."""
        states, vector, graph = self.encoder(batch)
        nodes, width = batch["nodes"], int(batch["widest"])
        # The row of each node in ``dense``, in which every graph has ``width`` rows.
        starts = torch.arange(len(nodes), device=nodes.device) * width
        positions = torch.arange(len(states), device=nodes.device)
        positions = positions + (starts - (nodes.cumsum(0) - nodes))[graph]
        dense = states.new_zeros(len(nodes) * width, states.shape[1]).index_copy(
            0, positions, states
        )
        return dense.view(len(nodes), width, -1), make_mask(nodes, width), vector
