"""What a model sees of a method whose name is in question: its source with the name masked.

For a recommendation the method's own name is masked, where it is declared and wherever else it
tells itself (``views.masked``). For a check both names are, the one before and the one after a
rename: a text must not hang on which of the two is under test. If only the right name were masked,
the name under test would stand in the source of a wrongly named method as often as it is called
there, and of a rightly named one never.

Comments are left out unless they are asked for: those of Liu's methods are from after the rename,
and tell in words what the new name says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acumen.tasks.similarity.sights import UNCOMMENTED, shown

_OVERRIDE = re.compile(r"@(?:java\.lang\.)?Override\b(?!\.)\s*")


def asked_text(
    code: str, declared: str, others: Sequence[str] = (), *, comments: bool = False
) -> str:
    """The source of a method that is declared as ``declared``, with that name masked, and the
    others where they name a method."""
    from acumen.views.masked import masked, masked_other, masked_words

    text = masked(code if comments else shown(code, UNCOMMENTED), declared)
    for name in others:
        if name and name != declared:
            found = masked_other(text, name)
            # What cannot be read alone is masked word by word: rather too much than too little.
            text = masked_words(text, name) if found is None else found
    return tidied(text)


def without_override(code: str) -> str:
    """Without ``@Override``: Liu's sources have lost it, so methods that stand beside them must
    not have it either."""
    return _OVERRIDE.sub("", code)


def tidied(text: str) -> str:
    """A text that begins where it says something, with no more indentation than its last line
    needs: how a source was cut out of its file is nothing to tell methods apart by."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if not lines:
        return ""
    indented = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip())]
    return "\n".join([lines[0], *(line.removeprefix(indented) for line in lines[1:])])
