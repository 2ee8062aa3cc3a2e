"""The log of the commits that were read, and the later history of their methods.

``CommitLog`` writes one line per commit, so that a kill costs only the commits being read. A torn
line at the end is cut off. When all commits are read, the log is sorted into the order of the
history, so that its bytes do not depend on the order of writing.

``MethodFollower`` follows methods through the later commits of the log, parents first, under their
path and key as files, types and methods are moved and renamed. Changes on parallel branches, and
changes that a merge lost, show at the last revision: if a method is missing there, nothing is known
about its stability; if it has other words there, its body has changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeacumen import __version__

# Version of the line format. A log of another format or release of codeacumen is started anew.
FORMAT = 2

# A commit, as ``history.read_commit`` returns it; lists without items may be absent. A key
# identifies a method of a file, and a fingerprint the words of a body (see ``versions``).
#   commit, parent, time   hashes, and seconds since 1970
#   kind    ordinary, merge, root, shallow (no parent here), unreadable, skipped (over ``limit``)
#   reason  of the last two kinds
#   counts  numbers of methods and files by what happened to them
#   paths   [path, new path] of moved files
#   renames, others    renamed methods, and unchanged methods of the same files, each a dictionary
#           with the fields of ``records``, ``key`` and ``print`` (the fingerprint of the body)
#   moves   [path, key, new path, new key, new fingerprint, kind] of methods with another key or
#           path; kind: renamed, signature, moved or rewritten
#   owners  [path, owner, new path, new owner] of renamed and moved types
#   changed, removed   [path, key] of methods with another body, and of removed ones
#   respelt [path, key, fingerprint] of bodies in which only names of types changed
Record = dict[str, Any]


class CommitLog:
    """A file with one JSON line per commit; ``offsets`` maps a commit to the offset of its line.

    Commits that were left out under a time limit shorter than ``limit`` (seconds) are not in
    ``offsets``, so they are read again."""

    def __init__(self, path: Path, limit: float) -> None:
        self.path = path
        self.offsets: dict[str, int] = {}
        self._header = _encode_line({"format": FORMAT, "codeacumen": __version__})
        if not self._index_lines(limit):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._header)

    def _index_lines(self, limit: float) -> bool:
        """Index the lines of the log and cut off a torn one; return False without a usable log."""
        if not self.path.is_file():
            return False
        with self.path.open("rb") as stream:
            offset = len(stream.readline())
            if not self._has_current_header():
                return False
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                with suppress(ValueError, KeyError, TypeError):  # skip a damaged line
                    record = json.loads(line)
                    if record["kind"] != "skipped" or record["limit"] >= limit:
                        self.offsets[record["commit"]] = offset
                offset += len(line)
        if offset < self.path.stat().st_size:
            with self.path.open("r+b") as stream:
                stream.truncate(offset)
        return True

    def _has_current_header(self) -> bool:
        with self.path.open("rb") as stream:
            return stream.read(len(self._header)) == self._header

    def append_records(self, records: Iterable[Record]) -> None:
        """Append the records with a single write."""
        lines = [(str(record["commit"]), _encode_line(record)) for record in records]
        with self.path.open("ab") as stream:
            offset = stream.tell()
            stream.write(b"".join(line for _, line in lines))
        for commit, line in lines:
            self.offsets[commit] = offset
            offset += len(line)

    def read_records(self, commits: Iterable[str]) -> Iterator[Record]:
        """Yield the records of these commits, in their order."""
        with self.path.open("rb") as stream:
            for commit in commits:
                stream.seek(self.offsets[commit])
                yield json.loads(stream.readline())

    def sort_records(self, commits: Sequence[str]) -> None:
        """Sort the lines into the order of the commits; other commits follow, sorted by hash."""
        listed = set(commits)
        order = [*commits, *sorted(commit for commit in self.offsets if commit not in listed)]
        offsets = [self.offsets[commit] for commit in order]
        size = self.path.stat().st_size
        is_header_current = len(self._header) == (offsets[0] if offsets else size)
        temporary_path = self.path.with_name(self.path.name + ".part")
        if (
            is_header_current
            and offsets == sorted(offsets)
            and len(set(offsets)) == self._count_records()
        ):
            return
        sorted_offsets: dict[str, int] = {}
        with self.path.open("rb") as stream, temporary_path.open("wb") as out:
            out.write(self._header)
            for commit, offset in zip(order, offsets, strict=True):
                stream.seek(offset)
                sorted_offsets[commit] = out.tell()
                out.write(stream.readline())
        temporary_path.replace(self.path)
        self.offsets = sorted_offsets

    def _count_records(self) -> int:
        with self.path.open("rb") as stream:
            return sum(1 for _ in stream) - 1


def _encode_line(record: Record) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n"


# Fingerprints of method bodies at the last revision, by path and method key; empty without a body.
Fingerprints = dict[str, dict[str, str]]


@dataclass(slots=True)
class MethodTrack:
    """The history of a method, from its first mark on.

    ``path`` and ``key`` are the present ones. ``names`` are all names it had, oldest first,
    ``body_changes`` counts changes of its body. ``fingerprint`` is the one expected at the last
    revision; None after a change of the body, since the log does not store the new one.
    """

    path: str
    key: str
    fingerprint: str | None
    names: list[str]
    body_changes: int = 0
    is_removed: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A method's state at a commit: the number of names and of body changes until then."""

    track: MethodTrack
    name_count: int
    body_changes: int

    def get_later_names(self) -> list[str]:
        """Return the names that the method got after the commit, in order."""
        return self.track.names[self.name_count :]

    def is_name_stable(self, fingerprints: Fingerprints) -> bool | None:
        """Return True if the name stays until the last revision; None if unknown."""
        if self.get_later_names():
            return False
        return True if self._find_fingerprint(fingerprints) is not None else None

    def is_body_stable(self, fingerprints: Fingerprints) -> bool | None:
        """Return True if the body stays until the last revision; None if unknown."""
        if self.track.body_changes > self.body_changes:
            return False
        fingerprint = self._find_fingerprint(fingerprints)
        if fingerprint is None:
            return None
        return self.track.fingerprint is None or fingerprint == self.track.fingerprint

    def _find_fingerprint(self, fingerprints: Fingerprints) -> str | None:
        if self.track.is_removed:
            return None
        return fingerprints.get(self.track.path, {}).get(self.track.key)


