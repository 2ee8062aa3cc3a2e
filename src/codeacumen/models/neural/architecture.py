"""What every network here is made of: what it reads, how that becomes numbers, and its layers.

An ``Architecture`` is one model of a paper. Its life: ``read`` turns each input into ``Features``,
words in columns, in worker processes; ``words`` says which of them belong to which vocabulary;
``encode`` turns them, and ``labels`` the answers, into numbers, which lie in memory-mapped Arrow
files; ``collate`` makes tensors of a batch of them; the ``Network`` learns from these; ``answer``
says its prediction in words. The same ``read`` and ``encode`` serve training and evaluation: what
a network is asked can never be prepared otherwise than what it was taught.

A ``Vocabulary`` numbers the words of a network's features; ``Labels`` (``OneLabel``, ``InPieces``)
turn answers into numbers and predictions into answers.
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
from codeacumen.text.subtokens import split_lossless, subtokens

if TYPE_CHECKING:
    import torch

    from codeacumen.models.neural.training.encoded import EncodedFile
    from codeacumen.models.neural.training.settings import Training
    from codeacumen.text.columns import Ragged


# Numbers of padding and of unknown words in every vocabulary.
PAD, UNKNOWN = 0, 1
SPECIALS = ("<pad>", "<unk>")
# Of what is said word by word: where it begins and where it ends.
BEGIN, END = 2, 3
SPOKEN = (*SPECIALS, "<s>", "</s>")
# The vocabulary that answers are made of.
LABELS = "labels"
# One input in words: columns of flat lists. Lists of lists are two columns, values and sizes.
Features: TypeAlias = Mapping[str, Sequence[str] | Sequence[int]]
# The same in numbers.
Encoded: TypeAlias = dict[str, NDArray[np.int32]]
# Tensors by name; the first dimension of each is the example, unless the model says otherwise.
Batch: TypeAlias = "dict[str, torch.Tensor]"


class Vocabulary:
    """``words`` in the order of their numbers; the first are special and are never in a text."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._number = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._number

    def number(self, word: str) -> int:
        return self._number.get(word, UNKNOWN)

    def numbers(self, words: Iterable[str]) -> NDArray[np.int32]:
        number = self._number
        return np.array([number.get(word, UNKNOWN) for word in words], dtype=np.int32)

    @classmethod
    def counted(
        cls,
        counts: Mapping[str, int],
        most: int | None = None,
        *,
        least: int = 1,
        specials: Sequence[str] = SPECIALS,
    ) -> Vocabulary:
        """The most frequent words; among equals the first of the alphabet, so that it does not
        hang on who counted first."""
        taken = set(specials)
        known = [word for word, n in counts.items() if n >= least and word not in taken]
        known.sort(key=lambda word: (-counts[word], word))
        room = None if most is None else max(0, most - len(specials))
        return cls([*specials, *known[:room]])

    # ---------------------------------------------------------------- on disk

    def save(self, path: Path) -> None:
        """A word a line, as JSON: a word may hold anything, even the end of a line."""
        write_atomically(path, "".join(json.dumps(word) + "\n" for word in self.words).encode())

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        try:
            lines = path.read_text(encoding="ascii").splitlines()
            return cls([str(json.loads(line)) for line in lines])
        except (OSError, ValueError) as error:
            raise CodeacumenError(
                f"{path}: a damaged vocabulary: {error}",
                "train the model again: `codeacumen train network`",
            ) from error


# ---------------------------------------------------------------- answers


class Labels(Protocol):
    """How a network answers: with one label, or piece by piece. ``vocabulary`` holds the words of
    the answers once it is learned."""

    vocabulary: Vocabulary

    def words(self, label: str) -> Iterable[str]: ...
    def learn(self, counts: Mapping[str, int]) -> None: ...
    def target(self, label: str) -> Encoded | None:
        """None where the answer is not in its words."""
        ...

    def answer(self, predicted: Sequence[int]) -> str | None: ...


_NOTHING = Vocabulary(SPECIALS)


