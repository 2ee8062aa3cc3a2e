"""Play events in a repository one after the other, for tests of mining."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from renames.events import Event, Merge
from renames.events_special import EVENTS
from renames.repositories import Files, RepositoryBuilder


@dataclass(frozen=True)
class History:
    folder: Path
    commits: dict[str, list[str]]  # hashes by the name of the event


def prefix_paths(event_number: int, files: Files) -> Files:
    return {f"e{event_number}/{path}": content for path, content in files.items()}


def play_event(maker: RepositoryBuilder, event_number: int, event: Event) -> list[str]:
    commit_hashes: list[str] = []
    for step in event.steps:
        if not isinstance(step, Merge):
            commit_hashes.append(maker.commit(prefix_paths(event_number, step), message=event.name))
            continue
        base, base_files = maker.head[0], dict(maker.files)
        commit_hashes += [
            maker.commit(prefix_paths(event_number, files), message=event.name)
            for files in step.side
        ]
        side = maker.head[0]
        maker.continue_from(base, base_files)
        commit_hashes += [
            maker.commit(prefix_paths(event_number, files), message=event.name)
            for files in step.main
        ]
        commit_hashes.append(
            maker.commit(prefix_paths(event_number, step.changes), side, message=event.name)
        )
    return commit_hashes


def build_history(folder: Path) -> History:
    maker = RepositoryBuilder(folder)
    initial_files: dict[str, Any] = {}
    for event_number, event in enumerate(EVENTS):
        initial_files.update(prefix_paths(event_number, event.initial_files))
    maker.commit(initial_files)
    commits = {
        event.name: play_event(maker, event_number, event)
        for event_number, event in enumerate(EVENTS)
    }
    return History(folder, commits)


@dataclass(frozen=True)
class Mined:
    folder: Path
    summary: dict[str, Any]
    log: dict[str, dict[str, Any]]


class InProcessEngine:
    """An engine that runs the work in this process."""

    def run(
        self, work: Callable[[Any], Any], items: Sequence[Any], limit: float
    ) -> Iterator[tuple[int, Any]]:
        for index, item in enumerate(items):
            yield index, work(item)
