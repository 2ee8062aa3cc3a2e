"""Shared fixtures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from codeacumen.registry import lookup
from corpora import analysed_corpus, examples_corpus
from javac import java_util, javac_program, part_of_java_util
from support import SHARED, Codeacumen, is_thorough
from warm import launcher

__all__ = ["analysed_corpus", "examples_corpus", "java_util", "javac_program", "part_of_java_util"]

# A speed limit is no test: on a busy machine any case may take longer than hypothesis allows.
settings.register_profile("thorough", settings.default, deadline=None)
# Where a test does not say how many cases it draws; a hundred are usual.
settings.register_profile("quick", settings.default, max_examples=40, deadline=None)
settings.load_profile("thorough")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="run the tests marked thorough too, and every case where others try a part "
        "(as does the environment variable CODEACUMEN_THOROUGH)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--thorough"):
        # In the environment, since worker processes are not started with the option.
        os.environ["CODEACUMEN_THOROUGH"] = "1"
    if not is_thorough():
        settings.load_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not is_thorough():
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(pytest.mark.skip(reason="thorough: run with --thorough"))


@pytest.fixture(autouse=True)
def forget_plugins() -> Iterator[None]:
    """Forget the plug-ins of each test: engines give all that are loaded to their workers."""
    loaded = lookup._plugins[:]
    yield
    lookup._plugins[:] = loaded


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of one run of the tests have, for what is made once."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty CODEACUMEN_HOME."""
    folder = tmp_path / "home"
    monkeypatch.setenv("CODEACUMEN_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def idbench_source() -> Path:
    folder = SHARED / "idbench"
    if not folder.is_dir():
        pytest.skip(f"IdBench's files are not in {folder}")
    return folder


@pytest.fixture
def idbench(home: Path, idbench_source: Path) -> Path:
    """IdBench in an otherwise empty CODEACUMEN_HOME; the folder of its files there."""
    from codeacumen.datasets import dataset, dataset_folder
    from codeacumen.datasets.fetch import get

    get(dataset("idbench"), idbench_source)
    return dataset_folder(dataset("idbench"))


@pytest.fixture(scope="session")
def warm_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Python, that has imported the package already where one can fork safely."""
    if not hasattr(os, "pidfd_open"):
        yield Path(sys.executable)
    else:
        with launcher(tmp_path_factory.mktemp("warm")) as program:
            yield program


@pytest.fixture
def codeacumen(home: Path, warm_python: Path, monkeypatch: pytest.MonkeyPatch) -> Codeacumen:
    """The command line as a person runs it, in a process of its own. All these have the same hash
    seed; a test that two of them give the same sets PYTHONHASHSEED for one."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [warm_python, "-m", "codeacumen", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            # Whatever loads readline sets the size of a terminal for its children, unseen.
            **{"env": dict(os.environ), **options},  # type: ignore[call-overload]
        )

    return run


@pytest.fixture
def codeacumen_here(home: Path, warm_python: Path, monkeypatch: pytest.MonkeyPatch) -> Codeacumen:
    """The command line in this process: for verbs that take less time than a process does to
    start."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # What the verb starts itself.
    monkeypatch.setattr(sys, "executable", str(warm_python))

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        from typer.testing import CliRunner

        from codeacumen.cli import app

        words = [str(one) for one in arguments]
        done = CliRunner().invoke(app, words, prog_name="codeacumen")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)

    return run


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all tests of a process: playwright starts only once in it."""
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
