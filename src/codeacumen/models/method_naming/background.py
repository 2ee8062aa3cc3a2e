"""Naming habits of other code: the probability of a name's first verb, given the method's traits.

A verb is a first word with which many methods of several projects begin. Other first words are in
four classes (``OTHERS``): a word of the returned variable (an accessor without ``get``), of the
return type, of the body, or none of these. A logistic regression on traits (module ``traits``)
predicts the verb or class; each is a **column** of its weights. Verbs with the same promise are a
**family** (``FAMILIES``).

``research/naming_background`` trains a background on corpora; the package ships one of the JDK and
of libraries that are in no test set.
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

from codeacumen.api import CodeacumenError, Json
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.traits import describe_trait, list_traits, split_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Verbs with the same promise. ``generate`` instead of ``create`` is a matter of taste, ``get``
# instead of ``set`` is an error: a verb is doubted only in favour of a family with another promise.
# Verbs without a specific promise (``process``, ``handle``, ``init``) are in no family. Neither are
# rare verbs such as ``peek``, because programmers choose them deliberately.
FAMILIES: dict[str, tuple[str, ...]] = {
    "get": ("get", "fetch", "retrieve"),
    "set": ("set", "assign"),
    "ask": ("is", "has", "can", "should", "are", "contains", "matches", "supports", "equals"),
    "add": ("add", "append", "insert", "push", "prepend", "enqueue"),
    "remove": ("remove", "delete", "clear", "drop"),
    "convert": ("to", "as", "convert"),
    "create": ("create", "new", "make", "build", "generate", "construct", "instantiate"),
}  # fmt: skip

# Families that contradict a family. ``get`` does not contradict ``remove`` or ``create``: a method
# may return what it removes, or create by getting from a cache.
OPPOSED: dict[str, frozenset[str]] = {
    "get": frozenset(("set", "add", "remove")),
    "set": frozenset(("get", "ask", "remove")),
    "ask": frozenset(("get", "set", "add", "remove")),
    "add": frozenset(("get", "ask", "remove")),
    "remove": frozenset(("add", "set", "ask")),
    "convert": frozenset(("set", "ask", "add", "remove")),
    "create": frozenset(("set", "ask", "remove")),
}

# Maximum number of traits that the reason of a finding mentions.
_MAX_TRAITS = 3
FAMILY_OF = {verb: family for family, verbs in FAMILIES.items() for verb in verbs}
# Words of a finding for the promise of each family.
PROMISES = {
    "get": "get something",
    "set": "set something",
    "ask": "answer a question",
    "add": "add something",
    "remove": "remove something",
    "convert": "convert something",
    "create": "create something",
}

OTHERS = ("<returned>", "<type>", "<body>", "<other>")
SCHEMA = "codeacumen.naming/1"
# Keys of ``Background.combination``: the divisor of the logits, and the intercept.
TEMPERATURE, ALWAYS = "temperature", "always"
# Weights are stored as bytes in units of this step.
STEP = 1 / 16


def quantize_weights(weights: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return the weights in units of ``STEP``, as they are stored."""
    steps: NDArray[np.int8] = np.clip(np.rint(weights / STEP), -127, 127).astype(np.int8)
    return steps


def compute_log_probabilities(
    rows: Sequence[Sequence[int]], weights: NDArray[np.float32], temperature: float = 1.0
) -> NDArray[np.float32]:
    """Return the log-probabilities (methods, columns) for each method's list of trait rows.

    The loop is plain Python, because loading compiled code takes as long as thousands of methods.
    """
    scores = np.zeros((len(rows), weights.shape[1]), np.float32)
    for index, row in enumerate(rows):
        scores[index] = weights[list(row)].sum(axis=0)
    scores /= np.float32(temperature)
    scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
    return scores


def classify_other_word(facts: Facts, first: str) -> int:
    """Return the index in ``OTHERS`` of the class of ``first``, a name's first word that is no
    verb."""
    if any(first in split_words(name) for name in facts.returned_names):
        return 0
    if first in split_words(facts.returned):
        return 1
    return 2 if any(first in split_words(name) for name in facts.identifiers) else 3


