"""Views: representations of a method that models see, such as its tokens or its graph.

A view is computed from tables; a corpus stores the tables of the views that it was built with.
"""

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

        ``file`` is a ``JavaFile``. ``seeds`` has one number for each of the bodies, in their order,
        from which a view that samples at random starts. See ``codeacumen.text.columns``.
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
