"""The training loop: Lightning trains, each round ends with a dev score, the best round is kept.

A round depends only on the seed, its number, and the checkpoint of the round before. So an
interrupted training continues to the same weights, on a CPU to the last bit. This does not hold for
a training with a maximum duration.
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
    """Lightning's module of a network: loss, optimiser, learning rate and history."""

    def __init__(self, architecture: Architecture, training: Training, steps: int) -> None:
        super().__init__()
        self.architecture, self.training_settings = architecture, training
        self.steps = steps
        made = architecture.network()
        self.network: Network = made
        self.learned_loss: Any = torch.compile(made.loss) if training.compile else made.loss
        self.history: list[dict[str, float]] = []
        self._losses: list[Tensor] = []

    def on_train_epoch_start(self) -> None:
        # Dropout in this round must not depend on whether earlier rounds ran in this process.
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
        """Mean of the losses of this round's batches."""
        return float(torch.stack(self._losses).float().mean()) if self._losses else float("nan")

    def configure_optimizers(self) -> Any:
        made = _optimiser(self.parameters(), self.training_settings, self.device.type == "cuda")
        schedule = torch.optim.lr_scheduler.LambdaLR(made, self._rate)
        return {"optimizer": made, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _rate(self, step: int) -> float:
        """Return the factor of the learning rate at a step."""
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
        """Return the share of the training that is done at a step, from 0 to 1.

        With a maximum duration it is the larger of the shares of steps and of time, so that a
        linear rate reaches 0 although the clock ends the training before its last step.
        """
        done, minutes = step / max(1, self.steps), self.training_settings.minutes
        if not minutes:
            return done
        trainer: Any = self.trainer
        clock = next(one for one in trainer.callbacks if isinstance(one, Timer))
        return max(done, clock.time_elapsed() / (60 * minutes))

    def configure_gradient_clipping(
        self, optimizer: Any, gradient_clip_val: Any = None, gradient_clip_algorithm: Any = None
    ) -> None:
        # Lightning refuses to clip the gradients of a fused optimiser, because one may scale
        # gradients itself. With bf16 there is no scaling.
        if gradient_clip_val:
            nn.utils.clip_grad_norm_(self.parameters(), gradient_clip_val)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["history"] = self.history

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self.history = checkpoint["history"]


def _optimiser(parameters: Any, training: Training, gpu: bool) -> torch.optim.Optimizer:
    """Return the optimiser of the settings."""
    rate, decay = training.rate, training.weight_decay
    wanted = [one for one in parameters if one.requires_grad]
    if training.optimiser == "adam":
        return torch.optim.Adam(wanted, rate, weight_decay=decay, fused=gpu or None)
    if training.optimiser == "adamw":
        # As usual, no weight decay on biases and the scales of normalisation layers.
        matrices = [one for one in wanted if one.dim() > 1]
        others = [one for one in wanted if one.dim() <= 1]
        groups: list[dict[str, Any]] = [
            {"params": matrices},
            {"params": others, "weight_decay": 0.0},
        ]
        # Fused, in one kernel: a network of many small layers would wait for hundreds of kernels.
        return torch.optim.AdamW(groups, rate, weight_decay=decay, fused=gpu or None)
    if training.optimiser == "adagrad":
        return torch.optim.Adagrad(wanted, rate, weight_decay=decay, initial_accumulator_value=0.1)
    nesterov = training.optimiser == "nesterov"
    return torch.optim.SGD(
        wanted, rate, momentum=training.momentum, weight_decay=decay, nesterov=nesterov
    )


class Keep(lightning.Callback):
    """Scores dev after each round, writes the history and a checkpoint, and keeps the best one.

    It stops the training after ``patience`` rounds without a better score.
    """

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
        """Return a value to rank rounds by: the dev score; among equal scores, the smaller loss.

        For pre-training, which has no score, it is the negative loss. A round whose loss is not
        finite ranks last.
        """
        lost = row["dev_loss"]
        worth = -lost if self.pretraining else row["dev_score"] - 1e-6 * lost
        return worth if np.isfinite(worth) else -np.inf

    def is_over(self, history: Sequence[dict[str, float]]) -> bool:
        """Return whether a training with this history ends."""
        if not history:
            return False
        if all(np.isnan(history[-1][one]) for one in ("loss", "dev_loss")):
            # The weights are NaN, and stay so.
            return True
        worth = [self.worth(row) for row in history]
        since = len(worth) - 1 - int(np.argmax(worth))
        return bool(self.training.patience) and since >= self.training.patience


def write_history(path: Path, history: Sequence[dict[str, float]]) -> None:
    """Write a CSV file with a row for each round."""
    told = io.StringIO()
    # A checkpoint of an older version may have rows with other columns.
    names = list(dict.fromkeys(name for row in history for name in row))
    writer = csv.DictWriter(told, names, restval="nan", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: f"{value:.6g}" for key, value in row.items()} for row in history)
    write_atomically(path, told.getvalue().encode())


