"""Tests of fields that a class inherits from another file of the project. The JVM is the oracle:
refused changes would alter behaviour, and others do not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import MAY_BE_INHERITED
from codeacumen.transforms.edits import apply_edits
from codeacumen.transforms.location import Location
from codeacumen.transforms.run import link_project
from codeacumen.transforms.variants import find_locations, variants_of_method
from javac import JAVA, JAVAC

PROJECT = {
    "Top": "interface Top { boolean shared = true; }",
    "Base": "class Base extends java.util.ArrayList<String> implements Top { "
    "boolean seen = true; private boolean hidden = true; }",
    "Own": """class Own {
    static String f(boolean in) {
        boolean seen = in, hidden = in, shared = in, modCount = in, other = in;
        return seen + " " + new Base() {
            public String toString() {
                return seen + " " + hidden + " " + shared + " " + modCount + " " + other;
            }
        };
    }
}
""",
}


def find_own_locations(kind: str, *names: str) -> tuple[JavaFile, list[Location]]:
    """Return the locations of the locals in ``Own``'s method, if the project has the named
    files."""
    files = {f"{name}.java": JavaFile(PROJECT[name].encode()) for name in names}
    link_project(files)
    own = files["Own.java"]
    return own, [
        location for location in find_locations(own, kind, 0) if "in" not in location.id.split(":")
    ]


@pytest.mark.parametrize("kind", ["rename", "boolean"])
def test_locals_are_refused_if_fields_may_be_inherited(kind: str) -> None:
    refused = {
        location.id.split(":")[1]: location.refused
        for location in find_own_locations(kind, *PROJECT)[1]
    }
    assert [name for name, reason in refused.items() if reason] == ["seen", "shared", "modCount"]
    assert set(refused.values()) == {"", MAY_BE_INHERITED}
    for file_names in (("Own",), ("Own", "Base"), ("Own", "Top")):
        is_refused = [
            bool(location.refused) for location in find_own_locations(kind, *file_names)[1]
        ]
        assert is_refused == [True] * 5, file_names


@pytest.mark.usefixtures("javac_program")
@pytest.mark.parametrize("kind", ["rename", "boolean"])
def test_refusals_agree_with_the_jvm(tmp_path: Path, kind: str) -> None:
    """Each change is forced, in a class of its own; all are compiled and run together."""
    project = {**PROJECT, "Base": PROJECT["Base"].replace("java.util.ArrayList<String>", "Old")}
    project["Old"] = "class Old { protected boolean modCount = true; }"
    own, all_locations = find_own_locations(kind, *PROJECT)
    forced = variants_of_method(
        own, [force_location(own, kind, location) for location in all_locations], kind, "single", 0
    )
    texts = [own.source, *(apply_edits(own.source, variant.edits) for variant in forced)]
    for number, text in enumerate(texts):
        project[f"Own{number}"] = text.decode().replace("class Own ", f"class Own{number} ")
    calls = " ".join(f"System.out.println(Own{n}.f(false));" for n in range(len(texts)))
    project["Main"] = f"class Main {{ public static void main(String[] a) {{ {calls} }} }}"
    for name, source in project.items():
        (tmp_path / f"{name}.java").write_text(source)
    sources = [f"{name}.java" for name in project]
    subprocess.run(["javac", *JAVAC, "-d", ".", *sources], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["java", *JAVA, "-cp", ".", "Main"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    original_output, *variant_outputs = done.stdout.splitlines()
    assert original_output == "false true false true true false"
    assert [output == original_output for output in variant_outputs] == [
        not location.refused for location in all_locations
    ]


def force_location(own: JavaFile, kind: str, location: Location) -> Location:
    """Return the location as if the superclass had no fields."""
    plain = JavaFile(own.source.replace(b"Base", b"Void"))
    return next(other for other in find_locations(plain, kind, 0) if other.id == location.id)
