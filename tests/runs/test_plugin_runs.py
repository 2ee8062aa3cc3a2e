"""Tests of evaluation from the command line with a model in a plug-in file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import Codeacumen
from toy_task import read_answer_files

PLUGIN = '''
import os
from pathlib import Path
from codeacumen.registry import model

LOG = Path(__file__).with_name("asked.txt")


class Lengths:
    def __init__(self, scale):
        self.scale = scale

    def similarity(self, pairs):
        with LOG.open("a") as log:
            log.writelines(f"{pair.left} {pair.right}\\n" for pair in pairs)
        # {remark}
        return [{answer} for pair in pairs]


class Writer:
    def generate(self, prompts):
        LOG.write_text("asked")
        return [""] * len(prompts)


@model("lengths")
def lengths(scale: float = 1.0):
    """Similar in length"""
    return Lengths(scale)


@model("writer")
def writer():
    return Writer()
'''
CORRECT = "-abs(len(pair.left) - len(pair.right)) * self.scale"


class PluginFile:
    """The model's file and its log of questions."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lengths.py"
        self.log = folder / "asked.txt"
        self.write_file()

    def write_file(self, answer: str = CORRECT, remark: str = "") -> None:
        text = PLUGIN.replace("{answer}", answer).replace("{remark}", remark)
        self.path.write_text(text)

    def count_new_questions(self) -> int:
        """Return the number of questions since the last call."""
        count = len(self.log.read_text().splitlines()) if self.log.exists() else 0
        self.log.unlink(missing_ok=True)
        return count


@pytest.fixture
def plugin(tmp_path: Path) -> PluginFile:
    return PluginFile(tmp_path)


MATCH = ("-t", "abbreviations/match", "--resamples", "100", "--json")


