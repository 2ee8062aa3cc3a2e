"""The kernels' machine code: made once for an installation, before the first build.

Without this each worker would compile for itself while the first shards seem to hang, and their
time limit would have to allow for it.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import Source
from codeacumen.corpus.rows import Context, Rows, add_file
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.base import list_languages
from codeacumen.registry import entry, make_view, names, packages_hash

COMPILING = "compiling, once for an installation"
# Long on a slow machine; a build works all the same, only later.
LIMIT = 1800.0

# Enough to reach every kernel.
_SOURCE = b"""
class A {
    int f(Object x) { return x instanceof Integer y ? f(y + 1) : 0; }
}
"""


def compiled(folder: Path) -> Path:
    """The file that says: this installation's code has been compiled."""
    code = f"{sys.prefix} {packages_hash('codeacumen.languages', 'codeacumen.views')}"
    return folder / hashlib.sha256(code.encode()).hexdigest()[:16]


def compile_kernels(engine: Engine, folder: Path, step: Progress) -> None:
    """Have a worker compile what it will need, unless that was done here before."""
    done = compiled(folder)
    if done.is_file():
        return
    step(COMPILING, 0, 1)
    outcomes = [outcome for _, outcome in engine.run(analyse_one_file, [None], LIMIT)]
    step(COMPILING, 1, 1)
    if not any(isinstance(outcome, WorkerLost) for outcome in outcomes):
        write_atomically(done, b"")


def analyse_one_file(_: None) -> None:
    """The work itself, wherever the engine does it."""
    ours = [name for name in names("view") if entry("view", name).origin == "codeacumen"]
    tables = {table.name: table for name in ours for table in make_view(name).tables}
    context = Context("", "", tuple(tables.values()), list_languages())
    add_file(Rows(), context, Source("A.java", _SOURCE, "utf-8", False), "")
