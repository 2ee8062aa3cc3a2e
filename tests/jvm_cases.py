"""Compile and run originals and variants side by side: the JVM is the oracle.

A case is a Java file with a public class ``T`` that has ``public static void
run(java.io.PrintStream out) throws Throwable``. It calls the changed methods on inputs that reach
every branch, and prints the results. An exception that leaves ``run`` is compared too. All variants
of many cases are compiled at once and run in one JVM.
"""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import Rewrite, apply_edits, flatten_rewrites
from codeacumen.transforms.location import Location, Transform, seeded_random, select_locations
from javac import JAVA, JAVAC

HERE = Path(__file__).parent / "transforms"


@dataclass(frozen=True)
class Case:
    """A program with expected locations. ``accepted`` and ``refused`` hold the ids of locations
    with the expected outcome (for a refusal, its reason or a part of it), in the first method that
    has them; other locations are run if accepted. ``method`` limits the locations to methods of
    that name; by default all but ``run``."""

    name: str
    source: str
    accepted: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    method: str = ""


def find_case_locations(
    transform: Transform, case: Case, seed: int = 0
) -> tuple[Code, list[Location]]:
    code = code_of(JavaFile(case.source.encode()))
    assert not code.file.syntax.broken, f"{case.name}: not Java"
    locations = []
    for method, _ in code.methods_with_body:
        name = code.file.declarations.methods[method].name
        if name == case.method or (not case.method and name != "run"):
            locations += transform.find_locations(code, method, seed)
    ids = [location.id for location in locations]
    assert len(set(zip(ids, (location.method for location in locations), strict=True))) == len(ids)
    return code, locations


def split_by_method(transform: Transform, case: Case) -> list[Case]:
    """Return a case for each method if several have locations: ids are unique only in a method."""
    code, locations = find_case_locations(transform, case)
    declared = code.file.declarations.methods
    names = dict.fromkeys(declared[location.method].name for location in locations)
    single = [Case(f"{case.name}: {name}", case.source, method=name) for name in names]
    return single if len(single) > 1 else []


def make_case_variants(transform: Transform, case: Case, seed: int = 0) -> dict[str, str]:
    """Return the variant of each location alone, and of all together, by name; check what the case
    expects."""
    code, locations = find_case_locations(transform, case, seed)
    location_by_id: dict[str, Location] = {}
    for location in locations:
        location_by_id.setdefault(location.id, location)
    for location_id in case.accepted:
        assert location_id in location_by_id, (
            f"{case.name}: no {location_id} among {sorted(location_by_id)}"
        )
        assert not location_by_id[location_id].refused, (
            f"{case.name}: {location_id} refused: {location_by_id[location_id].refused}"
        )
    for location_id, reason in case.refused.items():
        assert location_id in location_by_id, (
            f"{case.name}: no {location_id} among {sorted(location_by_id)}"
        )
        assert location_by_id[location_id].refused, f"{case.name}: {location_id} accepted"
        assert reason in location_by_id[location_id].refused, (
            f"{case.name}: {location_id}: {location_by_id[location_id].refused}"
        )
    texts: dict[str, str] = {}
    for location in locations:
        if not location.refused:
            edits = flatten_rewrites(code.source, transform.make_rewrites(code, [location]))
            assert edits, f"{case.name}: {location.id} changes nothing"
            # Ids are unique only within a method.
            texts[f"{location.method} {location.id}"] = apply_edits(code.source, edits).decode()
    by_method: dict[int, list[Location]] = {}
    for location in locations:
        by_method.setdefault(location.method, []).append(location)
    combined_rewrites = []
    for method, method_locations in by_method.items():
        for chosen_locations in select_locations(
            method_locations, "all", seeded_random(seed, str(method))
        ):
            combined_rewrites += transform.make_rewrites(code, chosen_locations)
    if combined_rewrites:
        texts["all"] = apply_edits(
            code.source, flatten_rewrites(code.source, combined_rewrites)
        ).decode()
    return texts


def run_all_variants(
    transform: Transform, cases: Iterable[Case], folder: Path, seed: int = 0
) -> int:
    """Compile and run every variant of every case with its original; return the number of
    variants."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: the JVM is the oracle")
    sources: dict[str, str] = {}
    originals: dict[str, str] = {}
    descriptions: dict[str, str] = {}
    for number, case in enumerate(cases):
        original = f"case{number}.original"
        sources[original], descriptions[original] = case.source, case.name
        for variant_number, (name, text) in enumerate(
            make_case_variants(transform, case, seed).items()
        ):
            package = f"case{number}.variant{variant_number}"
            sources[package], originals[package] = text, original
            descriptions[package] = f"{case.name}: {name}\n{text}"
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
    compile_errors = sorted(
        set(re.findall(r"(case\d+)/(\w+)/T\.java:\d+: error: (.*)", done.stderr))
    )
    assert done.returncode == 0, "\n\n".join(
        f"{error}\n{descriptions[f'{case}.{variant}']}" for case, variant, error in compile_errors
    )
    done = subprocess.run(
        [java, *JAVA, "-ea", "-cp", str(out), "Runs", *(f"{package}.T" for package in sources)],
        capture_output=True,
        text=True,
        check=True,
    )
    ended: dict[str, tuple[str, str]] = {}
    for line in done.stdout.splitlines():
        name, outcome, written = line.split(" ")
        texts = [base64.b64decode(part).decode() for part in (outcome, written)]
        package = name.removesuffix(".T")
        ended[package] = (texts[0].replace(package, "P"), texts[1].replace(package, "P"))
    for package, original in originals.items():
        assert ended[original][0] != "hangs", f"{descriptions[original]}: the original hangs"
        assert not ended[original][0].startswith("cannot run"), (
            descriptions[original],
            ended[original],
        )
        assert ended[package] == ended[original], descriptions[package]
    return len(originals)


class CombinedLocations:
    """A transformation with all accepted locations of a method as one."""

    def __init__(self, transform: Transform) -> None:
        self.transform, self.name = transform, transform.name

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        locations = self.transform.find_locations(code, method, seed)
        accepted = [location for location in locations if not location.refused]
        return [Location(f"{self.name}:all:0", method, 0, 0, "", accepted)] if accepted else []

    def make_rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return self.transform.make_rewrites(
            code, [location for several in chosen for location in several.detail]
        )


def run_changed_twice(transform: Transform, cases: Iterable[Case], folder: Path) -> None:
    """Run the variants with all locations changed, and the same changed once more."""
    names_and_texts = [(case.name, make_case_variants(transform, case)) for case in cases]
    once = [Case(name, texts["all"]) for name, texts in names_and_texts if texts]
    assert run_all_variants(CombinedLocations(transform), once, folder) >= 2 * len(once)
