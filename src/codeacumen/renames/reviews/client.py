"""GitHub's REST API, with its answers cached on disk.

Each answer is one file, so that an interrupted run continues where it stopped. A file holds
``status``, ``body``, ``etag``, ``next`` (the query of the next page) and ``round``. A round is a
run that reached its end, however often it was started: within a round no request is sent twice; the
next round sends the stored etag and receives only what changed. Immutable answers, such as a file
at a commit, are never requested again. No file holds the token. A folder of answers that were saved
by hand works too: a file may hold the body alone, and a list continues as long as there is a file
for the next page.

The client sends one request at a time and waits when the server limits it: a status 403 or 429 with
``retry-after``, with no requests remaining until a given second, or with only a message (secondary
limits, abuse detection). Requests that fail, time out or break off are repeated after growing
delays. The statuses 404, 410 and 451 are valid answers."""

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
# File names may have 255 bytes, including the suffix.
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the API; its fields are those of the file on disk.

    A ``status`` other than 200 explains the missing body: 403 forbidden, 404 and 410 vanished, 409
    conflict, 451 forbidden by law, 422 refused. ``next`` is the query of the next page, empty for
    the last; ``round`` is the round in which the answer was requested, 0 if it was saved by
    hand."""

    status: int
    body: Json = None
    etag: str = ""
    next: str = ""
    round: int = 0


class ApiClient(Protocol):
    """A client that requests a path below the API's address, with a query."""

    def send_request(self, path: str, query: str, etag: str) -> Answer: ...


class AnswerSource(Protocol):
    """A source of answers: the network with its cache, or a folder.

    ``key`` is the path of the answer's file without suffix, ``OWNER/REPO/...`` (see ``file_key``);
    ``path`` and ``query`` are those of the request. ``fixed``: the answer can never change. The
    pages of a list are numbered from 1.
    """

    def get_answer(
        self, key: str, path: str, query: Mapping[str, str], fixed: bool = False
    ) -> Answer: ...

    def get_page(self, key: str, path: str, query: str, number: int) -> Answer: ...

    def finish_round(self, repository: str) -> None: ...


def file_key(*parts: str) -> str:
    """Return the key of an answer's file, which never leads out of the folder.

    >>> file_key("files", "abc", "../src/a b.java")
    'files/abc/%2E%2E/src/a%20b.java'
    """
    return "/".join(_escape_part(part) for key in parts for part in key.split("/") if part)


def _escape_part(part: str) -> str:
    name = (
        quote(part, safe="()[]{}+,=@~!'", errors="replace")
        if part.strip(".")
        else "%2E" * len(part)
    )
    if len(name) > LONGEST_NAME:
        digest = sha256(part.encode("utf-8", "replace")).hexdigest()
        name = f"{name[: LONGEST_NAME - 33]}-{digest[:32]}"
    return name


class CachedAnswers:
    """Answers from the network, cached in a folder.

    ``sent`` counts the requests, ``unchanged`` those of them whose answer had not changed, and
    ``stored`` the answers that came from the folder.
    """

    def __init__(self, folder: Path, network: ApiClient) -> None:
        self.folder, self.network = folder, network
        self.sent = self.unchanged = self.stored = 0
        self._rounds: dict[str, int] = {}

    def get_answer(
        self, key: str, path: str, query: Mapping[str, str], fixed: bool = False
    ) -> Answer:
        return self._fetch_answer(key, path, urlencode(query), fixed)

    def get_page(self, key: str, path: str, query: str, number: int) -> Answer:
        return self._fetch_answer(f"{key}/page-{number}", path, query, False)

    def finish_round(self, repository: str) -> None:
        """Close the round after a repository is complete; the next run begins a new one."""
        self._store_round(repository, self._get_round(repository) + 1)

    def _fetch_answer(self, key: str, path: str, query: str, fixed: bool) -> Answer:
        owner, name = key.split("/")[:2]
        current_round = self._get_round(f"{owner}/{name}")
        path_on_disk = self.folder / f"{key}.json"
        cached = read_answer(path_on_disk)
        # A forbidden answer is requested again, since another token may be allowed to read it.
        is_final = fixed and cached is not None and cached.status != FORBIDDEN
        if cached is not None and (is_final or cached.round == current_round):
            self.stored += 1
            return cached
        answer = self.network.send_request(path, query, cached.etag if cached is not None else "")
        self.sent += 1
        if answer.status == NOT_MODIFIED and cached is not None:
            self.unchanged += 1
            answer = replace(cached, next=answer.next or cached.next)
        answer = replace(answer, round=current_round)
        write_atomically(path_on_disk, _encode_line(asdict(answer)))
        return answer

    def _get_round(self, repository: str) -> int:
        if repository not in self._rounds:
            try:
                content = json.loads((self.folder / repository / ROUND).read_bytes())
                self._rounds[repository] = int(content["round"])
            except (OSError, ValueError, KeyError, TypeError):
                self._store_round(repository, 1)
        return self._rounds[repository]

    def _store_round(self, repository: str, number: int) -> None:
        write_atomically(self.folder / repository / ROUND, _encode_line({"round": number}))
        self._rounds[repository] = number


