"""Mine a repository's pull requests for renames with the comments that led to them.

1. All comments are read, and pull requests in which somebody speaks of a name are selected.
2. ``RepositoryChanges`` compares the commit that a comment was written at with the last one, and
   also the commit that the pull request began at, for comments that explain a rename.
3. Methods are matched (``renames.match``): renames in which only the name changed.
4. Each rename gets one thread of comments, or is left out. Threads that contain the new name come
   first, then the most certain link, then the earliest thread.

``reviews.run`` calls ``mine_repository`` for each repository."""

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
from codeacumen.renames.match import (
    FilePair,
    LocatedMethod,
    MatchedRename,
    MatchResult,
    match_methods,
)
from codeacumen.renames.records import Rename, Review, StableMethod
from codeacumen.renames.reviews.client import OK, AnswerSource, file_key, iterate_items
from codeacumen.renames.reviews.comments import (
    LINKS,
    Comment,
    MethodPosition,
    Pull,
    find_commit_at,
    find_features,
    group_threads,
    is_pull_approved,
    is_suggested,
    link_thread,
    parse_time,
    read_discussion,
    read_line_comment,
    read_pull,
    read_verdict,
    speaks_of_names,
)
from codeacumen.renames.tags import mark_mass_renames, tag_commit, tag_location, tag_method
from codeacumen.renames.versions import FileVersion, parse_version

# GitHub's limit on the files of a comparison.
MAX_FILES = 300
_SHA = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class CommitRange:
    """Two commits and the Java files that differ between them.

    ``before`` is the requested commit or the merge base of the branches; ``files`` are the paths
    before and after."""

    before: str
    after: str
    files: tuple[tuple[str, str], ...]


class RepositoryChanges:
    """The changes of one repository; ``skipped`` counts unreadable ones by reason.

    File versions stay in memory until ``drop_versions``.
    """

    def __init__(self, source: AnswerSource, repository: str, lost: Counter[str]) -> None:
        self.source, self.repository, self.skipped = source, repository, lost
        self._versions: dict[tuple[str, str], FileVersion | None] = {}

    def compare_commits(
        self, before: str, after: str, *, from_merge_base: bool = False
    ) -> CommitRange | None:
        """Return the Java files that may hold a renamed method; None if a commit is gone.

        GitHub compares with the merge base. If that is not ``before``, there was a force-push in
        between: then the list holds at least the changes of the pull request, and the files are
        still read at ``before``, unless ``from_merge_base``."""
        answer = self.source.get_answer(
            file_key(self.repository, "compare", f"{before}...{after}"),
            f"repos/{self.repository}/compare/{quote(before)}...{quote(after)}",
            {"per_page": "1"},
            fixed=True,
        )
        body = answer.body if answer.status == OK and isinstance(answer.body, dict) else None
        files_of_answer = body.get("files") if body is not None else None
        if body is None or not isinstance(files_of_answer, list):
            self.skipped["commit not found"] += 1
            return None
        merge_base = _get_sha(body.get("merge_base_commit"))
        is_rebased = bool(merge_base) and merge_base != before
        if len(files_of_answer) >= MAX_FILES:
            self.skipped["comparison truncated by GitHub"] += 1
        files = [
            java_file
            for item in files_of_answer
            if (java_file := _get_java_paths(item, is_rebased and not from_merge_base))
        ]
        return CommitRange(
            (from_merge_base and merge_base) or before, after, tuple(sorted(set(files)))
        )

    def match_range(self, commit_range: CommitRange) -> MatchResult:
        """Match the methods of the files that differ between two commits."""
        pairs = []
        for before, after in commit_range.files:
            old, new = (
                self._get_version(commit_range.before, before),
                self._get_version(commit_range.after, after),
            )
            if old is not None and new is not None:
                pairs.append(FilePair(before, after, old, new))
        return match_methods(pairs)

    def drop_versions(self) -> None:
        """Drop the versions of a finished pull request."""
        self._versions.clear()

    def _get_version(self, commit: str, path: str) -> FileVersion | None:
        if (commit, path) not in self._versions:
            self._versions[commit, path] = self._read_version(commit, path)
        return self._versions[commit, path]

    def _read_version(self, commit: str, path: str) -> FileVersion | None:
        data = self.read_file(commit, path)
        if data is None:
            self.skipped["file not found"] += 1
            return None
        version = parse_version(path, data)
        if isinstance(version, Problem):
            self.skipped[f"file not readable: {version.kind}"] += 1
            return None
        return version

    def read_file(self, commit: str, path: str) -> bytes | None:
        """Return a file at a commit; None if it does not exist there."""
        answer = self.source.get_answer(
            file_key(self.repository, "files", commit, path),
            f"repos/{self.repository}/contents/{quote(path, errors='replace')}",
            {"ref": commit},
            fixed=True,
        )
        if answer.status != OK or not isinstance(answer.body, dict):
            return None
        data = _decode_content(answer.body)
        sha = _get_sha(answer.body)
        if data is None and sha:
            # Files of more than a megabyte come as blobs only.
            blob = self.source.get_answer(
                file_key(self.repository, "blobs", sha),
                f"repos/{self.repository}/git/blobs/{quote(sha)}",
                {},
                fixed=True,
            )
            data = _decode_content(blob.body) if isinstance(blob.body, dict) else None
        return data


