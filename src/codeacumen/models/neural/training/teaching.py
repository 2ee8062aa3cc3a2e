"""The loop: Lightning teaches a network, looks at dev after every round, and keeps the best.

What happens in a round hangs on the seed and the round's number alone, and a round begins from the
checkpoint that the one before left. So a training that was killed goes on to the same weights, on
a processor to the last bit; but not one whose minutes are bound.
"""

from __future__ import annotations

import csv
import io
import logging
import os
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch
from numpy.typing import NDArray
from pytorch_lightning.callbacks import Timer
from torch import Tensor, nn

from codeacumen.api import Capability, CodeacumenError
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.models.neural.architecture import Architecture, Network
from codeacumen.models.neural.training.batches import Loader, Packed, Rounds, by_length, device_of
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.models.neural.training.settings import Training
from codeacumen.text.subtokens import subtokens

LAST, BEST, HISTORY, BOARD = "last.ckpt", "best.ckpt", "history.csv", "tensorboard"


class Lesson(lightning.LightningModule):
    """A network with what it is taught by."""

    def __init__(self, architecture: Architecture, training: Training, steps: int) -> None:
        super().__init__()
        self.architecture, self.training_settings = architecture, training
        self.steps = steps
        made: Any = architecture.network()
        self.network: Network = made
        self.learned_loss = torch.compile(made.loss) if training.compile else made.loss
        self.history: list[dict[str, float]] = []
        self._losses: list[Tensor] = []

    def on_train_epoch_start(self) -> None:
        # Dropout in this round must not hang on whether the rounds before ran in this process.
        torch.manual_seed(self.training_settings.seed * 1_000_003 + self.current_epoch)
        self._losses = []

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch.batch() if isinstance(batch, Packed) else batch

    def training_step(self, batch: Any, number: int) -> Tensor:
        self.network.at(self.share(self.global_step))
        loss = self.learned_loss(batch)
        self._losses.append(loss.detach())
        return loss

    @property
    def mean_loss(self) -> float:
        return float(torch.stack(self._losses).float().mean()) if self._losses else float("nan")

    def configure_optimizers(self) -> Any:
        made = _optimiser(self.parameters(), self.training_settings, self.device.type == "cuda")
        schedule = torch.optim.lr_scheduler.LambdaLR(made, self._rate)
        return {"optimizer": made, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _rate(self, step: int) -> float:
        """What the rate is multiplied by at a step."""
        settings = self.training_settings
        if settings.warmup and step < settings.warmup:
            return (step + 1) / settings.warmup
        epoch = step / max(1, self.steps / settings.epochs)
        falling = 1.0
        if settings.linear:
            warm = settings.warmup / max(1, self.steps)
            falling = min(1.0, max(0.0, 1.0 - self.share(step)) / max(1e-9, 1.0 - warm))
        return falling * settings.decay ** int(epoch)

    def share(self, step: int) -> float:
        """Which share of its steps is done; or which of its minutes, where those will be over
        first: what the clock ends then ends as well as what was told the number of its steps."""
        done, minutes = step / max(1, self.steps), self.training_settings.minutes
        if not minutes:
            return done
        trainer: Any = self.trainer
        clock = next(one for one in trainer.callbacks if isinstance(one, Timer))
        return max(done, clock.time_elapsed() / (60 * minutes))

    def configure_gradient_clipping(
        self, optimizer: Any, gradient_clip_val: Any = None, gradient_clip_algorithm: Any = None
    ) -> None:
        # Lightning refuses to clip for a fused optimiser, which could scale gradients: none does.
        if gradient_clip_val:
            nn.utils.clip_grad_norm_(self.parameters(), gradient_clip_val)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["history"] = self.history

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self.history = checkpoint["history"]


def _optimiser(parameters: Any, training: Training, gpu: bool) -> torch.optim.Optimizer:
    rate, decay = training.rate, training.weight_decay
    wanted = [one for one in parameters if one.requires_grad]
    if training.optimiser == "adam":
        return torch.optim.Adam(wanted, rate, weight_decay=decay, fused=gpu or None)
    if training.optimiser == "adamw":
        # Biases and the scales of normalisation are not drawn to zero, as usual.
        matrices = [one for one in wanted if one.dim() > 1]
        others = [one for one in wanted if one.dim() <= 1]
        groups: list[dict[str, Any]] = [
            {"params": matrices},
            {"params": others, "weight_decay": 0.0},
        ]
        # In one kernel: a network of many small layers would wait for hundreds.
        return torch.optim.AdamW(groups, rate, weight_decay=decay, fused=gpu or None)
    if training.optimiser == "adagrad":
        return torch.optim.Adagrad(wanted, rate, weight_decay=decay, initial_accumulator_value=0.1)
    nesterov = training.optimiser == "nesterov"
    return torch.optim.SGD(
        wanted, rate, momentum=training.momentum, weight_decay=decay, nesterov=nesterov
    )


class Keep(lightning.Callback):
    """After each round: what dev says, a line of the history, a checkpoint; the best is kept."""

    def __init__(
        self, folder: Path, dev: Dev, training: Training, device: str, step: Progress
    ) -> None:
        self.folder, self.dev, self.training, self.device = folder, dev, training, device
        self.step, self.pretraining = step, dev.pretraining
        self.began = self.waited = 0.0
        self.examples = 0

    # ---------------------------------------------------------------- time

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self.began, self.examples = time.perf_counter(), 0
        self.waited = trainer.train_dataloader.waited

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, number: int
    ) -> None:
        told = batch.get("label", batch.get("target"))
        self.examples += len(next(iter(batch.values())) if told is None else told)
        self.step("training", trainer.global_step, int(trainer.estimated_stepping_batches))

    # ---------------------------------------------------------------- a round's end

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()
        seconds = time.perf_counter() - self.began
        loss, judged = self.dev.look(pl_module.architecture, pl_module.network)
        row = {
            "round": float(trainer.current_epoch),
            "step": float(trainer.global_step),
            "loss": pl_module.mean_loss,
            "dev_loss": loss,
            "dev_score": judged,
            "rate": float(trainer.optimizers[0].param_groups[0]["lr"]),
            "seconds": seconds,
            "examples_per_second": self.examples / seconds,
            "waiting": (trainer.train_dataloader.waited - self.waited) / seconds,
        }
        history = pl_module.history
        best = max((self.worth(one) for one in history), default=-np.inf)
        history.append(row)
        part = self.folder / f"{LAST}.part"
        trainer.save_checkpoint(part)
        better = self.worth(row) > best
        if better:
            copy = self.folder / f"{BEST}.part"
            copy.unlink(missing_ok=True)
            os.link(part, copy)
            copy.replace(self.folder / BEST)
        part.replace(self.folder / LAST)
        write_history(self.folder / HISTORY, history)
        for logger in trainer.loggers:
            logger.log_metrics({k: v for k, v in row.items() if k != "step"}, int(row["step"]))
        if self.is_over(history):
            trainer.should_stop = True

    def worth(self, row: dict[str, float]) -> float:
        """A score, and where that is equal, or there is none, the loss: never both for nothing. A
        loss that is no number is worth nothing."""
        lost = row["dev_loss"]
        worth = -lost if self.pretraining else row["dev_score"] - 1e-6 * lost
        return worth if np.isfinite(worth) else -np.inf

    def is_over(self, history: Sequence[dict[str, float]]) -> bool:
        if not history:
            return False
        if all(np.isnan(history[-1][one]) for one in ("loss", "dev_loss")):
            # Weights that are no numbers never become some.
            return True
        worth = [self.worth(row) for row in history]
        since = len(worth) - 1 - int(np.argmax(worth))
        return bool(self.training.patience) and since >= self.training.patience