def test_edited_file_is_another_model_even_within_a_second(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size and time stamp are equal: a stale compiled file would run the old code and store its
    answers as the new code's."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    command = ("eval", "--plugin", plugin.path, "-m", "lengths", *MATCH, "-o", tmp_path / "run")
    plugin.write_file(answer="1.0")
    stamp = plugin.path.stat()
    assert codeacumen(*command).returncode == 0
    first = read_answer_files(tmp_path / "run")["abbreviations/match/lengths.jsonl"]
    assert plugin.count_new_questions() == 475
    assert codeacumen(*command).returncode == 0
    assert plugin.count_new_questions() == 0
    plugin.write_file(answer="2.0")
    os.utime(plugin.path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert plugin.path.stat().st_size == stamp.st_size
    assert codeacumen(*command).returncode == 0
    assert plugin.count_new_questions() == 475
    second = read_answer_files(tmp_path / "run")["abbreviations/match/lengths.jsonl"]
    assert second == first.replace(b'"answer": 1.0', b'"answer": 2.0')
    # Even a changed comment counts as an edit: codeacumen cannot know whether behaviour changes.
    plugin.write_file(answer="2.0", remark="now faster")
    assert codeacumen(*command).returncode == 0
    assert plugin.count_new_questions() == 475
    assert not (tmp_path / "__pycache__").exists()


def test_file_edited_during_a_run_does_not_use_answers_of_the_old_code(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    """The model edits its own file at the first question; the second task is answered later, by the
    code that was loaded before."""
    edit = (
        "[Path(__file__).write_text(Path(__file__).read_text().replace('0.25', '0.75')), 0.25][1]"
    )
    plugin.write_file(answer=edit)
    command = (
        "eval",
        "--plugin",
        plugin.path,
        "-m",
        "lengths",
        "-t",
        "abbreviations/expand",
        *MATCH,
    )
    assert codeacumen(*command, "-o", tmp_path / "old").returncode == 0
    assert codeacumen(*command, "-o", tmp_path / "new").returncode == 0
    name = "abbreviations/match/lengths.jsonl"
    assert b"0.75" not in read_answer_files(tmp_path / "old")[name]
    assert b"0.25" not in read_answer_files(tmp_path / "new")[name]
    cells = json.loads((tmp_path / "new" / "results.json").read_text())["cells"]
    assert all(cell["computed"] == cell["counts"]["instances"] for cell in cells)


def test_answers_are_cached_per_settings(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    command = ["eval", "--plugin", plugin.path, *MATCH, "-o", tmp_path / "run"]
    codeacumen(*command, "-m", "lengths", "-m", "lengths:scale=2.0")
    assert plugin.count_new_questions() == 2 * 475
    first_answers, second_answers = (
        [json.loads(line)["answer"] for line in content.splitlines()]
        for _, content in sorted(read_answer_files(tmp_path / "run").items())
    )
    assert sorted([first_answers, second_answers]) == sorted(
        [first_answers, [2 * value for value in first_answers]]
    )
    # The explicit default is the same model: its answers are cached.
    codeacumen(*command, "-m", "lengths:scale=1.0")
    assert plugin.count_new_questions() == 0


def test_concurrent_runs_ask_each_instance_once_in_total(
    home: Path, plugin: PluginFile, tmp_path: Path
) -> None:
    # The questions take a second in each run, so that both overlap.
    plugin.write_file(answer="(__import__('time').sleep(0.002), 1.0)[1]")
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "codeacumen",
                "eval",
                "--plugin",
                str(plugin.path),
                "-m",
                "lengths",
                *MATCH,
                "-o",
                str(tmp_path / out),
            ],
            stdout=subprocess.PIPE,
        )
        for out in ("one", "two")
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    questions = plugin.log.read_text().splitlines()
    assert len(questions) == len(set(questions)) == 475
    assert sorted(json.loads(text)["cells"][0]["computed"] for text in outputs) == [0, 475]
    assert read_answer_files(tmp_path / "one") == read_answer_files(tmp_path / "two") != {}


def test_failures_are_reported_with_exit_code_1(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    plugin.write_file(answer="1 / (len(pair.left) - 3)")
    command = ["eval", "--plugin", plugin.path, "-m", "lengths", *MATCH[:-1], "-o", tmp_path / "r"]
    done = codeacumen(*command)
    assert done.returncode == 1
    short = sum(line.index(" ") == 3 for line in plugin.log.read_text().splitlines())
    assert 0 < short < 475
    assert f"lengths on abbreviations/match: {short} of 475 instances failed" in done.stderr
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert "--retry-failed" in done.stderr
    assert f"{475 - short} of 475" in done.stdout
    record = json.loads((tmp_path / "r" / "results.json").read_text())
    assert record["cells"][0]["counts"]["failed"] == short
    # Cached failures remain failures: the exit code does not become 0.
    again = codeacumen(*command, "-m", "random")
    assert again.returncode == 1
    assert "random on" not in again.stderr


def test_unusual_characters_in_an_error_are_stored_and_printed(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    plugin.write_file(answer=r'exec("raise ValueError(chr(0xd800) + chr(27) + chr(0) + \'ü\')")')
    out = tmp_path / "run"
    done = codeacumen("eval", "--plugin", plugin.path, "-m", "lengths", *MATCH, "-o", out)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for text in (done.stdout, (out / "results.json").read_text(encoding="utf-8")):
        (error, *_) = json.loads(text)["cells"][0]["errors"]
        assert error.endswith("ValueError: \ud800\x1b\0ü")


def test_model_without_capability_is_reported_before_anything_runs(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    """``lengths`` supports the task and comes first, but is not called."""
    out = tmp_path / "run"
    command = ("eval", "--plugin", plugin.path, "-m", "lengths", "-m", "writer", *MATCH, "-o", out)
    done = codeacumen(*command)
    assert done.returncode == 2
    assert (
        "writer cannot answer abbreviations/match: the task needs similarity, "
        "the model has generate"
    ) in done.stderr
    assert "--skip-unfit" in done.stderr
    assert plugin.count_new_questions() == 0
    assert not out.exists()
    done = codeacumen(*command, "--skip-unfit")
    assert done.returncode == 0
    assert "left out: writer" in done.stderr
    assert [cell["model"] for cell in json.loads(done.stdout)["cells"]] == ["lengths"]
    assert plugin.count_new_questions() == 475
