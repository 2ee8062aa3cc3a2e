"""Tests of the model on a small lexicon with answers computed by hand, on any names, and on the
shipped lexicon if it is installed."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError, Pair, Similarity
from codeacumen.models.identifier_similarity.lexicon import FILE, pack_arrays
from codeacumen.models.identifier_similarity.model import IdentifierSimilarity, make_names
from codeacumen.registry import make_model
from lexicons import make_arrays

# The values are multiples of 1/255, and the vectors hold only -1, 0 and 1: nothing is rounded.
ARRAYS = make_arrays(
    {"begin": 0.001, "start": 0.003, "end": 0.001, "index": 0.001, "width": 0.001},
    english={"begin", "start", "end", "index", "width"},
    vectors={
        "begin": [1.0, 0.0, 1.0, 0.0],
        "start": [1.0, 0.0, 0.0, 1.0],
        "end": [0.0, 1.0, 1.0, 0.0],
        "index": [0.0, 1.0, 0.0, 1.0],
        "width": [-1.0, 0.0, 0.0, 1.0],
    },
    pairs={("begin", "start"): 204 / 255, ("begin", "end"): 51 / 255},
    fallback=(0.25, 0.0, 0.5),
    floor=0.2,
)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> IdentifierSimilarity:
    file = tmp_path_factory.mktemp("lexicon") / "names.npz"
    file.write_bytes(pack_arrays(ARRAYS))
    return make_names(str(file))


def score_pair(
    names: IdentifierSimilarity, left: str, right: str, relation: str = "similar"
) -> float:
    score, reverse_score = names.similarity(
        [Pair(left, right, relation), Pair(right, left, relation)]
    )
    assert score == reverse_score
    return score


def test_synonyms_by_hand(names: IdentifierSimilarity) -> None:
    """The table holds 0.8, which is (0.8 - 0.2) / 0.8 = 0.75 above the floor. The cosines are 1 and
    0. The words have no letter in common, so their spelling similarity is 0."""
    assert score_pair(names, "begin", "start") == pytest.approx((0.75 + 0.1 * (0.5 + 1) + 0) / 1.3)


def test_relatedness_by_hand(names: IdentifierSimilarity) -> None:
    """The weights are 1/2 for begin and 1/4 for start. Both best partners have similarity 0.8, so
    the mean is 0.8."""
    expected = (0.8 + 0.5 + 1 + 0) / 4
    assert score_pair(names, "begin", "start", "related") == pytest.approx(expected)
    # Any other relation is answered like relatedness.
    assert score_pair(names, "begin", "start", "whatever") == pytest.approx(expected)


def test_model_can_return_each_part_of_the_answer(names: IdentifierSimilarity) -> None:
    """The best partner is 0.75 above the floor and 0.8 in all; the cosine is 1/2 (see above)."""
    parts = {
        "similar": (0.75 + 0.15) / 1.3,
        "related": 2.3 / 4,
        "weakest": 0.75,
        "mean": 0.8,
        "cosine": 0.75,
    }
    for answer, expected in parts.items():
        part = make_names(str(names.file), answer=answer)
        for relation in ("similar", "related"):
            assert score_pair(part, "begin", "start", relation) == pytest.approx(expected), answer
            assert score_pair(part, "begin", "begin", relation) == 1
    with pytest.raises(CodeacumenError, match="no answer 'best'"):
        make_names(str(names.file), answer="best")


def test_similar_in_context_is_similar(names: IdentifierSimilarity) -> None:
    both = (
        score_pair(names, "begin", "end"),
        score_pair(names, "begin", "end", "similar in context"),
    )
    assert both[0] == both[1]


def test_word_without_partner_by_hand(names: IdentifierSimilarity) -> None:
    """The similarity of begin and start is 0.8. index has only start as a partner, and the table
    lacks this pair: 0.25 + 0.5 times the cosine in text, which is 1, is 0.75. So the weakest is
    0.75. The sum of beginIndex in code is (1/2, 1/2), that of start (1/4, 0): cosine 1 / sqrt 2; in
    text (1/2, 1/2) and (0, 1/4), the same. The words have no letter in common."""
    weakest = (0.75 - 0.2) / 0.8
    expected = (weakest + 0.1 * (2**-0.5 + 1) + 0.1 * 0) / 1.3
    assert score_pair(names, "beginIndex", "start") == pytest.approx(expected)


def test_opposites_fall_below_the_floor_by_hand(names: IdentifierSimilarity) -> None:
    """The table's 0.2 is the floor itself, so only the terms that break ties remain. The cosines
    are 0 and 1. Four edits turn begin into end (delete b, g and i, insert d), and the longer word
    has five letters."""
    assert score_pair(names, "begin", "end") == pytest.approx((0 + 0.1 * 1.5 + 0.1 * 0.2) / 1.3)


def test_spelling_rules_by_hand(names: IdentifierSimilarity) -> None:
    """The words have no vectors, so the cosine is 0. The floor is 0.2; the spelling similarity is
    given."""
    for left, right, similarity, spelling in [
        ("zeta", "zetas", 0.85, 4 / 5),  # plural
        ("zbox", "zboxes", 0.85, 4 / 6),
        ("quarry", "quarries", 0.85, 5 / 8),
        ("zfg", "zconfig", 0.85, 3 / 7),  # abbreviation
        ("7", "8", 0.35, 0),
        ("p", "q", 0.3, 0),
        ("p", "pqrs", 0.6, 1 / 4),
        ("p", "qqq", 0.2, 0),
        ("p", "8", 0.2, 0),
        ("pqr", "pqz", 0, 2 / 3),  # both unknown: below the floor
    ]:
        expected = (max(similarity - 0.2, 0) / 0.8 + 0.1 * 1 + 0.1 * spelling) / 1.3
        assert score_pair(names, left, right) == pytest.approx(expected), (left, right)


def test_english_word_is_not_an_abbreviation(names: IdentifierSimilarity) -> None:
    """Both have their letters in order and the same first letter, but end is in the dictionary."""
    assert score_pair(names, "enx", "eonox") > 0.6
    assert score_pair(names, "end", "eonod") < 0.3


def test_order_of_similarities(names: IdentifierSimilarity) -> None:
    order = [
        ("begin", "begin"),
        ("begin", "begins"),
        ("begin", "start"),
        ("begin", "end"),
    ]
    scores = [score_pair(names, *pair) for pair in order]
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_one_dissimilar_word_lowers_similarity_of_names(names: IdentifierSimilarity) -> None:
    assert score_pair(names, "beginIndex", "endIndex") < score_pair(
        names, "beginIndex", "startIndex"
    )
    assert score_pair(names, "widthBeginIndex", "widthEndIndex") < score_pair(
        names, "begin", "start"
    )
    related = [score_pair(names, "beginIndex", other, "related") for other in ("endIndex", "width")]
    assert related[0] > related[1]


def test_disabled_parts_change_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    file.write_bytes(pack_arrays(ARRAYS))
    pair = Pair("beginWidths", "endWidth")
    full, without_shapes, without_weakest = (
        make_names(str(file), **settings).similarity([pair])[0]
        for settings in ({}, {"shapes": False}, {"weakest": False})
    )
    assert without_weakest > full
    plural = Pair("zetas", "zeta")
    shaped, shapeless = (
        make_names(str(file), shapes=use_shapes).similarity([plural])[0]
        for use_shapes in (True, False)
    )
    assert shaped > shapeless
    assert without_shapes <= full


NAMES = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=12),
    st.lists(
        st.sampled_from(["begin", "Start", "END", "_", "2", "indexes", "é", "zz", "\ud800", "😀"]),
        max_size=6,
    ).map("".join),
)
RELATIONS = st.sampled_from(["similar", "related", "similar in context", ""])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.builds(Pair, NAMES, NAMES, RELATIONS), max_size=8))
def test_any_names_have_symmetric_scores_independent_of_the_batch(
    names: IdentifierSimilarity, pairs: list[Pair]
) -> None:
    scores = names.similarity(pairs)
    reverse_scores = names.similarity(
        [Pair(pair.right, pair.left, pair.relation) for pair in pairs]
    )
    single_scores = [names.similarity([pair])[0] for pair in pairs]
    assert scores == reverse_scores == single_scores
    for pair, score in zip(pairs, scores, strict=True):
        assert type(score) is float
        assert 0 <= score <= 1
        assert (score == 1) == (pair.left == pair.right)


LONG = [
    "",
    "aB" * 5000,
    "a" * 10_000,
    "Ab" * 5000,
    "\ud800" * 10_000,
    "é" * 10_000,
    "😀" * 3000,
    "x_" * 5000,
    "begin" * 2000,
    "end",
]


def test_long_names(names: IdentifierSimilarity, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [Pair(a, b, "related") for a, b in itertools.product(LONG, repeat=2)]
    scores = names.similarity(pairs)
    assert [score == 1 for score in scores] == [pair.left == pair.right for pair in pairs]
    # Smaller batches bound the memory and do not change the answers.
    monkeypatch.setattr("codeacumen.models.identifier_similarity.model._MAX_WORD_PAIRS", 100)
    assert names.similarity(pairs) == scores


def test_no_pairs(names: IdentifierSimilarity) -> None:
    assert names.similarity([]) == []


def test_missing_lexicon_is_reported_when_model_is_made(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no lexicon"):
        make_names(str(tmp_path / "names.npz"))


def test_registry_makes_model_by_name(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    file.write_bytes(pack_arrays(ARRAYS))
    loaded_model = make_model(f"codeacumen-names:lexicon={file},weakest=false")
    assert isinstance(loaded_model.model, IdentifierSimilarity)
    assert isinstance(loaded_model.model, Similarity)
    assert not loaded_model.model.weakest


def test_fingerprint_depends_on_lexicon(tmp_path: Path) -> None:
    fingerprints = []
    for floor in (0.1, 0.2):
        file = tmp_path / f"{floor}.npz"
        file.write_bytes(pack_arrays(make_arrays({"a": 0.1}, floor=floor)))
        fingerprints.append(make_names(str(file)).fingerprint)
    assert fingerprints[0] != fingerprints[1]


# ---------------------------------------------------------------------------------------
# The shipped lexicon. None of these pairs is in IdBench.
# ---------------------------------------------------------------------------------------

# fmt: off
SYNONYMS = [("halt", "stop"), ("delete", "remove"), ("create", "make"), ("choose", "select"),
            ("picture", "image"), ("finish", "end"), ("error", "mistake"), ("big", "large")]
OPPOSITES = [("min", "max"), ("open", "close"), ("push", "pop"), ("enable", "disable"),
             ("before", "after"), ("source", "target"), ("first", "last"), ("read", "write")]
# fmt: on


@pytest.fixture(scope="module")
def shipped() -> IdentifierSimilarity:
    if not FILE.is_file():
        pytest.skip("there is no lexicon yet")
    return make_names()


def mean_score(names: IdentifierSimilarity, pairs: list[tuple[str, str]], relation: str) -> float:
    scores = names.similarity([Pair(a, b, relation) for a, b in pairs])
    return sum(scores) / len(scores)


def test_opposites_are_less_similar_than_synonyms(shipped: IdentifierSimilarity) -> None:
    assert (
        mean_score(shipped, OPPOSITES, "similar") < mean_score(shipped, SYNONYMS, "similar") - 0.1
    )
    assert score_pair(shipped, "min", "max") < score_pair(shipped, "halt", "stop")
    framed_opposites = [(f"{a}Node", f"{b}Node") for a, b in OPPOSITES]
    framed_synonyms = [(f"{a}Node", f"{b}Node") for a, b in SYNONYMS]
    assert (
        mean_score(shipped, framed_opposites, "similar")
        < mean_score(shipped, framed_synonyms, "similar") - 0.1
    )


def test_opposites_are_related_and_random_pairs_are_not(shipped: IdentifierSimilarity) -> None:
    """Unrelated pairs are the same words in a random order."""
    words = [word for pair in OPPOSITES + SYNONYMS for word in pair]
    random.Random(1).shuffle(words)
    strangers = list(itertools.pairwise(words))
    related = mean_score(shipped, OPPOSITES, "related")
    assert related > mean_score(shipped, strangers, "related") + 0.05
    assert (
        mean_score(shipped, SYNONYMS, "similar") > mean_score(shipped, strangers, "similar") + 0.1
    )


def test_abbreviations_plurals_and_compounds(shipped: IdentifierSimilarity) -> None:
    for left, right, stranger in [
        ("btn", "button", "canvas"),
        ("msgText", "messageText", "messageCount"),
        ("rows", "row", "column"),
        ("mousedown", "mouseDown", "mouseUp"),
    ]:
        assert score_pair(shipped, left, right) > score_pair(shipped, left, stranger), left