def write_history(path: Path, history: Sequence[dict[str, float]]) -> None:
    told = io.StringIO()
    # A checkpoint of an older version may have rows with other columns.
    names = list(dict.fromkeys(name for row in history for name in row))
    writer = csv.DictWriter(told, names, restval="nan", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: f"{value:.6g}" for key, value in row.items()} for row in history)
    write_atomically(path, told.getvalue().encode())


@dataclass(frozen=True, slots=True)
class Taught:
    """A network with its best weights, and how it went."""

    network: nn.Module
    history: list[dict[str, float]]
    best: dict[str, float]


def teach(
    architecture: Architecture,
    train: EncodedFile,
    dev: EncodedFile,
    training: Training,
    folder: Path,
    *,
    device: str = "auto",
    step: Progress = ignore_progress,
    pretraining: bool = False,
    unsaid: EncodedFile | None = None,
) -> Taught:
    """Train until dev gets no better. What lies in ``folder`` of an earlier try is gone on from.
    ``unsaid``: what of dev cannot be answered right."""
    device = device_of(device)
    folder.mkdir(parents=True, exist_ok=True)
    lengths = architecture.length(train.sizes())
    joint = architecture.joint
    times = architecture.times(train.values(joint)) if joint else None
    sampler = Rounds(lengths, training.batch, training.seed, training.round, training.epochs, times)
    torch.manual_seed(training.seed)
    lesson = Lesson(architecture, training, sampler.total)
    judge = Dev(dev, unsaid, training, device, pretraining)
    keep = Keep(folder, judge, training, device, step)
    with _quiet():
        trainer = lightning.Trainer(
            accelerator="gpu" if device == "cuda" else "cpu",
            devices=1,
            logger=_loggers(folder),
            max_epochs=sampler.rounds,
            max_time=timedelta(minutes=training.minutes) if training.minutes else None,
            precision="bf16-mixed" if training.precision == "bf16" and device == "cuda" else None,
            gradient_clip_val=training.clip or None,
            callbacks=[keep],
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            limit_val_batches=0,
            use_distributed_sampler=False,
        )
        last = folder / LAST
        before = _load(last)["history"] if last.is_file() else []
        if len(before) >= sampler.rounds or keep.is_over(before):
            # Killed after its end, it has ended: one more round might find better weights.
            lesson.history = before
        else:
            # Workers make batches ahead, before Lightning tells which round it is.
            sampler.set_epoch(len(before))
            with _compilable(training.compile):
                trainer.fit(
                    lesson,
                    Loader(train, architecture, sampler, training.workers),
                    ckpt_path=str(last) if before else None,
                    weights_only=False,
                )
    if not (folder / BEST).is_file():
        raise CodeacumenError(
            "there is nothing to be kept: the loss on dev was no number in any round",
            "try a smaller training.rate, or training.clip=1.0",
        )
    made: Any = lesson.network
    state = _load(folder / BEST)["state_dict"]
    start = "network."
    made.load_state_dict(
        {k.removeprefix(start): v for k, v in state.items() if k.startswith(start)}
    )
    worth = [keep.worth(row) for row in lesson.history]
    return Taught(made.cpu().eval(), lesson.history, lesson.history[int(np.argmax(worth))])


