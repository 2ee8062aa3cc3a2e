"""Renames from pull requests, against a local server that behaves like GitHub's API.

Oracles: cases written by hand beside the pull requests (``pulls_by_hand``), and the server's own
log of what it was asked.
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
from codeacumen.renames.reviews.client import Answer, Kept, Saved
from codeacumen.renames.reviews.run import mine_reviews
from renames.github_server import Repository, Server, sha
from renames.pulls_by_hand import EXPECTED, java, path, repository
from support import Codeacumen

pytest.importorskip("httpx", reason="needs codeacumen[remote]")
from codeacumen.renames.reviews.client import GitHub

TOKEN = "ghp_secretsecretsecret"
WRITTEN = ("renames.jsonl", "stable.jsonl", "review.csv", "reviews.json")


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(repository())
    yield made
    made.close()


def run(
    server: Server, out: Path, answers: Path | None = None, since: str = ""
) -> dict[str, bytes]:
    with GitHub(server.url, TOKEN, sleep=lambda seconds: None) as network:
        source = Kept(answers or out / "answers", network)
        mine_reviews(source, list(server.repositories), out, since)
    return {name: (out / name).read_bytes() for name in WRITTEN}


def cases(out: Path) -> list[Rename]:
    return list(read_renames(out / "renames.jsonl"))


def told(one: Rename) -> tuple[int, str, str, str, str, set[str]]:
    assert one.review is not None
    (link,) = [name[5:] for name in one.review.features if name.startswith("link:")]
    plain = {name for name in one.review.features if not name.startswith("link:")}
    name = one.path.rpartition("/")[2].removesuffix(".java")
    return one.review.pull, name, one.old_name, one.new_name, link, plain


def test_each_pull_request_gives_the_case_it_is_about(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path)
    assert [told(one) for one in cases(tmp_path)] == EXPECTED


def test_a_case_has_the_four_components(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path)
    one = cases(tmp_path)[0]
    assert one.review is not None
    assert "keeps no state" in one.review.comment
    assert one.code.startswith("/** Something about token. */")
    assert "int generateToken(int a, String token)" in one.code
    assert one.code_before == one.code.replace("generateToken", "register")
    assert (one.commit, one.parent) == (sha("1b"), sha("1a"))
    assert (one.owner, one.parameters, one.returns) == ("Tokens", ("int", "String"), "int")
    third = cases(tmp_path)[2]
    assert third.review is not None
    assert third.review.comment.endswith("\n\nok, realmRef it is")
    assert (third.review.accepted, third.review.author) == (False, "bob")


def test_the_other_methods_of_these_files_are_stable(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path)
    found = Counter((one.path, one.name) for one in read_stable(tmp_path / "stable.jsonl"))
    assert set(found.values()) == {1}
    by_file: dict[str, set[str]] = {}
    for where, name in found:
        by_file.setdefault(where.rpartition("/")[2], set()).add(name)
    assert by_file["Tokens.java"] == {"keep", "also"}
    assert by_file["Store.java"] == {"keep", "also", "fetch"}
    assert by_file["Late.java"] == {"also"}
    assert "Wide.java" not in by_file


def test_pull_requests_without_a_word_of_names_cost_nothing(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path)
    asked = [one.path for one in server.log]
    assert not [one for one in asked if "/pulls/20/" in one]
    assert [one for one in asked if "/pulls/21/" in one]
    about = json.loads((tmp_path / "reviews.json").read_bytes())["repositories"]["acme/widgets"]
    assert about["counts"]["pull requests"] == 14
    assert about["counts"]["pull requests that speak of names"] == 13
    assert about["lost"]["a commit has vanished"] == 1
    # 22 renames a method, and the comment is on another.
    assert about["lost"]["a rename that no comment speaks of"] == 1


def test_nothing_is_asked_twice_and_a_second_run_asks_with_tags(
    server: Server, tmp_path: Path
) -> None:
    first = run(server, tmp_path)
    assert max(Counter(one.address for one in server.log).values()) == 1
    asked = len(server.log)
    assert run(server, tmp_path) == first
    again = server.log[asked:]
    assert again
    assert all(one.tag and one.status == 304 for one in again if one.status != 404)
    # What belongs to a commit cannot change, and is not asked for.
    assert not [one for one in again if "/contents/" in one.path or "/compare/" in one.path]


def test_a_second_run_sees_what_is_new(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path)
    made = server.repositories["acme/widgets"]
    made.commit("10a", "main", {path("Wide"): java("Wide", keep="keep", also="alsoMore")})
    made.pull(10, "main", ["10a"])
    made.on_line(10, "10a", path("Wide"), "int alsoMore", "I renamed it to alsoMore", author="ann")
    run(server, tmp_path)
    assert [told(one) for one in cases(tmp_path) if told(one)[0] == 10] == [
        (10, "Wide", "also", "alsoMore", "named", {"accepted", "suggested", "by the author"})
    ]


class KilledError(Exception):
    pass


class Until:
    """Asks so many questions, then the process is gone."""

    def __init__(self, network: GitHub, count: int) -> None:
        self.network, self.count = network, count

    def ask(self, path: str, query: str, etag: str) -> Answer:
        if self.count == 0:
            raise KilledError
        self.count -= 1
        return self.network.ask(path, query, etag)


@pytest.mark.parametrize("step", [1, 7])
def test_killed_anywhere_it_ends_with_the_same_bytes(
    server: Server, tmp_path: Path, step: int
) -> None:
    wanted = run(server, tmp_path / "undisturbed")
    whole = len(server.log)
    server.log.clear()
    out = tmp_path / "out"
    with GitHub(server.url, sleep=lambda seconds: None) as network:
        for _ in range(whole // step + 2):
            try:
                mine_reviews(Kept(out / "answers", Until(network, step)), ["acme/widgets"], out)
                break
            except KilledError:
                continue
    assert {name: (out / name).read_bytes() for name in WRITTEN} == wanted
    assert len(server.log) == whole
    assert max(Counter(one.address for one in server.log).values()) == 1


def test_a_process_that_is_killed_goes_on(
    server: Server, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = run(server, tmp_path / "undisturbed")
    server.log.clear()
    out = tmp_path / "out"
    arguments = ["renames", "reviews", "acme/widgets", "--out", str(out), "--api", server.url]
    command = [sys.executable, "-m", "codeacumen", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while len(server.log) < 25 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        process.kill()
    assert not (out / "renames.jsonl").exists()
    subprocess.run(command, check=True, capture_output=True)
    assert {name: (out / name).read_bytes() for name in WRITTEN} == wanted
    # Only the question that was on its way may have been asked again.
    assert sorted(Counter(one.address for one in server.log).values())[:-1].count(2) == 0


def test_a_half_written_answer_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    wanted = run(server, tmp_path)
    answers = sorted((tmp_path / "answers").rglob("*.json"))
    for one in answers[::5]:
        one.write_bytes(one.read_bytes()[:20])
    assert run(server, tmp_path) == wanted


def test_saved_answers_serve_instead_of_the_network(server: Server, tmp_path: Path) -> None:
    wanted = run(server, tmp_path / "live", tmp_path / "saved")
    asked = len(server.log)
    out = tmp_path / "out"
    mine_reviews(Saved(tmp_path / "saved"), ["acme/widgets"], out)
    assert {name: (out / name).read_bytes() for name in WRITTEN} == wanted
    # Bodies alone, as somebody saves them with curl.
    for one in (tmp_path / "saved").rglob("*.json"):
        said = json.loads(one.read_bytes())
        if "status" in said and said["status"] == 200:
            one.write_text(json.dumps(said["body"]))
        else:
            one.unlink()
    mine_reviews(Saved(tmp_path / "saved"), ["acme/widgets"], out)
    assert {name: (out / name).read_bytes() for name in WRITTEN} == wanted
    assert len(server.log) == asked


def test_offline_reads_stored_answers_and_sends_no_request(
    server: Server, tmp_path: Path, codeacumen_here: Codeacumen
) -> None:
    wanted = run(server, tmp_path / "live", tmp_path / "answers")
    sent = len(server.log)
    out = tmp_path / "out"
    arguments = ("renames", "reviews", "acme/widgets", "--out", out, "--api", server.url)
    done = codeacumen_here(*arguments, "--offline", "--answers", tmp_path / "answers")
    assert done.returncode == 0, done.stderr
    assert "no token" not in done.stderr
    assert f"next:    codeacumen dataset build renames {out}" in done.stderr
    assert {name: (out / name).read_bytes() for name in WRITTEN} == wanted
    assert len(server.log) == sent
    done = codeacumen_here(*arguments, "--offline", "--answers", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "hint: --answers names a folder of stored answers" in done.stderr


def test_the_token_is_sent_and_written_nowhere(
    server: Server, tmp_path: Path, codeacumen: Codeacumen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", TOKEN)
    out = tmp_path / "out"
    done = codeacumen(
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
    assert done.returncode == 0, done.stderr
    assert {one.token for one in server.log} == {f"Bearer {TOKEN}"}
    assert TOKEN not in done.stdout + done.stderr
    for folder, _, names in os.walk(tmp_path):
        for name in names:
            assert TOKEN.encode() not in (Path(folder) / name).read_bytes()


def test_a_list_that_is_too_long_goes_on_by_time(tmp_path: Path) -> None:
    made = Server(repository(), per_page=2, deepest=2)
    try:
        wanted = run(made, tmp_path)
    finally:
        made.close()
    mine_reviews(Saved(tmp_path / "answers"), ["acme/widgets"], tmp_path / "again")
    assert {name: (tmp_path / "again" / name).read_bytes() for name in WRITTEN} == wanted
    about = json.loads(wanted["reviews.json"])["repositories"]["acme/widgets"]
    # All but the bot's comments were seen, though a list ends after four.
    assert about["counts"]["comments"] == 12
    refused = [one for one in made.log if one.status == 422]
    assert refused
    # Pull requests have no ``since``: the first four are all that can be seen.
    assert [told(one)[:4] for one in cases(tmp_path)] == [one[:4] for one in EXPECTED[:4]]


def test_only_pull_requests_since_a_day(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path, since="2022-03-05")
    assert [told(one)[0] for one in cases(tmp_path)] == [4, 5, 6, 7, 8, 9, 11]
    with pytest.raises(CodeacumenError, match="is no date"):
        run(server, tmp_path, since="last year")


def test_one_bad_repository_does_not_end_the_run(server: Server, tmp_path: Path) -> None:
    with GitHub(server.url, sleep=lambda seconds: None) as network:
        source = Kept(tmp_path / "answers", network)
        about = mine_reviews(source, ["no/body", "acme/widgets"], tmp_path)
        assert list(about["problems"]) == ["no/body"]
        assert about["cases"] == len(EXPECTED)
        with pytest.raises(CodeacumenError, match="no repository no/body"):
            mine_reviews(source, ["no/body"], tmp_path)
        with pytest.raises(CodeacumenError, match="is no repository"):
            mine_reviews(source, ["../secrets"], tmp_path)


def test_a_pull_request_that_vanishes_is_left_out(server: Server, tmp_path: Path) -> None:
    del server.repositories["acme/widgets"].branches[1]
    del server.repositories["acme/widgets"].commits[sha("1b")]
    run(server, tmp_path)
    assert [told(one)[0] for one in cases(tmp_path)] == [2, 3, 4, 5, 6, 7, 8, 9, 11]


def test_large_files_come_as_blobs(server: Server, tmp_path: Path) -> None:
    server.large.add(path("Tokens"))
    run(server, tmp_path)
    assert [told(one) for one in cases(tmp_path)] == EXPECTED
    assert [one for one in server.log if "/git/blobs/" in one.path]


def test_files_that_are_no_java_are_survived(tmp_path: Path) -> None:
    made = Repository()
    bad = {path("Deep"): "class A " + "{ class B " * 3000, path("Not"): "\udcff\x00\udcfe(" * 99}
    made.commit("main", "", {one: text + "f()" for one, text in bad.items()})
    made.commit("1a", "main", {one: text + "g()" for one, text in bad.items()})
    made.pull(1, "main", ["1a"])
    made.say(1, "rename f() to g()")
    server = Server(made)
    try:
        run(server, tmp_path)
    finally:
        server.close()
    assert cases(tmp_path) == []


def test_decisions_stay_when_it_is_run_again(server: Server, tmp_path: Path) -> None:
    run(server, tmp_path)
    table = tmp_path / "review.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"), newline="")))
    assert [row["decision"] for row in rows] == [""] * len(EXPECTED)
    rows[1] |= {"decision": "include", "note": "clearly"}
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    table.write_text(out.getvalue(), encoding="utf-8")
    run(server, tmp_path)
    again = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"), newline="")))
    assert [(row["decision"], row["note"]) for row in again] == [
        ("include", "clearly") if place == 1 else ("", "") for place in range(len(EXPECTED))
    ]


STRANGE = [None, 0, -1, True, 1e300, "", "\ud800", "a/../../b.java", "x" * 5000, [], [None], {}]


def spoilt(value: Any, draw: random.Random, rate: float) -> Any:
    """A JSON value with some of its parts replaced by others of any kind."""
    if draw.random() < rate:
        return draw.choice(STRANGE)
    if isinstance(value, list):
        return [spoilt(one, draw, rate) for one in value]
    if isinstance(value, dict):
        return {key: spoilt(one, draw, rate) for key, one in value.items() if draw.random() > rate}
    return value


def test_any_answer_is_survived(server: Server, tmp_path: Path) -> None:
    """Parts of answers replaced by anything JSON can hold, and files cut off: what is left is
    mined, and no other error comes out than one that a person can read."""
    run(server, tmp_path / "whole", tmp_path / "saved")
    files = {one: one.read_bytes() for one in sorted((tmp_path / "saved").rglob("*.json"))}
    draw = random.Random(8)
    mined = 0
    for attempt in range(20):
        rate = draw.choice([0.003, 0.01, 0.05])
        for one, data in files.items():
            said = json.loads(data)
            if "body" in said:
                said["body"] = spoilt(said["body"], draw, rate)
            changed = json.dumps(said).encode()
            one.write_bytes(changed[: len(changed) // 2] if draw.random() < rate else changed)
        out = tmp_path / str(attempt)
        try:
            about = mine_reviews(Saved(tmp_path / "saved"), ["acme/widgets"], out)
        except CodeacumenError:
            continue
        mined += about["cases"]
        assert len(cases(out)) == about["cases"]
    assert mined > 30
