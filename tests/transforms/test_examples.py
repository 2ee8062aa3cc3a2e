"""Every location of every transformation on the example projects: compiled by javac, and the
projects' self-checks, which call every method, print the same as before."""

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
from codeacumen.transforms.certify.reading import Subject, check
from codeacumen.transforms.edits import Edit
from codeacumen.transforms.run import Reaches, with_project
from codeacumen.transforms.variants import KINDS, PUBLISHED, variants
from javac import JAVA, JAVAC
from support import ROOT, some

CHECKS = {
    "ballot": "ballot.check.BallotCheck",
    "library": "brookside.check.LibraryCheck",
    "quill": "quill.check.QuillCheck",
    "tramway": "tramway.check.TramwayCheck",
}
HERE = Path(__file__).parent


class Project:
    """A project compiled as it is, and a JVM that tries changed files of it."""

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
        self.before = self.tried({})
        assert self.before.startswith("ends\n"), self.before
        self.files = {path: JavaFile(data) for path, data in self.sources.items()}
        with_project(self.files)

    def wrong_with(self, changed: Mapping[str, bytes]) -> str:
        after = self.tried(changed)
        return "" if after == self.before else after[:2000]

    def tried(self, changed: Mapping[str, bytes]) -> str:
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

    def subjects(self, kind: str, where: str, first: int) -> list[Subject]:
        found: list[Subject] = []
        for path, file in self.files.items():
            reaches = Reaches(file)
            found += [
                Subject(first + len(found) + place, path, one.edits, reaches.of(one))
                for place, one in enumerate(variants(file, kind, where))
            ]
        return found


@pytest.fixture(params=sorted(CHECKS), scope="module")
def project(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("no JDK here: javac and the JVM are the oracle")
    found = Project(request.param, tmp_path_factory.mktemp(request.param))
    yield found
    for stream in (found.jvm.stdin, found.jvm.stdout):
        assert stream is not None
        stream.close()
    found.jvm.kill()
    found.jvm.wait()


@pytest.mark.parametrize("where", ["single", "all"])
def test_every_location_does_the_same(project: Project, where: str) -> None:
    subjects: list[Subject] = []
    counts: Counter[str] = Counter()
    for kind in KINDS:
        mine = project.subjects(kind, where, counts.total())
        counts[kind] += len(mine)
        # A method has more variables than anything else, and each needs a program of its own.
        subjects += some(mine, 6 if kind == "rename" else 2) if where == "single" else mine
    wrong = check(subjects, project.sources, project.wrong_with, "running", ignore_progress)
    assert len(wrong) == len(subjects)
    assert {place: why for place, why in wrong.items() if why} == {}
    # A transformation that finds nothing would pass, too.
    assert all(counts[kind] for kind in KINDS if kind not in ("boolean", "switch")), counts


def test_what_is_known_of_published_edits_is_so(project: Project) -> None:
    """The JVM runs those of the published tool: what is not doubted does the same."""
    subjects: list[Subject] = []
    for kind in PUBLISHED:
        for path, file in project.files.items():
            reaches = Reaches(file)
            subjects += [
                Subject(len(subjects) + place, path, one.edits, reaches.of(one))
                for place, one in enumerate(
                    one for one in some(list(variants(file, kind))) if not one.doubt
                )
            ]
    wrong = check(subjects, project.sources, project.wrong_with, "running", ignore_progress)
    assert len(wrong) == len(subjects) > 40
    assert {place: why for place, why in wrong.items() if why} == {}


@pytest.mark.parametrize("project", ["tramway"], indirect=True)
def test_what_is_wrong_with_published_edits_is_seen(project: Project) -> None:
    """Each of a kind that is always seen: it does not compile, or does something else."""
    subjects: list[Subject] = []
    for path, file in project.files.items():
        reaches = Reaches(file)
        found = [
            one
            for kind in PUBLISHED
            for one in variants(file, kind)
            if one.doubt and one.doubt.wrong and "renames" in one.doubt.why
        ]
        subjects += [
            Subject(len(subjects) + place, path, one.edits, reaches.of(one))
            for place, one in enumerate(found[:2])
        ]
    wrong = check(subjects[:12], project.sources, project.wrong_with, "running", ignore_progress)
    assert len(wrong) == 12
    assert all(wrong.values())


def test_a_change_that_does_something_else_is_seen(project: Project) -> None:
    """In any method: the self-checks call them all."""
    thrown = b"{ if (true) throw new IllegalStateException();"
    subjects = []
    for path, file in list(project.files.items())[::8]:
        if path.startswith("src"):
            reaches = Reaches(file)
            methods = [place for place in file.bodies if file.declarations.methods[place].returns]
            for place in methods[:1]:
                node = file.declarations.methods[place].body
                start = reaches.code.start[node]
                edit = Edit(start, start + 1, thrown)
                span = reaches.code.span(file.declarations.methods[place].node)
                subjects.append(Subject(len(subjects), path, (edit,), span))
    wrong = check(subjects, project.sources, project.wrong_with, "running", ignore_progress)
    assert subjects
    assert all(wrong.values())
