"""Types that the other modules of this package use: JSON, arrays of numbers, user errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Named in quotes, so that this module does not load numpy.
Floats: TypeAlias = "NDArray[np.float64]"

# JSON as the standard library reads and writes it.
Json: TypeAlias = Any


class CodeacumenError(Exception):
    """An error that a user can correct. ``hint`` says what to do next; Python prints it below the
    message of an error that nobody catches."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")
