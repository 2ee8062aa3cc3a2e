"""The model ``embedding:DIR``: cosine similarity of two names in a trained embedding."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError, Pair
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.models.embeddings.vectors import Vectors


class Embedding:
    """A trained embedding, stored in ``folder``. A pair with a name without a vector gets None."""

    batch_size = 1024

    def __init__(self, folder: Path) -> None:
        from codeacumen.models.embeddings.vectors import METADATA, read_metadata

        read_metadata(folder)
        self.folder = folder
        # The metadata contain the hashes of all other files.
        self.fingerprint = hashlib.sha256((folder / METADATA).read_bytes()).hexdigest()

    @cached_property
    def vectors(self) -> Vectors:
        from codeacumen.models.embeddings.vectors import Vectors

        return Vectors.load(self.folder)

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        return self.vectors.similarity([(pair.left, pair.right) for pair in pairs])

    def embed(self, items: Sequence[str]) -> list[list[float] | None]:
        return [None if row is None else row.tolist() for row in self.vectors.look_up_rows(items)]


@model("embedding", needs="DIR")
def make_embedding(folder: str = "") -> Embedding:
    """Cosine in an embedding that `codeacumen train embedding` trained: embedding:DIR"""
    if not folder:
        raise CodeacumenError(
            "embedding needs a folder",
            "embedding:DIR; `codeacumen train embedding` trains one",
        )
    return Embedding(Path(folder).expanduser().absolute())
