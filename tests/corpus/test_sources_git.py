"""Tests of git repositories made with pygit2. Oracle: the git program."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import pygit2
import pytest
from pygit2.enums import FileMode

from codeacumen.api import CodeacumenError
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources import Entry, Project, find_projects, git_tree
from codeacumen.corpus.sources.paths import path_from_bytes

JAVA = (".java",)
WHO = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)


def make_commit(
    repository: pygit2.Repository, files: dict[str, bytes], parents: list[str], ref: str | None
) -> str:
    """Create a commit whose tree has exactly these files, and return its hash."""
    index = pygit2.Index()
    for path, content in files.items():
        blob = repository.create_blob(content)
        index.add(pygit2.IndexEntry(path, blob, FileMode.BLOB))
    tree = index.write_tree(repository)
    parent_ids = [pygit2.Oid(hex=parent) for parent in parents]
    return str(repository.create_commit(ref, WHO, WHO, " ".join(files), tree, parent_ids))


class History:
    """A repository with first, second (renames a file) and a merge of side on main, and the tags v1
    and v1-light on first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        repository = pygit2.init_repository(str(folder), bare=True, initial_head="main")
        first = {"src/A.java": b"class A { }", "src/b/B.java": b"class B { }", "README": b"hello"}
        self.first = make_commit(repository, first, [], "refs/heads/main")
        second = {"src/Renamed.java": first["src/A.java"], "src/b/B.java": b"class B { int b; }"}
        self.second = make_commit(repository, second, [self.first], "refs/heads/main")
        side = {**first, "Side.java": b"class Side { }"}
        self.side = make_commit(repository, side, [self.first], "refs/heads/side")
        merged = {**second, "Side.java": side["Side.java"]}
        self.merge = make_commit(repository, merged, [self.second, self.side], "refs/heads/main")
        # No branch contains this commit.
        self.loose = make_commit(repository, {"Loose.java": b"class L { }"}, [self.first], None)
        repository.create_reference("refs/tags/v1-light", pygit2.Oid(hex=self.first))
        oid = pygit2.Oid(hex=self.first)
        repository.create_tag("v1", oid, pygit2.enums.ObjectType.COMMIT, WHO, "v1")
        repository.create_tag("pkg@2.0", oid, pygit2.enums.ObjectType.COMMIT, WHO, "2")
        repository.free()


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "repo.git")


def load_project(source: str, cache: Path) -> Project:
    (only_project,) = find_projects([source], cache)
    return only_project


def read_contents(source: Project) -> dict[str, bytes | Problem]:
    return {entry.path: source.read_file(entry.path) for entry in source.list_entries(JAVA)}


def run_git(repository: Path, *arguments: str) -> bytes:
    if shutil.which("git") is None:
        pytest.skip("no git on this machine to compare with")
    command = ["git", "-c", f"safe.directory={repository}", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    ("rev", "expected"),
    [
        ("", "merge"),
        ("@main", "merge"),
        ("@side", "side"),
        ("@v1", "first"),
        ("@v1-light", "first"),
        ("@pkg@2.0", "first"),
        ("@refs/heads/side", "side"),
        ("@HEAD~1", "second"),
    ],
)
def test_branches_tags_and_head_are_resolved(
    history: History, tmp_path: Path, rev: str, expected: str
) -> None:
    source = load_project(f"git:{history.folder}{rev}", tmp_path / "cache")
    assert source.revision == getattr(history, expected)
    assert (source.name, source.source) == ("repo", f"git:repo{rev}")
    url = load_project(f"git:file://{history.folder}{rev}", tmp_path / "cache")
    assert read_contents(url) == read_contents(source)


def test_full_and_abbreviated_hashes_are_resolved(history: History, tmp_path: Path) -> None:
    for rev in (history.second, history.second[:8], history.loose):
        source = load_project(f"git:{history.folder}@{rev}", tmp_path / "cache")
        assert source.revision.startswith(rev)
    assert read_contents(source) == {"Loose.java": b"class L { }"}


def test_files_of_a_merge_equal_those_of_git(history: History, tmp_path: Path) -> None:
    source = load_project(f"git:{history.folder}", tmp_path / "cache")
    assert read_contents(source) == {
        "Side.java": b"class Side { }",
        "src/Renamed.java": b"class A { }",
        "src/b/B.java": b"class B { int b; }",
    }
    rows = run_git(history.folder, "ls-tree", "-r", "-l", "main").decode().splitlines()
    oracle = [Entry(row.split("\t")[1], int(row.split()[3]), row.split()[2]) for row in rows]
    assert source.list_entries(JAVA) == oracle


