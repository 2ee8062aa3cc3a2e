"""Fixtures: a small WordNet in the format of ``wndb(5WN)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

# Part of speech, words, pointers (symbol, number of the meaning, words at both ends), gloss.
Meaning = tuple[str, Sequence[str], Sequence[tuple[str, int, int, int]], str]
MEANINGS: list[Meaning] = [
    ("n", ["entity"], [], "that which is"),
    ("n", ["vehicle"], [("@", 0, 0, 0)], "what carries people; \"the vehicle stopped\""),
    ("n", ["car", "auto"], [("@", 1, 0, 0)], "a vehicle with four wheels"),
    ("n", ["truck"], [("@", 1, 0, 0)], "a vehicle for loads"),
    ("n", ["Truck_Farm"], [("@i", 0, 0, 0)], "a farm"),
    ("v", ["open"], [("!", 6, 1, 1)], "make accessible"),
    ("v", ["close", "shut"], [("!", 5, 1, 1)], "make inaccessible"),
    ("a", ["open"], [("+", 5, 1, 1)], "accessible"),
    ("a", ["big", "large"], [("&", 9, 0, 0)], "of great size"),
    ("s", ["huge"], [("&", 8, 0, 0)], "very big"),
    ("r", ["openly"], [], "in an open way"),
]  # fmt: skip
_FILES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}


def write_wordnet(folder: Path, meanings: Sequence[Meaning]) -> Path:
    """Write WordNet's database files with these meanings; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    data: dict[str, list[str]] = {name: ["  1 a licence"] for name in _FILES.values()}
    words: dict[str, dict[str, list[int]]] = {name: {} for name in _FILES.values()}
    for number, (part, members, pointers, gloss) in enumerate(meanings):
        offset = 100 + number
        member_text = " ".join(f"{word} 0" for word in members)
        pointer_text = " ".join(
            f"{sign} {100 + meaning:08d} {meanings[meaning][0]} {source:02x}{target:02x}"
            for sign, meaning, source, target in pointers
        )
        head = f"{offset:08d} 00 {part} {len(members):02x} {member_text} {len(pointers):03d}"
        data[_FILES[part]].append(f"{head} {pointer_text} | {gloss}  ".replace("  |", " |"))
        for word in members:
            words[_FILES[part]].setdefault(word.lower(), []).append(offset)
    for name, lines in data.items():
        (folder / f"data.{name}").write_text("\n".join(lines) + "\n")
        index = ["  1 a licence"]
        for word in sorted(words[name]):
            offsets = words[name][word]
            offset_text = " ".join(f"{offset:08d}" for offset in offsets)
            index.append(f"{word} {name[0]} {len(offsets)} 0 {len(offsets)} 0 {offset_text}  ")
        (folder / f"index.{name}").write_text("\n".join(index) + "\n")
    return folder


@pytest.fixture
def make_wordnet() -> Callable[[Path, Sequence[Meaning]], Path]:
    return write_wordnet


@pytest.fixture
def wordnet_folder(tmp_path: Path) -> Path:
    return write_wordnet(tmp_path / "wordnet", MEANINGS)
