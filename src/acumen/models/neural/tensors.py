"""Columns of numbers as tensors: filled up with zeros to the longest of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from acumen.api import AcumenError
from acumen.lang.columns import Ragged
from acumen.models.neural.architecture import Encoded

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Batch


def ragged(rows: Sequence[Encoded]) -> dict[str, Ragged]:
    """Some examples as columns."""
    names = list(rows[0]) if rows else []
    found = {}
    for name in names:
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row[name]) for row in rows], out=offsets[1:])
        found[name] = Ragged(np.concatenate([row[name] for row in rows]), offsets)
    return found


def filled(
    values: NDArray[np.int32], offsets: NDArray[np.int64], most: int | None = None
) -> NDArray[np.int64]:
    """A row for each list, as wide as the longest, or as ``most``; zeros behind."""
    lengths = np.diff(offsets)
    if most is not None:
        lengths = np.minimum(lengths, most)
    width = max(1, int(lengths.max(initial=0)))
    inside = np.arange(width) < lengths[:, None]
    made = np.zeros(inside.shape, np.int64)
    starts = np.repeat(offsets[:-1], lengths)
    ends = np.cumsum(lengths)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    made[inside] = values[starts + within]
    return made


def padded(columns: Mapping[str, Ragged]) -> Batch:
    """``name`` is the tensor of a column, ``name_size`` how long each of its lists is."""
    batch: Batch = {}
    for name, column in columns.items():
        batch[name] = torch.from_numpy(filled(column.values, column.offsets))
        batch[f"{name}_size"] = torch.from_numpy(np.diff(column.offsets))
    return batch


def mask_of(sizes: torch.Tensor, width: int) -> torch.Tensor:
    """True where there is something, shape (n, width)."""
    return torch.arange(width, device=sizes.device) < sizes[:, None]


def layer_precision(given: torch.Tensor) -> torch.dtype:
    """The one that layers compute in: lower than what they are given, where precision is mixed."""
    kind = given.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else given.dtype


def device_of(wanted: str) -> str:
    """Where to compute: ``auto`` is a GPU where there is one."""
    if wanted not in ("auto", "cpu", "cuda"):
        raise AcumenError(f"there is no device {wanted!r}", "choose of auto, cpu, cuda")
    here = torch.cuda.is_available()
    if wanted == "cuda" and not here:
        raise AcumenError("torch finds no GPU here", "leave the device to auto, or name cpu")
    if wanted == "auto":
        wanted = "cuda" if here else "cpu"
    if wanted == "cuda":
        # cuDNN plans its attention anew for every shape, and hardly two of our batches have the
        # same: a decoder's step took three times as long.
        torch.backends.cuda.enable_cudnn_sdp(False)
        # Products of matrices in TF32, as cuDNN's layers take them anyway: ten bits of mantissa
        # are as many as half precision has, and all bits of it are several times slower.
        torch.set_float32_matmul_precision("high")
    return wanted
