"""Types of a file's expressions and resolution of its calls, computed lazily and cached.

The parts depend on each other (the type of a call on its overload, the overload on the types of
arguments), so that all of them go through ``Attribution``. Expressions that are nested too deep or
depend on themselves stay unknown, which bounds the recursion. ``link`` uses it for whole files,
``static_types`` for single members of a type.

A ``row`` is the index of an expression in ``Rows``; ``row + 1`` is its first child, if it has any.
``call_sites`` explains the columns ``a`` and ``b`` of each kind of row.
"""

from __future__ import annotations

from collections.abc import Callable

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve import generics
from codeacumen.languages.java.resolve.call_sites import Rows
from codeacumen.languages.java.resolve.conversions import (
    STRICT,
    box_type,
    check_subclass,
    promote_numeric,
    unboxed_name,
)
from codeacumen.languages.java.resolve.expressions import BITS, BLOCK, LITERALS, PLUS, SHIFT, TRUTH
from codeacumen.languages.java.resolve.members import (
    bound_types,
    find_field,
    find_function_type,
    member_field_type,
    member_types,
)
from codeacumen.languages.java.resolve.name_classification import (
    Meaning,
    find_expected_type,
    find_meaning,
)
from codeacumen.languages.java.resolve.overloads import Candidate
from codeacumen.languages.java.resolve.resolution import (
    UNRESOLVED,
    Resolution,
    find_referred_methods,
    resolve_call,
)
from codeacumen.languages.java.resolve.scopes import (
    as_supertype,
    find_ancestors,
    find_member_type,
    least_upper_bound,
    own_type,
    resolve_method_type_parameters,
    resolve_return_type,
    resolve_type,
)
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
    mentions_variable,
    unknown_subtype_of,
    upper_bound,
)
from codeacumen.languages.java.resolve.world import World

# The largest number of results computed inside each other; each takes frames of Python's stack.
MAX_DEPTH = 40


