"""Complete a masked call with the name that was most frequent at similar calls in training.

Several keys describe a call, from its receiver to the tokens before and after it. For each key the
training split yields the frequency of each name; a name's score is the sum of its shares, weighted
by the kind of the key and by how often the key occurs. Names that no training project has can win
by their words, if these occur in the arguments or in the variable that takes the result, or by a
call of the same name elsewhere in the method. ``parse_call_site`` extracts all this from the tokens
of the method's text, not from its syntax, because a mask may stand anywhere.

``context=method`` uses the method's text alone, and can answer only with names that it has learned
or can compose. ``context=project`` also uses the names of the methods that the receiver's type has
with this many arguments (``CodeContext.describe``): it chooses among these names, and uses the
type's name as a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from codeacumen.api import CodeacumenError, CodeContext, Example, Json, Prompt, Supervision
from codeacumen.models.lexer import MASK, classify_token, is_name, split_tokens
from codeacumen.registry import model
from codeacumen.text.subtokens import split_subtokens

_OPENING = {")": "(", "]": "[", "}": "{"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PRIMITIVES = frozenset(("boolean", "byte", "char", "double", "float", "int", "long", "short"))
# Tokens that may follow the name in a variable's declaration: ``:`` in a for-each loop, ``)`` after
# the last parameter.
_AFTER_DECLARATION = frozenset("=;,:)")
# Maximum number of a method's tokens to read.
_MOST_TOKENS = 20_000
# Maximum number of tokens in a type's arguments.
_MOST_TYPE_TOKENS = 60


@dataclass(frozen=True, slots=True)
class CallSite:
    """Description of a masked call.

    ``receiver`` is the last part of the receiver: a name, ``name()``, ``name[]``, ``new Name``, a
    literal's kind, or empty. ``type`` is its type as far as the text declares it, or empty.
    ``arguments`` is the number of arguments, ``argument`` the only argument or the kind of the
    first token of several. ``before`` and ``after`` are the kinds of the tokens around the call;
    ``following`` is the name of a call or field of its result, or empty. ``target`` is the variable
    that takes the result, or the call that it is an argument of, or empty. ``words`` are the words
    of the arguments and of the target. ``called_names`` has the names called in the method, with
    their receivers.
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
    called_names: dict[str, set[str]] = field(default_factory=dict)


def parse_call_site(text: str) -> CallSite:
    """Return the description of the masked call in a method's text; empty if there is no mask."""
    method_tokens = split_tokens(text)[:_MOST_TOKENS]
    if MASK not in method_tokens:
        return CallSite()
    mask = method_tokens.index(MASK)
    partners = _match_brackets(method_tokens)
    receiver, start = _parse_receiver(method_tokens, partners, mask)
    end = partners.get(mask + 1, mask + 1)
    inside = method_tokens[mask + 2 : end]
    after = _token_at(method_tokens, end + 1)
    following = _token_at(method_tokens, end + 2) if after in (".", "::") else ""
    target = _find_target(method_tokens, partners, start)
    words = {
        word.lower()
        for name in (*inside, target)
        if is_name(name)
        for word in split_subtokens(name)
    }
    return CallSite(
        receiver=receiver,
        type=_infer_type(receiver, _collect_declared_types(method_tokens)),
        arguments=_count_arguments(method_tokens, partners, mask + 1, end),
        argument=inside[0]
        if inside and len(inside) == 1
        else classify_token(inside[0])
        if inside
        else "",
        before=classify_token(_token_at(method_tokens, start - 1) or "{"),
        after=classify_token(after or "}"),
        following=following,
        target=target,
        words=frozenset(words),
        called_names=_collect_called_names(method_tokens, partners),
    )


def _token_at(method_tokens: Sequence[str], index: int) -> str:
    return method_tokens[index] if 0 <= index < len(method_tokens) else ""


