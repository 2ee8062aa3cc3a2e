"""How a network says its answer: as one of the labels it was taught, or piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from acumen.lang.subtokens import split_lossless, subtokens
from acumen.models.neural.architecture import Encoded
from acumen.models.neural.vocabulary import BEGIN, END, SPECIALS, SPOKEN, UNKNOWN, Vocabulary


class Labels(Protocol):
    """``vocabulary`` is what answers are made of, once it is learned."""

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
