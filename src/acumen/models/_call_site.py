"""What can be seen of a masked call in the text of the method around it.

Reads tokens, not syntax, since a mask may stand anywhere: what it is called on, how many arguments
it has, what comes before and after, which calls and declarations stand elsewhere in the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from acumen.lang.subtokens import subtokens
from acumen.models._lexer import MASK, is_name, kind, tokens

_OPENING = {")": "(", "]": "[", "}": "{"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PRIMITIVES = frozenset(("boolean", "byte", "char", "double", "float", "int", "long", "short"))
# After a variable's declaration.
_DECLARES = frozenset("=;,:)")
_MOST_TOKENS = 20_000
# A type's arguments are looked back over as far as this.
_FAR = 60


@dataclass(frozen=True, slots=True)
class CallSite:
    """``receiver`` is the last part of what it is called on: a name, ``name()``, ``name[]``, a
    literal's kind, or empty. ``type`` is what the text says of its type, or empty. ``words`` are
    those of the arguments and of what the result is for; ``target`` is the name it is given to.
    ``called``: names called in the method, with what they are called on."""

    receiver: str = ""
    type: str = ""
    arguments: int = 0
    argument: str = ""
    before: str = ""
    after: str = ""
    following: str = ""
    target: str = ""
    words: frozenset[str] = frozenset()
    called: dict[str, set[str]] = field(default_factory=dict)


def call_site(text: str) -> CallSite:
    found = tokens(text)[:_MOST_TOKENS]
    if MASK not in found:
        return CallSite()
    mask = found.index(MASK)
    partner = _partners(found)
    receiver, start = _receiver(found, partner, mask)
    end = partner.get(mask + 1, mask + 1)
    inside = found[mask + 2 : end]
    after = _at(found, end + 1)
    following = _at(found, end + 2) if after in (".", "::") else ""
    target = _target(found, partner, start)
    words = {
        word.lower() for name in (*inside, target) if is_name(name) for word in subtokens(name)
    }
    return CallSite(
        receiver=receiver,
        type=_type(receiver, _declared(found)),
        arguments=_count(found, partner, mask + 1, end),
        argument=inside[0] if inside and len(inside) == 1 else kind(inside[0]) if inside else "",
        before=kind(_at(found, start - 1) or "{"),
        after=kind(after or "}"),
        following=following,
        target=target,
        words=frozenset(words),
        called=_called(found, partner),
    )


def _at(found: Sequence[str], place: int) -> str:
    return found[place] if 0 <= place < len(found) else ""


def _partners(found: Sequence[str]) -> dict[int, int]:
    """For each bracket the place of the one that it belongs to."""
    partner: dict[int, int] = {}
    waiting: list[int] = []
    for place, token in enumerate(found):
        if token in _CLOSING:
            waiting.append(place)
        elif token in _OPENING and waiting and found[waiting[-1]] == _OPENING[token]:
            partner[waiting[-1]] = place
            partner[place] = waiting.pop()
    return partner


def _receiver(found: Sequence[str], partner: dict[int, int], call: int) -> tuple[str, int]:
    """What a call's name is called on, and where the whole expression begins."""
    if _at(found, call - 1) not in (".", "::"):
        return "", call
    receiver, start = _primary(found, partner, call - 2)
    while _at(found, start - 1) == ".":
        _, before = _primary(found, partner, start - 2)
        if before >= start:
            break
        start = before
    return receiver, start


def _primary(found: Sequence[str], partner: dict[int, int], last: int) -> tuple[str, int]:
    """The part of an expression that ends at a token: how it is told, and where it begins."""
    token = _at(found, last)
    if token not in (")", "]"):
        return (token if is_name(token) or token in ("this", "super") else kind(token or "?")), last
    opening = partner.get(last, last)
    name = _at(found, opening - 1)
    if not (is_name(name) or name == MASK):
        return token, opening
    if _at(found, opening - 2) == "new":
        return f"new {name}", opening - 2
    return f"{name}{'()' if token == ')' else '[]'}", opening - 1


def _count(found: Sequence[str], partner: dict[int, int], opening: int, end: int) -> int:
    if end - opening <= 1:
        return 0
    commas, place = 0, opening + 1
    while place < end:
        place = partner.get(place, place)
        commas += found[place] == ","
        place += 1
    return commas + 1


def _target(found: Sequence[str], partner: dict[int, int], start: int) -> str:
    """The variable that the result is assigned to, or the call that it is an argument of."""
    before = _at(found, start - 1)
    if before == "=":
        return _at(found, start - 2)
    return _at(found, start - 2) if before == "(" and is_name(_at(found, start - 2)) else ""


def _declared(found: Sequence[str]) -> dict[str, str]:
    """Variables and parameters of the method with the names of their types."""
    types: dict[str, str] = {}
    for place in range(1, len(found) - 1):
        if found[place + 1] in _DECLARES and is_name(found[place]):
            type_ = _type_before(found, place - 1)
            if type_ and found[place] not in types:
                types[found[place]] = type_
    return types


def _type_before(found: Sequence[str], last: int) -> str:
    token = found[last]
    array = ""
    if token == "]" and last >= 2 and found[last - 1] == "[":
        last, array = last - 2, "[]"
        token = found[last]
    elif token in (">", ">>"):
        depth = 0
        for place in range(last, max(-1, last - _FAR), -1):
            depth += {">": 1, "<": -1}.get(found[place], 0)
            if depth == 0:
                last = place - 1
                token = _at(found, last)
                break
    is_type = token in _PRIMITIVES or (is_name(token) and token[0].isupper()) or token == "var"
    return f"{token}{array}" if is_type else ""


def _type(receiver: str, declared: dict[str, str]) -> str:
    if receiver in ("text", "character"):
        return "String" if receiver == "text" else ""
    if receiver.startswith("new "):
        return receiver.removeprefix("new ")
    if receiver.endswith("[]"):
        return declared.get(receiver.removesuffix("[]"), "").removesuffix("[]")
    # A name with a capital that is no variable is a type of its own.
    return declared.get(receiver, f"static {receiver}" if receiver[:1].isupper() else "")


def _called(found: Sequence[str], partner: dict[int, int]) -> dict[str, set[str]]:
    called: dict[str, set[str]] = {}
    for place in range(1, len(found) - 1):
        if found[place + 1] != "(" or not is_name(found[place]) or found[place - 1] == "new":
            continue
        # A name and a bracket after a type is a declaration.
        if is_name(found[place - 1]) or found[place - 1] in (*_PRIMITIVES, "void", ">", "]"):
            continue
        last = place - 2
        receiver = _primary(found, partner, last)[0] if found[place - 1] == "." else ""
        called.setdefault(found[place], set()).add(receiver)
    return called
