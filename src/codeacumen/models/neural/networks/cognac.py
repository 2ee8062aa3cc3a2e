"""Cognac: a pointer-generator over a method, its class, its callers and its callees.

    s = BiLSTM(embedding(pieces))    (n, l, 800)
    p = prior of each position       (n, l)
    ``PointerDecoder`` generates the name with attention ∝ p · exp(…)

The prior of a position is the share of the words in its place (``inputs.context.PLACE_NAMES``) that
are also in the name; training counts them. Shapes: n examples, l pieces.

The pieces are, in this order, the subtokens of: the class's name, the return type, the types of the
parameters, those of callers and of callees with the callees' names, and the body.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from codeacumen.api import CodeContext, Input
from codeacumen.models.neural.architecture import (
    BEGIN,
    END,
    PAD,
    UNKNOWN,
    Batch,
    Encoded,
    Features,
    Network,
)
from codeacumen.models.neural.inputs.context import (
    PLACE_NAMES,
    ContextArchitecture,
    extract_cognac_features,
    read_method_context,
)
from codeacumen.models.neural.networks.layers import State, make_mask, search_beams
from codeacumen.models.neural.training.batches import pad_columns
from codeacumen.text.columns import Ragged

# The prior starts as if one word of thirty were in the name. Each place's counts are smoothed with
# the mean of all places, which weighs as much as 100 words.
_INITIAL_WORDS, _SMOOTHING_WORDS = 30, 100
# Minimum probability, because the logarithm of 0 is infinite.
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class CognacSettings:
    """Hyper-parameters.

    ``vocabulary`` is the maximum number of known words, ``least`` the minimum number of occurrences
    of one; other words can only be copied. ``length`` is the maximum number of pieces of an input,
    ``longest`` that of a name. Without ``prior`` all positions weigh the same. ``beam`` is the beam
    width; 1 is a greedy search.
    """

    vocabulary: int = 85_000
    least: int = 2
    length: int = 350
    longest: int = 6
    embedding: int = 150
    hidden: int = 400
    dropout: float = 0.25
    prior: bool = True
    beam: int = 4


class Cognac(ContextArchitecture):
    """Cognac (Wang et al., ESEC/FSE 2021).

    An example carries its *own words*, those that the vocabulary lacks, so that they can be copied:
    ``own`` has a hash of each word, to find it in a target, and ``spelt`` the code points of its
    letters and a 0, to write it in an answer. Own word i has the number v + i, where v is the size
    of the vocabulary. ``prints`` has the hash of each unknown word of a target, 0 for the others.
    """

    name = "cognac"
    Settings = CognacSettings

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        features = extract_cognac_features(read_method_context(item, context), self.settings.length)
        return features if features["pieces"] else None

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "pieces", features["pieces"]  # type: ignore[misc]

    def encode(self, features: Features) -> Encoded:
        words: Sequence[str] = features["pieces"]  # type: ignore[assignment]
        numbers = self.shared_vocabulary.encode_words(words)
        own_words: dict[str, int] = {}
        for at in np.flatnonzero(numbers == UNKNOWN).tolist():
            numbers[at] = len(self.shared_vocabulary) + own_words.setdefault(
                words[at], len(own_words)
            )
        letters = [code for word in own_words for code in (*map(ord, word), 0)]
        return {
            "pieces": numbers,
            "places": np.array(features["places"], np.int32),
            "own": np.array([_hash_word(word) for word in own_words], np.int32),
            "spelt": np.array(letters, np.int32),
        }

    def encode_target(self, label: str, features: Features) -> Encoded | None:
        words = list(self.labels.split_label(label))[: self.settings.longest]
        if not words:
            return None
        numbers = self.shared_vocabulary.encode_words(words)
        prints = [
            0 if number != UNKNOWN else _hash_word(word)
            for word, number in zip(words, numbers.tolist(), strict=True)
        ]
        return {
            "target": np.append(numbers, np.int32(END)),
            "prints": np.array([*prints, 0], np.int32),
        }

    def compute_lengths(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        return np.diff(columns["pieces"].offsets)

    def collate(
        self, columns: Mapping[str, Ragged], rng: np.random.Generator | None = None
    ) -> Batch:
        batch = pad_columns(columns)
        if "prints" in batch:
            # An unknown word of the name gets the number that it has among the example's own words.
            is_same = batch["prints"][:, :, None] == batch["own"][:, None]
            is_same &= (batch["prints"] != 0)[:, :, None]
            number = len(self.shared_vocabulary) + is_same.int().argmax(2)
            batch["target"] = torch.where(is_same.any(2), number, batch["target"])
        return batch

    def build_network(self) -> Network:
        return CognacNetwork(self.settings, len(self.shared_vocabulary))

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        vocabulary_size, words, letters = len(self.shared_vocabulary), [], ""
        for number in predicted:
            if number > vocabulary_size:
                letters += chr(number - vocabulary_size)
            elif number == vocabulary_size:
                words.append(letters)
                letters = ""
            elif number == END:
                break
            elif number > END:
                words.append(self.shared_vocabulary.words[number])
        return self.labels.join_pieces(words) or None  # type: ignore[attr-defined]


def _hash_word(word: str) -> int:
    """Return a 31-bit hash of a word, never 0; a collision within a method is improbable."""
    return zlib.crc32(word.encode("utf-8", "replace")) >> 1 | 1


class CognacNetwork(nn.Module, Network):
    """A BiLSTM encoder, the prior of places, and a pointer decoder."""

    def __init__(self, settings: CognacSettings, pieces: int) -> None:
        super().__init__()
        self.settings, self.pieces = settings, pieces
        hidden = settings.hidden
        self.embedding = nn.Embedding(pieces, settings.embedding, padding_idx=PAD)
        self.encoder = nn.LSTM(settings.embedding, hidden, bidirectional=True, batch_first=True)
        self.begin_hidden = nn.Linear(2 * hidden, hidden)
        self.begin_cell = nn.Linear(2 * hidden, hidden)
        self.pointer = PointerDecoder(self.embedding, hidden, settings.dropout)
        # Number of words in each place in training, and of those that were in the name.
        self.register_buffer("seen", torch.zeros(len(PLACE_NAMES), dtype=torch.long))
        self.register_buffer("found", torch.zeros(len(PLACE_NAMES), dtype=torch.long))
        self.seen: Tensor
        self.found: Tensor
        _init_weights(self)

    def compute_prior(self, batch: Batch) -> Tensor:
        """Return the prior of each position (n, l), 0 at padding."""
        mask = make_mask(batch["pieces_size"], batch["pieces"].shape[1])
        if not self.settings.prior:
            return mask.float()
        mean_share = (self.found.sum() + 1) / (self.seen.sum() + _INITIAL_WORDS)
        share = (self.found + _SMOOTHING_WORDS * mean_share) / (self.seen + _SMOOTHING_WORDS)
        return share[batch["places"]] * mask

    def count_name_words(self, batch: Batch) -> None:
        """Count the words of a training batch that are in the names, for the prior."""
        words, target = batch["pieces"], batch["target"]
        mask = make_mask(batch["pieces_size"], words.shape[1])
        is_in_name = (words[:, :, None] == target[:, None]).any(2)
        for counts, chosen in ((self.seen, mask), (self.found, mask & is_in_name)):
            counts.index_add_(0, batch["places"].flatten(), chosen.flatten().long())

    def encode_batch(self, batch: Batch) -> tuple[PointerSource, State]:
        """Return the encoded input, and the decoder's initial state."""
        words = batch["pieces"]
        known_words = words.where(words < self.pieces, UNKNOWN)
        packed = pack_padded_sequence(
            self.embedding(known_words),
            batch["pieces_size"].cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        packed, (hidden, cell) = self.encoder(packed)
        states, _ = pad_packed_sequence(packed, batch_first=True, total_length=words.shape[1])
        source = PointerSource(words, states, self.compute_prior(batch))
        last_states = [torch.cat([state[0], state[1]], 1) for state in (hidden, cell)]
        return source, self.pointer.make_initial_state(
            self.begin_hidden(last_states[0]).relu(), self.begin_cell(last_states[1]).relu(), source
        )

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return the mean of the encoder's states."""
        source, _ = self.encode_batch(batch)
        mask = make_mask(batch["pieces_size"], source.words.shape[1])[:, :, None]
        return (source.states * mask).sum(1) / mask.sum(1)

    def compute_loss(self, batch: Batch) -> Tensor:
        source, state = self.encode_batch(batch)
        if self.training:
            self.count_name_words(batch)
        return self.pointer.compute_loss(source, state, batch["target"])

    def predict(self, batch: Batch) -> list[list[int]]:
        source, state = self.encode_batch(batch)
        names = self.pointer.predict(source, state, self.settings.beam, self.settings.longest)
        spelt = batch["spelt"].tolist()
        return [
            [number for piece in name for number in self._spell_piece(piece, letters)]
            for name, letters in zip(names, spelt, strict=True)
        ]

    def _spell_piece(self, piece: int, letters: Sequence[int]) -> Iterator[int]:
        """Yield the number of a known piece, or the letters of an example's own word and an end.

        ``letters`` is the example's row of ``spelt``. For ``Cognac.decode_answer`` a letter is the
        size of the vocabulary plus its code point, and an end is this size.
        """
        if piece < self.pieces:
            yield piece
            return
        start = 0
        for _ in range(piece - self.pieces):
            start = letters.index(0, start) + 1
        yield from (self.pieces + code for code in letters[start : letters.index(0, start)])
        yield self.pieces


def _init_weights(network: CognacNetwork) -> None:
    """Initialise the weights as the paper's code does: near zero, with a forget bias of 1."""
    for cell in (network.encoder, network.pointer.cell):
        for name, weight in cell.named_parameters():
            if "weight" in name:
                nn.init.uniform_(weight, -0.02, 0.02)
            else:
                nn.init.zeros_(weight)
                # The gates are input, forget, cell and output, each a quarter of the bias.
                nn.init.ones_(weight.detach().chunk(4)[1])
    nn.init.normal_(network.embedding.weight, std=1e-4)
    nn.init.zeros_(network.embedding.weight.detach()[PAD])
    for linear in (network.begin_hidden, network.begin_cell, network.pointer.out):
        nn.init.normal_(linear.weight, std=1e-4)
        nn.init.normal_(linear.bias, std=1e-4)


# ---------------------------------------------------------------- the decoder


class PointerSource(NamedTuple):
    """The encoded input: words as extended numbers (n, l), states (n, l, d), and priors (n, l)."""

    words: Tensor
    states: Tensor
    prior: Tensor


class PointerDecoder(nn.Module):
    """A decoder that predicts a name piece by piece and may copy each piece from the input.

        x = X [c'; embedding of the piece before]          c' is the context of the step before
        h, m = LSTM(x)
        e = v · tanh(K s + Q [h; m])                       for the state s of each position
        a = p ⊙ exp(e), over its sum                       p is the prior of the position
        c = Σ a s
        g = σ(w · [c; h; m; x])                            probability to generate, not to copy
        P(word) = g · softmax(V U [h; c]) + (1 - g) · Σ a over the positions of the word

    Words of the input that the vocabulary lacks are numbered after it, separately for each example
    ("extended numbers"): they can be copied but not generated. Shapes: n examples, l positions, k
    pieces at a time (beams), v pieces of the vocabulary. ``given`` is X, ``blend`` U and ``out`` V.
    """

    def __init__(self, embedding: nn.Embedding, hidden: int, dropout: float) -> None:
        super().__init__()
        pieces, size = embedding.num_embeddings, embedding.embedding_dim
        self.embedding, self.pieces = embedding, pieces
        self.given = nn.Linear(2 * hidden + size, size)
        self.cell = nn.LSTMCell(size, hidden)
        self.key = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.query = nn.Linear(2 * hidden, 2 * hidden)
        self.score = nn.Linear(2 * hidden, 1, bias=False)
        self.gate = nn.Linear(4 * hidden + size, 1)
        self.blend = nn.Linear(3 * hidden, hidden)
        self.out = nn.Linear(hidden, pieces)
        self.dropout = nn.Dropout(dropout)

    def make_initial_state(self, hidden: Tensor, cell: Tensor, source: PointerSource) -> State:
        """Return the state (hidden, cell, context) before the first piece, each (n, 1, d)."""
        context = source.states.new_zeros(len(hidden), 1, source.states.shape[2])
        return hidden[:, None], cell[:, None], context

    def compute_attention(self, query: Tensor, keys: Tensor, prior: Tensor) -> Tensor:
        """Return the additive attention (n, k, l); the prior multiplies the exponential scores.

        ``query`` is (n, k, d), ``keys`` (n, l, d), ``prior`` (n, l), 0 at positions to ignore.
        """
        scores: Tensor = self.score((keys[:, None] + query[:, :, None]).tanh())[..., 0].float()
        mask = prior[:, None] > 0
        scores = scores + prior.clamp_min(_TINY).log()[:, None]
        return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(2)

    def decode_step(
        self, last: Tensor, state: State, source: PointerSource, keys: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, State]:
        """Run one step after the pieces ``last`` (n, k); ``keys`` (n, l, d) are K s.

        Return scores of the vocabulary (n, k, v), the gate (n, k), the attention (n, k, l), and the
        next state.
        """
        known_pieces = last.where(last < self.pieces, UNKNOWN)
        hidden, cell, context = state
        cell_input = self.given(torch.cat([context, self.embedding(known_pieces)], 2))
        n, k = last.shape
        flat = (hidden.reshape(n * k, -1), cell.reshape(n * k, -1))
        hidden, cell = (
            state_part.view(n, k, -1) for state_part in self.cell(cell_input.view(n * k, -1), flat)
        )
        cell_state = torch.cat([hidden, cell], 2)
        weights = self.compute_attention(self.query(cell_state), keys, source.prior)
        context = weights.to(source.states.dtype) @ source.states
        gate = self.gate(torch.cat([context, cell_state, cell_input], 2))[..., 0].float().sigmoid()
        scores = self.out(self.dropout(self.blend(torch.cat([hidden, context], 2))))
        return scores.float(), gate, weights, (hidden, cell, context)

    def compute_loss(self, source: PointerSource, state: State, target: Tensor) -> Tensor:
        """Return the mean over the examples of their pieces' mean negative log-likelihood.

        ``target`` (n, t) has extended numbers and ends with END.
        """
        keys = self.dropout(self.key(source.states))
        last = torch.full_like(target[:, :1], BEGIN)
        losses = []
        for at in range(target.shape[1]):
            scores, gate, weights, state = self.decode_step(last, state, source, keys)
            last = target[:, at : at + 1]
            losses.append(-self.compute_likelihood(last, scores, gate, weights, source).log())
        is_piece = (target != PAD).float()
        return ((torch.cat(losses, 1) * is_piece).sum(1) / is_piece.sum(1)).mean()

    def compute_likelihood(
        self, pieces: Tensor, scores: Tensor, gate: Tensor, weights: Tensor, source: PointerSource
    ) -> Tensor:
        """Return the likelihood of ``pieces`` (n, k), without that of all extended numbers.

        ``scores``, ``gate`` and ``weights`` are results of ``decode_step``.
        """
        known_pieces = pieces.where(pieces < self.pieces, PAD)
        generated = scores.log_softmax(2).gather(2, known_pieces[:, :, None])[..., 0].exp()
        generated = generated * (pieces < self.pieces)
        copied = (weights * (source.words[:, None] == pieces[:, :, None])).sum(2)
        return (gate * generated + (1 - gate) * copied).clamp_min(_TINY)

    def compute_distribution(
        self, scores: Tensor, gate: Tensor, weights: Tensor, words: Tensor
    ) -> Tensor:
        """Return probabilities (n, k, v + own words) of all extended numbers.

        ``words`` (n, l) are the input's; a batch has as many own words as its largest example.
        """
        own_count = max(0, int(words.max()) + 1 - self.pieces)
        generated = gate[..., None] * scores.softmax(2)
        extended = functional.pad(generated, (0, own_count))
        word_indices = words[:, None].expand(weights.shape)
        return extended.scatter_add(2, word_indices, (1 - gate)[..., None] * weights)

    def predict(
        self, source: PointerSource, state: State, beam_width: int, max_pieces: int
    ) -> list[list[int]]:
        """Return the extended numbers of the best name of a beam search for each example."""
        keys = self.key(source.states)

        def advance(last: Tensor, state: State) -> tuple[Tensor, State]:
            scores, gate, weights, state = self.decode_step(last, state, source, keys)
            likelihoods = self.compute_distribution(scores, gate, weights, source.words)
            return likelihoods.clamp_min(_TINY).log(), state

        return search_beams(advance, state, beam_width, max_pieces)
