"""Dense spaces: latent semantic indexing, averages of word vectors, doc2vec, and the vectors of any
registered model. Each is a function from texts to rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.api import AcumenError, Embed
from acumen.registry import make_model
from acumen.similar._spaces_counts import Sparse, words_of

Rows = NDArray[np.float32]
Of = Callable[[Sequence[str]], Rows]


def lsi(weighed: Sparse, size: int, seed: int) -> Callable[[Sparse], Rows]:
    """Truncated SVD: weighed counts as combinations of the ``size`` strongest directions. Fewer
    where the matrix has fewer."""
    from sklearn.decomposition import TruncatedSVD
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    size = min(size, min(weighed.shape) - 1)
    if size < 1:
        return lambda matrix: np.zeros((matrix.shape[0], 1), dtype=np.float32)
    # With another number of threads sums come in another order.
    with threadpool_limits(1):
        axes = TruncatedSVD(size, random_state=seed).fit(weighed).components_.T

    def reduce(matrix: Sparse) -> Rows:
        return np.asarray(matrix @ axes, dtype=np.float32)

    return reduce


def word_vectors(texts: Sequence[str], size: int, lower: bool, seed: int) -> Of:
    """The sum of the vectors of a text's words (its direction is that of their mean). They are
    learned from all the texts by skip-gram, as SeSaMe's authors tried; words that were never seen
    have none."""
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
    """Doc2vec (distributed bag of words). A text's vector is inferred, also that of a text which
    was learned from: equal texts then have equal vectors."""
    _gensim("doc2vec")
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument, train_document_dbow

    documents = [TaggedDocument(words_of(text, lower), [i]) for i, text in enumerate(texts)]
    if not any(document.words for document in documents):
        return lambda new: np.zeros((len(new), size), dtype=np.float32)
    learned: Any = Doc2Vec(
        documents, vector_size=size, min_count=1, dm=0, epochs=20, seed=seed, workers=1
    )

    def inferred(words: list[str]) -> Rows:
        # Doc2Vec.infer_vector begins at a vector drawn by Python's hash, which is another in each
        # process; this is its loop with a hash of the text itself.
        digest = hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8)
        random = np.random.default_rng(int.from_bytes(digest.digest(), "little"))
        learned.random.seed(seed)
        row: Rows = (random.random((1, size), dtype=np.float32) - 0.5) / np.float32(size)
        work, free = np.zeros(size, dtype=np.float32), np.ones(1, dtype=np.float32)
        for rate in np.linspace(learned.alpha, learned.min_alpha, learned.epochs):
            train_document_dbow(
                learned, words, [0], rate, work, learn_words=False, learn_hidden=False,
                doctag_vectors=row, doctags_lockf=free,
            )  # fmt: skip
        found: Rows = row[0]
        return found

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
    """The vectors of a registered model; zeros where it has none."""
    made = make_model(reference)
    model = made.model
    if not isinstance(model, Embed):
        raise AcumenError(
            f"model {reference!r} gives no vectors",
            "`acumen models list` says which have the face embed",
        )
    size = max(1, getattr(model, "batch_size", 1))

    def of(new: Sequence[str]) -> Rows:
        distinct = sorted(set(new))
        known: dict[str, Sequence[float] | None] = {}
        for start in range(0, len(distinct), size):
            batch = distinct[start : start + size]
            known |= dict(zip(batch, model.embed(batch), strict=True))
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
        raise AcumenError(
            f"{kind} needs gensim, which is not installed", "pip install 'acumen[embeddings]'"
        ) from error
