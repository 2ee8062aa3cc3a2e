"""Tests of settings: the nearest file above wins, unknown settings are rejected, and the command
line wins (see tests/cli)."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.checker.settings import KEYS, CheckerSettings, find_settings, override_settings


def test_nearest_settings_file_wins(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.codeacumen.names]\nthreshold = 0.6\n")
    assert find_settings(below).threshold == 0.6
    (tmp_path / "a" / ".codeacumen.toml").write_text(
        '[names]\nthreshold = 0.7\nbaseline = "known.json"\n'
    )
    nearest_settings = find_settings(below)
    assert (nearest_settings.threshold, nearest_settings.baseline) == (
        0.7,
        tmp_path / "a" / "known.json",
    )
    # A file without settings for names does not hide a file above.
    (below / "pyproject.toml").write_text("[tool.other]\nthreshold = 0.1\n")
    assert find_settings(below / "A.java").threshold == 0.7


def test_all_settings_are_read(tmp_path: Path) -> None:
    text = (
        '[names]\nthreshold = 1\nfail-on = "never"\nbaseline = "b"\nbackground = "none"\n'
        'exclude = ["**/x"]\nignore = ["get-void"]\ntests = true\ngenerated = true\n'
    )
    (tmp_path / ".codeacumen.toml").write_text(text)
    read_settings = find_settings(tmp_path)
    assert read_settings == CheckerSettings(
        1.0,
        2.0,
        tmp_path / "b",
        "none",
        ("**/x",),
        ("get-void",),
        True,
        True,
    )
    assert all(key in text for key in KEYS)


def test_given_settings_win() -> None:
    settings = CheckerSettings(threshold=0.7)
    assert override_settings(settings, threshold=0.2, baseline=None).threshold == 0.2
    assert override_settings(settings, threshold=None).threshold == 0.7


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[names]\ntreshold = 1\n", "unknown setting 'treshold'", "did you mean threshold?"),
        ("[names]\nfail_on = 1\n", "unknown setting 'fail_on'", "did you mean fail-on?"),
        ("[names]\nzzz = 1\n", "unknown setting 'zzz'", "settings: threshold"),
        ("[names]\nthreshold = 2\n", "threshold: 2 is not a probability", "0 to 1"),
        ("[names]\nthreshold = true\n", "is not a probability", "0 to 1"),
        ("[names]\nthreshold = nan\n", "is not a probability", "0 to 1"),
        ('[names]\nfail-on = "now"\n', "'now' is not a probability", "never, finding"),
        ('[names]\ntests = "no"\n', "neither true nor false", ""),
        ('[names]\nexclude = "a"\n', "is not a list", "exclude"),
        ("[names]\nbaseline = 3\n", "is not a text", ""),
        ("names = 3\n", "must be a table", "[names]"),
        ("threshold = 0.7\n", "unknown key 'threshold'", "below [names]"),
        ("[names\n", "Expected", "TOML"),
    ],
)
def test_invalid_settings_are_reported(tmp_path: Path, text: str, message: str, hint: str) -> None:
    (tmp_path / ".codeacumen.toml").write_text(text)
    with pytest.raises(CodeacumenError) as caught:
        find_settings(tmp_path)
    assert message in str(caught.value)
    assert hint in caught.value.hint


def test_broken_pyproject_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[oops\n")
    assert find_settings(tmp_path) == CheckerSettings()


def test_settings_of_a_named_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    with pytest.raises(CodeacumenError, match="no such file"):
        find_settings(tmp_path, file)
    file.write_text("")
    with pytest.raises(CodeacumenError, match="has no settings for the names check"):
        find_settings(tmp_path, file)
    file.write_text("[names]\nthreshold = 0.9\n")
    assert find_settings(tmp_path, file).threshold == 0.9
