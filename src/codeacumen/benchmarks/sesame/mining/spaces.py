"""Embed texts in vector spaces: pipelines that are fitted to some texts and embed any others.

The mining pipeline and the model ``words`` use them. In the text form of the command line:
``KIND:SETTING=VALUE,…``.

| kind | a text's vector |
|---|---|
| ``ppmi`` | n-grams weighed by positive pointwise mutual information; SeSaMe's, the default |
| ``tfidf``, ``bm25``, ``counts`` | n-grams weighed in other ways |
| ``lsi`` | weighed n-grams (``weights``), reduced to ``size`` dimensions |
| ``word2vec``, ``doc2vec`` | learned from the texts; extra ``embeddings`` |
| ``model:REFERENCE`` | the output of a registered model with the capability ``embed`` |

The settings: ``ngrams`` (``3``, or ``1-3``), ``lower`` (lower-casing), ``max_df`` and ``min_df``
(bounds on an n-gram's document frequency; a fraction is a share of the texts, a whole number their
number), ``variance`` (drops columns that vary no more over the texts; 0: keeps all), ``alpha``
(smoothing of ``ppmi``), ``sublinear`` (``tfidf``: 1 + ln of counts), ``k`` and ``b`` (``bm25``),
``size`` and ``seed`` (of learned spaces).

Rows have length 1, so that a product is a cosine; a text without any n-gram of the space has zeros.
With ``ppmi``, those are all texts of fewer than three words.

The dense spaces are latent semantic indexing, sums of word vectors, doc2vec, and the vectors of any
registered model. Each is a function from texts to rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError, Embed, get_batch_size
from codeacumen.benchmarks.sesame.mining.counts import (
    Sparse,
    Weigh,
    bm25,
    gather,
    ppmi,
    tfidf,
    unit,
    varying,
    words_of,
)
from codeacumen.registry import make_model

Rows = NDArray[np.float32]
Of = Callable[[Sequence[str]], Rows]


def lsi(weighed: Sparse, size: int, seed: int) -> Callable[[Sparse], Rows]:
    """Return the projection of weighed counts on the ``size`` strongest directions (truncated SVD).

    There are fewer directions where the matrix has fewer.
    """
    from sklearn.decomposition import TruncatedSVD
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    size = min(size, min(weighed.shape) - 1)
    if size < 1:
        return lambda matrix: np.zeros((matrix.shape[0], 1), dtype=np.float32)
    # The order of sums depends on the number of threads.
    with threadpool_limits(1):
        axes = TruncatedSVD(size, random_state=seed).fit(weighed).components_.T

    def reduce(matrix: Sparse) -> Rows:
        return np.asarray(matrix @ axes, dtype=np.float32)

    return reduce


def word_vectors(texts: Sequence[str], size: int, lower: bool, seed: int) -> Of:
    """Return an embedding by the sum of the vectors of a text's words.

    The sum has the direction of the mean. The vectors are learned from all the texts by skip-gram,
    as SeSaMe's authors tried; words that do not occur there are skipped.
    """
    _gensim("word2vec")
    from gensim.models import Word2Vec

    sentences = [words_of(text, lower) for text in texts]
    if not any(sentences):
        return lambda new: np.zeros((len(new), size), dtype=np.float32)
    learned = Word2Vec(
        sentences, vector_size=size, min_count=1, sg=1, window=5, seed=seed, workers=1
    ).wv

    def of(new: Sequence[str]) -> Rows:
        found = np.zeros((len(new), size), dtype=np.float32)
        for i, text in enumerate(new):
            places = [
                learned.key_to_index[word]
                for word in words_of(text, lower)
                if word in learned.key_to_index
            ]
            if places:
                found[i] = learned.vectors[places].sum(axis=0)
        return found

    return of


def document_vectors(texts: Sequence[str], size: int, lower: bool, seed: int) -> Of:
    """Return an embedding by doc2vec (distributed bag of words).

    All vectors are inferred, even those of the training texts, so that equal texts have equal
    vectors.
    """
    _gensim("doc2vec")
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument, train_document_dbow

    documents = [TaggedDocument(words_of(text, lower), [i]) for i, text in enumerate(texts)]
    if not any(document.words for document in documents):
        return lambda new: np.zeros((len(new), size), dtype=np.float32)
    learned: Any = Doc2Vec(
        documents, vector_size=size, min_count=1, dm=0, epochs=20, seed=seed, workers=1
    )

    def inferred(words: list[str]) -> Rows:
        # Doc2Vec.infer_vector starts at a random vector seeded by Python's hash, which differs
        # between processes; this is its loop, seeded by a hash of the text.
        digest = hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8)
        random = np.random.default_rng(int.from_bytes(digest.digest(), "little"))
        learned.random.seed(seed)
        row: Rows = (random.random((1, size), dtype=np.float32) - 0.5) / np.float32(size)
        work, free = np.zeros(size, dtype=np.float32), np.ones(1, dtype=np.float32)
        for rate in np.linspace(learned.alpha, learned.min_alpha, learned.epochs):
            train_document_dbow(
                learned,
                words,
                [0],
                rate,
                work,
                learn_words=False,
                learn_hidden=False,
                doctag_vectors=row,
                doctags_lockf=free,
            )
        vector: Rows = row[0]
        return vector

    def of(new: Sequence[str]) -> Rows:
        found = np.zeros((len(new), size), dtype=np.float32)
        known: dict[str, Rows] = {}
        for i, text in enumerate(new):
            words = [word for word in words_of(text, lower) if word in learned.wv.key_to_index]
            if words:
                text = " ".join(words)
                if text not in known:
                    known[text] = inferred(words)
                found[i] = known[text]
        return found

    return of


def model_vectors(reference: str) -> Of:
    """Return an embedding by a registered model; texts without a vector get zeros."""
    made = make_model(reference)
    model = made.model
    if not isinstance(model, Embed):
        raise CodeacumenError(
            f"model {reference!r} computes no vectors",
            "list the models with the capability embed: codeacumen models list",
        )
    size = max(1, get_batch_size(model))

    def of(new: Sequence[str]) -> Rows:
        distinct = sorted(set(new))
        known: dict[str, Sequence[float] | None] = {}
        for start in range(0, len(distinct), size):
            batch = distinct[start : start + size]
            for text, vector in zip(batch, model.embed(batch), strict=True):
                if isinstance(vector, Exception):
                    raise CodeacumenError(
                        f"model {reference!r} failed: {type(vector).__name__}: {vector}"
                    )
                known[text] = vector
        width = max((len(row) for row in known.values() if row is not None), default=1)
        found = np.zeros((len(new), width), dtype=np.float32)
        for i, text in enumerate(new):
            row = known[text]
            if row is not None:
                found[i] = row
        return found

    return of


def _gensim(kind: str) -> None:
    try:
        import gensim  # noqa: F401
    except ImportError as error:
        raise CodeacumenError(
            f"{kind} needs gensim, which is not installed", "pip install 'codeacumen[embeddings]'"
        ) from error


# A sparse matrix of scipy by rows, or a numpy array.
Vectors = Any


@dataclass(frozen=True, slots=True)
class Space:
    """A pipeline and its settings; ``Space()`` is SeSaMe's.

    ``Space.parse`` reads the text form; ``str`` writes it, with the settings that differ from the
    kind's defaults.
    """

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
            raise CodeacumenError(
                f"no space {kind!r}",
                f"use one of {', '.join(_DEFAULTS)} or model:NAME",
            )
        changes: dict[str, Any] = {}
        for part in filter(None, (one.strip() for one in rest.split(","))):
            name, equals, value = part.partition("=")
            if name not in _USED[kind] or not equals:
                raise CodeacumenError(
                    f"{part!r} is not a setting of the space {kind}",
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
        """Return whether vectors are rows of an array, not of a sparse matrix."""
        return self.kind in ("lsi", "word2vec", "doc2vec", "model")

    def fit(self, texts: Sequence[str]) -> Fitted:
        if self.kind == "word2vec":
            embed = word_vectors(texts, self.size, self.lower, self.seed)
        elif self.kind == "doc2vec":
            embed = document_vectors(texts, self.size, self.lower, self.seed)
        elif self.kind == "model":
            embed = model_vectors(self.model)
        else:
            return self._fit_ngrams(texts)
        return Fitted(self, unit(embed(texts)), embed)

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
        reduce = lsi(weighed, self.size, self.seed)
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
    """A fitted space. ``vectors`` are those of the texts it was fitted to."""

    space: Space
    vectors: Vectors
    _of: Callable[[Sequence[str]], Vectors]

    def of(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of any texts, with the statistics of the texts it was fitted to."""
        return unit(self._of(texts))


def vectors(texts: Sequence[str], space: Space | None = None) -> Vectors:
    """Return unit rows, one per text: scipy's csr_matrix, or an array where the space is dense."""
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
# Only ppmi follows a publication; the others have common defaults.
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
# Bounds of the numbers, both inclusive.
_BOUNDS = {
    "alpha": (0.0, 1.0),
    "variance": (0.0, float("inf")),
    "k": (0.0, float("inf")),
    "b": (0.0, 1.0),
    "size": (1, 10_000),
    "seed": (0, 2**32 - 1),
}


def _of_model(reference: str) -> Space:
    if not reference:
        raise CodeacumenError("model: needs the name of a model", "as in model:minilm")
    return replace(_WORDS, kind="model", model=reference)


def _example(kind: str) -> str:
    """Return the kind with its first setting at its default, as an example for messages."""
    name = _USED[kind][0]
    return f"{kind}:{name}={_written(getattr(_DEFAULTS[kind], name))}"


def _value(name: str, value: str, where: str) -> Any:
    try:
        return _read(name, value)
    except ValueError as error:
        raise CodeacumenError(f"{where}: {name}={value} is invalid", str(error)) from None


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
    # NaN is not within bounds either.
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
