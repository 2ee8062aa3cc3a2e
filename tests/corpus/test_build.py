"""Building: complete, the same to the byte, incremental, and hard to kill."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.javascript import parse_javascript
from corpora import EXAMPLES, build_at, contents
from support import is_thorough

KILLS = 5 if is_thorough() else 3


def test_nothing_is_lost(examples_corpus: Corpus) -> None:
    files = sorted(file for root in EXAMPLES for file in Path(root).rglob("*.java"))
    parsed = [JavaFile(file.read_bytes()) for file in files]
    counts = examples_corpus.manifest.counts
    assert counts["files"] == len(files)
    assert counts["files_left_out"] == 0
    assert counts["methods"] == sum(len(file.declarations.methods) for file in parsed)
    assert (
        counts["bodies"]
        == sum(len(file.bodies) for file in parsed)
        == len(examples_corpus.query("select 1 from methods where body"))
    )


def test_the_same_bytes_whatever_the_number_of_workers(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    build_at(tmp_path / "one", EXAMPLES, workers=1)
    assert contents(tmp_path / "one") == contents(examples_corpus.folder)


def test_a_rebuild_parses_nothing_and_changes_nothing(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    summary = build_at(tmp_path / "corpus", EXAMPLES)
    assert summary.parsed == 0
    assert summary.reused == summary.shards
    assert contents(tmp_path / "corpus") == contents(examples_corpus.folder)


def test_only_a_changed_file_is_parsed_again(tmp_path: Path) -> None:
    sources = tmp_path / "quill"
    shutil.copytree(EXAMPLES[1], sources)
    build_at(tmp_path / "grown", [str(sources)])
    changed = sorted(sources.rglob("*.java"))[3]
    changed.write_text(changed.read_text() + "\nclass Added { int added() { return 1; } }\n")
    (sources / "src" / "New.java").write_text("class New { void fresh() { new Added().added(); } }")
    sorted(sources.rglob("*.java"))[8].unlink()
    summary = build_at(tmp_path / "grown", [str(sources)])
    assert summary.parsed == 2
    build_at(tmp_path / "fresh", [str(sources)])
    assert contents(tmp_path / "grown") == contents(tmp_path / "fresh")


def test_a_corpus_grows_by_a_project(examples_corpus: Corpus, tmp_path: Path) -> None:
    build_at(tmp_path / "corpus", EXAMPLES[:3])
    summary = build_at(tmp_path / "corpus", EXAMPLES)
    assert summary.reused == 3
    assert contents(tmp_path / "corpus") == contents(examples_corpus.folder)


def test_what_a_killed_build_leaves_behind_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    build_at(out, EXAMPLES[:1])
    before = contents(out)
    (link,) = (out / "calls").iterdir()
    (link / ".x.parquet.0123abcd.part").write_bytes(b"half")
    (out / "shards" / ".library.0123abcd").mkdir()
    (out / "manifest.json").write_text(
        json.dumps({**json.loads((out / "manifest.json").read_text()), "complete": False})
    )
    build_at(out, EXAMPLES[:1])
    assert contents(out) == before
    assert not (out / "shards" / ".library.0123abcd").exists()


def test_javascript_is_kept_with_its_source(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.js").write_text("function f() { return 1; }\n")
    build_at(tmp_path / "corpus", [str(tmp_path / "project")])
    corpus = Corpus.open(tmp_path / "corpus")
    found = corpus.query("select path, language, nodes, broken, source from files")
    nodes = len(parse_javascript(b"function f() { return 1; }\n"))
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        ("a.js", "javascript", nodes, False, "function f() { return 1; }\n")
    ]
    assert len(corpus) == 0


def test_one_file_is_a_project(tmp_path: Path) -> None:
    (tmp_path / "One.java").write_text("class One { int f() { return 1; } }")
    (tmp_path / "Other.java").write_text("class Other { }")
    build_at(tmp_path / "corpus", [str(tmp_path / "One.java")])
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.query("select project, path from files").to_pylist() == [
        {"project": "One", "path": "One.java"}
    ]
    assert len(corpus) == 1


def test_killed_at_random_moments_it_ends_in_the_same_bytes(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "corpus"
    code = (
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "from corpora import EXAMPLES, build_at\n"
        "from pathlib import Path\n"
        "build_at(Path(sys.argv[2]), EXAMPLES)\n"
    )
    paths = ":".join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    drawn = random.Random(7)
    killed = 0
    for _ in range(KILLS):
        process = subprocess.Popen([sys.executable, "-c", code, paths, str(out)])
        try:
            process.wait(timeout=drawn.uniform(0.5, 3.5))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
    subprocess.run([sys.executable, "-c", code, paths, str(out)], check=True)
    assert killed >= KILLS // 2
    assert contents(out) == contents(examples_corpus.folder)


# ------------------------------------------------------------------ before any work


def refused(out: Path, sources: list[str]) -> CodeacumenError:
    with pytest.raises(CodeacumenError) as caught:
        build_at(out, sources)
    return caught.value


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    error = refused(tmp_path / "corpus", [EXAMPLES[0], str(tmp_path / "nowhere")])
    assert "nowhere" in str(error)
    assert not (tmp_path / "corpus").exists()


def test_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to-a-friend.txt").write_text("dear")
    assert "is not empty and holds no corpus" in str(refused(tmp_path / "letters", EXAMPLES[:1]))
    (tmp_path / "file").write_text("")
    assert "is a file" in str(refused(tmp_path / "file", EXAMPLES[:1]))


def test_a_place_where_nobody_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told before a source is looked for: fetching one may take an hour."""
    monkeypatch.setattr("os.access", lambda *_: False)
    error = refused(tmp_path / "new" / "corpus", ["git:https://127.0.0.1:9/x"])
    assert f"you may not write in {tmp_path}" in str(error)
    (tmp_path / "file").write_text("")
    assert "is a file" in str(refused(tmp_path / "file" / "corpus", ["git:https://127.0.0.1:9/x"]))


