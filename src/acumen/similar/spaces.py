"""Vector spaces of texts: a choice of pipeline, fitted to some texts, that embeds any others.

In words, as on a command line: ``KIND:SETTING=VALUE,…``.

| kind | what a text's vector is |
|---|---|
| ``ppmi`` | n-grams weighed by positive pointwise mutual information; SeSaMe's, the default |
| ``tfidf``, ``bm25``, ``counts`` | n-grams weighed in other ways |
| ``lsi`` | weighed n-grams (``weights``), reduced to ``size`` dimensions |
| ``word2vec``, ``doc2vec`` | learned from the texts; extra ``embeddings`` |
| ``model:REFERENCE`` | what a registered model with the face ``embed`` gives |

The settings: ``ngrams`` (``3``, or ``1-3``), ``lower`` (lower-casing), ``max_df`` and ``min_df``
(what more or fewer texts have is left out; a fraction is a share of the texts, a whole number their
number), ``variance`` (columns that vary less over the texts are left out; 0: all stay), ``alpha``
(smoothing of ``ppmi``), ``sublinear`` (``tfidf``: 1 + ln of counts), ``k`` and ``b`` (``bm25``),
``size`` and ``seed`` (of what is learned).

Rows have length 1, so that a product is a cosine; a text without any known n-gram has zeros. With
``ppmi`` those are all texts of fewer than three words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from acumen.api import AcumenError
from acumen.similar import _spaces_learned as learned
from acumen.similar._spaces_counts import Sparse, gather
from acumen.similar._spaces_weights import Weigh, bm25, ppmi, tfidf, unit, varying

# A sparse matrix of scipy by rows, or a numpy array.
Vectors = Any


@dataclass(frozen=True, slots=True)
class Space:
    """One pipeline. ``Space()`` is SeSaMe's; ``Space.parse`` reads the text form, ``str`` writes
    it, with what differs from the kind's own defaults."""

    kind: str = "ppmi"
    ngrams: tuple[int, int] = (3, 3)
    lower: bool = False
    max_df: float = 0.9
    min_df: float = 1
    variance: float = 1e-8
    alpha: float = 0.75
    sublinear: bool = False
    k: float = 1.2
    b: float = 0.75
    weights: str = "tfidf"
    size: int = 100
    seed: int = 0
    model: str = ""

    @classmethod
    def parse(cls, text: str) -> Space:
        """
        >>> Space.parse("tfidf:ngrams=1-3,lower=false")
        Space('tfidf:ngrams=1-3,lower=false')
        """
        kind, _, rest = text.strip().partition(":")
        if kind == "model":
            return _of_model(rest)
        if kind not in _DEFAULTS:
            raise AcumenError(
                f"there is no space called {kind!r}",
                f"it is one of {', '.join(_DEFAULTS)} or model:NAME",
            )
        changes: dict[str, Any] = {}
        for part in filter(None, (one.strip() for one in rest.split(","))):
            name, equals, value = part.partition("=")
            if name not in _USED[kind] or not equals:
                raise AcumenError(
                    f"{part!r} is no setting of the space {kind}",
                    f"its settings are {', '.join(_USED[kind])}; as in {_example(kind)}",
                )
            changes[name] = _value(name, value, f"space {text!r}")
        return replace(_DEFAULTS[kind], **changes)

    def __str__(self) -> str:
        if self.kind == "model":
            return f"model:{self.model}"
        default = _DEFAULTS[self.kind]
        changes = [
            f"{name}={_written(getattr(self, name))}"
            for name in _USED[self.kind]
            if _written(getattr(self, name)) != _written(getattr(default, name))
        ]
        return f"{self.kind}:{','.join(changes)}" if changes else self.kind

    def __repr__(self) -> str:
        return f"Space({str(self)!r})"

    @property
    def dense(self) -> bool:
        """Whether vectors are rows of an array, not of a sparse matrix."""
        return self.kind in ("lsi", "word2vec", "doc2vec", "model")

    def fit(self, texts: Sequence[str]) -> Fitted:
        if self.kind == "word2vec":
            found = learned.word_vectors(texts, self.size, self.lower, self.seed)
        elif self.kind == "doc2vec":
            found = learned.document_vectors(texts, self.size, self.lower, self.seed)
        elif self.kind == "model":
            found = learned.model_vectors(self.model)
        else:
            return self._fit_ngrams(texts)
        return Fitted(self, unit(found(texts)), found)

    def _fit_ngrams(self, texts: Sequence[str]) -> Fitted:
        grams, counts = gather(texts, self.ngrams, self.lower, self.min_df, self.max_df)
        weigh = self._weigh(counts)
        weighed = weigh(counts)
        kept = varying(weighed, self.variance) if self.variance > 0 else None
        if kept is not None:
            weighed = weighed[:, kept]

        def of(new: Sequence[str]) -> Sparse:
            found = weigh(grams.counts(new))
            return found if kept is None else found[:, kept]

        if self.kind != "lsi":
            return Fitted(self, unit(weighed), of)
        reduce = learned.lsi(weighed, self.size, self.seed)
        return Fitted(self, unit(reduce(weighed)), lambda new: reduce(of(new)))

    def _weigh(self, counts: Sparse) -> Weigh:
        match self.weights if self.kind == "lsi" else self.kind:
            case "ppmi":
                return ppmi(counts, self.alpha)
            case "tfidf":
                return tfidf(counts, self.sublinear)
            case "bm25":
                return bm25(counts, self.k, self.b)
            case _:
                return lambda matrix: matrix


