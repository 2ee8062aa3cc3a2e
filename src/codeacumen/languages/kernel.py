"""The decorator ``kernel``, which compiles a loop over millions of nodes to machine code.

A kernel is a plain function over numpy arrays and numbers. numba caches the compiled code on disk
beside the file and invalidates it when this file changes. Therefore a kernel calls only kernels of
its own file, and tables that depend on a grammar's version are arguments, never globals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])
Words = NDArray[np.uint64]
# The increment of splitmix64. Added before mixing, it keeps 0 from mapping to 0.
STEP = np.uint64(0x9E3779B97F4A7C15)


def kernel(function: F) -> F:
    """Return the function compiled by numba at its first call; the code is cached on disk."""
    from numba import njit

    dispatcher = njit(cache=True, nogil=True)(function)
    _ignore_stale_index(dispatcher)
    return cast(F, dispatcher)


def _ignore_stale_index(dispatcher: Any) -> None:
    """Let numba compile again if its index on disk names classes that no longer exist.

    The index of another version of the package may remain in ``__pycache__`` after an upgrade, and
    numba unpickles it before it compares the time stamp of the source.
    """
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is None:  # compilation is disabled
        return
    load_index = cache_file._load_index

    def load_index_or_nothing() -> dict[Any, Any]:
        try:
            return cast("dict[Any, Any]", load_index())
        except (AttributeError, ImportError):
            return {}

    cache_file._load_index = load_index_or_nothing


@kernel
def mix_bits(values: Words) -> Words:
    """Return splitmix64's finaliser of each value, in which each bit depends on all bits.

    Kernels in other files cannot call this one, so they have their own copy.
    """
    mixed = np.empty_like(values)
    for i in range(len(values)):
        value = values[i]
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed[i] = value ^ (value >> np.uint64(31))
    return mixed
