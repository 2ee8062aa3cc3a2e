"""A method body prepared for the analysis: instructions, merge points, live registers."""

from __future__ import annotations

from codeacumen.languages.java.nulls import code
from codeacumen.languages.java.nulls.code import WIDTH
from codeacumen.languages.java.nulls.facts import (
    CLASS,
    FIRST,
    FLAGS,
    MAYBE,
    NAMED,
    NEVER,
    PARAMETERS,
    PLACE,
    REGISTERS,
    Facts,
)

_SHORT = 40
Instruction = tuple[int, int, int, int, int, int, int, int]


class CallSite:
    """A call instruction of a body: label, targets, registers and expressions of its arguments."""

    __slots__ = (
        "argument_expressions",
        "arguments",
        "expression",
        "flags",
        "label",
        "receiver",
        "targets",
    )

    def __init__(self, facts: Facts, row: int) -> None:
        label, targets, self.flags, self.receiver, self.expression, count = facts.calls[
            row : row + 6
        ].tolist()
        self.label = facts.texts[label]
        self.targets = facts.targets[targets]
        pairs = facts.calls[row + 6 : row + 6 + 2 * count].tolist()
        self.arguments: list[int] = pairs[0::2]
        self.argument_expressions: list[int] = pairs[1::2]


class Unit:
    """The instructions of a body, with properties computed once for the analysis."""

    def __init__(self, facts: Facts, row: int) -> None:
        self.facts = facts
        columns: list[int] = facts.units[row].tolist()
        self.place, first = columns[PLACE], columns[FIRST]
        self.registers, self.parameters = columns[REGISTERS], columns[PARAMETERS]
        self.flags, self.maybe, self.never = columns[FLAGS], columns[MAYBE], columns[NEVER]
        self.throws = frozenset(facts.texts[text] for text in facts.throws.get(self.place, ()))
        self.name, self.owner = facts.texts[columns[NAMED]], facts.texts[columns[CLASS]]
        last = int(facts.units[row + 1, FIRST]) if row + 1 < len(facts.units) else len(facts.code)
        flat = facts.code[first:last].tolist()
        self.instructions: list[Instruction] = list(
            zip(*(flat[column::WIDTH] for column in range(WIDTH)), strict=True)
        )
        self.calls: dict[int, CallSite] = {
            one[4]: CallSite(facts, one[4]) for one in self.instructions if one[0] == code.CALL
        }
        self.prepare()

    def prepare(self) -> None:
        instructions = self.instructions
        count = len(instructions)
        arrivals = [0] * (count + 1)
        arrivals[0] = 1
        looping = [False] * (count + 1)
        backward = False
        for place, (op, _, _, _, c, e, handler, _) in enumerate(instructions):
            falls = True
            if op == code.JUMP:
                arrivals[c] += 1
                falls = False
                if c <= place:
                    backward = True
                    looping[c : place + 1] = [True] * (place + 1 - c)
            elif code.IF_NULL <= op <= code.EITHER:
                arrivals[c] += 1
                arrivals[e] += 1
                falls = False
                if min(c, e) <= place:
                    backward = True
                    first = min(c, e)
                    looping[first : place + 1] = [True] * (place + 1 - first)
            elif op in (code.RETURN, code.THROW, code.HALT):
                falls = False
            if handler >= 0:
                arrivals[handler] += 2
            if falls:
                arrivals[place + 1] += 1
        self.looping = looping
        # If some loop fills an array, no new array counts as empty.
        self.fills = any(
            looping[place] and one[0] == code.SET_INDEX for place, one in enumerate(instructions)
        )
        self.meets = [count_ > 1 for count_ in arrivals]
        self.loops = backward
        self._live(backward)
        self._correlate()
        self._often()

    def _live(self, backward: bool) -> None:
        instructions, calls = self.instructions, self.calls
        count = len(instructions)
        uses, kills = [0] * count, [0] * count
        for place, (op, d, a, b, c, _, _, _) in enumerate(instructions):
            used = 0
            if op == code.CALL:
                call = calls[c]
                for register in call.arguments:
                    used |= 1 << register
                if call.receiver >= 0:
                    used |= 1 << call.receiver
            elif op in (code.COPY, code.LOAD, code.EACH, code.RETURN, code.STEP) or (
                code.IF_NULL <= op <= code.EITHER and op != code.IF_CAUGHT
            ):
                if a >= 0:
                    used |= 1 << a
                if op in (code.IF_EQUAL, code.IF_LESS):
                    used |= 1 << b
            elif op == code.DEREF:
                used |= 1 << a
            elif op in (code.STORE, code.INDEX):
                if a >= 0:
                    used |= 1 << a
                used |= 1 << b
            elif op == code.SET_INDEX:
                used |= (1 << a) | (1 << b) | (1 << c)
            uses[place] = used
            if d >= 0:
                kills[place] = 1 << d
        live = [0] * (count + 1)
        for _ in range(3 if backward else 1):
            changed = False
            for place in range(count - 1, -1, -1):
                op, _, _, _, c, e, handler, _ = instructions[place]
                if op == code.JUMP:
                    after = live[c]
                elif code.IF_NULL <= op <= code.EITHER:
                    after = live[c] | live[e]
                elif op in (code.RETURN, code.HALT):
                    after = 0
                elif op == code.THROW:
                    after = live[handler] if handler >= 0 else 0
                else:
                    after = live[place + 1]
                    if handler >= 0:
                        after |= live[handler]
                before = uses[place] | (after & ~kills[place])
                if handler >= 0:
                    before |= live[handler]
                if before != live[place]:
                    live[place] = before
                    changed = True
            if not changed:
                break
        self._live_at = live
        self._live_lists: dict[int, list[int]] = {}

    def _linked(self, compares: list[int], made: dict[int, object]) -> frozenset[int]:
        """Return the comparisons of values that several conditions or switches compare.

        Only for these values it pays to remember the result of a comparison.
        """
        places: dict[object, list[int]] = {}
        asked: dict[object, set[int]] = {}
        for place in compares:
            op, _, a, _, _, _, _, switch = self.instructions[place]
            if op == code.IF_EQUAL:
                left = made.get(a, a)
                places.setdefault(left, []).append(place)
                asked.setdefault(left, set()).add(switch if switch > 0 else -place)
        return frozenset(
            place for left, all_ in places.items() if len(asked[left]) > 1 for place in all_
        )

    def _often(self) -> None:
        """Collect the fields and calls that occur more than once, and other sets of names.

        Only for these fields and calls it pays to remember the value. In short bodies all of them
        count, because they may be the result.
        """
        seen: dict[object, int] = {}
        for op, _, _, _, c, _, _, _ in self.instructions:
            if op in (code.LOAD, code.STORE):
                seen[c] = seen.get(c, 0) + 1
            elif op == code.CALL:
                label = self.calls[c].label
                seen[label] = seen.get(label, 0) + 1
        self.nullable: frozenset[str] = frozenset(
            self.facts.texts[one[4]]
            for one in self.instructions
            if one[0] == code.LOAD and one[3] == code.NULLABLE
        )
        self.loads: frozenset[str] = frozenset(
            self.facts.texts[one[4]] for one in self.instructions if one[0] == code.LOAD
        )
        self.lacking = self._lacking()
        stores = {self.facts.texts[one[4]] for one in self.instructions if one[0] == code.STORE}
        # Sorted, so that the order is the same in every process.
        self.tested = tuple(sorted(self.lacking - stores))
        self.fields: tuple[str, ...] = tuple(
            self.facts.texts[text] for text in self.facts.classes.get(self.owner, ())
        )
        self.short = short = len(self.instructions) <= _SHORT
        texts = self.facts.texts
        self.often: frozenset[str] = frozenset(
            texts[name] if type(name) is int else str(name)
            for name, times in seen.items()
            if times > 1 or short
        )

    def _lacking(self) -> frozenset[str]:
        """Return the names of fields that the body tests for null; writes to them fill a cache."""
        held: dict[int, int] = {}
        found = set()
        for op, d, a, _, c, _, _, _ in self.instructions:
            if op == code.LOAD:
                held[d] = c
            elif op == code.COPY and a in held:
                held[d] = held[a]
            elif op == code.IF_NULL and a in held:
                found.add(held[a])
        return frozenset(self.facts.texts[one] for one in found)

    def is_live(self, place: int, register: int) -> bool:
        return bool(self._live_at[place] >> register & 1)

    def live(self, place: int) -> list[int]:
        found = self._live_lists.get(place)
        if found is None:
            mask = self._live_at[place]
            found = [one for one in range(self.registers) if mask >> one & 1]
            self._live_lists[place] = found
        return found

    def _correlate(self) -> None:
        """Collect the comparisons that occur more than once; only these are worth remembering."""
        compares = [
            place
            for place, one in enumerate(self.instructions)
            if one[0] in (code.IF_EQUAL, code.IF_LESS, code.INDEX, code.SET_INDEX, code.IF_KIND)
        ]
        self.correlated: frozenset[int] = frozenset()
        self.linked: frozenset[int] = frozenset()
        if len(compares) < 2:
            return
        made: dict[int, object] = {}
        for op, d, a, b, c, _, _, _ in self.instructions:
            if d < 0:
                continue
            if d in made:
                made[d] = d
            elif op == code.LOAD:
                made[d] = ("field", made.get(a, a), c)
            elif op == code.TEXT:
                made[d] = ("text", c)
            elif op == code.INDEX:
                made[d] = ("index", made.get(a, a), made.get(b, b))
            else:
                made[d] = d
        groups: dict[object, list[int]] = {}
        for place in compares:
            op, _, a, b, _, _, _, _ = self.instructions[place]
            left, right = made.get(a, a), made.get(b, b)
            if op == code.IF_KIND:
                right = ("text", b)
            kind = code.INDEX if op == code.SET_INDEX else op
            groups.setdefault((kind, left, right), []).append(place)
        self.linked = self._linked(compares, made)
        self.correlated = frozenset(
            place for places in groups.values() if len(places) > 1 for place in places
        )
