"""Base of the architectures that read a method as text, split by byte-level byte-pair encoding.

``networks.transformer`` derives its architecture from ``SubwordArchitecture``;
``networks.codeacumen_base`` uses only ``Subwords`` and ``SubwordLabels``. A byte-level BPE
(byte-pair encoding) has no unknown words: it splits a new word into shorter parts, down to bytes.
Text is first split into *chunks* (a word, a number or punctuation, each with the space before it),
and the BPE never merges across chunks. So it can be trained on the counts of chunks, with the same
result as on the texts.
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
from codeacumen.models.neural.inputs.tokens import get_text, replace_surrogates

METHOD_NAME = "METHOD_NAME"
# RoBERTa's special tokens, in the order of RoBERTa's numbers.
ROBERTA_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
TOKENIZER_FILE = "tokenizer.json"

# Longer texts are cut off.
_MAX_CHARACTERS = 200_000
# Longer chunks are data, not words: they are encoded, but the BPE is not trained on them.
_MAX_CHUNK_LENGTH = 100
# Maximum number of chunks that the BPE is trained on; counts are scaled down to it.
_MAX_TRAINING_CHUNKS = 10_000_000
_SPACE = re.compile(r"\s+")
# Comments, literals and masks; the rest of a text is copied.
_PART = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*(?s:.*?)(?:\*/|\Z) )
  | (?P<literal> \"\"\"(?s:.*?)(?:\"\"\"|\Z) | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'? )
  | (?P<special> <MASK> | (?<![\w$])METHOD_NAME(?![\w$]) )
    """,
    re.VERBOSE,
)


def fold_text(text: str, keep_comments: bool = False) -> list[str]:
    """Return the text with white space folded and without comments, split at the masks.

    >>> fold_text('int METHOD_NAME(int a) {\\n  return a <MASK> 1; // why\\n}')
    ['int', 'METHOD_NAME', '(int a) { return a', '<MASK>', ' 1; }']
    """
    # Here a part is a mask or the text between masks, not a part of the BPE.
    parts = _split_at_masks(text, keep_comments)
    if MASK in text and MASK not in parts:
        # In text with syntax errors the mask may seem to be inside a literal or a comment. It must
        # not be lost, because the question is about it.
        before, _, after = text.partition(MASK)
        parts = [
            *_split_at_masks(before, keep_comments),
            MASK,
            *_split_at_masks(after, keep_comments),
        ]
    parts = [_SPACE.sub(" ", part) for part in parts]
    parts[0] = parts[0].lstrip()
    # As in RoBERTa, the space before a special token belongs to this token.
    parts[::2] = [part.rstrip() for part in parts[::2]]
    return [part for part in parts if part]


def _split_at_masks(text: str, keep_comments: bool) -> list[str]:
    """Return alternately text and masks; the first and the last part are text."""
    parts: list[str] = []
    text_parts: list[str] = []
    last = 0
    for match in _PART.finditer(text):
        text_parts.append(text[last : match.start()])
        last = match.end()
        if match.lastgroup == "special":
            parts += ["".join(text_parts), match[0]]
            text_parts = []
        elif match.lastgroup == "literal":
            text_parts.append(match[0])
        elif not keep_comments:
            text_parts.append(" ")
        else:
            # A line comment becomes a block comment, because folding removes its line break.
            text_parts.append(match[0] if match[0].startswith("/*") else f"/*{match[0][2:]} */")
    return [*parts, "".join([*text_parts, text[last:]])]


