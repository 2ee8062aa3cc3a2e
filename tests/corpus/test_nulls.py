"""Tests that null dereferences of a corpus equal those of sources in memory, on any engine."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codeacumen.corpus.nulls import find_null_reports
from codeacumen.languages.java.nulls import Report, analyse_sources
from corpora import read_files, shared_engine
from support import ROOT

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus
    from codeacumen.languages.java.nulls.interpretation.method_unit import MethodUnit


@pytest.fixture(scope="module")
def reports_by_project(analysed_corpus: Corpus) -> dict[str, list[Report]]:
    reports, failed = find_null_reports(analysed_corpus, shared_engine(1))
    assert not failed
    return reports


@pytest.mark.parametrize("project", ["ballot", "library", "quill", "tramway"])
def test_stored_calls_give_the_reports_of_sources_in_memory(
    project: str, reports_by_project: dict[str, list[Report]]
) -> None:
    """Reports from stored calls equal those from calls linked in memory."""
    root = ROOT / "examples" / project
    sources = {
        str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("*.java"))
    }
    assert reports_by_project[project] == analyse_sources(sources)
    assert reports_by_project[project], "each of these projects has reports"


def test_reports_do_not_depend_on_the_number_of_workers(
    analysed_corpus: Corpus, reports_by_project: dict[str, list[Report]]
) -> None:
    assert find_null_reports(analysed_corpus, shared_engine(2)) == (reports_by_project, [])


def read_facts(corpus: Path) -> dict[str, bytes]:
    return {name: data for name, data in read_files(corpus).items() if name.startswith("nulls/")}


@pytest.fixture(scope="module")
def stored_facts(analysed_corpus: Corpus) -> tuple[Path, dict[str, bytes]]:
    """Return a corpus folder and the null facts that one worker stored in it."""
    return analysed_corpus.folder, read_facts(analysed_corpus.folder)


def test_stored_facts_are_deterministic(
    stored_facts: tuple[Path, dict[str, bytes]],
    reports_by_project: dict[str, list[Report]],
    tmp_path: Path,
) -> None:
    from codeacumen.corpus import Corpus

    folder, facts = stored_facts
    assert len(facts) == 4
    shutil.copytree(folder, tmp_path / "corpus", ignore=shutil.ignore_patterns("nulls"))
    assert find_null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(2)) == (
        reports_by_project,
        [],
    )
    assert read_facts(tmp_path / "corpus") == facts


def test_damaged_facts_are_derived_again(
    stored_facts: tuple[Path, dict[str, bytes]],
    reports_by_project: dict[str, list[Report]],
    tmp_path: Path,
) -> None:
    from codeacumen.corpus import Corpus

    folder, facts = stored_facts
    shutil.copytree(folder, tmp_path / "corpus")
    flipped, cut, missing, _ = (tmp_path / "corpus" / name for name in facts)
    data = bytearray(flipped.read_bytes())
    data[len(data) // 3] ^= 1
    flipped.write_bytes(data)
    cut.write_bytes(cut.read_bytes()[:100])
    missing.unlink()
    assert find_null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(1)) == (
        reports_by_project,
        [],
    )
    assert read_facts(tmp_path / "corpus") == facts


def test_reports_of_a_corpus_that_cannot_store_facts(
    stored_facts: tuple[Path, dict[str, bytes]],
    reports_by_project: dict[str, list[Report]],
    tmp_path: Path,
) -> None:
    from codeacumen.corpus import Corpus

    shutil.copytree(stored_facts[0], tmp_path / "corpus", ignore=shutil.ignore_patterns("nulls"))
    (tmp_path / "corpus" / "nulls").write_text("in the way of the folder")
    assert find_null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(1)) == (
        reports_by_project,
        [],
    )


def test_facts_of_other_code_are_not_used(
    stored_facts: tuple[Path, dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeacumen.corpus import Corpus
    from codeacumen.corpus import nulls as module

    shutil.copytree(stored_facts[0], tmp_path / "corpus")
    monkeypatch.setattr(module, "code_hash", lambda packages: "0123456789abcdef")
    find_null_reports(Corpus.open(tmp_path / "corpus"), shared_engine(1))
    assert len(read_facts(tmp_path / "corpus")) == 8


def test_projects_can_be_left_out(
    analysed_corpus: Corpus, reports_by_project: dict[str, list[Report]]
) -> None:
    some_reports, _ = find_null_reports(
        analysed_corpus, shared_engine(1), excluded=frozenset(["quill"])
    )
    assert some_reports == {
        name: reports for name, reports in reports_by_project.items() if name != "quill"
    }


def test_traces_contain_the_reported_line(reports_by_project: dict[str, list[Report]]) -> None:
    for report in (item for reports in reports_by_project.values() for item in reports):
        assert report.trace
        assert any((step.path, step.line) == (report.path, report.line) for step in report.trace)


def test_reported_token_is_at_the_reported_offset(
    reports_by_project: dict[str, list[Report]],
) -> None:
    for project, reports in reports_by_project.items():
        for report in reports:
            source = (ROOT / "examples" / project / report.path).read_bytes()
            assert source[report.offset :].startswith(report.token.encode()), report
            assert source[: report.offset].count(b"\n") + 1 == report.line


def test_failing_file_does_not_stop_the_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that makes the analysis fail is reported and skipped."""
    from codeacumen.corpus import Corpus
    from codeacumen.corpus import nulls as module
    from corpora import build_corpus_at

    (tmp_path / "p").mkdir()
    for name in ("A", "B"):
        text = f"class {name} {{ int f() {{ String s = null; return s.length(); }} }}"
        (tmp_path / "p" / f"{name}.java").write_text(text)
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "p")], views=())
    compute_facts = module.extract_facts

    def fail_on_file(file: object, calls: object, path: str) -> object:
        if path == "A.java":
            raise RuntimeError("no more")
        return compute_facts(file, calls, path)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "extract_facts", fail_on_file)
    reports, failed = find_null_reports(Corpus.open(tmp_path / "corpus"), _InProcessEngine())
    assert [report.path for report in reports["p"]] == ["B.java"]
    assert [(failure.path, failure.reason) for failure in failed] == [
        ("A.java", "RuntimeError: no more")
    ]


def test_failing_method_does_not_stop_the_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A method that makes the analysis fail is reported by name; its callers and neighbours are
    analysed without it."""
    from codeacumen.corpus import Corpus

    module = importlib.import_module("codeacumen.languages.java.nulls.solve")
    from corpora import build_corpus_at

    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "A.java").write_text(
        "class A { String bad() { return null; } int caller() { return bad().length(); }"
        " int other() { String s = null; return s.length(); } }"
    )
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "p")], views=())
    analyse_unit = module.analyse_unit

    def fail_on_method(unit: MethodUnit, find: object) -> object:
        if unit.name == "bad":
            raise KeyError("no more")
        return analyse_unit(unit, find)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "analyse_unit", fail_on_method)
    reports, failed = find_null_reports(Corpus.open(tmp_path / "corpus"), _InProcessEngine())
    assert [report.token for report in reports["p"]] == ["s"]
    assert [(failure.path, failure.reason) for failure in failed] == [
        ("A.java", "bad: KeyError: 'no more'")
    ]


class _InProcessEngine:
    """An engine that works in this process, so that monkeypatches have effect."""

    def run(self, work: object, items: object, limit: float) -> object:
        for index, item in enumerate(items):  # type: ignore[arg-type, var-annotated]
            yield index, work(item)  # type: ignore[operator]
