"""Oracles: scikit-learn's tf-idf for the weights, its singular value decomposition for the
directions, and comparing with all for the index."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from acumen.api import AcumenError
from acumen.corpus import Corpus
from acumen.lang.java.file import JavaFile
from acumen.models.naming import _neighbours_index, _neighbours_space
from acumen.models.naming._neighbours_build import body_words, name_words, same_name
from acumen.models.naming._neighbours_index import Nearest
from acumen.models.naming._neighbours_space import Bags, bags, joined, made_of
from acumen.models.naming.facts import facts_of, facts_of_text
from acumen.models.naming.neighbours import Neighbours, Settings, index_folder, neighbours_of
from corpora import contents, shared_engine

pytest.importorskip("faiss")


def some_rows(many: int, words: int, seed: int = 0) -> list[list[str]]:
    """Rows about several subjects, each with words of its own."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(many):
        subject = draw.integers(6)
        size = draw.integers(2, 9)
        codes = (draw.zipf(1.6, size) + subject * words // 6) % words
        rows.append([f"w{code}" for code in dict.fromkeys(codes.tolist())])
    return rows


def cloud(many: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    draw = np.random.default_rng(seed)
    middles = draw.normal(size=(40, dimensions))
    points = middles[draw.integers(40, size=many)] + 0.4 * draw.normal(size=(many, dimensions))
    return np.asarray(normalize(points), np.float32)


# ---------------------------------------------------------------- the space


def weighed(rows: list[list[str]]) -> Any:
    return TfidfVectorizer(analyzer=lambda row: row, norm="l2").fit_transform(rows)


def test_with_a_direction_for_each_word_it_is_tf_idf() -> None:
    rows = some_rows(200, 50)
    together = joined([bags(rows)], 1)
    space = made_of(together, len(together.words), 0)
    expected = weighed(rows).toarray()
    assert np.allclose(space.own_vectors(together), expected, atol=1e-6)
    assert np.allclose(space.vectors(bags(rows)), expected, atol=1e-6)


def test_directions_keep_as_much_as_any_can() -> None:
    """None keep more of the rows than those of the exact decomposition; ours are approximate."""
    rows = some_rows(600, 90)
    together = joined([bags(rows)], 1)
    expected = weighed(rows).toarray()
    exact = TruncatedSVD(12, algorithm="arpack", random_state=0).fit(weighed(rows))

    def lost(axes: NDArray[Any]) -> float:
        return float(np.linalg.norm(expected - expected @ axes @ axes.T))

    axes = made_of(together, 12, 0).axes
    assert np.allclose(axes.T @ axes, np.eye(12), atol=1e-5)
    assert lost(axes) < 1.005 * lost(exact.components_.T)
    assert lost(np.eye(90)[: expected.shape[1], :12]) > 1.05 * lost(axes)


def test_words_of_few_rows_are_dropped_and_parts_make_no_difference() -> None:
    rows = some_rows(300, 80)
    counts = Counter(word for row in rows for word in row)
    together = joined([bags(rows[:100]), bags([]), bags(rows[100:])], 4)
    assert together.words == sorted(word for word, many in counts.items() if many >= 4)
    found = [
        {together.words[code] for code in together.codes[start:stop]}
        for start, stop in zip(together.ends, together.ends[1:], strict=False)
    ]
    assert found == [{word for word in row if counts[word] >= 4} for row in rows]


def test_the_decomposition_is_bounded_and_depends_on_the_seed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    together = joined([bags(some_rows(900, 90))], 1)
    monkeypatch.setattr(_neighbours_space, "DRAWN", 300)
    first, again, other = (made_of(together, 8, seed).axes for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    monkeypatch.setattr(_neighbours_space, "_AT_ONCE", 7)
    assert made_of(together, 8, 0).own_vectors(together).shape == (900, 8)


def test_what_is_decomposed_is_drawn_from_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus is in the order of its projects: the last ones count as well."""
    early = [["a", f"a{n % 5}"] for n in range(500)]
    late = [["z", f"z{n % 5}"] for n in range(500)]
    together = joined([bags([*early, *late])], 1)
    monkeypatch.setattr(_neighbours_space, "DRAWN", 200)
    space = made_of(together, 4, 0)
    assert np.abs(space.axes[space.words.index("z")]).max() > 0.1
    assert np.abs(space.axes[space.words.index("a")]).max() > 0.1


def test_a_row_of_unknown_words_has_no_direction() -> None:
    together = joined([bags([["a", "b"], ["a", "c"], []])], 1)
    space = made_of(together, 2, 0)
    assert not space.vectors(bags([["x"], []])).any()
    assert not space.own_vectors(together)[2].any()
    assert np.allclose(np.linalg.norm(space.vectors(bags([["a"], ["a", "x"]])), axis=1), 1)


def test_a_space_is_the_same_from_disk(tmp_path: Path) -> None:
    rows: Bags = joined([bags(some_rows(200, 60))], 1)
    space = made_of(rows, 6, 0)
    space.save(tmp_path, "it")
    loaded = _neighbours_space.Space.load(tmp_path, "it")
    assert np.array_equal(loaded.vectors(rows), space.vectors(rows))


# ---------------------------------------------------------------- the index


def test_few_vectors_are_all_compared() -> None:
    points = cloud(500, 16)
    asked = cloud(50, 16, seed=1)
    places, similar = Nearest.of(points, 0).search(asked, 7)
    every = asked @ points.T
    assert np.array_equal(places, np.argsort(-every, axis=1, kind="stable")[:, :7])
    assert np.allclose(similar, -np.sort(-every, axis=1)[:, :7], atol=1e-5)


def test_of_many_nearly_all_nearest_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = cloud(6000, 16)
    exact, _ = Nearest.of(points, 0).search(points[:300], 20)
    monkeypatch.setattr(_neighbours_index, "EXACT", 1000)
    monkeypatch.setattr(_neighbours_index, "IN_CELL", 60)
    index = Nearest.of(points, 0)
    near, _ = index.search(points[:300], 20)
    assert type(index.index).__name__ == "IndexIVFFlat"
    shared = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), near.tolist(), strict=True)]
    assert np.mean(shared) > 19
    Nearest.of(points, 0).save(tmp_path / "again")
    index.save(tmp_path / "one")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "again").read_bytes()
    assert len(Nearest.load(tmp_path / "one")) == 6000


def test_where_there_are_no_more_the_place_is_none() -> None:
    places, _ = Nearest.of(cloud(3, 4), 0).search(cloud(1, 4), 5)
    assert places[0, 3:].tolist() == [-1, -1]


def test_a_damaged_index_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"nothing")
    with pytest.raises(AcumenError, match="cannot be read") as raised:
        Nearest.load(tmp_path / "x")
    assert "made again" in raised.value.hint


def test_without_faiss_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(AcumenError, match="faiss") as raised:
        Nearest.of(cloud(3, 4), 0)
    assert "pip install 'acumen[names]'" in raised.value.hint


# ---------------------------------------------------------------- what methods and names are


def test_a_body_does_not_tell_its_name_nor_its_place() -> None:
    code = "List<String> find(int size) { if (size > 0) return find(size - 1); return names; }"
    found = facts_of_text(code)
    other = facts_of_text(code.replace("find", "METHOD_NAME"))
    assert found is not None
    assert other is not None
    assert body_words(found) == body_words(other)
    assert "calls itself" in body_words(found)
    assert not [one for one in body_words(found) if "find" in one or one.startswith("in ")]


def test_in_its_class_a_body_tells_what_it_tells_alone() -> None:
    method = "Chain add(int more) { total += more; return this; }"
    [inside] = facts_of(JavaFile(f"class Chain implements Runnable {{ {method} }}".encode()))
    alone = facts_of_text(method)
    assert alone is not None
    assert inside.owner != alone.owner
    assert body_words(inside) == body_words(alone)


def test_names_of_the_same_words_are_the_same() -> None:
    assert same_name("asBufferedReader") == same_name("as_buffered_reader") == "as buffered reader"
    assert name_words("fooToFoo", "words") == ["foo", "to"]
    assert name_words("fooToFoo", "first") == ["first foo", "foo", "to"]
    assert name_words("_", "first") == []


# ---------------------------------------------------------------- a corpus


@pytest.fixture(scope="module")
def neighbours(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Neighbours:
    cache = tmp_path_factory.mktemp("cache")
    settings = Settings(dimensions=64, rare=1)
    return neighbours_of(examples_corpus.folder, cache, settings, lambda: shared_engine(2))


def test_who_is_near_by_name(neighbours: Neighbours) -> None:
    [near] = neighbours.names(["getTitle"], 12)
    assert len(near) == 12
    assert all(one.meaning != "get title" for one in near)
    assert [one.similarity for one in near] == sorted(
        (one.similarity for one in near), reverse=True
    )
    written = {one.name for one in near}
    known = {neighbours._written[spelled] for spelled in neighbours._spelled.tolist()}
    assert written <= known
    assert neighbours.names(["qqqzzz"], 5) == [[]]


def test_methods_of_one_name_are_all_its_neighbours(neighbours: Neighbours) -> None:
    """k counts methods, not names."""
    often = Counter(
        neighbours._different[neighbours._meant[spelled]]
        for spelled in neighbours._spelled.tolist()
    )
    asked = "anything at all of it"
    [near] = neighbours.names([asked], sum(often.values()))
    seen = Counter(one.meaning for one in near)
    assert all(often[name] == many for name, many in list(seen.items())[:-1])
    assert max(seen.values()) > 1
    assert len({one.place for one in near}) == len(near)


def test_a_method_of_the_corpus_is_its_own_neighbour(
    neighbours: Neighbours, examples_corpus: Corpus
) -> None:
    rows = examples_corpus.query(
        "select name, text, type from methods where kind = 'method' and body and path not ilike "
        "'%test%' and path not ilike '%example%' order by path, line limit 60"
    ).to_pylist()
    asked = [(row, facts) for row in rows if (facts := facts_of_text(row["text"])) is not None]
    asked = [(row, facts) for row, facts in asked if not facts.overrides and not facts.empty]
    near = neighbours.bodies([facts for _, facts in asked], 3)
    there = [
        row["name"] in {one.name for one in found if one.similarity > 0.95}
        for (row, _), found in zip(asked, near, strict=True)
    ]
    # Alone, a method tells a little less than in its class.
    assert sum(there) > 0.8 * len(there)
    assert neighbours.owner(near[0][0].place)


def test_the_same_bytes_with_any_number_of_workers(
    examples_corpus: Corpus, tmp_path: Path, neighbours: Neighbours
) -> None:
    settings = Settings(dimensions=64, rare=1)
    again = neighbours_of(examples_corpus.folder, tmp_path, settings, lambda: shared_engine(1))
    assert contents(again.folder) == contents(neighbours.folder)
    assert not list(again.folder.parent.glob(".index-*"))


def test_an_index_is_made_once(examples_corpus: Corpus, neighbours: Neighbours) -> None:
    def nobody() -> Any:
        raise AssertionError("it is there")

    cache = neighbours.folder.parent.parent
    settings = Settings(dimensions=64, rare=1)
    again = neighbours_of(examples_corpus.folder, cache, settings, nobody)
    assert again.folder == neighbours.folder
    other = index_folder(examples_corpus.folder, cache, Settings(dimensions=64, rare=1, seed=1))
    assert other != neighbours.folder


def test_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(AcumenError, match="holds no corpus"):
        neighbours_of(tmp_path, tmp_path, Settings(), lambda: shared_engine(1))
