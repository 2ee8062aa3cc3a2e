"""Registered models that compare two methods by their text, and checks of their settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.models.method_similarity.graph import GraphKernel, PathContexts
    from codeacumen.models.method_similarity.shape import ShapeSimilarity
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

    return CommentSimilarity(str(space), _parse_path(mined))


@model("subtokens")
def make_subtokens() -> Subtokens:
    """Words of identifiers and comments of two methods, TF-IDF, cosine"""
    from codeacumen.models.method_similarity.words import Subtokens

    return Subtokens()


@model("bm25")
def make_bm25(k: float = 1.2, b: float = 0.75) -> Bm25:
    """Words of identifiers and comments of two methods, BM25 of each for the other"""
    from codeacumen.models.method_similarity.words import Bm25

    _check_range("bm25", "k", k, 0, 100)
    _check_range("bm25", "b", b, 0, 1)
    return Bm25(float(k), float(b))


@model("path-contexts")
def make_path_contexts(names: bool = True, length: int = 8, width: int = 2) -> PathContexts:
    """Paths between the leaves of two methods' syntax trees, by rarity, cosine"""
    from codeacumen.models.method_similarity.graph import PathContexts

    _check_integer("path-contexts", "length", length, 1, 32)
    _check_integer("path-contexts", "width", width, 1, 32)
    return PathContexts(bool(names), length, width)


@model("wl-kernel")
def make_wl_kernel(height: int = 3, names: bool = False, weighted: bool = True) -> GraphKernel:
    """Pieces of two methods' graphs of syntax and data flow (Weisfeiler-Leman), cosine"""
    from codeacumen.models.method_similarity.graph import GraphKernel

    _check_integer("wl-kernel", "height", height, 0, 16)
    return GraphKernel(height, bool(names), bool(weighted))


@model("method-shape")
def make_shape(part: str = "all") -> ShapeSimilarity:
    """Signature, control flow, operators, calls and data of two methods, without any names"""
    from codeacumen.models.method_similarity.shape import ANSWERS, ShapeSimilarity

    _check_choice("part", part, ANSWERS)
    return ShapeSimilarity(part)


@model("names-average")
def make_names_average(answer: str = "average", lexicon: str = "") -> NamesAverage:
    """Words of two methods' identifiers in the spaces of codeacumen-names, averaged"""
    from codeacumen.models.method_similarity.words import ANSWERS, NamesAverage

    _check_choice("answer", answer, ANSWERS)
    return NamesAverage(answer, _parse_path(lexicon))


def _parse_path(text: str) -> Path | None:
    return Path(text).expanduser().absolute() if text else None


def _check_choice(setting: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise CodeacumenError(
            f"there is no {setting} {value!r}", f"choose one of {', '.join(choices)}"
        )


def _check_range(name: str, setting: str, value: object, least: float, most: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise CodeacumenError(
            f"{name} cannot have {setting}={value!r}", f"choose a number from {least} to {most}"
        )


def _check_integer(name: str, setting: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CodeacumenError(
            f"{name} cannot have {setting}={value!r}",
            f"choose a whole number from {least} to {most}",
        )
