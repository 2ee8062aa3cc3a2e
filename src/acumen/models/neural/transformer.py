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
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from acumen.api import AcumenError, Face
from acumen.lang.columns import Ragged
from acumen.models.neural._checkpoint import (
    START,
    Checkpoint,
    begin_from,
    load_shape,
    open_checkpoint,
    save_shape,
    tensors,
)
from acumen.models.neural._transformer_parts import GuessHead, Masking, SubwordDecoder
from acumen.models.neural.architecture import LABELS, Network
from acumen.models.neural.heads import LabelHead
from acumen.models.neural.labels import Labels, OneLabel
from acumen.models.neural.preparing import PRETRAIN
from acumen.models.neural.subwords_input import InSubwords, ReadsSubwords
from acumen.models.neural.tensors import filled, mask_of, padded

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Batch


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
            raise AcumenError(f"width={self.width} cannot be shared by heads={self.heads}")
        if self.length < 3:
            raise AcumenError(f"length={self.length} has no room between <s> and </s>")


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
        if self.pretrains or self.purpose.face is Face.CLASSIFY:
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
            **architecture.shape, hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout, attn_implementation="sdpa",
        )  # fmt: skip
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
            self.width, self.parts, layers=settings.decoder, heads=shape["num_attention_heads"],
            inner=shape["intermediate_size"], dropout=settings.dropout, longest=settings.longest,
        )  # fmt: skip

    def loss(self, batch: Batch) -> Tensor:
        return self.decoder.loss(
            self.table, *self.place(batch), batch["target"], batch["target_size"]
        )

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(self.table, *self.place(batch), self.subwords)
