"""How methods are named elsewhere: the verb a name begins with, given what the method does.

A verb is a name's first word, if many methods of several projects begin with it. Other first words
have four classes: a word of what is returned (``NRET``: an accessor without ``get``), of the return
type, of the body, or of none of these. A logistic regression over traits tells how likely each is.

It is learned from corpora (``acumen names learn``); the one in the package is of the JDK and of
libraries that are in nobody's test set.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from acumen.api import AcumenError, Json
from acumen.models.naming.facts import Facts
from acumen.models.naming.traits import traits, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

OTHERS = ("<returned>", "<type>", "<body>", "<other>")
SCHEMA = "acumen.naming/1"
# Weights are stored as bytes: a step is this much.
STEP = 1 / 16


def other_class(facts: Facts, first: str) -> int:
    """Which of ``OTHERS`` a first word belongs to, if it is no verb."""
    if any(first in words(name) for name in facts.returned_names):
        return 0
    if first in words(facts.returned):
        return 1
    return 2 if any(first in words(name) for name in facts.identifiers) else 3


@dataclass(frozen=True)
class Background:
    """``weights`` has a row for each trait and a column for each verb and each of ``OTHERS``.
    ``names`` counts whole names; ``about`` tells where it comes from."""

    verbs: tuple[str, ...]
    traits: tuple[str, ...]
    weights: NDArray[np.float32]
    shares: NDArray[np.float32]
    names: dict[str, int]
    # Weights of the signals, by name (``weigh``).
    combination: dict[str, float] = field(default_factory=dict)
    about: dict[str, Json] = field(default_factory=dict)

    @cached_property
    def _trait(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.traits)}

    @cached_property
    def _verb(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.verbs)}

    def place(self, facts: Facts, name: str) -> int:
        """The column of a name's first word."""
        first = (words(name) or ("",))[0]
        found = self._verb.get(first)
        return len(self.verbs) + other_class(facts, first) if found is None else found

    def title(self, place: int) -> str:
        return (*self.verbs, *OTHERS)[place]

    def known(self, facts: Facts) -> list[int]:
        """The rows of its traits."""
        return [found for one in traits(facts) if (found := self._trait.get(one)) is not None]

    def log_probabilities(self, methods: Sequence[Facts]) -> NDArray[np.float32]:
        """A row for each method, a column for each verb and each of ``OTHERS``."""
        from acumen.models.naming._background_kernel import log_probabilities

        rows = [self.known(one) for one in methods]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        flat = np.fromiter((one for row in rows for one in row), np.int32, int(offsets[-1]))
        return log_probabilities(offsets, flat, self.weights)

    def reasons(self, facts: Facts, instead: int, than: int, most: int = 3) -> list[str]:
        """The traits that speak most for one verb and against another."""
        rows = self.known(facts)
        gain = self.weights[rows, instead] - self.weights[rows, than]
        best = np.argsort(-gain, kind="stable")[:most]
        return [self.traits[rows[one]] for one in best if gain[one] > 0]

    # ---------------------------------------------------------------- on disk

    def to_bytes(self) -> bytes:
        """The same bytes for the same background. Weights are rounded to ``STEP``."""
        rounded = np.clip(np.rint(self.weights / STEP), -127, 127).astype(np.int8)
        kept = {
            "schema": SCHEMA, "verbs": self.verbs, "traits": self.traits, "about": self.about,
            "names": sorted(self.names.items()), "combination": self.combination,
        }  # fmt: skip
        out = io.BytesIO()
        text = json.dumps(kept, separators=(",", ":")).encode()
        np.savez_compressed(
            out, weights=rounded, shares=self.shares, kept=np.frombuffer(text, np.uint8)
        )
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Background:
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                kept = json.loads(arrays["kept"].tobytes())
                if kept["schema"] != SCHEMA:
                    raise KeyError(kept["schema"])
                return cls(
                    tuple(kept["verbs"]),
                    tuple(kept["traits"]),
                    arrays["weights"].astype(np.float32) * np.float32(STEP),
                    arrays["shares"],
                    dict(kept["names"]),
                    kept["combination"],
                    kept["about"],
                )
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise AcumenError(
                f"{where} is no background of names ({error})", "`acumen names learn` makes one"
            ) from error


def read_background(path: Path) -> Background:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AcumenError(
            f"{path} cannot be read ({error.strerror})", "`acumen names learn` makes a background"
        ) from error
    return Background.from_bytes(data, str(path))


@lru_cache(maxsize=1)
def shipped() -> Background:
    """The one that comes with the package."""
    data = files("acumen.models.naming").joinpath("data", "background.npz").read_bytes()
    return Background.from_bytes(data, "the background in the package")
