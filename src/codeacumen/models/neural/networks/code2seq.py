"""code2seq: LSTMs over the nodes of paths, and a decoder that generates a name word by word.

    z  = [last state forwards; last backwards] of LSTMs over a path's nodes    256
    t  = Σ subtoken(part) over the parts of a leaf's name                      128
    cᵢ = tanh(W · [t(leftᵢ); z(pathᵢ); t(rightᵢ)])                             (n, contexts, 320)
    v  = mean of the cᵢ                                                        (n, 320)
    an LSTM that starts from v and attends to the cᵢ generates part by part

Contexts of a batch share paths and leaves. Each distinct one is computed once and then looked up.
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
from codeacumen.languages.kernel import STEP, mixed
from codeacumen.models.neural.architecture import (
    PAD,
    Architecture,
    Batch,
    Encoded,
    Features,
    InPieces,
    Labels,
    Network,
    Vocabulary,
)
from codeacumen.models.neural.inputs.paths import Reading, code2seq_contexts, is_bare
from codeacumen.models.neural.inputs.tokens import text_of
from codeacumen.models.neural.networks.layers import PieceDecoder, mask_of, spread
from codeacumen.models.neural.training.batches import filled, padded
from codeacumen.text.columns import Ragged
from codeacumen.views.paths.leaves import parts_of

_ENDS = ("left", "path", "right")
_OWN = (*_ENDS, "parts", "parts_of", "nodes", "nodes_of")


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyper-parameters.

    ``subtokens`` and ``targets`` are maximum sizes of vocabularies. ``keep`` contexts of a method
    are sampled, of which the network uses ``contexts``, in training a new sample at each step.
    ``parts`` is the maximum number of parts of a leaf's name, ``longest`` that of a method's name;
    ``state`` is the size of the LSTMs over paths, in each direction.
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
    ``parts`` are the parts of all leaf names, ``parts_of`` the number of each name's; ``nodes`` are
    the nodes of all paths, ``nodes_of`` the number of each path's.
    """

    name = "code2seq"
    serves = ("gluecode/naming",)
    Settings = Settings

    def make_labels(self) -> Labels:
        return InPieces(self.settings.targets, self.settings.longest, lower=True)

    # ---------------------------------------------------------------- features

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self._read_method(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        """Return the features of a method, or of an identifier with a part that is known.

        An identifier alone is one leaf without a path.
        """
        if not is_bare(text):
            return self._read_method(text)
        parts = parts_of(text).split("|")[: self.settings.parts]
        if not any(part in self.vocabularies["subtokens"] for part in parts):
            return None
        nothing: dict[str, list[int]] = {"left": [], "path": [], "right": []}
        return {**nothing, "parts": parts, "parts_of": [len(parts)], "nodes": [], "nodes_of": []}

    def _read_method(self, text: str) -> Features | None:
        """Return the path contexts of a method, None if it has none."""
        settings = self.settings
        reading = Reading(settings.length, settings.width, settings.keep)
        found = code2seq_contexts(text, reading)
        if found is None:
            return None
        leaves = [word.split("|", settings.parts)[: settings.parts] for word in found.words]
        return {
            "left": found.left.tolist(),
            "path": found.path.tolist(),
            "right": found.right.tolist(),
            "parts": [part for leaf in leaves for part in leaf],
            "parts_of": [len(leaf) for leaf in leaves],
            "nodes": found.nodes,
            "nodes_of": found.sizes,
        }

    # ---------------------------------------------------------------- words and numbers

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield subtokens and nodes; a subtoken once for each context, as in the extractor's
        file.
        """
        parts: list[str] = features["parts"]  # type: ignore[assignment]
        leaves = len(features["parts_of"])
        ends = np.array([*features["left"], *features["right"]], np.int64)
        often = np.bincount(ends, minlength=leaves)
        each = np.repeat(often, np.array(features["parts_of"], np.int64))
        yield "subtokens", np.repeat(np.array(parts, object), each).tolist()
        yield "nodes", features["nodes"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        most = self.settings.subtokens
        self.vocabularies["subtokens"] = Vocabulary.counted(counts["subtokens"], most)
        self.vocabularies["nodes"] = Vocabulary.counted(counts["nodes"])
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        made = {name: np.array(features[name], np.int32) for name in (*_ENDS, "parts_of")}
        made["nodes_of"] = np.array(features["nodes_of"], np.int32)
        made["parts"] = self.vocabularies["subtokens"].numbers(features["parts"])  # type: ignore[arg-type]
        made["nodes"] = self.vocabularies["nodes"].numbers(features["nodes"])  # type: ignore[arg-type]
        return made

    # ---------------------------------------------------------------- tensors

    def length(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        contexts: int = self.settings.contexts
        return np.minimum(np.diff(columns["path"].offsets), contexts)

    def collate(
        self, columns: Mapping[str, Ragged], draw: np.random.Generator | None = None
    ) -> Batch:
        """Return the tensors of a batch.

        ``parts`` (leaves, parts) and ``nodes`` (paths, nodes) have the distinct leaves and paths of
        the batch; ``left``, ``path`` and ``right`` (n, contexts) are rows of these. ``alone`` is
        the leaf of an example that is only an identifier.
        """
        offsets = columns["path"].offsets
        place, ends = chosen_contexts(offsets, self.settings.contexts, draw)
        row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        first_leaf, first_path = (columns[name].offsets[:-1] for name in ("parts_of", "nodes_of"))
        left, right = (columns[name].values[place] + first_leaf[row] for name in ("left", "right"))
        path = columns["path"].values[place] + first_path[row]
        bare = np.where(np.diff(ends) == 0, first_leaf, -1)
        leaves = np.concatenate([left, right, bare[bare >= 0]])
        parts, parts_size, leaf_row = distinct_rows(columns["parts"], columns["parts_of"], leaves)
        nodes, nodes_size, path_row = distinct_rows(columns["nodes"], columns["nodes_of"], path)
        alone = np.where(bare >= 0, leaf_row[bare], 0)
        made = {
            "left": filled(leaf_row[left], ends),
            "path": filled(path_row[path], ends),
            "right": filled(leaf_row[right], ends),
            "path_size": np.diff(ends),
            "alone": alone,
            "parts": parts,
            "parts_size": parts_size,
            "nodes": nodes,
            "nodes_size": nodes_size,
        }
        batch = {name: torch.from_numpy(values) for name, values in made.items()}
        answers = {name: column for name, column in columns.items() if name not in _OWN}
        return {**batch, **padded(answers)}

    def network(self) -> Network:
        return Code2SeqNetwork(
            self.settings,
            len(self.vocabularies["subtokens"]),
            len(self.vocabularies["nodes"]),
            len(self.labels.vocabulary),
        )


class Code2SeqNetwork(nn.Module, Network):
    """Vectors of contexts, and a decoder that attends to them."""

    def __init__(self, settings: Settings, subtokens: int, nodes: int, pieces: int) -> None:
        super().__init__()
        self.longest = settings.longest
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
        said: nn.Module = nn.Linear(settings.hidden, pieces, bias=False)
        self.decoder.register_module(
            "out", nn.Sequential(nn.Dropout(settings.decoder_dropout), said)
        )
        spread(self.subtokens, self.nodes, self.decoder.embedding)
        nn.init.xavier_uniform_(self.dense.weight)

    def leaves(self, batch: Batch) -> Tensor:
        """Return a row for each distinct leaf: the sum of its parts' embeddings."""
        parts = batch["parts"]
        mask = mask_of(batch["parts_size"], parts.shape[1])[:, :, None]
        found: Tensor = (self.subtokens(parts) * mask).sum(1)
        return found

    def paths(self, batch: Batch) -> Tensor:
        """Return a row for each distinct path: the last states of the two LSTMs.

        The sequences are not packed, because packing makes the CPU wait for the GPU. The LSTMs also
        read the padding, but only after the state that is used.
        """
        nodes, last = batch["nodes"], batch["nodes_size"][:, None] - 1
        turned = (last - torch.arange(nodes.shape[1], device=nodes.device)).clamp(min=0)
        # A batch that has only identifiers has one path, without nodes.
        at = last.clamp(min=0)[:, :, None].expand(-1, -1, self.forwards.hidden_size)
        there, _ = self.forwards(self.nodes(nodes))
        back, _ = self.backwards(self.nodes(nodes.gather(1, turned)))
        return torch.cat([there.gather(1, at), back.gather(1, at)], 2)[:, 0]

    def contexts(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return contexts (n, contexts, d), their mask (n, contexts), and their mean (n, d)."""
        leaves, paths = self.leaves(batch), self.paths(batch)
        left, right = (functional.embedding(batch[end], leaves) for end in ("left", "right"))
        path = functional.embedding(batch["path"], paths)
        joined = torch.cat([left, path.to(left.dtype), right], 2)
        states = self.dense(self.dropout(joined)).tanh()
        mask = mask_of(batch["path_size"], states.shape[1])
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        return states, mask, mean

    def vector(self, batch: Batch) -> Tensor:
        """Return the mean of the contexts; of an identifier alone, the sum of its parts.

        That sum is padded with zeros, which change no cosine between identifiers.
        """
        _, _, mean = self.contexts(batch)
        leaf = self.leaves(batch)[batch["alone"]].to(mean.dtype)
        leaf = functional.pad(leaf, (0, mean.shape[1] - leaf.shape[1]))
        return torch.where(batch["path_size"][:, None] == 0, leaf, mean)

    def loss(self, batch: Batch) -> Tensor:
        """Return the sum over a name's pieces, as published; the learning rate is chosen for it."""
        target = batch["target"]
        each = (target != PAD).sum() / len(target)
        return self.decoder.loss(*self.contexts(batch), target) * each

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(*self.contexts(batch), self.longest)


# ---------------------------------------------------------------- contexts of a batch


def chosen_contexts(
    offsets: NDArray[np.int64], most: int, draw: np.random.Generator | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose at most ``max_contexts`` contexts of each example: a sample, or without ``rng`` the
    first.

    Return the positions of the contexts, and the offsets of each example's contexts among them.
    """
    sizes = np.diff(offsets)
    place = np.arange(int(offsets[-1]))
    if not (sizes > most).any():
        return place, offsets
    if draw is not None:
        large = np.flatnonzero(np.repeat(sizes > most, sizes))
        row = np.repeat(np.flatnonzero(sizes > most), sizes[sizes > most])
        # Shuffle the contexts within each example.
        place[large] = large[np.argsort(row + 0.5 * draw.random(len(large)))]
    rank = np.arange(len(place)) - np.repeat(offsets[:-1], sizes)
    ends = np.concatenate([[0], np.cumsum(np.minimum(sizes, most))])
    return place[rank < most], ends


def distinct_rows(
    values: Ragged, sizes: Ragged, used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Find the distinct lists among those in ``used``.

    ``sizes`` has the lengths of the lists in ``values``. Return the distinct lists as rows padded
    with zeros, their lengths, and for each list its row.
    """
    lengths = sizes.values.astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    wanted = np.zeros(len(lengths), bool)
    wanted[used] = True
    rows = filled(values.values, ends)
    key = lengths.astype(np.uint64)
    for column in rows.T:
        key = mixed(key * STEP + column.astype(np.uint64))
    _, first, place = np.unique(key[wanted], return_index=True, return_inverse=True)
    found = np.flatnonzero(wanted)
    if not np.array_equal(rows[found], rows[found[first]][place]):
        # A hash collision, which is very improbable: give each list its own row.
        first = place = np.arange(len(found))
    row = np.zeros(len(lengths), np.int32)
    row[found] = place
    kept = found[first]
    if not len(kept):
        return np.zeros((1, 1), np.int64), np.zeros(1, np.int64), row
    return rows[kept], lengths[kept], row
