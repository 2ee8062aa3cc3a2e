"""Classification of names as values, types or packages (JLS 6.5), and expected types.

The expected type of an expression determines what a lambda implements (JLS 15.27.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.expressions import BLOCK, CALLS, FIELD, NAME
from codeacumen.languages.java.resolve.generics import expected_argument_type
from codeacumen.languages.java.resolve.members import (
    bound_types,
    find_field,
    find_function_type,
    member_field_type,
)
from codeacumen.languages.java.resolve.scopes import (
    MAX_NESTING,
    field_type,
    find_member_type,
    look_up_type_name,
    own_type,
    resolve_return_type,
    resolve_type,
)
from codeacumen.languages.java.resolve.types import (
    INT,
    UNKNOWN,
    ArrayType,
    Class,
    ClassType,
    Type,
    TypeVariable,
    array_of,
    class_type,
)

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution


class Meaning(NamedTuple):
    """Meaning of a name or another expression.

    ``kind`` is "value", "type" or "package". ``type`` is the type of the value, or the type itself;
    ``package`` is the package's name, empty for the other kinds.
    """

    kind: str
    type: Type = UNKNOWN
    package: str = ""


UNKNOWN_VALUE = Meaning("value")


def find_meaning(attribution: Attribution, row: int) -> Meaning:
    """Classify a name by its context (JLS 6.5); any other expression is a value."""
    row_code = attribution.rows.code[row]
    if row_code == NAME:
        scope = attribution.rows.scopes[row]
        return _classify_simple_name(
            attribution, scope.cls, scope.method, attribution.rows.text(row)
        )
    if row_code == FIELD and attribution.rows.size[row] > 1:
        return _classify_qualified_name(
            attribution, row, attribution.meaning_of(row + 1), attribution.rows.text(row)
        )
    return Meaning("value", attribution.type_of(row))


def _classify_simple_name(attribution: Attribution, cls: Class, method: int, name: str) -> Meaning:
    """Classify a name without qualifier: variable, then type, then package (JLS 6.5.2).

    An unknown name with a capital letter is guessed to be a type.
    """
    variable_type = find_variable_type(attribution, cls, name)
    if variable_type is not None and variable_type is not UNKNOWN:
        return Meaning("value", variable_type)
    declaration = look_up_type_name(attribution.world, cls, method, name)
    if isinstance(declaration, Class):
        return Meaning("type", class_type(declaration))
    if isinstance(declaration, TypeVariable):
        return Meaning("type", declaration)
    if variable_type is UNKNOWN:
        return UNKNOWN_VALUE
    if name[:1].isupper():
        return Meaning(
            "type", class_type(attribution.world.guess_class(name, attribution.rows.unit))
        )
    return Meaning("package", package=name)


def _classify_qualified_name(
    attribution: Attribution, row: int, qualifier: Meaning, name: str
) -> Meaning:
    world = attribution.world
    if qualifier.kind == "package":
        qualified = f"{qualifier.package}.{name}"
        cls = world.find_class(qualified, attribution.rows.unit)
        if cls is None and name[:1].isupper():
            cls = world.find_or_add_class(qualified)
        if cls is not None:
            return Meaning("type", class_type(cls))
        return Meaning("package", package=qualified)
    if qualifier.kind == "type" and isinstance(qualifier.type, ClassType):
        cls = qualifier.type.cls
        field = find_field(world, cls, name)
        if field is not None:
            return Meaning("value", field_type(world, field))
        inner = find_member_type(world, cls, name)
        if inner is not None:
            return Meaning("type", class_type(inner))
        return UNKNOWN_VALUE
    for type_ in bound_types(qualifier.type):
        if isinstance(type_, ArrayType) and name == "length":
            return Meaning("value", INT)
        if isinstance(type_, ClassType):
            field = find_field(world, type_.cls, name)
            if field is not None:
                return Meaning(
                    "value",
                    attribution.replace_foreign_variables(
                        member_field_type(world, type_, field), row
                    ),
                )
    return UNKNOWN_VALUE


def find_variable_type(attribution: Attribution, cls: Class, name: str) -> Type | None:
    """Return the type of the field that a simple name means in a class, cached.

    UNKNOWN if an unknown class may declare such a field, None if there is none. Local variables
    never get here: the bindings have resolved them.
    """
    key = (cls, name)
    if key not in attribution.variable_types:
        attribution.variable_types[key] = _find_variable_type(attribution, cls, name)
    return attribution.variable_types[key]


def _find_variable_type(attribution: Attribution, cls: Class, name: str) -> Type | None:
    world = attribution.world
    here: Class | None = cls
    is_unclear = False
    for _ in range(MAX_NESTING):
        if here is None:
            break
        field = find_field(world, here, name)
        if field is not None:
            # A class in between may inherit another field of the name from an unknown class.
            return UNKNOWN if is_unclear else member_field_type(world, own_type(world, here), field)
        is_unclear = is_unclear or not here.is_complete
        here = here.owner
    unit = attribution.rows.unit
    for holder_name in (*unit.static_imports.get(name, ()), *unit.static_on_demand_imports):
        holder = world.find_class(holder_name, unit)
        if holder is None:
            is_unclear = True
            continue
        field = find_field(world, holder, name)
        if field is not None:
            return UNKNOWN if is_unclear else field_type(world, field)
        is_unclear = is_unclear or not holder.is_complete
    return UNKNOWN if is_unclear else None


def find_expected_type(attribution: Attribution, row: int) -> Type | None:
    """Return the type expected of an expression; None if nothing is expected, or it is unknown."""
    rows, world = attribution.rows, attribution.world
    parent = rows.parent[row]
    if parent < 0:
        return None
    parent_code = rows.code[parent]
    scope = rows.scopes[parent]
    if parent_code == code.DECL or parent_code == code.CAST:
        written_type = resolve_type(world, scope.cls, scope.method, rows.text(parent))
        return array_of(written_type, rows.b[parent]) if parent_code == code.DECL else written_type
    if parent_code == code.INIT:
        return field_type(world, rows.unit.fields[rows.a[parent]])
    if parent_code == code.RETURN:
        return _expected_return_type(attribution, parent)
    if parent_code == code.LAMBDA:
        return None if rows.b[parent] & BLOCK else _expected_function_result(attribution, parent)
    if parent_code in (code.SWITCH, code.YIELD):
        return attribution.expected_type(parent)
    children = rows.children(parent)
    # Of an assignment, a is 1 for ``=``; a compound one expects no type.
    if parent_code == code.ASSIGN:
        return attribution.type_of(children[0]) if children[0] != row and rows.a[parent] else None
    # Of three children the first is the condition; with fewer, some of the three have no row.
    if parent_code == code.CONDITION:
        return (
            attribution.expected_type(parent) if children[0] != row or len(children) < 3 else None
        )
    if parent_code == code.LIST:
        list_type = attribution.expected_type(parent)
        return list_type.component_type if isinstance(list_type, ArrayType) else None
    if parent_code == code.ARRAY:
        return attribution.type_of(parent) if rows.code[row] == code.LIST else None
    if parent_code in CALLS:
        arguments = rows.arguments(parent)
        return (
            expected_argument_type(attribution, parent, arguments.index(row))
            if row in arguments
            else None
        )
    return None


def _expected_return_type(attribution: Attribution, row: int) -> Type | None:
    """Return the type expected of a returned value by the lambda or method around it."""
    rows = attribution.rows
    ancestor = rows.parent[row]
    while ancestor >= 0 and rows.code[ancestor] not in (code.LAMBDA, code.BODY, code.CLASS):
        ancestor = rows.parent[ancestor]
    if ancestor >= 0 and rows.code[ancestor] == code.LAMBDA:
        return _expected_function_result(attribution, ancestor)
    if ancestor >= 0 and rows.code[ancestor] == code.BODY:
        return resolve_return_type(attribution.world, rows.unit.methods[rows.a[ancestor]])
    return None


def _expected_function_result(attribution: Attribution, row: int) -> Type | None:
    """Return the result type of the functional interface that a lambda is expected to implement."""
    target_type = attribution.expected_type(row)
    function_type = (
        find_function_type(attribution.world, target_type) if target_type is not None else None
    )
    return function_type[1] if function_type is not None else None
