"""Tests of ``codeacumen corpus embed`` and ``names embed``, which write vectors to files."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from codeacumen.corpus import Corpus
from codeacumen.models import vector_files
from codeacumen.registry.entries import ENTRIES
from corpora import read_files
from support import ROOT, Codeacumen

TRIGRAMS = ROOT / "examples" / "trigram_embedding.py"
EMBED = ("corpus", "embed", "--plugin", TRIGRAMS)
ODD = '''
from codeacumen.registry import model

class Odd:
    """Knows no name with an x, fails at one with a z; "q" is longer, "n" is not finite."""
    batch_size = 4

    def embed(self, items):
        if any("z" in one for one in items):
            raise ValueError("no z")
        return [None if "x" in one else self.vector(one) for one in items]

    def vector(self, one):
        return [1.0, 2.0, 3.0] if one == "q" else [float("nan"), 0] if one == "n" else [len(one), 1]

class Missing:
    def embed(self, items):
        import no_such_package_at_all

@model("odd")
def odd():
    """Odd"""
    return Odd()

@model("missing")
def missing():
    """Missing"""
    return Missing()
'''


@pytest.fixture
def plugin_options(tmp_path: Path) -> Any:
    """Yield the options for a plug-in with odd models; then unregister the models."""
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    yield ("--plugin", file)
    for name in ("odd", "missing"):
        ENTRIES["model"].pop(name, None)
    for name in [
        module_name
        for module_name in sys.modules
        if module_name.endswith(".odd") or "odd_" in module_name
    ]:
        sys.modules.pop(name)


def write_lines(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_embed_writes_vectors_of_all_methods_with_a_body(
    codeacumen_here: Codeacumen, examples_corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "made" / "methods.parquet"
    completed = codeacumen_here(
        *EMBED, examples_corpus.folder, "-m", "trigrams", "--out", out, "--json"
    )
    assert completed.returncode == 0, completed.stderr
    rows = pq.read_table(out).to_pylist()
    expected_rows = examples_corpus.query(
        "select method_id::varchar as id, project, path, line, name, text from methods where body"
    ).to_pylist()
    report = json.loads(completed.stdout)
    assert report["items"] == report["vectors"] == len(expected_rows) > 1000
    from codeacumen.registry import make_model

    vectors = make_model("trigrams").model.embed([row["text"] for row in expected_rows])  # type: ignore[union-attr]
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == len(expected_rows)
    for row, vector in zip(expected_rows, vectors, strict=True):
        row_of_file = by_id[row["id"]]
        assert row_of_file["vector"] == vector
        assert all(row_of_file[key] == row[key] for key in ("project", "path", "line", "name"))
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    schema = pq.read_schema(out)
    assert str(schema.field("vector").type) == "list<element: float>"
    assert schema.metadata[b"codeacumen.model"] == b"trigrams"


def test_mask_hides_method_names(
    codeacumen_here: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "p" / "A.java"
    source.parent.mkdir()
    source.write_text("class A { int size() { return 1; } int many() { return 1; } }")
    for option, is_same in (((), False), (("--mask",), True)):
        out = tmp_path / "made.parquet"
        completed = codeacumen_here(
            *EMBED, source.parent, "-m", "trigrams", "-o", out, "-j", "1", *option
        )
        assert completed.returncode == 0, completed.stderr
        first, second = pq.read_table(out)["vector"].to_pylist()
        assert (first == second) is is_same


def test_files_do_not_depend_on_the_number_of_rows_at_once(
    codeacumen_here: Codeacumen,
    examples_corpus: Corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = (*EMBED, examples_corpus.folder, "-m", "trigrams", "-o")
    for name in ("a.parquet", "b.parquet", "a.npy"):
        assert codeacumen_here(*options, tmp_path / name).returncode == 0
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    monkeypatch.setattr(vector_files, "ROWS_AT_ONCE", 100)
    assert codeacumen_here(*options, tmp_path / "c.npy").returncode == 0
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "c.npy").read_bytes()
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "c.txt").read_bytes()
    assert codeacumen_here(*options, tmp_path / "c.parquet").returncode == 0
    single_group, small_groups = (
        pq.ParquetFile(tmp_path / name) for name in ("a.parquet", "c.parquet")
    )
    assert small_groups.num_row_groups > single_group.num_row_groups
    assert small_groups.read().equals(single_group.read())


def test_lines_without_vector_are_reported(
    codeacumen_here: Codeacumen, tmp_path: Path, plugin_options: Any
) -> None:
    names = write_lines(tmp_path / "names.txt", "  a ", "axe", "zoo", "", "tüt\\", "n")
    for out in (tmp_path / "made.parquet", tmp_path / "made.npy"):
        completed = codeacumen_here(
            "names", "embed", names, "-m", "odd", "-o", out, "--json", *plugin_options
        )
        assert completed.returncode == 1
        assert "odd failed at 2 of them, first: ValueError: no z" in completed.stderr
        report = json.loads(completed.stdout)
        counts = [report[key] for key in ("items", "vectors", "without", "failed", "dimensions")]
        assert counts == [6, 3, 1, 2, 2]
    rows = pq.read_table(tmp_path / "made.parquet").to_pylist()
    assert [row["item"] for row in rows] == ["a", "axe", "zoo", "", "tüt\\", "n"]
    vectors = [row["vector"] for row in rows]
    assert vectors == [[1.0, 1.0], None, None, [0.0, 1.0], [4.0, 1.0], None]
    matrix = np.load(tmp_path / "made.npy")
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [vector for vector in vectors if vector is not None]
    lines = (tmp_path / "made.txt").read_text("ascii").splitlines()
    assert [line.encode().decode("unicode_escape") for line in lines] == ["a", "", "tüt\\"]


def test_texts_from_stdin_are_not_stripped(
    codeacumen: Codeacumen, tmp_path: Path, plugin_options: Any
) -> None:
    out = tmp_path / "made.parquet"
    embed = ("names", "embed", "-", "--text", "-m", "odd", "-o", out)
    completed = codeacumen(*embed, *plugin_options, input="\ufeff  a\r\n b")
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout == ""
    assert completed.stderr == f"2 vectors of 2 lines, 2 dimensions: {out}\n"
    assert pq.read_table(out)["item"].to_pylist() == ["  a", " b"]


@pytest.mark.parametrize(
    ("model", "lines", "out", "message", "hint"),
    [
        ("trigrams", "lines", "x.csv", "no such kind of file", ".npy"),
        ("trigrams", "b.txt", "b.npy", "b.txt is the input and would be overwritten", ""),
        ("trigrams", "lines", "c.npy", "c.txt exists already", ""),
        ("trigrams", "nowhere", "", "nowhere: No such file", ""),
        ("trigrams", "empty", "", "nothing to embed", ""),
        ("trigrams", "latin", "", "latin, line 2: not UTF-8", ""),
        ("levenshtein", "lines", "", "has no vectors: it has similarity", "run:DIR"),
        ("missing", "lines", "", "needs no_such_package_at_all", "codeacumen[neural]"),
        ("odd", "zs", "", "odd failed on every item: ValueError: no z", ""),
        ("odd", "lengths", "", "of 2 and of 3 dimensions", "same length"),
    ],
)
def test_errors_leave_all_files_unchanged(
    codeacumen_here: Codeacumen,
    tmp_path: Path,
    plugin_options: Any,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    lines: str,
    out: str,
    message: str,
    hint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(Path("lines"), "a", "b")
    write_lines(Path("zs"), "z", "zz")
    write_lines(Path("lengths"), "a", "q")
    write_lines(Path("empty"))
    write_lines(Path("b.txt"), "a")
    Path("b.npy").touch()
    write_lines(Path("c.txt"), "a")
    Path("latin").write_bytes(b"a\n\xe9\n")
    Path("vectors.parquet").write_bytes(b"an earlier result")
    before = read_files(tmp_path)
    embed = ("names", "embed", lines, "-m", model, "-o", out or "vectors.parquet")
    completed = codeacumen_here(*embed, "--plugin", TRIGRAMS, *plugin_options)
    assert completed.returncode == 2
    assert message in completed.stderr
    assert hint in completed.stderr
    assert read_files(tmp_path) == before


def test_header_is_readable_by_numpy() -> None:
    for rows, size in ((0, 0), (3, 2), (10**12, 4096)):
        header = vector_files._format_header(rows, size)
        assert len(header) == 128
        stream = io.BytesIO(header)
        assert np.lib.format.read_magic(stream) == (1, 0)
        shape, fortran, kind = np.lib.format.read_array_header_1_0(stream)
        assert (shape, fortran, kind) == ((rows, size), False, np.dtype("<f4"))


def test_help_has_examples(codeacumen_here: Codeacumen) -> None:
    for group in ("corpus", "names"):
        examples = codeacumen_here(group, "embed", "--help").stdout.split("Examples:")[1]
        assert examples.count(f"codeacumen {group} embed") >= 2


def test_python_functions_write_the_same_as_the_commands(
    codeacumen_here: Codeacumen, examples_corpus: Corpus, tmp_path: Path, plugin_options: Any
) -> None:
    import codeacumen

    class LengthModel:
        def embed(self, items: Sequence[str]) -> list[list[float]]:
            return [[float(len(item)), 1.0] for item in items]

    names = write_lines(tmp_path / "names.txt", "a", "bcd")
    summary = codeacumen.embed_lines(names, LengthModel(), tmp_path / "api.npy", progress=False)
    assert (summary.items, summary.vectors, summary.dimensions) == (2, 2, 2)
    completed = codeacumen_here(
        "names", "embed", names, "-m", "odd", *plugin_options, "-o", tmp_path / "c.npy"
    )
    assert completed.returncode == 0, completed.stderr
    assert (tmp_path / "api.npy").read_bytes() == (tmp_path / "c.npy").read_bytes()
    for corpus in (examples_corpus, examples_corpus.folder, str(examples_corpus.folder)):
        out = tmp_path / "methods.parquet"
        methods = codeacumen.embed_corpus(
            corpus, LengthModel(), out, mask_names=True, progress=False
        )
        assert methods.vectors == examples_corpus.manifest.counts["bodies"]


def test_embed_with_a_trained_network(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    """The written vectors equal those of the network."""
    torch = pytest.importorskip("torch")
    from codeacumen.api import Capability
    from codeacumen.models.neural.architecture import LABELS, Purpose
    from codeacumen.models.neural.catalogue import NetworkPlan
    from codeacumen.models.neural.predict import compute_vectors
    from codeacumen.models.neural.training import checkpoints

    torch.set_num_threads(1)
    lines = ["int f() { return 1; }", "", "while (true) { go(); }"]
    for task in ("npath", "operators"):
        plan = NetworkPlan("cnn", {"hidden": 8}, Purpose(f"gluecode/{task}", Capability.CLASSIFY))
        model = plan.build_architecture()
        model.learn_vocabularies({"tokens": {"int": 2, "{": 3, "go": 1}, LABELS: {"a": 1, "b": 1}})
        network: Any = model.build_network()
        checkpoints.save_network(tmp_path / "runs" / task, plan, model, network.eval(), {})
    text = write_lines(tmp_path / "text", *lines)
    out = tmp_path / "made.parquet"
    embed = ("names", "embed", text, "--text", "-o", out, "-m")
    completed = codeacumen_here(*embed, f"run:{tmp_path / 'runs' / task}")
    assert completed.returncode == 0, completed.stderr
    assert "2 vectors of 3 lines, 1 have none, 8 dimensions" in completed.stderr
    written_vectors = pq.read_table(out)["vector"].to_pylist()
    expected = compute_vectors(
        model, network, [model.extract_text_features(line) for line in lines]
    )
    assert written_vectors[1] is None
    assert written_vectors[0] != written_vectors[2]
    for written_vector, expected_vector in zip(written_vectors, expected, strict=True):
        assert written_vector == (
            expected_vector and np.asarray(expected_vector, np.float32).tolist()
        )
    completed = codeacumen_here(*embed, f"run:{tmp_path / 'runs'}")
    assert completed.returncode == 2
    assert "has 2 networks" in completed.stderr
    assert f"run:{tmp_path / 'runs' / 'npath'}" in completed.stderr
