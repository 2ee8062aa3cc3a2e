"""Tests of ``codeacumen corpus`` from the command line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from codeacumen.corpus import Corpus
from corpora import read_files
from support import ROOT, Codeacumen, pretend_installed

QUILL = ROOT / "examples" / "quill"
VERBS = ["build", "show", "query", "export", "audit", "embed"]


@pytest.fixture(scope="session")
def folder(examples_corpus: Corpus) -> Path:
    return examples_corpus.folder


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_and_one_form_of_placeholder(
    codeacumen_here: Codeacumen, verb: str
) -> None:
    text = codeacumen_here("corpus", verb, "--help").stdout
    assert f"codeacumen corpus {verb}" in text.split("Examples:")[1]
    # Placeholders are in capitals, and nothing is in double brackets.
    usage = text.split("Usage: ")[1].splitlines()[0]
    assert re.fullmatch(
        rf"codeacumen corpus {verb} \[OPTIONS\](?: [{{\[][A-Z]+[}}\]](?:\.\.\.)?)*", usage.strip()
    )
    words = " ".join(text.replace("│", " ").split())
    assert "--plugin" not in text or "models, tasks or views" in words


# ------------------------------------------------------------------ build


def test_first_build_reports_the_compilation_without_a_terminal(
    codeacumen: Codeacumen, tmp_path: Path
) -> None:
    build = ("corpus", "build", QUILL, "-o", tmp_path / "corpus", "--view", "calls")
    first = codeacumen(*build)
    assert first.returncode == 0, first.stderr
    assert first.stderr.splitlines() == [
        "compiling (first use of this installation): this takes a minute or two"
    ]
    assert "34 files parsed; 0 of 1 shards reused" in first.stdout
    again = codeacumen(*build)
    assert again.stderr == ""
    assert "0 files parsed; 1 of 1 shards reused" in again.stdout
    # Calls are always stored; no other view was requested.
    assert (
        json.loads(codeacumen("corpus", "show", tmp_path / "corpus", "--json").stdout)["settings"][
            "views"
        ]
        == []
    )
    calls = codeacumen("corpus", "show", tmp_path / "corpus", "Builtins.gcd", "--view", "calls")
    assert json.loads(calls.stdout)[1]["callee"] == "quill.eval.Builtins.gcd(long,long)"


def test_remarks_have_the_same_order_everywhere(
    codeacumen: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name, text in (("A", ""), ("B", "class B { }\r\n"), ("C", "class C { }\r\n"), ("D", "(")):
        (project / f"{name}.java").write_bytes(text.encode())
    (tmp_path / "nothing").mkdir()
    out = tmp_path / "corpus"
    built = codeacumen("corpus", "build", project, tmp_path / "nothing", "-o", out)
    assert re.search(r"without a file +nothing\b", built.stdout)

    def list_remarks(text: str) -> list[str]:
        lines = text[text.index("  remark  ") :].splitlines()[2:]
        return [line.rsplit(maxsplit=2)[0].strip() for line in lines if line.strip()]

    assert list_remarks(built.stdout) == ["line ends", "empty", "syntax"]
    show_output = codeacumen("corpus", "show", out).stdout
    assert list_remarks(show_output[: show_output.index("  view  ")]) == list_remarks(built.stdout)
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    again = codeacumen("corpus", "build", project, tmp_path / "nothing", "-o", out, "--json")
    summary = json.loads(again.stdout)
    assert list(summary["problems"]) == ["line ends", "empty", "syntax"]
    assert summary["without_files"] == ["nothing"]


def test_corpus_is_updated_and_other_folders_are_rejected(
    codeacumen: Codeacumen, tmp_path: Path
) -> None:
    project, out = tmp_path / "project", tmp_path / "corpus"
    project.mkdir()
    (project / "A.java").write_text("class A { int a() { return 1; } }")
    build = ("corpus", "build", project, "--view", "text", "--json")
    assert json.loads(codeacumen(*build, "-o", out).stdout)["counts"]["methods"] == 1
    (project / "B.java").write_text("class B { int b() { return 2; } }")
    updated = json.loads(codeacumen(*build, "-o", out).stdout)
    assert (updated["counts"]["methods"], updated["parsed"]) == (2, 1)
    for folder, message in (
        (project, "is not empty and holds no corpus"),
        (out, "holds another corpus, with project, not among these sources"),
    ):
        before = read_files(folder)
        refused = codeacumen("corpus", "build", QUILL, "-o", folder)
        assert refused.returncode == 2
        assert message in refused.stderr
        assert "choose another --out" in refused.stderr
        assert read_files(folder) == before


def test_larger_files_are_skipped_and_shares_are_stored(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Small.java").write_text("class Small { }")
    (tmp_path / "p" / "Large.java").write_text("class Large { }".ljust(101))
    options = ("--max-file-bytes", "100", "--splits", "0/0/1", "-j", "1", "--json")
    built = codeacumen_here("corpus", "build", tmp_path / "p", "-o", tmp_path / "c", *options)
    assert json.loads(built.stdout)["problems"] == {"too large": [1, 1]}
    description = json.loads(codeacumen_here("corpus", "show", tmp_path / "c", "--json").stdout)
    assert description["settings"]["shares"] == [0, 0, 1]
    assert description["splits"] == {"test": 1}


def test_package_that_cannot_be_imported_is_left_out_unless_it_is_named(
    codeacumen_here: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import codeacumen as api

    project, site = tmp_path / "project", tmp_path / "site"
    project.mkdir()
    site.mkdir()
    (project / "A.java").write_text("class A { int a() { return 1; } }")
    build = ("corpus", "build", project, "--workers", "1", "--out")
    assert codeacumen_here(*build, tmp_path / "before").returncode == 0
    points = (
        "[codeacumen.views]\nodd = broken_odd:odd\n[codeacumen.languages]\nodd_c = broken_odd:c\n"
    )
    pretend_installed(site, monkeypatch, "broken_odd", "raise RuntimeError('not today')", points)
    completed = codeacumen_here(*build, tmp_path / "after")
    assert completed.returncode == 0, completed.stderr
    for kind, name, line in zip(
        ("language", "view"), ("odd_c", "odd"), completed.stderr.splitlines(), strict=True
    ):
        assert line == (
            f"left out: cannot load {kind} '{name}' of the package broken_odd: RuntimeError: not "
            "today; update or remove the package: pip uninstall broken_odd"
        )
    assert read_files(tmp_path / "after") == read_files(tmp_path / "before")
    with pytest.warns(UserWarning, match="left out: cannot load language 'odd_c'"):
        api.build_corpus(project, tmp_path / "api", views=["text"], workers=1, progress=False)
    refused = codeacumen_here(*build, tmp_path / "named", "--view", "odd")
    assert refused.returncode == 2
    assert "cannot load view 'odd' of the package broken_odd" in refused.stderr
    assert "pip uninstall broken_odd" in refused.stderr


def test_name_that_a_package_shares_with_a_built_in_view_is_an_error(
    codeacumen_here: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaving the view out would lose the tokens of the corpus."""
    points = "[codeacumen.views]\ntokens = other_tokens:make\n"
    pretend_installed(tmp_path, monkeypatch, "other_tokens", "make = None", points)
    refused = codeacumen_here("corpus", "build", QUILL, "-j", "1", "--out", tmp_path / "corpus")
    assert refused.returncode == 2
    assert "two views have the name 'tokens'" in refused.stderr


