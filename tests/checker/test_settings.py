"""Settings: found upwards, unknown ones refused, the command line wins (see tests/cli)."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.checker.settings import KEYS, Settings, changed, settings_at


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.codeacumen.names]\nthreshold = 0.6\n")
    assert settings_at(below).threshold == 0.6
    (tmp_path / "a" / ".codeacumen.toml").write_text(
        '[names]\nthreshold = 0.7\nbaseline = "known.json"\n'
    )
    found = settings_at(below)
    assert (found.threshold, found.baseline) == (0.7, tmp_path / "a" / "known.json")
    # One that says nothing about names does not hide one above.
    (below / "pyproject.toml").write_text("[tool.other]\nthreshold = 0.1\n")
    assert settings_at(below / "A.java").threshold == 0.7


def test_all_keys(tmp_path: Path) -> None:
    text = (
        '[names]\nthreshold = 1\nfail-on = "never"\nbaseline = "b"\nbackground = "none"\n'
        'exclude = ["**/x"]\nignore = ["get-void"]\ntests = true\ngenerated = true\n'
    )
    (tmp_path / ".codeacumen.toml").write_text(text)
    found = settings_at(tmp_path)
    assert found == Settings(
        1.0,
        2.0,
        tmp_path / "b",
        "none",
        ("**/x",),
        ("get-void",),
        True,
        True,
        tmp_path / ".codeacumen.toml",
    )
    assert all(key in text for key in KEYS)


def test_what_is_given_wins() -> None:
    settings = Settings(threshold=0.7)
    assert changed(settings, threshold=0.2, baseline=None).threshold == 0.2
    assert changed(settings, threshold=None).threshold == 0.7


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
def test_what_is_wrong_is_told(tmp_path: Path, text: str, message: str, hint: str) -> None:
    (tmp_path / ".codeacumen.toml").write_text(text)
    with pytest.raises(CodeacumenError) as told:
        settings_at(tmp_path)
    assert message in str(told.value)
    assert hint in told.value.hint


def test_a_broken_pyproject_is_others_business(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[oops\n")
    assert settings_at(tmp_path) == Settings()


def test_a_named_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    with pytest.raises(CodeacumenError, match="no such file"):
        settings_at(tmp_path, file)
    file.write_text("")
    with pytest.raises(CodeacumenError, match="has no settings for the names check"):
        settings_at(tmp_path, file)
    file.write_text("[names]\nthreshold = 0.9\n")
    assert settings_at(tmp_path, file).threshold == 0.9
