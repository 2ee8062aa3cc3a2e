"""Tests of a third-party package: installed with pip, listed without being imported, evaluated by
name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support import Codeacumen

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
dependencies = ["codeacumen"]

[project.entry-points."codeacumen.models"]
{name}-vowels = "{module}.models:Vowels"

[project.entry-points."codeacumen.tasks"]
"{name}/rhymes" = "{module}.tasks:rhymes"
"""

# The package uses only the interface of a model; it has a setting and traces its import.
MODELS = '''
import os
from pathlib import Path

Path(os.environ["IMPORT_TRACE"]).write_text("imported")


class Vowels:
    """Do the words have the same vowels?"""

    def __init__(self, letters: str = "aeiou") -> None:
        self.letters = letters

    def similarity(self, pairs):
        def vowels(word):
            return [letter for letter in word if letter in self.letters]

        return [float(vowels(pair.left) == vowels(pair.right)) for pair in pairs]
'''

TASKS = '''
import os
from pathlib import Path

from codeacumen import metrics
from codeacumen.api import Capability, Instance, Pair, TaskCard
from codeacumen.registry import task

Path(os.environ["IMPORT_TRACE"]).write_text("imported")

RHYMES = [("cat", "hat", 1), ("loop", "pool", 1), ("list", "mist", 1), ("tree", "free", 1),
          ("node", "code", 1), ("cat", "hut", 0), ("loop", "list", 0), ("tree", "node", 0),
          ("core", "mist", 0), ("hat", "hot", 0)]


class Rhymes:
    metric = metrics.roc_auc
    card = TaskCard("NAME/rhymes", "Rhymes", "1", Capability.SIMILARITY, "roc_auc")

    def instances(self):
        return [Instance(f"{a}~{b}", Pair(a, b), truth) for a, b, truth in RHYMES]


@task("NAME/rhymes")
def rhymes():
    """Do two words rhyme?"""
    return Rhymes()
'''

Install = Callable[..., None]


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that appears when the package is imported."""
    path = tmp_path / "imported.txt"
    monkeypatch.setenv("IMPORT_TRACE", str(path))
    return path


@pytest.fixture
def install(tmp_path: Path, trace: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that writes a package and installs it with pip for the command line."""
    site = tmp_path / "site"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))

    def install_package(
        name: str, models: str = MODELS, tasks: str = TASKS, version: str = "0.1"
    ) -> None:
        shutil.rmtree(site, ignore_errors=True)  # pip leaves an old release's metadata there
        source = tmp_path / f"{name}-{version}"
        module = name.replace("-", "_")
        (source / module).mkdir(parents=True)
        pyproject = PYPROJECT.format(name=name, module=module, version=version)
        (source / "pyproject.toml").write_text(pyproject)
        (source / module / "__init__.py").write_text("")
        (source / module / "models.py").write_text(models)
        (source / module / "tasks.py").write_text(tasks.replace("NAME", name))
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--no-index",
                "--no-build-isolation",
                "--disable-pip-version-check",
                "--target",
                str(site),
                str(source),
            ],
            check=True,
            timeout=120,
        )

    return install_package


def test_third_party_model_and_task_are_listed_and_evaluated(
    codeacumen: Codeacumen, install: Install, trace: Path, tmp_path: Path
) -> None:
    install("tiny-rhymes")
    tasks = {row["name"]: row for row in json.loads(codeacumen("tasks", "list", "--json").stdout)}
    models = {row["name"]: row for row in json.loads(codeacumen("models", "list", "--json").stdout)}
    unknown = {"summary": "", "origin": "tiny-rhymes 0.1"}
    assert tasks["tiny-rhymes/rhymes"].items() >= unknown.items()
    assert models["tiny-rhymes-vowels"].items() >= unknown.items()
    assert "tiny-rhymes/rhymes" in codeacumen("tasks", "list").stdout
    assert not trace.exists(), "a listing must not import what it lists"

    out = tmp_path / "run"
    process = codeacumen(
        "eval",
        "-m",
        "tiny-rhymes-vowels",
        "-m",
        "tiny-rhymes-vowels:letters=o",
        "-m",
        "oracle",
        "-t",
        "tiny-rhymes",
        "-t",
        "abbreviations/match",
        "--resamples",
        "100",
        "-o",
        out,
    )
    assert process.returncode == 0, process.stderr
    assert trace.exists()
    assert "tiny-rhymes/rhymes" in process.stdout
    record = json.loads((out / "results.json").read_text())
    values = {(cell["task"], cell["model"]): cell["scores"][0]["value"] for cell in record["cells"]}
    # By hand: all five rhymes have equal vowels and none of the others has.
    assert values["tiny-rhymes/rhymes", "tiny-rhymes-vowels"] == 1.0
    # If only "o" counts, cat~hut is as equal as the five rhymes, and the other four are not:
    # (5 · 4 + 5 · 1 / 2) / 25.
    assert values["tiny-rhymes/rhymes", "tiny-rhymes-vowels:letters=o"] == pytest.approx(0.9)
    assert values["tiny-rhymes/rhymes", "oracle"] == 1.0
    assert 0 < values["abbreviations/match", "tiny-rhymes-vowels"] < 1
    card = record["models"]["tiny-rhymes-vowels:letters=o"]
    assert card["version"] == "tiny-rhymes 0.1"
    assert card["settings"] == {"letters": "o"}
    assert card["summary"] == "Do the words have the same vowels?"

    # The other commands support it too.
    details = json.loads(codeacumen("tasks", "show", "tiny-rhymes/rhymes", "--json").stdout)
    assert details["instances"] == 10
    details = json.loads(codeacumen("models", "show", "tiny-rhymes-vowels", "--json").stdout)
    assert "tiny-rhymes/rhymes" in details["tasks"]


def test_new_release_is_evaluated_again(
    codeacumen: Codeacumen, install: Install, tmp_path: Path
) -> None:
    """The factory's file stays the same, but its imports may change."""

    def count_questions() -> int:
        process = codeacumen(
            "eval",
            "-m",
            "tiny-rhymes-vowels",
            "-t",
            "tiny-rhymes",
            "-o",
            tmp_path / "run",
            "--json",
        )
        assert process.returncode == 0, process.stderr
        (cell,) = json.loads(process.stdout)["cells"]
        return int(cell["computed"])

    install("tiny-rhymes")
    assert [count_questions(), count_questions()] == [10, 0]
    install("tiny-rhymes", version="0.2")
    assert [count_questions(), count_questions()] == [10, 0]


def test_broken_package_is_listed_and_reported_when_used(
    codeacumen: Codeacumen, install: Install, tmp_path: Path
) -> None:
    broken = 'raise RuntimeError("compiled for another machine")\n'
    install("tiny-broken", models=broken, tasks=broken)
    for verb, name in (("models", "tiny-broken-vowels"), ("tasks", "tiny-broken/rhymes")):
        listed = codeacumen(verb, "list", "--json")
        assert listed.returncode == 0, listed.stderr
        assert name in {row["name"] for row in json.loads(listed.stdout)}
        process = codeacumen(verb, "show", name)
        assert process.returncode == 2
        assert f"{name!r} of the package tiny-broken: " in process.stderr
        assert "RuntimeError: compiled for another machine" in process.stderr
        assert "Traceback" not in process.stderr
    # Runs that do not use the package are not affected.
    done = codeacumen(
        "eval", "-m", "levenshtein", "-t", "abbreviations/expand", "-o", tmp_path / "run"
    )
    assert done.returncode == 0, done.stderr
