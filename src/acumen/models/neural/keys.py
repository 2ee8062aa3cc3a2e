"""What a training is known by, so that one that is begun again goes on with what is its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.api import Json, Task
from acumen.models.neural.catalogue import architecture
from acumen.models.neural.exported import ABOUT, read_about
from acumen.models.neural.variants import variants_hash

if TYPE_CHECKING:
    from acumen.models.neural.train import Request

# Where a training works, in its folder.
WORK = "work"
# The setting that names a folder to begin from, and what that held.
START, STARTED = "start", "start.txt"


def _known(task: Task, looks: bool, whole: bool) -> str:
    """What a task's data are known by. Who does not look around a method does not hang on whether
    there is something to be seen. ``whole``: as if the corpus were at hand."""
    seen = str(getattr(task, "fingerprint", ""))
    if not looks:
        return str(getattr(task, "examples_fingerprint", seen))
    return str(getattr(task, "whole_fingerprint", seen)) if whole else seen


def data_of(asked: Request, whole: bool = False) -> dict[str, Json]:
    """The data of a training, as its ``model.json`` names them."""
    task, looks = asked.task, architecture(asked.plan.name).looks
    return {
        "task": task.card.name,
        "version": task.card.version,
        "fingerprint": _known(task, looks, whole),
        "most": asked.most,
        **({"variants": variants_hash(asked.variants)} if asked.variants else {}),
    }


def key_of(asked: Request, out: Path, whole: bool = False) -> str:
    """Everything the weights hang on. Where they are computed, and for how long at most, is not
    in it: a training may go on on another machine."""
    training = replace(asked.training, workers=0, minutes=0.0)
    return _hash({
        "plan": _plan(asked, asked.plan.settings),
        "training": asdict(training),
        "data": data_of(asked, whole),
        "start": start_of(asked, out),
        "answers": _asked_later(asked, whole),
    })  # fmt: skip


def data_key(asked: Request, out: Path, whole: bool = False) -> str:
    """Everything that what is prepared hangs on."""
    free = architecture(asked.plan.name).after_reading
    settings = {key: value for key, value in asked.plan.settings.items() if key not in free}
    return _hash({
        "plan": _plan(asked, settings),
        "data": data_of(asked, whole),
        "start": start_of(asked, out),
        "answers": _asked_later(asked, whole),
    })  # fmt: skip


def _hash(known: Json) -> str:
    return hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()


def _plan(asked: Request, settings: Mapping[str, Any]) -> dict[str, Json]:
    """Without the folder that it starts from: what lies in it counts."""
    kept = {key: value for key, value in settings.items() if key != START}
    return {"name": asked.plan.name, "settings": kept, "purpose": asdict(asked.plan.purpose)}


def _asked_later(asked: Request, whole: bool) -> list[list[str]]:
    looks = architecture(asked.plan.name).looks
    return [[one.card.name, _known(one, looks, whole)] for one, _ in asked.answers]


def start_of(asked: Request, out: Path) -> str:
    """What a network that is begun from is known by: its folder may hold another one tomorrow, or
    not be there where the training goes on."""
    named = str(asked.plan.settings.get(START, ""))
    folder = Path(named).expanduser()
    if not named:
        return ""
    if not folder.is_dir():
        return _recorded_start(asked.prepared or out)
    if (folder / ABOUT).is_file():
        return str(read_about(folder)["weights_sha256"])
    known = hashlib.sha256()
    for file in sorted(one for one in folder.iterdir() if one.is_file()):
        known.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return known.hexdigest()


def _recorded_start(out: Path) -> str:
    """What it was when this was prepared, or trained."""
    kept = out / WORK / STARTED
    if kept.is_file():
        return kept.read_text()
    return str(read_about(out).get("start", "")) if (out / ABOUT).is_file() else ""
