"""Check whether the published numbers of ReName4J are consistent with each other.

The models' answers are not published, but the tables are. The recalls determine the confusion
matrix, because a recall of 400 names is that of a whole number of names; the matrix determines all
other figures. Printed percentages are rounded to their last digit. For an inconsistent row, a
remark names the numbers of consistent names that would explain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeacumen.datasets import dataset, missing_files, require
from codeacumen.datasets.published import read_published
from codeacumen.reproduce import (
    OUTSIDE,
    RecipeOptions,
    ReproducedCell,
    TextTable,
    compare_with_published,
    summarize_checks,
)
from codeacumen.text.numbers import ABSENT, format_difference, format_number

LOST = 1e-9
INCONSISTENT, CONSISTENT, STABLE = 400, 400, 13_137
# Sizes of Liu et al.'s classes, on which the originally reported figures are computed.
LIU_INCONSISTENT, LIU_CONSISTENT = 1403, 1402
MOST_CONSISTENT = 20_000
PAIRS = (
    ("precision_ic", "recall_ic", "f1_ic"),
    ("precision_c", "recall_c", "f1_c"),
    ("precision", "recall", "f1"),
)

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
_SETTINGS = {
    "table 3": ("mcc_balanced", INCONSISTENT, CONSISTENT),
    "table 4": ("mcc_imbalanced", INCONSISTENT, STABLE),
    "table 5": ("mcc_threshold_1", INCONSISTENT, CONSISTENT),
    "original": ("mcc_originally_reported", LIU_INCONSISTENT, LIU_CONSISTENT),
}

Printed = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Counts:
    """Confusion matrix; inconsistent names are the positive class."""

    tp: int
    fn: int
    tn: int
    fp: int

    @property
    def figures(self) -> dict[str, float]:
        """Seven percentages: precision, recall and F1 of both classes, and the accuracy."""
        found = {
            **_class(self.tp, self.fn, self.fp, "ic"),
            **_class(self.tn, self.fp, self.fn, "c"),
        }
        total = self.tp + self.fn + self.tn + self.fp
        return {**found, "accuracy": 100 * (self.tp + self.tn) / total}


def _class(right: int, missed: int, false: int, which: str) -> dict[str, float]:
    """Return precision, recall and F1 of a class; ``suffix`` is its abbreviation in the names."""
    return {
        f"precision_{which}": 100 * right / (right + false) if right + false else 0.0,
        f"recall_{which}": 100 * right / (right + missed) if right + missed else 0.0,
        f"f1_{which}": 200 * right / (2 * right + missed + false) if right + missed else 0.0,
    }


def compute_cells(options: RecipeOptions) -> list[ReproducedCell]:
    """Return the cells of all checks, in the order of ``CHECKS``."""
    tables = _tables()
    found = [
        *_recommended(tables),
        *(
            cell
            for check, (setting, wrong, right) in _SETTINGS.items()
            for model, printed in tables[setting].items()
            for cell in _row(check, model, printed, wrong, right)
        ),
        *_corrected(tables),
        *_order(tables),
        *_text(tables),
        *_liu(),
    ]
    order = list(CHECKS)
    return sorted(found, key=lambda cell: order.index(cell.table))


def build_tables(cells: Sequence[ReproducedCell]) -> list[TextTable]:
    """Return a summary of the checks, and a table of the inconsistent numbers."""
    tables = [summarize_checks(cells, CHECKS, "ReName4J's published numbers")]
    rows = [
        [
            cell.table,
            cell.technique,
            cell.subset,
            f"{cell.n:,}" if cell.n else ABSENT,
            format_number(cell.published, 2),
            format_number(cell.ours, 2),
            format_difference(cell.difference),
            cell.note,
        ]
        for cell in cells
        if cell.verdict == OUTSIDE
    ]
    if rows:
        columns = [
            "check",
            "model",
            "number",
            "n",
            "printed",
            "should be",
            "difference",
            "remark",
        ]
        caption = "Should be: the value computed from the other published numbers."
        tables.append(TextTable("Inconsistent numbers", columns, rows, caption, (3, 4, 5, 6)))
    return tables


def _tables() -> dict[str, dict[str, dict[str, float]]]:
    """Return the printed figures by setting and model."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in read_published("codeacumen.benchmarks.rename4j", "scores"):
        of_model = found.setdefault(row["setting"], {}).setdefault(row["model"], {})
        of_model[row["metric"]] = float(row["value"])
    return found


