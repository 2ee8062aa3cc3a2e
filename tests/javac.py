"""javac as an oracle: small Java programs beside the tests, compiled and run by them."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from support import is_thorough

# The programs lie beside the tests of the language.
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
    """Runs a Java program of this folder on files; gives what it prints."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: javac is the oracle")
    folder, own = shared_folder / "javac", tmp_path_factory.mktemp("java")
    folder.mkdir(exist_ok=True)

    def run(program: str, files: list[Path]) -> str:
        source = HERE / f"{program}.java"
        with FileLock(folder / f"{program}.lock"):
            if not (folder / f"{program}.class").exists():
                command = [javac, *JAVAC, *EXPORTS, "-d", str(folder), str(source)]
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

    return run


def jdk_source() -> Path | None:
    """The archive of the JDK's source. Debian's JDK has links to it whether it is there or not."""
    archives = sorted(Path("/usr/lib/jvm").glob("*17*/lib/src.zip"))
    return next((one for one in archives if one.is_file()), None)


@pytest.fixture(scope="session")
def java_util(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The JDK's java.util and what is below it, in source."""
    source = jdk_source()
    if source is None:
        pytest.skip("the JDK's source is not here (Debian: openjdk-17-source)")
    folder = tmp_path_factory.mktemp("jdk")
    with zipfile.ZipFile(source) as archive:
        wanted = [
            name
            for name in archive.namelist()
            if name.startswith("java.base/java/util/") and name.endswith(".java")
        ]
        archive.extractall(folder, wanted)
    return [folder / name for name in wanted]


@pytest.fixture(scope="session")
def part_of_java_util(java_util: list[Path]) -> list[Path]:
    """The same ninth of it always, by a hash of the names, for comparisons that take long: 38
    files and a megabyte, TreeMap and Formatter among them. In a thorough run all of it."""
    return [file for file in java_util if is_thorough() or zlib.crc32(file.name.encode()) % 9 == 4]
