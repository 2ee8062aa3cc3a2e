"""Code context of methods whose files and projects are not available."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from codeacumen.api import Json

NO_METHODS: Sequence[Mapping[str, Json]] = ()


class TextContext:
    """Code context with a method's masked text and its data set's description of it, nothing else.

    ``load`` returns the text and the description of each method by its id; it runs on first use.
    Other views are None, and there are no other methods.
    """

    def __init__(self, load: Callable[[], Mapping[str, tuple[str, Mapping[str, Json]]]]) -> None:
        self._load = load

    @cached_property
    def _method_texts(self) -> Mapping[str, tuple[str, Mapping[str, Json]]]:
        return self._load()

    def view(self, method: str, name: str, compat: str = "") -> Json:
        if name != "text" or compat or method not in self._method_texts:
            return None
        return self._method_texts[method][0]

    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json:
        """Return the view of the method itself; views of other methods would need a corpus."""
        return self.view(method, name, compat) if other == method else None

    def describe(self, method: str) -> Mapping[str, Json]:
        return self._method_texts[method][1] if method in self._method_texts else {}

    def callers(self, method: str) -> Sequence[Mapping[str, Json]]:
        return NO_METHODS

    def callees(self, method: str) -> Sequence[Mapping[str, Json]]:
        return NO_METHODS

    def siblings(self, method: str) -> Sequence[Mapping[str, Json]]:
        return NO_METHODS

    def owner(self, method: str) -> Mapping[str, Json]:
        """Return a header with the class's name if the description has it, else nothing."""
        type_name = self.describe(method).get("type")
        return {"header": f"class {type_name}"} if type_name else {}
