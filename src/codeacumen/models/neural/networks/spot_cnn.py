"""Spot (Liu et al., ICSE 2019): a convolutional autoencoder of method bodies, and names' vectors.

E = words(type, word, type, word, ...)     (n, L, 300), padded with zeros; fixed skip-gram vectors
C = pool₂(ReLU(conv₂(E)))                  20 maps
D = pool₂(ReLU(conv₂(C)))                  50 maps
h = ReLU(W · D)                            (n, 300), the vector of a method
loss = mean |U h - E|                      an autoencoder reconstructs its input

After training, the network stores the vector and the name of each training method. It predicts a
name of the nearest stored bodies. A given name is consistent if its first word is common among both
the names of the nearest bodies and the nearest names. Shapes: n methods, L words of a body, that
is, the node types and words of its pairs (``inputs.spot``).
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
from codeacumen.models.method_naming.spot import FARTHER, NAMED_BY, RANKS, compute_fitness
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
    SingleLabel,
    Vocabulary,
)
from codeacumen.models.neural.inputs.spot import extract_pairs
from codeacumen.models.neural.inputs.tokens import get_text
from codeacumen.models.neural.networks.layers import make_mask
from codeacumen.models.neural.networks.spot_vectors import (
    LearningOptions,
    infer_name_vectors,
    learn_name_word_vectors,
    learn_word_vectors,
    normalise_scale,
)
from codeacumen.models.neural.training.batches import group_by_length
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.models.neural.training.settings import TrainingSettings
from codeacumen.search.vectors import find_nearest_cosines, unit_rows
from codeacumen.text.subtokens import spot_words

# The minimum even length of which two convolutions and two poolings leave a position; a body
# consists of pairs of words.
_MIN_LENGTH = 8
# File of the word vectors in the folder of the training.
_VECTORS_FILE = "words.pt"
# Values of the setting ``output``.
OUTPUTS = ("linear", "softmax")


@dataclass(frozen=True, slots=True)
class SpotCNNSettings:
    """Hyper-parameters.

    ``vocabulary`` is the maximum number of words, ``least`` the minimum count of a word, and
    ``longest`` the maximum number of words of a body. With ``cut``, bodies that are outliers in
    length are cut off; without, as published, they are left out of training. ``size``, ``window``,
    ``rate`` and ``epochs`` are those of the words' skip-gram; ``name_...`` those of the names'
    vectors. ``maps`` and ``second_maps`` are the numbers of maps of the convolutions, and
    ``feature`` is the size of a method's vector. ``output`` "softmax" is the published one, which
    cannot reconstruct its input because its values are positive and sum to 1. ``k`` is the number
    of neighbours that judge a name, and ``rank`` the paper's strategy that ranks names.
    """

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
        for key, choices in (("output", OUTPUTS), ("rank", tuple(RANKS))):
            if getattr(self, key) not in choices:
                raise CodeacumenError(
                    f"spot-cnn cannot have {key}={getattr(self, key)!r}",
                    f"choose one of {', '.join(choices)}",
                )


def compute_upper_whisker(sizes: Mapping[int, int]) -> int:
    """Return the upper whisker of a box plot of lengths, rounded up to an even number.

    ``sizes`` has the number of methods of each length. Longer methods are outliers.

    >>> compute_upper_whisker({10: 2, 20: 2, 1000: 1})
    36
    """
    lengths = np.repeat(list(sizes), list(sizes.values()))
    low, high = np.percentile(lengths, (25, 75))
    upper = int(high + 1.5 * (high - low))
    return max(_MIN_LENGTH, upper + upper % 2)


@dataclass(frozen=True, slots=True)
class LabelNames:
    """The distinct names of the labels; labels with the same words have the same name.

    ``words`` has the words of each name, ``name_of_label`` the index in ``words`` of each label's
    name.
    """

    words: tuple[tuple[str, ...], ...]
    name_of_label: NDArray[np.int64]

    @staticmethod
    def from_labels(labels: Sequence[str]) -> LabelNames:
        """Return the names of labels."""
        positions: dict[tuple[str, ...], int] = {}
        name_of_label = [
            positions.setdefault(spot_words(label), len(positions)) for label in labels
        ]
        return LabelNames(tuple(positions), np.array(name_of_label, np.int64))


def collect_first_words(
    nearest: Sequence[int],
    own: tuple[str, ...],
    names: LabelNames,
    counts: Sequence[int],
    max_methods: int,
) -> list[str]:
    """Return the first words of the names of the ``max_methods`` methods with the nearest names.

    ``nearest`` are indices of names, the nearest first, and ``counts`` has the number of methods
    of each name. Methods with the name ``own``, which is to be judged, are left out.
    """
    first_words: list[str] = []
    for name in nearest:
        words = names.words[name]
        if words != own and words and len(first_words) < max_methods:
            first_words += [words[0]] * min(counts[name], max_methods - len(first_words))
    return first_words


class SpotCNN(Architecture):
    """Features, vocabularies and stored methods of Spot.

    The feature ``tokens`` has the pairs of a body, flattened, and ``size`` their number of words
    before ``longest`` cuts them. All names of the training split are labels.
    """

    name = "spot-cnn"
    task_prefixes = ("gluecode/naming", "names", "renames")
    judges_names = True
    Settings = SpotCNNSettings
    # The network's word vectors (words, size), set by ``before_training``.
    initial_vectors: Tensor | None = None

    def make_labels(self) -> Labels:
        return SingleLabel()

    # ---------------------------------------------------------------- reading

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return self.extract_text_features(get_text(item))

    def extract_text_features(self, text: str) -> Features | None:
        tokens = extract_pairs(text)
        return (
            {"tokens": tokens[: self.settings.longest], "size": [len(tokens)]} if tokens else None
        )

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "tokens", features["tokens"]  # type: ignore[misc]
        yield "sizes", map(str, features["size"])

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        settings = self.settings
        self.vocabularies["tokens"] = Vocabulary.from_counts(
            counts.get("tokens", {}), settings.vocabulary, min_count=settings.least
        )
        sizes = {int(size): count for size, count in counts.get("sizes", {}).items()}
        length = min(
            compute_upper_whisker(sizes) if sizes else _MIN_LENGTH,
            max(_MIN_LENGTH, settings.longest),
        )
        # Not a word: the network's input length, stored with the vocabularies.
        self.vocabularies["length"] = Vocabulary([str(length)])
        name_word_counts: Counter[str] = Counter()
        for name, count in counts[LABELS].items():
            for word in spot_words(name):
                name_word_counts[word] += count
        self.vocabularies["names"] = Vocabulary.from_counts(name_word_counts)
        self.learn_labels(counts)

    @property
    def input_length(self) -> int:
        """The number of words that the network reads of a body."""
        return int(self.vocabularies["length"].words[0])

    def encode(self, features: Features) -> Encoded:
        words: Any = features["tokens"][: self.input_length]
        return {"tokens": self.vocabularies["tokens"].encode_words(words)}

    def encode_target(self, label: str, features: Features) -> Encoded | None:
        """Return the label's number; None for an unknown label and, without ``cut``, an outlier.

        An outlier is a body that is longer than ``input_length``.
        """
        if not self.settings.cut and int(features["size"][0]) > self.input_length:
            return None
        return super().encode_target(label, features)

    def build_network(self) -> Network:
        network = SpotNetwork(
            self.settings,
            len(self.vocabularies["tokens"]),
            self.input_length,
            len(self.vocabularies["names"]),
        )
        if self.initial_vectors is not None:
            network.words.copy_(self.initial_vectors)
        return network

    # ---------------------------------------------------------------- before and after training

    def before_training(
        self, train: EncodedFile, training: TrainingSettings, folder: Path, device: str
    ) -> None:
        """Train word vectors on the training split, or load those of an interrupted training."""
        vectors_file = folder / _VECTORS_FILE
        if not vectors_file.is_file():
            settings = self.settings
            sizes = np.diff(train.empty_columns()["tokens"].offsets)
            text_of_word = np.repeat(np.arange(len(train), dtype=np.int32), sizes)
            options = LearningOptions(
                settings.size, settings.rate, settings.epochs, seed=training.seed
            )
            vocabulary_size = len(self.vocabularies["tokens"])
            words = train.read_column("tokens")
            vectors = learn_word_vectors(
                words, text_of_word, vocabulary_size, settings.window, options, device
            )
            if settings.output == "linear":
                # Skip-gram's values are small, so a constant zero has a low loss, and training
                # would drive all features to zero.
                vectors = normalise_scale(vectors, words)
            folder.mkdir(parents=True, exist_ok=True)
            part_file = vectors_file.with_name(f"{_VECTORS_FILE}.part")
            torch.save(vectors, part_file)
            part_file.replace(vectors_file)
        self.initial_vectors = torch.load(vectors_file, weights_only=True)

    def after_training(
        self, network: Any, train: EncodedFile, training: TrainingSettings, device: str
    ) -> None:
        """Store the vector and the name of each training method in the network."""
        network.to(device).eval()
        labels = train.read_column("label").astype(np.int64)
        features = torch.zeros(len(train), self.settings.feature, dtype=torch.float16)
        with torch.inference_mode():
            for rows in group_by_length(
                self.compute_lengths(train.empty_columns()), training.batch
            ):
                tensors = self.collate(train.take_rows(rows))
                batch = {name: tensor.to(device) for name, tensor in tensors.items()}
                features[torch.from_numpy(rows)] = (
                    unit_rows(network.compute_vectors(batch)).half().cpu()
                )
        options = LearningOptions(
            self.settings.name_size,
            self.settings.name_rate,
            self.settings.name_epochs,
            seed=training.seed,
        )
        table = self._encode_names(self.label_names.words)
        words, negatives = learn_name_word_vectors(
            self.label_names.name_of_label[labels],
            table,
            len(self.vocabularies["names"]),
            options,
            device,
        )
        network.store_methods(
            features, torch.from_numpy(labels), words, torch.from_numpy(negatives)
        )
        network.name_vectors = self._infer_vectors(network, table).half()

    # ---------------------------------------------------------------- judging

    @cached_property
    def label_names(self) -> LabelNames:
        """The names of all labels."""
        return LabelNames.from_labels(self.labels.vocabulary.words)

    def _encode_names(self, names: Sequence[tuple[str, ...]]) -> NDArray[np.int64]:
        """Return the numbers of each name's known words (names, w words), padded with zeros."""
        vocabulary = self.vocabularies["names"]
        encoded = [
            [vocabulary.encode_word(word) for word in name if word in vocabulary] for name in names
        ]
        table = np.zeros((len(encoded), max(1, *map(len, encoded), 1)), np.int64)
        for row, numbers in zip(table, encoded, strict=True):
            row[: len(numbers)] = numbers
        return table

    def _infer_vectors(self, network: Any, table: NDArray[np.int64]) -> Tensor:
        """Return unit vectors (names, size) of the rows of ``_encode_names``."""
        device = network.name_words.device
        words = torch.from_numpy(table).to(device)
        return infer_name_vectors(words, network.name_words, network.drawn)

    def judge_names(
        self, network: Any, vectors: Sequence[Sequence[float] | None], names: Sequence[str]
    ) -> list[float | None]:
        positions = [position for position, vector in enumerate(vectors) if vector is not None]
        scores: list[float | None] = [None] * len(vectors)
        for start in range(0, len(positions), 256):
            chunk = positions[start : start + 256]
            rows = torch.tensor(
                [vectors[position] for position in chunk], device=network.features.device
            )
            with torch.inference_mode():
                chunk_scores = self._score_names(
                    network, unit_rows(rows), [spot_words(names[position]) for position in chunk]
                )
            for position, score in zip(chunk, chunk_scores, strict=True):
                scores[position] = score
        return scores

    def _score_names(
        self, network: Any, bodies: Tensor, names: Sequence[tuple[str, ...]]
    ) -> list[float | None]:
        """Return how well each name fits its body, from 0 to 1.

        ``bodies`` (n, feature) are unit vectors, ``names`` the words of each name. Return None for
        a body whose vector is zero, and for a name without a known word.
        """
        k, label_names = self.settings.k, self.label_names
        max_neighbours = k * FARTHER
        labels = network.labels.cpu().numpy()
        stored_names = label_names.name_of_label[labels]
        counts = np.bincount(stored_names, minlength=len(label_names.words)).tolist()
        vectors = self._infer_vectors(network, self._encode_names(names))
        by_body, _ = find_nearest_cosines(bodies, network.features, max_neighbours)
        # A few more, because the name itself and the special labels may be among them.
        by_name, _ = find_nearest_cosines(
            vectors, network.name_vectors, max_neighbours + 1 + len(SPECIALS)
        )
        has_vectors = (bodies.any(1) & vectors.any(1)).tolist()
        scores: list[float | None] = []
        for nearest_bodies, nearest_names, own, is_known in zip(
            by_body.tolist(), by_name.tolist(), names, has_vectors, strict=True
        ):
            if not is_known:
                scores.append(None)
                continue
            body_words = [
                label_names.words[stored_names[position]][:1] for position in nearest_bodies
            ]
            name_words = collect_first_words(
                nearest_names, own, label_names, counts, max_neighbours
            )
            scores.append(
                compute_fitness(name_words, [words[0] for words in body_words if words], k)
            )
        return scores


