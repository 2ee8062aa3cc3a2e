"""A Ray cluster: the same work, on as many machines as there are.

All nodes see the corpus folder and the sources under the same paths, and have codeacumen installed.
A node that is lost takes nothing with it: its shards are made again elsewhere, and a shard
appears whole or not at all.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from codeacumen.api import CodeacumenError
from codeacumen.engines import WorkerLost, run_with_plugins
from codeacumen.registry import list_loaded_plugins

# How often an item is tried again when its node or its process is lost.
RETRIES = 3


class RayEngine:
    def __init__(self, workers: int, address: str = "") -> None:
        try:
            import ray
        except ImportError as error:
            raise CodeacumenError(
                "Ray is not installed here", "pip install 'codeacumen[ray]', or --engine local"
            ) from error
        self.ray: Any = ray
        if not ray.is_initialized():
            _join(ray, workers, address)

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        ray = self.ray
        plugins = list_loaded_plugins()

        def run_item(item: Any) -> Any:
            return run_with_plugins(plugins, work, item)

        remote = ray.remote(num_cpus=1, max_retries=RETRIES)(run_item if plugins else work)
        waiting = list(range(len(items)))[::-1]
        running: dict[Any, tuple[int, float]] = {}
        try:
            while waiting or running:
                # Few more than there are processors: what waits in Ray's queue would seem slow.
                room = int(ray.cluster_resources().get("CPU", 1)) + 1 - len(running)
                while waiting and room > 0:
                    place = waiting.pop()
                    running[remote.remote(items[place])] = (place, time.monotonic())
                    room -= 1
                ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
                for reference in ready:
                    place, _ = running.pop(reference)
                    yield place, _result(ray, reference)
                late = [r for r, (_, since) in running.items() if time.monotonic() - since > limit]
                for reference in late:
                    place, _ = running.pop(reference)
                    ray.cancel(reference, force=True)
                    yield place, WorkerLost(f"it took more than {limit:g} seconds")
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def _join(ray: Any, workers: int, address: str) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray warns on an unset value and would change it in a release to come.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    _must_answer(address)
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address:
            ray.init(address=address, **options)
        else:
            ray.init(num_cpus=workers, include_dashboard=False, **options)
    except ConnectionError as error:
        raise _no_cluster(address, error) from error


def _must_answer(address: str) -> None:
    """Raise an error if nothing listens at the address: Ray itself would retry for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.removeprefix("ray://"), int(port)), timeout=10).close()
    except OSError as error:
        raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: OSError) -> CodeacumenError:
    return CodeacumenError(
        f"there is no Ray cluster at {address!r}: {error}",
        "start one with `ray start --head`, or leave out the address: --engine ray",
    )


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, CodeacumenError | OSError) else error
        raise cause from error
    except ray.exceptions.RayError as error:
        return WorkerLost(f"its process was lost: {type(error).__name__}")
