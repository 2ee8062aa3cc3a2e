"""Collect the data of the page's variant viewer: code before and after, and the predicted names.

A page cannot hold a million variants, so some are sampled by hashes, which do not depend on order
or machine: mostly variants with a changed name, and one of each method before a second of any.
Tokens that differ are marked. White space is not a token, so code whose indentation alone changed
is not marked. The script ``variants.js`` shows the data.

In a variant's row, ``where`` is the mode (``single``, ``all`` or a share) and ``place`` the end of
its id: the changed locations for ``single``, else the mode. In an original's row, ``where`` is its
file and line.
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
from codeacumen.metrics.prediction_change import CHANGED, classify_change
from codeacumen.report.instances import format_value
from codeacumen.report.merged_runs import Evidence
from codeacumen.tasks.base import StandardTask
from codeacumen.text.subtokens import split_subtokens

# Start and end of a span of text, in characters.
Span = tuple[int, int]

# Text blocks, strings, characters, comments, words and numbers, single signs.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|//[^\n]*|/\*.*?\*/|[\w$]+|\S",
    re.DOTALL,
)


def find_differences(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of the first text's tokens that the second lacks, and vice versa.

    >>> find_differences("int a = b;", "int c = b;")
    ([(4, 5)], [(4, 5)])
    """
    old, new = _tokenize(before), _tokenize(after)
    old_words, new_words = ([text for text, _ in tokens] for tokens in (old, new))
    # Strip the common prefix and suffix first: most tokens are equal.
    prefix = _count_common_prefix(old_words, new_words)
    suffix = _count_common_prefix(old_words[prefix:][::-1], new_words[prefix:][::-1])
    middle = SequenceMatcher(
        None,
        old_words[prefix : len(old_words) - suffix],
        new_words[prefix : len(new_words) - suffix],
        autojunk=False,
    )
    removed: list[Span] = []
    added: list[Span] = []
    for operation, i1, i2, j1, j2 in middle.get_opcodes():
        if operation != "equal":
            removed += _merge_spans(before, old[prefix + i1 : prefix + i2])
            added += _merge_spans(after, new[prefix + j1 : prefix + j2])
    return removed, added


def _count_common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the number of equal items at the beginning of both."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _tokenize(text: str) -> list[tuple[str, Span]]:
    """Return the tokens of a text with their spans."""
    return [(match[0], match.span()) for match in _TOKEN.finditer(text)]


def _merge_spans(text: str, tokens: Sequence[tuple[str, Span]]) -> list[Span]:
    """Return the spans of adjacent tokens, merged within a line, so that no span has indentation.

    A token of several lines, such as a comment, stays one span.
    """
    spans: list[Span] = []
    for _, (start, end) in tokens:
        if spans and "\n" not in text[spans[-1][1] : start]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def remove_common_indentation(*texts: str) -> list[str]:
    """Return methods without the common indentation of all their lines after the first."""
    margins = [
        line[: len(line) - len(line.lstrip(" \t"))]
        for text in texts
        for line in text.split("\n")[1:]
        if line.strip()
    ]
    margin = min(
        (_count_common_prefix(margins[0], line_margin) for line_margin in margins), default=0
    )
    return [
        "\n".join([first, *(line[margin:] if line.strip() else "" for line in rest)])
        for first, *rest in (text.split("\n") for text in texts)
    ]


# Maximum number of shown variants, and of their characters with those of their originals.
MOST_VARIANTS = 200
MOST_CHARACTERS = 600_000
# Maximum characters of a shown method: a longer one is hard to read in a page.
LONGEST = 5_000
# Maximum number of variants of a transformation to sample from.
MOST_LOOKED_AT = 5_000
# Tags of instances.
ORIGINAL, VARIANT = "original", "variant"


@dataclass(frozen=True, slots=True)
class _Variant:
    """A variant with its original and, in the order of the models, their predictions.

    ``kind`` is the transformation. ``changed`` means that the predicted name changed for at least
    one model. A prediction is as ``_describe_prediction`` returns it.
    """

    kind: str
    instance: Instance
    original: Instance
    predictions: list[Json]
    changed: bool


def build_variant_data(evidence: Mapping[str, Evidence], models: Sequence[str]) -> dict[str, Any]:
    """Return the data of the viewer; ``evidence`` is by transformation.

    A transformation without a data set has no instances in its evidence, and so no variants.
    """
    candidates = {
        kind: list(_list_variants(kind, kind_evidence, models))
        for kind, kind_evidence in evidence.items()
    }
    sampled = _sample_variants(
        {kind: variants for kind, variants in candidates.items() if variants}
    )
    about = _locate_originals(
        [kind_evidence for kind_evidence in evidence.values() if kind_evidence.instances], sampled
    )
    originals: dict[str, int] = {}
    texts: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for variant in sampled:
        before, after = remove_common_indentation(
            _get_text(variant.original), _get_text(variant.instance)
        )
        # The remaining indentation of an original may differ from variant to variant.
        key = f"{variant.original.id}\n{before}"
        if key not in originals:
            originals[key] = len(texts)
            texts.append(
                {
                    "text": before,
                    "name": format_value(variant.original.truth),
                    **about[variant.original.id],
                }
            )
        removed, added = find_differences(before, after)
        # The mode, after the six characters ``where:``.
        where = next((tag[6:] for tag in variant.instance.tags if tag.startswith("where:")), "")
        rows.append(
            {
                "original": originals[key],
                "kind": variant.kind,
                "where": where,
                "place": variant.instance.id.rsplit("/", 1)[-1],
                "text": after,
                "removed": removed,
                "added": added,
                "predictions": variant.predictions,
                "changed": variant.changed,
            }
        )
    return {
        "models": models,
        "originals": texts,
        "variants": rows,
        "total": sum(_count_variants(kind_evidence) for kind_evidence in evidence.values()),
        "longest": LONGEST,
    }


