"""The page of a training: what it says, that it is inert, and that the same gives the same."""

from __future__ import annotations

import base64
import csv
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acumen.api import AcumenError
from acumen.models.neural import train
from acumen.models.neural.vocabulary import Vocabulary
from acumen.registry import make_task
from acumen.report import training
from acumen.report.training import write_training
from support import Acumen

Folder = Callable[..., Path]
COLUMNS = (
    "round", "step", "loss", "dev_loss", "dev_score", "rate", "seconds", "examples_per_second",
    "waiting",
)  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Folder:
    """A folder as a training leaves it, of so many rounds; the third of them is the best."""

    def make(rounds: int = 5, **changes: Any) -> Path:
        rows = [
            [n, 10 * (n + 1), 2.5 - 0.1 * n, 2.6 - 0.05 * n, 0.5 - 0.1 * abs(n - 2) / rounds,
             0.001, 12.3456, 1000.0 + n, 0.04]
            for n in range(rounds)
        ]  # fmt: skip
        about: dict[str, Any] = {
            "format": 1,
            "acumen": "0.1.0",
            "network": "cnn",
            "settings": {"vocabulary": 2000, "start": ""},
            "purpose": {"task": "gluecode/operators", "face": "classify"},
            "parameters": 1234567,
            "weights_sha256": "abc",
            "key": "def",
            "training": {"seed": 7, "rate": 0.001, "linear": False},
            "data": {
                "sizes": {
                    "train": {"examples": 1620, "read": 1611, "kept": 1600},
                    "dev": {"examples": 180, "read": 179, "kept": 178},
                },
                "task": "gluecode/operators", "version": "3", "fingerprint": "123", "most": 0,
            },
            "best": dict(zip(COLUMNS, rows[min(2, rounds - 1)], strict=True)),
            "rounds": rounds,
            "seconds": 7384.0,
            "device": "cpu",
            **changes,
        }  # fmt: skip
        (tmp_path / "model.json").write_text(json.dumps(about))
        with (tmp_path / "history.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([COLUMNS, *rows])
        Vocabulary(["<pad>", "<unk>", "a\u2028b", "c"]).save(tmp_path / "vocabulary" / "tokens.txt")
        return tmp_path

    return make


def test_how_busy_a_gpu_was_is_told_where_it_is_known(made: Folder) -> None:
    folder = made()
    assert "GPU busy" not in write_training(folder).read_text()
    history = folder / "history.csv"
    names, *rows = history.read_text().splitlines()
    told = ["nan", "0.5", "0.75", "0.7", "nan"]
    rows = [f"{row},{one}" for row, one in zip(rows, told, strict=True)]
    history.write_text("\n".join([f"{names},gpu_busy", *rows, ""]))
    assert "<dt>GPU busy</dt><dd>70.0 %</dd>" in write_training(folder).read_text()


def pictures(text: str) -> list[str]:
    """The drawings in a page, light and dark in turn."""
    found = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", text)
    return [base64.b64decode(one).decode() for one in found]


def test_what_it_says(made: Folder) -> None:
    folder = made()
    path = write_training(folder)
    assert path == folder / "report.html"
    text = path.read_text(encoding="utf-8")
    assert "cnn, trained for gluecode/operators" in text
    assert re.search(r"Best on dev: <b>0\.500</b> \(right answers\), after round 3 of 5", text)
    for fact in ("1,234,567", "1,620", "1,611", "1,600", "178", "2 h 3 min", "4.0 %", "1,002"):
        assert f">{fact}<" in text, fact
    assert re.search(r"tokens</th><td class=\"num\">4<", text)
    for key, value in (("network.vocabulary", "2000"), ("training.linear", "false")):
        assert re.search(rf"{key}</code></th><td class=\"num\">{value}<", text), key
    rows = re.findall(r"<tr class=\"best\">.*?</tr>", text, re.DOTALL)
    assert len(rows) == 1
    assert re.search(r"<th scope=\"row\" class=\"num\">3<", rows[0])
    assert "2.300" in rows[0]


def test_of_several_tasks_the_mean_is_told(made: Folder) -> None:
    folder = made(purpose={"task": "gluecode", "face": "generate"})
    assert "(right answers, mean of tasks)" in write_training(folder).read_text(encoding="utf-8")


def test_pictures_are_drawn_for_light_and_dark(made: Folder) -> None:
    drawn = pictures(write_training(made()).read_text())
    assert len(drawn) == 8
    light, dark = drawn[1::2], drawn[0::2]
    assert all('fill="#ffffff"' in one for one in light)
    assert all('fill="#161b1f"' in one for one in dark)
    # What is not said otherwise is drawn black, which nobody sees on dark.
    assert not any(re.search(r'"(?:#000|#000000|black)"', one) for one in dark)
    assert all("round 3" in one for one in light[:2])
    assert {"train", "dev"} <= set(re.findall(r">(\w+)</text>", light[0]))


def test_no_script_nothing_loaded_and_texts_are_inert(made: Folder) -> None:
    hostile = "</code><script>alert(1)</script>{{ 7 * 7 }}"
    folder = made(
        network=hostile, settings={hostile: hostile}, device=hostile, weights_sha256="\ud800"
    )
    text = write_training(folder).read_text(encoding="utf-8")
    assert "<script" not in text
    assert html.escape(hostile, quote=False) in text
    assert "default-src &#39;none&#39;" in text
    assert not re.search(r'(?:src|href|srcset)="(?!data:)', text)
    assert "\\ud800" in text


def test_the_same_bytes(made: Folder) -> None:
    first = write_training(made()).read_bytes()
    assert write_training(made()).read_bytes() == first


def test_pretraining_has_no_score(made: Folder) -> None:
    text = write_training(made(purpose={"task": "pretrain", "face": "generate"})).read_text()
    assert "Lowest loss on dev: <b>2.500</b>" in text
    assert len(pictures(text)) == 6
    assert "Score, dev" not in text
    assert "cnn, pre-trained" in text


@pytest.mark.parametrize("rounds", [1, 2, 90])
def test_few_and_many_rounds(made: Folder, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MOST", 20)
    text = write_training(made(rounds)).read_text()
    told = [int(n) for n in re.findall(r'<th scope="row" class="num">(\d+)', text)]
    assert told == sorted(set(told))
    assert told[0] == 1
    assert told[-1] == rounds
    assert min(3, rounds) in told
    assert len(told) <= 21
    assert ("are left out" in text) is (rounds > 21)
    for drawing in pictures(text):
        # Below the axis, between its two roles: whole rounds, none of them twice.
        axis = drawing.partition("X-axis")[2].partition("role-axis-title")[0]
        ticks = [int(n) for n in re.findall(r">(\d+)</text>", axis)]
        assert ticks[0] == 1
        assert ticks == sorted(set(ticks))
        assert ticks[-1] <= rounds


def test_what_is_no_number_is_not_drawn(made: Folder) -> None:
    folder = made()
    lines = (folder / "history.csv").read_text().splitlines()
    lines[2] = "1,20,nan,inf,0.1,0.001,1,1,0"
    (folder / "history.csv").write_text("\n".join(lines))
    text = write_training(folder).read_text()
    assert '<td class="num">20</td><td class="num">–</td><td class="num">–</td>' in text
    assert not any(re.search(r"NaN|Infinity", one) for one in pictures(text))


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("model.json", "{}", "no network that this acumen knows"),
        ("model.json", '{"format": 1}', "does not tell how it was trained"),
        ("history.csv", "round,loss\n0,1\n", "no column step"),
        ("history.csv", ",".join(COLUMNS) + "\n", "no round"),
        ("history.csv", ",".join(COLUMNS) + "\n1,x,1,1,1,1,1,1,1\n", "damaged history"),
        ("history.csv", ",".join(COLUMNS) + "\n1,2\n", "damaged history"),
    ],
)
def test_what_is_damaged_is_told(made: Folder, file: str, content: str, said: str) -> None:
    folder = made()
    (folder / file).write_text(content)
    with pytest.raises(AcumenError, match=said):
        write_training(folder)
    assert not (folder / "report.html").exists()


