"""The log of the commits that were read, and the later history of their methods.

``CommitLog`` writes one line per commit, so that a kill costs only the commits being read. A torn
line at the end is cut off. When all commits are read, the log is sorted into the order of the
history, so that its bytes do not depend on the order of writing.

``MethodFollower`` follows methods through the later commits of the log, parents first, under their
path and key as files, types and methods are moved and renamed. Changes on parallel branches, and
changes that a merge lost, show at the last revision: a method that is missing there, or has other
words there, is no longer the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeacumen import __version__

# Version of the line format. A log of another version is started anew.
FORMAT = 1

Record = dict[str, Any]


class Log:
    """A file with one JSON line per commit; ``offsets`` maps a commit to the offset of its line.

    Commits that were left out under a time limit shorter than ``limit`` are not in ``offsets``, so
    they are read again."""

    def __init__(self, path: Path, limit: float) -> None:
        self.path = path
        self.at: dict[str, int] = {}
        self._head = _line({"format": FORMAT, "codeacumen": __version__})
        if not self._open(limit):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._head)

    def _open(self, limit: float) -> bool:
        """Index the lines of the log and cut off a torn one; return False without a log."""
        if not self.path.is_file():
            return False
        with self.path.open("rb") as stream:
            offset = len(stream.readline())
            if not self._is_head():
                return False
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                with suppress(ValueError, KeyError, TypeError):  # skip a damaged line
                    record = json.loads(line)
                    if record["kind"] != "left out" or record["limit"] >= limit:
                        self.at[record["commit"]] = offset
                offset += len(line)
        if offset < self.path.stat().st_size:
            with self.path.open("r+b") as stream:
                stream.truncate(offset)
        return True

    def _is_head(self) -> bool:
        with self.path.open("rb") as stream:
            return stream.read(len(self._head)) == self._head

    def append(self, records: Iterable[Record]) -> None:
        """Append the records with a single write."""
        lines = [(str(record["commit"]), _line(record)) for record in records]
        with self.path.open("ab") as stream:
            offset = stream.tell()
            stream.write(b"".join(line for _, line in lines))
        for commit, line in lines:
            self.at[commit] = offset
            offset += len(line)

    def read(self, commits: Iterable[str]) -> Iterator[Record]:
        with self.path.open("rb") as stream:
            for commit in commits:
                stream.seek(self.at[commit])
                yield json.loads(stream.readline())

    def arrange(self, commits: Sequence[str]) -> None:
        """Sort the lines into the order of the commits; other commits follow, sorted by hash."""
        listed = set(commits)
        order = [*commits, *sorted(commit for commit in self.at if commit not in listed)]
        offsets = [self.at[commit] for commit in order]
        size = self.path.stat().st_size
        is_head_current = len(self._head) == (offsets[0] if offsets else size)
        temporary_path = self.path.with_name(self.path.name + ".part")
        if is_head_current and offsets == sorted(offsets) and len(set(offsets)) == self._count():
            return
        sorted_offsets: dict[str, int] = {}
        with self.path.open("rb") as stream, temporary_path.open("wb") as out:
            out.write(self._head)
            for commit, offset in zip(order, offsets, strict=True):
                stream.seek(offset)
                sorted_offsets[commit] = out.tell()
                out.write(stream.readline())
        temporary_path.replace(self.path)
        self.at = sorted_offsets

    def _count(self) -> int:
        with self.path.open("rb") as stream:
            return sum(1 for _ in stream) - 1


def _line(record: Record) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n"


# Fingerprints of method bodies at the last revision, by path and method key.
Prints = dict[str, dict[str, str]]


@dataclass(slots=True)
class Track:
    """The history of a method.

    ``names`` are all names it had, ``body_changes`` counts changes of its body. ``fingerprint`` is
    the expected fingerprint at the end, None after a change, when no fingerprint can be expected.
    """

    path: str
    key: str
    print: str | None
    names: list[str]
    bodies: int = 0
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A method's state at a commit: the number of names and of body changes until then."""

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
        fingerprint = self._found(prints)
        if fingerprint is None:
            return None
        return self.track.print is None or fingerprint == self.track.print

    def _found(self, prints: Prints) -> str | None:
        if self.track.gone:
            return None
        return prints.get(self.track.path, {}).get(self.track.key)


@dataclass(slots=True)
class Followed:
    """Marks of the ``renames`` and ``others`` of a record, in their order."""

    renames: list[Mark] = field(default_factory=list)
    others: list[Mark] = field(default_factory=list)


class Follower:
    """Follows methods through the records of a log."""

    def __init__(self) -> None:
        self._at: dict[str, dict[str, Track]] = {}

    def run(self, records: Iterable[Record]) -> Iterator[Followed]:
        for record in records:
            self._apply(record)
            yield self._marked(record)

    def ends(self) -> dict[str, list[str]]:
        """Return the expected keys of methods at the end, by path."""
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
        for path, key, new_path, new_key, moved_print, how in record.get("moves", ()):
            track = self._at.get(path, {}).pop(key, None)
            if track is not None:
                _moved(track, new_key, moved_print, how)
                arrived.append((new_path, new_key, track))
        for path, owner, new_path, new_owner in record.get("owners", ()):
            tracks = self._at.get(path, {})
            for key in [key for key in tracks if key.partition("#")[0] == owner]:
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
        for path, key, new_print in record.get("respelt", ()):
            track = self._at.get(path, {}).get(key)
            if track is not None and track.print is not None:
                track.print = new_print

    def _marked(self, record: Record) -> Followed:
        marks = Followed()
        for rename in record.get("renames", ()):
            names = [rename["old_name"], rename["new_name"]]
            marks.renames.append(self._mark(rename, names))
        for method in record.get("others", ()):
            marks.others.append(self._mark(method, [method["name"]]))
        return marks

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
