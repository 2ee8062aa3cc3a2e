"""Tests of contexts from syntax paths and of the embedding that is trained on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from codeacumen.corpus import Corpus
from codeacumen.corpus.build import build_corpus_folder
from codeacumen.corpus.files import select_files
from codeacumen.languages.abstract_tree import Limits
from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.paths import find_javascript_paths
from codeacumen.models.embeddings.paths import (
    collect_pairs,
    extract_contexts,
    make_settings,
    train_paths,
)
from corpora import shared_engine
from languages.javascript.path_notation import PathNotation

LIMITS = Limits(7, 3, 200)


def extract_pairs(language: str, source: str) -> list[tuple[str, int]]:
    code_by_name: dict[str, int] = {}
    name_codes, context_hashes = extract_contexts(language, source.encode(), LIMITS, code_by_name)
    names = list(code_by_name)
    return [
        (names[i], hash_)
        for i, hash_ in zip(name_codes.tolist(), context_hashes.tolist(), strict=True)
    ]


def spell_contexts(source: str) -> Iterator[tuple[str, str]]:
    """Yield each JavaScript name with its contexts: a path and the word at its other end."""
    js_paths = find_javascript_paths(parse_javascript(source.encode()), 7, 3, 200)
    notation = PathNotation(js_paths)
    leaf_words = [js_paths.words[word_code] for word_code in js_paths.word.tolist()]
    for left, right in zip(js_paths.left.tolist(), js_paths.right.tolist(), strict=True):
        for end, other in ((left, right), (right, left)):
            if js_paths.is_name[end]:
                yield (
                    leaf_words[end],
                    f"{notation.format_path_between(end, other)},{leaf_words[other]}",
                )


def test_spelled_contexts_exist_for_both_ends_and_for_names_only() -> None:
    assert list(spell_contexts("a.b += 'c'")) == [
        ("a", "(identifier0)^(member_expression)_(property_identifier1),b"),
        ("b", "(property_identifier1)^(member_expression)_(identifier0),a"),
        (
            "a",
            '(identifier0)^(member_expression0)^(augmented_assignment_expression+=)_(string1),"c"',
        ),
        (
            "b",
            "(property_identifier1)^(member_expression0)^(augmented_assignment_expression+=)"
            '_(string1),"c"',
        ),
    ]


def test_javascript_hashes_correspond_to_spelled_contexts() -> None:
    """There are as many pairs as spelled contexts, and hashes are equal exactly where these are."""
    source = "function f(a, b) { a.x = b + 1; if (a.x) { return f(b, 'x'); } return a.x + 1; }"
    spelled = Counter(spell_contexts(source))
    hashed = Counter(extract_pairs("javascript", source))
    assert sum(hashed.values()) == sum(spelled.values()) > 20
    assert sorted(hashed.values()) == sorted(spelled.values())
    by_name = Counter(name for name, _ in hashed.elements())
    assert by_name == Counter(name for name, _ in spelled.elements())


def test_java_has_contexts_for_both_ends() -> None:
    java_pairs = extract_pairs("java", "class A { int f(int a, int b) { return a + b; } }")
    assert {name for name, _ in java_pairs} == {"A", "f", "a", "b"}
    # By hand: `a + b` joins two leaves, once from each side, by different paths.
    assignment_pairs = extract_pairs("java", "class A { { x = a; } }")
    assert (
        Counter(name for name, _ in assignment_pairs)["x"]
        == Counter(name for name, _ in assignment_pairs)["a"]
    )


def test_same_position_in_java_has_same_context() -> None:
    first_contexts = {
        hash_
        for name, hash_ in extract_pairs("java", "class A { void f() { g(first, 1); } }")
        if name == "first"
    }
    renamed_contexts = {
        hash_
        for name, hash_ in extract_pairs("java", "class A { void f() { g(other, 1); } }")
        if name == "other"
    }
    moved_contexts = {
        hash_
        for name, hash_ in extract_pairs("java", "class A { void f() { g(1, other); } }")
        if name == "other"
    }
    assert first_contexts == renamed_contexts
    assert first_contexts
    assert moved_contexts != renamed_contexts


@pytest.mark.parametrize("language", ["java", "javascript"])
@pytest.mark.parametrize("source", ["", "((((", "class { ' ", "[" * 10_000, "é = “x”", "#"])
def test_extraction_accepts_any_text(language: str, source: str) -> None:
    extract_pairs(language, source)


def make_corpus(folder: Path) -> Corpus:
    source = folder / "source"
    source.mkdir(parents=True)
    for i in range(40):
        size, click = ("length", "click") if i % 2 else ("size", "tap")
        (source / f"F{i}.java").write_text(
            f"class F{i} {{ void f() {{ for (int i = 0; i < a.{size}; i++) {{ use(a[i]); }} }} }}"
        )
        (source / f"f{i}.js").write_text(
            f"button.on{i % 7}.{click}(function (event) {{ event.stop(); show(event.{click}); }});"
        )
    build_corpus_folder(
        [str(source)], folder / "corpus", engine=shared_engine(1), views=(), cache=folder / "home"
    )
    return Corpus.open(folder / "corpus")


def test_pairs_do_not_depend_on_number_of_workers(tmp_path: Path) -> None:
    files = select_files([make_corpus(tmp_path)])
    serial_pairs, parallel_pairs = (
        collect_pairs(files, make_settings(), shared_engine(worker_count))
        for worker_count in (1, 2)
    )
    assert serial_pairs.names == parallel_pairs.names
    np.testing.assert_array_equal(serial_pairs.word, parallel_pairs.word)
    np.testing.assert_array_equal(serial_pairs.context, parallel_pairs.context)
    assert int(serial_pairs.context.max()) == serial_pairs.contexts - 1
    assert np.bincount(serial_pairs.word).tolist() == serial_pairs.count.tolist()
    assert (np.diff(serial_pairs.count) <= 0).all()
    limited_pairs = collect_pairs(files, make_settings(limit=100), shared_engine(1))
    assert len(limited_pairs.word) < len(serial_pairs.word)


def test_names_in_same_positions_are_similar(tmp_path: Path) -> None:
    settings = make_settings(size=10, epochs=60, sample=0.0)
    vectors = train_paths([make_corpus(tmp_path)], settings, shared_engine(1))
    same_similarity, other_similarity = vectors.similarity(
        [("length", "size"), ("length", "click")]
    )
    assert same_similarity is not None
    assert other_similarity is not None
    assert same_similarity > other_similarity + 0.2
    assert vectors.metadata["kind"] == "paths"
    retrained_vectors = train_paths([Corpus.open(tmp_path / "corpus")], settings, shared_engine(2))
    np.testing.assert_array_equal(vectors.matrix, retrained_vectors.matrix)
