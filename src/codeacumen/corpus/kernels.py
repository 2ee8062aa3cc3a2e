"""Compile the numba kernels that a build uses, once per installation and before the first build.

A kernel is a function that numba compiles to machine code when it is first called.
Otherwise every worker would compile them while the first shards seem to hang, and the time limit
of a shard would have to include the compilation.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import Source
from codeacumen.corpus.rows import RowContext, Rows, add_file
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.base import list_languages
from codeacumen.registry import hash_packages, list_summaries, make_view

COMPILING = "compiling (first use of this installation)"
# Seconds. If compilation takes longer, the build goes on and its workers compile.
LIMIT = 1800.0

# A class whose analysis calls every kernel that a build uses.
_SOURCE = b"""
class A {
    int f(Object x) { return x instanceof Integer y ? f(y + 1) : 0; }
}
"""


def marker_path(folder: Path) -> Path:
    """Return the path of the empty file that marks this installation's kernels as compiled.

    Its name changes with the code, since edited kernels are compiled again.
    """
    code = f"{sys.prefix} {hash_packages('codeacumen.languages', 'codeacumen.views')}"
    return folder / hashlib.sha256(code.encode()).hexdigest()[:16]


def compile_kernels(engine: Engine, folder: Path, progress: Progress) -> None:
    """Compile the kernels in a worker, unless the installation is marked as compiled.

    ``folder`` is the folder of the markers.
    """
    marker = marker_path(folder)
    if marker.is_file():
        return
    progress(COMPILING, 0, 1)
    outcomes = [outcome for _, outcome in engine.run(analyse_one_file, [None], LIMIT)]
    progress(COMPILING, 1, 1)
    if not any(isinstance(outcome, WorkerLost) for outcome in outcomes):
        write_atomically(marker, b"")


def analyse_one_file(_: None) -> None:
    """Analyse a small class with all built-in views; numba compiles the kernels on this call.

    An engine runs this function with a single item, None.
    """
    own_views = [name for name, _, origin in list_summaries("view") if origin == "codeacumen"]
    tables = {table.name: table for name in own_views for table in make_view(name).tables}
    context = RowContext("", "", tuple(tables.values()), list_languages())
    add_file(Rows(), context, Source("A.java", _SOURCE, "utf-8", False), "")
