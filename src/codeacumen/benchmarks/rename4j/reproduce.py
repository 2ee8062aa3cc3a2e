"""Check whether the published numbers of ReName4J are consistent with each other.

The models' answers are not published, but the tables are. The recalls determine the confusion
matrix, because each is the percentage of a whole number of 400 names; the matrix determines all
other figures. Printed percentages are rounded to their last digit. If several figures of a row do
not fit, a remark has the numbers of consistent names that would explain them.

A figure is a printed number, such as ``precision_ic``: ``ic`` stands for the class of inconsistent
names, ``c`` for that of consistent names, ``em_acc`` for the share of exact matches. T is the
similarity to the recommended name below which a name is flagged (counted as inconsistent). The
settings in ``published/scores.csv`` are ``mnr`` (recommended names) and ``mcc_…`` (checked names).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeacumen.datasets import find_dataset, missing_files, require_dataset
from codeacumen.reproduce import (
    FLOAT_ERROR,
    RecipeOptions,
    ReproducedCell,
    TextTable,
    make_cell,
)
from codeacumen.reproduce.checks import (
    harmonic_mean,
    nearest_percentage,
    sort_by_check,
    summarize_checks,
    tabulate_inconsistent,
)
from codeacumen.tasks.published import read_published

# Sizes of ReName4J's classes; in the imbalanced setting, stable names are the consistent ones.
INCONSISTENT, CONSISTENT, STABLE = 400, 400, 13_137
# Sizes of Liu et al.'s classes, on which the originally reported figures are computed.
LIU_INCONSISTENT, LIU_CONSISTENT = 1403, 1402
# Maximum number of consistent names that is tried as an explanation.
MOST_CONSISTENT = 20_000
# Names of precision, recall and F1: of both classes, and of recommended names.
PAIRS = (
    ("precision_ic", "recall_ic", "f1_ic"),
    ("precision_c", "recall_c", "f1_c"),
    ("precision", "recall", "f1"),
)

# Condition by name of the check.
CHECKS = {
    "table 2": "F1 is that of precision and recall; exact matches are a whole number of 400",
    "table 3": "balanced: both recalls, of 400 and 400 names, determine all figures",
    "table 4": "imbalanced: both recalls, of 400 and 13,137 names, determine all figures",
    "table 5": "T = 1: both recalls, of 400 and 400 names, determine all figures",
    "table 6": "corrected: the recall and the false alarms of Table 3 determine all figures",
    "order": "a higher T flags no fewer names; an exact match is a corrected true positive",
    "original": "as first reported: both recalls, of 1,403 and 1,402 names, determine all figures",
    "text": "statements of the text about the tables",
    "liu": "statements about Liu's data",
}
# Published setting and sizes of the inconsistent and the consistent class, by check.
_SETTINGS = {
    "table 3": ("mcc_balanced", INCONSISTENT, CONSISTENT),
    "table 4": ("mcc_imbalanced", INCONSISTENT, STABLE),
    "table 5": ("mcc_threshold_1", INCONSISTENT, CONSISTENT),
    "original": ("mcc_originally_reported", LIU_INCONSISTENT, LIU_CONSISTENT),
}

# Printed figures of a model by name.
Printed = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Confusion matrix; inconsistent names are the positive class."""

    tp: int
    fn: int
    tn: int
    fp: int

    @property
    def figures(self) -> dict[str, float]:
        """Seven percentages: precision, recall and F1 of both classes, and the accuracy."""
        class_figures = {
            **_compute_class_figures(self.tp, self.fn, self.fp, "ic"),
            **_compute_class_figures(self.tn, self.fp, self.fn, "c"),
        }
        total = self.tp + self.fn + self.tn + self.fp
        return {**class_figures, "accuracy": 100 * (self.tp + self.tn) / total}


def _compute_class_figures(
    hits: int, misses: int, false_alarms: int, suffix: str
) -> dict[str, float]:
    """Return precision, recall and F1 of a class in percent; ``suffix`` is ``ic`` or ``c``."""
    return {
        f"precision_{suffix}": 100 * hits / (hits + false_alarms) if hits + false_alarms else 0.0,
        f"recall_{suffix}": 100 * hits / (hits + misses) if hits + misses else 0.0,
        f"f1_{suffix}": 200 * hits / (2 * hits + misses + false_alarms) if hits + misses else 0.0,
    }


