"""Check every transformation on two real libraries with javac and the libraries' own tests.

    python bench/libraries.py             a table
    python bench/libraries.py --json
    python bench/libraries.py rename loop commons-csv     some kinds, some libraries only

Checks the single-place variants of a kind, or a seeded sample of 2,000. A round changes many
methods at once, one variant each, so one compilation and test run checks hundreds; a round that
fails is bisected down to the wrong variant (``codeacumen.transforms.certify``). Needs Debian's
packages of sources and JUnit; run as root, it installs those that are missing.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
JARS = Path("/usr/share/java")
PACKAGES = (
    "junit5",
    "libmockito-java",
    "libcommons-io-java",
    "libcommons-lang3-java",
    "libh2-java",
    "libhamcrest-java",
)
REQUIRED_JARS = (
    "junit-jupiter-api",
    "junit-jupiter-params",
    "junit-jupiter-engine",
    "junit-vintage-engine",
    "junit-platform-commons",
    "junit-platform-engine",
    "junit-platform-launcher",
    "junit4",
    "opentest4j",
    "apiguardian-api",
    "mockito-core",
    "byte-buddy",
    "byte-buddy-agent",
    "objenesis",
    "commons-io",
    "commons-lang3",
    "h2",
    "hamcrest",
    "univocity-parsers",
)
SAMPLE_SIZE = 2000
SEED = 0


@dataclass(frozen=True)
class Library:
    """Library under test. ``excluded_tests`` measure time or need files that are not available."""

    name: str
    source: str
    excluded_tests: str


LIBRARIES = (
    Library("commons-csv", "debian:libcommons-csv-java", ".*PerformanceTest"),
    Library(
        "commons-codec", "debian:libcommons-codec-java", ".*(PerformanceTest|XXHash32OverflowTest)"
    ),
)


def install_packages() -> None:
    """Install the Debian packages of the libraries unless their jars exist."""
    if not all(
        (JARS / f"{name}.jar").exists() for name in REQUIRED_JARS if name != "univocity-parsers"
    ):
        command = ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def format_class_path() -> str:
    """Return a Java class path of the jars that exist."""
    return ":".join(
        str(JARS / f"{name}.jar") for name in REQUIRED_JARS if (JARS / f"{name}.jar").exists()
    )


class LibraryTester:
    """Unpacked and compiled library, and a JVM that compiles and tests changed files of it."""

    def __init__(self, library: Library, folder: Path) -> None:
        from codeacumen.corpus.sources import find_projects

        (project,) = find_projects([library.source], Path.home() / ".cache" / "codeacumen-bench")
        self.folder = folder
        self.root = folder / "lib"
        root: Any = project.root
        shutil.copytree(root.folder / "files", self.root)
        self.main = sorted((self.root / "src/main/java").rglob("*.java"))
        tests = [
            file
            for file in sorted((self.root / "src/test/java").rglob("*.java"))
            if b"openjdk.jmh" not in file.read_bytes()
        ]
        self.sources = {str(file.relative_to(self.root)): file.read_bytes() for file in self.main}
        class_folders = [folder / name for name in ("classes", "tests", "suite")]
        self.compile_files(self.main, class_folders[0], "")
        self.compile_files(tests, class_folders[1], str(class_folders[0]))
        self.compile_files([HERE / "Suite.java"], class_folders[2], "")
        resources = [self.root / f"src/{part}/resources" for part in ("main", "test")]
        self.rounds = 0
        resource_path = ":".join(map(str, resources))
        self.jvm = subprocess.Popen(
            [
                "java",
                "-Xmx2g",
                "-cp",
                f"{class_folders[2]}:{resource_path}:{format_class_path()}",
                "Suite",
                *map(str, class_folders[:2]),
                resource_path,
                library.excluded_tests,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.root,
        )
        self.tests = self.run_suite({})
        if not self.tests.startswith("ok "):
            raise SystemExit(f"{library.name}: tests fail without changes: {self.tests[:500]}")

    def compile_files(self, files: list[Path], out: Path, extra_class_path: str) -> None:
        """Compile files into a folder with javac."""
        list_file = self.folder / "list"
        list_file.write_text("\n".join(map(str, files)))
        subprocess.run(
            [
                "javac",
                "-nowarn",
                "-proc:none",
                "-encoding",
                "UTF-8",
                "-d",
                str(out),
                "-cp",
                f"{extra_class_path}:{format_class_path()}",
                f"@{list_file}",
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )

    def check_changes(self, changed: Mapping[str, bytes]) -> str:
        """Return an empty string if the tests pass with the changed files, else their output."""
        outcome = self.run_suite(changed)
        return "" if outcome == self.tests else outcome

    def run_suite(self, changed: Mapping[str, bytes]) -> str:
        """Compile and test the library with changed files; return the suite's line of output."""
        self.rounds += 1
        with tempfile.TemporaryDirectory(dir=self.folder) as folder_name:
            files = []
            for path, data in changed.items():
                file = Path(folder_name) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
                files.append(str(file))
            list_file = Path(folder_name) / "list"
            list_file.write_text("\n".join(files))
            assert self.jvm.stdin is not None
            assert self.jvm.stdout is not None
            self.jvm.stdin.write(f"{list_file}\n")
            self.jvm.stdin.flush()
            return self.jvm.stdout.readline().strip()

    def close(self) -> None:
        self.jvm.kill()
        self.jvm.wait()


