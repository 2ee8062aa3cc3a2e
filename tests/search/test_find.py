"""``find``: which methods do something like this one? Scores against Okapi's formula as a loop; the
answers against methods whose twins are known."""

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
    find,
    open_word_index,
    read_query,
)
from codeacumen.search.words import words
from corpora import shared_engine

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus


@pytest.fixture(scope="module")
def index(examples_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    cache = tmp_path_factory.mktemp("cache")
    return open_word_index(examples_corpus.folder, cache, lambda: shared_engine(2))


def rows_of(corpus: Corpus) -> list[dict[str, object]]:
    sql = "select method_id::varchar id, name, javadoc, text, project, type from methods where body"
    found: list[dict[str, object]] = corpus.query(sql).to_pylist()
    return found


def said_by(row: dict[str, object]) -> dict[str, int]:
    return words(str(row["name"]), str(row["javadoc"] or ""), str(row["text"]))


def test_words_by_hand() -> None:
    text = """
        /** Sorts {@code values}, <b>in place</b>. */
        static void sortAll(int[] someValues) { // quickly
            Arrays.sort(someValues); log("sorted them", 'x');
        }
    """
    found = words("sortAll", "/** Sorts {@code values}, <b>in place</b>. */", text)
    assert found == {
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
def test_any_text_has_words(text: str) -> None:
    assert isinstance(words("", text, text), dict)


def test_scores_are_okapis(index: WordIndex, examples_corpus: Corpus) -> None:
    """The oracle is the formula, word by word and method by method."""
    rows = rows_of(examples_corpus)
    said = {row["id"]: said_by(row) for row in rows}
    about = index.describe(range(index.methods))
    assert {one.method_id for one in about} == set(said)
    mean = sum(sum(one.values()) for one in said.values()) / len(said)
    having: dict[object, int] = {}
    for one in said.values():
        for word in one:
            having[word] = having.get(word, 0) + 1

    def rarity(word: str) -> float:
        n = having.get(word, 0)
        return math.log(1 + (len(said) - n + 0.5) / (n + 0.5))

    question = {"read": 2, "line": 1, "file": 1, "nobodysaysthis": 3}
    most = sum((t * (K + 1) / (t + K)) ** 2 * rarity(w) for w, t in question.items())
    scores = index.scores(question)
    for place, one in enumerate(about):
        mine = said[one.method_id]
        longer = 1 - B + B * sum(mine.values()) / mean
        expected = sum(
            t * (K + 1) / (t + K) * rarity(w) * mine[w] * (K + 1) / (mine[w] + K * longer)
            for w, t in question.items()
            if w in mine
        )
        assert scores[place] == pytest.approx(expected / most, abs=1e-5)


def test_every_method_finds_itself_first(index: WordIndex, examples_corpus: Corpus) -> None:
    """But for those that say the same, as overloads and short getters do."""
    rows = rows_of(examples_corpus)
    about = index.describe(range(index.methods))
    place = {one.method_id: i for i, one in enumerate(about)}
    first = 0
    for row in rows:
        scores = index.scores(said_by(row))
        first += bool(scores[place[str(row["id"])]] >= scores.max() - 1e-6)
    assert first > 0.95 * len(rows)


def test_a_method_of_the_corpus_is_not_its_own_answer(
    index: WordIndex, examples_corpus: Corpus
) -> None:
    row = rows_of(examples_corpus)[0]
    mine = read_query(str(row["id"]), examples_corpus.folder)
    assert mine.name == row["name"]
    hits = find(index, mine, 5)
    assert len(hits) == 5
    assert str(row["id"]) not in {hit.method.method_id for hit in hits}
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    keys = [
        (hit.method.project, hit.method.type, hit.method.signature.split("(")[0]) for hit in hits
    ]
    assert len(set(keys)) == len(keys), "overloads are told once"


def test_methods_in_files(tmp_path: Path, examples_corpus: Corpus) -> None:
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
    with pytest.raises(CodeacumenError, match="neither a file nor a method"):
        read_query("nothing", folder)
    broken = tmp_path / "broken.java"
    broken.write_bytes(b"\xff\x00class { ((((")
    with pytest.raises(CodeacumenError, match="no method"):
        read_query(str(broken), folder)


def test_nothing_in_common_is_no_answer(index: WordIndex) -> None:
    assert find(index, QueryMethod("qqqq", "", "void qqqq() { zzzz(); }")) == []


def test_the_same_index_whatever_the_workers(examples_corpus: Corpus, tmp_path: Path) -> None:
    made = []
    for workers in (1, 2):
        engine = shared_engine(workers)
        found = open_word_index(examples_corpus.folder, tmp_path / str(workers), lambda e=engine: e)  # type: ignore[misc]
        made.append({file.name: file.read_bytes() for file in found.stored.folder.iterdir()})
    assert made[0] == made[1]
    assert found.postings.offsets[-1] > 0


def test_a_folder_that_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        open_word_index(tmp_path, tmp_path, lambda: shared_engine(1))


def test_methods_far_down_a_file_are_read_without_a_crash(tmp_path: Path) -> None:
    """tree-sitter 0.26.0 frees a line number above 256 too early where it is read as ``row``."""
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