def compute_cells(options: RecipeOptions) -> list[ReproducedCell]:
    """Return the cells of all checks, in the order of ``CHECKS``."""
    tables = _read_tables()
    cells = [
        *_check_recommended(tables),
        *(
            cell
            for check, (setting, inconsistent, consistent) in _SETTINGS.items()
            for model, printed in tables[setting].items()
            for cell in _check_row(check, model, printed, inconsistent, consistent)
        ),
        *_check_corrected(tables),
        *_check_order(tables),
        *_check_sentences(tables),
        *_check_liu_data(),
    ]
    return sort_by_check(cells, CHECKS)


def build_tables(cells: Sequence[ReproducedCell]) -> list[TextTable]:
    """Return a summary of the checks, and a table of the inconsistent numbers."""
    fields = {"check": "table", "model": "technique", "number": "subset"}
    caption = "Should be: the value computed from the other published numbers."
    return [
        summarize_checks(cells, CHECKS, "ReName4J's published numbers"),
        *tabulate_inconsistent(cells, fields, 2, caption),
    ]


def _read_tables() -> dict[str, dict[str, dict[str, float]]]:
    """Return the printed figures by setting and model."""
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for row in read_published("codeacumen.benchmarks.rename4j", "scores"):
        model_figures = tables.setdefault(row["setting"], {}).setdefault(row["model"], {})
        model_figures[row["metric"]] = float(row["value"])
    return tables


def _infer_rounding(values: Sequence[float]) -> float:
    """Return the rounding error of printed figures.

    The figures have two decimals, or one if the second decimal is always 0.
    """
    return (
        0.05
        if all(abs(10 * value - round(10 * value)) < FLOAT_ERROR for value in values)
        else 0.005
    )


def _make_cell(
    check: str,
    model: str,
    figure: str,
    ours: float,
    published: float,
    tolerance: float,
    n: int = 0,
    note: str = "",
) -> ReproducedCell:
    return make_cell(
        check, ours, published, tolerance, figure, technique=model, n=n, subset=figure, note=note
    )


# --------------------------------------------------------------------------------------
# Recommended names.
# --------------------------------------------------------------------------------------


