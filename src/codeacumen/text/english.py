"""Recognize English words with Hunspell's dictionary en_US."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _load_dictionary() -> Any:
    import warnings

    from spylls.hunspell import Dictionary

    with warnings.catch_warnings():
        # spylls never closes its files.
        warnings.simplefilter("ignore", ResourceWarning)
        return Dictionary.from_files("en_US")


@lru_cache(maxsize=1 << 14)
def is_english(word: str) -> bool:
    """Return True if Hunspell's en_US dictionary has the word, in exactly this case.

    >>> is_english("length"), is_english("len")
    (True, False)
    """
    return bool(_load_dictionary().lookup(word))
