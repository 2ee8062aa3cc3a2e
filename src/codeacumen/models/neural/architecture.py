"""The contract of a network: its features, its vocabularies, its tensors and its layers.

An ``Architecture`` is one model of a paper, or one of our own. ``extract_features`` turns each
input into ``Features``, columns of words, in worker processes; ``iter_words`` assigns these words
to vocabularies; ``encode`` turns features, and ``labels`` answers, into numbers, which are stored
in memory-mapped Arrow files; ``collate`` makes tensors of a batch; the ``Network`` learns from the
tensors; ``decode_answer`` turns its prediction into words. Training and evaluation share
``extract_features`` and ``encode``, so their inputs are always prepared in the same way.

A ``Vocabulary`` numbers the words of a network's features; ``Labels`` (``SingleLabel``,
``PieceLabels``) turn answers into numbers and predictions into answers. A *piece* is the part of an
answer that a network generates in one step, such as a subtoken of a name.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Capability, CodeacumenError, CodeContext, Input
from codeacumen.core.files import write_atomically
from codeacumen.text.subtokens import split_lossless, split_subtokens

if TYPE_CHECKING:
    import torch

    from codeacumen.models.neural.training.encoded_file import EncodedFile
    from codeacumen.models.neural.training.settings import TrainingSettings
    from codeacumen.text.columns import Ragged


# Numbers of padding and of an unknown word in every vocabulary.
PAD, UNKNOWN = 0, 1
SPECIALS = ("<pad>", "<unk>")
# Numbers of the begin and end markers of an answer that is generated piece by piece.
BEGIN, END = 2, 3
SEQUENCE_SPECIALS = (*SPECIALS, "<s>", "</s>")
# Name of the vocabulary of the answers.
LABELS = "labels"
# Features of one input: columns of flat lists. A list of lists is two columns, values and sizes.
Features: TypeAlias = Mapping[str, Sequence[str] | Sequence[int]]
# Features as numbers.
Encoded: TypeAlias = dict[str, NDArray[np.int32]]
# Tensors by name. The first dimension is the example, unless the model documents another layout.
Batch: TypeAlias = "dict[str, torch.Tensor]"


class Vocabulary:
    """Numbers of words. ``words`` are in the order of their numbers, special words first."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._number_of_word = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._number_of_word

    def encode_word(self, word: str) -> int:
        """Return the word's number, UNKNOWN if the vocabulary lacks the word."""
        return self._number_of_word.get(word, UNKNOWN)

    def encode_words(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the words' numbers, UNKNOWN for each word that the vocabulary lacks."""
        number_of_word = self._number_of_word
        return np.array([number_of_word.get(word, UNKNOWN) for word in words], dtype=np.int32)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int],
        max_size: int | None = None,
        *,
        min_count: int = 1,
        specials: Sequence[str] = SPECIALS,
    ) -> Vocabulary:
        """Make a vocabulary of ``specials`` and the most frequent words.

        It has at most ``max_size`` words, special words included (None: no limit), and only words
        with at least ``min_count`` occurrences. Ties are broken alphabetically, so the order of
        counting does not matter.
        """
        special_words = set(specials)
        words = [
            word
            for word, count in counts.items()
            if count >= min_count and word not in special_words
        ]
        words.sort(key=lambda word: (-counts[word], word))
        max_words = None if max_size is None else max(0, max_size - len(specials))
        return cls([*specials, *words[:max_words]])

    # ---------------------------------------------------------------- on disk

    def save(self, path: Path) -> None:
        """Write a JSON string per line, because a word may contain a line break."""
        write_atomically(path, "".join(json.dumps(word) + "\n" for word in self.words).encode())

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what ``save`` wrote."""
        try:
            lines = path.read_text(encoding="ascii").splitlines()
            return cls([str(json.loads(line)) for line in lines])
        except (OSError, ValueError) as error:
            raise CodeacumenError(
                f"{path}: damaged vocabulary: {error}",
                "train the model again: `codeacumen train network`",
            ) from error


# ---------------------------------------------------------------- answers


class Labels(Protocol):
    """The form of a network's answers: one label, or a sequence of pieces.

    ``vocabulary`` has the words of the answers after ``learn_vocabulary``. A *label* is the correct
    answer of an example, as text.
    """

    vocabulary: Vocabulary

    def split_label(self, label: str) -> Iterable[str]:
        """Return the words of an answer that the vocabulary counts."""
        ...

    def learn_vocabulary(self, counts: Mapping[str, int]) -> None:
        """Make the vocabulary from the counts of words in the answers of the training split."""
        ...

    def encode_target(self, label: str) -> Encoded | None:
        """Return the training target of a label; None if the vocabulary cannot express it."""
        ...

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        """Return the answer of ``Network.predict``'s numbers; None if they have no known word."""
        ...


