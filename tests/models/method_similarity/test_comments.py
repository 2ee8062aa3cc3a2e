"""JavaDoc similarity: whose comments, and which statistics. The space itself is tested where it
is made (tests/benchmarks/sesame/mining)."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from codeacumen.api import CodeacumenError, Pair
from codeacumen.benchmarks.sesame.mining.spaces import Space
from codeacumen.models.method_similarity.model import make_docsim
from codeacumen.models.method_similarity.words import javadoc_of


def text(comment: str) -> str:
    return f"class A {{ /** {comment} */ int f() {{ return 1; }} /** Not this. */ int x; }}"


ONE, OTHER, THIRD = "Returns the size of this map.", "Returns the size of it.", "Adds to a list."


def test_it_is_the_cosine_of_the_methods_javadoc() -> None:
    texts = [text(ONE), text(OTHER), text(THIRD)]
    model = make_docsim()
    model.prepare(texts)
    vectors = Space().fit(sorted(javadoc_of(one) for one in texts)).of([*map(javadoc_of, texts)])
    expected = (vectors[0] @ vectors[1].T).toarray()[0, 0]
    assert 0 < expected < 1
    pairs = [Pair(texts[0], texts[1]), Pair(texts[0], texts[2]), Pair(texts[0], texts[0])]
    assert model.similarity(pairs) == pytest.approx([expected, 0.0, 1.0])


def test_without_a_comment_there_is_no_answer() -> None:
    silent = "class A { int f() { return 1; } }"
    model = make_docsim()
    assert model.similarity([Pair(text(ONE), text(ONE))]) == [None]
    model.prepare([text(ONE), silent])
    assert model.similarity([Pair(text(ONE), silent), Pair(silent, silent)]) == [None, None]
    model.prepare([silent])
    assert model.similarity([Pair(silent, silent)]) == [None]


def test_statistics_of_mined_methods(tmp_path: Path) -> None:
    words = [javadoc_of(text(one)) for one in (ONE, OTHER, THIRD)]
    pq.write_table(pa.table({"words": words}), tmp_path / "methods.parquet")
    model, fitted = make_docsim(mined=str(tmp_path)), Space().fit(words)
    model.prepare(["class A {}"])
    expected = (fitted.vectors[0] @ fitted.vectors[1].T).toarray()[0, 0]
    assert model.similarity([Pair(text(ONE), text(OTHER))]) == pytest.approx([expected])
    assert len(model.fingerprint) == 64
    with pytest.raises(CodeacumenError, match=r"no methods\.parquet") as caught:
        make_docsim(mined=str(tmp_path / "elsewhere"))
    assert "codeacumen similar mine" in caught.value.hint
