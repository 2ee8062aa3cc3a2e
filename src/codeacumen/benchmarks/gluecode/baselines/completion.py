"""Complete a masked call with the name that was most frequent at similar calls in training.

Several keys describe a call, from its receiver to the tokens before and after it. For each key the
training split yields the frequency of each name; a name's score is the mean of its shares, weighted
by the kind of the key and by how often the key occurs. Names that no training project has can win
by their words: those of the arguments, of the variable that takes the result, or a call of the same
name elsewhere in the method. ``parse_call_site`` extracts all this from the tokens of the method's
text, not from its syntax, because a mask may stand anywhere.

``context=method`` uses the method's text alone, and can answer only with names that it has learned
or can compose. ``context=project`` also uses the methods that the receiver's type has with this
many arguments (``CodeContext.describe``): it chooses among these, and uses the type's name as a
key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from codeacumen.api import CodeacumenError, CodeContext, Example, Json, Prompt, Supervision
from codeacumen.models.lexer import MASK, is_name, kind, tokens
from codeacumen.registry import model
from codeacumen.text.subtokens import subtokens

_OPENING = {")": "(", "]": "[", "}": "{"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PRIMITIVES = frozenset(("boolean", "byte", "char", "double", "float", "int", "long", "short"))
# Tokens after a variable's declaration.
_DECLARES = frozenset("=;,:)")
_MOST_TOKENS = 20_000
# Maximum number of tokens in a type's arguments.
_FAR = 60


@dataclass(frozen=True, slots=True)
class CallSite:
    """Description of a masked call.

    ``receiver`` is the last part of the receiver: a name, ``name()``, ``name[]``, a literal's kind,
    or empty. ``type`` is its type as far as the text declares it, or empty. ``words`` are those of
    the arguments and of the target; ``target`` is the variable that takes the result.
    ``called_names`` has the names called in the method, with their receivers.
    """

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
    """Return the description of the masked call in a method's text; empty if there is no mask."""
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
    """Return the index of each bracket's partner."""
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
    """Return a call's receiver, and the start of the whole expression."""
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
    """Return the description and the start of the primary expression that ends at a token."""
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
    """Return the variable that takes the result, or the call that it is an argument of."""
    before = _at(found, start - 1)
    if before == "=":
        return _at(found, start - 2)
    return _at(found, start - 2) if before == "(" and is_name(_at(found, start - 2)) else ""


def _declared(found: Sequence[str]) -> dict[str, str]:
    """Return the variables and parameters of the method with the names of their types."""
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
    # An undeclared name with a capital is a type: a static call.
    return declared.get(receiver, f"static {receiver}" if receiver[:1].isupper() else "")


def _called(found: Sequence[str], partner: dict[int, int]) -> dict[str, set[str]]:
    called: dict[str, set[str]] = {}
    for place in range(1, len(found) - 1):
        if found[place + 1] != "(" or not is_name(found[place]) or found[place - 1] == "new":
            continue
        # After a type, a name and a bracket are a declaration.
        if is_name(found[place - 1]) or found[place - 1] in (*_PRIMITIVES, "void", ">", "]"):
            continue
        last = place - 2
        receiver = _primary(found, partner, last)[0] if found[place - 1] == "." else ""
        called.setdefault(found[place], set()).add(receiver)
    return called


Key = tuple[str | int, ...]

# Weight of each kind of key.
_WEIGHTS: Mapping[str, float] = {
    "shape": 0.3,
    "receiver": 0.5,
    "receiver arguments": 1.0,
    "type arguments": 1.5,
    "receiver around": 1.5,
    "type around": 2.0,
    "following": 0.7,
    "argument": 0.5,
    "target": 0.7,
    "offered": 2.0,
    "offered around": 2.5,
}
# A key with this many occurrences counts half.
_HALF = 2.0
# Weights of a name's words and of calls with the same name.
_SAME_RECEIVER, _CALLED, _WORDS, _FIRST = 2.0, 0.1, 0.5, 0.2
# Bonus of the names that the receiver's type offers.
_OFFERED = 1.5
# Number of a key's most frequent names to consider.
_MOST_NAMES = 20


