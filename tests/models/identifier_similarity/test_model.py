"""The model on a lexicon made by hand, with answers worked out by hand; any names; and, where it
is there, the lexicon that is shipped."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError, Pair, Similarity
from codeacumen.models.identifier_similarity.lexicon import FILE, arrays_of, packed
from codeacumen.models.identifier_similarity.model import Names, make_names
from codeacumen.registry import make_model

# The values are multiples of 1/255, and the vectors hold only -1, 0 and 1: nothing is rounded.
ARRAYS = arrays_of(
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
def names(tmp_path_factory: pytest.TempPathFactory) -> Names:
    file = tmp_path_factory.mktemp("lexicon") / "names.npz"
    file.write_bytes(packed(ARRAYS))
    return make_names(str(file))


def ask(names: Names, left: str, right: str, relation: str = "similar") -> float:
    there, back = names.similarity([Pair(left, right, relation), Pair(right, left, relation)])
    assert there == back
    return there


def test_synonyms_by_hand(names: Names) -> None:
    """The table says 0.8, which is (0.8 - 0.2) / 0.8 = 0.75 above the floor. The cosines are 1 and
    0. The two have no letter in common: spelling 0."""
    assert ask(names, "begin", "start") == pytest.approx((0.75 + 0.1 * (0.5 + 1) + 0) / 1.3)


def test_relatedness_by_hand(names: Names) -> None:
    """Weights: 1/2 for begin, 1/4 for start; both best partners are 0.8 close, and so is the
    mean."""
    expected = (0.8 + 0.5 + 1 + 0) / 4
    assert ask(names, "begin", "start", "related") == pytest.approx(expected)
    # No other word is for similarity.
    assert ask(names, "begin", "start", "whatever") == pytest.approx(expected)


def test_the_parts_of_an_answer_can_be_asked_for(names: Names) -> None:
    """By hand, as above: the best partner is 0.75 above the floor, 0.8 in all, the cosine 1/2."""
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
            assert ask(part, "begin", "start", relation) == pytest.approx(expected), answer
            assert ask(part, "begin", "begin", relation) == 1
    with pytest.raises(CodeacumenError, match="no answer 'best'"):
        make_names(str(names.file), answer="best")


def test_similar_in_context_is_similar(names: Names) -> None:
    both = ask(names, "begin", "end"), ask(names, "begin", "end", "similar in context")
    assert both[0] == both[1]


def test_a_word_without_a_partner_by_hand(names: Names) -> None:
    """begin has start, 0.8 close. index has nothing but start too, a pair that is not in the
    table: 0.25 + 0.5 times the cosine in text, which is 1, so 0.75. The weakest is 0.75.

    The sum of beginIndex in code is (1/2, 1/2), that of start (1/4, 0): cosine 1 / sqrt 2; in text
    (1/2, 1/2) and (0, 1/4), the same. No letter in common again."""
    weakest = (0.75 - 0.2) / 0.8
    expected = (weakest + 0.1 * (2**-0.5 + 1) + 0.1 * 0) / 1.3
    assert ask(names, "beginIndex", "start") == pytest.approx(expected)


def test_opposites_fall_below_the_floor_by_hand(names: Names) -> None:
    """0.2 is the floor itself: nothing is left but the ties. Cosines 0 and 1; four edits make end
    of begin (b, g, i go, d comes), and that of five letters."""
    assert ask(names, "begin", "end") == pytest.approx((0 + 0.1 * 1.5 + 0.1 * 0.2) / 1.3)


def test_looks_by_hand(names: Names) -> None:
    """No vectors, so the cosine is 0; floor 0.2, spelling as said."""
    for left, right, close, spelling in [
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
        expected = (max(close - 0.2, 0) / 0.8 + 0.1 * 1 + 0.1 * spelling) / 1.3
        assert ask(names, left, right) == pytest.approx(expected), (left, right)


def test_an_english_word_abbreviates_nothing(names: Names) -> None:
    """Letters in order, same first letter, both times; but end is in the dictionary."""
    assert ask(names, "enx", "eonox") > 0.6
    assert ask(names, "end", "eonod") < 0.3


def test_the_order_of_likeness(names: Names) -> None:
    order = [
        ("begin", "begin"),
        ("begin", "begins"),
        ("begin", "start"),
        ("begin", "end"),
    ]
    scores = [ask(names, *pair) for pair in order]
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_one_word_told_apart_tells_the_names_apart(names: Names) -> None:
    assert ask(names, "beginIndex", "endIndex") < ask(names, "beginIndex", "startIndex")
    assert ask(names, "widthBeginIndex", "widthEndIndex") < ask(names, "begin", "start")
    related = [ask(names, "beginIndex", other, "related") for other in ("endIndex", "width")]
    assert related[0] > related[1]


def test_what_is_left_out_changes_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    file.write_bytes(packed(ARRAYS))
    pair = Pair("beginWidths", "endWidth")
    whole, plain, mean = (
        make_names(str(file), **settings).similarity([pair])[0]
        for settings in ({}, {"shapes": False}, {"weakest": False})
    )
    assert mean > whole
    plural = Pair("zetas", "zeta")
    shaped, shapeless = (
        make_names(str(file), shapes=on).similarity([plural])[0] for on in (True, False)
    )
    assert shaped > shapeless
    assert plain <= whole


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
def test_any_names(names: Names, pairs: list[Pair]) -> None:
    scores = names.similarity(pairs)
    back = names.similarity([Pair(pair.right, pair.left, pair.relation) for pair in pairs])
    one_by_one = [names.similarity([pair])[0] for pair in pairs]
    assert scores == back == one_by_one
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


def test_long_names(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [Pair(a, b, "related") for a, b in itertools.product(LONG, repeat=2)]
    scores = names.similarity(pairs)
    assert [score == 1 for score in scores] == [pair.left == pair.right for pair in pairs]
    # Memory is bounded by taking fewer pairs at a time, which changes nothing.
    monkeypatch.setattr("codeacumen.models.identifier_similarity.model._AT_ONCE", 100)
    assert names.similarity(pairs) == scores


def test_no_pairs(names: Names) -> None:
    assert names.similarity([]) == []


def test_a_missing_lexicon_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no lexicon"):
        make_names(str(tmp_path / "names.npz"))


def test_it_is_made_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    file.write_bytes(packed(ARRAYS))
    made = make_model(f"codeacumen-names:lexicon={file},weakest=false")
    assert isinstance(made.model, Names)
    assert isinstance(made.model, Similarity)
    assert not made.model.weakest


def test_another_lexicon_is_another_model(tmp_path: Path) -> None:
    made = []
    for floor in (0.1, 0.2):
        file = tmp_path / f"{floor}.npz"
        file.write_bytes(packed(arrays_of({"a": 0.1}, floor=floor)))
        made.append(make_names(str(file)).fingerprint)
    assert made[0] != made[1]


# ---------------------------------------------------------------------------------------
# The lexicon that is shipped. The words are ours, none of IdBench's pairs.
# ---------------------------------------------------------------------------------------

# fmt: off
SYNONYMS = [("halt", "stop"), ("delete", "remove"), ("create", "make"), ("choose", "select"),
            ("picture", "image"), ("finish", "end"), ("error", "mistake"), ("big", "large")]
OPPOSITES = [("min", "max"), ("open", "close"), ("push", "pop"), ("enable", "disable"),
             ("before", "after"), ("source", "target"), ("first", "last"), ("read", "write")]
# fmt: on


@pytest.fixture(scope="module")
def shipped() -> Names:
    if not FILE.is_file():
        pytest.skip("there is no lexicon yet")
    return make_names()


def mean(names: Names, pairs: list[tuple[str, str]], relation: str) -> float:
    scores = names.similarity([Pair(a, b, relation) for a, b in pairs])
    return sum(scores) / len(scores)


def test_opposites_are_less_similar_than_synonyms(shipped: Names) -> None:
    assert mean(shipped, OPPOSITES, "similar") < mean(shipped, SYNONYMS, "similar") - 0.1
    assert ask(shipped, "min", "max") < ask(shipped, "halt", "stop")
    framed = [(f"{a}Node", f"{b}Node") for a, b in OPPOSITES]
    same = [(f"{a}Node", f"{b}Node") for a, b in SYNONYMS]
    assert mean(shipped, framed, "similar") < mean(shipped, same, "similar") - 0.1


def test_opposites_are_related_and_strangers_are_not(shipped: Names) -> None:
    """Strangers: the same words, in pairs nobody would make."""
    words = [word for pair in OPPOSITES + SYNONYMS for word in pair]
    random.Random(1).shuffle(words)
    strangers = list(itertools.pairwise(words))
    related = mean(shipped, OPPOSITES, "related")
    assert related > mean(shipped, strangers, "related") + 0.05
    assert mean(shipped, SYNONYMS, "similar") > mean(shipped, strangers, "similar") + 0.1


def test_abbreviations_plurals_and_compounds(shipped: Names) -> None:
    for left, right, stranger in [
        ("btn", "button", "canvas"),
        ("msgText", "messageText", "messageCount"),
        ("rows", "row", "column"),
        ("mousedown", "mouseDown", "mouseUp"),
    ]:
        assert ask(shipped, left, right) > ask(shipped, left, stranger), left
