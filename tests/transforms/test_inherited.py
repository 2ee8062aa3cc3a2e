"""Fields that a class inherits from another file, where that file is known. The JVM is the oracle:
what is refused would not do the same, what is not refused does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import MAY_BE_INHERITED
from codeacumen.transforms.edits import apply
from codeacumen.transforms.location import Location
from codeacumen.transforms.run import with_project
from codeacumen.transforms.variants import locations, variants_of
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


def found(kind: str, *names: str) -> tuple[JavaFile, list[Location]]:
    """Of the locals of ``Own``'s method, with so much of the project."""
    files = {f"{name}.java": JavaFile(PROJECT[name].encode()) for name in names}
    with_project(files)
    own = files["Own.java"]
    return own, [one for one in locations(own, kind, 0) if "in" not in one.id.split(":")]


@pytest.mark.parametrize("kind", ["rename", "boolean"])
def test_of_one_project(kind: str) -> None:
    refused = {one.id.split(":")[1]: one.refused for one in found(kind, *PROJECT)[1]}
    assert [name for name, why in refused.items() if why] == ["seen", "shared", "modCount"]
    assert set(refused.values()) == {"", MAY_BE_INHERITED}
    for known in (("Own",), ("Own", "Base"), ("Own", "Top")):
        told = [bool(one.refused) for one in found(kind, *known)[1]]
        assert told == [True] * 5, known


@pytest.mark.usefixtures("javac_program")
@pytest.mark.parametrize("kind", ["rename", "boolean"])
def test_as_the_jvm_does_it(tmp_path: Path, kind: str) -> None:
    """Each change is made by force, in a class of its own; all are compiled and run at once."""
    project = {**PROJECT, "Base": PROJECT["Base"].replace("java.util.ArrayList<String>", "Old")}
    project["Old"] = "class Old { protected boolean modCount = true; }"
    own, here = found(kind, *PROJECT)
    forced = variants_of(own, [_forced(own, kind, one) for one in here], kind, "single", 0)
    texts = [own.source, *(apply(own.source, one.edits) for one in forced)]
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
    was, *became = done.stdout.splitlines()
    assert was == "false true false true true false"
    assert [one == was for one in became] == [not one.refused for one in here]


def _forced(own: JavaFile, kind: str, one: Location) -> Location:
    """A location as it would be if the superclass had no fields."""
    plain = JavaFile(own.source.replace(b"Base", b"Void"))
    return next(other for other in locations(plain, kind, 0) if other.id == one.id)
