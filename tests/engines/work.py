"""Work for the engines: module-level functions, as the engines need them."""

from __future__ import annotations

import os
import signal
import time


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
