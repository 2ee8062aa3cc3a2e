"""Splits into train, dev and test by project, so that no project is in two splits.

The split of a project depends on a hash of its name, so that it stays the same when the corpus
grows.
"""

from __future__ import annotations

import hashlib

SPLITS = ("train", "dev", "test")
# Sizes of the splits, relative to their sum.
SHARES = (80, 10, 10)


def split_of(project: str, shares: tuple[int, int, int] = SHARES) -> str:
    """Return the split of a project; ``shares`` are the relative sizes of train, dev and test.

    >>> split_of("guava-libraries"), split_of("guava-libraries", (0, 0, 100))
    ('train', 'test')
    """
    digest = hashlib.sha256(f"split\0{project}".encode("utf-8", "surrogateescape")).digest()
    # The first 64 bits of the hash as a number from 0 to the sum of the shares (exclusive).
    position = int.from_bytes(digest[:8], "big") * sum(shares) >> 64
    for split, share in zip(SPLITS, shares, strict=True):
        if position < share:
            return split
        position -= share
    raise ValueError(f"shares {shares} add up to nothing")
