"""Runs to report on, made by the package itself, and a browser to read the page with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acumen.api import Run
from acumen.report import build_report
from acumen.runs.results import read_run

MODELS = ("levenshtein", "jaro-winkler", "needleman-wunsch", "majority", "oracle", "random")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

Folder = tuple[Path, Run]


@pytest.fixture(scope="session")
def report_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report-home")


@contextmanager
def living_at(home: Path) -> Iterator[None]:
    """For fixtures that outlive a test: other tests must not find this home set."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACUMEN_HOME", str(home))
        yield


@pytest.fixture
def at_home(report_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACUMEN_HOME", str(report_home))
    return report_home


def evaluated(out: Path, models: tuple[str, ...], tasks: tuple[str, ...]) -> Folder:
    from acumen.runs.evaluate import evaluate
    from acumen.runs.plan import make_plan
    from acumen.runs.scoring import Settings

    cells, _ = make_plan(models, tasks, skip_unfit=True)
    return out, evaluate(cells, out, Settings(resamples=200))


@pytest.fixture(scope="session")
def small_run(report_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Six models on the two tasks that need no data. Two of them are made contestants, because
    every built-in model that can answer here is an honest row."""
    with living_at(report_home):
        out, run = evaluated(tmp_path_factory.mktemp("small"), MODELS, ("abbreviations",))
    return out, with_contestants(run, "levenshtein", "jaro-winkler")


def with_contestants(run: Run, *names: str) -> Run:
    models = {
        name: replace(card, honest_row=card.honest_row and name not in names)
        for name, card in run.models.items()
    }
    return replace(run, models=models)


@pytest.fixture(scope="session")
def idbench_run(report_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    from acumen.datasets import dataset
    from acumen.datasets.fetch import get

    source = Path(__file__).resolve().parents[3] / "shared" / "data" / "idbench"
    if not source.is_dir():
        pytest.skip(f"IdBench is not at {source}")
    models = ("levenshtein", "majority", "oracle", "ft-cbow", "path-based")
    with living_at(report_home):
        get(dataset("idbench"), source)
        return evaluated(tmp_path_factory.mktemp("idbench"), models, ("idbench/similarity/large",))


def _page(run: Folder, home: Path, folder: Path) -> Path:
    with living_at(home):
        return build_report([run], folder / "report.html")


@pytest.fixture(scope="session")
def small_page(
    small_run: Folder, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return _page(small_run, report_home, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="session")
def idbench_page(
    idbench_run: Folder, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return _page(idbench_run, report_home, tmp_path_factory.mktemp("page"))


@pytest.fixture
def copied(small_run: Folder, tmp_path: Path) -> Folder:
    """A run whose files a test may spoil."""
    folder = tmp_path / "run"
    shutil.copytree(small_run[0], folder)
    return folder, with_contestants(read_run(folder), "levenshtein", "jaro-winkler")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (pip install playwright)"
    )
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found: looked for {', '.join(BROWSERS)}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()
