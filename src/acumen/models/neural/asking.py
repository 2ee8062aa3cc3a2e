"""Asking a network: inputs in, answers or vectors out, whatever else is asked beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from acumen.models.neural.architecture import Architecture, Encoded, Features
from acumen.models.neural.batches import by_length
from acumen.models.neural.tensors import ragged


def answers(
    architecture: Architecture, network: Any, features: Sequence[Features | None],
    *, batch: int = 64, device: str = "cpu",
) -> list[str | None]:  # fmt: skip
    """In words; None where there was nothing to read."""
    found: list[str | None] = [None] * len(features)
    for place, said in _each(architecture, features, network.predict, batch, device):
        found[place] = architecture.answer(said)
    return found


def vectors(
    architecture: Architecture, network: Any, features: Sequence[Features | None],
    *, batch: int = 64, device: str = "cpu",
) -> list[list[float] | None]:  # fmt: skip
    found: list[list[float] | None] = [None] * len(features)

    def rows(tensors: Any) -> list[list[float]]:
        made: list[list[float]] = network.vector(tensors).float().tolist()
        return made

    for place, row in _each(architecture, features, rows, batch, device):
        found[place] = row
    return found


def _each(
    architecture: Architecture, features: Sequence[Features | None],
    ask: Callable[[Any], Sequence[Any]], batch: int, device: str,
) -> list[tuple[int, Any]]:  # fmt: skip
    there = [(place, one) for place, one in enumerate(features) if one is not None]
    encoded: list[Encoded] = [architecture.encode(one) for _, one in there]
    found: list[tuple[int, Any]] = []
    if not encoded:
        return found
    lengths = architecture.length(ragged(encoded))

    def asked(rows: list[int]) -> Sequence[Any]:
        tensors = architecture.collate(ragged([encoded[at] for at in rows]))
        try:
            return ask({name: tensor.to(device) for name, tensor in tensors.items()})
        except torch.cuda.OutOfMemoryError:
            if len(rows) == 1:
                raise
        # Others may have filled a GPU: what is kept here for later is given back, and less asked
        # for at a time. An answer does not hang on what is asked beside it.
        torch.cuda.empty_cache()
        middle = len(rows) // 2
        return [*asked(rows[:middle]), *asked(rows[middle:])]

    with torch.inference_mode():
        for rows in by_length(lengths, batch):
            made = asked(rows.tolist())
            found += [(there[at][0], one) for at, one in zip(rows.tolist(), made, strict=True)]
    return found
