"""A network: the average of a method's token embeddings, and a label from it."""

from dataclasses import dataclass

from torch import Tensor, nn

import codeacumen
from codeacumen.models.neural.architecture import PAD, Batch, Labels, Network, SingleLabel
from codeacumen.models.neural.inputs.tokens import TokenArchitecture
from codeacumen.models.neural.networks.layers import LabelHead, LabelNetwork


@dataclass(frozen=True, slots=True)
class AverageSettings:
    vocabulary: int = 10_000
    length: int = 200
    width: int = 64


class AverageNetwork(LabelNetwork):
    def __init__(self, settings: AverageSettings, token_count: int, label_count: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(token_count, settings.width, padding_idx=PAD)
        self.head = LabelHead(settings.width, label_count)

    def compute_vectors(self, batch: Batch) -> Tensor:
        """Return a row for each example: the mean over the tokens that are not padding."""
        tokens = batch["tokens"]
        length = (tokens != PAD).sum(1, keepdim=True).clamp(min=1)
        return self.embedding(tokens).sum(1) / length


@codeacumen.network("average")
class Average(TokenArchitecture):
    """Mean of token embeddings"""

    name = "average"
    Settings = AverageSettings

    def make_labels(self) -> Labels:
        return SingleLabel(self.settings.vocabulary)

    def build_network(self) -> Network:
        return AverageNetwork(
            self.settings, len(self.vocabularies["tokens"]), len(self.labels.vocabulary)
        )
