"""What to ask about: counts and roles, pairs, contexts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.survey.occurrences import ROLES, Occurrences, compared, identifiers_of, occurrences
from codeacumen.survey.select import (
    BLANK,
    Picker,
    Wish,
    at_random,
    blanked,
    by_cosine,
    by_synonyms,
    contexts,
    read_synonyms,
    select,
    synonyms,
)
from corpora import build_at, shared_engine

SCRIPT = """
function getSize(list) {
  var count = list.length;
  // count is not the size
  return count + this.size;
}
module.exports.getSize = getSize;
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Eight files of JavaScript, one twice, and one of Java."""
    root = tmp_path_factory.mktemp("scripts")
    folder = root / "project"
    folder.mkdir()
    for number in range(8):
        body = "\n".join(f"  total{number} = startTime + item + {line};" for line in range(12))
        text = SCRIPT + f"function use{number}(item, startTime, beginTime) {{\n{body}\n}}\n"
        (folder / f"file{number}.js").write_text(text)
    (folder / "copy.js").write_text((folder / "file0.js").read_text())
    (folder / "A.java").write_text("class A { int size; int size() { return this.size; } }")
    build_at(root / "corpus", [str(folder)], views=("text",))
    return Corpus.open(root / "corpus")


def roles_of(language: str, source: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    named = identifiers_of(language, source.encode())
    for word, role in zip(named.word.tolist(), named.role.tolist(), strict=True):
        found.setdefault(named.words[word], Counter())[ROLES[role]] += 1
    return found


def test_roles_in_javascript() -> None:
    found = roles_of("javascript", SCRIPT)
    assert found["getSize"] == {"function": 1, "property": 1, "variable": 1}
    assert found["count"] == {"variable": 2}
    assert found["size"] == found["length"] == {"property": 1}


def test_roles_in_java() -> None:
    found = roles_of(
        "java",
        "package p.q; import p.T; @Deprecated class A<T> { int field = 1; A(int param) { "
        "this.field = param; run(A::run, other.field); for (T local : list) local.run(); } "
        "void run() { label: while (true) break label; } enum E { ONE } "
        "interface I { int MOST = 1; } }",
    )
    assert found["run"] == {"function": 4}
    assert found["field"] == {"property": 3}
    assert found["param"] == found["local"] == {"variable": 2}
    assert found["ONE"] == found["MOST"] == {"property": 1}
    assert found["A"] == {"other": 1, "function": 1, "variable": 1}
    assert {name: set(found[name]) for name in ("T", "p", "q", "label", "Deprecated", "E")} == {
        name: {"other"} for name in ("T", "p", "q", "label", "Deprecated", "E")
    }


def test_counts_of_a_corpus(scripts: Corpus) -> None:
    found = occurrences([scripts], shared_engine(2))
    assert found.files == {"java": 1, "javascript": 8}
    place = found.names.index("size")
    java, javascript = found.counts[place].tolist()
    assert java == [1, 2, 0, 0]
    assert javascript == [0, 8, 0, 0]
    assert found.role(place) == "property"
    assert found.role(found.names.index("getSize")) == "mixed"
    assert found.total.tolist() == sorted(found.total.tolist(), reverse=True)
    often = found.more_than(8 * 12)
    assert set(often.names) == {"item", "startTime"}


@dataclass
class Toy:
    names: list[str]
    matrix: NDArray[np.float32]


def toy(count: int, seed: int = 0, dimensions: int = 5) -> Toy:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)) + 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Toy([f"name{i}" for i in range(count)], rows.astype(np.float32))


def test_pairs_come_from_all_ranges_of_similarity() -> None:
    embedding = toy(200)
    picker = Picker()
    counts = by_cosine(embedding.names, embedding, 50, 0, "toy", picker)
    assert counts == [5] * 10
    place = {name: i for i, name in enumerate(embedding.names)}
    ranges = []
    for one in picker.found:
        left, right = (embedding.matrix[place[name]] for name in one.pair)
        assert one.cosine == pytest.approx(float(left @ right), abs=1e-4)
        ranges.append(min(9, max(0, int(float(left @ right) * 10))))
    assert Counter(ranges) == dict.fromkeys(range(10), 5)


def test_neither_blocks_nor_the_order_of_names_change_the_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedding = toy(120)
    found = []
    for block, names in ((1 << 22, embedding.names), (700, embedding.names[::-1])):
        monkeypatch.setattr("codeacumen.survey.select._BLOCK", block)
        picker = Picker()
        by_cosine(names, embedding, 30, 3, "toy", picker)
        found.append({one.pair for one in picker.found})
    assert found[0] == found[1]
    other = Picker()
    by_cosine(embedding.names, embedding, 30, 4, "toy", other)
    assert {one.pair for one in other.found} != found[0]


def test_an_embedding_that_knows_nothing_gives_nothing() -> None:
    assert by_cosine(["a", "b"], toy(5), 10, 0, "toy", Picker()) == [0] * 10


@given(st.integers(0, 40), st.integers(0, 5), st.integers(1, 3))
def test_no_pair_twice_and_no_name_too_often(wanted: int, seed: int, uses: int) -> None:
    embedding = toy(12)
    picker = Picker(uses)
    by_cosine(embedding.names, embedding, wanted, seed, "toy", picker)
    at_random(embedding.names, wanted, seed, picker)
    pairs = [one.pair for one in picker.found]
    assert len(set(pairs)) == len(pairs) <= 2 * wanted
    assert all(left < right for left, right in pairs)
    used = Counter(name for pair in pairs for name in pair)
    assert max(used.values(), default=0) <= uses


def test_synonyms_differ_by_one_word() -> None:
    names = [
        "startTime",
        "beginTime",
        "start_time",
        "endTime",
        "getItem",
        "fetchItem",
        "item",
        "TIME_START",
        "TIME_BEGIN",
        "timeStart",
        "timeBegin",
        "timebegin",
    ]
    picker = Picker(uses=9)
    assert by_synonyms(names, read_synonyms("begin start # first\nget fetch"), 9, 0, picker) == 4
    assert {one.pair for one in picker.found} == {
        ("beginTime", "startTime"),
        ("fetchItem", "getItem"),
        ("TIME_BEGIN", "TIME_START"),
        ("timeBegin", "timeStart"),
    }
    assert "size" in synonyms()["length"]
    assert all(word not in others for word, others in synonyms().items())


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("len = length", "len", f"{BLANK} = length"),
        ("$len len$ _len len2 'len'", "len", f"$len len$ _len len2 '{BLANK}'"),
        ("$(x); $.get", "$", f"{BLANK}(x); {BLANK}.get"),
        ("größe = größer", "größe", f"{BLANK} = größer"),
        ("Len", "len", "Len"),
    ],
)
def test_a_name_is_blanked_where_it_is_a_whole_word(text: str, name: str, wanted: str) -> None:
    assert blanked(text, name) == wanted


def test_contexts(scripts: Corpus) -> None:
    names = ["count", "item", "getSize"]
    found = contexts([scripts], names, shared_engine(2), seed=1)
    for name in names:
        mine = found[name]
        assert len({one.text for one in mine}) == len(mine)
        for one in mine:
            assert len(one.text.splitlines()) == 5
            assert BLANK in one.text
            assert blanked(one.text, name) == one.text
    assert len(found["item"]) == 5
    assert len({one.sha256 for one in found["item"]}) == 5
    # Its lines are the same in all files, so there are few different texts.
    assert 1 <= len(found["count"]) <= 3
    assert any(f"// {BLANK} is not" in one.text for one in found["count"])
    assert found == contexts([scripts], names, shared_engine(1), seed=1)
    assert found != contexts([scripts], names, shared_engine(2), seed=2)


def test_everything_together(scripts: Corpus) -> None:
    embedding = Toy(["item", "startTime", "size", "length"], toy(4).matrix)
    wish = Wish(pairs=6, synonyms=1, random=2, least=7, contexts=2)
    found = select([scripts], {"toy": embedding}, synonyms(), wish, shared_engine(2))
    again = select([scripts], {"toy": embedding}, synonyms(), wish, shared_engine(1))
    assert json.dumps(found) == json.dumps(again)
    assert len(found["pairs"]) == 6
    why = Counter(one["why"] for one in found["pairs"])
    assert why["synonyms"] == 1
    assert why["toy"] == sum(found["ranges"]["toy"]) >= 2
    assert all(("cosine" in one) == (one["why"] == "toy") for one in found["pairs"])
    named = {name for one in found["pairs"] for name in (one["left"], one["right"])}
    assert [one["name"] for one in found["identifiers"]] == sorted(named)
    for one in found["identifiers"]:
        assert sum(one["roles"].values()) == sum(one["occurrences"].values()) > 7
        assert 1 <= len(one["contexts"]) <= 2
    with pytest.raises(CodeacumenError, match="more than 9999 times"):
        select([scripts], {}, {}, Wish(least=9999), shared_engine(2))


def test_counts_that_are_the_published_ones_go_with_them(idbench_source: Path) -> None:
    lines = (idbench_source / "identifier_cross_lang_freq_stats.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    counts = np.zeros((len(rows), 2, len(ROLES)), dtype=np.int64)
    counts[:, 1, 1] = [int(row[1]) for row in rows]
    counts[:, 0, 0] = [int(row[3]) for row in rows]
    names = tuple(row[0].upper() for row in rows)
    told = compared(Occurrences(names, counts, {}), idbench_source)
    javascript = told["languages"]["javascript"]
    # Table I.
    assert javascript["total"] == 3_697_498
    assert (javascript["min"], javascript["max"]) == (62, 629_413)
    assert round(javascript["mean"]) == 7639
    assert javascript["spearman"] == pytest.approx(1)
    assert told["languages"]["java"]["spearman"] == pytest.approx(1)
    assert told["roles"]["primary"]["ours"]["property"] == 1
    assert told["roles"]["primary"]["published"]["function"] == pytest.approx(0.173, abs=0.01)
