"""Tokens of a method's text, split by one regular expression.

The texts of tasks contain masks and may be broken, so any text is accepted: characters that belong
to no token of Java become single tokens. Comments are left out. ``linear``, the networks' inputs
and the baselines of GLUECode call this module.
"""

from __future__ import annotations

import re

# The text that stands for a hidden token in a task.
MASK = "<MASK>"

_TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*(?s:.*?)(?:\*/|\Z) )
  | \"\"\"(?s:.*?)(?:\"\"\"|\Z)
  | "(?:\\.|[^"\\\n])*"?
  | '(?:\\.|[^'\\\n])*'?
  | <MASK>
  | \d[\w.]*
  | [^\W\d][\w$]* | \$[\w$]*
  | >>>= | <<= | >>= | \.\.\. | -> | :: | \+\+ | -- | && | \|\| | [=!<>+\-*/%&|^]=
  | \S
    """,
    re.VERBOSE,
)
_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")

_WORDS = """
    abstract assert boolean break byte case catch char class const continue default do double else
    enum extends final finally float for goto if implements import instanceof int interface long
    native new package private protected public return short static strictfp super switch
    synchronized this throw throws transient try void volatile while true false null
"""
KEYWORDS = frozenset(_WORDS.split())


def split_tokens(text: str) -> list[str]:
    """Split a text into its tokens, without comments.

    >>> split_tokens("int a = b<MASK>(1.5f, \\"x\\"); // why")
    ['int', 'a', '=', 'b', '<MASK>', '(', '1.5f', ',', '"x"', ')', ';']
    """
    return [match[0] for match in _TOKEN.finditer(text) if match.lastgroup is None]


def is_name(token: str) -> bool:
    """Return True if the token is an identifier; a mask is not."""
    return token not in KEYWORDS and _NAME.fullmatch(token) is not None


def classify_token(token: str) -> str:
    """Return ``text``, ``character``, ``number``, ``name`` or else the token itself (keywords,
    operators, the mask)."""
    if token[0] in "\"'":
        return "text" if token[0] == '"' else "character"
    if token[0].isdigit():
        return "number"
    return "name" if is_name(token) else token
