"""Fixtures for tests of the report and of its sections: evaluated runs, their pages, and a browser
to open these. The ``conftest.py`` of a folder imports those that its tests use."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from codeacumen.api import Run
from codeacumen.report import build_report
from codeacumen.runs.results import read_run
from support import SHARED, make_plan

MODELS = ("levenshtein", "jaro-winkler", "needleman-wunsch", "majority", "oracle", "random")

RunFolder = tuple[Path, Run]
PageOpener = Callable[..., Any]


@pytest.fixture(scope="session")
def report_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report-home")


@pytest.fixture(scope="session", autouse=True)
def bundle_javascript_once() -> Iterator[None]:
    """Bundle the plotting library once for all pages, since this takes longer than the rest.

    ``test_same_runs_give_the_same_bytes`` checks that the bundle is always the same.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "javascript_bundle", cache(vl_convert.javascript_bundle))
        yield


@contextmanager
def temporary_home(home: Path) -> Iterator[None]:
    """Set CODEACUMEN_HOME within a context, so that session fixtures do not change other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEACUMEN_HOME", str(home))
        yield


@pytest.fixture
def at_home(report_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEACUMEN_HOME", str(report_home))
    return report_home


def evaluate_models(out: Path, models: tuple[str, ...], tasks: tuple[str, ...]) -> RunFolder:
    from codeacumen.runs.evaluate import evaluate_cells
    from codeacumen.runs.scoring import ScoringSettings

    cells, _ = make_plan(models, tasks, skip_unfit=True)
    return out, evaluate_cells(cells, out, ScoringSettings(resamples=200))


@pytest.fixture(scope="session")
def small_run(report_home: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Return a run of six models on the two tasks that need no data.

    Two of the models lose their baseline mark, because every built-in model that supports these
    tasks is a baseline.
    """
    with temporary_home(report_home):
        out, run = evaluate_models(tmp_path_factory.mktemp("small"), MODELS, ("abbreviations",))
    return out, with_contestants(run, "levenshtein", "jaro-winkler")


def with_contestants(run: Run, *names: str) -> Run:
    models = {
        name: replace(card, is_baseline=card.is_baseline and name not in names)
        for name, card in run.models.items()
    }
    return replace(run, models=models)


@pytest.fixture(scope="session")
def idbench_run(report_home: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    from codeacumen.datasets import find_dataset
    from codeacumen.datasets.fetch import fetch_dataset

    source = SHARED / "idbench"
    if not source.is_dir():
        pytest.skip(f"IdBench is not at {source}")
    models = ("levenshtein", "majority", "oracle", "ft-cbow", "path-based")
    with temporary_home(report_home):
        fetch_dataset(find_dataset("idbench"), source)
        return evaluate_models(
            tmp_path_factory.mktemp("idbench"), models, ("idbench/similarity/large",)
        )


def _build_page(run: RunFolder, home: Path, folder: Path) -> Path:
    with temporary_home(home):
        return build_report([run], folder / "report.html")


@pytest.fixture(scope="session")
def small_page(
    small_run: RunFolder, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return _build_page(small_run, report_home, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="session")
def idbench_page(
    idbench_run: RunFolder, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return _build_page(idbench_run, report_home, tmp_path_factory.mktemp("page"))


@pytest.fixture
def copied_run(small_run: RunFolder, tmp_path: Path) -> RunFolder:
    """Return a copy of the small run whose files a test may change."""
    folder = tmp_path / "run"
    shutil.copytree(small_run[0], folder)
    return folder, with_contestants(read_run(folder), "levenshtein", "jaro-winkler")


@pytest.fixture
def open_report_page(browser: Any) -> Iterator[PageOpener]:
    """Return a function that opens a page; after the test, check that the pages logged no message
    and sent no request."""
    contexts: list[Any] = []
    problems: list[str] = []

    def open_page(path: Path, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        address = path.as_uri()
        page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on(
            "dialog",
            lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()),
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url == address or request.url.startswith(("data:", "blob:"))
                else problems.append(f"request: {request.url}")
            ),
        )
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def find_low_contrast() -> Callable[[Any], list[str]]:
    """Return a function that lists the colour pairs of texts with contrast below 4.5 (WCAG AA)."""

    def compute_luminance(colour: str) -> float:
        channels = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
        linear = [
            channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
            for channel in channels
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def compute_contrast(pair: str) -> float:
        darker, lighter = sorted(compute_luminance(colour) for colour in pair.split("|"))
        return (lighter + 0.05) / (darker + 0.05)

    def find_in_page(page: Any) -> list[str]:
        pairs = page.evaluate(TEXT_COLOURS)
        assert len(pairs) > 3
        return [pair for pair in pairs if compute_contrast(pair) < 4.5]

    return find_in_page


TEXT_COLOURS = """() => {
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!colour.startsWith('rgba(0, 0, 0, 0')) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const pairs = new Set();
  for (const node of document.querySelectorAll('body *')) {
    if (node.closest('svg, :disabled, noscript') || !node.getClientRects().length) continue;
    const texts = [...node.childNodes].filter((one) => one.nodeType === 3);
    if (!texts.some((one) => one.data.trim())) continue;
    pairs.add(getComputedStyle(node).color + '|' + ground(node));
  }
  return [...pairs];
}"""
