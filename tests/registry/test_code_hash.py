"""Tests of fingerprints: an edited model has another one."""

from __future__ import annotations

import functools
import json
import linecache
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import codeacumen
from codeacumen.registry import (
    Entry,
    LoadedModel,
    compute_fingerprint,
    entries,
    find_entry,
    hash_packages,
    load_plugin,
    make_model,
    model,
)
from codeacumen.registry.code_hash import _list_own_modules, find_imports, hash_code, hash_modules
from codeacumen.registry.lookup import BUILT_IN_MODULES
from codeacumen.runs.plan import ANSWERING_MODULES
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


def test_fingerprint_does_not_depend_on_loading_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two decorated models are in one module: loading the first also registers the second, which
    must keep its release; otherwise an update would use the old release's cached answers."""
    points = "[codeacumen.models]\nreg-first = reg_two:first\nreg-second = reg_two:second\n"
    pretend_installed(tmp_path, monkeypatch, "reg_two", TWO_IN_ONE, points)
    make_model("reg-first")
    late = make_model("reg-second")
    assert late.entry.origin == "reg_two 1.0"
    entries.ENTRIES["model"].pop("reg-first")
    entries.ENTRIES["model"].pop("reg-second")
    monkeypatch.delitem(sys.modules, "reg_two")
    assert compute_fingerprint(make_model("reg-second")) == compute_fingerprint(late)


class SameHere(Same):
    """Defined in this file, as the other factories are"""


class CallableFactory:
    """A factory that is an object"""

    def __call__(self, scale: float = 1.0) -> Same:
        return Same()


def test_every_kind_of_factory_has_hash_of_its_code() -> None:
    """Without the hash of its file, an edited model would use its old cached answers."""

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
    factory_entries = [find_entry("model", f"made-{i}") for i in range(len(makers))]
    assert len({factory_entry.code_sha256 for factory_entry in factory_entries}) == 1
    assert all(len(factory_entry.code_sha256) == 64 for factory_entry in factory_entries)
    assert factory_entries[2].summary == "A plain function"
    assert factory_entries[3].summary == "A factory that is an object"
    assert make_model("made-2").settings == {"scale": 2.0}


def test_fingerprint_depends_on_weights() -> None:
    class Weighted(Same):
        def __init__(self, path: str) -> None:
            self.fingerprint = f"sha256 of {path}"

    maker = Entry("model", "weighted", Weighted)
    first, second = (LoadedModel("weighted", maker, {}, Weighted(path)) for path in "ab")
    assert compute_fingerprint(first) != compute_fingerprint(second)
    assert compute_fingerprint(first) == compute_fingerprint(
        LoadedModel("weighted", maker, {}, Weighted("a"))
    )


PLUGINS_WITH_A_HELPER = {
    "import above": "from helper_of_it import M\n@model('helped')\ndef make():\n    return M()\n",
    "import when asked": "@model('helped')\ndef make():\n    import helper_of_it\n    return 1\n",
    "a partial": "from helper_of_it import M\nmodel('helped')(functools.partial(M))\n",
    "another's factory": "from helper_of_it import M\nmodel('helped')(M)\n",
}


