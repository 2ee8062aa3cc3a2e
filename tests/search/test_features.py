"""Oracles: scikit-learn's tf-idf and cosine for the search, and the store's own views of the same
methods, read in their files and not alone, for the features."""

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
from codeacumen.languages.kernel import mixed
from codeacumen.search import features as features_module
from codeacumen.search.features import MOST, FeatureIndex, Features, _hash, features
from codeacumen.search.kernel import distinct_keys
from codeacumen.text.subtokens import subtokens
from codeacumen.views.masking.text import masked
from codeacumen.views.paths import Code2VecView

TOP = 1 << 63


@pytest.fixture(scope="module")
def rows(examples_corpus: Corpus) -> list[dict[str, Any]]:
    methods = examples_corpus.query(
        "select method_id::text as id, name, text from methods where kind = 'method' and body"
    )
    return list(methods.to_pylist())


def question(row: dict[str, Any]) -> Method:
    return Method(row["id"], masked(row["text"], row["name"]))


# --------------------------------------------------------------------------------------
# Features.
# --------------------------------------------------------------------------------------


def keys_of(found: Features, row: int) -> dict[int, int]:
    part = slice(*found.offsets[row : row + 2].tolist())
    return dict(zip(found.key[part].tolist(), found.count[part].tolist(), strict=True))


def counted(keys: list[int]) -> dict[int, int]:
    """The most there may be, the smallest."""
    return dict(sorted(Counter(keys).items())[:MOST])


def test_features_are_those_of_the_views_in_the_store(
    examples_corpus: Corpus, rows: list[dict[str, Any]]
) -> None:
    """Of methods whose name occurs in them once, since the store masks fewer calls of that name,
    and that have not more contexts than the store holds."""
    found = features([question(row).text for row in rows])
    numbers = [examples_corpus.number(row["id"]) for row in rows]
    compared = 0
    for at, (row, tokens, stored) in enumerate(
        zip(
            rows,
            examples_corpus.rows("tokens", numbers),
            examples_corpus.rows("paths", numbers),
            strict=True,
        )
    ):
        # Paths have names in small letters and without quotes: there a type Version is the
        # method's name version, and so is a text "version".
        words = [word.strip('"').lower() for word in tokens["spelling"]]
        same = [word for word in words if word == row["name"].lower()]
        if len(same) > 1 or len(stored["path"]) == 200:
            continue
        keys: list[int] = []
        for kind, word in zip(tokens["kind"], tokens["spelling"], strict=True):
            if KINDS[kind] == "IDENTIFIER":
                word = "METHOD_NAME" if word == row["name"] else word
                keys.append(_hash("name", word))
                keys += [_hash("part", part.lower()) for part in subtokens(word)]
            else:
                keys.append(_hash("token", word))
        line = Code2VecView().value(row, {"paths": stored})
        contexts = [context.split(",") for context in line.split(" ")[1:]]
        left, right = (
            np.array([_hash("end", _spelt(one[end])) for one in contexts], dtype=np.uint64)
            for end in (0, 2)
        )
        path = np.array([int(one[1]) for one in contexts], dtype=np.int64).astype(np.uint64)
        keyed = mixed(mixed(left + path) + right) | np.uint64(TOP)
        assert keys_of(found, at) == counted(keys) | counted(keyed.tolist()), row["name"]
        compared += 1
    assert compared > 400


def _spelt(end: str) -> str:
    """The view prints the mask as it is; in a text it is a name like any other."""
    return "methodname" if end == "METHOD_NAME" else end


def test_features_do_not_depend_on_the_other_texts(rows: list[dict[str, Any]]) -> None:
    texts = [question(row).text for row in rows[::9]]
    odd = [
        "",
        "}",
        "/* never closed",
        "int METHOD_NAME( {",
        "class U { int x() { } }",
        '"',
        "\udcff",
    ]
    alone = [features([text]) for text in [*texts, *odd]]
    order = [*range(len(texts)), *range(len(texts), len(alone))]
    for seed in range(3):
        random.Random(seed).shuffle(order)
        together = features([[*texts, *odd][at] for at in order])
        for row, at in enumerate(order):
            assert keys_of(together, row) == keys_of(alone[at], 0)


def test_two_texts_that_are_whole_only_together_are_read_alone() -> None:
    halves = ["void METHOD_NAME() { a(); ", "b(); } int c() { return d; }"]
    together = features(halves)
    for row, half in enumerate(halves):
        assert keys_of(together, row) == keys_of(features([half]), 0)


def test_distinct_keys_are_those_of_a_counter() -> None:
    draw = np.random.default_rng(0)
    lists = [draw.integers(0, 9, size).astype(np.uint64) for size in (0, 30, 1, 0, 12, 0)]
    offsets = np.cumsum([0, *map(len, lists)])
    for most in (3, 100):
        counts = Features(*distinct_keys(np.concatenate(lists), offsets, most))
        for row, keys in enumerate(lists):
            assert keys_of(counts, row) == dict(sorted(Counter(keys.tolist()).items())[:most])
    assert len(Features(*distinct_keys(np.empty(0, np.uint64), np.zeros(1, np.int64), 5))) == 0


