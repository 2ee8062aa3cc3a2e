"""Originals and variants compiled and run side by side: the JVM is the oracle.

A case is a Java file with a public class ``T`` that has
``public static void run(java.io.PrintStream out) throws Throwable``, which calls the methods that
are changed on inputs that reach every branch, and prints what they give. An exception that leaves
``run`` is compared too. All variants of many cases are compiled in one go and run in one JVM.
"""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply, flatten
from codeacumen.transforms.location import Location, Transform, chosen, seeded
from javac import JAVA, JAVAC

HERE = Path(__file__).parent / "transforms"


@dataclass(frozen=True)
class Case:
    """``accepted`` and ``refused`` are what must come of locations, by their ids (a refusal's
    reason, or a part of it), in the first method that has it; others are run if accepted.
    ``method`` restricts the locations that are looked at to methods of that name; by default all
    but ``run``."""

    name: str
    source: str
    accepted: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    method: str = ""


def found(transform: Transform, case: Case, seed: int = 0) -> tuple[Code, list[Location]]:
    code = code_of(JavaFile(case.source.encode()))
    assert not code.file.syntax.broken, f"{case.name}: not Java"
    locations = []
    for place, _ in code.bodies:
        name = code.file.declarations.methods[place].name
        if name == case.method or (not case.method and name != "run"):
            locations += transform.locations(code, place, seed)
    ids = [one.id for one in locations]
    assert len(set(zip(ids, (one.method for one in locations), strict=True))) == len(ids)
    return code, locations


def variants(transform: Transform, case: Case, seed: int = 0) -> dict[str, str]:
    """Each location alone, and all together, by name; checks what the case demands."""
    code, locations = found(transform, case, seed)
    made: dict[str, Location] = {}
    for one in locations:
        made.setdefault(one.id, one)
    for wanted in case.accepted:
        assert wanted in made, f"{case.name}: no {wanted} among {sorted(made)}"
        assert not made[wanted].refused, f"{case.name}: {wanted} refused: {made[wanted].refused}"
    for wanted, why in case.refused.items():
        assert wanted in made, f"{case.name}: no {wanted} among {sorted(made)}"
        assert made[wanted].refused, f"{case.name}: {wanted} accepted"
        assert why in made[wanted].refused, f"{case.name}: {wanted}: {made[wanted].refused}"
    texts: dict[str, str] = {}
    for one in locations:
        if not one.refused:
            edits = flatten(code.source, transform.rewrites(code, [one]))
            assert edits, f"{case.name}: {one.id} changes nothing"
            # Ids are a method's own.
            texts[f"{one.method} {one.id}"] = apply(code.source, edits).decode()
    by_method: dict[int, list[Location]] = {}
    for one in locations:
        by_method.setdefault(one.method, []).append(one)
    together = []
    for place, mine in by_method.items():
        for several in chosen(mine, "all", seeded(seed, str(place))):
            together += transform.rewrites(code, several)
    if together:
        texts["all"] = apply(code.source, flatten(code.source, together)).decode()
    return texts


def check_all(transform: Transform, cases: Iterable[Case], folder: Path, seed: int = 0) -> int:
    """Compile and run every variant of every case beside its original; gives their number."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: the JVM is the oracle")
    sources: dict[str, str] = {}
    originals: dict[str, str] = {}
    told: dict[str, str] = {}
    for number, case in enumerate(cases):
        original = f"case{number}.original"
        sources[original], told[original] = case.source, case.name
        for place, (name, text) in enumerate(variants(transform, case, seed).items()):
            package = f"case{number}.variant{place}"
            sources[package], originals[package] = text, original
            told[package] = f"{case.name}: {name}\n{text}"
    files = []
    for package, text in sources.items():
        file = folder / package.replace(".", "/") / "T.java"
        file.parent.mkdir(parents=True)
        file.write_text(f"package {package}; {text}", encoding="utf-8")
        files.append(str(file))
    out = folder / "classes"
    listed = folder / "files.txt"
    listed.write_text("\n".join([*files, str(HERE / "Runs.java")]))
    done = subprocess.run(
        [
            javac,
            *JAVAC,
            "-nowarn",
            "-encoding",
            "UTF-8",
            "-Xmaxerrs",
            "1000",
            "-d",
            str(out),
            f"@{listed}",
        ],
        capture_output=True,
        text=True,
    )
    wrong = sorted(set(re.findall(r"(case\d+)/(\w+)/T\.java:\d+: error: (.*)", done.stderr)))
    assert done.returncode == 0, "\n\n".join(
        f"{error}\n{told[f'{case}.{variant}']}" for case, variant, error in wrong
    )
    done = subprocess.run(
        [java, *JAVA, "-ea", "-cp", str(out), "Runs", *(f"{package}.T" for package in sources)],
        capture_output=True,
        text=True,
        check=True,
    )
    ended: dict[str, tuple[str, str]] = {}
    for line in done.stdout.splitlines():
        name, how, written = line.split(" ")
        texts = [base64.b64decode(one).decode() for one in (how, written)]
        package = name.removesuffix(".T")
        ended[package] = (texts[0].replace(package, "P"), texts[1].replace(package, "P"))
    for package, original in originals.items():
        assert ended[original][0] != "hangs", f"{told[original]}: the original hangs"
        assert not ended[original][0].startswith("cannot run"), (told[original], ended[original])
        assert ended[package] == ended[original], told[package]
    return len(originals)
