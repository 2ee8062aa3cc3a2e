"""FastText's character n-grams: hash buckets of the parts of a name.

A name is put between ``<`` and ``>``. The UTF-8 bytes of each substring of 3 to 6 characters are
hashed (FNV-1a, 32 bits), and the hash, modulo the number of buckets, is the n-gram's row in a table
of vectors. As in the original and in gensim, bytes are signed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

SHORTEST, LONGEST = 3, 6


def buckets_of(
    names: Sequence[str], buckets: int, shortest: int = SHORTEST, longest: int = LONGEST
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the buckets of all names' n-grams, concatenated, and the offset of each name."""
    texts = [f"<{name}>".encode(errors="surrogatepass") for name in names]
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return _buckets(data, offsets, buckets, shortest, longest)


def composed(
    names: Sequence[str], table: NDArray[np.float32], shortest: int, longest: int
) -> NDArray[np.float32]:
    """Return for each name the mean of its n-grams' vectors; zeros if the name has no n-gram."""
    rows, offsets = buckets_of(names, len(table), shortest, longest)
    found = np.zeros((len(names), table.shape[1]), dtype=np.float32)
    for i in range(len(names)):
        mine = rows[offsets[i] : offsets[i + 1]]
        if len(mine):
            found[i] = table[mine].mean(axis=0)
    return found


@kernel
def _buckets(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    buckets: int,
    shortest: int,
    longest: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first = np.zeros(len(offsets), dtype=np.int64)
    found = np.empty(0, dtype=np.int64)
    # The first pass counts, the second writes.
    for writing in range(2):
        if writing == 1:
            found = np.empty(first[-1], dtype=np.int64)
        used = 0
        for name in range(len(offsets) - 1):
            begin, stop = offsets[name], offsets[name + 1]
            for start in range(begin, stop):
                if data[start] & 0xC0 == 0x80:  # inside a character
                    continue
                code, at = np.uint32(2166136261), start
                for size in range(1, longest + 1):
                    if at >= stop:
                        break
                    while True:
                        byte = np.uint32(data[at])
                        if byte >= np.uint32(128):
                            byte |= np.uint32(0xFFFFFF00)
                        code = np.uint32((code ^ byte) * np.uint32(16777619))
                        at += 1
                        if at >= stop or data[at] & 0xC0 != 0x80:
                            break
                    # The marker < or > alone is no n-gram.
                    if size < shortest or (size == 1 and (start == begin or at == stop)):
                        continue
                    if writing == 1:
                        found[used] = np.int64(code) % buckets
                    used += 1
            first[name + 1] = used
    return found, first
