"""All signals together, with the background that comes with the package."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from codeacumen.api import CodeacumenError, Method, NamedMethod
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.models.method_naming.background import shipped
from codeacumen.models.method_naming.combined import (
    SHARE_WRONG,
    Combined,
    far_words,
    signals,
    topic,
)
from codeacumen.models.method_naming.facts import Facts, facts_of
from codeacumen.models.method_naming.model import make_antipatterns, make_naming
from codeacumen.models.method_naming.shapes import joined

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


def methods(setter: str) -> list[Facts]:
    return facts_of(JavaFile((CLASS % setter).encode()), "Account.java")


@pytest.fixture(scope="module")
def combined() -> Combined:
    return Combined(shipped())


def test_a_setter_called_get_is_found_and_the_right_name_suggested(combined: Combined) -> None:
    facts = methods("getOwnerOf")
    combined.learn(facts)
    verdicts = combined.assess(facts)
    wrong = verdicts[1]
    assert wrong is not None
    others = [one.wrong for one in verdicts[2:] if one is not None]
    assert wrong.wrong > 0.9
    assert max(others, default=0) < 0.3
    assert wrong.suggestions[0].name == "setOwnerOf"
    assert wrong.evidence
    assert all(one.weight > 0 and one.text for one in wrong.evidence)


def test_a_right_name_is_left_alone(combined: Combined) -> None:
    facts = methods("setOwner")
    verdicts = Combined(shipped()).assess(facts)
    assert all(one is None or one.wrong < 0.5 for one in verdicts)


def test_what_a_supertype_named_is_not_judged(combined: Combined) -> None:
    facts = methods("setOwner")
    place = next(i for i, one in enumerate(facts) if one.overrides)
    assert combined.assess(facts)[place] is None


def test_odds_are_the_weighted_sum_of_signals(combined: Combined) -> None:
    """A second implementation, in plain numbers."""
    for seen in signals(methods("drop"), combined.background, combined.conventions):
        weights = combined.background.combination
        expected = math.log(SHARE_WRONG / (1 - SHARE_WRONG)) + weights["always"]
        for name, value in seen.values.items():
            expected += weights.get(name, 0.0) * value
        assert combined.odds(seen) == pytest.approx(expected)
        assert combined.fitness(seen) == pytest.approx(1 / (1 + math.exp(expected)))


def test_a_verdict_does_not_hang_on_its_company(combined: Combined) -> None:
    facts = methods("fetchOwner")
    together = combined.assess(facts)
    assert [combined.assess([one])[0] for one in facts] == together


def test_a_background_that_was_not_weighed_is_refused() -> None:
    with pytest.raises(CodeacumenError, match="what signals are worth"):
        Combined(replace(shipped(), combination={}))


def test_words_that_are_nowhere_near() -> None:
    one = methods("setOwner")[0]
    assert far_words(one.named("getOwnerTelephone")) == ["telephone"]
    assert far_words(one.named("getAccountOwner")) == []


def test_what_a_name_is_about() -> None:
    background = shipped()
    getter, setter = methods("setOwner")[:2]
    assert topic(getter.named("getOwnerName"), background) == ["owner", "name"]
    assert topic(setter.named("set"), background) == ["owner"]
    assert joined(("is", "open")) == "isOpen"


def test_models_judge_and_name() -> None:
    text = "void METHOD_NAME(String title) { this.title = title; }"
    naming = make_naming()
    asked = [NamedMethod(Method("1", text), name) for name in ("setTitle", "getTitle")]
    right, wrong = naming.judge(asked)
    assert right > 0.5 > wrong
    assert naming.name([Method("1", text), Method("2", "no method")]) == ["setTitle", None]
    rules = make_antipatterns()
    right, wrong = rules.judge(asked)
    assert right == 1.0
    assert wrong < 0.5


@pytest.mark.parametrize("text", ["", "\0", "{" * 5000, "int x;", "void f(", "\ud800"])
def test_any_text_is_survived(text: str) -> None:
    asked = [NamedMethod(Method("1", text), "name")]
    assert make_naming().judge(asked) == [None]
    assert make_antipatterns().judge(asked) == [None]
