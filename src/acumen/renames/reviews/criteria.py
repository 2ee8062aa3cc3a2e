"""The criteria of ReName4J's section 3.2, as far as a program can tell them from what was said.

Kept are names that were accepted, and that a comment suggested, inspired, or asked for because of a
convention or for consistency; typos and example code are not. A program sees words, so what it says
is a hint to the person who decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acumen.lang.subtokens import subtokens
from acumen.renames.reviews.link import mentions

ACCEPTED, APPROVED, SUGGESTED, INSPIRED = "accepted", "approved", "suggested", "inspired"
CONVENTION, CONSISTENCY, TYPO, EXAMPLE = "convention", "consistency", "typo", "example"
OWN_WORDS, OLD_NAME = "by the author", "old name"
# One of these must be there for a case to be taken without a person's word.
REASONS = (SUGGESTED, INSPIRED, CONVENTION, CONSISTENCY)

_CONVENTION = re.compile(
    r"\bconvention|\bjava-?\s?beans?\b|\bcamel-?\s?case|\b(?:getter|setter)s?\b|\bbuilder\b"
    r"|\b(?:pre|suf)fix|\bnaming (?:style|scheme|pattern|rule)|\bcode ?style"
    r"|\bguideline|\bidiomatic",
    re.IGNORECASE,
)
_CONSISTENCY = re.compile(
    r"consisten(?:t|cy)|\bin line with\b|\balign(?:ed|s)? with\b|\bsymmetr|\buniform"
    r"|\b(?:same|similar) (?:name|naming|to|as)\b|\blike (?:the|all|every) others?\b"
    r"|\bmatch(?:es|ing)? (?:the|our|that|what)\b",
    re.IGNORECASE,
)
_TYPO = re.compile(r"\btypos?\b|\bmis-?spel|\bspell?(?:ed|ing|t)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w$]*")


def features(
    said: Sequence[str], old: str, new: str, *, accepted: bool, approved: bool, own: bool,
    tags: Sequence[str] = (),
) -> tuple[str, ...]:  # fmt: skip
    """What can be said of a case. ``said`` are the comments of the thread, the first one first;
    ``own``: the author of the change wrote the first; ``tags`` those of the rename."""
    text = "\n".join(said)
    proposed = suggested(said, new)
    told = {
        ACCEPTED: accepted,
        APPROVED: approved,
        SUGGESTED: proposed,
        INSPIRED: not proposed and inspired(text, old, new),
        CONVENTION: _CONVENTION.search(text) is not None,
        CONSISTENCY: _CONSISTENCY.search(text) is not None,
        TYPO: TYPO in tags or _TYPO.search(text) is not None,
        EXAMPLE: EXAMPLE in tags,
        OLD_NAME: mentions(text, old),
        OWN_WORDS: own,
    }
    return tuple(name for name, holds in told.items() if holds)


def suggested(said: Sequence[str], new: str) -> bool:
    """Whether somebody wrote the name that the method got."""
    return mentions("\n".join(said), new)


def inspired(text: str, old: str, new: str) -> bool:
    """Whether at least half of what is new in a name stands in a text, be it as part of another
    name; where nothing is new, what was taken away.

    >>> inspired("maybe completeConversionIfNecessary?", "completeRestoration",
    ...          "completeRestorationIfPossible")
    True
    """
    before, after = _words(old), _words(new)
    changed = after - before or before - after
    words = {part for word in _WORD.findall(text) for part in subtokens(word, lower=True)}
    return bool(changed) and 2 * len(changed & words) >= len(changed)


def is_clear(found: Sequence[str]) -> bool:
    """Whether a case meets the criteria by these features alone."""
    return (
        ACCEPTED in found
        and SUGGESTED in found
        and TYPO not in found
        and EXAMPLE not in found
        and OWN_WORDS not in found
    )


def _words(name: str) -> set[str]:
    return set(subtokens(name, lower=True))
