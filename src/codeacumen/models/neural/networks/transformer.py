"""GLUECode's Transformer: a RoBERTa of six layers, pre-trained on code and fine-tuned on a task.

    x = <s>, the parts of the text, </s>          (n, l)
    H = six layers of self-attention over x       (n, l, 768)

    pre-training: masked language modelling of 15 % of the parts, p = softmax(E · g(h))
    classes:      p = softmax(W h), with the state h at <MASK>, or at <s> without a mask
    names, calls: a decoder of two layers attends to H and generates part by part, from the state at
                  <MASK> or METHOD_NAME, or at <s>

The parts are those of a BPE (byte-pair encoding). The vector of a method is the mean of H. Shapes:
n examples, l parts of the input, t parts of the answer, d dimensions, v parts of the BPE.
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
from codeacumen.models.neural.architecture import LABELS, Batch, Labels, Network, SingleLabel
from codeacumen.models.neural.inputs.subwords import SubwordArchitecture, SubwordLabels, Subwords
from codeacumen.models.neural.networks.layers import LabelHead, make_mask
from codeacumen.models.neural.training.batches import pad_columns, pad_lists
from codeacumen.models.neural.training.checkpoints import (
    START_WEIGHTS,
    Checkpoint,
    load_shape,
    load_start_weights,
    load_tensors,
    open_checkpoint,
    save_shape,
)
from codeacumen.models.neural.training.prepare import PRETRAIN
from codeacumen.text.columns import Ragged

# Shares of the parts to predict that are shown as <mask> and as a random part; the rest is shown
# unchanged.
_AS_MASK, _AS_OTHER = 0.8, 0.1


@dataclass(frozen=True, slots=True)
class TransformerSettings:
    """Hyper-parameters.

    ``vocabulary`` is the maximum number of parts of the BPE, ``length`` that of an input, with <s>
    and </s>; ``comments`` says whether comments are kept. ``width`` is d, ``inner`` the size of a
    layer's hidden layer. ``start`` is the folder of a pre-trained encoder, "" for none; it then
    determines ``vocabulary``, ``layers``, ``width``, ``heads`` and ``inner``, and limits
    ``length``. ``decoder`` is the number of layers of the decoder, ``longest`` the maximum number
    of parts of an answer, and ``masked`` the share of parts to predict in pre-training.
    """

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


class Transformer(SubwordArchitecture):
    """Features, vocabularies and tensors of the Transformer, in pre-training and fine-tuning.

    ``shape`` has the arguments of the encoder's ``RobertaConfig``.
    """

    name = "transformer"
    supports_pretraining = True
    Settings = TransformerSettings
    shape: dict[str, Any]
    # The weights to start from: an opened checkpoint, or the file saved beside the vocabularies.
    _checkpoint: Checkpoint | None = None
    _start: Path | None = None

    @classmethod
    def check_start(cls, settings: Mapping[str, Any]) -> None:
        if settings["start"]:
            open_checkpoint(settings["start"])

    def make_labels(self) -> Labels:
        if self.is_pretraining or self.purpose.capability is Capability.CLASSIFY:
            return SingleLabel()
        return SubwordLabels(self.settings.longest)

    @property
    def is_pretraining(self) -> bool:
        """Return True if the purpose is pre-training."""
        return self.purpose.task == PRETRAIN

    # ---------------------------------------------------------------- BPE, shape, initial weights

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        settings = self.settings
        if settings.start:
            self._checkpoint = open_checkpoint(settings.start)
            self.shape = self._checkpoint.shape
            self.set_subwords(self._checkpoint.subwords)
            self.learn_labels({LABELS: {}, **counts})
            return
        super().learn_vocabularies(counts)
        self.shape = {
            "vocab_size": len(self.subwords),
            "hidden_size": settings.width,
            "num_hidden_layers": settings.layers,
            "num_attention_heads": settings.heads,
            "intermediate_size": settings.inner,
            # RoBERTa numbers positions from the padding's number + 1.
            "max_position_embeddings": settings.length + self.subwords.pad + 1,
            "type_vocab_size": 1,
            "layer_norm_eps": 1e-5,
            "pad_token_id": self.subwords.pad,
            "hidden_act": "gelu",
        }

    def save_vocabularies(self, folder: Path) -> None:
        """Write the vocabularies and, before training, the weights to start from.

        With these weights a training can resume on a machine that lacks the folder ``start``.
        """
        super().save_vocabularies(folder)
        save_shape(self.shape, folder)
        if self._checkpoint is not None:
            self._checkpoint.save_weights(folder)

    def load_vocabularies(self, folder: Path) -> None:
        super().load_vocabularies(folder)
        self.shape = load_shape(folder)
        self._start = folder / START_WEIGHTS if (folder / START_WEIGHTS).is_file() else None

    @property
    def max_length(self) -> int:
        room = self.shape["max_position_embeddings"] - self.shape["pad_token_id"] - 1
        return int(min(self.settings.length, room))

    # ---------------------------------------------------------------- tensors

    @cached_property
    def _masking(self) -> TokenMasking:
        return TokenMasking(self.subwords, self.settings.masked)

    def collate(
        self, columns: Mapping[str, Ragged], rng: np.random.Generator | None = None
    ) -> Batch:
        batch = pad_columns(columns)
        if self.is_pretraining:
            column = columns["tokens"]
            shown_parts, is_chosen = self._masking(column, rng)
            batch["shown"] = torch.from_numpy(pad_lists(shown_parts, column.offsets))
            batch["chosen"] = torch.from_numpy(
                pad_lists(is_chosen.astype(np.int32), column.offsets)
            )
        return batch

    # ---------------------------------------------------------------- the network

    def build_network(self) -> Network:
        network: EncoderNetwork
        if self.is_pretraining:
            network = MaskedLanguageNetwork(self)
        elif isinstance(self.labels, SingleLabel):
            network = ClassificationNetwork(self)
        else:
            network = GenerationNetwork(self)
        if self._start is not None:
            load_start_weights(network, load_tensors(self._start))
        elif self._checkpoint is not None:
            load_start_weights(network, self._checkpoint.weights)
        return network

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        if self.is_pretraining:
            return self.subwords.decode_text(predicted) or None
        return super().decode_answer(predicted)


class EncoderNetwork(nn.Module, Network):
    """RoBERTa's encoder, which all purposes share."""

    def __init__(self, architecture: Transformer) -> None:
        super().__init__()
        from transformers import RobertaConfig, RobertaModel

        settings, self.subwords = architecture.settings, architecture.subwords
        roberta_classes: tuple[Any, Any] = RobertaConfig, RobertaModel
        config = roberta_classes[0](
            **architecture.shape,
            hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout,
            attn_implementation="sdpa",
        )
        self.encoder = roberta_classes[1](config, add_pooling_layer=False)
        self.width, self.part_count = config.hidden_size, config.vocab_size

    @property
    def table(self) -> Tensor:
        """The embeddings of all parts of the BPE, (v, d)."""
        weight: Tensor = self.encoder.embeddings.word_embeddings.weight
        return weight

    def encode_tokens(self, tokens: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states (n, l, d), and a mask (n, l) that is False at padding.

        ``tokens`` (n, l) has the numbers of the parts, ``sizes`` (n) the length of each input.
        """
        mask = make_mask(sizes, tokens.shape[1])
        tokens = tokens.masked_fill(~mask, self.subwords.pad)
        states: Tensor = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        return states, mask

    def select_question_state(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the state at the mask, else METHOD_NAME, else <s> (n, d); all states; their mask.

        The states and the mask are those of ``encode_tokens``.
        """
        tokens = batch["tokens"]
        states, mask = self.encode_tokens(tokens, batch["tokens_size"])
        priority = 2 * (tokens == self.subwords.mask) + 1 * (tokens == self.subwords.name)
        positions = (priority * mask).argmax(1)
        return states[torch.arange(len(states), device=states.device), positions], states, mask

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return the mean of each example's states, (n, d)."""
        states, mask = self.encode_tokens(batch["tokens"], batch["tokens_size"])
        return (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)


class MaskedLanguageNetwork(EncoderNetwork):
    """The encoder with a head for masked language modelling.

    A batch has in ``shown`` (n, l) the parts as shown, and in ``chosen`` (n, l) 1 at those to
    predict; ``tokens`` has the original parts.
    """

    def __init__(self, architecture: Transformer) -> None:
        super().__init__(architecture)
        self.lm_head = MaskedLanguageHead(
            self.width, self.part_count, architecture.shape["layer_norm_eps"]
        )

    def score_chosen_parts(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return scores (k, v) of the k parts to predict, and a mask (n, l) of their positions."""
        states, mask = self.encode_tokens(batch["shown"], batch["tokens_size"])
        chosen = (batch["chosen"] != 0) & mask
        return self.lm_head(states[chosen], self.table), chosen

    def compute_loss(self, batch: Batch) -> Tensor:
        scores, chosen = self.score_chosen_parts(batch)
        losses = functional.cross_entropy(scores, batch["tokens"][chosen], reduction="sum")
        return losses / max(1, len(scores))

    def predict(self, batch: Batch) -> list[list[int]]:
        scores, chosen = self.score_chosen_parts(batch)
        rows = torch.split(scores.argmax(1), chosen.sum(1).tolist())
        return [row.tolist() for row in rows]


class ClassificationNetwork(EncoderNetwork):
    """The encoder with a softmax over the labels."""

    def __init__(self, architecture: Transformer) -> None:
        super().__init__(architecture)
        self.dropout = nn.Dropout(architecture.settings.dropout)
        self.head = LabelHead(self.width, len(architecture.labels.vocabulary))

    def compute_loss(self, batch: Batch) -> Tensor:
        return self.head.compute_loss(
            self.dropout(self.select_question_state(batch)[0]), batch["label"]
        )

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.head.predict(self.select_question_state(batch)[0])


class GenerationNetwork(EncoderNetwork):
    """The encoder with a decoder that generates an answer."""

    def __init__(self, architecture: Transformer) -> None:
        super().__init__(architecture)
        settings, shape = architecture.settings, architecture.shape
        self.decoder = SubwordDecoder(
            self.width,
            self.part_count,
            layers=settings.decoder,
            heads=shape["num_attention_heads"],
            inner=shape["intermediate_size"],
            dropout=settings.dropout,
            max_parts=settings.longest,
        )

    def compute_loss(self, batch: Batch) -> Tensor:
        return self.decoder.compute_loss(
            self.table, *self.select_question_state(batch), batch["target"], batch["target_size"]
        )

    def predict(self, batch: Batch) -> list[list[int]]:
        return self.decoder.predict(self.table, *self.select_question_state(batch), self.subwords)


# ---------------------------------------------------------------- masking, heads and decoder


class TokenMasking:
    """BERT's choice of the parts to predict: a share of all parts except special tokens.

    ``ordinary`` has the numbers of the other parts, ``guessable`` True for each of them.
    """

    def __init__(self, subwords: Subwords, share: float) -> None:
        self.share, self.mask = share, subwords.mask
        self.ordinary = np.setdiff1d(np.arange(len(subwords), dtype=np.int32), subwords.specials)
        self.guessable = np.zeros(len(subwords), bool)
        self.guessable[self.ordinary] = True

    def __call__(
        self, column: Ragged, rng: np.random.Generator | None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return the parts that are shown, and a mask of those to predict.

        Both have an entry for each of the column's values. Without ``rng`` they are deterministic.
        """
        values: NDArray[np.int32] = column.values
        chances = _hash_positions(column) if rng is None else rng.random((3, len(values)))
        is_chosen = self.guessable[values] & (chances[0] < self.share)
        other = self.ordinary[(chances[2] * len(self.ordinary)).astype(np.int64)]
        shown_parts = np.where(is_chosen & (chances[1] < _AS_MASK), np.int32(self.mask), values)
        is_swapped = is_chosen & (chances[1] >= _AS_MASK) & (chances[1] < _AS_MASK + _AS_OTHER)
        return np.where(is_swapped, other, shown_parts), is_chosen


def _hash_positions(column: Ragged) -> NDArray[np.float64]:
    """Return three pseudo-random numbers in [0, 1) for each part, (3, parts).

    The numbers depend only on the part's position and on all parts of its example, so an example of
    the dev split is masked equally in each evaluation, whatever else is in its batch.
    """
    lengths = np.diff(column.offsets)
    starts = np.repeat(column.offsets[:-1], lengths)
    positions = (np.arange(len(column.values)) - starts + column.offsets[0]).astype(np.uint64)
    parts = _mix_bits(_mix_bits(column.values.astype(np.uint64)) + positions)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(parts, dtype=np.uint64)])
    ends = column.offsets - column.offsets[0]
    text_hashes = np.repeat(sums[ends[1:]] - sums[ends[:-1]], lengths)
    hashes = _mix_bits(
        text_hashes + positions * np.uint64(3) + np.arange(3, dtype=np.uint64)[:, None]
    )
    return (hashes >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix_bits(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return SplitMix64's hash of each number."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class MaskedLanguageHead(nn.Module):
    """RoBERTa's head: the product of LayerNorm(GELU(W h)) and the embedding of each part."""

    def __init__(self, width: int, parts: int, epsilon: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.layer_norm = nn.LayerNorm(width, eps=epsilon)
        self.bias = nn.Parameter(torch.zeros(parts))
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """Return scores (k, v) of k states (k, d); ``table`` (v, d) are the embeddings."""
        hidden = self.layer_norm(functional.gelu(self.dense(states)))
        return functional.linear(hidden, table, self.bias)


class SubwordDecoder(nn.Module):
    """A transformer decoder that generates an answer part by part and attends to the input.

    Its first input is the state at the mask, METHOD_NAME or <s>, followed by the embeddings of the
    previous parts. Input and output share the encoder's embeddings, ``table``.
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
        max_parts: int,
    ) -> None:
        super().__init__()
        self.max_parts = max_parts
        self.positions = nn.Embedding(max_parts + 1, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        layer = nn.TransformerDecoderLayer(width, heads, inner, dropout, "gelu", batch_first=True)
        self.layers = nn.TransformerDecoder(layer, layers)
        self.bias = nn.Parameter(torch.zeros(parts))
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(
        self, table: Tensor, start: Tensor, parts: Tensor, states: Tensor, mask: Tensor
    ) -> Tensor:
        """Return scores (n, t + 1, v) of the first part and of the part after each previous one.

        ``start`` (n, d) is the first input and ``parts`` (n, t) are the previous parts. ``states``
        (n, l, d) and ``mask`` (n, l) are the encoded input.
        """
        inputs = torch.cat([start[:, None], functional.embedding(parts, table)], 1)
        steps = inputs.shape[1]
        inputs = self.dropout(self.norm(inputs + self.positions.weight[:steps]))
        causal_mask = torch.ones(steps, steps, dtype=torch.bool, device=parts.device).triu(1)
        hidden = self.layers(inputs, states, tgt_mask=causal_mask, memory_key_padding_mask=~mask)
        return functional.linear(hidden, table, self.bias)

    def compute_loss(
        self,
        table: Tensor,
        start: Tensor,
        states: Tensor,
        mask: Tensor,
        target: Tensor,
        sizes: Tensor,
    ) -> Tensor:
        """Return the mean cross-entropy with teacher forcing.

        The mean is over the parts of the targets (n, t), each of which ends with </s>.
        """
        is_part = make_mask(sizes, target.shape[1])
        target = target.masked_fill(~is_part, 0)
        scores = self(table, start, target[:, :-1], states, mask)
        return functional.cross_entropy(scores[is_part], target[is_part])

    def predict(
        self, table: Tensor, start: Tensor, states: Tensor, mask: Tensor, subwords: Subwords
    ) -> list[list[int]]:
        """Return the parts of greedy decoding; an answer has at least one part before </s>.

        The lists are equally long: parts after </s> have no meaning.
        """
        parts = torch.zeros(len(start), 0, dtype=torch.long, device=start.device)
        ended = torch.zeros(len(start), dtype=torch.bool, device=start.device)
        excluded = [special for special in subwords.specials if special != subwords.end]
        for step in range(self.max_parts + 1):
            scores = self(table, start, parts, states, mask)[:, -1]
            scores[:, excluded if step else list(subwords.specials)] = -torch.inf
            best = scores.argmax(1)
            parts = torch.cat([parts, best[:, None]], 1)
            ended |= best == subwords.end
            if bool(ended.all()):
                break
        rows: list[list[int]] = parts.tolist()
        return rows
