"""Null dereferences of a corpus: the same as of the sources in memory, whoever does the work."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codeacumen.corpus.nulls import null_reports
from codeacumen.languages.java.nulls import Report, analyse
from corpora import contents, shared_engine
from support import ROOT

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.languages.java.nulls._unit import Unit


@pytest.fixture(scope="module")
def found(analysed_corpus: Corpus) -> dict[str, list[Report]]:
    reports, failed = null_reports(analysed_corpus, shared_engine(1))
    assert not failed
    return reports


@pytest.mark.parametrize("project", ["ballot", "library", "quill", "tramway"])
def test_as_in_memory(project: str, found: dict[str, list[Report]]) -> None:
    """From stored calls and from calls linked just now: the same reports."""
    root = ROOT / "examples" / project
    sources = {
        str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("*.java"))
    }
    assert found[project] == analyse(sources)
    assert found[project], "each of these projects has some"


def test_whatever_the_workers(analysed_corpus: Corpus, found: dict[str, list[Report]]) -> None:
    assert null_reports(analysed_corpus, shared_engine(2)) == (found, [])


def facts_in(corpus: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(corpus).items() if name.startswith("nulls/")}


@pytest.fixture(scope="module")
def stored(analysed_corpus: Corpus) -> tuple[Path, dict[str, bytes]]:
    """A corpus, and the null facts that one worker stored in it."""
    return analysed_corpus.folder, facts_in(analysed_corpus.folder)


def test_facts_are_stored_in_the_same_bytes(
    stored: tuple[Path, dict[str, bytes]], found: dict[str, list[Report]], tmp_path: Path
) -> None:
    from codeacumen.corpus import Corpus

    folder, facts = stored
    assert len(facts) == 4
    shutil.copytree(folder, tmp_path / "corpus", ignore=shutil.ignore_patterns("nulls"))
    assert null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(2)) == (found, [])
    assert facts_in(tmp_path / "corpus") == facts


def test_damaged_facts_are_derived_again(
    stored: tuple[Path, dict[str, bytes]], found: dict[str, list[Report]], tmp_path: Path
) -> None:
    from codeacumen.corpus import Corpus

    folder, facts = stored
    shutil.copytree(folder, tmp_path / "corpus")
    flipped, cut, gone, _ = (tmp_path / "corpus" / name for name in facts)
    data = bytearray(flipped.read_bytes())
    data[len(data) // 3] ^= 1
    flipped.write_bytes(data)
    cut.write_bytes(cut.read_bytes()[:100])
    gone.unlink()
    assert null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(1)) == (found, [])
    assert facts_in(tmp_path / "corpus") == facts


def test_a_corpus_that_cannot_be_written(
    stored: tuple[Path, dict[str, bytes]], found: dict[str, list[Report]], tmp_path: Path
) -> None:
    from codeacumen.corpus import Corpus

    shutil.copytree(stored[0], tmp_path / "corpus", ignore=shutil.ignore_patterns("nulls"))
    (tmp_path / "corpus" / "nulls").write_text("in the way of the folder")
    assert null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(1)) == (found, [])


def test_facts_of_other_code_are_not_used(
    stored: tuple[Path, dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeacumen.corpus import Corpus
    from codeacumen.corpus import nulls as module

    shutil.copytree(stored[0], tmp_path / "corpus")
    monkeypatch.setattr(module, "code_hash", lambda packages: "0123456789abcdef")
    null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(1))
    assert len(facts_in(tmp_path / "corpus")) == 8


def test_projects_can_be_left_out(analysed_corpus: Corpus, found: dict[str, list[Report]]) -> None:
    some, _ = null_reports(analysed_corpus, shared_engine(1), without=frozenset(["quill"]))
    assert some == {name: mine for name, mine in found.items() if name != "quill"}


def test_a_trace_ends_where_the_report_is(found: dict[str, list[Report]]) -> None:
    for one in (report for mine in found.values() for report in mine):
        assert one.trace
        assert any((step.path, step.line) == (one.path, one.line) for step in one.trace)


def test_the_token_stands_where_the_report_says(found: dict[str, list[Report]]) -> None:
    for project, mine in found.items():
        for one in mine:
            source = (ROOT / "examples" / project / one.path).read_bytes()
            assert source[one.offset :].startswith(one.token.encode()), one
            assert source[: one.offset].count(b"\n") + 1 == one.line


def test_one_bad_file_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the analysis cannot bear is told and left out."""
    from codeacumen.corpus import Corpus
    from codeacumen.corpus import nulls as module
    from corpora import build_at

    (tmp_path / "p").mkdir()
    for name in ("A", "B"):
        text = f"class {name} {{ int f() {{ String s = null; return s.length(); }} }}"
        (tmp_path / "p" / f"{name}.java").write_text(text)
    build_at(tmp_path / "corpus", [str(tmp_path / "p")], views=())
    real = module.facts

    def fail(file: object, calls: object, path: str) -> object:
        if path == "A.java":
            raise RuntimeError("no more")
        return real(file, calls, path)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "facts", fail)
    reports, failed = null_reports(Corpus.open(tmp_path / "corpus"), _Here())
    assert [one.path for one in reports["p"]] == ["B.java"]
    assert [(one.path, one.why) for one in failed] == [("A.java", "RuntimeError: no more")]


def test_one_bad_method_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that the analysis cannot bear is told by name; its callers and neighbours are
    analysed without it."""
    from codeacumen.corpus import Corpus

    module = importlib.import_module("codeacumen.languages.java.nulls.solve")
    from corpora import build_at

    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "A.java").write_text(
        "class A { String bad() { return null; } int caller() { return bad().length(); }"
        " int other() { String s = null; return s.length(); } }"
    )
    build_at(tmp_path / "corpus", [str(tmp_path / "p")], views=())
    real = module.analyse_unit

    def fail(unit: Unit, find: object) -> object:
        if unit.name == "bad":
            raise KeyError("no more")
        return real(unit, find)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "analyse_unit", fail)
    reports, failed = null_reports(Corpus.open(tmp_path / "corpus"), _Here())
    assert [one.token for one in reports["p"]] == ["s"]
    assert [(one.path, one.why) for one in failed] == [("A.java", "bad: KeyError: 'no more'")]


class _Here:
    """An engine without processes, so that what is replaced here is replaced there."""

    def run(self, work: object, items: object, limit: float) -> object:
        for place, item in enumerate(items):  # type: ignore[arg-type, var-annotated]
            yield place, work(item)  # type: ignore[operator]
