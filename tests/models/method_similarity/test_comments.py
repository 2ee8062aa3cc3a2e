"""Tests of JavaDoc similarity: which comments it compares and which statistics it uses. The vector
space itself is tested in tests/benchmarks/sesame/mining."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codeacumen.api import CodeacumenError, Pair
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.models.method_similarity.model import make_docsim
from codeacumen.models.method_similarity.words import extract_javadoc


def make_method(comment: str) -> str:
    return f"class A {{ /** {comment} */ int f() {{ return 1; }} /** Not this. */ int x; }}"


ONE, OTHER, THIRD = "Returns the size of this map.", "Returns the size of it.", "Adds to a list."


def test_docsim_is_cosine_of_javadoc_of_methods() -> None:
    texts = [make_method(ONE), make_method(OTHER), make_method(THIRD)]
    model = make_docsim()
    model.prepare(texts)
    vectors = (
        Space()
        .fit(sorted(extract_javadoc(text) for text in texts))
        .embed_texts([*map(extract_javadoc, texts)])
    )
    expected = (vectors[0] @ vectors[1].T).toarray()[0, 0]
    assert 0 < expected < 1
    pairs = [Pair(texts[0], texts[1]), Pair(texts[0], texts[2]), Pair(texts[0], texts[0])]
    assert model.similarity(pairs) == pytest.approx([expected, 0.0, 1.0])


def test_method_without_comment_has_no_answer() -> None:
    uncommented = "class A { int f() { return 1; } }"
    model = make_docsim()
    assert model.similarity([Pair(make_method(ONE), make_method(ONE))]) == [None]
    model.prepare([make_method(ONE), uncommented])
    assert model.similarity(
        [Pair(make_method(ONE), uncommented), Pair(uncommented, uncommented)]
    ) == [None, None]
    model.prepare([uncommented])
    assert model.similarity([Pair(uncommented, uncommented)]) == [None]


def test_docsim_uses_statistics_of_mined_methods(tmp_path: Path) -> None:
    words = [extract_javadoc(make_method(comment)) for comment in (ONE, OTHER, THIRD)]
    pq.write_table(pa.table({"words": words}), tmp_path / "methods.parquet")
    model, fitted = make_docsim(mined=str(tmp_path)), Space().fit(words)
    model.prepare(["class A {}"])
    expected = (fitted.vectors[0] @ fitted.vectors[1].T).toarray()[0, 0]
    assert model.similarity([Pair(make_method(ONE), make_method(OTHER))]) == pytest.approx(
        [expected]
    )
    assert len(model.fingerprint) == 64
    with pytest.raises(CodeacumenError, match=r"no methods\.parquet") as caught:
        make_docsim(mined=str(tmp_path / "elsewhere"))
    assert "codeacumen similar mine" in caught.value.hint
