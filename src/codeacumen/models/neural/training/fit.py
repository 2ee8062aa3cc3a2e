"""The training loop: Lightning trains, each round ends with a dev score, the best round is kept.

``train.run_training`` calls ``fit_network``. A round is the training between two dev scores:
``training.round`` batches, or one pass over the examples. Lightning calls a round an epoch; the
setting ``epochs`` counts passes. A round depends only on the seed, its number, and the checkpoint
of the round before. So an interrupted training continues to the same weights, on a CPU to the last
bit. This does not hold for a training with a maximum duration.
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
from codeacumen.models.neural.training.batches import (
    BatchLoader,
    PackedBatch,
    RoundSampler,
    choose_device,
    group_by_length,
)
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.models.neural.training.settings import TrainingSettings
from codeacumen.text.subtokens import split_subtokens

# In the folder of the checkpoints: the last and the best round, the table of rounds, and the folder
# of TensorBoard's files.
LAST, BEST, HISTORY, TENSORBOARD_DIR = "last.ckpt", "best.ckpt", "history.csv", "tensorboard"


class TrainingModule(lightning.LightningModule):
    """Lightning's module of a network: loss, optimiser, learning rate and history.

    ``step_count`` is the number of steps of the whole training. ``history`` has a row for each
    round; ``CheckpointCallback`` adds it.
    """

    def __init__(
        self, architecture: Architecture, training: TrainingSettings, step_count: int
    ) -> None:
        super().__init__()
        self.architecture, self.training_settings = architecture, training
        self.step_count = step_count
        network = architecture.build_network()
        self.network: Network = network
        self.loss_function: Any = (
            torch.compile(network.compute_loss) if training.compile else network.compute_loss
        )
        self.history: list[dict[str, float]] = []
        self._losses: list[Tensor] = []

    def on_train_epoch_start(self) -> None:
        # Dropout in this round must not depend on whether earlier rounds ran in this process.
        torch.manual_seed(self.training_settings.seed * 1_000_003 + self.current_epoch)
        self._losses = []

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch.unpack() if isinstance(batch, PackedBatch) else batch

    def training_step(self, batch: Any, number: int) -> Tensor:
        # For networks whose computation changes during the training; most ignore it.
        self.network.set_progress(self.compute_progress(self.global_step))
        loss = self.loss_function(batch)
        self._losses.append(loss.detach())
        return loss

    @property
    def mean_loss(self) -> float:
        """Mean of the losses of this round's batches."""
        return float(torch.stack(self._losses).float().mean()) if self._losses else float("nan")

    def configure_optimizers(self) -> Any:
        optimizer = _make_optimiser(
            self.parameters(), self.training_settings, self.device.type == "cuda"
        )
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, self._compute_rate_factor)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def _compute_rate_factor(self, step: int) -> float:
        """Return the factor of the learning rate at a step, by warm-up, linear fall and decay."""
        settings = self.training_settings
        if settings.warmup and step < settings.warmup:
            return (step + 1) / settings.warmup
        epoch = step / max(1, self.step_count / settings.epochs)
        factor = 1.0
        if settings.linear:
            warmup_share = settings.warmup / max(1, self.step_count)
            factor = min(
                1.0, max(0.0, 1.0 - self.compute_progress(step)) / max(1e-9, 1.0 - warmup_share)
            )
        return factor * settings.decay ** int(epoch)

    def compute_progress(self, step: int) -> float:
        """Return the share of the training that is done at a step, from 0 to 1.

        With a maximum duration it is the larger of the shares of steps and of time, so that a
        linear rate reaches 0 although the clock ends the training before its last step.
        """
        progress, minutes = step / max(1, self.step_count), self.training_settings.minutes
        if not minutes:
            return progress
        trainer: Any = self.trainer
        timer = next(callback for callback in trainer.callbacks if isinstance(callback, Timer))
        return max(progress, timer.time_elapsed() / (60 * minutes))

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


def _make_optimiser(
    parameters: Any, training: TrainingSettings, on_gpu: bool
) -> torch.optim.Optimizer:
    """Return the optimiser of the settings."""
    rate, decay = training.rate, training.weight_decay
    trainable = [parameter for parameter in parameters if parameter.requires_grad]
    if training.optimiser == "adam":
        return torch.optim.Adam(trainable, rate, weight_decay=decay, fused=on_gpu or None)
    if training.optimiser == "adamw":
        # As usual, no weight decay on biases and the scales of normalisation layers.
        matrices = [parameter for parameter in trainable if parameter.dim() > 1]
        others = [parameter for parameter in trainable if parameter.dim() <= 1]
        groups: list[dict[str, Any]] = [
            {"params": matrices},
            {"params": others, "weight_decay": 0.0},
        ]
        # Fused, in one kernel: a network of many small layers would wait for hundreds of kernels.
        return torch.optim.AdamW(groups, rate, weight_decay=decay, fused=on_gpu or None)
    if training.optimiser == "adagrad":
        return torch.optim.Adagrad(
            trainable, rate, weight_decay=decay, initial_accumulator_value=0.1
        )
    nesterov = training.optimiser == "nesterov"
    return torch.optim.SGD(
        trainable, rate, momentum=training.momentum, weight_decay=decay, nesterov=nesterov
    )


