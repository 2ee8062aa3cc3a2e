"""npm packages, brought by the machine's own npm: from a registry on this machine that says what
a test wants it to say, and from the user's own where it can be reached."""

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
from codeacumen.corpus.sources import Project, projects
from codeacumen.corpus.sources.npm import intact

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="no npm on this machine")


def content(source: Project) -> dict[str, bytes | Problem]:
    return {one.path: source.read(one.path) for one in source.entries(("",))}


def tarball(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


def sri(data: bytes, kind: str = "sha512") -> str:
    return f"{kind}-{base64.b64encode(hashlib.new(kind, data).digest()).decode()}"


@dataclass
class Registry:
    """Packages by name and version, each with its archive."""

    packages: dict[str, dict[str, bytes]]
    # Old packages have only this.
    only_shasum: bool = False
    requests: list[str] = field(default_factory=list)

    def document(self, name: str, base: str) -> dict[str, Any]:
        versions = {}
        for version, data in self.packages[name].items():
            dist = {"tarball": f"{base}/-/{name}/{version}.tgz"}
            dist["shasum"] = hashlib.sha1(data).hexdigest()
            if not self.only_shasum:
                dist["integrity"] = sri(data)
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
    first = tarball({**files, "package/lib/index.js": "module.exports = 0;"})
    known = Registry({"toy": {"1.0.0": first, "1.1.0": tarball(files)}})
    known.packages["@scope/toy"] = {"2.0.0-beta.1": tarball({"odd/a.js": "1", "odd/b.js": "2"})}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.requests.append(self.path)
            path = self.path[1:].replace("%2f", "/")
            base = f"http://{self.headers['Host']}"
            if path in known.packages:
                self._answer(json.dumps(known.document(path, base)).encode())
            elif path.startswith("-/"):
                name, _, version = path[2:].removesuffix(".tgz").rpartition("/")
                self._answer(known.packages[name][version])
            else:
                self.send_error(404)

        def _answer(self, data: bytes) -> None:
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
    yield known
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("text", "version"), [("toy", "1.1.0"), ("toy@1.1.0", "1.1.0"), ("toy@latest", "1.1.0")]
)
def test_a_version_a_tag_or_the_latest(
    registry: Registry, tmp_path: Path, text: str, version: str
) -> None:
    (source,) = projects([f"npm:{text}"], tmp_path / "cache")
    assert (source.name, source.source, source.revision) == ("toy", f"npm:{text}", version)
    assert source.read("lib/index.js") == b"module.exports = 1;"
    found = source.entries((".js",))
    assert [(one.path, isinstance(one, Problem)) for one in found] == [
        ("../../evil.js", True),
        ("lib/index.js", False),
    ]
    assert source.licences() == [LicenceFile("LICENSE", ("Unlicense",))]
    assert not (tmp_path / "cache" / "evil.js").exists()


def test_a_scope_and_a_folder_of_another_name(registry: Registry, tmp_path: Path) -> None:
    (source,) = projects(["npm:@scope/toy@2.0.0-beta.1"], tmp_path / "cache")
    assert (source.name, source.revision) == ("@scope/toy", "2.0.0-beta.1")
    assert content(source) == {"a.js": b"1", "b.js": b"2"}


def test_what_is_here_needs_neither_npm_nor_network(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (before,) = projects(["npm:toy@1.0.0"], tmp_path / "cache")
    asked = len(registry.requests)
    monkeypatch.setenv("PATH", "")
    (after,) = projects(["npm:toy@1.0.0"], tmp_path / "cache")
    assert (after, len(registry.requests)) == (before, asked)
    with pytest.raises(CodeacumenError, match="there is no npm on this machine"):
        projects(["npm:toy@1.1.0"], tmp_path / "cache")


def test_an_old_package_has_only_the_older_hash(registry: Registry, tmp_path: Path) -> None:
    registry.only_shasum = True
    (source,) = projects(["npm:toy@1.0.0"], tmp_path / "cache")
    assert source.read("lib/index.js") == b"module.exports = 0;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("absent-toy", "Not Found"),
        ("toy@9.9.9", "9.9.9"),
        ("toy@no-such-tag", "no-such-tag"),
        ("toy@1", "2 versions match"),
    ],
)
def test_what_is_not_there_is_told_before_anything_is_fetched(
    registry: Registry, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CodeacumenError, match=f"npm:{text}: .*{message}"):
        projects(["first=npm:toy", f"npm:{text}"], tmp_path / "cache")
    assert not [request for request in registry.requests if request.endswith(".tgz")]


def test_an_archive_that_is_not_what_was_published(registry: Registry, tmp_path: Path) -> None:
    """npm looks itself; so do we, for what it brings from its own cache."""
    true = registry.packages["toy"]["1.1.0"]
    document = registry.document

    def lying(name: str, base: str) -> dict[str, Any]:
        told = document(name, base)
        told["versions"]["1.1.0"]["dist"]["integrity"] = sri(true + b"x")
        return told

    registry.document = lying  # type: ignore[method-assign]
    with pytest.raises(CodeacumenError, match=r"npm:toy@1\.1\.0"):
        projects(["npm:toy@1.1.0"], tmp_path / "cache")
    assert not list((tmp_path / "cache" / "npm").glob("toy@*/files"))
    registry.document = document  # type: ignore[method-assign]
    (source,) = projects(["npm:toy@1.1.0"], tmp_path / "cache")
    assert source.revision == "1.1.0"


def test_hashes() -> None:
    data = b"hello"
    assert intact(data, sri(data))
    assert intact(data, f"{sri(b'x')} {sri(data)}")
    assert intact(data, f"{sri(data)}?option")
    # The strongest counts, whatever a weaker says.
    assert not intact(data, f"{sri(data, 'sha1')} {sri(b'x')}")
    assert intact(data, sri(data, "sha1"))
    for nothing in ("", "sha1-", "md5-abc", "sha512"):
        assert not intact(data, nothing)


def test_a_real_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the user's own registry. GNU tar is the oracle for what is in the archive."""
    # Without a network npm would answer from what it brought before.
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    asked = subprocess.run(["npm", "view", "is-odd", "version"], capture_output=True, timeout=300)
    if asked.returncode:
        pytest.skip("no npm registry can be reached")
    (source,) = projects(["npm:is-odd@3.0.1"], tmp_path / "cache")
    assert source.revision == "3.0.1"
    assert LicenceFile("LICENSE", ("MIT",)) in source.licences()
    subprocess.run(["npm", "pack", "is-odd@3.0.1"], cwd=tmp_path, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tgz")
    subprocess.run(["tar", "-xf", archive], cwd=tmp_path, check=True)
    files = [file for file in (tmp_path / "package").rglob("*") if file.is_file()]
    assert content(source) == {
        str(file.relative_to(tmp_path / "package")): file.read_bytes() for file in files
    }
    # As published; a version never changes.
    published = "sha512-CQpnWPrDwmP1+SMHXZhtLtJv90yiyVfluGsX5iNCVkrhQtU3TQHsUWPG9wkdk9Lgd5yNpAg9jQEo90CBaXgWMA=="  # noqa: E501
    assert sri(archive.read_bytes()) == published
