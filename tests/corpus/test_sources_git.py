"""Git repositories made with pygit2 and read by codeacumen; the git program is the oracle."""

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
from codeacumen.corpus.sources import Entry, Project, git_tree, projects
from codeacumen.corpus.sources.paths import as_text

JAVA = (".java",)
WHO = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)


def commit(
    repository: pygit2.Repository, files: dict[str, bytes], parents: list[str], ref: str | None
) -> str:
    """A commit whose tree has exactly these files."""
    index = pygit2.Index()
    for path, content in files.items():
        blob = repository.create_blob(content)
        index.add(pygit2.IndexEntry(path, blob, FileMode.BLOB))
    tree = index.write_tree(repository)
    before = [pygit2.Oid(hex=parent) for parent in parents]
    return str(repository.create_commit(ref, WHO, WHO, " ".join(files), tree, before))


class History:
    """main: first, second (a file is renamed), a merge of side; tags v1 and v1-light on first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        repository = pygit2.init_repository(str(folder), bare=True, initial_head="main")
        first = {"src/A.java": b"class A { }", "src/b/B.java": b"class B { }", "README": b"hello"}
        self.first = commit(repository, first, [], "refs/heads/main")
        second = {"src/Renamed.java": first["src/A.java"], "src/b/B.java": b"class B { int b; }"}
        self.second = commit(repository, second, [self.first], "refs/heads/main")
        side = {**first, "Side.java": b"class Side { }"}
        self.side = commit(repository, side, [self.first], "refs/heads/side")
        merged = {**second, "Side.java": side["Side.java"]}
        self.merge = commit(repository, merged, [self.second, self.side], "refs/heads/main")
        # No branch has it.
        self.loose = commit(repository, {"Loose.java": b"class L { }"}, [self.first], None)
        repository.create_reference("refs/tags/v1-light", pygit2.Oid(hex=self.first))
        oid = pygit2.Oid(hex=self.first)
        repository.create_tag("v1", oid, pygit2.enums.ObjectType.COMMIT, WHO, "v1")
        repository.create_tag("pkg@2.0", oid, pygit2.enums.ObjectType.COMMIT, WHO, "2")
        repository.free()


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "repo.git")


def project(source: str, cache: Path) -> Project:
    (found,) = projects([source], cache)
    return found


def content(source: Project) -> dict[str, bytes | Problem]:
    return {one.path: source.read(one.path) for one in source.entries(JAVA)}


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
def test_a_branch_a_tag_or_the_head(
    history: History, tmp_path: Path, rev: str, expected: str
) -> None:
    source = project(f"git:{history.folder}{rev}", tmp_path / "cache")
    assert source.revision == getattr(history, expected)
    assert (source.name, source.source) == ("repo", f"git:repo{rev}")
    url = project(f"git:file://{history.folder}{rev}", tmp_path / "cache")
    assert content(url) == content(source)


def test_a_commit_full_or_abbreviated(history: History, tmp_path: Path) -> None:
    for rev in (history.second, history.second[:8], history.loose):
        source = project(f"git:{history.folder}@{rev}", tmp_path / "cache")
        assert source.revision.startswith(rev)
    assert content(source) == {"Loose.java": b"class L { }"}


def test_files_of_a_merge_as_git_has_them(history: History, tmp_path: Path) -> None:
    source = project(f"git:{history.folder}", tmp_path / "cache")
    assert content(source) == {
        "Side.java": b"class Side { }",
        "src/Renamed.java": b"class A { }",
        "src/b/B.java": b"class B { int b; }",
    }
    rows = run_git(history.folder, "ls-tree", "-r", "-l", "main").decode().splitlines()
    oracle = [Entry(row.split("\t")[1], int(row.split()[3]), row.split()[2]) for row in rows]
    assert source.entries(JAVA) == oracle


def test_this_repository_as_git_has_it(tmp_path: Path) -> None:
    """A real one, with all of its files."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():
        pytest.skip("not in a git repository")
    source = project(f"git:{here}", tmp_path)
    assert source.revision == run_git(here, "rev-parse", "HEAD").decode().strip()
    rows = run_git(here, "ls-tree", "-r", "-l", "-z", "HEAD").split(b"\0")[:-1]
    oracle = {as_text(row.split(b"\t")[1]): row.split()[2:4] for row in rows}
    entries = source.entries(("",))
    assert {
        one.path: [one.stamp.encode(), b"%d" % one.size]
        for one in entries
        if isinstance(one, Entry)
    } == oracle
    for path in [one.path for one in entries][::10]:
        assert source.read(path) == run_git(here, "cat-file", "blob", f"HEAD:{path}")


def test_links_and_submodules_are_left_out(tmp_path: Path) -> None:
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
    source = project(f"git:{tmp_path / 'repo'}", tmp_path)
    found = {one.path: one.kind if isinstance(one, Problem) else "" for one in source.entries(JAVA)}
    assert found == {"A.java": "", "Link.java": "link", "Other.java": "submodule"}
    for path in ("Link.java", "Other.java", "Gone.java", "other/A.java", ""):
        assert isinstance(source.read(path), Problem)


