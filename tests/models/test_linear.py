"""Tests of classifiers on a training split. The labels follow from the tokens, so the right answer
is known."""

from __future__ import annotations

import contextlib
import io
import random
import subprocess
import sys

import pytest

from codeacumen.api import CodeacumenError, Example, Question
from codeacumen.models.lexer import classify_token, split_tokens
from codeacumen.models.linear import count_control_structures, extract_ngrams
from codeacumen.registry import make_model

CHOICES = ("<", "+", "!=", "=")
TEXTS = {
    "<": "void m() { for (int i = 0; i <MASK> %s; i++) { use(i); } }",
    "+": 'String m() { return "text" <MASK> %s; }',
    "!=": "void m() { if (%s <MASK> null) { use(); } }",
    "=": "void m() { int %s <MASK> 3; }",
}


def make_examples(count: int, seed: int) -> list[Example]:
    rng = random.Random(seed)
    examples = []
    for index in range(count):
        label = CHOICES[index % len(CHOICES)]
        name = "".join(rng.choices("abcdefgh", k=4))
        examples.append(Example(Question(TEXTS[label] % name, CHOICES), label))
    return examples


def compute_accuracy(reference: str, test_examples: list[Example]) -> float:
    model = make_model(reference).model
    model.fit(make_examples(80, 1))  # type: ignore[union-attr]
    answers = model.classify([example.input for example in test_examples])  # type: ignore[union-attr]
    return sum(
        answer == example.truth for answer, example in zip(answers, test_examples, strict=True)
    ) / len(test_examples)


@pytest.mark.parametrize("reference", ["bag-of-tokens", "ngrams", "ngrams:longest=1"])
def test_token_models_learn_labels_decided_by_tokens(reference: str) -> None:
    assert compute_accuracy(reference, make_examples(40, 2)) == 1.0


def test_ngrams_use_order_that_bag_of_tokens_loses() -> None:
    """Both texts have the same tokens, so only the order of the tokens separates them."""
    pairs = [("int m() { return a <MASK> b; } // %d", "+"), ("int m() { a <MASK> return b; }", "=")]
    train_examples = [Example(Question(text, ("+", "=")), label) for text, label in pairs * 5]
    questions = [example.input for example in train_examples[:2]]
    answers = {}
    for reference in ("bag-of-tokens", "ngrams"):
        model = make_model(reference).model
        model.fit(train_examples)  # type: ignore[union-attr]
        answers[reference] = model.classify(questions)  # type: ignore[union-attr]
    assert answers["ngrams"] == ["+", "="]
    assert len(set(answers["bag-of-tokens"])) == 1


def test_structure_model_learns_number_of_branches() -> None:
    def make_method(if_count: int) -> str:
        return "void m() { " + "if (a) { b(); } " * if_count + "}"

    labels = ("1", "2", "4", "8")
    train_examples = [
        Example(Question(make_method(if_count), labels), labels[if_count])
        for if_count in range(4)
        for _ in range(10)
    ]
    model = make_model("structure:trees=20").model
    model.fit(train_examples)  # type: ignore[union-attr]
    questions = [
        Question(make_method(if_count).replace("a", "other"), labels) for if_count in range(4)
    ]
    assert model.classify(questions) == list(labels)  # type: ignore[union-attr]
    nested = count_control_structures("void m() { if (a) { if (b) { c(); } } }")
    assert nested != count_control_structures("void m() { if (a) { c(); } if (b) { } }")


@pytest.mark.parametrize("reference", ["bag-of-tokens", "ngrams", "structure:trees=5"])
def test_answers_are_choices_seen_in_training_or_none(reference: str) -> None:
    model = make_model(reference).model
    questions = [Question(TEXTS["<"] % "n", CHOICES), Question("", ("x", "y"))]
    model.fit([])  # type: ignore[union-attr]
    assert model.classify(questions) == [None, None]  # type: ignore[union-attr]
    model.fit(make_examples(1, 0))  # type: ignore[union-attr]
    assert model.classify(questions) == ["<", None]  # type: ignore[union-attr]
    for label_count in (2, 12):  # a binary classifier has one score, not two
        model.fit(make_examples(label_count, 0))  # type: ignore[union-attr]
        answers = model.classify(questions)  # type: ignore[union-attr]
        assert answers[0] in CHOICES[:label_count]
        assert answers[1] is None


def test_answers_are_equal_in_another_process() -> None:
    code = (
        "from codeacumen.api import Example, Question\n"
        "from codeacumen.registry import make_model\n"
        "import random\n"
        "r = random.Random(4)\n"
        "text = lambda: ' '.join(r.choices('a b c d e f { } if'.split(), k=12))\n"
        "shown = [Example(Question(text(), ('x', 'y', 'z')), 'xyz'[i % 3]) for i in range(60)]\n"
        "asked = [Question(text(), ('x', 'y', 'z')) for _ in range(60)]\n"
        "for name in ('bag-of-tokens', 'ngrams', 'structure:trees=10'):\n"
        "    model = make_model(name).model\n"
        "    model.fit(shown)\n"
        "    print(model.classify(asked))\n"
    )
    own_output = io.StringIO()
    with contextlib.redirect_stdout(own_output):
        exec(code, {})
    # The hash seed differs from this process' unless PYTHONHASHSEED is 1 here too.
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1"},
    )
    assert own_output.getvalue() == process.stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<MASK>",
        "}{)(",
        '"',
        "'",
        "/*",
        "/*/*" * 5000,
        '"""',
        "<MASK>" * 50,
        "{" * 10_000,
        "größe \udcff \0",
        "a<MASK>b",
        '"a\\' * 3000,
    ],
)
def test_any_text_has_features(text: str) -> None:
    assert isinstance(extract_ngrams(text, 3), list)
    assert len(count_control_structures(text)) == len(count_control_structures("void m() {}"))


def test_lexer_splits_java_tokens() -> None:
    assert split_tokens("a<<=b>>>c -> x::y != 'c' \"s // no\" /* c */ 1_0L") == [
        "a",
        "<<=",
        "b",
        ">",
        ">",
        ">",
        "c",
        "->",
        "x",
        "::",
        "y",
        "!=",
        "'c'",
        '"s // no"',
        "1_0L",
    ]
    assert [
        classify_token(token) for token in ("if", "name", "3", '"s"', "'c'", "<MASK>", "+")
    ] == [
        "if",
        "name",
        "number",
        "text",
        "character",
        "<MASK>",
        "+",
    ]


@pytest.mark.parametrize(
    "reference", ["ngrams:longest=0", "ngrams:longest=x", "structure:trees=0", "structure:trees=a"]
)
def test_invalid_settings_are_refused(reference: str) -> None:
    with pytest.raises(CodeacumenError, match="cannot have"):
        make_model(reference)
