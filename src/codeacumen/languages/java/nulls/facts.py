"""Null facts of one file: its methods as instructions, for the analysis of the whole project.

A unit is one method as the analysis sees it: a translated body, or a method without a body that is
declared nullable. The facts of a file depend on other files only through the links of calls. Facts
are small and can be sent between processes; ``corpus.nulls`` stores them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.nulls.translation.instructions import (
    NUMBERS,
    PRIMITIVES,
    LinkedCall,
    TranslationPool,
    UnreadableError,
)
from codeacumen.languages.java.nulls.translation.statements import StatementTranslator
from codeacumen.languages.java.nulls.translation.tree import NAME, TYPE, VALUE, NodeTree
from codeacumen.languages.java.resolve.link import Call
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.text.lines import line_starts

IntArray = NDArray[np.int32]

# Simple names of annotations for values that may be null, and for values that never are.
MAY_BE_NULL = frozenset(("Nullable", "CheckForNull", "NullableDecl", "PossiblyNull"))
NEVER_NULL = frozenset(("NonNull", "Nonnull", "NotNull", "NonNullDecl"))
_PRIMITIVE_NAMES = frozenset(
    ("int", "long", "boolean", "char", "byte", "short", "float", "double", "void")
)
# Columns of a unit: index of the method in the file, start of its instructions in ``code``, numbers
# of registers and of parameters, flags, name, class, then bit masks of the parameters that may be
# null and that are never null (bit 0: the first). COLUMNS is the number of columns. The name and
# the class (its qualified name) are indices into ``texts``.
(
    METHOD_INDEX,
    FIRST_INSTRUCTION,
    REGISTERS,
    PARAMETERS,
    FLAGS,
    NAME_TEXT,
    CLASS_TEXT,
    NULLABLE_MASK,
    NONNULL_MASK,
    COLUMNS,
) = range(10)
# A unit's flags. RETURNS_MAYBE and RETURNS_NEVER: by its annotation the result may be null, or
# never is; BODILESS: the method has no body.
CONSTRUCTOR, STATIC, RETURNS_MAYBE, RETURNS_NEVER, BODILESS = 1, 2, 4, 8, 16
# Parameters with a bit in the masks, which are 32-bit integers with a sign.
_MOST_PARAMETERS = 30
# A file with more fields declared nullable gets no nulls from these declarations.
_MOST_NULLABLE = 3
_BOOLEANS = {"true": ir.TRUE, "false": ir.FALSE}
# Kinds of initialisers that are never null.
_FILLED_KINDS = frozenset(
    (
        "string_literal",
        "object_creation_expression",
        "array_creation_expression",
        "array_initializer",
        "class_literal",
        "lambda_expression",
        "method_reference",
    )
)


@dataclass(frozen=True, slots=True)
class NullFacts:
    """Null facts of a file.

    ``units`` has a row of COLUMNS numbers for each translated body, and for each method without a
    body that is declared nullable; ``code`` has the instructions of all units
    (see ``instructions``). ``expressions`` has rows of text, token, offset and whether the value is
    the result of a call. ``calls`` has rows of label, targets, flags, receiver, expression and
    number of arguments, then register and expression of each argument. Names and texts are indices
    into ``texts``, targets an index into ``targets``: sets of methods, as paths and indices in
    their files. ``classes`` maps the qualified name of a class to the fields that are null in a new
    object until they are set, ``records`` maps the qualified name of a record to its components,
    ``throws`` maps the index of a method to the exceptions that it declares. ``lines`` holds the
    offset of each line after the first.
    """

    path: str
    texts: tuple[str, ...]
    units: IntArray
    code: IntArray
    expressions: IntArray
    calls: IntArray
    targets: tuple[tuple[tuple[str, int], ...], ...]
    classes: dict[str, tuple[int, ...]]
    records: dict[str, tuple[int, ...]]
    throws: dict[int, tuple[int, ...]]
    lines: IntArray


def extract_facts(file: JavaFile, calls: Iterable[Call | LinkedCall], path: str = "") -> NullFacts:
    """Return the null facts of a file; methods that cannot be translated have no unit.

    ``calls`` are the linked calls of the file. ``path`` is the path of the file in its project, as
    in the targets of calls.
    """
    translator = _FileTranslator(file)
    sites = {
        call.offset: LinkedCall(
            call.offset, call.callee, call.targets, call.ambiguous, call.inside, call.kind
        )
        for call in calls
    }
    translator.translate_methods(sites)
    pool = translator.pool
    lines = line_starts(file.source)
    return NullFacts(
        path,
        tuple(pool.texts),
        _int_array(translator.units).reshape(-1, COLUMNS),
        _int_array(translator.code),
        _int_array(pool.expressions).reshape(-1, 4),
        _int_array(pool.calls),
        tuple(pool.targets),
        translator.classes,
        translator.records,
        translator.throws,
        lines.astype(np.int32),
    )


def _int_array(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int32)


class _FileTranslator:
    """Translation of the methods and fields of one file."""

    def __init__(self, file: JavaFile) -> None:
        self.file = file
        self.tree = NodeTree(file)
        self.pool = TranslationPool()
        self.units: list[int] = []
        self.code: list[int] = []
        self.classes: dict[str, tuple[int, ...]] = {}
        self.records: dict[str, tuple[int, ...]] = {}
        self.throws: dict[int, tuple[int, ...]] = {}
        self._labels: dict[int, str] = {}

    def translate_methods(self, sites: dict[int, LinkedCall]) -> None:
        """Translate all methods; ``sites`` holds the linked calls by offset."""
        builder = StatementTranslator(self.tree, self.pool, sites)
        builder.fields, builder.truths, builder.numbers = self._classify_fields()
        builder.statics = {
            self.tree.child(field.node, NAME)
            for field in self.file.declarations.fields
            if "static" in field.modifiers
        }
        for index, method in enumerate(self.file.declarations.methods):
            builder.begin_method()
            row = self._make_row(index, method)
            if method.body == NONE:
                if row[FLAGS] & RETURNS_MAYBE:
                    row[FLAGS] |= BODILESS
                    builder.register_count = 1 + len(method.parameters)
                    # Without a body, the annotation is all that is known of the method.
                    builder.emit(ir.RETURN, a=-1, offset=self.tree.start[method.node])
                    self._append_unit(builder, row)
                continue
            try:
                self._bind_parameters(builder, method, row)
                builder.translate_statement(method.body)
                self._append_unit(builder, row)
            except UnreadableError:
                continue

    def _append_unit(self, builder: StatementTranslator, row: list[int]) -> None:
        """Append the translated method's instructions, and its row to the units."""
        row[FIRST_INSTRUCTION], row[REGISTERS] = len(self.code), 0
        self.code += builder.resolve_labels()
        row[REGISTERS] = builder.register_count
        self.units += row

    def _make_row(self, index: int, method: MethodDeclaration) -> list[int]:
        """Return the row of a unit without instructions, and record the declared exceptions."""
        flags = 0
        if method.kind != "method":
            flags |= CONSTRUCTOR
        if "static" in method.modifiers:
            flags |= STATIC
        annotation_set = {name.rpartition(".")[2] for name in method.annotations}
        # An annotation before an array type often refers to the elements.
        if method.returns not in _PRIMITIVE_NAMES and not method.returns.endswith("]"):
            flags |= RETURNS_MAYBE if annotation_set & MAY_BE_NULL else 0
            flags |= RETURNS_NEVER if annotation_set & NEVER_NULL else 0
        row = [0] * COLUMNS
        row[METHOD_INDEX], row[FLAGS], row[NAME_TEXT] = (
            index,
            flags,
            self.pool.intern_text(method.name),
        )
        row[PARAMETERS] = len(method.parameters)
        row[CLASS_TEXT] = self.pool.intern_text(self._class_label(method.type))
        throws_clause = self.tree.first_child_of_kind(method.node, "throws")
        if throws_clause >= 0:
            self.throws[index] = tuple(
                self.pool.intern_text(self.tree.text(exception).rpartition(".")[2])
                for exception in self.tree.named_children(throws_clause)
            )
        return row

    def _class_label(self, type_: int) -> str:
        """Return the qualified name of a class of the file, from its index in the declarations."""
        if type_ == NONE:
            return ""
        label = self._labels.get(type_)
        if label is None:
            declared = self.file.declarations
            types = declared.types
            names: list[str] = []
            owner = type_
            while owner != NONE and len(names) < 64:
                names.append(types[owner].name)
                owner = types[owner].owner
            if declared.package:
                names.append(declared.package)
            label = self._labels[type_] = ".".join(reversed(names))
        return label

    def _bind_parameters(
        self, builder: StatementTranslator, method: MethodDeclaration, row: list[int]
    ) -> None:
        """Give the parameters the first registers, in order, and set the masks of annotations."""
        tree = self.tree
        builder.returns_primitive = method.returns in _PRIMITIVE_NAMES and method.returns != "void"
        builder.register_count = 1 + len(method.parameters)
        parameter_list = tree.first_child_of_kind(method.node, "formal_parameters")
        index = 0
        for node in tree.named_children(parameter_list) if parameter_list >= 0 else ():
            # A receiver parameter, as in ``run(A this)``, is no parameter (JLS 8.4).
            if tree.kind[node] not in ("formal_parameter", "spread_parameter"):
                continue
            type_ = tree.child(node, TYPE)
            name = tree.child(node, NAME)
            if name < 0:
                # The grammar puts the name of a variable arity parameter into a declarator.
                declarator = tree.first_child_of_kind(node, "variable_declarator")
                name = tree.child(declarator, NAME) if declarator >= 0 else -1
            symbol = tree.symbol.get(name, -1)
            if symbol >= 0:
                # Register 0 is the object itself.
                builder.registers[symbol] = 1 + index
            annotation_set = set(tree.annotation_names(node))
            written = method.parameters[index].type if index < len(method.parameters) else ""
            if written in _PRIMITIVE_NAMES or (
                type_ >= 0 and tree.kind[type_] in PRIMITIVES and written in _PRIMITIVE_NAMES
            ):
                builder.primitive_symbols.add(symbol)
            if index < _MOST_PARAMETERS and not written.endswith(("]", "...")):
                row[NULLABLE_MASK] |= bool(annotation_set & MAY_BE_NULL) << index
                row[NONNULL_MASK] |= bool(annotation_set & NEVER_NULL) << index
            index += 1

    def _classify_fields(self) -> tuple[dict[int, int], dict[int, int], dict[int, str]]:
        """Return the kinds of fields, and boolean and numeric constants, by name node.

        The kinds are those of field declarations in ``instructions`` (NULLABLE, TABLE, …); fields
        without a kind are PLAIN. Also sets ``classes`` and ``records``.
        """
        tree, declared = self.tree, self.file.declarations
        kinds: dict[int, int] = {}
        truths: dict[int, int] = {}
        numbers: dict[int, str] = {}
        unset_fields: dict[int, list[str]] = {}
        for field in declared.fields:
            name, value = tree.child(field.node, NAME), tree.child(field.node, VALUE)
            is_static, is_final = "static" in field.modifiers, "final" in field.modifiers
            if field.type != NONE and declared.types[field.type].kind in (
                "interface",
                "annotation",
            ):
                # Fields of interfaces are static and final without saying so (JLS 9.3).
                is_static = is_final = True
            kind = tree.kind[value] if value >= 0 else ""
            if field.declared in _PRIMITIVE_NAMES:
                kinds[name] = ir.PRIMITIVE
                if is_final and kind in _BOOLEANS:
                    truths[name] = _BOOLEANS[kind]
                elif is_final and kind in NUMBERS:
                    numbers[name] = tree.text(value)
            # The node of a field is its declarator; the declaration around it has the annotations.
            elif not field.declared.endswith("]") and MAY_BE_NULL.intersection(
                tree.annotation_names(tree.parent[field.node])
            ):
                kinds[name] = ir.NULLABLE
            elif is_final and is_static and kind != "null_literal":
                kinds[name] = ir.TABLE
            elif is_final and kind in _FILLED_KINDS:
                kinds[name] = ir.FILLED
            if not is_static and value < 0 and field.declared not in _PRIMITIVE_NAMES:
                unset_fields.setdefault(field.type, []).append(field.name)
        # A file with many such annotations is checked by a tool that knows more than this analysis.
        nullable = [name for name, field_kind in kinds.items() if field_kind == ir.NULLABLE]
        if len(nullable) > _MOST_NULLABLE:
            kinds.update(dict.fromkeys(nullable, ir.PLAIN))
        initialised = self._find_initialised()
        for index, type_ in enumerate(declared.types):
            label = self._class_label(index)
            if type_.kind == "class":
                null_fields = [
                    self.pool.intern_text(name)
                    for name in unset_fields.get(index, ())
                    if name not in initialised.get(type_.node, ())
                ]
                self.classes[label] = tuple(null_fields)
            elif type_.kind == "record":
                self.records[label] = tuple(
                    self.pool.intern_text(component.name) for component in type_.components
                )
        return kinds, truths, numbers

    def _find_initialised(self) -> dict[int, set[str]]:
        """Return all names in initialiser blocks, by the class's node.

        The analysis assumes that these blocks set each field that they mention.
        """
        tree = self.tree
        names_by_class: dict[int, set[str]] = {}
        for node, kind in enumerate(tree.kind):
            if kind == "block" and tree.kind[tree.parent[node]] == "class_body":
                owner = tree.parent[tree.parent[node]]
                names = names_by_class.setdefault(owner, set())
                for name in range(node, tree.stop[node]):
                    if tree.kind[name] == "identifier":
                        names.add(tree.text(name))
        return names_by_class