class CheckpointCallback(lightning.Callback):
    """Scores dev after each round, writes the history and a checkpoint, and keeps the best one.

    It stops the training after ``patience`` rounds without a better score. ``started`` is the time
    of the round's begin, ``waited`` the loader's waiting time until then, both in seconds, and
    ``examples`` the number of examples in the round so far.
    """

    def __init__(
        self, folder: Path, dev: DevScorer, training: TrainingSettings, device: str, step: Progress
    ) -> None:
        self.folder, self.dev, self.training, self.device = folder, dev, training, device
        self.step, self.pretraining = step, dev.pretraining
        self.started = self.waited = 0.0
        self.examples = 0

    # ---------------------------------------------------------------- time

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        self.started, self.examples = time.perf_counter(), 0
        self.waited = trainer.train_dataloader.waited

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, number: int
    ) -> None:
        # The first tensor may have more rows than examples, so count the answers if there are any.
        answers = batch.get("label", batch.get("target"))
        self.examples += len(next(iter(batch.values())) if answers is None else answers)
        self.step("training", trainer.global_step, int(trainer.estimated_stepping_batches))

    # ---------------------------------------------------------------- a round's end

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()
        seconds = time.perf_counter() - self.started
        dev_loss, dev_score = self.dev.score_network(pl_module.architecture, pl_module.network)
        # ``rate`` is the learning rate after the round, ``waiting`` the share of the round's time
        # in which the training waited for batches.
        row = {
            "round": float(trainer.current_epoch),
            "step": float(trainer.global_step),
            "loss": pl_module.mean_loss,
            "dev_loss": dev_loss,
            "dev_score": dev_score,
            "rate": float(trainer.optimizers[0].param_groups[0]["lr"]),
            "seconds": seconds,
            "examples_per_second": self.examples / seconds,
            "waiting": (trainer.train_dataloader.waited - self.waited) / seconds,
        }
        history = pl_module.history
        best = max((self.score_round(past_row) for past_row in history), default=-np.inf)
        history.append(row)
        part_file = self.folder / f"{LAST}.part"
        trainer.save_checkpoint(part_file)
        is_better = self.score_round(row) > best
        if is_better:
            # A hard link takes neither time nor space; a copy of a checkpoint may be large.
            copy = self.folder / f"{BEST}.part"
            copy.unlink(missing_ok=True)
            os.link(part_file, copy)
            copy.replace(self.folder / BEST)
        part_file.replace(self.folder / LAST)
        write_history(self.folder / HISTORY, history)
        for logger in trainer.loggers:
            logger.log_metrics({k: v for k, v in row.items() if k != "step"}, int(row["step"]))
        if self.is_over(history):
            trainer.should_stop = True

    def score_round(self, row: dict[str, float]) -> float:
        """Return a value to rank rounds by, larger is better.

        It is the dev score; among nearly equal scores, the smaller dev loss is better. Pre-training
        has no score and ranks by the loss. A round whose loss is not finite ranks last.
        """
        dev_loss = row["dev_loss"]
        score = -dev_loss if self.pretraining else row["dev_score"] - 1e-6 * dev_loss
        return score if np.isfinite(score) else -np.inf

    def is_over(self, history: Sequence[dict[str, float]]) -> bool:
        """Return True if a training with this history ends: no better score, or NaN losses."""
        if not history:
            return False
        if all(np.isnan(history[-1][key]) for key in ("loss", "dev_loss")):
            # The weights are NaN, and stay so.
            return True
        scores = [self.score_round(row) for row in history]
        rounds_since_best = len(scores) - 1 - int(np.argmax(scores))
        return bool(self.training.patience) and rounds_since_best >= self.training.patience


def write_history(path: Path, history: Sequence[dict[str, float]]) -> None:
    """Write a CSV file with a row for each round."""
    buffer = io.StringIO()
    # A checkpoint of an older version may have rows with other columns.
    names = list(dict.fromkeys(name for row in history for name in row))
    writer = csv.DictWriter(buffer, names, restval="nan", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: f"{value:.6g}" for key, value in row.items()} for row in history)
    write_atomically(path, buffer.getvalue().encode())


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A network with the weights of its best round, the history, and the history's best row."""

    network: nn.Module
    history: list[dict[str, float]]
    best: dict[str, float]