def _check_recommended(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    """Yield the cells of Table 2: F1, and for the revised table also exact matches (em_acc)."""
    for setting in ("mnr", "mnr_originally_reported"):
        is_revised = setting == "mnr"
        n = INCONSISTENT if is_revised else 0
        for model, printed in tables[setting].items():
            precision, recall, f1 = (printed[name] for name in PAIRS[2])
            rounding = 0.005 if is_revised else _infer_rounding(list(printed.values()))
            value = harmonic_mean(precision, recall)
            high = harmonic_mean(precision + rounding, recall + rounding)
            figure = "f1" if is_revised else "f1, as first reported"
            yield _make_cell("table 2", model, figure, value, f1, high - value + rounding, n)
            if is_revised:
                exact = printed["em_acc"]
                nearest = nearest_percentage(exact, n)
                smaller_count = _find_smaller_count(exact, n)
                note = (
                    f"possible for {smaller_count} names" if abs(nearest - exact) > rounding else ""
                )
                yield _make_cell("table 2", model, "em_acc", nearest, exact, rounding, n, note)


def _find_smaller_count(value: float, n: int) -> int:
    """Return the largest number of names below n of which ``value`` percent are a whole number.

    The value is rounded to two decimals.
    """
    return next(
        count
        for count in range(n - 1, 0, -1)
        if abs(nearest_percentage(value, count) - value) <= 0.005 + FLOAT_ERROR
    )


# --------------------------------------------------------------------------------------
# Checked names: four counts behind seven figures.
# --------------------------------------------------------------------------------------


def list_possible_counts(value: float, n: int, rounding: float) -> list[int]:
    """Return the counts whose percentage of n rounds to the value, or else the nearest count."""
    nearest = round(value * n / 100)
    spread = int(rounding * n / 100) + 1
    fitting = [
        count
        for count in range(max(nearest - spread, 0), min(nearest + spread, n) + 1)
        if abs(100 * count / n - value) <= rounding + FLOAT_ERROR
    ]
    return fitting or [nearest]


def infer_counts(
    printed: Printed, inconsistent: int, consistent: int, rounding: float
) -> ConfusionMatrix:
    """Return the confusion matrix that the recalls determine.

    If several matrices have the recalls, return the one with the smallest sum of errors.
    """
    candidates = [
        ConfusionMatrix(tp, inconsistent - tp, tn, consistent - tn)
        for tp in list_possible_counts(printed["recall_ic"], inconsistent, rounding)
        for tn in list_possible_counts(printed["recall_c"], consistent, rounding)
    ]
    return min(candidates, key=lambda counts: _sum_errors(counts, printed))


def _sum_errors(counts: ConfusionMatrix, printed: Printed) -> float:
    figures = counts.figures
    return sum(abs(figures[name] - value) for name, value in printed.items())


def _matches_printed(counts: ConfusionMatrix, printed: Printed, rounding: float) -> bool:
    # Fast path: this figure alone excludes nearly all of thousands of candidates.
    alarms = counts.tp + counts.fp
    if (
        not alarms
        or abs(100 * counts.tp / alarms - printed["precision_ic"]) > rounding + FLOAT_ERROR
    ):
        return False
    figures = counts.figures
    return all(
        abs(figures[name] - value) <= rounding + FLOAT_ERROR for name, value in printed.items()
    )


def _check_row(
    check: str, model: str, printed: Printed, inconsistent: int, consistent: int
) -> Iterator[ReproducedCell]:
    # Some of the figures as first reported have one decimal.
    rounding = _infer_rounding(list(printed.values())) if check == "original" else 0.005
    counts = infer_counts(printed, inconsistent, consistent, rounding)
    # A single wrong figure is a misprint; several suggest other class sizes.
    figures = counts.figures
    wrong_figures = [
        name
        for name, value in printed.items()
        if abs(figures[name] - value) > rounding + FLOAT_ERROR
    ]
    note = (
        _explain_by_other_count(printed, inconsistent, rounding) if len(wrong_figures) > 1 else ""
    )
    for name, value in printed.items():
        cell_note = note if name in wrong_figures else ""
        yield _make_cell(
            check, model, name, figures[name], value, rounding, inconsistent + consistent, cell_note
        )


def _explain_by_other_count(printed: Printed, inconsistent: int, rounding: float) -> str:
    """Return a remark with the range of numbers of consistent names that would explain a row."""
    fitting = [
        consistent
        for consistent in range(1, MOST_CONSISTENT + 1)
        if any(
            _matches_printed(
                ConfusionMatrix(tp, inconsistent - tp, tn, consistent - tn), printed, rounding
            )
            for tp in list_possible_counts(printed["recall_ic"], inconsistent, rounding)
            for tn in list_possible_counts(printed["recall_c"], consistent, rounding)
        )
    ]
    if not fitting:
        return "no number of consistent names explains it"
    span = f"{fitting[0]:,}" if len(fitting) == 1 else f"{fitting[0]:,} to {fitting[-1]:,}"
    return f"{span} consistent names explain all seven figures"


def _check_corrected(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    # Corrected: a flagged inconsistent name is a hit only if the recommended name is right, too
    # (``metrics.name_checking``).
    for model, printed in tables["mcc_corrected_tp"].items():
        balanced = infer_counts(tables["mcc_balanced"][model], INCONSISTENT, CONSISTENT, 0.005)
        (tp, *_) = list_possible_counts(printed["recall_ic"], INCONSISTENT, 0.005)
        figures = _compute_class_figures(tp, INCONSISTENT - tp, balanced.fp, "ic")
        for name, value in printed.items():
            yield _make_cell("table 6", model, name, figures[name], value, 0.005, INCONSISTENT)


def _check_order(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    for model, strict in tables["mcc_threshold_1"].items():
        loose = tables["mcc_balanced"][model]
        recall = max(strict["recall_ic"], loose["recall_ic"])
        specificity = min(strict["recall_c"], loose["recall_c"])
        yield _make_cell("order", model, "recall_ic, T = 1", recall, strict["recall_ic"], 0.0)
        yield _make_cell("order", model, "recall_c, T = 1", specificity, strict["recall_c"], 0.0)
    for model, printed in tables["mcc_corrected_tp"].items():
        exact = tables["mnr"][model]["em_acc"]
        note = f"{exact} % of the names are recommended exactly"
        lower_bound = max(printed["recall_ic"], exact)
        differs = lower_bound != printed["recall_ic"]
        yield _make_cell(
            "order",
            model,
            "recall_ic, corrected",
            lower_bound,
            printed["recall_ic"],
            0.005,
            INCONSISTENT,
            note if differs else "",
        )


# --------------------------------------------------------------------------------------
# Sentences.
# --------------------------------------------------------------------------------------

# Stated falls of figures from Table 3 to 4 (section 4.3) and from Table 3 to 6 (section 5.2), in
# percent of Table 3, with their rounding error; a rise is negative.
_FALLS = {
    ("mcc_imbalanced", "precision_ic", "Spot"): (90.40, 0.005),
    ("mcc_imbalanced", "precision_ic", "Cognac"): (94.39, 0.005),
    ("mcc_imbalanced", "precision_ic", "GTNM"): (94.90, 0.005),
    ("mcc_imbalanced", "precision_c", "Spot"): (-55.82, 0.005),
    ("mcc_imbalanced", "precision_c", "Cognac"): (-131.36, 0.005),
    ("mcc_imbalanced", "precision_c", "GTNM"): (-212.41, 0.005),
    ("mcc_corrected_tp", "precision_ic", "Cognac"): (86.0, 0.5),
    ("mcc_corrected_tp", "recall_ic", "Cognac"): (92.0, 0.5),
    ("mcc_corrected_tp", "f1_ic", "Cognac"): (89.0, 0.5),
    ("mcc_corrected_tp", "precision_ic", "GTNM"): (64.0, 0.5),
    ("mcc_corrected_tp", "recall_ic", "GTNM"): (76.0, 0.5),
    ("mcc_corrected_tp", "f1_ic", "GTNM"): (70.0, 0.5),
}
# Table 1: training, validation and both.
_SUMS = {
    "projects": (9_772, 450, 10_222),
    "files": (1_756_282, 51_631, 1_807_913),
    "methods": (13_992_028, 466_800, 14_458_828),
}
# Stated mean characters of a name in Liu's data and in ReName4J, and the increase in percent.
LIU_CHARACTERS, CHARACTERS, LONGER = 13.18, 24.90, 88.92


def _check_sentences(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    for (setting, figure, model), (stated, rounding) in _FALLS.items():
        before, after = tables["mcc_balanced"][model][figure], tables[setting][model][figure]
        fall = 100 * (before - after) / before
        where = "Table 4" if setting == "mcc_imbalanced" else "Table 6"
        yield _make_cell("text", model, f"fall of {figure} to {where}", fall, stated, rounding)
    for label, (train, validation, stated_sum) in _SUMS.items():
        yield _make_cell("text", "", f"Table 1: {label}", train + validation, stated_sum, 0.0)
    longer = 100 * (CHARACTERS / LIU_CHARACTERS - 1)
    yield _make_cell("text", "", "relative length of its names", longer, LONGER, 0.005)


def _check_liu_data() -> Iterator[ReproducedCell]:
    """Yield the cells on Liu's data, if it is installed."""
    if missing_files(find_dataset("liu2019")):
        return
    from codeacumen.benchmarks.rename4j.cases import read_renamed
    from codeacumen.text.subtokens import split_subtokens

    methods = read_renamed(require_dataset("liu2019"))
    n = len(methods)
    consistent = sum(method.consistent for method in methods)
    words = sum(len(split_subtokens(method.tested)) for method in methods) / n
    letters = sum(len(method.tested) for method in methods) / n
    facts = (
        ("methods", n, 2805, 0.0, ""),
        ("inconsistent", n - consistent, LIU_INCONSISTENT, 0.0, ""),
        ("consistent", consistent, LIU_CONSISTENT, 0.0, ""),
        (
            "projects",
            len({method.project for method in methods}),
            430,
            0.0,
            "430 is the number of training projects of Spot",
        ),
        ("characters of a name", letters, LIU_CHARACTERS, 0.005, ""),
        ("subtokens of a name", words, 2.52, 0.005, ""),
    )
    for label, ours, stated, tolerance, note in facts:
        differs = abs(ours - stated) > tolerance + FLOAT_ERROR
        yield _make_cell("liu", "", label, ours, stated, tolerance, n, note if differs else "")
