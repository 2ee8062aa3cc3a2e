"""What identifies a model: an edited one is another."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codeacumen.registry import (
    Entry,
    LoadedModel,
    entries,
    entry,
    fingerprint,
    load_plugin,
    make_model,
    model,
    packages_hash,
)
from codeacumen.registry.code import code_hash, imported_modules, modules_hash
from codeacumen.registry.lookup import BUILT_IN_MODULES
from codeacumen.runs.plan import ASKING
from plugins import Same
from support import ROOT, pretend_installed

TWO_IN_ONE = """
from codeacumen.registry import model

class Same:
    def similarity(self, pairs):
        return [1.0] * len(pairs)

@model("reg-first")
def first():
    return Same()

@model("reg-second")
def second():
    return Same()
"""


def test_the_order_of_loading_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two decorated models in one module: loading the first registers the second as well,
    which must keep its release, or an update would find the old release's answers."""
    points = "[codeacumen.models]\nreg-first = reg_two:first\nreg-second = reg_two:second\n"
    pretend_installed(tmp_path, monkeypatch, "reg_two", TWO_IN_ONE, points)
    make_model("reg-first")
    late = make_model("reg-second")
    assert late.entry.origin == "reg_two 1.0"
    entries.ENTRIES["model"].pop("reg-first")
    entries.ENTRIES["model"].pop("reg-second")
    monkeypatch.delitem(sys.modules, "reg_two")
    assert fingerprint(make_model("reg-second")) == fingerprint(late)


class SameHere(Same):
    """Defined in this file, as the other factories are"""


class CallableFactory:
    """A factory that is an object"""

    def __call__(self, scale: float = 1.0) -> Same:
        return Same()


def test_factories_of_every_make_are_identified_by_their_code() -> None:
    """Without the hash of its file, an edited model would find its old answers."""

    def function(scale: float = 1.0) -> Same:
        """A plain function"""
        return Same()

    @functools.wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Same:
        return function(*arguments, **options)

    makers = [
        function,
        wrapper,
        functools.partial(function, scale=2.0),
        CallableFactory(),
        SameHere,
    ]
    for i, factory in enumerate(makers):
        model(f"made-{i}")(factory)
    found = [entry("model", f"made-{i}") for i in range(len(makers))]
    assert len({one.code_sha256 for one in found}) == 1
    assert all(len(one.code_sha256) == 64 for one in found)
    assert found[2].summary == "A plain function"
    assert found[3].summary == "A factory that is an object"
    assert make_model("made-2").settings == {"scale": 2.0}


def test_a_model_tells_its_weights_apart() -> None:
    class Weighted(Same):
        def __init__(self, path: str) -> None:
            self.fingerprint = f"sha256 of {path}"

    maker = Entry("model", "weighted", Weighted)
    one, two = (LoadedModel("weighted", maker, {}, Weighted(path)) for path in "ab")
    assert fingerprint(one) != fingerprint(two)
    assert fingerprint(one) == fingerprint(LoadedModel("weighted", maker, {}, Weighted("a")))


PLUGINS_WITH_A_HELPER = {
    "import above": "from helper_of_it import M\n@model('helped')\ndef make():\n    return M()\n",
    "import when asked": "@model('helped')\ndef make():\n    import helper_of_it\n    return 1\n",
    "a partial": "from helper_of_it import M\nmodel('helped')(functools.partial(M))\n",
    "another's factory": "from helper_of_it import M\nmodel('helped')(M)\n",
}


