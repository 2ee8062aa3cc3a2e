"""Tests of all signals together with the packaged background."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from codeacumen.api import CodeacumenError, Method, NamedMethod
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.background import load_shipped_background
from codeacumen.models.method_naming.combined import (
    SHARE_WRONG,
    CombinedNamingModel,
    compute_signals,
    find_far_words,
    find_name_topic,
)
from codeacumen.models.method_naming.facts import Facts, read_facts
from codeacumen.models.method_naming.model import make_antipatterns, make_naming
from codeacumen.models.method_naming.shapes import join_camel_case

CLASS = """
package p;
class Account {
    private String owner; private long balance; private boolean open; private int limit;
    String getOwner() { return owner; }
    void %s(String owner) { this.owner = owner; }
    long getBalance() { return balance; }
    void setBalance(long balance) { this.balance = balance; }
    boolean isOpen() { return open; }
    void setOpen(boolean open) { this.open = open; }
    int getLimit() { return limit; }
    void setLimit(int limit) { this.limit = limit; }
    @Override public String toString() { return owner + balance; }
}
"""


def extract_methods(setter: str) -> list[Facts]:
    return read_facts(JavaFile((CLASS % setter).encode()), "Account.java")


@pytest.fixture(scope="module")
def combined() -> CombinedNamingModel:
    return CombinedNamingModel(load_shipped_background())


def test_setter_named_get_is_reported_with_right_suggestion(combined: CombinedNamingModel) -> None:
    facts = extract_methods("getOwnerOf")
    combined.learn_methods(facts)
    verdicts = combined.assess_methods(facts)
    setter_verdict = verdicts[1]
    assert setter_verdict is not None
    others = [verdict.wrong for verdict in verdicts[2:] if verdict is not None]
    assert setter_verdict.wrong > 0.9
    assert max(others, default=0) < 0.3
    assert setter_verdict.suggestions[0].name == "setOwnerOf"
    assert setter_verdict.evidence
    assert all(finding.weight > 0 and finding.text for finding in setter_verdict.evidence)


def test_right_names_are_not_reported(combined: CombinedNamingModel) -> None:
    facts = extract_methods("setOwner")
    verdicts = CombinedNamingModel(load_shipped_background()).assess_methods(facts)
    assert all(verdict is None or verdict.wrong < 0.5 for verdict in verdicts)


def test_overriding_method_is_not_judged(combined: CombinedNamingModel) -> None:
    facts = extract_methods("setOwner")
    index = next(i for i, method in enumerate(facts) if method.overrides)
    assert combined.assess_methods(facts)[index] is None


def test_odds_are_weighted_sum_of_signals(combined: CombinedNamingModel) -> None:
    """The expected value is computed by a second implementation in plain numbers."""
    for method_signals in compute_signals(
        extract_methods("drop"), combined.background, combined.conventions
    ):
        weights = combined.background.combination
        expected = math.log(SHARE_WRONG / (1 - SHARE_WRONG)) + weights["always"]
        for name, value in method_signals.values.items():
            expected += weights.get(name, 0.0) * value
        assert combined.compute_log_odds(method_signals) == pytest.approx(expected)
        assert combined.compute_fitness(method_signals) == pytest.approx(
            1 / (1 + math.exp(expected))
        )


def test_verdict_does_not_depend_on_its_batch(combined: CombinedNamingModel) -> None:
    facts = extract_methods("fetchOwner")
    verdicts = combined.assess_methods(facts)
    assert [combined.assess_methods([method])[0] for method in facts] == verdicts


def test_background_without_weights_is_refused() -> None:
    with pytest.raises(CodeacumenError, match="has no weights of the signals"):
        CombinedNamingModel(replace(load_shipped_background(), combination={}))


def test_far_words_occur_nowhere_near_the_method() -> None:
    setter = extract_methods("setOwner")[0]
    assert find_far_words(setter.with_name("getOwnerTelephone")) == ["telephone"]
    assert find_far_words(setter.with_name("getAccountOwner")) == []


def test_topic_of_accessors() -> None:
    background = load_shipped_background()
    getter, setter = extract_methods("setOwner")[:2]
    assert find_name_topic(getter.with_name("getOwnerName"), background) == ["owner", "name"]
    assert find_name_topic(setter.with_name("set"), background) == ["owner"]
    assert join_camel_case(("is", "open")) == "isOpen"


def test_models_judge_and_name() -> None:
    text = "void METHOD_NAME(String title) { this.title = title; }"
    naming = make_naming()
    questions = [NamedMethod(Method("1", text), name) for name in ("setTitle", "getTitle")]
    right, wrong = naming.judge(questions)
    assert right > 0.5 > wrong
    assert naming.name([Method("1", text), Method("2", "no method")]) == ["setTitle", None]
    rules = make_antipatterns()
    right, wrong = rules.judge(questions)
    assert right == 1.0
    assert wrong < 0.5


@pytest.mark.parametrize("text", ["", "\0", "{" * 5000, "int x;", "void f(", "\ud800"])
def test_any_text_is_supported(text: str) -> None:
    questions = [NamedMethod(Method("1", text), "name")]
    assert make_naming().judge(questions) == [None]
    assert make_antipatterns().judge(questions) == [None]
