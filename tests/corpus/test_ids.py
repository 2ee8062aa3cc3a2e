"""Oracle for erasure: the virtual machine's own signatures, by reflection."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.corpus.ids import erased, method_ids, signature, type_ids, type_variables
from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.declarations import declarations


def test_an_id_is_for_ever() -> None:
    """A change of these values would give every method of every corpus another id."""
    found = declarations(parse_java(b"class A<T> { class B { void f(int a, T... b) { } } }"))
    assert list(map(str, type_ids("project", "src/A.java", found))) == [
        "155bc298-cef4-55e6-ac66-bae5faf59480",
        "d4085082-b18d-5715-86a0-8e533949a011",
    ]
    (method,) = method_ids("project", "src/A.java", found)
    assert str(method) == "c7fcd014-ba20-59a9-9e39-8dfcb6266250"


def test_local_classes_of_one_name_and_methods_declared_twice_are_told_apart() -> None:
    found = declarations(
        parse_java(
            b"class A { void f() { class L { void g() { } } } "
            b"void f(int i) { class L { void g() { } } } void h() { } void h() { } }"
        )
    )
    assert len(set(type_ids("p", "A.java", found))) == 3
    assert len(set(method_ids("p", "A.java", found))) == 6


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
    variables = type_variables(("T", "K extends Comparable<? super K>&Serializable", "U extends K"))
    assert erased(declared, variables) == expected


def test_signatures_are_the_virtual_machines(
    javac_program: Callable[..., str], java_util: list[Path]
) -> None:
    """For every named class of java.util itself. Simple names, because source does not say
    more; what a compiler adds (values, valueOf, accessors of records) is not in the source."""
    ours: dict[str, set[str]] = {}
    for file in (file for file in java_util if file.parent.name == "util"):
        found = declarations(parse_java(file.read_bytes()))
        for method in found.methods:
            if method.kind == "method" and not any("$" in name for name in found.path(method.type)):
                if any(found.types[i].method != -1 for i in _line(found, method.type)):
                    continue  # local classes have names of the compiler's making
                name = f"{found.package}.{'$'.join(found.path(method.type))}"
                ours.setdefault(name, set()).add(_simple(signature(found, method)))
    theirs: dict[str, set[str]] = {}
    for line in javac_program("JvmSignatures", [Path(name) for name in ours]).splitlines():
        if line.startswith("= "):
            current = theirs.setdefault(line[2:], set())
        else:
            current.add(line)
    assert len(theirs) > 300
    missing = {name: ours[name] - theirs[name] for name in theirs if ours[name] - theirs[name]}
    assert missing == {}


def _line(found, owner: int) -> list[int]:
    line = []
    while owner != -1:
        line.append(owner)
        owner = found.types[owner].owner
    return line


def _simple(text: str) -> str:
    name, _, types = text.partition("(")
    simple = ",".join(one.split(".")[-1] for one in types.rstrip(")").split(","))
    return f"{name}({simple})"


def test_ids_within_java_util_differ(java_util: list[Path]) -> None:
    ids: list[uuid.UUID] = []
    for file in java_util:
        ids += method_ids("jdk", str(file), declarations(parse_java(file.read_bytes())))
    assert len(ids) > 10_000
    assert len(set(ids)) == len(ids)
