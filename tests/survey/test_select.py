"""Tests of selecting questions for a survey: counts and roles of identifiers, pairs, contexts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.survey.occurrences import (
    ROLES,
    count_identifiers,
    read_identifiers,
)
from codeacumen.survey.select import (
    BLANK,
    PairPicker,
    SelectionRequest,
    blank_name,
    build_selection,
    collect_contexts,
    load_synonyms,
    parse_synonyms,
    pick_at_random,
    pick_by_cosine,
    pick_by_synonyms,
)
from corpora import build_corpus_at, shared_engine

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
    """Return a corpus of eight JavaScript files, a copy of one of them, and a Java file."""
    root = tmp_path_factory.mktemp("scripts")
    folder = root / "project"
    folder.mkdir()
    for number in range(8):
        body = "\n".join(f"  total{number} = startTime + item + {line};" for line in range(12))
        text = SCRIPT + f"function use{number}(item, startTime, beginTime) {{\n{body}\n}}\n"
        (folder / f"file{number}.js").write_text(text)
    (folder / "copy.js").write_text((folder / "file0.js").read_text())
    (folder / "A.java").write_text("class A { int size; int size() { return this.size; } }")
    build_corpus_at(root / "corpus", [str(folder)], views=("text",))
    return Corpus.open(root / "corpus")


def count_roles(language: str, source: str) -> dict[str, Counter[str]]:
    roles_by_name: dict[str, Counter[str]] = {}
    found_identifiers = read_identifiers(language, source.encode())
    for word, role in zip(
        found_identifiers.word.tolist(), found_identifiers.role.tolist(), strict=True
    ):
        roles_by_name.setdefault(found_identifiers.words[word], Counter())[ROLES[role]] += 1
    return roles_by_name


def test_roles_in_javascript() -> None:
    roles_by_name = count_roles("javascript", SCRIPT)
    assert roles_by_name["getSize"] == {"function": 1, "property": 1, "variable": 1}
    assert roles_by_name["count"] == {"variable": 2}
    assert roles_by_name["size"] == roles_by_name["length"] == {"property": 1}


def test_roles_in_java() -> None:
    roles_by_name = count_roles(
        "java",
        "package p.q; import p.T; @Deprecated class A<T> { int field = 1; A(int param) { "
        "this.field = param; run(A::run, other.field); for (T local : list) local.run(); } "
        "void run() { label: while (true) break label; } enum E { ONE } "
        "interface I { int MOST = 1; } }",
    )
    assert roles_by_name["run"] == {"function": 4}
    assert roles_by_name["field"] == {"property": 3}
    assert roles_by_name["param"] == roles_by_name["local"] == {"variable": 2}
    assert roles_by_name["ONE"] == roles_by_name["MOST"] == {"property": 1}
    assert roles_by_name["A"] == {"other": 1, "function": 1, "variable": 1}
    assert {
        name: set(roles_by_name[name]) for name in ("T", "p", "q", "label", "Deprecated", "E")
    } == {name: {"other"} for name in ("T", "p", "q", "label", "Deprecated", "E")}


def test_counts_of_a_corpus(scripts: Corpus) -> None:
    counted = count_identifiers([scripts], shared_engine(2))
    assert counted.files == {"java": 1, "javascript": 8}
    index = counted.names.index("size")
    java, javascript = counted.counts[index].tolist()
    assert java == [1, 2, 0, 0]
    assert javascript == [0, 8, 0, 0]
    assert counted.get_primary_role(index) == "property"
    assert counted.get_primary_role(counted.names.index("getSize")) == "mixed"
    assert counted.total.tolist() == sorted(counted.total.tolist(), reverse=True)
    frequent = counted.keep_more_than(8 * 12)
    assert set(frequent.names) == {"item", "startTime"}


@dataclass
class ToyEmbedding:
    names: list[str]
    matrix: NDArray[np.float32]


def make_embedding(count: int, seed: int = 0, dimensions: int = 5) -> ToyEmbedding:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)) + 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return ToyEmbedding([f"name{i}" for i in range(count)], rows.astype(np.float32))


def test_pairs_come_from_all_ranges_of_similarity() -> None:
    embedding = make_embedding(200)
    picker = PairPicker()
    counts = pick_by_cosine(embedding.names, embedding, 50, 0, "toy", picker)
    assert counts == [5] * 10
    index_of_name = {name: index for index, name in enumerate(embedding.names)}
    ranges = []
    for picked in picker.selected:
        left, right = (embedding.matrix[index_of_name[name]] for name in picked.pair)
        assert picked.cosine == pytest.approx(float(left @ right), abs=1e-4)
        ranges.append(min(9, max(0, int(float(left @ right) * 10))))
    assert Counter(ranges) == dict.fromkeys(range(10), 5)


def test_the_choice_does_not_depend_on_blocks_or_the_order_of_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embedding = make_embedding(120)
    chosen_pairs = []
    for block, names in ((1 << 22, embedding.names), (700, embedding.names[::-1])):
        monkeypatch.setattr("codeacumen.survey.select._BLOCK", block)
        picker = PairPicker()
        pick_by_cosine(names, embedding, 30, 3, "toy", picker)
        chosen_pairs.append({picked.pair for picked in picker.selected})
    assert chosen_pairs[0] == chosen_pairs[1]
    other_picker = PairPicker()
    pick_by_cosine(embedding.names, embedding, 30, 4, "toy", other_picker)
    assert {picked.pair for picked in other_picker.selected} != chosen_pairs[0]


def test_an_embedding_without_the_names_yields_no_pairs() -> None:
    assert pick_by_cosine(["a", "b"], make_embedding(5), 10, 0, "toy", PairPicker()) == [0] * 10


@given(st.integers(0, 40), st.integers(0, 5), st.integers(1, 3))
def test_pairs_are_unique_and_names_used_at_most_as_often_as_allowed(
    count: int, seed: int, uses: int
) -> None:
    embedding = make_embedding(12)
    picker = PairPicker(uses)
    pick_by_cosine(embedding.names, embedding, count, seed, "toy", picker)
    pick_at_random(embedding.names, count, seed, picker)
    pairs = [picked.pair for picked in picker.selected]
    assert len(set(pairs)) == len(pairs) <= 2 * count
    assert all(left < right for left, right in pairs)
    uses_of_name = Counter(name for pair in pairs for name in pair)
    assert max(uses_of_name.values(), default=0) <= uses


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
    picker = PairPicker(uses=9)
    assert (
        pick_by_synonyms(names, parse_synonyms("begin start # first\nget fetch"), 9, 0, picker) == 4
    )
    assert {picked.pair for picked in picker.selected} == {
        ("beginTime", "startTime"),
        ("fetchItem", "getItem"),
        ("TIME_BEGIN", "TIME_START"),
        ("timeBegin", "timeStart"),
    }
    assert "size" in load_synonyms()["length"]
    assert all(word not in others for word, others in load_synonyms().items())


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("len = length", "len", f"{BLANK} = length"),
        ("$len len$ _len len2 'len'", "len", f"$len len$ _len len2 '{BLANK}'"),
        ("$(x); $.get", "$", f"{BLANK}(x); {BLANK}.get"),
        ("größe = größer", "größe", f"{BLANK} = größer"),
        ("Len", "len", "Len"),
    ],
)
def test_whole_words_are_blanked(text: str, name: str, expected: str) -> None:
    assert blank_name(text, name) == expected


def test_contexts(scripts: Corpus) -> None:
    names = ["count", "item", "getSize"]
    contexts_by_name = collect_contexts([scripts], names, shared_engine(2), seed=1)
    for name in names:
        name_contexts = contexts_by_name[name]
        assert len({context.text for context in name_contexts}) == len(name_contexts)
        for context in name_contexts:
            assert len(context.text.splitlines()) == 5
            assert BLANK in context.text
            assert blank_name(context.text, name) == context.text
    assert len(contexts_by_name["item"]) == 5
    assert len({context.sha256 for context in contexts_by_name["item"]}) == 5
    # The lines with this name are equal in all files, so there are few distinct texts.
    assert 1 <= len(contexts_by_name["count"]) <= 3
    assert any(f"// {BLANK} is not" in context.text for context in contexts_by_name["count"])
    assert contexts_by_name == collect_contexts([scripts], names, shared_engine(1), seed=1)
    assert contexts_by_name != collect_contexts([scripts], names, shared_engine(2), seed=2)


def test_selection_from_embeddings_synonyms_and_chance(scripts: Corpus) -> None:
    embedding = ToyEmbedding(["item", "startTime", "size", "length"], make_embedding(4).matrix)
    wish = SelectionRequest(pairs=6, synonyms=1, random=2, least=7, contexts=2)
    selection = build_selection(
        [scripts], {"toy": embedding}, load_synonyms(), wish, shared_engine(2)
    )
    second_selection = build_selection(
        [scripts], {"toy": embedding}, load_synonyms(), wish, shared_engine(1)
    )
    assert json.dumps(selection) == json.dumps(second_selection)
    assert len(selection["pairs"]) == 6
    count_of_reason = Counter(pair["reason"] for pair in selection["pairs"])
    assert count_of_reason["synonyms"] == 1
    assert count_of_reason["toy"] == sum(selection["ranges"]["toy"]) >= 2
    assert all(("cosine" in pair) == (pair["reason"] == "toy") for pair in selection["pairs"])
    names_in_pairs = {name for pair in selection["pairs"] for name in (pair["left"], pair["right"])}
    assert [identifier["name"] for identifier in selection["identifiers"]] == sorted(names_in_pairs)
    for identifier in selection["identifiers"]:
        assert sum(identifier["roles"].values()) == sum(identifier["occurrences"].values()) > 7
        assert 1 <= len(identifier["contexts"]) <= 2
    with pytest.raises(CodeacumenError, match="more than 9999 times"):
        build_selection([scripts], {}, {}, SelectionRequest(least=9999), shared_engine(2))