def test_a_folder_that_holds_another_corpus(examples_corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    error = refused(tmp_path / "corpus", EXAMPLES[:1])
    assert "holds another corpus, with ballot, quill, tramway" in str(error)
    assert contents(tmp_path / "corpus") == contents(examples_corpus.folder)


def test_corpus_of_the_former_name_says_how_to_rebuild(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    manifest = json.loads((examples_corpus.folder / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(
        json.dumps({**manifest, "format": "acumen-corpus", "schema": 1})
    )
    with pytest.raises(CodeacumenError, match="former version") as caught:
        Corpus.open(tmp_path)
    assert "codeacumen corpus build" in caught.value.hint


@pytest.mark.parametrize(
    ("schema", "hint"), [(99, "upgrade codeacumen"), (1, "codeacumen corpus build SOURCE")]
)
def test_another_schema(examples_corpus: Corpus, tmp_path: Path, schema: int, hint: str) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    manifest = tmp_path / "corpus" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": schema}))
    error = refused(tmp_path / "corpus", EXAMPLES)
    assert f"schema {schema}" in str(error)
    assert hint in error.hint
    with pytest.raises(CodeacumenError, match=f"schema {schema}"):
        Corpus.open(tmp_path / "corpus")


def test_two_builds_at_once(tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "corpus").mkdir()
    with FileLock(tmp_path / "corpus" / ".lock"):
        assert "another build is working" in str(refused(tmp_path / "corpus", EXAMPLES[:1]))


def test_an_unfinished_corpus_is_not_opened(examples_corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    manifest = tmp_path / "corpus" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "complete": False}))
    with pytest.raises(CodeacumenError, match="not finished") as caught:
        Corpus.open(tmp_path / "corpus")
    assert "goes on where it stopped" in caught.value.hint


# ------------------------------------------------------------------ what ends a process


def test_a_file_that_ends_its_process_is_left_out_and_told(tmp_path: Path) -> None:
    sources = tmp_path / "project"
    sources.mkdir()
    for name in ("A", "B", "C"):
        (sources / f"{name}.java").write_text(f"class {name} {{ int f() {{ return 1; }} }}")
    (sources / "B.java").write_text("class B { int f() { return 666; } }")
    plugin = Path(__file__).parent / "lethal_view.py"
    summary = build_at(
        tmp_path / "corpus", [str(sources)], plugins=[plugin], views=["text", "lethal"]
    )
    assert summary.problems == {"lethal": (1, 1)}
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.query("select path from files order by 1")["path"].to_pylist() == [
        "A.java",
        "C.java",
    ]
    problem = corpus.query("select path, message from problems").to_pylist()
    assert problem == [{"path": "B.java", "message": "its process ended with SIGSEGV"}]
    # Known now: the next build does not try again, and finds nothing to do.
    again = build_at(
        tmp_path / "corpus", [str(sources)], plugins=[plugin], views=["text", "lethal"]
    )
    assert again.parsed == 0
    assert again.seconds["analyse"] < summary.seconds["analyse"]


def test_a_file_that_an_analysis_fails_on_is_left_out_and_told(tmp_path: Path) -> None:
    sources = tmp_path / "project"
    sources.mkdir()
    (sources / "A.java").write_text("class A { int f() { return 1; } }")
    (sources / "B.java").write_text("class B { int f() { return 555; } }")
    plugin = Path(__file__).parent / "lethal_view.py"
    summary = build_at(
        tmp_path / "corpus", [str(sources)], plugins=[plugin], views=["text", "lethal"]
    )
    assert summary.problems == {"failed": (1, 1)}
    found = Corpus.open(tmp_path / "corpus").query("select path, message from problems")
    assert found.to_pylist() == [{"path": "B.java", "message": "ValueError: 555"}]
