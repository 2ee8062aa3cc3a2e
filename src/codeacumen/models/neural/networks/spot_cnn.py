"""Spot (Liu et al., ICSE 2019): methods that do alike are named alike. Its own vectors.

E = words(node, word, node, word, ...)     (n, L, 300), zeros behind; skip-gram's vectors, fixed
C = pool₂(ReLU(conv₂(E)))                  20 maps
D = pool₂(ReLU(conv₂(C)))                  50 maps
h = ReLU(W · D)                            (n, 300), the vector of a method
loss = mean |U h - E|                      what was read is to be said again

After teaching, the vectors of all methods it was taught are remembered with their names. A method
is called as the nearest of them are; a name is consistent where the methods with the nearest bodies
and those with the nearest names begin alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.api import CodeacumenError, CodeContext, Input
from codeacumen.models.method_naming.spot import FARTHER, NAMED_BY, RANKS, fitness
from codeacumen.models.neural.architecture import (
    LABELS,
    SPECIALS,
    UNKNOWN,
    Architecture,
    Batch,
    Encoded,
    Features,
    Labels,
    Network,
    OneLabel,
    Vocabulary,
)
from codeacumen.models.neural.inputs.spot import pairs
from codeacumen.models.neural.inputs.tokens import text_of
from codeacumen.models.neural.networks.layers import mask_of
from codeacumen.models.neural.networks.spot_vectors import (
    Learning,
    found_names,
    in_scale,
    name_word_vectors,
    word_vectors,
)
from codeacumen.models.neural.training.batches import by_length
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.models.neural.training.settings import Training
from codeacumen.search.vectors import nearest_cosines, unit_rows
from codeacumen.text.subtokens import spot_words

# Less than this leaves nothing after two convolutions and two pools.
_SHORTEST = 8
_VECTORS = "words.pt"
OUTPUTS = ("linear", "softmax")


@dataclass(frozen=True, slots=True)
class Settings:
    """``vocabulary`` and ``least``: words known, and how often training must have them.
    ``longest``: so many are read at most. ``cut``: methods that are longer than nearly all are cut;
    the published ones are not learned from. ``size``: dimensions of words; ``window``, ``rate`` and
    ``epochs``: how they are learned; ``name_...``: how names are. ``feature``: dimensions of a
    method. ``output``: ``softmax`` is the published one, which cannot come near what was read.
    ``k``: neighbours by which a name is judged. ``rank``: how names are ranked."""

    vocabulary: int = 200_000
    least: int = 1
    longest: int = 600
    cut: bool = False
    size: int = 300
    window: int = 4
    rate: float = 0.01
    epochs: int = 1
    name_size: int = 300
    name_rate: float = 0.025
    name_epochs: int = 5
    maps: int = 20
    second_maps: int = 50
    feature: int = 300
    output: str = "linear"
    k: int = 20
    rank: str = "r2"

    def __post_init__(self) -> None:
        for key, known in (("output", OUTPUTS), ("rank", tuple(RANKS))):
            if getattr(self, key) not in known:
                raise CodeacumenError(
                    f"spot-cnn cannot have {key}={getattr(self, key)!r}",
                    f"choose of {', '.join(known)}",
                )


def whisker(sizes: Mapping[int, int]) -> int:
    """The upper whisker of a box plot, as an even number: what is longer is an outlier.

    >>> whisker({10: 2, 20: 2, 1000: 1})
    36
    """
    all_ = np.repeat(list(sizes), list(sizes.values()))
    low, high = np.percentile(all_, (25, 75))
    end = int(high + 1.5 * (high - low))
    return max(_SHORTEST, end + end % 2)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the labels. Those of the same words are one: ``meant`` has the position in
    ``words`` for each label."""

    words: tuple[tuple[str, ...], ...]
    meant: NDArray[np.int64]

    @staticmethod
    def of(labels: Sequence[str]) -> Names:
        positions: dict[tuple[str, ...], int] = {}
        meant = [positions.setdefault(spot_words(label), len(positions)) for label in labels]
        return Names(tuple(positions), np.array(meant, np.int64))


