"""Compare models by paired tests on identical instances.

For each task, models are scored on the instances that all of them answer (a metric may also count
missing answers, as ``Metric.unanswered``). Every pair is tested
(McNemar's exact test for plain accuracies, paired bootstrap otherwise), p-values are corrected by
Holm's method over all pairs of the task, and models without a significant difference share a tie
group, which is printed as a letter. The answers come from runs on disk or from models.

A unit is a cluster of instances, or an instance if there are no clusters. Draws are the values of a
metric in the bootstrap resamples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import Answer, CodeacumenError, EvaluationSet, Instance, Metric, Run, Task
from codeacumen.datasets.built import PROVENANCE_KEY, load_run_datasets
from codeacumen.registry import make_task
from codeacumen.runs.plan import PlannedTask
from codeacumen.runs.results import find_results, read_cell_answers, read_run
from codeacumen.runs.scoring import (
    Observations,
    ScoringSettings,
    observe_answers,
    postprocess_answers,
)
from codeacumen.runs.statistics import (
    MAX_UNDEFINED,
    apply_holm_correction,
    bootstrap_p,
    compute_replicates,
    compute_statistic,
    count_units,
    mcnemar_p,
    number_clusters,
    smallest_visible,
)

if TYPE_CHECKING:
    from codeacumen.api import Floats
    from codeacumen.runs.statistics import Clusters


# With fewer units, the paired bootstrap reports differences that do not exist.
MIN_UNITS_FOR_TEST = 20
# A small p-value lies in the tail of the resamples, so a test needs more of them than an interval.
MIN_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class PairTest:
    """Test of two models on one task.

    ``difference`` is the score of ``first`` − that of ``second``; of the two, ``first`` has the
    better score. ``low`` and ``high`` are the interval of the difference without correction,
    ``p_holm`` is the p-value after Holm's correction, by which ``different`` is decided. ``test``
    names the test. If no test is possible, it is the reason, ``different`` is False, and interval
    and p-values are None.

    ``smallest_visible`` is the smallest true difference that this many instances would show
    in four of five repetitions (power 0.8), before correction; None if it is unknown.
    """

    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    different: bool
    smallest_visible: float | None
    test: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of the models on one task, best first.

    ``values`` are the models' scores on the ``n`` instances that are compared. ``groups`` are the
    tie letters of each model: models that share a letter are tied; the letters are empty texts if
    no pair could be tested. ``left_out`` gives for each model that cannot be compared the reason.
    """

    task: str
    metric: str
    evaluation_set: str
    n: int
    values: Mapping[str, float]
    groups: Mapping[str, str]
    tests: tuple[PairTest, ...]
    left_out: Mapping[str, str]


def compare_answers(
    task: Task,
    instances: Sequence[Instance],
    answers: Mapping[str, Mapping[str, Answer]],
    evaluation_set: EvaluationSet,
    settings: ScoringSettings,
) -> Comparison:
    """Compare models by their answers to a task, on the instances that all of them answer."""
    metric = task.metric
    observations = {
        model: observe_answers(
            metric, instances, postprocess_answers(task, instances, model_answers), evaluation_set
        )[0]
        for model, model_answers in answers.items()
    }
    shared, left_out = _restrict_to_shared(metric, instances, observations)
    if len(shared) < 2:
        reasons = "; ".join(f"{model}: {reason}" for model, reason in left_out.items())
        raise CodeacumenError(
            f"{task.card.name}: fewer than two models can be compared"
            + (f" ({reasons})" if reasons else ""),
            "name at least two models that answer the same instances",
        )
    values = {
        model: compute_statistic(metric, observed.columns) for model, observed in shared.items()
    }
    sign = 1 if task.card.lower_is_better else -1
    # Best first; equal scores by name.
    ranking = sorted(values, key=lambda model: (sign * values[model], model))
    pairs = list(combinations(ranking, 2))
    # The smallest p-value of a bootstrap is 2 / resamples, and it must stay significant after the
    # correction by Holm. Half as many resamples would be just enough.
    needed_resamples = math.ceil(4 * len(pairs) / (1 - settings.confidence))
    resamples = max(MIN_RESAMPLES, settings.resamples, needed_resamples)
    clusters = number_clusters(shared[ranking[0]].clusters)
    tables = [shared[model].columns for model in ranking]
    model_draws = compute_replicates(metric, tables, resamples, settings.seed, clusters)
    draws = dict(zip(ranking, model_draws, strict=True))
    uncorrected = [
        _test_pair(metric, first, second, shared, values, draws, clusters, settings.confidence)
        for first, second in pairs
    ]
    corrected = iter(apply_holm_correction([test.p for test in uncorrected if test.p is not None]))
    tests = tuple(
        test if test.p is None else _correct_test(test, next(corrected), settings.confidence)
        for test in uncorrected
    )
    tied = {(test.first, test.second) for test in tests if not test.different}
    tested = any(test.p is not None for test in tests)
    return Comparison(
        task=task.card.name,
        metric=metric.name,
        evaluation_set=evaluation_set.name,
        n=len(shared[ranking[0]].ids),
        values={model: values[model] for model in ranking},
        groups=assign_tie_letters(ranking, tied) if tested else dict.fromkeys(ranking, ""),
        tests=tests,
        left_out=left_out,
    )


