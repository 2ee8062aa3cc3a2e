"""Findings that are known: a project begins with what it has, and is told what is new.

One JSON file, to be committed: the same findings give the same bytes. A finding is known by its
fingerprint, which a shift of lines does not change, and by one of its rules: what is wrong with the
same method for quite another reason is told again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acumen.api import AcumenError
from acumen.checker.findings import Finding
from acumen.files import write_atomically

VERSION = 1
HINT = "`acumen names check --write-baseline FILE` writes one"


@dataclass(frozen=True, slots=True)
class Known:
    fingerprint: str
    path: str
    method: str
    rules: tuple[str, ...]


def read_baseline(path: Path) -> list[Known]:
    try:
        told = json.loads(path.read_bytes())
    except OSError as error:
        raise AcumenError(f"{path}: {error.strerror or error}", HINT) from error
    except (ValueError, RecursionError) as error:
        raise AcumenError(f"{path} is no baseline: {error}", HINT) from error
    if not isinstance(told, dict) or told.get("version") != VERSION:
        raise AcumenError(f"{path} is no baseline of version {VERSION}", HINT)
    try:
        return [_known(one) for one in told["findings"]]
    except (KeyError, TypeError, ValueError) as error:
        raise AcumenError(f"{path}: a finding in it is damaged ({error})", HINT) from error


def _known(one: Any) -> Known:
    found = Known(one["fingerprint"], one["path"], one["method"], tuple(one["rules"]))
    texts = (found.fingerprint, found.path, found.method, *found.rules)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a text is none")
    return found


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Writes those that no comment suppresses; gives how many."""
    kept = [one for one in findings if one.suppressed != "inline"]
    kept.sort(key=lambda one: (one.path, one.owner, one.name, one.parameters, one.fingerprint))
    told = {
        "version": VERSION,
        "findings": [
            {
                "fingerprint": one.fingerprint,
                "path": one.path,
                "method": one.method,
                "rules": sorted(one.rules),
            }
            for one in kept
        ],
    }
    write_atomically(path, (json.dumps(told, indent=1, ensure_ascii=True) + "\n").encode())
    return len(kept)


def compared(
    findings: Sequence[Finding], known: Sequence[Known], looked_at: Iterable[str] | None
) -> tuple[list[Finding], list[Known]]:
    """The findings, known ones marked; and those known ones of the files that were looked at (None:
    of all) which are there no more."""
    by_print = {one.fingerprint: one for one in known}
    told, met = [], set()
    for one in findings:
        match = by_print.get(one.fingerprint)
        if match is not None and (not match.rules or set(match.rules) & set(one.rules)):
            met.add(one.fingerprint)
            if not one.suppressed:
                one = replace(one, suppressed="baseline")
        told.append(one)
    paths = None if looked_at is None else set(looked_at)
    stale = [
        one for one in known if one.fingerprint not in met and (paths is None or one.path in paths)
    ]
    return told, stale
