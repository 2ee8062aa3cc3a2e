"""The layers of Spot's CNN, and what it remembers: see ``spot_cnn``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from acumen.models.naming.spot import NAMED_BY, RANKS
from acumen.models.neural.architecture import Network
from acumen.models.neural.tensors import mask_of
from acumen.models.neural.vocabulary import UNKNOWN
from acumen.search.vectors import nearest_cosines, unit_rows

if TYPE_CHECKING:
    from acumen.models.neural.architecture import Batch
    from acumen.models.neural.spot_cnn import Settings


class SpotNetwork(nn.Module, Network):
    """``words`` are fixed. What is remembered is buffers too, as many as there were methods."""

    _REMEMBERED = ("features", "labels", "name_vectors", "drawn")

    def __init__(self, settings: Settings, words: int, length: int, names: int) -> None:
        super().__init__()
        self.settings, self.length = settings, length
        self.first = nn.Conv1d(settings.size, settings.maps, 2)
        self.second = nn.Conv1d(settings.maps, settings.second_maps, 2)
        left = ((length - 1) // 2 - 1) // 2
        self.dense = nn.Linear(settings.second_maps * left, settings.feature)
        self.out = nn.Linear(settings.feature, length * settings.size)
        for layer in (self.first, self.second, self.dense, self.out):
            nn.init.xavier_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.words: Tensor
        self.features: Tensor
        self.labels: Tensor
        self.name_words: Tensor
        self.name_vectors: Tensor
        self.drawn: Tensor
        size = settings.name_size
        self.register_buffer("words", torch.zeros(words, settings.size))
        self.register_buffer("features", torch.zeros(0, settings.feature, dtype=torch.float16))
        self.register_buffer("labels", torch.zeros(0, dtype=torch.int64))
        self.register_buffer("name_words", torch.zeros(names, size))
        self.register_buffer("name_vectors", torch.zeros(0, size, dtype=torch.float16))
        self.register_buffer("drawn", torch.zeros(0, dtype=torch.int64))

    def remember(self, features: Tensor, labels: Tensor, words: Tensor, drawn: Tensor) -> None:
        device = self.words.device
        self.features, self.labels = features.to(device), labels.to(device)
        self.name_words, self.drawn = words.to(device), drawn.to(device)

    def _load_from_state_dict(self, state: Any, prefix: str, *others: Any) -> None:
        """How much is remembered is known by what was saved."""
        for name in self._REMEMBERED:
            saved = state.get(prefix + name)
            if saved is not None:
                setattr(self, name, getattr(self, name).new_zeros(saved.shape))
        super()._load_from_state_dict(state, prefix, *others)

    # ---------------------------------------------------------------- the layers

    def embedded(self, batch: Batch) -> Tensor:
        """(n, L, size), zeros behind what there is."""
        tokens = batch["tokens"][:, : self.length]
        rows = self.words[tokens] * mask_of(batch["tokens_size"], tokens.shape[1])[:, :, None]
        return functional.pad(rows, (0, 0, 0, self.length - rows.shape[1]))

    def encoded(self, read: Tensor) -> Tensor:
        seen = functional.max_pool1d(self.first(read.transpose(1, 2)).relu(), 2)
        seen = functional.max_pool1d(self.second(seen).relu(), 2)
        made: Tensor = self.dense(seen.flatten(1)).relu()
        return made

    def vector(self, batch: Batch) -> Tensor:
        return self.encoded(self.embedded(batch))

    def loss(self, batch: Batch) -> Tensor:
        read = self.embedded(batch)
        said = self.out(self.encoded(read)).float()
        if self.settings.output == "softmax":
            said = said.softmax(1)
        return functional.l1_loss(said, read.flatten(1))

    def predict(self, batch: Batch) -> list[list[int]]:
        """The best name of the nearest methods; none before there is something to remember, and
        for a method in which nothing is seen."""
        if not len(self.features):
            return [[UNKNOWN]] * len(batch["tokens"])
        bodies = unit_rows(self.vector(batch))
        places, cosines = nearest_cosines(bodies, self.features, NAMED_BY)
        names, something = self.labels[places].tolist(), bodies.any(1).tolist()
        found: list[list[int]] = []
        for said, near, seen in zip(names, cosines.tolist(), something, strict=True):
            some = [(str(one), cosine) for one, cosine in zip(said, near, strict=True)]
            found.append([int(RANKS[self.settings.rank](some)[0]) if seen else UNKNOWN])
        return found