@dataclass(slots=True)
class RecordMarks:
    """Marks of the ``renames`` and ``others`` of a record, in their order."""

    renames: list[Mark] = field(default_factory=list)
    others: list[Mark] = field(default_factory=list)


class MethodFollower:
    """Follows methods through the records of a log; ``_tracks`` are by present path and key."""

    def __init__(self) -> None:
        self._tracks: dict[str, dict[str, MethodTrack]] = {}

    def follow_records(self, records: Iterable[Record]) -> Iterator[RecordMarks]:
        """Yield the marks of each record; the records must come parents first.

        A mark is complete only after the last record, because later records change its track.
        """
        for record in records:
            self._apply_record(record)
            yield self._mark_record(record)

    def get_final_keys(self) -> dict[str, list[str]]:
        """Return the keys that the followed methods should have at the last revision, by path."""
        return {path: sorted(tracks) for path, tracks in sorted(self._tracks.items()) if tracks}

    def _apply_record(self, record: Record) -> None:
        for path, key in record.get("changed", ()):
            track = self._tracks.get(path, {}).get(key)
            if track is not None:
                track.body_changes += 1
                track.fingerprint = None
        # Tracks with their new path and key. They are stored after all departures, because methods
        # may exchange their keys.
        arrived: list[tuple[str, str, MethodTrack]] = []
        for path, key in record.get("removed", ()):
            track = self._tracks.get(path, {}).pop(key, None)
            if track is not None:
                track.is_removed = True
        for path, key, new_path, new_key, moved_fingerprint, change_kind in record.get("moves", ()):
            track = self._tracks.get(path, {}).pop(key, None)
            if track is not None:
                _update_moved_track(track, new_key, moved_fingerprint, change_kind)
                arrived.append((new_path, new_key, track))
        for path, owner, new_path, new_owner in record.get("owners", ()):
            tracks = self._tracks.get(path, {})
            for key in [key for key in tracks if key.partition("#")[0] == owner]:
                new_key = new_owner + key[len(owner) :]
                arrived.append((new_path, new_key, tracks.pop(key)))
        moved = [
            (new, self._tracks.pop(old))
            for old, new in record.get("paths", ())
            if old in self._tracks
        ]
        for path, tracks in moved:
            arrived += [(path, key, track) for key, track in tracks.items()]
        for path, key, track in arrived:
            track.path, track.key = path, key
            self._tracks.setdefault(path, {})[key] = track
        for path, key, new_fingerprint in record.get("respelt", ()):
            track = self._tracks.get(path, {}).get(key)
            if track is not None and track.fingerprint is not None:
                track.fingerprint = new_fingerprint

    def _mark_record(self, record: Record) -> RecordMarks:
        marks = RecordMarks()
        for rename in record.get("renames", ()):
            names = [rename["old_name"], rename["new_name"]]
            marks.renames.append(self._mark_method(rename, names))
        for method in record.get("others", ()):
            marks.others.append(self._mark_method(method, [method["name"]]))
        return marks

    def _mark_method(self, entry: Record, names: list[str]) -> Mark:
        tracks = self._tracks.setdefault(entry["path"], {})
        track = tracks.get(entry["key"])
        if track is None:
            track = MethodTrack(entry["path"], entry["key"], entry["print"], names)
            tracks[entry["key"]] = track
        track.fingerprint = entry["print"]
        return Mark(track, len(track.names), track.body_changes)


def _update_moved_track(
    track: MethodTrack, new_key: str, fingerprint: str, change_kind: str
) -> None:
    # A key is ``owner#name(types of parameters)``.
    if change_kind in ("renamed", "rewritten"):
        track.names.append(new_key.partition("#")[2].partition("(")[0])
    if change_kind == "rewritten" or (
        change_kind == "signature" and track.fingerprint not in (None, fingerprint)
    ):
        track.body_changes += 1
    if track.fingerprint is not None:
        track.fingerprint = fingerprint
