"""Tests of ``find``, which searches for similar methods: scores against Okapi's formula as a loop,
and results for methods with known near-duplicates."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.search.word_index import (
    B,
    K,
    QueryMethod,
    WordIndex,
    count_words,
    find_similar,
    open_word_index,
    read_query,
)
from corpora import shared_engine

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus


@pytest.fixture(scope="module")
def index(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    cache = tmp_path_factory.mktemp("cache")
    return open_word_index(examples_corpus.folder, cache, lambda: shared_engine(2))


def load_rows(corpus: Corpus) -> list[dict[str, object]]:
    sql = "select method_id::varchar id, name, javadoc, text, project, type from methods where body"
    rows: list[dict[str, object]] = corpus.query(sql).to_pylist()
    return rows


def count_words_of(row: dict[str, object]) -> dict[str, int]:
    return count_words(str(row["name"]), str(row["javadoc"] or ""), str(row["text"]))


def test_words_by_hand() -> None:
    text = """
        /** Sorts {@code values}, <b>in place</b>. */
        static void sortAll(int[] someValues) { // quickly
            Arrays.sort(someValues); log("sorted them", 'x');
        }
    """
    counts = count_words("sortAll", "/** Sorts {@code values}, <b>in place</b>. */", text)
    assert counts == {
        "sort": 3 + 1,
        "all": 3,
        "sorts": 1,
        "values": 1 + 2,
        "in": 1,
        "place": 1,
        "some": 2,
        "arrays": 1,
        "log": 1,
    }


@pytest.mark.parametrize("text", ["", '"', "'", "/*", '"""', "/* \\", "\udcff x", "a" * 9999, "//"])
def test_words_accept_any_text(text: str) -> None:
    assert isinstance(count_words("", text, text), dict)


def test_scores_equal_okapi_formula(index: WordIndex, examples_corpus: Corpus) -> None:
    """The oracle is the formula, word by word and method by method."""
    rows = load_rows(examples_corpus)
    words_by_method = {row["id"]: count_words_of(row) for row in rows}
    descriptions = index.describe_methods(range(index.postings.method_count))
    assert {description.method_id for description in descriptions} == set(words_by_method)
    mean = sum(sum(word_counts.values()) for word_counts in words_by_method.values()) / len(
        words_by_method
    )
    method_counts: dict[object, int] = {}
    for entry in words_by_method.values():
        for word in entry:
            method_counts[word] = method_counts.get(word, 0) + 1

    def compute_rarity(word: str) -> float:
        method_count = method_counts.get(word, 0)
        return math.log(1 + (len(words_by_method) - method_count + 0.5) / (method_count + 0.5))

    question = {"read": 2, "line": 1, "file": 1, "nobodysaysthis": 3}
    best_score = sum(
        (count * (K + 1) / (count + K)) ** 2 * compute_rarity(term)
        for term, count in question.items()
    )
    scores = index.compute_scores(question)
    for place, entry in enumerate(descriptions):
        own_words = words_by_method[entry.method_id]
        length_factor = 1 - B + B * sum(own_words.values()) / mean
        expected = sum(
            count
            * (K + 1)
            / (count + K)
            * compute_rarity(term)
            * own_words[term]
            * (K + 1)
            / (own_words[term] + K * length_factor)
            for term, count in question.items()
            if term in own_words
        )
        assert scores[place] == pytest.approx(expected / best_score, abs=1e-5)


def test_every_method_finds_itself_first(index: WordIndex, examples_corpus: Corpus) -> None:
    """Methods with the same words, such as overloads and short getters, are exceptions."""
    rows = load_rows(examples_corpus)
    about = index.describe_methods(range(index.postings.method_count))
    place = {description.method_id: i for i, description in enumerate(about)}
    first = 0
    for row in rows:
        scores = index.compute_scores(count_words_of(row))
        first += bool(scores[place[str(row["id"])]] >= scores.max() - 1e-6)
    assert first > 0.95 * len(rows)


