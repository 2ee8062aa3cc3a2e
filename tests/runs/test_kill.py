"""Tests that a run that is killed at any moment and started again ends with the same bytes, and
asks no model again for recorded answers."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from codeacumen.runs.results import read_run

KILLS = 8

# A plain model, one with batches, and one that learns; each logs its questions before it
# answers, in one write, so that a kill leaves no partial line.
PLUGIN = '''
import os
import time
from pathlib import Path

from codeacumen import metrics
from codeacumen.api import Capability, Instance, Pair, TaskCard
from codeacumen.registry import model, task

LOG = os.open(Path(__file__).with_name("asked.txt"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
INSTANCES = [Instance(f"p{i:03}", Pair(f"a{i * 7919 % 97}", f"b{i}"), i % 10) for i in range(200)]


class Counting:
    """The task: 200 pairs."""

    card = TaskCard("counting", "Counting", "1", Capability.SIMILARITY, "spearman")
    metric = metrics.spearman

    def instances(self):
        return INSTANCES


class Slow:
    def __init__(self, name, batch_size):
        self.name = name
        self.batch_size = batch_size

    def similarity(self, pairs):
        numbers = [int(pair.right[1:]) for pair in pairs]
        os.write(LOG, "".join(f"{self.name} p{n:03}\\n" for n in numbers).encode())
        time.sleep(0.003 * len(pairs))
        return [int(pair.left[1:]) / 7 + self.learned() for pair in pairs]

    def learned(self):
        return 0


class Learning(Slow):
    """Its answers hang on all labels but the one asked for."""

    supervision = "leave-one-out"

    def fit(self, examples):
        self.mean = sum(example.truth for example in examples) / len(examples)

    def learned(self):
        return self.mean


task("counting")(Counting)
model("plain")(lambda: Slow("plain", 1))
model("batched")(lambda: Slow("batched", 16))
model("learning")(lambda: Learning("learning", 1))
'''
MODELS = ("plain", "batched", "learning")
INSTANCES = 200

Question = tuple[str, str]


def list_recorded(home: Path) -> set[Question]:
    """Return model and instance of every complete line in the logs of answers."""
    recorded_questions: set[Question] = set()
    for key in home.glob("answers/*/*/key.json"):
        model = json.loads(key.read_bytes())["model"]
        log = key.with_name("answers.jsonl")
        content = log.read_bytes() if log.exists() else b""
        complete_lines = content[: content.rfind(b"\n") + 1].splitlines()
        recorded_questions |= {(model, json.loads(line)["id"]) for line in complete_lines}
    return recorded_questions


def list_questions(log: Path) -> list[Question]:
    """Return model and instance of every question so far, in order."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [(model, id_) for model, id_ in (line.split() for line in lines)]


def make_command(plugin: Path, out: Path, models: Sequence[str] = MODELS) -> list[str]:
    return [
        sys.executable,
        "-m",
        "codeacumen",
        "eval",
        "--plugin",
        str(plugin),
        *(f"-m{name}" for name in models),
        "-t",
        "counting",
        "--resamples",
        "100",
        "-o",
        str(out),
    ]


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while not happened() and process.poll() is None:
        assert time.monotonic() < deadline, "it does not get on"
        time.sleep(0.001)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "slow.py"
    path.write_text(PLUGIN)
    return path


@pytest.fixture
def undisturbed(plugin: Path, tmp_path: Path) -> Path:
    """Return the folder of a run that is not killed, with a home of its own."""
    out = tmp_path / "undisturbed"
    home = {**os.environ, "CODEACUMEN_HOME": str(tmp_path / "another-home")}
    subprocess.run(make_command(plugin, out), env=home, capture_output=True, check=True)
    (tmp_path / "asked.txt").unlink()
    return out


def have_same_results(first: Path, second: Path) -> bool:
    """Return whether answers, byte for byte, and all scores are equal."""
    answers = [
        {path.name: path.read_bytes() for path in (run / "answers").rglob("*.jsonl")}
        for run in (first, second)
    ]
    scores = [[cell.scores for cell in read_run(run).cells] for run in (first, second)]
    assert len(answers[0]) == len(scores[0]) == len(MODELS)
    return answers[0] == answers[1] and scores[0] == scores[1]


def test_repeatedly_killed_run_ends_with_same_bytes_and_repeats_no_question(
    home: Path, plugin: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """A kill can fall between asking and recording; only those questions are asked once more. So
    for every instance: number of questions = 1 + kills between asking and recording it."""
    log, out = tmp_path / "asked.txt", tmp_path / "run"
    rng = random.Random(0)
    gaps: Counter[Question] = Counter()
    for _ in range(KILLS):
        before, on_record = list_questions(log), list_recorded(home)
        # Another order each time, so that the kills hit every model.
        models = rng.sample(MODELS, len(MODELS))
        with subprocess.Popen(
            make_command(plugin, out, models), stdout=subprocess.DEVNULL
        ) as process:
            # After some questions of this process, or none (while it starts), and a short delay.
            patience = rng.choice([0, 1, 2, 8, 20, 40])
            goal = len(before) + patience
            wait_until(lambda goal=goal: len(list_questions(log)) >= goal, process)  # type: ignore[misc]
            time.sleep(rng.uniform(0, 0.02 if patience else 0.5))
            process.kill()
            assert process.wait() == -signal.SIGKILL, "it was over before the kill"
        new_questions = list_questions(log)[len(before) :]
        assert on_record.isdisjoint(new_questions), "asked for what was on record"
        gaps.update(set(new_questions) - list_recorded(home))
    # Each of the models was killed between asking and recording.
    assert {model for model, _ in gaps} == set(MODELS)

    before, on_record = list_questions(log), list_recorded(home)
    subprocess.run(make_command(plugin, out), stdout=subprocess.DEVNULL, check=True)
    assert on_record.isdisjoint(list_questions(log)[len(before) :])
    times = Counter(list_questions(log))
    assert len(times) == len(MODELS) * INSTANCES
    assert times == {question: 1 + gaps[question] for question in times}
    assert have_same_results(out, undisturbed)


@pytest.mark.thorough
def test_run_killed_while_writing_results_writes_them_again(
    home: Path, plugin: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """All instances are answered; the kills fall between the first file of the run and the last."""
    log, out = tmp_path / "asked.txt", tmp_path / "run"
    subprocess.run(make_command(plugin, out), stdout=subprocess.DEVNULL, check=True)
    questions = list_questions(log)
    rng = random.Random(1)
    kill_count = 0
    for _ in range(20):
        shutil.rmtree(out)
        with subprocess.Popen(make_command(plugin, out), stdout=subprocess.DEVNULL) as process:
            wait_until(out.exists, process)
            time.sleep(rng.uniform(0, 0.005))
            process.kill()
            kill_count += process.wait() == -signal.SIGKILL
        # Files under their final names are complete.
        for path in out.rglob("*.jsonl"):
            assert path.read_bytes() == (undisturbed / path.relative_to(out)).read_bytes()
        if (out / "results.json").exists():
            assert have_same_results(out, undisturbed)
        if kill_count == 4:
            break
    assert kill_count == 4
    subprocess.run(make_command(plugin, out), stdout=subprocess.DEVNULL, check=True)
    assert list_questions(log) == questions
    assert have_same_results(out, undisturbed)