class Completion:
    """Completion from the text of the method alone."""

    batch_size = 256
    supervision: Supervision = "train"
    only = ("gluecode/completion",)

    def __init__(self) -> None:
        self.counts: dict[Key, Counter[str]] = {}
        self.firsts: dict[Key, Counter[str]] = {}
        self._frequent: dict[Key, list[str]] = {}
        self._totals: dict[Key, int] = {}

    def context(self, method: str) -> Mapping[str, Json]:
        return {}

    def fit(self, examples: Sequence[Example]) -> None:
        self.counts, self.firsts, self._frequent, self._totals = {}, {}, {}, {}
        for example in examples:
            if not isinstance(example.input, Prompt):
                continue
            site, name = call_site(example.input.text), str(example.truth)
            for key in _keys(site, self.context(example.input.method)):
                self.counts.setdefault(key, Counter())[name] += 1
            self.firsts.setdefault(_shape(site), Counter())[_first(name)] += 1

    def generate(self, prompts: Sequence[Prompt]) -> list[str | None]:
        return [self._completed(prompt) for prompt in prompts]

    def _completed(self, prompt: Prompt) -> str | None:
        site, context = call_site(prompt.text), self.context(prompt.method)
        keys = [key for key in _keys(site, context) if key in self.counts]
        offered: Sequence[str] = context.get("candidates") or ()
        names = dict.fromkeys(offered, _OFFERED)
        # A call without a receiver may refer to a static import from a library without source.
        if not offered or not site.receiver:
            for name in self._names(site, keys):
                names.setdefault(name, 0.0)
        shares = [(_WEIGHTS[str(key[0])] / (self._total(key) + _HALF), key) for key in keys]
        firsts = self.firsts.get(_shape(site), Counter())
        first_share = _FIRST / (firsts.total() + _HALF)
        scores = {
            name: bonus
            + sum(share * self.counts[key][name] for share, key in shares)
            + _by_words(name, site)
            + first_share * firsts[_first(name)]
            for name, bonus in names.items()
        }
        return min(scores, key=lambda name: (-scores[name], name)) if scores else None

    def _total(self, key: Key) -> int:
        known = self._totals.get(key)
        if known is None:
            known = self._totals[key] = self.counts[key].total()
        return known

    def _names(self, site: CallSite, keys: Iterable[Key]) -> Iterator[str]:
        """Yield candidate names: learned with a key, called in the method, or composed."""
        for key in keys:
            yield from self._most_frequent(key)
        yield from site.called
        yield from _made_up(site)

    def _most_frequent(self, key: Key) -> list[str]:
        known = self._frequent.get(key)
        if known is None:
            counts = self.counts[key]
            known = nlargest(_MOST_NAMES, counts, key=lambda name: (counts[name], name))
            self._frequent[key] = known
        return known


class ProjectCompletion(Completion):
    """Completion that also uses the names that the receiver's type offers."""

    def __init__(self) -> None:
        super().__init__()
        self.code_context: CodeContext | None = None

    def use_context(self, context: CodeContext | None) -> None:
        self.code_context = context

    def context(self, method: str) -> Mapping[str, Json]:
        return self.code_context.describe(method) if self.code_context is not None else {}


def _shape(site: CallSite) -> Key:
    return ("shape", min(site.arguments, 5), site.before, site.after)


def _keys(site: CallSite, context: Mapping[str, Json]) -> Iterator[Key]:
    around = (site.before, site.after, site.following)
    yield _shape(site)
    yield "receiver", site.receiver
    yield "receiver arguments", site.receiver, site.arguments
    yield "receiver around", site.receiver, site.arguments, *around
    if site.type:
        yield "type arguments", site.type, site.arguments
        yield "type around", site.type, site.arguments, *around
    if site.following:
        yield "following", site.following, site.arguments
    if site.argument:
        yield "argument", site.argument, site.arguments
    if site.target:
        yield "target", site.target, site.arguments
    offered = context.get("receiver")
    if offered:
        yield "offered", offered, site.arguments
        yield "offered around", offered, site.arguments, *around


def _first(name: str) -> str:
    return (subtokens(name) or [name])[0].lower()


def _by_words(name: str, site: CallSite) -> float:
    """Return a score for the words that a name shares with the call site, also for unseen names."""
    score = 0.0
    if name in site.called:
        score += _SAME_RECEIVER if site.receiver in site.called[name] else _CALLED
    rest = subtokens(name)[1:]
    if rest:
        score += _WORDS * sum(word.lower() in site.words for word in rest) / len(rest)
    return score


def _made_up(site: CallSite) -> Iterator[str]:
    """Yield accessors of the target, or of the only argument."""
    if site.target and site.arguments == 0:
        bare = site.target[3:] if site.target.startswith("set") else site.target
        capital = bare[:1].upper() + bare[1:]
        yield from (f"get{capital}", f"is{capital}", site.target)
    if site.arguments == 1 and site.argument.isidentifier():
        capital = site.argument[:1].upper() + site.argument[1:]
        yield from (f"set{capital}", f"add{capital}")


@model("completion")
def make_completion(context: str = "project") -> Completion:
    """Most frequent name at similar calls in training (completion:context=method or project)"""
    if context not in ("method", "project"):
        raise CodeacumenError(
            f"completion does not support context={context!r}",
            "context=method uses the method alone, context=project also the receiver's type",
        )
    return Completion() if context == "method" else ProjectCompletion()
