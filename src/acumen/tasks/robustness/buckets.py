"""Methods by their size: the buckets of the paper's figure 4."""

from __future__ import annotations

# The most statements of each bucket, and its name; the last one has no end.
_BUCKETS = (
    (5, "1-5"), (10, "6-10"), (15, "11-15"), (20, "16-20"), (25, "21-25"), (50, "26-50"),
    (100, "51-100"),
)  # fmt: skip
_LARGEST = "101+"
BUCKETS = (*(name for _, name in _BUCKETS), _LARGEST)


def bucket(statements: int) -> str:
    return next((name for most, name in _BUCKETS if statements <= most), _LARGEST)
