"""The engine ``local``: worker processes on this machine.

Each worker is a fresh interpreter that takes one item at a time over its own socket. When a worker
dies or hangs, the engine knows which item it had, and the other workers go on. Workers stay for the
next stage, with the compiled code they have loaded, and end with the engine.

No library does this: concurrent.futures and loky fail every pending item when one worker
dies, and pebble's workers share one pipe and its locks, so that a worker killed while it transfers
an item or a result stops the whole pool.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from codeacumen.api import CodeacumenError
from codeacumen.engines import WorkerLost, run_with_plugins
from codeacumen.registry import list_loaded_plugins

# From <linux/prctl.h>.
_PR_SET_PDEATHSIG = 1


@dataclass(slots=True)
class _Worker:
    """A worker process, the position of its current item, and when that item was sent.

    ``started_at`` is a time of ``time.monotonic``; ``item`` is -1 before the first item.
    """

    process: subprocess.Popen[bytes]
    connection: Connection
    item: int = -1
    started_at: float = 0.0


class LocalEngine:
    """An engine of up to ``workers`` processes, which start when items need them."""

    def __init__(self, workers: int) -> None:
        self.workers = max(1, workers)
        self._idle: list[_Worker] = []
        weakref.finalize(self, _stop_all, self._idle)

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        plugins = list_loaded_plugins()
        work = partial(run_with_plugins, plugins, work) if plugins else work
        # Reversed, so that ``pop`` returns the first item.
        waiting_indices = list(range(len(items)))[::-1]
        busy: list[_Worker] = []
        try:
            while waiting_indices or busy:
                while waiting_indices and len(busy) < self.workers:
                    busy.append(self._get_worker())
                    _send_item(busy[-1], work, items, waiting_indices.pop())
                ready = wait([worker.connection for worker in busy], timeout=1.0)
                for worker in [candidate for candidate in busy if candidate.connection in ready]:
                    index = worker.item
                    outcome = _receive_result(worker)
                    if isinstance(outcome, BaseException):
                        raise outcome
                    if isinstance(outcome, WorkerLost):
                        busy.remove(worker)
                        _stop_worker(worker)
                    elif waiting_indices:
                        _send_item(worker, work, items, waiting_indices.pop())
                    else:
                        busy.remove(worker)
                        self._idle.append(worker)
                    yield index, outcome
                for worker in [
                    candidate
                    for candidate in busy
                    if time.monotonic() - candidate.started_at > limit
                ]:
                    busy.remove(worker)
                    _stop_worker(worker, signal.SIGKILL)
                    yield worker.item, WorkerLost(f"it took more than {limit:g} seconds")
        finally:
            for worker in busy:
                _stop_worker(worker, signal.SIGKILL)

    def _get_worker(self) -> _Worker:
        """Return an idle worker that is still alive, or a new one."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.connection.close()  # the process was killed while idle
        return _start_worker()


def _start_worker() -> _Worker:
    """Start a process that runs this module with one end of a new socket pair."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "codeacumen.engines.local", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            # The worker can import whatever this process can.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
        )
    return _Worker(process, Connection(ours.detach()))


def _send_item(
    worker: _Worker, work: Callable[[Any], Any], items: Sequence[Any], index: int
) -> None:
    worker.item, worker.started_at = index, time.monotonic()
    with suppress(OSError):  # the process died while idle: ``_receive_result`` reports that
        worker.connection.send((work, items[index]))


def _receive_result(worker: _Worker) -> Any:
    """Return the result, the exception to raise, or a ``WorkerLost`` if the process has ended."""
    try:
        return worker.connection.recv()
    except (EOFError, OSError):
        code = worker.process.wait()
        return WorkerLost(f"its process ended with {_describe_exit(code)}")


def _describe_exit(code: int) -> str:
    # ``Popen`` reports a process that a signal ended as the negative number of the signal.
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _stop_worker(worker: _Worker, stop_signal: signal.Signals = signal.SIGTERM) -> None:
    worker.connection.close()
    if worker.process.poll() is None:
        worker.process.send_signal(stop_signal)
    worker.process.wait()


def _stop_all(workers: list[_Worker]) -> None:
    for worker in workers:
        _stop_worker(worker)


def _serve_items(handle: int) -> None:
    """Send back the result of each item until the parent closes the connection.

    This is the main loop of a worker; ``handle`` is the file descriptor of its socket.
    """
    _die_with_parent()
    # Ctrl-C in a terminal reaches the workers too: only the parent reports it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # 130 is the exit code of shells for a program that SIGINT ended (128 + 2).
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    # Rows and declarations are millions of objects without reference cycles: collecting garbage
    # as often as Python does by default would cost a fifth of the time.
    gc.set_threshold(200_000, 50, 100)
    connection = Connection(handle)
    while True:
        try:
            work, item = connection.recv()
        except (EOFError, OSError):
            return
        try:
            result = work(item)
        except (CodeacumenError, OSError) as error:
            result = error
        except Exception:
            # Not every exception can be pickled, so send the traceback as text.
            result = RuntimeError(traceback.format_exc())
        connection.send(result)


def _die_with_parent() -> None:
    """Let the kernel kill this worker when its parent dies, so that it does not go on writing.

    Linux only; on other systems a worker ends when it has finished its item."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    _serve_items(int(sys.argv[1]))
