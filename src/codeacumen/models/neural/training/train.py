"""Train a network for a task, in a folder, so that an interrupted training can be resumed.

``requests`` makes the requests, and ``interface.training`` runs them. During the training ``work/``
in that folder has the encoded examples and the checkpoints; it is removed at the end. A training
with other settings or other data has another key: it clears the folder and starts anew.
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
from codeacumen.models.neural.catalogue import NetworkPlan, load_architecture
from codeacumen.models.neural.training.checkpoints import ABOUT, read_model_json, save_network
from codeacumen.models.neural.training.encoded_file import EncodedFile
from codeacumen.models.neural.training.prepare import (
    PRETRAIN,
    UNANSWERABLE_FILE,
    VOCABULARIES,
    ContextSource,
    encode_splits,
    get_variants_hash,
    learn_and_save_vocabularies,
    prepare_questions,
    read_splits,
)
from codeacumen.models.neural.training.settings import Tables, TrainingSettings, fill_settings

# Folder of the trained network's answers, with a file for each task of the request.
ANSWERS = "answers"
# Capabilities that a network can be trained for. One that judges names is trained to name.
TRAINABLE_CAPABILITIES = (Capability.CLASSIFY, Capability.GENERATE, Capability.NAME)
# In ``work/``: key of the training, folder of the extracted features, numbers of examples (written
# last, so this file marks the data as complete), and key of the data. Both keys are plain text.
_KEY, _WORDS, _SIZES, _DATA = "key.json", "words", "sizes.json", "data.json"
# Files and folders of a finished training.
_RESULT_FILES = (
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
START_SETTING, START_FINGERPRINT_FILE = "start", "start.txt"


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """A training to run.

    plan       network, settings and purpose
    training   settings of the training
    task       the task to learn; a ``JointTask`` for a network that learns several
    data       folder of the task's data set
    variants   folder of a data set with certified variants to learn from
    prepared   folder in which another training of this network prepared the same data
    limit      maximum number of training examples of each task; 0: all
    device     "auto", "cpu" or "cuda"
    prepare    stop before the training itself, which may then run on another machine
    answers    tasks to answer at the end, each with the folder of its data set
    """

    plan: NetworkPlan
    training: TrainingSettings
    task: Task
    data: Path | None = None
    variants: Path | None = None
    prepared: Path | None = None
    limit: int = 0
    device: str = "auto"
    prepare: bool = False
    answers: tuple[tuple[Task, Path | None], ...] = ()


def make_request(
    name: str,
    tables: Tables,
    task: Task,
    *,
    pretrain: bool = False,
    start: str = "",
    **options: Any,
) -> TrainingRequest:
    """Return a request for a training, or raise an error if the network cannot be so trained.

    ``name`` and ``tables`` are the network and its configuration, ``start`` is the folder of a
    network to start from, and ``options`` are further fields of ``TrainingRequest``.
    """
    architecture_class = load_architecture(name)
    network = dict(tables["network"])
    if start:
        if START_SETTING not in {field.name for field in fields(architecture_class.Settings)}:
            raise CodeacumenError(
                f"{name} cannot start from another network", "transformer can, with --from DIR"
            )
        network[START_SETTING] = start
    settings = fill_settings(architecture_class.Settings, network, f"{name}'s [network]")
    training = fill_settings(TrainingSettings, tables["training"], f"{name}'s [training]")
    task_name = task.card.name
    if not any(
        task_name == prefix or task_name.startswith(prefix + "/")
        for prefix in architecture_class.task_prefixes
    ):
        raise CodeacumenError(
            f"{name} cannot be trained for {task_name}",
            f"it serves {', '.join(architecture_class.task_prefixes)}",
        )
    if pretrain and not architecture_class.supports_pretraining:
        raise CodeacumenError(f"{name} cannot be pre-trained", "transformer can")
    capability = Capability.GENERATE if pretrain else task.card.capability
    if capability not in TRAINABLE_CAPABILITIES:
        raise CodeacumenError(
            f"{name} cannot be taught to {capability}, which {task_name} requires",
            f"networks learn to {', '.join(TRAINABLE_CAPABILITIES)}; choose a task such as "
            "renames/recommend",
        )
    purpose = Purpose(PRETRAIN if pretrain else task_name, capability)
    for answered_task, _ in options.get("answers", ()):
        if pretrain or not (
            architecture_class.task_column or answered_task.card.capability is capability
        ):
            raise CodeacumenError(
                f"{name} cannot answer {answered_task.card.name} at the end",
                f"it is trained to {purpose.capability}; the task needs "
                f"{answered_task.card.capability}",
            )
    return TrainingRequest(NetworkPlan(name, asdict(settings), purpose), training, task, **options)


def run_training(
    request: TrainingRequest, out: Path, engine: Engine, step: Progress
) -> dict[str, Json]:
    """Train a network, write its folder ``out``, and return its ``model.json``.

    If the request only prepares data, return the numbers of examples under "prepared". ``step``
    reports progress.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not _is_training_folder(out):
        raise CodeacumenError(
            f"{out} is not empty and holds no network", "choose another folder with --out"
        )
    work = out / WORK
    # Data that were prepared with the corpus, which has the code around the methods, can be used on
    # a machine without it. So both the key without (index 0) and with the corpus (1) are valid.
    keys = [
        compute_training_key(request, out),
        compute_training_key(request, out, with_corpus=True),
    ]
    if (out / ABOUT).is_file() and read_model_json(out).get("key") in keys:
        _remove_work(work)  # an interrupted removal may have left files
        return read_model_json(out)
    from codeacumen.models.neural.training.batches import choose_device

    # Check the device before preparing data; prepared data may be used on another machine.
    device = "" if request.prepare else choose_device(request.device)
    started = time.monotonic()
    prepared = _find_prepared(request, out)
    recorded_key = (work / _KEY).read_text() if (work / _KEY).is_file() else ""
    with_corpus = bool(_check_prepared_source(request) if prepared is None else prepared)
    key = keys[with_corpus]
    if recorded_key != key:
        _start_anew(out, key, keep_prepared=prepared is not None)
    sizes = _prepare_data(request, out, engine, step)
    if request.prepare:
        return {"prepared": sizes}
    from codeacumen.models.neural.predict import answer_file
    from codeacumen.models.neural.training.fit import HISTORY, TENSORBOARD_DIR, fit_network

    architecture = request.plan.build_architecture()
    architecture.load_vocabularies(work / VOCABULARIES)
    examples = EncodedFile(work / "train.arrow")
    architecture.before_training(examples, request.training, work / "checkpoints", device)
    unanswerable = (
        EncodedFile(work / UNANSWERABLE_FILE) if (work / UNANSWERABLE_FILE).is_file() else None
    )
    trained = fit_network(
        architecture,
        examples,
        EncodedFile(work / "dev.arrow"),
        request.training,
        work / "checkpoints",
        device=request.device,
        step=step,
        pretraining=request.plan.purpose.task == PRETRAIN,
        unanswerable=unanswerable,
    )
    architecture.after_training(trained.network, examples, request.training, device)
    for index, (answered_task, _) in enumerate(request.answers):
        questions = work / _name_question_file(index)
        if questions.is_file():
            answer_file(
                architecture,
                trained.network,
                questions,
                out / ANSWERS / f"{answered_task.card.name}.jsonl",
                batch_size=request.training.batch,
                device=device,
            )
    trained.network.cpu()
    # copy2 keeps the time at which the last round ended.
    shutil.copy2(work / "checkpoints" / HISTORY, out / HISTORY)
    if (work / "checkpoints" / TENSORBOARD_DIR).is_dir():
        shutil.copytree(
            work / "checkpoints" / TENSORBOARD_DIR, out / TENSORBOARD_DIR, dirs_exist_ok=True
        )
    record = {
        "key": key,
        "start": fingerprint_start(request, out),
        "training": asdict(request.training),
        "data": {"sizes": sizes, **describe_data(request, with_corpus)},
        "best": trained.best,
        "rounds": len(trained.history),
        "seconds": round(time.monotonic() - started, 1),
        "device": device,
    }
    # Without the folder of the network it started from: "start" has that network's fingerprint.
    settings = {
        key: "" if key == START_SETTING else value for key, value in request.plan.settings.items()
    }
    save_network(
        out, replace(request.plan, settings=settings), architecture, trained.network, record
    )
    _remove_work(work)
    return read_model_json(out)


