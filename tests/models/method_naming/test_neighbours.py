"""Tests of neighbours by body and by name in the example corpus, and of the stored index."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.facts import read_facts, read_facts_from_text
from codeacumen.models.method_naming.neighbours import (
    Neighbours,
    NeighbourSettings,
    build_key,
    list_body_words,
    list_name_words,
    load_neighbours,
    normalize_name,
)
from corpora import read_files, shared_engine

pytest.importorskip("faiss")


# ---------------------------------------------------------------- words of methods and names


def test_body_words_hide_name_and_owner() -> None:
    code = "List<String> find(int size) { if (size > 0) return find(size - 1); return names; }"
    named_facts = read_facts_from_text(code)
    masked_facts = read_facts_from_text(code.replace("find", "METHOD_NAME"))
    assert named_facts is not None
    assert masked_facts is not None
    assert list_body_words(named_facts) == list_body_words(masked_facts)
    assert "calls itself" in list_body_words(named_facts)
    assert not [
        word for word in list_body_words(named_facts) if "find" in word or word.startswith("in ")
    ]


def test_body_words_do_not_depend_on_the_class() -> None:
    method = "Chain add(int more) { total += more; return this; }"
    [inside] = read_facts(JavaFile(f"class Chain implements Runnable {{ {method} }}".encode()))
    alone = read_facts_from_text(method)
    assert alone is not None
    assert inside.owner != alone.owner
    assert list_body_words(inside) == list_body_words(alone)


def test_names_with_same_words_are_equal() -> None:
    assert (
        normalize_name("asBufferedReader")
        == normalize_name("as_buffered_reader")
        == "as buffered reader"
    )
    assert list_name_words("fooToFoo", "words") == ["foo", "to"]
    assert list_name_words("fooToFoo", "first") == ["first foo", "foo", "to"]
    assert list_name_words("_", "first") == []


# ---------------------------------------------------------------- a corpus


@pytest.fixture(scope="module")
def neighbours(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Neighbours:
    cache = tmp_path_factory.mktemp("cache")
    settings = NeighbourSettings(dimensions=64, rare=1)
    return load_neighbours(examples_corpus.folder, cache, settings, lambda: shared_engine(2))


def test_neighbours_by_name(neighbours: Neighbours) -> None:
    [nearest] = neighbours.find_by_name(["getTitle"], 12)
    assert len(nearest) == 12
    assert all(neighbour.meaning != "get title" for neighbour in nearest)
    assert [neighbour.similarity for neighbour in nearest] == sorted(
        (neighbour.similarity for neighbour in nearest), reverse=True
    )
    neighbour_names = {neighbour.name for neighbour in nearest}
    corpus_names = {neighbours._spellings[spelled] for spelled in neighbours._spelling.tolist()}
    assert neighbour_names <= corpus_names
    assert neighbours.find_by_name(["qqqzzz"], 5) == [[]]


def test_all_methods_with_one_name_are_neighbours(neighbours: Neighbours) -> None:
    """The setting k counts methods, not names."""
    corpus_counts = Counter(
        neighbours._meanings[neighbours._meaning[spelled]]
        for spelled in neighbours._spelling.tolist()
    )
    name = "anything at all of it"
    [nearest] = neighbours.find_by_name([name], sum(corpus_counts.values()))
    counts = Counter(neighbour.meaning for neighbour in nearest)
    assert all(corpus_counts[meaning] == count for meaning, count in list(counts.items())[:-1])
    assert max(counts.values()) > 1
    assert len({neighbour.index for neighbour in nearest}) == len(nearest)


def test_indexed_method_is_its_own_neighbour(
    neighbours: Neighbours, examples_corpus: Corpus
) -> None:
    rows = examples_corpus.query(
        "select name, text, type from methods where kind = 'method' and body and path not ilike "
        "'%test%' and path not ilike '%example%' order by path, line limit 60"
    ).to_pylist()
    methods = [
        (row, facts) for row in rows if (facts := read_facts_from_text(row["text"])) is not None
    ]
    methods = [(row, facts) for row, facts in methods if not facts.overrides and not facts.empty]
    nearest = neighbours.find_by_body([facts for _, facts in methods], 3)
    is_own_neighbour = [
        row["name"]
        in {neighbour.name for neighbour in row_neighbours if neighbour.similarity > 0.95}
        for (row, _), row_neighbours in zip(methods, nearest, strict=True)
    ]
    # Some words of a method are known only inside its class.
    assert sum(is_own_neighbour) > 0.8 * len(is_own_neighbour)
    assert neighbours.get_owner(nearest[0][0].index)


def test_index_bytes_do_not_depend_on_number_of_workers(
    examples_corpus: Corpus, tmp_path: Path, neighbours: Neighbours
) -> None:
    settings = NeighbourSettings(dimensions=64, rare=1)
    serial = load_neighbours(examples_corpus.folder, tmp_path, settings, lambda: shared_engine(1))
    assert read_files(serial.stored.folder) == read_files(neighbours.stored.folder)
    assert not list(serial.stored.folder.parent.glob(".index-*"))


def test_index_is_built_once(examples_corpus: Corpus, neighbours: Neighbours) -> None:
    def refuse_engine() -> Any:
        raise AssertionError("it is there")

    cache = neighbours.stored.folder.parents[2]
    settings = NeighbourSettings(dimensions=64, rare=1)
    reused = load_neighbours(examples_corpus.folder, cache, settings, refuse_engine)
    assert reused.stored.folder == neighbours.stored.folder
    assert build_key(settings) != build_key(replace(settings, seed=1))


def test_missing_corpus_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        load_neighbours(tmp_path, tmp_path, NeighbourSettings(), lambda: shared_engine(1))