def test_no_training(tmp_path: Path) -> None:
    with pytest.raises(AcumenError, match="holds no trained network"):
        write_training(tmp_path)


@pytest.mark.parametrize("prepared", [False, True])
def test_the_verb_writes_it(
    made: Folder, acumen_here: Acumen, monkeypatch: pytest.MonkeyPatch, prepared: bool
) -> None:
    folder = made()
    about = json.loads((folder / "model.json").read_text())
    if prepared:
        about = {"prepared": about["data"]["sizes"]}
    asked = SimpleNamespace(task=make_task("abbreviations/expand"))
    monkeypatch.setattr(train, "request", lambda *words, **options: asked)
    monkeypatch.setattr(train, "train", lambda *words: about)
    options = ("--task", "abbreviations/expand", "--out", folder)
    done = acumen_here("train", "cnn", *options)
    assert done.returncode == 0, done.stderr
    page = folder / "report.html"
    assert page.exists() is not prepared
    assert (done.stderr.splitlines()[-1] == f"report: {page}") is not prepared
    (told,) = json.loads(acumen_here("train", "cnn", *options, "--json").stdout).values()
    assert told.get("report") == (None if prepared else str(page))


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser(
    made: Folder, browser: Any, weak: Callable[[Any], list[str]], scheme: str
) -> None:
    """Legible in both, complete on a phone, and the picture is that of the scheme."""
    path = write_training(made())
    noise: list[str] = []
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.on("console", lambda message: noise.append(message.text))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shown = page.evaluate(
        "[...document.images].map(one => [one.complete && one.naturalWidth, one.currentSrc])"
    )
    assert len(shown) == 4
    paper = {"light": "#ffffff", "dark": "#161b1f"}[scheme]
    for width, address in shown:
        assert width > 300
        assert f'fill="{paper}"' in base64.b64decode(address.partition(",")[2]).decode()
    page.get_by_text("Round by round").first.click()
    assert weak(page) == []
    context.close()
    assert noise == []
