"""Vector spaces. The oracles are scikit-learn's vectorisers, PPMI written out for a dense matrix
as Levy et al. define it, and BM25 written out for one text and one word at a time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.metrics.pairwise import cosine_similarity

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.counts import gather, varying
from codeacumen.benchmarks.sesame.mining.spaces import Space, vectors
from support import SHARED

# Few words, so that n-grams come again; with what a tokeniser may trip over.
WORDS = (
    "the",
    "The",
    "list",
    "of",
    "a",
    "all",
    "x1",
    "é",
    "größe",
    "_id",
    "map#get",
    "e.g",
    "\udc80",
)
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=12
)
BOUNDS = st.sampled_from([1, 2, 3, 0.0, 0.2, 0.5, 0.9, 1.0])
COMMENTS = (
    "returns the list of all words in this text",
    "returns the list of all words in this map",
    "returns the number of words",
    "adds one word to the list of all words in this text",
    "returns",
    "",
)


def counted(texts: Sequence[str], ngrams: tuple[int, int], **bounds: Any) -> dict[Any, float]:
    """By scikit-learn: (text, n-gram) → count. It refuses to find nothing; we do not."""
    counter = CountVectorizer(
        ngram_range=ngrams, token_pattern=r"\b\w\w+\b", decode_error="ignore", **bounds
    )
    try:
        found = counter.fit_transform(texts).tocoo()
    except ValueError:
        return {}
    names = counter.get_feature_names_out()
    return {
        (row, names[column]): value
        for row, column, value in zip(found.row, found.col, found.data, strict=True)
    }


def cells(matrix: Any, names: Sequence[str]) -> dict[Any, float]:
    found = matrix.tocoo()
    return {
        (row, names[column]): value
        for row, column, value in zip(found.row, found.col, found.data, strict=True)
    }


@settings(deadline=None, max_examples=50)
@given(TEXTS, TEXTS, st.tuples(st.integers(1, 3), st.integers(0, 2)), st.booleans(), BOUNDS, BOUNDS)
def test_counts_are_scikit_learns(
    texts: list[str],
    new: list[str],
    low_and_more: tuple[int, int],
    lower: bool,
    max_df: float,
    min_df: float,
) -> None:
    ngrams = (low_and_more[0], sum(low_and_more))
    bounds = {"lowercase": lower, "max_df": max_df, "min_df": min_df}
    grams, counts = gather(texts, ngrams, lower, min_df, max_df)
    expected = counted(texts, ngrams, **bounds)
    names = grams.names()
    assert cells(counts, names) == expected
    # Other texts: whatever was counted above, and nothing else.
    known = sorted({name for _, name in expected})
    assert sorted(names) == known
    if known:
        counter = CountVectorizer(
            ngram_range=ngrams, token_pattern=r"\b\w\w+\b", lowercase=lower, vocabulary=known
        )
        assert cells(grams.counts(new), names) == cells(counter.transform(new), known)
    else:
        assert grams.counts(new).nnz == 0


def ppmi_by_the_formula(counts: Any, alpha: float) -> Any:
    """Dense: ln of p(i, j) / (p(i) · p_α(j)), where positive; p_α(j) = C_j^α / Σ_k C_k^α."""
    total = counts.sum()
    found = np.zeros(counts.shape)
    smoothed = counts.sum(axis=0) ** alpha
    for i, j in zip(*np.nonzero(counts), strict=True):
        joint = counts[i, j] / total
        apart = (counts[i].sum() / total) * (smoothed[j] / smoothed.sum())
        found[i, j] = max(0.0, math.log(joint / apart))
    return found


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.sampled_from([0.25, 0.75, 1.0]), st.integers(1, 3))
def test_ppmi_is_that_of_the_formula(texts: list[str], alpha: float, n: int) -> None:
    _, counts = gather(texts, (n, n), False, 1, 0.9)
    weighed = ppmi_by_the_formula(counts.toarray(), alpha)
    kept = weighed[:, weighed.var(axis=0) > 1e-8]
    found = vectors(texts, Space(ngrams=(n, n), alpha=alpha))
    expected = cosine_similarity(kept) if kept.shape[1] else np.zeros((len(texts), len(texts)))
    assert (found @ found.T).toarray() == pytest.approx(expected, abs=1e-12)


def test_the_default_is_sesames_pipeline() -> None:
    """Step by step as the published code does it, with scikit-learn's parts."""
    texts = list(COMMENTS)
    counts = CountVectorizer(
        ngram_range=(3, 3), token_pattern=r"(?u)\b\w\w+\b", lowercase=False, max_df=0.9
    ).fit_transform(texts)
    weighed = ppmi_by_the_formula(counts.toarray(), 0.75)
    expected = cosine_similarity(VarianceThreshold(1e-8).fit_transform(weighed))
    found = vectors(texts)
    assert (found @ found.T).toarray() == pytest.approx(expected, abs=1e-12)
    assert expected[0, 1] > 0.3  # there is something to compare


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.booleans())
def test_tfidf_is_scikit_learns(texts: list[str], sublinear: bool) -> None:
    _, counts = gather(texts, (1, 1), True, 1, 0.9)
    if not counts.nnz:
        return
    expected = TfidfTransformer(sublinear_tf=sublinear).fit_transform(counts)
    found = vectors(texts, Space.parse(f"tfidf:sublinear={str(sublinear).lower()}"))
    assert found.toarray() == pytest.approx(expected.toarray(), abs=1e-12)


