"""A method body prepared for the null analysis: instructions, merge points, live registers.

A merge point is an instruction that more than one instruction leads to, or that handles exceptions.
``solve`` builds a MethodUnit for each analysis of a method.
"""

from __future__ import annotations

from codeacumen.languages.java.nulls.facts import (
    CLASS_TEXT,
    FIRST_INSTRUCTION,
    FLAGS,
    METHOD_INDEX,
    NAME_TEXT,
    NULLABLE_MASK,
    PARAMETERS,
    REGISTERS,
    NullFacts,
)
from codeacumen.languages.java.nulls.translation import instructions as ir
from codeacumen.languages.java.nulls.translation.instructions import WIDTH

# A body with at most this many instructions is short: the analysis records more facts in it,
# because they may become part of its outcomes.
_SHORT = 40
# Operation, d, a, b, c, e, handler and offset (see ``instructions``): instruction[0] is the
# operation, instruction[3] operand b and instruction[4] operand c.
Instruction = tuple[int, int, int, int, int, int, int, int]


class CallSite:
    """A call instruction of a body.

    ``label`` is the called method, as much of it as is known, ``targets`` are the project's methods
    that may run, as paths and indices, ``flags`` those of ``invocations``. ``receiver`` and
    ``arguments`` are registers (-1: no receiver), ``expression`` and ``argument_expressions`` rows
    of the expressions (-1: the argument is not reported).
    """

    __slots__ = (
        "argument_expressions",
        "arguments",
        "expression",
        "flags",
        "label",
        "receiver",
        "targets",
    )

    def __init__(self, facts: NullFacts, row: int) -> None:
        label, targets, self.flags, self.receiver, self.expression, count = facts.calls[
            row : row + 6
        ].tolist()
        self.label = facts.texts[label]
        self.targets = facts.targets[targets]
        pairs = facts.calls[row + 6 : row + 6 + 2 * count].tolist()
        self.arguments: list[int] = pairs[0::2]
        self.argument_expressions: list[int] = pairs[1::2]


