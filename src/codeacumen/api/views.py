"""Views: representations of a method that models see. A corpus stores the tables that they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from codeacumen.api.base import Json


class Table(Protocol):
    """Arrays of a file's methods, computed once when a corpus is built."""

    @property
    def name(self) -> str: ...
    def columns(self, file: Any, seeds: Any) -> Mapping[str, Any]:
        """Return each column as a ``Ragged`` with one list per method body (``file.bodies``).

        ``file`` is a ``JavaFile``; ``seeds`` has one number per method, for random samples.
        """
        ...


class View(Protocol):
    """A representation of a method, computed from the rows of its tables."""

    @property
    def name(self) -> str: ...
    @property
    def tables(self) -> tuple[Table, ...]: ...
    @property
    def compats(self) -> Mapping[str, str]:
        """Names of other tools whose exact output it can return, and how that output differs."""
        ...

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        """Return the view as JSON; ``method`` is the row in the store, ``rows`` one row a table."""
        ...

    def compatible(self, compat: str, file: Any, place: int) -> Json:
        """Return the view in another tool's format; ``place`` is the method's index in its file."""
        ...
