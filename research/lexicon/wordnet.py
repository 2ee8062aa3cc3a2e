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
from research.lexicon.words import split_sentences

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
    hypernyms: list[list[int]]
    similar_adjectives: list[list[int]]
    meanings: dict[str, list[int]]
    antonyms: frozenset[Pair]
    derived_forms: frozenset[Pair]

    def list_senses(self, word: str, most: int) -> list[tuple[int, int]]:
        """Return the most frequent meanings of a word per part of speech, with their ranks.

        The limit is per part of speech, because "start" has a dozen meanings as a noun, which must
        not hide the verb.
        """
        ranked_synsets: list[tuple[int, int]] = []
        counts = dict.fromkeys("nvar", 0)
        for meaning in self.meanings.get(word, ()):
            rank = counts[self.part[meaning]]
            counts[self.part[meaning]] += 1
            if rank < most:
                ranked_synsets.append((meaning, rank))
        return ranked_synsets

    def list_base_forms(self, word: str) -> list[str]:
        """Return the word, and its possible base forms if WordNet does not have it."""
        if word in self.meanings:
            return [word]
        return [
            word,
            *(
                base_form
                for ending, instead in _ENDINGS
                if word.endswith(ending)
                and len(word) > len(ending) + 2
                and (base_form := word[: -len(ending)] + instead) in self.meanings
            ),
        ]

    def has_word(self, word: str) -> bool:
        """Return whether WordNet has the word or a base form of it."""
        return word in self.meanings or len(self.list_base_forms(word)) > 1

    @cached_property
    def ancestors(self) -> list[dict[int, int]]:
        """Distance of each meaning to itself and to all its hypernyms, by the shortest path.

        Cycles are harmless; one version of WordNet had one.
        """
        distances_of_synsets = []
        for meaning in range(len(self.members)):
            distances = {meaning: 0}
            level = [meaning]
            while level:
                next_level = []
                for synset in level:
                    for general in self.hypernyms[synset]:
                        if general not in distances:
                            distances[general] = distances[synset] + 1
                            next_level.append(general)
                level = next_level
            distances_of_synsets.append(distances)
        return distances_of_synsets

    def iterate_sentences(self) -> Iterator[list[str]]:
        """Yield each meaning's words with its definition, and its examples."""
        for members, gloss in zip(self.members, self.glosses, strict=True):
            words = " ".join(member.replace("_", " ") for member in members)
            definition = gloss.split(";", 1)[0].strip()
            yield from split_sentences(f"{words} {definition}")
            for example in _EXAMPLE.findall(gloss):
                yield from split_sentences(example)


def read_wordnet(folder: Path) -> WordNet:
    """Read WordNet from a folder, or from below it, where Debian's package has it."""
    for candidate in (folder, folder / "usr/share/wordnet", folder / "dict"):
        if (candidate / "data.noun").is_file():
            return _parse_wordnet(candidate)
    raise CodeacumenError(
        f"there is no WordNet in {folder}",
        "name a folder with data.noun, index.noun and the other database files",
    )


def _read_lines(folder: Path, name: str, digest: hashlib._Hash) -> Iterator[str]:
    data = (folder / name).read_bytes()
    digest.update(data)
    for line in data.decode("latin-1").splitlines():
        # The files begin with the licence, on lines with leading blanks.
        if line and not line.startswith("  "):
            yield line


def _parse_wordnet(folder: Path) -> WordNet:
    digest = hashlib.sha256()
    synset_of_offset: dict[tuple[str, int], int] = {}
    members: list[list[str]] = []
    glosses, parts = [], []
    pointers: list[list[tuple[str, tuple[str, int], int, int]]] = []
    meanings: dict[str, list[int]] = {}
    try:
        for name, part in PARTS.items():
            for line in _read_lines(folder, f"data.{name}", digest):
                data_part, _, gloss = line.partition("|")
                fields = data_part.split()
                count = int(fields[3], 16)
                synset_of_offset[part, int(fields[0])] = len(members)
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
            for line in _read_lines(folder, f"index.{name}", digest):
                fields = line.split()
                synsets = [
                    synset_of_offset[part, int(offset)] for offset in fields[-int(fields[2]) :]
                ]
                meanings.setdefault(fields[0], []).extend(synsets)
        hypernyms: list[list[int]] = [[] for _ in members]
        similar_adjectives: list[list[int]] = [[] for _ in members]
        antonyms: set[Pair] = set()
        derived_forms: set[Pair] = set()
        for meaning, others in enumerate(pointers):
            for pointer_symbol, target_offset, source_word, target_word in others:
                other = synset_of_offset[target_offset]
                if pointer_symbol in ("@", "@i"):
                    hypernyms[meaning].append(other)
                elif pointer_symbol == "&":
                    similar_adjectives[meaning].append(other)
                elif pointer_symbol in ("!", "+") and source_word:
                    left, right = members[meaning][source_word - 1], members[other][target_word - 1]
                    (antonyms if pointer_symbol == "!" else derived_forms).update(
                        [(left, right), (right, left)]
                    )
    except (LookupError, ValueError, FileNotFoundError) as error:
        raise CodeacumenError(
            f"{folder} holds no WordNet that can be read: {error}",
            "use all files of WordNet 3.0 or 3.1",
        ) from error
    return WordNet(
        digest.hexdigest(),
        parts,
        members,
        glosses,
        hypernyms,
        similar_adjectives,
        meanings,
        frozenset(antonyms),
        frozenset(derived_forms),
    )
