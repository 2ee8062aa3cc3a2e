"""Tests of building a corpus: complete, deterministic, incremental and resumable."""

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
from corpora import EXAMPLES, build_corpus_at, read_files
from support import is_thorough

KILLS = 5 if is_thorough() else 3


def test_corpus_has_all_files_and_methods(examples_corpus: Corpus) -> None:
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


def test_corpus_does_not_depend_on_the_number_of_workers(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    build_corpus_at(tmp_path / "one", EXAMPLES, workers=1)
    assert read_files(tmp_path / "one") == read_files(examples_corpus.folder)


def test_rebuild_parses_and_changes_nothing(examples_corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    summary = build_corpus_at(tmp_path / "corpus", EXAMPLES)
    assert summary.parsed == 0
    assert summary.reused == summary.shards
    assert read_files(tmp_path / "corpus") == read_files(examples_corpus.folder)


def test_only_a_changed_file_is_parsed_again(tmp_path: Path) -> None:
    sources = tmp_path / "quill"
    shutil.copytree(EXAMPLES[1], sources)
    build_corpus_at(tmp_path / "grown", [str(sources)])
    changed = sorted(sources.rglob("*.java"))[3]
    changed.write_text(changed.read_text() + "\nclass Added { int added() { return 1; } }\n")
    (sources / "src" / "New.java").write_text("class New { void fresh() { new Added().added(); } }")
    sorted(sources.rglob("*.java"))[8].unlink()
    summary = build_corpus_at(tmp_path / "grown", [str(sources)])
    assert summary.parsed == 2
    build_corpus_at(tmp_path / "fresh", [str(sources)])
    assert read_files(tmp_path / "grown") == read_files(tmp_path / "fresh")


def test_added_project_reuses_other_shards(examples_corpus: Corpus, tmp_path: Path) -> None:
    build_corpus_at(tmp_path / "corpus", EXAMPLES[:3])
    summary = build_corpus_at(tmp_path / "corpus", EXAMPLES)
    assert summary.reused == 3
    assert read_files(tmp_path / "corpus") == read_files(examples_corpus.folder)


def test_leftovers_of_a_killed_build_are_removed(tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    build_corpus_at(out, EXAMPLES[:1])
    before = read_files(out)
    (calls_folder,) = (out / "calls").iterdir()
    (calls_folder / ".x.parquet.0123abcd.part").write_bytes(b"half")
    (out / "shards" / ".library.0123abcd").mkdir()
    (out / "manifest.json").write_text(
        json.dumps({**json.loads((out / "manifest.json").read_text()), "complete": False})
    )
    build_corpus_at(out, EXAMPLES[:1])
    assert read_files(out) == before
    assert not (out / "shards" / ".library.0123abcd").exists()


def test_javascript_files_are_stored_with_source(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.js").write_text("function f() { return 1; }\n")
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "project")])
    corpus = Corpus.open(tmp_path / "corpus")
    files = corpus.query("select path, language, nodes, broken, source from files")
    nodes = len(parse_javascript(b"function f() { return 1; }\n"))
    assert [tuple(row.values()) for row in files.to_pylist()] == [
        ("a.js", "javascript", nodes, False, "function f() { return 1; }\n")
    ]
    assert len(corpus) == 0


def test_single_file_is_a_project(tmp_path: Path) -> None:
    (tmp_path / "One.java").write_text("class One { int f() { return 1; } }")
    (tmp_path / "Other.java").write_text("class Other { }")
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "One.java")])
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.query("select project, path from files").to_pylist() == [
        {"project": "One", "path": "One.java"}
    ]
    assert len(corpus) == 1


