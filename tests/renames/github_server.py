"""A server that behaves like GitHub's REST API, for a repository that a test makes up.

It pages with Link headers whose addresses are spelt with the repository's number, as GitHub's are;
it tags answers and says 304; it counts questions against a limit; differences and hunks are made by
``difflib``, branches compared from where they parted. Faults are laid in its way, each for the next
question whose address holds a text. ``log`` has every question with its answer's status.
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


def sha(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass
class Commit:
    sha: str
    files: dict[str, str]
    parent: str
    date: str


@dataclass
class Repository:
    """Commits are known by labels in the test and by hashes in the API."""

    name: str = "acme/widgets"
    commits: dict[str, Commit] = field(default_factory=dict)
    pulls: list[dict[str, Json]] = field(default_factory=list)
    comments: list[dict[str, Json]] = field(default_factory=list)
    discussion: list[dict[str, Json]] = field(default_factory=list)
    reviews: dict[int, list[Json]] = field(default_factory=dict)
    branches: dict[int, list[str]] = field(default_factory=dict)
    _id: int = 1000

    def commit(self, label: str, parent: str, files: dict[str, str | None], day: int = 1) -> str:
        """A commit that changes some files of its parent; None takes one away."""
        before = self.commits[sha(parent)].files if parent else {}
        after = {**before, **files}
        kept = {path: text for path, text in after.items() if text is not None}
        date = f"2022-03-{day:02}T10:00:00Z"
        self.commits[sha(label)] = Commit(sha(label), kept, sha(parent) if parent else "", date)
        return sha(label)

    def pull(
        self, number: int, base: str, labels: list[str], author: str = "ann", merged: bool = True
    ) -> None:
        day = f"2022-03-{number % 28 + 1:02}"
        self.branches[number] = [sha(one) for one in labels]
        self.pulls.append(
            {
                "number": number,
                "html_url": f"https://example.org/{self.name}/pull/{number}",
                "user": {"login": author, "type": "User"},
                "state": "closed",
                "created_at": f"{day}T08:00:00Z",
                "closed_at": f"{day}T20:00:00Z",
                "merged_at": f"{day}T20:00:00Z" if merged else None,
                "head": {"sha": sha(labels[-1])},
                "base": {"sha": sha(base)},
            }
        )

    def on_line(
        self,
        pull: int,
        label: str,
        path: str,
        at: str,
        body: str,
        author: str | None = "bob",
        outdated: bool = False,
        lines: int = 1,
        left: bool = False,
        base: str = "main",
        reply_to: int = 0,
        bot: bool = False,
        bare: bool = False,
    ) -> int:
        """A comment at the first line that holds a text, in the commit or (left) in its base;
        ``bare``: as old comments are, without any line."""
        self._id += 1
        text = self.commits[sha(base if left else label)].files[path].split("\n")
        first = next(place for place, line in enumerate(text, 1) if at in line)
        last = first + lines - 1
        item = {
            "id": self._id,
            "body": body,
            "path": path,
            "html_url": f"https://example.org/{self.name}/pull/{pull}#discussion_r{self._id}",
            "pull_request_url": f"http://api/repos/{self.name}/pulls/{pull}",
            "user": None if author is None else {"login": author, "type": "Bot" if bot else "User"},
            "created_at": f"2022-03-{pull % 28 + 1:02}T12:00:{self._id % 60:02}Z",
            "original_commit_id": sha(label),
            "commit_id": sha(label),
            "original_line": None if bare else last,
            "line": None if outdated or bare else last,
            "original_start_line": first if lines > 1 else None,
            "start_line": None,
            "side": "LEFT" if left else "RIGHT",
            "diff_hunk": self._hunk(base, label, path, last, left),
        }
        if reply_to:
            item["in_reply_to_id"] = reply_to
        self.comments.append(item)
        return self._id

    def say(self, pull: int, body: str | None, author: str = "bob", hour: int = 12) -> None:
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

    def review(self, pull: int, state: str, body: str = "", label: str = "") -> None:
        self._id += 1
        self.reviews.setdefault(pull, []).append(
            {
                "id": self._id,
                "state": state,
                "body": body,
                "user": {"login": "bob", "type": "User"},
                "commit_id": sha(label) if label else None,
                "html_url": f"https://example.org/{self.name}/pull/{pull}#review-{self._id}",
                "submitted_at": f"2022-03-{pull % 28 + 1:02}T13:00:00Z",
            }
        )

    def _hunk(self, base: str, label: str, path: str, line: int, left: bool) -> str:
        """The difference from its beginning to a line, as GitHub cuts it off there."""
        before = self.commits[sha(base)].files.get(path, "").split("\n")
        after = self.commits[sha(label)].files.get(path, "").split("\n")
        made = list(difflib.unified_diff(before, after, lineterm="", n=10_000))[2:]
        shown, at = made[:1], 0
        for one in made[1:]:
            shown.append(one)
            at += one[:1] != ("+" if left else "-")
            if at == line and one[:1] != ("+" if left else "-"):
                break
        return "\n".join(shown)

    def ancestors(self, one: str) -> list[str]:
        found = []
        while one:
            found.append(one)
            one = self.commits[one].parent
        return found

    def compared(self, before: str, after: str) -> Json:
        mine = set(self.ancestors(before))
        parting = next(one for one in self.ancestors(after) if one in mine)
        old, new = self.commits[parting].files, self.commits[after].files
        files: list[Json] = []
        gone = {path for path in old if path not in new}
        for path in sorted(new):
            if path in old and old[path] == new[path]:
                continue
            source = path if path in old else _moved(old, new[path], gone)
            item = {"filename": path, "sha": sha(new[path])}
            if not source:
                item["status"] = "added"
            elif source != path:
                item |= {"status": "renamed", "previous_filename": source}
                gone.discard(source)
            else:
                item["status"] = "modified"
            made = difflib.unified_diff(
                old.get(source, "").split("\n"), new[path].split("\n"), lineterm=""
            )
            files.append({**item, "patch": "\n".join(list(made)[2:])})
        files += [{"filename": path, "status": "removed", "sha": ""} for path in sorted(gone)]
        return {"merge_base_commit": {"sha": parting}, "files": files}


def _moved(old: dict[str, str], text: str, gone: set[str]) -> str:
    for path in sorted(gone):
        if difflib.SequenceMatcher(None, old[path], text, autojunk=False).ratio() > 0.5:
            return path
    return ""


@dataclass
class Asked:
    path: str
    query: str
    tag: str
    token: str
    status: int

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}"


class Server:
    """``fault(text, ...)`` lays faults for the next questions whose address holds the text:
    a status, ``(status, headers, message)``, ``"truncated"``, ``"cut off"`` or ``"hangs"``."""

    def __init__(self, *repositories: Repository, per_page: int = 2, deepest: int = 1000) -> None:
        self.repositories = {one.name: one for one in repositories}
        self.per_page, self.deepest = per_page, deepest
        self.log: list[Asked] = []
        self.faults: list[tuple[str, Json]] = []
        self.remaining = 5000
        self.reset = 0.0
        self.large: set[str] = set()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner._serve(self)

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

    def fault(self, text: str, *faults: Json) -> None:
        self.faults += [(text, one) for one in faults]

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        tag = handler.headers.get("If-None-Match", "")
        token = handler.headers.get("Authorization", "")

        def send(status: int, body: bytes = b"", **headers: str) -> None:
            self.log.append(Asked(parts.path, parts.query, tag, token, status))
            handler.send_response(status)
            handler.send_header("Content-Length", headers.pop("length", str(len(body))))
            handler.send_header("x-ratelimit-remaining", str(self.remaining))
            handler.send_header("x-ratelimit-reset", str(int(self.reset)))
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        address = f"{unquote(parts.path)}?{parts.query}"
        fault: Json = None
        for place, (text, _) in enumerate(self.faults):
            if text in address:
                fault = self.faults.pop(place)[1]
                break
        if self.remaining <= 0 and time.time() < self.reset:
            send(403, b'{"message": "API rate limit exceeded for user"}')
            return
        self.remaining -= 1
        if isinstance(fault, int):
            send(fault, b'{"message": "no"}')
            return
        if isinstance(fault, tuple):
            status, headers, message = fault
            send(status, json.dumps({"message": message}).encode(), **headers)
            return
        if fault == "hangs":
            self.log.append(Asked(parts.path, parts.query, tag, token, 0))
            time.sleep(1.0)
            return
        status, found, headers = self._found(unquote(parts.path), parse_qs(parts.query))
        body = json.dumps(found).encode()
        etag = f'W/"{hashlib.sha256(body).hexdigest()[:16]}"'
        if fault == "truncated":
            send(200, body[: len(body) // 2])
        elif fault == "cut off":
            send(200, body[: len(body) // 2], length=str(len(body)))
            handler.close_connection = True
        elif status == 200 and tag == etag:
            self.remaining += 1
            send(304, ETag=etag, **headers)
        else:
            send(status, body, ETag=etag, **headers)

    def _found(self, path: str, query: dict[str, list[str]]) -> tuple[int, Json, dict[str, str]]:
        parts = path.strip("/").split("/")
        repository = self.repositories.get("/".join(parts[1:3]))
        if parts[0] != "repos" or repository is None:
            return 404, {"message": "Not Found"}, {}
        rest = parts[3:]
        match rest:
            case ["pulls"]:
                return self._page(repository.pulls, "pulls", query)
            case ["pulls", "comments"]:
                return self._page(repository.comments, "pulls/comments", query)
            case ["issues", "comments"]:
                return self._page(repository.discussion, "issues/comments", query)
            case ["pulls", number, "reviews"]:
                if int(number) not in repository.branches:
                    return 404, {"message": "Not Found"}, {}
                return self._page(repository.reviews.get(int(number), []), path, query)
            case ["pulls", number, "commits"]:
                chain = [repository.commits[one] for one in repository.branches[int(number)]]
                items = [{"sha": c.sha, "commit": {"committer": {"date": c.date}}} for c in chain]
                return self._page(items, path, query)
            case ["compare", both]:
                before, _, after = both.partition("...")
                if not {before, after} <= repository.commits.keys():
                    return 404, {"message": "No common ancestor"}, {}
                return 200, repository.compared(before, after), {}
            case ["contents", *names]:
                commit = repository.commits.get(query["ref"][0])
                text = commit.files.get("/".join(names)) if commit else None
                if text is None:
                    return 404, {"message": "Not Found"}, {}
                if "/".join(names) in self.large:
                    return 200, {"encoding": "none", "content": "", "sha": sha(text)}, {}
                return 200, _blob(text), {}
            case ["git", "blobs", wanted]:
                texts = [t for c in repository.commits.values() for t in c.files.values()]
                found = [text for text in texts if sha(text) == wanted]
                return (200, _blob(found[0]), {}) if found else (404, {}, {})
        return 404, {"message": "Not Found"}, {}

    def _page(
        self, items: list[Json], what: str, query: dict[str, list[str]]
    ) -> tuple[int, Json, dict[str, str]]:
        since = query.get("since", [""])[0] if what.endswith("/comments") else ""
        items = [one for one in items if not since or one["created_at"] >= since]
        number = int(query.get("page", ["1"])[0])
        if number > self.deepest:
            return 422, {"message": "pagination is limited for this resource"}, {}
        first = (number - 1) * self.per_page
        headers = {}
        if first + self.per_page < len(items):
            again = urlencode({**{k: v[0] for k, v in query.items()}, "page": number + 1})
            # GitHub names repositories by number there, and another host would be another trap.
            address = f"https://api.example.org/repositories/77/{what}?{again}"
            headers["Link"] = f'<{address}>; rel="next", <{address}>; rel="last"'
        return 200, items[first : first + self.per_page], headers


def _blob(text: str) -> Json:
    encoded = base64.encodebytes(text.encode("utf-8", "surrogateescape")).decode()
    return {"encoding": "base64", "content": encoded, "sha": sha(text)}
