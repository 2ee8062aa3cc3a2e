"""Tests that this repository's recipes always yield the same files."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from codeacumen.corpus.sources.find import read_recipe

RECIPES = Path(__file__).resolve().parents[2] / "bench" / "recipes"
IDENTIFIERS = RECIPES / "identifiers.toml"
# An exact version, neither a range nor a tag such as latest.
PINNED = re.compile(r"npm:(?P<name>(?:@[\w.-]+/)?[\w.-]+)@\d+\.\d+\.\d+(?:-[\w.-]+)?")


@pytest.mark.parametrize("recipe", sorted(RECIPES.glob("*.toml")), ids=lambda file: file.stem)
def test_projects_have_unique_names_and_sources(recipe: Path) -> None:
    projects = read_recipe(recipe)
    names = Counter(project.name or project.source.rpartition("@")[0] for project in projects)
    assert [name for name, count in names.items() if count > 1] == []
    sources = Counter(project.source for project in projects)
    assert [source for source, count in sources.items() if count > 1] == []


def test_identifiers_are_pinned_and_in_order() -> None:
    sources = [project.source for project in read_recipe(IDENTIFIERS)]
    assert [source for source in sources if not PINNED.fullmatch(source)] == []
    names = [source.removeprefix("npm:").lstrip("@").lower() for source in sources]
    assert [name.rpartition("@")[0] for name in names] == sorted(
        name.rpartition("@")[0] for name in names
    )
    # docs/embeddings.md states 312 packages with 32,000 files.
    assert len(sources) > 300


def test_exclude_patterns_are_unique() -> None:
    for project in read_recipe(IDENTIFIERS):
        assert len(project.exclude) == len(set(project.exclude)), project.where
        assert not set(project.exclude) & set(project.include), project.where
