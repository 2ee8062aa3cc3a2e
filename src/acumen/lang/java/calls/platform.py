"""The JDK's public API, from a table that ``scripts/jdk_api.py`` makes.

The table is text: a first line that says which JDK it was made from, then a block for each type
(see ``scripts/JdkApi.java``). Blocks are found by name when the table is read, and their lines
are taken apart when a type is asked for.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

TABLE = "jdk_api.txt.xz"


class Member(NamedTuple):
    """A method, or a field if ``parameters`` is None."""

    flags: str
    name: str
    variables: tuple[str, ...]
    parameters: tuple[str, ...] | None
    type: str


class PlatformType(NamedTuple):
    name: str
    kind: str
    flags: str
    variables: tuple[str, ...]
    supers: tuple[str, ...]
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Platform:
    """``made_from`` names the JDK; ``blocks`` holds the lines of each type by its name."""

    made_from: str
    blocks: dict[str, str]
    packages: frozenset[str]

    def get(self, name: str) -> PlatformType | None:
        """The type of a qualified name (``java.util.Map.Entry``), None if there is none."""
        block = self.blocks.get(name)
        if block is None:
            return None
        head, *lines = block.split("\n")
        kind, flags, variables, supers = head.split("\t")
        members = tuple([_member(line) for line in lines if line])
        return PlatformType(name, kind, flags, _parts(variables), _parts(supers), members)


def read(text: str) -> Platform:
    """A table's text, as ``scripts/jdk_api.py`` writes it."""
    made_from, _, rest = text.partition("\n")
    blocks = dict(block.split("\t", 1) for block in rest.split("\n\n") if block.strip())
    packages = set()
    for name in blocks:
        package = name.rpartition(".")[0]
        if package not in blocks:
            packages.add(package)
    return Platform(made_from, blocks, frozenset(packages))


@lru_cache(maxsize=1)
def platform() -> Platform:
    packed = files("acumen.lang.java.calls").joinpath(TABLE).read_bytes()
    return read(lzma.decompress(packed).decode())


def _member(line: str) -> Member:
    flags, name, variables, *rest = line.split("\t")
    if len(rest) == 1:
        return Member(flags, name, (), None, rest[0])
    return Member(flags, name, _parts(variables), _parts(rest[0]), rest[1])


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()
