"""Oracles: scikit-learn's tf-idf and cosine for the search; for the features, the store's views of
the same methods, which are read in their files instead of alone."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from codeacumen.api import Method
from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.tokens import KINDS
from codeacumen.languages.kernel import mix_bits
from codeacumen.search import features as features_module
from codeacumen.search.features import MOST, FeatureIndex, Features, _hash_word, extract_features
from codeacumen.search.kernel import find_distinct_keys
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.masking.text import mask_snippet
from codeacumen.views.paths import Code2VecView

TOP = 1 << 63


@pytest.fixture(scope="module")
def rows(examples_corpus: Corpus) -> list[dict[str, Any]]:
    methods = examples_corpus.query(
        "select method_id::text as id, name, text from methods where kind = 'method' and body"
    )
    return list(methods.to_pylist())


def make_question(row: dict[str, Any]) -> Method:
    return Method(row["id"], mask_snippet(row["text"], row["name"]))


# --------------------------------------------------------------------------------------
# Features.
# --------------------------------------------------------------------------------------


def count_keys_of_row(features_of_texts: Features, row: int) -> dict[int, int]:
    part = slice(*features_of_texts.offsets[row : row + 2].tolist())
    return dict(
        zip(
            features_of_texts.key[part].tolist(),
            features_of_texts.count[part].tolist(),
            strict=True,
        )
    )


def count_kept_keys(keys: list[int]) -> dict[int, int]:
    """Count the keys and keep the smallest ones, up to the limit."""
    return dict(sorted(Counter(keys).items())[:MOST])


def test_features_equal_those_of_stored_views(
    examples_corpus: Corpus, rows: list[dict[str, Any]]
) -> None:
    """Compare methods whose name occurs once, since the store masks fewer calls of that name, and
    that have no more contexts than the store holds."""
    text_features = extract_features([make_question(row).text for row in rows])
    numbers = [examples_corpus.number_of(row["id"]) for row in rows]
    compared = 0
    for number, (row, tokens, stored) in enumerate(
        zip(
            rows,
            examples_corpus.read_rows("tokens", numbers),
            examples_corpus.read_rows("paths", numbers),
            strict=True,
        )
    ):
        # Paths have names in lower case and without quotes: there, the type Version and the
        # string "version" equal the method's name version.
        words = [word.strip('"').lower() for word in tokens["spelling"]]
        name_occurrences = [word for word in words if word == row["name"].lower()]
        if len(name_occurrences) > 1 or len(stored["path"]) == 200:
            continue
        keys: list[int] = []
        for kind, word in zip(tokens["kind"], tokens["spelling"], strict=True):
            if KINDS[kind] == "IDENTIFIER":
                word = "METHOD_NAME" if word == row["name"] else word
                keys.append(_hash_word("name", word))
                keys += [_hash_word("part", part.lower()) for part in split_subtokens(word)]
            else:
                keys.append(_hash_word("token", word))
        line = Code2VecView().value(row, {"paths": stored})
        contexts = [context.split(",") for context in line.split(" ")[1:]]
        left, right = (
            np.array(
                [_hash_word("end", spell_end(context[end])) for context in contexts],
                dtype=np.uint64,
            )
            for end in (0, 2)
        )
        path = np.array([int(context[1]) for context in contexts], dtype=np.int64).astype(np.uint64)
        keyed = mix_bits(mix_bits(left + path) + right) | np.uint64(TOP)
        assert count_keys_of_row(text_features, number) == count_kept_keys(keys) | count_kept_keys(
            keyed.tolist()
        ), row["name"]
        compared += 1
    assert compared > 400


def spell_end(end: str) -> str:
    """Return the end as in a text: the view keeps the mask, which is an ordinary name in a text."""
    return "methodname" if end == "METHOD_NAME" else end


def test_features_do_not_depend_on_the_other_texts(rows: list[dict[str, Any]]) -> None:
    texts = [make_question(row).text for row in rows[::9]]
    odd = [
        "",
        "}",
        "/* never closed",
        "int METHOD_NAME( {",
        "class U { int x() { } }",
        '"',
        "\udcff",
    ]
    alone = [extract_features([text]) for text in [*texts, *odd]]
    order = [*range(len(texts)), *range(len(texts), len(alone))]
    for seed in range(3):
        random.Random(seed).shuffle(order)
        together = extract_features([[*texts, *odd][at] for at in order])
        for row, at in enumerate(order):
            assert count_keys_of_row(together, row) == count_keys_of_row(alone[at], 0)


def test_fragments_are_read_separately() -> None:
    halves = ["void METHOD_NAME() { a(); ", "b(); } int c() { return d; }"]
    together = extract_features(halves)
    for row, half in enumerate(halves):
        assert count_keys_of_row(together, row) == count_keys_of_row(extract_features([half]), 0)


def test_distinct_keys_equal_a_counter() -> None:
    rng = np.random.default_rng(0)
    lists = [rng.integers(0, 9, size).astype(np.uint64) for size in (0, 30, 1, 0, 12, 0)]
    offsets = np.cumsum([0, *map(len, lists)])
    for most in (3, 100):
        counts = Features(*find_distinct_keys(np.concatenate(lists), offsets, most))
        for row, keys in enumerate(lists):
            assert count_keys_of_row(counts, row) == dict(
                sorted(Counter(keys.tolist()).items())[:most]
            )
    assert len(Features(*find_distinct_keys(np.empty(0, np.uint64), np.zeros(1, np.int64), 5))) == 0


def test_layout_and_comments_do_not_change_features() -> None:
    same_code, other_code = (
        extract_features(
            [
                "int METHOD_NAME(int a) { return a + 1; }",
                "int METHOD_NAME(int a)\n{\n  // one more\n  return a + 1;\n}",
            ]
        ),
        extract_features(["int METHOD_NAME(int a) { return a + 2; }"]),
    )
    assert (
        count_keys_of_row(same_code, 0)
        == count_keys_of_row(same_code, 1)
        != count_keys_of_row(other_code, 0)
    )


def test_small_change_keeps_most_features_of_long_method() -> None:
    """An independent random sample would keep one in ten of a thousand features."""
    words = [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300)]
    lines = [f"{word}x.{word}y({word}z, {word}t);" for word in words]
    before = count_keys_of_row(extract_features([f"void METHOD_NAME() {{ {' '.join(lines)} }}"]), 0)
    lines[150] = "int changed = 1;"
    after = count_keys_of_row(extract_features([f"void METHOD_NAME() {{ {' '.join(lines)} }}"]), 0)
    assert len(before) == len(after) == 2 * MOST
    assert len(before.keys() & after.keys()) > 1.9 * MOST


# --------------------------------------------------------------------------------------
# The search.
# --------------------------------------------------------------------------------------


def compute_cosines(text_features: Features, paths: float) -> NDArray[np.float64]:
    """Compute all similarities with scikit-learn."""
    from scipy.sparse import csr_matrix

    keys, column = np.unique(text_features.key, return_inverse=True)
    matrix = csr_matrix((text_features.count.astype(float), column, text_features.offsets))
    halves = []
    for family, share in ((keys < TOP, 1 - paths), (keys >= TOP, paths)):
        half = matrix[:, np.flatnonzero(family)]
        fitted = TfidfTransformer(sublinear_tf=True, norm=None).fit(half)
        logarithm = half.copy()
        logarithm.data = 1 + np.log(logarithm.data)
        # scikit-learn adds one to the rarity, so that words of all rows count; we do not.
        weighted = normalize(logarithm.multiply(fitted.idf_ - 1).tocsr())
        halves.append(share * (weighted @ weighted.T).toarray())
    return np.asarray(halves[0] + halves[1])


@pytest.mark.parametrize("paths", [0.0, 0.3, 0.5, 1.0])
def test_similarities_equal_scikit_learn(
    rows: list[dict[str, Any]], paths: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(features_module, "MOST_POSTINGS", 1 << 40)
    text_features = extract_features([make_question(row).text for row in rows])
    oracle = compute_cosines(text_features, paths)
    no_exclusion = np.full(len(text_features), -1, dtype=np.int64)
    _, similar = FeatureIndex([text_features], paths).find_nearest(
        text_features, no_exclusion, len(text_features)
    )
    expected = -np.sort(-oracle, axis=1)
    assert np.allclose(similar, np.where(expected > 1e-12, expected, 0.0), atol=1e-5)
    chosen, similar = FeatureIndex([text_features], paths).find_nearest(
        text_features, no_exclusion, 5
    )
    chosen_similarities = np.take_along_axis(oracle, np.maximum(chosen, 0), axis=1)
    assert np.allclose(np.where(chosen >= 0, chosen_similarities, 0.0), similar, atol=1e-5)


def test_index_built_in_parts_is_equal(rows: list[dict[str, Any]]) -> None:
    texts = [make_question(row).text for row in rows]
    full_index = FeatureIndex([extract_features(texts)], 0.5)
    joined_index = FeatureIndex(
        (extract_features(texts[at : at + 100]) for at in range(0, len(texts), 100)), 0.5
    )
    assert (full_index.key == joined_index.key).all()
    assert (full_index.postings.offsets == joined_index.postings.offsets).all()
    assert (full_index.postings.method == joined_index.postings.method).all()
    assert (full_index.postings.weight == joined_index.postings.weight).all()


def test_excluded_methods_are_not_found() -> None:
    text_features = extract_features([f"int METHOD_NAME() {{ return {word}; }}" for word in "aab"])
    index = FeatureIndex([text_features], 0.5)
    everybody, _ = index.find_nearest(text_features, np.array([-1, -1, -1]), 3)
    assert everybody[0].tolist() == everybody[1].tolist() == [0, 1, -1]
    without, _ = index.find_nearest(text_features, np.array([0, 1, 2]), 3)
    assert without.tolist() == [[1, -1, -1], [0, -1, -1], [-1, -1, -1]]


def test_search_prefers_rarest_features(monkeypatch: pytest.MonkeyPatch) -> None:
    text_features = extract_features(
        [f"int METHOD_NAME() {{ return {word}; }}" for word in "abbbbb"]
    )
    question_features = extract_features(["int METHOD_NAME() { return a + b; }"])
    index, no_exclusion = FeatureIndex([text_features], 0.0), np.array([-1])
    assert index.find_nearest(question_features, no_exclusion, 2)[0].tolist() == [[0, 1]]
    monkeypatch.setattr(features_module, "MOST_POSTINGS", 4)
    assert index.find_nearest(question_features, no_exclusion, 2)[0].tolist() == [[0, -1]]
    monkeypatch.setattr(features_module, "MOST_POSTINGS", 0)
    assert index.find_nearest(question_features, no_exclusion, 2)[0].tolist() == [[0, -1]]


def test_empty_index_finds_nothing() -> None:
    positions, _ = FeatureIndex([extract_features([])], 0.5).find_nearest(
        extract_features(["int a() { }"]), np.array([-1]), 2
    )
    assert positions.tolist() == [[-1, -1]]
