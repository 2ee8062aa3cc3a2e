"""The log of commits that were read: a line each, so that a kill costs what was being read.

Whole lines count; a torn one at the end is cut off. When all is read, the log is put into the order
of the history, so that it is the same bytes however it came about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from acumen import __version__

# Of what a line says. Another one begins a new log.
FORMAT = 1

Record = dict[str, Any]


class Log:
    """``at`` tells where the line of each commit begins. Commits that were left out because they
    took longer than a shorter limit than ``limit`` are not there: they are read again."""

    def __init__(self, path: Path, limit: float) -> None:
        self.path = path
        self.at: dict[str, int] = {}
        self._head = _line({"format": FORMAT, "acumen": __version__})
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
