"""Types of a file's expressions and resolution of its calls, computed lazily and cached.

The parts depend on each other (the type of a call on its overload, the overload on the types of
arguments), so that all of them go through ``Attribution``. Expressions that are nested too deep or
depend on themselves stay unknown, which bounds the recursion.
"""

from __future__ import annotations

from collections.abc import Callable

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve import generics
from codeacumen.languages.java.resolve.conversions import STRICT, boxed, is_below, promoted, unboxed
from codeacumen.languages.java.resolve.expressions import BITS, BLOCK, LITERALS, PLUS, SHIFT, TRUTH
from codeacumen.languages.java.resolve.meanings import Meaning, expected, meaning
from codeacumen.languages.java.resolve.members import (
    bound_types,
    find_field,
    function,
    member_types,
    read_field,
)
from codeacumen.languages.java.resolve.overloads import Candidate
from codeacumen.languages.java.resolve.resolution import NOTHING, Resolution, referred, resolve
from codeacumen.languages.java.resolve.scopes import (
    ancestors,
    as_super,
    common,
    member_type,
    method_variables,
    own_type,
    returns,
    type_in,
)
from codeacumen.languages.java.resolve.sites import Rows
from codeacumen.languages.java.resolve.types import (
    BOOLEAN,
    INT,
    NULL,
    PRIMITIVES,
    UNKNOWN,
    VOID,
    ArrayType,
    Class,
    ClassType,
    Method,
    Type,
    Unknown,
    Wildcard,
    array_of,
    class_type,
    mentions,
    unknown,
    upper,
)
from codeacumen.languages.java.resolve.world import World

DEEPEST = 40


