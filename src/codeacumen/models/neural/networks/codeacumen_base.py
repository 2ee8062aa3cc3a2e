"""codeacumen-base: one encoder for all tasks, over tokens, their structure and the code around.

    x = <s>, the method's parts, </s>, its context            parts of a BPE (byte-pair encoding)
    input of a part: embeddings of the part, position, role in the tree, depth and mark about null
    attention of part i to part j: a learned bias for each relation that holds between them
    (same name, same statement, nested statement, method and context)

    npath, operators   softmax over the classes, from the state at <s> or at the mask
    null token         a pointer to one of the method's names, or to <s> for none
    names, calls       a decoder that generates each part or copies it from the input;
                       a call may also be chosen among the receiver's methods

Training begins with pre-training: masked language modelling, and a contrastive loss that matches
methods with their certified variants. Then all tasks are trained together, with a loss that makes
the predicted names of a method and its variant agree. docs/models/codeacumen-base.md has the
ablations. The layers are in ``networks.codeacumen_base_layers``, the features in
``inputs.codeacumen_base``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError, CodeContext, Input, Method
from codeacumen.benchmarks.gluecode.masks import NO_WARNING
from codeacumen.languages.java.measures.npath import BINS
from codeacumen.languages.java.measures.operators import OPERATORS
from codeacumen.models.lexer import MASK
from codeacumen.models.neural.architecture import (
    LABELS,
    SPECIALS,
    Architecture,
    Batch,
    Encoded,
    Features,
    Labels,
    Network,
    Vocabulary,
)
from codeacumen.models.neural.inputs.codeacumen_base import (
    DECLARED,
    MEMBER_PREFIX,
    PER_TOKEN,
    USED,
    FreshNames,
    QuestionKind,
    Tokens,
    extract_features,
    hash_name,
    iter_words,
    rename_variables,
    split_token,
)
from codeacumen.models.neural.inputs.codeacumen_base_nulls import SUSPECT_MARKS
from codeacumen.models.neural.inputs.subwords import METHOD_NAME, SubwordLabels, Subwords
from codeacumen.models.neural.training.batches import pad_lists
from codeacumen.text.columns import Ragged

# The classes of the two classification tasks; a class is numbered by its index.
CLASSES = (
    *((QuestionKind.NPATH, interval) for interval in BINS),
    *((QuestionKind.OPERATOR, operator) for operator in OPERATORS),
)
# Number of a class by its kind of question and its label.
_CLASS = {(int(kind), label): number for number, (kind, label) in enumerate(CLASSES)}
# Maximum number of variables of a method that are renamed in training: the number of new names.
_MOST_RENAMED = 32


@dataclass(frozen=True, slots=True)
class BaseSettings:
    """Hyper-parameters.

    ``vocabulary`` is the maximum number of parts of the BPE. ``length`` and ``around`` are the
    maximum numbers of parts of a method, with <s> and </s>, and of its context; ``longest`` is that
    of an answer. ``width`` is the size of a state, ``inner`` that of a layer's hidden layer, and
    ``decoder`` the number of layers of the decoder. ``structure`` switches roles, depths, shapes
    and relations on, and ``context`` the code around the method, the marks about null and the
    candidates of a call. In training, the context is hidden from a share ``alone`` of the examples.
    ``pretrain`` is the share of steps that are pre-training: a share ``masked`` of the parts is
    predicted, and the contrastive loss has the weight ``contrast``. ``agree`` is the weight of the
    loss that makes the names of a method and its variant agree. Of the methods to be named that
    have no certified variant, a share ``renamed`` gets one with renamed variables, chosen anew in
    each epoch. With ``unordered``, positions of a method to be named restart in each statement, so
    the order of statements is hidden.
    """

    vocabulary: int = 16_000
    length: int = 320
    around: int = 160
    layers: int = 6
    width: int = 512
    heads: int = 8
    inner: int = 2048
    dropout: float = 0.1
    decoder: int = 2
    longest: int = 12
    structure: bool = True
    context: bool = True
    alone: float = 0.25
    pretrain: float = 0.4
    masked: float = 0.2
    contrast: float = 0.5
    agree: float = 1.0
    renamed: float = 0.0
    unordered: bool = False

    def __post_init__(self) -> None:
        if self.heads < 1 or self.width % self.heads:
            raise CodeacumenError(f"width={self.width} cannot be shared by heads={self.heads}")
        if self.length < 8:
            raise CodeacumenError(f"length={self.length} has no room for a method")


class Base(Architecture):
    """Features, vocabularies and tensors of codeacumen-base.

    Features with the prefix ``own`` are of the method's tokens, ``around`` of its context's, and
    ``variant`` of a certified variant's. ``asks`` is the ``QuestionKind``, ``shape`` the words of
    the method's shape, and ``candidates`` the names that may replace a masked call.
    """

    name = "codeacumen-base"
    needs_context = True
    task_column = "asks"
    settings_after_encoding = frozenset(
        (
            "layers",
            "width",
            "heads",
            "inner",
            "dropout",
            "decoder",
            "structure",
            "context",
            "alone",
            "pretrain",
            "masked",
            "contrast",
            "agree",
            "renamed",
            "unordered",
        )
    )
    Settings = BaseSettings
    subwords: Subwords

    def make_labels(self) -> Labels:
        return SubwordLabels(self.settings.longest)

    # ---------------------------------------------------------------- words

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return extract_features(item, context)

    def extract_text_features(self, text: str) -> Features | None:
        return extract_features(Method("", text), None)

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        masked = (MASK, METHOD_NAME)
        yield "parts", [word for word in iter_words(features) if word not in masked]
        yield "roles", [*features["own_role"], *features["around_role"]]
        yield "shapes", features["shape"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self._set_subwords(Subwords.from_counts(counts.get("parts", {}), self.settings.vocabulary))
        # Rare roles are cut off: they have too few examples to learn from.
        self.vocabularies["roles"] = Vocabulary.from_counts(counts.get("roles", {}), 1000)
        self.vocabularies["shapes"] = Vocabulary.from_counts(counts.get("shapes", {}), 400)
        self.vocabularies[LABELS] = Vocabulary(SPECIALS)

    def _set_subwords(self, subwords: Subwords) -> None:
        self.subwords = subwords
        self.labels.subwords = subwords  # type: ignore[attr-defined]

    def save_vocabularies(self, folder: Path) -> None:
        super().save_vocabularies(folder)
        self.subwords.save(folder)

    def load_vocabularies(self, folder: Path) -> None:
        super().load_vocabularies(folder)
        self._set_subwords(Subwords.load(folder))

    # ---------------------------------------------------------------- numbers

    @cached_property
    def _parts_of_word(self) -> dict[str, list[int]]:
        """Cache of the numbers of words' parts: a BPE is slow and words repeat."""
        return {MASK: [self.subwords.mask], METHOD_NAME: [self.subwords.name]}

    def split_words(self, words: Iterable[str]) -> list[list[int]]:
        """Return the numbers of the BPE parts of each word."""
        parts_of_word = self._parts_of_word
        parts = []
        for word in words:
            if word not in parts_of_word:
                if len(parts_of_word) > 1 << 20:
                    parts_of_word.clear()
                    parts_of_word.update(
                        {MASK: [self.subwords.mask], METHOD_NAME: [self.subwords.name]}
                    )
                parts_of_word[word] = self.subwords.encode_text(word)
            parts.append(parts_of_word[word])
        return parts

    def encode(self, features: Features) -> Encoded:
        columns: Mapping[str, Any] = features
        encoded: Encoded = {}
        for prefix, max_parts in (
            ("own", self.settings.length - 2),
            ("around", self.settings.around),
            ("variant", self.settings.length - 2),
        ):
            encoded.update(self._encode_window(columns, prefix, max_parts))
        encoded["shape"] = self.vocabularies["shapes"].encode_words(columns["shape"])
        encoded["asks"] = np.array(columns["asks"], np.int32)
        # A candidate is cut to eight parts.
        candidate_parts = [
            [
                part_number
                for part in self.split_words(split_token(name, False))
                for part_number in part
            ][:8]
            for name in columns["candidates"]
        ]
        encoded["candidate_sizes"] = np.array([len(parts) for parts in candidate_parts], np.int32)
        encoded["candidate_parts"] = _flatten(candidate_parts)
        return encoded

    def _encode_window(self, columns: Mapping[str, Any], prefix: str, max_parts: int) -> Encoded:
        """Return the encoded columns of the tokens that fit into ``max_parts``.

        These are the first tokens, or those around the mask if the first lack it. In a question
        about null, the first token whose value may be null takes the place of the mask.
        """
        # ``ends`` has the index in ``words`` after each token's last word. ``total`` has the index
        # of each word's first part, and ``borders`` that of each token's first part; both end with
        # the number of parts.
        words, sizes = columns[f"{prefix}_words"], columns[f"{prefix}_sizes"]
        parts_of_words = self.split_words(words)
        lengths = np.fromiter(map(len, parts_of_words), np.int64, len(parts_of_words))
        ends = np.cumsum(np.asarray(sizes, np.int64))
        total = np.concatenate([[0], np.cumsum(lengths)])
        borders = total[np.concatenate([[0], ends])]
        centre = self._find_masked_token(words, ends)
        if prefix == "own" and columns["asks"] == [QuestionKind.NULL]:
            centre = next(
                (token for token, flag in enumerate(columns["own_flag"]) if flag in SUSPECT_MARKS),
                0,
            )
        first, last = _choose_window(borders, centre, max_parts)
        part_slice = slice(int(borders[first]), int(borders[last]))
        parts = _flatten(parts_of_words)[part_slice]
        encoded: Encoded = {
            f"{prefix}_parts": parts,
            f"{prefix}_sizes": np.diff(borders[first : last + 1]).astype(np.int32),
        }
        for name in PER_TOKEN:
            values = columns[f"{prefix}_{name}"][first:last]
            if name == "role":
                encoded[f"{prefix}_role"] = self.vocabularies["roles"].encode_words(values)
            # Tokens of the context are in no statement: their depth and statement are 0.
            elif prefix != "around" or name in ("name", "flag"):
                encoded[f"{prefix}_{name}"] = np.asarray(values, np.int32)
        return encoded

    @staticmethod
    def _find_masked_token(words: Sequence[str], ends: NDArray[np.int64]) -> int:
        """Return the index of the masked token, 0 if there is none.

        ``ends`` has for each token the index in ``words`` after its last word.
        """
        if MASK not in words:
            return 0
        return int(np.searchsorted(ends, words.index(MASK), side="right"))

    def encode_target(self, label: str, features: Features) -> Encoded | None:
        nothing = np.zeros(0, np.int32)
        target: Encoded = {"class": nothing, "target": nothing, "named": nothing, "chosen": nothing}
        # Each kind of question has its own targets, which ``_add_answers`` explains; the others
        # stay empty.
        (question_kind,) = features["asks"]
        if (question_kind, label) in _CLASS:
            return {**target, "class": np.array([_CLASS[int(question_kind), label]], np.int32)}
        if question_kind == QuestionKind.NULL:
            number = 0 if label == NO_WARNING else hash_name(label)
            # The network can only point to a name in the method.
            if number and number not in features["own_name"]:
                return None
            return {**target, "named": np.array([number], np.int32)}
        parts = [
            part_number
            for part in self.split_words(split_token(label, False))
            for part_number in part
        ]
        if not parts or question_kind not in (QuestionKind.NAME, QuestionKind.CALL):
            return None
        target["target"] = np.array([*parts[: self.settings.longest], self.subwords.end], np.int32)
        if label in features["candidates"]:
            position = features["candidates"].index(label)
            target["chosen"] = np.array([position], np.int32)
        return target

    # ---------------------------------------------------------------- tensors

    def compute_lengths(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        own, around = (np.diff(columns[f"{prefix}_parts"].offsets) for prefix in ("own", "around"))
        return np.asarray(own + around, np.int64)

    def count_repetitions(self, tasks: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return how often each example is shown in an epoch, so that small tasks count more.

        For each task it is √(size of the largest task / size of the task), rounded, from 1 to 8.
        """
        counts = np.bincount(tasks, minlength=len(QuestionKind))
        factors = np.sqrt(counts.max() / np.maximum(1, counts)).round()
        return np.clip(factors, 1, 8).astype(np.int64)[tasks]

    def collate(
        self, columns: Mapping[str, Ragged], rng: np.random.Generator | None = None
    ) -> Batch:
        """Return the tensors of ``_join_sequences`` and ``_add_answers``, and those named here.

        ``asks`` (n) has the ``QuestionKind`` of each example and ``shape`` (n, shapes) the result
        of ``_count_shapes``. In training, the sequences of variants follow those of the n examples,
        and ``varied`` has the row of each variant's example; a batch without variants lacks it.
        """
        count = len(columns["asks"].values)
        shows_context = np.full(count, self.settings.context)
        if rng is not None and self.settings.context:
            shows_context = rng.random(count) >= self.settings.alone
        sequences = [(row, Tokens.from_columns(columns, "own", row)) for row in range(count)]
        variants: list[tuple[int, Tokens]] = []
        if rng is not None and (self.settings.contrast or self.settings.agree):
            variants = list(self._iter_variants(columns, sequences, rng))
        batch = self._join_sequences(columns, [*sequences, *variants], shows_context)
        if variants:
            batch["varied"] = torch.tensor([row for row, _ in variants])
        batch["asks"] = torch.from_numpy(columns["asks"].values.astype(np.int64))
        batch["shape"] = torch.from_numpy(self._count_shapes(columns["shape"]))
        self._add_answers(columns, batch)
        return batch

    def _iter_variants(
        self,
        columns: Mapping[str, Ragged],
        sequences: Sequence[tuple[int, Tokens]],
        rng: np.random.Generator,
    ) -> Iterator[tuple[int, Tokens]]:
        """Yield the row and a variant of methods to be named, in the order of the rows.

        The variant is the certified one, or for a share ``renamed`` of the methods without one, the
        method itself with renamed variables. A method that has neither is left out.
        """
        has_variant = np.diff(columns["variant_parts"].offsets) > 0
        share = self.settings.renamed
        # With a share of 0, no random numbers are used, so a training that was interrupted before
        # this setting existed resumes with the same sequence.
        keys = rng.random(len(has_variant)) if share else np.ones(len(has_variant))
        is_chosen = (columns["asks"].values == QuestionKind.NAME) & (keys < share)
        for row, own in sequences:
            if has_variant[row]:
                yield row, Tokens.from_columns(columns, "variant", row)
            elif is_chosen[row]:
                renamed_tokens = rename_variables(
                    own, self._fresh_names, self.settings.length - 2, rng
                )
                if renamed_tokens is not None:
                    yield row, renamed_tokens

    @cached_property
    def _fresh_names(self) -> FreshNames:
        """Names that renamed variables get: var0, var1, ..., as in the rename transformation."""
        names = [f"var{number}" for number in range(_MOST_RENAMED)]
        parts = [_flatten(self.split_words(split_token(name, False))) for name in names]
        roles = self.vocabularies["roles"]
        # A role that the training split lacks gets -1, which no token has.
        declared, used = (
            int(roles.encode_words([role])[0]) if role in roles else -1 for role in (DECLARED, USED)
        )
        member_roles = roles.encode_words(
            [role for role in roles.words if role.startswith(MEMBER_PREFIX)]
        )
        ((bracket,),) = self.split_words(["("])
        marks = np.array([hash_name(name) for name in names], np.int32)
        return FreshNames(parts, marks, declared, used, member_roles, bracket)

    def _add_answers(self, columns: Mapping[str, Ragged], batch: Batch) -> None:
        """Add the tensors of the targets, if the columns have any, and of the candidates.

        ``candidates`` (n, c, parts) has the parts of each candidate, ``candidate_size`` (n, c)
        their number, 0 at padding. ``class`` is an index of ``CLASSES``, ``named`` the hash of a
        name and ``chosen`` the index of a candidate; -1 means that the example has no such target.
        """
        if "class" in columns:
            for name in ("class", "named", "chosen"):
                values = np.full(len(batch["asks"]), -1, np.int64)
                has_value = np.diff(columns[name].offsets) > 0
                values[has_value] = columns[name].values
                batch[name] = torch.from_numpy(values)
            target = columns["target"]
            batch["target"] = torch.from_numpy(pad_lists(target.values, target.offsets))
            batch["target_size"] = torch.from_numpy(np.diff(target.offsets))
        sizes, parts = columns["candidate_sizes"], columns["candidate_parts"]
        if not self.settings.context:
            no_offsets = np.zeros_like(sizes.offsets)
            sizes, parts = (
                Ragged(sizes.values[:0], no_offsets),
                Ragged(parts.values[:0], no_offsets),
            )
            if "chosen" in batch:
                batch["chosen"].fill_(-1)
        rows = pad_lists(parts.values, np.concatenate([[0], np.cumsum(sizes.values)]), 8)
        candidate_counts = np.diff(sizes.offsets)
        candidates = np.zeros(
            (len(candidate_counts), int(candidate_counts.max(initial=0)), rows.shape[1]), np.int64
        )
        is_candidate = np.arange(candidates.shape[1]) < candidate_counts[:, None]
        if len(sizes.values):
            candidates[is_candidate] = rows
        size = np.zeros(candidates.shape[:2], np.int64)
        size[is_candidate] = sizes.values
        batch["candidates"], batch["candidate_size"] = map(torch.from_numpy, (candidates, size))

    def _count_shapes(self, column: Ragged) -> NDArray[np.float32]:
        """Return log(1 + count) of each shape word in each example, (n, shapes)."""
        counts = np.zeros((len(column.offsets) - 1, len(self.vocabularies["shapes"])), np.float32)
        rows = np.repeat(np.arange(len(counts)), np.diff(column.offsets))
        np.add.at(counts, (rows, column.values), 1.0)
        return np.log1p(counts)

    def _join_sequences(
        self,
        columns: Mapping[str, Ragged],
        sequences: Sequence[tuple[int, Tokens]],
        shows_context: NDArray[np.bool_],
    ) -> Batch:
        """Return padded tensors (sequences, l) of the parts and of the columns of their tokens.

        ``sequences`` pairs the row of an example with the tokens of its method or of a variant. A
        sequence is <s>, these tokens' parts, </s>, and the parts of the example's context if
        ``shows_context`` is True for the row.

        ``first`` is 1 at the first part of each token, at <s> and at </s>, ``segment`` is 0 at <s>,
        1 in the method, 2 at </s> and 3 in the context, and ``place`` is the position that the
        network embeds. Columns of ``PER_TOKEN`` repeat a token's value for each of its parts.
        ``sizes`` (sequences) has the lengths.
        """
        special = self.subwords
        names = ("parts", "first", "segment", "place", *PER_TOKEN)
        unordered = (columns["asks"].values == QuestionKind.NAME) & self.settings.unordered
        flat_columns: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        lengths = np.zeros(len(sequences), np.int64)
        for index, (row, own) in enumerate(sequences):
            around = Tokens.from_columns(columns, "around", row)
            if not shows_context[row]:
                around = around.take_none()
            sizes = len(own.parts), len(around.parts)
            lengths[index] = sum(sizes) + 2
            flat_columns["parts"] += (
                _make_array(special.begin),
                own.parts,
                _make_array(special.end),
                around.parts,
            )
            flat_columns["first"] += (
                _make_array(1),
                own.mark_starts(),
                _make_array(1),
                around.mark_starts(),
            )
            flat_columns["segment"].append(np.repeat(np.arange(4), (1, sizes[0], 1, sizes[1])))
            if unordered[row]:
                # Positions of </s> and the context do not depend on the method's length.
                context_positions = self.settings.length - 1 + np.arange(1 + sizes[1])
                flat_columns["place"] += (
                    _make_array(0),
                    1 + own.number_in_statement(),
                    context_positions,
                )
            else:
                flat_columns["place"].append(np.arange(lengths[index]))
            for name in PER_TOKEN:
                own_values, context_values = (
                    np.repeat(tokens.columns[name], tokens.sizes) for tokens in (own, around)
                )
                flat_columns[name] += (_make_array(0), own_values, _make_array(0), context_values)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        batch: Batch = {"sizes": torch.from_numpy(lengths)}
        for name, lists in flat_columns.items():
            flat = np.concatenate(lists).astype(np.int32)
            padded = pad_lists(flat, offsets)
            # Attention with a bias is fast only if the length is a multiple of eight.
            batch[name] = torch.from_numpy(np.pad(padded, ((0, 0), (0, -padded.shape[1] % 8))))
        return batch

    # ---------------------------------------------------------------- the network

    def build_network(self) -> Network:
        from codeacumen.models.neural.networks.codeacumen_base_layers import BaseNetwork

        return BaseNetwork(self)

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        """Return the answer of a prediction.

        A negative number stands for the class ``-1 - number``. Other predictions are the numbers of
        a name's parts; an empty one answers a question about null and means that no value may be
        null.
        """
        if predicted and predicted[0] < 0:
            return CLASSES[-1 - predicted[0]][1]
        if not predicted:
            return NO_WARNING
        return self.labels.decode_answer(predicted)


def _make_array(number: int) -> NDArray[np.int32]:
    return np.array([number], np.int32)


def _flatten(lists: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    return np.array([number for numbers in lists for number in numbers], np.int32)


def _choose_window(borders: NDArray[np.int64], centre: int, max_parts: int) -> tuple[int, int]:
    """Return the half-open range of tokens whose parts fit: the first, or those around ``centre``.

    ``borders`` has the offset of each token's first part, and the total; ``centre`` is the index of
    a token. The range starts at the first token if that range includes ``centre``.
    """
    last = int(np.searchsorted(borders, borders[0] + max_parts, side="right")) - 1
    if centre < last or last >= len(borders) - 1:
        return 0, max(0, last)
    start = int(np.searchsorted(borders, borders[centre] - max_parts // 2))
    last = int(np.searchsorted(borders, borders[start] + max_parts, side="right")) - 1
    return start, max(start, last)
