"""Data sets of methods and their certified variants.

The robustness benchmark evaluates models on them, and the similarity benchmark pairs them.
``shards`` finds the variants of a shard; ``build`` samples, certifies and writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeacumen.transforms.certify import Certificate
    from codeacumen.transforms.location import Doubt

ORIGINALS, VARIANTS = "originals.jsonl", "variants.jsonl"

# Marks of an edit of the published tool. ``sound``: the edit preserves the meaning; ``unproved``:
# nothing proves that it does; ``wrong``: it changes the meaning, or the result does not compile.
SOUND, UNPROVED, WRONG = "sound", "unproved", "wrong"
MARKS = (SOUND, UNPROVED, WRONG)


def mark_edit(certificate: Certificate, doubt: Doubt | None) -> str:
    """Return the mark of a variant's edit, one of ``MARKS``."""
    if not certificate.holds or (doubt and doubt.wrong):
        return WRONG
    return UNPROVED if doubt else SOUND
