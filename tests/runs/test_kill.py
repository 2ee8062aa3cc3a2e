"""Killed at any moment and started again, a run ends with the same bytes, and no model is
asked again for what is on record."""

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

# A plain model, one that takes batches and one that learns; each writes down what it is asked
# before it answers, in one write, so that a kill leaves no half line.
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


def recorded(home: Path) -> set[Question]:
    """Model and instance of every whole line in the logs of answers."""
    found: set[Question] = set()
    for key in home.glob("answers/*/*/key.json"):
        model = json.loads(key.read_bytes())["model"]
        log = key.with_name("answers.jsonl")
        content = log.read_bytes() if log.exists() else b""
        whole = content[: content.rfind(b"\n") + 1].splitlines()
        found |= {(model, json.loads(line)["id"]) for line in whole}
    return found


def asked(log: Path) -> list[Question]:
    """Model and instance of every question so far, in order."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [(model, id_) for model, id_ in (line.split() for line in lines)]


def command(plugin: Path, out: Path, models: Sequence[str] = MODELS) -> list[str]:
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
    """The folder of a run that nobody killed, in a home of its own."""
    out = tmp_path / "undisturbed"
    home = {**os.environ, "CODEACUMEN_HOME": str(tmp_path / "another-home")}
    subprocess.run(command(plugin, out), env=home, capture_output=True, check=True)
    (tmp_path / "asked.txt").unlink()
    return out


def same_results(one: Path, other: Path) -> bool:
    """Answers byte for byte, and all scores."""
    answers = [
        {path.name: path.read_bytes() for path in (run / "answers").rglob("*.jsonl")}
        for run in (one, other)
    ]
    scores = [[cell.scores for cell in read_run(run).cells] for run in (one, other)]
    assert len(answers[0]) == len(scores[0]) == len(MODELS)
    return answers[0] == answers[1] and scores[0] == scores[1]


def test_killed_many_times_it_ends_with_the_same_bytes_and_asks_nothing_twice(
    home: Path, plugin: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """A kill can fall between asking and recording; those questions, and no others, are asked
    once more. So for every instance: asked = 1 + kills that fell into its gap."""
    log, out = tmp_path / "asked.txt", tmp_path / "run"
    moments = random.Random(0)
    gaps: Counter[Question] = Counter()
    for _ in range(KILLS):
        before, on_record = asked(log), recorded(home)
        # Another order each time, so that every model is hit.
        models = moments.sample(MODELS, len(MODELS))
        with subprocess.Popen(command(plugin, out, models), stdout=subprocess.DEVNULL) as process:
            # After some questions of this life, or none (while it starts), and a little later.
            patience = moments.choice([0, 1, 2, 8, 20, 40])
            goal = len(before) + patience
            wait_until(lambda goal=goal: len(asked(log)) >= goal, process)  # type: ignore[misc]
            time.sleep(moments.uniform(0, 0.02 if patience else 0.5))
            process.kill()
            assert process.wait() == -signal.SIGKILL, "it was over before the kill"
        now = asked(log)[len(before) :]
        assert on_record.isdisjoint(now), "asked for what was on record"
        gaps.update(set(now) - recorded(home))
    # The kills fell where they should: while each of the models was being asked.
    assert {model for model, _ in gaps} == set(MODELS)

    before, on_record = asked(log), recorded(home)
    subprocess.run(command(plugin, out), stdout=subprocess.DEVNULL, check=True)
    assert on_record.isdisjoint(asked(log)[len(before) :])
    times = Counter(asked(log))
    assert len(times) == len(MODELS) * INSTANCES
    assert times == {question: 1 + gaps[question] for question in times}
    assert same_results(out, undisturbed)


@pytest.mark.thorough
def test_killed_while_it_writes_its_results_it_writes_them_again(
    home: Path, plugin: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """All is answered; the kills fall between the first file of the run and the last."""
    log, out = tmp_path / "asked.txt", tmp_path / "run"
    subprocess.run(command(plugin, out), stdout=subprocess.DEVNULL, check=True)
    questions = asked(log)
    moments = random.Random(1)
    fell = 0
    for _ in range(20):
        shutil.rmtree(out)
        with subprocess.Popen(command(plugin, out), stdout=subprocess.DEVNULL) as process:
            wait_until(out.exists, process)
            time.sleep(moments.uniform(0, 0.005))
            process.kill()
            fell += process.wait() == -signal.SIGKILL
        # What is there under its own name is whole.
        for path in out.rglob("*.jsonl"):
            assert path.read_bytes() == (undisturbed / path.relative_to(out)).read_bytes()
        if (out / "results.json").exists():
            assert same_results(out, undisturbed)
        if fell == 4:
            break
    assert fell == 4
    subprocess.run(command(plugin, out), stdout=subprocess.DEVNULL, check=True)
    assert asked(log) == questions
    assert same_results(out, undisturbed)