def _half(values: Sequence[float]) -> float:
    """Return the rounding error of printed figures.

    They have two decimals, or one if the second one is always 0.
    """
    return 0.05 if all(abs(10 * one - round(10 * one)) < LOST for one in values) else 0.005


def _cell(
    check: str,
    model: str,
    figure: str,
    ours: float,
    published: float,
    tolerance: float,
    n: int = 0,
    note: str = "",
) -> ReproducedCell:
    difference, verdict = compare_with_published(ours, published, tolerance + LOST)
    return ReproducedCell(
        table=check,
        task=figure,
        size="",
        technique=model,
        n=n,
        ours=ours,
        published=published,
        difference=difference,
        verdict=verdict,
        tolerance=tolerance,
        subset=figure,
        note=note,
    )


# --------------------------------------------------------------------------------------
# Recommended names.
# --------------------------------------------------------------------------------------


def harmonic(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def _recommended(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    for setting in ("mnr", "mnr_originally_reported"):
        ours = setting == "mnr"
        n = INCONSISTENT if ours else 0
        for model, printed in tables[setting].items():
            precision, recall, f1 = (printed[name] for name in PAIRS[2])
            half = 0.005 if ours else _half(list(printed.values()))
            value = harmonic(precision, recall)
            high = harmonic(precision + half, recall + half)
            told = "f1" if ours else "f1, as first reported"
            yield _cell("table 2", model, told, value, f1, high - value + half, n)
            if ours:
                exact = printed["em_acc"]
                whole = 100 * round(exact * n / 100) / n
                other = _smaller(exact, n)
                note = f"possible for {other} names" if abs(whole - exact) > half else ""
                yield _cell("table 2", model, "em_acc", whole, exact, half, n, note)


def _smaller(value: float, n: int) -> int:
    """Return the largest number of names below n of which a percentage is a whole number."""
    return next(
        few
        for few in range(n - 1, 0, -1)
        if abs(100 * round(value * few / 100) / few - value) <= 0.005 + LOST
    )


# --------------------------------------------------------------------------------------
# Checked names: four counts behind seven figures.
# --------------------------------------------------------------------------------------


def whole(value: float, n: int, half: float) -> list[int]:
    """Return the counts, of n, whose percentage rounds to the value; else the nearest count."""
    near = round(value * n / 100)
    spread = int(half * n / 100) + 1
    fitting = [
        one
        for one in range(max(near - spread, 0), min(near + spread, n) + 1)
        if abs(100 * one / n - value) <= half + LOST
    ]
    return fitting or [near]


def counts_of(printed: Printed, wrong: int, right: int, half: float) -> Counts:
    """Return the confusion matrix that the recalls determine.

    If several match, return the one nearest to the other figures.
    """
    every = [
        Counts(tp, wrong - tp, tn, right - tn)
        for tp in whole(printed["recall_ic"], wrong, half)
        for tn in whole(printed["recall_c"], right, half)
    ]
    return min(every, key=lambda one: _off(one, printed))


def _off(counts: Counts, printed: Printed) -> float:
    figures = counts.figures
    return sum(abs(figures[name] - value) for name, value in printed.items())


def _fits(counts: Counts, printed: Printed, half: float) -> bool:
    # Fast path: this figure alone excludes nearly all of thousands of candidates.
    alarms = counts.tp + counts.fp
    if not alarms or abs(100 * counts.tp / alarms - printed["precision_ic"]) > half + LOST:
        return False
    figures = counts.figures
    return all(abs(figures[name] - value) <= half + LOST for name, value in printed.items())


def _row(
    check: str, model: str, printed: Printed, wrong: int, right: int
) -> Iterator[ReproducedCell]:
    half = _half(list(printed.values())) if check == "original" else 0.005
    counts = counts_of(printed, wrong, right, half)
    # A single wrong figure is a misprint; several suggest other class sizes.
    figures = counts.figures
    off = [name for name, value in printed.items() if abs(figures[name] - value) > half + LOST]
    note = _other_n(printed, wrong, half) if len(off) > 1 else ""
    for name, value in printed.items():
        told = note if name in off else ""
        yield _cell(check, model, name, figures[name], value, half, wrong + right, told)


def _other_n(printed: Printed, wrong: int, half: float) -> str:
    """Return a remark with the numbers of consistent names that would explain a row."""
    fitting = [
        right
        for right in range(1, MOST_CONSISTENT + 1)
        if any(
            _fits(Counts(tp, wrong - tp, tn, right - tn), printed, half)
            for tp in whole(printed["recall_ic"], wrong, half)
            for tn in whole(printed["recall_c"], right, half)
        )
    ]
    if not fitting:
        return "no number of consistent names explains it"
    span = f"{fitting[0]:,}" if len(fitting) == 1 else f"{fitting[0]:,} to {fitting[-1]:,}"
    return f"{span} consistent names explain all seven figures"


def _corrected(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    for model, printed in tables["mcc_corrected_tp"].items():
        balanced = counts_of(tables["mcc_balanced"][model], INCONSISTENT, CONSISTENT, 0.005)
        (tp, *_) = whole(printed["recall_ic"], INCONSISTENT, 0.005)
        figures = _class(tp, INCONSISTENT - tp, balanced.fp, "ic")
        for name, value in printed.items():
            yield _cell("table 6", model, name, figures[name], value, 0.005, INCONSISTENT)


def _order(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    for model, strict in tables["mcc_threshold_1"].items():
        loose = tables["mcc_balanced"][model]
        found = max(strict["recall_ic"], loose["recall_ic"])
        passed = min(strict["recall_c"], loose["recall_c"])
        yield _cell("order", model, "recall_ic, T = 1", found, strict["recall_ic"], 0.0)
        yield _cell("order", model, "recall_c, T = 1", passed, strict["recall_c"], 0.0)
    for model, printed in tables["mcc_corrected_tp"].items():
        exact = tables["mnr"][model]["em_acc"]
        note = f"{exact} % of the names are recommended exactly"
        least = max(printed["recall_ic"], exact)
        off = least != printed["recall_ic"]
        yield _cell(
            "order",
            model,
            "recall_ic, corrected",
            least,
            printed["recall_ic"],
            0.005,
            INCONSISTENT,
            note if off else "",
        )


# --------------------------------------------------------------------------------------
# Sentences.
# --------------------------------------------------------------------------------------

# Relative changes of figures from Table 3 to 4 (section 4.3) and from Table 3 to 6 (section 5.2).
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
LIU_CHARACTERS, CHARACTERS, LONGER = 13.18, 24.90, 88.92


def _text(tables: Mapping[str, Mapping[str, Printed]]) -> Iterator[ReproducedCell]:
    for (setting, figure, model), (told, half) in _FALLS.items():
        before, after = tables["mcc_balanced"][model][figure], tables[setting][model][figure]
        fall = 100 * (before - after) / before
        where = "Table 4" if setting == "mcc_imbalanced" else "Table 6"
        yield _cell("text", model, f"fall of {figure} to {where}", fall, told, half)
    for what, (train, validation, both) in _SUMS.items():
        yield _cell("text", "", f"Table 1: {what}", train + validation, both, 0.0)
    longer = 100 * (CHARACTERS / LIU_CHARACTERS - 1)
    yield _cell("text", "", "relative length of its names", longer, LONGER, 0.005)


def _liu() -> Iterator[ReproducedCell]:
    """Yield the cells on Liu's data, if it is installed."""
    if missing_files(dataset("liu2019")):
        return
    from codeacumen.benchmarks.rename4j.liu2019 import read_renamed
    from codeacumen.text.subtokens import subtokens

    methods = read_renamed(require("liu2019"))
    n = len(methods)
    consistent = sum(one.consistent for one in methods)
    words = sum(len(subtokens(one.tested)) for one in methods) / n
    letters = sum(len(one.tested) for one in methods) / n
    facts = (
        ("methods", n, 2805, 0.0, ""),
        ("inconsistent", n - consistent, LIU_INCONSISTENT, 0.0, ""),
        ("consistent", consistent, LIU_CONSISTENT, 0.0, ""),
        (
            "projects",
            len({one.project for one in methods}),
            430,
            0.0,
            "430 is the number of training projects of Spot",
        ),
        ("characters of a name", letters, LIU_CHARACTERS, 0.005, ""),
        ("subtokens of a name", words, 2.52, 0.005, ""),
    )
    for what, ours, told, tolerance, note in facts:
        wrong = abs(ours - told) > tolerance + LOST
        yield _cell("liu", "", what, ours, told, tolerance, n, note if wrong else "")
