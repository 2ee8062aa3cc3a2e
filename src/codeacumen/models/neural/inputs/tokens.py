"""Architectures that read a method as its tokens, whole or in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codeacumen.api import CodeContext, Input, Method, NamedMethod, Pair, Prompt, Question
from codeacumen.models.lexer import MASK, is_name, tokens
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Vocabulary
from codeacumen.text.subtokens import split_lossless

# Of a longer text the rest is never looked at: lexing alone would take seconds.
_MOST_CHARACTERS = 200_000
# Half a pair, which no text in UTF-8 can hold.
_HALF = re.compile(r"[\ud800-\udfff]")


def writable(text: str) -> str:
    """With a sign of what is missing for each half of a pair."""
    return _HALF.sub("\ufffd", text)


def text_of(asked: Input) -> str:
    """What stands there to be read; of what is asked in pairs, the first."""
    if isinstance(asked, Pair):
        return asked.left
    if isinstance(asked, NamedMethod):
        return asked.method.text
    assert isinstance(asked, Method | Question | Prompt)
    return asked.text


def whole(token: str) -> Iterable[str]:
    return (token,)


def in_pieces(token: str) -> Iterable[str]:
    """Names in their words; literals and signs as they are."""
    return split_lossless(token) if is_name(token) else (token,)


def window(found: Sequence[str], length: int) -> Sequence[str]:
    """The first ``length``; where the mask would be cut off, so many that it stands in the middle:
    who cannot see what is asked about can only guess."""
    if len(found) <= length or MASK not in found:
        return found[:length]
    start = min(max(0, found.index(MASK) - length // 2), len(found) - length)
    # A mask that is seen anyway moves nothing.
    start = 0 if found.index(MASK) < length else start
    return found[start : start + length]


class ReadsTokens(Architecture):
    """``settings`` has ``vocabulary``, how many tokens are known, and ``length``, how many are
    read."""

    # How a token is cut.
    cut: Any = staticmethod(whole)

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self.read_text(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        text = writable(text[:_MOST_CHARACTERS])
        found = [piece for token in tokens(text) for piece in self.cut(token)]
        return {"tokens": window(found, self.settings.length)} if found else None

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "tokens", features["tokens"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.vocabularies["tokens"] = Vocabulary.counted(counts["tokens"], self.settings.vocabulary)
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        return {"tokens": self.vocabularies["tokens"].numbers(features["tokens"])}  # type: ignore[arg-type]
