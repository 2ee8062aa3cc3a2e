"""Tests of npm packages, fetched with the machine's npm: from a fake registry on this machine, and
from the user's registry if it can be reached."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.licences import LicenceFile
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import Project, find_projects
from codeacumen.corpus.sources.npm import matches_integrity

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="no npm on this machine")


def read_contents(source: Project) -> dict[str, bytes | Problem]:
    return {entry.path: source.read_file(entry.path) for entry in source.list_entries(("",))}


def make_tarball(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


def format_integrity(data: bytes, kind: str = "sha512") -> str:
    return f"{kind}-{base64.b64encode(hashlib.new(kind, data).digest()).decode()}"


@dataclass
class Registry:
    """A fake registry: archives by package name and version."""

    packages: dict[str, dict[str, bytes]]
    # Old packages have a SHA-1 and no integrity field.
    only_shasum: bool = False
    requests: list[str] = field(default_factory=list)

    def make_document(self, name: str, base: str) -> dict[str, Any]:
        versions = {}
        for version, data in self.packages[name].items():
            dist = {"tarball": f"{base}/-/{name}/{version}.tgz"}
            dist["shasum"] = hashlib.sha1(data).hexdigest()
            if not self.only_shasum:
                dist["integrity"] = format_integrity(data)
            versions[version] = {"name": name, "version": version, "dist": dist}
        latest = list(versions)[-1]
        return {"name": name, "dist-tags": {"latest": latest}, "versions": versions}


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    files = {
        "package/package.json": '{"name": "toy", "version": "1.1.0"}',
        "package/lib/index.js": "module.exports = 1;",
        "package/LICENSE": "This is free and unencumbered software released into the public domain",
        "package/../../evil.js": "evil",
    }
    first = make_tarball({**files, "package/lib/index.js": "module.exports = 0;"})
    fake_registry = Registry({"toy": {"1.0.0": first, "1.1.0": make_tarball(files)}})
    fake_registry.packages["@scope/toy"] = {
        "2.0.0-beta.1": make_tarball({"odd/a.js": "1", "odd/b.js": "2"})
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fake_registry.requests.append(self.path)
            path = self.path[1:].replace("%2f", "/")
            base = f"http://{self.headers['Host']}"
            if path in fake_registry.packages:
                self._send_answer(json.dumps(fake_registry.make_document(path, base)).encode())
            elif path.startswith("-/"):
                name, _, version = path[2:].removesuffix(".tgz").rpartition("/")
                self._send_answer(fake_registry.packages[name][version])
            else:
                self.send_error(404)

        def _send_answer(self, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    for name, value in {
        "registry": f"http://127.0.0.1:{server.server_address[1]}/",
        "cache": str(tmp_path / "npm-cache"),
        "fetch_retries": "0",
        "noproxy": "127.0.0.1",
    }.items():
        monkeypatch.setenv(f"npm_config_{name}", value)
    yield fake_registry
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("text", "version"), [("toy", "1.1.0"), ("toy@1.1.0", "1.1.0"), ("toy@latest", "1.1.0")]
)
def test_versions_and_tags_are_resolved(
    registry: Registry, tmp_path: Path, text: str, version: str
) -> None:
    (source,) = find_projects([f"npm:{text}"], tmp_path / "cache")
    assert (source.name, source.source, source.revision) == ("toy", f"npm:{text}", version)
    assert source.read_file("lib/index.js") == b"module.exports = 1;"
    entries = source.list_entries((".js",))
    assert [(entry.path, isinstance(entry, Problem)) for entry in entries] == [
        ("../../evil.js", True),
        ("lib/index.js", False),
    ]
    assert source.list_licence_files() == [LicenceFile("LICENSE", ("Unlicense",))]
    assert not (tmp_path / "cache" / "evil.js").exists()


def test_scoped_package_with_an_unusual_folder(registry: Registry, tmp_path: Path) -> None:
    (source,) = find_projects(["npm:@scope/toy@2.0.0-beta.1"], tmp_path / "cache")
    assert (source.name, source.revision) == ("@scope/toy", "2.0.0-beta.1")
    assert read_contents(source) == {"a.js": b"1", "b.js": b"2"}


def test_cached_package_needs_neither_npm_nor_network(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (before,) = find_projects(["npm:toy@1.0.0"], tmp_path / "cache")
    request_count = len(registry.requests)
    monkeypatch.setenv("PATH", "")
    (after,) = find_projects(["npm:toy@1.0.0"], tmp_path / "cache")
    assert (after, len(registry.requests)) == (before, request_count)
    with pytest.raises(CodeacumenError, match="there is no npm on this machine"):
        find_projects(["npm:toy@1.1.0"], tmp_path / "cache")


def test_old_package_is_checked_with_its_sha1(registry: Registry, tmp_path: Path) -> None:
    registry.only_shasum = True
    (source,) = find_projects(["npm:toy@1.0.0"], tmp_path / "cache")
    assert source.read_file("lib/index.js") == b"module.exports = 0;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("absent-toy", "Not Found"),
        ("toy@9.9.9", "9.9.9"),
        ("toy@no-such-tag", "no-such-tag"),
        ("toy@1", "2 versions match"),
    ],
)
def test_missing_package_prevents_all_fetches(
    registry: Registry, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CodeacumenError, match=f"npm:{text}: .*{message}"):
        find_projects(["first=npm:toy", f"npm:{text}"], tmp_path / "cache")
    assert not [request for request in registry.requests if request.endswith(".tgz")]


def test_archive_with_a_wrong_hash_is_rejected(registry: Registry, tmp_path: Path) -> None:
    """npm checks the hash itself; we check it too, for archives from npm's cache."""
    published = registry.packages["toy"]["1.1.0"]
    make_document = registry.make_document

    def make_wrong_document(name: str, base: str) -> dict[str, Any]:
        wrong_document = make_document(name, base)
        wrong_document["versions"]["1.1.0"]["dist"]["integrity"] = format_integrity(
            published + b"x"
        )
        return wrong_document

    registry.make_document = make_wrong_document  # type: ignore[method-assign]
    with pytest.raises(CodeacumenError, match=r"npm:toy@1\.1\.0"):
        find_projects(["npm:toy@1.1.0"], tmp_path / "cache")
    assert not list((tmp_path / "cache" / "npm").glob("toy@*/files"))
    registry.make_document = make_document  # type: ignore[method-assign]
    (source,) = find_projects(["npm:toy@1.1.0"], tmp_path / "cache")
    assert source.revision == "1.1.0"


