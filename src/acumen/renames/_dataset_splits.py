"""Splits without leaks: what belongs together goes to one split, and twins are left out."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acumen.corpus.splits import SPLITS
from acumen.renames.records import Rename

if TYPE_CHECKING:
    from acumen.renames.dataset import Case, StableCase

__all__ = ["SPLITS", "divided", "text_key", "without_twins"]

File = tuple[str, str]
# Comments have no group. What is not closed goes on to the end, so nothing is read twice.
_TOKEN = re.compile(
    r'''/\*.*?(?:\*/|\Z)|//[^\n]*|("""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?'''
    r"""|'(?:\\.|[^'\\\n])*'?|[\w$]+|[^\w\s])""",
    re.DOTALL,
)


def divided(
    cases: Sequence[Rename], by: str, shares: tuple[int, int, int], seed: int
) -> dict[File, str]:
    """The split of each file. Groups (projects, or files with all paths they had) come in an order
    that the seed draws, each to the split that lacks most of its share of the cases."""
    groups = _groups(cases, by)
    sizes = Counter(groups[one.project, one.path] for one in cases)
    whole = sum(shares)
    wanted = {
        split: len(cases) * share / whole
        for split, share in zip(SPLITS, shares, strict=True)
        if share
    }
    held = dict.fromkeys(wanted, 0)
    split_of: dict[File, str] = {}
    for group in sorted(sizes, key=lambda group: _draw(seed, group)):
        # The largest share of what is wanted is lacking; the last split, test, among equals.
        split = max(wanted, key=lambda one: (1 - held[one] / wanted[one], SPLITS.index(one)))
        held[split] += sizes[group]
        split_of[group] = split
    return {file: split_of[group] for file, group in groups.items() if group in split_of}


def _groups(cases: Sequence[Rename], by: str) -> dict[File, File]:
    """For each file, the first file of those it must stay with."""
    mother: dict[File, File] = {}

    def root(file: File) -> File:
        while mother.setdefault(file, file) != file:
            mother[file] = mother[mother[file]]
            file = mother[file]
        return file

    for one in cases:
        before = (one.project, one.path_before or one.path)
        whole = (one.project, "") if by == "project" else before
        for other in (before, whole):
            first, second = sorted((root((one.project, one.path)), root(other)))
            mother[second] = first
    return {file: root(file) for file in list(mother)}


def _draw(seed: int, group: File) -> bytes:
    text = f"{seed}\0{group[0]}\0{group[1]}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def without_twins(
    cases: Sequence[Case], stable: Sequence[StableCase], dropped: Counter[str]
) -> tuple[list[Case], list[StableCase]]:
    """All but those that read like a method of a later split: test keeps what it has, development
    loses what test has, training what either has."""
    texts = [text_key(one.rename.code, one.rename.new_name) for one in cases]
    others = [text_key(one.method.code, one.method.name) for one in stable]
    latest: dict[bytes, int] = {}
    splits = [*(one.split for one in cases), *(one.split for one in stable)]
    for text, split in zip([*texts, *others], splits, strict=True):
        latest[text] = max(latest.get(text, 0), SPLITS.index(split))
    kept = [
        one for one, text in zip(cases, texts, strict=True)
        if SPLITS.index(one.split) == latest[text]
    ]  # fmt: skip
    left = [
        one for one, text in zip(stable, others, strict=True)
        if SPLITS.index(one.split) == latest[text]
    ]  # fmt: skip
    dropped["cases with a twin in a later split"] += len(cases) - len(kept)
    dropped["stable, with a twin in a later split"] += len(stable) - len(left)
    return kept, left


def text_key(code: str, name: str) -> bytes:
    """A print of a method's tokens: neither comments nor lay-out nor its own name change it."""
    tokens = [match[1] for match in _TOKEN.finditer(code) if match[1] is not None]
    text = "\n".join("" if token == name else token for token in tokens)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
