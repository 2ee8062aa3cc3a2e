"""A local server that imitates GitHub's REST API for a repository defined by a test.

Its Link headers address pages by the number of the repository, as GitHub's do. It sends ETags and
answers 304, counts requests against a rate limit, computes diffs and hunks with ``difflib``, and
compares branches from their merge base. A test can add faults, each for the next request whose
address contains a text. ``log`` holds every request with the status of its answer.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

Json = Any


def hash_text(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass
class Commit:
    sha: str
    files: dict[str, str]
    parent: str
    date: str


@dataclass
class Repository:
    """A repository whose commits have labels in the test and hashes of these in the API."""

    name: str = "acme/widgets"
    commits: dict[str, Commit] = field(default_factory=dict)
    pulls: list[dict[str, Json]] = field(default_factory=list)
    comments: list[dict[str, Json]] = field(default_factory=list)
    discussion: list[dict[str, Json]] = field(default_factory=list)
    reviews: dict[int, list[Json]] = field(default_factory=dict)
    branches: dict[int, list[str]] = field(default_factory=dict)
    _id: int = 1000

    def add_commit(
        self, label: str, parent: str, files: dict[str, str | None], day: int = 1
    ) -> str:
        """Add a commit that changes files of its parent and deletes those whose text is None."""
        before = self.commits[hash_text(parent)].files if parent else {}
        after = {**before, **files}
        remaining = {path: text for path, text in after.items() if text is not None}
        date = f"2022-03-{day:02}T10:00:00Z"
        self.commits[hash_text(label)] = Commit(
            hash_text(label), remaining, hash_text(parent) if parent else "", date
        )
        return hash_text(label)

    def add_pull(
        self, number: int, base: str, labels: list[str], author: str = "ann", merged: bool = True
    ) -> None:
        day = f"2022-03-{number % 28 + 1:02}"
        self.branches[number] = [hash_text(label) for label in labels]
        self.pulls.append(
            {
                "number": number,
                "html_url": f"https://example.org/{self.name}/pull/{number}",
                "user": {"login": author, "type": "User"},
                "state": "closed",
                "created_at": f"{day}T08:00:00Z",
                "closed_at": f"{day}T20:00:00Z",
                "merged_at": f"{day}T20:00:00Z" if merged else None,
                "head": {"sha": hash_text(labels[-1])},
                "base": {"sha": hash_text(base)},
            }
        )

    def add_line_comment(
        self,
        pull: int,
        label: str,
        path: str,
        line_text: str,
        body: str,
        author: str | None = "bob",
        outdated: bool = False,
        lines: int = 1,
        on_base: bool = False,
        base: str = "main",
        reply_to: int = 0,
        bot: bool = False,
        without_lines: bool = False,
    ) -> int:
        """Add a comment at the first line that contains a text, and return its id.

        The line is in the commit, or in its base with ``on_base``. With ``without_lines`` the
        comment has no line numbers, as old comments do.
        """
        self._id += 1
        text = self.commits[hash_text(base if on_base else label)].files[path].split("\n")
        first = next(number for number, line in enumerate(text, 1) if line_text in line)
        last = first + lines - 1
        item = {
            "id": self._id,
            "body": body,
            "path": path,
            "html_url": f"https://example.org/{self.name}/pull/{pull}#discussion_r{self._id}",
            "pull_request_url": f"http://api/repos/{self.name}/pulls/{pull}",
            "user": None if author is None else {"login": author, "type": "Bot" if bot else "User"},
            "created_at": f"2022-03-{pull % 28 + 1:02}T12:00:{self._id % 60:02}Z",
            "original_commit_id": hash_text(label),
            "commit_id": hash_text(label),
            "original_line": None if without_lines else last,
            "line": None if outdated or without_lines else last,
            "original_start_line": first if lines > 1 else None,
            "start_line": None,
            "side": "LEFT" if on_base else "RIGHT",
            "diff_hunk": self._cut_hunk(base, label, path, last, on_base),
        }
        if reply_to:
            item["in_reply_to_id"] = reply_to
        self.comments.append(item)
        return self._id

    def add_discussion_comment(
        self, pull: int, body: str | None, author: str = "bob", hour: int = 12
    ) -> None:
        self._id += 1
        self.discussion.append(
            {
                "id": self._id,
                "body": body,
                "user": {"login": author, "type": "User"},
                "html_url": f"https://example.org/{self.name}/pull/{pull}#issuecomment-{self._id}",
                "issue_url": f"http://api/repos/{self.name}/issues/{pull}",
                "created_at": f"2022-03-{pull % 28 + 1:02}T{hour:02}:30:00Z",
            }
        )

    def add_review(self, pull: int, state: str, body: str = "", label: str = "") -> None:
        self._id += 1
        self.reviews.setdefault(pull, []).append(
            {
                "id": self._id,
                "state": state,
                "body": body,
                "user": {"login": "bob", "type": "User"},
                "commit_id": hash_text(label) if label else None,
                "html_url": f"https://example.org/{self.name}/pull/{pull}#review-{self._id}",
                "submitted_at": f"2022-03-{pull % 28 + 1:02}T13:00:00Z",
            }
        )

    def _cut_hunk(self, base: str, label: str, path: str, line: int, on_base: bool) -> str:
        """Return the diff from its beginning to a line, where GitHub cuts it off."""
        before = self.commits[hash_text(base)].files.get(path, "").split("\n")
        after = self.commits[hash_text(label)].files.get(path, "").split("\n")
        diff_lines = list(difflib.unified_diff(before, after, lineterm="", n=10_000))[2:]
        hunk_lines, line_number = diff_lines[:1], 0
        for diff_line in diff_lines[1:]:
            hunk_lines.append(diff_line)
            line_number += diff_line[:1] != ("+" if on_base else "-")
            if line_number == line and diff_line[:1] != ("+" if on_base else "-"):
                break
        return "\n".join(hunk_lines)

    def list_ancestors(self, commit_hash: str) -> list[str]:
        hashes = []
        while commit_hash:
            hashes.append(commit_hash)
            commit_hash = self.commits[commit_hash].parent
        return hashes

    def compare_commits(self, before: str, after: str) -> Json:
        base_ancestors = set(self.list_ancestors(before))
        merge_base = next(
            commit_hash
            for commit_hash in self.list_ancestors(after)
            if commit_hash in base_ancestors
        )
        old_files, new_files = self.commits[merge_base].files, self.commits[after].files
        files: list[Json] = []
        removed = {path for path in old_files if path not in new_files}
        for path in sorted(new_files):
            if path in old_files and old_files[path] == new_files[path]:
                continue
            source = (
                path if path in old_files else _find_moved_file(old_files, new_files[path], removed)
            )
            item = {"filename": path, "sha": hash_text(new_files[path])}
            if not source:
                item["status"] = "added"
            elif source != path:
                item |= {"status": "renamed", "previous_filename": source}
                removed.discard(source)
            else:
                item["status"] = "modified"
            diff_lines = difflib.unified_diff(
                old_files.get(source, "").split("\n"), new_files[path].split("\n"), lineterm=""
            )
            files.append({**item, "patch": "\n".join(list(diff_lines)[2:])})
        files += [{"filename": path, "status": "removed", "sha": ""} for path in sorted(removed)]
        return {"merge_base_commit": {"sha": merge_base}, "files": files}


def _find_moved_file(old_files: dict[str, str], text: str, removed: set[str]) -> str:
    for path in sorted(removed):
        if difflib.SequenceMatcher(None, old_files[path], text, autojunk=False).ratio() > 0.5:
            return path
    return ""


@dataclass
class LoggedRequest:
    path: str
    query: str
    tag: str
    token: str
    status: int

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}"


class Server:
    """HTTP server for some repositories, with a log of its requests.

    ``add_faults(text, ...)`` adds faults for the next requests whose address contains the text: a
    status, ``(status, headers, message)``, ``"truncated"``, ``"cut off"`` or ``"hangs"``.
    """

    def __init__(self, *repositories: Repository, per_page: int = 2, last_page: int = 1000) -> None:
        self.repositories = {repository.name: repository for repository in repositories}
        self.per_page, self.last_page = per_page, last_page
        self.log: list[LoggedRequest] = []
        self.faults: list[tuple[str, Json]] = []
        self.remaining = 5000
        self.reset = 0.0
        self.large_paths: set[str] = set()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner._handle_request(self)

            def log_message(self, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def add_faults(self, text: str, *faults: Json) -> None:
        self.faults += [(text, fault) for fault in faults]

    def _handle_request(self, handler: BaseHTTPRequestHandler) -> None:
        address_parts = urlsplit(handler.path)
        tag = handler.headers.get("If-None-Match", "")
        token = handler.headers.get("Authorization", "")

        def send_answer(status: int, body: bytes = b"", **headers: str) -> None:
            self.log.append(
                LoggedRequest(address_parts.path, address_parts.query, tag, token, status)
            )
            handler.send_response(status)
            handler.send_header("Content-Length", headers.pop("length", str(len(body))))
            handler.send_header("x-ratelimit-remaining", str(self.remaining))
            handler.send_header("x-ratelimit-reset", str(int(self.reset)))
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        address = f"{unquote(address_parts.path)}?{address_parts.query}"
        fault: Json = None
        for index, (text, _) in enumerate(self.faults):
            if text in address:
                fault = self.faults.pop(index)[1]
                break
        if self.remaining <= 0 and time.time() < self.reset:
            send_answer(403, b'{"message": "API rate limit exceeded for user"}')
            return
        self.remaining -= 1
        if isinstance(fault, int):
            send_answer(fault, b'{"message": "no"}')
            return
        if isinstance(fault, tuple):
            status, headers, message = fault
            send_answer(status, json.dumps({"message": message}).encode(), **headers)
            return
        if fault == "hangs":
            self.log.append(LoggedRequest(address_parts.path, address_parts.query, tag, token, 0))
            time.sleep(1.0)
            return
        status, content, headers = self._look_up(
            unquote(address_parts.path), parse_qs(address_parts.query)
        )
        body = json.dumps(content).encode()
        etag = f'W/"{hashlib.sha256(body).hexdigest()[:16]}"'
        if fault == "truncated":
            send_answer(200, body[: len(body) // 2])
        elif fault == "cut off":
            send_answer(200, body[: len(body) // 2], length=str(len(body)))
            handler.close_connection = True
        elif status == 200 and tag == etag:
            self.remaining += 1
            send_answer(304, ETag=etag, **headers)
        else:
            send_answer(status, body, ETag=etag, **headers)

    def _look_up(self, path: str, query: dict[str, list[str]]) -> tuple[int, Json, dict[str, str]]:
        parts = path.strip("/").split("/")
        repository = self.repositories.get("/".join(parts[1:3]))
        if parts[0] != "repos" or repository is None:
            return 404, {"message": "Not Found"}, {}
        rest = parts[3:]
        match rest:
            case ["pulls"]:
                return self._select_page(repository.pulls, "pulls", query)
            case ["pulls", "comments"]:
                return self._select_page(repository.comments, "pulls/comments", query)
            case ["issues", "comments"]:
                return self._select_page(repository.discussion, "issues/comments", query)
            case ["pulls", number, "reviews"]:
                if int(number) not in repository.branches:
                    return 404, {"message": "Not Found"}, {}
                return self._select_page(repository.reviews.get(int(number), []), path, query)
            case ["pulls", number, "commits"]:
                chain = [
                    repository.commits[commit_hash]
                    for commit_hash in repository.branches[int(number)]
                ]
                items = [
                    {"sha": commit.sha, "commit": {"committer": {"date": commit.date}}}
                    for commit in chain
                ]
                return self._select_page(items, path, query)
            case ["compare", range_]:
                before, _, after = range_.partition("...")
                if not {before, after} <= repository.commits.keys():
                    return 404, {"message": "No common ancestor"}, {}
                return 200, repository.compare_commits(before, after), {}
            case ["contents", *names]:
                commit = repository.commits.get(query["ref"][0])
                text = commit.files.get("/".join(names)) if commit else None
                if text is None:
                    return 404, {"message": "Not Found"}, {}
                if "/".join(names) in self.large_paths:
                    return 200, {"encoding": "none", "content": "", "sha": hash_text(text)}, {}
                return 200, _encode_blob(text), {}
            case ["git", "blobs", blob_hash]:
                texts = [
                    text for commit in repository.commits.values() for text in commit.files.values()
                ]
                matches = [text for text in texts if hash_text(text) == blob_hash]
                return (200, _encode_blob(matches[0]), {}) if matches else (404, {}, {})
        return 404, {"message": "Not Found"}, {}

    def _select_page(
        self, items: list[Json], resource: str, query: dict[str, list[str]]
    ) -> tuple[int, Json, dict[str, str]]:
        since = query.get("since", [""])[0] if resource.endswith("/comments") else ""
        items = [item for item in items if not since or item["created_at"] >= since]
        number = int(query.get("page", ["1"])[0])
        if number > self.last_page:
            return 422, {"message": "pagination is limited for this resource"}, {}
        first = (number - 1) * self.per_page
        headers = {}
        if first + self.per_page < len(items):
            next_query = urlencode(
                {**{name: values[0] for name, values in query.items()}, "page": number + 1}
            )
            # GitHub addresses the repository by number here. The client must keep to its own host.
            address = f"https://api.example.org/repositories/77/{resource}?{next_query}"
            headers["Link"] = f'<{address}>; rel="next", <{address}>; rel="last"'
        return 200, items[first : first + self.per_page], headers


def _encode_blob(text: str) -> Json:
    encoded = base64.encodebytes(text.encode("utf-8", "surrogateescape")).decode()
    return {"encoding": "base64", "content": encoded, "sha": hash_text(text)}
