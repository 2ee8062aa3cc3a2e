"""Read WordNet's database files: synonyms, antonyms, hypernyms.

``data.*`` hold a line for each meaning (synset) with its words, pointers and gloss, ``index.*`` a
line for each word with its meanings from frequent to rare. The format is described in
``wndb(5WN)``. A meaning is a number here; words are in lower case.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codeacumen.api import CodeacumenError
from research.lexicon._words import sentences

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
# Endings of inflected words, and the ending of the base form.
_ENDINGS = (
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ed", ""),
    ("ed", "e"),
    ("er", ""),
)
_EXAMPLE = re.compile(r'"([^"]+)"')

Pair = tuple[str, str]


@dataclass(frozen=True)
class WordNet:
    """Content of WordNet, by the number of a meaning.

    ``members`` are the words of each meaning, ``part`` is its part of speech, ``hypernyms`` are
    more general meanings, ``similar_adjectives`` those of similar adjectives. ``meanings`` are the
    meanings of a word, from frequent to rare. ``antonyms`` and ``derived_forms`` hold pairs of
    words in both orders.
    """

    sha256: str
    part: list[str]
    members: list[list[str]]
    glosses: list[str]
    above: list[list[int]]
    like: list[list[int]]
    meanings: dict[str, list[int]]
    opposite: frozenset[Pair]
    derived: frozenset[Pair]

    def senses(self, word: str, most: int) -> list[tuple[int, int]]:
        """Return the most frequent meanings of a word per part of speech, with their ranks.

        The limit is per part of speech, because "start" has a dozen meanings as a noun, which must
        not hide the verb.
        """
        found: list[tuple[int, int]] = []
        counts = dict.fromkeys("nvar", 0)
        for meaning in self.meanings.get(word, ()):
            rank = counts[self.part[meaning]]
            counts[self.part[meaning]] += 1
            if rank < most:
                found.append((meaning, rank))
        return found

    def bases(self, word: str) -> list[str]:
        """Return the word, and its possible base forms if WordNet does not have it."""
        if word in self.meanings:
            return [word]
        return [
            word,
            *(
                base
                for ending, instead in _ENDINGS
                if word.endswith(ending)
                and len(word) > len(ending) + 2
                and (base := word[: -len(ending)] + instead) in self.meanings
            ),
        ]

    def knows(self, word: str) -> bool:
        """Return whether WordNet has the word or a base form of it."""
        return word in self.meanings or len(self.bases(word)) > 1

    @cached_property
    def ancestors(self) -> list[dict[int, int]]:
        """Distance of each meaning to itself and to all its hypernyms, by the shortest path.

        Cycles are harmless; one version of WordNet had one.
        """
        found = []
        for meaning in range(len(self.members)):
            far = {meaning: 0}
            todo = [meaning]
            while todo:
                higher = []
                for one in todo:
                    for general in self.above[one]:
                        if general not in far:
                            far[general] = far[one] + 1
                            higher.append(general)
                todo = higher
            found.append(far)
        return found

    def sentences(self) -> Iterator[list[str]]:
        """Yield each meaning's words with its definition, and its examples."""
        for members, gloss in zip(self.members, self.glosses, strict=True):
            words = " ".join(member.replace("_", " ") for member in members)
            definition = gloss.split(";", 1)[0].strip()
            yield from sentences(f"{words} {definition}")
            for example in _EXAMPLE.findall(gloss):
                yield from sentences(example)


def read_wordnet(folder: Path) -> WordNet:
    """Read WordNet from a folder, or from below it, where Debian's package has it."""
    for place in (folder, folder / "usr/share/wordnet", folder / "dict"):
        if (place / "data.noun").is_file():
            return _read(place)
    raise CodeacumenError(
        f"there is no WordNet in {folder}",
        "name a folder with data.noun, index.noun and the other database files",
    )


def _lines(place: Path, name: str, digest: hashlib._Hash) -> Iterator[str]:
    data = (place / name).read_bytes()
    digest.update(data)
    for line in data.decode("latin-1").splitlines():
        # The files begin with the licence, on lines with leading blanks.
        if line and not line.startswith("  "):
            yield line


def _read(place: Path) -> WordNet:
    digest = hashlib.sha256()
    numbers: dict[tuple[str, int], int] = {}
    members: list[list[str]] = []
    glosses, parts = [], []
    pointers: list[list[tuple[str, tuple[str, int], int, int]]] = []
    meanings: dict[str, list[int]] = {}
    try:
        for name, part in PARTS.items():
            for line in _lines(place, f"data.{name}", digest):
                told, _, gloss = line.partition("|")
                fields = told.split()
                count = int(fields[3], 16)
                numbers[part, int(fields[0])] = len(members)
                members.append([fields[4 + 2 * i].split("(")[0].lower() for i in range(count)])
                glosses.append(gloss.strip())
                parts.append(part)
                first = 5 + 2 * count
                ends = range(first, first + 4 * int(fields[first - 1]), 4)
                pointers.append(
                    [
                        (
                            fields[i],
                            ("a" if fields[i + 2] == "s" else fields[i + 2], int(fields[i + 1])),
                            int(fields[i + 3][:2], 16),
                            int(fields[i + 3][2:], 16),
                        )
                        for i in ends
                    ]
                )
        for name, part in PARTS.items():
            for line in _lines(place, f"index.{name}", digest):
                fields = line.split()
                found = [numbers[part, int(offset)] for offset in fields[-int(fields[2]) :]]
                meanings.setdefault(fields[0], []).extend(found)
        above: list[list[int]] = [[] for _ in members]
        like: list[list[int]] = [[] for _ in members]
        opposite: set[Pair] = set()
        derived: set[Pair] = set()
        for meaning, others in enumerate(pointers):
            for sign, to, source, target in others:
                other = numbers[to]
                if sign in ("@", "@i"):
                    above[meaning].append(other)
                elif sign == "&":
                    like[meaning].append(other)
                elif sign in ("!", "+") and source:
                    left, right = members[meaning][source - 1], members[other][target - 1]
                    (opposite if sign == "!" else derived).update([(left, right), (right, left)])
    except (LookupError, ValueError, FileNotFoundError) as error:
        raise CodeacumenError(
            f"{place} holds no WordNet that can be read: {error}",
            "use all files of WordNet 3.0 or 3.1",
        ) from error
    return WordNet(
        digest.hexdigest(),
        parts,
        members,
        glosses,
        above,
        like,
        meanings,
        frozenset(opposite),
        frozenset(derived),
    )