class MethodUnit:
    """The instructions of a body, with properties computed once for the analysis.

    ``row`` is the index of the unit in ``facts.units``. ``calls`` maps the row of a call, its first
    index in ``facts.calls`` and operand c of its instruction, to the call. A position is the index
    of an instruction. ``correlated`` and ``linked`` are the positions whose results are worth
    remembering (see ``_find_correlated`` and ``_find_linked``).
    """

    def __init__(self, facts: NullFacts, row: int) -> None:
        self.facts = facts
        columns: list[int] = facts.units[row].tolist()
        self.method_index, first = columns[METHOD_INDEX], columns[FIRST_INSTRUCTION]
        self.register_count, self.parameter_count = columns[REGISTERS], columns[PARAMETERS]
        self.flags, self.nullable_parameters = columns[FLAGS], columns[NULLABLE_MASK]
        self.throws = frozenset(
            facts.texts[text] for text in facts.throws.get(self.method_index, ())
        )
        self.name, self.owner = facts.texts[columns[NAME_TEXT]], facts.texts[columns[CLASS_TEXT]]
        last = (
            int(facts.units[row + 1, FIRST_INSTRUCTION])
            if row + 1 < len(facts.units)
            else len(facts.code)
        )
        flat = facts.code[first:last].tolist()
        self.instructions: list[Instruction] = list(
            zip(*(flat[column::WIDTH] for column in range(WIDTH)), strict=True)
        )
        self.calls: dict[int, CallSite] = {
            instruction[4]: CallSite(facts, instruction[4])
            for instruction in self.instructions
            if instruction[0] == ir.CALL
        }
        self.find_merge_points()

    def find_merge_points(self) -> None:
        """Find merge points and loops, then compute all other properties of the body."""
        instructions = self.instructions
        count = len(instructions)
        # For each position, the number of jumps and preceding instructions that lead to it.
        arrivals = [0] * (count + 1)
        arrivals[0] = 1
        in_loop = [False] * (count + 1)
        has_backward_jump = False
        for position, (op, _, _, _, c, e, handler, _) in enumerate(instructions):
            falls_through = True
            if op == ir.JUMP:
                arrivals[c] += 1
                falls_through = False
                if c <= position:
                    has_backward_jump = True
                    in_loop[c : position + 1] = [True] * (position + 1 - c)
            elif ir.IF_NULL <= op <= ir.EITHER:
                arrivals[c] += 1
                arrivals[e] += 1
                falls_through = False
                if min(c, e) <= position:
                    has_backward_jump = True
                    first = min(c, e)
                    in_loop[first : position + 1] = [True] * (position + 1 - first)
            elif op in (ir.RETURN, ir.THROW, ir.HALT):
                falls_through = False
            if handler >= 0:
                # One instruction is enough to make its handler a merge point.
                arrivals[handler] += 2
            if falls_through:
                arrivals[position + 1] += 1
        self.in_loop = in_loop
        # If a loop sets elements of any array, the analysis assumes no null elements in new arrays.
        self.fills_arrays = any(
            in_loop[position] and instruction[0] == ir.SET_INDEX
            for position, instruction in enumerate(instructions)
        )
        self.is_merge_point = [arrival_count > 1 for arrival_count in arrivals]
        self.has_loops = has_backward_jump
        self._compute_liveness(has_backward_jump)
        self._find_correlated()
        self._count_names()

    def _compute_liveness(self, has_backward_jump: bool) -> None:
        """Compute the live registers before each instruction, as bit masks (backward data flow).

        A register is live if a later instruction reads its present value.
        """
        instructions, calls = self.instructions, self.calls
        count = len(instructions)
        uses, definitions = [0] * count, [0] * count
        for position, (op, d, a, b, c, _, _, _) in enumerate(instructions):
            used_registers = 0
            if op == ir.CALL:
                call = calls[c]
                for register in call.arguments:
                    used_registers |= 1 << register
                if call.receiver >= 0:
                    used_registers |= 1 << call.receiver
            elif op in (ir.COPY, ir.LOAD, ir.EACH, ir.RETURN, ir.STEP) or (
                ir.IF_NULL <= op <= ir.EITHER and op != ir.IF_CAUGHT
            ):
                if a >= 0:
                    used_registers |= 1 << a
                if op in (ir.IF_EQUAL, ir.IF_LESS):
                    used_registers |= 1 << b
            elif op == ir.DEREF:
                used_registers |= 1 << a
            elif op in (ir.STORE, ir.INDEX):
                if a >= 0:
                    used_registers |= 1 << a
                used_registers |= 1 << b
            elif op == ir.SET_INDEX:
                used_registers |= (1 << a) | (1 << b) | (1 << c)
            uses[position] = used_registers
            if d >= 0:
                definitions[position] = 1 << d
        live = [0] * (count + 1)
        # With loops, repeat until nothing changes, but at most three times.
        for _ in range(3 if has_backward_jump else 1):
            changed = False
            for position in range(count - 1, -1, -1):
                op, _, _, _, c, e, handler, _ = instructions[position]
                if op == ir.JUMP:
                    live_after = live[c]
                elif ir.IF_NULL <= op <= ir.EITHER:
                    live_after = live[c] | live[e]
                elif op in (ir.RETURN, ir.HALT):
                    live_after = 0
                elif op == ir.THROW:
                    live_after = live[handler] if handler >= 0 else 0
                else:
                    live_after = live[position + 1]
                    if handler >= 0:
                        live_after |= live[handler]
                live_before = uses[position] | (live_after & ~definitions[position])
                if handler >= 0:
                    live_before |= live[handler]
                if live_before != live[position]:
                    live[position] = live_before
                    changed = True
            if not changed:
                break
        self._live_at = live
        self._live_lists: dict[int, list[int]] = {}

    def _find_linked(self, compares: list[int], computed: dict[int, object]) -> frozenset[int]:
        """Return the positions of equality tests whose left value is tested more than once.

        All cases of one switch count as one test. Only if a later test follows, it pays to remember
        what the value equals. ``compares`` holds positions of comparisons and array accesses,
        ``computed`` describes the values of registers.
        """
        positions: dict[object, list[int]] = {}
        switches: dict[object, set[int]] = {}
        for position in compares:
            op, _, a, _, _, _, _, switch = self.instructions[position]
            if op == ir.IF_EQUAL:
                left = computed.get(a, a)
                positions.setdefault(left, []).append(position)
                # The tests of a switch share its offset; the test of a condition has none.
                switches.setdefault(left, set()).add(switch if switch > 0 else -position)
        return frozenset(
            position
            for left, positions_of_left in positions.items()
            if len(switches[left]) > 1
            for position in positions_of_left
        )

    def _count_names(self) -> None:
        """Collect the names of fields by their use, and the frequent names of fields and calls.

        Frequent names occur more than once: only for these it pays to remember the value. In short
        bodies all names count as frequent, because their values may be part of an outcome.
        """
        # Fields by the number of their text, calls by their label.
        counts: dict[object, int] = {}
        for op, _, _, _, c, _, _, _ in self.instructions:
            if op in (ir.LOAD, ir.STORE):
                counts[c] = counts.get(c, 0) + 1
            elif op == ir.CALL:
                label = self.calls[c].label
                counts[label] = counts.get(label, 0) + 1
        self.nullable_fields: frozenset[str] = frozenset(
            self.facts.texts[instruction[4]]
            for instruction in self.instructions
            if instruction[0] == ir.LOAD and instruction[3] == ir.NULLABLE
        )
        self.loaded_fields: frozenset[str] = frozenset(
            self.facts.texts[instruction[4]]
            for instruction in self.instructions
            if instruction[0] == ir.LOAD
        )
        self.null_tested_fields = self._find_null_tested()
        stored_fields = {
            self.facts.texts[instruction[4]]
            for instruction in self.instructions
            if instruction[0] == ir.STORE
        }
        # Fields that the body tests for null and does not write. They are sorted, so that the order
        # is the same in every process.
        self.only_tested_fields = tuple(sorted(self.null_tested_fields - stored_fields))
        # Fields of the class that are null in a new object until they are set.
        self.fields: tuple[str, ...] = tuple(
            self.facts.texts[text] for text in self.facts.classes.get(self.owner, ())
        )
        self.is_short = is_short = len(self.instructions) <= _SHORT
        texts = self.facts.texts
        self.frequent_names: frozenset[str] = frozenset(
            texts[name] if type(name) is int else str(name)
            for name, count in counts.items()
            if count > 1 or is_short
        )

    def _find_null_tested(self) -> frozenset[str]:
        """Return the names of fields that the body tests for null.

        The analysis assumes that the body fills a cache when it writes such a field.
        """
        field_in_register: dict[int, int] = {}
        tested = set()
        for op, d, a, _, c, _, _, _ in self.instructions:
            if op == ir.LOAD:
                field_in_register[d] = c
            elif op == ir.COPY and a in field_in_register:
                field_in_register[d] = field_in_register[a]
            elif op == ir.IF_NULL and a in field_in_register:
                tested.add(field_in_register[a])
        return frozenset(self.facts.texts[text] for text in tested)

    def is_live(self, position: int, register: int) -> bool:
        """Return whether a register is live before the instruction at a position."""
        return bool(self._live_at[position] >> register & 1)

    def live_registers(self, position: int) -> list[int]:
        """Return the registers that are live before the instruction at a position."""
        registers = self._live_lists.get(position)
        if registers is None:
            mask = self._live_at[position]
            registers = [
                register for register in range(self.register_count) if mask >> register & 1
            ]
            self._live_lists[position] = registers
        return registers

    def _find_correlated(self) -> None:
        """Collect the positions of repeated comparisons and accesses to array elements.

        Only for these it pays to remember the result. Equality tests are collected separately too:
        ``linked`` holds those that ``_find_linked`` returns.
        """
        compares = [
            position
            for position, instruction in enumerate(self.instructions)
            if instruction[0] in (ir.IF_EQUAL, ir.IF_LESS, ir.INDEX, ir.SET_INDEX, ir.IF_KIND)
        ]
        self.correlated: frozenset[int] = frozenset()
        self.linked: frozenset[int] = frozenset()
        if len(compares) < 2:
            return
        # How a register gets its value, if only one instruction sets it and loads a field,
        # a constant or an array element. Any other register stands for itself.
        computed: dict[int, object] = {}
        for op, d, a, b, c, _, _, _ in self.instructions:
            if d < 0:
                continue
            if d in computed:
                computed[d] = d
            elif op == ir.LOAD:
                computed[d] = ("field", computed.get(a, a), c)
            elif op == ir.TEXT:
                computed[d] = ("text", c)
            elif op == ir.INDEX:
                computed[d] = ("index", computed.get(a, a), computed.get(b, b))
            else:
                computed[d] = d
        groups: dict[object, list[int]] = {}
        for position in compares:
            op, _, a, b, _, _, _, _ = self.instructions[position]
            left, right = computed.get(a, a), computed.get(b, b)
            if op == ir.IF_KIND:
                right = ("text", b)
            # Reading and writing the same array element count as repeated.
            kind = ir.INDEX if op == ir.SET_INDEX else op
            groups.setdefault((kind, left, right), []).append(position)
        self.linked = self._find_linked(compares, computed)
        self.correlated = frozenset(
            position for places in groups.values() if len(places) > 1 for position in places
        )
