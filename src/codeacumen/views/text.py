"""The views **text**, a method's source as written, and **tokens**, tokens as javac spells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json, Table
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Column
from codeacumen.registry import view
from codeacumen.text.columns import Ragged, take_slices
from codeacumen.text.lines import split_lines


# ``codeacumen.api.views.View`` describes the methods of both views; ``place`` is the method's index
# in its file.
@view("text", summary="the method's source as it is written")
class TextView:
    name = "text"
    # The store's table of methods holds the text.
    tables: tuple[Table, ...] = ()
    compats: Mapping[str, str] = {"gluecode": "lines, with their ends, joined by a comma"}

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return method["text"]

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        text = file.syntax.text(file.declarations.methods[place].node)
        return ", ".join(split_lines(text))


def token_ranges(file: JavaFile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first token of each method that has a body, and the one after its last."""
    nodes = [file.declarations.methods[method].node for method in file.bodies]
    first = np.searchsorted(file.tokens.start, file.syntax.start[nodes], side="left")
    last = np.searchsorted(file.tokens.start, file.syntax.end[nodes], side="left")
    return first, last


def _encode_spellings(file: JavaFile) -> tuple[Column, tuple[str, ...]]:
    """Return the spelling of each token as a code, and the vocabulary of spellings."""
    return file.tokens.number_spellings(file.names.word_of, file.names.words)


class TokenTable:
    """Tokens of each method: ``kind``, an index into
    ``codeacumen.languages.java.syntax.tokens.KINDS``, and ``spelling``, javac's text of it."""

    name = "tokens"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        first, last = token_ranges(file)
        codes, words = file.compute_once(_encode_spellings)
        spelled = take_slices(codes, first, last)
        return {
            "kind": take_slices(file.tokens.kind, first, last),
            "spelling": Ragged(spelled.values, spelled.offsets, words),
        }


@view("tokens", summary="tokens in javac's spelling")
class TokensView:
    name = "tokens"
    tables = (TokenTable(),)
    compats: Mapping[str, str] = {"features-javac": "the same: our spelling is theirs"}

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return list(rows["tokens"]["spelling"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        first, last = token_ranges(file)
        row = file.bodies.index(place)
        return [file.tokens.spelling(i) for i in range(first[row], last[row])]
