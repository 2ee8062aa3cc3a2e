"""Collect the data of the page's variant viewer: code before and after, and the predicted names.

A page cannot hold a million variants, so some are sampled by hashes, which do not depend on order
or machine: variants with a changed name first, and one of each method before a second of any.
Tokens that differ are marked. White space is not a token, so code that is only indented is not
marked.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

from codeacumen.api import Answer, Instance, Json
from codeacumen.datasets.variants import ORIGINALS
from codeacumen.metrics.changes import CHANGED, change_type
from codeacumen.report.evidence import Evidence
from codeacumen.report.instances import plain
from codeacumen.tasks.base import StandardTask
from codeacumen.text.subtokens import subtokens

# Start and end of a span of text, in characters.
Stretch = tuple[int, int]

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|//[^\n]*|/\*.*?\*/|[\w$]+|\S",
    re.DOTALL,
)


def differences(before: str, after: str) -> tuple[list[Stretch], list[Stretch]]:
    """Return the spans of each text that the other does not have.

    >>> find_differences("int a = b;", "int c = b;")
    ([(4, 5)], [(4, 5)])
    """
    old, new = _tokens(before), _tokens(after)
    words, others = ([text for text, _ in tokens] for tokens in (old, new))
    # Strip the common prefix and suffix first: most tokens are equal.
    first = _alike(words, others)
    last = _alike(words[first:][::-1], others[first:][::-1])
    middle = SequenceMatcher(
        None, words[first : len(words) - last], others[first : len(others) - last], autojunk=False
    )
    gone: list[Stretch] = []
    come: list[Stretch] = []
    for what, i1, i2, j1, j2 in middle.get_opcodes():
        if what != "equal":
            gone += _stretches(before, old[first + i1 : first + i2])
            come += _stretches(after, new[first + j1 : first + j2])
    return gone, come


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    """Return the number of equal items at the beginning of both."""
    pairs = zip(some, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _tokens(text: str) -> list[tuple[str, Stretch]]:
    return [(found[0], found.span()) for found in _TOKEN.finditer(text)]


def _stretches(text: str, tokens: Sequence[tuple[str, Stretch]]) -> list[Stretch]:
    """Return one span per line of tokens, so that no span contains indentation."""
    found: list[Stretch] = []
    for _, (start, end) in tokens:
        if found and "\n" not in text[found[-1][1] : start]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def dedented(*texts: str) -> list[str]:
    """Return methods without the common indentation of all their lines after the first."""
    margins = [
        line[: len(line) - len(line.lstrip(" \t"))]
        for text in texts
        for line in text.split("\n")[1:]
        if line.strip()
    ]
    margin = min((_alike(margins[0], one) for one in margins), default=0)
    return [
        "\n".join([first, *(line[margin:] if line.strip() else "" for line in rest)])
        for first, *rest in (text.split("\n") for text in texts)
    ]


MOST_VARIANTS = 200
MOST_CHARACTERS = 600_000
# A longer method is hard to read in a page.
LONGEST = 5_000
# Maximum number of variants of a transformation to choose from.
MOST_LOOKED_AT = 5_000
ORIGINAL, VARIANT = "original", "variant"


@dataclass(frozen=True, slots=True)
class _Variant:
    """A variant with its original and the models' predictions."""

    kind: str
    instance: Instance
    original: Instance
    said: list[Json]
    changed: bool


def variant_data(evidence: Mapping[str, Evidence], models: Sequence[str]) -> dict[str, Any]:
    """Return the data of the viewer; ``evidence`` is by transformation.

    Without a data set there are no variants.
    """
    looked_at = {kind: list(_variants(kind, one, models)) for kind, one in evidence.items()}
    drawn = _drawn({kind: found for kind, found in looked_at.items() if found})
    about = _about([one for one in evidence.values() if one.instances], drawn)
    originals: dict[str, int] = {}
    texts: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for one in drawn:
        before, after = dedented(_text(one.original), _text(one.instance))
        # The remaining indentation of an original may differ from variant to variant.
        key = f"{one.original.id}\n{before}"
        if key not in originals:
            originals[key] = len(texts)
            texts.append(
                {"text": before, "name": plain(one.original.truth), **about[one.original.id]}
            )
        gone, come = differences(before, after)
        where = next((tag[6:] for tag in one.instance.tags if tag.startswith("where:")), "")
        rows.append(
            {
                "original": originals[key],
                "kind": one.kind,
                "where": where,
                "place": one.instance.id.rsplit("/", 1)[-1],
                "text": after,
                "gone": gone,
                "come": come,
                "said": one.said,
                "changed": one.changed,
            }
        )
    return {
        "models": models,
        "originals": texts,
        "variants": rows,
        "known": sum(_count(one) for one in evidence.values()),
        "longest": LONGEST,
    }


