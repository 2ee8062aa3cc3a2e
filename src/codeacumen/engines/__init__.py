"""Who does the work: processes on this machine, or a Ray cluster. Nothing else knows which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from codeacumen.api import CodeacumenError


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The process that worked on an item ended without a result, or had to be ended."""

    why: str


class Engine(Protocol):
    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        """Yield each item's position and result, as they come; ``WorkerLost`` where a process was
        lost or took more than ``limit`` seconds. An exception of ``work`` is raised here."""
        ...


def engine(name: str, workers: int, address: str = "") -> Engine:
    if name == "local":
        from codeacumen.engines.local import LocalEngine

        return LocalEngine(workers)
    if name == "ray":
        from codeacumen.engines.ray import RayEngine

        return RayEngine(workers, address)
    raise CodeacumenError(f"there is no engine called {name!r}", "choose local or ray")
