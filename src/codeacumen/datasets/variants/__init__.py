"""Methods of a corpus with certified variants of them, as a data set on disk.

The robustness benchmark asks about them, and the similarity benchmark pairs them. ``make`` finds
the variants of a shard, ``build`` certifies, samples and writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeacumen.transforms.certify import Certificate
    from codeacumen.transforms.location import Doubt

ORIGINALS, VARIANTS = "originals.jsonl", "variants.jsonl"

# What is known of an edit: it keeps the meaning; nothing shows that it does; it does not keep it,
# or the result is no program.
SOUND, UNPROVED, WRONG = "sound", "unproved", "wrong"
MARKS = (SOUND, UNPROVED, WRONG)


def mark(certificate: Certificate, doubt: Doubt | None) -> str:
    """Return what is known of a variant's edit, one of ``MARKS``."""
    if not certificate.holds or (doubt and doubt.wrong):
        return WRONG
    return UNPROVED if doubt else SOUND
