"""Fixtures shared by all tests."""

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

from codeacumen.registry import entries, lookup
from codeacumen.registry.code_hash import PLUGIN_PREFIX, find_package
from corpora import analysed_corpus, examples_corpus
from fork_server import start_launcher
from javac import java_util, javac_program, part_of_java_util
from support import SHARED, Codeacumen, is_thorough

__all__ = ["analysed_corpus", "examples_corpus", "java_util", "javac_program", "part_of_java_util"]

# No deadline: on a busy machine any case may take longer than hypothesis allows.
settings.register_profile("thorough", settings.default, deadline=None)
# The default number of cases of a test; hypothesis' own default is a hundred.
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
    """Forget the plug-ins of each test, and what they registered.

    Engines load all plug-ins in their workers, and a corpus is built with all registered views.
    """
    loaded = lookup._plugins[:]
    modules = set(sys.modules)
    yield
    lookup._plugins[:] = loaded
    new_modules = {name for name in sys.modules if name.startswith(PLUGIN_PREFIX)} - modules
    for registered in entries.ENTRIES.values():
        for name, entry in list(registered.items()):
            if find_package(entry.factory) in new_modules:
                del registered[name]
    for name in new_modules:
        del sys.modules[name]


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of one test run share, for what is built once."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set CODEACUMEN_HOME to an empty folder and return it."""
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
    """Install IdBench in an otherwise empty CODEACUMEN_HOME; return the folder of its files."""
    from codeacumen.datasets import dataset_folder, find_dataset
    from codeacumen.datasets.fetch import fetch_dataset

    fetch_dataset(find_dataset("idbench"), idbench_source)
    return dataset_folder(find_dataset("idbench"))


@pytest.fixture(scope="session")
def warm_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a Python that has already imported the package, on systems where forking is safe."""
    if not hasattr(os, "pidfd_open"):
        yield Path(sys.executable)
    else:
        with start_launcher(tmp_path_factory.mktemp("warm")) as program:
            yield program


@pytest.fixture
def codeacumen(home: Path, warm_python: Path, monkeypatch: pytest.MonkeyPatch) -> Codeacumen:
    """Return a function that runs the command line in a process of its own. All processes have the
    same hash seed; a test of independence from the seed sets PYTHONHASHSEED for one of them."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run_codeacumen(
        *arguments: str | Path, **options: object
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [warm_python, "-m", "codeacumen", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=300,
            # Loading readline sets the terminal size for child processes, outside os.environ.
            **{"env": dict(os.environ), **options},  # type: ignore[call-overload]
        )

    return run_codeacumen


@pytest.fixture
def codeacumen_here(home: Path, warm_python: Path, monkeypatch: pytest.MonkeyPatch) -> Codeacumen:
    """Return a function that runs the command line in this process: for commands that take less
    time than starting a process."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # The Python of processes that the command itself starts.
    monkeypatch.setattr(sys, "executable", str(warm_python))

    def run_in_process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        from typer.testing import CliRunner

        from codeacumen.cli import app

        words = [str(argument) for argument in arguments]
        result = CliRunner().invoke(app, words, prog_name="codeacumen")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return subprocess.CompletedProcess(words, result.exit_code, result.stdout, result.stderr)

    return run_in_process


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
    """Return the browser shared by all tests of a process: playwright starts only once in a
    process."""
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
