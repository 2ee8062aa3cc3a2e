"""Scopes and bindings: which declaration each identifier of a file means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.declarations import Declarations
from acumen.lang.java.names import Names
from acumen.lang.syntax import Column, Syntax

ROLES = (
    "unknown", "package", "type", "type variable", "method", "field", "enum constant",
    "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource",
    "label", "annotation element",
)  # fmt: skip
ROLE = {name: code for code, name in enumerate(ROLES)}

NOTHING, DECLARES, READS, WRITES, UPDATES = range(5)


@dataclass(frozen=True, slots=True)
class Bindings:
    """One value for each identifier of the file, in source order (``Names.node``).

    ``role``: what it denotes (``ROLES``). ``declaration``: the identifier node of its declaration
    in this file, itself for a declaration, -1 when it is declared elsewhere or not certain.
    ``symbol``: the same number for all occurrences of one thing, declared here or not.
    ``access``: what is done to a variable; UPDATES is ``x++`` and ``x += 1``.
    """

    node: Column
    role: NDArray[np.uint8]
    declaration: Column
    symbol: Column
    access: NDArray[np.uint8]


def bindings(syntax: Syntax, declared: Declarations, names: Names) -> Bindings:
    raise NotImplementedError
