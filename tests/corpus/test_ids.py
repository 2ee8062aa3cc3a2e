"""Tests of ids and signatures. Oracle for erasure: signatures from the JVM, by reflection."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.corpus.ids import (
    compute_method_ids,
    compute_signature,
    compute_type_ids,
    erase_type,
    erase_type_variables,
)
from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.declarations import find_declarations


def test_ids_are_fixed() -> None:
    """Changing these values would change the ids of all methods in all corpora."""
    parsed = find_declarations(parse_java(b"class A<T> { class B { void f(int a, T... b) { } } }"))
    assert list(map(str, compute_type_ids("project", "src/A.java", parsed))) == [
        "155bc298-cef4-55e6-ac66-bae5faf59480",
        "d4085082-b18d-5715-86a0-8e533949a011",
    ]
    (method,) = compute_method_ids("project", "src/A.java", parsed)
    assert str(method) == "c7fcd014-ba20-59a9-9e39-8dfcb6266250"


def test_equal_local_classes_and_duplicate_methods_have_different_ids() -> None:
    parsed = find_declarations(
        parse_java(
            b"class A { void f() { class L { void g() { } } } "
            b"void f(int i) { class L { void g() { } } } void h() { } void h() { } }"
        )
    )
    assert len(set(compute_type_ids("p", "A.java", parsed))) == 3
    assert len(set(compute_method_ids("p", "A.java", parsed))) == 6


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int", "int"),
        ("Map<String,List<int[]>>[]", "Map[]"),
        ("T", "Object"),
        ("T...", "Object[]"),
        ("K[][]", "Comparable[][]"),
        ("Map.Entry<K,T>", "Map.Entry"),
        ("U", "Comparable"),
    ],
)
def test_erasure(declared: str, expected: str) -> None:
    variables = erase_type_variables(
        ("T", "K extends Comparable<? super K>&Serializable", "U extends K")
    )
    assert erase_type(declared, variables) == expected


def test_signatures_equal_those_of_the_jvm(
    javac_program: Callable[..., str], java_util: list[Path]
) -> None:
    """Compare all named classes of java.util.

    Type names are simple, because the source has no others. Methods that the compiler adds
    (values, valueOf, accessors of records) are not in the source.
    """
    our_signatures: dict[str, set[str]] = {}
    for file in (file for file in java_util if file.parent.name == "util"):
        parsed = find_declarations(parse_java(file.read_bytes()))
        for method in parsed.methods:
            if method.kind == "method" and not any(
                "$" in name for name in parsed.type_path(method.type)
            ):
                if any(parsed.types[i].method != -1 for i in _list_owners(parsed, method.type)):
                    continue  # the compiler chooses the names of local classes
                name = f"{parsed.package}.{'$'.join(parsed.type_path(method.type))}"
                our_signatures.setdefault(name, set()).add(
                    _simplify_signature(compute_signature(parsed, method))
                )
    jvm_signatures: dict[str, set[str]] = {}
    for line in javac_program(
        "JvmSignatures", [Path(name) for name in our_signatures]
    ).splitlines():
        if line.startswith("= "):
            current = jvm_signatures.setdefault(line[2:], set())
        else:
            current.add(line)
    assert len(jvm_signatures) > 300
    missing = {
        name: our_signatures[name] - jvm_signatures[name]
        for name in jvm_signatures
        if our_signatures[name] - jvm_signatures[name]
    }
    assert missing == {}


def _list_owners(parsed, owner: int) -> list[int]:
    owners = []
    while owner != -1:
        owners.append(owner)
        owner = parsed.types[owner].owner
    return owners


def _simplify_signature(text: str) -> str:
    name, _, types = text.partition("(")
    simple = ",".join(type_name.split(".")[-1] for type_name in types.rstrip(")").split(","))
    return f"{name}({simple})"


def test_ids_within_java_util_differ(java_util: list[Path]) -> None:
    ids: list[uuid.UUID] = []
    for file in java_util:
        ids += compute_method_ids(
            "jdk", str(file), find_declarations(parse_java(file.read_bytes()))
        )
    assert len(ids) > 10_000
    assert len(set(ids)) == len(ids)
