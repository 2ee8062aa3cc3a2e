"""Events played in a repository, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from renames.events import Event, Merge
from renames.events_later import EVENTS
from renames.repositories import Files, Maker


@dataclass(frozen=True)
class History:
    folder: Path
    commits: dict[str, list[str]]  # of each event


def placed(place: int, files: Files) -> Files:
    return {f"e{place}/{path}": content for path, content in files.items()}


def play(maker: Maker, place: int, event: Event) -> list[str]:
    made: list[str] = []
    for step in event.steps:
        if not isinstance(step, Merge):
            made.append(maker.commit(placed(place, step), message=event.name))
            continue
        base, files = maker.head[0], dict(maker.files)
        made += [maker.commit(placed(place, one), message=event.name) for one in step.side]
        side = maker.head[0]
        maker.at(base, files)
        made += [maker.commit(placed(place, one), message=event.name) for one in step.main]
        made.append(maker.commit(placed(place, step.own), side, message=event.name))
    return made


def build(folder: Path) -> History:
    maker = Maker(folder)
    start: dict[str, Any] = {}
    for place, event in enumerate(EVENTS):
        start.update(placed(place, event.start))
    maker.commit(start)
    commits = {event.name: play(maker, place, event) for place, event in enumerate(EVENTS)}
    return History(folder, commits)


@dataclass(frozen=True)
class Mined:
    folder: Path
    told: dict[str, Any]
    log: dict[str, dict[str, Any]]


class Here:
    """An engine that works in this process."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for place, item in enumerate(items):
            yield place, work(item)
