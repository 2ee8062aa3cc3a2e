"""Reproduce figures 2 and 3 of IdBench, and compute its two string distances from scratch.

The string distances are Levenshtein (LV) and Needleman-Wunsch (NW). Known causes of differences:
the paper's figures use the pairs that every technique scores (154, 228 and 266 in the small, medium
and large set, not all 167, 247 and 291); its script ranks numbers as text; the ensemble's
dictionary differs between releases. With ``--embeddings``, embeddings that the user trained are
compared with the published ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from codeacumen.api import Answer, CodeacumenError, EvaluationSet, Pair, Score
from codeacumen.benchmarks.idbench import (
    LABELS,
    SIZES,
    read_pairs,
    read_published_agreement,
    read_published_correlations,
)
from codeacumen.datasets import require_dataset
from codeacumen.models.strings import make_levenshtein, make_needleman_wunsch
from codeacumen.registry import make_model, make_task
from codeacumen.reproduce import (
    OUTSIDE,
    WITHIN,
    RecipeOptions,
    ReproducedCell,
    TextTable,
    compare_with_published,
)
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell, PlannedTask
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.text.numbers import format_difference, format_interval, format_number

# Verdict of a row whose published counterpart it need not equal.
TRAINED = "trained anew"
# Published name of the technique by kind of embedding.
PUBLISHED = {
    "w2v-cbow": "w2v-cbow",
    "w2v-sg": "w2v-SG",
    "ft-cbow": "FT-cbow",
    "ft-sg": "FT-SG",
    "paths": "Path-based",
}
# Model by published name of the technique.
MODELS = {
    "LV": "lv",
    "NW": "nw",
    "FT-cbow": "ft-cbow",
    "FT-SG": "ft-sg",
    "w2v-cbow": "w2v-cbow",
    "w2v-SG": "w2v-sg",
    "Path-based": "path-based",
    "combined": "ensemble",
}


def compute_cells(options: RecipeOptions) -> list[ReproducedCell]:
    """Return the cells of figure 2, of embeddings trained here, of figure 3, and of LV and NW."""
    require_dataset("idbench")
    settings, progress = options.settings, options.progress
    embeddings = find_embeddings(options.embeddings) if options.embeddings else []
    scores: dict[tuple[str, str, str], list[Score]] = {}
    published = read_published_correlations()
    tasks = {
        (question, size): PlannedTask(make_task(f"idbench/{question}/{size}"))
        for question in LABELS
        for size in SIZES
    }
    for index, number in enumerate(published):
        progress(f"{number.technique}, {number.task}, {number.size}", index, len(published))
        planned = tasks[number.task, number.size]
        answers: dict[str, Answer] = answer_cell(
            Cell(make_model(MODELS[number.technique]), planned)
        )[0]
        scores[number.task, number.size, number.technique] = compute_scores(
            planned.task, planned.instances, answers, settings
        )[0]
    progress("done", len(published), len(published))
    # All tasks have the same two evaluation sets.
    complete_set, own_set = tasks["relatedness", "small"].card.evaluation_sets
    return [
        *_reproduce_figure_2(scores, complete_set, own_set),
        *_compare_trained(embeddings, tasks, settings, complete_set, own_set),
        *_reproduce_figure_3(scores),
        *_compare_string_distances(),
    ]


def _reproduce_figure_2(
    scores: dict[tuple[str, str, str], list[Score]],
    complete_set: EvaluationSet,
    own_set: EvaluationSet,
) -> Iterator[ReproducedCell]:
    """Yield the correlations on complete pairs, beside the published ones.

    ``scores`` are by question, size and technique. A remark has the correlation on all pairs that
    the technique scores, if these are more.
    """
    for number in read_published_correlations():
        score_by_set = {
            cell_score.evaluation_set: cell_score
            for cell_score in scores[number.task, number.size, number.technique]
            if not cell_score.slice
        }
        ours = score_by_set[complete_set.name]
        difference, verdict = compare_with_published(ours.value, number.value, number.tolerance)
        note = ""
        if ours.n != number.n:
            verdict, note = OUTSIDE, f"published on {number.n} pairs"
        elif (
            score_by_set[own_set.name].n != ours.n and score_by_set[own_set.name].value is not None
        ):
            note = (
                f"on all {score_by_set[own_set.name].n} pairs it scores: "
                f"{score_by_set[own_set.name].value:.4f}"
            )
        yield ReproducedCell(
            table="figure 2",
            task=number.task,
            size=number.size,
            technique=number.technique,
            n=ours.n,
            ours=ours.value,
            published=number.value,
            difference=difference,
            verdict=verdict,
            tolerance=number.tolerance,
            low=ours.low,
            high=ours.high,
            ceiling=read_published_agreement(number.task, number.size),
            note=note,
        )


def find_embeddings(folder: Path) -> list[tuple[Path, str]]:
    """Return folder and kind of the embeddings in a folder and its subfolders.

    Raises an error if there are none.
    """
    from codeacumen.models.embeddings.vectors import METADATA, read_metadata

    if not folder.is_dir():
        raise CodeacumenError(f"{folder}: no such folder")
    candidates = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    embeddings = [
        (path, str(read_metadata(path).get("kind", "")))
        for path in candidates
        if (path / METADATA).is_file()
    ]
    if not embeddings:
        raise CodeacumenError(
            f"{folder}: neither an embedding nor a folder of embeddings",
            "train one: codeacumen train embedding TECHNIQUE CORPUS --out DIR/TECHNIQUE",
        )
    return embeddings


def _compare_trained(
    embeddings: list[tuple[Path, str]],
    tasks: dict[tuple[str, str], PlannedTask],
    settings: ScoringSettings,
    complete_set: EvaluationSet,
    own_set: EvaluationSet,
) -> Iterator[ReproducedCell]:
    """Yield the cells of embeddings trained here, beside the published ones of their technique.

    The scores are on the complete pairs that have vectors. The published embeddings were trained on
    other code, so the values need not be equal.
    """
    published = {
        (correlation.task, correlation.size, correlation.technique): correlation.value
        for correlation in read_published_correlations()
    }
    for folder, kind in embeddings:
        model = make_model(f"embedding:{folder.absolute()}")
        for (question, size), planned in tasks.items():
            answers = answer_cell(Cell(model, planned))[0]
            scores = compute_scores(planned.task, planned.instances, answers, settings)[0]
            score_by_set = {
                cell_score.evaluation_set: cell_score
                for cell_score in scores
                if not cell_score.slice
            }
            ours, all_pairs = score_by_set[complete_set.name], score_by_set[own_set.name]
            theirs = published.get((question, size, PUBLISHED.get(kind, "")))
            note = f"scores {all_pairs.n} of {len(planned.instances)} pairs"
            if all_pairs.value is not None:
                note += f", on all of its pairs: {all_pairs.value:.4f}"
            yield ReproducedCell(
                table="trained",
                task=question,
                size=size,
                technique=folder.name,
                n=ours.n,
                ours=ours.value,
                published=theirs,
                difference=None if ours.value is None or theirs is None else ours.value - theirs,
                verdict=TRAINED,
                low=ours.low,
                high=ours.high,
                ceiling=read_published_agreement(question, size),
                note=note,
            )


def _reproduce_figure_3(
    scores: dict[tuple[str, str, str], list[Score]],
) -> Iterator[ReproducedCell]:
    """Yield the cells of the five subsets, for all techniques but the ensemble.

    The paper shows the subsets without numbers, so there is nothing to compare with. The intervals
    show the large uncertainty of such small sets.
    """
    for (task, size, technique), cell_scores in scores.items():
        if technique == "combined":
            continue
        for cell_score in cell_scores:
            if not cell_score.slice:
                continue
            difference, verdict = compare_with_published(cell_score.value, None, None)
            yield ReproducedCell(
                table="figure 3",
                task=task,
                size=size,
                technique=technique,
                n=cell_score.n,
                ours=cell_score.value,
                published=None,
                difference=difference,
                verdict=verdict,
                low=cell_score.low,
                high=cell_score.high,
                subset=cell_score.slice,
                note=cell_score.note,
            )


def _compare_string_distances() -> Iterator[ReproducedCell]:
    """Yield, by distance and size, the number of published rows that we reproduce exactly."""
    folder = require_dataset("idbench")
    for technique, model in (
        ("LV", make_levenshtein(decimals=2)),
        ("NW", make_needleman_wunsch(decimals=2)),
    ):
        for size in SIZES:
            pairs = read_pairs(folder, size)
            ours = model.similarity([Pair(pair.left, pair.right) for pair in pairs])
            equal_count = sum(
                value == pair.scores[technique] for value, pair in zip(ours, pairs, strict=True)
            )
            yield ReproducedCell(
                table="columns",
                task="rows equal",
                size=size,
                technique=technique,
                n=len(pairs),
                ours=equal_count,
                published=None,
                difference=None,
                verdict=WITHIN if equal_count == len(pairs) else OUTSIDE,
                note=f"{equal_count} of {len(pairs)} rows of the published column, from scratch",
            )


def build_tables(cells: Sequence[ReproducedCell]) -> list[TextTable]:
    """Return the tables of figure 2, of trained embeddings, and of figure 3.

    The lines on the string distances follow the last table.
    """
    by_table: dict[str, list[ReproducedCell]] = {}
    for cell in cells:
        by_table.setdefault(cell.table, []).append(cell)
    tables = [_figure_2_table(by_table["figure 2"])]
    if "trained" in by_table:
        tables.append(_trained_table(by_table["trained"]))
    columns = _format_column_lines(by_table["columns"])
    return [*tables, _figure_3_table(by_table["figure 3"], columns)]


def _score_columns(cell: ReproducedCell) -> list[str]:
    return [
        cell.task,
        cell.size,
        cell.technique,
        str(cell.n),
        format_number(cell.ours, 4),
        format_number(cell.published, 4),
        format_difference(cell.difference),
    ]


def _figure_2_table(cells: Sequence[ReproducedCell]) -> TextTable:
    within = sum(cell.verdict == WITHIN for cell in cells)
    return TextTable(
        title="Figure 2: Spearman's rank correlation with the ratings",
        columns=[
            "task",
            "size",
            "technique",
            "n",
            "ours",
            "published",
            "difference",
            "verdict",
            "95% interval",
            "people",
            "remark",
        ],
        rows=[
            [
                *_score_columns(cell),
                cell.verdict,
                format_interval(cell.low, cell.high),
                format_number(cell.ceiling, 2),
                cell.note,
            ]
            for cell in cells
        ],
        caption=(
            "Evaluation set complete: the pairs that every published technique scores, as in the "
            "paper. People: agreement between raters (Krippendorff's α, Table II); none was "
            "published for contextual similarity."
        ),
        numeric=(3, 4, 5, 6, 9),
        footer=(
            f"{within} of {len(cells)} cells within tolerance "
            "(0.0005 for the seven techniques, 0.02 for the ensemble: dictionaries differ)\n"
        ),
    )


def _trained_table(cells: Sequence[ReproducedCell]) -> TextTable:
    return TextTable(
        title="Figure 2: embeddings trained here, beside the published ones of the same technique",
        columns=[
            "task",
            "size",
            "embedding",
            "n",
            "ours",
            "published",
            "difference",
            "95% interval",
            "people",
            "coverage",
        ],
        rows=[
            [
                *_score_columns(cell),
                format_interval(cell.low, cell.high),
                format_number(cell.ceiling, 2),
                cell.note,
            ]
            for cell in cells
        ],
        caption=(
            "Scored on the complete pairs, as above, if both names have a vector. The published "
            "embeddings were trained on other code, so the values need not be equal."
        ),
        numeric=(3, 4, 5, 6, 8),
    )


def _figure_3_table(cells: Sequence[ReproducedCell], footer: str) -> TextTable:
    techniques = list(dict.fromkeys(cell.technique for cell in cells))
    subsets = dict.fromkeys(cell.subset for cell in cells)
    tasks = dict.fromkeys(cell.task for cell in cells)
    by_key = {(cell.subset, cell.task, cell.technique): cell for cell in cells}
    rows = []
    for subset, task in product(subsets, tasks):
        row_cells = [by_key[subset, task, technique] for technique in techniques]
        scores = [
            f"{format_number(cell.ours, 2)} ({format_interval(cell.low, cell.high, 2)})"
            for cell in row_cells
        ]
        rows.append([subset, task, str(row_cells[0].n), *scores])
    correlations = [
        cell.ours for cell in cells if cell.subset == "abbreviations" and cell.ours is not None
    ]
    negative = sum(round(value, 9) < 0 for value in correlations)
    return TextTable(
        title="Figure 3: subsets of the pairs, with 95 % intervals",
        columns=["subset", "task", "n", *techniques],
        rows=[[text.replace(" to ", "…") for text in row] for row in rows],
        caption=(
            "The paper shows this figure without numbers, so there are none to compare with. "
            "The subsets are tiny: most intervals contain both strong agreement and "
            "disagreement. Scored on complete pairs of the large set, which contains the "
            "published subsets."
        ),
        numeric=(2,),
        footer=(
            "The paper's text: more than half of the correlations for abbreviations are negative. "
            f"Ours: {negative} of {len(correlations)}.\n\n{footer}"
        ),
    )


def _format_column_lines(cells: Sequence[ReproducedCell]) -> str:
    lines = []
    for technique in dict.fromkeys(cell.technique for cell in cells):
        equal = sum(int(cell.ours or 0) for cell in cells if cell.technique == technique)
        rows = sum(cell.n for cell in cells if cell.technique == technique)
        lines.append(f"{technique} from scratch: {equal} of {rows} published rows equal")
    return "\n".join(lines)
