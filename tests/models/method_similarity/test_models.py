"""Tests of properties of all models: any text, both orders, any batch. On SeSaMe, if its files are
there, the models that need no names must agree with human ratings."""

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
from codeacumen.views.masking.levels import show_level
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
PAIRS = [Pair(left, right) for left in TEXTS for right in TEXTS]


@pytest.fixture(scope="module", params=MAKE)
def model(request: pytest.FixtureRequest) -> Any:
    made_model = MAKE[request.param]()
    if hasattr(made_model, "prepare"):
        made_model.prepare(sorted(TEXTS))
    return made_model


def test_answer_depends_only_on_its_pair(model: Any) -> None:
    answers = model.similarity(PAIRS)
    assert [model.similarity([pair])[0] for pair in PAIRS] == answers
    assert model.similarity([]) == []
    reverse_answers = model.similarity([Pair(pair.right, pair.left) for pair in PAIRS])
    for answer, reverse_answer in zip(answers, reverse_answers, strict=True):
        assert (
            answer == pytest.approx(reverse_answer)
            if answer is not None
            else reverse_answer is None
        )
    assert model.only == ("sesame", "similarity")
    assert isinstance(model, Similarity)


def test_method_is_most_similar_to_itself(model: Any) -> None:
    for text in TEXTS[:3]:
        same, other = model.similarity([Pair(text, text), Pair(text, TEXTS[1])])
        assert same == pytest.approx(1.0)
        assert other <= same + 1e-12


@given(st.text(max_size=60), st.sampled_from(TEXTS))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_has_an_answer_or_none(model: Any, text: str, other: str) -> None:
    (answer,) = model.similarity([Pair(text, other[: len(other) // 2] + text)])
    assert answer is None or -1 <= answer <= 3


def test_deep_nesting_is_supported(model: Any) -> None:
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
def test_invalid_settings_are_refused(make: Callable[..., Any], setting: dict[str, Any]) -> None:
    with pytest.raises(CodeacumenError) as caught:
        make(**setting)
    assert caught.value.hint


def test_models_agree_with_ratings_without_names_and_comments() -> None:
    """Compute the AUC on every fourth pair; a mean rating of at least 1 means similar."""
    folder = SHARED / "sesame"
    if not folder.is_dir():
        pytest.skip(f"SeSaMe's files are not in {folder}")
    rated_pairs = json.loads((folder / "dataset.json").read_bytes())[::4]
    lines = (folder / "methods.jsonl").read_text().splitlines()
    rows = {row["pairid"]: row for row in map(json.loads, lines)}
    pairs = [
        Pair(
            *(show_level(rows[rated_pair["pairid"]][side], "bare") for side in ("first", "second"))
        )
        for rated_pair in rated_pairs
    ]
    truth = [
        np.mean([rating["rating"] for rating in rated_pair["goals"] if rating["rating"] >= 0]) >= 1
        for rated_pair in rated_pairs
    ]
    for name, minimum in (("method-shape", 0.82), ("wl-kernel", 0.79), ("path-contexts", 0.75)):
        model = MAKE[name]()
        model.prepare(sorted({text for pair in pairs for text in (pair.left, pair.right)}))
        answers = [0.0 if answer is None else answer for answer in model.similarity(pairs)]
        assert roc_auc_score(truth, answers) > minimum, name
