from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.lang.subtokens import subtokens


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("length", ["length"]),
        ("maxLineLength", ["max", "Line", "Length"]),
        ("XMLHttpRequest", ["XML", "Http", "Request"]),
        ("parseXML", ["parse", "XML"]),
        ("tag_h4", ["tag", "h4"]),
        ("utf8Decode", ["utf8", "Decode"]),
        ("MAX_VALUE", ["MAX", "VALUE"]),
        ("__proto__", ["proto"]),
        ("$scope", ["scope"]),
        ("this$0", ["this", "0"]),
        ("aB", ["a", "B"]),
        ("größeÄndern", ["größe", "Ändern"]),
        ("_", []),
        ("", []),
    ],
)
def test_rules(identifier: str, expected: list[str]) -> None:
    assert list(subtokens(identifier)) == expected


@given(st.text(max_size=40))
def test_every_letter_and_digit_is_kept_in_order(identifier: str) -> None:
    kept = "".join(char for char in identifier if char.isalnum())
    assert "".join(subtokens(identifier)) == kept