def _is_training_folder(out: Path) -> bool:
    """Return whether a folder has only files of a training, finished or interrupted."""
    own_names = {WORK, *_RESULT_FILES}
    return all(file.name in own_names or file.name.endswith(".part") for file in out.iterdir())


def _find_prepared(request: TrainingRequest, out: Path) -> bool | None:
    """Look in a folder for data that are prepared for this training.

    Return True if the data were prepared with the corpus, False if without, and None if there are
    none.
    """
    key_file = out / WORK / _DATA
    if key_file.is_file() and (out / WORK / _SIZES).is_file():
        for with_corpus in (True, False):
            if key_file.read_text() == compute_data_key(request, out, with_corpus):
                return with_corpus
    return None


def _check_prepared_source(request: TrainingRequest) -> bool | None:
    """Check the folder of prepared data, or the network to start from, before files are removed.

    Return the result of ``_find_prepared`` for that folder; None if the request names none.
    """
    if request.prepared is None:
        load_architecture(request.plan.name).check_start(request.plan.settings)
        return None
    with_corpus = _find_prepared(request, request.prepared)
    if with_corpus is None:
        raise CodeacumenError(
            f"{request.prepared} holds nothing that was prepared for this training",
            "prepare data with the same network, tasks, data sets and --answer",
        )
    return with_corpus


