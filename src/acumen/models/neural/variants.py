"""Certified variants of methods, as something a network may learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

from acumen.api import AcumenError, Sight
from acumen.datasets.built import read_built

_VARIANTS = "variants.jsonl"


def with_variants(sight: Sight, folder: Path) -> Any:
    """A sight that also has ``variant``: of a method a text that means the same, "" for none. Of
    several variants one is drawn, by the ids alone."""
    held: dict[str, tuple[int, str]] = {}
    for row in read_built(folder).rows(_VARIANTS):
        lot = crc32(f"{row['method']} {row['id']}".encode())
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
