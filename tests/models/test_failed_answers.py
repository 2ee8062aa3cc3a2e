"""Tests that a failed question is answered by its error, and that the error keeps nothing alive."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from codeacumen.models.adapters import ask_each


class Large:
    """Stands for a large object that a model holds while it fails."""


def test_error_answer_keeps_no_object_alive() -> None:
    references: list[weakref.ref[Large]] = []

    def answer_batch(batch: Sequence[int]) -> list[int]:
        large = Large()
        references.append(weakref.ref(large))
        try:
            if 3 in batch:
                raise KeyError("three")
        except KeyError as error:
            raise ValueError("no answer") from error
        return [number + 1 for number in batch]

    answers = ask_each(answer_batch, range(6), 4)
    assert answers[:3] == [1, 2, 3]
    assert answers[4:] == [5, 6]
    assert repr(answers[3]) == "ValueError('no answer')"
    assert not any(reference() for reference in references)
