"""Models of maps, sizes and classes in the null analysis.

Maps and system properties: a key that was put, or tested for, has a value. Sizes: a loop over a
collection known to be non-empty runs at least once; a counter is never negative. Classes as
values: the class of an object, and its superclasses. Part of the chain of classes that ``values``
describes; the comment at ``Heap`` in ``state`` lists the marks in the heap.
"""

from __future__ import annotations

import re
from functools import cache

from codeacumen.languages.java.nulls import library_models
from codeacumen.languages.java.nulls.interpretation.method_unit import MethodUnit
from codeacumen.languages.java.nulls.interpretation.state import (
    EACH,
    FALSE,
    LIMIT,
    NONNULL,
    NOTHING,
    NUMBER,
    SOLID,
    TEXT,
    TRUE,
    TRUTH,
    State,
)
from codeacumen.languages.java.nulls.interpretation.values import ValueAnalysis
from codeacumen.languages.java.nulls.library_models import method_name
from codeacumen.languages.java.nulls.translation.instructions import ROOT


class MapModel(ValueAnalysis):
    """Model of maps and of system properties, which are looked up like a map."""

    def __init__(self, unit: MethodUnit) -> None:
        super().__init__(unit)
        # True if the body tests for a key, which may equal an earlier key computed the same way.
        self.looks_up = any(
            library_models.find_map_method(call.label, library_models.strip_parameters(call.label))
            == library_models.CONTAINS
            for call in unit.calls.values()
        )

    def run_map_call(
        self,
        position: int,
        state: State,
        map_method: str,
        receiver: int,
        argument_values: list[int],
        d: int,
    ) -> list[State]:
        """Return the states after a call of a map's method.

        ``map_method`` is its kind (``library_models.GET``, …), ``receiver`` the value of the map,
        and ``d`` the register of the result. A lookup that may fail has two states.
        """
        for value in argument_values:
            self.mark_escaped(state, value)
        key: tuple[object, ...] = (receiver, "get", *argument_values[:1])
        if argument_values and self.looks_up:
            key = (receiver, "get", *self._key_identity(state, argument_values[0]))
        value = position * EACH
        if map_method == library_models.KEYS:
            self.define_value(position, state, d)
            state.facts[value] = NONNULL
            if receiver >= 0:
                state.heap[value, "keys"] = receiver
            return [state]
        if map_method == library_models.PUT:
            self.define_value(position, state, d)
            state.heap[key] = SOLID
            return [state]
        if map_method == library_models.CONTAINS:
            other = state.copy()
            self.define_value(position, state, d)
            self.define_value(position, other, d)
            state.facts[value], other.facts[value] = TRUE, FALSE
            state.heap[key] = SOLID
            return [state, other]
        if map_method == library_models.PROPERTY:
            if self._is_property_set(state, argument_values):
                state.facts[self.define_value(position, state, d)] = NONNULL
                return [state]
            key = (receiver, "get", *argument_values)
        mapped_value = (
            state.heap.pop(key, None)
            if map_method == library_models.REMOVE
            else state.heap.get(key)
        )
        if state.is_merged or (receiver, "table") in state.heap:
            self.define_value(position, state, d)
            return [state]
        # -2 is no value; the receiver may be -1.
        is_iterated_key = (
            bool(argument_values) and state.heap.get((argument_values[0], "key of"), -2) == receiver
        )
        if (
            (mapped_value is not None and state.fact_of(mapped_value) > 0)
            or is_iterated_key
            or len(argument_values) != 1
        ):
            self.define_value(position, state, d)
            state.facts[value] = NONNULL
            return [state]
        other = state.copy()
        self.define_value(position, state, d)
        self.define_value(position, other, d)
        state.facts[value] = NONNULL
        offset = self.unit.instructions[position][7]
        step = self.make_step(offset, "the map has no value for the key")
        source = f"{self.unit.facts.path} map" if map_method == library_models.GET else ""
        description = "looked up in a map without the key"
        other.facts[value] = self.add_origin(position, True, (step,), description, source)
        if map_method != library_models.REMOVE:
            state.heap[key] = value
        return [state, other]

    def _key_identity(self, state: State, value: int) -> tuple[object, ...]:
        """Return what identifies a key: the getter that returned it and its receiver, or itself.

        ``value`` is the key. Two calls of the same getter on the same object return the same key.
        """
        for key in state.heap:
            if key[0] == value and key[1] == "from":
                return key[2:]
        return (value,)

    def mark_key_iterators(self, map_value: int, name: str, states: list[State], d: int) -> None:
        """Mark iterators over a map's keys, and the elements that they return.

        ``name`` is the method that was called on the set of keys or on its iterator.
        """
        for state in states:
            if name == "iterator":
                state.heap[state.registers[d], "keys"] = map_value
            elif name in ("next", "nextElement"):
                state.heap[state.registers[d], "key of"] = map_value

    def _is_property_set(self, state: State, argument_values: list[int]) -> bool:
        """Return whether a system property exists on every machine.

        A name that is read from a field, as a constant of the program is, is assumed to do so.
        """
        if not argument_values:
            return True
        value = argument_values[0]
        if value >= TEXT:
            text = self.unit.facts.texts[value - TEXT] if value < NUMBER else ""
            return text.strip('"') in library_models.PROPERTIES
        return any(held == value for held in state.heap.values())