def test_files_of_this_repository_equal_those_of_git(tmp_path: Path) -> None:
    """All files of a real repository agree with git."""
    repository_dir = Path(__file__).resolve().parents[2]
    if not (repository_dir / ".git").exists():
        pytest.skip("not in a git repository")
    source = load_project(f"git:{repository_dir}", tmp_path)
    assert source.revision == run_git(repository_dir, "rev-parse", "HEAD").decode().strip()
    rows = run_git(repository_dir, "ls-tree", "-r", "-l", "-z", "HEAD").split(b"\0")[:-1]
    oracle = {path_from_bytes(row.split(b"\t")[1]): row.split()[2:4] for row in rows}
    entries = source.list_entries(("",))
    assert {
        entry.path: [entry.stamp.encode(), b"%d" % entry.size]
        for entry in entries
        if isinstance(entry, Entry)
    } == oracle
    for path in [entry.path for entry in entries][::10]:
        assert source.read_file(path) == run_git(repository_dir, "cat-file", "blob", f"HEAD:{path}")


def test_links_and_submodules_are_problems(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    index = pygit2.Index()
    blob = repository.create_blob(b"class A { }")
    index.add(pygit2.IndexEntry("A.java", blob, FileMode.BLOB_EXECUTABLE))
    index.add(pygit2.IndexEntry("Link.java", repository.create_blob(b"A.java"), FileMode.LINK))
    index.add(pygit2.IndexEntry("link.txt", repository.create_blob(b"A.java"), FileMode.LINK))
    index.add(pygit2.IndexEntry("Other.java", pygit2.Oid(hex="1" * 40), FileMode.COMMIT))
    index.add(pygit2.IndexEntry("other", pygit2.Oid(hex="1" * 40), FileMode.COMMIT))
    tree = index.write_tree(repository)
    repository.create_commit("HEAD", WHO, WHO, "all", tree, [])
    source = load_project(f"git:{tmp_path / 'repo'}", tmp_path)
    kind_by_path = {
        entry.path: entry.kind if isinstance(entry, Problem) else ""
        for entry in source.list_entries(JAVA)
    }
    assert kind_by_path == {"A.java": "", "Link.java": "link", "Other.java": "submodule"}
    for path in ("Link.java", "Other.java", "Gone.java", "other/A.java", ""):
        assert isinstance(source.read_file(path), Problem)


def write_tree(repository: pygit2.Repository, members: dict[bytes, bytes | str]) -> str:
    """Write a tree byte by byte, so that invalid names are possible, and return its id.

    Members are blobs (by content) or trees (by id).
    """
    raw = b""
    for name, member in members.items():
        oid = pygit2.Oid(hex=member) if isinstance(member, str) else repository.create_blob(member)
        raw += (b"40000 " if isinstance(member, str) else b"100644 ") + name + b"\0" + oid.raw
    return str(repository.odb.write(pygit2.enums.ObjectType.TREE, raw))


def test_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    inner = write_tree(repository, {"größe.java".encode(): b"2", b"gr\xf6\xdfe.java": b"1"})
    outer = write_tree(repository, {b"\xe4": inner})
    repository.create_commit("HEAD", WHO, WHO, "all", pygit2.Oid(hex=outer), [])
    source = load_project(f"git:{tmp_path / 'repo'}", tmp_path)
    assert read_contents(source) == {"�E4/größe.java": b"2", "�E4/gr�F6�DFe.java": b"1"}


def test_names_outside_the_repository_are_problems(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    inner = write_tree(repository, {b"A.java": b"class A { }"})
    names: dict[bytes, bytes | str] = {b"..": inner, b"/B.java": b"", b"C.java": b"class C { }"}
    outer = write_tree(repository, names)
    repository.create_commit("HEAD", WHO, WHO, "all", pygit2.Oid(hex=outer), [])
    entries = load_project(f"git:{tmp_path / 'repo'}", tmp_path).list_entries(JAVA)
    assert [(entry.path, isinstance(entry, Problem)) for entry in entries] == [
        ("../A.java", True),
        ("/B.java", True),
        ("C.java", False),
    ]


def test_tree_with_too_many_files_is_a_bomb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten entries of the same tree on ten levels: about twenty objects, ten billion files."""
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    oid, mode = repository.create_blob(b"class A { }"), FileMode.BLOB
    for _ in range(10):
        builder = repository.TreeBuilder()
        for name in "abcdefghij":
            suffix = ".java" if mode == FileMode.BLOB else ""
            builder.insert(name + suffix, oid, mode)
        oid, mode = builder.write(), FileMode.TREE
    repository.create_commit("HEAD", WHO, WHO, "all", oid, [])
    monkeypatch.setattr(git_tree, "MOST_FILES", 5000)
    entries = load_project(f"git:{tmp_path / 'repo'}", tmp_path).list_entries(JAVA)
    assert len(entries) < 5000
    assert [entry.kind for entry in entries if isinstance(entry, Problem)] == ["git bomb"]


def test_deep_trees_do_not_recurse(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    oid, mode, name = repository.create_blob(b"class A { }"), FileMode.BLOB, "A.java"
    for _ in range(2000):
        builder = repository.TreeBuilder()
        builder.insert(name, oid, mode)
        oid, mode, name = builder.write(), FileMode.TREE, "d"
    repository.create_commit("HEAD", WHO, WHO, "all", oid, [])
    source = load_project(f"git:{tmp_path / 'repo'}", tmp_path)
    assert list(read_contents(source).values()) == [b"class A { }"]


def test_missing_object_does_not_affect_others(history: History, tmp_path: Path) -> None:
    blob = run_git(history.folder, "rev-parse", "main:Side.java").decode().strip()
    tree = run_git(history.folder, "rev-parse", "main:src/b").decode().strip()
    for oid in (blob, tree):
        (history.folder / "objects" / oid[:2] / oid[2:]).unlink()
    source = load_project(f"git:{history.folder}", tmp_path)
    entry_by_path = {entry.path: entry for entry in source.list_entries(JAVA)}
    assert {path: isinstance(entry, Problem) for path, entry in entry_by_path.items()} == {
        "Side.java": True,
        "src/Renamed.java": False,
        "src/b": True,
    }


def test_damaged_object_does_not_affect_others(history: History, tmp_path: Path) -> None:
    blob = run_git(history.folder, "rev-parse", "main:Side.java").decode().strip()
    file = history.folder / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 14\0class Evil { }"))
    source = load_project(f"git:{history.folder}", tmp_path)
    contents = read_contents(source)
    assert isinstance(contents["Side.java"], Problem)
    assert contents["src/Renamed.java"] == b"class A { }"


def test_a_large_blob_is_not_read(history: History, tmp_path: Path) -> None:
    (source,) = find_projects([f"git:{history.folder}"], tmp_path, largest=12)
    is_problem = {entry.path: isinstance(entry, Problem) for entry in source.list_entries(JAVA)}
    assert is_problem == {"Side.java": True, "src/Renamed.java": False, "src/b/B.java": True}
    assert isinstance(source.read_file("Side.java"), Problem)


def test_working_tree_is_read_as_its_repository(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "work"))
    make_commit(repository, {"A.java": b"class A { }"}, [], "HEAD")
    (tmp_path / "work" / "Untracked.java").write_text("class U { }")
    for folder in ("work", "work/.git"):
        source = load_project(f"git:{tmp_path / folder}", tmp_path)
        assert source.name == "work"
        assert read_contents(source) == {"A.java": b"class A { }"}


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes_open_the_repository_themselves(
    history: History, tmp_path: Path, start: str
) -> None:
    source = load_project(f"git:{history.folder}", tmp_path)
    paths = [entry.path for entry in source.list_entries(JAVA)] * 20
    with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
        assert list(pool.map(source.read_file, paths)) == [
            read_contents(source)[path] for path in paths
        ]


def test_missing_repository_or_revision_is_rejected_before_the_build(
    history: History, tmp_path: Path
) -> None:
    pygit2.init_repository(str(tmp_path / "empty.git"), bare=True)
    (tmp_path / "folder").mkdir()
    for source, message in (
        (f"git:{tmp_path / 'absent'}", "there is no"),
        (f"git:{tmp_path / 'folder'}", "is no git repository"),
        (f"git:{tmp_path / 'empty.git'}", "the repository has no commits"),
        (f"git:{history.folder}@v2", "no branch, tag or commit v2"),
        (f"git:{history.folder}@{'0' * 40}", "no branch, tag or commit 0000"),
    ):
        with pytest.raises(CodeacumenError, match=message):
            find_projects([source], tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


# --------------------------------------------------------------------------------------
# Repositories on a server.
# --------------------------------------------------------------------------------------


class _Server(ThreadingHTTPServer):
    """An HTTP server for git http-backend on this machine."""

    folder: Path
    requests: list[str]


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._send_answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._send_answer(body)

    def _send_answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        self.server.requests.append(self.path)
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        completed = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
        )
        head, _, answer = completed.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().splitlines()]
        status = next((int(value[:3]) for name, value in headers if name == "Status"), 200)
        self.send_response(status)
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server(history: History, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    if shutil.which("git") is None:
        pytest.skip("no git on this machine to serve a repository")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    serving = _Server(("127.0.0.1", 0), _Handler)
    serving.folder, serving.requests = history.folder.parent, []
    thread = Thread(target=serving.serve_forever)
    thread.start()
    yield serving
    serving.shutdown()
    serving.server_close()
    thread.join()


def repository_url(server: _Server) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}/repo.git"


@pytest.mark.parametrize(
    ("rev", "expected"),
    [("", "merge"), ("@side", "side"), ("@v1", "first"), ("@pkg@2.0", "first")],
)
def test_only_the_requested_commit_is_fetched(
    history: History, server: _Server, tmp_path: Path, rev: str, expected: str
) -> None:
    steps: list[str] = []
    (source,) = find_projects(
        [f"git:{repository_url(server)}{rev}"],
        tmp_path / "cache",
        lambda stage, *_: steps.append(stage),
    )
    assert source.name == "repo"
    assert source.source == f"git:{repository_url(server)}{rev}"
    assert source.revision == getattr(history, expected)
    local = load_project(f"git:{history.folder}{rev}", tmp_path)
    assert read_contents(source) == read_contents(local)
    (cached_repository,) = (tmp_path / "cache" / "git").glob("*/*.git")
    # The cache has only the requested commit, without its history.
    assert run_git(cached_repository, "rev-list", "--all", "--count") == b"1\n"
    assert f"fetching {source.source}" in steps


def test_commit_is_fetched_by_its_hash(history: History, server: _Server, tmp_path: Path) -> None:
    """By default, servers send only commits that a reference reaches, so the whole history is
    fetched; an abbreviated hash needs the history as well."""
    for number, rev in enumerate((history.second, history.second[:9])):
        source = load_project(f"git:{repository_url(server)}@{rev}", tmp_path / f"cache{number}")
        assert source.revision == history.second
        assert "src/Renamed.java" in read_contents(source)
    run_git(history.folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    source = load_project(f"git:{repository_url(server)}@{history.loose}", tmp_path / "cache2")
    assert read_contents(source) == {"Loose.java": b"class L { }"}
    (cached_repository,) = (tmp_path / "cache2" / "git").glob("*/*.git")
    assert run_git(cached_repository, "rev-list", "--all", "--count") == b"1\n"


def test_cached_commit_needs_no_network(history: History, server: _Server, tmp_path: Path) -> None:
    source = f"git:{repository_url(server)}@{history.second}"
    before = read_contents(load_project(source, tmp_path / "cache"))
    request_count = len(server.requests)
    assert read_contents(load_project(source, tmp_path / "cache")) == before
    assert len(server.requests) == request_count


def test_killed_fetch_starts_again(history: History, server: _Server, tmp_path: Path) -> None:
    source = f"git:{repository_url(server)}@{history.second}"
    load_project(source, tmp_path / "cache")
    (cached_repository,) = (tmp_path / "cache" / "git").glob("*/*.git")
    # The state after a process is killed before the last step.
    cached_repository.rename(cached_repository.with_name(cached_repository.name + ".part"))
    shutil.rmtree(cached_repository.with_name(cached_repository.name + ".part") / "objects")
    assert len(read_contents(load_project(source, tmp_path / "cache"))) == 2


def test_missing_revision_on_a_server_is_rejected(
    history: History, server: _Server, tmp_path: Path
) -> None:
    (tmp_path / "local").mkdir()
    for source, message in (
        (f"git:{repository_url(server)}@mainn", "has no branch, tag or commit mainn"),
        (f"git:{repository_url(server)}@{'1' * 40}", "no branch, tag or commit 1111"),
        (f"git:{repository_url(server)}x", "cannot be read"),
        ("git:http://127.0.0.1:9/repo", "cannot be read"),
    ):
        with pytest.raises(CodeacumenError, match=message) as caught:
            find_projects([str(tmp_path / "local"), source], tmp_path / "cache")
        assert "main" in caught.value.hint or "mainn" not in source
    assert not list((tmp_path / "cache").glob("git/*/*.git"))


def test_invalid_source_prevents_all_fetches(server: _Server, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no such folder"):
        find_projects(
            [f"git:{repository_url(server)}", str(tmp_path / "absent")], tmp_path / "cache"
        )
    assert server.requests == []
