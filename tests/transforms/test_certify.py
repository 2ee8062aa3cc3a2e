"""Tests of certificates: wrong variants must fail at the level that can detect the error.

javac is the oracle for compilation, a user's command for tests.
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
from codeacumen.transforms.certify.front_end import (
    Subject,
    check_subjects,
    own_certificate,
    own_certificates,
)
from codeacumen.transforms.certify.projects import CertificationTools, certify_variants
from codeacumen.transforms.edits import Edit
from codeacumen.transforms.run import ReachIndex
from codeacumen.transforms.variants import KINDS
from support import ROOT, iterate_variants

needs_javac = pytest.mark.skipif(shutil.which("javac") is None, reason="no javac here")

SOURCE = b"""
class A {
  int x = 1;
  int f(int n) { int x = n + 1; return x + this.x; }
  int g(int n) { return f(n) + x; }
}
"""


def make_edit(old: bytes, new: bytes, source: bytes = SOURCE, occurrence: int = 0) -> Edit:
    start = -1
    for _ in range(occurrence + 1):
        start = source.index(old, start + 1)
    return Edit(start, start + len(old), new)


def find_failure(file: JavaFile, edits: Sequence[Edit], level: str = "binds") -> str:
    return own_certificate(file, edits, level).reason


def test_unparsable_variant_fails() -> None:
    file = JavaFile(SOURCE)
    assert (
        find_failure(file, [make_edit(b"int x = n + 1;", b"int x = n + ;")], "parses")
        == "it does not parse"
    )
    assert not find_failure(file, [make_edit(b"n + 1", b"n + 2")], "parses")
    more = make_edit(b"int g(int n)", b"int h() { return 0; } int g(int n)")
    assert find_failure(file, [more], "parses") == "it has another number of methods"


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        # Renamed everywhere, which is right.
        ([make_edit(b"x = n", b"y = n"), make_edit(b"x + this", b"y + this")], ""),
        # Only the declaration: the other occurrences now refer to the field.
        ([make_edit(b"x = n", b"y = n")], "x in line 4 refers to another declaration"),
        # The new name is used already: it now refers to the parameter.
        ([make_edit(b"x + this", b"n + this")], "n in line 4 refers to"),
        # A new variable hides the field.
        (
            [make_edit(b"return f(n) + x", b"int x = 2; return f(n) + x")],
            "x in line 5 refers to",
        ),
        # An unused one hides nothing.
        ([make_edit(b"return f(n)", b"String s = null; return f(n)")], ""),
    ],
)
def test_names_that_refer_to_something_else_fail(edits: list[Edit], reason: str) -> None:
    failure = find_failure(JavaFile(SOURCE), sorted(edits))
    assert failure.startswith(reason) if reason else failure == ""


def test_all_variants_of_the_examples_bind() -> None:
    for path in sorted((ROOT / "examples" / "tramway").rglob("*.java"))[:6]:
        file = JavaFile(path.read_bytes())
        reaches = ReachIndex(file)
        all_variants = [variant for kind in KINDS for variant in iterate_variants(file, kind)]
        subjects = [
            Subject(number, "", variant.edits, reaches.reach_of(variant))
            for number, variant in enumerate(all_variants)
        ]
        for place, certificate in own_certificates(file, subjects, "binds").items():
            assert certificate.holds, (path, all_variants[place], certificate.reason)


def test_joint_certification_equals_single_certification() -> None:
    """The oracle is the certificate of each variant alone. Every fifth is broken: an undeclared
    name, or text that does not parse."""
    file = JavaFile((ROOT / "examples/tramway/src/tramway/fleet/Depot.java").read_bytes())
    reaches = ReachIndex(file)
    subjects = []
    for place, variant in enumerate(
        variant for kind in KINDS for variant in iterate_variants(file, kind)
    ):
        first, *others = variant.edits
        if place % 5 == 0:
            first = first._replace(text=(b"noSuchName", b"(;")[place % 2])
        subjects.append(Subject(place, "", (first, *others), reaches.reach_of(variant)))
    for level, failed in (("none", 0), ("parses", 2), ("binds", 5), ("compiles", 5)):
        certificates = own_certificates(file, subjects, level)
        assert certificates == {
            subject.index: own_certificate(file, subject.edits, level) for subject in subjects
        }
        assert sum(not certificate.holds for certificate in certificates.values()) >= failed
    assert len(subjects) > 40


def test_rounds_find_the_wrong_variant() -> None:
    """The number of programs is at most the number of variants of the method with most, plus a few
    to find the wrong variant."""
    source = b"0123456789"
    subjects = [
        Subject(place, "a", (Edit(at, at + 1, b"x" if place != 5 else b"!"),), (at, at + 1))
        for place, at in enumerate([0, 1, 2, 3, 4, 5, 0, 1])
    ]
    tried: list[bytes] = []

    def check_program(files: dict[str, bytes]) -> str:
        tried.append(files["a"])
        return "bad" if b"!" in files["a"] else ""

    reasons = check_subjects(subjects, {"a": source}, check_program, "certifying", ignore_progress)  # type: ignore[arg-type]
    assert reasons == {place: "bad" if place == 5 else "" for place in range(8)}
    assert b"xxxxx!6789" in tried
    assert len(tried) <= 8


def make_subjects(file: JavaFile, path: str, edits: list[tuple[Edit, ...]]) -> list[Subject]:
    node = file.declarations.methods[0].node
    reach = ReachIndex(file).code.span(node)
    return [Subject(place, path, variant_edits, reach) for place, variant_edits in enumerate(edits)]


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
    right = (make_edit(b"k = n", b"q = n", source), make_edit(b"k; }", b"q; }", source))
    no_type = (make_edit(b"n + 1", b'"n"', source),)
    other = (make_edit(b"n + 1", b"n + 2", source),)
    subjects = make_subjects(JavaFile(source), "A.java", [right, no_type, other])
    certificates = [Certificate("binds")] * 3
    command = "javac -d out *.java && java -cp out Check"

    def ignore_steps(what: str, done: int, total: int) -> None:
        pass

    new_certificates = certify_variants(
        subjects, certificates, sources, "compiles", CertificationTools(), ignore_steps
    )
    assert [certificate.level for certificate in new_certificates] == [
        "compiles",
        "binds",
        "compiles",
    ]
    assert "incompatible types" in new_certificates[1].reason
    means = CertificationTools(command=command, folder=tmp_path)
    new_certificates = certify_variants(
        subjects, certificates, sources, "tests", means, ignore_steps
    )
    assert [(certificate.level, certificate.failed) for certificate in new_certificates] == [
        ("tests", ""),
        ("binds", "compiles"),
        ("compiles", "tests"),
    ]
    assert "java.lang.Error" in new_certificates[2].reason
    assert (tmp_path / "A.java").read_bytes() == source
    assert not (tmp_path / "out").exists()
    with pytest.raises(CodeacumenError, match="certifying with tests needs a command"):
        certify_variants(
            subjects, certificates, sources, "tests", CertificationTools(), ignore_steps
        )
    with pytest.raises(CodeacumenError, match="fail before anything is changed"):
        certify_variants(
            subjects,
            certificates,
            sources,
            "tests",
            CertificationTools(command="false", folder=tmp_path),
            ignore_steps,
        )


@needs_javac
def test_uncompilable_original_fails_only_its_own_variants() -> None:
    sources = {
        "A.java": b"class A { int f(int n) { int k = n; return k; } }",
        "B.java": b"class B { Missing m; int f(int n) { int k = n; return k; } }",
    }
    edits = [
        (make_edit(b"k = n", b"q = n", data), make_edit(b"return k", b"return q", data))
        for data in sources.values()
    ]
    subjects = [
        Subject(place, path, edits[place], (0, len(sources[path])))
        for place, path in enumerate(sources)
    ]
    certificates = [Certificate("binds")] * 2
    new_certificates = certify_variants(
        subjects, certificates, sources, "compiles", CertificationTools(), lambda *_: None
    )
    assert new_certificates[0] == Certificate("compiles")
    assert new_certificates[1].failed == "compiles"
    assert "does not compile as it is" in new_certificates[1].reason
