"""Tests of ``codeacumen names check`` and ``calibrate`` from the command line, with the rules
alone: planted bad names are reported, and good names of the examples are not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from checker.projects import commit_files, write_files
from support import ROOT, Codeacumen

PLANTED = """package shop;

class Basket {
    private int total;
    private boolean paid;

    void getTotal() { total = 0; System.out.println(total); }

    int isPaid() { return paid ? 1 : 0; }

    void pay() { paid = true; total = 0; }

    int total() { return total; }
}
"""
FILE = "src/shop/Basket.java"
RULES = ("--background", "none")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    write_files(folder, {FILE: PLANTED})
    return folder


def reported_names(text: str) -> set[str]:
    return {
        finding["name"] for finding in json.loads(text)["findings"] if not finding["suppressed"]
    }


def test_planted_bad_names_are_reported(codeacumen: Codeacumen, shop: Path) -> None:
    completed = codeacumen("names", "check", *RULES, cwd=shop)
    assert completed.returncode == 1, completed.stderr
    first, second = [line for line in completed.stdout.splitlines() if not line.startswith(" ")]
    assert first.startswith(f"{FILE}:7:10: Basket.getTotal() ")
    assert second.startswith(f"{FILE}:9:9: Basket.isPaid() ")
    assert "    reason: " in completed.stdout
    # In a pipe, stdout has no colours and only findings.
    assert "\x1b" not in completed.stdout + completed.stderr
    assert "2 findings in 4 methods of 1 file" in completed.stderr


def test_examples_have_almost_no_findings(codeacumen_here: Codeacumen) -> None:
    """The examples were written with care for names, so findings are false alarms."""
    completed = codeacumen_here("names", "check", ROOT / "examples", *RULES, "--format", "json")
    report = json.loads(completed.stdout)
    assert report["methods"] > 1000
    assert len(report["findings"]) <= 3


def test_out_writes_each_format(codeacumen_here: Codeacumen, shop: Path, tmp_path: Path) -> None:
    for name, prefix in (("json", b"{"), ("sarif", b"{"), ("html", b"<!doctype"), ("text", b"")):
        file = tmp_path / f"out.{name}"
        completed = codeacumen_here("names", "check", shop, *RULES, "--format", name, "--out", file)
        assert completed.returncode == 1
        assert completed.stdout == ""
        assert file.read_bytes().startswith(prefix)
        assert b"getTotal" in file.read_bytes()
        assert "2 findings" in completed.stderr


def test_json_option_equals_the_json_format(codeacumen_here: Codeacumen, shop: Path) -> None:
    short = codeacumen_here("names", "check", shop, *RULES, "--json")
    assert short.stdout == codeacumen_here("names", "check", shop, *RULES, "-f", "json").stdout
    assert reported_names(short.stdout) == {"getTotal", "isPaid"}
    with_both = codeacumen_here("names", "check", shop, *RULES, "--json", "--format", "json")
    assert with_both.stdout == short.stdout
    completed = codeacumen_here("names", "check", shop, *RULES, "--json", "--format", "html")
    assert completed.returncode == 2
    assert "--json and --format html exclude each other" in completed.stderr


def test_exit_codes(codeacumen_here: Codeacumen, shop: Path) -> None:
    def run_check(*options: str) -> int:
        return codeacumen_here("names", "check", shop, *RULES, *options).returncode

    assert run_check() == 1
    assert run_check("--fail-on", "never") == 0
    assert run_check("--fail-on", "finding") == 1
    assert run_check("--fail-on", "0.99") == 0
    assert run_check("--threshold", "1") == 0
    assert run_check("--fail-on", "sometimes") == 2
    assert run_check("--threshold", "7") == 2
    assert run_check("--since", "main", "--staged") == 2
    assert run_check("--since", "main") == 2  # no repository
    assert run_check("--config", "none.toml") == 2
    assert run_check("--baseline", "none.json") == 2
    assert codeacumen_here("names", "check", "nowhere").returncode == 2


def test_settings_of_the_project_and_the_command_line(
    codeacumen_here: Codeacumen, shop: Path
) -> None:
    write_files(shop, {".codeacumen.toml": '[names]\nthreshold = 1\nbackground = "none"\n'})
    assert codeacumen_here("names", "check", shop / "src").returncode == 0
    assert codeacumen_here("names", "check", shop / "src", "--threshold", "0.5").returncode == 1
    write_files(shop, {".codeacumen.toml": "[names]\ntreshold = 1\n"})
    completed = codeacumen_here("names", "check", shop / "src")
    assert completed.returncode == 2
    assert "hint: did you mean threshold?" in completed.stderr


def test_baseline_silences_known_findings(codeacumen_here: Codeacumen, shop: Path) -> None:
    baseline = shop / "names.json"
    completed = codeacumen_here("names", "check", shop, *RULES, "--write-baseline", baseline)
    assert (completed.returncode, "2 known findings" in completed.stderr) == (0, True)
    assert codeacumen_here("names", "check", shop, *RULES, "--baseline", baseline).returncode == 0
    write_files(shop, {FILE: PLANTED.replace("void pay()", "void getPaid()")})
    completed = codeacumen_here(
        "names", "check", shop, *RULES, "--baseline", baseline, "-f", "json"
    )
    assert (completed.returncode, reported_names(completed.stdout)) == (1, {"getPaid"})
    # A baseline that is set and written again has all findings.
    write_files(shop, {".codeacumen.toml": '[names]\nbaseline = "names.json"\n'})
    codeacumen_here("names", "check", shop, *RULES, "--write-baseline", baseline)
    assert len(json.loads(baseline.read_bytes())["findings"]) == 3


def test_check_of_a_change(codeacumen_here: Codeacumen, shop: Path) -> None:
    commit_files(shop, {})
    assert codeacumen_here("names", "check", shop, *RULES, "--since", "HEAD").returncode == 0
    write_files(shop, {"src/shop/New.java": "class New { int x; void getX() { x = 1; x++; } }"})
    completed = codeacumen_here("names", "check", shop, *RULES, "--since", "HEAD", "-f", "json")
    assert reported_names(completed.stdout) == {"getX"}
    assert codeacumen_here("names", "check", shop, *RULES, "--staged").returncode == 0


def test_pre_commit_hook_runs(codeacumen: Codeacumen, shop: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = hook["entry"].split()
    assert program == "codeacumen"
    assert (hook["pass_filenames"], hook["language"]) == (False, "python")
    commit_files(shop, {"README": ""})
    assert codeacumen(*words, cwd=shop).returncode == 0


def test_hostile_names_do_not_control_the_terminal(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    path = "src/\x1b[31m\n7:1: evil/A.java"
    write_files(tmp_path / "p", {path: PLANTED})
    completed = codeacumen_here("names", "check", tmp_path / "p", *RULES)
    assert "\x1b" not in completed.stdout
    assert len([line for line in completed.stdout.splitlines() if not line.startswith(" ")]) == 2


def test_closed_pipe_and_interrupt_end_without_traceback(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEACUMEN_HOME", str(home))
    write_files(tmp_path / "p", {f"src/B{i}.java": PLANTED for i in range(400)})
    command = [sys.executable, "-m", "codeacumen", "names", "check", str(tmp_path / "p"), *RULES]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert reader.stdout is not None
    assert reader.stderr is not None
    reader.stdout.readline()
    reader.stdout.close()
    assert b"Traceback" not in reader.stderr.read()
    reader.stderr.close()
    reader.wait()
    write_files(tmp_path / "q", {f"src/B{i}.java": PLANTED + "\n" * i for i in range(3000)})
    command[5] = str(tmp_path / "q")
    interrupted = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # The check has started when both projects have an index.
    while interrupted.poll() is None and len(list((home / "checker").glob("*/*.sqlite"))) < 2:
        time.sleep(0.05)
    interrupted.send_signal(signal.SIGINT)
    _, errors = interrupted.communicate()
    assert b"Traceback" not in errors
    # 1 if the check was faster than the signal. Python itself may end by the signal (130 in a
    # shell) if the interrupt occurs in generated code, such as that of a dataclass.
    assert interrupted.returncode in (1, 130, -signal.SIGINT)


def test_calibrate_finds_and_writes_a_threshold(
    codeacumen: Codeacumen, home: Path, tmp_path: Path
) -> None:
    """The history renames each getter without a return value, and no other method."""
    repository = tmp_path / "history"
    sources = {
        f"src/p/C{i}.java": f"package p; class C{i} {{ int total{i};\n"
        f"  void getTotal{i}() {{ total{i} = {i}; total{i}++; }}\n"
        f"  int size{i}() {{ return total{i} + {i}; }}\n"
        f"  void add{i}(int more) {{ total{i} += more; }}\n}}\n"
        for i in range(24)
    }
    commit_files(repository, dict(sources))
    for i in range(24):
        path = f"src/p/C{i}.java"
        verb = ("reset", "fill", "count", "load")[i % 4]
        text = sources[path].replace(f"getTotal{i}", f"{verb}Total{i}")
        commit_files(repository, {path: text}, f"rename {i}")
    completed = codeacumen(
        "names", "calibrate", repository, *RULES, "--json", "--plot", tmp_path / "c.svg", "--write"
    )
    assert completed.returncode == 0, completed.stderr
    report = json.loads(completed.stdout)
    assert (report["renamed"], report["stable"], report["too_few"]) == (24, 48, False)
    assert report["threshold"] is not None
    assert (tmp_path / "c.svg").read_bytes().startswith(b"<svg")
    assert f"threshold = {report['threshold']:g}" in (repository / ".codeacumen.toml").read_text()
    # The checker reads the threshold from the file; all current names pass.
    assert codeacumen("names", "check", repository, *RULES).returncode == 0


def test_calibrate_with_too_few_renames(codeacumen_here: Codeacumen, shop: Path) -> None:
    commit_files(shop, {})
    completed = codeacumen_here("names", "calibrate", shop, *RULES, "--write")
    assert completed.returncode == 0
    assert "0 renames are too few" in completed.stderr
    assert not (shop / ".codeacumen.toml").exists()
    assert os.environ["CODEACUMEN_HOME"]
