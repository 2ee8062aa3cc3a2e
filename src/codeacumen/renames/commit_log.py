"""The log of commits that were read, and what became of their methods afterwards.

``Log`` writes one line per commit, so that a kill costs only the commits being read. A torn line at
the end is cut off. When all commits are read, the log is sorted into the order of the history, so
that its bytes do not depend on how it was written.

``Follower`` follows methods through the later commits of the log, parents first, under their path
and key as files, types and methods are moved and renamed. What parallel branches did to a method,
and what a merge lost, shows at the last revision: a method that is missing there, or has other
words there, is no longer the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeacumen import __version__

# Of what a line says. Another one begins a new log.
FORMAT = 1

Record = dict[str, Any]


class Log:
    """``at`` tells where the line of each commit begins. Commits that were left out because they
    took longer than a shorter limit than ``limit`` are not there: they are read again."""

    def __init__(self, path: Path, limit: float) -> None:
        self.path = path
        self.at: dict[str, int] = {}
        self._head = _line({"format": FORMAT, "codeacumen": __version__})
        if not self._open(limit):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._head)

    def _open(self, limit: float) -> bool:
        if not self.path.is_file():
            return False
        with self.path.open("rb") as stream:
            whole = len(stream.readline())
            if not self._is_head():
                return False
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                with suppress(ValueError, KeyError, TypeError):  # a damaged line is no line
                    record = json.loads(line)
                    if record["kind"] != "left out" or record["limit"] >= limit:
                        self.at[record["commit"]] = whole
                whole += len(line)
        if whole < self.path.stat().st_size:
            with self.path.open("r+b") as stream:
                stream.truncate(whole)
        return True

    def _is_head(self) -> bool:
        with self.path.open("rb") as stream:
            return stream.read(len(self._head)) == self._head

    def append(self, records: Iterable[Record]) -> None:
        """All of them in one piece."""
        lines = [(str(one["commit"]), _line(one)) for one in records]
        with self.path.open("ab") as stream:
            place = stream.tell()
            stream.write(b"".join(line for _, line in lines))
        for commit, line in lines:
            self.at[commit] = place
            place += len(line)

    def read(self, commits: Iterable[str]) -> Iterator[Record]:
        with self.path.open("rb") as stream:
            for commit in commits:
                stream.seek(self.at[commit])
                yield json.loads(stream.readline())

    def arrange(self, commits: Sequence[str]) -> None:
        """The lines in the order of the commits; those of others after them, by their hash."""
        wanted = set(commits)
        order = [*commits, *sorted(one for one in self.at if one not in wanted)]
        places = [self.at[one] for one in order]
        size = self.path.stat().st_size
        tidy = len(self._head) == (places[0] if places else size)
        part = self.path.with_name(self.path.name + ".part")
        if tidy and places == sorted(places) and len(set(places)) == self._count():
            return
        at: dict[str, int] = {}
        with self.path.open("rb") as stream, part.open("wb") as out:
            out.write(self._head)
            for commit, place in zip(order, places, strict=True):
                stream.seek(place)
                at[commit] = out.tell()
                out.write(stream.readline())
        part.replace(self.path)
        self.at = at

    def _count(self) -> int:
        with self.path.open("rb") as stream:
            return sum(1 for _ in stream) - 1


def _line(record: Record) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n"


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