# ---------------------------------------------------------------- the network


class SpotNetwork(nn.Module, Network):
    """The autoencoder, and the stored training methods.

    ``words`` and ``names`` are the sizes of the vocabularies of bodies' and of names' words, and
    ``length`` is L. The word vectors and the stored methods are buffers. ``features`` (methods,
    feature) and ``labels`` (methods) are the vectors and labels of the training methods,
    ``name_vectors`` (labels, name_size) those of the names, ``name_words`` the vectors of names'
    words, and ``drawn`` the words that ``infer_name_vectors`` uses as negative samples.
    """

    _STORED_BUFFERS = ("features", "labels", "name_vectors", "drawn")

    def __init__(self, settings: SpotCNNSettings, words: int, length: int, names: int) -> None:
        super().__init__()
        self.settings, self.length = settings, length
        self.first = nn.Conv1d(settings.size, settings.maps, 2)
        self.second = nn.Conv1d(settings.maps, settings.second_maps, 2)
        remaining = ((length - 1) // 2 - 1) // 2
        self.dense = nn.Linear(settings.second_maps * remaining, settings.feature)
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

    def store_methods(
        self, features: Tensor, labels: Tensor, words: Tensor, negatives: Tensor
    ) -> None:
        """Set ``features``, ``labels``, ``name_words`` and ``drawn``, in this order."""
        device = self.words.device
        self.features, self.labels = features.to(device), labels.to(device)
        self.name_words, self.drawn = words.to(device), negatives.to(device)

    def _load_from_state_dict(self, state: Any, prefix: str, *others: Any) -> None:
        """Load a state; the saved tensors determine the sizes of the buffers."""
        for name in self._STORED_BUFFERS:
            saved = state.get(prefix + name)
            if saved is not None:
                setattr(self, name, getattr(self, name).new_zeros(saved.shape))
        super()._load_from_state_dict(state, prefix, *others)

    # ---------------------------------------------------------------- the layers

    def embed_tokens(self, batch: Batch) -> Tensor:
        """Return the vectors of the bodies' words (n, L, size), padded with zeros."""
        tokens = batch["tokens"][:, : self.length]
        vectors = self.words[tokens] * make_mask(batch["tokens_size"], tokens.shape[1])[:, :, None]
        return functional.pad(vectors, (0, 0, 0, self.length - vectors.shape[1]))

    def encode_methods(self, embedded: Tensor) -> Tensor:
        """Return the methods' vectors (n, feature) from the vectors of their words."""
        maps = functional.max_pool1d(self.first(embedded.transpose(1, 2)).relu(), 2)
        maps = functional.max_pool1d(self.second(maps).relu(), 2)
        vectors: Tensor = self.dense(maps.flatten(1)).relu()
        return vectors

    def compute_vectors(self, batch: Batch) -> Tensor:
        return self.encode_methods(self.embed_tokens(batch))

    def compute_loss(self, batch: Batch) -> Tensor:
        """Return the mean absolute error of the reconstruction."""
        embedded = self.embed_tokens(batch)
        reconstruction = self.out(self.encode_methods(embedded)).float()
        if self.settings.output == "softmax":
            reconstruction = reconstruction.softmax(1)
        return functional.l1_loss(reconstruction, embedded.flatten(1))

    def predict(self, batch: Batch) -> list[list[int]]:
        """Return the best-ranked label among those of the nearest stored methods.

        It is UNKNOWN before methods are stored, and for a method whose vector is zero.
        """
        if not len(self.features):
            return [[UNKNOWN]] * len(batch["tokens"])
        bodies = unit_rows(self.compute_vectors(batch))
        positions, cosines = find_nearest_cosines(bodies, self.features, NAMED_BY)
        label_rows, non_zero = self.labels[positions].tolist(), bodies.any(1).tolist()
        predictions: list[list[int]] = []
        for labels, neighbour_cosines, is_non_zero in zip(
            label_rows, cosines.tolist(), non_zero, strict=True
        ):
            neighbours = [
                (str(label), cosine)
                for label, cosine in zip(labels, neighbour_cosines, strict=True)
            ]
            predictions.append(
                [int(RANKS[self.settings.rank](neighbours)[0]) if is_non_zero else UNKNOWN]
            )
        return predictions
