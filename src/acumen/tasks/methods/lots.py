"""Lots: numbers drawn by a seed, a purpose and a method's id, and by nothing else.

What is drawn for a method does not hang on the other methods, on their order or on the number of
workers, and a corpus that grows keeps most of what was drawn before.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import STEP, mixed

Lots = NDArray[np.uint64]


def lot(seed: int, purpose: str, method: bytes) -> int:
    """The lot of one method; ``method`` is its id's sixteen bytes."""
    return int(lots(seed, purpose, np.frombuffer(method, dtype=np.uint8).reshape(1, 16))[0])


def lots(seed: int, purpose: str, methods: NDArray[np.uint8]) -> Lots:
    """The lots of many methods; a row of ``methods`` is an id's sixteen bytes."""
    digest = hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()
    salt = int.from_bytes(digest[:8], "big")
    halves = np.ascontiguousarray(methods).view(">u8").reshape(-1, 2).astype(np.uint64)
    second = mixed((halves[:, 1] ^ np.uint64(salt)) + STEP)
    return mixed((halves[:, 0] ^ second) + STEP)
