"""Loops that run once for each of tens of millions of nodes, compiled to machine code.

A kernel is a plain function over numpy arrays and numbers. The compiled code is kept on disk
beside the file, under the file's time stamp; therefore a kernel calls only kernels of its own
file, and tables that depend on a grammar's version are arguments, never globals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])
Words = NDArray[np.uint64]
# By which splitmix64 goes on from number to number. Added before mixing, it keeps 0 from being 0.
STEP = np.uint64(0x9E3779B97F4A7C15)


def kernel(function: F) -> F:
    """Compiled when first called, kept for the next process."""
    from numba import njit

    return cast(F, njit(cache=True, nogil=True)(function))


@kernel
def mixed(values: Words) -> Words:
    """Another number for each, all bits of which depend on all of its own (the finaliser of
    splitmix64). For all but kernels, which have their own."""
    found = np.empty_like(values)
    for i in range(len(values)):
        x = values[i]
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found[i] = x ^ (x >> np.uint64(31))
    return found
