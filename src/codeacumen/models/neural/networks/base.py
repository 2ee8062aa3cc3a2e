"""codeacumen-base: one encoder for all tasks, which sees tokens, their structure and what is
around.

    x = <s>, the method's parts, </s>, its surroundings       parts of names, in a BPE
    each part: embedding of the part + place + role in the tree + depth + what is known of null
    attention of part i to part j: + w[same name] + w[same statement] + w[inside it]

    npath, operators   softmax over the classes, of the state at <s> or at what is masked
    null token         a pointer to one of the method's names, or to <s> for none
    names, calls       a decoder that says part after part, or copies it from what it sees;
                       a call may also be one of the methods that the receiver has

The first part of a training is pre-training: it guesses masked parts, and tells a method's
certified variant from those of others. Then it is taught all tasks at once, and to give a method
and its variant the same name. What each part is worth: docs/models/codeacumen-base.md.
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
from codeacumen.models.neural.inputs.base import (
    DECLARED,
    MEANT,
    PER_TOKEN,
    WITHIN,
    Asks,
    Fresh,
    Tokens,
    all_words,
    features,
    mark,
    renamed,
    words_of,
)
from codeacumen.models.neural.inputs.base_nulls import SUSPECT
from codeacumen.models.neural.inputs.subwords import METHOD_NAME, InSubwords, Subwords
from codeacumen.models.neural.training.batches import filled
from codeacumen.text.columns import Ragged

# The classes of the two tasks that have some, by their numbers.
CLASSES = (*((Asks.NPATH, one) for one in BINS), *((Asks.OPERATOR, one) for one in OPERATORS))
_CLASS = {(int(kind), label): number for number, (kind, label) in enumerate(CLASSES)}
# So many variables of a method can be renamed while it learns.
_MOST_RENAMED = 32


@dataclass(frozen=True, slots=True)
class Settings:
    """``length`` and ``around``: parts that are read of a method and of its surroundings, of which
    none are with 0. ``structure``: whether roles, depths and relations are seen; ``context``:
    whether the surroundings and what is known of callees are. ``alone``: how often a method is
    shown without its surroundings while it learns. ``pretrain``: which share of all steps is
    pre-training, in which ``masked`` of the parts are guessed and to know a variant counts
    ``contrast``; ``agree``: how much it counts afterwards to name it alike. ``renamed``: of the
    methods without a variant that are to be named, how many get one, with other names for their
    variables, each time that they are shown. ``unordered``: of a method that is to be named the
    order within each statement is seen, and not that of the statements."""

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
    name = "codeacumen-base"
    looks = True
    joint = "asks"
    after_reading = frozenset(
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
    Settings = Settings
    subwords: Subwords

    def make_labels(self) -> Labels:
        return InSubwords(self.settings.longest)

    # ---------------------------------------------------------------- words

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return features(asked, context)

    def read_text(self, text: str) -> Features | None:
        return features(Method("", text), None)

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        masked = (MASK, METHOD_NAME)
        yield "parts", [word for word in all_words(features) if word not in masked]
        yield "roles", [*features["own_role"], *features["around_role"]]
        yield "shapes", features["shape"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self._take(Subwords.learned(counts.get("parts", {}), self.settings.vocabulary))
        # In a role of which there are few, little can be learned; their number varies with Java.
        self.vocabularies["roles"] = Vocabulary.counted(counts.get("roles", {}), 1000)
        self.vocabularies["shapes"] = Vocabulary.counted(counts.get("shapes", {}), 400)
        self.vocabularies[LABELS] = Vocabulary(SPECIALS)

    def _take(self, subwords: Subwords) -> None:
        self.subwords = subwords
        self.labels.subwords = subwords  # type: ignore[attr-defined]

    def save_vocabularies(self, folder: Path) -> None:
        super().save_vocabularies(folder)
        self.subwords.save(folder)

    def load_vocabularies(self, folder: Path) -> None:
        super().load_vocabularies(folder)
        self._take(Subwords.load(folder))

    # ---------------------------------------------------------------- numbers

    @cached_property
    def _parts(self) -> dict[str, list[int]]:
        """The parts of words that were met already: a BPE is slow, words repeat."""
        return {MASK: [self.subwords.mask], METHOD_NAME: [self.subwords.name]}

    def parts(self, words: Iterable[str]) -> list[list[int]]:
        known = self._parts
        found = []
        for word in words:
            if word not in known:
                if len(known) > 1 << 20:
                    known.clear()
                    known.update({MASK: [self.subwords.mask], METHOD_NAME: [self.subwords.name]})
                known[word] = self.subwords.numbers(word)
            found.append(known[word])
        return found

    def encode(self, features: Features) -> Encoded:
        columns: Mapping[str, Any] = features
        made: Encoded = {}
        for start, room in (
            ("own", self.settings.length - 2),
            ("around", self.settings.around),
            ("variant", self.settings.length - 2),
        ):
            made.update(self._stretch(columns, start, room))
        made["shape"] = self.vocabularies["shapes"].numbers(columns["shape"])
        made["asks"] = np.array(columns["asks"], np.int32)
        spelt = [
            [p for part in self.parts(words_of(name, False)) for p in part][:8]
            for name in columns["candidates"]
        ]
        made["candidate_sizes"] = np.array([len(one) for one in spelt], np.int32)
        made["candidate_parts"] = _flat(spelt)
        return made

    def _stretch(self, columns: Mapping[str, Any], start: str, room: int) -> Encoded:
        """The first tokens that there is room for, or those around what is masked, or around where
        null may be, if that is asked for."""
        words, sizes = columns[f"{start}_words"], columns[f"{start}_sizes"]
        spelt = self.parts(words)
        lengths = np.fromiter(map(len, spelt), np.int64, len(spelt))
        ends = np.cumsum(np.asarray(sizes, np.int64))
        total = np.concatenate([[0], np.cumsum(lengths)])
        borders = total[np.concatenate([[0], ends])]
        asked = self._asked(words, ends)
        if start == "own" and columns["asks"] == [Asks.NULL]:
            asked = next((at for at, one in enumerate(columns["own_flag"]) if one in SUSPECT), 0)
        first, last = _window(borders, asked, room)
        within = slice(int(borders[first]), int(borders[last]))
        flat = _flat(spelt)[within]
        made: Encoded = {
            f"{start}_parts": flat,
            f"{start}_sizes": np.diff(borders[first : last + 1]).astype(np.int32),
        }
        for name in PER_TOKEN:
            values = columns[f"{start}_{name}"][first:last]
            if name == "role":
                made[f"{start}_role"] = self.vocabularies["roles"].numbers(values)
            elif start != "around" or name in ("name", "flag"):
                made[f"{start}_{name}"] = np.asarray(values, np.int32)
        return made

    @staticmethod
    def _asked(words: Sequence[str], ends: NDArray[np.int64]) -> int:
        """The token that is masked, 0 for none."""
        if MASK not in words:
            return 0
        return int(np.searchsorted(ends, words.index(MASK), side="right"))

    def target(self, label: str, features: Features) -> Encoded | None:
        nothing = np.zeros(0, np.int32)
        made: Encoded = {"class": nothing, "target": nothing, "named": nothing, "chosen": nothing}
        (asks,) = features["asks"]
        if (asks, label) in _CLASS:
            return {**made, "class": np.array([_CLASS[int(asks), label]], np.int32)}
        if asks == Asks.NULL:
            number = 0 if label == NO_WARNING else mark(label)
            if number and number not in features["own_name"]:
                return None
            return {**made, "named": np.array([number], np.int32)}
        spoken = [p for part in self.parts(words_of(label, False)) for p in part]
        if not spoken or asks not in (Asks.NAME, Asks.CALL):
            return None
        made["target"] = np.array([*spoken[: self.settings.longest], self.subwords.end], np.int32)
        if label in features["candidates"]:
            place = features["candidates"].index(label)
            made["chosen"] = np.array([place], np.int32)
        return made

    # ---------------------------------------------------------------- tensors

    def length(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        own, around = (np.diff(columns[f"{one}_parts"].offsets) for one in ("own", "around"))
        return np.asarray(own + around, np.int64)

    def times(self, tasks: NDArray[np.int32]) -> NDArray[np.int64]:
        """Few examples are shown oftener, by the root of how few they are: at most eight times."""
        many = np.bincount(tasks, minlength=len(Asks))
        often = np.sqrt(many.max() / np.maximum(1, many)).round()
        return np.clip(often, 1, 8).astype(np.int64)[tasks]

    def collate(
        self, columns: Mapping[str, Ragged], draw: np.random.Generator | None = None
    ) -> Batch:
        count = len(columns["asks"].values)
        shown = np.full(count, self.settings.context)
        if draw is not None and self.settings.context:
            shown = draw.random(count) >= self.settings.alone
        sequences = [(row, Tokens.of(columns, "own", row)) for row in range(count)]
        varied: list[tuple[int, Tokens]] = []
        if draw is not None and (self.settings.contrast or self.settings.agree):
            varied = list(self._variants(columns, sequences, draw))
        batch = self._sequences(columns, [*sequences, *varied], shown)
        if varied:
            batch["varied"] = torch.tensor([row for row, _ in varied])
        batch["asks"] = torch.from_numpy(columns["asks"].values.astype(np.int64))
        batch["shape"] = torch.from_numpy(self._shapes(columns["shape"]))
        self._answers(columns, batch)
        return batch

    def _variants(
        self,
        columns: Mapping[str, Ragged],
        sequences: Sequence[tuple[int, Tokens]],
        draw: np.random.Generator,
    ) -> Iterator[tuple[int, Tokens]]:
        """Of each method to be named its certified variant; of some that have none one whose
        variables have other names."""
        there = np.diff(columns["variant_parts"].offsets) > 0
        share = self.settings.renamed
        # Where nothing is to be renamed nothing is drawn: trainings that were begun so go on.
        lots = draw.random(len(there)) if share else np.ones(len(there))
        chosen = (columns["asks"].values == Asks.NAME) & (lots < share)
        for row, own in sequences:
            if there[row]:
                yield row, Tokens.of(columns, "variant", row)
            elif chosen[row]:
                made = renamed(own, self._fresh, self.settings.length - 2, draw)
                if made is not None:
                    yield row, made

    @cached_property
    def _fresh(self) -> Fresh:
        """The names that the transformation gives."""
        names = [f"var{number}" for number in range(_MOST_RENAMED)]
        spelt = [_flat(self.parts(words_of(name, False))) for name in names]
        roles = self.vocabularies["roles"]
        # A role that training has not is no number that any token has.
        declared, meant = (
            int(roles.numbers([one])[0]) if one in roles else -1 for one in (DECLARED, MEANT)
        )
        within = roles.numbers([one for one in roles.words if one.startswith(WITHIN)])
        ((bracket,),) = self.parts(["("])
        marks = np.array([mark(name) for name in names], np.int32)
        return Fresh(spelt, marks, declared, meant, within, bracket)

    def _answers(self, columns: Mapping[str, Ragged], batch: Batch) -> None:
        if "class" in columns:
            for name in ("class", "named", "chosen"):
                values = np.full(len(batch["asks"]), -1, np.int64)
                there = np.diff(columns[name].offsets) > 0
                values[there] = columns[name].values
                batch[name] = torch.from_numpy(values)
            target = columns["target"]
            batch["target"] = torch.from_numpy(filled(target.values, target.offsets))
            batch["target_size"] = torch.from_numpy(np.diff(target.offsets))
        sizes, parts = columns["candidate_sizes"], columns["candidate_parts"]
        if not self.settings.context:
            nothing = np.zeros_like(sizes.offsets)
            sizes, parts = Ragged(sizes.values[:0], nothing), Ragged(parts.values[:0], nothing)
            if "chosen" in batch:
                batch["chosen"].fill_(-1)
        rows = filled(parts.values, np.concatenate([[0], np.cumsum(sizes.values)]), 8)
        many = np.diff(sizes.offsets)
        wide = np.zeros((len(many), int(many.max(initial=0)), rows.shape[1]), np.int64)
        inside = np.arange(wide.shape[1]) < many[:, None]
        if len(sizes.values):
            wide[inside] = rows
        size = np.zeros(wide.shape[:2], np.int64)
        size[inside] = sizes.values
        batch["candidates"], batch["candidate_size"] = map(torch.from_numpy, (wide, size))

    def _shapes(self, column: Ragged) -> NDArray[np.float32]:
        """How often there is each part of a shape, (n, shapes), as logarithms."""
        made = np.zeros((len(column.offsets) - 1, len(self.vocabularies["shapes"])), np.float32)
        rows = np.repeat(np.arange(len(made)), np.diff(column.offsets))
        np.add.at(made, (rows, column.values), 1.0)
        return np.log1p(made)

    def _sequences(
        self,
        columns: Mapping[str, Ragged],
        sequences: Sequence[tuple[int, Tokens]],
        shown: NDArray[np.bool_],
    ) -> Batch:
        """<s>, the parts of a method or variant, </s>, its surroundings' where they are shown; for
        each part what its token is."""
        special = self.subwords
        names = ("parts", "first", "segment", "place", *PER_TOKEN)
        unordered = (columns["asks"].values == Asks.NAME) & self.settings.unordered
        held: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        lengths = np.zeros(len(sequences), np.int64)
        for at, (row, own) in enumerate(sequences):
            around = Tokens.of(columns, "around", row)
            if not shown[row]:
                around = around.nothing()
            sizes = len(own.parts), len(around.parts)
            lengths[at] = sum(sizes) + 2
            held["parts"] += (_one(special.begin), own.parts, _one(special.end), around.parts)
            held["first"] += (_one(1), own.first(), _one(1), around.first())
            held["segment"].append(np.repeat(np.arange(4), (1, sizes[0], 1, sizes[1])))
            if unordered[row]:
                # The same for the surroundings and </s>, however long the method is.
                behind = self.settings.length - 1 + np.arange(1 + sizes[1])
                held["place"] += (_one(0), 1 + own.within(), behind)
            else:
                held["place"].append(np.arange(lengths[at]))
            for name in PER_TOKEN:
                mine, other = (np.repeat(one.columns[name], one.sizes) for one in (own, around))
                held[name] += (_one(0), mine, _one(0), other)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        batch: Batch = {"sizes": torch.from_numpy(lengths)}
        for name, lists in held.items():
            flat = np.concatenate(lists).astype(np.int32)
            made = filled(flat, offsets)
            # Attention with a bias is fast for widths of whole eights alone.
            batch[name] = torch.from_numpy(np.pad(made, ((0, 0), (0, -made.shape[1] % 8))))
        return batch

    # ---------------------------------------------------------------- the network

    def network(self) -> Network:
        from codeacumen.models.neural.networks.base_network import BaseNetwork

        return BaseNetwork(self)

    def answer(self, predicted: Sequence[int]) -> str | None:
        """Parts of a name; or the number of a class, told by its sign."""
        if predicted and predicted[0] < 0:
            return CLASSES[-1 - predicted[0]][1]
        if not predicted:
            return NO_WARNING
        return self.labels.answer(predicted)


def _one(number: int) -> NDArray[np.int32]:
    return np.array([number], np.int32)


def _flat(lists: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    return np.array([one for some in lists for one in some], np.int32)


def _window(borders: NDArray[np.int64], asked: int, room: int) -> tuple[int, int]:
    """The tokens, from one to before another, that have room: the first ones, or around one."""
    last = int(np.searchsorted(borders, borders[0] + room, side="right")) - 1
    if asked < last or last >= len(borders) - 1:
        return 0, max(0, last)
    start = int(np.searchsorted(borders, borders[asked] - room // 2))
    last = int(np.searchsorted(borders, borders[start] + room, side="right")) - 1
    return start, max(start, last)
