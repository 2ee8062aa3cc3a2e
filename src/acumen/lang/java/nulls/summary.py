"""What a caller has to know of a method: the ways it can end.

An outcome is one way, as far as null is concerned: what it needs of the parameters, and what it
gives. Together the outcomes say all there is to say: a method whose every return needs its
parameter not to be null ensures that; one that has no outcome that returns never does; one that
returns true only when it was given no null tells of it.
"""

from __future__ import annotations

from typing import NamedTuple

from acumen.lang.java.nulls.report import Step

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
