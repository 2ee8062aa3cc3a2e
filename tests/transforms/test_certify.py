"""Certificates: variants that are wrong on purpose must fail, at the level that can see it.

javac is the oracle for what compiles; a command of the user's for tests.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import ignore_progress
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify import Certificate
from codeacumen.transforms.certify.projects import Means, certify
from codeacumen.transforms.certify.reading import Subject, check, own_certificate, own_certificates
from codeacumen.transforms.edits import Edit
from codeacumen.transforms.run import Reaches
from codeacumen.transforms.variants import KINDS, variants
from support import ROOT

needs_javac = pytest.mark.skipif(shutil.which("javac") is None, reason="no javac here")

SOURCE = b"""
class A {
  int x = 1;
  int f(int n) { int x = n + 1; return x + this.x; }
  int g(int n) { return f(n) + x; }
}
"""


def edit(old: bytes, new: bytes, source: bytes = SOURCE, place: int = 0) -> Edit:
    start = -1
    for _ in range(place + 1):
        start = source.index(old, start + 1)
    return Edit(start, start + len(old), new)


def wrong(file: JavaFile, edits: Sequence[Edit], level: str = "binds") -> str:
    return own_certificate(file, edits, level).why


def test_what_does_not_parse() -> None:
    file = JavaFile(SOURCE)
    assert wrong(file, [edit(b"int x = n + 1;", b"int x = n + ;")], "parses") == "it does not parse"
    assert not wrong(file, [edit(b"n + 1", b"n + 2")], "parses")
    more = edit(b"int g(int n)", b"int h() { return 0; } int g(int n)")
    assert wrong(file, [more], "parses") == "it has another number of methods"


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        # Renamed everywhere, as it should be.
        ([edit(b"x = n", b"y = n"), edit(b"x + this", b"y + this")], ""),
        # The declaration only: what was the local is the field now.
        ([edit(b"x = n", b"y = n")], "x in line 4 means something else"),
        # Another name that is taken: the parameter is meant instead.
        ([edit(b"x + this", b"n + this")], "n in line 4 means something"),
        # A new variable takes the field's place.
        ([edit(b"return f(n) + x", b"int x = 2; return f(n) + x")], "x in line 5 means something"),
        # An unused one does not.
        ([edit(b"return f(n)", b"String s = null; return f(n)")], ""),
    ],
)
def test_names_that_mean_something_else(edits: list[Edit], why: str) -> None:
    found = wrong(JavaFile(SOURCE), sorted(edits))
    assert found.startswith(why) if why else found == ""


def test_all_of_our_variants_of_the_examples_bind() -> None:
    for path in sorted((ROOT / "examples" / "tramway").rglob("*.java"))[:6]:
        file = JavaFile(path.read_bytes())
        reaches = Reaches(file)
        made = [one for kind in KINDS for one in variants(file, kind)]
        subjects = [Subject(at, "", one.edits, reaches.of(one)) for at, one in enumerate(made)]
        for place, certificate in own_certificates(file, subjects, "binds").items():
            assert certificate.holds, (path, made[place], certificate.why)


def test_variants_read_together_are_judged_as_each_alone() -> None:
    """The oracle is the certificate of each variant alone. Every fifth is spoilt: a name that is
    not declared, or text that does not parse."""
    file = JavaFile((ROOT / "examples/tramway/src/tramway/fleet/Depot.java").read_bytes())
    reaches = Reaches(file)
    subjects = []
    for place, one in enumerate(one for kind in KINDS for one in variants(file, kind)):
        first, *others = one.edits
        if place % 5 == 0:
            first = first._replace(text=(b"noSuchName", b"(;")[place % 2])
        subjects.append(Subject(place, "", (first, *others), reaches.of(one)))
    for level, failed in (("none", 0), ("parses", 2), ("binds", 5), ("compiles", 5)):
        found = own_certificates(file, subjects, level)
        assert found == {one.place: own_certificate(file, one.edits, level) for one in subjects}
        assert sum(not one.holds for one in found.values()) >= failed
    assert len(subjects) > 40


def test_rounds_find_the_one_that_is_wrong() -> None:
    """Counted: as many programs as the busiest method has variants, and a few more to find the
    wrong one among them."""
    source = b"0123456789"
    subjects = [
        Subject(place, "a", (Edit(at, at + 1, b"x" if place != 5 else b"!"),), (at, at + 1))
        for place, at in enumerate([0, 1, 2, 3, 4, 5, 0, 1])
    ]
    tried: list[bytes] = []

    def works(files: dict[str, bytes]) -> str:
        tried.append(files["a"])
        return "bad" if b"!" in files["a"] else ""

    found = check(subjects, {"a": source}, works, "certifying", ignore_progress)  # type: ignore[arg-type]
    assert found == {place: "bad" if place == 5 else "" for place in range(8)}
    assert b"xxxxx!6789" in tried
    assert len(tried) <= 8


def subjects_of(file: JavaFile, path: str, edits: list[tuple[Edit, ...]]) -> list[Subject]:
    node = file.declarations.methods[0].node
    reach = Reaches(file).code.span(node)
    return [Subject(place, path, one, reach) for place, one in enumerate(edits)]


@needs_javac
def test_levels_of_javac_and_of_tests(tmp_path: Path) -> None:
    source = b"public class A { static int f(int n) { int k = n + 1; return k; } }\n"
    check_ = (
        b"class Check { public static void main(String[] a) {\n"
        b"  if (A.f(1) != 2) throw new Error(); } }\n"
    )
    sources = {"A.java": source, "Check.java": check_}
    for name, data in sources.items():
        (tmp_path / name).write_bytes(data)
    right = (edit(b"k = n", b"q = n", source), edit(b"k; }", b"q; }", source))
    no_type = (edit(b"n + 1", b'"n"', source),)
    other = (edit(b"n + 1", b"n + 2", source),)
    subjects = subjects_of(JavaFile(source), "A.java", [right, no_type, other])
    known = [Certificate("binds")] * 3
    command = "javac -d out *.java && java -cp out Check"

    def quiet(what: str, done: int, total: int) -> None:
        pass

    found = certify(subjects, known, sources, "compiles", Means(), quiet)
    assert [one.level for one in found] == ["compiles", "binds", "compiles"]
    assert "incompatible types" in found[1].why
    means = Means(command=command, folder=tmp_path)
    found = certify(subjects, known, sources, "tests", means, quiet)
    assert [(one.level, one.failed) for one in found] == [
        ("tests", ""),
        ("binds", "compiles"),
        ("compiles", "tests"),
    ]
    assert "java.lang.Error" in found[2].why
    assert (tmp_path / "A.java").read_bytes() == source
    assert not (tmp_path / "out").exists()
    with pytest.raises(CodeacumenError, match="certifying with tests needs a command"):
        certify(subjects, known, sources, "tests", Means(), quiet)
    with pytest.raises(CodeacumenError, match="fail before anything is changed"):
        certify(subjects, known, sources, "tests", Means(command="false", folder=tmp_path), quiet)


@needs_javac
def test_a_file_that_does_not_compile_as_it_is_spoils_only_itself() -> None:
    sources = {
        "A.java": b"class A { int f(int n) { int k = n; return k; } }",
        "B.java": b"class B { Missing m; int f(int n) { int k = n; return k; } }",
    }
    edits = [
        (edit(b"k = n", b"q = n", data), edit(b"return k", b"return q", data))
        for data in sources.values()
    ]
    subjects = [
        Subject(place, path, edits[place], (0, len(sources[path])))
        for place, path in enumerate(sources)
    ]
    known = [Certificate("binds")] * 2
    found = certify(subjects, known, sources, "compiles", Means(), lambda *_: None)
    assert found[0] == Certificate("compiles")
    assert found[1].failed == "compiles"
    assert "does not compile as it is" in found[1].why
