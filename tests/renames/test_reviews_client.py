"""Tests of the client with a server that fails in the ways GitHub's does. The oracle is its log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from renames.github_server import Repository, Server

pytest.importorskip("httpx", reason="needs codeacumen[remote]")
from codeacumen.renames.reviews.client import MAX_TRIES, SECONDARY_WAIT, GitHub

PULLS = "repos/acme/widgets/pulls"


@pytest.fixture
def server() -> Iterator[Server]:
    repository = Repository()
    repository.add_commit("main", "", {"A.java": "class A { }"})
    for number in (1, 2, 3):
        repository.add_pull(number, "main", ["main"])
    github_server = Server(repository)
    yield github_server
    github_server.close()


class Clock:
    """A clock that records waits instead of sleeping, for a client."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.messages: list[str] = []

    def open_client(self, server: Server, **settings: Any) -> GitHub:
        return GitHub(
            server.url,
            "secret",
            self.messages.append,
            self.waits.append,
            clock=lambda: time.time() + sum(self.waits),
            **settings,
        )


def test_an_answer_has_an_etag_and_a_next_page(server: Server) -> None:
    with Clock().open_client(server) as network:
        first = network.send_request(PULLS, "state=closed", "")
        assert (first.status, [pull["number"] for pull in first.body]) == (200, [1, 2])
        assert first.next == "state=closed&page=2"
        assert network.send_request(PULLS, "state=closed", first.etag).status == 304
        last = network.send_request(PULLS, first.next, "")
        assert ([pull["number"] for pull in last.body], last.next) == ([3], "")
    # The client requests the next page from the same server, not from the host in the Link header.
    assert [request.path for request in server.log] == [f"/{PULLS}"] * 3


@pytest.mark.parametrize("fault", [500, 502, 503, "truncated", "cut off"])
def test_a_failing_request_is_retried(server: Server, fault: Any) -> None:
    clock = Clock()
    server.add_faults("/pulls", fault, fault)
    with clock.open_client(server) as network:
        assert network.send_request(PULLS, "", "").status == 200
    assert clock.waits == [1.0, 2.0]
    assert len(server.log) == 3


def test_a_request_that_times_out_is_retried(server: Server) -> None:
    clock = Clock()
    server.add_faults("/pulls", "hangs")
    with clock.open_client(server, timeout=0.2) as network:
        assert network.send_request(PULLS, "", "").status == 200
    assert clock.waits == [1.0]


def test_giving_up_has_a_hint(server: Server) -> None:
    clock = Clock()
    server.add_faults("/pulls", *[500] * MAX_TRIES)
    with (
        clock.open_client(server) as network,
        pytest.raises(CodeacumenError, match="status 500") as error,
    ):
        network.send_request(PULLS, "", "")
    assert "again" in error.value.hint
    assert clock.waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def test_an_unreachable_server_is_an_error_without_the_token() -> None:
    with (
        GitHub("http://127.0.0.1:9", "secret", sleep=lambda seconds: None) as network,
        pytest.raises(CodeacumenError, match="no answer") as error,
    ):
        network.send_request(PULLS, "", "")
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
def test_the_client_waits_for_rate_limits(server: Server, fault: Any, wait: float) -> None:
    clock = Clock()
    server.add_faults("/pulls", fault)
    with clock.open_client(server) as network:
        assert network.send_request(PULLS, "", "").status == 200
    assert clock.waits == [wait]
    assert len(clock.messages) == 1
    assert "waiting until" in clock.messages[0]


def test_the_client_waits_until_a_date(server: Server) -> None:
    clock = Clock()
    server.add_faults(
        "/pulls", (429, {"retry_after": formatdate(time.time() + 30, usegmt=True)}, "")
    )
    with clock.open_client(server) as network:
        assert network.send_request(PULLS, "", "").status == 200
    assert 25 <= clock.waits[0] <= 31


def test_waits_for_secondary_limits_grow(server: Server) -> None:
    clock = Clock()
    server.add_faults("/pulls", *[(403, {}, "secondary rate limit")] * 3)
    with clock.open_client(server) as network:
        assert network.send_request(PULLS, "", "").status == 200
    assert clock.waits == [SECONDARY_WAIT, 2 * SECONDARY_WAIT, 4 * SECONDARY_WAIT]


def test_the_client_waits_for_the_hourly_limit(server: Server) -> None:
    """This test uses the real clock: the server refuses requests until the reset time."""
    server.remaining, server.reset = 1, int(time.time()) + 2
    with GitHub(server.url) as network:
        assert network.send_request(PULLS, "", "").status == 200
        start_time = time.time()
        assert network.send_request(PULLS, "page=2", "").status == 200
    # The first answer says that no requests remain, so the client delays the second.
    assert [request.status for request in server.log] == [200, 200]
    assert start_time < server.reset <= time.time()


def test_the_client_waits_when_the_limit_is_already_reached(server: Server) -> None:
    server.remaining, server.reset = 0, int(time.time()) + 2
    with GitHub(server.url) as network:
        assert network.send_request(PULLS, "", "").status == 200
    assert [request.status for request in server.log] == [403, 200]


@pytest.mark.parametrize("status", [404, 409, 410, 422, 451])
def test_client_errors_are_answers(server: Server, status: int) -> None:
    server.add_faults("/pulls", status)
    clock = Clock()
    with clock.open_client(server) as network:
        assert network.send_request(PULLS, "", "").status == status
    assert clock.waits == []


def test_a_forbidden_resource_is_not_a_rate_limit(server: Server) -> None:
    server.add_faults("/pulls", (403, {}, "Resource protected by organization SAML enforcement"))
    clock = Clock()
    with clock.open_client(server) as network:
        assert network.send_request(PULLS, "", "").status == 403
    assert clock.waits == []


def test_a_rejected_token_is_an_error_without_the_token(server: Server) -> None:
    server.add_faults("/pulls", 401)
    with (
        Clock().open_client(server) as network,
        pytest.raises(CodeacumenError, match="does not accept the token") as error,
    ):
        network.send_request(PULLS, "", "")
    assert "secret" not in f"{error.value} {error.value.hint}"


def test_a_redirect_to_another_host_omits_the_token(server: Server) -> None:
    other_server = Server(*server.repositories.values())
    try:
        server.add_faults("/pulls", (301, {"Location": f"{server.url}/{PULLS}?page=2"}, "Moved"))
        server.add_faults(
            "/pulls?", (302, {"Location": f"{other_server.url}/{PULLS}?page=2"}, "Moved")
        )
        with Clock().open_client(server) as network:
            assert [pull["number"] for pull in network.send_request(PULLS, "", "").body] == [3]
    finally:
        other_server.close()
    assert [request.token for request in server.log] == ["Bearer secret"] * 2
    assert [request.token for request in other_server.log] == [""]


@pytest.mark.parametrize("token", ["sec\nret", "sécret", "sec ret"])
def test_an_invalid_token_is_not_repeated_in_the_error(token: str) -> None:
    with pytest.raises(CodeacumenError, match="the token cannot be sent") as error:
        GitHub("http://127.0.0.1:9", token)
    assert token not in f"{error.value} {error.value.hint}"
