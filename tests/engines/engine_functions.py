"""Work for the engines, as module-level functions that can be pickled."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any


def square(n: int) -> int:
    return n * n


def die_on_three(n: int) -> int:
    if n == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    return n


def exit_on_three(n: int) -> int:
    if n == 3:
        os._exit(7)
    return n


def sleep_on_three(n: int) -> int:
    if n == 3:
        time.sleep(60)
    return n


def fail_on_three(n: int) -> int:
    if n == 3:
        raise ValueError("three is too many")
    return n


def full_on_three(n: int) -> int:
    if n == 3:
        raise OSError(28, "No space left on device", "shards/x")
    return n


def process(n: int) -> int:
    time.sleep(0.2)
    return os.getpid()


class KilledWhenPickled:
    """A result whose pickling ends the process, as running out of memory there does."""

    def __reduce__(self) -> tuple[type, tuple[()]]:
        os.kill(os.getpid(), signal.SIGKILL)
        return KilledWhenPickled, ()


def die_sending_three(n: int) -> object:
    return KilledWhenPickled() if n == 3 else n


class KillsWhenUnpickled:
    """An item that ends the process that receives it."""

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return _kill_this_process, ()


def _kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def same(item: object) -> object:
    return item


def wait_if_folder(folder: str) -> int:
    """Write a file named after this process into the folder and wait; without a folder, return."""
    if folder:
        Path(folder, str(os.getpid())).touch()
        time.sleep(60)
    return 0


class RecordedItems(list[int]):
    """The numbers below ``length``; ``taken`` lists the indices in the order of access."""

    def __init__(self, length: int) -> None:
        super().__init__(range(length))
        self.taken: list[int] = []

    def __getitem__(self, index: Any) -> Any:
        self.taken.append(index)
        return super().__getitem__(index)
