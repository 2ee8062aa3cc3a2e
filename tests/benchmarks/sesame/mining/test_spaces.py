"""Tests of vector spaces. Oracles: scikit-learn's vectorisers, a dense PPMI as defined by Levy et
al., and a slow BM25 that handles one word of one text at a time."""

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
from codeacumen.benchmarks.sesame.mining.counts import NGrams, find_varying_columns, gather_ngrams
from codeacumen.benchmarks.sesame.mining.spaces import Space
from support import SHARED

# Few words, so that n-grams repeat; some are hard for a tokenizer.
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


def count_with_sklearn(
    texts: Sequence[str], ngrams: tuple[int, int], **bounds: Any
) -> dict[Any, float]:
    """Return scikit-learn's count by (text, n-gram).

    scikit-learn raises for an empty vocabulary; our code does not.
    """
    counter = CountVectorizer(
        ngram_range=ngrams, token_pattern=r"\b\w\w+\b", decode_error="ignore", **bounds
    )
    try:
        count_matrix = counter.fit_transform(texts).tocoo()
    except ValueError:
        return {}
    names = counter.get_feature_names_out()
    return {
        (row, names[column]): value
        for row, column, value in zip(
            count_matrix.row, count_matrix.col, count_matrix.data, strict=True
        )
    }


def matrix_to_dict(matrix: Any, names: Sequence[str]) -> dict[Any, float]:
    coordinates = matrix.tocoo()
    return {
        (row, names[column]): value
        for row, column, value in zip(
            coordinates.row, coordinates.col, coordinates.data, strict=True
        )
    }


def list_ngrams(grams: NGrams) -> list[str]:
    """Return the n-gram of each column."""
    alphabet = list(grams.words)
    last, ngrams = alphabet, [""] * grams.total
    for level, columns in enumerate(grams.columns):
        if level:
            keys, size = grams.keys[level - 1].tolist(), len(alphabet)
            last = [f"{last[key // size]} {alphabet[key % size]}" for key in keys]
        for number in np.flatnonzero(columns >= 0).tolist():
            ngrams[columns[number]] = last[number]
    return ngrams


@settings(deadline=None, max_examples=50)
@given(TEXTS, TEXTS, st.tuples(st.integers(1, 3), st.integers(0, 2)), st.booleans(), BOUNDS, BOUNDS)
def test_counts_equal_those_of_sklearn(
    texts: list[str],
    new: list[str],
    low_and_more: tuple[int, int],
    lower: bool,
    max_df: float,
    min_df: float,
) -> None:
    ngrams = (low_and_more[0], sum(low_and_more))
    bounds = {"lowercase": lower, "max_df": max_df, "min_df": min_df}
    grams, counts = gather_ngrams(texts, ngrams, lower, min_df, max_df)
    expected = count_with_sklearn(texts, ngrams, **bounds)
    names = list_ngrams(grams)
    assert matrix_to_dict(counts, names) == expected
    # Other texts are counted with the same vocabulary.
    vocabulary = sorted({name for _, name in expected})
    assert sorted(names) == vocabulary
    if vocabulary:
        counter = CountVectorizer(
            ngram_range=ngrams, token_pattern=r"\b\w\w+\b", lowercase=lower, vocabulary=vocabulary
        )
        assert matrix_to_dict(grams.count_texts(new), names) == matrix_to_dict(
            counter.transform(new), vocabulary
        )
    else:
        assert grams.count_texts(new).nnz == 0


def compute_ppmi_densely(counts: Any, alpha: float) -> Any:
    """Compute max(0, ln(p(i, j) / (p(i) · p_α(j)))) with p_α(j) = C_j^α / Σ_k C_k^α."""
    total = counts.sum()
    weights = np.zeros(counts.shape)
    smoothed = counts.sum(axis=0) ** alpha
    for i, j in zip(*np.nonzero(counts), strict=True):
        joint = counts[i, j] / total
        independent = (counts[i].sum() / total) * (smoothed[j] / smoothed.sum())
        weights[i, j] = max(0.0, math.log(joint / independent))
    return weights


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.sampled_from([0.25, 0.75, 1.0]), st.integers(1, 3))
def test_ppmi_equals_the_formula(texts: list[str], alpha: float, n: int) -> None:
    _, counts = gather_ngrams(texts, (n, n), False, 1, 0.9)
    weights = compute_ppmi_densely(counts.toarray(), alpha)
    varying_columns = weights[:, weights.var(axis=0) > 1e-8]
    space_vectors = Space(ngrams=(n, n), alpha=alpha).fit(texts).vectors
    expected = (
        cosine_similarity(varying_columns)
        if varying_columns.shape[1]
        else np.zeros((len(texts), len(texts)))
    )
    assert (space_vectors @ space_vectors.T).toarray() == pytest.approx(expected, abs=1e-12)