class Attribution:
    def __init__(self, world: World, rows: Rows) -> None:
        self.world = world
        self.rows = rows
        self.variables: dict[tuple[Class, str], Type | None] = {}
        self._types: list[Type | None] = [None] * len(rows.code)
        self._meanings: dict[int, Meaning] = {}
        self._resolutions: dict[int, Resolution] = {}
        self._expected: dict[int, Type | None] = {}
        self._referred: dict[int, tuple[list[Candidate], bool, bool]] = {}
        self._scopes: dict[tuple[Class, int], frozenset[object]] = {}
        self._depth = 0
        self._string = class_type(world.named("java.lang.String"))

    # ---- cached results

    def type_of(self, row: int) -> Type:
        found = self._types[row]
        if found is not None:
            return found
        if self._depth > DEEPEST:
            return UNKNOWN
        self._types[row] = UNKNOWN
        self._depth += 1
        found = self._types[row] = _TYPES[self.rows.code[row]](self, row)
        self._depth -= 1
        return found

    def meaning(self, row: int) -> Meaning:
        found = self._meanings.get(row)
        if found is None:
            if self._depth > DEEPEST:
                return Meaning("value")
            self._depth += 1
            found = self._meanings[row] = meaning(self, row)
            self._depth -= 1
        return found

    def resolution(self, row: int) -> Resolution:
        found = self._resolutions.get(row)
        if found is None:
            if self._depth > DEEPEST:
                return NOTHING
            self._resolutions[row] = NOTHING
            self._depth += 1
            found = self._resolutions[row] = resolve(self, row)
            self._depth -= 1
        return found

    def expected(self, row: int) -> Type | None:
        if row in self._expected:
            return self._expected[row]
        if self._depth > DEEPEST:
            return None
        self._expected[row] = None
        self._depth += 1
        found = self._expected[row] = expected(self, row)
        self._depth -= 1
        return found

    def referred_candidates(self, row: int) -> tuple[list[Candidate], bool, bool]:
        found = self._referred.get(row)
        if found is None:
            found = self._referred[row] = referred(self, row)
        return found

    def referred(self, row: int) -> tuple[list[Method], bool]:
        """Return the methods that a reference may mean by its name.

        The flag is true if the first argument may be the object (``Type::method``).
        """
        candidates, unbound, _ = self.referred_candidates(row)
        return [one.method for one in candidates], unbound

    # ---- calls

    def call_type(self, row: int, wanted: Type | None = None) -> Type:
        """Return the type of a call, given the type that is expected of it."""
        if self.rows.code[row] in (code.NEW, code.INNER):
            created = self.created_type(row)
            if isinstance(created, ClassType) and generics.is_diamond(self, row):
                return generics.diamond(self, row, created.cls, wanted)
            return created
        found: Type | None = None
        for one in self.resolution(row).candidates:
            type_ = generics.result(self, row, one, wanted)
            if found is not None and type_ is not found:
                return UNKNOWN
            found = type_
        return self._array_clone(row) or found or UNKNOWN

    def _array_clone(self, row: int) -> Type | None:
        """Return the type of ``clone()`` on an array: the array's own type (JLS 10.7)."""
        rows = self.rows
        if rows.code[row] != code.INVOKE or rows.text(row) != "clone" or rows.size[row] < 2:
            return None
        given = self.type_of(row + 1)
        return given if isinstance(given, ArrayType) else None

    def created_type(self, row: int) -> Type:
        """Return the type that ``new`` names; for an anonymous class its supertype."""
        rows = self.rows
        scope = rows.scopes[row]
        if rows.code[row] != code.INNER:
            return type_in(self.world, scope.cls, scope.method, rows.text(row))
        name = rows.text(row).partition("<")[0]
        for outer in bound_types(self.type_of(row + 1)):
            inner = (
                member_type(self.world, outer.cls, name) if isinstance(outer, ClassType) else None
            )
            if inner is not None:
                return class_type(inner)
        return UNKNOWN

    def settled(self, type_: Type, row: int = -1) -> Type:
        return generics.settle(self, type_, row) if row >= 0 and type_.free else type_

    def in_scope(self, row: int) -> frozenset[object]:
        """Return the classes and methods around a row, whose type variables are in scope there."""
        scope = self.rows.scopes[row]
        found = self._scopes.get(scope)
        if found is None:
            owners: set[object] = set()
            cls: Class | None = scope.cls
            method = scope.method
            while cls is not None:
                owners.add(cls)
                if method >= 0:
                    owners.add(self.rows.unit.methods[method])
                method, cls = cls.method, cls.owner
            found = self._scopes[scope] = frozenset(owners)
        return found

    # ---- functions

    def function_result(self, row: int) -> Type:
        """Return the result type of a lambda or a method reference."""
        if self.rows.code[row] == code.LAMBDA:
            return self.lambda_result(row)
        found: Type | None = None
        wanted = self.expected(row)
        told = function(self.world, wanted) if wanted is not None else None
        for one in self.resolution(row).candidates:
            type_ = self._referred_result(row, one, told[0] if told else ())
            if found is not None and type_ is not found:
                return UNKNOWN
            found = type_
        return found or UNKNOWN

    def _referred_result(self, row: int, one: Candidate, given: tuple[Type, ...]) -> Type:
        if self.rows.a[row] < 0:
            site = one.site
            if site is None or (not site.args and site.cls.variables):
                return UNKNOWN
            return site
        type_ = member_types(self.world, one.site, one.method)[1]
        own = method_variables(self.world, one.method)
        if type_.free and own and mentions(type_, frozenset(own)):
            return UNKNOWN
        return self.settled(type_, row)

    def lambda_result(self, row: int) -> Type:
        rows = self.rows
        if not rows.b[row] & BLOCK:
            children = rows.children(row)
            return self.type_of(children[-1]) if len(children) > rows.a[row] else UNKNOWN
        found: Type | None = None
        at, stop = row + 1, row + rows.size[row]
        while at < stop:
            if rows.code[at] in (code.LAMBDA, code.CLASS):
                at += rows.size[at]
                continue
            if rows.code[at] == code.RETURN and rows.size[at] > 1:
                type_ = self.type_of(at + 1)
                if type_ is not NULL:
                    if found is not None and found is not type_:
                        return UNKNOWN
                    found = type_
            at += 1
        return found or VOID

    def returns_void(self, method: Method) -> bool:
        return method.name != "<init>" and returns(self.world, method) is VOID

    def result_of_method(self, method: Method) -> Type:
        return class_type(method.cls) if method.name == "<init>" else returns(self.world, method)

    def without_arguments(self, type_: Type) -> Type:
        return class_type(type_.cls) if isinstance(type_, ClassType) and type_.args else type_

    # ---- types of rows

    def written(self, row: int) -> Type:
        scope = self.rows.scopes[row]
        return type_in(self.world, scope.cls, scope.method, self.rows.text(row))

    def _typed(self, row: int) -> Type:
        return array_of(self.written(row), self.rows.b[row])

    def _ref(self, row: int) -> Type:
        """Return the type of a local variable; a field of a class in between hides it."""
        rows = self.rows
        declared = rows.a[row]
        name = rows.texts[rows.b[row]]
        cls: Class | None = rows.scopes[row].cls
        owner = rows.scopes[declared].cls
        while cls is not None and cls is not owner:
            field = find_field(self.world, cls, name)
            if field is not None:
                return read_field(self.world, own_type(self.world, cls), field)
            cls = cls.owner
        return self.declared(declared)

    def declared(self, row: int) -> Type:
        """Return the type of the variable that a row declares."""
        rows = self.rows
        what = rows.code[row]
        if what == code.PARAM:
            return self._parameter(row)
        if what == code.DECL:
            return self._typed(row)
        if what == code.VAR:
            return upper(self.type_of(row + 1)) if rows.size[row] > 1 else UNKNOWN
        if what == code.EACH:
            return self._typed(row) if rows.a[row] >= 0 else self._element(row)
        if what == code.TEST and rows.a[row] >= 0:
            return self.written(row)
        return UNKNOWN

    def _element(self, row: int) -> Type:
        """Return the type of ``x`` in ``for (var x : iterable)``."""
        if self.rows.size[row] < 2:
            return UNKNOWN
        for one in bound_types(self.type_of(row + 1)):
            if isinstance(one, ArrayType):
                return one.of
            if isinstance(one, ClassType):
                seen = as_super(self.world, one, self.world.named("java.lang.Iterable"))
                if seen is not None:
                    given = upper(seen.args[0]) if seen.args else self.world.object_type
                    return given if not isinstance(given, Wildcard) else UNKNOWN
        return UNKNOWN

    def _parameter(self, row: int) -> Type:
        """Return the type of an implicitly typed lambda parameter."""
        rows = self.rows
        wanted = self.expected(rows.parent[row])
        told = function(self.world, wanted) if wanted is not None else None
        place = rows.a[row]
        if told is None or place >= len(told[0]):
            return UNKNOWN
        return upper(told[0][place])

    def _name(self, row: int) -> Type:
        found = self.meaning(row)
        return found.type if found.kind == "value" else UNKNOWN

    def _literal(self, row: int) -> Type:
        name = LITERALS[self.rows.a[row]]
        if name == "null":
            return NULL
        return PRIMITIVES.get(name) or self._string

    def _this(self, row: int) -> Type:
        return own_type(self.world, self.rows.scopes[row].cls)

    def _outer(self, row: int) -> Type:
        found = self.meaning(row + 1) if self.rows.size[row] > 1 else None
        if found is not None and isinstance(found.type, ClassType):
            return own_type(self.world, found.type.cls)
        return UNKNOWN

    def _super(self, row: int) -> Type:
        above = list(ancestors(self.world, self.rows.scopes[row].cls).values())
        return above[1] if len(above) > 1 else UNKNOWN

    def _index(self, row: int) -> Type:
        given = self.type_of(row + 1) if self.rows.size[row] > 1 else UNKNOWN
        return given.of if isinstance(given, ArrayType) else UNKNOWN

    def _new(self, row: int) -> Type:
        place = self.rows.created(row)
        if place >= 0:
            return class_type(self.rows.unit.classes[place])
        return self.call_type(row)

    def _class_of(self, row: int) -> Type:
        of = boxed(self.world, self.written(row)) if self.rows.a[row] >= 0 else UNKNOWN
        of = class_type(self.world.named("java.lang.Void")) if of is VOID else of
        return class_type(self.world.named("java.lang.Class"), (of,))

    def _condition(self, row: int) -> Type:
        branches = self.rows.children(row)[1:]
        if len(branches) != 2:
            return UNKNOWN
        one, other = [self.type_of(branch) for branch in branches]
        if one is other:
            return one
        if one is NULL or other is NULL:
            return boxed(self.world, other if one is NULL else one)
        if isinstance(one, Unknown) or isinstance(other, Unknown):
            return UNKNOWN
        if unboxed(one) and unboxed(other):
            if unboxed(one) == unboxed(other):
                return PRIMITIVES[unboxed(one)]
            # Between int and narrower types, a constant's value decides (JLS 15.25).
            wide = promoted(one, other)
            return wide if wide is not INT else UNKNOWN
        if isinstance(one, ClassType) and isinstance(other, ClassType):
            for high, low in ((one, other), (other, one)):
                if is_below(self.world, low.cls, high.cls) == STRICT:
                    return high if not high.args and not low.args else unknown(high.cls)
        return common(self.world, (one, other))

    def _assign(self, row: int) -> Type:
        return self.type_of(row + 1) if self.rows.size[row] > 1 else UNKNOWN

    def _binary(self, row: int) -> Type:
        operands = self.rows.children(row)
        what = self.rows.a[row]
        if what == TRUTH:
            return BOOLEAN
        if len(operands) != 2:
            return UNKNOWN
        one, other = self.type_of(operands[0]), self.type_of(operands[1])
        if what == SHIFT:
            return promoted(one, one)
        if what == PLUS and (one is self._string or other is self._string):
            return self._string
        if what == BITS and "boolean" in (unboxed(one), unboxed(other)):
            return BOOLEAN
        return promoted(one, other)

    def _unary(self, row: int) -> Type:
        if self.rows.a[row] == TRUTH:
            return BOOLEAN
        given = self.type_of(row + 1) if self.rows.size[row] > 1 else UNKNOWN
        return promoted(given, given)

    def _unknown(self, row: int) -> Type:
        return UNKNOWN

    def _boolean(self, row: int) -> Type:
        return BOOLEAN


_TYPES: list[Callable[[Attribution, int], Type]] = [Attribution._unknown] * 42
for _code, _type in {
    code.TYPED: Attribution._typed,
    code.REF: Attribution._ref,
    code.NAME: Attribution._name,
    code.FIELD: Attribution._name,
    code.LITERAL: Attribution._literal,
    code.THIS: Attribution._this,
    code.OUTER: Attribution._outer,
    code.SUPER: Attribution._super,
    code.INDEX: Attribution._index,
    code.CALL: Attribution.call_type,
    code.INVOKE: Attribution.call_type,
    code.UPCALL: Attribution.call_type,
    code.NEW: Attribution._new,
    code.INNER: Attribution._new,
    code.ARRAY: Attribution._typed,
    code.CAST: Attribution.written,
    code.CONDITION: Attribution._condition,
    code.ASSIGN: Attribution._assign,
    code.BINARY: Attribution._binary,
    code.UNARY: Attribution._unary,
    code.UPDATE: Attribution._assign,
    code.TEST: Attribution._boolean,
    code.CLASS_OF: Attribution._class_of,
}.items():
    _TYPES[_code] = _type
