"""Mine renamed methods from git histories and from code reviews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeacumen.core.progress import show_progress

GITHUB = "https://api.github.com"


def mine_renames(
    repositories: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    branch: str = "HEAD",
    since: str = "",
    commit_timeout: float = 10.0,
    mass: int = 10,
    workers: int = 0,
    progress: bool = True,
) -> dict[str, Any]:
    """Mine renames of Java methods from git repositories into the folder ``out``.

    ``branch`` is the revision to mine, ``since`` one whose history is skipped. A commit that takes
    more than ``commit_timeout`` seconds is left out. If at least ``mass`` renames of a commit
    replace the same words, they get the tag ``mass``. Return what ``mined.json`` holds and, as
    ``read``, how many commits of each project were read this time. The result is the same to the
    byte for any number of workers.
    """
    from codeacumen.engines import start_engine
    from codeacumen.renames.mining import RenameMiningSettings, mine_repositories

    several = [repositories] if isinstance(repositories, str | Path) else repositories
    settings = RenameMiningSettings(branch=branch, since=since, limit=commit_timeout, mass=mass)
    with show_progress(progress) as report:
        description: dict[str, Any] = mine_repositories(
            [Path(repository) for repository in several],
            Path(out),
            settings,
            start_engine("local", workers),
            report,
        )
    return description


@dataclass(frozen=True, slots=True)
class MinedReviews:
    """Result of ``mine_reviews``; ``description`` is the content of ``reviews.json``.

    ``sent`` counts the requests to GitHub, ``unchanged`` those of them whose answer had not
    changed, and ``stored`` the answers that came from the folder; all are 0 with ``offline``.
    """

    description: dict[str, Any]
    sent: int = 0
    unchanged: int = 0
    stored: int = 0


def mine_reviews(
    repositories: str | Sequence[str],
    out: str | Path,
    *,
    since: str = "",
    token: str = "",
    api: str = GITHUB,
    answers: str | Path | None = None,
    offline: bool = False,
    on_wait: Callable[[str], None] | None = None,
    progress: bool = True,
) -> MinedReviews:
    """Mine renames from pull requests on GitHub into the folder ``out``.

    ``repositories`` are named ``OWNER/REPO``; ``since`` is a day such as 2022-01-31. GitHub's
    answers are stored in ``answers``, by default ``OUT/answers``; with ``offline`` only that folder
    is read and no request is sent. ``on_wait`` is called with a message when GitHub makes the
    client wait.
    """
    from codeacumen.renames.reviews.client import CachedAnswers, GitHub, SavedAnswers
    from codeacumen.renames.reviews.run import mine_reviews as mine_into

    several = [repositories] if isinstance(repositories, str) else list(repositories)
    folder, store = Path(out), Path(answers) if answers is not None else Path(out) / "answers"
    if offline:
        with show_progress(progress) as report:
            return MinedReviews(mine_into(SavedAnswers(store), several, folder, since, report))
    with (
        GitHub(api, token, on_wait=on_wait or _ignore_message) as network,
        show_progress(progress) as report,
    ):
        source = CachedAnswers(store, network)
        description = mine_into(source, several, folder, since, report)
    return MinedReviews(description, source.sent, source.unchanged, source.stored)


def _ignore_message(message: str) -> None:
    """Do nothing with a message."""