def _match_brackets(method_tokens: Sequence[str]) -> dict[int, int]:
    """Return the index of each bracket's partner, by the bracket's index; broken ones lack it."""
    partners: dict[int, int] = {}
    open_brackets: list[int] = []
    for index, token in enumerate(method_tokens):
        if token in _CLOSING:
            open_brackets.append(index)
        elif (
            token in _OPENING
            and open_brackets
            and method_tokens[open_brackets[-1]] == _OPENING[token]
        ):
            partners[open_brackets[-1]] = index
            partners[index] = open_brackets.pop()
    return partners


def _parse_receiver(
    method_tokens: Sequence[str], partners: dict[int, int], call: int
) -> tuple[str, int]:
    """Return a call's receiver, or "", and the index of the first token of the whole expression.

    ``call`` is the index of the called name.
    """
    if _token_at(method_tokens, call - 1) not in (".", "::"):
        return "", call
    receiver, start = _parse_primary(method_tokens, partners, call - 2)
    # Go back over the rest of a chain a.b().c; stop where broken brackets allow no step back.
    while _token_at(method_tokens, start - 1) == ".":
        _, before = _parse_primary(method_tokens, partners, start - 2)
        if before >= start:
            break
        start = before
    return receiver, start


def _parse_primary(
    method_tokens: Sequence[str], partners: dict[int, int], last: int
) -> tuple[str, int]:
    """Return the description and the first index of the primary expression that ends at ``last``.

    The description has the forms of ``CallSite.receiver``.
    """
    token = _token_at(method_tokens, last)
    if token not in (")", "]"):
        return (
            token if is_name(token) or token in ("this", "super") else classify_token(token or "?")
        ), last
    opening = partners.get(last, last)
    name = _token_at(method_tokens, opening - 1)
    if not (is_name(name) or name == MASK):
        return token, opening
    if _token_at(method_tokens, opening - 2) == "new":
        return f"new {name}", opening - 2
    return f"{name}{'()' if token == ')' else '[]'}", opening - 1


def _count_arguments(
    method_tokens: Sequence[str], partners: dict[int, int], opening: int, end: int
) -> int:
    """Return the number of arguments between an opening bracket and its partner, ``end``."""
    if end - opening <= 1:
        return 0
    commas, index = 0, opening + 1
    while index < end:
        # Skip nested brackets: their commas do not separate these arguments.
        index = partners.get(index, index)
        commas += method_tokens[index] == ","
        index += 1
    return commas + 1


def _find_target(method_tokens: Sequence[str], partners: dict[int, int], start: int) -> str:
    """Return the variable that takes the result, the call that it is an argument of, or ""."""
    before = _token_at(method_tokens, start - 1)
    if before == "=":
        return _token_at(method_tokens, start - 2)
    return (
        _token_at(method_tokens, start - 2)
        if before == "(" and is_name(_token_at(method_tokens, start - 2))
        else ""
    )


def _collect_declared_types(method_tokens: Sequence[str]) -> dict[str, str]:
    """Return the types of the method's variables and parameters, by name, without type arguments.

    The first declaration of a name counts.
    """
    types: dict[str, str] = {}
    for index in range(1, len(method_tokens) - 1):
        if method_tokens[index + 1] in _AFTER_DECLARATION and is_name(method_tokens[index]):
            type_ = _parse_type_before(method_tokens, index - 1)
            if type_ and method_tokens[index] not in types:
                types[method_tokens[index]] = type_
    return types


def _parse_type_before(method_tokens: Sequence[str], last: int) -> str:
    """Return the type that ends at an index, with ``[]`` for an array, or "" if none does."""
    token = method_tokens[last]
    array = ""
    if token == "]" and last >= 2 and method_tokens[last - 1] == "[":
        last, array = last - 2, "[]"
        token = method_tokens[last]
    elif token in (">", ">>"):
        depth = 0
        for index in range(last, max(-1, last - _MOST_TYPE_TOKENS), -1):
            depth += {">": 1, "<": -1}.get(method_tokens[index], 0)
            if depth == 0:
                last = index - 1
                token = _token_at(method_tokens, last)
                break
    is_type = token in _PRIMITIVES or (is_name(token) and token[0].isupper()) or token == "var"
    return f"{token}{array}" if is_type else ""


