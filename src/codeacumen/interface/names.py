"""Check method names, suggest names for a method, and compare identifiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import (
    Capability,
    CodeacumenError,
    Learner,
    Model,
    Pair,
    Prepares,
    UsesContext,
    get_batch_size,
)
from codeacumen.core.progress import Progress, show_progress
from codeacumen.engines import start_engine
from codeacumen.registry import LoadedModel

if TYPE_CHECKING:
    from codeacumen.checker.calibrate import Calibration, Point
    from codeacumen.checker.check import Report
    from codeacumen.checker.suggest import SuggestedNames

# The model that ``compare_names`` uses unless the caller names another.
COMPARING_MODEL = "codeacumen-names"
# Values of ``Pair.relation``.
SIMILAR, RELATED = "similar", "related"


def check_names(
    paths: str | Path | Sequence[str | Path] = ".",
    *,
    since: str = "",
    staged: bool = False,
    threshold: float | None = None,
    fail_on: str | None = None,
    baseline: str | Path | None = None,
    use_baseline: bool = True,
    config: str | Path | None = None,
    background: str | Path | None = None,
    workers: int = 0,
    progress: bool = True,
) -> Report:
    """Find the methods of Java projects whose names are probably wrong.

    ``paths`` are folders or files; the model learns from the whole project around them.
    ``since`` and ``staged`` judge only methods that changed since a revision, or that the next
    commit changes. Settings that are None are those of the project's ``.codeacumen.toml`` or
    ``pyproject.toml``, or of the file ``config``. ``threshold`` is the probability from which on a
    finding is reported; ``fail_on`` is ``never``, ``finding``, or a probability as text, and
    decides ``failed`` of the report. ``baseline`` is a file of known findings, which are not
    reported; ``use_baseline=False`` reports them, too. ``background`` is the file of a model of
    names in other projects, or ``none``.

    The report has ``findings``, each with ``path``, ``place``, ``method``, ``probability``,
    ``evidence`` and ``suggestions``; ``reported`` are those that nothing suppresses, and
    ``problems`` are files that could not be read.
    """
    from codeacumen.checker.check import CheckRequest, run_check
    from codeacumen.checker.settings import find_settings, override_settings, parse_fail_on
    from codeacumen.core.home import codeacumen_home

    several = [paths] if isinstance(paths, str | Path) else paths
    places = tuple(Path(path) for path in several) or (Path(),)
    if threshold is not None and not 0 <= threshold <= 1:
        raise CodeacumenError(f"the threshold is {threshold}", "it must be from 0 to 1")
    if since and staged:
        raise CodeacumenError("since and staged exclude each other", "choose one")
    settings = override_settings(
        find_settings(places[0], None if config is None else Path(config)),
        threshold=threshold,
        fail_on=None if fail_on is None else parse_fail_on(fail_on),
        baseline=None if baseline is None else Path(baseline),
        background=None if background is None else str(background),
    )
    if not use_baseline:
        from dataclasses import replace

        settings = replace(settings, baseline=None)
    request = CheckRequest(places, settings, since, staged)
    with show_progress(progress) as report_progress:
        return run_check(
            request, codeacumen_home(), lambda: start_engine("local", workers), report_progress
        )


def suggest_names(
    method: str,
    *,
    limit: int = 5,
    config: str | Path | None = None,
    background: str | Path | None = None,
    workers: int = 0,
    progress: bool = True,
) -> SuggestedNames:
    """Return names for a method, best first, by what the checker learns of its project.

    ``method`` is ``FILE.java:LINE`` or ``FILE.java:NAME``. ``suggestions.names`` of the result are
    at most ``limit`` names, each with a confidence and reasons; ``verdict`` is the checker's
    verdict on the name that the method has, None without evidence against it.
    """
    from codeacumen.checker.settings import find_settings, override_settings
    from codeacumen.checker.suggest import split_reference, suggest_for_method
    from codeacumen.core.home import codeacumen_home

    file, _ = split_reference(method)
    settings = override_settings(
        find_settings(file, None if config is None else Path(config)),
        background=None if background is None else str(background),
    )
    with show_progress(progress) as report_progress:
        return suggest_for_method(
            method,
            settings,
            limit,
            codeacumen_home(),
            lambda: start_engine("local", workers),
            report_progress,
        )


@dataclass(frozen=True, slots=True)
class NamePair:
    """A model's scores of two identifiers, on the model's own scale; None where it has no answer.

    ``similarity``: could one name stand for the other? ``relatedness``: do they belong to the same
    topic? A model that does not distinguish the two returns the same value for both.
    """

    left: str
    right: str
    similarity: float | None
    relatedness: float | None


def compare_names(
    names: Sequence[str], model: str | Model | LoadedModel = COMPARING_MODEL
) -> list[NamePair]:
    """Return how similar and how related each pair of distinct identifiers is, in their order.

    ``model`` is a name or an object with the capability ``similarity`` or ``embed``.
    """
    from codeacumen.interface.catalogue import load_model
    from codeacumen.models.adapters import (
        MODEL_ERRORS,
        ask_each,
        ask_through,
        find_route,
        list_capabilities,
        to_finite_number,
    )

    distinct = list(dict.fromkeys(names))
    if len(distinct) < 2:
        raise CodeacumenError("two different names are needed to compare", "name another one")
    loaded = load_model(model)
    asked_model = loaded.model
    if isinstance(asked_model, Learner):
        raise CodeacumenError(
            f"{loaded.reference} learns from the labels of a task",
            f"choose a model that needs none, such as {COMPARING_MODEL}",
        )
    if find_route(list_capabilities(asked_model), Capability.SIMILARITY) is None:
        raise CodeacumenError(
            f"{loaded.reference} cannot compare identifiers",
            "it needs the capability similarity or embed; `codeacumen models list` lists models",
        )
    similarity = ask_through(asked_model, Capability.SIMILARITY)
    if isinstance(asked_model, Prepares):
        asked_model.prepare(sorted(distinct))
    if isinstance(asked_model, UsesContext):
        asked_model.use_context(None)
    pairs = list(combinations(distinct, 2))
    questions = [
        Pair(left, right, relation) for left, right in pairs for relation in (SIMILAR, RELATED)
    ]
    answers = ask_each(similarity, questions, get_batch_size(asked_model))
    values: list[float | None] = []
    for question, answer in zip(questions, answers, strict=True):
        try:
            if isinstance(answer, BaseException):
                raise answer
            values.append(None if answer is None else to_finite_number(answer))
        except MODEL_ERRORS as error:
            raise CodeacumenError(
                f"{loaded.reference} failed on {question.left}, {question.right}: {error}",
                "compare the names with another model: --model",
            ) from error
    # Two values for each pair: similarity, relatedness.
    return [
        NamePair(left, right, values[2 * i], values[2 * i + 1])
        for i, (left, right) in enumerate(pairs)
    ]


@dataclass(frozen=True, slots=True)
class CheckerCalibration:
    """The checker measured on a repository.

    ``calibration`` has the curve and the chosen threshold, ``points`` are the results at round
    thresholds, and ``left_out`` counts the renames that were left out, by the tag that was the
    reason.
    """

    calibration: Calibration
    points: list[Point]
    left_out: Counter[str]


def calibrate_checker(
    repository: str | Path,
    *,
    precision: float = 0.8,
    mined: str | Path | None = None,
    background: str | None = None,
    workers: int = 0,
    progress: bool = True,
) -> CheckerCalibration:
    """Measure the checker on the methods that a repository renamed.

    ``calibration.chosen`` is the point with the greatest recall among those that reach
    ``precision``; None if none does, or if there are too few renames. ``mined`` is a folder that
    ``mine_renames`` wrote; without it the history is mined into codeacumen's own folder.
    """
    from codeacumen.checker.calibrate import (
        calibrate_threshold,
        judge_cases,
        load_cases,
        tabulate_points,
    )
    from codeacumen.checker.settings import find_settings

    folder = Path(repository)
    chosen_background = find_settings(folder).background if background is None else background
    with show_progress(progress) as report_progress:
        renames = (
            Path(mined) if mined is not None else _mine_repository(folder, workers, report_progress)
        )
        cases = load_cases(renames)
        judgements = judge_cases(folder, cases.cases, chosen_background, report_progress)
    return CheckerCalibration(
        calibrate_threshold(judgements, precision), tabulate_points(judgements), cases.excluded_tags
    )


def _mine_repository(repository: Path, workers: int, progress: Progress) -> Path:
    """Mine a history into codeacumen's own folder and return that folder.

    The next time, only new commits are read.
    """
    from codeacumen.checker.index import MethodIndex
    from codeacumen.core.home import codeacumen_home
    from codeacumen.renames.mining import RenameMiningSettings, mine_repositories

    index = MethodIndex(codeacumen_home(), repository)
    index.close()
    folder = index.folder / "renames"
    mine_repositories(
        [repository], folder, RenameMiningSettings(), start_engine("local", workers), progress
    )
    return folder
