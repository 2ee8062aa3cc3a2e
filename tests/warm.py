"""Processes that start warm: forks of one that has imported the package and loaded its machine
code, which takes a fresh interpreter longer than most verbs take to run.

``launcher`` starts such a process and writes a program that is called as Python is. Asked for one
of ``MODULES`` it has a fork run it, with the caller's folder, variables and open files, and ends
as that ends; asked for anything else, or under variables that are read when Python or a library
starts, it becomes Python itself. Processes that the fork starts in the same way are warm as well.

All forks of one process have its hash seed: of two runs that are to give the same bytes, one is to
have another PYTHONHASHSEED, and so is no fork.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ENGINE = "codeacumen.engines.local"
MODULES = ("codeacumen", ENGINE)
# Only the verbs read these, when they run; PWD and the like nobody does.
READ_LATE = {
    "CODEACUMEN_HOME",
    "HOME",
    "PATH",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "IDBENCH",
    "TNPA",
    "LIU",
    "PYTEST_CURRENT_TEST",
}
# What verbs import only when they run.
IMPORTED_LATE = (
    "altair",
    "duckdb",
    "gensim.models",
    "jinja2",
    "pandas",
    "pyarrow.dataset",
    "pydantic.main",
    "rich.live",
    "rich.table",
    "scipy.stats",
    "typer.rich_utils",
)
# More open files than a caller passes on, fewer than a process may have.
ABOVE = 200


# ---- whoever needs processes


@contextmanager
def launcher(folder: Path) -> Iterator[Path]:
    """A program that is Python, but warm; while the context lasts."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    (folder / "environment.json").write_text(json.dumps(environment))
    program = folder / "python"
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -I -S "{__file__}" ask "{folder}" "$@"\n'
    )
    program.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, __file__, "serve", str(program)],
        cwd=folder,
        env={**environment, "CODEACUMEN_HOME": str(folder / "home")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with server:
        assert server.stdout.readline() == b"ready\n"
        yield program
        # Nothing more to read: it ends.
        server.stdin.close()


# ---- the program


def ask(folder: str, arguments: list[str]) -> None:
    known = json.loads(Path(folder, "environment.json").read_text())
    late = READ_LATE | {"PYTHONPATH"} if arguments[1:2] == [ENGINE] else READ_LATE
    other = {name for name, value in {*known.items()} ^ {*os.environ.items()}}
    if arguments[:1] != ["-m"] or arguments[1] not in MODULES or other - late:
        os.execv(sys.executable, [sys.executable, *arguments])
    here = str(Path.cwd())
    os.chdir(folder)
    line = socket.socket(socket.AF_UNIX)
    line.connect("socket")
    handles = [int(one.name) for one in Path("/proc/self/fd").iterdir()]
    handles = [one for one in handles if one != line.fileno() and _is_open(one)]
    told = json.dumps([arguments[1], arguments[2:], here, dict(os.environ), handles]).encode()
    socket.send_fds(line, [struct.pack("q", len(told))], handles)
    line.sendall(told)
    for one in handles:
        if one > 2:
            os.close(one)
    answer = line.recv(8)
    (status,) = struct.unpack("q", answer) if answer else (-signal.SIGKILL,)
    if status < 0:
        with suppress(OSError):  # who kills is not asked
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _is_open(handle: int) -> bool:
    with suppress(OSError):
        os.fstat(handle)
        return True
    return False


# ---- the warm process


def serve(program: str) -> None:
    """Does not return in the process that all others are forks of, and runs what was asked for in
    those."""
    import gc

    _warm()
    gc.collect()
    gc.freeze()
    sys.executable = program
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        listener.listen()
        os.write(1, b"ready\n")
        while listener in select.select([listener, 0], [], [])[0]:
            line, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                break
            line.close()
            _reap()
        else:
            # Whoever still runs belongs to a process that has not ended, and ends with it.
            _reap()
            os._exit(0)
    os._exit(_run(*_forked(line)))


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _warm() -> None:
    import importlib
    import pkgutil
    import warnings

    import codeacumen
    from codeacumen.corpus.compiled import analyse_one_file
    from codeacumen.languages.java.measures.npath import RULES, npath
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.registry import names

    # Other threads are libraries' own, which see to it that one can fork.
    warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
    # In the order in which the verbs find them: some modules of models import tasks.
    for kind in ("task", "view", "model"):
        names(kind)
    for module in pkgutil.walk_packages(codeacumen.__path__, "codeacumen."):
        # Some networks' library takes longer to import than all else.
        if "neural" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in IMPORTED_LATE:
        with suppress(ImportError):  # not everybody has everything
            importlib.import_module(name)
    analyse_one_file(None)
    for rules in RULES:
        npath(JavaFile(b"class A { int f(int x) { return x > 0 ? 1 : 2; } }"), rules)


def _forked(line: socket.socket) -> tuple[str, list[str]]:
    """In a fork: start another and watch over it until it or who asked for it ends. The other
    returns, with its folder, its variables and its files as they should be."""
    head, handles, *_ = socket.recv_fds(line, 8, 250)
    told = b""
    (length,) = struct.unpack("q", head)
    while len(told) < length:
        told += line.recv(length - len(told))
    module, arguments, here, environment, wanted = json.loads(told)
    process = os.fork()
    if process:
        for one in [0, 1, 2, *handles]:
            os.close(one)
        ended = os.pidfd_open(process)
        if line in select.select([ended, line], [], [])[0]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with suppress(OSError):
            line.sendall(struct.pack("q", status))
        os._exit(0)
    line.close()
    _take_over(handles, wanted)
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environment)
    added = [one for one in environment.get("PYTHONPATH", "").split(os.pathsep) if one]
    sys.path[:] = list(dict.fromkeys([here, *added, *sys.path[1:]]))
    return module, arguments


def _take_over(handles: list[int], wanted: list[int]) -> None:
    """The files that were passed on, under the numbers that they have there."""
    import fcntl

    above = [fcntl.fcntl(one, fcntl.F_DUPFD, ABOVE) for one in handles]
    for one in handles:
        os.close(one)
    for one, number in zip(above, wanted, strict=True):
        os.dup2(one, number)
        os.close(one)
    # How to write to a file is decided when it is opened.
    name = sys.stdout.encoding
    sys.stdin = open(0, encoding=name, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=name, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding=name, errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115


def _run(module: str, arguments: list[str]) -> int:
    """As ``python -m`` does; also a module that has been imported already, without a warning.
    Gives the exit code: taking down what the fork has in common with the others would take longer
    than most verbs do."""
    import atexit
    import threading
    import traceback
    import types
    from importlib.util import find_spec

    found = find_spec(f"{module}.__main__" if module == "codeacumen" else module)
    assert found is not None
    assert found.loader is not None
    assert found.origin is not None
    sys.argv = [found.origin, *arguments]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    status = 0
    try:
        exec(found.loader.get_code(found.name), vars(main))  # type: ignore[attr-defined]
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            status = 120  # what Python says when it cannot write
    return status


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        ask(sys.argv[2], sys.argv[3:])