def test_build_corpus_equals_the_command(codeacumen: Codeacumen, tmp_path: Path) -> None:
    import codeacumen as api

    corpus = api.build_corpus(
        QUILL, tmp_path / "api", views=["text", "calls"], splits=(1, 1, 1), progress=False
    )
    completed = codeacumen(
        "corpus", "build", QUILL, "-o", tmp_path / "cli", "--view", "text", "--splits", "1/1/1"
    )
    assert completed.returncode == 0, completed.stderr
    assert read_files(tmp_path / "api") == read_files(tmp_path / "cli")
    assert len(corpus) == 415


@pytest.mark.filterwarnings("ignore")
def test_ray_builds_the_same_corpus(codeacumen: Codeacumen, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'codeacumen[ray]'")
    build = ("corpus", "build", QUILL, "--view", "text", "-j", "1")
    for folder, engine in (("local", "local"), ("ray", "ray")):
        completed = codeacumen(*build, "-o", tmp_path / folder, "--engine", engine)
        assert completed.returncode == 0, completed.stderr
    assert read_files(tmp_path / "ray") == read_files(tmp_path / "local")


# ------------------------------------------------------------------ query


def test_query_with_equal_column_names(codeacumen_here: Codeacumen, folder: Path) -> None:
    sql = "select 1 as a, 2 as a, 3 as b, 4 as a"
    table = codeacumen_here("corpus", "query", folder, sql).stdout.split()
    assert table[:4] == ["a", "a", "b", "a"]
    assert table[-4:] == ["1", "2", "3", "4"]
    rows = json.loads(codeacumen_here("corpus", "query", folder, sql, "--json").stdout)
    assert rows == [{"a": 1, "a_1": 2, "b": 3, "a_2": 4}]


def test_query_converts_values_for_json(codeacumen_here: Codeacumen, folder: Path) -> None:
    sql = (
        "select 'nan'::double as n, '-infinity'::float as i, '\\xAA\\x01'::blob as b, "
        "1.5::decimal(4, 2) as d, 12::hugeint as h, ['nan'::double, 1] as l, "
        "{'x': 'inf'::double} as s, date '2020-02-29' as day, null as nothing, "
        "(select method_id from numbers where number = 0) as id"
    )
    completed = codeacumen_here("corpus", "query", folder, sql, "--json")
    (row,) = json.loads(completed.stdout, parse_constant=lambda name: pytest.fail(name))
    assert re.fullmatch(r"[0-9a-f-]{36}", row.pop("id"))
    assert row == {
        "n": None,
        "i": None,
        "b": "aa01",
        "d": 1.5,
        "h": 12,
        "l": [None, 1.0],
        "s": {"x": None},
        "day": "2020-02-29",
        "nothing": None,
    }


def test_query_without_rows(codeacumen_here: Codeacumen, folder: Path) -> None:
    sql = "select * from methods limit 0"
    assert codeacumen_here("corpus", "query", folder, sql).stdout == "no rows\n"
    assert json.loads(codeacumen_here("corpus", "query", folder, sql, "--json").stdout) == []


def test_query_cannot_write_files(
    codeacumen_here: Codeacumen, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "evil.csv"
    completed = codeacumen_here("corpus", "query", folder, f"copy (select 1) to '{out}'")
    assert completed.returncode == 2
    assert "select" in completed.stderr
    assert not out.exists()


# ------------------------------------------------------------------ show


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--view", "tokens"], "add its name or id"),
        (["--view", "tokens", "--compat", "features-javac"], "add its name or id"),
        (["--compat", "gluecode"], "add --view NAME"),
        (["Builtins.gcd", "--compat", "gluecode"], "add --view NAME"),
        (
            ["Builtins.gcd", "--view", "calls", "--compat", "javac"],
            "does not support the tool 'javac'",
        ),
        (["Builtins.gcd", "--view", "text", "--compat", "javac"], "it supports gluecode"),
        (["Builtins.gcd", "--view", "tokns"], "`codeacumen corpus show CORPUS` lists the views"),
        (["Value.show", "--view", "ast"], "Value.show() has no body"),
        (["Builtins.<init>", "--view", "code2vec", "--compat", "code2vec"], "prints nothing for"),
        (["Builtins"], "Type.<init>"),
    ],
)
def test_a_missing_or_unknown_method_view_or_tool_is_an_error(
    codeacumen_here: Codeacumen, folder: Path, arguments: list[str], message: str
) -> None:
    completed = codeacumen_here("corpus", "show", folder, *arguments)
    assert completed.returncode == 2
    assert message in completed.stderr
    assert "Traceback" not in completed.stderr
    assert completed.stdout == ""


