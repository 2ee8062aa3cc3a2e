"""``codeacumen corpus`` as a person runs it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from codeacumen.corpus import Corpus
from corpora import contents
from support import ROOT, Codeacumen

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
    # One form of placeholder, in capitals, and nothing in double brackets.
    usage = text.split("Usage: ")[1].splitlines()[0]
    assert re.fullmatch(
        rf"codeacumen corpus {verb} \[OPTIONS\](?: [{{\[][A-Z]+[}}\]](?:\.\.\.)?)*", usage.strip()
    )
    words = " ".join(text.replace("│", " ").split())
    assert "--plugin" not in text or "models, tasks or views" in words


# ------------------------------------------------------------------ build


def test_a_first_build_reports_the_compilation_where_no_bar_is_shown(
    codeacumen: Codeacumen, tmp_path: Path
) -> None:
    build = ("corpus", "build", QUILL, "-o", tmp_path / "corpus", "--view", "calls")
    first = codeacumen(*build)
    assert first.returncode == 0, first.stderr
    assert first.stderr.splitlines() == [
        "compiling, once for an installation: this takes a minute or two"
    ]
    assert "34 files parsed; 0 of 1 shards reused" in first.stdout
    again = codeacumen(*build)
    assert again.stderr == ""
    assert "0 files parsed; 1 of 1 shards reused" in again.stdout
    # Calls are always there; no view was asked for besides.
    assert (
        json.loads(codeacumen("corpus", "show", tmp_path / "corpus", "--json").stdout)["settings"][
            "views"
        ]
        == []
    )
    calls = codeacumen("corpus", "show", tmp_path / "corpus", "Builtins.gcd", "--view", "calls")
    assert json.loads(calls.stdout)[1]["callee"] == "quill.eval.Builtins.gcd(long,long)"


def test_remarks_come_in_the_same_order_everywhere(
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

    def remarks(text: str) -> list[str]:
        lines = text[text.index("  remark  ") :].splitlines()[2:]
        return [line.rsplit(maxsplit=2)[0].strip() for line in lines if line.strip()]

    assert remarks(built.stdout) == ["line ends", "empty", "syntax"]
    shown = codeacumen("corpus", "show", out).stdout
    assert remarks(shown[: shown.index("  view  ")]) == remarks(built.stdout)
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    again = codeacumen("corpus", "build", project, tmp_path / "nothing", "-o", out, "--json")
    summary = json.loads(again.stdout)
    assert list(summary["problems"]) == ["line ends", "empty", "syntax"]
    assert summary["without_files"] == ["nothing"]


def test_a_corpus_is_updated_and_any_other_folder_with_files_is_refused(
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
        before = contents(folder)
        refused = codeacumen("corpus", "build", QUILL, "-o", folder)
        assert refused.returncode == 2
        assert message in refused.stderr
        assert "choose another --out" in refused.stderr
        assert contents(folder) == before


def test_larger_files_are_left_out_and_shares_are_stored(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Small.java").write_text("class Small { }")
    (tmp_path / "p" / "Large.java").write_text("class Large { }".ljust(101))
    options = ("--max-file-bytes", "100", "--splits", "0/0/1", "-j", "1", "--json")
    built = codeacumen_here("corpus", "build", tmp_path / "p", "-o", tmp_path / "c", *options)
    assert json.loads(built.stdout)["problems"] == {"too large": [1, 1]}
    shown = json.loads(codeacumen_here("corpus", "show", tmp_path / "c", "--json").stdout)
    assert shown["settings"]["shares"] == [0, 0, 1]
    assert shown["splits"] == {"test": 1}


def test_a_corpus_from_python_is_that_of_the_command(
    codeacumen: Codeacumen, tmp_path: Path
) -> None:
    import codeacumen as api

    corpus = api.build_corpus(
        QUILL, tmp_path / "api", views=["text", "calls"], shares=(1, 1, 1), progress=False
    )
    done = codeacumen(
        "corpus", "build", QUILL, "-o", tmp_path / "cli", "--view", "text", "--splits", "1/1/1"
    )
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "api") == contents(tmp_path / "cli")
    assert len(corpus) == 415


@pytest.mark.filterwarnings("ignore")
def test_a_corpus_built_on_ray_is_the_same(codeacumen: Codeacumen, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'codeacumen[ray]'")
    build = ("corpus", "build", QUILL, "--view", "text", "-j", "1")
    for folder, engine in (("local", "local"), ("ray", "ray")):
        done = codeacumen(*build, "-o", tmp_path / folder, "--engine", engine)
        assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")


# ------------------------------------------------------------------ query


def test_columns_of_one_name(codeacumen_here: Codeacumen, folder: Path) -> None:
    sql = "select 1 as a, 2 as a, 3 as b, 4 as a"
    table = codeacumen_here("corpus", "query", folder, sql).stdout.split()
    assert table[:4] == ["a", "a", "b", "a"]
    assert table[-4:] == ["1", "2", "3", "4"]
    rows = json.loads(codeacumen_here("corpus", "query", folder, sql, "--json").stdout)
    assert rows == [{"a": 1, "a_1": 2, "b": 3, "a_2": 4}]


def test_values_that_json_has_not(codeacumen_here: Codeacumen, folder: Path) -> None:
    sql = (
        "select 'nan'::double as n, '-infinity'::float as i, '\\xAA\\x01'::blob as b, "
        "1.5::decimal(4, 2) as d, 12::hugeint as h, ['nan'::double, 1] as l, "
        "{'x': 'inf'::double} as s, date '2020-02-29' as day, null as nothing, "
        "(select method_id from numbers where number = 0) as id"
    )
    done = codeacumen_here("corpus", "query", folder, sql, "--json")
    (row,) = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))
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


def test_no_rows(codeacumen_here: Codeacumen, folder: Path) -> None:
    sql = "select * from methods limit 0"
    assert codeacumen_here("corpus", "query", folder, sql).stdout == "no rows\n"
    assert json.loads(codeacumen_here("corpus", "query", folder, sql, "--json").stdout) == []


def test_a_query_changes_nothing(codeacumen_here: Codeacumen, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "evil.csv"
    done = codeacumen_here("corpus", "query", folder, f"copy (select 1) to '{out}'")
    assert done.returncode == 2
    assert "select" in done.stderr
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
        (["Builtins.gcd", "--view", "text", "--compat", "javac"], "it knows gluecode"),
        (["Builtins.gcd", "--view", "tokns"], "`codeacumen corpus show CORPUS` lists the views"),
        (["Value.show", "--view", "ast"], "Value.show() has no body"),
        (["Builtins.<init>", "--view", "code2vec", "--compat", "code2vec"], "prints nothing for"),
        (["Builtins"], "Type.<init>"),
    ],
)
def test_a_missing_or_unknown_method_view_or_tool_is_an_error(
    codeacumen_here: Codeacumen, folder: Path, arguments: list[str], message: str
) -> None:
    done = codeacumen_here("corpus", "show", folder, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_view_of_a_plug_in_knows_its_own_tools_only(
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
    done = codeacumen(*show, "--compat", "loudspeaker")
    assert done.returncode == 2
    assert "the view shouting does not support the tool 'loudspeaker'" in done.stderr
    export = ("corpus", "export", folder, "--plugin", plugin, "--view", "shouting")
    done = codeacumen(*export, "--compat", "loudspeaker", "-o", tmp_path / "x.jsonl")
    assert "it knows none" in done.stderr
    listed = codeacumen("corpus", "show", folder, "--plugin", plugin, "--json").stdout
    views = {view["name"]: view for view in json.loads(listed)["views"]}
    assert (views["shouting"]["stored"], views["shouting"]["tools"]) == (False, [])
    assert views["text"]["stored"]


@pytest.mark.parametrize("view", ["text", "tokens", "code2vec", "calls"])
def test_json_is_json_whatever_the_view(
    codeacumen_here: Codeacumen, folder: Path, view: str
) -> None:
    show = ("corpus", "show", folder, "Builtins.gcd", "--view", view)
    value = json.loads(codeacumen_here(*show, "--json").stdout)
    plain = codeacumen_here(*show).stdout
    assert plain == (f"{value}\n" if isinstance(value, str) else json.dumps(value) + "\n")


def test_constructors_have_two_names(codeacumen_here: Codeacumen, folder: Path) -> None:
    shown = [
        json.loads(codeacumen_here("corpus", "show", folder, name, "--json").stdout)
        for name in ("Builtins.<init>", "Builtins.Builtins")
    ]
    assert shown[0] == shown[1]
    assert (shown[0]["kind"], shown[0]["name"]) == ("constructor", "Builtins")
    assert shown[0]["signature"].startswith("<init>(")
    # Where there are several, each is told with its id; where JSON is asked for, not among it.
    done = codeacumen_here("corpus", "show", folder, "Polyline.Polyline")
    assert "2 methods are called 'Polyline.Polyline'" in done.stderr
    ids = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", done.stdout)
    assert len(ids) == 2
    assert "Polyline.<init>(Point[])" in done.stdout
    done = codeacumen_here("corpus", "show", folder, "Polyline.Polyline", "--json")
    assert done.stdout == ""
    assert all(one in done.stderr for one in ids)


def test_calls_outside_the_project(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    """A call of a method from elsewhere that the project overrides has targets, and is outside."""
    far = "Math.floorMod(1, 2); Integer.toString(1, 10);"
    names = [f"String.valueOf((Object) null).{name}();" for name in STRINGS]
    (tmp_path / "A.java").write_text(
        "class A implements Runnable {\n    public void run() { }\n"
        f"    void all(Runnable r) {{\n        r.run();\n{far} {' '.join(names)}\n    }}\n}}\n"
    )
    codeacumen_here("corpus", "build", tmp_path / "A.java", "-o", tmp_path / "corpus")
    shown = codeacumen_here("corpus", "show", tmp_path / "corpus", "A.all").stdout
    calls = json.loads(
        codeacumen_here("corpus", "show", tmp_path / "corpus", "A.all", "--json").stdout
    )
    (run,) = (one for one in calls["calls"] if "run" in one["callee"])
    assert not run["inside"]
    assert run["targets"]
    outside = {one["callee"] for one in calls["calls"] if not one["inside"]}
    assert len(outside) > 20
    assert "java.lang.Runnable.run()" in shown
    assert f"and {len(outside) - 20} more" in shown


STRINGS = (
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


def test_a_corpus_is_shown_with_statistics_and_views(
    codeacumen_here: Codeacumen, folder: Path
) -> None:
    described = json.loads(codeacumen_here("corpus", "show", folder, "--json").stdout)
    views = {view["name"]: view for view in described["views"]}
    assert views["calls"]["tools"] == []
    assert views["code2seq"]["tools"][0] == "code2seq"
    assert views["graph"]["tools"] == ["features-javac"]
    assert set(views["text"]) == {"name", "summary", "stored", "tools", "origin"}
    assert all(view["stored"] for view in views.values())
    assert described["totals"]["projects"] == len(described["projects"]) == 4
    assert described["languages"] == {"java": 113}
    shown = codeacumen_here("corpus", "show", folder).stdout
    assert "code2vec, gluecode" in shown
    assert re.search(r"methods by split +train 748, test 400, dev 139", shown)
    assert re.search(r"tramway +train +32 +381 +373 +260 +2,442", shown)


@pytest.mark.thorough
def test_an_export_has_what_the_authors_extractors_print(
    codeacumen_here: Codeacumen, folder: Path
) -> None:
    def lines(*options: str) -> dict[str, dict[str, str]]:
        done = codeacumen_here("corpus", "export", folder, "-o", "-", *options)
        assert done.returncode == 0, done.stderr
        return {row["method_id"]: row for row in map(json.loads, done.stdout.splitlines())}

    ours = lines("--view", "code2vec")
    theirs = lines("--view", "code2vec", "--compat", "code2vec")
    left_out = {one["value"] for key, one in ours.items() if key not in theirs}
    assert len(ours) - len(theirs) > 50
    # Constructors, of which there is no context, and methods with nothing in them.
    assert {value.split(" ")[0] for value in left_out if " " in value} == {"close"}
    assert "polyline" in left_out
    assert "BLANK" not in left_out
    assert all(" " in one["value"] for one in theirs.values())
    sequences = lines("--view", "code2seq", "--compat", "code2seq")
    assert set(theirs) <= set(sequences)


def test_a_refused_export_leaves_nothing_behind(
    codeacumen_here: Codeacumen, folder: Path, tmp_path: Path
) -> None:
    done = codeacumen_here("corpus", "export", folder, "--view", "text", "-o", tmp_path)
    assert done.returncode == 2
    assert "is a folder" in done.stderr
    out = tmp_path / "new" / "out.jsonl"
    for options in ("text --compat x", "x", "calls --compat x"):
        done = codeacumen_here("corpus", "export", folder, "--view", *options.split(), "-o", out)
        assert done.returncode == 2
    assert not out.parent.exists()


# ------------------------------------------------------------------ audit


def test_audit_of_a_damaged_corpus(
    codeacumen_here: Codeacumen, folder: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "corpus"))
    gone, *_ = sorted(copy.glob("shards/quill.*/methods.parquet"))
    changed = copy / "numbers.parquet"
    gone.unlink()
    changed.write_bytes(b"what?")
    done = codeacumen_here("corpus", "audit", copy)
    assert done.returncode == 1, done.stderr
    assert re.search(rf"missing +{re.escape(str(gone.relative_to(copy)))}", done.stdout)
    assert re.search(r"changed +numbers\.parquet", done.stdout)
    assert "codeacumen corpus build" in done.stderr
    done = codeacumen_here("corpus", "audit", copy, "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert (told["whole"], told["changed"]) == (False, ["numbers.parquet"])
    for verb in (["show", copy], ["query", copy, "select count(*) from numbers"]):
        done = codeacumen_here("corpus", *verb)
        assert done.returncode == 2
        assert "is damaged: " in done.stderr
        assert f"codeacumen corpus audit {copy}" in done.stderr
        assert "Traceback" not in done.stderr


def test_audit_without_tokens(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    codeacumen_here("corpus", "build", QUILL, "-o", out, "--view", "text")
    done = codeacumen_here("corpus", "audit", out)
    assert done.returncode == 0, done.stderr
    assert re.search(r"whole +yes", done.stdout)
    assert "not looked for: the corpus was built without the view tokens" in done.stdout
    (out / "projects.parquet").unlink()
    done = codeacumen_here("corpus", "audit", out)
    assert done.returncode == 1
    assert "projects.parquet" in done.stdout


# ------------------------------------------------------------------ mistakes


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
    here = tmp_path / "here"
    here.mkdir()
    (here / "file").write_text("text")
    (here / "cut.zip").write_bytes(b"PK\3\4 and no more")
    (here / "a.java").write_text("class A { }")
    monkeypatch.chdir(here)
    done = codeacumen_here("corpus", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (here / "c").exists()
