"""Side effects of a statement: the variables, fields and arrays that it reads and writes, how it
may throw, and whether it runs code outside of the method.

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

from codeacumen.languages.java.bindings.names import DECLARES, READS, UPDATES, WRITES
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import LOCALS, Code, code_of
from codeacumen.transforms.effects import operators
from codeacumen.transforms.effects.operators import PRIMITIVE, Outcome
from codeacumen.transforms.effects.types import Fields, Types, call, constant, creation

# An element of an array: the kind of its type, the declaration of the local variable that holds the
# array (or NONE), the index if it is a literal (or NONE).
Element = tuple[str, int, int]

NULL = "may meet null"
INDEX = "may be out of an array's range"
SIZE = "may ask for a negative size"


@dataclass(slots=True)
class Effect:
    """Effects of a statement.

    Local variables are the identifiers at their declarations. Fields are their names: two fields of
    the same name may be the same, two with different names never are. ``other_field_names`` are
    fields that are read but cannot change (final ones), or that only code that runs later mentions.
    ``volatile_field``: other accesses to memory that threads share must not be moved over it.
    ``words`` are the unqualified names mentioned, whatever they denote; ``new_words`` those of
    variables that a declaration adds to its block. ``calls`` and ``throws`` describe the first part
    that calls or throws; empty where none does.
    """

    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    declares: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    new_words: set[str] = field(default_factory=set)
    field_reads: set[str] = field(default_factory=set)
    field_writes: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    array_reads: set[Element] = field(default_factory=set)
    array_writes: set[Element] = field(default_factory=set)
    calls: str = ""
    throws: str = ""
    ordered: str = ""

    @property
    def shares(self) -> bool:
        """Whether the statement accesses memory that other code may access, too."""
        return bool(self.field_reads or self.field_writes or self.array_reads or self.array_writes)


# How a node is processed: as a name; as code that runs later, only for the names that it captures;
# by its method in ``_OUTCOME_METHODS``; or not at all.
_WORD, _LATER, _ACTS, _INERT = range(4)
_STEPS = (
    dict.fromkeys(("identifier", "type_identifier"), _WORD)
    | dict.fromkeys(("lambda_expression", "class_body", "modifiers"), _LATER)
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
            "decimal_integer_literal",
            "hex_integer_literal",
            "octal_integer_literal",
            "binary_integer_literal",
            "decimal_floating_point_literal",
            "hex_floating_point_literal",
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


class Effects:
    """Computes the effects of a file's statements and expressions."""

    def __init__(self, file: JavaFile) -> None:
        self.code: Code = code_of(file)
        self.fields = Fields(self.code)
        self.types = Types(self.code, self.fields)
        # State of the current call of ``effects_of_node``.
        self._effect = Effect()
        self._method = self._type = self._top = NONE

    def of(self, top: int) -> Effect:
        """Return the effects of a statement or an expression of a method.

        Statements other than declarations and expressions count as calls, because they may not end.
        """
        code, kinds, stops = self.code, self.code.kind, self.code.stop
        self._effect, self._top = Effect(), top
        self._method = code.method_of[top]
        methods = code.file.declarations.methods
        self._type = methods[self._method].type if self._method != NONE else NONE
        acting: list[int] = []
        at, end = top, stops[top]
        while at < end:
            kind = kinds[at]
            step = _STEPS.get(kind)
            if step is None:
                if kind in _ACTIONS:
                    acting.append(at)
                elif kind[:1].isalpha():
                    self._calls(f"has a {kind.replace('_', ' ')} in it")
            elif step == _WORD:
                self._word(at)
            elif step == _LATER:
                self._later(at)
                at = stops[at]
                continue
            at += 1
        for node in reversed(acting):
            outcome = _ACTIONS[kinds[node]](self, node)
            self.types.known[node] = outcome.type
            if outcome.throws:
                self._effect.throws = outcome.throws
            if outcome.calls:
                self._effect.calls = outcome.calls
        return self._effect

    def _calls(self, how: str) -> None:
        """Record a call unless an earlier one is recorded."""
        self._effect.calls = self._effect.calls or how

    # ---- words

    def _word(self, node: int) -> None:
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
            self._local(node, word)
        elif role in ("field", "enum constant"):
            self._access(node, word, plain=True)
        elif role == "unknown" and code.kind[node] == "identifier":
            self._calls(f"mentions `{word}`, which is declared elsewhere")

    def _local(self, node: int, word: str) -> None:
        """Record an access to a local variable."""
        code, effect = self.code, self._effect
        declaration, access = code.declaration[node], code.access[node]
        if access == DECLARES:
            parent = code.parent[node]
            if code.parent[parent] == self._top:
                effect.declares.add(declaration)
                effect.new_words.add(word)
            effect.writes.add(declaration)
            return
        home = code.method_of[declaration]
        if home != self._method and not self._known_capture(declaration, home):
            self._calls(f"mentions `{word}`, which may be an inherited field")
        if access != WRITES:
            effect.reads.add(declaration)
        if access != READS:
            effect.writes.add(declaration)

    def _known_capture(self, declaration: int, home: int) -> bool:
        """Return whether a variable of another method is certainly meant, not an inherited
        field."""
        methods = self.code.file.declarations.methods
        if home == NONE:  # a record's component is a parameter of the compact constructor
            compact = methods[self._method].kind == "compact constructor"
            return compact and self.fields.of(declaration).owner == self._type
        return self.fields.certain(self._type, methods[home].type)

    def _later(self, top: int) -> None:
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
                effect.named.add(word)

    # ---- fields and arrays

    def _access(self, node: int, word: str, plain: bool) -> None:
        """Record an access to a field. ``plain``: no dot precedes the name."""
        code, effect, access = self.code, self._effect, self.code.access[node]
        declaration = code.declaration[node]
        final = False
        if declaration == NONE:
            self._calls(f"uses `{word}`, which is declared elsewhere")
        else:
            one = self.fields.of(declaration)
            if plain and not self.fields.certain(self._type, one.owner):
                self._calls(f"uses `{word}`, which may be inherited")
            if one.constant:
                return
            if one.static and not self.fields.running(self._type, one.owner):
                self._calls(f"uses `{word}`, whose class may have to be initialised")
            if one.volatile:
                effect.ordered = word
            final = one.final
        if access != WRITES:
            (effect.named if final else effect.field_reads).add(word)
        if access not in (READS, DECLARES):
            effect.field_writes.add(word)

    def _field_access(self, node: int) -> Outcome:
        """Return the outcome of ``object.field``."""
        code = self.code
        name, receiver = code.child(node, "field"), code.child(node, "object")
        if name == NONE or code.kind[name] == "this":
            return Outcome("object")
        role, word = code.role.get(name, "unknown"), code.text(name)
        if role in ("type", "package"):
            return Outcome("")
        null = "" if self.types.never_null(receiver) else NULL
        if word == "length" and self.types.of(receiver).endswith("]"):
            return Outcome("int", null)
        if number := constant(code, self.types, receiver, word):
            return Outcome(number)
        if role not in ("field", "enum constant"):
            return Outcome("", "", f"uses `{word}`, which is declared elsewhere")
        self._access(name, word, plain=False)
        declaration = code.declaration[name]
        static = declaration != NONE and self.fields.of(declaration).static
        return Outcome(self.types.variable(declaration), "" if static else null)

    def _array_access(self, node: int) -> Outcome:
        """Return the outcome of ``array[index]``, and record the access."""
        code, types, effect = self.code, self.types, self._effect
        array, index = code.child(node, "array"), code.child(node, "index")
        type_ = types.element(types.of(array))
        number = types.number(index)
        holder = code.unwrapped(array)
        local = code.role.get(holder) in LOCALS
        kind = type_ if type_ in PRIMITIVE else "object" if type_ else ""
        element = (kind, code.declaration[holder] if local else NONE, number)
        access = self._done_to(node)
        if access != WRITES:
            effect.array_reads.add(element)
        if access != READS:
            effect.array_writes.add(element)
        if 0 <= number < types.length(holder):
            return Outcome(type_)
        return Outcome(type_, INDEX)

    def _done_to(self, node: int) -> int:
        """Return how an expression's parent accesses it: READS, WRITES or UPDATES."""
        code, around = self.code, self.code.parent[node]
        while code.kind[around] == "parenthesized_expression":
            node, around = around, code.parent[around]
        if code.kind[around] == "update_expression":
            return UPDATES
        if code.kind[around] == "assignment_expression" and code.field[node] == "left":
            return WRITES if code.kind[code.child(around, "operator")] == "=" else UPDATES
        return READS

    # ---- operators

    def _parentheses(self, node: int) -> Outcome:
        """Return the outcome of an expression in parentheses."""
        code = self.code
        inner = [one for one in code.children(node) if code.kind[one] not in ("(", ")")]
        return Outcome(self.types.of(inner[0]))

    def _binary(self, node: int) -> Outcome:
        """Return the outcome of a binary operator."""
        code, types = self.code, self.types
        left, right = code.child(node, "left"), code.child(node, "right")
        operator = code.kind[code.child(node, "operator")]
        return operators.binary(operator, types.of(left), types.of(right), types.nonzero(right))

    def _unary(self, node: int) -> Outcome:
        """Return the outcome of a unary operator."""
        code = self.code
        operator = code.kind[code.child(node, "operator")]
        return operators.unary(operator, self.types.of(code.child(node, "operand")))

    def _update(self, node: int) -> Outcome:
        """Return the outcome of ``++`` or ``--``."""
        code = self.code
        (operand,) = [one for one in code.children(node) if code.kind[one] not in ("++", "--")]
        type_ = self.types.of(operand)
        return Outcome(type_, "" if type_ in PRIMITIVE else operators.UNBOXES)

    def _assignment(self, node: int) -> Outcome:
        """Return the outcome of a plain or compound assignment."""
        code, types = self.code, self.types
        left, right = types.of(code.child(node, "left")), code.child(node, "right")
        operator = code.kind[code.child(node, "operator")]
        if operator == "=":
            return Outcome(left, operators.converted(left, types.of(right)))
        return operators.compound(operator[:-1], left, types.of(right), types.nonzero(right))

    def _declarator(self, node: int) -> Outcome:
        """Return the outcome of a variable's initialisation."""
        code, types = self.code, self.types
        name, value = code.child(node, "name"), code.child(node, "value")
        if value == NONE or code.kind[value] == "array_initializer" or types.inferred(name):
            return Outcome("")
        return Outcome("", operators.converted(types.variable(name), types.of(value)))

    def _conditional(self, node: int) -> Outcome:
        """Return the outcome of ``condition ? left : right``."""
        code, of = self.code, self.types.of
        condition, left = code.child(node, "condition"), code.child(node, "consequence")
        return operators.conditional(of(condition), of(left), of(code.child(node, "alternative")))

    def _instanceof(self, node: int) -> Outcome:
        """Return the outcome of ``instanceof``."""
        return Outcome("boolean")

    def _cast(self, node: int) -> Outcome:
        """Return the outcome of a cast."""
        code = self.code
        targets, value = code.fields(node, "type"), code.child(node, "value")
        if code.kind[code.unwrapped(value)] in ("lambda_expression", "method_reference"):
            return Outcome("object")
        if len(targets) != 1 or code.role.get(targets[0], "type") not in ("type", "type variable"):
            return Outcome("", "may fail to cast")  # or (x) - y, which the grammar parses as a cast
        target = self.types.written(targets[0])
        return operators.cast(target, self.types.of(value))

    # ---- creations and calls

    def _method_reference(self, node: int) -> Outcome:
        """Return the outcome of a method reference, which throws if its receiver is null."""
        code = self.code
        of = code.unwrapped(code.children(node)[0])
        name = code.child(of, "field") if code.kind[of] == "field_access" else of
        type_ = code.kind[of].endswith(("_type", "type_identifier"))
        type_ = type_ or code.role.get(name) in ("type", "type variable")
        if type_ or self.types.never_null(of):
            return Outcome("object")
        return Outcome("object", NULL)

    def _call(self, node: int) -> Outcome:
        """Return the outcome of a method call."""
        name = self.code.child(node, "name")
        unknown = Outcome("", "", f"calls `{self.code.text(name)}`")
        return call(self.code, self.types, node) or unknown

    def _creation(self, node: int) -> Outcome:
        """Return the outcome of ``new Type(...)``."""
        type_ = type_text(self.code.file.syntax, self.code.child(node, "type"))
        if creation(self.code, self.types, node):
            return Outcome(type_)
        return Outcome(type_, "", f"makes a `{type_.partition('<')[0]}`")

    def _array_creation(self, node: int) -> Outcome:
        """Return the outcome of ``new type[size]``."""
        code, types = self.code, self.types
        sizes = [
            one
            for part in code.fields(node, "dimensions")
            if code.kind[part] == "dimensions_expr"
            for one in code.children(part)
            if code.kind[one] not in ("[", "]") and "annotation" not in code.kind[one]
        ]
        fits = all(types.number(one) >= 0 for one in sizes)
        return Outcome(types.created(node), "" if fits else SIZE)

    def _array_values(self, node: int) -> Outcome:
        """Return the outcome of ``{value, ...}``."""
        code, types = self.code, self.types
        type_ = types.initialised(node)
        if type_ and types.element(type_) not in PRIMITIVE:
            return Outcome(type_)
        values = [one for one in code.children(node) if code.kind[one] not in ("{", "}", ",")]
        if any(types.of(one) not in PRIMITIVE for one in values):
            return Outcome(type_, operators.UNBOXES)
        return Outcome(type_)


_ACTIONS: dict[str, Callable[[Effects, int], Outcome]] = {
    "field_access": Effects._field_access,
    "array_access": Effects._array_access,
    "parenthesized_expression": Effects._parentheses,
    "binary_expression": Effects._binary,
    "unary_expression": Effects._unary,
    "update_expression": Effects._update,
    "assignment_expression": Effects._assignment,
    "variable_declarator": Effects._declarator,
    "ternary_expression": Effects._conditional,
    "instanceof_expression": Effects._instanceof,
    "cast_expression": Effects._cast,
    "method_reference": Effects._method_reference,
    "method_invocation": Effects._call,
    "object_creation_expression": Effects._creation,
    "array_creation_expression": Effects._array_creation,
    "array_initializer": Effects._array_values,
}


def effects_of(code: Code) -> Effects:
    """Return the file's ``Effects``, which are built once per file."""
    return code.file.once(Effects)
