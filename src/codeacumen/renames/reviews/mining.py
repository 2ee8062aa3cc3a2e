"""From a repository's pull requests to renames with the comments that led to them.

1. All comments are read, and pull requests in which somebody speaks of a name are selected.
2. ``Changes`` compares the commit that a comment was written at with the last one, and also the
   commit that the pull request began at, for comments that explain a rename.
3. Methods are matched (``renames.match``): renames in which only the name changed.
4. Each rename is linked to the comment that speaks of it most surely, or left out.
"""

from __future__ import annotations

import base64
import binascii
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.reading import Problem
from codeacumen.renames.match import Located, Matched, Pair, Renamed, match
from codeacumen.renames.records import Rename, Review, StableMethod
from codeacumen.renames.reviews.client import OK, Source, file_key, listed
from codeacumen.renames.reviews.comments import (
    LINKS,
    Comment,
    Pull,
    Where,
    approved,
    commit_at,
    find_features,
    is_suggested,
    link,
    read_discussion,
    read_line_comment,
    read_pull,
    read_verdict,
    seconds,
    speaks_of_names,
    threads,
)
from codeacumen.renames.tags import mass, of_commit, of_method, of_place
from codeacumen.renames.versions import Version, version_of

# GitHub lists no more files of a difference.
MOST_FILES = 300
_SHA = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Range:
    """``before`` is the commit that files are compared from: the one asked for, or the one at which
    the branches parted. ``files`` are their paths before and after."""

    before: str
    after: str
    files: tuple[tuple[str, str], ...]


class Changes:
    """The changes of one repository; ``lost`` counts what could not be looked at, by reason."""

    def __init__(self, source: Source, repository: str, lost: Counter[str]) -> None:
        self.source, self.repository, self.lost = source, repository, lost
        self._versions: dict[tuple[str, str], Version | None] = {}

    def between(self, before: str, after: str, *, from_parting: bool = False) -> Range | None:
        """The Java files in which a method may have been renamed; None if a commit is gone.

        GitHub compares with the commit at which the branches parted. Where that is not ``before``,
        a force-push came between: then the list holds at least what the pull request changes, and
        the files are read at ``before`` all the same, unless ``from_parting``.
        """
        answer = self.source.get(
            file_key(self.repository, "compare", f"{before}...{after}"),
            f"repos/{self.repository}/compare/{quote(before)}...{quote(after)}",
            {"per_page": "1"},
            fixed=True,
        )
        body = answer.body if answer.status == OK and isinstance(answer.body, dict) else None
        listed = body.get("files") if body is not None else None
        if body is None or not isinstance(listed, list):
            self.lost["a commit has vanished"] += 1
            return None
        parted = _sha(body.get("merge_base_commit"))
        forced = bool(parted) and parted != before
        if len(listed) >= MOST_FILES:
            self.lost["a difference of more files than GitHub lists"] += 1
        files = [found for item in listed if (found := _file(item, forced and not from_parting))]
        return Range((from_parting and parted) or before, after, tuple(sorted(set(files))))

    def matched(self, found: Range) -> Matched:
        pairs = []
        for before, after in found.files:
            old, new = self._version(found.before, before), self._version(found.after, after)
            if old is not None and new is not None:
                pairs.append(Pair(before, after, old, new))
        return match(pairs)

    def forget(self) -> None:
        """A pull request is done: its files are not needed any more."""
        self._versions.clear()

    def _version(self, commit: str, path: str) -> Version | None:
        if (commit, path) not in self._versions:
            self._versions[commit, path] = self._read(commit, path)
        return self._versions[commit, path]

    def _read(self, commit: str, path: str) -> Version | None:
        data = self.text(commit, path)
        if data is None:
            self.lost["a file has vanished"] += 1
            return None
        found = version_of(path, data)
        if isinstance(found, Problem):
            self.lost[f"a file is {found.kind}"] += 1
            return None
        return found

    def text(self, commit: str, path: str) -> bytes | None:
        """A file at a commit; None where it is not there."""
        answer = self.source.get(
            file_key(self.repository, "files", commit, path),
            f"repos/{self.repository}/contents/{quote(path, errors='replace')}",
            {"ref": commit},
            fixed=True,
        )
        if answer.status != OK or not isinstance(answer.body, dict):
            return None
        data = _content(answer.body)
        sha = _sha(answer.body)
        if data is None and sha:
            # Files of more than a megabyte come as blobs only.
            blob = self.source.get(
                file_key(self.repository, "blobs", sha),
                f"repos/{self.repository}/git/blobs/{quote(sha)}",
                {},
                fixed=True,
            )
            data = _content(blob.body) if isinstance(blob.body, dict) else None
        return data


def _sha(item: Json) -> str:
    found = item.get("sha") if isinstance(item, dict) else None
    return found if isinstance(found, str) and _SHA.fullmatch(found) else ""


def _content(body: dict[str, Json]) -> bytes | None:
    text = body.get("content")
    if body.get("encoding") != "base64" or not isinstance(text, str):
        return None
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None


