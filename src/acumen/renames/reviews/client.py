"""GitHub's REST API, asked politely: one question at a time, waiting when told to wait.

A limit on questions is told in several ways: a status 403 or 429 with ``retry-after``, or with no
questions remaining until a given second, or with nothing but a message (secondary limits, abuse
detection). All are waited for. Servers that fail, time out, or break off in the middle of an answer
are asked again, each time later. What is gone (404, 410, 451) is an answer like any other.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from types import TracebackType
from typing import Any

from acumen import __version__
from acumen.api import AcumenError, Json
from acumen.renames.reviews.answers import FORBIDDEN, NOT_MODIFIED, OK, UNPROCESSABLE, Answer

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
        self, api: str = API, token: str = "", told: Told = lambda text: None,
        sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.time,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:  # fmt: skip
        self._httpx = _httpx()
        self._told, self._sleep, self._clock = told, sleep, clock
        self._free_at = 0.0
        headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": f"acumen/{__version__}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        # Said here: an error further down would quote it.
        if not re.fullmatch(r"[!-~]*", token):
            raise AcumenError("the token cannot be sent", "look for blanks and line ends in it")
        self._api = api.rstrip("/")
        if not self._api.startswith(("https://", "http://")):
            raise AcumenError(f"{api!r} is no address", f"it is like {API}")
        # A redirect to another host is followed without the token: httpx sees to that.
        self._client = self._httpx.Client(headers=headers, timeout=timeout, follow_redirects=True)

    def __enter__(self) -> GitHub:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
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
                raise AcumenError(
                    "the API does not accept the token",
                    "make a new one; reading public repositories needs no scope",
                )
            else:
                failures, why = failures + 1, f"status {status}"
                self._pause(2.0 ** (failures - 1), f"{path}: {why}", failures < TRIES)
        raise AcumenError(
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
        raise AcumenError(
            "asking GitHub needs httpx, which is not installed",
            "pip install 'acumen[remote]', or give a folder of answers with --saved",
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
