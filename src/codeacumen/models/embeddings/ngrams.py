"""FastText's character n-grams: hash buckets of the parts of a name.

A name is put between ``<`` and ``>``. The UTF-8 bytes of each substring of 3 to 6 characters are
hashed (FNV-1a, 32 bits), and the hash, modulo the number of buckets, is the n-gram's row in a table
of vectors. As in the original and in gensim, bytes are signed. ``train`` stores the table and
``vectors`` looks up unknown names in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

# Characters of the shortest and of the longest n-gram.
SHORTEST, LONGEST = 3, 6


def find_buckets(
    names: Sequence[str], buckets: int, shortest: int = SHORTEST, longest: int = LONGEST
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the buckets of all names' n-grams, concatenated, and the offset of each name.

    ``buckets`` is the number of buckets. The n-grams of name ``i`` begin at ``offsets[i]`` and end
    before ``offsets[i + 1]``.
    """
    texts = [f"<{name}>".encode(errors="surrogatepass") for name in names]
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return _find_buckets(data, offsets, buckets, shortest, longest)


def compose_vectors(
    names: Sequence[str], table: NDArray[np.float32], shortest: int, longest: int
) -> NDArray[np.float32]:
    """Return for each name the mean of its n-grams' vectors; zeros if the name has no n-gram.

    ``table`` (buckets, dimensions) has the vectors of the n-grams.
    """
    rows, offsets = find_buckets(names, len(table), shortest, longest)
    vectors = np.zeros((len(names), table.shape[1]), dtype=np.float32)
    for i in range(len(names)):
        name_rows = rows[offsets[i] : offsets[i + 1]]
        if len(name_rows):
            vectors[i] = table[name_rows].mean(axis=0)
    return vectors


@kernel
def _find_buckets(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    buckets: int,
    shortest: int,
    longest: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    bucket_offsets = np.zeros(len(offsets), dtype=np.int64)
    ngram_buckets = np.empty(0, dtype=np.int64)
    # The first pass counts the n-grams, the second writes their buckets.
    for writing in range(2):
        if writing == 1:
            ngram_buckets = np.empty(bucket_offsets[-1], dtype=np.int64)
        bucket_count = 0
        for name in range(len(offsets) - 1):
            begin, stop = offsets[name], offsets[name + 1]
            for start in range(begin, stop):
                if data[start] & 0xC0 == 0x80:  # a byte of UTF-8 inside a character
                    continue
                hash_value, position = np.uint32(2166136261), start
                for length in range(1, longest + 1):
                    if position >= stop:
                        break
                    while True:
                        byte = np.uint32(data[position])
                        if byte >= np.uint32(128):
                            byte |= np.uint32(0xFFFFFF00)
                        hash_value = np.uint32((hash_value ^ byte) * np.uint32(16777619))
                        position += 1
                        if position >= stop or data[position] & 0xC0 != 0x80:
                            break
                    # The marker < or > alone is no n-gram.
                    if length < shortest or (length == 1 and (start == begin or position == stop)):
                        continue
                    if writing == 1:
                        ngram_buckets[bucket_count] = np.int64(hash_value) % buckets
                    bucket_count += 1
            bucket_offsets[name + 1] = bucket_count
    return ngram_buckets, bucket_offsets
