"""Certified variants of methods, as something a network may learn from."""

from __future__ import annotations

import math
from hashlib import blake2b
from pathlib import Path
from typing import Any

from acumen.api import AcumenError, Sight
from acumen.datasets.built import read_built

_VARIANTS = "variants.jsonl"


def with_variants(sight: Sight, folder: Path) -> Any:
    """A sight that also has ``variant``: of a method a text that means the same, "" for none. Of
    several variants one is drawn, by the ids alone; one of a kind of which there are half as many
    is drawn twice as often, for nearly every method has variables to rename, and few a switch."""
    built = read_built(folder)
    many = {kind: sum(some.values()) for kind, some in built.about["counts"]["variants"].items()}
    held: dict[str, tuple[float, str]] = {}
    for row in built.rows(_VARIANTS):
        drawn = blake2b(f"{row['method']} {row['id']}".encode(), digest_size=6).digest()
        # How long one waits for it: the more there are of its kind, the longer. The first is taken.
        lot = -math.log((int.from_bytes(drawn) + 1) / 2**48) * many[row["kind"]]
        known = held.get(row["method"])
        if known is None or lot < known[0]:
            held[row["method"]] = (lot, row["text"])
    return _Varied(sight, {method: text for method, (_, text) in held.items()})


class _Varied:
    def __init__(self, sight: Sight, texts: dict[str, str]) -> None:
        self._sight, self._texts = sight, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sight, name)

    def variant(self, method: str) -> str:
        return self._texts.get(method, "")


def variants_hash(folder: Path) -> str:
    """What its data set says they are: to go on with a training the file itself is not needed."""
    known = read_built(folder).about["files"].get(_VARIANTS)
    if known is None:
        raise AcumenError(
            f"{folder} holds no variants", "`acumen dataset robustness --split train` makes some"
        )
    return str(known)
