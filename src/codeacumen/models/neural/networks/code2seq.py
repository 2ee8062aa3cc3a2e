"""code2seq: LSTMs over the nodes of paths, and a decoder that generates a name word by word.

    z  = [last state forwards; last backwards] of LSTMs over a path's nodes    (paths, 256)
    t  = Σ subtoken(part) over the parts of a leaf's name                      (leaves, 128)
    cᵢ = tanh(W · [t(leftᵢ); z(pathᵢ); t(rightᵢ)])                             (n, contexts, 320)
    v  = mean of the cᵢ                                                        (n, 320)
    an LSTM that starts from v and attends to the cᵢ generates piece by piece

A *part* is a subtoken of a leaf's name, a *piece* one of a method's name. Contexts of a batch share
paths and leaves. The vector of each distinct path and leaf is computed once and then looked up.
``inputs.paths`` extracts the contexts. Shape: n examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.api import CodeContext, Input
from codeacumen.languages.kernel import STEP, mix_bits
from codeacumen.models.neural.architecture import (
    PAD,
    Architecture,
    Batch,
    Encoded,
    Features,
    Labels,
    Network,
    PieceLabels,
    Vocabulary,
)
from codeacumen.models.neural.inputs.paths import (
    PathLimits,
    extract_code2seq_contexts,
    is_identifier,
)
from codeacumen.models.neural.inputs.tokens import get_text
from codeacumen.models.neural.networks.layers import PieceDecoder, init_embeddings, make_mask
from codeacumen.models.neural.training.batches import pad_columns, pad_lists
from codeacumen.text.columns import Ragged
from codeacumen.views.paths.leaves import code2seq_leaf_parts

_CONTEXT_COLUMNS = ("left", "path", "right")
_INPUT_COLUMNS = (*_CONTEXT_COLUMNS, "parts", "parts_of", "nodes", "nodes_of")


@dataclass(frozen=True, slots=True)
class Code2SeqSettings:
    """Hyper-parameters.

    ``subtokens`` and ``targets`` are maximum sizes of vocabularies. ``keep`` contexts of a method
    are sampled, of which the network uses ``contexts``, in training a new sample at each step.
    ``length`` and ``width`` limit a path (``PathLimits``). ``parts`` is the maximum number of parts
    of a leaf's name, ``longest`` that of a method's name; ``state`` is the size of the LSTMs over
    paths, in each direction, ``hidden`` that of a context's vector and of the decoder's state.
    """

    subtokens: int = 186_277
    targets: int = 26_347
    contexts: int = 200
    keep: int = 1000
    length: int = 8
    width: int = 2
    parts: int = 5
    embedding: int = 128
    state: int = 128
    hidden: int = 320
    longest: int = 6
    dropout: float = 0.25
    decoder_dropout: float = 0.5


class Code2Seq(Architecture):
    """code2seq (Alon et al., ICLR 2019).

    The features ``left``, ``path`` and ``right`` are indices of the method's leaf names and paths.
    ``parts`` are the parts of all leaf names, ``parts_of`` the number of parts of each name;
    ``nodes`` are the nodes of all paths, ``nodes_of`` the number of nodes of each path.
    """

    name = "code2seq"
    task_prefixes = ("gluecode/naming",)
    Settings = Code2SeqSettings

    def make_labels(self) -> Labels:
        return PieceLabels(self.settings.targets, self.settings.longest, is_lowercase=True)

    # ---------------------------------------------------------------- features

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return self._extract_method_features(get_text(item))

    def extract_text_features(self, text: str) -> Features | None:
        """Return the features of a method, or of an identifier with a part that is known.

        An identifier alone is one leaf without a path.
        """
        if not is_identifier(text):
            return self._extract_method_features(text)
        parts = code2seq_leaf_parts(text).split("|")[: self.settings.parts]
        if not any(part in self.vocabularies["subtokens"] for part in parts):
            return None
        nothing: dict[str, list[int]] = {"left": [], "path": [], "right": []}
        return {**nothing, "parts": parts, "parts_of": [len(parts)], "nodes": [], "nodes_of": []}

    def _extract_method_features(self, text: str) -> Features | None:
        """Return the path contexts of a method, None if it has none."""
        settings = self.settings
        limits = PathLimits(settings.length, settings.width, settings.keep)
        contexts = extract_code2seq_contexts(text, limits)
        if contexts is None:
            return None
        leaves = [word.split("|", settings.parts)[: settings.parts] for word in contexts.words]
        return {
            "left": contexts.left.tolist(),
            "path": contexts.path.tolist(),
            "right": contexts.right.tolist(),
            "parts": [part for leaf in leaves for part in leaf],
            "parts_of": [len(leaf) for leaf in leaves],
            "nodes": contexts.nodes,
            "nodes_of": contexts.sizes,
        }

    # ---------------------------------------------------------------- words and numbers

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield subtokens and nodes.

        A subtoken is yielded once for each end of a context that has it, so its count is that in
        the file of code2seq's extractor.
        """
        parts: list[str] = features["parts"]  # type: ignore[assignment]
        leaf_count = len(features["parts_of"])
        ends = np.array([*features["left"], *features["right"]], np.int64)
        leaf_counts = np.bincount(ends, minlength=leaf_count)
        part_counts = np.repeat(leaf_counts, np.array(features["parts_of"], np.int64))
        yield "subtokens", np.repeat(np.array(parts, object), part_counts).tolist()
        yield "nodes", features["nodes"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        max_size = self.settings.subtokens
        self.vocabularies["subtokens"] = Vocabulary.from_counts(counts["subtokens"], max_size)
        self.vocabularies["nodes"] = Vocabulary.from_counts(counts["nodes"])
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        columns = {
            name: np.array(features[name], np.int32) for name in (*_CONTEXT_COLUMNS, "parts_of")
        }
        columns["nodes_of"] = np.array(features["nodes_of"], np.int32)
        columns["parts"] = self.vocabularies["subtokens"].encode_words(features["parts"])  # type: ignore[arg-type]
        columns["nodes"] = self.vocabularies["nodes"].encode_words(features["nodes"])  # type: ignore[arg-type]
        return columns

    # ---------------------------------------------------------------- tensors

    def compute_lengths(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        contexts: int = self.settings.contexts
        return np.minimum(np.diff(columns["path"].offsets), contexts)

    def collate(
        self, columns: Mapping[str, Ragged], rng: np.random.Generator | None = None
    ) -> Batch:
        """Return the tensors of a batch.

        ``parts`` (leaves, parts) and ``nodes`` (paths, nodes) have the distinct leaves and paths of
        the batch; ``left``, ``path`` and ``right`` (n, contexts) are rows of these. ``alone`` (n)
        is the row of the leaf of an example that is only an identifier, 0 for other examples.
        """
        offsets = columns["path"].offsets
        positions, ends = choose_contexts(offsets, self.settings.contexts, rng)
        example = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        first_leaf, first_path = (columns[name].offsets[:-1] for name in ("parts_of", "nodes_of"))
        left, right = (
            columns[name].values[positions] + first_leaf[example] for name in ("left", "right")
        )
        path = columns["path"].values[positions] + first_path[example]
        # The leaf of an example that is only an identifier, -1 for other examples.
        bare_leaf = np.where(np.diff(ends) == 0, first_leaf, -1)
        leaves = np.concatenate([left, right, bare_leaf[bare_leaf >= 0]])
        parts, parts_size, leaf_row = find_distinct_rows(
            columns["parts"], columns["parts_of"], leaves
        )
        nodes, nodes_size, path_row = find_distinct_rows(
            columns["nodes"], columns["nodes_of"], path
        )
        alone = np.where(bare_leaf >= 0, leaf_row[bare_leaf], 0)
        arrays = {
            "left": pad_lists(leaf_row[left], ends),
            "path": pad_lists(path_row[path], ends),
            "right": pad_lists(leaf_row[right], ends),
            "path_size": np.diff(ends),
            "alone": alone,
            "parts": parts,
            "parts_size": parts_size,
            "nodes": nodes,
            "nodes_size": nodes_size,
        }
        batch = {name: torch.from_numpy(values) for name, values in arrays.items()}
        answers = {name: column for name, column in columns.items() if name not in _INPUT_COLUMNS}
        return {**batch, **pad_columns(answers)}

    def build_network(self) -> Network:
        return Code2SeqNetwork(
            self.settings,
            len(self.vocabularies["subtokens"]),
            len(self.vocabularies["nodes"]),
            len(self.labels.vocabulary),
        )


class Code2SeqNetwork(nn.Module, Network):
    """Vectors of contexts, and a decoder that attends to them."""

    def __init__(self, settings: Code2SeqSettings, subtokens: int, nodes: int, pieces: int) -> None:
        super().__init__()
        self.max_pieces = settings.longest
        self.subtokens = nn.Embedding(subtokens, settings.embedding, padding_idx=PAD)
        self.nodes = nn.Embedding(nodes, settings.embedding, padding_idx=PAD)
        self.forwards = nn.LSTM(settings.embedding, settings.state, batch_first=True)
        self.backwards = nn.LSTM(settings.embedding, settings.state, batch_first=True)
        self.dropout = nn.Dropout(settings.dropout)
        joined = 2 * settings.embedding + 2 * settings.state
        self.dense = nn.Linear(joined, settings.hidden, bias=False)
        self.decoder = PieceDecoder(
            pieces,
            embedding=settings.embedding,
            hidden=settings.hidden,
            states=settings.hidden,
            attention=True,
        )
        # As published: no bias, and dropout on the decoder's output but not on its input.
        output: nn.Module = nn.Linear(settings.hidden, pieces, bias=False)
        self.decoder.register_module(
            "out", nn.Sequential(nn.Dropout(settings.decoder_dropout), output)
        )
        init_embeddings(self.subtokens, self.nodes, self.decoder.embedding)
        nn.init.xavier_uniform_(self.dense.weight)

    def embed_leaves(self, batch: Batch) -> Tensor:
        """Return a row for each distinct leaf, the sum of its parts' embeddings; (leaves, 128)."""
        parts = batch["parts"]
        mask = make_mask(batch["parts_size"], parts.shape[1])[:, :, None]
        vectors: Tensor = (self.subtokens(parts) * mask).sum(1)
        return vectors

    def embed_paths(self, batch: Batch) -> Tensor:
        """Return a row for each distinct path, the last states of the two LSTMs; (paths, 256).

        The sequences are not packed, because packing makes the CPU wait for the GPU. The LSTMs also
        read the padding, but only after the state that is used.
        """
        nodes, last = batch["nodes"], batch["nodes_size"][:, None] - 1
        reversed_positions = (last - torch.arange(nodes.shape[1], device=nodes.device)).clamp(min=0)
        # A batch that has only identifiers has one path, without nodes.
        last_state = last.clamp(min=0)[:, :, None].expand(-1, -1, self.forwards.hidden_size)
        forward_states, _ = self.forwards(self.nodes(nodes))
        backward_states, _ = self.backwards(self.nodes(nodes.gather(1, reversed_positions)))
        return torch.cat(
            [forward_states.gather(1, last_state), backward_states.gather(1, last_state)], 2
        )[:, 0]

    def embed_contexts(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return contexts (n, contexts, d), their mask (n, contexts), and their mean (n, d)."""
        leaves, paths = self.embed_leaves(batch), self.embed_paths(batch)
        left, right = (functional.embedding(batch[end], leaves) for end in ("left", "right"))
        path = functional.embedding(batch["path"], paths)
        joined = torch.cat([left, path.to(left.dtype), right], 2)
        states = self.dense(self.dropout(joined)).tanh()
        mask = make_mask(batch["path_size"], states.shape[1])
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        return states, mask, mean

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return the mean of the contexts; of an identifier alone, the sum of its parts.

        That sum is padded with zeros, which change no cosine between identifiers.
        """
        _, _, mean = self.embed_contexts(batch)
        leaf = self.embed_leaves(batch)[batch["alone"]].to(mean.dtype)
        leaf = functional.pad(leaf, (0, mean.shape[1] - leaf.shape[1]))
        return torch.where(batch["path_size"][:, None] == 0, leaf, mean)

    def compute_loss(self, batch: Batch) -> Tensor:
        """Return the mean over the names of the sum of the losses of a name's pieces, as published.

        The published learning rate suits this sum, not the mean over the pieces.
        """
        target = batch["target"]
        mean_length = (target != PAD).sum() / len(target)
        return self.decoder.compute_loss(*self.embed_contexts(batch), target) * mean_length

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(*self.embed_contexts(batch), self.max_pieces)


# ---------------------------------------------------------------- contexts of a batch


def choose_contexts(
    offsets: NDArray[np.int64], max_contexts: int, rng: np.random.Generator | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose at most ``max_contexts`` contexts of each example.

    The choice is a random sample, or without ``rng`` the first contexts, which ``inputs.paths`` has
    put in random order. ``offsets`` are those of each example's contexts. Return the positions of
    the chosen contexts, and the offsets of each example's contexts among these.
    """
    sizes = np.diff(offsets)
    positions = np.arange(int(offsets[-1]))
    if not (sizes > max_contexts).any():
        return positions, offsets
    if rng is not None:
        large = np.flatnonzero(np.repeat(sizes > max_contexts, sizes))
        example = np.repeat(np.flatnonzero(sizes > max_contexts), sizes[sizes > max_contexts])
        # Shuffle the contexts within each example.
        positions[large] = large[np.argsort(example + 0.5 * rng.random(len(large)))]
    rank = np.arange(len(positions)) - np.repeat(offsets[:-1], sizes)
    ends = np.concatenate([[0], np.cumsum(np.minimum(sizes, max_contexts))])
    return positions[rank < max_contexts], ends


def find_distinct_rows(
    values: Ragged, sizes: Ragged, used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Find the distinct lists among those in ``used``, which has indices of lists.

    ``sizes`` has the lengths of the lists in ``values``. Return the distinct lists as rows padded
    with zeros, their lengths, and for each list its row, 0 for a list that is not used. Without
    lists there is one row of zeros.
    """
    lengths = sizes.values.astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    is_used = np.zeros(len(lengths), bool)
    is_used[used] = True
    rows = pad_lists(values.values, ends)
    key = lengths.astype(np.uint64)
    for column in rows.T:
        key = mix_bits(key * STEP + column.astype(np.uint64))
    _, first, row_of_used = np.unique(key[is_used], return_index=True, return_inverse=True)
    used_lists = np.flatnonzero(is_used)
    if not np.array_equal(rows[used_lists], rows[used_lists[first]][row_of_used]):
        # A hash collision, which is very improbable: give each list its own row.
        first = row_of_used = np.arange(len(used_lists))
    row_of_list = np.zeros(len(lengths), np.int32)
    row_of_list[used_lists] = row_of_used
    distinct_lists = used_lists[first]
    if not len(distinct_lists):
        return np.zeros((1, 1), np.int64), np.zeros(1, np.int64), row_of_list
    return rows[distinct_lists], lengths[distinct_lists], row_of_list