def test_integrity_of_data() -> None:
    data = b"hello"
    assert matches_integrity(data, format_integrity(data))
    assert matches_integrity(data, f"{format_integrity(b'x')} {format_integrity(data)}")
    assert matches_integrity(data, f"{format_integrity(data)}?option")
    # The strongest hash decides.
    assert not matches_integrity(data, f"{format_integrity(data, 'sha1')} {format_integrity(b'x')}")
    assert matches_integrity(data, format_integrity(data, "sha1"))
    for nothing in ("", "sha1-", "md5-abc", "sha512"):
        assert not matches_integrity(data, nothing)


def test_real_package_of_the_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of the user's registry; GNU tar is the oracle for the contents of the archive."""
    # Without a network, npm would answer from its own cache.
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    npm_view = subprocess.run(
        ["npm", "view", "is-odd", "version"], capture_output=True, timeout=300
    )
    if npm_view.returncode:
        pytest.skip("no npm registry can be reached")
    (source,) = find_projects(["npm:is-odd@3.0.1"], tmp_path / "cache")
    assert source.revision == "3.0.1"
    assert LicenceFile("LICENSE", ("MIT",)) in source.list_licence_files()
    subprocess.run(["npm", "pack", "is-odd@3.0.1"], cwd=tmp_path, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tgz")
    subprocess.run(["tar", "-xf", archive], cwd=tmp_path, check=True)
    files = [file for file in (tmp_path / "package").rglob("*") if file.is_file()]
    assert read_contents(source) == {
        str(file.relative_to(tmp_path / "package")): file.read_bytes() for file in files
    }
    # The published hash; a version never changes.
    published = "sha512-CQpnWPrDwmP1+SMHXZhtLtJv90yiyVfluGsX5iNCVkrhQtU3TQHsUWPG9wkdk9Lgd5yNpAg9jQEo90CBaXgWMA=="  # noqa: E501
    assert format_integrity(archive.read_bytes()) == published