class OneLabel:
    """The answer is one of the labels of the training split, the ``most`` frequent."""

    def __init__(self, most: int | None = None) -> None:
        self.most, self.vocabulary = most, _NOTHING

    def words(self, label: str) -> Iterable[str]:
        return (label,)

    def learn(self, counts: Mapping[str, int]) -> None:
        self.vocabulary = Vocabulary.counted(counts, self.most)

    def target(self, label: str) -> Encoded | None:
        number = self.vocabulary.number(label)
        return None if number == UNKNOWN else {"label": np.array([number], np.int32)}

    def answer(self, predicted: Sequence[int]) -> str | None:
        (number,) = predicted
        return self.vocabulary.words[number] if number >= len(SPECIALS) else None


class InPieces:
    """The answer is said piece by piece. ``lower``: in small letters, as code2seq and its kin do;
    the name is put together in camel case then, else as its pieces are written."""

    def __init__(self, most: int | None = None, longest: int = 10, lower: bool = False) -> None:
        self.most, self.longest, self.lower = most, longest, lower
        self.vocabulary = _NOTHING

    def words(self, label: str) -> Sequence[str]:
        if not self.lower:
            return split_lossless(label)
        return subtokens(label, lower=True)

    def learn(self, counts: Mapping[str, int]) -> None:
        self.vocabulary = Vocabulary.counted(counts, self.most, specials=SPOKEN)

    def target(self, label: str) -> Encoded | None:
        """Ends with END. A name whose every piece is unknown teaches nothing."""
        numbers = self.vocabulary.numbers(self.words(label)[: self.longest])
        if not (numbers != UNKNOWN).any():
            return None
        return {"target": np.append(numbers, np.int32(END))}

    def answer(self, predicted: Sequence[int]) -> str | None:
        known = [n for n in predicted if n not in (UNKNOWN, BEGIN)]
        if END in known:
            known = known[: known.index(END)]
        words = [self.vocabulary.words[n] for n in known if n >= len(SPECIALS)]
        return self.joined(words) or None

    def joined(self, words: Sequence[str]) -> str:
        if not self.lower:
            return "".join(words)
        return "".join([*words[:1], *(one[:1].upper() + one[1:] for one in words[1:])])


