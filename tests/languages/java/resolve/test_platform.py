"""Tests of the table of the JDK's API. The oracle is javac's model of the local JDK."""

from __future__ import annotations

import shutil

import pytest

from codeacumen.languages.java.resolve.types import Class
from codeacumen.languages.java.resolve.world import (
    TABLE,
    Member,
    World,
    load_platform,
    parse_platform,
)
from jdk_api import TABLE as WRITTEN
from jdk_api import describe_jdk, read_api

# Each kind of type: a class that extends a non-public one, generic interfaces, enums, annotations.
SAMPLE_TYPES = (
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
def test_the_table_agrees_with_the_local_jdk() -> None:
    java = shutil.which("java")
    if java is None:
        pytest.skip("no JDK here: it is the oracle")
    feature = load_platform().jdk_name.split()[1].split(".")[0]
    if describe_jdk(java).split()[1].split(".")[0] != feature:
        pytest.skip(f"the table was made from JDK {feature}, here is {describe_jdk(java)}")
    table = parse_platform(read_api(java, *SAMPLE_TYPES))
    assert set(table.blocks) == set(SAMPLE_TYPES)
    for name in SAMPLE_TYPES:
        assert load_platform().find_type(name) == table.find_type(name)


def test_the_table_names_its_source_and_is_small() -> None:
    assert load_platform().jdk_name.startswith("OpenJDK ")
    assert WRITTEN.name == TABLE
    assert WRITTEN.stat().st_size < 700_000
    assert len(load_platform().blocks) > 4_000


def test_a_nested_interface() -> None:
    entry = load_platform().find_type("java.util.Map.Entry")
    assert entry is not None
    assert (entry.kind, entry.variables) == ("interface", ("K", "V"))
    assert Member("a", "getKey", (), (), "K") in entry.members
    assert load_platform().find_type("java.util.Nothing") is None
    assert "java.util" in load_platform().packages
    assert "java.util.Map" not in load_platform().packages


def test_members_of_a_type_that_is_not_public() -> None:
    builder = load_platform().find_type("java.lang.StringBuilder")
    assert builder is not None
    assert builder.supers[0] == "java.lang.AbstractStringBuilder"
    hidden = load_platform().find_type("java.lang.AbstractStringBuilder")
    assert hidden is not None
    assert "h" in hidden.flags
    assert any(member.name == "setLength" for member in hidden.members)


def test_every_type_can_be_read() -> None:
    world = World([], load_platform())
    for name in load_platform().blocks:
        loaded_class = world.find_class(name)
        assert isinstance(loaded_class, Class)
        assert name.endswith(loaded_class.name)
