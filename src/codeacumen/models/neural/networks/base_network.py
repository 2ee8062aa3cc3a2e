"""The parts that codeacumen-base's network is made of: its encoder, and what says names.

Shapes: n examples, l parts of a sequence, t parts of an answer, d dimensions, h heads.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from codeacumen.models.neural.architecture import Batch, Network
from codeacumen.models.neural.inputs.base import DEEPEST, Asks
from codeacumen.models.neural.inputs.base_nulls import MARKS
from codeacumen.models.neural.networks.base import CLASSES, Base, Settings
from codeacumen.models.neural.networks.layers import layer_precision, mask_of

# Kinds of segments: <s>, the method, </s>, its surroundings.
OWN = 1
_RELATIONS = 4
_TINY = 1e-9
# How far apart variants and other methods are told: SimCLR's temperature.
_SHARP = 0.07


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
                & (depth[:, :, None] > depth[:, None])
                & both,
                own[:, :, None] != own[:, None],
            )
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
            width,
            settings.heads,
            settings.inner,
            settings.dropout,
            "gelu",
            batch_first=True,
            norm_first=True,
        )
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
            given,
            read.states,
            tgt_mask=later,
            tgt_is_causal=True,
            memory_key_padding_mask=~read.mask,
        )
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


# ---------------------------------------------------------------- the network


class BaseNetwork(nn.Module, Network):
    def __init__(self, architecture: Base) -> None:
        super().__init__()
        self.settings, self.subwords = architecture.settings, architecture.subwords
        width, parts = self.settings.width, len(self.subwords)
        known = architecture.vocabularies
        self.encoder = Encoder(self.settings, parts, len(known["roles"]), len(known["shapes"]))
        self.guess = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
        self.guess_bias = nn.Parameter(torch.zeros(parts))
        self.classes = nn.Sequential(
            nn.Linear(2 * width, width),
            nn.GELU(),
            nn.Dropout(self.settings.dropout),
            nn.Linear(width, len(CLASSES)),
        )
        kinds = torch.tensor([int(kind) for kind, _ in CLASSES])
        self.register_buffer("kinds", kinds, persistent=False)
        self.kinds: Tensor
        self.point, self.pointed = nn.Linear(width, width), nn.Linear(width, width)
        self.choose, self.offered = nn.Linear(width, width), nn.Linear(width, width)
        self.offers = nn.Linear(width, 1)
        self.decoder = CopyDecoder(self.settings, parts)
        self.share = 1.0

    def at(self, share: float) -> None:
        self.share = share

    # ---------------------------------------------------------------- what was read

    def read(self, batch: Batch, shown: Tensor | None = None) -> Read:
        """All sequences of a batch: those of its examples, and in training behind them variants of
        some (of the examples ``varied``), since what is read together is read faster."""
        mask = mask_of(batch["sizes"], batch["parts"].shape[1])
        return Read(self.encoder(batch, shown), mask, batch["parts"])

    def place(self, read: Read) -> Tensor:
        """The state at what is masked, or at the name that is asked for, or at <s>; (n, d)."""
        asked = 2 * (read.parts == self.subwords.mask) + 1 * (read.parts == self.subwords.name)
        where = (asked * read.mask).argmax(1)
        return read.states[torch.arange(len(where), device=where.device), where]

    def vector(self, batch: Batch) -> Tensor:
        return self._mean(self.read(batch), batch)

    def _mean(self, read: Read, batch: Batch) -> Tensor:
        own = ((batch["segment"] == OWN) & read.mask)[:, :, None]
        return (read.states * own).sum(1) / own.sum(1).clamp_min(1)

    # ---------------------------------------------------------------- learning

    def loss(self, batch: Batch) -> Tensor:
        if self.training and self.share < self.settings.pretrain:
            return self.guessing(batch)
        return self.answering(batch, self.read(batch))

    def guessing(self, batch: Batch) -> Tensor:
        """Pre-training: what was there where it is masked, and which variant is whose."""
        parts = batch["parts"]
        there = mask_of(batch["sizes"], parts.shape[1]) & (parts != self.subwords.begin)
        there[len(batch["asks"]) :] = False
        for special in self.subwords.specials:
            there &= parts != special
        chosen = there & (torch.rand(parts.shape, device=parts.device) < self.settings.masked)
        lot = torch.rand(parts.shape, device=parts.device)
        other = torch.randint(len(self.guess_bias), parts.shape, device=parts.device)
        shown = torch.where(chosen & (lot < 0.8), self.subwords.mask, parts)
        shown = torch.where(chosen & (lot >= 0.9), other, shown)
        read = self.read(batch, shown)
        scores = functional.linear(
            self.guess(read.states[chosen]), self.encoder.parts.weight, self.guess_bias
        )
        lost = functional.cross_entropy(scores.float(), parts[chosen], reduction="sum")
        lost = lost / max(1, len(scores))
        if "varied" in batch and self.settings.contrast and len(batch["varied"]) > 1:
            means = self._mean(read, batch)
            one, other = means[batch["varied"]], means[len(batch["asks"]) :]
            lost = lost + self.settings.contrast * self.contrast(one, other)
        return lost

    @staticmethod
    def contrast(one: Tensor, other: Tensor) -> Tensor:
        """How well each of some vectors is told to belong to its row of the others, both ways."""
        one, other = (functional.normalize(vectors.float(), dim=1) for vectors in (one, other))
        scores = one @ other.T / _SHARP
        own = torch.arange(len(scores), device=scores.device)
        both = functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)
        return both / 2

    def answering(self, batch: Batch, read: Read) -> Tensor:
        """Mean over the examples of what their answers cost."""
        asks, places = batch["asks"], self.place(read)
        place = places[: len(asks)]
        lost = place.new_zeros((), dtype=torch.float32)
        rows = torch.nonzero(batch["class"] >= 0)[:, 0]
        if len(rows):
            scores = self.class_scores(batch, read, place)[rows]
            lost = lost + functional.cross_entropy(scores, batch["class"][rows], reduction="sum")
        rows = torch.nonzero(asks == Asks.NULL)[:, 0]
        if len(rows):
            mine = {name: batch[name][rows] for name in ("name", "segment", "first", "named")}
            chances, names = self.pointing(mine, read.of(rows))
            hit = names == mine["named"][:, None]
            lost = lost - (chances * hit).sum(1).clamp_min(_TINY).log().sum()
        rows = torch.nonzero((asks == Asks.NAME) | (asks == Asks.CALL))[:, 0]
        if len(rows):
            lost = lost + self.saying(batch, read, places, rows)
        return lost / len(asks)

    def saying(self, batch: Batch, read: Read, places: Tensor, rows: Tensor) -> Tensor:
        """What the answers of some examples cost: they are said, or chosen. A variant is to be
        named as its method, which counts for half then, and what is said of both to be alike."""
        learned = "varied" in batch and self.settings.agree > 0
        varied = batch["varied"] if learned else rows[:0]
        behind = len(batch["asks"]) + torch.arange(len(varied), device=rows.device)
        # Methods and variants are said in one go.
        whose, sequences = torch.cat([rows, varied]), torch.cat([rows, behind])
        target = batch["target"][whose]
        there = mask_of(batch["target_size"][whose], target.shape[1])
        target = target.masked_fill(~there, 0)
        chances = self.decoder(
            self.encoder.parts.weight, places[sequences], target[:, :-1], read.of(sequences)
        )
        each = chances.gather(2, target[:, :, None])[..., 0].clamp_min(_TINY).log() * there
        many = len(rows)
        place = places[: len(batch["asks"])]
        told = self._or_chosen(batch, place, rows, each[:many].sum(1))
        if not len(varied):
            return -told.sum()
        held = torch.searchsorted(rows, varied)
        one, two = (part[there[many:]].clamp_min(_TINY) for part in (chances[held], chances[many:]))
        mean = ((one + two) / 2).log()
        apart = (one * (one.log() - mean)).sum() + (two * (two.log() - mean)).sum()
        # With a variant or without, a method counts as much: other tasks are not to be outweighed.
        both = (each[many:].sum(1) - told[held]).sum() / 2
        return self.settings.agree * apart - told.sum() - both

    # ---------------------------------------------------------------- the heads

    def class_scores(self, batch: Batch, read: Read, place: Tensor) -> Tensor:
        """(n, classes); those of other tasks are no answers."""
        shape = self.encoder.shape(batch["shape"].to(place.dtype))
        if not self.settings.structure:
            shape = torch.zeros_like(shape)
        scores: Tensor = self.classes(torch.cat([place, shape], 1)).float()
        return scores.masked_fill(self.kinds != batch["asks"][:, None], -torch.inf)

    def pointing(self, batch: Batch, read: Read) -> tuple[Tensor, Tensor]:
        """Chances (n, l) of the names that stand in a method, at each place, and of none at <s>;
        and which name that is, 0 for none."""
        start = read.states[:, 0]
        scores = (self.point(start)[:, None] * self.pointed(read.states)).sum(2).float()
        scores = scores / start.shape[1] ** 0.5
        names = batch["name"]
        named = (batch["segment"] == OWN) & (batch["first"] == 1) & (names > 0)
        may = named | (batch["segment"] == 0) & read.mask
        may[:, 1:] &= named[:, 1:]
        chances = scores.masked_fill(~may, -torch.inf).softmax(1)
        return chances, names.masked_fill(~may, -1)

    def _or_chosen(self, batch: Batch, place: Tensor, rows: Tensor, said: Tensor) -> Tensor:
        """The logarithm of how likely the answers of some examples are, which are said so likely,
        and may also be chosen."""
        gate, offered = self.offering(batch, place)
        chosen, gate = batch["chosen"][rows], gate[rows]
        told = (1 - gate).log() + said
        picked = torch.nonzero(chosen >= 0)[:, 0]
        if not len(picked):
            return told
        # Only where the answer is a candidate: a chance of nothing has no logarithm to learn by.
        mine = offered[rows[picked], chosen[picked]]
        both = torch.logaddexp(told[picked], (gate[picked] * mine).clamp_min(_TINY).log())
        return told.index_copy(0, picked, both)

    def offering(self, batch: Batch, place: Tensor) -> tuple[Tensor, Tensor]:
        """How likely the answer is one of the candidates, (n,), and each of them, (n, c)."""
        sizes = batch["candidate_size"]
        there = sizes > 0
        rows, parts = torch.nonzero(there)[:, 0], batch["candidates"][there]
        order = torch.arange(parts.shape[1], device=parts.device)
        # The first part of a name counts more than the last.
        weight = (1.0 / (1.0 + 0.5 * order)) * mask_of(sizes[there], parts.shape[1])
        table = self.encoder.parts.weight
        spelt = functional.embedding_bag(
            parts, table, mode="sum", per_sample_weights=weight.to(table.dtype)
        )
        near = (self.choose(place)[rows] * self.offered(spelt)).sum(1).float()
        near = near / place.shape[1] ** 0.5
        scores = near.new_full(sizes.shape, -1e4).masked_scatter(there, near)
        any_ = there.any(1)
        gate = self.offers(place)[:, 0].float().sigmoid() * any_
        return gate.clamp(0, 1 - 1e-4), scores.softmax(1) * there

    # ---------------------------------------------------------------- answering

    def predict(self, batch: Batch) -> list[list[int]]:
        read = self.read(batch)
        place, asks = self.place(read), batch["asks"].tolist()
        best = self.class_scores(batch, read, place).argmax(1).tolist()
        spoken = [at for at, one in enumerate(asks) if one in (Asks.NAME, Asks.CALL)]
        found: list[list[int]] = [[-1 - one] for one in best]
        for row in [at for at, one in enumerate(asks) if one == Asks.NULL]:
            found[row] = self._pointed(batch, read, row)
        if spoken:
            rows = torch.tensor(spoken, device=place.device)
            for row, said in zip(spoken, self._said(batch, read, place, rows), strict=True):
                found[row] = said
        return found

    def _pointed(self, batch: Batch, read: Read, row: int) -> list[int]:
        """The parts of the name with the largest chance, over all its places; [] for none."""
        one = {name: batch[name][row : row + 1] for name in ("name", "segment", "first", "parts")}
        chances, names = self.pointing(one, Read(*(part[row : row + 1] for part in read)))
        total: dict[int, float] = {}
        places: dict[int, int] = {}
        for at, (name, chance) in enumerate(
            zip(names[0].tolist(), chances[0].tolist(), strict=True)
        ):
            if name >= 0:
                total[name] = total.get(name, 0.0) + chance
                places.setdefault(name, at)
        best = max(total, key=lambda name: (total[name], -places[name]))
        if best == 0:
            return []
        start = places[best]
        ends = (one["first"][0] == 1) | ~read.mask[row]
        later = torch.nonzero(ends[start + 1 :])[:, 0].tolist()
        end = start + 1 + later[0] if later else len(ends)
        parts: list[int] = one["parts"][0, start:end].tolist()
        return parts

    def _said(self, batch: Batch, read: Read, place: Tensor, rows: Tensor) -> list[list[int]]:
        """The likeliest part at each step, until </s>; or a candidate, if that is likelier."""
        table, held, start = self.encoder.parts.weight, read.of(rows), place[rows]
        said = torch.zeros(len(rows), 0, dtype=torch.long, device=place.device)
        ended = torch.zeros(len(rows), dtype=torch.bool, device=place.device)
        sure = torch.zeros(len(rows), device=place.device)
        never = [one for one in self.subwords.specials if one != self.subwords.end]
        for step in range(self.settings.longest + 1):
            chances = self.decoder(table, start, said, held)[:, -1]
            chances[:, never if step else list(self.subwords.specials)] = 0.0
            top, best = chances.max(1)
            sure = sure + top.clamp_min(_TINY).log() * ~ended
            said = torch.cat([said, best[:, None]], 1)
            ended |= best == self.subwords.end
            if bool(ended.all()):
                break
        answers: list[list[int]] = said.tolist()
        gate, offered = self.offering(batch, place)
        if not offered.shape[1]:
            return answers
        top, best = offered[rows].max(1)
        better = (gate[rows] * top > (1 - gate[rows]) * sure.exp()).tolist()
        for at, row in enumerate(rows.tolist()):
            if better[at]:
                which = int(best[at])
                size = int(batch["candidate_size"][row, which])
                answers[at] = batch["candidates"][row, which, :size].tolist()
        return answers