@dataclass(frozen=True)
class Background:
    """Logistic regression of first words on traits.

    ``weights`` has a row for each trait and a column for each verb and each of ``OTHERS``;
    ``shares`` are the logarithms of the columns' shares of the training data. ``names`` has the
    number of methods with each whole name; ``about`` describes the origin of the data.
    """

    verbs: tuple[str, ...]
    traits: tuple[str, ...]
    weights: NDArray[np.float32]
    shares: NDArray[np.float32]
    names: dict[str, int]
    # Weights of the signals by name, from research/naming_background/weigh.py.
    combination: dict[str, float] = field(default_factory=dict)
    about: dict[str, Json] = field(default_factory=dict)

    @property
    def temperature(self) -> float:
        """Divisor of the logits (temperature scaling), against overconfidence on new projects."""
        return float(self.combination.get(TEMPERATURE, 1.0))

    @cached_property
    def _trait_rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.traits)}

    @cached_property
    def _verb_columns(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.verbs)}

    def find_column(self, facts: Facts, name: str) -> int:
        """Return the column of the first word of ``name``, the method's own or another name."""
        first = (split_words(name) or ("",))[0]
        column = self._verb_columns.get(first)
        return len(self.verbs) + classify_other_word(facts, first) if column is None else column

    def list_columns(self, family: str) -> list[int]:
        """Return the columns of the verbs of a family."""
        return [self._verb_columns[verb] for verb in FAMILIES[family] if verb in self._verb_columns]

    def get_title(self, column: int) -> str:
        return (*self.verbs, *OTHERS)[column]

    def find_rows(self, facts: Facts) -> list[int]:
        """Return the rows of a method's traits."""
        return [
            row for trait in list_traits(facts) if (row := self._trait_rows.get(trait)) is not None
        ]

    def compute_log_probabilities(self, methods: Sequence[Facts]) -> NDArray[np.float32]:
        """Return a row for each method with a column for each verb and each of ``OTHERS``."""
        return compute_log_probabilities(
            [self.find_rows(facts) for facts in methods], self.weights, self.temperature
        )

    def explain_families(self, facts: Facts, better: str, worse: str) -> list[str]:
        """Return the traits that favour one family of verbs most over another, in words."""
        rows = self.find_rows(facts)
        family_weights = {
            family: self.weights[np.ix_(rows, self.list_columns(family))].max(axis=1)
            for family in (better, worse)
        }
        return self._describe_traits(rows, family_weights[better] - family_weights[worse])

    def explain_column(self, facts: Facts, column: int, other: int) -> list[str]:
        """Return the traits that favour one column most over another, in words."""
        rows = self.find_rows(facts)
        gain = self.weights[rows, column] - self.weights[rows, other]
        return self._describe_traits(rows, gain)

    def _describe_traits(self, rows: Sequence[int], gain: NDArray[np.float32]) -> list[str]:
        """Return the traits with the greatest gains above 0 in words, the greatest first."""
        best = [index for index in np.argsort(-gain, kind="stable").tolist() if gain[index] > 0]
        texts = (describe_trait(self.traits[rows[index]]) for index in best)
        return list(dict.fromkeys(text for text in texts if text))[:_MAX_TRAITS]

    # ---------------------------------------------------------------- on disk

    def to_bytes(self) -> bytes:
        """Return the bytes of the file, the same for the same background.

        Weights are rounded to multiples of ``STEP``.
        """
        record = {
            "schema": SCHEMA,
            "verbs": self.verbs,
            "traits": self.traits,
            "about": self.about,
            "names": sorted(self.names.items()),
            "combination": self.combination,
        }
        out = io.BytesIO()
        text = json.dumps(record, separators=(",", ":")).encode()
        np.savez_compressed(
            out,
            weights=quantize_weights(self.weights),
            shares=self.shares,
            kept=np.frombuffer(text, np.uint8),
        )
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Background:
        """Return the background in the bytes of a file; error messages call the file ``where``."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                record = json.loads(arrays["kept"].tobytes())
                if record["schema"] != SCHEMA:
                    raise KeyError(record["schema"])
                return cls(
                    tuple(record["verbs"]),
                    tuple(record["traits"]),
                    arrays["weights"].astype(np.float32) * np.float32(STEP),
                    arrays["shares"],
                    dict(record["names"]),
                    record["combination"],
                    record["about"],
                )
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise CodeacumenError(
                f"{where} is no background of names ({error})",
                "research/naming_background of the repository makes one",
            ) from error


def read_background(path: Path) -> Background:
    """Read a background from a file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CodeacumenError(
            f"{path} cannot be read ({error.strerror})",
            "research/naming_background of the repository makes one",
        ) from error
    return Background.from_bytes(data, str(path))


@lru_cache(maxsize=1)
def load_shipped_background() -> Background:
    """Return the background that the package ships."""
    data = files("codeacumen.models.method_naming").joinpath("data", "background.npz").read_bytes()
    return Background.from_bytes(data, "the background in the package")
