"""The table of the JDK's API. Oracle: the JDK at hand, through javac's model of it."""

from __future__ import annotations

import shutil

import pytest

from codeacumen.languages.java.resolve.types import Class
from codeacumen.languages.java.resolve.world import TABLE, Member, World, platform, read
from jdk_api import TABLE as WRITTEN
from jdk_api import api, version

# Of every kind: a class over one that is not public, generic interfaces, enums, annotations.
SOME = (
    "java.lang.StringBuilder",
    "java.lang.AbstractStringBuilder",
    "java.util.Map",
    "java.util.Map.Entry",
    "java.util.stream.Collectors",
    "java.util.concurrent.TimeUnit",
    "java.lang.Override",
    "java.lang.Enum",
    "java.util.function.Function",
    "java.sql.Connection",
    "java.awt.Component",
    "java.lang.Record",
)


@pytest.mark.thorough
def test_the_table_is_what_the_jdk_at_hand_says() -> None:
    java = shutil.which("java")
    if java is None:
        pytest.skip("no JDK here: it is the oracle")
    feature = platform().made_from.split()[1].split(".")[0]
    if version(java).split()[1].split(".")[0] != feature:
        pytest.skip(f"the table was made from JDK {feature}, here is {version(java)}")
    made = read(api(java, *SOME))
    assert set(made.blocks) == set(SOME)
    for name in SOME:
        assert platform().get(name) == made.get(name)


def test_the_table_says_where_it_comes_from_and_is_small() -> None:
    assert platform().made_from.startswith("OpenJDK ")
    assert WRITTEN.name == TABLE
    assert WRITTEN.stat().st_size < 700_000
    assert len(platform().blocks) > 4_000


def test_a_type() -> None:
    entry = platform().get("java.util.Map.Entry")
    assert entry is not None
    assert (entry.kind, entry.variables) == ("interface", ("K", "V"))
    assert Member("a", "getKey", (), (), "K") in entry.members
    assert platform().get("java.util.Nothing") is None
    assert "java.util" in platform().packages
    assert "java.util.Map" not in platform().packages


def test_a_member_of_a_type_that_is_not_public() -> None:
    builder = platform().get("java.lang.StringBuilder")
    assert builder is not None
    assert builder.supers[0] == "java.lang.AbstractStringBuilder"
    hidden = platform().get("java.lang.AbstractStringBuilder")
    assert hidden is not None
    assert "h" in hidden.flags
    assert any(member.name == "setLength" for member in hidden.members)


def test_every_type_can_be_read() -> None:
    world = World([], platform())
    for name in platform().blocks:
        found = world.find(name)
        assert isinstance(found, Class)
        assert name.endswith(found.name)
