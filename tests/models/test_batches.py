"""Questions that fail are answered by their errors, which hold nothing but what they say."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from codeacumen.models.adapters import ask_each


class Large:
    """What a model holds while it fails."""


def test_an_error_holds_nothing_that_was_in_memory() -> None:
    held: list[weakref.ref[Large]] = []

    def call(batch: Sequence[int]) -> list[int]:
        large = Large()
        held.append(weakref.ref(large))
        try:
            if 3 in batch:
                raise KeyError("three")
        except KeyError as error:
            raise ValueError("no answer") from error
        return [one + 1 for one in batch]

    found = ask_each(call, range(6), 4)
    assert found[:3] == [1, 2, 3]
    assert found[4:] == [5, 6]
    assert repr(found[3]) == "ValueError('no answer')"
    assert not any(one() for one in held)
