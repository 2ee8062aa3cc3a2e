"""GLUECode's Transformer: a RoBERTa of six layers, pre-trained on code, then taught a task.

    x = <s>, the parts of the text, </s>          (n, l)
    H = six layers of self-attention over x       (n, l, 768)

    pre-training: 15 % of the parts are hidden; p = softmax(E · g(h)) says which they were
    classes:      p = softmax(W h), of the state h at <MASK>, or at <s> where nothing is masked
    names, calls: a decoder of two layers looks at H and says part after part, beginning from the
                  state at <MASK> or METHOD_NAME, or at <s>

What a method's ``vector`` is: the mean of H.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.api import Capability, CodeacumenError
from codeacumen.models.neural.architecture import LABELS, Batch, Labels, Network, OneLabel
from codeacumen.models.neural.inputs.subwords import InSubwords, ReadsSubwords, Subwords
from codeacumen.models.neural.networks.layers import LabelHead, mask_of
from codeacumen.models.neural.training.batches import filled, padded
from codeacumen.models.neural.training.checkpoints import (
    START,
    Checkpoint,
    begin_from,
    load_shape,
    open_checkpoint,
    save_shape,
    tensors,
)
from codeacumen.models.neural.training.preparing import PRETRAIN
from codeacumen.text.columns import Ragged

# Of what is chosen to be guessed: so much is shown as <mask>, and so much as any other part; the
# rest is shown as it is.
_AS_MASK, _AS_OTHER = 0.8, 0.1


@dataclass(frozen=True, slots=True)
class Settings:
    """``start``: the folder of an encoder to begin from, which then says ``vocabulary``,
    ``layers``, ``width``, ``heads`` and ``inner``. ``decoder``: layers of what says names.
    ``longest``: parts of an answer at most. ``masked``: how much is hidden in pre-training."""

    vocabulary: int = 32_000
    length: int = 512
    comments: bool = False
    layers: int = 6
    width: int = 768
    heads: int = 12
    inner: int = 3072
    dropout: float = 0.1
    decoder: int = 2
    longest: int = 16
    masked: float = 0.15
    start: str = ""

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise CodeacumenError(f"width={self.width} cannot be shared by heads={self.heads}")
        if self.length < 3:
            raise CodeacumenError(f"length={self.length} has no room between <s> and </s>")


class Transformer(ReadsSubwords):
    name = "transformer"
    may_pretrain = True
    Settings = Settings
    shape: dict[str, Any]
    # Where it begins from: just opened, or as it lies beside the vocabularies.
    _checkpoint: Checkpoint | None = None
    _start: Path | None = None

    @classmethod
    def check_start(cls, settings: Mapping[str, Any]) -> None:
        if settings["start"]:
            open_checkpoint(settings["start"])

    def make_labels(self) -> Labels:
        if self.pretrains or self.purpose.capability is Capability.CLASSIFY:
            return OneLabel()
        return InSubwords(self.settings.longest)

    @property
    def pretrains(self) -> bool:
        return self.purpose.task == PRETRAIN

    # ---------------------------------------------------------------- BPE, shape, and beginnings

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        settings = self.settings
        if settings.start:
            self._checkpoint = open_checkpoint(settings.start)
            self.shape = self._checkpoint.shape
            self.take(self._checkpoint.subwords)
            self.learn_labels({LABELS: {}, **counts})
            return
        super().learn_vocabularies(counts)
        self.shape = {
            "vocab_size": len(self.subwords),
            "hidden_size": settings.width,
            "num_hidden_layers": settings.layers,
            "num_attention_heads": settings.heads,
            "intermediate_size": settings.inner,
            # RoBERTa counts from the number after padding's.
            "max_position_embeddings": settings.length + self.subwords.pad + 1,
            "type_vocab_size": 1,
            "layer_norm_eps": 1e-5,
            "pad_token_id": self.subwords.pad,
            "hidden_act": "gelu",
        }

    def save_vocabularies(self, folder: Path) -> None:
        """What it begins from lies beside, so that a training can go on where there is no
        ``start``. A trained one is saved without: it has weights of its own."""
        super().save_vocabularies(folder)
        save_shape(self.shape, folder)
        if self._checkpoint is not None:
            self._checkpoint.save_weights(folder)

    def load_vocabularies(self, folder: Path) -> None:
        super().load_vocabularies(folder)
        self.shape = load_shape(folder)
        self._start = folder / START if (folder / START).is_file() else None

    @property
    def length_read(self) -> int:
        room = self.shape["max_position_embeddings"] - self.shape["pad_token_id"] - 1
        return int(min(self.settings.length, room))

    # ---------------------------------------------------------------- tensors

    @cached_property
    def _masking(self) -> Masking:
        return Masking(self.subwords, self.settings.masked)

    def collate(
        self, columns: Mapping[str, Ragged], draw: np.random.Generator | None = None
    ) -> Batch:
        batch = padded(columns)
        if self.pretrains:
            column = columns["tokens"]
            shown, chosen = self._masking(column, draw)
            batch["shown"] = torch.from_numpy(filled(shown, column.offsets))
            batch["chosen"] = torch.from_numpy(filled(chosen.astype(np.int32), column.offsets))
        return batch

    # ---------------------------------------------------------------- the network

    def network(self) -> Network:
        made: Reading
        if self.pretrains:
            made = Guesses(self)
        elif isinstance(self.labels, OneLabel):
            made = Classes(self)
        else:
            made = Says(self)
        if self._start is not None:
            begin_from(made, tensors(self._start))
        elif self._checkpoint is not None:
            begin_from(made, self._checkpoint.weights)
        return made

    def answer(self, predicted: Sequence[int]) -> str | None:
        if self.pretrains:
            return self.subwords.text(predicted) or None
        return super().answer(predicted)


class Reading(nn.Module, Network):
    """The encoder, which all purposes share."""

    def __init__(self, architecture: Transformer) -> None:
        super().__init__()
        from transformers import RobertaConfig, RobertaModel

        settings, self.subwords = architecture.settings, architecture.subwords
        kinds: tuple[Any, Any] = RobertaConfig, RobertaModel
        config = kinds[0](
            **architecture.shape,
            hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout,
            attn_implementation="sdpa",
        )
        self.encoder = kinds[1](config, add_pooling_layer=False)
        self.width, self.parts = config.hidden_size, config.vocab_size

    @property
    def table(self) -> Tensor:
        """The embeddings of all parts, (v, d)."""
        weight: Tensor = self.encoder.embeddings.word_embeddings.weight
        return weight

    def states(self, tokens: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """(n, l, d), and where there is something, (n, l)."""
        mask = mask_of(sizes, tokens.shape[1])
        tokens = tokens.masked_fill(~mask, self.subwords.pad)
        found: Tensor = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        return found, mask

    def place(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """The state at what is asked about, (n, d); all states; and their mask."""
        tokens = batch["tokens"]
        states, mask = self.states(tokens, batch["tokens_size"])
        asked = 2 * (tokens == self.subwords.mask) + 1 * (tokens == self.subwords.name)
        where = (asked * mask).argmax(1)
        return states[torch.arange(len(states), device=states.device), where], states, mask

    def vector(self, batch: Batch) -> Tensor:
        states, mask = self.states(batch["tokens"], batch["tokens_size"])
        return (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)


class Guesses(Reading):
    """Pre-training: what was there, where it is hidden."""

    def __init__(self, architecture: Transformer) -> None:
        super().__init__(architecture)
        self.lm_head = GuessHead(self.width, self.parts, architecture.shape["layer_norm_eps"])

    def guesses(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Scores of what was chosen only, (k, v), and where that is, (n, l)."""
        states, mask = self.states(batch["shown"], batch["tokens_size"])
        chosen = (batch["chosen"] != 0) & mask
        return self.lm_head(states[chosen], self.table), chosen

    def loss(self, batch: Batch) -> Tensor:
        scores, chosen = self.guesses(batch)
        losses = functional.cross_entropy(scores, batch["tokens"][chosen], reduction="sum")
        return losses / max(1, len(scores))

    def predict(self, batch: Batch) -> list[list[int]]:
        scores, chosen = self.guesses(batch)
        rows = torch.split(scores.argmax(1), chosen.sum(1).tolist())
        return [row.tolist() for row in rows]


