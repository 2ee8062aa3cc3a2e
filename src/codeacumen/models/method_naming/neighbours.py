"""Nearest-neighbour index over the methods of a corpus, by body and by name; ``spot`` queries it.

Bodies are compared by their traits (module ``traits``, without the traits of the declaring type),
names by their words. Both become vectors of a ``search.vectors.WordSpace``, compared by cosine. The
index holds the methods whose name their author chose freely, as the background does
(``research/naming_background``). Names with the same words share one vector; each body has its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.files import ShardFiles, process_files, select_files
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.facts import Facts, is_named_freely, read_facts
from codeacumen.models.method_naming.traits import list_traits, simple_owner, split_words
from codeacumen.registry import hash_packages
from codeacumen.search import store
from codeacumen.search.store import StoredIndex
from codeacumen.search.vectors import (
    Bags,
    DenseIndex,
    WordSpace,
    fit_space,
    join_bags,
    load_faiss,
    make_bags,
)

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.engines import Engine


# Files of this folder that an index depends on, besides codeacumen.languages and codeacumen.search.
_CODE = ("facts.py", "neighbours.py", "syntax.py", "traits.py")
_LIBRARIES = ("faiss-cpu", "numpy", "scikit-learn", "scipy", "tree-sitter-java")
# Prefixes of the traits of the declaring type, and the trait that all methods have; bodies are
# compared without them.
_AROUND = ("in ", "is a ", "owner ", "always")
# Words in the paths of files that the index leaves out.
_SET_ASIDE = re.compile("test|sample|example|template|demo", re.IGNORECASE)

# Values of ``NeighbourSettings.space``.
SPACES = ("first", "words")


@dataclass(frozen=True, slots=True)
class NeighbourSettings:
    """Settings of the index.

    ``dimensions`` are those of all vectors. A trait that fewer than ``rare`` methods have is left
    out, and so is a word that fewer than ``rare`` distinct names have. ``space`` selects the
    features of a name: ``words``, or ``first`` for its words and its first word marked as such.
    """

    dimensions: int = 128
    space: str = "first"
    rare: int = 5
    seed: int = 0


def is_set_aside(path: str) -> bool:
    """Return True if the path is of tests or samples, which the paper on Spot leaves out, too."""
    return _SET_ASIDE.search(path) is not None


def list_body_words(facts: Facts) -> list[str]:
    """Return the traits of a method without those of its declaring type.

    A query may be a method without its class.
    """
    return [
        trait for trait in list_traits(replace(facts, owner="")) if not trait.startswith(_AROUND)
    ]


def list_name_words(name: str, space: str) -> list[str]:
    """Return the distinct words of a name; with the space ``first``, also its marked first word."""
    distinct = list(dict.fromkeys(split_words(name)))
    return [f"first {distinct[0]}", *distinct] if distinct and space == "first" else distinct


def normalize_name(name: str) -> str:
    """Return the words of a name in lower case: a key that is equal for names of the same words."""
    return " ".join(split_words(name))


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A method of the corpus that is near to a query.

    ``index`` is its number in the index. ``name`` is as written in the corpus, ``meaning`` its key
    from ``normalize_name``. ``similarity`` is the cosine.
    """

    index: int
    name: str
    meaning: str
    similarity: float


