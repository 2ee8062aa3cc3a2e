"""A model that knows one thing, small projects, and repositories made with pygit2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pygit2

from codeacumen.checker.check import Report
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.verdict import Evidence, Suggestion, Verdict

Check = Callable[..., Report]
# Two names that promise a value and give none, and one that is right.
ACCOUNT = """package bank;

class Account {
    int total;

    void getTotal() { total = 0; }

    void getLimit(int limit) {
        total += limit;
    }

    int getBalance() { return total; }
}
"""
WHO = pygit2.Signature("A", "a@example.org", 1_700_000_000, 0)


class GetVoid:
    """Says that a getter without a value is wrong; the more surely, the longer its name is."""

    def __init__(self) -> None:
        self.learned: list[str] = []

    def learn(self, facts: Sequence[Facts]) -> None:
        self.learned += [f"{one.path}:{one.name}" for one in facts]

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        return [self._verdict(one) for one in facts]

    def _verdict(self, one: Facts) -> Verdict | None:
        if not one.name.startswith("get") or one.returned != "void":
            return None
        reason = Evidence(
            "antipattern",
            "get-void",
            "a getter that gives nothing",
            6.0,
            (f"{one.path}:{one.line}", "Account.getBalance"),
        )
        doubt = Evidence("convention", "sibling", "its siblings do the same", -1.0)
        better = Suggestion("load" + one.name[3:], 0.25)
        return Verdict(1 - 1 / (len(one.name) + 2), (reason, doubt), (better,))


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def commit(folder: Path, files: dict[str, str | bytes], message: str = "a change") -> str:
    """Write files and commit all that is there; the commit's hash."""
    if not (folder / ".git").exists():
        pygit2.init_repository(str(folder), initial_head="main")
    repository = pygit2.Repository(str(folder))
    write(folder, files)
    repository.index.add_all()
    repository.index.write()
    parents = [] if repository.head_is_unborn else [repository.head.target]
    tree = repository.index.write_tree()
    return str(repository.create_commit("HEAD", WHO, WHO, message, tree, parents))


def names(report: Report) -> list[str]:
    return [one.name for one in report.reported]