# ---------------------------------------------------------------- the contract


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a network is trained for: a task, and the way its models are asked."""

    task: str
    capability: Capability


class Network(ABC):
    """The layers: a ``torch.nn.Module`` with these methods besides."""

    @abstractmethod
    def loss(self, batch: Batch) -> torch.Tensor:
        """Mean over the examples of a batch, which has what ``target`` gives too."""

    @abstractmethod
    def predict(self, batch: Batch) -> list[list[int]]:
        """For each example the numbers of its answer; a class is a list of one."""

    def vector(self, batch: Batch) -> torch.Tensor:
        """A row for each example, where the model has ``embeds``."""
        raise NotImplementedError

    def at(self, share: float) -> None:  # noqa: B027 - most networks do not care
        """Told before each step how much of all steps is done."""


class Architecture(ABC):
    """``settings`` are its hyper-parameters, a frozen dataclass of its own type ``Settings``."""

    name: ClassVar[str]
    # Beginnings of the names of tasks it can be trained for.
    serves: ClassVar[tuple[str, ...]] = ("gluecode",)
    # Whether ``Network.vector`` tells methods apart: the model then has the capability ``embed``.
    embeds: ClassVar[bool] = True
    # Whether it can be pre-trained: learn from methods without answers.
    may_pretrain: ClassVar[bool] = False
    # Whether ``read`` looks around a method: it is given a context then.
    looks: ClassVar[bool] = False
    # Whether it has a judgement of its own on names, ``judge``; else it judges by its own name.
    judges: ClassVar[bool] = False
    # Settings that change nothing of what is prepared: trainings that differ in them alone can
    # share it.
    after_reading: ClassVar[frozenset[str]] = frozenset()
    # Whether one network is taught several tasks together: the column that tells which, else "".
    joint: ClassVar[str] = ""
    # Tensors of a batch that steer what is computed: they need not travel to a GPU and back, for
    # which every step would wait.
    on_host: ClassVar[frozenset[str]] = frozenset()
    Settings: ClassVar[type[Any]]

    def __init__(self, settings: Any, purpose: Purpose) -> None:
        self.settings, self.purpose = settings, purpose
        self.vocabularies: dict[str, Vocabulary] = {}
        self.labels: Labels = self.make_labels()

    @classmethod  # noqa: B027 - most have none
    def check_start(cls, settings: Mapping[str, Any]) -> None:
        """Before anything is read: whether what it is to begin from can be opened."""

    @abstractmethod
    def make_labels(self) -> Labels:
        """How it answers: ``OneLabel`` or ``InPieces``, by its purpose and settings."""

    # ---------------------------------------------------------------- what it reads

    @abstractmethod
    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        """None where there is nothing to be read: the example is left out, no answer is given."""

    def read_text(self, text: str) -> Features | None:
        """For ``embed``: a method's text, or an identifier, with nothing around it."""
        from codeacumen.api import Method

        return self.read(Method("", text))

    # ---------------------------------------------------------------- words and numbers

    @abstractmethod
    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        """Vocabulary by vocabulary, the words that an example has of it."""

    @abstractmethod
    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Fill ``vocabularies`` from how often each word was in the training split; those of the
        answers are under LABELS."""

    def learn_labels(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.labels.learn(counts[LABELS])
        self.vocabularies[LABELS] = self.labels.vocabulary

    def save_vocabularies(self, folder: Path) -> None:
        for name, vocabulary in self.vocabularies.items():
            vocabulary.save(folder / f"{name}.txt")

    def load_vocabularies(self, folder: Path) -> None:

        files = sorted(folder.glob("*.txt"))
        self.vocabularies = {file.stem: Vocabulary.load(file) for file in files}
        self.labels.vocabulary = self.vocabularies[LABELS]

    @abstractmethod
    def encode(self, features: Features) -> Encoded: ...

    def target(self, label: str, features: Features) -> Encoded | None:
        """The answer in numbers, of an example with such features; None where it cannot be said in
        words that are known: not trained on."""
        return self.labels.target(label)

    # ---------------------------------------------------------------- tensors

    def length(self, columns: Mapping[str, Ragged]) -> NDArray[np.int64]:
        """How long each example is, for batches of like lengths: the longest of its columns."""
        return np.max([np.diff(one.offsets) for one in columns.values()], axis=0)

    def times(self, tasks: NDArray[np.int32]) -> NDArray[np.int64]:
        """How often each example is shown in an epoch, by the tasks of all, where it is joint."""
        return np.ones(len(tasks), np.int64)

    def collate(
        self, columns: Mapping[str, Ragged], draw: np.random.Generator | None = None
    ) -> Batch:
        """Tensors of a batch. ``draw`` is given in training, for what is drawn anew each time;
        nothing is drawn in evaluation."""
        from codeacumen.models.neural.training.batches import padded

        return padded(columns)

    # ---------------------------------------------------------------- the network

    @abstractmethod
    def network(self) -> Network: ...

    def before_teaching(  # noqa: B027 - most have nothing to do
        self, train: EncodedFile, training: Training, folder: Path, device: str
    ) -> None:
        """For what is learned from the training split before there is a network. ``folder`` is
        there when a training that was killed goes on: what lies in it need not be learned again."""

    def after_teaching(  # noqa: B027 - most have nothing to do
        self, network: Any, train: EncodedFile, training: Training, device: str
    ) -> None:
        """For what a network that was taught has to keep of the training split."""

    def answer(self, predicted: Sequence[int]) -> str | None:
        """A prediction in words."""
        return self.labels.answer(predicted)

    def judge(
        self, network: Any, vectors: Sequence[Sequence[float] | None], names: Sequence[str]
    ) -> list[float | None]:
        """How well each name fits a method, from 0 to 1, by the method's vector; where it
        ``judges``. None where it cannot tell."""
        raise NotImplementedError