_EMPTY_VOCABULARY = Vocabulary(SPECIALS)


class SingleLabel:
    """Answers that are one of the most frequent labels of the training split.

    ``max_labels`` is the maximum size of the vocabulary, padding and the unknown label included.
    """

    def __init__(self, max_labels: int | None = None) -> None:
        self.max_labels, self.vocabulary = max_labels, _EMPTY_VOCABULARY

    def split_label(self, label: str) -> Iterable[str]:
        return (label,)

    def learn_vocabulary(self, counts: Mapping[str, int]) -> None:
        self.vocabulary = Vocabulary.from_counts(counts, self.max_labels)

    def encode_target(self, label: str) -> Encoded | None:
        number = self.vocabulary.encode_word(label)
        return None if number == UNKNOWN else {"label": np.array([number], np.int32)}

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        (number,) = predicted
        return self.vocabulary.words[number] if number >= len(SPECIALS) else None


class PieceLabels:
    """Answers that are a sequence of pieces.

    With ``is_lowercase``, as for code2seq, pieces are in lower case and joined to a camel-case
    name; otherwise pieces keep their case and are concatenated. Pieces of a label beyond
    ``max_pieces`` are cut off.
    """

    def __init__(
        self, max_vocabulary: int | None = None, max_pieces: int = 10, is_lowercase: bool = False
    ) -> None:
        self.max_vocabulary, self.max_pieces, self.is_lowercase = (
            max_vocabulary,
            max_pieces,
            is_lowercase,
        )
        self.vocabulary = _EMPTY_VOCABULARY

    def split_label(self, label: str) -> Sequence[str]:
        if not self.is_lowercase:
            return split_lossless(label)
        return split_subtokens(label, lower=True)

    def learn_vocabulary(self, counts: Mapping[str, int]) -> None:
        self.vocabulary = Vocabulary.from_counts(
            counts, self.max_vocabulary, specials=SEQUENCE_SPECIALS
        )

    def encode_target(self, label: str) -> Encoded | None:
        """Return the pieces' numbers and END; None if no piece is known."""
        numbers = self.vocabulary.encode_words(self.split_label(label)[: self.max_pieces])
        if not (numbers != UNKNOWN).any():
            return None
        return {"target": np.append(numbers, np.int32(END))}

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        numbers = [number for number in predicted if number not in (UNKNOWN, BEGIN)]
        if END in numbers:
            numbers = numbers[: numbers.index(END)]
        words = [self.vocabulary.words[number] for number in numbers if number >= len(SPECIALS)]
        return self.join_pieces(words) or None

    def join_pieces(self, pieces: Sequence[str]) -> str:
        """Return the name that the pieces make."""
        if not self.is_lowercase:
            return "".join(pieces)
        return "".join([*pieces[:1], *(piece[:1].upper() + piece[1:] for piece in pieces[1:])])


# ---------------------------------------------------------------- the contract


@dataclass(frozen=True, slots=True)
class Purpose:
    """The name of the task that a network is trained for, and the capability that it requires."""

    task: str
    capability: Capability


class Network(ABC):
    """The layers of a network: a ``torch.nn.Module`` that also has these methods."""

    @abstractmethod
    def compute_loss(self, batch: Batch) -> torch.Tensor:
        """Return the mean loss of a batch, which also has the tensors of ``encode_target``."""

    @abstractmethod
    def predict(self, batch: Batch) -> list[list[int]]:
        """Return the numbers of each example's answer, for ``Architecture.decode_answer``.

        A class is a list of one number.
        """

    def compute_vectors(self, batch: Batch) -> torch.Tensor:
        """Return a vector for each example, (n, d); only if the architecture ``has_vectors``."""
        raise NotImplementedError

    def set_progress(self, progress: float) -> None:  # noqa: B027 - most networks do not care
        """Set the share of the training that is done, 0 to 1; the trainer calls it at each step."""