def bm25_slowly(texts: Sequence[str], k: float, b: float) -> list[dict[str, float]]:
    bags = [Counter(text.split()) for text in texts]
    mean = sum(bag.total() for bag in bags) / len(bags)
    found = []
    for bag in bags:
        row = {}
        for word, times in bag.items():
            having = sum(word in other for other in bags)
            idf = math.log(1 + (len(bags) - having + 0.5) / (having + 0.5))
            slow = times + k * (1 - b + b * bag.total() / mean)
            row[word] = idf * times * (k + 1) / slow
        found.append(row)
    return found


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.lists(st.sampled_from(["aa", "bb", "cc", "dd"]), min_size=1).map(" ".join),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([0.0, 1.2, 2.0]),
    st.sampled_from([0.0, 0.75, 1.0]),
)
def test_bm25_is_okapis(texts: list[str], k: float, b: float) -> None:
    rows = bm25_slowly(texts, k, b)
    words = sorted({word for row in rows for word in row})
    expected = np.array([[row.get(word, 0.0) for word in words] for row in rows])
    found = vectors(texts, Space.parse(f"bm25:max_df=1.0,k={k},b={b}"))
    assert (found @ found.T).toarray() == pytest.approx(cosine_similarity(expected), abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.0, 1.0, 1.0001, 3.5]), min_size=3, max_size=3),
        min_size=2,
        max_size=9,
    ),
    st.sampled_from([1e-8, 1e-3, 0.3]),
)
def test_columns_that_hardly_vary_are_scikit_learns(rows: list[list[float]], least: float) -> None:
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(np.array(rows))
    threshold = VarianceThreshold(least)
    try:
        expected = threshold.fit(matrix).get_support(indices=True).tolist()
    except ValueError:  # none is left, which it refuses
        expected = []
    assert varying(matrix, least).tolist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "ppmi",
        "tfidf",
        "bm25",
        "counts",
        "lsi:size=3",
        "word2vec:size=8",
        "doc2vec:size=8",
    ],
)
def test_a_fitted_space_embeds_what_it_was_fitted_to_as_it_did(text: str) -> None:
    if "2vec" in text:
        pytest.importorskip("gensim")
    fitted = Space.parse(text).fit(COMMENTS)
    first, again = (dense(one) for one in (fitted.vectors, fitted.of(COMMENTS)))
    assert np.array_equal(first, again)
    length = np.linalg.norm(first, axis=1)
    assert np.all(np.isclose(length, 1, atol=1e-6) | (length == 0))
    assert length[-1] == 0  # nothing is known of an empty text
    # One text alone has the vector that it has among others, but for the order of sums.
    alone = dense(fitted.of(COMMENTS[1:2]))
    assert alone[0] == pytest.approx(first[1], abs=1e-6)
    assert not dense(fitted.of(["zyx wvu tsr", "\udc80"])).any()


def dense(matrix: Any) -> Any:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def test_a_new_text_is_weighed_by_the_columns_of_the_old() -> None:
    fitted = Space.parse("ppmi:ngrams=1,max_df=1.0,variance=0").fit(["aa aa bb", "bb cc", "cc dd"])
    smoothed = {word: sum_**0.75 for word, sum_ in (("aa", 2), ("bb", 2), ("cc", 2), ("dd", 1))}
    total = sum(smoothed.values())
    # Three words, one of which nobody knows: it does not count as part of the row.
    row = np.array([math.log(1 / 2 * total / smoothed[word]) for word in ("aa", "dd")])
    found = fitted.of(["aa dd zz"]).toarray()[0]
    assert found[[0, 3]] == pytest.approx(row / np.linalg.norm(row))
    assert found[[1, 2]].tolist() == [0, 0]


def test_lsi_is_the_svd() -> None:
    """All directions but the last: numpy's own SVD of the same weights."""
    counts = gather(COMMENTS[:4], (1, 1), True, 1, 0.9)[1]
    left, values, _ = np.linalg.svd(counts.toarray(), full_matrices=False)
    expected = cosine_similarity(left[:, :3] * values[:3])
    found = vectors(COMMENTS[:4], Space.parse("lsi:size=3,weights=counts"))
    assert found @ found.T == pytest.approx(expected, abs=1e-5)


