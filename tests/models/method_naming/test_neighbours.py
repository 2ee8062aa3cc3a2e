"""Neighbours by body and by name in the example corpus, and how their index is stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.facts import facts_of, facts_of_text
from codeacumen.models.method_naming.neighbours import (
    Neighbours,
    Settings,
    body_words,
    index_folder,
    name_words,
    neighbours_of,
    same_name,
)
from corpora import contents, shared_engine

pytest.importorskip("faiss")


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
    known = {neighbours._spellings[spelled] for spelled in neighbours._spelling.tolist()}
    assert written <= known
    assert neighbours.names(["qqqzzz"], 5) == [[]]


def test_methods_of_one_name_are_all_its_neighbours(neighbours: Neighbours) -> None:
    """k counts methods, not names."""
    often = Counter(
        neighbours._meanings[neighbours._meaning[spelled]]
        for spelled in neighbours._spelling.tolist()
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
    assert contents(again.stored.folder) == contents(neighbours.stored.folder)
    assert not list(again.stored.folder.parent.glob(".index-*"))


def test_an_index_is_made_once(examples_corpus: Corpus, neighbours: Neighbours) -> None:
    def nobody() -> Any:
        raise AssertionError("it is there")

    cache = neighbours.stored.folder.parents[2]
    settings = Settings(dimensions=64, rare=1)
    again = neighbours_of(examples_corpus.folder, cache, settings, nobody)
    assert again.stored.folder == neighbours.stored.folder
    other = index_folder(examples_corpus.folder, cache, Settings(dimensions=64, rare=1, seed=1))
    assert other != neighbours.stored.folder


def test_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        neighbours_of(tmp_path, tmp_path, Settings(), lambda: shared_engine(1))
