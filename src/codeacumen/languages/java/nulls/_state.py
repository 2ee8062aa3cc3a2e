"""What is known on one way through a method.

Values are numbers: the value of a parameter, of a constant's text, or what a certain instruction
made. Registers and fields hold values; facts are known of values, so what is learnt of a value is
known wherever it is held.

What a caller has to know of a method: the ways it can end.

An outcome is one way, as far as null is concerned: what it needs of the parameters, and what it
gives. Together the outcomes say all there is to say: a method whose every return needs its
parameter not to be null ensures that; one that has no outcome that returns never does; one that
returns true only when it was given no null tells of it.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from codeacumen.languages.java.nulls.report import Step

# What is known of a value. NULL stands for all numbers below zero: the place of its origin.
NULL, NOTHING, NONNULL, TRUE, FALSE, FRESH = -1, 0, 1, 2, 3, 4
# What else a method may give: a parameter (p), a field of its object (f), or a number (n).
Given = int | tuple[str, int | str]

# A parameter, the class it is compared with, and the answer; or 0, a field of the object, and
# whether it is null.
Asked = tuple[int, str, bool]
# Instead of a class: it was compared with what limits it, a size or a length.
BOUND = "<"

MOST = 8
# A field that holds the i-th parameter is GIVEN + i.
GIVEN = 16


class Outcome(NamedTuple):
    """``fails`` is the parameter that must not be null on this way (0: it returns). ``needs``:
    parameters, from 1, and what is known of them; ``gives`` what is returned; ``fields`` what is
    known of the object's fields afterwards, of what it (``()name``) or a parameter (``(1)name``)
    was asked for, and of those of a new object that is returned, whose
    names begin with a dot; ``steps`` how it came about; ``asked`` what else it was asked of
    parameters: whether they are instances of a class, or (BOUND) within bounds."""

    fails: int
    needs: tuple[tuple[int, int], ...]
    gives: Given
    fields: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    asked: tuple[Asked, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        return (*self[:4], self.asked)


class Summary(NamedTuple):
    """``writes`` are the names of fields of others that may change, ``own`` those of the object
    itself, ``throws`` the exceptions that may leave it; None: any. ``changes``: of all those
    fields the ones that are more than filled, as a cache is, when they are found null."""

    outcomes: tuple[Outcome, ...]
    writes: frozenset[str] | None
    throws: frozenset[str] | None
    own: frozenset[str] | None = frozenset()
    changes: frozenset[str] | None = frozenset()


def joined(one: frozenset[str] | None, two: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or two is None else one | two


def returning(gives: Given, *needs: tuple[int, int]) -> Outcome:
    return Outcome(0, needs, gives, (), ())


def bounded(outcomes: list[Outcome]) -> tuple[Outcome, ...]:
    """Not more outcomes than are worth to be looked at: first fields are forgotten, then what is
    needed of parameters."""
    if len(outcomes) <= MOST:
        return tuple(outcomes)
    for keep_asked, keep_needs in ((True, True), (False, True), (False, False)):
        shorter: dict[tuple[object, ...], Outcome] = {}
        for one in outcomes:
            if one.fails == 0:
                gives = one.gives
                if not keep_needs and gives == NULL and any(need[1] < 0 for need in one.needs):
                    gives = NOTHING
                asked = one.asked if gives == NULL else ()
                one = one._replace(
                    fields=(), needs=one.needs if keep_needs else (), gives=gives, asked=asked
                )
            key = one.key if keep_asked else one[:4]
            before = shorter.get(key)
            if before is not None:
                asked = tuple(part for part in before.asked if part in one.asked)
                one = before._replace(asked=asked)
            shorter[key] = one
        outcomes = list(shorter.values())
        if len(outcomes) <= MOST:
            break
    normal = [one for one in outcomes if one.fails == 0]
    return tuple(normal + [one for one in outcomes if one.fails][: 2 * MOST])


# Values: of instruction i, from i * EACH on; then of parameters, what a register held when its
# value was made anew, and of texts.
EACH = 16
PARAMETER, STALE, TEXT = 1 << 24, 1 << 25, 1 << 26
THIS = PARAMETER
# Constants that are whole numbers, from -LIMIT on.
NUMBER, LIMIT = 1 << 27, 1 << 20
# What is true, and then what is false.
TRUTH = 1 << 28
SOLID = -1
# How many ways are kept apart where ways meet.
WAYS, FEW_WAYS = 8, 4

Heap = dict[tuple[object, ...], int]
Facts = dict[object, int]
AnswersSoFar = dict[tuple[int, str], bool]
NONE_ASKED: AnswersSoFar = {}


class Kept(Protocol):
    """What of a body decides what is kept."""

    loops: bool
    short: bool
    nullable: frozenset[str]


class State:
    __slots__ = ("asked", "facts", "heap", "old", "registers", "weak")

    def __init__(
        self, registers: list[int], facts: Facts, heap: Heap, old: frozenset[object]
    ) -> None:
        self.registers = registers
        # Values that were there where ways last met: only those can be made again.
        self.old = old
        # Whether something was forgotten where ways were merged.
        self.weak = False
        self.facts = facts
        self.heap = heap
        # What the way was asked and does not keep it apart from others: whether a value is an
        # instance of a class, or within bounds. Never changed in place: ways share it.
        self.asked: AnswersSoFar = NONE_ASKED

    def copy(self) -> State:
        made = State(self.registers.copy(), self.facts.copy(), self.heap.copy(), self.old)
        made.weak = self.weak
        made.asked = self.asked
        return made

    def ask(self, value: int, what: str, answer: bool) -> None:
        self.asked = {**self.asked, (value, what): answer}

    def fact(self, value: int) -> int:
        if value < 0 or value >= TEXT:
            if value >= TRUTH:
                return TRUE if value == TRUTH else FALSE
            return NONNULL
        return self.facts.get(value, NOTHING)

    def renew(self, value: int) -> None:
        """An instruction makes its value again: who holds the old one holds it under another
        name, and what was known of it through others is forgotten."""
        registers, facts, heap = self.registers, self.facts, self.heap
        known = facts.pop(value, NOTHING)
        for place, held in enumerate(registers):
            if held == value:
                registers[place] = STALE + place
                if known:
                    facts[STALE + place] = known
                else:
                    facts.pop(STALE + place, None)
        for key in [key for key, held in heap.items() if held == value or value in key]:
            del heap[key]
        for fact in [fact for fact in facts if type(fact) is tuple and value in fact]:
            del facts[fact]
        if self.asked:
            self.asked = {key: one for key, one in self.asked.items() if key[0] != value}

    def tidied(self, live: list[int], unit: Kept) -> tuple[object, ...]:
        """Forgets what nobody can ask for any more; gives what tells it from other states."""
        registers, facts, heap = self.registers, self.facts, self.heap
        kept = [SOLID] * len(registers)
        known: set[object] = set()
        for place in live:
            held = registers[place]
            kept[place] = held
            known.add(held)
        self.registers = kept
        if heap:
            if unit.short:
                # What a parameter was asked may be what the method tells its caller.
                known.update(
                    key[0]
                    for key in heap
                    if len(key) == 3 and key[1] == "()" and PARAMETER < key[0] < STALE  # type: ignore[operator]
                )
            held_often: dict[int, int] = {}
            for held in heap.values():
                held_often[held] = held_often.get(held, 0) + 1
            grown = True
            while grown:
                grown = False
                for key, held in heap.items():
                    base = key[0]
                    reached = base in known or base == -1 or base == THIS
                    if reached and held not in known and held >= 0:
                        known.add(held)
                        grown = True
            self.heap = heap = {
                key: held
                for key, held in heap.items()
                if (key[0] in known or key[0] == -1 or key[0] == THIS)
                and (
                    held in facts
                    or held < 0
                    or held >= PARAMETER
                    or held in kept
                    or held_often[held] > 1
                    or key[1] in unit.nullable
                )
            }
        self.facts = facts = {
            key: fact
            for key, fact in facts.items()
            if (
                (PARAMETER <= key < STALE or key in known)
                if type(key) is int
                else all(
                    type(part) is not int or part in known or part >= PARAMETER
                    for part in key  # type: ignore[attr-defined]
                )
            )
        }
        if unit.loops:
            old: set[object] = set(kept)
            for key, held in heap.items():
                old.update(key)
                old.add(held)
            for fact in facts:
                if isinstance(fact, tuple):
                    old.update(fact)
                else:
                    old.add(fact)
            self.old = frozenset(old)
        return (tuple(kept), frozenset(facts.items()), frozenset(heap.items()))

    def merged(self, other: State) -> State:
        """What is known on both of two ways."""
        registers = [
            one if one == two else STALE + place
            for place, (one, two) in enumerate(zip(self.registers, other.registers, strict=True))
        ]
        facts = {key: fact for key, fact in self.facts.items() if other.facts.get(key) == fact}
        for place, value in enumerate(registers):
            if value == STALE + place:
                facts.pop(value, None)
                one, two = self.fact(self.registers[place]), other.fact(other.registers[place])
                if one > 0 and two > 0:
                    facts[value] = one if one == two else NONNULL
        heap = {key: held for key, held in self.heap.items() if other.heap.get(key) == held}
        merged = State(registers, facts, heap, self.old | other.old)
        merged.weak = True
        merged.asked = common(self.asked, other.asked)
        return merged


def common(one: AnswersSoFar, two: AnswersSoFar) -> AnswersSoFar:
    if one == two:
        return one
    return {key: answer for key, answer in one.items() if two.get(key) == answer}
