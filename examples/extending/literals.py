"""A view: the literals of a method, stored with the corpus."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import codeacumen
from codeacumen.api import Json
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.tokens import KINDS, LITERALS
from codeacumen.text.columns import Ragged
from codeacumen.views.text import token_ranges

LITERAL_KINDS = [KINDS.index(kind) for kind in LITERALS]


class LiteralTable:
    """For each method with a body, the spellings of its literals in source order."""

    name = "literals"

    def columns(self, file: JavaFile, seeds: Any) -> Mapping[str, Ragged]:
        texts: dict[str, int] = {}
        codes: list[int] = []
        offsets = [0]
        for first, last in zip(*token_ranges(file), strict=True):
            spellings = [
                file.tokens.text(i)
                for i in range(first, last)
                if file.tokens.kind[i] in LITERAL_KINDS
            ]
            codes += [texts.setdefault(text, len(texts)) for text in spellings]
            offsets.append(len(codes))
        return {"text": Ragged(np.array(codes, np.int32), np.array(offsets), tuple(texts))}


@codeacumen.view("literals", summary="literals in source order")
class LiteralView:
    name = "literals"
    tables = (LiteralTable(),)
    compats: Mapping[str, str] = {}

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return list(rows["literals"]["text"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        raise NotImplementedError  # no other tool's output is imitated
