"""Embed texts in vector spaces: pipelines that are fitted to some texts and embed any others.

The mining pipeline and the model ``words`` use them. On the command line, a space is written as
``KIND:SETTING=VALUE,…``.

| kind | a text's vector |
|---|---|
| ``ppmi`` | n-grams weighed by positive pointwise mutual information; SeSaMe's, the default |
| ``tfidf``, ``bm25``, ``counts`` | n-grams weighed in other ways |
| ``lsi`` | n-grams weighed by the kind ``weights``, reduced to ``size`` dimensions by SVD |
| ``word2vec``, ``doc2vec`` | learned from the texts with gensim; needs the extra ``embeddings`` |
| ``model:REFERENCE`` | the output of a registered model with the capability ``embed`` |

The settings: ``ngrams`` (``3``, or ``1-3``), ``lower`` (lower-casing), ``max_df`` and ``min_df``
(bounds on an n-gram's document frequency; a fraction is a share of the texts, a whole number their
number), ``variance`` (drops columns whose variance over the texts is not above this; 0 keeps all),
``alpha`` (smoothing of ``ppmi``), ``sublinear`` (``tfidf``: 1 + ln of counts), ``k`` and ``b``
(``bm25``), ``size`` and ``seed`` (of learned spaces).

Vectors have length 1, so that a product is a cosine; a text without any n-gram of the space has a
vector of zeros. With ``ppmi``, those are all texts of fewer than three words.

The kinds ``lsi``, ``word2vec``, ``doc2vec`` and ``model`` are dense: their vectors are rows of a
float32 array. The vectors of the other kinds are rows of a sparse matrix.
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
    Weighting,
    find_varying_columns,
    fit_bm25,
    fit_ppmi,
    fit_tfidf,
    gather_ngrams,
    normalize_rows,
    split_words,
)
from codeacumen.registry import make_model

# Dense vectors, texts by dimensions.
Rows = NDArray[np.float32]
EmbedTexts = Callable[[Sequence[str]], Rows]


def fit_lsi(weighed: Sparse, size: int, seed: int) -> Callable[[Sparse], Rows]:
    """Return the projection of weighed counts on the ``size`` strongest directions (truncated SVD).

    A matrix with fewer than ``size`` + 1 rows or columns gets fewer directions.
    """
    from sklearn.decomposition import TruncatedSVD
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    size = min(size, min(weighed.shape) - 1)
    if size < 1:
        return lambda matrix: np.zeros((matrix.shape[0], 1), dtype=np.float32)
    # The order of sums depends on the number of threads.
    with threadpool_limits(1):
        axes = TruncatedSVD(size, random_state=seed).fit(weighed).components_.T

    def project_counts(matrix: Sparse) -> Rows:
        return np.asarray(matrix @ axes, dtype=np.float32)

    return project_counts


def train_word_vectors(texts: Sequence[str], size: int, lower: bool, seed: int) -> EmbedTexts:
    """Return an embedding by the sum of the word2vec vectors of a text's words.

    The sum has the direction of the mean. The vectors are learned from ``texts`` by skip-gram,
    which SeSaMe's authors also tried; words that do not occur in ``texts`` are skipped.
    """
    _require_gensim("word2vec")
    from gensim.models import Word2Vec

    sentences = [split_words(text, lower) for text in texts]
    if not any(sentences):
        return lambda new: np.zeros((len(new), size), dtype=np.float32)
    word_vectors = Word2Vec(
        sentences, vector_size=size, min_count=1, sg=1, window=5, seed=seed, workers=1
    ).wv

    def embed_texts(new: Sequence[str]) -> Rows:
        rows = np.zeros((len(new), size), dtype=np.float32)
        for i, text in enumerate(new):
            indices = [
                word_vectors.key_to_index[word]
                for word in split_words(text, lower)
                if word in word_vectors.key_to_index
            ]
            if indices:
                rows[i] = word_vectors.vectors[indices].sum(axis=0)
        return rows

    return embed_texts


def train_document_vectors(texts: Sequence[str], size: int, lower: bool, seed: int) -> EmbedTexts:
    """Return an embedding by doc2vec (distributed bag of words), trained on ``texts``.

    All vectors are inferred, even those of the training texts, so that equal texts have equal
    vectors.
    """
    _require_gensim("doc2vec")
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument, train_document_dbow

    documents = [TaggedDocument(split_words(text, lower), [i]) for i, text in enumerate(texts)]
    if not any(document.words for document in documents):
        return lambda new: np.zeros((len(new), size), dtype=np.float32)
    doc2vec: Any = Doc2Vec(
        documents, vector_size=size, min_count=1, dm=0, epochs=20, seed=seed, workers=1
    )

    def infer_vector(words: list[str]) -> Rows:
        # Doc2Vec.infer_vector starts at a random vector seeded by Python's hash, which differs
        # between processes; this is its loop, seeded by a hash of the text.
        digest = hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8)
        random = np.random.default_rng(int.from_bytes(digest.digest(), "little"))
        doc2vec.random.seed(seed)
        row: Rows = (random.random((1, size), dtype=np.float32) - 0.5) / np.float32(size)
        work, free = np.zeros(size, dtype=np.float32), np.ones(1, dtype=np.float32)
        for rate in np.linspace(doc2vec.alpha, doc2vec.min_alpha, doc2vec.epochs):
            train_document_dbow(
                doc2vec,
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

    def embed_texts(new: Sequence[str]) -> Rows:
        rows = np.zeros((len(new), size), dtype=np.float32)
        vector_by_text: dict[str, Rows] = {}
        for i, text in enumerate(new):
            words = [word for word in split_words(text, lower) if word in doc2vec.wv.key_to_index]
            if words:
                text = " ".join(words)
                if text not in vector_by_text:
                    vector_by_text[text] = infer_vector(words)
                rows[i] = vector_by_text[text]
        return rows

    return embed_texts


def make_model_embedding(reference: str) -> EmbedTexts:
    """Return an embedding by a registered model; texts for which it returns None get zeros."""
    loaded_model = make_model(reference)
    model = loaded_model.model
    if not isinstance(model, Embed):
        raise CodeacumenError(
            f"model {reference!r} computes no vectors",
            "list the models with the capability embed: codeacumen models list",
        )
    size = max(1, get_batch_size(model))

    def embed_texts(new: Sequence[str]) -> Rows:
        distinct = sorted(set(new))
        vector_by_text: dict[str, Sequence[float] | None] = {}
        for start in range(0, len(distinct), size):
            batch = distinct[start : start + size]
            for text, vector in zip(batch, model.embed(batch), strict=True):
                if isinstance(vector, Exception):
                    raise CodeacumenError(
                        f"model {reference!r} failed: {type(vector).__name__}: {vector}"
                    )
                vector_by_text[text] = vector
        width = max((len(row) for row in vector_by_text.values() if row is not None), default=1)
        rows = np.zeros((len(new), width), dtype=np.float32)
        for i, text in enumerate(new):
            row = vector_by_text[text]
            if row is not None:
                rows[i] = row
        return rows

    return embed_texts


def _require_gensim(kind: str) -> None:
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
    """Kind and settings of a vector space, described in the module; ``Space()`` is SeSaMe's.

    A kind ignores the settings of other kinds. ``Space.parse`` reads the form of the command line;
    ``str`` returns it, with the settings that differ from the kind's defaults. ``model`` is the
    reference of the kind ``model``, else empty. The type of ``max_df`` and ``min_df`` matters: a
    float is a share of the texts, an int their number.
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
        """Return the space that a text describes, with the kind's defaults for other settings.

        >>> Space.parse("tfidf:ngrams=1-3,lower=false")
        Space('tfidf:ngrams=1-3,lower=false')
        """
        kind, _, rest = text.strip().partition(":")
        if kind == "model":
            return _make_model_space(rest)
        if kind not in _DEFAULTS:
            raise CodeacumenError(
                f"no space {kind!r}",
                f"use one of {', '.join(_DEFAULTS)} or model:NAME",
            )
        changes: dict[str, Any] = {}
        for part in filter(None, (piece.strip() for piece in rest.split(","))):
            name, equals, value = part.partition("=")
            if name not in _SETTINGS_OF_KIND[kind] or not equals:
                raise CodeacumenError(
                    f"{part!r} is not a setting of the space {kind}",
                    f"its settings are {', '.join(_SETTINGS_OF_KIND[kind])}; as in "
                    f"{_format_example(kind)}",
                )
            changes[name] = _parse_setting(name, value, f"space {text!r}")
        return replace(_DEFAULTS[kind], **changes)

    def __str__(self) -> str:
        if self.kind == "model":
            return f"model:{self.model}"
        default = _DEFAULTS[self.kind]
        changes = [
            f"{name}={_format_value(getattr(self, name))}"
            for name in _SETTINGS_OF_KIND[self.kind]
            if _format_value(getattr(self, name)) != _format_value(getattr(default, name))
        ]
        return f"{self.kind}:{','.join(changes)}" if changes else self.kind

    def __repr__(self) -> str:
        return f"Space({str(self)!r})"

    @property
    def is_dense(self) -> bool:
        """Return whether vectors are rows of an array, not of a sparse matrix."""
        return self.kind in ("lsi", "word2vec", "doc2vec", "model")

    def fit(self, texts: Sequence[str]) -> FittedSpace:
        if self.kind == "word2vec":
            embed = train_word_vectors(texts, self.size, self.lower, self.seed)
        elif self.kind == "doc2vec":
            embed = train_document_vectors(texts, self.size, self.lower, self.seed)
        elif self.kind == "model":
            embed = make_model_embedding(self.model)
        else:
            return self._fit_ngrams(texts)
        return FittedSpace(normalize_rows(embed(texts)), embed)

    def _fit_ngrams(self, texts: Sequence[str]) -> FittedSpace:
        ngrams, counts = gather_ngrams(texts, self.ngrams, self.lower, self.min_df, self.max_df)
        weigh = self._fit_weighting(counts)
        weighed = weigh(counts)
        columns = find_varying_columns(weighed, self.variance) if self.variance > 0 else None
        if columns is not None:
            weighed = weighed[:, columns]

        def embed_texts(new: Sequence[str]) -> Sparse:
            rows = weigh(ngrams.count_texts(new))
            return rows if columns is None else rows[:, columns]

        if self.kind != "lsi":
            return FittedSpace(normalize_rows(weighed), embed_texts)
        reduce = fit_lsi(weighed, self.size, self.seed)
        return FittedSpace(normalize_rows(reduce(weighed)), lambda new: reduce(embed_texts(new)))

    def _fit_weighting(self, counts: Sparse) -> Weighting:
        match self.weights if self.kind == "lsi" else self.kind:
            case "ppmi":
                return fit_ppmi(counts, self.alpha)
            case "tfidf":
                return fit_tfidf(counts, self.sublinear)
            case "bm25":
                return fit_bm25(counts, self.k, self.b)
            case _:
                return lambda matrix: matrix


