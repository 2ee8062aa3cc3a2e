"""Processes on this machine.

Each worker is a fresh interpreter that takes one item at a time over its own socket. When a worker
dies or hangs, the engine knows which item it had, and the other workers go on. Workers stay for the
next stage, with the compiled code they have loaded, and end with the engine.

Libraries do not give this: concurrent.futures and loky fail every pending item when one worker
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

_PR_SET_PDEATHSIG = 1


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    line: Connection
    item: int = -1
    since: float = 0.0


class LocalEngine:
    def __init__(self, workers: int) -> None:
        self.workers = max(1, workers)
        self._idle: list[_Worker] = []
        weakref.finalize(self, _stop_all, self._idle)

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        plugins = list_loaded_plugins()
        work = partial(run_with_plugins, plugins, work) if plugins else work
        waiting = list(range(len(items)))[::-1]
        busy: list[_Worker] = []
        try:
            while waiting or busy:
                while waiting and len(busy) < self.workers:
                    busy.append(self._worker())
                    _give(busy[-1], work, items, waiting.pop())
                ready = wait([worker.line for worker in busy], timeout=1.0)
                for worker in [one for one in busy if one.line in ready]:
                    place = worker.item
                    outcome = _receive(worker)
                    if isinstance(outcome, BaseException):
                        raise outcome
                    if isinstance(outcome, WorkerLost):
                        busy.remove(worker)
                        _stop(worker)
                    elif waiting:
                        _give(worker, work, items, waiting.pop())
                    else:
                        busy.remove(worker)
                        self._idle.append(worker)
                    yield place, outcome
                for worker in [one for one in busy if time.monotonic() - one.since > limit]:
                    busy.remove(worker)
                    _stop(worker, signal.SIGKILL)
                    yield worker.item, WorkerLost(f"it took more than {limit:g} seconds")
        finally:
            for worker in busy:
                _stop(worker, signal.SIGKILL)

    def _worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.line.close()  # the process was killed while idle
        return _start()


def _start() -> _Worker:
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


def _give(worker: _Worker, work: Callable[[Any], Any], items: Sequence[Any], place: int) -> None:
    worker.item, worker.since = place, time.monotonic()
    with suppress(OSError):  # the process died while idle: `_receive` reports that
        worker.line.send((work, items[place]))


def _receive(worker: _Worker) -> Any:
    try:
        return worker.line.recv()
    except (EOFError, OSError):
        code = worker.process.wait()
        return WorkerLost(f"its process ended with {_named(code)}")


def _named(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _stop(worker: _Worker, how: signal.Signals = signal.SIGTERM) -> None:
    worker.line.close()
    if worker.process.poll() is None:
        worker.process.send_signal(how)
    worker.process.wait()


def _stop_all(workers: list[_Worker]) -> None:
    for worker in workers:
        _stop(worker)


def _serve(handle: int) -> None:
    """Answer each item with its result until the parent closes the connection; runs in a worker."""
    _die_with_parent()
    # Ctrl-C in a terminal reaches the workers too: only the parent reports it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    # Rows and declarations are millions of objects without a cycle: looking for cycles as often
    # as Python does would cost a fifth of the time.
    gc.set_threshold(200_000, 50, 100)
    line = Connection(handle)
    while True:
        try:
            work, item = line.recv()
        except (EOFError, OSError):
            return
        try:
            result = work(item)
        except (CodeacumenError, OSError) as error:
            result = error
        except Exception:
            # Not every exception survives the journey; its story does.
            result = RuntimeError(traceback.format_exc())
        line.send(result)


def _die_with_parent() -> None:
    """A build that is killed must not leave processes that go on writing. Linux only; elsewhere
    they end when they have finished their item."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
