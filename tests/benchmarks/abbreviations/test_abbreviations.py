from __future__ import annotations

import subprocess
import sys

from codeacumen.api import Pair, Question
from codeacumen.benchmarks.abbreviations import derive_abbreviations
from codeacumen.registry import make_task
from codeacumen.runs.plan import PlannedTask


def test_abbreviations_follow_the_rules() -> None:
    assert derive_abbreviations("message") == ("mes", "mess", "msg")
    assert derive_abbreviations("requestTimeout") == ("reqTim", "requTime", "rqstTmt", "rt")
    assert "rspns" in derive_abbreviations("response")
    assert all(
        len(abbreviation) < 6 for abbreviation in derive_abbreviations("internationalization")
    )


def test_match_truth_agrees_with_the_rules() -> None:
    instances = make_task("abbreviations/match").instances()
    for instance in instances:
        assert isinstance(instance.input, Pair)
        derived = instance.input.left in derive_abbreviations(instance.input.right)
        assert derived == bool(instance.truth)
    true_count = sum(instance.truth for instance in instances)
    assert abs(true_count - len(instances) / 2) < 0.02 * len(instances)


def test_exactly_one_choice_is_right() -> None:
    for instance in make_task("abbreviations/expand").instances():
        assert isinstance(instance.input, Question)
        right_choices = [
            choice
            for choice in instance.input.choices
            if instance.input.text in derive_abbreviations(choice)
        ]
        assert right_choices == [instance.truth]
        assert len(instance.input.choices) == 5


def test_positions_of_right_choices_are_balanced() -> None:
    instances = make_task("abbreviations/expand").instances()
    positions = [instance.input.choices.index(instance.truth) for instance in instances]
    assert max(positions.count(position) for position in range(5)) < 0.3 * len(positions)


def test_the_task_is_the_same_in_every_process() -> None:
    code = (
        "from codeacumen.registry import make_task; from codeacumen.runs.plan import PlannedTask;"
        "print(PlannedTask(make_task('abbreviations/match')).data_sha256)"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert hashes == {PlannedTask(make_task("abbreviations/match")).data_sha256}
