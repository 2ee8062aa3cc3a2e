"""``codeacumen names check`` and ``calibrate`` as a person runs them, with the rules alone: planted
bad names are found, and the examples' good ones are not."""

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

from checker.projects import commit, write
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
    write(folder, {FILE: PLANTED})
    return folder


def found(text: str) -> set[str]:
    return {one["name"] for one in json.loads(text)["findings"] if not one["suppressed"]}


def test_planted_names_are_found(codeacumen: Codeacumen, shop: Path) -> None:
    done = codeacumen("names", "check", *RULES, cwd=shop)
    assert done.returncode == 1, done.stderr
    first, second = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert first.startswith(f"{FILE}:7:10: Basket.getTotal() ")
    assert second.startswith(f"{FILE}:9:9: Basket.isPaid() ")
    assert "    why: " in done.stdout
    # Into a pipe no colours, and nothing but findings.
    assert "\x1b" not in done.stdout + done.stderr
    assert "2 findings in 4 methods of 1 file" in done.stderr


def test_the_examples_are_named_well(codeacumen_here: Codeacumen) -> None:
    """Written for codeacumen, with care for names: a checker that complains about them is wrong."""
    done = codeacumen_here("names", "check", ROOT / "examples", *RULES, "--format", "json")
    told = json.loads(done.stdout)
    assert told["methods"] > 1000
    assert len(told["findings"]) <= 3


def test_formats_and_out(codeacumen_here: Codeacumen, shop: Path, tmp_path: Path) -> None:
    for name, begins in (("json", b"{"), ("sarif", b"{"), ("html", b"<!doctype"), ("text", b"")):
        file = tmp_path / f"out.{name}"
        done = codeacumen_here("names", "check", shop, *RULES, "--format", name, "--out", file)
        assert done.returncode == 1
        assert done.stdout == ""
        assert file.read_bytes().startswith(begins)
        assert b"getTotal" in file.read_bytes()
        assert "2 findings" in done.stderr


def test_json_is_short_for_the_format(codeacumen_here: Codeacumen, shop: Path) -> None:
    short = codeacumen_here("names", "check", shop, *RULES, "--json")
    assert short.stdout == codeacumen_here("names", "check", shop, *RULES, "-f", "json").stdout
    assert found(short.stdout) == {"getTotal", "isPaid"}
    both = codeacumen_here("names", "check", shop, *RULES, "--json", "--format", "json")
    assert both.stdout == short.stdout
    done = codeacumen_here("names", "check", shop, *RULES, "--json", "--format", "html")
    assert done.returncode == 2
    assert "--json and --format html exclude each other" in done.stderr


def test_exit_codes(codeacumen_here: Codeacumen, shop: Path) -> None:
    def code(*more: str) -> int:
        return codeacumen_here("names", "check", shop, *RULES, *more).returncode

    assert code() == 1
    assert code("--fail-on", "never") == 0
    assert code("--fail-on", "finding") == 1
    assert code("--fail-on", "0.99") == 0
    assert code("--threshold", "1") == 0
    assert code("--fail-on", "sometimes") == 2
    assert code("--threshold", "7") == 2
    assert code("--since", "main", "--staged") == 2
    assert code("--since", "main") == 2  # no repository
    assert code("--config", "none.toml") == 2
    assert code("--baseline", "none.json") == 2
    assert codeacumen_here("names", "check", "nowhere").returncode == 2


def test_settings_of_the_project_and_the_command_line(
    codeacumen_here: Codeacumen, shop: Path
) -> None:
    write(shop, {".codeacumen.toml": '[names]\nthreshold = 1\nbackground = "none"\n'})
    assert codeacumen_here("names", "check", shop / "src").returncode == 0
    assert codeacumen_here("names", "check", shop / "src", "--threshold", "0.5").returncode == 1
    write(shop, {".codeacumen.toml": "[names]\ntreshold = 1\n"})
    done = codeacumen_here("names", "check", shop / "src")
    assert done.returncode == 2
    assert "hint: did you mean threshold?" in done.stderr


def test_a_baseline_silences_what_is_known(codeacumen_here: Codeacumen, shop: Path) -> None:
    known = shop / "names.json"
    done = codeacumen_here("names", "check", shop, *RULES, "--write-baseline", known)
    assert (done.returncode, "2 known findings" in done.stderr) == (0, True)
    assert codeacumen_here("names", "check", shop, *RULES, "--baseline", known).returncode == 0
    write(shop, {FILE: PLANTED.replace("void pay()", "void getPaid()")})
    done = codeacumen_here("names", "check", shop, *RULES, "--baseline", known, "-f", "json")
    assert (done.returncode, found(done.stdout)) == (1, {"getPaid"})
    # Written again where it is also set, all are in it.
    write(shop, {".codeacumen.toml": '[names]\nbaseline = "names.json"\n'})
    codeacumen_here("names", "check", shop, *RULES, "--write-baseline", known)
    assert len(json.loads(known.read_bytes())["findings"]) == 3


