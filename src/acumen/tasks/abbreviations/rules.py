"""How an identifier is shortened. The truth of the task is these rules and nothing else.

One word:

* ``clip``: its first three or four letters (``configuration``: ``con``, ``conf``)
* ``devowel``: vowels after the first letter left out and double letters written once, where
  at most five letters remain (``message``: ``msg``; ``buffer``: ``bfr``)

Several subtokens (``requestTimeout``):

* each shortened by the same rule, joined in camel case (``reqTim``, ``rqstTmt``)
* ``initials``: their first letters (``rt``)
"""

from __future__ import annotations

from acumen.lang.subtokens import subtokens

VOWELS = frozenset("aeiou")
LONGEST_DEVOWELLED = 5


def clip(word: str, letters: int) -> str:
    return word[:letters]


def devowel(word: str) -> str:
    kept = word[0] + "".join(letter for letter in word[1:] if letter not in VOWELS)
    return "".join(letter for i, letter in enumerate(kept) if i == 0 or letter != kept[i - 1])


def abbreviations(identifier: str) -> tuple[str, ...]:
    """Every abbreviation the rules derive from an identifier, none equal to it.

    >>> abbreviations("message")
    ('mes', 'mess', 'msg')
    >>> abbreviations("requestTimeout")
    ('reqTim', 'requTime', 'rqstTmt', 'rt')
    """
    words = list(subtokens(identifier, lower=True))
    derived = [
        _camel([clip(word, 3) for word in words]),
        _camel([clip(word, 4) for word in words]),
    ]
    bare = [devowel(word) for word in words]
    if all(len(word) <= LONGEST_DEVOWELLED for word in bare):
        derived.append(_camel(bare))
    if len(words) > 1:
        derived.append("".join(word[0] for word in words))
    return tuple(short for short in dict.fromkeys(derived) if short != identifier)


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])
