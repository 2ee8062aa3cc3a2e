"""Plug-in files, packages, and two of one name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError, Pair
from codeacumen.registry import list_names, list_summaries, load_plugin, make_model, make_task
from plugins import write_plugin
from support import pretend_installed


def test_plugin_file_registers_a_model(tmp_path: Path) -> None:
    path = write_plugin(tmp_path)
    load_plugin(path)
    load_plugin(path)
    assert ("same", "All alike", "plugin.py") in list(list_summaries("model"))
    assert make_model("same").model.similarity([Pair("a", "b")]) == [1.0]  # type: ignore[union-attr]


def test_plugins_with_the_same_file_name_are_independent(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        load_plugin(write_plugin(tmp_path / folder, folder))
    assert make_model("a").entry.factory is not make_model("b").entry.factory


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def broken(:", r"SyntaxError: .*line 1"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("\0", "(SyntaxError|ValueError): .*null bytes"),
    ],
)
def test_failing_plugin_is_reported_with_reason(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(CodeacumenError, match=message) as caught:
        load_plugin(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["missing.py", "folder", "folder.py", "text.txt", "plugin"])
def test_other_files_than_python_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "text.txt").write_text("")
    (tmp_path / "plugin").write_text("")
    with pytest.raises(CodeacumenError, match="not a Python file") as caught:
        load_plugin(tmp_path / name)
    assert ".py file" in caught.value.hint


def test_failed_plugin_can_be_loaded_after_a_fix(tmp_path: Path) -> None:
    path = write_plugin(tmp_path)
    valid_text = path.read_text()
    path.write_text(valid_text + "\n1 / 0\n")
    with pytest.raises(CodeacumenError, match="ZeroDivisionError"):
        load_plugin(path)
    path.write_text(valid_text)
    load_plugin(path)
    assert make_model("same").entry.summary == "All alike"


def test_two_plugins_with_the_same_model_name_are_refused(tmp_path: Path) -> None:
    load_plugin(write_plugin(tmp_path, file="one.py"))
    two = write_plugin(tmp_path, file="two.py")
    with pytest.raises(CodeacumenError, match="two models have the name 'same'") as caught:
        load_plugin(two)
    assert str(caught.value).startswith(f"{two}: ")
    assert "one from one.py, one from two.py" in str(caught.value)
    assert "rename" in caught.value.hint


def test_duplicate_name_in_one_file_is_refused(tmp_path: Path) -> None:
    """A copied function with a forgotten change of its decorator must not silently replace the
    first."""
    path = write_plugin(tmp_path)
    path.write_text(path.read_text() + '\n@model("same")\ndef another():\n    return Same()\n')
    with pytest.raises(CodeacumenError, match="two models have the name 'same'"):
        load_plugin(path)


def test_plugin_cannot_replace_built_in_model(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match=r"one from codeacumen, one from plugin\.py"):
        load_plugin(write_plugin(tmp_path, "levenshtein"))


def test_a_model_and_a_task_may_share_a_name(tmp_path: Path) -> None:
    path = write_plugin(tmp_path, "abbreviations/match")
    load_plugin(path)
    assert make_model("abbreviations/match").entry.kind == "model"
    assert make_task("abbreviations/match").card.version == "1"


def test_packages_with_the_same_name_are_both_listed_and_refused_when_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("reg_alpha", "reg_beta"):
        points = f"[codeacumen.models]\nclash = {package}:make\n"
        pretend_installed(tmp_path, monkeypatch, package, "make = None", points)
    assert ("clash", "", "reg_alpha 1.0, reg_beta 1.0") in list(list_summaries("model"))
    with pytest.raises(CodeacumenError, match="two models have the name 'clash'") as caught:
        make_model("clash")
    assert "one from reg_alpha 1.0, one from reg_beta 1.0" in str(caught.value)


def test_later_installation_and_removal_are_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "meanwhile" not in list_names("model")
    module, entry_points = "def made(): ...\n", "[codeacumen.models]\nmeanwhile = late:made\n"
    pretend_installed(tmp_path, monkeypatch, "late", module, entry_points)
    assert "meanwhile" in list_names("model")
    shutil.rmtree(tmp_path / "late-1.0.dist-info")
    assert "meanwhile" not in list_names("model")


def test_package_cannot_replace_built_in_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = "[codeacumen.models]\nlevenshtein = reg_gamma:make\n"
    pretend_installed(tmp_path, monkeypatch, "reg_gamma", "make = None", points)
    with pytest.raises(CodeacumenError, match=r"one from codeacumen, one from reg_gamma 1\.0"):
        make_model("levenshtein")


@pytest.mark.parametrize("value", ["reg_delta:number", "reg_delta", "reg_delta:nothing"])
def test_invalid_entry_point_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    points = f"[codeacumen.models]\nodd = {value}\n[codeacumen.tasks]\nodd = {value}\n"
    pretend_installed(tmp_path, monkeypatch, "reg_delta", "number = 5", points)
    with pytest.raises(CodeacumenError, match="odd"):
        make_model("odd")
    with pytest.raises(CodeacumenError, match="odd"):
        make_task("odd")