def test_plug_in_view_supports_only_its_own_tools(
    codeacumen: Codeacumen, folder: Path, tmp_path: Path
) -> None:
    plugin = tmp_path / "shouting.py"
    plugin.write_text(
        "from codeacumen.registry import view\n"
        "@view('shouting', summary='loud')\n"
        "class Shouting:\n"
        "    name, tables, compats = 'shouting', (), {}\n"
        "    def value(self, method, rows):\n"
        "        return method['text'].upper()\n"
    )
    show = ("corpus", "show", folder, "Builtins.gcd", "--plugin", plugin, "--view", "shouting")
    assert "GCD(LONG A, LONG B)" in codeacumen(*show).stdout
    completed = codeacumen(*show, "--compat", "loudspeaker")
    assert completed.returncode == 2
    assert "the view shouting does not support the tool 'loudspeaker'" in completed.stderr
    export = ("corpus", "export", folder, "--plugin", plugin, "--view", "shouting")
    completed = codeacumen(*export, "--compat", "loudspeaker", "-o", tmp_path / "x.jsonl")
    assert "it supports none" in completed.stderr
    show_json = codeacumen("corpus", "show", folder, "--plugin", plugin, "--json").stdout
    views = {view["name"]: view for view in json.loads(show_json)["views"]}
    assert (views["shouting"]["stored"], views["shouting"]["tools"]) == (False, [])
    assert views["text"]["stored"]


