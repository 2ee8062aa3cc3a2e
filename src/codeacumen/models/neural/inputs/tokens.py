"""Base of the architectures that read a method as a sequence of tokens or of their subtokens.

``networks.token_classifiers`` and ``networks.seq2seq`` derive theirs from ``TokenArchitecture``;
the other inputs use ``get_text`` and ``replace_surrogates``. A *piece* is what the network reads as
one word: a token, or a subtoken of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codeacumen.api import CodeContext, Input, Method, NamedMethod, Pair, Prompt, Question
from codeacumen.models.lexer import MASK, is_name, split_tokens
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Vocabulary
from codeacumen.text.subtokens import split_lossless

# Longer texts are cut off, because lexing alone would take seconds.
_MAX_CHARACTERS = 200_000
# A lone surrogate, which UTF-8 cannot encode.
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD for each surrogate."""
    return _SURROGATE.sub("\ufffd", text)


def get_text(item: Input) -> str:
    """Return the code of an input; for a pair of texts, the left one."""
    if isinstance(item, Pair):
        return item.left
    if isinstance(item, NamedMethod):
        return item.method.text
    assert isinstance(item, Method | Question | Prompt)
    return item.text


def keep_whole(token: str) -> Iterable[str]:
    """Return a token as a single piece."""
    return (token,)


def split_name_token(token: str) -> Iterable[str]:
    """Return the subtokens of a name, or any other token as a single piece."""
    return split_lossless(token) if is_name(token) else (token,)


def cut_window(pieces: Sequence[str], length: int) -> Sequence[str]:
    """Return ``length`` pieces: the first ones, or those around the mask if they lack it.

    The question is about the mask, so a network that does not read it can only guess.
    """
    if len(pieces) <= length or MASK not in pieces:
        return pieces[:length]
    start = min(max(0, pieces.index(MASK) - length // 2), len(pieces) - length)
    # The window moves only if the first pieces lack the mask.
    start = 0 if pieces.index(MASK) < length else start
    return pieces[start : start + length]


class TokenArchitecture(Architecture):
    """An architecture whose features are a sequence of tokens.

    ``settings`` has ``vocabulary``, the maximum size of the vocabulary, and ``length``, the maximum
    number of pieces that are read.
    """

    # Function that splits a token into pieces; a subclass may replace it.
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