def test_default_space_equals_the_pipeline_of_sesame() -> None:
    """The expected values follow the published code step by step, with scikit-learn's parts."""
    texts = list(COMMENTS)
    counts = CountVectorizer(
        ngram_range=(3, 3), token_pattern=r"(?u)\b\w\w+\b", lowercase=False, max_df=0.9
    ).fit_transform(texts)
    weights = compute_ppmi_densely(counts.toarray(), 0.75)
    expected = cosine_similarity(VarianceThreshold(1e-8).fit_transform(weights))
    space_vectors = Space().fit(texts).vectors
    assert (space_vectors @ space_vectors.T).toarray() == pytest.approx(expected, abs=1e-12)
    assert expected[0, 1] > 0.3  # the comparison is not trivial


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.booleans())
def test_tfidf_equals_that_of_sklearn(texts: list[str], sublinear: bool) -> None:
    _, counts = gather_ngrams(texts, (1, 1), True, 1, 0.9)
    if not counts.nnz:
        return
    expected = TfidfTransformer(sublinear_tf=sublinear).fit_transform(counts)
    space_vectors = Space.parse(f"tfidf:sublinear={str(sublinear).lower()}").fit(texts).vectors
    assert space_vectors.toarray() == pytest.approx(expected.toarray(), abs=1e-12)


def compute_bm25_slowly(texts: Sequence[str], k: float, b: float) -> list[dict[str, float]]:
    bags = [Counter(text.split()) for text in texts]
    mean = sum(bag.total() for bag in bags) / len(bags)
    rows = []
    for bag in bags:
        row = {}
        for word, frequency in bag.items():
            document_frequency = sum(word in other for other in bags)
            idf = math.log(1 + (len(bags) - document_frequency + 0.5) / (document_frequency + 0.5))
            saturation = frequency + k * (1 - b + b * bag.total() / mean)
            row[word] = idf * frequency * (k + 1) / saturation
        rows.append(row)
    return rows


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
def test_bm25_equals_the_formula_of_okapi(texts: list[str], k: float, b: float) -> None:
    rows = compute_bm25_slowly(texts, k, b)
    words = sorted({word for row in rows for word in row})
    expected = np.array([[row.get(word, 0.0) for word in words] for row in rows])
    space_vectors = Space.parse(f"bm25:max_df=1.0,k={k},b={b}").fit(texts).vectors
    assert (space_vectors @ space_vectors.T).toarray() == pytest.approx(
        cosine_similarity(expected), abs=1e-12
    )


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.0, 1.0, 1.0001, 3.5]), min_size=3, max_size=3),
        min_size=2,
        max_size=9,
    ),
    st.sampled_from([1e-8, 1e-3, 0.3]),
)
def test_varying_columns_equal_those_of_sklearn(
    rows: list[list[float]], minimum_variance: float
) -> None:
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(np.array(rows))
    threshold = VarianceThreshold(minimum_variance)
    try:
        expected = threshold.fit(matrix).get_support(indices=True).tolist()
    except ValueError:  # scikit-learn raises if no column is left
        expected = []
    assert find_varying_columns(matrix, minimum_variance).tolist() == expected


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
def test_fitted_space_embeds_its_texts_equally_again(text: str) -> None:
    if "2vec" in text:
        pytest.importorskip("gensim")
    fitted = Space.parse(text).fit(COMMENTS)
    first, again = (to_dense(matrix) for matrix in (fitted.vectors, fitted.embed_texts(COMMENTS)))
    assert np.array_equal(first, again)
    length = np.linalg.norm(first, axis=1)
    assert np.all(np.isclose(length, 1, atol=1e-6) | (length == 0))
    assert length[-1] == 0  # an empty text has a zero vector
    # A single text has the same vector as among others, up to the order of summation.
    single_vector = to_dense(fitted.embed_texts(COMMENTS[1:2]))
    assert single_vector[0] == pytest.approx(first[1], abs=1e-6)
    assert not to_dense(fitted.embed_texts(["zyx wvu tsr", "\udc80"])).any()