@pytest.mark.parametrize("view", ["text", "tokens", "code2vec", "calls"])
def test_json_output_of_each_view(codeacumen_here: Codeacumen, folder: Path, view: str) -> None:
    show = ("corpus", "show", folder, "Builtins.gcd", "--view", view)
    value = json.loads(codeacumen_here(*show, "--json").stdout)
    plain = codeacumen_here(*show).stdout
    assert plain == (f"{value}\n" if isinstance(value, str) else json.dumps(value) + "\n")


def test_constructors_have_two_names(codeacumen_here: Codeacumen, folder: Path) -> None:
    descriptions = [
        json.loads(codeacumen_here("corpus", "show", folder, name, "--json").stdout)
        for name in ("Builtins.<init>", "Builtins.Builtins")
    ]
    assert descriptions[0] == descriptions[1]
    assert (descriptions[0]["kind"], descriptions[0]["name"]) == ("constructor", "Builtins")
    assert descriptions[0]["signature"].startswith("<init>(")
    # Several matches are listed with their ids; with --json the list goes to stderr.
    completed = codeacumen_here("corpus", "show", folder, "Polyline.Polyline")
    assert "2 methods are called 'Polyline.Polyline'" in completed.stderr
    ids = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", completed.stdout)
    assert len(ids) == 2
    assert "Polyline.<init>(Point[])" in completed.stdout
    completed = codeacumen_here("corpus", "show", folder, "Polyline.Polyline", "--json")
    assert completed.stdout == ""
    assert all(method_id in completed.stderr for method_id in ids)


def test_calls_outside_the_project(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    """A call of a library method that the project overrides has targets, but is outside."""
    static_calls = "Math.floorMod(1, 2); Integer.toString(1, 10);"
    names = [f"String.valueOf((Object) null).{name}();" for name in STRING_METHODS]
    (tmp_path / "A.java").write_text(
        "class A implements Runnable {\n    public void run() { }\n"
        "    void all(Runnable r) "
        f"{{\n        r.run();\n{static_calls} {' '.join(names)}\n    }}\n}}\n"
    )
    codeacumen_here("corpus", "build", tmp_path / "A.java", "-o", tmp_path / "corpus")
    show_output = codeacumen_here("corpus", "show", tmp_path / "corpus", "A.all").stdout
    description = json.loads(
        codeacumen_here("corpus", "show", tmp_path / "corpus", "A.all", "--json").stdout
    )
    (run_call,) = (call for call in description["calls"] if "run" in call["callee"])
    assert not run_call["inside"]
    assert run_call["targets"]
    outside = {call["callee"] for call in description["calls"] if not call["inside"]}
    assert len(outside) > 20
    assert "java.lang.Runnable.run()" in show_output
    assert f"and {len(outside) - 20} more" in show_output


STRING_METHODS = (
    "length",
    "isEmpty",
    "trim",
    "strip",
    "toLowerCase",
    "toUpperCase",
    "hashCode",
    "intern",
    "chars",
    "lines",
    "isBlank",
    "stripLeading",
    "stripTrailing",
    "toCharArray",
    "getBytes",
    "toString",
    "codePoints",
    "stripIndent",
    "translateEscapes",
    "notify",
    "notifyAll",
    "getClass",
)


# ------------------------------------------------------------------ views, export


def test_show_prints_statistics_and_views(codeacumen_here: Codeacumen, folder: Path) -> None:
    described = json.loads(codeacumen_here("corpus", "show", folder, "--json").stdout)
    views = {view["name"]: view for view in described["views"]}
    assert views["calls"]["tools"] == []
    assert views["code2seq"]["tools"][0] == "code2seq"
    assert views["graph"]["tools"] == ["features-javac"]
    assert set(views["text"]) == {"name", "summary", "stored", "tools", "origin"}
    assert all(view["stored"] for view in views.values())
    assert described["totals"]["projects"] == len(described["projects"]) == 4
    assert described["languages"] == {"java": 113}
    show_output = codeacumen_here("corpus", "show", folder).stdout
    assert "code2vec, gluecode" in show_output
    assert re.search(r"methods by split +train 748, test 400, dev 139", show_output)
    assert re.search(r"tramway +train +32 +381 +373 +260 +2,442", show_output)


@pytest.mark.thorough
def test_export_equals_the_output_of_the_authors_extractors(
    codeacumen_here: Codeacumen, folder: Path
) -> None:
    def export_rows(*options: str) -> dict[str, dict[str, str]]:
        completed = codeacumen_here("corpus", "export", folder, "-o", "-", *options)
        assert completed.returncode == 0, completed.stderr
        return {row["method_id"]: row for row in map(json.loads, completed.stdout.splitlines())}

    our_rows = export_rows("--view", "code2vec")
    extractor_rows = export_rows("--view", "code2vec", "--compat", "code2vec")
    left_out = {row["value"] for key, row in our_rows.items() if key not in extractor_rows}
    assert len(our_rows) - len(extractor_rows) > 50
    # Constructors, methods without a path context, and empty methods.
    assert {value.split(" ")[0] for value in left_out if " " in value} == {"close"}
    assert "polyline" in left_out
    assert "BLANK" not in left_out
    assert all(" " in row["value"] for row in extractor_rows.values())
    sequences = export_rows("--view", "code2seq", "--compat", "code2seq")
    assert set(extractor_rows) <= set(sequences)


def test_rejected_export_writes_nothing(
    codeacumen_here: Codeacumen, folder: Path, tmp_path: Path
) -> None:
    completed = codeacumen_here("corpus", "export", folder, "--view", "text", "-o", tmp_path)
    assert completed.returncode == 2
    assert "is a folder" in completed.stderr
    out = tmp_path / "new" / "out.jsonl"
    for options in ("text --compat x", "x", "calls --compat x"):
        completed = codeacumen_here(
            "corpus", "export", folder, "--view", *options.split(), "-o", out
        )
        assert completed.returncode == 2
    assert not out.parent.exists()


# ------------------------------------------------------------------ audit


def test_audit_of_a_damaged_corpus(
    codeacumen_here: Codeacumen, folder: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "corpus"))
    missing, *_ = sorted(copy.glob("shards/quill.*/methods.parquet"))
    changed = copy / "numbers.parquet"
    missing.unlink()
    changed.write_bytes(b"what?")
    completed = codeacumen_here("corpus", "audit", copy)
    assert completed.returncode == 1, completed.stderr
    assert re.search(rf"missing +{re.escape(str(missing.relative_to(copy)))}", completed.stdout)
    assert re.search(r"changed +numbers\.parquet", completed.stdout)
    assert "codeacumen corpus build" in completed.stderr
    completed = codeacumen_here("corpus", "audit", copy, "--json")
    assert completed.returncode == 1
    report = json.loads(completed.stdout)
    assert (report["intact"], report["changed"]) == (False, ["numbers.parquet"])
    for verb in (["show", copy], ["query", copy, "select count(*) from numbers"]):
        completed = codeacumen_here("corpus", *verb)
        assert completed.returncode == 2
        assert "is damaged: " in completed.stderr
        assert f"codeacumen corpus audit {copy}" in completed.stderr
        assert "Traceback" not in completed.stderr


