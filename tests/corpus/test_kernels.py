"""Tests that kernels are compiled before the first build of an installation, with a message."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from codeacumen.corpus.kernels import COMPILING, compile_kernels
from codeacumen.engines.local import LocalEngine
from support import ROOT, take_every


def test_kernels_are_compiled_once_per_installation(tmp_path: Path) -> None:
    engine = LocalEngine(1)
    steps: list[tuple[str, int, int]] = []

    def record_step(*values: object) -> None:
        steps.append(values)  # type: ignore[arg-type]

    compile_kernels(engine, tmp_path, record_step)
    assert steps == [(COMPILING, 0, 1), (COMPILING, 1, 1)]
    compile_kernels(engine, tmp_path, record_step)
    assert len(steps) == 2


def test_compile_kernels_compiles_all_kernels() -> None:
    """Analysing real files compiles nothing more; the oracle is numba's list of signatures."""
    files = sorted((ROOT / "examples").rglob("*.java"))
    completed = subprocess.run(
        [sys.executable, "-c", _NEW_CODE, *map(str, take_every(files))],
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = json.loads(completed.stdout)
    assert len(before) > 20
    assert after == before


_NEW_CODE = """
import json, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from codeacumen.corpus import kernels

def code():
    return sorted(
        f"{name}.{word}{signature}"
        for name, module in list(sys.modules.items())
        if name.startswith(("codeacumen.languages", "codeacumen.views"))
        for word, one in vars(module).items()
        if isinstance(one, Dispatcher) and one.__module__ == name
        for signature in one.signatures
    )

kernels.analyse_one_file(None)
before = code()
for path in sys.argv[1:]:
    kernels._SOURCE = Path(path).read_bytes()
    kernels.analyse_one_file(None)
print(json.dumps([before, code()]))
"""