def measure_library(library: Library, kinds: list[str]) -> list[dict[str, Any]]:
    """Return a row of counts for each kind of transformation of a library."""
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.transforms.certify.front_end import Subject, check_subjects
    from codeacumen.transforms.location import seeded_random
    from codeacumen.transforms.run import ReachIndex, link_project
    from codeacumen.transforms.variants import find_locations, variants_of_method

    rows = []
    with tempfile.TemporaryDirectory(prefix="codeacumen-library-") as folder_name:
        tester = LibraryTester(library, Path(folder_name))
        try:
            files = {path: JavaFile(data) for path, data in tester.sources.items()}
            link_project(files)
            for kind in kinds:
                start, rounds_before = time.perf_counter(), tester.rounds
                location_count, refusal_counts = 0, Counter[str]()
                subjects: list[Subject] = []
                ids: list[str] = []
                for path, file in files.items():
                    reaches = ReachIndex(file)
                    for method in file.bodies:
                        candidates = find_locations(file, kind, method, SEED)
                        location_count += len(candidates)
                        refusal_counts.update(
                            location.refused for location in candidates if location.refused
                        )
                        for variant in variants_of_method(file, candidates, kind, "single", SEED):
                            index = len(subjects)
                            reached = reaches.reach_of(variant)
                            subjects.append(Subject(index, path, variant.edits, reached))
                            ids.append(f"{path} {variant.locations[0]}")
                variant_count = len(subjects)
                if variant_count > SAMPLE_SIZE:
                    sampled = set(
                        seeded_random(SEED, kind, library.name).sample(
                            range(variant_count), SAMPLE_SIZE
                        )
                    )
                    subjects = [subject for subject in subjects if subject.index in sampled]
                failure_of_index = check_subjects(
                    subjects, tester.sources, tester.check_changes, lambda done, total: None
                )
                failures = [
                    (ids[index], reason) for index, reason in failure_of_index.items() if reason
                ]
                for id_, reason in failures:
                    print(f"{library.name} {kind}: {id_}: {reason[:300]}", file=sys.stderr)
                row = {
                    "library": library.name,
                    "kind": kind,
                    "places": location_count,
                    "changed": 1 - sum(refusal_counts.values()) / location_count
                    if location_count
                    else None,
                    "refused": dict(refusal_counts.most_common()),
                    "variants": variant_count,
                    "checked": len(subjects),
                    "rounds": tester.rounds - rounds_before,
                    "compile failures": sum(reason.startswith("compile") for _, reason in failures),
                    "test failures": sum(
                        not reason.startswith("compile") for _, reason in failures
                    ),
                    "tests": int(re.sub(r"\D", "", tester.tests)),
                    "seconds": round(time.perf_counter() - start, 1),
                }
                rows.append(row)
                # A run takes long, so print each row as soon as it is complete.
                print(json.dumps({k: v for k, v in row.items() if k != "refused"}), file=sys.stderr)
        finally:
            tester.close()
    return rows


def main() -> None:
    from codeacumen.transforms.variants import KINDS

    arguments = set(sys.argv[1:])
    kinds = [kind for kind in KINDS if kind in arguments] or list(KINDS)
    libraries = [library for library in LIBRARIES if library.name in arguments] or list(LIBRARIES)
    install_packages()
    rows = [row for library in libraries for row in measure_library(library, kinds)]
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=1))
        return
    columns = (
        "library",
        "kind",
        "places",
        "changed",
        "checked",
        "rounds",
        "compile failures",
        "test failures",
        "tests",
        "seconds",
    )
    print("  ".join(f"{name:>16}" for name in columns))
    for row in rows:
        row["changed"] = f"{row['changed']:.1%}" if row["changed"] is not None else "–"
        print("  ".join(f"{row[name]!s:>16}" for name in columns))


if __name__ == "__main__":
    main()
