"""Processes that start fast: forks of a process that has imported the package and loaded its
machine code, which takes a new interpreter longer than most commands take to run.

``launcher`` starts such a process and writes a program that is called like Python. For one of
``MODULES``, the program lets a fork run it with the caller's folder, variables and open files, and
exits with the fork's status. For anything else, or with other variables that are read when Python
or a library starts, it becomes Python itself. Processes that the fork starts through the same
program are forks too. All forks of one process have its hash seed: to test that two runs produce
the same bytes, set another PYTHONHASHSEED for one of them, which then is not a fork.
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
# The commands read these when they run; nothing reads PWD and the like.
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
# Modules that commands import only when they run.
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
# More than the number of files a caller passes on, less than the limit of a process.
ABOVE = 200


# ---- for callers


@contextmanager
def start_launcher(folder: Path) -> Iterator[Path]:
    """Return a program that works like Python but starts faster, while the context lasts."""
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
        # The server ends when its standard input is closed.
        server.stdin.close()


# ---- the program


def request_fork(folder: str, arguments: list[str]) -> None:
    server_environment = json.loads(Path(folder, "environment.json").read_text())
    ignored_variables = READ_LATE | {"PYTHONPATH"} if arguments[1:2] == [ENGINE] else READ_LATE
    changed_variables = {
        name for name, value in {*server_environment.items()} ^ {*os.environ.items()}
    }
    if (
        arguments[:1] != ["-m"]
        or arguments[1] not in MODULES
        or changed_variables - ignored_variables
    ):
        os.execv(sys.executable, [sys.executable, *arguments])
    folder_of_caller = str(Path.cwd())
    os.chdir(folder)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("socket")
    handles = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    handles = [handle for handle in handles if handle != connection.fileno() and _is_open(handle)]
    message = json.dumps(
        [arguments[1], arguments[2:], folder_of_caller, dict(os.environ), handles]
    ).encode()
    socket.send_fds(connection, [struct.pack("q", len(message))], handles)
    connection.sendall(message)
    for handle in handles:
        if handle > 2:
            os.close(handle)
    answer = connection.recv(8)
    (status,) = struct.unpack("q", answer) if answer else (-signal.SIGKILL,)
    if status < 0:
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _is_open(handle: int) -> bool:
    with suppress(OSError):
        os.fstat(handle)
        return True
    return False


# ---- the warm process


def serve_forks(program: str) -> None:
    """Accept connections and fork a process for each; only the forks leave the loop, and run the
    requested module."""
    import gc

    import_modules()
    gc.collect()
    gc.freeze()
    sys.executable = program
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        listener.listen()
        os.write(1, b"ready\n")
        while listener in select.select([listener, 0], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                break
            connection.close()
            reap_children()
        else:
            # Forks that still run belong to a caller that has not ended, and end with it.
            reap_children()
            os._exit(0)
    os._exit(run_module(*receive_request(connection)))


def reap_children() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def import_modules() -> None:
    import importlib
    import pkgutil
    import warnings

    import codeacumen
    from codeacumen.corpus.kernels import analyse_one_file
    from codeacumen.languages.java.measures.npath import RULES, compute_npath
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.registry import list_names

    # All other threads belong to libraries that support forking.
    warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
    # In the commands' order: some modules of models import tasks.
    for kind in ("task", "view", "model"):
        list_names(kind)
    for module in pkgutil.walk_packages(codeacumen.__path__, "codeacumen."):
        # Importing torch takes longer than everything else.
        if "neural" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in IMPORTED_LATE:
        with suppress(ImportError):  # optional dependencies
            importlib.import_module(name)
    analyse_one_file(None)
    for rules in RULES:
        compute_npath(JavaFile(b"class A { int f(int x) { return x > 0 ? 1 : 2; } }"), rules)


def receive_request(connection: socket.socket) -> tuple[str, list[str]]:
    """In a fork: start a child and watch it until it or the caller ends. Only the child returns,
    with the caller's folder, variables and files."""
    head, handles, *_ = socket.recv_fds(connection, 8, 250)
    message = b""
    (length,) = struct.unpack("q", head)
    while len(message) < length:
        message += connection.recv(length - len(message))
    module, arguments, folder, environment, handle_numbers = json.loads(message)
    process = os.fork()
    if process:
        for handle in [0, 1, 2, *handles]:
            os.close(handle)
        ended = os.pidfd_open(process)
        if connection in select.select([ended, connection], [], [])[0]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with suppress(OSError):
            connection.sendall(struct.pack("q", status))
        os._exit(0)
    connection.close()
    _take_over(handles, handle_numbers)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    added = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = list(dict.fromkeys([folder, *added, *sys.path[1:]]))
    return module, arguments


def _take_over(handles: list[int], handle_numbers: list[int]) -> None:
    """Move the received files to their numbers in the caller."""
    import fcntl

    above = [fcntl.fcntl(handle, fcntl.F_DUPFD, ABOVE) for handle in handles]
    for handle in handles:
        os.close(handle)
    for handle, number in zip(above, handle_numbers, strict=True):
        os.dup2(handle, number)
        os.close(handle)
    # Buffering and encoding depend on the file, so open the streams again.
    name = sys.stdout.encoding
    sys.stdin = open(0, encoding=name, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=name, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding=name, errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115


def run_module(module: str, arguments: list[str]) -> int:
    """Run a module like ``python -m``, also if it is already imported, without a warning.

    Return the exit code; the caller skips the interpreter's shutdown, which takes longer than most
    commands.
    """
    import atexit
    import threading
    import traceback
    import types
    from importlib.util import find_spec

    spec = find_spec(f"{module}.__main__" if module == "codeacumen" else module)
    assert spec is not None
    assert spec.loader is not None
    assert spec.origin is not None
    sys.argv = [spec.origin, *arguments]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    status = 0
    try:
        exec(spec.loader.get_code(spec.name), vars(main))  # type: ignore[attr-defined]
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
            status = 120  # Python's exit code if it cannot flush stdout
    return status


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve_forks(sys.argv[2])
    else:
        request_fork(sys.argv[2], sys.argv[3:])