def _file(item: Json, forced: bool) -> tuple[str, str] | None:
    """The paths of a file in which a method may have been renamed."""
    path = item.get("filename") if isinstance(item, dict) else None
    if not isinstance(path, str) or not path.isprintable() or not path.endswith(".java"):
        return None
    if item.get("status") in ("added", "removed") and not forced:
        return None
    patch = item.get("patch")
    # A rename takes a declaration away and puts one in its place. Of a long one there is no patch.
    if isinstance(patch, str) and not forced:
        lines = patch.split("\n")
        signs = {line[0] for line in lines if line[:1] in ("+", "-") and "(" in line}
        if signs != {"+", "-"}:
            return None
    before = item.get("previous_filename")
    return (before if isinstance(before, str) and before.isprintable() else path), path


NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "codeacumen:renames/reviews")
PER_PAGE = "100"
# So many methods that change alike in one pull request are a campaign, and no judgement of each.
MASS = 10


class NoRepositoryError(CodeacumenError):
    """A repository that is not there, or that may not be seen."""


@dataclass(slots=True)
class Found:
    """What a repository gave; ``counts`` from pull requests to cases, ``lost`` by reason."""

    repository: str
    renames: list[Rename] = field(default_factory=list)
    stable: list[StableMethod] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Case:
    """A rename, the thread it is linked to, and how."""

    renamed: Renamed
    tags: tuple[str, ...]
    found: Range
    matched: Matched
    thread: Sequence[Comment]
    link: str
    suggested: bool

    @property
    def rank(self) -> tuple[bool, int, str, int]:
        root = self.thread[0]
        return not self.suggested, LINKS.index(self.link), root.time, root.id


def mine(
    source: Source, repository: str, since: str = "", step: Progress = ignore_progress
) -> Found:
    """``since``: a date, as 2020-01-31; pull requests that were opened before it are left out."""
    found = Found(repository)
    pulls = _pulls(source, repository, since, found, step)
    naming = {
        one.pull
        for one in _comments(source, repository, since, found.counts, step)
        if one.pull in pulls and speaks_of_names(one.body)
    }
    found.counts["pull requests that speak of names"] = len(naming)
    said: dict[int, list[Comment]] = {number: [] for number in naming}
    # Read a second time, from what is kept: all comments of a large project would fill the memory.
    for one in _comments(source, repository, since, Counter(), ignore_progress):
        if one.pull in said:
            said[one.pull].append(one)
    changes = Changes(source, repository, found.lost)
    stable: dict[tuple[object, ...], StableMethod] = {}
    for place, number in enumerate(sorted(naming)):
        step(f"{repository}: pull requests", place, len(naming))
        for case in _pull(source, repository, changes, pulls[number], said[number], found):
            for other in _others(case, repository):
                stable[other.path, other.owner, other.name, other.parameters] = other
        changes.forget()
    found.stable = sorted(stable.values(), key=lambda one: (one.path, one.owner, one.id))
    found.counts["cases"], found.counts["stable"] = len(found.renames), len(found.stable)
    return found


def _pulls(
    source: Source, repository: str, since: str, found: Found, tell: Progress
) -> dict[int, Pull]:
    key, path = file_key(repository, "pulls"), f"repos/{repository}/pulls"
    query = {"state": "closed", "sort": "created", "direction": "asc", "per_page": PER_PAGE}
    first = source.get(f"{key}/page-1", path, query)
    if first.status != OK:
        raise NoRepositoryError(
            f"there is no repository {repository}, or it may not be seen (status {first.status})",
            "it is written OWNER/REPO; a private one needs a token that may read it",
        )
    pulls: dict[int, Pull] = {}
    for count, item in enumerate(listed(source, key, path, query), 1):
        if count % 100 == 0:
            tell(f"{repository}: list of pull requests", count, 0)
        pull = read_pull(item)
        if pull is not None and pull.created >= since:
            pulls[pull.number] = pull
    found.counts["pull requests"] = len(pulls)
    return pulls


def _comments(
    source: Source, repository: str, since: str, counts: Counter[str], tell: Progress
) -> Iterator[Comment]:
    """All comments on lines and in discussions of a repository, each once. Asked for the whole
    repository: hundreds of pull requests come with one question."""
    query = {"sort": "created", "direction": "asc", "per_page": PER_PAGE}
    if since:
        query["since"] = f"{since}T00:00:00Z"
    suffix = f"-since-{since}" if since else ""
    kinds = (
        ("comments", "pulls/comments", read_line_comment),
        ("discussion", "issues/comments", read_discussion),
    )
    for name, path, read in kinds:
        seen: set[int] = set()
        key = file_key(repository, f"{name}{suffix}")
        for item in listed(source, key, f"repos/{repository}/{path}", query):
            one = read(item)
            if one is not None and one.id not in seen:
                seen.add(one.id)
                if len(seen) % 100 == 0:
                    tell(f"{repository}: {name}", len(seen), 0)
                yield one
        counts[name] = len(seen)