def write_tree(repository: pygit2.Repository, members: dict[bytes, bytes | str]) -> str:
    """A tree byte by byte, with names that no well-meaning program would write: blobs of these
    contents, trees of these ids."""
    raw = b""
    for name, member in members.items():
        oid = pygit2.Oid(hex=member) if isinstance(member, str) else repository.create_blob(member)
        raw += (b"40000 " if isinstance(member, str) else b"100644 ") + name + b"\0" + oid.raw
    return str(repository.odb.write(pygit2.enums.ObjectType.TREE, raw))


def test_names_that_are_no_utf8_survive(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    inner = write_tree(repository, {"größe.java".encode(): b"2", b"gr\xf6\xdfe.java": b"1"})
    outer = write_tree(repository, {b"\xe4": inner})
    repository.create_commit("HEAD", WHO, WHO, "all", pygit2.Oid(hex=outer), [])
    source = project(f"git:{tmp_path / 'repo'}", tmp_path)
    assert content(source) == {"�E4/größe.java": b"2", "�E4/gr�F6�DFe.java": b"1"}


def test_names_that_lead_out(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    inner = write_tree(repository, {b"A.java": b"class A { }"})
    names: dict[bytes, bytes | str] = {b"..": inner, b"/B.java": b"", b"C.java": b"class C { }"}
    outer = write_tree(repository, names)
    repository.create_commit("HEAD", WHO, WHO, "all", pygit2.Oid(hex=outer), [])
    entries = project(f"git:{tmp_path / 'repo'}", tmp_path).entries(JAVA)
    assert [(one.path, isinstance(one, Problem)) for one in entries] == [
        ("../A.java", True),
        ("/B.java", True),
        ("C.java", False),
    ]


def test_a_tree_without_end_is_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the same tree, in ten levels: some twenty objects, ten thousand million files."""
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
    entries = project(f"git:{tmp_path / 'repo'}", tmp_path).entries(JAVA)
    assert len(entries) < 5000
    assert [one.kind for one in entries if isinstance(one, Problem)] == ["git bomb"]


def test_deep_trees_are_no_recursion(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "repo"), bare=True)
    oid, mode, name = repository.create_blob(b"class A { }"), FileMode.BLOB, "A.java"
    for _ in range(2000):
        builder = repository.TreeBuilder()
        builder.insert(name, oid, mode)
        oid, mode, name = builder.write(), FileMode.TREE, "d"
    repository.create_commit("HEAD", WHO, WHO, "all", oid, [])
    source = project(f"git:{tmp_path / 'repo'}", tmp_path)
    assert list(content(source).values()) == [b"class A { }"]


def test_a_lost_object_costs_itself_only(history: History, tmp_path: Path) -> None:
    blob = run_git(history.folder, "rev-parse", "main:Side.java").decode().strip()
    tree = run_git(history.folder, "rev-parse", "main:src/b").decode().strip()
    for oid in (blob, tree):
        (history.folder / "objects" / oid[:2] / oid[2:]).unlink()
    source = project(f"git:{history.folder}", tmp_path)
    found = {one.path: one for one in source.entries(JAVA)}
    assert {path: isinstance(one, Problem) for path, one in found.items()} == {
        "Side.java": True,
        "src/Renamed.java": False,
        "src/b": True,
    }


def test_a_damaged_object_costs_itself_only(history: History, tmp_path: Path) -> None:
    blob = run_git(history.folder, "rev-parse", "main:Side.java").decode().strip()
    file = history.folder / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 14\0class Evil { }"))
    source = project(f"git:{history.folder}", tmp_path)
    read = content(source)
    assert isinstance(read["Side.java"], Problem)
    assert read["src/Renamed.java"] == b"class A { }"


def test_a_large_blob_is_not_read(history: History, tmp_path: Path) -> None:
    (source,) = projects([f"git:{history.folder}"], tmp_path, largest=12)
    found = {one.path: isinstance(one, Problem) for one in source.entries(JAVA)}
    assert found == {"Side.java": True, "src/Renamed.java": False, "src/b/B.java": True}
    assert isinstance(source.read("Side.java"), Problem)


def test_a_working_tree_is_its_repository(tmp_path: Path) -> None:
    repository = pygit2.init_repository(str(tmp_path / "work"))
    commit(repository, {"A.java": b"class A { }"}, [], "HEAD")
    (tmp_path / "work" / "Untracked.java").write_text("class U { }")
    for place in ("work", "work/.git"):
        source = project(f"git:{tmp_path / place}", tmp_path)
        assert source.name == "work"
        assert content(source) == {"A.java": b"class A { }"}


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes_open_it_for_themselves(
    history: History, tmp_path: Path, start: str
) -> None:
    source = project(f"git:{history.folder}", tmp_path)
    paths = [one.path for one in source.entries(JAVA)] * 20
    with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
        assert list(pool.map(source.read, paths)) == [content(source)[path] for path in paths]


def test_what_is_not_there_is_told_before_any_work(history: History, tmp_path: Path) -> None:
    pygit2.init_repository(str(tmp_path / "empty.git"), bare=True)
    (tmp_path / "folder").mkdir()
    for source, message in (
        (f"git:{tmp_path / 'absent'}", "there is no"),
        (f"git:{tmp_path / 'folder'}", "is no git repository"),
        (f"git:{tmp_path / 'empty.git'}", "nothing was ever committed"),
        (f"git:{history.folder}@v2", "no branch, tag or commit v2"),
        (f"git:{history.folder}@{'0' * 40}", "no branch, tag or commit 0000"),
    ):
        with pytest.raises(CodeacumenError, match=message):
            projects([source], tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


# --------------------------------------------------------------------------------------
# From a server.
# --------------------------------------------------------------------------------------


class _Server(ThreadingHTTPServer):
    """git's own server program behind HTTP, on this machine."""

    folder: Path
    requests: list[str]


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(body)

    def _answer(self, body: bytes) -> None:
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
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
        )
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
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


def url(server: _Server) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}/repo.git"