def _infer_type(receiver: str, declared_types: dict[str, str]) -> str:
    """Return the type of a receiver, ``static Name`` for a type's name, or "" if unknown."""
    if receiver in ("text", "character"):
        return "String" if receiver == "text" else ""
    if receiver.startswith("new "):
        return receiver.removeprefix("new ")
    if receiver.endswith("[]"):
        return declared_types.get(receiver.removesuffix("[]"), "").removesuffix("[]")
    # An undeclared name with a capital is a type: a static call.
    return declared_types.get(receiver, f"static {receiver}" if receiver[:1].isupper() else "")


def _collect_called_names(
    method_tokens: Sequence[str], partners: dict[int, int]
) -> dict[str, set[str]]:
    """Return the receivers of each called name; "" stands for a call without a receiver."""
    called_names: dict[str, set[str]] = {}
    for index in range(1, len(method_tokens) - 1):
        if (
            method_tokens[index + 1] != "("
            or not is_name(method_tokens[index])
            or method_tokens[index - 1] == "new"
        ):
            continue
        # After a type, a name and a bracket are a declaration.
        if is_name(method_tokens[index - 1]) or method_tokens[index - 1] in (
            *_PRIMITIVES,
            "void",
            ">",
            "]",
        ):
            continue
        last = index - 2
        receiver = (
            _parse_primary(method_tokens, partners, last)[0]
            if method_tokens[index - 1] == "."
            else ""
        )
        called_names.setdefault(method_tokens[index], set()).add(receiver)
    return called_names


# Kind of a key, which is one of ``_WEIGHTS``, followed by properties of the call. The name of a
# kind lists these properties: "around" stands for the tokens around the call, and "shape" for
# them and the number of arguments.
Key = tuple[str | int, ...]

# Weight of each kind of key in a name's score. "offered" keys have the receiver's type from the
# project, "type" keys the type that the method's text declares.
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
# A key with this many occurrences in training has half its weight, so that rare keys count less;
# the factor is occurrences / (occurrences + this number).
_HALF_WEIGHT_COUNT = 2.0
# Weights of a call of the same name with the same receiver and with another, of the share of a
# name's words that occur at the call, and of the frequency of its first subtoken at similar calls.
_SAME_RECEIVER, _CALLED, _WORDS, _FIRST = 2.0, 0.1, 0.5, 0.2
# Bonus of the names that the receiver's type has, ``candidates`` in the call's context.
_AVAILABLE = 1.5
# Number of a key's most frequent names to consider.
_MOST_NAMES = 20


