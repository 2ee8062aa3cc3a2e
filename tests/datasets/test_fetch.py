"""Data sets come home whole or not at all, from a folder or from a server that misbehaves."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.datasets import DataFile, Dataset, dataset, dataset_folder, missing_files, require
from codeacumen.datasets.fetch import CHUNK, get
from support import Codeacumen

# Longer than what is read at once, so that a cut falls between two reads.
CONTENT = {"pairs.csv": b"id1,id2\n" + b"len,length\n" * 20_000, "roles.csv": b"role\nloop\n"}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


TOY = Dataset(
    name="toy",
    title="A data set to try with",
    files=tuple(DataFile(name, sha256(content)) for name, content in CONTENT.items()),
    repository="example.org/toy",
    commit="0123456789abcdef",
    base_url="http://nowhere.invalid/{commit}/",
    licence="CC0",
    citation="Nobody. Nothing. 2026.",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the files as published."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    return folder


def installed(data: Dataset = TOY) -> dict[str, bytes]:
    folder = dataset_folder(data)
    return {path.name: path.read_bytes() for path in folder.glob("*")}


# --------------------------------------------------------------------------------------
# From a folder.
# --------------------------------------------------------------------------------------


def test_a_copy_is_brought_home_and_checked(home: Path, copy: Path) -> None:
    assert missing_files(TOY) == list(CONTENT)
    assert get(TOY, copy) == list(CONTENT)
    assert installed() == CONTENT
    assert missing_files(TOY) == []
    assert dataset_folder(TOY) == home / "data" / "toy-0123456789ab"
    # The second time there is nothing to do, and the copy is not needed any more.
    shutil.rmtree(copy)
    copy.mkdir()
    assert get(TOY, copy) == []


@pytest.mark.parametrize("name", list(CONTENT))
def test_a_wrong_file_is_named_with_both_hashes_and_nothing_is_installed(
    home: Path, copy: Path, name: str
) -> None:
    (copy / name).write_bytes(b"edited")
    with pytest.raises(CodeacumenError) as caught:
        get(TOY, copy)
    assert str(copy / name) in str(caught.value)
    assert f"expected SHA-256 {sha256(CONTENT[name])}" in str(caught.value)
    assert f"found {sha256(b'edited')}" in str(caught.value)
    assert installed() == {}


@pytest.mark.parametrize("name", list(CONTENT))
def test_a_missing_file_is_named_and_nothing_is_installed(
    home: Path, copy: Path, name: str
) -> None:
    (copy / name).unlink()
    with pytest.raises(CodeacumenError, match=re.escape(f"{copy / name} is missing")):
        get(TOY, copy)
    assert installed() == {}


def test_a_folder_that_is_none_is_told_before_anything_happens(home: Path, copy: Path) -> None:
    for wrong in (copy / "nowhere", copy / "roles.csv"):
        with pytest.raises(CodeacumenError, match="is not a folder"):
            get(TOY, wrong)
    assert not dataset_folder(TOY).exists()


def test_a_damaged_file_is_fetched_again_and_only_that(home: Path, copy: Path) -> None:
    get(TOY, copy)
    damaged = dataset_folder(TOY) / "pairs.csv"
    damaged.write_bytes(CONTENT["pairs.csv"][:-1] + b"?")
    assert get(TOY, copy) == ["pairs.csv"]
    assert installed() == CONTENT


def test_what_is_needed_and_not_here_says_how_to_get_it(home: Path) -> None:
    with pytest.raises(CodeacumenError, match="6 of 6 files are missing") as caught:
        require("idbench")
    assert "codeacumen dataset get idbench --from DIR" in caught.value.hint
    with pytest.raises(CodeacumenError, match="no data set called 'idbanch'") as caught:
        require("idbanch")
    assert "idbench" in caught.value.hint


# --------------------------------------------------------------------------------------
# From a server on this machine that can be told to misbehave.
# --------------------------------------------------------------------------------------


@dataclass
class Sent:
    """What the server was asked for and how many bytes of it left."""

    name: str
    range: str | None
    status: int
    size: int


@dataclass
class Publisher:
    url: str
    files: dict[str, bytes] = field(default_factory=lambda: dict(CONTENT))
    sent: list[Sent] = field(default_factory=list)
    # How the server misbehaves.
    understands_ranges: bool = True
    cut_after: int | None = None
    always: int | None = None

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        name = request.path.rpartition("/")[2]
        wanted = request.headers["Range"]
        content = self.files.get(name, b"")
        start = 0
        status = 200 if name in self.files else 404
        if status == 200 and wanted and self.understands_ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            status = 206 if start < len(content) else 416
        status = self.always or status
        body = content[start:] if status in (200, 206) else b"sorry"
        kept = body[: self.cut_after]
        self.sent.append(Sent(name, wanted, status, len(kept)))
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        if status == 206:
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            request.send_header("Content-Range", span)
        request.end_headers()
        # An HTTP/1.0 server: the connection ends here, whatever length was promised.
        request.wfile.write(kept)


@pytest.fixture
def publisher(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setenv("no_proxy", "*")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.respond(self)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        publisher = Publisher(f"http://127.0.0.1:{server.server_port}/{{commit}}/")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield publisher
        server.shutdown()
        thread.join()


def download(publisher: Publisher) -> list[str]:
    return get(TOY, base_url=publisher.url)


def test_a_download_brings_every_file_of_the_pinned_commit(publisher: Publisher) -> None:
    seen: dict[int, tuple[str, int]] = {}

    def report(stage: str, done: int, total: int) -> None:
        seen[done] = stage, total

    assert get(TOY, base_url=publisher.url, progress=report) == list(CONTENT)
    assert installed() == CONTENT
    assert seen == {
        number: (f"{name} {len(content):,} bytes", len(TOY.files))
        for number, (name, content) in enumerate(CONTENT.items(), 1)
    }
    assert [(sent.name, sent.range) for sent in publisher.sent] == [
        ("pairs.csv", None),
        ("roles.csv", None),
    ]
    assert download(publisher) == []
    assert len(publisher.sent) == 2


def test_a_download_that_was_cut_goes_on_where_it_stopped(publisher: Publisher) -> None:
    """The server's own log is the oracle: the second time only the rest left it."""
    publisher.cut_after = CHUNK + 1000
    with pytest.raises(CodeacumenError, match="toy cannot be downloaded") as caught:
        download(publisher)
    assert "goes on where it stopped" in caught.value.hint
    assert missing_files(TOY) == list(CONTENT)
    publisher.cut_after = None
    publisher.sent.clear()
    assert download(publisher) == list(CONTENT)
    assert installed() == CONTENT
    rest = len(CONTENT["pairs.csv"]) - (CHUNK + 1000)
    assert publisher.sent[0] == Sent("pairs.csv", f"bytes={CHUNK + 1000}-", 206, rest)


