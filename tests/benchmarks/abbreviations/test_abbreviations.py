from __future__ import annotations

import subprocess
import sys

from codeacumen.api import Pair, Question
from codeacumen.benchmarks.abbreviations import abbreviations
from codeacumen.registry import make_task
from codeacumen.runs.plan import PlannedTask


def test_rules() -> None:
    assert abbreviations("message") == ("mes", "mess", "msg")
    assert abbreviations("requestTimeout") == ("reqTim", "requTime", "rqstTmt", "rt")
    assert "rspns" in abbreviations("response")
    assert all(len(short) < 6 for short in abbreviations("internationalization"))


def test_the_truth_is_what_the_rules_derive() -> None:
    instances = make_task("abbreviations/match").instances()
    for instance in instances:
        assert isinstance(instance.input, Pair)
        derived = instance.input.left in abbreviations(instance.input.right)
        assert derived == bool(instance.truth)
    true = sum(instance.truth for instance in instances)
    assert abs(true - len(instances) / 2) < 0.02 * len(instances)


def test_exactly_one_choice_is_right() -> None:
    for instance in make_task("abbreviations/expand").instances():
        assert isinstance(instance.input, Question)
        right = [c for c in instance.input.choices if instance.input.text in abbreviations(c)]
        assert right == [instance.truth]
        assert len(instance.input.choices) == 5


def test_the_place_of_the_right_choice_gives_nothing_away() -> None:
    instances = make_task("abbreviations/expand").instances()
    places = [i.input.choices.index(i.truth) for i in instances]
    assert max(places.count(place) for place in range(5)) < 0.3 * len(places)


def test_the_task_is_the_same_in_every_process() -> None:
    code = (
        "from codeacumen.registry import make_task; from codeacumen.runs.plan import PlannedTask;"
        "print(PlannedTask(make_task('abbreviations/match')).data_sha256)"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {PlannedTask(make_task("abbreviations/match")).data_sha256}
