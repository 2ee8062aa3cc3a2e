"""Fields of a file, and what an access to one may set off."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from acumen.lang.java.declarations import NONE
from acumen.transforms._effects_operators import PRIMITIVE
from acumen.transforms.code import Code

# What a constant's value cannot be told from without looking further.
_OPEN = frozenset(
    (
        "identifier", "type_identifier", "this", "super", "lambda_expression", "switch_expression",
        "/", "%", "null_literal", "ERROR",
    )
)  # fmt: skip
_INTERFACES = ("interface", "annotation")
_INNER = ("class", "anonymous", "enum constant")


class Field(NamedTuple):
    """``type`` is as written, ``owner`` the place of the type that declares it. The value of a
    ``constant`` stands in the compiled code (JLS 4.12.4): reading it sets off nothing."""

    name: str
    type: str
    owner: int
    static: bool
    final: bool
    volatile: bool
    constant: bool


class Fields:
    """The fields that a file declares, by the identifiers of their declarations."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.types = code.file.declarations.types
        self._of: dict[int, Field] = {}
        self._certain: dict[tuple[int, int], bool] = {}
        self._running: dict[tuple[int, int], bool] = {}

    @cached_property
    def _declared(self) -> dict[int, int]:
        """Places of the fields by their declarators."""
        fields = self.code.file.declarations.fields
        return {one.node: place for place, one in enumerate(fields)}

    @cached_property
    def _types(self) -> dict[int, int]:
        return {one.node: place for place, one in enumerate(self.types)}

    def of(self, declaration: int) -> Field:
        found = self._of.get(declaration)
        if found is None:
            found = self._of[declaration] = self._field(declaration)
        return found

    def _field(self, declaration: int) -> Field:
        code = self.code
        name = code.text(declaration)
        place = self._declared.get(code.parent[declaration])
        if place is not None:
            one = code.file.declarations.fields[place]
            implicit = one.type != NONE and self.types[one.type].kind in _INTERFACES
            static = implicit or "static" in one.modifiers
            final = implicit or "final" in one.modifiers
            constant = static and final and self._constant(one.node, one.declared)
            volatile = "volatile" in one.modifiers
            return Field(name, one.declared, one.type, static, final, volatile, constant)
        around = next((one for one in code.up(declaration) if one in self._types), NONE)
        owner = self._types.get(around, NONE)
        if code.kind[code.parent[declaration]] == "enum_constant":
            return Field(name, "object", owner, True, True, False, False)
        # A record's component.
        return Field(name, code.declared_type(declaration), owner, False, True, False, False)

    def _constant(self, declarator: int, type_: str) -> bool:
        if type_ not in PRIMITIVE and type_ != "String":
            return False
        code = self.code
        value = code.child(declarator, "value")
        return value != NONE and _OPEN.isdisjoint(code.kind[value : code.stop[value]])

    # ---- types around types

    def certain(self, here: int, owner: int) -> bool:
        """Whether a plain name that seems to be declared in a type around this one really is:
        a supertype that is not in sight may have one of the same name, which is nearer."""
        key = here, owner
        if key not in self._certain:
            self._certain[key] = self._nothing_between(here, owner)
        return self._certain[key]

    def _nothing_between(self, here: int, owner: int) -> bool:
        while here not in (owner, NONE):
            node = self.types[here].node
            if self.code.kind[node] == "class_body" or any(
                self.code.kind[one] in ("superclass", "super_interfaces", "extends_interfaces")
                for one in self.code.children(node)
            ):
                return False
            here = self.types[here].owner
        return here == owner

    def running(self, here: int, owner: int) -> bool:
        """Whether the initialisation of a type has begun when a method of this one runs: for
        the type itself, and the types around an inner class."""
        key = here, owner
        if key not in self._running:
            self._running[key] = self._inner(here, owner)
        return self._running[key]

    def _inner(self, here: int, owner: int) -> bool:
        while here not in (owner, NONE):
            one = self.types[here]
            inner = one.kind in _INNER and "static" not in one.modifiers
            if not inner or (one.owner != NONE and self.types[one.owner].kind in _INTERFACES):
                return False
            here = one.owner
        return here == owner