def _remove_work(work: Path) -> None:
    """Remove the work folder, first the files that mark it as complete.

    An interrupted removal must not look complete.
    """
    for name in (_SIZES, _KEY):
        (work / name).unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def _start_anew(out: Path, key: str, keep_prepared: bool) -> None:
    """Remove the files of another training and write this training's key.

    With ``keep_prepared`` the encoded examples stay.
    """
    work = out / WORK
    for name in _RESULT_FILES:
        path = out / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if keep_prepared:
        shutil.rmtree(work / "checkpoints", ignore_errors=True)
    else:
        _remove_work(work)
    work.mkdir(parents=True, exist_ok=True)
    write_atomically(work / _KEY, key.encode())


def _copy_prepared(request: TrainingRequest, work: Path) -> dict[str, Json]:
    """Copy data that another training prepared, and return each split's numbers of examples."""
    assert request.prepared is not None
    source = request.prepared / WORK
    for file in sorted(source.glob("*.arrow")):
        shutil.copyfile(file, work / file.name)
    shutil.copytree(source / VOCABULARIES, work / VOCABULARIES, dirs_exist_ok=True)
    if (source / START_FINGERPRINT_FILE).is_file():
        shutil.copyfile(source / START_FINGERPRINT_FILE, work / START_FINGERPRINT_FILE)
    sizes: dict[str, Json] = json.loads((source / _SIZES).read_bytes())
    write_atomically(work / _DATA, (source / _DATA).read_bytes())
    write_atomically(work / _SIZES, json.dumps(sizes).encode())
    return sizes


def _name_question_file(index: int) -> str:
    """Return the file name of encoded questions; ``index`` is that of their task in ``answers``."""
    return f"questions-{index:03}.arrow"


def _prepare_data(
    request: TrainingRequest, out: Path, engine: Engine, step: Progress
) -> dict[str, Json]:
    """Prepare the data if they are not prepared, and return each split's numbers of examples.

    A split has the numbers of all examples (``examples``), of those with features (``read``), and
    of those that are encoded (``kept``).
    """
    work = out / WORK
    if (work / _SIZES).is_file():
        sizes: dict[str, Json] = json.loads((work / _SIZES).read_bytes())
        return sizes
    if request.prepared is not None:
        return _copy_prepared(request, work)
    architecture_class = load_architecture(request.plan.name)
    write_atomically(work / START_FINGERPRINT_FILE, fingerprint_start(request, out).encode())

    def make_context_source(
        task: Task, data: Path | None, variants: Path | None
    ) -> ContextSource | None:
        has_context = architecture_class.needs_context and data is not None
        return ContextSource(data, task.card.name, variants) if has_context and data else None

    parts = (
        request.task.parts
        if isinstance(request.task, JointTask)
        else [(request.task, request.data)]
    )
    tasks = [(task, make_context_source(task, data, request.variants)) for task, data in parts]
    words = read_splits(
        request.plan, tasks, work / _WORDS, engine, step, max_examples=request.limit
    )
    architecture = request.plan.build_architecture()
    learn_and_save_vocabularies(architecture, words["counts"], work / VOCABULARIES)
    example_counts = encode_splits(
        request.plan, work / _WORDS, work / VOCABULARIES, work, engine, step
    )
    shutil.rmtree(work / _WORDS)
    for index, (answered_task, data) in enumerate(request.answers):
        prepare_questions(
            request.plan,
            answered_task,
            work / VOCABULARIES,
            work / _name_question_file(index),
            engine,
            step,
            make_context_source(answered_task, data, None),
        )
    sizes = {
        split: {**split_sizes, "kept": example_counts[split]}
        for split, split_sizes in words["sizes"].items()
    }
    write_atomically(work / _DATA, compute_data_key(request, out).encode())
    write_atomically(work / _SIZES, json.dumps(sizes).encode())
    return sizes


# ---------------------------------------------------------------- keys of trainings and data