def _count(evidence: Evidence) -> int:
    return sum(VARIANT in one.tags for one in evidence.instances)


def _text(instance: Instance) -> str:
    return str(getattr(instance.input, "text", ""))


def _hash(instance: Instance) -> bytes:
    return hashlib.sha256(instance.id.encode("utf-8", "replace")).digest()


def _variants(kind: str, evidence: Evidence, models: Sequence[str]) -> Iterator[_Variant]:
    originals = {one.cluster: one for one in evidence.instances if ORIGINAL in one.tags}
    short = [
        one
        for one in evidence.instances
        if VARIANT in one.tags
        and one.cluster in originals
        and max(len(_text(one)), len(_text(originals[one.cluster]))) <= LONGEST
    ]
    for one in sorted(short, key=_hash)[:MOST_LOOKED_AT]:
        said = [_said(one.truth, evidence.read.get(model, {}).get(one.id)) for model in models]
        changed = any(what is not None and what.get("type") in CHANGED for what in said)
        yield _Variant(kind, one, originals[one.cluster], said, changed)


def _said(truth: Json, answer: Answer | None) -> Json:
    """Return both names and the type of the change, or an error."""
    if answer is None:
        return None
    if answer.error or not isinstance(answer.value, dict):
        return {"error": plain(answer.error or "no pair of names")}
    before, after = (answer.value.get(when) for when in ("before", "after"))
    if not isinstance(truth, str) or not isinstance(before, str) or not isinstance(after, str):
        return {"error": "an answer is not a name"}
    return {
        "before": plain(before),
        "after": plain(after),
        "type": change_type(subtokens, truth, before, after),
    }


def _drawn(looked_at: Mapping[str, Sequence[_Variant]]) -> list[_Variant]:
    """Return equally many variants of each transformation, three quarters of them with a change.

    If a transformation has too few, the others fill up. Changed variants come first.
    """
    if not looked_at:
        return []
    share = MOST_VARIANTS // len(looked_at)
    taken: list[_Variant] = []
    left: list[_Variant] = []
    for variants in looked_at.values():
        changed = _by_method([one for one in variants if one.changed])
        same = _by_method([one for one in variants if not one.changed])
        first = max(share * 3 // 4, share - len(same))
        rest = share - len(changed[:first])
        taken += changed[:first] + same[:rest]
        left += changed[first:] + same[rest:]
    left.sort(key=lambda one: (not one.changed, _hash(one.instance)))
    taken += left[: MOST_VARIANTS - len(taken)]
    kinds = list(looked_at)
    taken.sort(key=lambda one: (kinds.index(one.kind), not one.changed, _hash(one.instance)))
    return _within_budget(taken)


def _by_method(variants: Sequence[_Variant]) -> list[_Variant]:
    """Return the variants with the first one of each method first, then the second ones, etc."""
    seen: Counter[str] = Counter()
    turns = []
    for place, one in enumerate(variants):
        turns.append((seen[one.instance.cluster], place))
        seen[one.instance.cluster] += 1
    return [variants[place] for _, place in sorted(turns)]


def _within_budget(variants: Sequence[_Variant]) -> list[_Variant]:
    """Return all variants, or as many as the page can hold, evenly spaced."""
    sizes = [len(_text(one.instance)) + len(_text(one.original)) for one in variants]
    if sum(sizes) <= MOST_CHARACTERS:
        return list(variants)
    step = sum(sizes) / MOST_CHARACTERS
    kept, total = [], 0.0
    for place, one in enumerate(variants):
        if place >= total:
            kept.append(one)
            total += step
    return kept


def _about(evidence: Sequence[Evidence], drawn: Sequence[_Variant]) -> dict[str, dict[str, Json]]:
    """Return the file and line of each original, from its data set."""
    wanted = {one.original.id: {"where": ""} for one in drawn}
    folders = {}
    for one in evidence:
        built = one.task.built if isinstance(one.task, StandardTask) else None
        if built is not None:
            folders[built.folder] = built
    for built in folders.values():
        for row in built.rows(ORIGINALS):
            if row["id"] in wanted:
                place = "/".join(str(row[key]) for key in ("project", "path"))
                wanted[row["id"]] = {"where": f"{place}:{row['line']}"}
    return wanted
