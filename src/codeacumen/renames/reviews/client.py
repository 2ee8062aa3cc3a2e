"""GitHub's REST API, and its answers on disk.

Each answer is one file, so that an interrupted run continues where it stopped. A file holds
``status``, ``body``, ``etag``, ``next`` (the query of the next page) and ``round``. A round is a
run that reached its end, however often it was started: within a round no request is sent twice;
the next round sends the stored etag and receives only what changed. Immutable answers, such as a
file at a commit, are never requested again. No file holds the token. A folder of answers that
somebody saved by hand works too: a file may hold the body alone, and a list continues as long as
there is a file for the next page.

The client sends one request at a time and waits when the server limits it: a status 403 or 429 with
``retry-after``, with no requests remaining until a given second, or with only a message (secondary
limits, abuse detection). Requests that fail, time out or break off are repeated after growing
delays. 404, 410 and 451 are answers like any other.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from codeacumen import __version__
from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import write_atomically

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
            raise CodeacumenError(
                f"{folder} is not a folder", "--answers names a folder of stored answers"
            )
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
            int(said["status"]),
            said["body"],
            str(said.get("etag", "")),
            str(said.get("next", "")),
            int(said.get("round", 0)),
        )
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


API = "https://api.github.com"
TIMEOUT_SECONDS = 30.0
# A server that fails is asked so often, after 1, 2, 4, ... seconds.
TRIES = 7
# Waits for limits, one after the other, before it is taken that they will not end.
WAITS = 12
# What GitHub asks for where it names no time.
SECONDARY_WAIT = 60.0
LONGEST_WAIT = 3700.0
GONE = (FORBIDDEN, 404, 409, 410, 451, UNPROCESSABLE)
_LIMITED = re.compile(r"rate limit|abuse detection|too many requests", re.IGNORECASE)

Told = Callable[[str], None]


class GitHub:
    """``told`` hears why it waits; ``sleep`` and ``clock`` are the machine's, or a test's."""

    def __init__(
        self,
        api: str = API,
        token: str = "",
        told: Told = lambda text: None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._httpx = _httpx()
        self._told, self._sleep, self._clock = told, sleep, clock
        self._free_at = 0.0
        headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": f"codeacumen/{__version__}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        # Said here: an error further down would quote it.
        if not re.fullmatch(r"[!-~]*", token):
            raise CodeacumenError("the token cannot be sent", "look for blanks and line ends in it")
        self._api = api.rstrip("/")
        if not self._api.startswith(("https://", "http://")):
            raise CodeacumenError(f"{api!r} is no address", f"it is like {API}")
        # A redirect to another host is followed without the token: httpx sees to that.
        self._client = self._httpx.Client(headers=headers, timeout=timeout, follow_redirects=True)

    def __enter__(self) -> GitHub:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def ask(self, path: str, query: str, etag: str) -> Answer:
        failures = waits = 0
        why = ""
        while failures < TRIES and waits < WAITS:
            self._wait_for_limit()
            try:
                response = self._client.get(
                    f"{self._api}/{path}" + (f"?{query}" if query else ""),
                    headers={"If-None-Match": etag} if etag else {},
                )
                body = _json(response)
            except (self._httpx.HTTPError, self._httpx.InvalidURL, ValueError) as error:
                failures, why = failures + 1, _reason(error)
                self._pause(2.0 ** (failures - 1), f"{path}: {why}", failures < TRIES)
                continue
            self._note_limit(response)
            status = response.status_code
            if status in (OK, NOT_MODIFIED):
                return Answer(status, body, response.headers.get("etag", ""), _next(response))
            pause = self._limited(response, body, waits)
            if pause is not None:
                waits, why = waits + 1, f"status {status}, {_message(body)}"
                self._pause(pause, f"rate limit ({status})", waits < WAITS)
            elif status in GONE:
                return Answer(status)
            elif status == 401:
                raise CodeacumenError(
                    "the API does not accept the token",
                    "make a new one; reading public repositories needs no scope",
                )
            else:
                failures, why = failures + 1, f"status {status}"
                self._pause(2.0 ** (failures - 1), f"{path}: {why}", failures < TRIES)
        raise CodeacumenError(
            f"{self._api}/{path} gives no answer: {why}",
            "run the same command again later: it goes on where it was",
        )

    def _limited(self, response: Any, body: Json, waits: int) -> float | None:
        """Seconds to wait if the answer is that there were too many questions; else None."""
        if response.status_code not in (FORBIDDEN, 429):
            return None
        after = _seconds(response.headers.get("retry-after"), self._now(response))
        if after is not None:
            return after
        if response.headers.get("x-ratelimit-remaining") == "0":
            reset = _number(response.headers.get("x-ratelimit-reset"))
            return SECONDARY_WAIT if reset is None else max(0.0, reset - self._now(response)) + 1
        if response.status_code == 429 or _LIMITED.search(_message(body)):
            return float(SECONDARY_WAIT * 2 ** min(waits, 5))
        return None

    def _note_limit(self, response: Any) -> None:
        """An answer that says that it was the last one for now."""
        reset = _number(response.headers.get("x-ratelimit-reset"))
        if response.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            pause = min(max(0.0, reset - self._now(response)) + 1, LONGEST_WAIT)
            self._free_at = self._clock() + pause

    def _wait_for_limit(self) -> None:
        if self._free_at > self._clock():
            self._pause(self._free_at - self._clock(), "rate limit", True)
        self._free_at = 0.0

    def _now(self, response: Any) -> float:
        """The server's clock, which is what its times are meant by."""
        try:
            return parsedate_to_datetime(response.headers["date"]).timestamp()
        except (KeyError, ValueError, TypeError):
            return self._clock()

    def _pause(self, seconds: float, why: str, worth_it: bool) -> None:
        if not worth_it:
            return
        seconds = min(seconds, LONGEST_WAIT)
        if seconds >= 5:
            until = datetime.fromtimestamp(self._clock() + seconds, UTC)
            self._told(f"{why}: waiting until {until:%H:%M:%S} UTC")
        self._sleep(seconds)
        self._free_at = 0.0


def _httpx() -> Any:
    try:
        return import_module("httpx")
    except ImportError as error:
        raise CodeacumenError(
            "asking GitHub needs httpx, which is not installed",
            "pip install 'codeacumen[remote]', or give a folder of answers with --saved",
        ) from error


def _json(response: Any) -> Json:
    """The body; an error where it is no JSON though all is said to be well."""
    if response.status_code == NOT_MODIFIED:
        return None
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        if response.status_code == OK:
            raise ValueError("the answer is no JSON, or not all of it") from None
        return None


def _message(body: Json) -> str:
    said = body.get("message") if isinstance(body, dict) else None
    return said if isinstance(said, str) else ""


def _next(response: Any) -> str:
    """The query of the next page. Only that: its address may be spelt in another way, and a token
    is sent nowhere but to the address that was given."""
    address = response.links.get("next", {}).get("url", "")
    return str(address.partition("?")[2])


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _seconds(text: str | None, now: float) -> float | None:
    """A header's number of seconds, or the time until its date."""
    if text is None:
        return None
    number = _number(text)
    if number is not None:
        return max(0.0, number)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
