"""``codeacumen corpus embed`` and ``names embed``: vectors of methods and of lines, in files."""

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
from corpora import contents
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
def plugged(tmp_path: Path) -> Any:
    """The option for a plug-in with odd models, forgotten afterwards."""
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    yield ("--plugin", file)
    for name in ("odd", "missing"):
        ENTRIES["model"].pop(name, None)
    for name in [one for one in sys.modules if one.endswith(".odd") or "odd_" in one]:
        sys.modules.pop(name)


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_every_method_with_a_body(
    codeacumen_here: Codeacumen, examples_corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "made" / "methods.parquet"
    done = codeacumen_here(*EMBED, examples_corpus.folder, "-m", "trigrams", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(out).to_pylist()
    wanted = examples_corpus.query(
        "select method_id::varchar as id, project, path, line, name, text from methods where body"
    ).to_pylist()
    told = json.loads(done.stdout)
    assert told["asked"] == told["vectors"] == len(wanted) > 1000
    from codeacumen.registry import make_model

    vectors = make_model("trigrams").model.embed([row["text"] for row in wanted])  # type: ignore[union-attr]
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == len(wanted)
    for row, vector in zip(wanted, vectors, strict=True):
        found = by_id[row["id"]]
        assert found["vector"] == vector
        assert all(found[key] == row[key] for key in ("project", "path", "line", "name"))
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    kept = pq.read_schema(out)
    assert str(kept.field("vector").type) == "list<element: float>"
    assert kept.metadata[b"codeacumen.model"] == b"trigrams"


def test_masked_names_are_not_seen(
    codeacumen_here: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "p" / "A.java"
    source.parent.mkdir()
    source.write_text("class A { int size() { return 1; } int many() { return 1; } }")
    for option, same in (((), False), (("--mask",), True)):
        out = tmp_path / "made.parquet"
        done = codeacumen_here(
            *EMBED, source.parent, "-m", "trigrams", "-o", out, "-j", "1", *option
        )
        assert done.returncode == 0, done.stderr
        first, second = pq.read_table(out)["vector"].to_pylist()
        assert (first == second) is same


def test_the_same_bytes_again_and_in_any_stretches(
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
    whole, parted = (pq.ParquetFile(tmp_path / name) for name in ("a.parquet", "c.parquet"))
    assert parted.num_row_groups > whole.num_row_groups
    assert parted.read().equals(whole.read())


def test_lines_and_what_has_no_vector(
    codeacumen_here: Codeacumen, tmp_path: Path, plugged: Any
) -> None:
    names = written(tmp_path / "names.txt", "  a ", "axe", "zoo", "", "tüt\\", "n")
    for out in (tmp_path / "made.parquet", tmp_path / "made.npy"):
        done = codeacumen_here("names", "embed", names, "-m", "odd", "-o", out, "--json", *plugged)
        assert done.returncode == 1
        assert "odd failed at 2 of them, first: ValueError: no z" in done.stderr
        told = json.loads(done.stdout)
        counts = [told[key] for key in ("asked", "vectors", "without", "failed", "dimensions")]
        assert counts == [6, 3, 1, 2, 2]
    rows = pq.read_table(tmp_path / "made.parquet").to_pylist()
    assert [row["item"] for row in rows] == ["a", "axe", "zoo", "", "tüt\\", "n"]
    vectors = [row["vector"] for row in rows]
    assert vectors == [[1.0, 1.0], None, None, [0.0, 1.0], [4.0, 1.0], None]
    matrix = np.load(tmp_path / "made.npy")
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [one for one in vectors if one is not None]
    lines = (tmp_path / "made.txt").read_text("ascii").splitlines()
    assert [one.encode().decode("unicode_escape") for one in lines] == ["a", "", "tüt\\"]


def test_texts_are_taken_as_they_are_from_stdin(
    codeacumen: Codeacumen, tmp_path: Path, plugged: Any
) -> None:
    out = tmp_path / "made.parquet"
    embed = ("names", "embed", "-", "--text", "-m", "odd", "-o", out)
    done = codeacumen(*embed, *plugged, input="\ufeff  a\r\n b")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr == f"2 vectors of 2 lines, 2 dimensions: {out}\n"
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
def test_an_error_is_reported_and_leaves_every_file_as_it_was(
    codeacumen_here: Codeacumen,
    tmp_path: Path,
    plugged: Any,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    lines: str,
    out: str,
    message: str,
    hint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("lines"), "a", "b")
    written(Path("zs"), "z", "zz")
    written(Path("lengths"), "a", "q")
    written(Path("empty"))
    written(Path("b.txt"), "a")
    Path("b.npy").touch()
    written(Path("c.txt"), "a")
    Path("latin").write_bytes(b"a\n\xe9\n")
    Path("vectors.parquet").write_bytes(b"an earlier result")
    before = contents(tmp_path)
    embed = ("names", "embed", lines, "-m", model, "-o", out or "vectors.parquet")
    done = codeacumen_here(*embed, "--plugin", TRIGRAMS, *plugged)
    assert done.returncode == 2
    assert message in done.stderr
    assert hint in done.stderr
    assert contents(tmp_path) == before


def test_the_header_is_numpys() -> None:
    for rows, size in ((0, 0), (3, 2), (10**12, 4096)):
        made = vector_files._format_header(rows, size)
        assert len(made) == 128
        stream = io.BytesIO(made)
        assert np.lib.format.read_magic(stream) == (1, 0)
        shape, fortran, kind = np.lib.format.read_array_header_1_0(stream)
        assert (shape, fortran, kind) == ((rows, size), False, np.dtype("<f4"))


def test_help_has_examples(codeacumen_here: Codeacumen) -> None:
    for group in ("corpus", "names"):
        examples = codeacumen_here(group, "embed", "--help").stdout.split("Examples:")[1]
        assert examples.count(f"codeacumen {group} embed") >= 2


def test_python_functions_write_what_the_commands_write(
    codeacumen_here: Codeacumen, examples_corpus: Corpus, tmp_path: Path, plugged: Any
) -> None:
    import codeacumen

    class Lengths:
        def embed(self, items: Sequence[str]) -> list[list[float]]:
            return [[float(len(item)), 1.0] for item in items]

    names = written(tmp_path / "names.txt", "a", "bcd")
    summary = codeacumen.embed_lines(names, Lengths(), tmp_path / "api.npy", progress=False)
    assert (summary.asked, summary.vectors, summary.dimensions) == (2, 2, 2)
    done = codeacumen_here("names", "embed", names, "-m", "odd", *plugged, "-o", tmp_path / "c.npy")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "api.npy").read_bytes() == (tmp_path / "c.npy").read_bytes()
    for corpus in (examples_corpus, examples_corpus.folder, str(examples_corpus.folder)):
        out = tmp_path / "methods.parquet"
        methods = codeacumen.embed_corpus(corpus, Lengths(), out, mask_names=True, progress=False)
        assert methods.vectors == examples_corpus.manifest.counts["bodies"]


def test_a_trained_network(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    """Its vectors are those that its network gives."""
    torch = pytest.importorskip("torch")
    from codeacumen.api import Capability
    from codeacumen.models.neural.answering import vectors
    from codeacumen.models.neural.architecture import LABELS, Purpose
    from codeacumen.models.neural.catalogue import Plan
    from codeacumen.models.neural.training import checkpoints

    torch.set_num_threads(1)
    lines = ["int f() { return 1; }", "", "while (true) { go(); }"]
    for task in ("npath", "operators"):
        plan = Plan("cnn", {"hidden": 8}, Purpose(f"gluecode/{task}", Capability.CLASSIFY))
        model = plan.make()
        model.learn_vocabularies({"tokens": {"int": 2, "{": 3, "go": 1}, LABELS: {"a": 1, "b": 1}})
        network: Any = model.network()
        checkpoints.save(tmp_path / "runs" / task, plan, model, network.eval(), {})
    text = written(tmp_path / "text", *lines)
    out = tmp_path / "made.parquet"
    embed = ("names", "embed", text, "--text", "-o", out, "-m")
    done = codeacumen_here(*embed, f"run:{tmp_path / 'runs' / task}")
    assert done.returncode == 0, done.stderr
    assert "2 vectors of 3 lines, 1 have none, 8 dimensions" in done.stderr
    found = pq.read_table(out)["vector"].to_pylist()
    wanted = vectors(model, network, [model.read_text(one) for one in lines])
    assert found[1] is None
    assert found[0] != found[2]
    for mine, right in zip(found, wanted, strict=True):
        assert mine == (right and np.asarray(right, np.float32).tolist())
    done = codeacumen_here(*embed, f"run:{tmp_path / 'runs'}")
    assert done.returncode == 2
    assert "has 2 networks" in done.stderr
    assert f"run:{tmp_path / 'runs' / 'npath'}" in done.stderr