# The value of the number 0.
ZERO = NUMBER + LIMIT
# Names of methods that return a size, that test for a next element, and that may make an object
# empty.
_SIZES = frozenset(("size", "length", "getSize", "getLength", "count"))
_HAS_MORE = frozenset(("hasNext", "hasMoreElements", "hasMoreTokens"))
STRING = "java.lang.String."
_MAY_EMPTY = re.compile(r"(next|clear|remove|retain|poll|pop|drain|take)")


@cache
def concerns_emptiness(name: str) -> bool:
    """Return whether a method of this name reveals or changes whether its object is empty."""
    return name in _SIZES or name in _HAS_MORE or name == "isEmpty" or bool(_MAY_EMPTY.match(name))


def _tests_strings_twice(unit: MethodUnit) -> bool:
    """Return whether the body tests strings for emptiness more than once."""
    test_count = 0
    for call in unit.calls.values():
        label = call.label
        test_count += label.startswith(STRING) and method_name(label) in (
            "length",
            "isEmpty",
            "equals",
        )
    return test_count > 1


class SizeModel(MapModel):
    """Model of sizes: whether collections, iterators and strings are empty."""

    def __init__(self, unit: MethodUnit) -> None:
        super().__init__(unit)
        # It pays to track sizes if the body has loops, or tests emptiness again.
        self.sizes_matter = unit.has_loops or _tests_strings_twice(unit)

    def record_size_call(
        self, state: State, label: str, name: str, receiver: int, value: int
    ) -> None:
        """Update the state after a call that may reveal or change whether its receiver is empty.

        ``name`` is the method's simple name, ``value`` the result (-1: none).
        """
        heap = state.heap
        if value >= 0:
            if name in _SIZES:
                heap[value, "size of"] = receiver
                if label.startswith(STRING):
                    heap[value, "of string"] = SOLID
            elif name == "isEmpty":
                if label.startswith(STRING):
                    self.record_string_emptiness(state, value, receiver)
                else:
                    heap[value, "void"] = receiver
            elif name in _HAS_MORE:
                heap[value, "more"] = receiver
                if (receiver, "full") in heap:
                    state.facts[value] = TRUE
        if (receiver, "full") in heap and _MAY_EMPTY.match(name):
            del heap[receiver, "full"]

    def record_string_emptiness(self, state: State, value: int, owner: int) -> bool:
        """Link a value to the emptiness of a string; return whether the value is possible.

        ``value`` is true if the string ``owner`` is empty. Strings do not change, so empty ones are
        recorded too.
        """
        if not self.sizes_matter:
            return True
        heap = state.heap
        fact = FALSE if (owner, "full") in heap else TRUE if (owner, "blank") in heap else NOTHING
        known_fact = state.fact_of(value)
        if fact and value >= 0:
            state.facts[value] = fact
        heap[value, "void"] = owner
        heap[value, "of string"] = SOLID
        return not fact or known_fact not in (TRUE, FALSE) or known_fact == fact

    def is_full(self, state: State, value: int) -> bool:
        """Return whether an object is known to be non-empty."""
        return (value, "full") in state.heap

    def record_emptiness_test(self, state: State, value: int, answer: bool) -> None:
        """Record the answer of a condition on ``value`` that may have tested for emptiness."""
        owner = state.heap.get((value, "more" if answer else "void"))
        if owner is not None:
            state.heap[owner, "full"] = SOLID
            return
        owner = state.heap.get((value, "void"))
        if owner is not None and (value, "of string") in state.heap:
            state.heap[owner, "blank"] = SOLID

    def record_size_comparison(
        self, state: State, is_less: bool, value: int, other: int, is_true: bool
    ) -> None:
        """Record what a comparison of a size with a number reveals about emptiness.

        The comparison is ``value < other`` if ``is_less``, else ``value == other``.
        """
        owner = state.heap.get((value, "size of"))
        if owner is not None and NUMBER <= other < TRUTH:
            number = other - ZERO
            # Non-empty: the size is equal to a positive number, or not below one, or not 0.
            is_nonempty = number > 0 if is_less is not is_true else number == 0
            if is_nonempty and not (is_less and is_true):
                state.heap[owner, "full"] = SOLID
            elif is_true and number == int(is_less) and (value, "of string") in state.heap:
                state.heap[owner, "blank"] = SOLID
            return
        owner = state.heap.get((other, "size of"))
        if owner is not None and is_less and ZERO <= value < TRUTH:
            if is_true:
                state.heap[owner, "full"] = SOLID
            elif value == ZERO and (other, "of string") in state.heap:
                state.heap[owner, "blank"] = SOLID

    def is_below(self, state: State, value: int, other: int) -> bool | None:
        """Return whether ``value`` is below ``other``, judged by sizes and counters; else None."""
        if value == ZERO and other < TEXT:
            is_nonempty = self._is_nonempty(state, other)
            if is_nonempty is not None:
                return is_nonempty
        if other == ZERO + 1 and value < TEXT:
            is_nonempty = self._is_nonempty(state, value)
            if is_nonempty is not None:
                return not is_nonempty
        if NUMBER <= other <= ZERO and ("counts", value) in state.facts:
            return False
        return None

    def _is_nonempty(self, state: State, size: int) -> bool | None:
        """Return whether the object with this size is non-empty; None if unknown."""
        owner = state.heap.get((size, "size of"))
        if owner is None:
            return None
        if (owner, "full") in state.heap:
            return True
        return False if (owner, "blank") in state.heap else None

    def is_zero_size(self, state: State, value: int, other: int) -> bool | None:
        """Return whether a size that is compared with zero is zero; None if unknown."""
        if other != ZERO or value >= TEXT:
            return None
        is_nonempty = self._is_nonempty(state, value)
        return None if is_nonempty is None else not is_nonempty

    def differ_in_sign(self, state: State, value: int, other: int) -> bool:
        """Return whether one value is a counter, never below zero, and the other is negative."""
        return (NUMBER <= other < ZERO and ("counts", value) in state.facts) or (
            NUMBER <= value < ZERO and ("counts", other) in state.facts
        )


