"""Settings of the checker: from the command line, else the project's file, else the defaults.

A project has them in ``.codeacumen.toml``, under ``[names]``, or in ``pyproject.toml``, under
``[tool.codeacumen.names]``; the nearest such file at or above the checked path counts. An unknown
key is an error, because a user would believe that it has an effect.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError

OWN_FILE, SHARED_FILE = ".codeacumen.toml", "pyproject.toml"
# Without a calibration: report a name that is more probably wrong than right.
THRESHOLD = 0.5
NEVER, ANY_FINDING = "never", "finding"


@dataclass(frozen=True, slots=True)
class CheckerSettings:
    """Settings of a check.

    ``threshold``: least probability of a finding. ``fail_on``: probability from which a finding
    fails the check; above 1 none does. ``baseline``: file of known findings. ``background``: model
    of names in other projects: a file, ``none``, or empty for the one that codeacumen ships.
    ``exclude``: patterns of paths. ``ignore``: rules that do not count. ``tests``, ``generated``:
    check test files, and generated, vendored or minified files, too.
    """

    threshold: float = THRESHOLD
    fail_on: float = 0.0
    baseline: Path | None = None
    background: str = ""
    exclude: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    tests: bool = False
    generated: bool = False


# Keys in a file, with hyphens like the options of the command line.
KEYS = tuple(setting.name.replace("_", "-") for setting in fields(CheckerSettings))


def find_settings(path: Path, config: Path | None = None) -> CheckerSettings:
    """Return the settings for a path; ``config`` names the file to read instead of the nearest."""
    if config is not None:
        table = _read_table(config)
        if table is None:
            raise CodeacumenError(
                f"{config} has no settings for the names check",
                f"write [names] in {OWN_FILE}, or [tool.codeacumen.names] in {SHARED_FILE}",
            )
        return _parse_settings(table, config)
    for file in _list_settings_files(path):
        table = _read_table(file)
        if table is not None:
            return _parse_settings(table, file)
    return CheckerSettings()


def parse_fail_on(text: str) -> float:
    """Return the probability from which a finding fails the check; above 1 for ``never``.

    >>> parse_fail_on("finding"), parse_fail_on("never"), parse_fail_on("0.9")
    (0.0, 2.0, 0.9)
    """
    if text == ANY_FINDING:
        return 0.0
    if text == NEVER:
        return 2.0
    return parse_probability(
        text, "fail-on", f"{NEVER}, {ANY_FINDING}, or a probability such as 0.9"
    )


def parse_probability(
    value: Any, key: str, hint: str = "a number from 0 to 1, such as 0.8"
) -> float:
    """Return the value as a probability, or raise an error that names the key."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise CodeacumenError(f"{key}: {value!r} is not a probability", hint)
    return number


def override_settings(settings: CheckerSettings, **overrides: Any) -> CheckerSettings:
    """Return the settings with the overrides that are not None."""
    return replace(
        settings, **{key: value for key, value in overrides.items() if value is not None}
    )


def _list_settings_files(path: Path) -> list[Path]:
    """Return the possible settings files at and above a path, the nearest first."""
    path = path.absolute()
    folders = [path, *path.parents] if path.is_dir() else list(path.parents)
    return [folder / name for folder in folders for name in (OWN_FILE, SHARED_FILE)]


def _read_table(file: Path) -> Mapping[str, Any] | None:
    """Return the checker's table in a settings file; None if there is no such file or table.

    Also return None for a ``pyproject.toml`` that is not valid TOML.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        if file.name in (OWN_FILE, SHARED_FILE):
            return None
        raise CodeacumenError(f"{file}: no such file", "--config needs a settings file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if file.name == SHARED_FILE:  # shared with other tools, which report the error
            return None
        raise CodeacumenError(
            f"{file} is not valid TOML: {error}", "correct the TOML syntax"
        ) from error
    except OSError as error:
        raise CodeacumenError(f"{file}: {error.strerror or error}") from error
    table: Any = document
    for part in ("tool", "codeacumen", "names") if file.name == SHARED_FILE else ("names",):
        table = table.get(part) if isinstance(table, dict) else None
    if table is not None and not isinstance(table, dict):
        raise CodeacumenError(f"{file}: names must be a table", "write [names] above its keys")
    if table is None and file.name != SHARED_FILE and document:
        unknown = next(iter(document))
        raise CodeacumenError(
            f"{file}: unknown key {unknown!r}", "write the settings below [names]"
        )
    return table


def _parse_settings(table: Mapping[str, Any], file: Path) -> CheckerSettings:
    """Return the settings in a table; raise an error for an unknown key or a wrong value."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise CodeacumenError(f"{file}: unknown setting {key!r}", _suggest_key(key))
        try:
            values[key.replace("-", "_")] = _parse_value(key, value, file)
        except CodeacumenError as error:
            raise CodeacumenError(f"{file}: {error}", error.hint) from error
    return CheckerSettings(**values)


def _suggest_key(key: str) -> str:
    """Return a hint that names the most similar key, or all keys."""
    from difflib import get_close_matches

    matches = get_close_matches(key.replace("_", "-"), KEYS, 1)
    return f"did you mean {matches[0]}?" if matches else f"settings: {', '.join(KEYS)}"


def _parse_value(key: str, value: Any, file: Path) -> Any:
    """Check the value of a key and convert it to the type of its setting."""
    if key == "threshold":
        return parse_probability(value, key)
    if key == "fail-on":
        return parse_fail_on(str(value))
    if key in ("tests", "generated"):
        if not isinstance(value, bool):
            raise CodeacumenError(f"{key}: {value!r} is neither true nor false")
        return value
    if key in ("exclude", "ignore"):
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise CodeacumenError(f"{key}: {value!r} is not a list of texts", f'{key} = ["..."]')
        return tuple(value)
    if not isinstance(value, str) or not value:
        raise CodeacumenError(f"{key}: {value!r} is not a text")
    # Paths in a settings file are relative to its folder.
    if key == "baseline":
        return file.absolute().parent / value
    return value if value == "none" else str(file.absolute().parent / value)