class Completion:
    """Completion from the text of the method alone.

    ``counts`` has the frequency of each name by key, ``first_subtokens`` that of each first
    subtoken by shape key; ``_frequent`` and ``_totals`` cache the sorted names and the sums.
    """

    batch_size = 256
    supervision: Supervision = "train"
    only = ("gluecode/completion",)

    def __init__(self) -> None:
        self.counts: dict[Key, Counter[str]] = {}
        self.first_subtokens: dict[Key, Counter[str]] = {}
        self._frequent: dict[Key, list[str]] = {}
        self._totals: dict[Key, int] = {}

    def describe_method(self, method: str) -> Mapping[str, Json]:
        """Return the context of a method's masked call; none here, see ``ProjectCompletion``."""
        return {}

    def fit(self, examples: Sequence[Example]) -> None:
        self.counts, self.first_subtokens, self._frequent, self._totals = {}, {}, {}, {}
        for example in examples:
            if not isinstance(example.input, Prompt):
                continue
            site, name = parse_call_site(example.input.text), str(example.truth)
            for key in _make_keys(site, self.describe_method(example.input.method)):
                self.counts.setdefault(key, Counter())[name] += 1
            self.first_subtokens.setdefault(_make_shape_key(site), Counter())[
                _first_subtoken(name)
            ] += 1

    def generate(self, prompts: Sequence[Prompt]) -> list[str | None]:
        return [self._complete_call(prompt) for prompt in prompts]

    def _complete_call(self, prompt: Prompt) -> str | None:
        site, context = parse_call_site(prompt.text), self.describe_method(prompt.method)
        keys = [key for key in _make_keys(site, context) if key in self.counts]
        available_names: Sequence[str] = context.get("candidates") or ()
        names = dict.fromkeys(available_names, _AVAILABLE)
        # A call without a receiver may refer to a static import from a library without source.
        if not available_names or not site.receiver:
            for name in self._list_candidates(site, keys):
                names.setdefault(name, 0.0)
        shares = [
            (_WEIGHTS[str(key[0])] / (self._count_occurrences(key) + _HALF_WEIGHT_COUNT), key)
            for key in keys
        ]
        first_subtokens = self.first_subtokens.get(_make_shape_key(site), Counter())
        first_share = _FIRST / (first_subtokens.total() + _HALF_WEIGHT_COUNT)
        scores = {
            name: bonus
            + sum(share * self.counts[key][name] for share, key in shares)
            + _score_words(name, site)
            + first_share * first_subtokens[_first_subtoken(name)]
            for name, bonus in names.items()
        }
        return min(scores, key=lambda name: (-scores[name], name)) if scores else None

    def _count_occurrences(self, key: Key) -> int:
        total = self._totals.get(key)
        if total is None:
            total = self._totals[key] = self.counts[key].total()
        return total

    def _list_candidates(self, site: CallSite, keys: Iterable[Key]) -> Iterator[str]:
        """Yield candidate names: learned with a key, called in the method, or composed."""
        for key in keys:
            yield from self._list_frequent_names(key)
        yield from site.called_names
        yield from _compose_names(site)

    def _list_frequent_names(self, key: Key) -> list[str]:
        names = self._frequent.get(key)
        if names is None:
            counts = self.counts[key]
            names = nlargest(_MOST_NAMES, counts, key=lambda name: (counts[name], name))
            self._frequent[key] = names
        return names


class ProjectCompletion(Completion):
    """Completion that also uses the receiver's type and the names of its methods."""

    def __init__(self) -> None:
        super().__init__()
        self.code_context: CodeContext | None = None

    def use_context(self, context: CodeContext | None) -> None:
        self.code_context = context

    def describe_method(self, method: str) -> Mapping[str, Json]:
        return self.code_context.describe(method) if self.code_context is not None else {}


def _make_shape_key(site: CallSite) -> Key:
    return ("shape", min(site.arguments, 5), site.before, site.after)


def _make_keys(site: CallSite, context: Mapping[str, Json]) -> Iterator[Key]:
    around = (site.before, site.after, site.following)
    yield _make_shape_key(site)
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
    receiver_type = context.get("receiver")
    if receiver_type:
        yield "offered", receiver_type, site.arguments
        yield "offered around", receiver_type, site.arguments, *around


def _first_subtoken(name: str) -> str:
    return (split_subtokens(name) or [name])[0].lower()


def _score_words(name: str, site: CallSite) -> float:
    """Return a score for the words that a name shares with the call site, also for unseen names."""
    score = 0.0
    if name in site.called_names:
        score += _SAME_RECEIVER if site.receiver in site.called_names[name] else _CALLED
    # The first subtoken, mostly a verb, is scored by its frequency instead.
    rest = split_subtokens(name)[1:]
    if rest:
        score += _WORDS * sum(word.lower() in site.words for word in rest) / len(rest)
    return score


def _compose_names(site: CallSite) -> Iterator[str]:
    """Yield accessors named after the target of a call without arguments, or the only argument."""
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