class Classes(Reading):
    def __init__(self, architecture: Transformer) -> None:
        super().__init__(architecture)
        self.dropout = nn.Dropout(architecture.settings.dropout)
        self.head = LabelHead(self.width, len(architecture.labels.vocabulary))

    def loss(self, batch: Batch) -> Tensor:
        return self.head.loss(self.dropout(self.place(batch)[0]), batch["label"])

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.place(batch)[0])


class Says(Reading):
    def __init__(self, architecture: Transformer) -> None:
        super().__init__(architecture)
        settings, shape = architecture.settings, architecture.shape
        self.decoder = SubwordDecoder(
            self.width,
            self.parts,
            layers=settings.decoder,
            heads=shape["num_attention_heads"],
            inner=shape["intermediate_size"],
            dropout=settings.dropout,
            longest=settings.longest,
        )

    def loss(self, batch: Batch) -> Tensor:
        return self.decoder.loss(
            self.table, *self.place(batch), batch["target"], batch["target_size"]
        )

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(self.table, *self.place(batch), self.subwords)


# ---------------------------------------------------------------- masking, heads and decoder


class Masking:
    """BERT's: ``share`` of the parts are to be guessed. No special token is."""

    def __init__(self, subwords: Subwords, share: float) -> None:
        self.share, self.mask = share, subwords.mask
        self.ordinary = np.setdiff1d(np.arange(len(subwords), dtype=np.int32), subwords.specials)
        self.guessable = np.zeros(len(subwords), bool)
        self.guessable[self.ordinary] = True

    def __call__(
        self, column: Ragged, draw: np.random.Generator | None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """What is shown, and where it is to be guessed; both flat, as the column's values."""
        values: NDArray[np.int32] = column.values
        chance = _hashed(column) if draw is None else draw.random((3, len(values)))
        chosen = self.guessable[values] & (chance[0] < self.share)
        other = self.ordinary[(chance[2] * len(self.ordinary)).astype(np.int64)]
        shown = np.where(chosen & (chance[1] < _AS_MASK), np.int32(self.mask), values)
        swapped = chosen & (chance[1] >= _AS_MASK) & (chance[1] < _AS_MASK + _AS_OTHER)
        return np.where(swapped, other, shown), chosen


def _hashed(column: Ragged) -> NDArray[np.float64]:
    """Three numbers in [0, 1) for each part, which hang on nothing but its text and its place: dev
    is always asked the same, whatever stands beside it in a batch."""
    lengths = np.diff(column.offsets)
    starts = np.repeat(column.offsets[:-1], lengths)
    place = (np.arange(len(column.values)) - starts + column.offsets[0]).astype(np.uint64)
    parts = _mixed(_mixed(column.values.astype(np.uint64)) + place)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(parts, dtype=np.uint64)])
    ends = column.offsets - column.offsets[0]
    text = np.repeat(sums[ends[1:]] - sums[ends[:-1]], lengths)
    found = _mixed(text + place * np.uint64(3) + np.arange(3, dtype=np.uint64)[:, None])
    return (found >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's step: near numbers come out far from each other."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class GuessHead(nn.Module):
    """RoBERTa's: LayerNorm(GELU(W h)), compared with the embedding of every part."""

    def __init__(self, width: int, parts: int, epsilon: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.layer_norm = nn.LayerNorm(width, eps=epsilon)
        self.bias = nn.Parameter(torch.zeros(parts))
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        seen = self.layer_norm(functional.gelu(self.dense(states)))
        return functional.linear(seen, table, self.bias)


class SubwordDecoder(nn.Module):
    """Says an answer part by part: a transformer's decoder that looks at all of the input.

    The first thing it is given is the state at the place asked about; then come the parts said so
    far, by the encoder's own embeddings (``table``), with which what it says is compared too.
    """

    def __init__(
        self,
        width: int,
        parts: int,
        *,
        layers: int,
        heads: int,
        inner: int,
        dropout: float,
        longest: int,
    ) -> None:
        super().__init__()
        self.longest = longest
        self.positions = nn.Embedding(longest + 1, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        layer = nn.TransformerDecoderLayer(width, heads, inner, dropout, "gelu", batch_first=True)
        self.layers = nn.TransformerDecoder(layer, layers)
        self.bias = nn.Parameter(torch.zeros(parts))
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(
        self, table: Tensor, place: Tensor, said: Tensor, states: Tensor, mask: Tensor
    ) -> Tensor:
        """Scores (n, t + 1, v) of what comes after ``place`` (n, d), and after each ``said``."""
        given = torch.cat([place[:, None], functional.embedding(said, table)], 1)
        steps = given.shape[1]
        given = self.dropout(self.norm(given + self.positions.weight[:steps]))
        later = torch.ones(steps, steps, dtype=torch.bool, device=said.device).triu(1)
        seen = self.layers(given, states, tgt_mask=later, memory_key_padding_mask=~mask)
        return functional.linear(seen, table, self.bias)

    def loss(
        self,
        table: Tensor,
        place: Tensor,
        states: Tensor,
        mask: Tensor,
        target: Tensor,
        sizes: Tensor,
    ) -> Tensor:
        """Mean over the parts of the targets (n, t), each of which ends with </s>."""
        there = mask_of(sizes, target.shape[1])
        target = target.masked_fill(~there, 0)
        scores = self(table, place, target[:, :-1], states, mask)
        return functional.cross_entropy(scores[there], target[there])

    def predict(
        self, table: Tensor, place: Tensor, states: Tensor, mask: Tensor, subwords: Subwords
    ) -> list[list[int]]:
        """The likeliest part at each step, until </s>; an answer has one part at least."""
        said = torch.zeros(len(place), 0, dtype=torch.long, device=place.device)
        ended = torch.zeros(len(place), dtype=torch.bool, device=place.device)
        never = [one for one in subwords.specials if one != subwords.end]
        for step in range(self.longest + 1):
            scores = self(table, place, said, states, mask)[:, -1]
            scores[:, never if step else list(subwords.specials)] = -torch.inf
            best = scores.argmax(1)
            said = torch.cat([said, best[:, None]], 1)
            ended |= best == subwords.end
            if bool(ended.all()):
                break
        rows: list[list[int]] = said.tolist()
        return rows
