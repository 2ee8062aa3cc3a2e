"""Oracles: scikit-learn's tf-idf and cosine for the search, and the store's own views of the same
methods, read in their files and not alone, for the features."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from acumen.api import AcumenError, Face, Instance, Method
from acumen.corpus import Corpus
from acumen.lang.java.tokens import KINDS
from acumen.lang.kernel import mixed
from acumen.lang.subtokens import subtokens
from acumen.models import _retrieval_index
from acumen.models._retrieval_features import MOST, Features, _hash, features
from acumen.models._retrieval_index import Index
from acumen.models.retrieval import NearestNamer
from acumen.registry import make_model
from acumen.runs.ask import ask
from acumen.runs.plan import make_plan, offered_models
from acumen.views.masked import masked
from acumen.views.paths.view import Code2VecView
from corpora import build_at

TOP = 1 << 63


def namer(corpus: Corpus, settings: str = "split=all") -> NearestNamer:
    made = make_model(f"nearest-namer:corpus={corpus.folder},{settings}").model
    assert isinstance(made, NearestNamer)
    return made


@pytest.fixture(scope="module")
def everything(examples_corpus: Corpus) -> NearestNamer:
    return namer(examples_corpus)


@pytest.fixture(scope="module")
def rows(examples_corpus: Corpus) -> list[dict[str, Any]]:
    found = examples_corpus.query(
        "select method_id::text as id, project, split, name, text from methods "
        "where kind = 'method' and body"
    )
    return list(found.to_pylist())


def question(row: dict[str, Any], id_: str = "") -> Method:
    return Method(id_ or row["id"], masked(row["text"], row["name"]))


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


def test_layout_and_comments_are_no_features() -> None:
    one, other = features(
        ["int METHOD_NAME(int a) { return a + 1; }",
         "int METHOD_NAME(int a)\n{\n  // one more\n  return a + 1;\n}"]
    ), features(["int METHOD_NAME(int a) { return a + 2; }"])  # fmt: skip
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
    monkeypatch.setattr(_retrieval_index, "MOST_POSTINGS", 1 << 40)
    found = features([question(row).text for row in rows])
    oracle = cosines(found, paths)
    nobody = np.full(len(found), -1, dtype=np.int64)
    _, similar = Index([found], paths).nearest(found, nobody, len(found))
    wanted = -np.sort(-oracle, axis=1)
    assert np.allclose(similar, np.where(wanted > 1e-12, wanted, 0.0), atol=1e-5)
    chosen, similar = Index([found], paths).nearest(found, nobody, 5)
    told = np.take_along_axis(oracle, np.maximum(chosen, 0), axis=1)
    assert np.allclose(np.where(chosen >= 0, told, 0.0), similar, atol=1e-5)


def test_an_index_in_parts_is_the_index(rows: list[dict[str, Any]]) -> None:
    texts = [question(row).text for row in rows]
    whole = Index([features(texts)], 0.5)
    parts = Index((features(texts[at : at + 100]) for at in range(0, len(texts), 100)), 0.5)
    assert (whole.key == parts.key).all()
    assert (whole.offsets == parts.offsets).all()
    assert sorted(zip(whole.method, whole.weight, strict=True)) == sorted(
        zip(parts.method, parts.weight, strict=True)
    )


def test_who_is_left_out_is_not_found() -> None:
    found = features([f"int METHOD_NAME() {{ return {word}; }}" for word in "aab"])
    index = Index([found], 0.5)
    everybody, _ = index.nearest(found, np.array([-1, -1, -1]), 3)
    assert everybody[0].tolist() == everybody[1].tolist() == [0, 1, -1]
    without, _ = index.nearest(found, np.array([0, 1, 2]), 3)
    assert without.tolist() == [[1, -1, -1], [0, -1, -1], [-1, -1, -1]]


def test_a_question_follows_its_rarest_features(monkeypatch: pytest.MonkeyPatch) -> None:
    found = features([f"int METHOD_NAME() {{ return {word}; }}" for word in "abbbbb"])
    asked = features(["int METHOD_NAME() { return a + b; }"])
    index, nobody = Index([found], 0.0), np.array([-1])
    assert index.nearest(asked, nobody, 2)[0].tolist() == [[0, 1]]
    monkeypatch.setattr(_retrieval_index, "MOST_POSTINGS", 4)
    assert index.nearest(asked, nobody, 2)[0].tolist() == [[0, -1]]
    monkeypatch.setattr(_retrieval_index, "MOST_POSTINGS", 0)
    assert index.nearest(asked, nobody, 2)[0].tolist() == [[0, -1]]


def test_an_index_of_nothing_finds_nothing() -> None:
    found, _ = Index([features([])], 0.5).nearest(features(["int a() { }"]), np.array([-1]), 2)
    assert found.tolist() == [[-1, -1]]


# --------------------------------------------------------------------------------------
# The model.
# --------------------------------------------------------------------------------------


def test_a_method_it_knows_is_named_after_itself_unless_it_is_the_one_asked_for(
    everything: NearestNamer, rows: list[dict[str, Any]]
) -> None:
    truth = [row["name"] for row in rows]
    strange = everything.name([question(row, f"somebody/{row['id']}") for row in rows])
    known = sum(answer == name for answer, name in zip(strange, truth, strict=True))
    assert known > 0.95 * len(rows)
    honest = everything.name([question(row) for row in rows])
    assert sum(answer == name for answer, name in zip(honest, truth, strict=True)) < 0.4 * len(rows)
    variants = everything.name([question(row, f"{row['id']}/loop/single/3") for row in rows])
    assert variants == honest


def test_it_beats_the_most_frequent_name(
    everything: NearestNamer, rows: list[dict[str, Any]]
) -> None:
    names = [row["name"] for row in rows]
    answers = everything.name([question(row) for row in rows])
    right = sum(answer == name for answer, name in zip(answers, names, strict=True))
    assert right > 5 * Counter(names).most_common(1)[0][1]


def test_an_answer_does_not_depend_on_its_batch(
    everything: NearestNamer, rows: list[dict[str, Any]]
) -> None:
    methods = [question(row) for row in rows[::5]]
    together = everything.name(methods)
    assert [everything.name([method])[0] for method in methods] == together
    assert everything.name(methods[::-1])[::-1] == together


def test_what_is_no_method_gets_some_answer_or_none(everything: NearestNamer) -> None:
    texts = ["", "}", "/*", "int METHOD_NAME(", "\udcff", "{" * 2000, "größe § 漢字"]
    answers = everything.name([Method(str(i), text) for i, text in enumerate(texts)])
    assert answers[0] is None
    assert all(answer is None or answer.isidentifier() for answer in answers)


def test_only_the_split_is_learned(examples_corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    train, test = namer(examples_corpus, "split=train"), namer(examples_corpus, "split=test")
    sizes = Counter(row["split"] for row in rows)
    assert (len(train.index), len(test.index)) == (sizes["train"], sizes["test"])
    assert set(test.names) == {row["name"] for row in rows if row["split"] == "test"}
    assert make_model(f"nearest-namer:corpus={examples_corpus.folder}").settings["split"] == "train"


def test_the_vote() -> None:
    judge = object.__new__(NearestNamer)
    judge.names = ["get", "set", "get", "add", "put"]
    assert judge._voted([1, 0, 2], [0.5, 0.45, 0.45]) == "get"
    assert judge._voted([1, 0, 2], [0.5, 0.35, 0.35]) == "set"
    # As many votes, but nearer.
    assert judge._voted([1, *[0] * 8], [1.0, *[0.5] * 8]) == "set"
    assert judge._voted([4, 3], [0.5, 0.5]) == "add"
    assert judge._voted([4, -1], [0.5, 0.0]) == "put"
    assert judge._voted([-1, -1], [0.0, 0.0]) is None


def test_it_can_be_asked_beside_the_bounds(
    examples_corpus: Corpus, rows: list[dict[str, Any]]
) -> None:
    instances = [Instance(row["id"], question(row), row["name"]) for row in rows[:40]]
    for reference in (f"nearest-namer:corpus={examples_corpus.folder}", "majority", "oracle"):
        batches = ask(make_model(reference), Face.NAME, instances, lambda _: True)
        answers = [answer for batch in batches for answer in batch]
        assert len(answers) == 40
        assert not any(answer.error for answer in answers)


def test_another_corpus_is_another_model(examples_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "own" / "a").mkdir(parents=True)
    (tmp_path / "own" / "a" / "A.java").write_text(
        "class A { int size() { return n; } void clear() { all.clear(); } }"
    )
    build_at(tmp_path / "corpus", [str(tmp_path / "own")], workers=1, views=["text"])
    small = namer(Corpus.open(tmp_path / "corpus"))
    assert small.fingerprint != namer(examples_corpus).fingerprint
    # The views need not be stored.
    assert small.name([Method("", "int METHOD_NAME() { return n; }")]) == ["size"]


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ("", "needs a corpus", "corpus build"),
        ("corpus={empty}", "holds no corpus", "corpus build"),
        ("corpus={corpus},split=tests", "no split 'tests'", "train, dev, test"),
        ("corpus={small},split=dev", "no methods of the split dev", "it has test"),
        ("corpus={corpus},k=0", "k=0", "1 or more"),
        ("corpus={corpus},k=many", "k='many'", "1 or more"),
        ("corpus={corpus},paths=1.5", "paths=1.5", "from 0"),
    ],
)
def test_settings_that_make_no_model(
    settings: str, message: str, hint: str, examples_corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "quill").mkdir()
    (tmp_path / "quill" / "A.java").write_text("class A { int size() { return 1; } }")
    build_at(tmp_path / "small", [str(tmp_path / "quill")], workers=1, views=["text"])
    told = settings.format(
        empty=tmp_path / "none", corpus=examples_corpus.folder, small=tmp_path / "small"
    )
    with pytest.raises(AcumenError, match=message) as caught:
        make_model(f"nearest-namer:{told}")
    assert hint in caught.value.hint


def test_without_a_corpus_the_others_are_evaluated() -> None:
    offer = offered_models()
    assert "nearest-namer" not in offer.names
    assert "nearest-namer" in offer.absent
    assert not offer.broken
    cells, _ = make_plan(offer.names, ["abbreviations/match"], skip_unfit=True)
    assert len(cells) > 3
