"""Tests of every location of every transformation on the example projects: javac compiles the
variants, and the projects' self-checks, which call every method, print the same output."""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from codeacumen.core.progress import ignore_progress
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify.front_end import Subject, check_subjects
from codeacumen.transforms.edits import Edit
from codeacumen.transforms.run import ReachIndex, link_project
from codeacumen.transforms.variants import KINDS, PUBLISHED
from javac import JAVA, JAVAC
from support import ROOT, iterate_variants, take_every

CHECKS = {
    "ballot": "ballot.check.BallotCheck",
    "library": "brookside.check.LibraryCheck",
    "quill": "quill.check.QuillCheck",
    "tramway": "tramway.check.TramwayCheck",
}
HERE = Path(__file__).parent


class ExampleProject:
    """A compiled project, and a JVM that runs its checks with changed files."""

    def __init__(self, name: str, folder: Path) -> None:
        self.folder = folder
        root = ROOT / "examples" / name
        paths = sorted((root / "src").rglob("*.java")) + sorted((root / "check").rglob("*.java"))
        self.sources = {str(path.relative_to(root)): path.read_bytes() for path in paths}
        for out, files in (("classes", paths), ("checks", [HERE / "Checks.java"])):
            command = ["javac", *JAVAC, "-nowarn", "-encoding", "UTF-8", "-d", str(folder / out)]
            subprocess.run([*command, *map(str, files)], check=True)
        self.jvm = subprocess.Popen(
            [
                "java",
                *JAVA,
                "-cp",
                str(folder / "checks"),
                "Checks",
                str(folder / "classes"),
                CHECKS[name],
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.before = self.run_with({})
        assert self.before.startswith("ends\n"), self.before
        self.files = {path: JavaFile(data) for path, data in self.sources.items()}
        link_project(self.files)

    def explain_failure(self, changed: Mapping[str, bytes]) -> str:
        after = self.run_with(changed)
        return "" if after == self.before else after[:2000]

    def run_with(self, changed: Mapping[str, bytes]) -> str:
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            files = []
            for path, data in changed.items():
                file = Path(name) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
                files.append(str(file))
            listed = Path(name) / "list"
            listed.write_text("\n".join(files))
            assert self.jvm.stdin is not None
            assert self.jvm.stdout is not None
            self.jvm.stdin.write(f"{listed}\n")
            self.jvm.stdin.flush()
            return base64.b64decode(self.jvm.stdout.readline()).decode()

    def make_subjects(self, kind: str, where: str, first: int) -> list[Subject]:
        subjects: list[Subject] = []
        for path, file in self.files.items():
            reaches = ReachIndex(file)
            subjects += [
                Subject(
                    first + len(subjects) + place, path, variant.edits, reaches.reach_of(variant)
                )
                for place, variant in enumerate(iterate_variants(file, kind, where))
            ]
        return subjects


@pytest.fixture(params=sorted(CHECKS), scope="module")
def project(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ExampleProject]:
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("no JDK here: javac and the JVM are the oracle")
    example_project = ExampleProject(request.param, tmp_path_factory.mktemp(request.param))
    yield example_project
    for stream in (example_project.jvm.stdin, example_project.jvm.stdout):
        assert stream is not None
        stream.close()
    example_project.jvm.kill()
    example_project.jvm.wait()


@pytest.mark.parametrize("where", ["single", "all"])
def test_every_variant_keeps_behaviour(project: ExampleProject, where: str) -> None:
    subjects: list[Subject] = []
    counts: Counter[str] = Counter()
    for kind in KINDS:
        mine = project.make_subjects(kind, where, counts.total())
        counts[kind] += len(mine)
        # Methods have many variables, and each renaming needs a program of its own.
        subjects += take_every(mine, 6 if kind == "rename" else 2) if where == "single" else mine
    wrong = check_subjects(
        subjects, project.sources, project.explain_failure, "running", ignore_progress
    )
    assert len(wrong) == len(subjects)
    assert {place: reason for place, reason in wrong.items() if reason} == {}
    # Otherwise a transformation that finds nothing would pass.
    assert all(counts[kind] for kind in KINDS if kind not in ("boolean", "switch")), counts


def test_published_variants_without_doubt_keep_behaviour(project: ExampleProject) -> None:
    """The JVM runs the published tool's variants: those without a doubt keep behaviour."""
    subjects: list[Subject] = []
    for kind in PUBLISHED:
        for path, file in project.files.items():
            reaches = ReachIndex(file)
            subjects += [
                Subject(len(subjects) + place, path, variant.edits, reaches.reach_of(variant))
                for place, variant in enumerate(
                    variant
                    for variant in take_every(list(iterate_variants(file, kind)))
                    if not variant.doubt
                )
            ]
    wrong = check_subjects(
        subjects, project.sources, project.explain_failure, "running", ignore_progress
    )
    assert len(wrong) == len(subjects) > 40
    assert {place: reason for place, reason in wrong.items() if reason} == {}


@pytest.mark.parametrize("project", ["tramway"], indirect=True)
def test_wrong_published_variants_are_detected(project: ExampleProject) -> None:
    """These kinds of errors are always detected: the variant does not compile, or behaves
    differently."""
    subjects: list[Subject] = []
    for path, file in project.files.items():
        reaches = ReachIndex(file)
        wrong_variants = [
            variant
            for kind in PUBLISHED
            for variant in iterate_variants(file, kind)
            if variant.doubt and variant.doubt.wrong and "renames" in variant.doubt.reason
        ]
        subjects += [
            Subject(len(subjects) + place, path, variant.edits, reaches.reach_of(variant))
            for place, variant in enumerate(wrong_variants[:2])
        ]
    wrong = check_subjects(
        subjects[:12], project.sources, project.explain_failure, "running", ignore_progress
    )
    assert len(wrong) == 12
    assert all(wrong.values())


def test_changed_behaviour_is_detected(project: ExampleProject) -> None:
    """In any method: the self-checks call them all."""
    thrown = b"{ if (true) throw new IllegalStateException();"
    subjects = []
    for path, file in list(project.files.items())[::8]:
        if path.startswith("src"):
            reaches = ReachIndex(file)
            methods = [place for place in file.bodies if file.declarations.methods[place].returns]
            for place in methods[:1]:
                node = file.declarations.methods[place].body
                start = reaches.code.start[node]
                edit = Edit(start, start + 1, thrown)
                span = reaches.code.span(file.declarations.methods[place].node)
                subjects.append(Subject(len(subjects), path, (edit,), span))
    wrong = check_subjects(
        subjects, project.sources, project.explain_failure, "running", ignore_progress
    )
    assert subjects
    assert all(wrong.values())
