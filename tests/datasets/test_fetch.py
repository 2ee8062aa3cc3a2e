"""Tests that data sets are installed completely or not at all, from a folder or a faulty server."""

from __future__ import annotations

import hashlib
import importlib
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
from codeacumen.datasets import (
    CATALOGUE,
    DataFile,
    Dataset,
    dataset_folder,
    find_dataset,
    missing_files,
    require_dataset,
)
from codeacumen.datasets.fetch import CHUNK, fetch_dataset
from support import Codeacumen

# Longer than one read, so that a cut may fall between two reads.
CONTENT = {"pairs.csv": b"id1,id2\n" + b"len,length\n" * 20_000, "roles.csv": b"role\nloop\n"}


def hash_content(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


TOY = Dataset(
    name="toy",
    title="A data set to try with",
    files=tuple(DataFile(name, hash_content(content)) for name, content in CONTENT.items()),
    repository="example.org/toy",
    commit="0123456789abcdef",
    base_url="http://nowhere.invalid/{commit}/",
    licence="CC0",
    citation="Nobody. Nothing. 2026.",
)


def test_functions_that_make_files_exist() -> None:
    names = [file.made_by for data in CATALOGUE.values() for file in data.files if file.made_by]
    assert names
    for name in names:
        module, _, function = name.partition(":")
        assert callable(getattr(importlib.import_module(module), function)), name


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with the files as published."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    return folder


def read_installed(data: Dataset = TOY) -> dict[str, bytes]:
    folder = dataset_folder(data)
    return {path.name: path.read_bytes() for path in folder.glob("*")}


# --------------------------------------------------------------------------------------
# Installing from a folder.
# --------------------------------------------------------------------------------------


def test_copy_is_installed_and_checked(home: Path, copy: Path) -> None:
    assert missing_files(TOY) == list(CONTENT)
    assert fetch_dataset(TOY, copy) == list(CONTENT)
    assert read_installed() == CONTENT
    assert missing_files(TOY) == []
    assert dataset_folder(TOY) == home / "data" / "toy-0123456789ab"
    # The second call has nothing to do and does not need the copy.
    shutil.rmtree(copy)
    copy.mkdir()
    assert fetch_dataset(TOY, copy) == []


@pytest.mark.parametrize("name", list(CONTENT))
def test_a_wrong_file_is_named_with_both_hashes_and_nothing_is_installed(
    home: Path, copy: Path, name: str
) -> None:
    (copy / name).write_bytes(b"edited")
    with pytest.raises(CodeacumenError) as caught:
        fetch_dataset(TOY, copy)
    assert str(copy / name) in str(caught.value)
    assert f"expected SHA-256 {hash_content(CONTENT[name])}" in str(caught.value)
    assert f"found {hash_content(b'edited')}" in str(caught.value)
    assert read_installed() == {}


@pytest.mark.parametrize("name", list(CONTENT))
def test_a_missing_file_is_named_and_nothing_is_installed(
    home: Path, copy: Path, name: str
) -> None:
    (copy / name).unlink()
    with pytest.raises(CodeacumenError, match=re.escape(f"{copy / name} is missing")):
        fetch_dataset(TOY, copy)
    assert read_installed() == {}


def test_missing_folder_is_rejected_before_any_change(home: Path, copy: Path) -> None:
    for wrong_path in (copy / "nowhere", copy / "roles.csv"):
        with pytest.raises(CodeacumenError, match="is not a folder"):
            fetch_dataset(TOY, wrong_path)
    assert not dataset_folder(TOY).exists()


def test_only_damaged_files_are_fetched_again(home: Path, copy: Path) -> None:
    fetch_dataset(TOY, copy)
    damaged = dataset_folder(TOY) / "pairs.csv"
    damaged.write_bytes(CONTENT["pairs.csv"][:-1] + b"?")
    assert fetch_dataset(TOY, copy) == ["pairs.csv"]
    assert read_installed() == CONTENT


def test_missing_data_set_hints_at_dataset_get(home: Path) -> None:
    with pytest.raises(CodeacumenError, match="6 of 6 files are missing") as caught:
        require_dataset("idbench")
    assert "codeacumen dataset get idbench --from DIR" in caught.value.hint
    with pytest.raises(CodeacumenError, match="no data set called 'idbanch'") as caught:
        require_dataset("idbanch")
    assert "idbench" in caught.value.hint


# --------------------------------------------------------------------------------------
# Downloading from a local server that can simulate faults.
# --------------------------------------------------------------------------------------


@dataclass
class SentResponse:
    """A response of the server: requested file and range, status, and number of bytes sent."""

    name: str
    range: str | None
    status: int
    size: int


@dataclass
class Publisher:
    url: str
    files: dict[str, bytes] = field(default_factory=lambda: dict(CONTENT))
    sent: list[SentResponse] = field(default_factory=list)
    # Simulated faults.
    understands_ranges: bool = True
    cut_after: int | None = None
    always: int | None = None

    def send_response(self, request: BaseHTTPRequestHandler) -> None:
        name = request.path.rpartition("/")[2]
        requested_range = request.headers["Range"]
        content = self.files.get(name, b"")
        start = 0
        status = 200 if name in self.files else 404
        if status == 200 and requested_range and self.understands_ranges:
            start = int(requested_range.removeprefix("bytes=").removesuffix("-"))
            status = 206 if start < len(content) else 416
        status = self.always or status
        body = content[start:] if status in (200, 206) else b"sorry"
        sent_body = body[: self.cut_after]
        self.sent.append(SentResponse(name, requested_range, status, len(sent_body)))
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        if status == 206:
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            request.send_header("Content-Range", span)
        request.end_headers()
        # HTTP/1.0: the connection ends here, even if fewer bytes than promised were sent.
        request.wfile.write(sent_body)


@pytest.fixture
def publisher(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setenv("no_proxy", "*")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.send_response(self)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        publisher = Publisher(f"http://127.0.0.1:{server.server_port}/{{commit}}/")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield publisher
        server.shutdown()
        thread.join()


def download_toy(publisher: Publisher) -> list[str]:
    return fetch_dataset(TOY, base_url=publisher.url)


def test_download_fetches_all_files_of_the_pinned_commit(publisher: Publisher) -> None:
    steps: dict[int, tuple[str, int]] = {}

    def record_progress(stage: str, done: int, total: int) -> None:
        steps[done] = stage, total

    assert fetch_dataset(TOY, base_url=publisher.url, progress=record_progress) == list(CONTENT)
    assert read_installed() == CONTENT
    assert steps == {
        number: (f"{name} {len(content):,} bytes", len(TOY.files))
        for number, (name, content) in enumerate(CONTENT.items(), 1)
    }
    assert [(sent.name, sent.range) for sent in publisher.sent] == [
        ("pairs.csv", None),
        ("roles.csv", None),
    ]
    assert download_toy(publisher) == []
    assert len(publisher.sent) == 2


def test_interrupted_download_resumes(publisher: Publisher) -> None:
    """The server's log is the oracle: the second request gets only the rest."""
    publisher.cut_after = CHUNK + 1000
    with pytest.raises(CodeacumenError, match="toy cannot be downloaded") as caught:
        download_toy(publisher)
    assert "goes on where it stopped" in caught.value.hint
    assert missing_files(TOY) == list(CONTENT)
    publisher.cut_after = None
    publisher.sent.clear()
    assert download_toy(publisher) == list(CONTENT)
    assert read_installed() == CONTENT
    rest = len(CONTENT["pairs.csv"]) - (CHUNK + 1000)
    assert publisher.sent[0] == SentResponse("pairs.csv", f"bytes={CHUNK + 1000}-", 206, rest)


def test_server_without_ranges_sends_the_whole_file(publisher: Publisher) -> None:
    publisher.cut_after = 5000
    with pytest.raises(CodeacumenError):
        download_toy(publisher)
    publisher.cut_after = None
    publisher.understands_ranges = False
    assert download_toy(publisher) == list(CONTENT)
    assert read_installed() == CONTENT


def test_complete_part_is_used(publisher: Publisher) -> None:
    """The process was killed between the last byte and the renaming; the server answers 416."""
    dataset_folder(TOY).mkdir(parents=True)
    (dataset_folder(TOY) / "pairs.csv.part").write_bytes(CONTENT["pairs.csv"])
    assert download_toy(publisher) == list(CONTENT)
    assert read_installed() == CONTENT
    assert publisher.sent[0].status == 416
    assert len(publisher.sent) == 2


def test_part_longer_than_the_file_is_discarded(publisher: Publisher) -> None:
    dataset_folder(TOY).mkdir(parents=True)
    (dataset_folder(TOY) / "pairs.csv.part").write_bytes(b"x" * 2 * len(CONTENT["pairs.csv"]))
    assert download_toy(publisher) == list(CONTENT)
    assert read_installed() == CONTENT
    assert [sent.status for sent in publisher.sent] == [416, 200, 200]


def test_part_with_wrong_content_is_discarded(publisher: Publisher) -> None:
    """Resuming from wrong bytes gives a wrong hash; the next download starts from the beginning."""
    dataset_folder(TOY).mkdir(parents=True)
    (dataset_folder(TOY) / "pairs.csv.part").write_bytes(b"not the beginning of this file")
    with pytest.raises(CodeacumenError, match="not the pinned version") as caught:
        download_toy(publisher)
    assert "again" in caught.value.hint
    assert download_toy(publisher) == list(CONTENT)
    assert read_installed() == CONTENT


def test_changed_file_is_rejected_with_both_hashes(publisher: Publisher) -> None:
    publisher.files["roles.csv"] = b"role\nwhile\n"
    with pytest.raises(CodeacumenError) as caught:
        download_toy(publisher)
    message = str(caught.value)
    assert "roles.csv" in message
    assert hash_content(CONTENT["roles.csv"]) in message
    assert hash_content(b"role\nwhile\n") in message
    assert missing_files(TOY) == ["roles.csv"]
    assert read_installed().keys() == {"pairs.csv"}


@pytest.mark.parametrize("status", [404, 416, 500, 503])
def test_http_error_reports_address_and_status(publisher: Publisher, status: int) -> None:
    publisher.always = status
    with pytest.raises(CodeacumenError, match=rf"/0123456789abcdef/pairs\.csv: {status} "):
        download_toy(publisher)
    assert read_installed() == {}


def test_missing_file_of_a_server_is_reported(publisher: Publisher) -> None:
    del publisher.files["roles.csv"]
    with pytest.raises(CodeacumenError, match=r"roles\.csv: 404 Not Found"):
        download_toy(publisher)


def test_server_without_http_is_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def send_greeting() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(CHUNK)
                connection.sendall(b"220 mail.example.org ready\r\n")

        thread = Thread(target=send_greeting)
        thread.start()
        with pytest.raises(CodeacumenError, match="toy cannot be downloaded"):
            fetch_dataset(TOY, base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()


def test_without_a_network_the_hint_is_a_local_copy(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = listener.getsockname()[1]
    with pytest.raises(CodeacumenError, match=r"cannot be downloaded .*refused") as caught:
        fetch_dataset(TOY, base_url=f"http://127.0.0.1:{closed}/")
    assert "codeacumen dataset get toy --from DIR" in caught.value.hint
    assert TOY.commit in caught.value.hint
    assert read_installed() == {}


# --------------------------------------------------------------------------------------
# The command with real data.
# --------------------------------------------------------------------------------------


def test_dataset_list_reports_installed_data_sets(
    codeacumen: Codeacumen, home: Path, idbench_source: Path
) -> None:
    before, other, *_ = json.loads(codeacumen("dataset", "list", "--json").stdout)["published"]
    assert (before["name"], other["name"]) == ("idbench", "tnpa")
    assert before["installed"] is False
    assert "dataset get idbench" in codeacumen("dataset", "list").stdout
    completed = codeacumen("dataset", "get", "idbench", "--from", idbench_source)
    assert completed.returncode == 0, completed.stderr
    after, other, *_ = json.loads(codeacumen("dataset", "list", "--json").stdout)["published"]
    assert (after["installed"], other["installed"]) == (True, False)
    assert completed.stdout.strip() == after["folder"]
    assert after["folder"].startswith(str(home))
    assert find_dataset("idbench").commit in after["source"]
    assert after["licence"]
    assert after["citation"]
    # Each file has the listed hash.
    hashes = {name: sha256_of(Path(after["folder"]) / name) for name in after["files"]}
    assert hashes == after["files"]


def test_wrong_copy_is_reported_without_traceback(
    codeacumen: Codeacumen, idbench_source: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(idbench_source, copy)
    with (copy / "small_pair_wise.csv").open("ab") as stream:
        stream.write(b"\n")
    completed = codeacumen("dataset", "get", "idbench", "--from", copy)
    assert completed.returncode == 2
    assert "small_pair_wise.csv is not the pinned version" in completed.stderr
    assert "Traceback" not in completed.stderr
    dataset_row, *_ = json.loads(codeacumen("dataset", "list", "--json").stdout)["published"]
    assert dataset_row["installed"] is False
