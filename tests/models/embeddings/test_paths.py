"""Contexts from syntax paths, and the embedding learned from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from codeacumen.corpus import Corpus
from codeacumen.corpus.build import build
from codeacumen.corpus.files import chosen
from codeacumen.languages.abstract_tree import Limits
from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.paths import paths
from codeacumen.models.embeddings.paths import contexts_of, pairs_of, settings_of, train
from corpora import shared_engine

LIMITS = Limits(7, 3, 200)


def pairs(language: str, source: str) -> list[tuple[str, int]]:
    places: dict[str, int] = {}
    word, context = contexts_of(language, source.encode(), LIMITS, places)
    names = list(places)
    return [(names[i], hash_) for i, hash_ in zip(word.tolist(), context.tolist(), strict=True)]


def spell_contexts(source: str) -> Iterator[tuple[str, str]]:
    """Names with their contexts in JavaScript: a path, and the word at its other end."""
    found = paths(parse_javascript(source.encode()), 7, 3, 200)
    word = [found.words[place] for place in found.word.tolist()]
    for left, right in zip(found.left.tolist(), found.right.tolist(), strict=True):
        for end, other in ((left, right), (right, left)):
            if found.is_name[end]:
                yield word[end], f"{found.between(end, other)},{word[other]}"


def test_spelled_contexts_serve_both_ends_and_only_names_have_them() -> None:
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


def test_hashes_of_javascript_stand_for_the_strings() -> None:
    """As many pairs as there are spelled contexts, and equal hashes just where these are equal."""
    source = "function f(a, b) { a.x = b + 1; if (a.x) { return f(b, 'x'); } return a.x + 1; }"
    spelled = Counter(spell_contexts(source))
    hashed = Counter(pairs("javascript", source))
    assert sum(hashed.values()) == sum(spelled.values()) > 20
    assert sorted(hashed.values()) == sorted(spelled.values())
    by_name = Counter(name for name, _ in hashed.elements())
    assert by_name == Counter(name for name, _ in spelled.elements())


def test_java_has_contexts_for_both_ends() -> None:
    found = pairs("java", "class A { int f(int a, int b) { return a + b; } }")
    assert {name for name, _ in found} == {"A", "f", "a", "b"}
    # By hand: `a + b` joins two leaves, once from each side, by different paths.
    ends = pairs("java", "class A { { x = a; } }")
    assert Counter(name for name, _ in ends)["x"] == Counter(name for name, _ in ends)["a"]


def test_the_same_place_in_java_has_the_same_context() -> None:
    one = {
        hash_
        for name, hash_ in pairs("java", "class A { void f() { g(first, 1); } }")
        if name == "first"
    }
    two = {
        hash_
        for name, hash_ in pairs("java", "class A { void f() { g(other, 1); } }")
        if name == "other"
    }
    moved = {
        hash_
        for name, hash_ in pairs("java", "class A { void f() { g(1, other); } }")
        if name == "other"
    }
    assert one == two
    assert one
    assert moved != two


@pytest.mark.parametrize("language", ["java", "javascript"])
@pytest.mark.parametrize("source", ["", "((((", "class { ' ", "[" * 10_000, "é = “x”", "#"])
def test_any_text_survives(language: str, source: str) -> None:
    pairs(language, source)


def corpus(folder: Path) -> Corpus:
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
    build(
        [str(source)], folder / "corpus", engine=shared_engine(1), views=(), cache=folder / "home"
    )
    return Corpus.open(folder / "corpus")


def test_pairs_do_not_depend_on_who_reads(tmp_path: Path) -> None:
    files = chosen([corpus(tmp_path)])
    one, two = (pairs_of(files, settings_of(), shared_engine(n)) for n in (1, 2))
    assert one.names == two.names
    np.testing.assert_array_equal(one.word, two.word)
    np.testing.assert_array_equal(one.context, two.context)
    assert int(one.context.max()) == one.contexts - 1
    assert np.bincount(one.word).tolist() == one.count.tolist()
    assert (np.diff(one.count) <= 0).all()
    some = pairs_of(files, settings_of(limit=100), shared_engine(1))
    assert len(some.word) < len(one.word)


def test_names_in_the_same_places_are_near(tmp_path: Path) -> None:
    settings = settings_of(size=10, epochs=60, sample=0.0)
    made = train([corpus(tmp_path)], settings, shared_engine(1))
    same, other = made.similarity([("length", "size"), ("length", "click")])
    assert same is not None
    assert other is not None
    assert same > other + 0.2
    assert made.metadata["kind"] == "paths"
    again = train([Corpus.open(tmp_path / "corpus")], settings, shared_engine(2))
    np.testing.assert_array_equal(made.matrix, again.matrix)
