"""Tests of mining renames from pull requests, with a local server that imitates GitHub's API.

The oracles are the cases written by hand beside the pull requests (``pulls_by_hand``), and the log
of the server's requests.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.renames.records import Rename, read_renames, read_stable
from codeacumen.renames.reviews.client import Answer, CachedAnswers, SavedAnswers
from codeacumen.renames.reviews.run import mine_reviews
from renames.github_server import Repository, Server, hash_text
from renames.pull_requests import EXPECTED, build_repository, class_with_methods, java_path
from support import Codeacumen

pytest.importorskip("httpx", reason="needs codeacumen[remote]")
from codeacumen.renames.reviews.client import GitHub

TOKEN = "ghp_secretsecretsecret"
OUTPUT_FILES = ("renames.jsonl", "stable.jsonl", "review.csv", "reviews.json")


@pytest.fixture
def server() -> Iterator[Server]:
    github_server = Server(build_repository())
    yield github_server
    github_server.close()


def run_mining(
    server: Server, out: Path, answers: Path | None = None, since: str = ""
) -> dict[str, bytes]:
    with GitHub(server.url, TOKEN, sleep=lambda seconds: None) as network:
        source = CachedAnswers(answers or out / "answers", network)
        mine_reviews(source, list(server.repositories), out, since)
    return {name: (out / name).read_bytes() for name in OUTPUT_FILES}


def read_cases(out: Path) -> list[Rename]:
    return list(read_renames(out / "renames.jsonl"))


def summarize_case(case: Rename) -> tuple[int, str, str, str, str, set[str]]:
    assert case.review is not None
    (link,) = [name[5:] for name in case.review.features if name.startswith("link:")]
    features = {name for name in case.review.features if not name.startswith("link:")}
    name = case.path.rpartition("/")[2].removesuffix(".java")
    return case.review.pull, name, case.old_name, case.new_name, link, features


def test_each_pull_request_yields_its_case(server: Server, tmp_path: Path) -> None:
    run_mining(server, tmp_path)
    assert [summarize_case(case) for case in read_cases(tmp_path)] == EXPECTED


def test_a_case_has_the_four_components(server: Server, tmp_path: Path) -> None:
    run_mining(server, tmp_path)
    first = read_cases(tmp_path)[0]
    assert first.review is not None
    assert "keeps no state" in first.review.comment
    assert first.code.startswith("/** Something about token. */")
    assert "int generateToken(int a, String token)" in first.code
    assert first.code_before == first.code.replace("generateToken", "register")
    assert (first.commit, first.parent) == (hash_text("1b"), hash_text("1a"))
    assert (first.owner, first.parameters, first.returns) == ("Tokens", ("int", "String"), "int")
    third = read_cases(tmp_path)[2]
    assert third.review is not None
    assert third.review.comment.endswith("\n\nok, realmRef it is")
    assert (third.review.accepted, third.review.author) == (False, "bob")


def test_other_methods_of_these_files_are_stable(server: Server, tmp_path: Path) -> None:
    run_mining(server, tmp_path)
    counts = Counter(
        (method.path, method.name) for method in read_stable(tmp_path / "stable.jsonl")
    )
    assert set(counts.values()) == {1}
    by_file: dict[str, set[str]] = {}
    for method_path, name in counts:
        by_file.setdefault(method_path.rpartition("/")[2], set()).add(name)
    assert by_file["Tokens.java"] == {"keep", "also"}
    assert by_file["Store.java"] == {"keep", "also", "fetch"}
    assert by_file["Late.java"] == {"also"}
    assert "Wide.java" not in by_file


def test_pull_requests_that_do_not_mention_names_send_no_requests(
    server: Server, tmp_path: Path
) -> None:
    run_mining(server, tmp_path)
    requested_paths = [request.path for request in server.log]
    assert not [requested for requested in requested_paths if "/pulls/20/" in requested]
    assert [requested for requested in requested_paths if "/pulls/21/" in requested]
    about = json.loads((tmp_path / "reviews.json").read_bytes())["repositories"]["acme/widgets"]
    assert about["counts"]["pull requests"] == 14
    assert about["counts"]["naming_pull_requests"] == 13
    assert about["skipped"]["commit not found"] == 1
    # Pull request 22 renames a method, but its comment is on another.
    assert about["skipped"]["rename without a comment about it"] == 1


def test_no_request_is_sent_twice_and_a_second_run_sends_etags(
    server: Server, tmp_path: Path
) -> None:
    first = run_mining(server, tmp_path)
    assert max(Counter(request.address for request in server.log).values()) == 1
    request_count = len(server.log)
    assert run_mining(server, tmp_path) == first
    again = server.log[request_count:]
    assert again
    assert all(request.tag and request.status == 304 for request in again if request.status != 404)
    # Contents and comparisons of commits cannot change and are not requested again.
    assert not [
        request for request in again if "/contents/" in request.path or "/compare/" in request.path
    ]


def test_a_second_run_finds_new_pull_requests(server: Server, tmp_path: Path) -> None:
    run_mining(server, tmp_path)
    widgets = server.repositories["acme/widgets"]
    widgets.add_commit(
        "10a", "main", {java_path("Wide"): class_with_methods("Wide", keep="keep", also="alsoMore")}
    )
    widgets.add_pull(10, "main", ["10a"])
    widgets.add_line_comment(
        10, "10a", java_path("Wide"), "int alsoMore", "I renamed it to alsoMore", author="ann"
    )
    run_mining(server, tmp_path)
    assert [
        summarize_case(case) for case in read_cases(tmp_path) if summarize_case(case)[0] == 10
    ] == [(10, "Wide", "also", "alsoMore", "named", {"accepted", "suggested", "by the author"})]


class KilledError(Exception):
    pass


class DyingNetwork:
    """A network that sends ``count`` requests and then raises, as if the process had died."""

    def __init__(self, network: GitHub, count: int) -> None:
        self.network, self.remaining = network, count

    def send_request(self, path: str, query: str, etag: str) -> Answer:
        if self.remaining == 0:
            raise KilledError
        self.remaining -= 1
        return self.network.send_request(path, query, etag)


@pytest.mark.parametrize("step", [1, 7])
def test_mining_interrupted_anywhere_ends_with_the_same_bytes(
    server: Server, tmp_path: Path, step: int
) -> None:
    expected = run_mining(server, tmp_path / "undisturbed")
    request_count = len(server.log)
    server.log.clear()
    out = tmp_path / "out"
    with GitHub(server.url, sleep=lambda seconds: None) as network:
        for _ in range(request_count // step + 2):
            try:
                mine_reviews(
                    CachedAnswers(out / "answers", DyingNetwork(network, step)),
                    ["acme/widgets"],
                    out,
                )
                break
            except KilledError:
                continue
    assert {name: (out / name).read_bytes() for name in OUTPUT_FILES} == expected
    assert len(server.log) == request_count
    assert max(Counter(request.address for request in server.log).values()) == 1


def test_a_killed_process_resumes(
    server: Server, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run_mining(server, tmp_path / "undisturbed")
    server.log.clear()
    out = tmp_path / "out"
    arguments = ["renames", "reviews", "acme/widgets", "--out", str(out), "--api", server.url]
    command = [sys.executable, "-m", "codeacumen", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while len(server.log) < 25 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
    assert not (out / "renames.jsonl").exists()
    subprocess.run(command, check=True, capture_output=True)
    assert {name: (out / name).read_bytes() for name in OUTPUT_FILES} == expected
    # Only the request in flight may have been sent again.
    assert sorted(Counter(request.address for request in server.log).values())[:-1].count(2) == 0


def test_a_truncated_answer_is_requested_again(server: Server, tmp_path: Path) -> None:
    expected = run_mining(server, tmp_path)
    answers = sorted((tmp_path / "answers").rglob("*.json"))
    for answer_file in answers[::5]:
        answer_file.write_bytes(answer_file.read_bytes()[:20])
    assert run_mining(server, tmp_path) == expected


def test_saved_answers_replace_the_network(server: Server, tmp_path: Path) -> None:
    expected = run_mining(server, tmp_path / "live", tmp_path / "saved")
    request_count = len(server.log)
    out = tmp_path / "out"
    mine_reviews(SavedAnswers(tmp_path / "saved"), ["acme/widgets"], out)
    assert {name: (out / name).read_bytes() for name in OUTPUT_FILES} == expected
    # Keep only the bodies, as saved with curl.
    for answer_file in (tmp_path / "saved").rglob("*.json"):
        answer = json.loads(answer_file.read_bytes())
        if "status" in answer and answer["status"] == 200:
            answer_file.write_text(json.dumps(answer["body"]))
        else:
            answer_file.unlink()
    mine_reviews(SavedAnswers(tmp_path / "saved"), ["acme/widgets"], out)
    assert {name: (out / name).read_bytes() for name in OUTPUT_FILES} == expected
    assert len(server.log) == request_count


def test_offline_reads_stored_answers_and_sends_no_request(
    server: Server, tmp_path: Path, codeacumen_here: Codeacumen
) -> None:
    expected = run_mining(server, tmp_path / "live", tmp_path / "answers")
    request_count = len(server.log)
    out = tmp_path / "out"
    arguments = ("renames", "reviews", "acme/widgets", "--out", out, "--api", server.url)
    result = codeacumen_here(*arguments, "--offline", "--answers", tmp_path / "answers")
    assert result.returncode == 0, result.stderr
    assert "no token" not in result.stderr
    assert f"next:    codeacumen dataset build renames {out}" in result.stderr
    assert {name: (out / name).read_bytes() for name in OUTPUT_FILES} == expected
    assert len(server.log) == request_count
    result = codeacumen_here(*arguments, "--offline", "--answers", tmp_path / "nowhere")
    assert result.returncode == 2
    assert "hint: --answers names a folder of stored answers" in result.stderr


def test_the_token_is_sent_and_never_written(
    server: Server, tmp_path: Path, codeacumen: Codeacumen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", TOKEN)
    out = tmp_path / "out"
    result = codeacumen(
        "renames",
        "reviews",
        "acme/widgets",
        "--out",
        out,
        "--api",
        server.url,
        "--token-env",
        "A_TOKEN",
    )
    assert result.returncode == 0, result.stderr
    assert {request.token for request in server.log} == {f"Bearer {TOKEN}"}
    assert TOKEN not in result.stdout + result.stderr
    for folder, _, names in os.walk(tmp_path):
        for name in names:
            assert TOKEN.encode() not in (Path(folder) / name).read_bytes()


def test_a_list_beyond_the_last_page_continues_by_time(tmp_path: Path) -> None:
    github_server = Server(build_repository(), per_page=2, last_page=2)
    try:
        expected = run_mining(github_server, tmp_path)
    finally:
        github_server.close()
    mine_reviews(SavedAnswers(tmp_path / "answers"), ["acme/widgets"], tmp_path / "again")
    assert {name: (tmp_path / "again" / name).read_bytes() for name in OUTPUT_FILES} == expected
    about = json.loads(expected["reviews.json"])["repositories"]["acme/widgets"]
    # All comments but the bot's were read, although a list ends after four.
    assert about["counts"]["comments"] == 12
    refused = [request for request in github_server.log if request.status == 422]
    assert refused
    # The list of pull requests has no parameter ``since``, so only the first four are available.
    assert [summarize_case(case)[:4] for case in read_cases(tmp_path)] == [
        expected_case[:4] for expected_case in EXPECTED[:4]
    ]


def test_only_pull_requests_since_a_day_are_mined(server: Server, tmp_path: Path) -> None:
    run_mining(server, tmp_path, since="2022-03-05")
    assert [summarize_case(case)[0] for case in read_cases(tmp_path)] == [4, 5, 6, 7, 8, 9, 11]
    with pytest.raises(CodeacumenError, match="is no date"):
        run_mining(server, tmp_path, since="last year")


def test_bad_repository_does_not_end_the_run(server: Server, tmp_path: Path) -> None:
    with GitHub(server.url, sleep=lambda seconds: None) as network:
        source = CachedAnswers(tmp_path / "answers", network)
        about = mine_reviews(source, ["no/body", "acme/widgets"], tmp_path)
        assert list(about["problems"]) == ["no/body"]
        assert about["cases"] == len(EXPECTED)
        with pytest.raises(CodeacumenError, match="no repository no/body"):
            mine_reviews(source, ["no/body"], tmp_path)
        with pytest.raises(CodeacumenError, match="is no repository"):
            mine_reviews(source, ["../secrets"], tmp_path)


def test_a_deleted_pull_request_is_left_out(server: Server, tmp_path: Path) -> None:
    del server.repositories["acme/widgets"].branches[1]
    del server.repositories["acme/widgets"].commits[hash_text("1b")]
    run_mining(server, tmp_path)
    assert [summarize_case(case)[0] for case in read_cases(tmp_path)] == [
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        11,
    ]


def test_large_files_are_fetched_as_blobs(server: Server, tmp_path: Path) -> None:
    server.large_paths.add(java_path("Tokens"))
    run_mining(server, tmp_path)
    assert [summarize_case(case) for case in read_cases(tmp_path)] == EXPECTED
    assert [request for request in server.log if "/git/blobs/" in request.path]


def test_files_that_are_not_java_raise_no_error(tmp_path: Path) -> None:
    widgets = Repository()
    unusual_files = {
        java_path("Deep"): "class A " + "{ class B " * 3000,
        java_path("Not"): "\udcff\x00\udcfe(" * 99,
    }
    widgets.add_commit(
        "main", "", {file_path: text + "f()" for file_path, text in unusual_files.items()}
    )
    widgets.add_commit(
        "1a", "main", {file_path: text + "g()" for file_path, text in unusual_files.items()}
    )
    widgets.add_pull(1, "main", ["1a"])
    widgets.add_discussion_comment(1, "rename f() to g()")
    server = Server(widgets)
    try:
        run_mining(server, tmp_path)
    finally:
        server.close()
    assert read_cases(tmp_path) == []


def test_decisions_are_kept_in_a_second_run(server: Server, tmp_path: Path) -> None:
    run_mining(server, tmp_path)
    table = tmp_path / "review.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"), newline="")))
    assert [row["decision"] for row in rows] == [""] * len(EXPECTED)
    rows[1] |= {"decision": "include", "note": "clearly"}
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    table.write_text(out.getvalue(), encoding="utf-8")
    run_mining(server, tmp_path)
    reread_rows = list(
        csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"), newline=""))
    )
    assert [(row["decision"], row["note"]) for row in reread_rows] == [
        ("include", "clearly") if index == 1 else ("", "") for index in range(len(EXPECTED))
    ]


UNUSUAL_VALUES = [
    None,
    0,
    -1,
    True,
    1e300,
    "",
    "\ud800",
    "a/../../b.java",
    "x" * 5000,
    [],
    [None],
    {},
]


def corrupt_value(value: Any, random_source: random.Random, rate: float) -> Any:
    """Return a JSON value with random parts removed or replaced by unusual values."""
    if random_source.random() < rate:
        return random_source.choice(UNUSUAL_VALUES)
    if isinstance(value, list):
        return [corrupt_value(item, random_source, rate) for item in value]
    if isinstance(value, dict):
        return {
            key: corrupt_value(item, random_source, rate)
            for key, item in value.items()
            if random_source.random() > rate
        }
    return value


def test_corrupt_answers_raise_only_readable_errors(server: Server, tmp_path: Path) -> None:
    """Parts of the answers are replaced by unusual JSON values, and some files are truncated.

    Mining uses the rest, and raises no exception but CodeacumenError.
    """
    run_mining(server, tmp_path / "whole", tmp_path / "saved")
    files = {
        answer_file: answer_file.read_bytes()
        for answer_file in sorted((tmp_path / "saved").rglob("*.json"))
    }
    random_source = random.Random(8)
    mined_count = 0
    for attempt in range(20):
        rate = random_source.choice([0.003, 0.01, 0.05])
        for answer_file, data in files.items():
            answer = json.loads(data)
            if "body" in answer:
                answer["body"] = corrupt_value(answer["body"], random_source, rate)
            changed_text = json.dumps(answer).encode()
            answer_file.write_bytes(
                changed_text[: len(changed_text) // 2]
                if random_source.random() < rate
                else changed_text
            )
        out = tmp_path / str(attempt)
        try:
            about = mine_reviews(SavedAnswers(tmp_path / "saved"), ["acme/widgets"], out)
        except CodeacumenError:
            continue
        mined_count += about["cases"]
        assert len(read_cases(out)) == about["cases"]
    assert mined_count > 30
