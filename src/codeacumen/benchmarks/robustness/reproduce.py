"""Check whether the published numbers of the generalizability study are consistent.

The study is Rabin et al. (IST 2021). The models and their answers are not published, but the result
tables are. Numbers that can be computed from others must agree with them: sums with their parts,
shares with their totals, averages with their terms, one table with another, the text with the
tables. Percentages have two decimals, so their rounding error is half a hundredth, and that of a
computed number is the sum of its parts' errors; this is the tolerance unless stated otherwise.

PCP is the percentage of changed predictions; ``codeacumen.metrics.prediction_change`` explains PCP
and the five types of pairs (CCP, CWP, …). The tables are those of the data set ``tnpa``, in which a
transformation has an abbreviation, such as SF for the switches.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeacumen.datasets import require_dataset
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

PACKAGE = "codeacumen.benchmarks.robustness"

# Rounding error of a printed percentage.
ROUNDING = 0.005

# Abbreviations of the models and data sets in the files.
MODELS = {"code2vec": "c2v", "code2seq": "c2s", "ggnn": "ggnn"}
DATASETS = {"Java-Small": "JS", "Java-Med": "JM", "Java-Large": "JL"}
TYPES = ("CCP", "CWP", "WWSP", "WCP", "WWDP")
# Columns of PCP by the number of statements (figure 4).
BUCKETS = ("pcp5", "pcp10", "pcp15", "pcp20", "pcp25", "pcp50", "pcp100", "pcp1k")
# Number of programs of Java-Small with all switches changed (section 6.2.1).
SWITCHES_ALL_PLACES = 13
# Number of runs over which Table 3 averages (section 6.2.3).
RUNS = 5

# Condition by name of the check.
CHECKS = {
    "types": "CCP + CWP + WWSP + WCP + WWDP = 100",
    "change": "CWP + WCP + WWDP = PCP of Table 2",
    "average": "Table 2's averages are those of its rows, weighted by transformed methods",
    "single": "single places of figure 2 = PCP of Table 2",
    "before": "figure 3: correct = CWP/(CCP+CWP), incorrect = (WCP+WWDP)/(WCP+WWSP+WWDP)",
    "size": "figure 4: all methods = PCP of Table 2",
    "buckets": "figure 4: all methods lie between the smallest and the largest bucket",
    "f1": "Tables 1 and 5: F1 = 2 · precision · recall / (precision + recall)",
    "methods": "the same methods in every table, no more originals than variants",
    "whole": "a percentage of n methods is a whole number of methods",
    "runs": "Table 3: averages of five runs over n methods",
    "text": "statements of the text about the tables",
}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """Results of a model on the variants of a transformation, in one data set.

    ``original`` and ``transformed`` are numbers of methods; ``pcp`` and ``types`` are percentages.
    """

    dataset: str
    transformation: str
    model: str
    original: int
    transformed: int
    pcp: float
    types: Mapping[str, float]

    def sum_types(self, *types: str) -> float:
        """Return the sum of the percentages of some types."""
        return sum(self.types[type_] for type_ in types)

    def make_cell(
        self,
        check: str,
        ours: float,
        published: float,
        tolerance: float,
        subset: str = "",
        note: str = "",
        n: int | None = None,
    ) -> ReproducedCell:
        """Return a cell of a check for this row; ``n`` is the transformed methods by default."""
        return make_cell(
            check,
            ours,
            published,
            tolerance,
            self.transformation,
            self.dataset,
            self.model,
            self.transformed if n is None else n,
            subset,
            note,
        )


# Rows by data set, transformation and model, with the names of the files.
Rows = Mapping[tuple[str, str, str], ResultRow]


def compute_cells(options: RecipeOptions) -> list[ReproducedCell]:
    """Return the cells of all checks, in the order of ``CHECKS``."""
    folder = require_dataset("tnpa")
    rows = read_rows(folder)
    cells = [
        *_check_sums(rows.values()),
        *_check_averages(rows),
        *_check_single_places(folder, rows),
        *_check_correctness(folder, rows),
        *_check_sizes(folder, rows),
        *_check_f1(folder, rows),
        *_check_method_counts(folder, rows),
        *_check_whole_counts(rows),
        *_check_runs(folder, rows),
        *_check_sentences(folder, rows),
    ]
    return sort_by_check(cells, CHECKS)


def build_tables(cells: Sequence[ReproducedCell]) -> list[TextTable]:
    """Return a summary of the checks, and a table of the inconsistent numbers."""
    fields = {
        "check": "table",
        "data set": "size",
        "transformation": "task",
        "model": "technique",
        "number": "subset",
    }
    caption = (
        "Should be: the value computed from the other published numbers; for whole and runs, "
        "the nearest possible value."
    )
    return [
        summarize_checks(cells, CHECKS, "The generalizability study's published numbers"),
        *tabulate_inconsistent(cells, fields, 3, caption),
    ]


def _read_csv(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def read_rows(folder: Path) -> Rows:
    """Return the rows of Tables 2 and 4, joined, by data set, transformation and model."""
    details = {
        (line["dataset"], line["transformation"]): line for line in _read_csv(folder, "pcp_details")
    }
    return {
        (dataset, transformation, model): ResultRow(
            dataset,
            transformation,
            model,
            int(line["original"]),
            int(line["transformed"]),
            float(line[f"pcp_{short}"]),
            {name: float(details[dataset, transformation][f"{name}_{short}"]) for name in TYPES},
        )
        for line in _read_csv(folder, "pcp_summary")
        for dataset, transformation in [(line["dataset"], line["transformation"])]
        for model, short in MODELS.items()
    }


def _find_row(rows: Rows, line: Mapping[str, str]) -> ResultRow:
    return rows[line["dataset"], line["transformation"], line["model"]]


def _check_sums(rows: Iterable[ResultRow]) -> Iterator[ReproducedCell]:
    """Yield the cells of the checks ``types`` and ``change``."""
    for row in rows:
        yield row.make_cell("types", row.sum_types(*TYPES), 100.0, 5 * ROUNDING)
        yield row.make_cell("change", row.sum_types("CWP", "WCP", "WWDP"), row.pcp, 4 * ROUNDING)


def _check_averages(rows: Rows) -> Iterator[ReproducedCell]:
    """Yield the cells of the check ``average``: over the three data sets."""
    for line in read_published(PACKAGE, "averages"):
        dataset_rows = [
            rows[dataset, line["transformation"], line["model"]] for dataset in DATASETS.values()
        ]
        n = sum(row.transformed for row in dataset_rows)
        mean = sum(row.pcp * row.transformed for row in dataset_rows) / n
        yield make_cell(
            "average",
            mean,
            float(line["pcp"]),
            2 * ROUNDING,
            line["transformation"],
            "all",
            line["model"],
            n,
        )


def _check_single_places(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    """Yield the cells of the check ``single``.

    For all places, only the number of programs with switches in Java-Small is known; its
    percentages must be of whole numbers (check ``whole``).
    """
    for line in _read_csv(folder, "single_vs_all"):
        row, value = _find_row(rows, line), float(line["pcp"])
        if line["place"] == "single":
            yield row.make_cell("single", row.pcp, value, 0.0)
        elif (row.dataset, row.transformation) == ("JS", "SF"):
            yield _make_whole_cell(row, "PCP, all places", value, SWITCHES_ALL_PLACES, ROUNDING)


def _check_correctness(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    for line in _read_csv(folder, "correct_vs_incorrect"):
        row = _find_row(rows, line)
        correct = line["type"] == "correct"
        changed, unchanged = (("CWP",), ("CCP",)) if correct else (("WCP", "WWDP"), ("WWSP",))
        share, tolerance = _propagate_rounding(
            lambda a, b: 100 * a / (a + b) if a + b else 0.0,
            (row.sum_types(*changed), ROUNDING * len(changed)),
            (row.sum_types(*unchanged), -ROUNDING * len(unchanged)),
        )
        yield row.make_cell("before", share, float(line["pcp"]), tolerance, line["type"])


def _propagate_rounding(
    function: Callable[[float, float], float],
    first: tuple[float, float],
    second: tuple[float, float],
) -> tuple[float, float]:
    """Return the value of a function of two rounded numbers, and the error of its printed value.

    ``first`` and ``second`` are numbers with their errors. An error is negative if the function
    falls where the number rises, so that both errors raise the value together.
    """
    (a, da), (b, db) = first, second
    value = function(a, b)
    high, low = (
        function(max(a + da, 0.0), max(b + db, 0.0)),
        function(max(a - da, 0.0), max(b - db, 0.0)),
    )
    return value, max(high - value, value - low) + ROUNDING


def _check_sizes(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    for line in _read_csv(folder, "num_of_stmt"):
        row, value = _find_row(rows, line), float(line["pcp"])
        # The PCP of all methods is a mean of the buckets' PCPs, so it lies between them.
        buckets = [float(line[name]) for name in BUCKETS]
        yield row.make_cell("size", row.pcp, value, 0.0)
        clamped = min(max(value, min(buckets)), max(buckets))
        yield row.make_cell("buckets", clamped, value, 2 * ROUNDING)


def _check_f1(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    for line in _read_csv(folder, "prf1_subtoken"):
        for model, short in MODELS.items():
            row = rows[line["dataset"], line["transformation"], model]
            precision_and_recall = [
                (float(line[f"{name}_{short}"]), ROUNDING) for name in ("precision", "recall")
            ]
            value, tolerance = _propagate_rounding(harmonic_mean, *precision_and_recall)
            yield row.make_cell("f1", value, float(line[f"f1_{short}"]), tolerance, "after")
    for line in read_published(PACKAGE, "models"):
        precision_and_recall = [(float(line[name]), ROUNDING) for name in ("precision", "recall")]
        value, tolerance = _propagate_rounding(harmonic_mean, *precision_and_recall)
        yield make_cell(
            "f1",
            value,
            float(line["f1"]),
            tolerance,
            "",
            DATASETS[line["dataset"]],
            line["model"].lower(),
            int(line["methods"]),
            "before",
        )


def _check_method_counts(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    """Yield the cells of the check ``methods``.

    In Table 3, all shares and models of a transformation must have the same number of methods, at
    most that of the originals.
    """
    for line in _read_csv(folder, "prf1_subtoken"):
        row = rows[line["dataset"], line["transformation"], "code2vec"]
        yield _make_count_cell(row, "Table 5", row.transformed, int(line["methods"]))
        yield _make_count_cell(row, "variants", max(row.original, row.transformed), row.transformed)
    first_counts: dict[tuple[str, str], int] = {}
    for line in _read_csv(folder, "pcp_xpercent"):
        row, n = _find_row(rows, line), int(line["n_programs"])
        first_count = first_counts.setdefault((row.dataset, row.transformation), n)
        label = f"{line['percentage']} %, {row.model}"
        yield _make_count_cell(row, label, min(first_count, row.original), n)


def _make_count_cell(row: ResultRow, subset: str, ours: int, published: int) -> ReproducedCell:
    return make_cell(
        "methods",
        ours,
        published,
        0.0,
        row.transformation,
        row.dataset,
        "",
        row.transformed,
        subset,
    )


# --------------------------------------------------------------------------------------
# Percentages of few methods: not every percentage is possible.
# --------------------------------------------------------------------------------------


def _is_informative(n: int, tolerance: float) -> bool:
    """Return whether some printed percentages are impossible for n methods."""
    return 0 < n < 100 / (2 * tolerance)


def _check_whole_counts(rows: Rows) -> Iterator[ReproducedCell]:
    for row in rows.values():
        if not _is_informative(row.transformed, ROUNDING):
            continue
        values = {
            "PCP": (row.pcp, ROUNDING),
            **{type_: (row.types[type_], ROUNDING) for type_ in TYPES},
        }
        # The five types are printed so that their sum is 100.00: the last is the remainder.
        values["WWDP"] = (row.types["WWDP"], 4 * ROUNDING)
        note = (
            ""
            if _all_fit(values.values(), row.transformed)
            else _explain_by_other_count(row, values.values())
        )
        for name, (value, tolerance) in values.items():
            if _is_informative(row.transformed, tolerance):
                yield _make_whole_cell(row, name, value, row.transformed, tolerance, note)


def _make_whole_cell(
    row: ResultRow, subset: str, value: float, n: int, tolerance: float, note: str = ""
) -> ReproducedCell:
    return row.make_cell("whole", nearest_percentage(value, n), value, tolerance, subset, note, n)


def _all_fit(values: Iterable[tuple[float, float]], n: int) -> bool:
    return all(
        abs(nearest_percentage(value, n) - value) <= tolerance + FLOAT_ERROR
        for value, tolerance in values
    )


def _explain_by_other_count(row: ResultRow, values: Iterable[tuple[float, float]]) -> str:
    """Return a remark with smaller numbers of methods that fit all values, if there are 1 to 3.

    The remark is empty otherwise.
    """
    values = list(values)
    fitting = [str(n) for n in range(row.transformed - 1, 0, -1) if _all_fit(values, n)]
    note = f"all six fit {' or '.join(fitting)} methods"
    return note if 0 < len(fitting) <= 3 else ""


def _check_runs(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    """Yield the cells of the check ``runs``: an average is a percentage of five times n methods.

    A remark has the smaller numbers of runs that would explain an impossible average.
    """
    # The runs and the average may have been truncated to two decimals, not rounded.
    tolerance = 4 * ROUNDING
    for line in _read_csv(folder, "pcp_xpercent"):
        row, n, value = _find_row(rows, line), int(line["n_programs"]), float(line["PCP"])
        if not _is_informative(RUNS * n, tolerance):
            continue
        ours = nearest_percentage(value, RUNS * n)
        fitting_runs = [
            str(runs)
            for runs in range(1, RUNS)
            if abs(nearest_percentage(value, runs * n) - value) <= tolerance
        ]
        differs = abs(ours - value) > tolerance + FLOAT_ERROR
        note = f"possible with {' or '.join(fitting_runs)} runs" if differs and fitting_runs else ""
        yield row.make_cell("runs", ours, value, tolerance, f"{line['percentage']} %", note, n)


# --------------------------------------------------------------------------------------
# Sentences.
# --------------------------------------------------------------------------------------

# Stated lowest and highest bar of figure 3, by model and type (section 6.2.2).
_RANGES = {
    ("code2vec", "correct"): (10.45, 42.86),
    ("code2vec", "incorrect"): (38.18, 76.00),
    ("code2seq", "correct"): (9.19, 36.36),
    ("code2seq", "incorrect"): (46.66, 62.90),
    ("ggnn", "correct"): (1.90, 8.58),
    ("ggnn", "incorrect"): (31.05, 62.01),
}
# Stated averages of two shares, with their tolerance; "less than 5 %" is 2.5 ± 2.5 (section 6.4).
_SWITCHED = {
    ("code2vec", "CWP/(CCP+CWP)"): (23.0, 0.5),
    ("code2seq", "CWP/(CCP+CWP)"): (20.0, 0.5),
    ("ggnn", "CWP/(CCP+CWP)"): (2.5, 2.5),  # less than 5 %
    ("code2vec", "WCP/(WCP+WWSP+WWDP)"): (1.5, 1.5),  # less than 3 %
    ("code2seq", "WCP/(WCP+WWSP+WWDP)"): (1.5, 1.5),  # less than 3 %
    ("ggnn", "WCP/(WCP+WWSP+WWDP)"): (1.0, 0.5),  # around 1 %
}


def _check_sentences(folder: Path, rows: Rows) -> Iterator[ReproducedCell]:
    code2vec_rows = [row for row in rows.values() if row.model == "code2vec"]
    originals = sum(row.original for row in code2vec_rows)
    variants = sum(row.transformed for row in code2vec_rows)
    yield make_cell("text", originals, 1_415_116, 0.0, n=originals, subset="original methods")
    yield make_cell("text", variants, 2_822_810, 0.0, n=variants, subset="transformed methods")
    pcp = {key: row.pcp for key, row in rows.items()}
    pairs = [(row.dataset, row.transformation) for row in code2vec_rows]
    # The paper counts 18 rows: six transformations in each of three data sets.
    lowest = sum(_is_ggnn_lowest({model: pcp[*pair, model] for model in MODELS}) for pair in pairs)
    yield make_cell(
        "text", lowest, 14, 0.0, technique="ggnn", n=18, subset="rows with the lowest PCP"
    )
    means: dict[str, dict[str, float]] = {}
    for line in read_published(PACKAGE, "averages"):
        means.setdefault(line["transformation"], {})[line["model"]] = float(line["pcp"])
    lowest = sum(map(_is_ggnn_lowest, means.values()))
    yield make_cell("text", lowest, 4, 0.0, technique="ggnn", n=6, subset="lowest averages")
    bars: dict[tuple[str, str], list[float]] = {}
    for line in _read_csv(folder, "correct_vs_incorrect"):
        bars.setdefault((line["model"], line["type"]), []).append(float(line["pcp"]))
    for (model, type_), stated_range in _RANGES.items():
        for stated, name, extremum in zip(
            stated_range, ("lowest", "highest"), (min, max), strict=True
        ):
            yield make_cell(
                "text",
                extremum(bars[model, type_]),
                stated,
                0.0,
                technique=model,
                n=18,
                subset=f"{name} PCP of {type_}",
            )
    for (model, share), (published, tolerance) in _SWITCHED.items():
        model_rows = [row for row in rows.values() if row.model == model]
        numerator, denominator = (
            ("CWP", ("CCP", "CWP")) if share.startswith("C") else ("WCP", TYPES[2:])
        )
        mean = sum(
            100 * row.types[numerator] / row.sum_types(*denominator) for row in model_rows
        ) / len(model_rows)
        yield make_cell(
            "text", mean, published, tolerance, technique=model, n=len(model_rows), subset=share
        )


def _is_ggnn_lowest(values: Mapping[str, float]) -> bool:
    """Return whether GGNN has the lowest of the values by model."""
    return min(values, key=lambda model: values[model]) == "ggnn"