def test_build_killed_at_random_times_ends_in_the_same_bytes(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "corpus"
    code = (
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "from corpora import EXAMPLES, build_corpus_at\n"
        "from pathlib import Path\n"
        "build_corpus_at(Path(sys.argv[2]), EXAMPLES)\n"
    )
    paths = ":".join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    random_times = random.Random(7)
    kill_count = 0
    for _ in range(KILLS):
        process = subprocess.Popen([sys.executable, "-c", code, paths, str(out)])
        try:
            process.wait(timeout=random_times.uniform(0.5, 3.5))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kill_count += 1
    subprocess.run([sys.executable, "-c", code, paths, str(out)], check=True)
    assert kill_count >= KILLS // 2
    assert read_files(out) == read_files(examples_corpus.folder)


# ------------------------------------------------------------------ checks before the build


def catch_build_error(out: Path, sources: list[str]) -> CodeacumenError:
    with pytest.raises(CodeacumenError) as caught:
        build_corpus_at(out, sources)
    return caught.value


def test_missing_source_is_rejected(tmp_path: Path) -> None:
    error = catch_build_error(tmp_path / "corpus", [EXAMPLES[0], str(tmp_path / "nowhere")])
    assert "nowhere" in str(error)
    assert not (tmp_path / "corpus").exists()


def test_folder_with_other_files_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to-a-friend.txt").write_text("dear")
    assert "is not empty and holds no corpus" in str(
        catch_build_error(tmp_path / "letters", EXAMPLES[:1])
    )
    (tmp_path / "file").write_text("")
    assert "is a file" in str(catch_build_error(tmp_path / "file", EXAMPLES[:1]))


def test_unwritable_folder_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes before any source is fetched, which may take an hour."""
    monkeypatch.setattr("os.access", lambda *_: False)
    error = catch_build_error(tmp_path / "new" / "corpus", ["git:https://127.0.0.1:9/x"])
    assert f"you may not write in {tmp_path}" in str(error)
    (tmp_path / "file").write_text("")
    assert "is a file" in str(
        catch_build_error(tmp_path / "file" / "corpus", ["git:https://127.0.0.1:9/x"])
    )


def test_folder_with_another_corpus_is_rejected(examples_corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    error = catch_build_error(tmp_path / "corpus", EXAMPLES[:1])
    assert "holds another corpus, with ballot, quill, tramway" in str(error)
    assert read_files(tmp_path / "corpus") == read_files(examples_corpus.folder)


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
def test_corpus_of_another_schema_is_rejected(
    examples_corpus: Corpus, tmp_path: Path, schema: int, hint: str
) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    manifest = tmp_path / "corpus" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": schema}))
    error = catch_build_error(tmp_path / "corpus", EXAMPLES)
    assert f"schema {schema}" in str(error)
    assert hint in error.hint
    with pytest.raises(CodeacumenError, match=f"schema {schema}"):
        Corpus.open(tmp_path / "corpus")


def test_second_build_at_once_is_rejected(tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "corpus").mkdir()
    with FileLock(tmp_path / "corpus" / ".lock"):
        assert "another build is working" in str(
            catch_build_error(tmp_path / "corpus", EXAMPLES[:1])
        )


def test_unfinished_corpus_is_not_opened(examples_corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(examples_corpus.folder, tmp_path / "corpus")
    manifest = tmp_path / "corpus" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "complete": False}))
    with pytest.raises(CodeacumenError, match="not finished") as caught:
        Corpus.open(tmp_path / "corpus")
    assert "goes on where it stopped" in caught.value.hint


# ------------------------------------------------------------------ files that kill a process


def test_file_that_kills_its_process_is_skipped_and_reported(tmp_path: Path) -> None:
    sources = tmp_path / "project"
    sources.mkdir()
    for name in ("A", "B", "C"):
        (sources / f"{name}.java").write_text(f"class {name} {{ int f() {{ return 1; }} }}")
    (sources / "B.java").write_text("class B { int f() { return 666; } }")
    plugin = Path(__file__).parent / "crashing_view.py"
    summary = build_corpus_at(
        tmp_path / "corpus", [str(sources)], plugins=[plugin], views=["text", "crashing"]
    )
    assert summary.problems == {"crashed": (1, 1)}
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.query("select path from files order by 1")["path"].to_pylist() == [
        "A.java",
        "C.java",
    ]
    problem = corpus.query("select path, message from problems").to_pylist()
    assert problem == [{"path": "B.java", "message": "its process ended with SIGSEGV"}]
    # The failure is recorded, so the next build does not try the file again.
    again = build_corpus_at(
        tmp_path / "corpus", [str(sources)], plugins=[plugin], views=["text", "crashing"]
    )
    assert again.parsed == 0
    assert again.seconds["analyse"] < summary.seconds["analyse"]


def test_file_that_fails_an_analysis_is_skipped_and_reported(tmp_path: Path) -> None:
    sources = tmp_path / "project"
    sources.mkdir()
    (sources / "A.java").write_text("class A { int f() { return 1; } }")
    (sources / "B.java").write_text("class B { int f() { return 555; } }")
    plugin = Path(__file__).parent / "crashing_view.py"
    summary = build_corpus_at(
        tmp_path / "corpus", [str(sources)], plugins=[plugin], views=["text", "crashing"]
    )
    assert summary.problems == {"failed": (1, 1)}
    problems = Corpus.open(tmp_path / "corpus").query("select path, message from problems")
    assert problems.to_pylist() == [{"path": "B.java", "message": "ValueError: 555"}]
