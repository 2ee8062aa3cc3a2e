"""Side effects of a statement: the variables, fields and arrays that it reads and writes, how it
may throw, and whether it runs code outside of the method. ``permute`` compares them.

The effects are an over-approximation: they include everything that may happen, except errors of the
machine (out of memory, stack overflow). A call may do anything to fields and arrays, throw, or
never return. The same holds for implicit calls: constructors, string conversions of objects, and
fields of other classes, whose access may run a static initialiser. The creation of a lambda or of
an anonymous class only reads the captured variables, because its body runs later.

``String`` and other names denote the types of java.lang unless the file declares or imports another
type, or declares a type variable, of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from codeacumen.languages.java.bindings.names import DECLARES, LOCALS, READS, UPDATES, WRITES
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.lexical import NUMBER_LITERALS
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.effects import operators
from codeacumen.transforms.effects.operators import PRIMITIVE, Outcome
from codeacumen.transforms.effects.types import (
    EvidentTypes,
    FileFields,
    bound_constant_type,
    is_pure_creation,
    pure_call_outcome,
)

# An element of an array: the kind of its type (a primitive type, ``object``, or empty if unknown),
# the declaration of the local variable that holds the array (or NONE), the index if it is a literal
# (or NONE).
Element = tuple[str, int, int]

# Ways to throw: predicates of a sentence about a statement.
NULL = "may dereference null"
INDEX = "may be out of an array's range"
SIZE = "may create an array of negative size"


@dataclass(slots=True)
class Effect:
    """Effects of a statement.

    ``reads``, ``writes`` and ``declares`` hold local variables, as the nodes of the identifiers at
    their declarations. Fields are names: two fields of the same name may be the same, two with
    different names never are. ``other_field_names`` are fields that are read but cannot change
    (final ones), or that only code that runs later mentions. ``volatile_field`` is the name of a
    volatile field that the statement accesses, empty if there is none: no access to memory that
    threads share may be moved over it. ``words`` are the unqualified names mentioned, whatever they
    denote; ``new_words`` those of variables that a declaration adds to its block. ``calls`` and
    ``throws`` describe a part that calls or throws; empty where none does.
    """

    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    declares: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    new_words: set[str] = field(default_factory=set)
    field_reads: set[str] = field(default_factory=set)
    field_writes: set[str] = field(default_factory=set)
    other_field_names: set[str] = field(default_factory=set)
    array_reads: set[Element] = field(default_factory=set)
    array_writes: set[Element] = field(default_factory=set)
    calls: str = ""
    throws: str = ""
    volatile_field: str = ""

    @property
    def touches_shared_memory(self) -> bool:
        """Return True if the statement accesses memory that other code may access, too."""
        return bool(self.field_reads or self.field_writes or self.array_reads or self.array_writes)


# How ``effects_of_node`` processes a node: as a name; as code that runs later, only for the names
# that it captures; by its method in ``_OUTCOME_METHODS`` (the table below lacks these kinds); or
# not at all.
_NAME, _DEFERRED, _ACTION, _INERT = range(4)
_STEP_BY_KIND = (
    dict.fromkeys(("identifier", "type_identifier"), _NAME)
    | dict.fromkeys(("lambda_expression", "class_body", "modifiers"), _DEFERRED)
    | dict.fromkeys(
        (
            "expression_statement",
            "local_variable_declaration",
            "line_comment",
            "block_comment",
            "argument_list",
            "type_arguments",
            "generic_type",
            "array_type",
            "annotated_type",
            "annotation",
            "marker_annotation",
            "dimensions",
            "dimensions_expr",
            "integral_type",
            "floating_point_type",
            "boolean_type",
            "void_type",
            "scoped_type_identifier",
            "wildcard",
            "class_literal",
            "this",
            "super",
            "true",
            "false",
            "null_literal",
            "string_literal",
            "string_fragment",
            "multiline_string_fragment",
            "escape_sequence",
            "character_literal",
            *NUMBER_LITERALS,
            "new",
            "class",
            "int",
            "long",
            "short",
            "byte",
            "char",
            "float",
            "double",
            "boolean",
            "extends",
            "instanceof",
            "final",
            "type_pattern",
            "pattern",
        ),
        _INERT,
    )
)


class EffectAnalysis:
    """Computes the effects of a file's statements and expressions."""

    def __init__(self, file: JavaFile) -> None:
        self.code: Code = code_of(file)
        self.fields = FileFields(self.code)
        self.types = EvidentTypes(self.code, self.fields)
        # State of the current call of ``effects_of_node``: its result, the indices of the method
        # and the type around the node, and the node.
        self._effect = Effect()
        self._method = self._type = self._top = NONE

    def effects_of_node(self, top: int) -> Effect:
        """Return the effects of a statement or an expression of a method.

        Statements other than declarations and expressions count as calls, because they may not end.
        """
        code, kinds, stops = self.code, self.code.kind, self.code.stop
        self._effect, self._top = Effect(), top
        self._method = code.method_of[top]
        methods = code.file.declarations.methods
        self._type = methods[self._method].type if self._method != NONE else NONE
        action_nodes: list[int] = []
        position, end = top, stops[top]
        while position < end:
            kind = kinds[position]
            step = _STEP_BY_KIND.get(kind)
            if step is None:
                if kind in _OUTCOME_METHODS:
                    action_nodes.append(position)
                elif kind[:1].isalpha():  # not punctuation: a construct that is not analysed
                    self._record_call(f"has a {kind.replace('_', ' ')} in it")
            elif step == _NAME:
                self._record_name(position)
            elif step == _DEFERRED:
                self._record_deferred(position)
                position = stops[position]
                continue
            position += 1
        for node in reversed(action_nodes):  # operands before the operations around them
            outcome = _OUTCOME_METHODS[kinds[node]](self, node)
            self.types.type_by_node[node] = outcome.type
            if outcome.throws:
                self._effect.throws = outcome.throws
            if outcome.calls:
                self._effect.calls = outcome.calls
        return self._effect

    def _record_call(self, description: str) -> None:
        """Record a call unless an earlier one is recorded."""
        self._effect.calls = self._effect.calls or description

    # ---- words

    def _record_name(self, node: int) -> None:
        """Record the effect of a name."""
        code, effect = self.code, self._effect
        role = code.role.get(node, "unknown")
        if role == "method" or (role == "type" and code.kind[node] == "type_identifier"):
            return
        if code.field[node] == "field" and code.kind[code.parent[node]] == "field_access":
            return
        word = code.text(node)
        effect.words.add(word)
        if role in LOCALS:
            self._record_local(node, word)
        elif role in ("field", "enum constant"):
            self._record_field_access(node, word, is_unqualified=True)
        elif role == "unknown" and code.kind[node] == "identifier":
            self._record_call(f"mentions `{word}`, which is declared elsewhere")

    def _record_local(self, node: int, word: str) -> None:
        """Record an access to a local variable."""
        code, effect = self.code, self._effect
        declaration, access = code.declaration[node], code.access[node]
        if access == DECLARES:
            parent = code.parent[node]
            if code.parent[parent] == self._top:  # a declarator of the statement itself
                effect.declares.add(declaration)
                effect.new_words.add(word)
            effect.writes.add(declaration)
            return
        declaring_method = code.method_of[declaration]
        if declaring_method != self._method and not self._is_certain_capture(
            declaration, declaring_method
        ):
            self._record_call(f"mentions `{word}`, which may be an inherited field")
        if access != WRITES:
            effect.reads.add(declaration)
        if access != READS:
            effect.writes.add(declaration)

    def _is_certain_capture(self, declaration: int, declaring_method: int) -> bool:
        """Return whether a name certainly denotes the variable of an outer method, not an inherited
        field of that name."""
        methods = self.code.file.declarations.methods
        if (
            declaring_method == NONE
        ):  # a record's component is a parameter of the compact constructor
            is_compact = methods[self._method].kind == "compact constructor"
            return is_compact and self.fields.field_of(declaration).owner == self._type
        return self.fields.is_certain_member(self._type, methods[declaring_method].type)

    def _record_deferred(self, top: int) -> None:
        """Record the names in code that runs later.

        Such code captures variables, and requires that the fields it mentions are assigned before
        (JLS 16.1.10).
        """
        code, effect = self.code, self._effect
        for node in range(top, code.stop[top]):
            if code.kind[node] != "identifier":
                continue
            word, role = code.text(node), code.role.get(node)
            effect.words.add(word)
            if role in LOCALS:
                effect.reads.add(code.declaration[node])
            elif role == "field":
                effect.other_field_names.add(word)

    # ---- fields and arrays

    def _record_field_access(self, node: int, word: str, is_unqualified: bool) -> None:
        """Record an access to a field. ``is_unqualified``: no dot precedes the name."""
        code, effect, access = self.code, self._effect, self.code.access[node]
        declaration = code.declaration[node]
        is_final = False
        if declaration == NONE:
            self._record_call(f"uses `{word}`, which is declared elsewhere")
        else:
            field_info = self.fields.field_of(declaration)
            if is_unqualified and not self.fields.is_certain_member(self._type, field_info.owner):
                self._record_call(f"uses `{word}`, which may be inherited")
            if field_info.is_constant:
                return
            if field_info.is_static and not self.fields.is_initialised(
                self._type, field_info.owner
            ):
                self._record_call(f"uses `{word}`, whose class may have to be initialised")
            if field_info.is_volatile:
                effect.volatile_field = word
            is_final = field_info.is_final
        if access != WRITES:
            (effect.other_field_names if is_final else effect.field_reads).add(word)
        if access not in (READS, DECLARES):
            effect.field_writes.add(word)

    def _field_access_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``object.field``, and record the access."""
        code = self.code
        name, receiver = code.child(node, "field"), code.child(node, "object")
        if name == NONE or code.kind[name] == "this":
            return Outcome("object")
        role, word = code.role.get(name, "unknown"), code.text(name)
        if role in ("type", "package"):
            return Outcome("")
        null_reason = "" if self.types.is_never_null(receiver) else NULL
        if word == "length" and self.types.type_of(receiver).endswith("]"):
            return Outcome("int", null_reason)
        if bound_type := bound_constant_type(code, self.types, receiver, word):
            return Outcome(bound_type)
        if role not in ("field", "enum constant"):
            return Outcome("", "", f"uses `{word}`, which is declared elsewhere")
        self._record_field_access(name, word, is_unqualified=False)
        declaration = code.declaration[name]
        is_static = declaration != NONE and self.fields.field_of(declaration).is_static
        return Outcome(self.types.variable_type(declaration), "" if is_static else null_reason)

    def _array_access_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``array[index]``, and record the access."""
        code, types, effect = self.code, self.types, self._effect
        array, index = code.child(node, "array"), code.child(node, "index")
        type_ = types.element_type(types.type_of(array))
        index_value = types.literal_value(index)
        holder = code.strip_parentheses(array)
        is_local = code.role.get(holder) in LOCALS
        kind = type_ if type_ in PRIMITIVE else "object" if type_ else ""
        element = (kind, code.declaration[holder] if is_local else NONE, index_value)
        access = self._access_kind(node)
        if access != WRITES:
            effect.array_reads.add(element)
        if access != READS:
            effect.array_writes.add(element)
        # Both are NONE, a negative number, if they are unknown.
        if 0 <= index_value < types.array_length(holder):
            return Outcome(type_)
        return Outcome(type_, INDEX)

    def _access_kind(self, node: int) -> int:
        """Return how an expression's parent accesses it: READS, WRITES or UPDATES."""
        code, parent = self.code, self.code.parent[node]
        while code.kind[parent] == "parenthesized_expression":
            node, parent = parent, code.parent[parent]
        if code.kind[parent] == "update_expression":
            return UPDATES
        if code.kind[parent] == "assignment_expression" and code.field[node] == "left":
            return WRITES if code.kind[code.child(parent, "operator")] == "=" else UPDATES
        return READS

    # ---- operators

    def _parentheses_outcome(self, node: int) -> Outcome:
        """Return the outcome of an expression in parentheses."""
        code = self.code
        inner = [child for child in code.children(node) if code.kind[child] not in ("(", ")")]
        return Outcome(self.types.type_of(inner[0]))

    def _binary_outcome(self, node: int) -> Outcome:
        """Return the outcome of a binary operator."""
        code, types = self.code, self.types
        left, right = code.child(node, "left"), code.child(node, "right")
        operator = code.kind[code.child(node, "operator")]
        return operators.binary_outcome(
            operator, types.type_of(left), types.type_of(right), types.is_nonzero_literal(right)
        )

    def _unary_outcome(self, node: int) -> Outcome:
        """Return the outcome of a unary operator."""
        code = self.code
        operator = code.kind[code.child(node, "operator")]
        return operators.unary_outcome(operator, self.types.type_of(code.child(node, "operand")))

    def _update_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``++`` or ``--``."""
        code = self.code
        (operand,) = [
            child for child in code.children(node) if code.kind[child] not in ("++", "--")
        ]
        type_ = self.types.type_of(operand)
        return Outcome(type_, "" if type_ in PRIMITIVE else operators.UNBOXES)

    def _assignment_outcome(self, node: int) -> Outcome:
        """Return the outcome of a plain or compound assignment."""
        code, types = self.code, self.types
        left, right = types.type_of(code.child(node, "left")), code.child(node, "right")
        operator = code.kind[code.child(node, "operator")]
        if operator == "=":
            return Outcome(left, operators.conversion_throws(left, types.type_of(right)))
        return operators.compound_outcome(
            operator[:-1], left, types.type_of(right), types.is_nonzero_literal(right)
        )

    def _declarator_outcome(self, node: int) -> Outcome:
        """Return the outcome of a variable's initialisation."""
        code, types = self.code, self.types
        name, value = code.child(node, "name"), code.child(node, "value")
        if value == NONE or code.kind[value] == "array_initializer" or types.is_inferred(name):
            return Outcome("")
        return Outcome(
            "", operators.conversion_throws(types.variable_type(name), types.type_of(value))
        )

    def _conditional_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``condition ? left : right``."""
        code, type_of = self.code, self.types.type_of
        condition, left = code.child(node, "condition"), code.child(node, "consequence")
        return operators.conditional_outcome(
            type_of(condition), type_of(left), type_of(code.child(node, "alternative"))
        )

    def _instanceof_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``instanceof``."""
        return Outcome("boolean")

    def _cast_outcome(self, node: int) -> Outcome:
        """Return the outcome of a cast."""
        code = self.code
        targets, value = code.children_in_field(node, "type"), code.child(node, "value")
        if code.kind[code.strip_parentheses(value)] in ("lambda_expression", "method_reference"):
            return Outcome("object")
        if len(targets) != 1 or code.role.get(targets[0], "type") not in ("type", "type variable"):
            return Outcome("", "may fail to cast")  # or (x) - y, which the grammar parses as a cast
        target = self.types.type_at(targets[0])
        return operators.cast_outcome(target, self.types.type_of(value))

    # ---- creations and calls

    def _method_reference_outcome(self, node: int) -> Outcome:
        """Return the outcome of a method reference, which throws if its receiver is null."""
        code = self.code
        receiver = code.strip_parentheses(code.children(node)[0])
        name = code.child(receiver, "field") if code.kind[receiver] == "field_access" else receiver
        is_type = code.kind[receiver].endswith(("_type", "type_identifier"))
        is_type = is_type or code.role.get(name) in ("type", "type variable")
        if is_type or self.types.is_never_null(receiver):
            return Outcome("object")
        return Outcome("object", NULL)

    def _call_outcome(self, node: int) -> Outcome:
        """Return the outcome of a method call."""
        name = self.code.child(node, "name")
        unknown = Outcome("", "", f"calls `{self.code.text(name)}`")
        return pure_call_outcome(self.code, self.types, node) or unknown

    def _creation_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``new Type(...)``."""
        type_ = type_text(self.code.file.syntax, self.code.child(node, "type"))
        if is_pure_creation(self.code, self.types, node):
            return Outcome(type_)
        return Outcome(type_, "", f"creates a `{type_.partition('<')[0]}`")

    def _array_creation_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``new type[size]``."""
        code, types = self.code, self.types
        sizes = [
            size
            for dimension in code.children_in_field(node, "dimensions")
            if code.kind[dimension] == "dimensions_expr"
            for size in code.children(dimension)
            if code.kind[size] not in ("[", "]") and "annotation" not in code.kind[size]
        ]
        is_non_negative = all(types.literal_value(size) >= 0 for size in sizes)
        return Outcome(types.created_array_type(node), "" if is_non_negative else SIZE)

    def _array_values_outcome(self, node: int) -> Outcome:
        """Return the outcome of ``{value, ...}``."""
        code, types = self.code, self.types
        type_ = types.initialiser_type(node)
        if type_ and types.element_type(type_) not in PRIMITIVE:
            return Outcome(type_)
        values = [child for child in code.children(node) if code.kind[child] not in ("{", "}", ",")]
        if any(types.type_of(value) not in PRIMITIVE for value in values):
            return Outcome(type_, operators.UNBOXES)
        return Outcome(type_)


