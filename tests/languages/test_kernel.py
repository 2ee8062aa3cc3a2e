"""Tests of ``codeacumen.languages.kernel``: compiled loops and their cache on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULE = """
from typing import NamedTuple
from codeacumen.languages.kernel import kernel

class {name}(NamedTuple):
    count: int

@kernel
def double(record):
    return 2 * record.count

print(double({name}(21)))
"""


def test_kernel_is_compiled_again_if_its_index_names_a_missing_class(tmp_path: Path) -> None:
    module = tmp_path / "doubling.py"
    for name in ("Record", "Row", "Row"):
        module.write_text(MODULE.format(name=name))
        done = subprocess.run(
            [sys.executable, "-c", "import doubling"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.stdout == "42\n", done.stderr
    assert list(tmp_path.rglob("*.nbi"))