class SavedAnswers:
    """Answers from a folder, without a network: a missing file counts as status 404.

    ``missing`` are the keys of these files.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise CodeacumenError(
                f"{folder} is not a folder", "--answers names a folder of stored answers"
            )
        self.folder = folder
        self.missing: list[str] = []

    def get_answer(
        self, key: str, path: str, query: Mapping[str, str], fixed: bool = False
    ) -> Answer:
        answer = read_answer(self.folder / f"{key}.json")
        if answer is None:
            self.missing.append(key)
            return Answer(NOT_FOUND)
        return answer

    def get_page(self, key: str, path: str, query: str, number: int) -> Answer:
        answer = read_answer(self.folder / f"{key}/page-{number}.json")
        if answer is None:
            if number == 1:
                self.missing.append(key)
            return Answer(NOT_FOUND) if number == 1 else Answer(OK, [])
        has_next = (self.folder / f"{key}/page-{number + 1}.json").is_file()
        return replace(answer, next=f"page={number + 1}" if has_next else "")

    def finish_round(self, repository: str) -> None:
        return None


def read_answer(path: Path) -> Answer | None:
    """Return the answer in a file; None if it is missing or damaged and must be requested again.

    A file without the keys ``status`` and ``body`` is the body of a successful answer.
    """
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not {"status", "body"} <= content.keys():
        return Answer(OK, content)
    try:
        return Answer(
            int(content["status"]),
            content["body"],
            str(content.get("etag", "")),
            str(content.get("next", "")),
            int(content.get("round", 0)),
        )
    except (TypeError, ValueError):
        return None


def iterate_items(
    source: AnswerSource, key: str, path: str, query: Mapping[str, str]
) -> Iterator[Json]:
    """Yield the items of a list, page by page.

    If the API refuses a list because it is too long, continue with the items since the last one
    that was read; an item may then come twice."""
    number, page_query, since, list_key = 0, urlencode(query), "", key
    while True:
        number += 1
        answer = source.get_page(list_key, path, page_query, number)
        if answer.status == UNPROCESSABLE and number > 1 and since > query.get("since", ""):
            page_query = urlencode({**query, "since": since})
            number, query = 0, {**query, "since": since}
            list_key = f"{key}-from-{since.replace(':', '')}"
            continue
        if answer.status != OK or not isinstance(answer.body, list):
            return
        yield from answer.body
        for item in answer.body[-1:]:
            created = item.get("created_at") if isinstance(item, dict) else None
            since = created if isinstance(created, str) else since
        if answer.next in ("", page_query):
            return
        page_query = answer.next


def _encode_line(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n").encode()


API = "https://api.github.com"
TIMEOUT_SECONDS = 30.0
# Maximum number of times that a failing request is sent, with pauses of 1, 2, 4, ... seconds.
MAX_TRIES = 7
# Maximum number of waits for rate limits in one request before the client gives up.
MAX_WAITS = 12
# Seconds that GitHub's documentation asks to wait if an answer names no time.
SECONDARY_WAIT = 60.0
# Maximum number of seconds to wait at once: GitHub renews its limits every hour.
LONGEST_WAIT = 3700.0
STATUSES_WITHOUT_BODY = (FORBIDDEN, 404, 409, 410, 451, UNPROCESSABLE)
_LIMITED = re.compile(r"rate limit|abuse detection|too many requests", re.IGNORECASE)

WaitCallback = Callable[[str], None]


class GitHub:
    """A client of GitHub's REST API.

    ``on_wait`` receives a message on each wait of five seconds or more; tests replace ``sleep`` and
    ``clock``. ``timeout`` is in seconds.
    """

    def __init__(
        self,
        api: str = API,
        token: str = "",
        on_wait: WaitCallback = lambda text: None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._httpx = _import_httpx()
        self._on_wait, self._sleep, self._clock = on_wait, sleep, clock
        # Time by ``clock`` from which on requests are allowed; 0: at once.
        self._free_at = 0.0
        headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": f"codeacumen/{__version__}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        # Checked here, since httpx would quote the token in its error.
        if not re.fullmatch(r"[!-~]*", token):
            raise CodeacumenError(
                "the token cannot be sent", "remove blanks and line ends from the token"
            )
        self._api = api.rstrip("/")
        if not self._api.startswith(("https://", "http://")):
            raise CodeacumenError(f"{api!r} is not an address", f"write it like {API}")
        # httpx follows a redirect to another host without the token.
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

    def send_request(self, path: str, query: str, etag: str) -> Answer:
        """Return the answer to a request; raise an error if all retries fail.

        With an ``etag`` that is still valid, the answer has status 304 and no body.
        """
        failures = waits = 0
        reason = ""
        while failures < MAX_TRIES and waits < MAX_WAITS:
            self._wait_for_limit()
            try:
                response = self._client.get(
                    f"{self._api}/{path}" + (f"?{query}" if query else ""),
                    headers={"If-None-Match": etag} if etag else {},
                )
                body = _parse_body(response)
            except (self._httpx.HTTPError, self._httpx.InvalidURL, ValueError) as error:
                failures, reason = failures + 1, _describe_error(error)
                self._wait_and_report(
                    2.0 ** (failures - 1), f"{path}: {reason}", failures < MAX_TRIES
                )
                continue
            self._store_limit(response)
            status = response.status_code
            if status in (OK, NOT_MODIFIED):
                return Answer(
                    status, body, response.headers.get("etag", ""), _get_next_query(response)
                )
            wait_seconds = self._compute_limit_wait(response, body, waits)
            if wait_seconds is not None:
                waits, reason = waits + 1, f"status {status}, {_get_message(body)}"
                self._wait_and_report(wait_seconds, f"rate limit ({status})", waits < MAX_WAITS)
            elif status in STATUSES_WITHOUT_BODY:
                return Answer(status)
            elif status == 401:
                raise CodeacumenError(
                    "the API does not accept the token",
                    "create a new token; reading public repositories needs no scope",
                )
            else:
                failures, reason = failures + 1, f"status {status}"
                self._wait_and_report(
                    2.0 ** (failures - 1), f"{path}: {reason}", failures < MAX_TRIES
                )
        raise CodeacumenError(
            f"no answer from {self._api}/{path}: {reason}",
            "run the same command again later: it continues where it stopped",
        )

    def _compute_limit_wait(self, response: Any, body: Json, waits: int) -> float | None:
        """Return the seconds to wait if the answer reports a rate limit, otherwise None."""
        if response.status_code not in (FORBIDDEN, 429):
            return None
        retry_after = _parse_delay(
            response.headers.get("retry-after"), self._get_server_time(response)
        )
        if retry_after is not None:
            return retry_after
        if response.headers.get("x-ratelimit-remaining") == "0":
            reset = _parse_number(response.headers.get("x-ratelimit-reset"))
            return (
                SECONDARY_WAIT
                if reset is None
                else max(0.0, reset - self._get_server_time(response)) + 1
            )
        if response.status_code == 429 or _LIMITED.search(_get_message(body)):
            return float(SECONDARY_WAIT * 2 ** min(waits, 5))
        return None

    def _store_limit(self, response: Any) -> None:
        """Store the end of the limit if this was the last request allowed for now."""
        reset = _parse_number(response.headers.get("x-ratelimit-reset"))
        if response.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            wait_seconds = min(max(0.0, reset - self._get_server_time(response)) + 1, LONGEST_WAIT)
            self._free_at = self._clock() + wait_seconds

    def _wait_for_limit(self) -> None:
        if self._free_at > self._clock():
            self._wait_and_report(self._free_at - self._clock(), "rate limit", True)
        self._free_at = 0.0

    def _get_server_time(self, response: Any) -> float:
        """Return the server's time, to which the times in its answers refer."""
        try:
            return parsedate_to_datetime(response.headers["date"]).timestamp()
        except (KeyError, ValueError, TypeError):
            return self._clock()

    def _wait_and_report(self, seconds: float, reason: str, will_retry: bool) -> None:
        if not will_retry:
            return
        seconds = min(seconds, LONGEST_WAIT)
        if seconds >= 5:
            until = datetime.fromtimestamp(self._clock() + seconds, UTC)
            self._on_wait(f"{reason}: waiting until {until:%H:%M:%S} UTC")
        self._sleep(seconds)
        self._free_at = 0.0


def _import_httpx() -> Any:
    try:
        return import_module("httpx")
    except ImportError as error:
        raise CodeacumenError(
            "requests to GitHub need httpx, which is not installed",
            "pip install 'codeacumen[remote]', or read stored answers with --offline",
        ) from error


def _parse_body(response: Any) -> Json:
    """Return the body; raise ValueError if a successful answer is not JSON."""
    if response.status_code == NOT_MODIFIED:
        return None
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        if response.status_code == OK:
            raise ValueError("the answer is not JSON, or is incomplete") from None
        return None


def _get_message(body: Json) -> str:
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""


def _get_next_query(response: Any) -> str:
    """Return the query of the next page.

    The host and path in GitHub's link are ignored, since the token must not be sent to any address
    but the configured one. Empty for the last page."""
    address = response.links.get("next", {}).get("url", "")
    return str(address.partition("?")[2])


def _parse_number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _parse_delay(text: str | None, now: float) -> float | None:
    """Parse a header's number of seconds, or the time until its date."""
    if text is None:
        return None
    number = _parse_number(text)
    if number is not None:
        return max(0.0, number)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError):
        return None


def _describe_error(error: Exception) -> str:
    return str(error) or type(error).__name__