class Subwords:
    """A byte-level BPE tokenizer with RoBERTa's special tokens and METHOD_NAME.

    ``begin``, ``pad``, ``end``, ``unknown``, ``mask`` and ``name`` are the numbers of the special
    tokens, ``specials`` all of them. A METHOD_NAME that the tokenizer lacks is added to it.
    """

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # Encode special tokens in a text as text: "<s>" is HTML.
        tokenizer.encode_special_tokens = True
        missing = [
            special for special in ROBERTA_SPECIALS if tokenizer.token_to_id(special) is None
        ]
        if missing:
            raise CodeacumenError(
                f"the tokenizer has no {', '.join(missing)}",
                f"it needs {', '.join(ROBERTA_SPECIALS)}",
            )
        if tokenizer.token_to_id(METHOD_NAME) is None:
            tokenizer.add_special_tokens([METHOD_NAME])
        self.tokenizer = tokenizer
        token_to_id = tokenizer.token_to_id
        self.begin, self.pad, self.end, self.unknown, self.mask = map(token_to_id, ROBERTA_SPECIALS)
        self.name = token_to_id(METHOD_NAME)
        self.specials = (self.begin, self.pad, self.end, self.unknown, self.mask, self.name)

    def __len__(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def __reduce__(self) -> tuple[Any, ...]:
        return Subwords.from_json, (self.tokenizer.to_str(),)

    @classmethod
    def from_json(cls, text: str) -> Subwords:
        """Read a tokenizer from a JSON text in the format of the ``tokenizers`` library."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_str(text))

    # ---------------------------------------------------------------- text and numbers

    def encode_text(self, text: str) -> list[int]:
        """Return the numbers of a text's parts, without begin and end markers."""
        numbers: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return numbers

    def encode_chunks(self, chunks: Iterable[str]) -> list[int]:
        """Return the numbers of the parts of all chunks.

        A mask is a single number; <MASK> has that of RoBERTa's <mask>, which occurs in
        pre-training.
        """
        special_numbers = {MASK: self.mask, METHOD_NAME: self.name}
        numbers: list[int] = []
        for number, run in groupby(chunks, special_numbers.get):
            chunks_of_run = list(run)
            numbers += (
                self.encode_text("".join(chunks_of_run))
                if number is None
                else [number] * len(chunks_of_run)
            )
        return numbers

    def decode_text(self, numbers: Sequence[int]) -> str:
        """Return the text of the parts, without special tokens."""
        text: str = self.tokenizer.decode(list(numbers), skip_special_tokens=True)
        return text

    # ---------------------------------------------------------------- training, and on disk

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], max_size: int) -> Subwords:
        """Train a BPE with at most ``max_size`` parts on the counts of chunks.

        Chunks are sorted, so the same counts give the same BPE.
        """
        # With its own threads the library warns when the process forks later.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=max_size,
            min_frequency=2,
            show_progress=False,
            special_tokens=[*ROBERTA_SPECIALS, METHOD_NAME],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        scale = min(1.0, _MAX_TRAINING_CHUNKS / max(1, sum(counts.values())))
        repeated_words = (repeat(word, round(counts[word] * scale)) for word in sorted(counts))
        tokenizer.train_from_iterator(
            (word for repeats in repeated_words for word in repeats), trainer
        )
        return cls(tokenizer)

    def save(self, folder: Path) -> None:
        """Write ``TOKENIZER_FILE``."""
        write_atomically(folder / TOKENIZER_FILE, self.tokenizer.to_str().encode())

    @classmethod
    def load(cls, folder: Path) -> Subwords:
        """Read the file that ``save`` wrote."""
        path = folder / TOKENIZER_FILE
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CodeacumenError(f"{path}: cannot be read: {error}") from error
        try:
            return cls.from_json(text)
        except CodeacumenError:
            raise
        except Exception as error:  # the library raises a bare Exception
            raise CodeacumenError(f"{path}: damaged tokenizer: {error}") from error