@dataclass(frozen=True, slots=True)
class FittedSpace:
    """A fitted space; ``vectors`` are rows of length 1, those of the texts it was fitted to."""

    vectors: Vectors
    _embed_texts: Callable[[Sequence[str]], Vectors]

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return rows of length 1, one per text, weighed as the fitted texts determine."""
        return normalize_rows(self._embed_texts(texts))


_NGRAM_SETTINGS = ("ngrams", "lower", "max_df", "min_df", "variance")
_SETTINGS_OF_KIND = {
    "ppmi": (*_NGRAM_SETTINGS, "alpha"),
    "tfidf": (*_NGRAM_SETTINGS, "sublinear"),
    "bm25": (*_NGRAM_SETTINGS, "k", "b"),
    "counts": _NGRAM_SETTINGS,
    "lsi": ("size", "weights", *_NGRAM_SETTINGS, "alpha", "sublinear", "k", "b", "seed"),
    "word2vec": ("size", "lower", "seed"),
    "doc2vec": ("size", "lower", "seed"),
}
# Only ppmi follows a publication; the others count single words in lower case by default.
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


def _make_model_space(reference: str) -> Space:
    if not reference:
        raise CodeacumenError("model: needs the name of a model", "as in model:minilm")
    return replace(_WORDS, kind="model", model=reference)


def _format_example(kind: str) -> str:
    """Return an example for messages: the kind with the default value of its first setting."""
    name = _SETTINGS_OF_KIND[kind][0]
    return f"{kind}:{name}={_format_value(getattr(_DEFAULTS[kind], name))}"


def _parse_setting(name: str, value: str, where: str) -> Any:
    try:
        return _parse_value(name, value)
    except ValueError as error:
        raise CodeacumenError(f"{where}: {name}={value} is invalid", str(error)) from None


def _parse_value(name: str, value: str) -> Any:
    if name == "ngrams":
        return _parse_ngrams(value)
    if name == "weights":
        if value not in _WEIGHTS:
            raise ValueError(f"weights are {', '.join(_WEIGHTS)}")
        return value
    if _TYPES[name] == "bool":
        if value not in ("true", "false"):
            raise ValueError(f"{name} is true or false")
        return value == "true"
    if name in ("max_df", "min_df"):
        return _parse_df_bound(name, value)
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


def _parse_ngrams(value: str) -> tuple[int, int]:
    low, dash, high = value.partition("-")
    lengths = (
        (int(low), int(high if dash else low)) if _are_digits(low, high if dash else low) else None
    )
    if lengths is None or not 1 <= lengths[0] <= lengths[1] <= 9:
        raise ValueError("n-grams are of one length, as in 3, or of several, as in 1-3; at most 9")
    return lengths


def _are_digits(*values: str) -> bool:
    return all(value.isascii() and value.isdigit() for value in values)


def _parse_df_bound(name: str, value: str) -> float:
    if _are_digits(value) and int(value) >= 1:
        return int(value)
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{name} is a share of the texts (0.9, 1.0) or their number (1, 20)")
    return share


def _format_value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case (low, high):
            return str(low) if low == high else f"{low}-{high}"
        case _:
            return str(value)
