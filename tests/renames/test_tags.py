"""Tests of the tags of renames by their names: typos, changes of case, and mass renames.

The dictionary is Hunspell's en_US, which is independent of this project.
"""

from __future__ import annotations

import pytest

from codeacumen.renames.tags import find_replaced_words, is_typo, mark_mass_renames, tag_names

# Common misspellings from Wikipedia's machine-readable list.
MISSPELLINGS = [
    ("acheive", "achieve"), ("begining", "beginning"), ("calender", "calendar"),
    ("definately", "definitely"), ("enviroment", "environment"), ("existance", "existence"),
    ("goverment", "government"), ("harrass", "harass"), ("independant", "independent"),
    ("neccessary", "necessary"), ("occurence", "occurrence"), ("persistant", "persistent"),
    ("recieve", "receive"), ("seperate", "separate"), ("succesful", "successful"),
    ("transfered", "transferred"), ("untill", "until"), ("wierd", "weird"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "right"), MISSPELLINGS)
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
def test_other_changes_are_not_typos(old: str, new: str) -> None:
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
def test_tags_of_two_names(old: str, new: str, tags: list[str]) -> None:
    assert tag_names(old, new) == tags


def test_substituted_subtokens() -> None:
    assert find_replaced_words("getUserName", "getAccountName") == (("user",), ("account",))
    assert find_replaced_words("name", "getName") == ((), ("get",))
    assert find_replaced_words("a", "a") == ((), ())
    assert find_replaced_words("getget", "get") == (("getget",), ("get",))


def test_mass_needs_a_minimum_of_equal_substitutions() -> None:
    equal_renames = [(f"get{word}", f"fetch{word}") for word in ("A", "B", "C")]
    assert mark_mass_renames([*equal_renames, ("x", "y")], 3) == [True, True, True, False]
    assert mark_mass_renames(equal_renames, 4) == [False] * 3
