"""Sources in, a store of methods out: Parquet files that DuckDB queries.

from codeacumen.corpus import Corpus

corpus = Corpus.open("corpus")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeacumen.corpus.store import Corpus

__all__ = ["Corpus"]


def __getattr__(name: str) -> Any:
    # Reading a file's bytes must not load what reads a store.
    if name == "Corpus":
        from codeacumen.corpus.store import Corpus

        return Corpus
    raise AttributeError(name)