def test_indexed_method_is_not_its_own_result(index: WordIndex, examples_corpus: Corpus) -> None:
    row = load_rows(examples_corpus)[0]
    query = read_query(str(row["id"]), examples_corpus.folder)
    assert query.name == row["name"]
    hits = find_similar(index, query, 5)
    assert len(hits) == 5
    assert str(row["id"]) not in {hit.method.method_id for hit in hits}
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    keys = [
        (hit.method.project, hit.method.type, hit.method.signature.split("(")[0]) for hit in hits
    ]
    assert len(set(keys)) == len(keys), "overloads are listed once"


def test_query_methods_are_read_from_files(tmp_path: Path, examples_corpus: Corpus) -> None:
    folder = examples_corpus.folder
    file = tmp_path / "A.java"
    file.write_text(
        "class A {\n  /** Adds. */\n  int add(int a) {\n    return a + 1;\n  }\n"
        "  void run() { new Object() { void inner() { } }; }\n  int add() { return 2; }\n}\n"
    )
    assert read_query(f"{file}:4", folder).javadoc == "/** Adds. */"
    assert read_query(f"{file}:run", folder).name == "run"
    assert read_query(f"{file}:6", folder).name == "inner"
    with pytest.raises(CodeacumenError, match="2 methods called add"):
        read_query(f"{file}:add", folder)
    with pytest.raises(CodeacumenError, match="no method at 'subtract'") as caught:
        read_query(f"{file}:subtract", folder)
    assert "add, run" in caught.value.hint
    alone = tmp_path / "method.txt"
    alone.write_text("/** Ends. */\nvoid end() {\n  stop();\n}\n")
    assert read_query(str(alone), folder) == read_query(f"{alone}:3", folder)
    assert read_query(str(alone), folder).name == "end"
    alone.write_text("void end() {\n}\n\nvoid end(int a) {\n  stop(a);\n}\n")
    with pytest.raises(CodeacumenError, match="2 methods") as caught:
        read_query(str(alone), folder)
    assert caught.value.hint.endswith("line: 1, 4"), "lines of the file, without the class around"
    assert "int a" in read_query(f"{alone}:4", folder).text
    assert "int a" in read_query(f"{alone}:6", folder).text
    with pytest.raises(CodeacumenError, match="no method at '3'"):
        read_query(f"{alone}:3", folder)
    with pytest.raises(CodeacumenError, match="neither a file nor a method"):
        read_query("nothing", folder)
    broken = tmp_path / "broken.java"
    broken.write_bytes(b"\xff\x00class { ((((")
    with pytest.raises(CodeacumenError, match="no method"):
        read_query(str(broken), folder)


def test_query_without_common_words_has_no_result(index: WordIndex) -> None:
    assert find_similar(index, QueryMethod("qqqq", "", "void qqqq() { zzzz(); }")) == []


def test_index_does_not_depend_on_number_of_workers(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    contents_of_indexes = []
    for workers in (1, 2):
        engine = shared_engine(workers)
        word_index = open_word_index(
            examples_corpus.folder, tmp_path / str(workers), lambda e=engine: e
        )  # type: ignore[misc]
        contents_of_indexes.append(
            {file.name: file.read_bytes() for file in word_index.stored.folder.iterdir()}
        )
    assert contents_of_indexes[0] == contents_of_indexes[1]
    assert word_index.postings.offsets[-1] > 0


def test_folder_without_corpus_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        open_word_index(tmp_path, tmp_path, lambda: shared_engine(1))


def test_methods_far_down_a_file_are_read_without_a_crash(tmp_path: Path) -> None:
    """tree-sitter 0.26.0 frees a line number above 256 too early if it is read as ``row``."""
    methods = "\n".join(f"  int size{i}() {{\n    return {i};\n  }}" for i in range(400))
    file = tmp_path / "Far.java"
    file.write_text(f"class Far {{\n{methods}\n}}\n")
    code = (
        "import gc, sys\n"
        "from pathlib import Path\n"
        "from codeacumen.search.word_index import read_query\n"
        "for _ in range(20):\n"
        "    name = read_query(sys.argv[1] + ':size399', Path()).name\n"
        "    gc.collect()\n"
        "print(name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "size399"), done.stderr
