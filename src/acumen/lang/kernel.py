"""Loops that run once for each of tens of millions of nodes, compiled to machine code.

A kernel is a plain function over numpy arrays and numbers. The compiled code is kept on disk
beside the file, under the file's time stamp; therefore a kernel calls only kernels of its own
file, and tables that depend on a grammar's version are arguments, never globals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compiled when first called, kept for the next process."""
    from numba import njit

    return cast(F, njit(cache=True, nogil=True)(function))
