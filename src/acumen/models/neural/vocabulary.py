"""Words and their numbers. 0 is padding and 1 whatever is not known, in every vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError
from acumen.files import write_atomically

PAD, UNKNOWN = 0, 1
SPECIALS = ("<pad>", "<unk>")
# Of what is said word by word: where it begins and where it ends.
BEGIN, END = 2, 3
SPOKEN = (*SPECIALS, "<s>", "</s>")


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
            raise AcumenError(
                f"{path}: a damaged vocabulary: {error}", "train the model again: `acumen train`"
            ) from error