@contextmanager
def _compilable(compiled: bool) -> Iterator[None]:
    """What torch's compiler cannot do is told in a line, not by the inside of that compiler."""
    if not compiled:
        yield
        return
    from torch._dynamo.exc import TorchDynamoException

    try:
        yield
    except TorchDynamoException as error:
        # What went wrong lies inside of what tells where: an assertion may say nothing more.
        cause = getattr(error, "inner_exception", error)
        why = ": ".join([type(cause).__name__, *str(cause).strip().splitlines()[:1]])
        raise CodeacumenError(
            f"torch cannot compile this network: {why}", "train it with training.compile=false"
        ) from error


def _load(checkpoint: Path) -> dict[str, Any]:
    found: dict[str, Any] = torch.load(checkpoint, map_location="cpu", weights_only=False)
    return found


def _loggers(folder: Path) -> Any:
    """TensorBoard's files where it is installed; the history is written anyway."""
    from importlib.util import find_spec

    if find_spec("tensorboard") is None:
        return False
    from pytorch_lightning.loggers import TensorBoardLogger

    return TensorBoardLogger(folder, name=BOARD, version="")


@contextmanager
def _quiet() -> Iterator[None]:
    """Lightning tells much that no user of codeacumen can change."""
    logger = logging.getLogger("pytorch_lightning")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


# ---------------------------------------------------------------- dev scores


def score(capability: Capability, said: Sequence[str | None], true: Sequence[str]) -> float:
    """What dev is judged by: exact answers, or how much of a name's words was found (F1 over all).
    A word that is said twice counts twice only if the name has it twice: else the best of all
    networks would be one that stammers."""
    if capability is not Capability.NAME:
        return sum(a == b for a, b in zip(said, true, strict=True)) / len(true)
    hits = guessed = wanted = 0
    for a, b in zip(said, true, strict=True):
        mine = Counter(subtokens(a or "", lower=True))
        right = Counter(subtokens(b, lower=True))
        hits += (mine & right).total()
        guessed, wanted = guessed + mine.total(), wanted + right.total()
    return 2 * hits / (guessed + wanted) if hits else 0.0


class Dev:
    """The dev split that a network is scored on while it learns. ``unsaid``: the examples whose
    answers the network cannot say. They count as wrong, or a network would score better the fewer
    answers it knows; they have no loss."""

    def __init__(
        self,
        sayable: EncodedFile,
        unsaid: EncodedFile | None,
        training: Training,
        device: str,
        pretraining: bool,
    ) -> None:
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
        capability = architecture.purpose.capability
        scores = []
        for task in sorted({task for task, _, _ in judged}):
            said, true = zip(*((a, b) for one, a, b in judged if one == task), strict=True)
            scores.append(score(capability, said, true))
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
