"""Reading a corpus's methods into two spaces, of bodies and of names, and an index over each.

Which methods: those whose name was their author's choice, as the background is learned from.
Methods of one name, by its words, share a vector in the space of names; each body has its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from acumen.api import AcumenError
from acumen.core.progress import Progress
from acumen.corpus import Corpus
from acumen.engines import Engine
from acumen.lang.java.file import JavaFile
from acumen.models.embeddings.files import Stretch, chosen, worked
from acumen.models.naming._neighbours_index import Nearest, faiss
from acumen.models.naming._neighbours_space import Bags, bags, joined, made_of
from acumen.models.naming.facts import Facts, facts_of, is_named_freely
from acumen.models.naming.traits import simple_owner, traits, words

# Traits of the type around it, and the one that all have.
_AROUND = ("in ", "is a ", "owner ", "always")
_SET_ASIDE = re.compile("test|sample|example|template|demo", re.IGNORECASE)


SPACES = ("first", "words")


@dataclass(frozen=True, slots=True)
class Settings:
    """``rare``: a trait that fewer methods have is no part of the space of bodies, nor a word that
    fewer different names have of that of names. ``space``: what names are made of."""

    dimensions: int = 128
    space: str = "first"
    rare: int = 5
    seed: int = 0


def is_set_aside(path: str) -> bool:
    """Return whether a path is of tests, samples or the like, which Liu et al. leave out too."""
    return _SET_ASIDE.search(path) is not None


def body_words(facts: Facts) -> list[str]:
    """What a method is and does, without where it stands: it may be asked about alone."""
    return [one for one in traits(replace(facts, owner="")) if not one.startswith(_AROUND)]


def name_words(name: str, space: str) -> list[str]:
    """The words of a name, each once; with ``first``, the first stands there as such too."""
    found = list(dict.fromkeys(words(name)))
    return [f"first {found[0]}", *found] if found and space == "first" else found


def same_name(name: str) -> str:
    """Equal for names of the same words, however they are written."""
    return " ".join(words(name))


@dataclass(frozen=True, slots=True)
class _Part:
    bodies: Bags
    names: list[str]
    owners: list[str]


def _work(stretch: Stretch) -> _Part:
    names: list[str] = []
    owners: list[str] = []

    def rows() -> Iterable[list[str]]:
        for row in stretch.columns(["path", "language", "source"]).to_pylist():
            if row["language"] != "java" or is_set_aside(row["path"]):
                continue
            file = JavaFile(row["source"].encode("utf-8", "surrogatepass"))
            for facts in facts_of(file, row["path"]):
                if is_named_freely(facts) and words(facts.name):
                    names.append(facts.name)
                    owners.append(simple_owner(facts))
                    yield body_words(facts)

    return _Part(bags(rows()), names, owners)


def build(corpus: Corpus, folder: Path, settings: Settings, engine: Engine, step: Progress) -> None:
    """All files of an index, in a folder that is there."""
    # Better now than after minutes of reading.
    faiss()
    parts, _ = worked(_work, chosen([corpus]).stretches, engine, "methods", step)
    if not any(part.names for part in parts):
        raise AcumenError(
            f"the corpus in {corpus.folder} has no method to learn names from",
            "methods that override, tests, examples and empty methods do not count",
        )
    write(parts, folder, settings, step)


def write(parts: Sequence[_Part], folder: Path, settings: Settings, step: Progress) -> None:
    step("bodies", 0, 2)
    bodies = joined([part.bodies for part in parts], settings.rare)
    space = made_of(bodies, settings.dimensions, settings.seed)
    space.save(folder, "bodies")
    Nearest.of(space.own_vectors(bodies), settings.seed).save(folder / "bodies.faiss")

    step("names", 1, 2)
    written, spelled = _coded(name for part in parts for name in part.names)
    different, meant = _coded(map(same_name, written))
    made = bags(name_words(written[one], settings.space) for one in _firsts(meant))
    names = joined([made], settings.rare)
    space = made_of(names, settings.dimensions, settings.seed)
    space.save(folder, "names")
    Nearest.of(space.own_vectors(names), settings.seed).save(folder / "names.faiss")
    owners, owned = _coded(owner for part in parts for owner in part.owners)

    _save(folder, "written", written)
    _save(folder, "different", different)
    _save(folder, "owners", owners)
    # For each method, what is written; for each way to write, what is meant.
    np.save(folder / "spelled.npy", np.array(spelled, np.int32))
    np.save(folder / "meant.npy", np.array(meant, np.int32))
    np.save(folder / "owned.npy", np.array(owned, np.int32))
    _save(folder, "settings", asdict(settings))
    step("names", 2, 2)


def _coded(values: Iterable[str]) -> tuple[list[str], list[int]]:
    """Each value once, and the places of all."""
    places: dict[str, int] = {}
    codes = [places.setdefault(value, len(places)) for value in values]
    return list(places), codes


def _firsts(codes: Sequence[int]) -> list[int]:
    """Where each code stands first; codes are numbered by that."""
    places: dict[int, int] = {}
    for place, code in enumerate(codes):
        places.setdefault(code, place)
    return list(places.values())


def _save(folder: Path, name: str, value: object) -> None:
    (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