_OUTCOME_METHODS: dict[str, Callable[[EffectAnalysis, int], Outcome]] = {
    "field_access": EffectAnalysis._field_access_outcome,
    "array_access": EffectAnalysis._array_access_outcome,
    "parenthesized_expression": EffectAnalysis._parentheses_outcome,
    "binary_expression": EffectAnalysis._binary_outcome,
    "unary_expression": EffectAnalysis._unary_outcome,
    "update_expression": EffectAnalysis._update_outcome,
    "assignment_expression": EffectAnalysis._assignment_outcome,
    "variable_declarator": EffectAnalysis._declarator_outcome,
    "ternary_expression": EffectAnalysis._conditional_outcome,
    "instanceof_expression": EffectAnalysis._instanceof_outcome,
    "cast_expression": EffectAnalysis._cast_outcome,
    "method_reference": EffectAnalysis._method_reference_outcome,
    "method_invocation": EffectAnalysis._call_outcome,
    "object_creation_expression": EffectAnalysis._creation_outcome,
    "array_creation_expression": EffectAnalysis._array_creation_outcome,
    "array_initializer": EffectAnalysis._array_values_outcome,
}


def effect_analysis(code: Code) -> EffectAnalysis:
    """Return the file's ``EffectAnalysis``, which is built once per file."""
    return code.file.compute_once(EffectAnalysis)