def _get_sha(item: Json) -> str:
    sha = item.get("sha") if isinstance(item, dict) else None
    return sha if isinstance(sha, str) and _SHA.fullmatch(sha) else ""


def _decode_content(body: dict[str, Json]) -> bytes | None:
    text = body.get("content")
    if body.get("encoding") != "base64" or not isinstance(text, str):
        return None
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None


def _get_java_paths(item: Json, include_all: bool) -> tuple[str, str] | None:
    """Return the old and new path of a file that may hold a renamed method, otherwise None.

    ``include_all`` ignores status and patch of the file, which are useless if they were computed
    from another commit.
    """
    path = item.get("filename") if isinstance(item, dict) else None
    if not isinstance(path, str) or not path.isprintable() or not path.endswith(".java"):
        return None
    if item.get("status") in ("added", "removed") and not include_all:
        return None
    patch = item.get("patch")
    # A rename removes one declaration and adds another. A long difference has no patch.
    if isinstance(patch, str) and not include_all:
        lines = patch.split("\n")
        signs = {line[0] for line in lines if line[:1] in ("+", "-") and "(" in line}
        if signs != {"+", "-"}:
            return None
    previous = item.get("previous_filename")
    return (previous if isinstance(previous, str) and previous.isprintable() else path), path


# Namespace of the ids of renames, so that the same rename always has the same id.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "codeacumen:renames/reviews")
# Items on a page: the most that GitHub allows.
PER_PAGE = "100"
# Renames that replace the same words at least this often between two commits are a mass rename: one
# decision and not several.
MIN_MASS_COUNT = 10


class NoRepositoryError(CodeacumenError):
    """A repository does not exist or may not be read."""


@dataclass(slots=True)
class MinedRepository:
    """Renames and stable methods of a repository; ``counts`` are for ``reviews.json``.

    ``skipped`` counts by reason what could not be read, or was left out.
    """

    repository: str
    renames: list[Rename] = field(default_factory=list)
    stable: list[StableMethod] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _LinkedRename:
    """A case: a rename, the thread it is linked to, and the kind of link (one of ``LINKS``).

    ``suggested``: the thread contains the new name.
    """

    renamed: MatchedRename
    tags: tuple[str, ...]
    commit_range: CommitRange
    matched: MatchResult
    thread: Sequence[Comment]
    link: str
    suggested: bool

    @property
    def rank(self) -> tuple[bool, int, str, int]:
        """Sort key: the least rank is the best link of a rename."""
        root = self.thread[0]
        return not self.suggested, LINKS.index(self.link), root.time, root.id


def mine_repository(
    source: AnswerSource, repository: str, since: str = "", step: Progress = ignore_progress
) -> MinedRepository:
    """Mine a repository; leave out pull requests opened before ``since``, a date as 2020-01-31.

    An empty ``since`` leaves out none. A repository that cannot be read raises NoRepositoryError.
    """
    result = MinedRepository(repository)
    pulls = _read_pulls(source, repository, since, result, step)
    naming_pulls = {
        comment.pull
        for comment in _read_comments(source, repository, since, result.counts, step)
        if comment.pull in pulls and speaks_of_names(comment.body)
    }
    result.counts["naming_pull_requests"] = len(naming_pulls)
    comments: dict[int, list[Comment]] = {number: [] for number in naming_pulls}
    # Read again from the cache: all comments of a large project would not fit in memory.
    for comment in _read_comments(source, repository, since, Counter(), ignore_progress):
        if comment.pull in comments:
            comments[comment.pull].append(comment)
    changes = RepositoryChanges(source, repository, result.skipped)
    stable: dict[tuple[object, ...], StableMethod] = {}
    for index, number in enumerate(sorted(naming_pulls)):
        step(f"{repository}: pull requests", index, len(naming_pulls))
        for case in _mine_pull(
            source, repository, changes, pulls[number], comments[number], result
        ):
            for other in _iterate_stable_methods(case, repository):
                stable[other.path, other.owner, other.name, other.parameters] = other
        changes.drop_versions()
    result.stable = sorted(
        stable.values(), key=lambda method: (method.path, method.owner, method.id)
    )
    result.counts["cases"], result.counts["stable"] = len(result.renames), len(result.stable)
    return result