def _count_variants(evidence: Evidence) -> int:
    return sum(VARIANT in instance.tags for instance in evidence.instances)


def _get_text(instance: Instance) -> str:
    return str(getattr(instance.input, "text", ""))


def _hash_id(instance: Instance) -> bytes:
    return hashlib.sha256(instance.id.encode("utf-8", "replace")).digest()


def _list_variants(kind: str, evidence: Evidence, models: Sequence[str]) -> Iterator[_Variant]:
    """Yield the short variants of a transformation in the order of their hashes, up to a limit."""
    originals = {
        instance.cluster: instance for instance in evidence.instances if ORIGINAL in instance.tags
    }
    short = [
        instance
        for instance in evidence.instances
        if VARIANT in instance.tags
        and instance.cluster in originals
        and max(len(_get_text(instance)), len(_get_text(originals[instance.cluster]))) <= LONGEST
    ]
    for instance in sorted(short, key=_hash_id)[:MOST_LOOKED_AT]:
        predictions = [
            _describe_prediction(
                instance.truth, evidence.postprocessed.get(model, {}).get(instance.id)
            )
            for model in models
        ]
        changed = any(
            prediction is not None and prediction.get("type") in CHANGED
            for prediction in predictions
        )
        yield _Variant(kind, instance, originals[instance.cluster], predictions, changed)


def _describe_prediction(truth: Json, answer: Answer | None) -> Json:
    """Return both names and the type of the change, or an error; None without an answer."""
    if answer is None:
        return None
    if answer.error or not isinstance(answer.value, dict):
        return {"error": format_value(answer.error or "no pair of names")}
    before, after = (answer.value.get(when) for when in ("before", "after"))
    if not isinstance(truth, str) or not isinstance(before, str) or not isinstance(after, str):
        return {"error": "an answer is not a name"}
    return {
        "before": format_value(before),
        "after": format_value(after),
        "type": classify_change(split_subtokens, truth, before, after),
    }


def _sample_variants(candidates: Mapping[str, Sequence[_Variant]]) -> list[_Variant]:
    """Return equally many variants of each transformation, three quarters of them with a change.

    If a transformation has too few, variants of the others take their place. The result is sorted
    by transformation, with changed variants first.
    """
    if not candidates:
        return []
    share = MOST_VARIANTS // len(candidates)
    sampled: list[_Variant] = []
    remaining: list[_Variant] = []
    for variants in candidates.values():
        changed = _interleave_methods([variant for variant in variants if variant.changed])
        same = _interleave_methods([variant for variant in variants if not variant.changed])
        # Number of changed variants, then of unchanged ones, to take from this transformation.
        first = max(share * 3 // 4, share - len(same))
        rest = share - len(changed[:first])
        sampled += changed[:first] + same[:rest]
        remaining += changed[first:] + same[rest:]
    remaining.sort(key=lambda variant: (not variant.changed, _hash_id(variant.instance)))
    sampled += remaining[: MOST_VARIANTS - len(sampled)]
    kinds = list(candidates)
    sampled.sort(
        key=lambda variant: (
            kinds.index(variant.kind),
            not variant.changed,
            _hash_id(variant.instance),
        )
    )
    return _limit_characters(sampled)


def _interleave_methods(variants: Sequence[_Variant]) -> list[_Variant]:
    """Return the variants reordered: the first one of each method, then the second ones, etc."""
    counts: Counter[str] = Counter()
    ranks = []
    for index, variant in enumerate(variants):
        ranks.append((counts[variant.instance.cluster], index))
        counts[variant.instance.cluster] += 1
    return [variants[index] for _, index in sorted(ranks)]


def _limit_characters(variants: Sequence[_Variant]) -> list[_Variant]:
    """Return all variants, or about as many as have ``MOST_CHARACTERS``, evenly spaced."""
    sizes = [
        len(_get_text(variant.instance)) + len(_get_text(variant.original)) for variant in variants
    ]
    if sum(sizes) <= MOST_CHARACTERS:
        return list(variants)
    # Keep one of ``step`` variants; ``total`` is the index from which the next one is kept.
    step = sum(sizes) / MOST_CHARACTERS
    selected, total = [], 0.0
    for index, variant in enumerate(variants):
        if index >= total:
            selected.append(variant)
            total += step
    return selected


def _locate_originals(
    evidence: Sequence[Evidence], sampled: Sequence[_Variant]
) -> dict[str, dict[str, Json]]:
    """Return file and line of each sampled original by id, as ``{"where": "project/path:line"}``.

    The text is empty if the data set is not available.
    """
    locations = {variant.original.id: {"where": ""} for variant in sampled}
    folders = {}
    for kind_evidence in evidence:
        built = kind_evidence.task.built if isinstance(kind_evidence.task, StandardTask) else None
        if built is not None:
            folders[built.folder] = built
    for built in folders.values():
        for row in built.read_rows(ORIGINALS):
            if row["id"] in locations:
                path = "/".join(str(row[key]) for key in ("project", "path"))
                locations[row["id"]] = {"where": f"{path}:{row['line']}"}
    return locations
