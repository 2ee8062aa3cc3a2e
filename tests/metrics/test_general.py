"""Tests of character BLEU. Oracle: nltk's sentence BLEU with its first smoothing, on random names
and on names of the Java platform's API."""

from __future__ import annotations

import random
import re

import pytest

from codeacumen import metrics
from codeacumen.metrics.general import compute_character_bleu
from support import take_every

LETTERS = "abAB_é𝒳"
WORDS = re.findall(
    r"[A-Z]?[a-z]+",
    """get set is add remove index of name value next previous read write line buffer to string
    hash code equals compare size length clear contains put all each if absent compute merge key
    entry iterator stream map filter reduce collect open close flush reset mark skip available""",
)


def nltk_bleu(truth: str, answer: str) -> float:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nltk warns about n-gram orders without a match
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        smoothing = SmoothingFunction().method1
        return float(sentence_bleu([list(truth)], list(answer), smoothing_function=smoothing))


def make_name(rng: random.Random) -> str:
    words = rng.choices(WORDS, k=rng.randint(1, 4))
    return words[0] + "".join(word.capitalize() for word in words[1:])


def make_pairs_of_names(count: int) -> list[tuple[str, str]]:
    rng = random.Random(3)
    pairs = [(make_name(rng), make_name(rng)) for _ in range(count)]
    # Names that share most of their words, like a model's answers.
    near = [(truth, truth[: rng.randint(1, len(truth))] + make_name(rng)) for truth, _ in pairs]
    return pairs + near


def make_pairs_of_letters(count: int) -> list[tuple[str, str]]:
    rng = random.Random(5)

    def make_text() -> str:
        return "".join(rng.choices(LETTERS, k=rng.randint(0, 7)))

    return [(make_text() or "a", make_text()) for _ in range(count)]


@pytest.mark.parametrize(
    "pairs", [make_pairs_of_names(8000), make_pairs_of_letters(16000)], ids=["names", "letters"]
)
def test_character_bleu_equals_nltk(pairs: list[tuple[str, str]]) -> None:
    for truth, answer in take_every(pairs):
        assert compute_character_bleu(truth, answer) == pytest.approx(
            nltk_bleu(truth, answer), rel=1e-12, abs=1e-15
        ), (truth, answer)


def test_correct_short_names_score_below_one_like_in_nltk() -> None:
    for truth in ("a", "to", "add"):
        assert compute_character_bleu(truth, truth) == pytest.approx(
            nltk_bleu(truth, truth), rel=1e-12
        )
        assert compute_character_bleu(truth, truth) < 1
    assert compute_character_bleu("read", "read") == 1.0


def test_missing_answer_scores_zero() -> None:
    metric = metrics.character_bleu
    assert metric.observe("getName", "getName") == (1.0,)
    assert metric.observe("getName", "") == (0.0,)
    assert metric.unanswered == (0.0,)
    assert not metric.proportion
    with pytest.raises(TypeError):
        metric.observe("getName", 3)