def _pull(
    source: Source, repository: str, changes: Changes, pull: Pull, said: list[Comment], found: Found
) -> list[_Case]:
    """The cases of a pull request; their records are added to what was found."""
    key, path = file_key(repository, "pulls", str(pull.number)), f"pulls/{pull.number}"
    path = f"repos/{repository}/{path}"
    query = {"per_page": PER_PAGE}
    reviews = list(listed(source, f"{key}/reviews", f"{path}/reviews", query))
    verdicts = [one for item in reviews if (one := read_verdict(item, pull.number)) is not None]
    naming = [
        thread
        for thread in threads([*said, *verdicts]).values()
        if any(speaks_of_names(one.body) for one in thread)
    ]
    commits: list[Json] | None = None
    shown: dict[str, None] = {}
    for thread in naming:
        commit = thread[0].commit
        if not commit:
            if commits is None:
                commits = list(listed(source, f"{key}/commits", f"{path}/commits", query))
            commit = commit_at(commits, thread[0].time)
        if commit and commit != pull.head:
            shown[commit] = None
    ranges = [changes.between(commit, pull.head) for commit in shown]
    ranges.append(changes.between(pull.base, pull.head, from_parting=True))
    cases = _linked([one for one in ranges if one is not None], changes, naming, found)
    accepted = (pull.merged, approved(reviews))
    for case in cases:
        found.renames.append(_record(case, repository, pull, accepted))
    return cases


def _linked(
    ranges: Iterable[Range], changes: Changes, naming: Sequence[Sequence[Comment]], found: Found
) -> list[_Case]:
    """For each method that has another name now, its best link."""
    best: dict[tuple[object, ...], _Case] = {}
    unlinked: set[tuple[object, ...]] = set()
    for one in ranges:
        matched = changes.matched(one)
        for renamed, tags in zip(matched.renames, _tags(matched), strict=True):
            new = renamed.new
            key = (new.path, new.method.key)
            if not new.method.has_body:
                found.lost["a renamed method has no body"] += 1
                continue
            where = _where(renamed.old, one.before)
            unlinked.add(key)
            for thread in naming:
                how = link(thread, where, new.name)
                if how:
                    suggested = is_suggested([c.body for c in thread], new.name)
                    case = _Case(renamed, tags, one, matched, thread, how, suggested)
                    if key not in best or case.rank < best[key].rank:
                        best[key] = case
    found.counts["methods of which only the name changed"] += len(unlinked)
    found.lost["a rename that no comment speaks of"] += len(unlinked - best.keys())
    return [case for _, case in sorted(best.items(), key=lambda item: str(item[0]))]


def _tags(matched: Matched) -> list[tuple[str, ...]]:
    names = [(one.old.name, one.new.name) for one in matched.renames]
    return [
        tuple(sorted({*tags, "mass"} if many else tags))
        for tags, many in zip(of_commit(matched.renames), mass(names, MASS), strict=True)
    ]


def _where(old: Located, commit: str) -> Where:
    file, method, data = old.version.file, old.method, old.version.source.data
    opens = int(file.syntax.start[method.declared.body]) if file is not None else method.start

    def line(offset: int) -> int:
        return data.count(b"\n", 0, offset) + 1

    return Where(commit, old.path, old.name, line(method.first), line(opens), line(method.end))


def _record(case: _Case, repository: str, pull: Pull, accepted: tuple[bool, bool]) -> Rename:
    old, new, root = case.renamed.old, case.renamed.new, case.thread[0]
    merged, agreed = accepted
    said = [one.body for one in case.thread]
    features = find_features(
        said,
        old.name,
        new.name,
        accepted=merged or agreed,
        approved=agreed,
        own=bool(root.author) and root.author == pull.author,
        tags=case.tags,
    )
    told = (repository, str(pull.number), new.path, new.method.key, old.name)
    return Rename(
        id=str(uuid.uuid5(NAMESPACE, "\0".join(told))),
        project=repository,
        commit=case.found.after,
        parent=case.found.before,
        time=seconds(pull.closed),
        path=new.path,
        path_before=old.path,
        owner=new.method.shown,
        old_name=old.name,
        new_name=new.name,
        parameters=new.method.parameters,
        returns=new.method.declared.returns,
        code=new.version.code(new.method),
        code_before=old.version.code(old.method),
        tags=case.tags,
        review=Review(
            comment="\n\n".join(said),
            url=root.url or pull.url,
            author=root.author,
            pull=pull.number,
            accepted=merged or agreed,
            features=(*features, f"link:{case.link}"),
        ),
    )


def _others(case: _Case, repository: str) -> Iterator[StableMethod]:
    """The methods of the case's file that kept name and body."""
    for _, one in case.matched.same:
        if one.path != case.renamed.new.path or not one.method.has_body:
            continue
        told = ("stable", repository, one.path, one.method.key)
        yield StableMethod(
            id=str(uuid.uuid5(NAMESPACE, "\0".join(told))),
            project=repository,
            commit=case.found.after,
            path=one.path,
            owner=one.method.shown,
            name=one.name,
            parameters=one.method.parameters,
            returns=one.method.declared.returns,
            code=one.version.code(one.method),
            tags=tuple(
                sorted(
                    {
                        *of_place(one.path, one.version, one.method),
                        *of_method(one.version, one.method),
                    }
                )
            ),
        )
