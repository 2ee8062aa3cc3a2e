"""A model with one rule, small projects, and repositories made with pygit2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pygit2

from codeacumen.checker.check import Report
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.verdict import Evidence, Suggestion, Verdict

Check = Callable[..., Report]
# Two getters without a return value, and a right one.
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
    """Reports getters without a return value, with a probability that grows with the name's
    length."""

    def __init__(self) -> None:
        self.learned: list[str] = []

    def learn_methods(self, facts: Sequence[Facts]) -> None:
        self.learned += [f"{method_facts.path}:{method_facts.name}" for method_facts in facts]

    def assess_methods(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        return [self._make_verdict(method_facts) for method_facts in facts]

    def _make_verdict(self, method_facts: Facts) -> Verdict | None:
        if not method_facts.name.startswith("get") or method_facts.returned != "void":
            return None
        reason = Evidence(
            "antipattern",
            "get-void",
            "a getter that gives nothing",
            6.0,
            (f"{method_facts.path}:{method_facts.line}", "Account.getBalance"),
        )
        counter_evidence = Evidence("convention", "sibling", "its siblings do the same", -1.0)
        suggestion = Suggestion("load" + method_facts.name[3:], 0.25)
        return Verdict(
            1 - 1 / (len(method_facts.name) + 2), (reason, counter_evidence), (suggestion,)
        )


def write_files(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def commit_files(folder: Path, files: dict[str, str | bytes], message: str = "a change") -> str:
    """Write files, commit the whole folder, and return the commit's hash."""
    if not (folder / ".git").exists():
        pygit2.init_repository(str(folder), initial_head="main")
    repository = pygit2.Repository(str(folder))
    write_files(folder, files)
    repository.index.add_all()
    repository.index.write()
    parents = [] if repository.head_is_unborn else [repository.head.target]
    tree = repository.index.write_tree()
    return str(repository.create_commit("HEAD", WHO, WHO, message, tree, parents))


def reported_names(report: Report) -> list[str]:
    return [finding.name for finding in report.reported]
