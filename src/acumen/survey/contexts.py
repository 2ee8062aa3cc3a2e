"""Code to ask about: five contexts of five lines for each identifier, with the identifier blanked.

IdBench, section II-A, b and c. Every place in the context where the name stands as a word is
blanked, in comments and strings, too, all by the same blank: the length tells nothing. Contexts
are drawn as if by chance, from as many files as possible; two of one file do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from acumen.core.progress import Progress, ignore_progress
from acumen.corpus import Corpus
from acumen.engines import Engine
from acumen.lang.lines import line_starts
from acumen.models.embeddings.files import Stretch, chosen, read, worked
from acumen.survey.occurrences import identifiers_of
from acumen.survey.pairs import mixed

LINES, CONTEXTS = 5, 5
BLANK = "_____"
# Longer lines are no code that somebody reads in a survey.
LONGEST = 160
# Lines of a context that are not empty.
LEAST = 3


@dataclass(frozen=True, slots=True, order=True)
class Context:
    """``line``: the first of its lines in the file; ``key``: the number it was drawn by."""

    key: int
    sha256: str
    line: int
    language: str
    text: str


def contexts(
    corpora: Sequence[Corpus],
    names: Sequence[str],
    engine: Engine,
    seed: int = 0,
    wanted: int = CONTEXTS,
    step: Progress = ignore_progress,
) -> dict[str, list[Context]]:
    """For each name so many contexts, or as many as there are."""
    work = partial(_drawn, names=frozenset(names), seed=seed, wanted=wanted)
    results, _ = worked(work, chosen(corpora).stretches, engine, "contexts", step)
    found: dict[str, list[Context]] = {name: [] for name in names}
    for part in results:
        for name, mine in part.items():
            found[name] += mine
    return {name: _picked(sorted(mine), wanted) for name, mine in found.items()}


def _drawn(
    stretch: Stretch, names: frozenset[str], seed: int, wanted: int
) -> Mapping[str, list[Context]]:
    found: dict[str, list[Context]] = {}
    for sha256, language, source in read(stretch):
        named = identifiers_of(language, source)
        if not names.intersection(named.words):
            continue
        starts = np.concatenate([[0], line_starts(source)])
        lines = [line.decode("utf-8", "replace") for line in re.split(rb"\r\n|\r|\n", source)]
        for place, word in enumerate(named.words):
            if word not in names:
                continue
            mine = np.flatnonzero(named.word == place)
            at = np.unique(np.searchsorted(starts, named.start[mine], side="right") - 1)
            keys = mixed(at.astype(np.uint64) ^ np.uint64(int(sha256[:15], 16) ^ seed))
            taken: list[Context] = []
            for one in np.argsort(keys).tolist():
                first = max(0, min(int(at[one]) - LINES // 2, len(lines) - LINES))
                text = _shown(lines[first : first + LINES], word)
                if text is None or any(abs(first + 1 - two.line) < LINES for two in taken):
                    continue
                taken.append(Context(int(keys[one]), sha256, first + 1, language, text))
                if len(taken) == wanted:
                    break
            found.setdefault(word, []).extend(taken)
    return found


def _shown(lines: Sequence[str], name: str) -> str | None:
    """The lines without their common indentation and with blanks for the name; none if nobody
    could read them."""
    lines = [line.rstrip().expandtabs(4) for line in lines]
    full = [line for line in lines if line]
    if len(lines) < LINES or len(full) < LEAST or max(map(len, full)) > LONGEST:
        return None
    if not all(line.isprintable() for line in full):
        return None
    margin = min(len(line) - len(line.lstrip()) for line in full)
    return blanked("\n".join(line[margin:] for line in lines), name)


def blanked(text: str, name: str) -> str:
    """The text with blanks where the name stands as a whole word.

    >>> blanked("len = a.len + length; // len", "len")
    '_____ = a._____ + length; // _____'
    """
    return re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", BLANK, text)


def _picked(candidates: Sequence[Context], wanted: int) -> list[Context]:
    """From different files first; candidates are sorted. The same text only once."""
    found: list[Context] = []
    texts: set[str] = set()
    for different in (True, False):
        for one in candidates:
            if len(found) == wanted:
                break
            seen = {two.sha256 for two in found} if different else set()
            if one.text not in texts and one.sha256 not in seen:
                texts.add(one.text)
                found.append(one)
    return found
