"""Evaluating from the command line, with a model in a file of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import Codeacumen
from toys import answers_in

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
    """The model's file, and what it has been asked."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lengths.py"
        self.log = folder / "asked.txt"
        self.write()

    def write(self, answer: str = CORRECT, remark: str = "") -> None:
        text = PLUGIN.replace("{answer}", answer).replace("{remark}", remark)
        self.path.write_text(text)

    def asked(self) -> int:
        """How many questions since the last time."""
        count = len(self.log.read_text().splitlines()) if self.log.exists() else 0
        self.log.unlink(missing_ok=True)
        return count


@pytest.fixture
def plugin(tmp_path: Path) -> PluginFile:
    return PluginFile(tmp_path)


MATCH = ("-t", "abbreviations/match", "--resamples", "100", "--json")


def test_an_edited_file_is_another_model_even_within_a_second(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same size, same time stamp: a stale compiled file would run the old code and keep its
    answers as the new code's."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    command = ("eval", "--plugin", plugin.path, "-m", "lengths", *MATCH, "-o", tmp_path / "run")
    plugin.write(answer="1.0")
    stamp = plugin.path.stat()
    assert codeacumen(*command).returncode == 0
    first = answers_in(tmp_path / "run")["abbreviations/match/lengths.jsonl"]
    assert plugin.asked() == 475
    assert codeacumen(*command).returncode == 0
    assert plugin.asked() == 0
    plugin.write(answer="2.0")
    os.utime(plugin.path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert plugin.path.stat().st_size == stamp.st_size
    assert codeacumen(*command).returncode == 0
    assert plugin.asked() == 475
    second = answers_in(tmp_path / "run")["abbreviations/match/lengths.jsonl"]
    assert second == first.replace(b'"answer": 1.0', b'"answer": 2.0')
    # Even a remark may be a change of behaviour; nobody but the author knows.
    plugin.write(answer="2.0", remark="now faster")
    assert codeacumen(*command).returncode == 0
    assert plugin.asked() == 475
    assert not (tmp_path / "__pycache__").exists()


def test_a_file_edited_during_a_run_does_not_get_the_old_codes_answers(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    """The model edits its own file at the first question, as an impatient author would; the
    second task is asked after that, of the code that was loaded before."""
    edit = (
        "[Path(__file__).write_text(Path(__file__).read_text().replace('0.25', '0.75')), 0.25][1]"
    )
    plugin.write(answer=edit)
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
    assert b"0.75" not in answers_in(tmp_path / "old")[name]
    assert b"0.25" not in answers_in(tmp_path / "new")[name]
    cells = json.loads((tmp_path / "new" / "results.json").read_text())["cells"]
    assert all(one["asked"] == one["counts"]["instances"] for one in cells)


def test_settings_have_answers_of_their_own(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    command = ["eval", "--plugin", plugin.path, *MATCH, "-o", tmp_path / "run"]
    codeacumen(*command, "-m", "lengths", "-m", "lengths:scale=2.0")
    assert plugin.asked() == 2 * 475
    one, two = (
        [json.loads(line)["answer"] for line in content.splitlines()]
        for _, content in sorted(answers_in(tmp_path / "run").items())
    )
    assert sorted([one, two]) == sorted([one, [2 * value for value in one]])
    # The default written out is the same model: its answers are there already.
    codeacumen(*command, "-m", "lengths:scale=1.0")
    assert plugin.asked() == 0


def test_two_runs_at_once_ask_each_instance_once_in_total(
    home: Path, plugin: PluginFile, tmp_path: Path
) -> None:
    # A second of questions each, so that the two surely meet.
    plugin.write(answer="(__import__('time').sleep(0.002), 1.0)[1]")
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
    assert sorted(json.loads(text)["cells"][0]["asked"] for text in outputs) == [0, 475]
    assert answers_in(tmp_path / "one") == answers_in(tmp_path / "two") != {}


def test_failures_are_shown_and_end_in_exit_code_1(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    plugin.write(answer="1 / (len(pair.left) - 3)")
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
    # Kept failures are failures still: the exit code does not turn to 0 by itself.
    again = codeacumen(*command, "-m", "random")
    assert again.returncode == 1
    assert "random on" not in again.stderr


def test_odd_characters_in_an_error_reach_file_and_terminal(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    plugin.write(answer=r'exec("raise ValueError(chr(0xd800) + chr(27) + chr(0) + \'ü\')")')
    out = tmp_path / "run"
    done = codeacumen("eval", "--plugin", plugin.path, "-m", "lengths", *MATCH, "-o", out)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for text in (done.stdout, (out / "results.json").read_text(encoding="utf-8")):
        (error, *_) = json.loads(text)["cells"][0]["errors"]
        assert error.endswith("ValueError: \ud800\x1b\0ü")


def test_a_model_without_the_face_is_reported_before_anything_runs(
    codeacumen: Codeacumen, plugin: PluginFile, tmp_path: Path
) -> None:
    """``lengths`` could be asked, and comes first, yet nobody is."""
    out = tmp_path / "run"
    command = ("eval", "--plugin", plugin.path, "-m", "lengths", "-m", "writer", *MATCH, "-o", out)
    done = codeacumen(*command)
    assert done.returncode == 2
    assert (
        "writer cannot answer abbreviations/match: the task needs similarity, "
        "the model has generate"
    ) in done.stderr
    assert "--skip-unfit" in done.stderr
    assert plugin.asked() == 0
    assert not out.exists()
    done = codeacumen(*command, "--skip-unfit")
    assert done.returncode == 0
    assert "left out: writer" in done.stderr
    assert [one["model"] for one in json.loads(done.stdout)["cells"]] == ["lengths"]
    assert plugin.asked() == 475
