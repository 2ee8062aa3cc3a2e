"""code2seq: paths are read node by node, names are said word by word.

    z  = [last state forwards; last backwards] of LSTMs over a path's nodes    256
    t  = Σ subtoken(part) over the parts of a leaf's name                      128
    cᵢ = tanh(W · [t(leftᵢ); z(pathᵢ); t(rightᵢ)])                             (n, contexts, 320)
    v  = mean of the cᵢ                                                        (n, 320)
    an LSTM that starts from v and attends to the cᵢ says part after part

Contexts of a batch share their paths and leaves: each is computed once, and then looked up.
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
    """``subtokens`` and ``targets``: how many are known. ``keep`` contexts are drawn of a method,
    ``contexts`` of them seen: others at each step of training. ``parts`` of a leaf's name are
    read, ``longest`` of a method's said; ``state`` is the LSTMs' over paths, in each direction."""

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
    """Features: ``left``, ``path`` and ``right`` are places among the method's leaf names and
    paths; ``parts`` and ``nodes`` are what these are made of, ``parts_of`` and ``nodes_of`` how
    many each has."""

    name = "code2seq"
    serves = ("gluecode/naming",)
    Settings = Settings

    def make_labels(self) -> Labels:
        return InPieces(self.settings.targets, self.settings.longest, lower=True)

    # ---------------------------------------------------------------- what it reads

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self._read_method(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        """An identifier alone is a leaf that no path leads to, if some part of it was learned."""
        if not is_bare(text):
            return self._read_method(text)
        parts = parts_of(text).split("|")[: self.settings.parts]
        if not any(part in self.vocabularies["subtokens"] for part in parts):
            return None
        nothing: dict[str, list[int]] = {"left": [], "path": [], "right": []}
        return {**nothing, "parts": parts, "parts_of": [len(parts)], "nodes": [], "nodes_of": []}

    def _read_method(self, text: str) -> Features | None:
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
        """A subtoken counts as often as contexts have it, as in the extractor's lines."""
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
        """``left``, ``path`` and ``right`` (n, contexts) are rows of ``parts`` (leaves, parts) and
        ``nodes`` (paths, nodes): the different leaves and paths of the whole batch. ``alone`` is
        the row of an identifier that has no contexts."""
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
        # As published: no bias, and dropout on what is said but not on what was said before.
        said: nn.Module = nn.Linear(settings.hidden, pieces, bias=False)
        self.decoder.register_module(
            "out", nn.Sequential(nn.Dropout(settings.decoder_dropout), said)
        )
        spread(self.subtokens, self.nodes, self.decoder.embedding)
        nn.init.xavier_uniform_(self.dense.weight)

    def leaves(self, batch: Batch) -> Tensor:
        """A row for each different leaf: the sum of its parts."""
        parts = batch["parts"]
        mask = mask_of(batch["parts_size"], parts.shape[1])[:, :, None]
        found: Tensor = (self.subtokens(parts) * mask).sum(1)
        return found

    def paths(self, batch: Batch) -> Tensor:
        """A row for each different path: what two LSTMs know at its end and at its beginning. No
        packing, which would make the processor wait for the accelerator: what lies behind the end
        is read too, but only after the state that is taken."""
        nodes, last = batch["nodes"], batch["nodes_size"][:, None] - 1
        turned = (last - torch.arange(nodes.shape[1], device=nodes.device)).clamp(min=0)
        # A batch of nothing but identifiers has one path, of no nodes.
        at = last.clamp(min=0)[:, :, None].expand(-1, -1, self.forwards.hidden_size)
        there, _ = self.forwards(self.nodes(nodes))
        back, _ = self.backwards(self.nodes(nodes.gather(1, turned)))
        return torch.cat([there.gather(1, at), back.gather(1, at)], 2)[:, 0]

    def contexts(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Contexts (n, contexts, d), which of them there are, and their mean (n, d)."""
        leaves, paths = self.leaves(batch), self.paths(batch)
        left, right = (functional.embedding(batch[end], leaves) for end in ("left", "right"))
        path = functional.embedding(batch["path"], paths)
        joined = torch.cat([left, path.to(left.dtype), right], 2)
        states = self.dense(self.dropout(joined)).tanh()
        mask = mask_of(batch["path_size"], states.shape[1])
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        return states, mask, mean

    def vector(self, batch: Batch) -> Tensor:
        """The mean of the contexts; of an identifier alone, the sum of its parts, filled up with
        zeros, which change no cosine."""
        _, _, mean = self.contexts(batch)
        leaf = self.leaves(batch)[batch["alone"]].to(mean.dtype)
        leaf = functional.pad(leaf, (0, mean.shape[1] - leaf.shape[1]))
        return torch.where(batch["path_size"][:, None] == 0, leaf, mean)

    def loss(self, batch: Batch) -> Tensor:
        """The sum over a name's pieces, as published: the rate is made for it."""
        target = batch["target"]
        each = (target != PAD).sum() / len(target)
        return self.decoder.loss(*self.contexts(batch), target) * each

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(*self.contexts(batch), self.longest)


# ---------------------------------------------------------------- contexts of a batch


def chosen_contexts(
    offsets: NDArray[np.int64], most: int, draw: np.random.Generator | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of at most ``most`` contexts of each example, and where each example's end: the first
    ones, or drawn ones where there is something to draw by."""
    sizes = np.diff(offsets)
    place = np.arange(int(offsets[-1]))
    if not (sizes > most).any():
        return place, offsets
    if draw is not None:
        large = np.flatnonzero(np.repeat(sizes > most, sizes))
        row = np.repeat(np.flatnonzero(sizes > most), sizes[sizes > most])
        # Shuffled, but every example's among themselves.
        place[large] = large[np.argsort(row + 0.5 * draw.random(len(large)))]
    rank = np.arange(len(place)) - np.repeat(offsets[:-1], sizes)
    ends = np.concatenate([[0], np.cumsum(np.minimum(sizes, most))])
    return place[rank < most], ends


def distinct_rows(
    values: Ragged, sizes: Ragged, used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Lists, of which ``sizes`` says how long each is, that are used: each different one once, as
    a row with zeros behind; how long they are; and for each list its row."""
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
        # Two different lists under one key: as good as never. Then each list is its own row.
        first = place = np.arange(len(found))
    row = np.zeros(len(lengths), np.int32)
    row[found] = place
    kept = found[first]
    if not len(kept):
        return np.zeros((1, 1), np.int64), np.zeros(1, np.int64), row
    return rows[kept], lengths[kept], row
