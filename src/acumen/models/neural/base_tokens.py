"""A stretch of acumen-base's tokens, as numbers; and the same with other names for its variables.

That is the one transformation that can be made of numbers alone, while a network learns: a method
is read once, and is another one each time that it is shown. What is renamed is what
``acumen transform --kind rename`` renames: variables that are declared in the method, nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.columns import Ragged

# What is known of each token, besides its parts.
PER_TOKEN = ("role", "depth", "statement", "name", "flag")
# Roles of a name: where a variable is declared, and where one may be meant.
DECLARED, MEANT = "NAME VARIABLE", "NAME IDENTIFIER"
# Those of a class within a method begin so: its fields look like variables.
WITHIN = "MEMBERS "


class Tokens(NamedTuple):
    """Their parts, how many each has, and its columns."""

    parts: NDArray[np.int32]
    sizes: NDArray[np.int32]
    columns: dict[str, NDArray[np.int32]]

    @classmethod
    def of(cls, columns: Mapping[str, Ragged], start: str, row: int) -> Tokens:
        """Of an example; what is not known of the surroundings' tokens is 0."""

        def mine(name: str) -> NDArray[np.int32]:
            column = columns[f"{start}_{name}"]
            found: NDArray[np.int32] = column.values[column.offsets[row] : column.offsets[row + 1]]
            return found

        sizes = mine("sizes")
        known = (name for name in PER_TOKEN if f"{start}_{name}" in columns)
        held = dict.fromkeys(PER_TOKEN, np.zeros(len(sizes), np.int32))
        return cls(mine("parts"), sizes, held | {name: mine(name) for name in known})

    def nothing(self) -> Tokens:
        return Tokens(self.parts[:0], self.sizes[:0], {k: v[:0] for k, v in self.columns.items()})

    def first(self) -> NDArray[np.int32]:
        """1 where a token begins."""
        made = np.zeros(len(self.parts), np.int32)
        made[np.cumsum(self.sizes)[:-1]] = 1
        made[:1] = 1
        return made

    def within(self) -> NDArray[np.int32]:
        """For each part which one of its statement it is."""
        statement = np.repeat(self.columns["statement"], self.sizes)
        order = np.argsort(statement, kind="stable")
        held = statement[order]
        made = np.empty(len(order), np.int32)
        made[order] = np.arange(len(order)) - np.searchsorted(held, held)
        return made


class Fresh(NamedTuple):
    """Names to give: their parts, and the marks they are known by; and the numbers that tell where
    a variable is: of the two roles, of those within a class, of the part that is a bracket."""

    parts: Sequence[NDArray[np.int32]]
    marks: NDArray[np.int32]
    declared: int
    meant: int
    within: NDArray[np.int32]
    bracket: int


def renamed(
    own: Tokens, fresh: Fresh, room: int, draw: np.random.Generator | None = None
) -> Tokens | None:
    """With other names for all variables, or, where there is something to draw by, half of the time
    for each with an even chance; None where there is nothing to rename. Of what has no room the end
    is cut off."""
    role, name = own.columns["role"], own.columns["name"]
    # What is hidden has no mark: its name is not to be told, and others have none either.
    places = np.flatnonzero((role == fresh.declared) & (name > 0))
    _, firsts = np.unique(name[places], return_index=True)
    variables = name[places[np.sort(firsts)]][: len(fresh.parts)]
    if draw is not None and draw.random() < 0.5:
        variables = variables[draw.random(len(variables)) < 0.5]
    # A name that is there already would mean two things.
    known = np.isin(fresh.marks[: len(variables)], name).any()
    if not len(variables) or known or np.isin(role, fresh.within).any():
        return None
    starts = np.concatenate([[0], np.cumsum(own.sizes)])
    # A method may have a variable's name: behind it a bracket opens.
    opens = own.parts[np.minimum(starts[1:], len(own.parts) - 1)] == fresh.bracket
    opens &= np.arange(1, len(role) + 1) < len(role)
    may = (role == fresh.declared) | (role == fresh.meant) & ~opens
    order = np.argsort(variables, kind="stable")
    which = order[np.minimum(np.searchsorted(variables[order], name), len(variables) - 1)]
    hit = may & (variables[which] == name)
    pieces = [
        fresh.parts[new] if is_new else own.parts[start:end]
        for is_new, new, start, end in zip(
            hit.tolist(), which.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True
        )
    ]
    sizes = np.fromiter(map(len, pieces), np.int32, len(pieces))
    kept = int(np.searchsorted(np.cumsum(sizes), room, side="right"))
    columns = {**own.columns, "name": np.where(hit, fresh.marks[which], name).astype(np.int32)}
    return Tokens(
        np.concatenate([own.parts[:0], *pieces[:kept]]),
        sizes[:kept],
        {key: values[:kept] for key, values in columns.items()},
    )