@pytest.mark.parametrize("edited", ["plugin", "helper"])
@pytest.mark.parametrize("way", PLUGINS_WITH_A_HELPER)
def test_an_edit_of_a_plugin_or_of_what_lies_beside_it_makes_another_model(
    way: str, edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    plugin, helper = tmp_path / "helped.py", tmp_path / "helper_of_it.py"
    found = []
    for remark in ("# one\n", "# two\n"):
        text = (
            "import functools\nfrom codeacumen.registry import model\n" + PLUGINS_WITH_A_HELPER[way]
        )
        plugin.write_text(text + (remark if edited == "plugin" else ""))
        helper.write_text("class M: ...\n" + (remark if edited == "helper" else ""))
        sys.modules.pop("helper_of_it", None)
        for name in [name for name in sys.modules if name.startswith("codeacumen_plugin_helped")]:
            del sys.modules[name]
        entries.ENTRIES["model"].pop("helped", None)
        load_plugin(plugin)
        found.append(entry("model", "helped").code_sha256)
    assert found[0] != found[1]


def test_any_file_of_a_package_belongs_to_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The factory in one file, the model in another: an edit of either is another model."""
    package = tmp_path / "two_files"
    package.mkdir()
    (package / "__init__.py").write_text("from .inner import make\n")
    (package / "inner.py").write_text("def make():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import two_files  # type: ignore[import-not-found]

    before = code_hash(two_files.make)
    (package / "inner.py").write_text("def make():\n    return 2\n")
    assert two_files.make() == 1
    assert code_hash(two_files.make) != before


def test_a_missing_package_is_an_error() -> None:
    """A module that moved would otherwise leave an empty hash, the same for any code."""
    with pytest.raises(ValueError, match=r"no package 'codeacumen\.lang'"):
        packages_hash("codeacumen.languages", "codeacumen.lang")
    with pytest.raises(ValueError, match=r"no package 'codeacumen\.core\.machine'"):
        packages_hash("codeacumen.core.machine")  # a module, not a package
    with pytest.raises(ValueError, match="no module"):
        modules_hash("codeacumen.nowhere_at_all")
    assert len(packages_hash("codeacumen.languages")) == 64


def test_a_module_outside_a_package_is_hashed_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "alone_in_folder.py").write_text("def make():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import alone_in_folder  # type: ignore[import-not-found]

    before = code_hash(alone_in_folder.make)
    (tmp_path / "beside.py").write_text("")
    assert len(before) == 64
    assert code_hash(alone_in_folder.make) != before


# --------------------------------------------------------------------------------------
# Code of this package: the modules that a module really imports.
# --------------------------------------------------------------------------------------

SOURCE = ROOT / "src" / "codeacumen"


def modules_loaded_by(module: str) -> set[str]:
    """Oracle: the modules of ours in a fresh process that has imported one."""
    code = (
        f"import sys, {module}\n"
        "print(*(name for name in sys.modules if name.split('.')[0] == 'codeacumen'))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "codeacumen.models.strings",
        "codeacumen.models.linear",
        "codeacumen.runs.ask",
        "codeacumen.benchmarks.gluecode.task",
    ],
)
def test_everything_that_a_module_loads_is_found(module: str) -> None:
    found = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        path = SOURCE.joinpath(*name.split(".")[1:])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        waiting += imported_modules(file)
        waiting += [name.rpartition(".")[0]] if "." in name else []
    assert modules_loaded_by(module) <= found


def test_no_model_and_no_task_depends_on_the_report() -> None:
    names = [*BUILT_IN_MODULES["model"], *BUILT_IN_MODULES["task"], *ASKING]
    seen = set(names)
    waiting = list(names)
    while waiting:
        path = SOURCE.joinpath(*waiting.pop().split(".")[1:])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        new = set(imported_modules(file)) - seen
        seen |= new
        waiting += new
    assert not [name for name in seen if name.startswith(("codeacumen.report", "codeacumen.cli"))]
    assert len(seen) > 100


@pytest.fixture(scope="module")
def copied_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, folder / "codeacumen", ignore=ignored)
    return folder


@pytest.mark.parametrize(
    ("edited", "asks_again"),
    [
        ("report/view.py", False),
        ("models/linear.py", False),
        ("text/subtokens.py", True),
        ("models/adapters.py", True),
        ("benchmarks/abbreviations/__init__.py", True),
    ],
)
def test_an_edit_asks_again_only_if_the_answers_may_depend_on_it(
    copied_package: Path, tmp_path: Path, edited: str, asks_again: bool
) -> None:
    """A comment is added to a file between two runs of the command."""

    def count_asked(out: str) -> int:
        environment = {
            **os.environ,
            "PYTHONPATH": str(copied_package),
            "CODEACUMEN_HOME": str(tmp_path / "home"),
        }
        command = [
            "-m",
            "codeacumen",
            "eval",
            "-m",
            "subtoken-overlap",
            "-t",
            "abbreviations/match",
            "--resamples",
            "100",
            "-o",
            out,
        ]
        subprocess.run(
            [sys.executable, *command],
            check=True,
            capture_output=True,
            env=environment,
            cwd=tmp_path,
        )
        (cell,) = json.loads((tmp_path / out / "results.json").read_text())["cells"]
        return int(cell["asked"])

    file = copied_package / "codeacumen" / edited
    before = file.read_text()
    assert count_asked("first") == 475
    try:
        file.write_text(f"{before}# edited\n")
        assert count_asked("second") == (475 if asks_again else 0)
    finally:
        file.write_text(before)
