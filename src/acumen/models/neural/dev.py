"""What a network is judged by while it learns: the dev split, or as much of it as is looked at.

An answer that a network has no words for can never be right, and is judged with the others: a
network would look the better, the fewer answers it knows. It has no loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from acumen.api import Face
from acumen.lang.subtokens import subtokens
from acumen.models.neural.architecture import Architecture
from acumen.models.neural.batches import by_length
from acumen.models.neural.encoded import EncodedFile
from acumen.models.neural.settings import Training


def score(face: Face, said: Sequence[str | None], true: Sequence[str]) -> float:
    """What dev is judged by: exact answers, or how much of a name's words was found (F1 over all).
    A word that is said twice counts twice only if the name has it twice: else the best of all
    networks would be one that stammers."""
    if face is not Face.NAME:
        return sum(a == b for a, b in zip(said, true, strict=True)) / len(true)
    hits = guessed = wanted = 0
    for a, b in zip(said, true, strict=True):
        mine = Counter(subtokens(a or "", lower=True))
        right = Counter(subtokens(b, lower=True))
        hits += (mine & right).total()
        guessed, wanted = guessed + mine.total(), wanted + right.total()
    return 2 * hits / (guessed + wanted) if hits else 0.0


class Dev:
    """``unsaid``: the examples whose answers the network cannot say."""

    def __init__(
        self, sayable: EncodedFile, unsaid: EncodedFile | None, training: Training, device: str,
        pretraining: bool,
    ) -> None:  # fmt: skip
        self.sayable, self.unsaid, self.training = sayable, unsaid, training
        self.device, self.pretraining = device, pretraining

    def look(self, architecture: Architecture, network: Any) -> tuple[float, float]:
        """Loss and score."""
        was = network.training
        network.eval()
        losses: list[float] = []
        judged: list[tuple[int, str | None, str]] = []
        sayable, unsaid = self._drawn(architecture.joint)
        with torch.inference_mode(), precise(self.device, self.training.precision):
            for file, rows in ((self.sayable, sayable), (self.unsaid, unsaid)):
                if file is None or not len(rows):
                    continue
                lengths = architecture.length(file.sizes())[rows]
                tasks = self._tasks(file, architecture.joint)
                for places in by_length(lengths, self.training.batch):
                    mine = rows[places]
                    batch = architecture.collate(file.take(mine))
                    batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
                    if file is self.sayable:
                        losses.append(float(network.loss(batch)) * len(mine))
                    if not self.pretraining:
                        found = [architecture.answer(one) for one in network.predict(batch)]
                        asked = tasks[mine].tolist()
                        judged += zip(asked, found, file.answers(mine), strict=True)
        network.train(was)
        # Each task counts as much as any other, however many examples it has.
        face = architecture.purpose.face
        scores = []
        for task in sorted({task for task, _, _ in judged}):
            said, true = zip(*((a, b) for one, a, b in judged if one == task), strict=True)
            scores.append(score(face, said, true))
        return sum(losses) / len(sayable), float(np.mean(scores)) if scores else 0.0

    @staticmethod
    def _tasks(file: EncodedFile, joint: str) -> NDArray[np.int32]:
        """Of each example the task that it is of: one for all, if the network has one."""
        return file.values(joint) if joint else np.zeros(len(file), np.int32)

    def _drawn(self, joint: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The examples of both files that are judged: so many in all, of each task alike many."""
        files = [file for file in (self.sayable, self.unsaid) if file is not None]
        tasks = np.concatenate([self._tasks(file, joint) for file in files])
        many, most = len(self.sayable), self.training.judged
        lots = np.random.default_rng(0).permutation(len(tasks))
        if len(tasks) > most:
            kinds = np.unique(tasks)
            each = max(1, most // len(kinds))
            lots = np.concatenate([lots[tasks[lots] == kind][:each] for kind in kinds])
        sayable, unsaid = np.sort(lots[lots < many]), np.sort(lots[lots >= many]) - many
        # Where hardly an answer can be said: a loss there must be.
        return sayable if len(sayable) else np.zeros(1, np.int64), unsaid


def precise(device: str, precision: str) -> Any:
    return torch.autocast(device, torch.bfloat16, enabled=precision == "bf16" and device == "cuda")
