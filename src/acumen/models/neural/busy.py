"""How busy a GPU is while a network learns on it, as its driver tells."""

from __future__ import annotations

import math
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean

# Milliseconds between two readings: the driver makes a new one several times a second.
_BETWEEN = 200


class Gauge:
    """Reads a command that prints, again and again, in how many percent of the time just past the
    card had something to do. What it prints between ``end`` and ``begin`` is not counted."""

    def __init__(self, command: Sequence[str]) -> None:
        self._counting = False
        self._readings: list[int] = []
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if self._counting and line.strip().isdigit():
                    self._readings.append(int(line))

    def begin(self) -> None:
        self._readings, self._counting = [], True

    def end(self) -> float:
        """The share of the time since ``begin``; no number where nothing was told."""
        self._counting = False
        return fmean(self._readings) / 100 if self._readings else math.nan

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._reader.join()


@contextmanager
def gauge(device: str) -> Iterator[Gauge | None]:
    """Of the GPU that is learned on; None where there is none, or nothing that tells."""
    made = None
    if device == "cuda":
        try:
            made = Gauge(_asks_the_driver())
        except OSError:
            made = None
    try:
        yield made
    finally:
        if made is not None:
            made.stop()


def _asks_the_driver() -> list[str]:
    import torch

    # By its own name: the first card that we see need not be the first of the machine.
    card = f"GPU-{torch.cuda.get_device_properties(0).uuid}"
    told = ["--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
    return ["nvidia-smi", "-i", card, *told, f"--loop-ms={_BETWEEN}"]