def _restrict_to_shared(
    metric: Metric, instances: Sequence[Instance], observations: Mapping[str, Observations]
) -> tuple[dict[str, Observations], dict[str, str]]:
    """Return the observations of each model on the instances that all models have observations of.

    Also return the models that cannot be compared, with the reason.
    """
    left_out = {
        model: "no answers" if not observed.ids else "the metric is undefined for its answers"
        for model, observed in observations.items()
        if not math.isfinite(compute_statistic(metric, observed.columns))
    }
    comparable = {
        model: observed for model, observed in observations.items() if model not in left_out
    }
    common = (
        set.intersection(*(set(observed.ids) for observed in comparable.values()))
        if comparable
        else set()
    )
    order = [instance.id for instance in instances if instance.id in common]
    shared = {model: observed.restrict_to(order) for model, observed in comparable.items()}
    for model, observed in list(shared.items()):
        if not math.isfinite(compute_statistic(metric, observed.columns)):
            left_out[model] = "the metric is undefined on the instances all models answer"
            del shared[model]
    return shared, left_out


def _test_pair(
    metric: Metric,
    first: str,
    second: str,
    shared: Mapping[str, Observations],
    values: Mapping[str, float],
    draws: Mapping[str, Floats],
    clusters: Clusters | None,
    confidence: float,
) -> PairTest:
    """Test the difference of two models; the p-value is not corrected yet."""
    difference = values[first] - values[second]
    differences = draws[first] - draws[second]
    defined = differences[np.isfinite(differences)]
    reason = ""
    if count_units(len(shared[first].ids), clusters) < MIN_UNITS_FOR_TEST:
        reason = "too few to test"
    elif len(defined) < (1 - MAX_UNDEFINED) * len(differences):
        reason = "undefined in too many resamples to test"
    if reason:
        return PairTest(first, second, difference, None, None, None, None, False, None, reason)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    spread = float(defined.std(ddof=1))  # the bootstrap's standard error of the difference
    varies = spread > 1e-12  # below this, the spread is rounding error
    if metric.proportion and clusters is None:
        # The only column of a proportion: 1 for a right answer, 0 for a wrong one.
        a, b = shared[first].columns[0], shared[second].columns[0]
        p = mcnemar_p(int(np.sum(a > b)), int(np.sum(b > a)))
        test = "McNemar"
    else:
        p = bootstrap_p(defined) if varies else 1.0
        test = "paired bootstrap" if clusters is None else "paired bootstrap by cluster"
    return PairTest(
        first=first,
        second=second,
        difference=difference,
        low=float(low),
        high=float(high),
        p=p,
        p_holm=None,
        different=False,
        smallest_visible=smallest_visible(spread, confidence) if varies else None,
        test=test,
    )


def _correct_test(test: PairTest, p_holm: float, confidence: float) -> PairTest:
    """Return the test with its corrected p-value and the decision."""
    return replace(test, p_holm=p_holm, different=p_holm < 1 - confidence)