@pytest.mark.parametrize("edited", ["plugin", "helper"])
@pytest.mark.parametrize("way", PLUGINS_WITH_A_HELPER)
def test_editing_plugin_or_its_helper_changes_the_hash(
    way: str, edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    plugin, helper = tmp_path / "helped.py", tmp_path / "helper_of_it.py"
    hashes = []
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
        hashes.append(find_entry("model", "helped").code_sha256)
    assert hashes[0] != hashes[1]


def test_code_hash_covers_all_files_of_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The factory is in one file and the model in another: editing either changes the
    fingerprint."""
    package = tmp_path / "two_files"
    package.mkdir()
    (package / "__init__.py").write_text("from .inner import make\n")
    (package / "inner.py").write_text("def make():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import two_files  # type: ignore[import-not-found]

    before = hash_code(two_files.make)
    (package / "inner.py").write_text("def make():\n    return 2\n")
    assert two_files.make() == 1
    assert hash_code(two_files.make) != before


def test_a_missing_package_is_an_error() -> None:
    """Otherwise a moved module would have an empty hash, equal for any code."""
    with pytest.raises(ValueError, match=r"no package 'codeacumen\.lang'"):
        hash_packages("codeacumen.languages", "codeacumen.lang")
    with pytest.raises(ValueError, match=r"no package 'codeacumen\.core\.machine'"):
        hash_packages("codeacumen.core.machine")  # a module, not a package
    with pytest.raises(ValueError, match="no module"):
        hash_modules("codeacumen.nowhere_at_all")
    assert len(hash_packages("codeacumen.languages")) == 64


def test_a_module_outside_a_package_is_hashed_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "alone_in_folder.py").write_text("def make():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import alone_in_folder  # type: ignore[import-not-found]

    before = hash_code(alone_in_folder.make)
    (tmp_path / "beside.py").write_text("")
    assert len(before) == 64
    assert hash_code(alone_in_folder.make) != before


# --------------------------------------------------------------------------------------
# Code of this package: the modules that a module imports.
# --------------------------------------------------------------------------------------

SOURCE = ROOT / "src" / "codeacumen"


def modules_loaded_by(module: str) -> set[str]:
    """Return our modules that a new process has loaded after importing one; the oracle."""
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
def test_imported_modules_cover_loaded_modules(module: str) -> None:
    reachable = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in reachable:
            continue
        reachable.add(name)
        path = SOURCE.joinpath(*name.split(".")[1:])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        waiting += find_imports(file)
        waiting += [name.rpartition(".")[0]] if "." in name else []
    assert modules_loaded_by(module) <= reachable


def test_models_and_tasks_do_not_depend_on_the_report() -> None:
    names = [*BUILT_IN_MODULES["model"], *BUILT_IN_MODULES["task"], *ANSWERING_MODULES]
    reachable = set(names)
    waiting = list(names)
    while waiting:
        path = SOURCE.joinpath(*waiting.pop().split(".")[1:])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        new = set(find_imports(file)) - reachable
        reachable |= new
        waiting += new
    assert not [
        name for name in reachable if name.startswith(("codeacumen.report", "codeacumen.cli"))
    ]
    assert len(reachable) > 100


@pytest.fixture(scope="module")
def copied_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, folder / "codeacumen", ignore=ignored)
    return folder


@pytest.mark.parametrize(
    ("edited", "asks_again"),
    [
        ("report/page_records.py", False),
        ("models/linear.py", False),
        ("registry/lookup.py", False),
        ("__init__.py", False),
        ("runs/scoring.py", False),
        ("text/subtokens.py", True),
        ("models/adapters.py", True),
        ("benchmarks/abbreviations/__init__.py", True),
    ],
)
def test_edit_invalidates_answers_only_of_dependent_code(
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
        return int(cell["computed"])

    file = copied_package / "codeacumen" / edited
    before = file.read_text()
    assert count_asked("first") == 475
    try:
        file.write_text(f"{before}# edited\n")
        assert count_asked("second") == (475 if asks_again else 0)
    finally:
        file.write_text(before)


# --------------------------------------------------------------------------------------
# Code of plug-ins and notebooks.
# --------------------------------------------------------------------------------------


def test_plugin_that_imports_a_built_in_model_does_not_change_its_key(tmp_path: Path) -> None:
    plugin = tmp_path / "importing.py"
    plugin.write_text("from codeacumen.models import strings\n")
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from codeacumen.registry import compute_fingerprint, load_plugin, make_model\n"
        "if sys.argv[1:]:\n    load_plugin(Path(sys.argv[1]))\n"
        "print(compute_fingerprint(make_model('levenshtein')))"
    )
    keys = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
        ).stdout
        for arguments in ([], [str(plugin)])
    ]
    assert keys[0] == keys[1]


def hash_plugin(path: Path, name: str) -> str:
    """Return the hash of a model of a plug-in, which is loaded anew."""
    for module in [module for module in sys.modules if f"_{path.stem}_" in module]:
        del sys.modules[module]
    entries.ENTRIES["model"].pop(name, None)
    load_plugin(path)
    return find_entry("model", name).code_sha256


def test_hash_of_plugin_covers_imports_in_deep_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, plugins = tmp_path / "library", tmp_path / "plugins"
    deep = library / "deep" / "deeper" / "deepest"
    deep.mkdir(parents=True)
    plugins.mkdir()
    for folder in (library / "deep", library / "deep" / "deeper", deep):
        (folder / "__init__.py").write_text("")
    (deep / "weights.py").write_text("from .. import sibling\n")
    (deep.parent / "sibling.py").write_text("SCALE = 1\n")
    (deep / "unused.py").write_text("")
    monkeypatch.syspath_prepend(str(library))
    plugin = plugins / "reaching.py"
    plugin.write_text(
        "import codeacumen\n@codeacumen.model('reaching')\ndef make():\n"
        "    from deep.deeper.deepest import weights\n    return weights\n"
    )
    before = hash_plugin(plugin, "reaching")
    (deep / "unused.py").write_text("# edited\n")
    assert hash_plugin(plugin, "reaching") == before
    (deep.parent / "sibling.py").write_text("SCALE = 2\n")
    assert hash_plugin(plugin, "reaching") != before


@pytest.mark.parametrize(
    "lines",
    [
        "import codeacumen\nload = codeacumen.load_model\n",
        "import codeacumen as c\nload = c.load_model\n",
        "from codeacumen import load_model as load\n",
        "from codeacumen.registry import make_model as load\n",
    ],
)
def test_hash_of_plugin_covers_the_models_it_loads(tmp_path: Path, lines: str) -> None:
    file = tmp_path / "loading.py"
    file.write_text(lines)
    assert set(BUILT_IN_MODULES["model"]) <= set(_list_own_modules(file))
    file.write_text("import codeacumen\nrun = codeacumen.evaluate\n")
    assert not [module for module in _list_own_modules(file) if ".runs" in module]


CELL = """
import codeacumen

class Constant:
    def similarity(self, pairs):
        return [VALUE] * len(pairs)

@codeacumen.model("from-a-cell")
def make():
    return Constant()
"""


@pytest.mark.parametrize("name", ["<ipython-input-1-0123>", "<string>", "/tmp/ipykernel_7/1.py"])
def test_edited_cell_of_a_notebook_is_evaluated_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The code of a cell is in no file; other files of the working folder must not stand for it."""
    (tmp_path / "other.py").write_text("")
    monkeypatch.chdir(tmp_path)
    means = []
    for value in ("0.25", "0.75"):
        source = CELL.replace("VALUE", value)
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, name, (len(source), None, lines, name))
        exec(compile(source, name, "exec"), {"__name__": "__main__"})
        out = tmp_path / value
        run = codeacumen.evaluate("from-a-cell", "abbreviations/match", out, progress=False).run
        answers = (out / run.cells[0].answers).read_text().splitlines()
        means.append({json.loads(line)["answer"] for line in answers})
    assert means == [{0.25}, {0.75}]
    assert not (home / "answers").exists()
