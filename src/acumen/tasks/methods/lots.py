"""Lots: numbers drawn by a seed, a purpose and a method's id, and by nothing else.

What is drawn for a method does not hang on the other methods, on their order or on the number of
workers, and a corpus that grows keeps most of what was drawn before.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

Lots = NDArray[np.uint64]


def lot(seed: int, purpose: str, method: bytes) -> int:
    """The lot of one method; ``method`` is its id's sixteen bytes."""
    return int(lots(seed, purpose, np.frombuffer(method, dtype=np.uint8).reshape(1, 16))[0])


def lots(seed: int, purpose: str, methods: NDArray[np.uint8]) -> Lots:
    """The lots of many methods; a row of ``methods`` is an id's sixteen bytes."""
    digest = hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()
    salt = int.from_bytes(digest[:8], "big")
    halves = np.ascontiguousarray(methods).view(">u8").reshape(-1, 2).astype(np.uint64)
    return _mixed(halves[:, 0] ^ _mixed(halves[:, 1] ^ np.uint64(salt)))


def _mixed(values: Lots) -> Lots:
    """Numbers spread over 64 bits (the finaliser of splitmix64)."""
    x = values + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Lots = x ^ (x >> np.uint64(31))
    return mixed
