"""Train a network for a task, in a folder, so that an interrupted training can be resumed.

During the training ``work/`` in that folder has the encoded examples and the checkpoints; it is
removed at the end. A training with other settings or other data has another key: it clears the
folder and starts anew.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from codeacumen.api import (
    Capability,
    CodeacumenError,
    HasCorpusFingerprints,
    Instance,
    Json,
    Metric,
    Task,
    get_fingerprint,
)
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.engines import Engine
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.catalogue import Plan, architecture
from codeacumen.models.neural.training.checkpoints import ABOUT, read_about, save
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.models.neural.training.preparing import (
    PRETRAIN,
    UNSAID,
    VOCABULARIES,
    Surroundings,
    encode,
    learn,
    prepare_questions,
    read,
    variants_hash,
)
from codeacumen.models.neural.training.settings import Tables, Training, filled

ANSWERS = "answers"
# Capabilities that a network can be trained for. One that judges names is trained to name.
TAUGHT = (Capability.CLASSIFY, Capability.GENERATE, Capability.NAME)
_KEY, _WORDS, _SIZES, _DATA = "key.json", "words", "sizes.json", "data.json"
# Files and folders of a finished training.
_LEFT = (
    ABOUT,
    ANSWERS,
    VOCABULARIES,
    "history.csv",
    "weights.safetensors",
    "report.html",
    "tensorboard",
)
# Folder of an unfinished training's files.
WORK = "work"
# Setting with the folder of a network to start from, and the file with its fingerprint.
START, STARTED = "start", "start.txt"


@dataclass(frozen=True, slots=True)
class Request:
    """A training to run.

    task       the task to learn; a ``JointTask`` for a network that learns several
    data       folder of the task's data set
    variants   folder of a data set with certified variants to learn from
    prepared   folder in which another training of this network prepared the same data
    limit      maximum number of training examples; 0: all
    prepare    stop before the training itself, which may then run on another machine
    answers    tasks to answer at the end, each with the folder of its data set
    """

    plan: Plan
    training: Training
    task: Task
    data: Path | None = None
    variants: Path | None = None
    prepared: Path | None = None
    limit: int = 0
    device: str = "auto"
    prepare: bool = False
    answers: tuple[tuple[Task, Path | None], ...] = ()


def request(
    name: str,
    tables: Tables,
    task: Task,
    *,
    pretrain: bool = False,
    start: str = "",
    **further: Any,
) -> Request:
    """Return a checked request for a training; ``start`` is the folder of a network to start from.

    ``options`` are further fields of ``TrainingRequest``.
    """
    kind = architecture(name)
    network = dict(tables["network"])
    if start:
        if START not in {one.name for one in fields(kind.Settings)}:
            raise CodeacumenError(
                f"{name} cannot start from another network", "transformer can, with --from DIR"
            )
        network[START] = start
    settings = filled(kind.Settings, network, f"{name}'s [network]")
    training = filled(Training, tables["training"], f"{name}'s [training]")
    served = task.card.name
    if not any(served == one or served.startswith(one + "/") for one in kind.serves):
        raise CodeacumenError(
            f"{name} cannot be trained for {served}", f"it serves {', '.join(kind.serves)}"
        )
    if pretrain and not kind.may_pretrain:
        raise CodeacumenError(f"{name} cannot be pre-trained", "transformer can")
    capability = Capability.GENERATE if pretrain else task.card.capability
    if capability not in TAUGHT:
        raise CodeacumenError(
            f"{name} cannot be taught to {capability}, which {served} requires",
            f"networks learn to {', '.join(TAUGHT)}; choose a task such as renames/recommend",
        )
    purpose = Purpose(PRETRAIN if pretrain else served, capability)
    for other, _ in further.get("answers", ()):
        if pretrain or not (kind.joint or other.card.capability is capability):
            raise CodeacumenError(
                f"{name} cannot answer {other.card.name} at the end",
                f"it is trained to {purpose.capability}; the task needs {other.card.capability}",
            )
    return Request(Plan(name, asdict(settings), purpose), training, task, **further)


def train(asked: Request, out: Path, engine: Engine, step: Progress) -> dict[str, Json]:
    """Train a network, write its folder, and return its ``model.json``."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not _is_ours(out):
        raise CodeacumenError(
            f"{out} is not empty and holds no network", "choose another folder with --out"
        )
    work = out / WORK
    # Data that were prepared with the corpus can be used where there is none: two keys match.
    keys = [key_of(asked, out), key_of(asked, out, whole=True)]
    if (out / ABOUT).is_file() and read_about(out).get("key") in keys:
        _remove(work)  # an interrupted removal may have left files
        return read_about(out)
    from codeacumen.models.neural.training.batches import device_of

    # Check the device before preparing data; prepared data may be used on another machine.
    device = "" if asked.prepare else device_of(asked.device)
    began = time.monotonic()
    prepared = _prepared(asked, out)
    begun = (work / _KEY).read_text() if (work / _KEY).is_file() else ""
    whole = bool(_beginning(asked) if prepared is None else prepared)
    key = keys[whole]
    if begun != key:
        _begin(out, key, keep=prepared is not None)
    sizes = _prepare(asked, out, engine, step)
    if asked.prepare:
        return {"prepared": sizes}
    from codeacumen.models.neural.answering import answer_file
    from codeacumen.models.neural.training.teaching import BOARD, HISTORY, teach

    made = asked.plan.make()
    made.load_vocabularies(work / VOCABULARIES)
    examples = EncodedFile(work / "train.arrow")
    made.before_teaching(examples, asked.training, work / "checkpoints", device)
    unsaid = EncodedFile(work / UNSAID) if (work / UNSAID).is_file() else None
    taught = teach(
        made,
        examples,
        EncodedFile(work / "dev.arrow"),
        asked.training,
        work / "checkpoints",
        device=asked.device,
        step=step,
        pretraining=asked.plan.purpose.task == PRETRAIN,
        unsaid=unsaid,
    )
    made.after_teaching(taught.network, examples, asked.training, device)
    for place, (other, _) in enumerate(asked.answers):
        questions = work / _questions(place)
        if questions.is_file():
            answer_file(
                made,
                taught.network,
                questions,
                out / ANSWERS / f"{other.card.name}.jsonl",
                batch=asked.training.batch,
                device=device,
            )
    taught.network.cpu()
    # copy2 keeps the time at which the last round ended.
    shutil.copy2(work / "checkpoints" / HISTORY, out / HISTORY)
    if (work / "checkpoints" / BOARD).is_dir():
        shutil.copytree(work / "checkpoints" / BOARD, out / BOARD, dirs_exist_ok=True)
    told = {
        "key": key,
        "start": start_of(asked, out),
        "training": asdict(asked.training),
        "data": {"sizes": sizes, **data_of(asked, whole)},
        "best": taught.best,
        "rounds": len(taught.history),
        "seconds": round(time.monotonic() - began, 1),
        "device": device,
    }
    # Without the folder of the network it started from: "start" has that network's fingerprint.
    settings = {key: "" if key == START else one for key, one in asked.plan.settings.items()}
    save(out, replace(asked.plan, settings=settings), made, taught.network, told)
    _remove(work)
    return read_about(out)


