"""Runs to report on, made by the package itself, and a browser to read the page with."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from codeacumen.api import Method, Run
from codeacumen.corpus import Corpus
from codeacumen.datasets.built import load_data
from codeacumen.registry import Entry, LoadedModel, make_model, make_task, names
from codeacumen.registry.entries import ENTRIES
from codeacumen.report import build_report
from codeacumen.runs.plan import Cell
from codeacumen.runs.results import read_run
from corpora import shared_engine

MODELS = ("levenshtein", "jaro-winkler", "needleman-wunsch", "majority", "oracle", "random")

Folder = tuple[Path, Run]
Opener = Callable[..., Any]


@pytest.fixture(scope="session")
def report_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report-home")


@pytest.fixture(scope="session", autouse=True)
def bundled_once() -> Iterator[None]:
    """The drawing library is put together once for all pages: it takes longer than the rest, and
    is the same for all (test_same_runs_same_bytes asks)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "javascript_bundle", cache(vl_convert.javascript_bundle))
        yield


@contextmanager
def living_at(home: Path) -> Iterator[None]:
    """For fixtures that outlive a test: other tests must not find this home set."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CODEACUMEN_HOME", str(home))
        yield


@pytest.fixture
def at_home(report_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODEACUMEN_HOME", str(report_home))
    return report_home


def evaluated(out: Path, models: tuple[str, ...], tasks: tuple[str, ...]) -> Folder:
    from codeacumen.runs.evaluate import evaluate
    from codeacumen.runs.plan import make_plan
    from codeacumen.runs.scoring import Settings

    cells, _ = make_plan(models, tasks, skip_unfit=True)
    return out, evaluate(cells, out, Settings(resamples=200))


@pytest.fixture(scope="session")
def small_run(report_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Six models on the two tasks that need no data. Two of them are made contestants, because
    every built-in model that can answer here is a baseline."""
    with living_at(report_home):
        out, run = evaluated(tmp_path_factory.mktemp("small"), MODELS, ("abbreviations",))
    return out, with_contestants(run, "levenshtein", "jaro-winkler")


def with_contestants(run: Run, *names: str) -> Run:
    models = {
        name: replace(card, is_baseline=card.is_baseline and name not in names)
        for name, card in run.models.items()
    }
    return replace(run, models=models)


@pytest.fixture(scope="session")
def idbench_run(report_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    from codeacumen.datasets import dataset
    from codeacumen.datasets.fetch import get

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


@pytest.fixture
def opened(browser: Any) -> Iterator[Opener]:
    """Opens a page; at the end, it must have said nothing and asked nobody for anything."""
    contexts: list[Any] = []
    noise: list[str] = []

    def open_page(path: Path, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        address = path.as_uri()
        page.on("console", lambda message: noise.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: noise.append(f"error: {error}"))
        page.on(
            "dialog", lambda dialog: (noise.append(f"dialog: {dialog.message}"), dialog.dismiss())
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url == address or request.url.startswith(("data:", "blob:"))
                else noise.append(f"request: {request.url}")
            ),
        )
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert noise == []


@pytest.fixture(scope="session")
def weak() -> Callable[[Any], list[str]]:
    """Texts that do not reach 4.5 to 1 against what they stand on (WCAG AA), by their colours."""

    def luminance(colour: str) -> float:
        channels = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def ratio(pair: str) -> float:
        low, high = sorted(luminance(colour) for colour in pair.split("|"))
        return (high + 0.05) / (low + 0.05)

    def of_page(page: Any) -> list[str]:
        pairs = page.evaluate(TEXT_COLOURS)
        assert len(pairs) > 3
        return [pair for pair in pairs if ratio(pair) < 4.5]

    return of_page


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


# --------------------------------------------------------------------------------------
# Robustness: a data set made from the example projects, and models that see through.
# --------------------------------------------------------------------------------------


class Wavering:
    """Says the most frequent word of the code; the truth where a hash of the code falls so;
    nothing, or fails, where another does."""

    def __init__(self, truths: dict[str, str], fails: bool) -> None:
        self.truths, self.fails = truths, fails

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        (method,) = methods
        draw = zlib.crc32(method.text.encode()) % 8
        if draw == 7:
            return [None]
        if draw == 6 and self.fails:
            raise ValueError("the server <b>said</b> no")
        if draw < 3:
            return [self.truths[method.id.partition("/")[0]]]
        words = Counter(re.findall(r"[a-z]\w+", method.text))
        return [min(words, key=lambda word: (-words[word], word))]


@dataclass(frozen=True)
class RobustRun:
    data: Path
    folder: Path
    run: Run

    @contextmanager
    def known(self) -> Iterator[None]:
        """The tasks of its data set are known, and forgotten again."""
        names("task")  # those that are there anyway are looked for once, at the first need
        before = dict(ENTRIES["task"])
        load_data(self.data)
        yield
        ENTRIES["task"].clear()
        ENTRIES["task"].update(before)


@pytest.fixture(scope="session")
def robust_run(
    examples_corpus: Corpus, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> RobustRun:
    from codeacumen.datasets.variants.build import build
    from codeacumen.datasets.variants.make import Recipe
    from codeacumen.runs.evaluate import evaluate
    from codeacumen.runs.plan import PlannedTask
    from codeacumen.runs.scoring import Settings

    data, out = tmp_path_factory.mktemp("robust-data"), tmp_path_factory.mktemp("robust-run")
    recipe = Recipe(
        ("rename", "permute", "loop"), ("single", "all", "25%", "50%"), split="all", most=120
    )
    build(examples_corpus, recipe, data, shared_engine(2))
    rows = [json.loads(line) for line in (data / "originals.jsonl").read_text().splitlines()]
    truths = {row["id"]: row["name"] for row in rows}
    empty = RobustRun(data, out, Run(0, 0.95, 0, {}, {}, (), {}))
    with living_at(report_home), empty.known():
        tasks = [PlannedTask(make_task(f"robustness/{kind}")) for kind in recipe.kinds]
        models = {
            "wavering": made("wavering", Wavering(truths, fails=False)),
            "failing": made("failing", Wavering(truths, fails=True)),
            "oracle": make_model("oracle"),
        }
        cells = [Cell(model, task) for task in tasks for model in models.values()]
        run = evaluate(cells, out, Settings(resamples=200))
    return replace(empty, run=run)


def made(name: str, model: Any) -> LoadedModel:
    return LoadedModel(name, Entry("model", name, lambda: model, origin="tests"), {}, model)


@pytest.fixture(scope="session")
def robust_page(
    robust_run: RobustRun, report_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("page") / "report.html"
    with living_at(report_home), robust_run.known():
        return build_report([(robust_run.folder, robust_run.run)], out)