class Architecture(ABC):
    """Base class of the models; the module's docstring describes the order of the calls.

    ``settings`` are the hyper-parameters, an instance of the frozen dataclass ``Settings``.
    """

    name: ClassVar[str]
    # Prefixes of the names of the tasks that it can be trained for.
    task_prefixes: ClassVar[tuple[str, ...]] = ("gluecode",)
    # Whether ``Network.compute_vectors`` distinguishes methods; the model can then ``embed``.
    has_vectors: ClassVar[bool] = True
    # Whether it can be pre-trained, on methods without answers.
    supports_pretraining: ClassVar[bool] = False
    # Whether ``extract_features`` uses the code around a method, from a ``CodeContext``.
    needs_context: ClassVar[bool] = False
    # Whether it scores given names, with ``judge_names``. Other networks are compared by the name
    # that they predict.
    judges_names: ClassVar[bool] = False
    # Settings that do not change the encoded examples. Trainings that differ only in these can
    # share prepared data.
    settings_after_encoding: ClassVar[frozenset[str]] = frozenset()
    # Column with an example's task, if one network learns several tasks together; otherwise "".
    task_column: ClassVar[str] = ""
    # Tensors that control the computation. They stay on the host, because every step would wait
    # for a copy back from the GPU.
    host_tensors: ClassVar[frozenset[str]] = frozenset()
    Settings: ClassVar[type[Any]]

    def __init__(self, settings: Any, purpose: Purpose) -> None:
        self.settings, self.purpose = settings, purpose
        self.vocabularies: dict[str, Vocabulary] = {}
        self.labels: Labels = self.make_labels()

    @classmethod  # noqa: B027 - most have none
    def check_start(cls, settings: Mapping[str, Any]) -> None:
        """Raise an error if the checkpoint to start from cannot be opened.

        This is called before any example is read.
        """

    @abstractmethod
    def make_labels(self) -> Labels:
        """Return the form of the answers, such as ``SingleLabel``, by ``purpose`` and ``settings``.

        The constructor calls this.
        """

    # ---------------------------------------------------------------- features

    @abstractmethod
    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        """Return an input's features; None if the input has none, such as an empty text.

        An example without features is left out of training and gets no answer.
        """

    def extract_text_features(self, text: str) -> Features | None:
        """Return the features of a method or an identifier, without context.

        The capability ``embed`` uses this.
        """
        from codeacumen.api import Method

        return self.extract_features(Method("", text))

    # ---------------------------------------------------------------- words and numbers

    @abstractmethod
    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield pairs of a vocabulary's name and words of an example that belong to it."""

    @abstractmethod
    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Make ``vocabularies`` from the counts of words in the training split.

        ``counts`` has the words of the answers under LABELS.
        """

    def learn_labels(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Make the vocabulary of the answers; a subclass calls this in ``learn_vocabularies``."""
        self.labels.learn_vocabulary(counts[LABELS])
        self.vocabularies[LABELS] = self.labels.vocabulary

    def save_vocabularies(self, folder: Path) -> None:
        """Write a file for each vocabulary."""
        for name, vocabulary in self.vocabularies.items():
            vocabulary.save(folder / f"{name}.txt")

    def load_vocabularies(self, folder: Path) -> None:
        """Read what ``save_vocabularies`` wrote."""
        files = sorted(folder.glob("*.txt"))
        self.vocabularies = {file.stem: Vocabulary.load(file) for file in files}
        self.labels.vocabulary = self.vocabularies[LABELS]

    @abstractmethod
    def encode(self, features: Features) -> Encoded:
        """Return the features as numbers."""

    def encode_target(self, label: str, features: Features) -> Encoded | None:
        """Return the training target of an example with these features.

        Return None if the vocabulary cannot express the answer: the example is not trained on.
        """
        return self.labels.encode_target(label)

    # ---------------------------------------------------------------- tensors

    def compute_lengths(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        """Return each example's length, that of its longest column, to batch similar lengths.

        The columns may lack their values (``EncodedFile.empty_columns``).
        """
        return np.max([np.diff(column.offsets) for column in columns.values()], axis=0)

    def count_repetitions(self, tasks: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return how often each example is shown in an epoch; ``tasks`` has each example's task.

        This is called only for networks with a ``task_column``.
        """
        return np.ones(len(tasks), np.int64)

    def collate(
        self, columns: Mapping[str, Ragged], rng: np.random.Generator | None = None
    ) -> Batch:
        """Return the tensors of a batch.

        ``rng`` is for random choices in training; it is None in evaluation.
        """
        from codeacumen.models.neural.training.batches import pad_columns

        return pad_columns(columns)

    # ---------------------------------------------------------------- the network

    @abstractmethod
    def build_network(self) -> Network:
        """Return a new network with initial weights, for the learned vocabularies."""

    def before_training(  # noqa: B027 - most have nothing to do
        self, train: EncodedFile, training: TrainingSettings, folder: Path, device: str
    ) -> None:
        """Learn from the encoded training split before the network is built.

        ``folder`` remains when an interrupted training resumes, so files in it can be reused.
        """

    def after_training(  # noqa: B027 - most have nothing to do
        self, network: Any, train: EncodedFile, training: TrainingSettings, device: str
    ) -> None:
        """Store data of the training split in a trained network, before it answers or is saved."""

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        """Return the answer of a prediction in words."""
        return self.labels.decode_answer(predicted)

    def judge_names(
        self, network: Any, vectors: Sequence[Sequence[float] | None], names: Sequence[str]
    ) -> list[float | None]:
        """Return for each method's vector how well the name fits, from 0 (not) to 1.

        Return None for a method without a vector and where the network cannot decide. Only
        architectures with ``judges_names`` have this.
        """
        raise NotImplementedError
