"""Linear algebra in one thread, because the number of threads changes the last bits of results."""

from __future__ import annotations

from contextlib import AbstractContextManager


def limit_to_one_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS runs in one thread."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    limits: AbstractContextManager[object] = threadpool_limits(limits=1)
    return limits