def _fingerprint_task(task: Task, needs_context: bool, with_corpus: bool) -> str:
    """Return the fingerprint of a task's data.

    A network that does not use a method's context has the same data with and without the corpus.
    For other networks, ``with_corpus`` selects the fingerprint of the data with the corpus, even if
    the corpus is not available.
    """
    if not needs_context and isinstance(task, HasCorpusFingerprints):
        return task.examples_fingerprint
    return _get_corpus_fingerprint(task) if needs_context and with_corpus else get_fingerprint(task)


def _get_corpus_fingerprint(task: Task) -> str:
    """Return the fingerprint of a task's data with the corpus."""
    corpus_fingerprint = (
        task.whole_fingerprint if isinstance(task, HasCorpusFingerprints | JointTask) else ""
    )
    return corpus_fingerprint or get_fingerprint(task)


def describe_data(request: TrainingRequest, with_corpus: bool = False) -> dict[str, Json]:
    """Return the description of a training's data for its ``model.json``."""
    task, needs_context = request.task, load_architecture(request.plan.name).needs_context
    return {
        "task": task.card.name,
        "version": task.card.version,
        "fingerprint": _fingerprint_task(task, needs_context, with_corpus),
        "limit": request.limit,
        **({"variants": get_variants_hash(request.variants)} if request.variants else {}),
    }


def compute_training_key(request: TrainingRequest, out: Path, with_corpus: bool = False) -> str:
    """Return the hash of everything that determines the weights.

    The device, the number of workers and the maximum duration are not in it, so that a training can
    resume on another machine.
    """
    training = replace(request.training, workers=0, minutes=0.0)
    return _hash_json(
        {
            "plan": _plan_to_json(request, request.plan.settings),
            "training": asdict(training),
            "data": describe_data(request, with_corpus),
            "start": fingerprint_start(request, out),
            "answers": _list_answered_tasks(request, with_corpus),
        }
    )


def compute_data_key(request: TrainingRequest, out: Path, with_corpus: bool = False) -> str:
    """Return the hash of everything that determines the prepared data."""
    ignored_keys = load_architecture(request.plan.name).settings_after_encoding
    settings = {
        key: value for key, value in request.plan.settings.items() if key not in ignored_keys
    }
    return _hash_json(
        {
            "plan": _plan_to_json(request, settings),
            "data": describe_data(request, with_corpus),
            "start": fingerprint_start(request, out),
            "answers": _list_answered_tasks(request, with_corpus),
        }
    )


def _hash_json(value: Json) -> str:
    """Return the SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _plan_to_json(request: TrainingRequest, settings: Mapping[str, Any]) -> dict[str, Json]:
    """Return the plan with ``settings`` for a key, without the folder of the network to start from.

    The key has that network's fingerprint instead.
    """
    own_settings = {key: value for key, value in settings.items() if key != START_SETTING}
    return {
        "name": request.plan.name,
        "settings": own_settings,
        "purpose": asdict(request.plan.purpose),
    }


def _list_answered_tasks(request: TrainingRequest, with_corpus: bool) -> list[list[str]]:
    """Return names and fingerprints of the tasks to answer at the end."""
    needs_context = load_architecture(request.plan.name).needs_context
    return [
        [task.card.name, _fingerprint_task(task, needs_context, with_corpus)]
        for task, _ in request.answers
    ]


def fingerprint_start(request: TrainingRequest, out: Path) -> str:
    """Return the fingerprint of the network to start from, "" if there is none.

    The folder's name does not identify the network: the folder may be overwritten, or be missing on
    the machine where the training resumes. There the recorded fingerprint is used.
    """
    start_folder = str(request.plan.settings.get(START_SETTING, ""))
    folder = Path(start_folder).expanduser()
    if not start_folder:
        return ""
    if not folder.is_dir():
        return _read_recorded_start(request.prepared or out)
    if (folder / ABOUT).is_file():
        return str(read_model_json(folder)["weights_sha256"])
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _read_recorded_start(out: Path) -> str:
    """Return the fingerprint that was recorded when the data were prepared, "" if there is none."""
    file = out / WORK / START_FINGERPRINT_FILE
    if file.is_file():
        return file.read_text()
    return str(read_model_json(out).get("start", "")) if (out / ABOUT).is_file() else ""


# ---------------------------------------------------------------- several tasks as one


class JointTask:
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
        """Hash of the fingerprints of the tasks."""
        return _combine_hashes(get_fingerprint(task) for task, _ in self.parts)

    @property
    def whole_fingerprint(self) -> str:
        """Hash of the fingerprints that the tasks have with their corpora."""
        return _combine_hashes(_get_corpus_fingerprint(task) for task, _ in self.parts)


def _combine_hashes(hashes: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()
