"""The parts that acumen-base's network is made of: its encoder, and what says names.

Shapes: n examples, l parts of a sequence, t parts of an answer, d dimensions, h heads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from acumen.models.neural.base_input import DEEPEST
from acumen.models.neural.base_nulls import MARKS
from acumen.models.neural.tensors import layer_precision, mask_of

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Batch
    from acumen.models.neural.base import Settings

# Kinds of segments: <s>, the method, </s>, its surroundings.
OWN = 1
_RELATIONS = 4


class Block(nn.Module):
    """A layer of a transformer, normalised before each of its parts."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        width = settings.width
        self.heads, self.dropout = settings.heads, settings.dropout
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.given, self.seen = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner, self.outer = nn.Linear(width, settings.inner), nn.Linear(settings.inner, width)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        n, width, d = states.shape
        query, key, value = (
            one.view(n, width, self.heads, d // self.heads).transpose(1, 2)
            for one in self.given(self.before(states)).chunk(3, dim=2)
        )
        drop = self.dropout if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, dropout_p=drop
        )
        seen = self.seen(seen.transpose(1, 2).reshape(n, width, d))
        states = states + functional.dropout(seen, self.dropout, self.training)
        inner = self.outer(functional.gelu(self.inner(self.between(states))))
        return states + functional.dropout(inner, self.dropout, self.training)


class Encoder(nn.Module):
    """What all tasks share. ``relate`` is how much each relation of two parts counts, by head."""

    def __init__(self, settings: Settings, parts: int, roles: int, shapes: int) -> None:
        super().__init__()
        self.settings, width = settings, settings.width
        self.parts = nn.Embedding(parts, width)
        self.places = nn.Embedding(settings.length + settings.around + 2, width)
        self.segments, self.firsts = nn.Embedding(4, width), nn.Embedding(2, width)
        self.roles, self.depths = nn.Embedding(roles, width), nn.Embedding(DEEPEST + 1, width)
        self.flags = nn.Embedding(len(MARKS), width)
        self.shape = nn.Sequential(
            nn.Linear(shapes, width), nn.GELU(), nn.Linear(width, width), nn.LayerNorm(width)
        )
        self.relate = nn.Parameter(torch.zeros(_RELATIONS, settings.heads))
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.layers))
        self.last = nn.LayerNorm(width)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)

    def forward(self, batch: Batch, shown: Tensor | None = None) -> Tensor:
        """The states, (n, l, d); ``shown`` are the parts, where some are masked."""
        parts = batch["parts"] if shown is None else shown
        given = self.parts(parts) + self.places(batch["place"]) + self.segments(batch["segment"])
        given = given + self.firsts(batch["first"])
        if self.settings.structure:
            given = given + self.roles(batch["role"]) + self.depths(batch["depth"])
        if self.settings.context:
            given = given + self.flags(batch["flag"])
        given = functional.dropout(self.norm(given), self.settings.dropout, self.training)
        # In the precision of the layers: it is large, and each of them reads it.
        bias = self.bias(batch, layer_precision(given))
        for block in self.blocks:
            given = block(given, bias)
        made: Tensor = self.last(given)
        return made

    def bias(self, batch: Batch, dtype: torch.dtype) -> Tensor:
        """(n, h, l, l): what is added to the attention of one part to another."""
        there = mask_of(batch["sizes"], batch["parts"].shape[1])
        name, statement, depth = batch["name"], batch["statement"], batch["depth"]
        made = torch.zeros(1, 1, 1, 1, device=name.device, dtype=dtype)
        if self.settings.structure:
            same = name[:, :, None] == name[:, None]
            inside = statement[:, :, None] == statement[:, None]
            own = batch["segment"] == OWN
            both = own[:, :, None] & own[:, None]
            relations = (
                same & (name != 0)[:, None],
                inside & both,
                # Statements are numbered as they are met, so what is nested follows.
                (statement[:, :, None] > statement[:, None])
                & (depth[:, :, None] > depth[:, None]) & both,
                own[:, :, None] != own[:, None],
            )  # fmt: skip
            # Not a product of matrices: that is as slow as its sides of four and eight are short.
            for weight, holds in zip(self.relate.to(dtype), relations, strict=True):
                made = made + weight[:, None, None] * holds[:, None]
        return made.masked_fill(~there[:, None, None], -1e4)


class CopyDecoder(nn.Module):
    """Says an answer part by part, each from all that are known or copied from what was read."""

    def __init__(self, settings: Settings, parts: int) -> None:
        super().__init__()
        width = settings.width
        self.longest = settings.longest
        self.positions = nn.Embedding(settings.longest + 1, width)
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(settings.dropout)
        layer = nn.TransformerDecoderLayer(
            width, settings.heads, settings.inner, settings.dropout, "gelu", batch_first=True,
            norm_first=True,
        )  # fmt: skip
        self.layers = nn.TransformerDecoder(layer, settings.decoder, nn.LayerNorm(width))
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
        self.bias = nn.Parameter(torch.zeros(parts))
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(self, table: Tensor, place: Tensor, said: Tensor, read: Read) -> Tensor:
        """Chances (n, t + 1, v) of what comes after ``place`` (n, d), and after each ``said``."""
        given = torch.cat([place[:, None], functional.embedding(said, table)], 1)
        steps = given.shape[1]
        given = self.dropout(self.norm(given + self.positions.weight[:steps]))
        later = torch.ones(steps, steps, dtype=torch.bool, device=said.device).triu(1)
        # Told that it is: to find out, torch would wait for the GPU.
        seen = self.layers(
            given, read.states, tgt_mask=later, tgt_is_causal=True,
            memory_key_padding_mask=~read.mask,
        )  # fmt: skip
        named = (functional.linear(seen, table) + self.bias).float().softmax(2)
        looked = self.query(seen) @ self.key(read.states).transpose(1, 2)
        looked = looked.float() / seen.shape[2] ** 0.5
        looked = looked.masked_fill(~read.mask[:, None], -torch.inf).softmax(2)
        gate = self.gate(seen).float().sigmoid()
        where = read.parts[:, None].expand(-1, steps, -1)
        return (gate * named).scatter_add(2, where, (1 - gate) * looked)


class Read(NamedTuple):
    """What was read: states (n, l, d), where there is something, and the parts."""

    states: Tensor
    mask: Tensor
    parts: Tensor

    def of(self, rows: Tensor) -> Read:
        return Read(self.states[rows], self.mask[rows], self.parts[rows])