def _is_ours(out: Path) -> bool:
    """Return whether a folder has only files of a training, finished or interrupted."""
    ours = {WORK, *_LEFT}
    return all(file.name in ours or file.name.endswith(".part") for file in out.iterdir())


def _prepared(asked: Request, out: Path) -> bool | None:
    """Look in a folder for data that are prepared for this training.

    Return whether they were prepared with the corpus; None if there are none.
    """
    known = out / WORK / _DATA
    if known.is_file() and (out / WORK / _SIZES).is_file():
        for whole in (True, False):
            if known.read_text() == data_key(asked, out, whole):
                return whole
    return None


def _beginning(asked: Request) -> bool | None:
    """Check the folder of prepared data, or the network to start from, before files are removed.

    Return whether the data were prepared with the corpus; None without such a folder.
    """
    if asked.prepared is None:
        architecture(asked.plan.name).check_start(asked.plan.settings)
        return None
    found = _prepared(asked, asked.prepared)
    if found is None:
        raise CodeacumenError(
            f"{asked.prepared} holds nothing that was prepared for this training",
            "prepare data with the same network, tasks, data sets and --answer",
        )
    return found


def _remove(work: Path) -> None:
    """Remove the work folder, first the files that mark it as complete.

    An interrupted removal must not look complete.
    """
    for name in (_SIZES, _KEY):
        (work / name).unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def _begin(out: Path, key: str, keep: bool) -> None:
    """Remove the files of another training and write this training's key.

    With ``keep_prepared`` the encoded examples stay.
    """
    work = out / WORK
    for name in _LEFT:
        left = out / name
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    if keep:
        shutil.rmtree(work / "checkpoints", ignore_errors=True)
    else:
        _remove(work)
    work.mkdir(parents=True, exist_ok=True)
    write_atomically(work / _KEY, key.encode())


