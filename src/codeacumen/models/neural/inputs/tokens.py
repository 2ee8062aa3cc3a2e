"""Architectures that read a method as its tokens, whole or in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codeacumen.api import CodeContext, Input, Method, NamedMethod, Pair, Prompt, Question
from codeacumen.models.lexer import MASK, is_name, split_tokens
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Vocabulary
from codeacumen.text.subtokens import split_lossless

# Of a longer text the rest is never looked at: lexing alone would take seconds.
_MAX_CHARACTERS = 200_000
# Half a pair, which no text in UTF-8 can hold.
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """With a sign of what is missing for each half of a pair."""
    return _SURROGATE.sub("\ufffd", text)


def get_text(item: Input) -> str:
    """What stands there to be read; of what is asked in pairs, the first."""
    if isinstance(item, Pair):
        return item.left
    if isinstance(item, NamedMethod):
        return item.method.text
    assert isinstance(item, Method | Question | Prompt)
    return item.text


def keep_whole(token: str) -> Iterable[str]:
    return (token,)


def split_name_token(token: str) -> Iterable[str]:
    """Names in their words; literals and signs as they are."""
    return split_lossless(token) if is_name(token) else (token,)


def cut_window(pieces: Sequence[str], length: int) -> Sequence[str]:
    """The first ``length``; where the mask would be cut off, so many that it stands in the middle:
    who cannot see what is asked about can only guess."""
    if len(pieces) <= length or MASK not in pieces:
        return pieces[:length]
    start = min(max(0, pieces.index(MASK) - length // 2), len(pieces) - length)
    # A mask that is seen anyway moves nothing.
    start = 0 if pieces.index(MASK) < length else start
    return pieces[start : start + length]


class TokenArchitecture(Architecture):
    """``settings`` has ``vocabulary``, how many tokens are known, and ``length``, how many are
    read."""

    # How a token is cut.
    split_token: Any = staticmethod(keep_whole)

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return self.extract_text_features(get_text(item))

    def extract_text_features(self, text: str) -> Features | None:
        text = replace_surrogates(text[:_MAX_CHARACTERS])
        pieces = [piece for token in split_tokens(text) for piece in self.split_token(token)]
        return {"tokens": cut_window(pieces, self.settings.length)} if pieces else None

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "tokens", features["tokens"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.vocabularies["tokens"] = Vocabulary.from_counts(
            counts["tokens"], self.settings.vocabulary
        )
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        return {"tokens": self.vocabularies["tokens"].encode_words(features["tokens"])}  # type: ignore[arg-type]