class Attribution:
    """Types, name meanings and call resolutions of the rows of one file or of a part of it.

    ``variable_types`` is the cache of ``name_classification.find_variable_type``.
    """

    def __init__(self, world: World, rows: Rows) -> None:
        self.world = world
        self.rows = rows
        self.variable_types: dict[tuple[Class, str], Type | None] = {}
        self._types: list[Type | None] = [None] * len(rows.code)
        self._meanings: dict[int, Meaning] = {}
        self._resolutions: dict[int, Resolution] = {}
        self._expected: dict[int, Type | None] = {}
        self._referred: dict[int, tuple[list[Candidate], bool, bool]] = {}
        self._scope_owners: dict[tuple[Class, int], frozenset[object]] = {}
        self._depth = 0
        self._string_type = class_type(world.find_or_add_class("java.lang.String"))

    # ---- cached results

    def type_of(self, row: int) -> Type:
        """Return the type of an expression; UNKNOWN also while it is being computed."""
        type_ = self._types[row]
        if type_ is not None:
            return type_
        if self._depth > MAX_DEPTH:
            return UNKNOWN
        self._types[row] = UNKNOWN
        self._depth += 1
        type_ = self._types[row] = _TYPE_RULES[self.rows.code[row]](self, row)
        self._depth -= 1
        return type_

    def meaning_of(self, row: int) -> Meaning:
        """Return whether an expression is a value, a type or a package, and its type."""
        meaning = self._meanings.get(row)
        if meaning is None:
            if self._depth > MAX_DEPTH:
                return Meaning("value")
            self._depth += 1
            meaning = self._meanings[row] = find_meaning(self, row)
            self._depth -= 1
        return meaning

    def resolution_of(self, row: int) -> Resolution:
        """Return the methods that a call may mean; UNRESOLVED also while it is being computed."""
        resolution = self._resolutions.get(row)
        if resolution is None:
            if self._depth > MAX_DEPTH:
                return UNRESOLVED
            self._resolutions[row] = UNRESOLVED
            self._depth += 1
            resolution = self._resolutions[row] = resolve_call(self, row)
            self._depth -= 1
        return resolution

    def expected_type(self, row: int) -> Type | None:
        """Return the type expected of an expression; None if nothing is, or it is unknown."""
        if row in self._expected:
            return self._expected[row]
        if self._depth > MAX_DEPTH:
            return None
        self._expected[row] = None
        self._depth += 1
        type_ = self._expected[row] = find_expected_type(self, row)
        self._depth -= 1
        return type_

    def referred_candidates(self, row: int) -> tuple[list[Candidate], bool, bool]:
        """Return the cached result of ``find_referred_methods`` for a method reference."""
        cached = self._referred.get(row)
        if cached is None:
            cached = self._referred[row] = find_referred_methods(self, row)
        return cached

    def referred_methods(self, row: int) -> tuple[list[Method], bool]:
        """Return the methods that a reference may mean by its name, and a flag.

        The flag is true if the first argument may be the object (``Type::method``).
        """
        candidates, unbound, _ = self.referred_candidates(row)
        return [candidate.method for candidate in candidates], unbound

    # ---- calls

    def call_type(self, row: int, target_type: Type | None = None) -> Type:
        """Return the type of a call, given the type that an enclosing call expects of it, if any.

        The type is UNKNOWN if the candidates of the call differ in it.
        """
        if self.rows.code[row] in (code.NEW, code.INNER):
            created = self.created_type(row)
            if isinstance(created, ClassType) and generics.is_diamond(self, row):
                return generics.infer_diamond_type(self, row, created.cls, target_type)
            return created
        result: Type | None = None
        for candidate in self.resolution_of(row).candidates:
            type_ = generics.infer_result_type(self, row, candidate, target_type)
            if result is not None and type_ is not result:
                return UNKNOWN
            result = type_
        return self._array_clone_type(row) or result or UNKNOWN

    def _array_clone_type(self, row: int) -> Type | None:
        """Return the type of ``clone()`` on an array: the array's own type (JLS 10.7)."""
        rows = self.rows
        if rows.code[row] != code.INVOKE or rows.text(row) != "clone" or rows.size[row] < 2:
            return None
        receiver_type = self.type_of(row + 1)
        return receiver_type if isinstance(receiver_type, ArrayType) else None

    def created_type(self, row: int) -> Type:
        """Return the type that ``new`` names; for an anonymous class its supertype."""
        rows = self.rows
        scope = rows.scopes[row]
        if rows.code[row] != code.INNER:
            return resolve_type(self.world, scope.cls, scope.method, rows.text(row))
        name = rows.text(row).partition("<")[0]
        for outer in bound_types(self.type_of(row + 1)):
            inner = (
                find_member_type(self.world, outer.cls, name)
                if isinstance(outer, ClassType)
                else None
            )
            if inner is not None:
                return class_type(inner)
        return UNKNOWN

    def replace_foreign_variables(self, type_: Type, row: int = -1) -> Type:
        """Replace type variables that are not in scope at a row; with row -1 return the type."""
        return (
            generics.replace_foreign_variables(self, type_, row)
            if row >= 0 and type_.free
            else type_
        )

    def owners_in_scope(self, row: int) -> frozenset[object]:
        """Return the classes and methods around a row, whose type variables are in scope there."""
        scope = self.rows.scopes[row]
        in_scope = self._scope_owners.get(scope)
        if in_scope is None:
            owners: set[object] = set()
            cls: Class | None = scope.cls
            method = scope.method
            while cls is not None:
                owners.add(cls)
                if method >= 0:
                    owners.add(self.rows.unit.methods[method])
                method, cls = cls.method_index, cls.owner
            in_scope = self._scope_owners[scope] = frozenset(owners)
        return in_scope

    # ---- functions

    def function_result_type(self, row: int) -> Type:
        """Return the result type of a lambda or a method reference; UNKNOWN if it is not unique."""
        if self.rows.code[row] == code.LAMBDA:
            return self.lambda_result_type(row)
        result: Type | None = None
        target_type = self.expected_type(row)
        function_type = (
            find_function_type(self.world, target_type) if target_type is not None else None
        )
        for candidate in self.resolution_of(row).candidates:
            type_ = self._referred_result_type(
                row, candidate, function_type[0] if function_type else ()
            )
            if result is not None and type_ is not result:
                return UNKNOWN
            result = type_
        return result or UNKNOWN

    def _referred_result_type(
        self, row: int, candidate: Candidate, argument_types: tuple[Type, ...]
    ) -> Type:
        # ``Type::new``; the type arguments of a raw generic class would have to be inferred.
        if self.rows.a[row] < 0:
            site = candidate.site
            if site is None or (not site.args and site.cls.type_parameters):
                return UNKNOWN
            return site
        type_ = member_types(self.world, candidate.site, candidate.method)[1]
        own_variables = resolve_method_type_parameters(self.world, candidate.method)
        if type_.free and own_variables and mentions_variable(type_, frozenset(own_variables)):
            return UNKNOWN
        return self.replace_foreign_variables(type_, row)

    def lambda_result_type(self, row: int) -> Type:
        """Return the type of a lambda's body: UNKNOWN if its return statements differ, VOID if none
        returns a value."""
        rows = self.rows
        if not rows.b[row] & BLOCK:
            children = rows.children(row)
            return self.type_of(children[-1]) if len(children) > rows.a[row] else UNKNOWN
        result: Type | None = None
        inner_row, stop = row + 1, row + rows.size[row]
        while inner_row < stop:
            if rows.code[inner_row] in (code.LAMBDA, code.CLASS):
                inner_row += rows.size[inner_row]
                continue
            if rows.code[inner_row] == code.RETURN and rows.size[inner_row] > 1:
                type_ = self.type_of(inner_row + 1)
                if type_ is not NULL:
                    if result is not None and result is not type_:
                        return UNKNOWN
                    result = type_
            inner_row += 1
        return result or VOID

    def returns_void(self, method: Method) -> bool:
        return method.name != "<init>" and resolve_return_type(self.world, method) is VOID

    def method_result_type(self, method: Method) -> Type:
        """Return a method's return type; for a constructor the raw type of its class."""
        return (
            class_type(method.cls)
            if method.name == "<init>"
            else resolve_return_type(self.world, method)
        )

    def erase_arguments(self, type_: Type) -> Type:
        """Return a class type without its type arguments, any other type unchanged."""
        return class_type(type_.cls) if isinstance(type_, ClassType) and type_.args else type_

    # ---- types of rows

    def written_type(self, row: int) -> Type:
        """Return the type whose text is the row's ``a``, resolved in the row's scope."""
        scope = self.rows.scopes[row]
        return resolve_type(self.world, scope.cls, scope.method, self.rows.text(row))

    def _dimensioned_type(self, row: int) -> Type:
        """Return the written type as an array of as many dimensions as the row's ``b``."""
        return array_of(self.written_type(row), self.rows.b[row])

    def _local_type(self, row: int) -> Type:
        """Return the type of a local variable at a REF row; a field of a class between the
        declaration and the use hides it."""
        rows = self.rows
        declaration = rows.a[row]
        name = rows.texts[rows.b[row]]
        cls: Class | None = rows.scopes[row].cls
        owner = rows.scopes[declaration].cls
        while cls is not None and cls is not owner:
            field = find_field(self.world, cls, name)
            if field is not None:
                return member_field_type(self.world, own_type(self.world, cls), field)
            cls = cls.owner
        return self.declared_type(declaration)

    def declared_type(self, row: int) -> Type:
        """Return the type of the variable that a row declares."""
        rows = self.rows
        row_code = rows.code[row]
        if row_code == code.PARAM:
            return self._lambda_parameter_type(row)
        if row_code == code.DECL:
            return self._dimensioned_type(row)
        if row_code == code.VAR:
            return upper_bound(self.type_of(row + 1)) if rows.size[row] > 1 else UNKNOWN
        if row_code == code.EACH:
            return self._dimensioned_type(row) if rows.a[row] >= 0 else self._element_type(row)
        if row_code == code.TEST and rows.a[row] >= 0:
            return self.written_type(row)
        return UNKNOWN

    def _element_type(self, row: int) -> Type:
        """Return the type of ``x`` in ``for (var x : iterable)``."""
        if self.rows.size[row] < 2:
            return UNKNOWN
        for iterable_type in bound_types(self.type_of(row + 1)):
            if isinstance(iterable_type, ArrayType):
                return iterable_type.component_type
            if isinstance(iterable_type, ClassType):
                iterable = as_supertype(
                    self.world, iterable_type, self.world.find_or_add_class("java.lang.Iterable")
                )
                if iterable is not None:
                    element = (
                        upper_bound(iterable.args[0]) if iterable.args else self.world.object_type
                    )
                    return element if not isinstance(element, Wildcard) else UNKNOWN
        return UNKNOWN

    def _lambda_parameter_type(self, row: int) -> Type:
        """Return the type of an implicitly typed lambda parameter."""
        rows = self.rows
        target_type = self.expected_type(rows.parent[row])
        function_type = (
            find_function_type(self.world, target_type) if target_type is not None else None
        )
        position = rows.a[row]
        if function_type is None or position >= len(function_type[0]):
            return UNKNOWN
        return upper_bound(function_type[0][position])

    def _name_type(self, row: int) -> Type:
        meaning = self.meaning_of(row)
        return meaning.type if meaning.kind == "value" else UNKNOWN

    def _literal_type(self, row: int) -> Type:
        name = LITERALS[self.rows.a[row]]
        if name == "null":
            return NULL
        return PRIMITIVES.get(name) or self._string_type

    def _this_type(self, row: int) -> Type:
        return own_type(self.world, self.rows.scopes[row].cls)

    def _outer_this_type(self, row: int) -> Type:
        meaning = self.meaning_of(row + 1) if self.rows.size[row] > 1 else None
        if meaning is not None and isinstance(meaning.type, ClassType):
            return own_type(self.world, meaning.type.cls)
        return UNKNOWN

    def _superclass_type(self, row: int) -> Type:
        # The first ancestor is the class itself, the second its superclass.
        above = list(find_ancestors(self.world, self.rows.scopes[row].cls).values())
        return above[1] if len(above) > 1 else UNKNOWN

    def _array_access_type(self, row: int) -> Type:
        array = self.type_of(row + 1) if self.rows.size[row] > 1 else UNKNOWN
        return array.component_type if isinstance(array, ArrayType) else UNKNOWN

    def _creation_type(self, row: int) -> Type:
        class_index = self.rows.anonymous_class_index(row)
        if class_index >= 0:
            return class_type(self.rows.unit.classes[class_index])
        return self.call_type(row)

    def _class_literal_type(self, row: int) -> Type:
        argument = (
            box_type(self.world, self.written_type(row)) if self.rows.a[row] >= 0 else UNKNOWN
        )
        argument = (
            class_type(self.world.find_or_add_class("java.lang.Void"))
            if argument is VOID
            else argument
        )
        return class_type(self.world.find_or_add_class("java.lang.Class"), (argument,))

    def _conditional_type(self, row: int) -> Type:
        branches = self.rows.children(row)[1:]
        if len(branches) != 2:
            return UNKNOWN
        left, right = [self.type_of(branch) for branch in branches]
        if left is right:
            return left
        if left is NULL or right is NULL:
            return box_type(self.world, right if left is NULL else left)
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return UNKNOWN
        if unboxed_name(left) and unboxed_name(right):
            if unboxed_name(left) == unboxed_name(right):
                return PRIMITIVES[unboxed_name(left)]
            # Between int and narrower types, a constant's value decides (JLS 15.25).
            promoted_type = promote_numeric(left, right)
            return promoted_type if promoted_type is not INT else UNKNOWN
        if isinstance(left, ClassType) and isinstance(right, ClassType):
            for high, low in ((left, right), (right, left)):
                if check_subclass(self.world, low.cls, high.cls) == STRICT:
                    return high if not high.args and not low.args else unknown_subtype_of(high.cls)
        return least_upper_bound(self.world, (left, right))

    def _first_child_type(self, row: int) -> Type:
        return self.type_of(row + 1) if self.rows.size[row] > 1 else UNKNOWN

    def _binary_type(self, row: int) -> Type:
        operands = self.rows.children(row)
        operator = self.rows.a[row]
        if operator == TRUTH:
            return BOOLEAN
        if len(operands) != 2:
            return UNKNOWN
        left, right = self.type_of(operands[0]), self.type_of(operands[1])
        if operator == SHIFT:
            return promote_numeric(left, left)
        if operator == PLUS and (left is self._string_type or right is self._string_type):
            return self._string_type
        if operator == BITS and "boolean" in (unboxed_name(left), unboxed_name(right)):
            return BOOLEAN
        return promote_numeric(left, right)

    def _unary_type(self, row: int) -> Type:
        if self.rows.a[row] == TRUTH:
            return BOOLEAN
        operand = self.type_of(row + 1) if self.rows.size[row] > 1 else UNKNOWN
        return promote_numeric(operand, operand)

    def _unknown_type(self, row: int) -> Type:
        return UNKNOWN

    def _boolean_type(self, row: int) -> Type:
        return BOOLEAN


