"""A Java file, parsed once: whatever asks for a fact about it gets the same one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar, cast

from acumen.lang.java import parse_java
from acumen.lang.java.bindings import Bindings, Names, bindings, names
from acumen.lang.java.declarations import NONE, Declarations, declarations
from acumen.lang.java.tokens import Tokens, tokens
from acumen.lang.syntax import Syntax

T = TypeVar("T")


class JavaFile:
    """Facts are computed when first asked for and kept as long as the file is."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._made: dict[object, object] = {}

    def once(self, make: Callable[[JavaFile], T]) -> T:
        """What a function of the file gives, computed when first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])

    def keep(self, make: Callable[[JavaFile], T], made: T) -> None:
        """Let that be what a function of the file gives: for one who knows more than the file."""
        self._made[make] = made

    @cached_property
    def syntax(self) -> Syntax:
        return parse_java(self.source)

    @cached_property
    def declarations(self) -> Declarations:
        return declarations(self.syntax)

    @cached_property
    def tokens(self) -> Tokens:
        return tokens(self.syntax)

    @cached_property
    def names(self) -> Names:
        return names(self.syntax)

    @cached_property
    def bindings(self) -> Bindings:
        return bindings(self.syntax, self.declarations, self.names)

    @cached_property
    def bodies(self) -> list[int]:
        """The methods and constructors that have a body, as places in ``declarations.methods``:
        those of which there are views."""
        return [
            place for place, method in enumerate(self.declarations.methods) if method.body != NONE
        ]
