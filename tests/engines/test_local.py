"""Tests of the local engine with real processes that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import engine_functions

from codeacumen.engines import WorkerLost
from codeacumen.engines.local import LocalEngine

ITEMS = list(range(6))


def test_all_results_arrive_with_their_index() -> None:
    results = dict(LocalEngine(2).run(engine_functions.square, ITEMS, 60))
    assert results == {number: number * number for number in ITEMS}


@pytest.mark.parametrize(
    ("function", "reason"),
    [(engine_functions.die_on_three, "SIGSEGV"), (engine_functions.exit_on_three, "exit code 7")],
)
def test_dying_process_loses_one_item(function: object, reason: str) -> None:
    results = dict(LocalEngine(2).run(function, ITEMS, 60))  # type: ignore[arg-type]
    assert results.pop(3) == WorkerLost(f"its process ended with {reason}")
    assert results == {number: number for number in ITEMS if number != 3}


def test_killed_process_loses_one_item(tmp_path: Path) -> None:
    items = [str(tmp_path), "", ""]
    killed_pids: list[int] = []

    def kill_first_worker() -> None:
        while not (pids := [int(file.name) for file in tmp_path.iterdir()]):
            time.sleep(0.01)
        killed_pids.extend(pids)
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_first_worker)
    killer.start()
    results = dict(LocalEngine(2).run(engine_functions.wait_if_folder, items, 60))
    killer.join()
    assert len(killed_pids) == 1
    assert results == {0: WorkerLost("its process ended with SIGKILL"), 1: 0, 2: 0}


def test_process_that_dies_while_sending_loses_one_item() -> None:
    clock = time.monotonic()
    results = dict(LocalEngine(2).run(engine_functions.die_sending_three, ITEMS, 60))
    assert results.pop(3) == WorkerLost("its process ended with SIGKILL")
    assert results == {number: number for number in ITEMS if number != 3}
    assert time.monotonic() - clock < 30


def test_process_that_dies_while_receiving_loses_that_item() -> None:
    clock = time.monotonic()
    results = dict(
        LocalEngine(2).run(
            engine_functions.same, [0, engine_functions.KillsWhenUnpickled(), 2, 3], 60
        )
    )
    assert results == {0: 0, 1: WorkerLost("its process ended with SIGKILL"), 2: 2, 3: 3}
    assert time.monotonic() - clock < 30


def test_items_are_taken_in_order_and_only_when_a_worker_is_free() -> None:
    items = engine_functions.RecordedItems(100)
    for count, _ in enumerate(LocalEngine(2).run(engine_functions.square, items, 60), 1):
        assert len(items.taken) <= count + 2
    assert items.taken == list(range(100))


def test_hanging_process_is_killed() -> None:
    clock = time.monotonic()
    results = dict(LocalEngine(2).run(engine_functions.sleep_on_three, ITEMS, 3))
    assert time.monotonic() - clock < 30
    assert results[3] == WorkerLost("it took more than 3 seconds")
    assert len(results) == len(ITEMS)


def test_exceptions_are_raised_in_the_caller() -> None:
    with pytest.raises(RuntimeError, match="three is too many"):
        dict(LocalEngine(2).run(engine_functions.fail_on_three, ITEMS, 60))
    with pytest.raises(OSError, match="No space left"):
        dict(LocalEngine(2).run(engine_functions.full_on_three, ITEMS, 60))


def test_work_is_spread_over_the_workers() -> None:
    pid_by_item = dict(LocalEngine(2).run(engine_functions.process, ITEMS, 60))
    assert len(set(pid_by_item.values())) == 2


def test_closing_the_iterator_ends_all_processes() -> None:
    running = LocalEngine(2).run(engine_functions.process, ITEMS, 60)
    _, pid = next(running)
    running.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_processes_are_reused_and_end_with_the_engine() -> None:
    engine = LocalEngine(2)
    first = set(dict(engine.run(engine_functions.process, ITEMS, 60)).values())
    assert set(dict(engine.run(engine_functions.process, ITEMS, 60)).values()) == first
    # Killing an idle process loses no item.
    os.kill(min(first), signal.SIGKILL)
    os.waitid(os.P_PID, min(first), os.WEXITED | os.WNOWAIT)
    second = dict(engine.run(engine_functions.process, ITEMS, 60))
    assert len(second) == len(ITEMS)
    assert min(first) not in second.values()
    del engine
    for pid in set(second.values()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_interrupt_ends_all_processes(tmp_path: Path) -> None:
    code = (
        # A shell starts a background job with SIGINT ignored, and its processes inherit that.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sys; sys.path.insert(0, sys.argv[1]); import engine_functions\n"
        "from codeacumen.engines.local import LocalEngine\n"
        "list(LocalEngine(2).run(engine_functions.wait_if_folder, [sys.argv[2]] * 4, 60))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while len(pids := [int(file.name) for file in tmp_path.iterdir()]) < 2:
        assert parent.poll() is None
        time.sleep(0.01)
    # A terminal sends the signal to the parent and to its children.
    os.killpg(parent.pid, signal.SIGINT)
    _, errors = parent.communicate(timeout=120)
    assert "KeyboardInterrupt" in errors
    assert errors.count("Traceback") == 1  # the parent's, none of a worker
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_killing_the_build_ends_all_processes(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import engine_functions\n"
        "from codeacumen.engines.local import LocalEngine\n"
        "for _, pid in LocalEngine(1).run(engine_functions.process, range(100), 60):\n"
        "    print(pid, flush=True)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(Path(__file__).parent)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the worker outlived the build")