def _taken(asked: Request, work: Path) -> dict[str, Json]:
    """Copy data that another training prepared, and return their numbers of examples."""
    assert asked.prepared is not None
    there = asked.prepared / WORK
    for one in sorted(there.glob("*.arrow")):
        shutil.copyfile(one, work / one.name)
    shutil.copytree(there / VOCABULARIES, work / VOCABULARIES, dirs_exist_ok=True)
    if (there / STARTED).is_file():
        shutil.copyfile(there / STARTED, work / STARTED)
    sizes: dict[str, Json] = json.loads((there / _SIZES).read_bytes())
    write_atomically(work / _DATA, (there / _DATA).read_bytes())
    write_atomically(work / _SIZES, json.dumps(sizes).encode())
    return sizes


def _questions(place: int) -> str:
    """Return the name of the file of a task's encoded questions."""
    return f"questions-{place:03}.arrow"


def _prepare(asked: Request, out: Path, engine: Engine, step: Progress) -> dict[str, Json]:
    """Prepare the data if they are not, and return the splits' numbers of examples."""
    work = out / WORK
    if (work / _SIZES).is_file():
        sizes: dict[str, Json] = json.loads((work / _SIZES).read_bytes())
        return sizes
    if asked.prepared is not None:
        return _taken(asked, work)
    kind = architecture(asked.plan.name)
    write_atomically(work / STARTED, start_of(asked, out).encode())

    def around(task: Task, data: Path | None, variants: Path | None) -> Surroundings | None:
        here = kind.looks and data is not None
        return Surroundings(data, task.card.name, variants) if here and data else None

    parts = asked.task.parts if isinstance(asked.task, Joint) else [(asked.task, asked.data)]
    tasks = [(task, around(task, data, asked.variants)) for task, data in parts]
    found = read(asked.plan, tasks, work / _WORDS, engine, step, most=asked.limit)
    made = asked.plan.make()
    learn(made, found["counts"], work / VOCABULARIES)
    kept = encode(asked.plan, work / _WORDS, work / VOCABULARIES, work, engine, step)
    shutil.rmtree(work / _WORDS)
    for place, (other, data) in enumerate(asked.answers):
        prepare_questions(
            asked.plan,
            other,
            work / VOCABULARIES,
            work / _questions(place),
            engine,
            step,
            around(other, data, None),
        )
    sizes = {split: {**told, "kept": kept[split]} for split, told in found["sizes"].items()}
    write_atomically(work / _DATA, data_key(asked, out).encode())
    write_atomically(work / _SIZES, json.dumps(sizes).encode())
    return sizes


# ---------------------------------------------------------------- keys of trainings and data


def _known(task: Task, looks: bool, whole: bool) -> str:
    """Return the fingerprint of a task's data.

    A network that does not use a method's context has the same data with and without the corpus.
    For others, ``with_corpus`` gives the fingerprint of the data with the corpus, even if the
    corpus is not available.
    """
    if not looks and isinstance(task, HasCorpusFingerprints):
        return task.examples_fingerprint
    return _get_whole_fingerprint(task) if looks and whole else get_fingerprint(task)