class SubwordLabels:
    """Answers as sequences of parts of the input's BPE, which can spell any name.

    The architecture sets ``subwords`` after learning or loading its vocabularies.
    """

    def __init__(self, max_parts: int) -> None:
        self.max_parts, self.vocabulary = max_parts, Vocabulary(SPECIALS)
        self.subwords: Subwords | None = None

    def split_label(self, label: str) -> Iterable[str]:
        # The BPE spells every answer, so no words of answers are counted.
        return ()

    def learn_vocabulary(self, counts: Mapping[str, int]) -> None:
        """Do nothing: the architecture sets ``subwords``."""

    def encode_target(self, label: str) -> Encoded | None:
        assert self.subwords is not None
        numbers = self.subwords.encode_text(replace_surrogates(label))[: self.max_parts]
        return {"target": np.array([*numbers, self.subwords.end], np.int32)} if numbers else None

    def decode_answer(self, predicted: Sequence[int]) -> str | None:
        assert self.subwords is not None
        numbers = list(predicted)
        if self.subwords.end in numbers:
            numbers = numbers[: numbers.index(self.subwords.end)]
        return self.subwords.decode_text(numbers).strip() or None


class SubwordArchitecture(Architecture):
    """An architecture whose input is the BPE parts of a method's text.

    ``settings`` has ``vocabulary``, the maximum number of parts of the BPE, ``length``, the maximum
    number of parts of an input, and ``comments``, which says whether comments are kept.
    """

    subwords: Subwords

    @property
    def max_length(self) -> int:
        """The maximum number of parts of an input, with begin and end markers."""
        return int(self.settings.length)

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return self.extract_text_features(get_text(item))

    def extract_text_features(self, text: str) -> Features | None:
        from tokenizers import pre_tokenizers

        if len(text) > _MAX_CHARACTERS:
            start = max(0, text.find(MASK) - _MAX_CHARACTERS // 2)
            text = text[start : start + _MAX_CHARACTERS]
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
        chunks: list[str] = []
        for part in fold_text(replace_surrogates(text), self.settings.comments):
            if part in (MASK, METHOD_NAME):
                chunks.append(part)
            else:
                chunks += [part[a:b] for _, (a, b) in byte_level.pre_tokenize_str(part)]
        # A chunk has at least one part, so ``encode`` would also cut off the chunks removed here.
        mask_index = chunks.index(MASK) if MASK in chunks else 0
        max_chunks = self.settings.length
        return (
            {"chunks": chunks[max(0, mask_index - max_chunks) : mask_index + max_chunks]}
            if chunks
            else None
        )

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        chunks: Sequence[str] = features["chunks"]  # type: ignore[assignment]
        masked = (MASK, METHOD_NAME)
        yield (
            "chunks",
            [chunk for chunk in chunks if len(chunk) <= _MAX_CHUNK_LENGTH and chunk not in masked],
        )

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.set_subwords(Subwords.from_counts(counts.get("chunks", {}), self.settings.vocabulary))
        self.learn_labels({LABELS: {}, **counts})

    def set_subwords(self, subwords: Subwords) -> None:
        """Set the BPE of the input and of the answers."""
        self.subwords = subwords
        if isinstance(self.labels, SubwordLabels):
            self.labels.subwords = subwords

    def save_vocabularies(self, folder: Path) -> None:
        super().save_vocabularies(folder)
        self.subwords.save(folder)

    def load_vocabularies(self, folder: Path) -> None:
        super().load_vocabularies(folder)
        self.set_subwords(Subwords.load(folder))

    def encode(self, features: Features) -> Encoded:
        """Return the numbers of the input's parts between <s> and </s>.

        A longer input is cut to its first parts, or to those around the mask if the first lack it.
        """
        subwords = self.subwords
        numbers = subwords.encode_chunks(features["chunks"])  # type: ignore[arg-type]
        max_parts = self.max_length - 2
        if len(numbers) > max_parts:
            mask_index = numbers.index(subwords.mask) if subwords.mask in numbers else 0
            start = (
                0
                if mask_index < max_parts
                else min(mask_index - max_parts // 2, len(numbers) - max_parts)
            )
            numbers = numbers[start : start + max_parts]
        return {"tokens": np.array([subwords.begin, *numbers, subwords.end], np.int32)}
