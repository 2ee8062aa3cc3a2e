"""The recipes of this repository: whoever builds them gets the same files, today and later."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from codeacumen.corpus.sources.find import listed

RECIPES = Path(__file__).resolve().parents[2] / "bench" / "recipes"
IDENTIFIERS = RECIPES / "identifiers.toml"
# A version, not a range and not a word such as latest.
PINNED = re.compile(r"npm:(?P<name>(?:@[\w.-]+/)?[\w.-]+)@\d+\.\d+\.\d+(?:-[\w.-]+)?")


@pytest.mark.parametrize("recipe", sorted(RECIPES.glob("*.toml")), ids=lambda file: file.stem)
def test_projects_have_names_of_their_own(recipe: Path) -> None:
    projects = listed(recipe)
    names = Counter(one.name or one.source.rpartition("@")[0] for one in projects)
    assert [name for name, count in names.items() if count > 1] == []
    sources = Counter(one.source for one in projects)
    assert [source for source, count in sources.items() if count > 1] == []


def test_identifiers_are_pinned_and_in_order() -> None:
    sources = [one.source for one in listed(IDENTIFIERS)]
    assert [source for source in sources if not PINNED.fullmatch(source)] == []
    names = [source.removeprefix("npm:").lstrip("@").lower() for source in sources]
    assert [name.rpartition("@")[0] for name in names] == sorted(
        name.rpartition("@")[0] for name in names
    )
    # 312 packages, whose 32,000 files docs/embeddings.md counts.
    assert len(sources) > 300


def test_identifiers_leave_out_no_pattern_twice() -> None:
    for one in listed(IDENTIFIERS):
        assert len(one.exclude) == len(set(one.exclude)), one.where
        assert not set(one.exclude) & set(one.include), one.where