def fit_network(
    architecture: Architecture,
    train: EncodedFile,
    dev: EncodedFile,
    training: TrainingSettings,
    folder: Path,
    *,
    device: str = "auto",
    step: Progress = ignore_progress,
    pretraining: bool = False,
    unanswerable: EncodedFile | None = None,
) -> TrainingResult:
    """Train a network until its dev score no longer improves, or its epochs or minutes are over.

    ``folder`` is that of the checkpoints; an interrupted training there resumes. ``step`` reports
    progress. ``unanswerable`` are the dev examples whose answers the vocabulary cannot express.
    """
    device = choose_device(device)
    folder.mkdir(parents=True, exist_ok=True)
    lengths = architecture.compute_lengths(train.empty_columns())
    task_column = architecture.task_column
    # How often an epoch has each example; a network that learns several tasks balances them so.
    repetitions = (
        architecture.count_repetitions(train.read_column(task_column)) if task_column else None
    )
    sampler = RoundSampler(
        lengths, training.batch, training.seed, training.round, training.epochs, repetitions
    )
    torch.manual_seed(training.seed)
    module = TrainingModule(architecture, training, sampler.total_batches)
    dev_scorer = DevScorer(dev, unanswerable, training, device, pretraining)
    checkpoints = CheckpointCallback(folder, dev_scorer, training, device, step)
    with _silence_lightning():
        trainer = lightning.Trainer(
            accelerator="gpu" if device == "cuda" else "cpu",
            devices=1,
            logger=_make_loggers(folder),
            max_epochs=sampler.round_count,
            max_time=timedelta(minutes=training.minutes) if training.minutes else None,
            precision="bf16-mixed" if training.precision == "bf16" and device == "cuda" else None,
            gradient_clip_val=training.clip or None,
            callbacks=[checkpoints],
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            limit_val_batches=0,
            use_distributed_sampler=False,
        )
        last = folder / LAST
        history = _load_checkpoint(last)["history"] if last.is_file() else []
        if len(history) >= sampler.round_count or checkpoints.is_over(history):
            # The training had ended when it was interrupted. One more round could change the best
            # weights.
            module.history = history
        else:
            # Workers make batches ahead, before Lightning sets the number of the round.
            sampler.set_epoch(len(history))
            with _explain_compile_errors(training.compile):
                trainer.fit(
                    module,
                    BatchLoader(train, architecture, sampler, training.workers),
                    ckpt_path=str(last) if history else None,
                    weights_only=False,
                )
    if not (folder / BEST).is_file():
        raise CodeacumenError(
            "no round can be kept: the loss on dev was not a finite number in any round",
            "try a smaller training.rate, or training.clip=1.0",
        )
    network: Any = module.network
    state = _load_checkpoint(folder / BEST)["state_dict"]
    prefix = "network."
    network.load_state_dict(
        {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
    )
    scores = [checkpoints.score_round(row) for row in module.history]
    return TrainingResult(
        network.cpu().eval(), module.history, module.history[int(np.argmax(scores))]
    )


@contextmanager
def _explain_compile_errors(is_compiled: bool) -> Iterator[None]:
    """Report an error of torch's compiler in a line, without the compiler's stack trace."""
    if not is_compiled:
        yield
        return
    from torch._dynamo.exc import TorchDynamoException

    try:
        yield
    except TorchDynamoException as error:
        # The inner exception has the cause. Its text may be empty, as an assertion's.
        cause = getattr(error, "inner_exception", error)
        reason = ": ".join([type(cause).__name__, *str(cause).strip().splitlines()[:1]])
        raise CodeacumenError(
            f"torch cannot compile this network: {reason}", "train it with training.compile=false"
        ) from error


def _load_checkpoint(checkpoint: Path) -> dict[str, Any]:
    """Read a checkpoint of Lightning's."""
    state: dict[str, Any] = torch.load(checkpoint, map_location="cpu", weights_only=False)
    return state


def _make_loggers(folder: Path) -> Any:
    """Return a logger that writes TensorBoard's files; False if TensorBoard is not installed."""
    from importlib.util import find_spec

    if find_spec("tensorboard") is None:
        return False
    from pytorch_lightning.loggers import TensorBoardLogger

    return TensorBoardLogger(folder, name=TENSORBOARD_DIR, version="")


@contextmanager
def _silence_lightning() -> Iterator[None]:
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


def score_answers(
    capability: Capability, answers: Sequence[str | None], expected: Sequence[str]
) -> float:
    """Return the dev score of answers: their accuracy, or for names the micro-averaged F1 of words.

    An answer is None where the network has none. A repeated word counts twice only if the expected
    name has it twice, so that a network gains nothing by repeating words.
    """
    if capability is not Capability.NAME:
        return sum(a == b for a, b in zip(answers, expected, strict=True)) / len(expected)
    shared_count = predicted_count = expected_count = 0
    for a, b in zip(answers, expected, strict=True):
        predicted_words = Counter(split_subtokens(a or "", lower=True))
        expected_words = Counter(split_subtokens(b, lower=True))
        shared_count += (predicted_words & expected_words).total()
        predicted_count, expected_count = (
            predicted_count + predicted_words.total(),
            expected_count + expected_words.total(),
        )
    return 2 * shared_count / (predicted_count + expected_count) if shared_count else 0.0


class DevScorer:
    """Scores a network on the dev split during training.

    ``unanswerable`` are the examples whose answers the network's vocabulary cannot express. They
    count as wrong; otherwise a smaller vocabulary would give a better score. They have no loss.
    """

    def __init__(
        self,
        answerable: EncodedFile,
        unanswerable: EncodedFile | None,
        training: TrainingSettings,
        device: str,
        pretraining: bool,
    ) -> None:
        self.answerable, self.unanswerable, self.training = answerable, unanswerable, training
        self.device, self.pretraining = device, pretraining

    def score_network(self, architecture: Architecture, network: Network) -> tuple[float, float]:
        """Return the mean loss and the mean score of the tasks, which is 0.0 in pre-training."""
        module: Any = network
        was_training = module.training
        module.eval()
        losses: list[float] = []
        # Task, answer and expected answer of each example.
        judged: list[tuple[int, str | None, str]] = []
        answerable_rows, unanswerable_rows = self._sample_rows(architecture.task_column)
        with torch.inference_mode(), make_autocast(self.device, self.training.precision):
            for file, rows in (
                (self.answerable, answerable_rows),
                (self.unanswerable, unanswerable_rows),
            ):
                if file is None or not len(rows):
                    continue
                lengths = architecture.compute_lengths(file.empty_columns())[rows]
                tasks = self._read_task_ids(file, architecture.task_column)
                for batch_positions in group_by_length(lengths, self.training.batch):
                    batch_rows = rows[batch_positions]
                    batch = architecture.collate(file.take_rows(batch_rows))
                    batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
                    if file is self.answerable:
                        losses.append(float(network.compute_loss(batch)) * len(batch_rows))
                    if not self.pretraining:
                        answers = [
                            architecture.decode_answer(prediction)
                            for prediction in network.predict(batch)
                        ]
                        batch_tasks = tasks[batch_rows].tolist()
                        judged += zip(
                            batch_tasks, answers, file.take_answers(batch_rows), strict=True
                        )
        module.train(was_training)
        # Every task has the same weight, however many examples it has.
        capability = architecture.purpose.capability
        scores = []
        for task in sorted({task for task, _, _ in judged}):
            task_answers, expected = zip(
                *((a, b) for answer_task, a, b in judged if answer_task == task), strict=True
            )
            scores.append(score_answers(capability, task_answers, expected))
        return sum(losses) / len(answerable_rows), float(np.mean(scores)) if scores else 0.0

    @staticmethod
    def _read_task_ids(file: EncodedFile, task_column: str) -> NDArray[np.int32]:
        """Return each example's task, 0 for all if the network has no column of tasks."""
        return file.read_column(task_column) if task_column else np.zeros(len(file), np.int32)

    def _sample_rows(self, task_column: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of both files to score, at most ``training.judged`` together.

        If there are more, the sample has the same number for each task as far as possible.
        """
        files = [file for file in (self.answerable, self.unanswerable) if file is not None]
        tasks = np.concatenate([self._read_task_ids(file, task_column) for file in files])
        answerable_count, max_examples = len(self.answerable), self.training.judged
        order = np.random.default_rng(0).permutation(len(tasks))
        if len(tasks) > max_examples:
            task_ids = np.unique(tasks)
            per_task = max(1, max_examples // len(task_ids))
            order = np.concatenate(
                [order[tasks[order] == task_id][:per_task] for task_id in task_ids]
            )
        answerable_rows, unanswerable_rows = (
            np.sort(order[order < answerable_count]),
            np.sort(order[order >= answerable_count]) - answerable_count,
        )
        # If the sample has no answerable example, take one: the loss needs an example.
        return answerable_rows if len(answerable_rows) else np.zeros(1, np.int64), unanswerable_rows


def make_autocast(device: str, precision: str) -> Any:
    """Return the context of mixed precision, which does nothing on a CPU or in full precision."""
    return torch.autocast(device, torch.bfloat16, enabled=precision == "bf16" and device == "cuda")
