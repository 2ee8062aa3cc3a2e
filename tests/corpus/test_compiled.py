"""Kernels are compiled before the first build of an installation, and the user is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from codeacumen.corpus.compiled import COMPILING, compile_kernels
from codeacumen.engines.local import LocalEngine
from support import ROOT, some


def test_once_for_an_installation(tmp_path: Path) -> None:
    engine = LocalEngine(1)
    told: list[tuple[str, int, int]] = []

    def step(*what: object) -> None:
        told.append(what)  # type: ignore[arg-type]

    compile_kernels(engine, tmp_path, step)
    assert told == [(COMPILING, 0, 1), (COMPILING, 1, 1)]
    compile_kernels(engine, tmp_path, step)
    assert len(told) == 2


def test_nothing_is_left_to_compile() -> None:
    """numba's own list is the oracle: real files need no code that the one file did not."""
    files = sorted((ROOT / "examples").rglob("*.java"))
    done = subprocess.run(
        [sys.executable, "-c", _NEW_CODE, *map(str, some(files))],
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = json.loads(done.stdout)
    assert len(before) > 20
    assert after == before


_NEW_CODE = """
import json, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from codeacumen.corpus import compiled

def code():
    return sorted(
        f"{name}.{word}{signature}"
        for name, module in list(sys.modules.items())
        if name.startswith(("codeacumen.languages", "codeacumen.views"))
        for word, one in vars(module).items()
        if isinstance(one, Dispatcher) and one.__module__ == name
        for signature in one.signatures
    )

compiled.analyse_one_file(None)
before = code()
for path in sys.argv[1:]:
    compiled._SOURCE = Path(path).read_bytes()
    compiled.analyse_one_file(None)
print(json.dumps([before, code()]))
"""