def firsts(
    near: Sequence[int], own: tuple[str, ...], names: Names, counts: Sequence[int], most: int
) -> list[str]:
    """The first words of the ``most`` methods that have the nearest names, without those of the
    ``own`` name; ``counts`` has the number of methods of each name."""
    first_words: list[str] = []
    for name in near:
        words = names.words[name]
        if words != own and words and len(first_words) < most:
            first_words += [words[0]] * min(counts[name], most - len(first_words))
    return first_words


class SpotCNN(Architecture):
    """``tokens`` are the pairs, one after the other. Names are labels, all that were seen."""

    name = "spot-cnn"
    serves = ("gluecode/naming", "names", "renames")
    judges = True
    Settings = Settings
    # What the network's words begin with: set before it is taught.
    vectors: Tensor | None = None

    def make_labels(self) -> Labels:
        return OneLabel()

    # ---------------------------------------------------------------- reading

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self.read_text(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        found = pairs(text)
        return {"tokens": found[: self.settings.longest], "size": [len(found)]} if found else None

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "tokens", features["tokens"]  # type: ignore[misc]
        yield "sizes", map(str, features["size"])

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        wanted = self.settings
        self.vocabularies["tokens"] = Vocabulary.counted(
            counts.get("tokens", {}), wanted.vocabulary, least=wanted.least
        )
        sizes = {int(one): many for one, many in counts.get("sizes", {}).items()}
        length = min(whisker(sizes) if sizes else _SHORTEST, max(_SHORTEST, wanted.longest))
        # Not a word, but known where vocabularies are: how long what the network reads is.
        self.vocabularies["length"] = Vocabulary([str(length)])
        of_names: Counter[str] = Counter()
        for name, many in counts[LABELS].items():
            for word in spot_words(name):
                of_names[word] += many
        self.vocabularies["names"] = Vocabulary.counted(of_names)
        self.learn_labels(counts)

    @property
    def width(self) -> int:
        return int(self.vocabularies["length"].words[0])

    def encode(self, features: Features) -> Encoded:
        words: Any = features["tokens"][: self.width]
        return {"tokens": self.vocabularies["tokens"].numbers(words)}

    def target(self, label: str, features: Features) -> Encoded | None:
        """None for a method that is longer than nearly all, too."""
        if not self.settings.cut and int(features["size"][0]) > self.width:
            return None
        return super().target(label, features)

    def network(self) -> Network:
        made = SpotNetwork(
            self.settings,
            len(self.vocabularies["tokens"]),
            self.width,
            len(self.vocabularies["names"]),
        )
        if self.vectors is not None:
            made.words.copy_(self.vectors)
        return made

    # ---------------------------------------------------------------- before and after teaching

    def before_teaching(
        self, train: EncodedFile, training: Training, folder: Path, device: str
    ) -> None:
        """Vectors of words, learned from what the network will be taught. They are kept: another
        try has the same."""
        kept = folder / _VECTORS
        if not kept.is_file():
            wanted = self.settings
            sizes = np.diff(train.sizes()["tokens"].offsets)
            text = np.repeat(np.arange(len(train), dtype=np.int32), sizes)
            how = Learning(wanted.size, wanted.rate, wanted.epochs, seed=training.seed)
            many = len(self.vocabularies["tokens"])
            words = train.values("tokens")
            made = word_vectors(words, text, many, wanted.window, how, device)
            if wanted.output == "linear":
                # Skip-gram's values are small: who says nothing is near them all, and a network
                # that is taught to come near falls silent, in all its features.
                made = in_scale(made, words)
            folder.mkdir(parents=True, exist_ok=True)
            part = kept.with_name(f"{_VECTORS}.part")
            torch.save(made, part)
            part.replace(kept)
        self.vectors = torch.load(kept, weights_only=True)

    def after_teaching(
        self, network: Any, train: EncodedFile, training: Training, device: str
    ) -> None:
        """Every method it was taught is remembered, with its name."""
        network.to(device).eval()
        labels = train.values("label").astype(np.int64)
        features = torch.zeros(len(train), self.settings.feature, dtype=torch.float16)
        with torch.inference_mode():
            for rows in by_length(self.length(train.sizes()), training.batch):
                tensors = self.collate(train.take(rows))
                batch = {name: one.to(device) for name, one in tensors.items()}
                features[torch.from_numpy(rows)] = unit_rows(network.vector(batch)).half().cpu()
        how = Learning(
            self.settings.name_size,
            self.settings.name_rate,
            self.settings.name_epochs,
            seed=training.seed,
        )
        table = self._in_numbers(self.names.words)
        words, drawn = name_word_vectors(
            self.names.meant[labels], table, len(self.vocabularies["names"]), how, device
        )
        network.remember(features, torch.from_numpy(labels), words, torch.from_numpy(drawn))
        network.name_vectors = self._found(network, table).half()

    # ---------------------------------------------------------------- judging

    @cached_property
    def names(self) -> Names:
        return Names.of(self.labels.vocabulary.words)

    def _in_numbers(self, names: Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
        """A row of the numbers of each one's known words, zeros behind."""
        vocabulary = self.vocabularies["names"]
        known = [[vocabulary.number(one) for one in name if one in vocabulary] for name in names]
        made = np.zeros((len(known), max(1, *map(len, known), 1)), np.int64)
        for row, numbers in zip(made, known, strict=True):
            row[: len(numbers)] = numbers
        return made

    def _found(self, network: Any, table: NDArray[np.int64]) -> Tensor:
        device = network.name_words.device
        words = torch.from_numpy(table).to(device)
        return found_names(words, network.name_words, network.drawn)

    def judge(
        self, network: Any, vectors: Sequence[Sequence[float] | None], names: Sequence[str]
    ) -> list[float | None]:
        asked = [place for place, one in enumerate(vectors) if one is not None]
        found: list[float | None] = [None] * len(vectors)
        for start in range(0, len(asked), 256):
            some = asked[start : start + 256]
            rows = torch.tensor([vectors[one] for one in some], device=network.features.device)
            with torch.inference_mode():
                fits = self._fits(
                    network, unit_rows(rows), [spot_words(names[one]) for one in some]
                )
            for place, fit in zip(some, fits, strict=True):
                found[place] = fit
        return found

    def _fits(
        self, network: Any, bodies: Tensor, names: Sequence[tuple[str, ...]]
    ) -> list[float | None]:
        """None where a body is like no other, or no word of a name is known."""
        k, known = self.settings.k, self.names
        most = k * FARTHER
        labels = network.labels.cpu().numpy()
        meant = known.meant[labels]
        counts = np.bincount(meant, minlength=len(known.words)).tolist()
        vectors = self._found(network, self._in_numbers(names))
        by_body, _ = nearest_cosines(bodies, network.features, most)
        # Some more: the name itself may be among them, and labels that are no names.
        by_name, _ = nearest_cosines(vectors, network.name_vectors, most + 1 + len(SPECIALS))
        known_at_all = (bodies.any(1) & vectors.any(1)).tolist()
        found: list[float | None] = []
        for places, near, own, is_known in zip(
            by_body.tolist(), by_name.tolist(), names, known_at_all, strict=True
        ):
            if not is_known:
                found.append(None)
                continue
            right = [known.words[meant[one]][:1] for one in places]
            left = firsts(near, own, known, counts, most)
            found.append(fitness(left, [one[0] for one in right if one], k))
        return found


# ---------------------------------------------------------------- the network


class SpotNetwork(nn.Module, Network):
    """``words`` are fixed. What is remembered is buffers too, as many as there were methods."""

    _REMEMBERED = ("features", "labels", "name_vectors", "drawn")

    def __init__(self, settings: Settings, words: int, length: int, names: int) -> None:
        super().__init__()
        self.settings, self.length = settings, length
        self.first = nn.Conv1d(settings.size, settings.maps, 2)
        self.second = nn.Conv1d(settings.maps, settings.second_maps, 2)
        left = ((length - 1) // 2 - 1) // 2
        self.dense = nn.Linear(settings.second_maps * left, settings.feature)
        self.out = nn.Linear(settings.feature, length * settings.size)
        for layer in (self.first, self.second, self.dense, self.out):
            nn.init.xavier_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.words: Tensor
        self.features: Tensor
        self.labels: Tensor
        self.name_words: Tensor
        self.name_vectors: Tensor
        self.drawn: Tensor
        size = settings.name_size
        self.register_buffer("words", torch.zeros(words, settings.size))
        self.register_buffer("features", torch.zeros(0, settings.feature, dtype=torch.float16))
        self.register_buffer("labels", torch.zeros(0, dtype=torch.int64))
        self.register_buffer("name_words", torch.zeros(names, size))
        self.register_buffer("name_vectors", torch.zeros(0, size, dtype=torch.float16))
        self.register_buffer("drawn", torch.zeros(0, dtype=torch.int64))

    def remember(self, features: Tensor, labels: Tensor, words: Tensor, drawn: Tensor) -> None:
        device = self.words.device
        self.features, self.labels = features.to(device), labels.to(device)
        self.name_words, self.drawn = words.to(device), drawn.to(device)

    def _load_from_state_dict(self, state: Any, prefix: str, *others: Any) -> None:
        """How much is remembered is known by what was saved."""
        for name in self._REMEMBERED:
            saved = state.get(prefix + name)
            if saved is not None:
                setattr(self, name, getattr(self, name).new_zeros(saved.shape))
        super()._load_from_state_dict(state, prefix, *others)

    # ---------------------------------------------------------------- the layers

    def embedded(self, batch: Batch) -> Tensor:
        """(n, L, size), zeros behind what there is."""
        tokens = batch["tokens"][:, : self.length]
        rows = self.words[tokens] * mask_of(batch["tokens_size"], tokens.shape[1])[:, :, None]
        return functional.pad(rows, (0, 0, 0, self.length - rows.shape[1]))

    def encoded(self, read: Tensor) -> Tensor:
        seen = functional.max_pool1d(self.first(read.transpose(1, 2)).relu(), 2)
        seen = functional.max_pool1d(self.second(seen).relu(), 2)
        made: Tensor = self.dense(seen.flatten(1)).relu()
        return made

    def vector(self, batch: Batch) -> Tensor:
        return self.encoded(self.embedded(batch))

    def loss(self, batch: Batch) -> Tensor:
        read = self.embedded(batch)
        said = self.out(self.encoded(read)).float()
        if self.settings.output == "softmax":
            said = said.softmax(1)
        return functional.l1_loss(said, read.flatten(1))

    def predict(self, batch: Batch) -> list[list[int]]:
        """The best name of the nearest methods; none before there is something to remember, and
        for a method in which nothing is seen."""
        if not len(self.features):
            return [[UNKNOWN]] * len(batch["tokens"])
        bodies = unit_rows(self.vector(batch))
        places, cosines = nearest_cosines(bodies, self.features, NAMED_BY)
        names, something = self.labels[places].tolist(), bodies.any(1).tolist()
        found: list[list[int]] = []
        for said, near, seen in zip(names, cosines.tolist(), something, strict=True):
            some = [(str(one), cosine) for one, cosine in zip(said, near, strict=True)]
            found.append([int(RANKS[self.settings.rank](some)[0]) if seen else UNKNOWN])
        return found