@dataclass(frozen=True, slots=True)
class Fitted:
    """A space with what it has learned. ``vectors`` are those of the texts it was fitted to."""

    space: Space
    vectors: Vectors
    _of: Callable[[Sequence[str]], Vectors]

    def of(self, texts: Sequence[str]) -> Vectors:
        """Vectors of any texts, with the statistics of those it was fitted to."""
        return unit(self._of(texts))


def vectors(texts: Sequence[str], space: Space | None = None) -> Vectors:
    """Unit rows, one a text: scipy's csr_matrix, or an array where the space is dense."""
    return (space or Space()).fit(texts).vectors


_COUNTED = ("ngrams", "lower", "max_df", "min_df", "variance")
_USED = {
    "ppmi": (*_COUNTED, "alpha"),
    "tfidf": (*_COUNTED, "sublinear"),
    "bm25": (*_COUNTED, "k", "b"),
    "counts": _COUNTED,
    "lsi": ("size", "weights", *_COUNTED, "alpha", "sublinear", "k", "b", "seed"),
    "word2vec": ("size", "lower", "seed"),
    "doc2vec": ("size", "lower", "seed"),
}
# Only the first has a model to follow; of the others each is as it is commonly used.
_WORDS = Space(ngrams=(1, 1), lower=True, max_df=0.9, variance=0.0)
_DEFAULTS = {
    "ppmi": Space(),
    "tfidf": replace(_WORDS, kind="tfidf"),
    "bm25": replace(_WORDS, kind="bm25"),
    "counts": replace(_WORDS, kind="counts"),
    "lsi": replace(_WORDS, kind="lsi", size=200),
    "word2vec": replace(_WORDS, kind="word2vec"),
    "doc2vec": replace(_WORDS, kind="doc2vec"),
}
_WEIGHTS = ("ppmi", "tfidf", "bm25", "counts")
_TYPES = {field.name: field.type for field in fields(Space)}
# The least and the most that a number may be.
_BOUNDS = {
    "alpha": (0.0, 1.0), "variance": (0.0, float("inf")), "k": (0.0, float("inf")), "b": (0.0, 1.0),
    "size": (1, 10_000), "seed": (0, 2**32 - 1),
}  # fmt: skip


def _of_model(reference: str) -> Space:
    if not reference:
        raise AcumenError("model: needs the name of one", "as in model:minilm")
    return replace(_WORDS, kind="model", model=reference)


def _example(kind: str) -> str:
    """The kind with its first setting as it is by default."""
    name = _USED[kind][0]
    return f"{kind}:{name}={_written(getattr(_DEFAULTS[kind], name))}"


def _value(name: str, value: str, where: str) -> Any:
    try:
        return _read(name, value)
    except ValueError as error:
        raise AcumenError(f"{where}: {name}={value} cannot be", str(error)) from None


def _read(name: str, value: str) -> Any:
    if name == "ngrams":
        return _range(value)
    if name == "weights":
        if value not in _WEIGHTS:
            raise ValueError(f"weights are {', '.join(_WEIGHTS)}")
        return value
    if _TYPES[name] == "bool":
        if value not in ("true", "false"):
            raise ValueError(f"{name} is true or false")
        return value == "true"
    if name in ("max_df", "min_df"):
        return _bound(name, value)
    low, high = _BOUNDS[name]
    hint = f"{name} is a {'whole ' if _TYPES[name] == 'int' else ''}number from {low:g}" + (
        f" to {high:g}" if high != float("inf") else " on"
    )
    try:
        number = int(value) if _TYPES[name] == "int" else float(value)
    except ValueError:
        raise ValueError(hint) from None
    # Not a number is not within bounds either.
    if not (low <= number <= high) or number == float("inf"):
        raise ValueError(hint)
    return number


def _range(value: str) -> tuple[int, int]:
    low, dash, high = value.partition("-")
    found = (int(low), int(high if dash else low)) if _digits(low, high if dash else low) else None
    if found is None or not 1 <= found[0] <= found[1] <= 9:
        raise ValueError("n-grams are of one length, as in 3, or of several, as in 1-3; at most 9")
    return found


def _digits(*values: str) -> bool:
    return all(value.isascii() and value.isdigit() for value in values)


def _bound(name: str, value: str) -> float:
    if _digits(value) and int(value) >= 1:
        return int(value)
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{name} is a share of the texts (0.9, 1.0) or their number (1, 20)")
    return share


def _written(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case (low, high):
            return str(low) if low == high else f"{low}-{high}"
        case _:
            return str(value)
