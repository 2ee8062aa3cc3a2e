"""javac as an oracle: compile and run the small Java programs beside the tests."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from codeacumen.languages.java.syntax.file import JavaFile
from support import is_thorough

# The programs are beside the tests of the language.
HERE = Path(__file__).parent / "languages" / "java"
# Programs that run for seconds: compiling them to the best machine code costs more than it saves.
JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
JAVAC = tuple(f"-J{option}" for option in JAVA)
EXPORTS = [
    f"--add-exports=jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED"
    for package in ("parser", "util", "file", "tree", "code", "api")
]


@pytest.fixture(scope="session")
def javac_program(
    shared_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Return a function that runs a Java program of this folder on files and returns its output."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: javac is the oracle")
    folder, own = shared_folder / "javac", tmp_path_factory.mktemp("java")
    folder.mkdir(exist_ok=True)

    def run_program(program: str, files: list[Path]) -> str:
        source = HERE / f"{program}.java"
        with FileLock(folder / "javac.lock"):
            if not (folder / f"{program}.class").exists():
                paths = ["-d", str(folder), "-cp", str(folder), "-sourcepath", str(HERE)]
                command = [javac, *JAVAC, *EXPORTS, *paths, str(source)]
                subprocess.run(command, check=True)
        listed = own / f"{program}.txt"
        listed.write_text("".join(f"{file}\n" for file in files))
        done = subprocess.run(
            [java, *JAVA, *EXPORTS, "-cp", str(folder), program, str(listed)],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    return run_program


class JavacSource:
    """A parsed file that converts javac's positions, in UTF-16 units, to byte offsets."""

    def __init__(self, path: Path) -> None:
        self.file = JavaFile(path.read_bytes())
        text = path.read_text()
        self.byte_offsets: list[int] | None = None
        if not text.isascii():
            self.byte_offsets = [0]
            for letter in text:
                units = len(letter.encode("utf-16-le")) // 2
                self.byte_offsets += [self.byte_offsets[-1] + len(letter.encode())] * units

    def to_byte_offset(self, position: int) -> int:
        return (
            position if self.byte_offsets is None or position < 0 else self.byte_offsets[position]
        )


def jdk_source() -> Path | None:
    """The archive of the JDK's source. Debian's JDK has links to it whether it is there or not."""
    archives = sorted(Path("/usr/lib/jvm").glob("*17*/lib/src.zip"))
    return next((archive for archive in archives if archive.is_file()), None)


@pytest.fixture(scope="session")
def java_util(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the source files of the JDK's java.util and its subpackages."""
    source = jdk_source()
    if source is None:
        pytest.skip("the JDK's source is not here (Debian: openjdk-17-source)")
    folder = tmp_path_factory.mktemp("jdk")
    with zipfile.ZipFile(source) as archive:
        names = [
            name
            for name in archive.namelist()
            if name.startswith("java.base/java/util/") and name.endswith(".java")
        ]
        archive.extractall(folder, names)
    return [folder / name for name in names]


@pytest.fixture(scope="session")
def part_of_java_util(java_util: list[Path]) -> list[Path]:
    """Return a fixed ninth of java.util, by a hash of the names, for slow comparisons: 38 files and
    a megabyte, among them TreeMap and Formatter. In a thorough run, return all."""
    return [file for file in java_util if is_thorough() or zlib.crc32(file.name.encode()) % 9 == 4]