@dataclass(frozen=True, slots=True)
class Taught:
    """A network with the weights of its best round, and the history of its training."""

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
    """Train a network until its dev score no longer improves.

    An interrupted training in ``folder`` resumes. ``unanswerable`` are the dev examples whose
    answers the vocabulary cannot express.
    """
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
            # The training had ended when it was interrupted. One more round could change the best
            # weights.
            lesson.history = before
        else:
            # Workers make batches ahead, before Lightning sets the number of the round.
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
            "no round can be kept: the loss on dev was not a finite number in any round",
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
    """Report an error of torch's compiler in a line, without the compiler's stack trace."""
    if not compiled:
        yield
        return
    from torch._dynamo.exc import TorchDynamoException

    try:
        yield
    except TorchDynamoException as error:
        # The inner exception has the cause. Its text may be empty, as an assertion's.
        cause = getattr(error, "inner_exception", error)
        why = ": ".join([type(cause).__name__, *str(cause).strip().splitlines()[:1]])
        raise CodeacumenError(
            f"torch cannot compile this network: {why}", "train it with training.compile=false"
        ) from error


def _load(checkpoint: Path) -> dict[str, Any]:
    """Read a checkpoint of Lightning's."""
    found: dict[str, Any] = torch.load(checkpoint, map_location="cpu", weights_only=False)
    return found


def _loggers(folder: Path) -> Any:
    """Return a logger that writes TensorBoard's files; False if TensorBoard is not installed."""
    from importlib.util import find_spec

    if find_spec("tensorboard") is None:
        return False
    from pytorch_lightning.loggers import TensorBoardLogger

    return TensorBoardLogger(folder, name=BOARD, version="")


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Lightning's messages and warnings: a user of codeacumen cannot act on them."""
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
    """Return the dev score of answers: their accuracy, or for names the micro-averaged F1 of words.

    A repeated word counts twice only if the expected name has it twice, so that a network gains
    nothing by repeating words.
    """
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
    """Scores a network on the dev split during training.

    ``unanswerable`` are the examples whose answers the network's vocabulary cannot express. They
    count as wrong; otherwise a smaller vocabulary would give a better score. They have no loss.
    """

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

    def look(self, architecture: Architecture, network: Network) -> tuple[float, float]:
        """Return the loss and the score of a network."""
        module: Any = network
        was = module.training
        module.eval()
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
        module.train(was)
        # Every task has the same weight, however many examples it has.
        capability = architecture.purpose.capability
        scores = []
        for task in sorted({task for task, _, _ in judged}):
            said, true = zip(*((a, b) for one, a, b in judged if one == task), strict=True)
            scores.append(score(capability, said, true))
        return sum(losses) / len(sayable), float(np.mean(scores)) if scores else 0.0

    @staticmethod
    def _tasks(file: EncodedFile, joint: str) -> NDArray[np.int32]:
        """Return each example's task; 0 for all, if the network has no column of tasks."""
        return file.values(joint) if joint else np.zeros(len(file), np.int32)

    def _drawn(self, joint: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of both files to score: at most ``judged``, the same number per task."""
        files = [file for file in (self.sayable, self.unsaid) if file is not None]
        tasks = np.concatenate([self._tasks(file, joint) for file in files])
        many, most = len(self.sayable), self.training.judged
        lots = np.random.default_rng(0).permutation(len(tasks))
        if len(tasks) > most:
            kinds = np.unique(tasks)
            each = max(1, most // len(kinds))
            lots = np.concatenate([lots[tasks[lots] == kind][:each] for kind in kinds])
        sayable, unsaid = np.sort(lots[lots < many]), np.sort(lots[lots >= many]) - many
        # If the sample has no answerable example, take one: the loss needs an example.
        return sayable if len(sayable) else np.zeros(1, np.int64), unsaid


def precise(device: str, precision: str) -> Any:
    """Return the context of mixed precision, which does nothing on a CPU or in full precision."""
    return torch.autocast(device, torch.bfloat16, enabled=precision == "bf16" and device == "cuda")
