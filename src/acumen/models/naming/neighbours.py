"""The methods of a corpus that are nearest to a method by its body, and to a name.

Bodies are near each other that are and do alike (``traits``, without what stands around them);
names that have words in common, or words that stand beside the same others. Both by cosine.

The index lies in acumen's own folder, under the hash of the corpus's manifest, the settings and the
code that made it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError
from acumen.core.progress import Progress, ignore_progress
from acumen.files import sha256_of
from acumen.models.naming._neighbours_build import (
    SPACES,
    Settings,
    body_words,
    build,
    name_words,
    same_name,
)
from acumen.models.naming._neighbours_index import Nearest
from acumen.models.naming._neighbours_space import Space, bags
from acumen.registry import packages_hash

if TYPE_CHECKING:
    from acumen.engines import Engine
    from acumen.models.naming.facts import Facts

__all__ = [
    "SPACES", "Neighbour", "Neighbours", "Settings", "index_folder", "neighbours_of", "same_name",
]  # fmt: skip


# Files of this folder that an index depends on, beside acumen.lang.
_CODE = ("_facts_*.py", "_neighbours_*.py", "facts.py", "learn.py", "traits.py")
_LIBRARIES = ("faiss-cpu", "numpy", "scikit-learn", "scipy", "tree-sitter-java")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """``name`` as it is written there; ``meaning`` is equal for names of the same words."""

    place: int
    name: str
    meaning: str
    similarity: float

    @property
    def first(self) -> str:
        return self.meaning.partition(" ")[0]


class Neighbours:
    """Asked about many at once: one by one takes several times as long."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    # ---------------------------------------------------------------- by the body

    def bodies(self, asked: Sequence[Facts], k: int) -> list[list[Neighbour]]:
        """For each the methods with the nearest bodies, the nearest first; none where a body has
        nothing that the corpus knows."""
        vectors = self._bodies[0].vectors(bags(body_words(one) for one in asked))
        places, similar = self._bodies[1].search(vectors, k)
        return [
            [self._neighbour(*one) for one in zip(row, nears, strict=True) if one[0] >= 0]
            if vector.any()
            else []
            for row, nears, vector in zip(places.tolist(), similar.tolist(), vectors, strict=True)
        ]

    # ---------------------------------------------------------------- by the name

    def names(self, asked: Sequence[str], k: int) -> list[list[Neighbour]]:
        """For each the methods with the nearest names, less those of the same name; none where the
        corpus knows no word of it."""
        made = bags(name_words(name, self._space) for name in asked)
        vectors = self._names[0].vectors(made)
        # One more: the name itself may be among them.
        places, similar = self._names[1].search(vectors, k + 1)
        found = []
        for name, row, nears, vector in zip(
            asked, places.tolist(), similar.tolist(), vectors, strict=True
        ):
            own = self._place.get(same_name(name), -1)
            others = [
                (place, near)
                for place, near in zip(row, nears, strict=True)
                if place >= 0 and place != own
            ]
            found.append(self._of_names(others, k) if vector.any() else [])
        return found

    def _of_names(self, names: Sequence[tuple[int, float]], k: int) -> list[Neighbour]:
        """The methods that have the names, in the order of these."""
        found: list[Neighbour] = []
        order, first = self._by_name
        for name, near in names:
            methods = order[first[name] : first[name + 1]][: k - len(found)]
            found += [self._neighbour(place, near) for place in methods.tolist()]
            if len(found) == k:
                break
        return found

    # ---------------------------------------------------------------- what is in it

    def owner(self, place: int) -> str:
        """The simple name of the type that declares a method."""
        owners, owned = self._owners
        return owners[int(owned[place])]

    def _neighbour(self, place: int, similarity: float) -> Neighbour:
        spelled = int(self._spelled[place])
        meaning = self._different[int(self._meant[spelled])]
        return Neighbour(place, self._written[spelled], meaning, similarity)

    def _read(self, name: str) -> Any:
        return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))

    def _array(self, name: str) -> NDArray[np.int32]:
        found: NDArray[np.int32] = np.load(self.folder / f"{name}.npy")
        return found

    @cached_property
    def _bodies(self) -> tuple[Space, Nearest]:
        return Space.load(self.folder, "bodies"), Nearest.load(self.folder / "bodies.faiss")

    @cached_property
    def _names(self) -> tuple[Space, Nearest]:
        return Space.load(self.folder, "names"), Nearest.load(self.folder / "names.faiss")

    @cached_property
    def _space(self) -> str:
        return str(self._read("settings")["space"])

    @cached_property
    def _owners(self) -> tuple[list[str], NDArray[np.int32]]:
        return self._read("owners"), self._array("owned")

    @cached_property
    def _spelled(self) -> NDArray[np.int32]:
        return self._array("spelled")

    @cached_property
    def _meant(self) -> NDArray[np.int32]:
        return self._array("meant")

    @cached_property
    def _written(self) -> list[str]:
        return list(self._read("written"))

    @cached_property
    def _different(self) -> list[str]:
        return list(self._read("different"))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._different)}

    @cached_property
    def _by_name(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The methods in the order of their names, and where each name begins."""
        name = self._meant[self._spelled]
        counts = np.bincount(name, minlength=len(self._different))
        return np.argsort(name, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


def neighbours_of(
    corpus: Path, cache: Path, settings: Settings, engine: Callable[[], Engine],
    step: Progress = ignore_progress,
) -> Neighbours:  # fmt: skip
    """The index of a corpus, made if it is not there yet."""
    folder = index_folder(corpus, cache, settings)
    if not folder.is_dir():
        from acumen.corpus import Corpus

        opened = Corpus.open(corpus)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".index-") as scratch:
            made = Path(scratch) / "index"
            made.mkdir()
            build(opened, made, settings, engine(), step)
            try:
                made.replace(folder)
            except OSError:
                # Somebody else was faster; theirs is the same.
                if not folder.is_dir():
                    raise
                shutil.rmtree(made)
    return Neighbours(folder)


def index_folder(corpus: Path, cache: Path, settings: Settings) -> Path:
    manifest = corpus / "manifest.json"
    if not manifest.is_file():
        raise AcumenError(f"{corpus} holds no corpus", "`acumen corpus build` makes a corpus")
    told = json.dumps([asdict(settings), _code()])
    made = hashlib.sha256(told.encode()).hexdigest()
    return cache / "neighbours" / f"{sha256_of(manifest)[:32]}-{made[:16]}"


def _code() -> list[str]:
    """Other code, or other libraries, make another index."""
    here = Path(__file__).parent
    own = sorted({file for pattern in _CODE for file in here.glob(pattern)})
    return [
        packages_hash("acumen.lang"),
        *(hashlib.sha256(file.read_bytes()).hexdigest() for file in own),
        *map(_installed, _LIBRARIES),
    ]


def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
