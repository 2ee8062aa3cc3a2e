"""Registered models that compare two methods by their text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.models.method_similarity.graph import GraphKernel, PathContexts
    from codeacumen.models.method_similarity.shape import Shape
    from codeacumen.models.method_similarity.words import (
        Bm25,
        CommentSimilarity,
        NamesAverage,
        Subtokens,
        TokenSimilarity,
    )


@model("toksim")
def make_toksim() -> TokenSimilarity:
    """Edit distance of two methods' tokens by kind, from 0 to 1 (SeSaMe)"""
    from codeacumen.models.method_similarity.words import TokenSimilarity

    return TokenSimilarity()


@model("docsim")
def make_docsim(space: str = "ppmi", mined: str = "") -> CommentSimilarity:
    """Cosine of two methods' JavaDoc in a space of word trigrams (SeSaMe)"""
    from codeacumen.models.method_similarity.words import CommentSimilarity

    return CommentSimilarity(str(space), _path(mined))


@model("subtokens")
def make_subtokens() -> Subtokens:
    """Words of identifiers and comments of two methods, TF-IDF, cosine"""
    from codeacumen.models.method_similarity.words import Subtokens

    return Subtokens()


@model("bm25")
def make_bm25(k: float = 1.2, b: float = 0.75) -> Bm25:
    """Words of identifiers and comments of two methods, BM25 of each for the other"""
    from codeacumen.models.method_similarity.words import Bm25

    _within("bm25", "k", k, 0, 100)
    _within("bm25", "b", b, 0, 1)
    return Bm25(float(k), float(b))


@model("path-contexts")
def make_path_contexts(names: bool = True, length: int = 8, width: int = 2) -> PathContexts:
    """Paths between the leaves of two methods' syntax trees, by rarity, cosine"""
    from codeacumen.models.method_similarity.graph import PathContexts

    _whole("path-contexts", "length", length, 1, 32)
    _whole("path-contexts", "width", width, 1, 32)
    return PathContexts(bool(names), length, width)


@model("wl-kernel")
def make_wl_kernel(height: int = 3, names: bool = False, weighted: bool = True) -> GraphKernel:
    """Pieces of two methods' graphs of syntax and data flow (Weisfeiler-Leman), cosine"""
    from codeacumen.models.method_similarity.graph import GraphKernel

    _whole("wl-kernel", "height", height, 0, 16)
    return GraphKernel(height, bool(names), bool(weighted))


@model("method-shape")
def make_shape(part: str = "all") -> Shape:
    """What two methods do, without any names: signature, control flow, operators, calls, data"""
    from codeacumen.models.method_similarity.shape import ANSWERS, Shape

    _one_of("part", part, ANSWERS)
    return Shape(part)


@model("names-average")
def make_names_average(answer: str = "average", lexicon: str = "") -> NamesAverage:
    """Words of two methods' identifiers in the spaces of codeacumen-names, averaged"""
    from codeacumen.models.method_similarity.words import ANSWERS, NamesAverage

    _one_of("answer", answer, ANSWERS)
    return NamesAverage(answer, _path(lexicon))


def _path(written: str) -> Path | None:
    return Path(written).expanduser().absolute() if written else None


def _one_of(setting: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise CodeacumenError(
            f"there is no {setting} {value!r}", f"choose one of {', '.join(known)}"
        )


def _within(name: str, setting: str, value: object, least: float, most: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not least <= value <= most:  # type: ignore[operator]
        raise CodeacumenError(
            f"{name} cannot have {setting}={value!r}", f"choose a number from {least} to {most}"
        )


def _whole(name: str, setting: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CodeacumenError(
            f"{name} cannot have {setting}={value!r}",
            f"choose a whole number from {least} to {most}",
        )