@pytest.mark.parametrize(
    ("rev", "expected"),
    [("", "merge"), ("@side", "side"), ("@v1", "first"), ("@pkg@2.0", "first")],
)
def test_fetching_one_commit(
    history: History, server: _Server, tmp_path: Path, rev: str, expected: str
) -> None:
    steps: list[str] = []
    (source,) = projects(
        [f"git:{url(server)}{rev}"], tmp_path / "cache", lambda what, *_: steps.append(what)
    )
    assert source.name == "repo"
    assert source.source == f"git:{url(server)}{rev}"
    assert source.revision == getattr(history, expected)
    local = project(f"git:{history.folder}{rev}", tmp_path)
    assert content(source) == content(local)
    (kept,) = (tmp_path / "cache" / "git").glob("*/*.git")
    # Only what was asked for, not the history behind it.
    assert run_git(kept, "rev-list", "--all", "--count") == b"1\n"
    assert f"fetching {source.source}" in steps


def test_fetching_a_commit_by_its_hash(history: History, server: _Server, tmp_path: Path) -> None:
    """Servers give only what a reference leads to, unless they are told otherwise: then all of
    the history comes, or with an abbreviated hash has to."""
    for number, rev in enumerate((history.second, history.second[:9])):
        source = project(f"git:{url(server)}@{rev}", tmp_path / f"cache{number}")
        assert source.revision == history.second
        assert "src/Renamed.java" in content(source)
    run_git(history.folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    source = project(f"git:{url(server)}@{history.loose}", tmp_path / "cache2")
    assert content(source) == {"Loose.java": b"class L { }"}
    (kept,) = (tmp_path / "cache2" / "git").glob("*/*.git")
    assert run_git(kept, "rev-list", "--all", "--count") == b"1\n"


def test_a_commit_that_is_here_needs_no_network(
    history: History, server: _Server, tmp_path: Path
) -> None:
    source = f"git:{url(server)}@{history.second}"
    before = content(project(source, tmp_path / "cache"))
    asked = len(server.requests)
    assert content(project(source, tmp_path / "cache")) == before
    assert len(server.requests) == asked


def test_a_fetch_that_was_killed_begins_again(
    history: History, server: _Server, tmp_path: Path
) -> None:
    source = f"git:{url(server)}@{history.second}"
    project(source, tmp_path / "cache")
    (kept,) = (tmp_path / "cache" / "git").glob("*/*.git")
    # As a process leaves it that is killed before the last step.
    kept.rename(kept.with_name(kept.name + ".part"))
    shutil.rmtree(kept.with_name(kept.name + ".part") / "objects")
    assert len(content(project(source, tmp_path / "cache"))) == 2


def test_what_a_server_does_not_have(history: History, server: _Server, tmp_path: Path) -> None:
    (tmp_path / "local").mkdir()
    for source, message in (
        (f"git:{url(server)}@mainn", "has no branch, tag or commit mainn"),
        (f"git:{url(server)}@{'1' * 40}", "no branch, tag or commit 1111"),
        (f"git:{url(server)}x", "cannot be read"),
        ("git:http://127.0.0.1:9/repo", "cannot be read"),
    ):
        with pytest.raises(CodeacumenError, match=message) as caught:
            projects([str(tmp_path / "local"), source], tmp_path / "cache")
        assert "main" in caught.value.hint or "mainn" not in source
    assert not list((tmp_path / "cache").glob("git/*/*.git"))


def test_a_typing_error_in_the_last_source_fetches_nothing(server: _Server, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no such folder"):
        projects([f"git:{url(server)}", str(tmp_path / "absent")], tmp_path / "cache")
    assert server.requests == []
