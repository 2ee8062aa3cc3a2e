"""Corpora of Java and JavaScript projects: sources in, Parquet files of methods out.

from codeacumen.corpus import Corpus

corpus = Corpus.open("corpus")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeacumen.corpus.store import Corpus

__all__ = ["Corpus"]


def __getattr__(name: str) -> Any:
    # Loaded on access: modules that only read source files must not load the store.
    if name == "Corpus":
        from codeacumen.corpus.store import Corpus

        return Corpus
    raise AttributeError(name)