class Lengths:
    """A model with a capability, for whom a text without any e has no vector."""

    batch_size = 2

    def embed(self, items: Sequence[str]) -> list[list[float] | None]:
        assert len(items) <= 2
        return [[float(len(item)), 1.0] if "e" in item else None for item in items]


def test_vectors_of_a_registered_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from codeacumen.benchmarks.sesame.mining import spaces

    monkeypatch.setattr(spaces, "make_model", lambda reference: SimpleNamespace(model=Lengths()))
    fitted = Space.parse("model:lengths").fit(["eee", "a", "e", "eee"])
    expected = np.array([[3, 1], [0, 0], [1, 1], [3, 1]]) / np.sqrt([[10], [1], [2], [10]])
    assert fitted.vectors == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(fitted.of(["e"]), fitted.vectors[2:3])


def test_a_model_without_vectors_is_told() -> None:
    with pytest.raises(CodeacumenError, match="computes no vectors"):
        Space.parse("model:levenshtein").fit(["a"])


def test_what_is_learned_does_not_depend_on_the_process() -> None:
    pytest.importorskip("gensim")
    code = (
        "from codeacumen.benchmarks.sesame.mining.spaces import Space\n"
        "for kind in ('word2vec', 'doc2vec'):\n"
        f"    found = Space.parse(f'{{kind}}:size=4').fit({list(COMMENTS)!r}).vectors\n"
        "    print(found.tobytes().hex())"
    )
    one, other = (
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    )
    assert one == other
    assert len(one.splitlines()) == 2


@pytest.mark.parametrize(
    "text",
    [
        "ppmi",
        "tfidf:ngrams=1-3",
        "bm25:lower=false,k=2.0",
        "lsi:size=50,weights=ppmi,alpha=0.5",
        "word2vec:size=25",
        "doc2vec",
        "model:minilm",
        "model:embedding:some/folder",
        "counts:min_df=2",
        "ppmi:max_df=1.0",
        "ppmi:max_df=1",
    ],
)
def test_the_text_form_comes_back(text: str) -> None:
    assert str(Space.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("pmi", "no space 'pmi'", "ppmi"),
        ("", "no space ''", "ppmi"),
        ("ppmi:k=2", "'k=2' is not a setting of the space ppmi", "ngrams, lower"),
        ("ppmi:alpha", "'alpha' is not a setting", "as in ppmi:ngrams=3"),
        ("ppmi:alpha=2", "alpha=2", "from 0 to 1"),
        ("ppmi:alpha=nan", "alpha=nan", "from 0 to 1"),
        ("ppmi:ngrams=3-1", "ngrams=3-1", "1-3"),
        ("ppmi:ngrams=0", "ngrams=0", "1-3"),
        ("ppmi:lower=yes", "lower=yes", "true or false"),
        ("ppmi:max_df=1.5", "max_df=1.5", "share"),
        ("ppmi:min_df=-1", "min_df=-1", "share"),
        ("lsi:size=0", "size=0", "whole number from 1"),
        ("lsi:weights=okapi", "weights=okapi", "bm25"),
        ("bm25:k=inf", "k=inf", "from 0 on"),
        ("model:", "needs the name", "model:minilm"),
    ],
)
def test_mistakes_are_told_with_a_hint(text: str, message: str, hint: str) -> None:
    with pytest.raises(CodeacumenError) as raised:
        Space.parse(text)
    assert message in str(raised.value)
    assert hint in raised.value.hint


@pytest.mark.parametrize("text", ["ppmi", "tfidf", "bm25", "counts", "lsi", "word2vec"])
def test_nothing_at_all_has_vectors_too(text: str) -> None:
    if "2vec" in text:
        pytest.importorskip("gensim")
    for texts in ([], [""], ["one", ""]):
        assert vectors(texts, Space.parse(text)).shape[0] == len(texts)


@settings(deadline=None, max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_texts_changes_no_similarity(random: Any) -> None:
    path = SHARED / "sesame" / "methods.jsonl"
    if not path.is_file():
        pytest.skip(f"SeSaMe's methods are not in {path.parent}")
    with path.open() as lines:
        texts = [json.loads(next(lines))["first"] for _ in range(60)]
    order = list(range(60))
    random.shuffle(order)
    one, other = vectors(texts), vectors([texts[i] for i in order])
    assert (one @ one.T).toarray()[np.ix_(order, order)] == pytest.approx(
        (other @ other.T).toarray(), abs=1e-12
    )