def test_a_change(codeacumen_here: Codeacumen, shop: Path) -> None:
    commit(shop, {})
    assert codeacumen_here("names", "check", shop, *RULES, "--since", "HEAD").returncode == 0
    write(shop, {"src/shop/New.java": "class New { int x; void getX() { x = 1; x++; } }"})
    done = codeacumen_here("names", "check", shop, *RULES, "--since", "HEAD", "-f", "json")
    assert found(done.stdout) == {"getX"}
    assert codeacumen_here("names", "check", shop, *RULES, "--staged").returncode == 0


def test_the_hook_is_a_command_that_runs(codeacumen: Codeacumen, shop: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = hook["entry"].split()
    assert program == "codeacumen"
    assert (hook["pass_filenames"], hook["language"]) == (False, "python")
    commit(shop, {"README": ""})
    assert codeacumen(*words, cwd=shop).returncode == 0


def test_hostile_names_do_not_steer_the_terminal(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    path = "src/\x1b[31m\n7:1: evil/A.java"
    write(tmp_path / "p", {path: PLANTED})
    done = codeacumen_here("names", "check", tmp_path / "p", *RULES)
    assert "\x1b" not in done.stdout
    assert len([line for line in done.stdout.splitlines() if not line.startswith(" ")]) == 2


def test_a_reader_that_leaves_and_an_interrupt(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEACUMEN_HOME", str(home))
    write(tmp_path / "p", {f"src/B{i}.java": PLANTED for i in range(400)})
    command = [sys.executable, "-m", "codeacumen", "names", "check", str(tmp_path / "p"), *RULES]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert reader.stdout is not None
    assert reader.stderr is not None
    reader.stdout.readline()
    reader.stdout.close()
    assert b"Traceback" not in reader.stderr.read()
    reader.stderr.close()
    reader.wait()
    write(tmp_path / "q", {f"src/B{i}.java": PLANTED + "\n" * i for i in range(3000)})
    command[5] = str(tmp_path / "q")
    asked = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Both projects have an index: it has begun.
    while asked.poll() is None and len(list((home / "checker").glob("*/*.sqlite"))) < 2:
        time.sleep(0.05)
    asked.send_signal(signal.SIGINT)
    _, told = asked.communicate()
    assert b"Traceback" not in told
    # 1: it was faster. Python itself ends by the signal, which a shell calls 130, too, where the
    # interrupt met code made from a string, as a dataclass's is.
    assert asked.returncode in (1, 130, -signal.SIGINT)


def test_calibrate(codeacumen: Codeacumen, home: Path, tmp_path: Path) -> None:
    """A history in which each getter without a value got another name, and nothing else did."""
    repository = tmp_path / "history"
    bad = {
        f"src/p/C{i}.java": f"package p; class C{i} {{ int total{i};\n"
        f"  void getTotal{i}() {{ total{i} = {i}; total{i}++; }}\n"
        f"  int size{i}() {{ return total{i} + {i}; }}\n"
        f"  void add{i}(int more) {{ total{i} += more; }}\n}}\n"
        for i in range(24)
    }
    commit(repository, dict(bad))
    for i in range(24):
        path = f"src/p/C{i}.java"
        verb = ("reset", "fill", "count", "load")[i % 4]
        text = bad[path].replace(f"getTotal{i}", f"{verb}Total{i}")
        commit(repository, {path: text}, f"rename {i}")
    done = codeacumen(
        "names", "calibrate", repository, *RULES, "--json", "--plot", tmp_path / "c.svg", "--write"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["renamed"], told["stable"], told["too_few"]) == (24, 48, False)
    assert told["threshold"] is not None
    assert (tmp_path / "c.svg").read_bytes().startswith(b"<svg")
    assert f"threshold = {told['threshold']:g}" in (repository / ".codeacumen.toml").read_text()
    # The checker takes it from there: of what there is now, nothing is wrong.
    assert codeacumen("names", "check", repository, *RULES).returncode == 0


def test_calibrate_with_too_few(codeacumen_here: Codeacumen, shop: Path) -> None:
    commit(shop, {})
    done = codeacumen_here("names", "calibrate", shop, *RULES, "--write")
    assert done.returncode == 0
    assert "0 renames are too few" in done.stderr
    assert not (shop / ".codeacumen.toml").exists()
    assert os.environ["CODEACUMEN_HOME"]
