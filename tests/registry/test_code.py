"""What identifies a model: an edited one is another."""

from __future__ import annotations

import functools
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
    package_hash,
    packages_hash,
)
from codeacumen.registry.code import code_hash
from plugins import Same
from support import pretend_installed

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

    before = package_hash("two_files")
    (package / "inner.py").write_text("def make():\n    return 2\n")
    package_hash.cache_clear()
    assert two_files.make() == 1
    assert package_hash("two_files") != before


def test_a_missing_package_is_an_error() -> None:
    """A module that moved would otherwise leave an empty hash, the same for any code."""
    with pytest.raises(ValueError, match=r"no package is called 'codeacumen\.lang'"):
        packages_hash("codeacumen.languages", "codeacumen.lang")
    with pytest.raises(ValueError, match=r"no package is called 'codeacumen\.core\.machine'"):
        packages_hash("codeacumen.core.machine")  # a module, not a package
    with pytest.raises(ValueError, match="no imported package is called 'nowhere'"):
        package_hash("nowhere")
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
