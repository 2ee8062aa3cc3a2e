"""Words that tell that somebody speaks of a name: which pull requests are looked at further.

ReName4J takes those with words "such as" naming, name, inconsistent and descriptive (section 3.2).
Ours are these four in all their forms, as words: a ``filename`` or a ``hostname`` is none.
"""

from __future__ import annotations

import re

KEYWORDS = ("naming", "name", "inconsistent", "descriptive")
_FORMS = {
    "naming": r"(?:re-?)?naming",
    "name": r"(?:re-?)?name[ds]?",
    "inconsistent": r"inconsisten(?:t|tly|cy|cies)",
    "descriptive": r"descriptive(?:ly)?",
}
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_WORDS = re.compile(rf"(?<![\w.])(?:{'|'.join(_FORMS.values())})(?!\w)", re.IGNORECASE)


def speaks_of_names(text: str) -> bool:
    """Whether a comment holds one of the words; what it quotes of others does not count.

    >>> speaks_of_names("Can we rename this?"), speaks_of_names("> rename\\nThe filename is long.")
    (True, False)
    """
    return _WORDS.search(_QUOTED.sub("", text)) is not None
