"""What is known of an edit that the published tool makes: its marks, as parts of a data set."""

from __future__ import annotations

from acumen.transforms.certify import Certificate
from acumen.transforms.location import Doubt

# It means the same; nothing shows that it does; it means something else, or is no program.
SOUND, UNPROVED, WRONG = "sound", "unproved", "wrong"
MARKS = (SOUND, UNPROVED, WRONG)


def mark(certificate: Certificate, doubt: Doubt | None) -> str:
    if not certificate.holds or (doubt and doubt.wrong):
        return WRONG
    return UNPROVED if doubt else SOUND
