"""Words for names: what is a typo, what a case, what is replaced alike.

The dictionary is Hunspell's en_US; which words it knows was not decided here.
"""

from __future__ import annotations

import pytest

from codeacumen.renames.tags import is_typo, mass, of_names, substitution

# Common misspellings, from the list that Wikipedia keeps for machines.
MISSPELT = [
    ("acheive", "achieve"), ("begining", "beginning"), ("calender", "calendar"),
    ("definately", "definitely"), ("enviroment", "environment"), ("existance", "existence"),
    ("goverment", "government"), ("harrass", "harass"), ("independant", "independent"),
    ("neccessary", "necessary"), ("occurence", "occurrence"), ("persistant", "persistent"),
    ("recieve", "receive"), ("seperate", "separate"), ("succesful", "successful"),
    ("transfered", "transferred"), ("untill", "until"), ("wierd", "weird"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "right"), MISSPELT)
def test_misspellings_are_typos_in_one_direction(wrong: str, right: str) -> None:
    before, after = f"get{wrong.title()}Value", f"get{right.title()}Value"
    assert is_typo(before, after)
    assert not is_typo(after, before)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("read", "load"),
        ("getMin", "getMax"),
        ("addItem", "addItems"),
        ("a", "b"),
        ("", ""),
        ("calcSum", "calculateSum"),
        ("parse", "parsed"),
        ("isOk", "isOn"),
        ("foo", "bar"),
        ("recieveAll", "sendAll"),
    ],
)
def test_other_words_are_no_typos(old: str, new: str) -> None:
    assert not is_typo(old, new)


@pytest.mark.parametrize(
    ("old", "new", "tags"),
    [
        ("getURL", "getUrl", ["case"]),
        ("get_name", "getName", ["case"]),
        ("setup", "setUp", ["case", "first-subtoken"]),
        ("getName", "fetchName", ["first-subtoken"]),
        ("getName", "getLabel", []),
        ("isEmtpy", "isEmpty", ["typo"]),
        ("_", "__", ["case"]),
    ],
)
def test_what_two_names_tell(old: str, new: str, tags: list[str]) -> None:
    assert of_names(old, new) == tags


def test_what_is_replaced() -> None:
    assert substitution("getUserName", "getAccountName") == (("user",), ("account",))
    assert substitution("name", "getName") == ((), ("get",))
    assert substitution("a", "a") == ((), ())
    assert substitution("getget", "get") == (("getget",), ("get",))


def test_mass_needs_as_many_of_one_kind() -> None:
    alike = [(f"get{word}", f"fetch{word}") for word in ("A", "B", "C")]
    assert mass([*alike, ("x", "y")], 3) == [True, True, True, False]
    assert mass(alike, 4) == [False] * 3