def _read_pulls(
    source: AnswerSource, repository: str, since: str, result: MinedRepository, step: Progress
) -> dict[int, Pull]:
    key, path = file_key(repository, "pulls"), f"repos/{repository}/pulls"
    query = {"state": "closed", "sort": "created", "direction": "asc", "per_page": PER_PAGE}
    first_page = source.get_answer(f"{key}/page-1", path, query)
    if first_page.status != OK:
        raise NoRepositoryError(
            f"there is no repository {repository}, or it may not be seen (status "
            f"{first_page.status})",
            "it is written OWNER/REPO; a private one needs a token that may read it",
        )
    pulls: dict[int, Pull] = {}
    for count, item in enumerate(iterate_items(source, key, path, query), 1):
        if count % 100 == 0:
            step(f"{repository}: list of pull requests", count, 0)
        pull = read_pull(item)
        if pull is not None and pull.created >= since:
            pulls[pull.number] = pull
    result.counts["pull requests"] = len(pulls)
    return pulls


def _read_comments(
    source: AnswerSource, repository: str, since: str, counts: Counter[str], step: Progress
) -> Iterator[Comment]:
    """Yield all comments on lines and in discussions of a repository, each once.

    Requests for the whole repository return the comments of hundreds of pull requests at once."""
    query = {"sort": "created", "direction": "asc", "per_page": PER_PAGE}
    if since:
        query["since"] = f"{since}T00:00:00Z"
    suffix = f"-since-{since}" if since else ""
    kinds = (
        ("comments", "pulls/comments", read_line_comment),
        ("discussion", "issues/comments", read_discussion),
    )
    for name, path, read in kinds:
        comment_ids: set[int] = set()
        key = file_key(repository, f"{name}{suffix}")
        for item in iterate_items(source, key, f"repos/{repository}/{path}", query):
            comment = read(item)
            if comment is not None and comment.id not in comment_ids:
                comment_ids.add(comment.id)
                if len(comment_ids) % 100 == 0:
                    step(f"{repository}: {name}", len(comment_ids), 0)
                yield comment
        counts[name] = len(comment_ids)


def _mine_pull(
    source: AnswerSource,
    repository: str,
    changes: RepositoryChanges,
    pull: Pull,
    comments: list[Comment],
    result: MinedRepository,
) -> list[_LinkedRename]:
    """Return the cases of a pull request and add their records to the result."""
    key, path = file_key(repository, "pulls", str(pull.number)), f"pulls/{pull.number}"
    path = f"repos/{repository}/{path}"
    query = {"per_page": PER_PAGE}
    reviews = list(iterate_items(source, f"{key}/reviews", f"{path}/reviews", query))
    verdicts = [
        comment for item in reviews if (comment := read_verdict(item, pull.number)) is not None
    ]
    naming_threads = [
        thread
        for thread in group_threads([*comments, *verdicts]).values()
        if any(speaks_of_names(comment.body) for comment in thread)
    ]
    commits: list[Json] | None = None
    # The commits that were shown when the threads began, in order and without repetitions.
    shown_commits: dict[str, None] = {}
    for thread in naming_threads:
        commit = thread[0].commit
        if not commit:
            if commits is None:
                commits = list(iterate_items(source, f"{key}/commits", f"{path}/commits", query))
            commit = find_commit_at(commits, thread[0].time)
        if commit and commit != pull.head:
            shown_commits[commit] = None
    ranges = [changes.compare_commits(commit, pull.head) for commit in shown_commits]
    ranges.append(changes.compare_commits(pull.base, pull.head, from_merge_base=True))
    cases = _link_renames(
        [commit_range for commit_range in ranges if commit_range is not None],
        changes,
        naming_threads,
        result,
    )
    merged_and_approved = (pull.merged, is_pull_approved(reviews))
    for case in cases:
        result.renames.append(_make_rename(case, repository, pull, merged_and_approved))
    return cases