def test_audit_without_tokens(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    codeacumen_here("corpus", "build", QUILL, "-o", out, "--view", "text")
    completed = codeacumen_here("corpus", "audit", out)
    assert completed.returncode == 0, completed.stderr
    assert re.search(r"intact +yes", completed.stdout)
    assert "not searched: the corpus was built without the view tokens" in completed.stdout
    (out / "projects.parquet").unlink()
    completed = codeacumen_here("corpus", "audit", out)
    assert completed.returncode == 1
    assert "projects.parquet" in completed.stdout


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nowhere"], "nowhere holds no corpus: there is no such folder"),
        (["show", "file"], "file holds no corpus"),
        (["show", "."], ". holds no corpus"),
        (["audit", "."], "`codeacumen corpus build` makes a corpus"),
        (["build", "file", "-o", "c"], "neither a folder, a zip nor a source file"),
        (["build", "cut.zip", "-o", "c"], "a damaged zip, or none"),
        (["build", "a.java", "a.java", "-o", "c"], "the name a: a.java, twice"),
        (["build", "a.java", "-o", "file"], "is a file"),
        (["build", "a.java", "-o", "."], "is not empty and holds no corpus"),
        (["build", "a.java", "-o", "c", "--engine", "local:host:1"], "write ray:host:1"),
        (["build", "a.java", "-o", "c", "--engine", "spark"], "choose local or ray"),
        (["build", "a.java", "-o", "c", "--splits", "80,10,10"], "such as 80/10/10"),
        (["build", "a.java", "-o", "c", "--view", "nothing"], "no view 'nothing'"),
    ],
)
def test_mistakes_are_errors_with_hints(
    codeacumen_here: Codeacumen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    working_dir = tmp_path / "here"
    working_dir.mkdir()
    (working_dir / "file").write_text("text")
    (working_dir / "cut.zip").write_bytes(b"PK\3\4 and no more")
    (working_dir / "a.java").write_text("class A { }")
    monkeypatch.chdir(working_dir)
    completed = codeacumen_here("corpus", *arguments)
    assert completed.returncode == 2
    assert message in completed.stderr
    assert "Traceback" not in completed.stderr
    assert not (working_dir / "c").exists()