def assign_tie_letters(ranking: Sequence[str], tied: set[tuple[str, str]]) -> dict[str, str]:
    """Return the tie letters of each model; two models share a letter exactly if they are tied.

    The groups are the maximal sets of mutually tied models (compact letter display, Piepho 2004);
    'a' belongs to the group with the best model. A model may have several letters.
    """

    def are_tied(first: str, second: str) -> bool:
        return (first, second) in tied or (second, first) in tied

    # Insert and absorb: start with one group of all models. A pair that differs splits each group
    # that has both; groups inside a larger group are dropped.
    groups: list[set[str]] = [set(ranking)]
    for first, second in combinations(ranking, 2):
        if are_tied(first, second):
            continue
        split: list[set[str]] = []
        for group in groups:
            if first in group and second in group:
                split += [group - {first}, group - {second}]
            else:
                split.append(group)
        unique = [set(items) for items in dict.fromkeys(frozenset(group) for group in split)]
        groups = [group for group in unique if not any(group < other for other in unique)]
    rank = {model: i for i, model in enumerate(ranking)}
    groups.sort(key=lambda group: sorted(rank[model] for model in group))
    letters = dict.fromkeys(ranking, "")
    for i, group in enumerate(groups):
        for model in group:
            letters[model] += _format_letter(i)
    return letters


def _format_letter(i: int) -> str:
    """Return a, b, ..., z, a1, b1, ... for 0, 1, ..."""
    first, rest = divmod(i, len(ascii_lowercase))
    return ascii_lowercase[rest] + (str(first) if first else "")


# Answers by task, model, and id of the instance.
AnswersByTask = dict[str, dict[str, dict[str, Answer]]]


def collect_run_answers(
    folders: Sequence[Path],
    tasks: dict[str, PlannedTask],
    names: Sequence[str] = (),
    task_objects: Mapping[str, Task] | None = None,
) -> AnswersByTask:
    """Return the answers of the runs in ``folders`` to their tasks, or to those in ``names``.

    A model that answered a task in several runs gets the run's folder in its name. The tasks of the
    runs are added to ``tasks``; a task without a limit is replaced there if its first run had one.
    A task in ``task_objects``, which are by name, is used instead of the registered one.
    """
    answers_by_task: AnswersByTask = {}
    runs = [(folder, read_run(folder)) for folder in folders]
    load_run_datasets(run for _, run in runs)
    cell_counts = Counter((cell.task, cell.model) for _, run in runs for cell in run.cells)
    for folder, run in runs:
        for cell in run.cells:
            if names and cell.task not in names:
                continue
            limit, planned = run.tasks[cell.task].limit, tasks.get(cell.task)
            is_first = cell.task not in answers_by_task
            if planned is None or (is_first and limit and not planned.limit):
                task_object = planned.task if planned else (task_objects or {}).get(cell.task)
                task = task_object or _make_task(cell.task, run, folder)
                tasks[cell.task] = PlannedTask(task, limit)
            if cell.data_sha256 != tasks[cell.task].data_sha256:
                raise CodeacumenError(
                    f"{folder}: {cell.model} answered another version of {cell.task}, or more or "
                    "fewer of its instances",
                    "evaluate it again with the present data: codeacumen eval",
                )
            answers, is_unchanged = read_cell_answers(find_results(folder).parent, cell)
            if not is_unchanged:
                raise CodeacumenError(
                    f"{folder}: the answers of {cell.model} to {cell.task} were changed after "
                    "they were scored",
                    "score the changed file with `codeacumen score`",
                )
            is_repeated = cell_counts[cell.task, cell.model] > 1
            model = f"{cell.model} ({folder})" if is_repeated else cell.model
            answers_by_task.setdefault(cell.task, {})[model] = answers
    return answers_by_task


def _make_task(name: str, run: Run, folder: Path) -> Task:
    """Return a task of a run; an error says where its data set was."""
    try:
        return make_task(name)
    except CodeacumenError as error:
        family = name.split("/")[0]
        recorded = (run.provenance.get(PROVENANCE_KEY) or {}).get(family)
        if recorded is None:
            raise
        raise CodeacumenError(
            f"{folder}: its data set {family} is no longer in {recorded}",
            f"name its folder: -t {family}@DIR",
        ) from error


def is_run(path: Path) -> bool:
    """Return True if a folder holds a run; a folder may have the name of a model by chance."""
    return find_results(path).is_file()
