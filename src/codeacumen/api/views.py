"""Views: what a model may see of a method. A corpus stores their tables, not their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from codeacumen.api.base import Json


class Table(Protocol):
    """Arrays of a file's methods, computed once when a corpus is built."""

    @property
    def name(self) -> str: ...
    def columns(self, file: Any, seeds: Any) -> Mapping[str, Any]:
        """For each column a ``Ragged`` with one list for each of ``file.bodies``. ``file`` is a
        ``JavaFile``; ``seeds`` holds one number a method, for what is drawn at random."""
        ...


class View(Protocol):
    """One representation of a method. Its value is made of the rows that its tables hold."""

    @property
    def name(self) -> str: ...
    @property
    def tables(self) -> tuple[Table, ...]: ...
    @property
    def compats(self) -> Mapping[str, str]:
        """Other tools whose exact output it can give, and what is different then."""
        ...

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        """The JSON shape; ``method`` is its row in the store, ``rows`` one row a table."""
        ...

    def compatible(self, compat: str, file: Any, place: int) -> Json:
        """The value as another tool would give it, of the method at a place of its file."""
        ...
