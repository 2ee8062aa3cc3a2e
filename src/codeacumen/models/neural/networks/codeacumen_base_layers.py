"""Layers of codeacumen-base: encoder, decoder with copying, heads and losses.

``networks.codeacumen_base`` builds ``BaseNetwork`` and makes its batches; ``Base.collate`` explains
the tensors of a batch. Shapes: n examples, l parts of a sequence, t parts of an answer, d
dimensions, h heads, v parts of the BPE (byte-pair encoding), c candidates.
In training a batch has more sequences than examples: the variants follow the examples.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.models.neural.architecture import Batch, Network
from codeacumen.models.neural.inputs.codeacumen_base import MAX_DEPTH, QuestionKind
from codeacumen.models.neural.inputs.codeacumen_base_nulls import MARKS
from codeacumen.models.neural.networks.codeacumen_base import CLASSES, Base, BaseSettings
from codeacumen.models.neural.networks.layers import get_layer_dtype, make_mask

# Segments are numbered: 0 is <s>, 1 the method, 2 </s>, 3 the context. Padding also has 0.
OWN = 1
# Number of relations between two parts in ``SequenceEncoder.compute_bias``.
_RELATIONS = 4
# Minimum probability, because the logarithm of 0 is infinite.
_TINY = 1e-9
# Temperature of the contrastive loss, as in MoCo (He et al., 2020).
_SHARP = 0.07


class TransformerBlock(nn.Module):
    """A transformer layer with layer normalisation before attention and before the inner layer."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__()
        width = settings.width
        self.heads, self.dropout = settings.heads, settings.dropout
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        # ``given`` computes queries, keys and values; ``seen`` is the projection of the attention's
        # output. Stored weights have these names.
        self.given, self.seen = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner, self.outer = nn.Linear(width, settings.inner), nn.Linear(settings.inner, width)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Return the next states (n, l, d); ``bias`` (n, h, l, l) is added to the scores."""
        n, length, width = states.shape
        query, key, value = (
            projection.view(n, length, self.heads, width // self.heads).transpose(1, 2)
            for projection in self.given(self.before(states)).chunk(3, dim=2)
        )
        dropout = self.dropout if self.training else 0.0
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, dropout_p=dropout
        )
        attended = self.seen(attended.transpose(1, 2).reshape(n, length, width))
        states = states + functional.dropout(attended, self.dropout, self.training)
        inner = self.outer(functional.gelu(self.inner(self.between(states))))
        return states + functional.dropout(inner, self.dropout, self.training)


class SequenceEncoder(nn.Module):
    """The encoder that all tasks share.

    ``places``, ``segments``, ``firsts``, ``depths`` and ``flags`` embed the batch's columns
    ``place``, ``segment``, ``first``, ``depth`` and ``flag``.
    ``relate`` (relations, h) has the attention bias of each relation between two parts. ``parts``,
    ``roles`` and ``shapes`` are the sizes of the vocabularies; ``BaseNetwork`` applies the layers
    ``shape`` to the counts of shape words.
    """

    def __init__(self, settings: BaseSettings, parts: int, roles: int, shapes: int) -> None:
        super().__init__()
        self.settings, width = settings, settings.width
        self.parts = nn.Embedding(parts, width)
        self.places = nn.Embedding(settings.length + settings.around + 2, width)
        self.segments, self.firsts = nn.Embedding(4, width), nn.Embedding(2, width)
        self.roles, self.depths = nn.Embedding(roles, width), nn.Embedding(MAX_DEPTH + 1, width)
        self.flags = nn.Embedding(len(MARKS), width)
        self.shape = nn.Sequential(
            nn.Linear(shapes, width), nn.GELU(), nn.Linear(width, width), nn.LayerNorm(width)
        )
        self.relate = nn.Parameter(torch.zeros(_RELATIONS, settings.heads))
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(TransformerBlock(settings) for _ in range(settings.layers))
        self.last = nn.LayerNorm(width)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)

    def forward(self, batch: Batch, masked_parts: Tensor | None = None) -> Tensor:
        """Return the states (n, l, d); ``masked_parts`` (n, l) replace the parts if not None."""
        parts = batch["parts"] if masked_parts is None else masked_parts
        states = self.parts(parts) + self.places(batch["place"]) + self.segments(batch["segment"])
        states = states + self.firsts(batch["first"])
        if self.settings.structure:
            states = states + self.roles(batch["role"]) + self.depths(batch["depth"])
        if self.settings.context:
            states = states + self.flags(batch["flag"])
        states = functional.dropout(self.norm(states), self.settings.dropout, self.training)
        # Computed once in the precision of the layers: it is large, and each layer reads it.
        bias = self.compute_bias(batch, get_layer_dtype(states))
        for block in self.blocks:
            states = block(states, bias)
        output: Tensor = self.last(states)
        return output

    def compute_bias(self, batch: Batch, dtype: torch.dtype) -> Tensor:
        """Return the bias of the attention scores, (n, h, l, l).

        Entry (i, j) is added to the score of part i for part j; -1e4 at padding makes the weight 0.
        Without ``settings.structure`` the bias has one head for all, (n, 1, 1, l).
        """
        mask = make_mask(batch["sizes"], batch["parts"].shape[1])
        name, statement, depth = batch["name"], batch["statement"], batch["depth"]
        bias = torch.zeros(1, 1, 1, 1, device=name.device, dtype=dtype)
        if self.settings.structure:
            same_name = name[:, :, None] == name[:, None]
            same_statement = statement[:, :, None] == statement[:, None]
            is_own = batch["segment"] == OWN
            both_own = is_own[:, :, None] & is_own[:, None]
            # The relations of ``networks.codeacumen_base``, in the order of its docstring: same
            # name, same statement, nested statement, method and context.
            relations = (
                same_name & (name != 0)[:, None],
                same_statement & both_own,
                # Statements are numbered in source order, so a nested one has a larger number. The
                # test is approximate: it also holds for a later, deeper statement elsewhere.
                (statement[:, :, None] > statement[:, None])
                & (depth[:, :, None] > depth[:, None])
                & both_own,
                # Here <s> and </s> count as context.
                is_own[:, :, None] != is_own[:, None],
            )
            # A sum is faster than a matrix product with sides as short as four and eight.
            for weight, holds in zip(self.relate.to(dtype), relations, strict=True):
                bias = bias + weight[:, None, None] * holds[:, None]
        return bias.masked_fill(~mask[:, None, None], -1e4)


class CopyDecoder(nn.Module):
    """A transformer decoder that generates each part of an answer or copies it from the input.

    ``gate`` computes the probability that a part is generated, not copied.
    """

    def __init__(self, settings: BaseSettings, parts: int) -> None:
        super().__init__()
        width = settings.width
        self.longest = settings.longest
        self.positions = nn.Embedding(settings.longest + 1, width)
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(settings.dropout)
        layer = nn.TransformerDecoderLayer(
            width,
            settings.heads,
            settings.inner,
            settings.dropout,
            "gelu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerDecoder(layer, settings.decoder, nn.LayerNorm(width))
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
        self.bias = nn.Parameter(torch.zeros(parts))
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(
        self, table: Tensor, start: Tensor, parts: Tensor, source: EncodedSequences
    ) -> Tensor:
        """Return probabilities (n, t + 1, v) of the first part and of each next part.

        ``start`` (n, d) is the state that the answer begins from, ``parts`` (n, t) are the previous
        parts, and ``table`` (v, d) has the embeddings of all parts.
        """
        inputs = torch.cat([start[:, None], functional.embedding(parts, table)], 1)
        steps = inputs.shape[1]
        inputs = self.dropout(self.norm(inputs + self.positions.weight[:steps]))
        causal_mask = torch.ones(steps, steps, dtype=torch.bool, device=parts.device).triu(1)
        # Without `tgt_is_causal` torch inspects the mask, which waits for the GPU.
        hidden = self.layers(
            inputs,
            source.states,
            tgt_mask=causal_mask,
            tgt_is_causal=True,
            memory_key_padding_mask=~source.mask,
        )
        generated = (functional.linear(hidden, table) + self.bias).float().softmax(2)
        attention = self.query(hidden) @ self.key(source.states).transpose(1, 2)
        attention = attention.float() / hidden.shape[2] ** 0.5
        attention = attention.masked_fill(~source.mask[:, None], -torch.inf).softmax(2)
        gate = self.gate(hidden).float().sigmoid()
        part_indices = source.parts[:, None].expand(-1, steps, -1)
        return (gate * generated).scatter_add(2, part_indices, (1 - gate) * attention)


class EncodedSequences(NamedTuple):
    """Encoded input: states (n, l, d), the mask of parts that are not padding, and the parts."""

    states: Tensor
    mask: Tensor
    parts: Tensor

    def select_rows(self, rows: Tensor) -> EncodedSequences:
        """Return the sequences with the indices ``rows``, in this order."""
        return EncodedSequences(self.states[rows], self.mask[rows], self.parts[rows])


# ---------------------------------------------------------------- the network


class BaseNetwork(nn.Module, Network):
    """The encoder, and the heads and the decoder that answer the tasks.

    ``guess`` predicts masked parts in pre-training and ``classes`` scores ``CLASSES``. ``point``
    and ``pointed`` compute query and keys of the pointer to a name, ``choose`` and ``offered``
    those of the choice among candidates; ``offers`` computes the probability of such a choice.
    ``kinds`` has the ``QuestionKind`` of each class.
    """

    def __init__(self, architecture: Base) -> None:
        super().__init__()
        self.settings, self.subwords = architecture.settings, architecture.subwords
        width, parts = self.settings.width, len(self.subwords)
        vocabularies = architecture.vocabularies
        self.encoder = SequenceEncoder(
            self.settings, parts, len(vocabularies["roles"]), len(vocabularies["shapes"])
        )
        self.guess = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
        self.guess_bias = nn.Parameter(torch.zeros(parts))
        self.classes = nn.Sequential(
            nn.Linear(2 * width, width),
            nn.GELU(),
            nn.Dropout(self.settings.dropout),
            nn.Linear(width, len(CLASSES)),
        )
        kinds = torch.tensor([int(kind) for kind, _ in CLASSES])
        self.register_buffer("kinds", kinds, persistent=False)
        self.kinds: Tensor
        self.point, self.pointed = nn.Linear(width, width), nn.Linear(width, width)
        self.choose, self.offered = nn.Linear(width, width), nn.Linear(width, width)
        self.offers = nn.Linear(width, 1)
        self.decoder = CopyDecoder(self.settings, parts)
        # Share of training steps that are done.
        self.progress = 1.0

    def set_progress(self, progress: float) -> None:
        self.progress = progress

    # ---------------------------------------------------------------- encoding

    def encode_batch(self, batch: Batch, masked_parts: Tensor | None = None) -> EncodedSequences:
        """Encode all sequences of a batch together, which is faster.

        The sequences of the examples come first; in training, variants follow, and
        ``batch["varied"]`` has the row of each variant's method.
        """
        mask = make_mask(batch["sizes"], batch["parts"].shape[1])
        return EncodedSequences(self.encoder(batch, masked_parts), mask, batch["parts"])

    def select_question_states(self, sequences: EncodedSequences) -> Tensor:
        """Return each sequence's state at the mask, else METHOD_NAME, else <s>; (sequences, d)."""
        priority = 2 * (sequences.parts == self.subwords.mask) + 1 * (
            sequences.parts == self.subwords.name
        )
        positions = (priority * sequences.mask).argmax(1)
        return sequences.states[torch.arange(len(positions), device=positions.device), positions]

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return the mean state of each method's parts, (n, d), without those of its context."""
        return self._average_own_states(self.encode_batch(batch), batch)

    def _average_own_states(self, sequences: EncodedSequences, batch: Batch) -> Tensor:
        """Return the mean state of the parts of the method itself, (sequences, d)."""
        is_own = ((batch["segment"] == OWN) & sequences.mask)[:, :, None]
        return (sequences.states * is_own).sum(1) / is_own.sum(1).clamp_min(1)

    # ---------------------------------------------------------------- losses

    def compute_loss(self, batch: Batch) -> Tensor:
        """Return the loss of pre-training in the first share ``pretrain`` of the steps.

        Afterwards, and in evaluation, return the loss of the answers.
        """
        if self.training and self.progress < self.settings.pretrain:
            return self.compute_pretraining_loss(batch)
        return self.compute_answer_loss(batch, self.encode_batch(batch))

    def compute_pretraining_loss(self, batch: Batch) -> Tensor:
        """Return the loss of masked language modelling, plus the contrastive loss of variants.

        As in BERT, 80 % of the chosen parts are shown as <mask>, 10 % as a random part and 10 %
        unchanged.
        """
        parts = batch["parts"]
        may_be_chosen = make_mask(batch["sizes"], parts.shape[1]) & (parts != self.subwords.begin)
        # Variants are only for the contrastive loss.
        may_be_chosen[len(batch["asks"]) :] = False
        for special in self.subwords.specials:
            may_be_chosen &= parts != special
        is_chosen = may_be_chosen & (
            torch.rand(parts.shape, device=parts.device) < self.settings.masked
        )
        treatment = torch.rand(parts.shape, device=parts.device)
        random_parts = torch.randint(len(self.guess_bias), parts.shape, device=parts.device)
        masked_parts = torch.where(is_chosen & (treatment < 0.8), self.subwords.mask, parts)
        masked_parts = torch.where(is_chosen & (treatment >= 0.9), random_parts, masked_parts)
        sequences = self.encode_batch(batch, masked_parts)
        scores = functional.linear(
            self.guess(sequences.states[is_chosen]), self.encoder.parts.weight, self.guess_bias
        )
        loss = functional.cross_entropy(scores.float(), parts[is_chosen], reduction="sum")
        loss = loss / max(1, len(scores))
        if "varied" in batch and self.settings.contrast and len(batch["varied"]) > 1:
            means = self._average_own_states(sequences, batch)
            # ``random_parts`` now has the mean states of the variants.
            methods, random_parts = means[batch["varied"]], means[len(batch["asks"]) :]
            loss = loss + self.settings.contrast * self.compute_contrastive_loss(
                methods, random_parts
            )
        return loss

    @staticmethod
    def compute_contrastive_loss(methods: Tensor, variants: Tensor) -> Tensor:
        """Return the InfoNCE loss of matching each method with its variant, in both directions.

        ``methods`` and ``variants`` are (pairs, d); the other pairs of a batch are the negatives.
        """
        methods, variants = (
            functional.normalize(vectors.float(), dim=1) for vectors in (methods, variants)
        )
        scores = methods @ variants.T / _SHARP
        targets = torch.arange(len(scores), device=scores.device)
        total = functional.cross_entropy(scores, targets) + functional.cross_entropy(
            scores.T, targets
        )
        return total / 2

    def compute_answer_loss(self, batch: Batch, sequences: EncodedSequences) -> Tensor:
        """Return the mean over the examples of the loss of their answers, whatever their task."""
        question_kinds, question_states = batch["asks"], self.select_question_states(sequences)
        example_states = question_states[: len(question_kinds)]
        loss = example_states.new_zeros((), dtype=torch.float32)
        rows = torch.nonzero(batch["class"] >= 0)[:, 0]
        if len(rows):
            scores = self.score_classes(batch, sequences, example_states)[rows]
            loss = loss + functional.cross_entropy(scores, batch["class"][rows], reduction="sum")
        rows = torch.nonzero(question_kinds == QuestionKind.NULL)[:, 0]
        if len(rows):
            pointer_batch = {
                name: batch[name][rows] for name in ("name", "segment", "first", "named")
            }
            chances, names = self.point_to_names(pointer_batch, sequences.select_rows(rows))
            is_answer = names == pointer_batch["named"][:, None]
            loss = loss - (chances * is_answer).sum(1).clamp_min(_TINY).log().sum()
        rows = torch.nonzero(
            (question_kinds == QuestionKind.NAME) | (question_kinds == QuestionKind.CALL)
        )[:, 0]
        if len(rows):
            loss = loss + self.compute_name_loss(batch, sequences, question_states, rows)
        return loss / len(question_kinds)

    def compute_name_loss(
        self, batch: Batch, sequences: EncodedSequences, question_states: Tensor, rows: Tensor
    ) -> Tensor:
        """Return the summed loss of the answers of ``rows``, which are generated or chosen.

        A method and its variant share one target, and each counts for half. Twice the
        Jensen-Shannon divergence between the decoder's predictions for the two, summed over the
        parts, is added with the weight ``agree``.
        """
        uses_variants = "varied" in batch and self.settings.agree > 0
        methods_of_variants = batch["varied"] if uses_variants else rows[:0]
        variant_rows = len(batch["asks"]) + torch.arange(
            len(methods_of_variants), device=rows.device
        )
        # Methods and variants are decoded together, which is faster.
        method_rows, sequence_rows = (
            torch.cat([rows, methods_of_variants]),
            torch.cat([rows, variant_rows]),
        )
        target = batch["target"][method_rows]
        is_part = make_mask(batch["target_size"][method_rows], target.shape[1])
        target = target.masked_fill(~is_part, 0)
        chances = self.decoder(
            self.encoder.parts.weight,
            question_states[sequence_rows],
            target[:, :-1],
            sequences.select_rows(sequence_rows),
        )
        part_scores = chances.gather(2, target[:, :, None])[..., 0].clamp_min(_TINY).log() * is_part
        method_count = len(rows)
        example_states = question_states[: len(batch["asks"])]
        log_likelihoods = self._add_candidate_likelihood(
            batch, example_states, rows, part_scores[:method_count].sum(1)
        )
        if not len(methods_of_variants):
            return -log_likelihoods.sum()
        pair_rows = torch.searchsorted(rows, methods_of_variants)
        method_chances, variant_chances = (
            part[is_part[method_count:]].clamp_min(_TINY)
            for part in (chances[pair_rows], chances[method_count:])
        )
        log_mean = ((method_chances + variant_chances) / 2).log()
        divergence = (method_chances * (method_chances.log() - log_mean)).sum() + (
            variant_chances * (variant_chances.log() - log_mean)
        ).sum()
        # A method with a variant weighs as much as one without, so naming does not outweigh the
        # other tasks.
        paired = (part_scores[method_count:].sum(1) - log_likelihoods[pair_rows]).sum() / 2
        return self.settings.agree * divergence - log_likelihoods.sum() - paired

    # ---------------------------------------------------------------- the heads

    def score_classes(self, batch: Batch, sequences: EncodedSequences, states: Tensor) -> Tensor:
        """Return scores (n, classes), -inf for the classes of other tasks.

        All scores are -inf for an example that is not a classification.
        """
        shape = self.encoder.shape(batch["shape"].to(states.dtype))
        if not self.settings.structure:
            shape = torch.zeros_like(shape)
        scores: Tensor = self.classes(torch.cat([states, shape], 1)).float()
        return scores.masked_fill(self.kinds != batch["asks"][:, None], -torch.inf)

    def point_to_names(self, batch: Batch, sequences: EncodedSequences) -> tuple[Tensor, Tensor]:
        """Return the pointer's probability of each position and the hash of the name there, (n, l).

        Candidates are the first parts of the method's names, and <s>, which stands for no name and
        has the hash 0. Other positions have probability 0 and the hash -1.
        """
        start = sequences.states[:, 0]
        scores = (self.point(start)[:, None] * self.pointed(sequences.states)).sum(2).float()
        scores = scores / start.shape[1] ** 0.5
        names = batch["name"]
        is_name = (batch["segment"] == OWN) & (batch["first"] == 1) & (names > 0)
        is_candidate = is_name | (batch["segment"] == 0) & sequences.mask
        is_candidate[:, 1:] &= is_name[:, 1:]
        chances = scores.masked_fill(~is_candidate, -torch.inf).softmax(1)
        return chances, names.masked_fill(~is_candidate, -1)

    def _add_candidate_likelihood(
        self, batch: Batch, states: Tensor, rows: Tensor, generated: Tensor
    ) -> Tensor:
        """Return the log-likelihood (rows) of the answers of ``rows``, generated or chosen.

        ``generated`` (rows) has the log-likelihood that the decoder generates each answer.
        """
        gate, candidate_chances = self.score_candidates(batch, states)
        chosen, gate = batch["chosen"][rows], gate[rows]
        log_likelihoods = (1 - gate).log() + generated
        picked = torch.nonzero(chosen >= 0)[:, 0]
        if not len(picked):
            return log_likelihoods
        # Only rows whose answer is a candidate: the logarithm of 0 has no gradient.
        answer_chances = candidate_chances[rows[picked], chosen[picked]]
        combined = torch.logaddexp(
            log_likelihoods[picked], (gate[picked] * answer_chances).clamp_min(_TINY).log()
        )
        return log_likelihoods.index_copy(0, picked, combined)

    def score_candidates(self, batch: Batch, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return the probability (n) that the answer is a candidate, and of each candidate (n, c).

        The latter are conditional on the answer being a candidate, and 0 at padding.
        """
        sizes = batch["candidate_size"]
        is_candidate = sizes > 0
        rows, parts = torch.nonzero(is_candidate)[:, 0], batch["candidates"][is_candidate]
        order = torch.arange(parts.shape[1], device=parts.device)
        # The first part of a name counts more than the last.
        weight = (1.0 / (1.0 + 0.5 * order)) * make_mask(sizes[is_candidate], parts.shape[1])
        table = self.encoder.parts.weight
        candidate_vectors = functional.embedding_bag(
            parts, table, mode="sum", per_sample_weights=weight.to(table.dtype)
        )
        similarities = (self.choose(states)[rows] * self.offered(candidate_vectors)).sum(1).float()
        similarities = similarities / states.shape[1] ** 0.5
        # Not -inf, because the softmax of a row without candidates would then be NaN.
        scores = similarities.new_full(sizes.shape, -1e4).masked_scatter(is_candidate, similarities)
        has_candidates = is_candidate.any(1)
        # Not the gate of ``CopyDecoder``, which chooses between generating and copying.
        gate = self.offers(states)[:, 0].float().sigmoid() * has_candidates
        # Below 1, because ``_add_candidate_likelihood`` takes the logarithm of 1 - gate.
        return gate.clamp(0, 1 - 1e-4), scores.softmax(1) * is_candidate

    # ---------------------------------------------------------------- predictions

    def predict(self, batch: Batch) -> list[list[int]]:
        """Return an answer for each example, in the form that ``Base.decode_answer`` reads."""
        sequences = self.encode_batch(batch)
        states, question_kinds = self.select_question_states(sequences), batch["asks"].tolist()
        best_classes = self.score_classes(batch, sequences, states).argmax(1).tolist()
        name_rows = [
            row
            for row, kind in enumerate(question_kinds)
            if kind in (QuestionKind.NAME, QuestionKind.CALL)
        ]
        predictions: list[list[int]] = [[-1 - class_number] for class_number in best_classes]
        for row in [row for row, kind in enumerate(question_kinds) if kind == QuestionKind.NULL]:
            predictions[row] = self._predict_pointed_name(batch, sequences, row)
        if name_rows:
            rows = torch.tensor(name_rows, device=states.device)
            for row, answer in zip(
                name_rows, self._predict_names(batch, sequences, states, rows), strict=True
            ):
                predictions[row] = answer
        return predictions

    def _predict_pointed_name(
        self, batch: Batch, sequences: EncodedSequences, row: int
    ) -> list[int]:
        """Return the parts of the most probable name, its probability summed over its positions.

        Return [] if <s>, no name, is more probable than each name.
        """
        columns = {
            name: batch[name][row : row + 1] for name in ("name", "segment", "first", "parts")
        }
        chances, names = self.point_to_names(
            columns, EncodedSequences(*(tensor[row : row + 1] for tensor in sequences))
        )
        total: dict[int, float] = {}
        first_positions: dict[int, int] = {}
        for position, (name, chance) in enumerate(
            zip(names[0].tolist(), chances[0].tolist(), strict=True)
        ):
            if name >= 0:
                total[name] = total.get(name, 0.0) + chance
                first_positions.setdefault(name, position)
        best = max(total, key=lambda name: (total[name], -first_positions[name]))
        if best == 0:
            return []
        start = first_positions[best]
        ends = (columns["first"][0] == 1) | ~sequences.mask[row]
        next_starts = torch.nonzero(ends[start + 1 :])[:, 0].tolist()
        end = start + 1 + next_starts[0] if next_starts else len(ends)
        parts: list[int] = columns["parts"][0, start:end].tolist()
        return parts

    def _predict_names(
        self, batch: Batch, sequences: EncodedSequences, states: Tensor, rows: Tensor
    ) -> list[list[int]]:
        """Return for each of ``rows`` the answer of greedy decoding, or a more probable candidate.

        A decoded answer may have </s> and parts after it, which ``Base.decode_answer`` drops.
        """
        table, source, start_states = (
            self.encoder.parts.weight,
            sequences.select_rows(rows),
            states[rows],
        )
        parts = torch.zeros(len(rows), 0, dtype=torch.long, device=states.device)
        ended = torch.zeros(len(rows), dtype=torch.bool, device=states.device)
        log_likelihood = torch.zeros(len(rows), device=states.device)
        excluded = [special for special in self.subwords.specials if special != self.subwords.end]
        for step in range(self.settings.longest + 1):
            chances = self.decoder(table, start_states, parts, source)[:, -1]
            chances[:, excluded if step else list(self.subwords.specials)] = 0.0
            top, best = chances.max(1)
            log_likelihood = log_likelihood + top.clamp_min(_TINY).log() * ~ended
            parts = torch.cat([parts, best[:, None]], 1)
            ended |= best == self.subwords.end
            if bool(ended.all()):
                break
        answers: list[list[int]] = parts.tolist()
        gate, candidate_chances = self.score_candidates(batch, states)
        if not candidate_chances.shape[1]:
            return answers
        top, best = candidate_chances[rows].max(1)
        prefers_candidate = (gate[rows] * top > (1 - gate[rows]) * log_likelihood.exp()).tolist()
        for index, row in enumerate(rows.tolist()):
            if prefers_candidate[index]:
                candidate = int(best[index])
                size = int(batch["candidate_size"][row, candidate])
                answers[index] = batch["candidates"][row, candidate, :size].tolist()
        return answers
