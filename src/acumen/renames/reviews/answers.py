"""Answers of the API on disk: one file each, so that a run that was ended goes on where it was.

A file says ``status``, ``body``, ``etag``, ``next`` (the query of the next page) and the ``round``
it was got in. A round is a run that came to its end, however often it was begun: within one,
nothing is asked twice; the next one asks with the tag of what it has, and is told only what
changed. What cannot change, as a file at a commit, is never asked for again. The token is in none
of them.

A folder of answers that somebody saved by hand serves as well: a file may hold the body alone, and
a list goes on as long as there is a next page's file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlencode

from acumen.api import AcumenError, Json
from acumen.files import write_atomically

ROUND = "round.json"
OK, NOT_MODIFIED, FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 200, 304, 403, 404, 422
# Names of files may have 255 bytes, and a suffix is to follow.
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """``status`` is 200, or says why there is nothing: 404 and 410 vanished, 451 forbidden by law,
    422 refused."""

    status: int
    body: Json = None
    etag: str = ""
    next: str = ""
    round: int = 0


class Asks(Protocol):
    """Who can be asked over the network: a path below the API's address, and a query."""

    def ask(self, path: str, query: str, etag: str) -> Answer: ...


class Source(Protocol):
    """Where answers come from: the network and what is kept of it, or a folder."""

    def get(self, key: str, path: str, query: Mapping[str, str], fixed: bool = False) -> Answer: ...

    def page(self, key: str, path: str, query: str, number: int) -> Answer: ...

    def finish(self, repository: str) -> None: ...


def file_key(*parts: str) -> str:
    """The place of an answer below the folder; what an answer says never leads out of it.

    >>> file_key("files", "abc", "../src/a b.java")
    'files/abc/%2E%2E/src/a%20b.java'
    """
    return "/".join(_named(part) for whole in parts for part in whole.split("/") if part)


def _named(part: str) -> str:
    name = (
        quote(part, safe="()[]{}+,=@~!'", errors="replace")
        if part.strip(".")
        else "%2E" * len(part)
    )
    if len(name) > LONGEST_NAME:
        digest = sha256(part.encode("utf-8", "replace")).hexdigest()
        name = f"{name[: LONGEST_NAME - 33]}-{digest[:32]}"
    return name


class Kept:
    """Answers from the network, kept in a folder."""

    def __init__(self, folder: Path, network: Asks) -> None:
        self.folder, self.network = folder, network
        self.asked = self.unchanged = self.there = 0
        self._rounds: dict[str, int] = {}

    def get(self, key: str, path: str, query: Mapping[str, str], fixed: bool = False) -> Answer:
        return self._got(key, path, urlencode(query), fixed)

    def page(self, key: str, path: str, query: str, number: int) -> Answer:
        return self._got(f"{key}/page-{number}", path, query, False)

    def finish(self, repository: str) -> None:
        """The repository was gone through: the next run is a new round."""
        self._keep_round(repository, self._round(repository) + 1)

    def _got(self, key: str, path: str, query: str, fixed: bool) -> Answer:
        owner, name = key.split("/")[:2]
        now = self._round(f"{owner}/{name}")
        place = self.folder / f"{key}.json"
        kept = read_answer(place)
        # What may not be seen today may be seen with another token.
        lasting = fixed and kept is not None and kept.status != FORBIDDEN
        if kept is not None and (lasting or kept.round == now):
            self.there += 1
            return kept
        answer = self.network.ask(path, query, kept.etag if kept is not None else "")
        self.asked += 1
        if answer.status == NOT_MODIFIED and kept is not None:
            self.unchanged += 1
            answer = replace(kept, next=answer.next or kept.next)
        answer = replace(answer, round=now)
        write_atomically(place, _line(asdict(answer)))
        return answer

    def _round(self, repository: str) -> int:
        if repository not in self._rounds:
            try:
                said = json.loads((self.folder / repository / ROUND).read_bytes())
                self._rounds[repository] = int(said["round"])
            except (OSError, ValueError, KeyError, TypeError):
                self._keep_round(repository, 1)
        return self._rounds[repository]

    def _keep_round(self, repository: str, number: int) -> None:
        write_atomically(self.folder / repository / ROUND, _line({"round": number}))
        self._rounds[repository] = number


class Saved:
    """A folder of answers, and no network: what is not there is taken not to exist."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise AcumenError(f"{folder} is no folder", "--saved takes a folder of saved answers")
        self.folder = folder
        self.missing: list[str] = []

    def get(self, key: str, path: str, query: Mapping[str, str], fixed: bool = False) -> Answer:
        found = read_answer(self.folder / f"{key}.json")
        if found is None:
            self.missing.append(key)
            return Answer(NOT_FOUND)
        return found

    def page(self, key: str, path: str, query: str, number: int) -> Answer:
        found = read_answer(self.folder / f"{key}/page-{number}.json")
        if found is None:
            if number == 1:
                self.missing.append(key)
            return Answer(NOT_FOUND) if number == 1 else Answer(OK, [])
        more = (self.folder / f"{key}/page-{number + 1}.json").is_file()
        return replace(found, next=f"page={number + 1}" if more else "")

    def finish(self, repository: str) -> None:
        return None


def read_answer(path: Path) -> Answer | None:
    """The answer in a file; None if there is none, or a damaged one, which is asked for again."""
    try:
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not {"status", "body"} <= said.keys():
        return Answer(OK, said)
    try:
        return Answer(
            int(said["status"]), said["body"], str(said.get("etag", "")), str(said.get("next", "")),
            int(said.get("round", 0)),
        )  # fmt: skip
    except (TypeError, ValueError):
        return None


def listed(source: Source, key: str, path: str, query: Mapping[str, str]) -> Iterator[Json]:
    """All items of a list, page by page. Where a list is refused because it is too long, it goes on
    with those since the last one that was seen; so an item may come twice."""
    number, asked, since, place = 0, urlencode(query), "", key
    while True:
        number += 1
        answer = source.page(place, path, asked, number)
        if answer.status == UNPROCESSABLE and number > 1 and since > query.get("since", ""):
            asked = urlencode({**query, "since": since})
            number, query = 0, {**query, "since": since}
            place = f"{key}-from-{since.replace(':', '')}"
            continue
        if answer.status != OK or not isinstance(answer.body, list):
            return
        yield from answer.body
        for item in answer.body[-1:]:
            said = item.get("created_at") if isinstance(item, dict) else None
            since = said if isinstance(said, str) else since
        if answer.next in ("", asked):
            return
        asked = answer.next


def _line(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n").encode()
