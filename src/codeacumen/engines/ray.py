"""The engine ``ray``: a Ray cluster, on all of its machines.

All nodes see the corpus folder and the sources under the same paths, and have codeacumen installed.
If a node is lost, its items are run again on another node; this is safe because a shard of a corpus
is written completely or not at all.
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
    """An engine on the cluster at ``address``, or on a new one on this machine if it is empty.

    ``workers`` is the number of processors of the new cluster.
    """

    def __init__(self, workers: int, address: str = "") -> None:
        try:
            import ray
        except ImportError as error:
            raise CodeacumenError(
                "Ray is not installed here", "pip install 'codeacumen[ray]', or --engine local"
            ) from error
        self.ray: Any = ray
        if not ray.is_initialized():
            _connect(ray, workers, address)

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        ray = self.ray
        plugins = list_loaded_plugins()

        def run_item(item: Any) -> Any:
            return run_with_plugins(plugins, work, item)

        remote_work = ray.remote(num_cpus=1, max_retries=RETRIES)(run_item if plugins else work)
        # Reversed, so that ``pop`` returns the first item.
        waiting_indices = list(range(len(items)))[::-1]
        # Position of the item and time of its submission, by Ray's reference to the result.
        running: dict[Any, tuple[int, float]] = {}
        try:
            while waiting_indices or running:
                # Submit at most one item more than there are processors: the time that an item
                # waits in Ray's queue counts towards its limit.
                room = int(ray.cluster_resources().get("CPU", 1)) + 1 - len(running)
                while waiting_indices and room > 0:
                    index = waiting_indices.pop()
                    running[remote_work.remote(items[index])] = (index, time.monotonic())
                    room -= 1
                ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
                for reference in ready:
                    index, _ = running.pop(reference)
                    yield index, _get_result(ray, reference)
                late_references = [
                    reference
                    for reference, (_, started_at) in running.items()
                    if time.monotonic() - started_at > limit
                ]
                for reference in late_references:
                    index, _ = running.pop(reference)
                    ray.cancel(reference, force=True)
                    yield index, WorkerLost(f"it took more than {limit:g} seconds")
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def _connect(ray: Any, workers: int, address: str) -> None:
    """Connect this process to a cluster, or start one; ``ray`` is the imported module."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray warns if this is not set, and a later release will change the default.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    _check_connection(address)
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address:
            ray.init(address=address, **options)
        else:
            ray.init(num_cpus=workers, include_dashboard=False, **options)
    except ConnectionError as error:
        raise _describe_missing_cluster(address, error) from error


def _check_connection(address: str) -> None:
    """Raise an error if nothing listens at HOST:PORT, because Ray would retry for minutes.

    Other addresses, such as ``auto``, are not checked.
    """
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host.removeprefix("ray://"), int(port)), timeout=10).close()
    except OSError as error:
        raise _describe_missing_cluster(address, error) from error


def _describe_missing_cluster(address: str, error: OSError) -> CodeacumenError:
    return CodeacumenError(
        f"there is no Ray cluster at {address!r}: {error}",
        "start one with `ray start --head`, or leave out the address: --engine ray",
    )


def _get_result(ray: Any, reference: Any) -> Any:
    """Return the result of a finished item; raise the exception that the work raised."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, CodeacumenError | OSError) else error
        raise cause from error
    except ray.exceptions.RayError as error:
        return WorkerLost(f"its process was lost: {type(error).__name__}")
