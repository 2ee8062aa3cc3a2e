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
NEEDED = (
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
MOST = 2000
SEED = 0


@dataclass(frozen=True)
class Library:
    """Library under test. ``excluded_tests`` measure time or need files that are not available."""

    name: str
    source: str
    left_out: str


LIBRARIES = (
    Library("commons-csv", "debian:libcommons-csv-java", ".*PerformanceTest"),
    Library(
        "commons-codec", "debian:libcommons-codec-java", ".*(PerformanceTest|XXHash32OverflowTest)"
    ),
)


def install() -> None:
    """Install the Debian packages of the libraries unless their jars exist."""
    if not all((JARS / f"{name}.jar").exists() for name in NEEDED if name != "univocity-parsers"):
        command = ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def class_path() -> str:
    """Return a Java class path of the jars that exist."""
    return ":".join(str(JARS / f"{name}.jar") for name in NEEDED if (JARS / f"{name}.jar").exists())


class Workshop:
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
        places = [folder / name for name in ("classes", "tests", "suite")]
        self.compile(self.main, places[0], "")
        self.compile(tests, places[1], str(places[0]))
        self.compile([HERE / "Suite.java"], places[2], "")
        resources = [self.root / f"src/{part}/resources" for part in ("main", "test")]
        self.rounds = 0
        given = ":".join(map(str, resources))
        self.jvm = subprocess.Popen(
            [
                "java",
                "-Xmx2g",
                "-cp",
                f"{places[2]}:{given}:{class_path()}",
                "Suite",
                *map(str, places[:2]),
                given,
                library.left_out,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.root,
        )
        self.tests = self.wrong_with({})
        if not self.tests.startswith("ok "):
            raise SystemExit(f"{library.name}: tests fail without changes: {self.tests[:500]}")

    def compile(self, files: list[Path], out: Path, more: str) -> None:
        """Compile files into a folder with javac."""
        listed = self.folder / "list"
        listed.write_text("\n".join(map(str, files)))
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
                f"{more}:{class_path()}",
                f"@{listed}",
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )

    def check(self, changed: Mapping[str, bytes]) -> str:
        """Return an empty string if the tests pass with the changed files, else their output."""
        found = self.wrong_with(changed)
        return "" if found == self.tests else found

    def wrong_with(self, changed: Mapping[str, bytes]) -> str:
        """Compile and test the library with changed files; return the suite's line of output."""
        self.rounds += 1
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
            return self.jvm.stdout.readline().strip()

    def close(self) -> None:
        self.jvm.kill()
        self.jvm.wait()


def measure(library: Library, kinds: list[str]) -> list[dict[str, Any]]:
    """Return a row of counts for each kind of transformation of a library."""
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.transforms.certify.reading import Subject, check_subjects
    from codeacumen.transforms.location import seeded_random
    from codeacumen.transforms.run import ReachIndex, link_project
    from codeacumen.transforms.variants import find_locations, variants_of_method

    rows = []
    with tempfile.TemporaryDirectory(prefix="codeacumen-library-") as name:
        workshop = Workshop(library, Path(name))
        try:
            files = {path: JavaFile(data) for path, data in workshop.sources.items()}
            link_project(files)
            for kind in kinds:
                clock, before = time.perf_counter(), workshop.rounds
                places, refused = 0, Counter[str]()
                subjects: list[Subject] = []
                ids: list[str] = []
                for path, file in files.items():
                    reaches = ReachIndex(file)
                    for method in file.bodies:
                        found = find_locations(file, kind, method, SEED)
                        places += len(found)
                        refused.update(one.refused for one in found if one.refused)
                        for variant in variants_of_method(file, found, kind, "single", SEED):
                            place = len(subjects)
                            reach = reaches.reach_of(variant)
                            subjects.append(Subject(place, path, variant.edits, reach))
                            ids.append(f"{path} {variant.locations[0]}")
                made = len(subjects)
                if made > MOST:
                    kept = set(seeded_random(SEED, kind, library.name).sample(range(made), MOST))
                    subjects = [one for one in subjects if one.index in kept]
                wrong = check_subjects(
                    subjects, workshop.sources, workshop.check, lambda done, total: None
                )
                failures = [(ids[place], why) for place, why in wrong.items() if why]
                for id_, why in failures:
                    print(f"{library.name} {kind}: {id_}: {why[:300]}", file=sys.stderr)
                row = {
                    "library": library.name,
                    "kind": kind,
                    "places": places,
                    "changed": 1 - sum(refused.values()) / places if places else None,
                    "refused": dict(refused.most_common()),
                    "variants": made,
                    "checked": len(subjects),
                    "rounds": workshop.rounds - before,
                    "compile failures": sum(why.startswith("compile") for _, why in failures),
                    "test failures": sum(not why.startswith("compile") for _, why in failures),
                    "tests": int(re.sub(r"\D", "", workshop.tests)),
                    "seconds": round(time.perf_counter() - clock, 1),
                }
                rows.append(row)
                # A run takes long, so print each row as soon as it is complete.
                print(json.dumps({k: v for k, v in row.items() if k != "refused"}), file=sys.stderr)
        finally:
            workshop.close()
    return rows


def main() -> None:
    from codeacumen.transforms.variants import KINDS

    words = set(sys.argv[1:])
    kinds = [kind for kind in KINDS if kind in words] or list(KINDS)
    libraries = [one for one in LIBRARIES if one.name in words] or list(LIBRARIES)
    install()
    rows = [row for library in libraries for row in measure(library, kinds)]
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=1))
        return
    shown = (
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
    print("  ".join(f"{name:>16}" for name in shown))
    for row in rows:
        row["changed"] = f"{row['changed']:.1%}" if row["changed"] is not None else "–"
        print("  ".join(f"{row[name]!s:>16}" for name in shown))


if __name__ == "__main__":
    main()