def test_a_server_that_cannot_resume_sends_everything_again(publisher: Publisher) -> None:
    publisher.cut_after = 5000
    with pytest.raises(CodeacumenError):
        download(publisher)
    publisher.cut_after = None
    publisher.understands_ranges = False
    assert download(publisher) == list(CONTENT)
    assert installed() == CONTENT


def test_a_part_that_is_already_whole_is_taken_as_it_is(publisher: Publisher) -> None:
    """The kill fell between the last byte and the renaming; the server answers 416."""
    dataset_folder(TOY).mkdir(parents=True)
    (dataset_folder(TOY) / "pairs.csv.part").write_bytes(CONTENT["pairs.csv"])
    assert download(publisher) == list(CONTENT)
    assert installed() == CONTENT
    assert publisher.sent[0].status == 416
    assert len(publisher.sent) == 2


def test_a_part_longer_than_the_file_is_thrown_away(publisher: Publisher) -> None:
    dataset_folder(TOY).mkdir(parents=True)
    (dataset_folder(TOY) / "pairs.csv.part").write_bytes(b"x" * 2 * len(CONTENT["pairs.csv"]))
    assert download(publisher) == list(CONTENT)
    assert installed() == CONTENT
    assert [sent.status for sent in publisher.sent] == [416, 200, 200]


