"""Loops that run once for each of tens of millions of nodes, compiled to machine code.

A kernel is a plain function over numpy arrays and numbers. The compiled code is kept on disk
beside the file, keyed by the file's time stamp. Therefore a kernel calls only kernels of its own
file, and tables that depend on a grammar's version are arguments, never globals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])
Words = NDArray[np.uint64]
# The increment of splitmix64. Added before mixing, it keeps 0 from mapping to 0.
STEP = np.uint64(0x9E3779B97F4A7C15)


def kernel(function: F) -> F:
    """Return the function compiled by numba at its first call; the code is cached on disk."""
    from numba import njit

    return cast(F, njit(cache=True, nogil=True)(function))


@kernel
def mix_bits(values: Words) -> Words:
    """Return values mixed by the finaliser of splitmix64: each bit depends on all bits.

    Kernels in other files cannot call this one and have their own copy."""
    mixed = np.empty_like(values)
    for i in range(len(values)):
        value = values[i]
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed[i] = value ^ (value >> np.uint64(31))
    return mixed