def _get_whole_fingerprint(task: Task) -> str:
    """Return the fingerprint of a task's data with the corpus."""
    own = task.whole_fingerprint if isinstance(task, HasCorpusFingerprints | Joint) else ""
    return own or get_fingerprint(task)


def data_of(asked: Request, whole: bool = False) -> dict[str, Json]:
    """Return the description of a training's data for its ``model.json``."""
    task, looks = asked.task, architecture(asked.plan.name).looks
    return {
        "task": task.card.name,
        "version": task.card.version,
        "fingerprint": _known(task, looks, whole),
        "limit": asked.limit,
        **({"variants": variants_hash(asked.variants)} if asked.variants else {}),
    }


def key_of(asked: Request, out: Path, whole: bool = False) -> str:
    """Return the hash of everything that determines the weights.

    The device, the number of workers and the maximum duration are not in it, so that a training can
    resume on another machine.
    """
    training = replace(asked.training, workers=0, minutes=0.0)
    return _hash(
        {
            "plan": _plan(asked, asked.plan.settings),
            "training": asdict(training),
            "data": data_of(asked, whole),
            "start": start_of(asked, out),
            "answers": _asked_later(asked, whole),
        }
    )


def data_key(asked: Request, out: Path, whole: bool = False) -> str:
    """Return the hash of everything that determines the prepared data."""
    free = architecture(asked.plan.name).after_reading
    settings = {key: value for key, value in asked.plan.settings.items() if key not in free}
    return _hash(
        {
            "plan": _plan(asked, settings),
            "data": data_of(asked, whole),
            "start": start_of(asked, out),
            "answers": _asked_later(asked, whole),
        }
    )


def _hash(known: Json) -> str:
    """Return the SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()


def _plan(asked: Request, settings: Mapping[str, Any]) -> dict[str, Json]:
    """Return a plan for a key, without the folder to start from: the key has its fingerprint."""
    kept = {key: value for key, value in settings.items() if key != START}
    return {"name": asked.plan.name, "settings": kept, "purpose": asdict(asked.plan.purpose)}


def _asked_later(asked: Request, whole: bool) -> list[list[str]]:
    """Return names and fingerprints of the tasks to answer at the end."""
    looks = architecture(asked.plan.name).looks
    return [[one.card.name, _known(one, looks, whole)] for one, _ in asked.answers]


def start_of(asked: Request, out: Path) -> str:
    """Return the fingerprint of the network to start from, "" if there is none.

    The folder's name does not identify it: the folder may be overwritten, or be missing on the
    machine where the training resumes. There the recorded fingerprint is used.
    """
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
    """Return the fingerprint that was recorded when the data were prepared."""
    kept = out / WORK / STARTED
    if kept.is_file():
        return kept.read_text()
    return str(read_about(out).get("start", "")) if (out / ABOUT).is_file() else ""


# ---------------------------------------------------------------- several tasks as one


class Joint:
    """Several tasks as one, for a network that learns them together.

    ``parts`` are the tasks, each with the folder of its data set. A joint task is only for
    training; it has no instances.
    """

    metric: Metric

    def __init__(self, parts: Sequence[tuple[Task, Path | None]]) -> None:
        if not parts:
            raise CodeacumenError("there is no task to train for", "name one: -t gluecode@DIR")
        self.parts = tuple(parts)
        first = parts[0][0]
        families = {task.card.name.partition("/")[0] for task, _ in parts}
        self.card = replace(
            first.card, name="+".join(sorted(families)), capability=Capability.GENERATE
        )
        self.metric = first.metric

    def instances(self) -> Sequence[Instance]:
        return ()

    @property
    def fingerprint(self) -> str:
        """Hash of the fingerprints of its tasks."""
        return _combine_hashes(get_fingerprint(task) for task, _ in self.parts)

    @property
    def whole_fingerprint(self) -> str:
        """Hash of the fingerprints that its tasks have with their corpora."""
        return _combine_hashes(_get_whole_fingerprint(task) for task, _ in self.parts)


def _combine_hashes(hashes: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()
