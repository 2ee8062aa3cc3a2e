"""Architectures that read a method as text, cut by a byte-level BPE.

A byte-level BPE knows no unknown word: what it never saw, it reads in shorter and shorter parts,
down to bytes. Text is first cut into *chunks* (a word, a number, some signs, each with the space
before it); the BPE never joins across them. So its training needs nothing but how often each chunk
was there, and it is the same as from the texts themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

import numpy as np

from codeacumen.api import CodeacumenError, CodeContext, Input
from codeacumen.core.files import write_atomically
from codeacumen.models.lexer import MASK
from codeacumen.models.neural.architecture import (
    LABELS,
    SPECIALS,
    Architecture,
    Encoded,
    Features,
    Vocabulary,
)
from codeacumen.models.neural.inputs.tokens import text_of, writable

METHOD_NAME = "METHOD_NAME"
# RoBERTa's special tokens with RoBERTa's numbers, and the name that is asked for.
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
FILE = "tokenizer.json"

# Of a longer text the rest is never looked at.
_MOST_CHARACTERS = 200_000
# A chunk that is longer is data, not words: it is read, but teaches the BPE nothing.
_LONGEST_LEARNED = 100
# Chunks that the BPE is trained on at most; where there were more, all counts shrink alike.
_MOST_LEARNED = 10_000_000
_SPACE = re.compile(r"\s+")
_PART = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*(?s:.*?)(?:\*/|\Z) )
  | (?P<literal> \"\"\"(?s:.*?)(?:\"\"\"|\Z) | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'? )
  | (?P<special> <MASK> | (?<![\w$])METHOD_NAME(?![\w$]) )
    """,
    re.VERBOSE,
)


def folded(text: str, comments: bool = False) -> list[str]:
    """The text with white space folded and comments left out, cut at what is masked.

    >>> folded('int METHOD_NAME(int a) {\\n  return a <MASK> 1; // why\\n}')
    ['int', 'METHOD_NAME', '(int a) { return a', '<MASK>', ' 1; }']
    """
    parts = _parts(text, comments)
    if MASK in text and MASK not in parts:
        # In broken text it may seem to stand in a literal or a comment; it is asked about.
        before, _, after = text.partition(MASK)
        parts = [*_parts(before, comments), MASK, *_parts(after, comments)]
    parts = [_SPACE.sub(" ", part) for part in parts]
    parts[0] = parts[0].lstrip()
    # As RoBERTa's own: the space before a special token belongs to it.
    parts[::2] = [part.rstrip() for part in parts[::2]]
    return [part for part in parts if part]


def _parts(text: str, comments: bool) -> list[str]:
    """Text, something masked, text and so on; first and last are text."""
    parts: list[str] = []
    run: list[str] = []
    last = 0
    for found in _PART.finditer(text):
        run.append(text[last : found.start()])
        last = found.end()
        if found.lastgroup == "special":
            parts += ["".join(run), found[0]]
            run = []
        elif found.lastgroup == "literal":
            run.append(found[0])
        elif not comments:
            run.append(" ")
        else:
            # A line comment ends with its line, which white space will not tell any more.
            run.append(found[0] if found[0].startswith("/*") else f"/*{found[0][2:]} */")
    return [*parts, "".join([*run, text[last:]])]