def _link_renames(
    ranges: Iterable[CommitRange],
    changes: RepositoryChanges,
    naming_threads: Sequence[Sequence[Comment]],
    result: MinedRepository,
) -> list[_LinkedRename]:
    """Return the best link of each renamed method that a thread speaks of, sorted by path."""
    best: dict[tuple[object, ...], _LinkedRename] = {}
    # All renamed methods; those in ``best`` are subtracted below.
    unlinked: set[tuple[object, ...]] = set()
    for commit_range in ranges:
        matched = changes.match_range(commit_range)
        for renamed, tags in zip(matched.renames, _tag_renames(matched), strict=True):
            new = renamed.new
            key = (new.path, new.method.key)
            if not new.method.has_body:
                result.skipped["renamed method without a body"] += 1
                continue
            method_position = _locate_method(renamed.old, commit_range.before)
            unlinked.add(key)
            for thread in naming_threads:
                link_kind = link_thread(thread, method_position, new.name)
                if link_kind:
                    suggested = is_suggested([comment.body for comment in thread], new.name)
                    case = _LinkedRename(
                        renamed, tags, commit_range, matched, thread, link_kind, suggested
                    )
                    if key not in best or case.rank < best[key].rank:
                        best[key] = case
    result.counts["methods of which only the name changed"] += len(unlinked)
    result.skipped["rename without a comment about it"] += len(unlinked - best.keys())
    return [case for _, case in sorted(best.items(), key=lambda item: str(item[0]))]


def _tag_renames(matched: MatchResult) -> list[tuple[str, ...]]:
    names = [(rename.old.name, rename.new.name) for rename in matched.renames]
    return [
        tuple(sorted({*tags, "mass"} if is_mass else tags))
        for tags, is_mass in zip(
            tag_commit(matched.renames), mark_mass_renames(names, MIN_MASS_COUNT), strict=True
        )
    ]


def _locate_method(old: LocatedMethod, commit: str) -> MethodPosition:
    """Return the lines of a method at a commit; they count LF only, as git does."""
    file, method, data = old.version.file, old.method, old.version.source.data
    body_start = (
        int(file.syntax.start[method.declaration.body]) if file is not None else method.start
    )

    def count_line(offset: int) -> int:
        return data.count(b"\n", 0, offset) + 1

    return MethodPosition(
        commit,
        old.path,
        old.name,
        count_line(method.start_with_javadoc),
        count_line(body_start),
        count_line(method.end),
    )


def _make_rename(
    case: _LinkedRename, repository: str, pull: Pull, merged_and_approved: tuple[bool, bool]
) -> Rename:
    old, new, root = case.renamed.old, case.renamed.new, case.thread[0]
    merged, is_approved = merged_and_approved
    comments = [comment.body for comment in case.thread]
    features = find_features(
        comments,
        old.name,
        new.name,
        accepted=merged or is_approved,
        approved=is_approved,
        own=bool(root.author) and root.author == pull.author,
        tags=case.tags,
    )
    id_parts = (repository, str(pull.number), new.path, new.method.key, old.name)
    return Rename(
        id=str(uuid.uuid5(NAMESPACE, "\0".join(id_parts))),
        project=repository,
        commit=case.commit_range.after,
        parent=case.commit_range.before,
        time=parse_time(pull.closed),
        path=new.path,
        path_before=old.path,
        owner=new.method.displayed_owner,
        old_name=old.name,
        new_name=new.name,
        parameters=new.method.parameters,
        returns=new.method.declaration.returns,
        code=new.version.extract_code(new.method),
        code_before=old.version.extract_code(old.method),
        tags=case.tags,
        review=Review(
            comment="\n\n".join(comments),
            url=root.url or pull.url,
            author=root.author,
            pull=pull.number,
            accepted=merged or is_approved,
            features=(*features, f"link:{case.link}"),
        ),
    )


def _iterate_stable_methods(case: _LinkedRename, repository: str) -> Iterator[StableMethod]:
    """Yield the methods of the case's file that kept name and body."""
    for _, method in case.matched.unchanged:
        if method.path != case.renamed.new.path or not method.method.has_body:
            continue
        id_parts = ("stable", repository, method.path, method.method.key)
        yield StableMethod(
            id=str(uuid.uuid5(NAMESPACE, "\0".join(id_parts))),
            project=repository,
            commit=case.commit_range.after,
            path=method.path,
            owner=method.method.displayed_owner,
            name=method.name,
            parameters=method.method.parameters,
            returns=method.method.declaration.returns,
            code=method.version.extract_code(method.method),
            tags=tuple(
                sorted(
                    {
                        *tag_location(method.path, method.version, method.method),
                        *tag_method(method.version, method.method),
                    }
                )
            ),
        )