# Names of methods that return a class.
CLASS_GETTERS = frozenset(("getClass", "getSuperclass"))


class ClassModel(SizeModel):
    """Model of classes as values, for loops that go from a class to its superclass."""

    def has_superclass(self, state: State, label: str, receiver: int) -> bool:
        """Return whether a call gets the superclass of the class of an object other than Object.

        Such a superclass exists; an interface has none.
        """
        return (
            label.startswith("java.lang.Class.getSuperclass")
            and (receiver, "of object") in state.heap
            and (receiver, "not root") in state.heap
        )

    def mark_classes(self, states: list[State], name: str, of_object: bool, d: int) -> None:
        """Mark the class of an object, and its superclasses: they are no interfaces.

        ``of_object`` is true if the receiver of ``getSuperclass`` is already marked.
        """
        if d >= 0 and (name == "getClass" or of_object):
            for state in states:
                if state.registers[d] >= 0 and state.fact_of(state.registers[d]) > 0:
                    state.heap[state.registers[d], "of object"] = SOLID

    def record_equals(self, state: State, label: str, value: int, first: int, second: int) -> bool:
        """Return whether the result of ``equals`` is possible, and record what it reveals.

        ``value`` is the result, ``first`` and ``second`` are the values that were compared.
        """
        for constant, owner in ((first, second), (second, first)):
            if owner >= 0 and TEXT <= constant < NUMBER:
                text = self.unit.facts.texts[constant - TEXT]
                if text == '""' and label.startswith(STRING):
                    return self.record_string_emptiness(state, value, owner)
                if text in ROOT and state.fact_of(value) == FALSE:
                    self.record_not_root(state, constant, owner)
        return True

    def record_not_root(self, state: State, first: int, second: int) -> None:
        """Record that two values differ: a class that differs from Object has a superclass."""
        for constant, owner in ((first, second), (second, first)):
            if not TEXT <= constant < NUMBER or (owner, "of object") not in state.heap:
                continue
            if self.unit.facts.texts[constant - TEXT] in ROOT:
                state.heap[owner, "not root"] = SOLID
