"""The client against a server that fails in all the ways GitHub's does; the oracle is its log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from renames.github_server import Repository, Server

pytest.importorskip("httpx", reason="needs codeacumen[remote]")
from codeacumen.renames.reviews.client import SECONDARY_WAIT, TRIES, GitHub

PULLS = "repos/acme/widgets/pulls"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Repository()
    made.commit("main", "", {"A.java": "class A { }"})
    for number in (1, 2, 3):
        made.pull(number, "main", ["main"])
    one = Server(made)
    yield one
    one.close()


class Clock:
    """Sleeps at once, and remembers for how long."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.told: list[str] = []

    def client(self, server: Server, **settings: Any) -> GitHub:
        return GitHub(
            server.url,
            "secret",
            self.told.append,
            self.slept.append,
            clock=lambda: time.time() + sum(self.slept),
            **settings,
        )


def test_an_answer_with_its_tag_and_the_next_page(server: Server) -> None:
    with Clock().client(server) as network:
        first = network.ask(PULLS, "state=closed", "")
        assert (first.status, [one["number"] for one in first.body]) == (200, [1, 2])
        assert first.next == "state=closed&page=2"
        assert network.ask(PULLS, "state=closed", first.etag).status == 304
        last = network.ask(PULLS, first.next, "")
        assert ([one["number"] for one in last.body], last.next) == ([3], "")
    # The next page was asked for where the first one was, not at the address that it names.
    assert [one.path for one in server.log] == [f"/{PULLS}"] * 3


@pytest.mark.parametrize("fault", [500, 502, 503, "truncated", "cut off"])
def test_a_server_that_fails_is_asked_again_later(server: Server, fault: Any) -> None:
    clock = Clock()
    server.fault("/pulls", fault, fault)
    with clock.client(server) as network:
        assert network.ask(PULLS, "", "").status == 200
    assert clock.slept == [1.0, 2.0]
    assert len(server.log) == 3


def test_a_server_that_does_not_answer_in_time(server: Server) -> None:
    clock = Clock()
    server.fault("/pulls", "hangs")
    with clock.client(server, timeout=0.2) as network:
        assert network.ask(PULLS, "", "").status == 200
    assert clock.slept == [1.0]


def test_it_gives_up_with_advice(server: Server) -> None:
    clock = Clock()
    server.fault("/pulls", *[500] * TRIES)
    with (
        clock.client(server) as network,
        pytest.raises(CodeacumenError, match="status 500") as error,
    ):
        network.ask(PULLS, "", "")
    assert "again" in error.value.hint
    assert clock.slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def test_nobody_there() -> None:
    with (
        GitHub("http://127.0.0.1:9", "secret", sleep=lambda seconds: None) as network,
        pytest.raises(CodeacumenError, match="no answer") as error,
    ):
        network.ask(PULLS, "", "")
    assert "secret" not in f"{error.value} {error.value.hint}"


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        ((429, {"retry_after": "7"}, "slow down"), 7.0),
        ((403, {"retry_after": "9"}, "You have exceeded a secondary rate limit"), 9.0),
        ((403, {}, "You have exceeded a secondary rate limit. Please wait"), SECONDARY_WAIT),
        ((403, {}, "You have triggered an abuse detection mechanism."), SECONDARY_WAIT),
        ((429, {}, "Too many requests"), SECONDARY_WAIT),
    ],
)
def test_limits_are_waited_for(server: Server, fault: Any, wait: float) -> None:
    clock = Clock()
    server.fault("/pulls", fault)
    with clock.client(server) as network:
        assert network.ask(PULLS, "", "").status == 200
    assert clock.slept == [wait]
    assert len(clock.told) == 1
    assert "waiting until" in clock.told[0]


def test_a_date_to_retry_after(server: Server) -> None:
    clock = Clock()
    server.fault("/pulls", (429, {"retry_after": formatdate(time.time() + 30, usegmt=True)}, ""))
    with clock.client(server) as network:
        assert network.ask(PULLS, "", "").status == 200
    assert 25 <= clock.slept[0] <= 31


def test_secondary_limits_are_waited_for_longer_each_time(server: Server) -> None:
    clock = Clock()
    server.fault("/pulls", *[(403, {}, "secondary rate limit")] * 3)
    with clock.client(server) as network:
        assert network.ask(PULLS, "", "").status == 200
    assert clock.slept == [SECONDARY_WAIT, 2 * SECONDARY_WAIT, 4 * SECONDARY_WAIT]


def test_the_hourly_limit_is_really_waited_for(server: Server) -> None:
    """With the machine's own clock: the server refuses until the second it named has come."""
    server.remaining, server.reset = 1, int(time.time()) + 2
    with GitHub(server.url) as network:
        assert network.ask(PULLS, "", "").status == 200
        begun = time.time()
        assert network.ask(PULLS, "page=2", "").status == 200
    # The first answer said that it was the last: the second question was not asked too early.
    assert [one.status for one in server.log] == [200, 200]
    assert begun < server.reset <= time.time()


def test_a_limit_that_is_met_already(server: Server) -> None:
    server.remaining, server.reset = 0, int(time.time()) + 2
    with GitHub(server.url) as network:
        assert network.ask(PULLS, "", "").status == 200
    assert [one.status for one in server.log] == [403, 200]


@pytest.mark.parametrize("status", [404, 409, 410, 422, 451])
def test_what_is_gone_is_an_answer(server: Server, status: int) -> None:
    server.fault("/pulls", status)
    clock = Clock()
    with clock.client(server) as network:
        assert network.ask(PULLS, "", "").status == status
    assert clock.slept == []


def test_forbidden_is_no_limit(server: Server) -> None:
    server.fault("/pulls", (403, {}, "Resource protected by organization SAML enforcement"))
    clock = Clock()
    with clock.client(server) as network:
        assert network.ask(PULLS, "", "").status == 403
    assert clock.slept == []


def test_a_token_that_is_not_accepted(server: Server) -> None:
    server.fault("/pulls", 401)
    with (
        Clock().client(server) as network,
        pytest.raises(CodeacumenError, match="does not accept the token") as error,
    ):
        network.ask(PULLS, "", "")
    assert "secret" not in f"{error.value} {error.value.hint}"


def test_a_repository_that_moved_is_followed_without_the_token(server: Server) -> None:
    elsewhere = Server(*server.repositories.values())
    try:
        server.fault("/pulls", (301, {"Location": f"{server.url}/{PULLS}?page=2"}, "Moved"))
        server.fault("/pulls?", (302, {"Location": f"{elsewhere.url}/{PULLS}?page=2"}, "Moved"))
        with Clock().client(server) as network:
            assert [one["number"] for one in network.ask(PULLS, "", "").body] == [3]
    finally:
        elsewhere.close()
    assert [one.token for one in server.log] == ["Bearer secret"] * 2
    assert [one.token for one in elsewhere.log] == [""]


@pytest.mark.parametrize("token", ["sec\nret", "sécret", "sec ret"])
def test_a_token_that_cannot_be_sent_is_not_repeated(token: str) -> None:
    with pytest.raises(CodeacumenError, match="the token cannot be sent") as error:
        GitHub("http://127.0.0.1:9", token)
    assert token not in f"{error.value} {error.value.hint}"
