"""Engines run a function on many items: in processes on this machine, or on a Ray cluster.

An item is one argument of the function, such as a shard of a corpus to analyse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from codeacumen.api import CodeacumenError
from codeacumen.registry import load_plugin


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """Result of an item whose worker process ended early or exceeded the time limit.

    ``reason`` is a clause for messages, such as "it took more than 600 seconds".
    """

    reason: str


class Engine(Protocol):
    """A pool of worker processes."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        """Yield position and result of each item, in the order in which they finish.

        The result is a ``WorkerLost`` where the process ended or took more than ``limit`` seconds
        for the item. ``work`` and items are pickled. A ``CodeacumenError`` or ``OSError`` that
        ``work`` raises is raised here; other exceptions may have another type and the traceback as
        message.
        """
        ...


def run_with_plugins(plugins: Sequence[Path], work: Callable[[Any], Any], item: Any) -> Any:
    """Return ``work(item)`` after loading plug-ins.

    A worker calls this function with the plug-ins of the process that started it.
    """
    for path in plugins:
        load_plugin(path)
    return work(item)


def create_engine(name: str, workers: int, address: str = "") -> Engine:
    """Return the engine ``local`` or ``ray``; ``address`` is that of a running Ray cluster."""
    if name == "local":
        from codeacumen.engines.local import LocalEngine

        return LocalEngine(workers)
    if name == "ray":
        from codeacumen.engines.ray import RayEngine

        return RayEngine(workers, address)
    raise CodeacumenError(f"there is no engine called {name!r}", "choose local or ray")


def start_engine(name: str, workers: int = 0) -> Engine:
    """Return the engine of a name: ``local``, or ``ray``, or ``ray:ADDRESS`` of a cluster.

    If ``workers`` is 0, the engine has one worker for each processor. A cluster that is already
    running has its own number of workers.
    """
    from codeacumen.core.machine import count_processors

    kind, _, address = name.partition(":")
    if address and kind != "ray":
        raise CodeacumenError(
            f"--engine {name}: only a Ray cluster has an address", f"write ray:{address}"
        )
    return create_engine(kind, workers or count_processors(), address)