class Neighbours:
    """Index of the methods of a corpus, read from its folder.

    A spelling is a name as written, a meaning its key from ``normalize_name``. Queries take
    batches, because single queries take several times as long.
    """

    def __init__(self, stored: StoredIndex) -> None:
        self.stored = stored
        self.settings = NeighbourSettings(**stored.load_value("settings"))
        self._spellings: list[str] = stored.load_value("spellings")
        self._meanings: list[str] = stored.load_value("meanings")
        self._owners: list[str] = stored.load_value("owners")
        # For each method the indices of its spelling and of its owner; for each spelling the index
        # of its meaning.
        self._spelling: NDArray[np.int32] = stored.load_array("spelling")
        self._owner: NDArray[np.int32] = stored.load_array("owner")
        self._meaning: NDArray[np.int32] = stored.load_array("meaning")

    def find_by_body(self, methods: Sequence[Facts], k: int) -> list[list[Neighbour]]:
        """Return for each method the k methods with the nearest bodies, the nearest first.

        The list is empty if the index has none of the body's traits.
        """
        space, index = self._body_index
        vectors = space.compute_vectors(make_bags(list_body_words(method) for method in methods))
        # Positions are -1 where the search finds fewer than k.
        positions, cosines = index.find_nearest(vectors, k)
        return [
            [
                self._make_neighbour(*pair)
                for pair in zip(row, row_cosines, strict=True)
                if pair[0] >= 0
            ]
            if vector.any()
            else []
            for row, row_cosines, vector in zip(
                positions.tolist(), cosines.tolist(), vectors, strict=True
            )
        ]

    def find_by_name(self, names: Sequence[str], k: int) -> list[list[Neighbour]]:
        """Return for each name the k methods with the nearest other names, the nearest first.

        Other names are those of another meaning. The list is empty if the index has none of the
        name's words.
        """
        space, index = self._name_index
        vectors = space.compute_vectors(
            make_bags(list_name_words(name, self.settings.space) for name in names)
        )
        # One more, because the name itself may be among them.
        positions, cosines = index.find_nearest(vectors, k + 1)
        neighbours = []
        for name, row, row_cosines, vector in zip(
            names, positions.tolist(), cosines.tolist(), vectors, strict=True
        ):
            own = self._meaning_numbers.get(normalize_name(name), -1)
            others = [
                (meaning, cosine)
                for meaning, cosine in zip(row, row_cosines, strict=True)
                if meaning >= 0 and meaning != own
            ]
            neighbours.append(self._list_methods(others, k) if vector.any() else [])
        return neighbours

    def _list_methods(self, meanings: Sequence[tuple[int, float]], k: int) -> list[Neighbour]:
        """Return the first k methods that have one of the names, in the order of the names.

        ``meanings`` are pairs (index of the meaning, cosine).
        """
        neighbours: list[Neighbour] = []
        order, starts = self._by_meaning
        for meaning, cosine in meanings:
            methods = order[starts[meaning] : starts[meaning + 1]][: k - len(neighbours)]
            neighbours += [self._make_neighbour(method, cosine) for method in methods.tolist()]
            if len(neighbours) == k:
                break
        return neighbours

    def get_owner(self, index: int) -> str:
        """Return the simple name of the type that declares a method."""
        return self._owners[int(self._owner[index])]

    def _make_neighbour(self, index: int, similarity: float) -> Neighbour:
        spelling = int(self._spelling[index])
        meaning = self._meanings[int(self._meaning[spelling])]
        return Neighbour(index, self._spellings[spelling], meaning, similarity)

    @cached_property
    def _body_index(self) -> tuple[WordSpace, DenseIndex]:
        return WordSpace.load(self.stored, "bodies"), DenseIndex.load(self.stored, "bodies")

    @cached_property
    def _name_index(self) -> tuple[WordSpace, DenseIndex]:
        return WordSpace.load(self.stored, "names"), DenseIndex.load(self.stored, "names")

    @cached_property
    def _meaning_numbers(self) -> dict[str, int]:
        return {meaning: number for number, meaning in enumerate(self._meanings)}

    @cached_property
    def _by_meaning(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Indices of the methods grouped by name, and the offset of each name's group."""
        meaning = self._meaning[self._spelling]
        counts = np.bincount(meaning, minlength=len(self._meanings))
        return np.argsort(meaning, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


# --------------------------------------------------------------------------------------
# Building
# --------------------------------------------------------------------------------------


def load_neighbours(
    corpus: Path,
    cache: Path,
    settings: NeighbourSettings,
    engine: Callable[[], Engine],
    step: Progress = ignore_progress,
) -> Neighbours:
    """Return the index of a corpus; build and cache it if there is none."""
    build = partial(_build_index, settings=settings, engine=engine, step=step)
    return Neighbours(store.open_or_build("neighbours", corpus, cache, build_key(settings), build))


def build_key(settings: NeighbourSettings) -> Json:
    """Return all that an index depends on besides the corpus: settings, code and libraries."""
    here = Path(__file__).parent
    own = sorted({file for pattern in _CODE for file in here.glob(pattern)})
    code = [hashlib.sha256(file.read_bytes()).hexdigest() for file in own]
    hashes = [hash_packages("codeacumen.languages", "codeacumen.search"), *code]
    return [asdict(settings), *hashes, *map(_find_version, _LIBRARIES)]


def _find_version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class _Part:
    """The methods of a stretch (some files of a shard): traits of the bodies, names, and simple
    names of the owners."""

    bodies: Bags
    names: list[str]
    owners: list[str]


def _read_stretch(stretch: ShardFiles) -> _Part:
    names: list[str] = []
    owners: list[str] = []

    def read_rows() -> Iterable[list[str]]:
        for row in stretch.read_columns(["path", "language", "source"]).to_pylist():
            if row["language"] != "java" or is_set_aside(row["path"]):
                continue
            file = JavaFile(row["source"].encode("utf-8", "surrogatepass"))
            for facts in read_facts(file, row["path"]):
                if is_named_freely(facts) and split_words(facts.name):
                    names.append(facts.name)
                    owners.append(simple_owner(facts))
                    yield list_body_words(facts)

    return _Part(make_bags(read_rows()), names, owners)


def _build_index(
    corpus: Corpus,
    stored: StoredIndex,
    settings: NeighbourSettings,
    engine: Callable[[], Engine],
    step: Progress,
) -> None:
    # A missing library is reported now, not after minutes of reading.
    load_faiss()
    parts, _ = process_files(
        _read_stretch, select_files([corpus]).shards, engine(), "methods", step
    )
    if not any(part.names for part in parts):
        raise CodeacumenError(
            f"the corpus in {corpus.folder} has no method to learn names from",
            "methods that override, tests, examples and empty methods do not count",
        )
    step("bodies", 0, 2)
    _write_space(stored, "bodies", [part.bodies for part in parts], settings)

    step("names", 1, 2)
    spellings, spelling = _encode_values(name for part in parts for name in part.names)
    meanings, meaning = _encode_values(map(normalize_name, spellings))
    first_spelling = np.unique(meaning, return_index=True)[1].tolist()
    names = make_bags(list_name_words(spellings[first], settings.space) for first in first_spelling)
    _write_space(stored, "names", [names], settings)
    owners, owner = _encode_values(name for part in parts for name in part.owners)

    for name, values in (("spellings", spellings), ("meanings", meanings), ("owners", owners)):
        stored.write_value(name, values)
    for name, codes in (("spelling", spelling), ("meaning", meaning), ("owner", owner)):
        stored.write_array(name, np.array(codes, np.int32))
    stored.write_value("settings", asdict(settings))
    step("names", 2, 2)


def _write_space(
    stored: StoredIndex, name: str, parts: Sequence[Bags], settings: NeighbourSettings
) -> None:
    """Fit a space to the rows of all parts; write it and the index of their vectors."""
    rows = join_bags(parts, settings.rare)
    space = fit_space(rows, settings.dimensions, settings.seed)
    space.save(stored, name)
    DenseIndex.from_vectors(space.compute_own_vectors(rows), settings.seed).save(stored, name)


def _encode_values(values: Iterable[str]) -> tuple[list[str], list[int]]:
    """Return the distinct values, and for each occurrence the index of its value."""
    positions: dict[str, int] = {}
    codes = [positions.setdefault(value, len(positions)) for value in values]
    return list(positions), codes