def to_dense(matrix: Any) -> Any:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def test_new_text_uses_the_column_sums_of_the_fitted_texts() -> None:
    fitted = Space.parse("ppmi:ngrams=1,max_df=1.0,variance=0").fit(["aa aa bb", "bb cc", "cc dd"])
    smoothed = {word: sum_**0.75 for word, sum_ in (("aa", 2), ("bb", 2), ("cc", 2), ("dd", 1))}
    total = sum(smoothed.values())
    # One of the three words is unknown and does not count in the row sum.
    row = np.array([math.log(1 / 2 * total / smoothed[word]) for word in ("aa", "dd")])
    vector = fitted.embed_texts(["aa dd zz"]).toarray()[0]
    assert vector[[0, 3]] == pytest.approx(row / np.linalg.norm(row))
    assert vector[[1, 2]].tolist() == [0, 0]


def test_lsi_equals_the_svd_of_numpy() -> None:
    """The oracle is numpy's SVD of the same weights, without the last direction."""
    counts = gather_ngrams(COMMENTS[:4], (1, 1), True, 1, 0.9)[1]
    left, values, _ = np.linalg.svd(counts.toarray(), full_matrices=False)
    expected = cosine_similarity(left[:, :3] * values[:3])
    space_vectors = Space.parse("lsi:size=3,weights=counts").fit(COMMENTS[:4]).vectors
    assert space_vectors @ space_vectors.T == pytest.approx(expected, abs=1e-5)


class LengthModel:
    """An embedding model that has no vector for texts without the letter e."""

    batch_size = 2

    def embed(self, items: Sequence[str]) -> list[list[float] | None]:
        assert len(items) <= 2
        return [[float(len(item)), 1.0] if "e" in item else None for item in items]


def test_vectors_of_a_registered_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from codeacumen.benchmarks.sesame.mining import spaces

    monkeypatch.setattr(
        spaces, "make_model", lambda reference: SimpleNamespace(model=LengthModel())
    )
    fitted = Space.parse("model:lengths").fit(["eee", "a", "e", "eee"])
    expected = np.array([[3, 1], [0, 0], [1, 1], [3, 1]]) / np.sqrt([[10], [1], [2], [10]])
    assert fitted.vectors == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(fitted.embed_texts(["e"]), fitted.vectors[2:3])


def test_model_without_vectors_is_rejected() -> None:
    with pytest.raises(CodeacumenError, match="computes no vectors"):
        Space.parse("model:levenshtein").fit(["a"])


def test_learned_vectors_do_not_depend_on_the_process() -> None:
    pytest.importorskip("gensim")
    code = (
        "from codeacumen.benchmarks.sesame.mining.spaces import Space\n"
        "for kind in ('word2vec', 'doc2vec'):\n"
        f"    found = Space.parse(f'{{kind}}:size=4').fit({list(COMMENTS)!r}).vectors\n"
        "    print(found.tobytes().hex())"
    )
    first_output, second_output = (
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    )
    assert first_output == second_output
    assert len(first_output.splitlines()) == 2


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
def test_text_form_survives_parsing(text: str) -> None:
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
def test_invalid_spaces_are_rejected_with_a_hint(text: str, message: str, hint: str) -> None:
    with pytest.raises(CodeacumenError) as raised:
        Space.parse(text)
    assert message in str(raised.value)
    assert hint in raised.value.hint


@pytest.mark.parametrize("text", ["ppmi", "tfidf", "bm25", "counts", "lsi", "word2vec"])
def test_empty_texts_have_vectors(text: str) -> None:
    if "2vec" in text:
        pytest.importorskip("gensim")
    for texts in ([], [""], ["one", ""]):
        assert Space.parse(text).fit(texts).vectors.shape[0] == len(texts)


@settings(deadline=None, max_examples=5)
@given(st.randoms(use_true_random=False))
def test_similarities_do_not_depend_on_the_order_of_texts(random: Any) -> None:
    path = SHARED / "sesame" / "methods.jsonl"
    if not path.is_file():
        pytest.skip(f"SeSaMe's methods are not in {path.parent}")
    with path.open() as lines:
        texts = [json.loads(next(lines))["first"] for _ in range(60)]
    order = list(range(60))
    random.shuffle(order)
    ordered_vectors, shuffled_vectors = (
        Space().fit(texts).vectors,
        Space().fit([texts[i] for i in order]).vectors,
    )
    assert (ordered_vectors @ ordered_vectors.T).toarray()[np.ix_(order, order)] == pytest.approx(
        (shuffled_vectors @ shuffled_vectors.T).toarray(), abs=1e-12
    )
