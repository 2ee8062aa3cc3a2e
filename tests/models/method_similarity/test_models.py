"""What holds for all of them: any text, both orders, any batch; and, on SeSaMe where it is there,
that the ones that need no names find what people found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from codeacumen.api import CodeacumenError, Pair, Similarity
from codeacumen.models.identifier_similarity.lexicon import FILE
from codeacumen.models.method_similarity import model as models
from codeacumen.views.masking.levels import shown
from support import SHARED

MAKE: dict[str, Callable[..., Any]] = {
    "toksim": models.make_toksim,
    "docsim": models.make_docsim,
    "subtokens": models.make_subtokens,
    "bm25": models.make_bm25,
    "path-contexts": models.make_path_contexts,
    "wl-kernel": models.make_wl_kernel,
    "wl-kernel:names=true": lambda: models.make_wl_kernel(names=True),
    "method-shape": models.make_shape,
}
if FILE.is_file():
    MAKE["names-average"] = models.make_names_average
    MAKE["names-average:answer=partners"] = lambda: models.make_names_average(answer="partners")

TEXTS = [
    "class A { /** Returns the size of it. */ int size() { return size; } int size; }",
    "class B<E> { /** Adds one to it all. */ void add(E e) { list.add(e); n++; } int n; }",
    "/** Returns the size of all. */ int count(int[] all) { return all.length; }",
    "class A { int size; }",
    "class A { int broken( { return ; }",
    "",
    "\ud800 /** \ud800",
]
PAIRS = [Pair(one, other) for one in TEXTS for other in TEXTS]


@pytest.fixture(scope="module", params=MAKE)
def model(request: pytest.FixtureRequest) -> Any:
    made = MAKE[request.param]()
    if hasattr(made, "prepare"):
        made.prepare(sorted(TEXTS))
    return made


def test_an_answer_depends_on_its_pair_alone(model: Any) -> None:
    together = model.similarity(PAIRS)
    assert [model.similarity([pair])[0] for pair in PAIRS] == together
    assert model.similarity([]) == []
    turned = model.similarity([Pair(pair.right, pair.left) for pair in PAIRS])
    for one, other in zip(together, turned, strict=True):
        assert one == pytest.approx(other) if one is not None else other is None
    assert model.only == ("sesame", "similarity")
    assert isinstance(model, Similarity)


def test_a_method_is_like_itself(model: Any) -> None:
    for text in TEXTS[:3]:
        same, other = model.similarity([Pair(text, text), Pair(text, TEXTS[1])])
        assert same == pytest.approx(1.0)
        assert other <= same + 1e-12


@given(st.text(max_size=60), st.sampled_from(TEXTS))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_has_an_answer_or_none(model: Any, text: str, other: str) -> None:
    (found,) = model.similarity([Pair(text, other[: len(other) // 2] + text)])
    assert found is None or -1 <= found <= 3


def test_nesting_is_no_matter(model: Any) -> None:
    deep = "class A { int f() { return " + "(" * 10_000 + "1" + ")" * 10_000 + "; } }"
    model.similarity([Pair(deep, TEXTS[0])])


@pytest.mark.parametrize(
    ("make", "setting"),
    [
        (models.make_bm25, {"b": 2}),
        (models.make_wl_kernel, {"height": -1}),
        (models.make_path_contexts, {"length": "long"}),
        (models.make_shape, {"part": "soul"}),
        (models.make_names_average, {"answer": "maybe"}),
        (models.make_docsim, {"space": "outer"}),
    ],
)
def test_settings_that_cannot_be(make: Callable[..., Any], setting: dict[str, Any]) -> None:
    with pytest.raises(CodeacumenError) as caught:
        make(**setting)
    assert caught.value.hint


def test_without_names_and_comments_people_are_still_followed() -> None:
    """AUC of every fourth pair; a mean rating of 1 or more is similar."""
    folder = SHARED / "sesame"
    if not folder.is_dir():
        pytest.skip(f"SeSaMe's files are not in {folder}")
    rated = json.loads((folder / "dataset.json").read_bytes())[::4]
    lines = (folder / "methods.jsonl").read_text().splitlines()
    rows = {row["pairid"]: row for row in map(json.loads, lines)}
    pairs = [
        Pair(*(shown(rows[one["pairid"]][which], "bare") for which in ("first", "second")))
        for one in rated
    ]
    truth = [np.mean([v["rating"] for v in one["goals"] if v["rating"] >= 0]) >= 1 for one in rated]
    for name, least in (("method-shape", 0.82), ("wl-kernel", 0.79), ("path-contexts", 0.75)):
        model = MAKE[name]()
        model.prepare(sorted({text for pair in pairs for text in (pair.left, pair.right)}))
        answers = [0.0 if one is None else one for one in model.similarity(pairs)]
        assert roc_auc_score(truth, answers) > least, name