class Subwords:
    """A BPE. ``begin``, ``pad``, ``end``, ``mask`` and ``name`` are its special numbers."""

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # What looks like a special token in a text is text: "<s>" is HTML.
        tokenizer.encode_special_tokens = True
        missing = [one for one in ROBERTA if tokenizer.token_to_id(one) is None]
        if missing:
            raise CodeacumenError(
                f"the tokenizer has no {', '.join(missing)}", f"it needs {', '.join(ROBERTA)}"
            )
        if tokenizer.token_to_id(METHOD_NAME) is None:
            tokenizer.add_special_tokens([METHOD_NAME])
        self.tokenizer = tokenizer
        number = tokenizer.token_to_id
        self.begin, self.pad, self.end, self.unknown, self.mask = map(number, ROBERTA)
        self.name = number(METHOD_NAME)
        self.specials = (self.begin, self.pad, self.end, self.unknown, self.mask, self.name)

    def __len__(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def __reduce__(self) -> tuple[Any, ...]:
        return Subwords.of_json, (self.tokenizer.to_str(),)

    @classmethod
    def of_json(cls, text: str) -> Subwords:
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(text))

    # ---------------------------------------------------------------- text and numbers

    def numbers(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def chunks_to_numbers(self, chunks: Iterable[str]) -> list[int]:
        """What stands for something masked is one number each: <MASK> is RoBERTa's <mask>, which
        pre-training teaches."""
        special = {MASK: self.mask, METHOD_NAME: self.name}
        found: list[int] = []
        for number, run in groupby(chunks, special.get):
            same = list(run)
            found += self.numbers("".join(same)) if number is None else [number] * len(same)
        return found

    def text(self, numbers: Sequence[int]) -> str:
        found: str = self.tokenizer.decode(list(numbers), skip_special_tokens=True)
        return found

    # ---------------------------------------------------------------- learned, and on disk

    @classmethod
    def learned(cls, counts: Mapping[str, int], most: int) -> Subwords:
        """A BPE of at most ``most`` parts. The same for the same counts: words come sorted."""
        # One thread: the result is the same, and processes may be forked off afterwards.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=most,
            min_frequency=2,
            show_progress=False,
            special_tokens=[*ROBERTA, METHOD_NAME],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        scale = min(1.0, _MOST_LEARNED / max(1, sum(counts.values())))
        words = (repeat(word, round(counts[word] * scale)) for word in sorted(counts))
        tokenizer.train_from_iterator((word for same in words for word in same), trainer)
        return cls(tokenizer)

    def save(self, folder: Path) -> None:
        write_atomically(folder / FILE, self.tokenizer.to_str().encode())

    @classmethod
    def load(cls, folder: Path) -> Subwords:
        path = folder / FILE
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CodeacumenError(f"{path}: cannot be read: {error}") from error
        try:
            return cls.of_json(text)
        except CodeacumenError:
            raise
        except Exception as error:  # what the library raises is a bare Exception
            raise CodeacumenError(f"{path}: a damaged tokenizer: {error}") from error


class InSubwords:
    """The answer is said in parts of the BPE that the text is read in: any name can be said."""

    def __init__(self, longest: int) -> None:
        self.longest, self.vocabulary = longest, Vocabulary(SPECIALS)
        self.subwords: Subwords | None = None

    def words(self, label: str) -> Iterable[str]:
        return ()

    def learn(self, counts: Mapping[str, int]) -> None:
        """There is nothing to learn: the BPE was."""

    def target(self, label: str) -> Encoded | None:
        assert self.subwords is not None
        numbers = self.subwords.numbers(writable(label))[: self.longest]
        return {"target": np.array([*numbers, self.subwords.end], np.int32)} if numbers else None

    def answer(self, predicted: Sequence[int]) -> str | None:
        assert self.subwords is not None
        numbers = list(predicted)
        if self.subwords.end in numbers:
            numbers = numbers[: numbers.index(self.subwords.end)]
        return self.subwords.text(numbers).strip() or None


class ReadsSubwords(Architecture):
    """``settings`` has ``vocabulary``, how many parts the BPE has, ``length``, how many of a text
    are read, and ``comments``, whether they are part of it."""

    subwords: Subwords

    @property
    def length_read(self) -> int:
        return int(self.settings.length)

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self.read_text(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        from tokenizers import pre_tokenizers

        if len(text) > _MOST_CHARACTERS:
            start = max(0, text.find(MASK) - _MOST_CHARACTERS // 2)
            text = text[start : start + _MOST_CHARACTERS]
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
        chunks: list[str] = []
        for part in folded(writable(text), self.settings.comments):
            if part in (MASK, METHOD_NAME):
                chunks.append(part)
            else:
                chunks += [part[a:b] for _, (a, b) in byte_level.pre_tokenize_str(part)]
        # A chunk is at least one part: whatever is cut off here, `encode` would cut off too.
        at = chunks.index(MASK) if MASK in chunks else 0
        most = self.settings.length
        return {"chunks": chunks[max(0, at - most) : at + most]} if chunks else None

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        chunks: Sequence[str] = features["chunks"]  # type: ignore[assignment]
        masked = (MASK, METHOD_NAME)
        yield "chunks", [c for c in chunks if len(c) <= _LONGEST_LEARNED and c not in masked]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.take(Subwords.learned(counts.get("chunks", {}), self.settings.vocabulary))
        self.learn_labels({LABELS: {}, **counts})

    def take(self, subwords: Subwords) -> None:
        self.subwords = subwords
        if isinstance(self.labels, InSubwords):
            self.labels.subwords = subwords

    def save_vocabularies(self, folder: Path) -> None:
        super().save_vocabularies(folder)
        self.subwords.save(folder)

    def load_vocabularies(self, folder: Path) -> None:
        super().load_vocabularies(folder)
        self.take(Subwords.load(folder))

    def encode(self, features: Features) -> Encoded:
        """<s>, the parts, </s>: the first so many, or those around the mask if it were cut off."""
        subwords = self.subwords
        found = subwords.chunks_to_numbers(features["chunks"])  # type: ignore[arg-type]
        room = self.length_read - 2
        if len(found) > room:
            at = found.index(subwords.mask) if subwords.mask in found else 0
            start = 0 if at < room else min(at - room // 2, len(found) - room)
            found = found[start : start + room]
        return {"tokens": np.array([subwords.begin, *found, subwords.end], np.int32)}