def test_a_part_of_something_else_does_not_stay_in_the_way(publisher: Publisher) -> None:
    """Going on from wrong bytes gives a wrong hash; the next try starts from nothing."""
    dataset_folder(TOY).mkdir(parents=True)
    (dataset_folder(TOY) / "pairs.csv.part").write_bytes(b"not the beginning of this file")
    with pytest.raises(CodeacumenError, match="not the pinned version") as caught:
        download(publisher)
    assert "again" in caught.value.hint
    assert download(publisher) == list(CONTENT)
    assert installed() == CONTENT


def test_a_changed_file_is_refused_with_both_hashes(publisher: Publisher) -> None:
    publisher.files["roles.csv"] = b"role\nwhile\n"
    with pytest.raises(CodeacumenError) as caught:
        download(publisher)
    message = str(caught.value)
    assert "roles.csv" in message
    assert sha256(CONTENT["roles.csv"]) in message
    assert sha256(b"role\nwhile\n") in message
    assert missing_files(TOY) == ["roles.csv"]
    assert installed().keys() == {"pairs.csv"}


@pytest.mark.parametrize("status", [404, 416, 500, 503])
def test_a_refusal_names_the_address_and_the_status(publisher: Publisher, status: int) -> None:
    publisher.always = status
    with pytest.raises(CodeacumenError, match=rf"/0123456789abcdef/pairs\.csv: {status} "):
        download(publisher)
    assert installed() == {}


def test_a_file_that_was_moved_is_a_404(publisher: Publisher) -> None:
    del publisher.files["roles.csv"]
    with pytest.raises(CodeacumenError, match=r"roles\.csv: 404 Not Found"):
        download(publisher)


def test_a_server_that_speaks_something_else_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(CHUNK)
                connection.sendall(b"220 mail.example.org ready\r\n")

        thread = Thread(target=greet)
        thread.start()
        with pytest.raises(CodeacumenError, match="toy cannot be downloaded"):
            get(TOY, base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()


def test_without_a_network_the_hint_is_a_local_copy(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = listener.getsockname()[1]
    with pytest.raises(CodeacumenError, match=r"cannot be downloaded .*refused") as caught:
        get(TOY, base_url=f"http://127.0.0.1:{closed}/")
    assert "codeacumen dataset get toy --from DIR" in caught.value.hint
    assert TOY.commit in caught.value.hint
    assert installed() == {}


# --------------------------------------------------------------------------------------
# As a person does it, with the real data.
# --------------------------------------------------------------------------------------


def test_the_listing_says_what_is_here(
    codeacumen: Codeacumen, home: Path, idbench_source: Path
) -> None:
    before, other, *_ = json.loads(codeacumen("dataset", "list", "--json").stdout)["published"]
    assert (before["name"], other["name"]) == ("idbench", "tnpa")
    assert before["here"] is False
    assert "dataset get idbench" in codeacumen("dataset", "list").stdout
    done = codeacumen("dataset", "get", "idbench", "--from", idbench_source)
    assert done.returncode == 0, done.stderr
    after, other, *_ = json.loads(codeacumen("dataset", "list", "--json").stdout)["published"]
    assert (after["here"], other["here"]) == (True, False)
    assert done.stdout.strip() == after["folder"]
    assert after["folder"].startswith(str(home))
    assert dataset("idbench").commit in after["source"]
    assert after["licence"]
    assert after["citation"]
    # Every file lies there with the hash that is listed.
    found = {name: sha256_of(Path(after["folder"]) / name) for name in after["files"]}
    assert found == after["files"]


def test_a_wrong_copy_ends_with_a_message(
    codeacumen: Codeacumen, idbench_source: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(idbench_source, copy)
    with (copy / "small_pair_wise.csv").open("ab") as stream:
        stream.write(b"\n")
    done = codeacumen("dataset", "get", "idbench", "--from", copy)
    assert done.returncode == 2
    assert "small_pair_wise.csv is not the pinned version" in done.stderr
    assert "Traceback" not in done.stderr
    listed, *_ = json.loads(codeacumen("dataset", "list", "--json").stdout)["published"]
    assert listed["here"] is False