# Rule of each of the 42 row codes; a code that is missing below has the unknown type.
_TYPE_RULES: list[Callable[[Attribution, int], Type]] = [Attribution._unknown_type] * 42
for _code, _rule in {
    code.TYPED: Attribution._dimensioned_type,
    code.REF: Attribution._local_type,
    code.NAME: Attribution._name_type,
    code.FIELD: Attribution._name_type,
    code.LITERAL: Attribution._literal_type,
    code.THIS: Attribution._this_type,
    code.OUTER: Attribution._outer_this_type,
    code.SUPER: Attribution._superclass_type,
    code.INDEX: Attribution._array_access_type,
    code.CALL: Attribution.call_type,
    code.INVOKE: Attribution.call_type,
    code.UPCALL: Attribution.call_type,
    code.NEW: Attribution._creation_type,
    code.INNER: Attribution._creation_type,
    code.ARRAY: Attribution._dimensioned_type,
    code.CAST: Attribution.written_type,
    code.CONDITION: Attribution._conditional_type,
    code.ASSIGN: Attribution._first_child_type,
    code.BINARY: Attribution._binary_type,
    code.UNARY: Attribution._unary_type,
    code.UPDATE: Attribution._first_child_type,
    code.TEST: Attribution._boolean_type,
    code.CLASS_OF: Attribution._class_literal_type,
}.items():
    _TYPE_RULES[_code] = _rule