def test_layout_and_comments_are_no_features() -> None:
    one, other = (
        features(
            [
                "int METHOD_NAME(int a) { return a + 1; }",
                "int METHOD_NAME(int a)\n{\n  // one more\n  return a + 1;\n}",
            ]
        ),
        features(["int METHOD_NAME(int a) { return a + 2; }"]),
    )
    assert keys_of(one, 0) == keys_of(one, 1) != keys_of(other, 0)


def test_a_long_method_keeps_nearly_the_same_features_when_it_changes() -> None:
    """A draw by lot would share one in ten of a thousand."""
    words = [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300)]
    lines = [f"{word}x.{word}y({word}z, {word}t);" for word in words]
    before = keys_of(features([f"void METHOD_NAME() {{ {' '.join(lines)} }}"]), 0)
    lines[150] = "int changed = 1;"
    after = keys_of(features([f"void METHOD_NAME() {{ {' '.join(lines)} }}"]), 0)
    assert len(before) == len(after) == 2 * MOST
    assert len(before.keys() & after.keys()) > 1.9 * MOST


# --------------------------------------------------------------------------------------
# The search.
# --------------------------------------------------------------------------------------


def cosines(found: Features, paths: float) -> NDArray[np.float64]:
    """All similarities, by scikit-learn."""
    from scipy.sparse import csr_matrix

    keys, column = np.unique(found.key, return_inverse=True)
    matrix = csr_matrix((found.count.astype(float), column, found.offsets))
    halves = []
    for family, share in ((keys < TOP, 1 - paths), (keys >= TOP, paths)):
        half = matrix[:, np.flatnonzero(family)]
        fitted = TfidfTransformer(sublinear_tf=True, norm=None).fit(half)
        logarithm = half.copy()
        logarithm.data = 1 + np.log(logarithm.data)
        # Its rarity has one added, so that a word that all have still counts; ours has not.
        weighted = normalize(logarithm.multiply(fitted.idf_ - 1).tocsr())
        halves.append(share * (weighted @ weighted.T).toarray())
    return np.asarray(halves[0] + halves[1])


@pytest.mark.parametrize("paths", [0.0, 0.3, 0.5, 1.0])
def test_similarities_are_scikit_learns(
    rows: list[dict[str, Any]], paths: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(features_module, "MOST_POSTINGS", 1 << 40)
    found = features([question(row).text for row in rows])
    oracle = cosines(found, paths)
    nobody = np.full(len(found), -1, dtype=np.int64)
    _, similar = FeatureIndex([found], paths).nearest(found, nobody, len(found))
    wanted = -np.sort(-oracle, axis=1)
    assert np.allclose(similar, np.where(wanted > 1e-12, wanted, 0.0), atol=1e-5)
    chosen, similar = FeatureIndex([found], paths).nearest(found, nobody, 5)
    told = np.take_along_axis(oracle, np.maximum(chosen, 0), axis=1)
    assert np.allclose(np.where(chosen >= 0, told, 0.0), similar, atol=1e-5)


def test_an_index_in_parts_is_the_index(rows: list[dict[str, Any]]) -> None:
    texts = [question(row).text for row in rows]
    whole = FeatureIndex([features(texts)], 0.5)
    parts = FeatureIndex((features(texts[at : at + 100]) for at in range(0, len(texts), 100)), 0.5)
    assert (whole.key == parts.key).all()
    assert (whole.postings.offsets == parts.postings.offsets).all()
    assert (whole.postings.method == parts.postings.method).all()
    assert (whole.postings.weight == parts.postings.weight).all()


def test_who_is_left_out_is_not_found() -> None:
    found = features([f"int METHOD_NAME() {{ return {word}; }}" for word in "aab"])
    index = FeatureIndex([found], 0.5)
    everybody, _ = index.nearest(found, np.array([-1, -1, -1]), 3)
    assert everybody[0].tolist() == everybody[1].tolist() == [0, 1, -1]
    without, _ = index.nearest(found, np.array([0, 1, 2]), 3)
    assert without.tolist() == [[1, -1, -1], [0, -1, -1], [-1, -1, -1]]


def test_a_question_follows_its_rarest_features(monkeypatch: pytest.MonkeyPatch) -> None:
    found = features([f"int METHOD_NAME() {{ return {word}; }}" for word in "abbbbb"])
    asked = features(["int METHOD_NAME() { return a + b; }"])
    index, nobody = FeatureIndex([found], 0.0), np.array([-1])
    assert index.nearest(asked, nobody, 2)[0].tolist() == [[0, 1]]
    monkeypatch.setattr(features_module, "MOST_POSTINGS", 4)
    assert index.nearest(asked, nobody, 2)[0].tolist() == [[0, -1]]
    monkeypatch.setattr(features_module, "MOST_POSTINGS", 0)
    assert index.nearest(asked, nobody, 2)[0].tolist() == [[0, -1]]


def test_an_index_of_nothing_finds_nothing() -> None:
    found, _ = FeatureIndex([features([])], 0.5).nearest(
        features(["int a() { }"]), np.array([-1]), 2
    )
    assert found.tolist() == [[-1, -1]]
