"""What became of a method after a commit: followed through the later ones, looked up at the end.

Commits come parents first. A method is followed under its path and key as files, types and it
itself are moved and renamed. What two branches did to it, and what was lost when they were merged,
the last revision tells: a method that is not found there, or has other words there, is no longer
the one that it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]
# Of a path at the last revision: the fingerprint of each method's body, by its key.
Prints = dict[str, dict[str, str]]


@dataclass(slots=True)
class Track:
    """A method. ``names`` are all it had, ``bodies`` how often its body changed, ``print`` the
    fingerprint it should have at the end; None where it changed, so that nothing is expected."""

    path: str
    key: str
    print: str | None
    names: list[str]
    bodies: int = 0
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A method as it was at a commit: how many names it had had, how many bodies."""

    track: Track
    names: int
    bodies: int

    def later_names(self) -> list[str]:
        return self.track.names[self.names :]

    def name_stable(self, prints: Prints) -> bool | None:
        if self.later_names():
            return False
        return True if self._found(prints) is not None else None

    def body_stable(self, prints: Prints) -> bool | None:
        if self.track.bodies > self.bodies:
            return False
        found = self._found(prints)
        if found is None:
            return None
        return self.track.print is None or found == self.track.print

    def _found(self, prints: Prints) -> str | None:
        if self.track.gone:
            return None
        return prints.get(self.track.path, {}).get(self.track.key)


@dataclass(slots=True)
class Followed:
    """Marks of a record's ``renames`` and ``others``, in their order."""

    renames: list[Mark] = field(default_factory=list)
    others: list[Mark] = field(default_factory=list)


class Follower:
    def __init__(self) -> None:
        self._at: dict[str, dict[str, Track]] = {}

    def run(self, records: Iterable[Record]) -> Iterator[Followed]:
        for record in records:
            self._apply(record)
            yield self._marked(record)

    def ends(self) -> dict[str, list[str]]:
        """Where the methods should be at the end: keys by path."""
        return {path: sorted(tracks) for path, tracks in sorted(self._at.items()) if tracks}

    def _apply(self, record: Record) -> None:
        for path, key in record.get("changed", ()):
            track = self._at.get(path, {}).get(key)
            if track is not None:
                track.bodies += 1
                track.print = None
        arrived: list[tuple[str, str, Track]] = []
        for path, key in record.get("gone", ()):
            track = self._at.get(path, {}).pop(key, None)
            if track is not None:
                track.gone = True
        for path, key, new_path, new_key, said, how in record.get("moves", ()):
            track = self._at.get(path, {}).pop(key, None)
            if track is not None:
                _moved(track, new_key, said, how)
                arrived.append((new_path, new_key, track))
        for path, owner, new_path, new_owner in record.get("owners", ()):
            tracks = self._at.get(path, {})
            for key in [one for one in tracks if one.partition("#")[0] == owner]:
                new_key = new_owner + key[len(owner) :]
                arrived.append((new_path, new_key, tracks.pop(key)))
        moved = [
            (new, self._at.pop(old)) for old, new in record.get("paths", ()) if old in self._at
        ]
        for path, tracks in moved:
            arrived += [(path, key, track) for key, track in tracks.items()]
        for path, key, track in arrived:
            track.path, track.key = path, key
            self._at.setdefault(path, {})[key] = track
        for path, key, said in record.get("respelt", ()):
            track = self._at.get(path, {}).get(key)
            if track is not None and track.print is not None:
                track.print = said

    def _marked(self, record: Record) -> Followed:
        found = Followed()
        for one in record.get("renames", ()):
            names = [one["old_name"], one["new_name"]]
            found.renames.append(self._mark(one, names))
        for one in record.get("others", ()):
            found.others.append(self._mark(one, [one["name"]]))
        return found

    def _mark(self, one: Record, names: list[str]) -> Mark:
        tracks = self._at.setdefault(one["path"], {})
        track = tracks.get(one["key"])
        if track is None:
            track = Track(one["path"], one["key"], one["print"], names)
            tracks[one["key"]] = track
        track.print = one["print"]
        return Mark(track, len(track.names), track.bodies)


def _moved(track: Track, new_key: str, said: str, how: str) -> None:
    if how in ("renamed", "rewritten"):
        track.names.append(new_key.partition("#")[2].partition("(")[0])
    if how == "rewritten" or (how == "signature" and track.print not in (None, said)):
        track.bodies += 1
    if track.print is not None:
        track.print = said
