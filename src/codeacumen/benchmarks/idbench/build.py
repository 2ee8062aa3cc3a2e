"""Build the family ``identifiers``, pairs with ratings, from the votes of a survey."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from codeacumen.api import Json
from codeacumen.core.progress import Progress
from codeacumen.datasets.built import check_choice


def build_from_votes(
    votes: str | Path | Sequence[str | Path],
    out: Path,
    report: Progress,
    *,
    sizes: Sequence[tuple[str, float, float]] = (),
    scale: str = "ordinal",
    increase: float = 0.1,
    min_ratings: int = 10,
) -> dict[str, Json]:
    """Clean the votes of a survey into IdBench's tables, and return the content of ``report.json``.

    ``votes`` are files of votes, or folders with ``direct.*`` and ``indirect.*``. ``sizes`` are
    names with the thresholds τ and θ (``survey.clean`` explains them), by default IdBench's three.
    ``scale`` is ordinal or interval. Raters without whom α grows by the share ``increase`` are
    dropped, and so are pairs with fewer than ``min_ratings`` ratings. For votes that were
    simulated, the result has a judgement of the cleaning under ``simulated``.
    """
    from codeacumen.survey.agreement import Scale
    from codeacumen.survey.clean import (
        PUBLISHED_SIZES,
        BenchmarkSize,
        CleaningRules,
        clean_votes,
    )
    from codeacumen.survey.output_files import write_benchmarks
    from codeacumen.survey.simulate import judge_cleaning, read_truth
    from codeacumen.survey.votes import list_vote_files, read_votes

    check_choice("scale", scale, list(Scale))
    sources = [Path(source) for source in ([votes] if isinstance(votes, str | Path) else votes)]
    rules = CleaningRules(
        tuple(BenchmarkSize(*size) for size in sizes) or PUBLISHED_SIZES,
        Scale(scale),
        increase,
        min_ratings,
    )
    all_votes = read_votes(sources)
    cleaned = clean_votes(all_votes, rules)
    summary = write_benchmarks(cleaned, all_votes, rules, list_vote_files(sources), out)
    truth = read_truth(sources[0]) if len(sources) == 1 else None
    if truth is None:
        return summary
    return {**summary, "simulated": judge_cleaning(cleaned, all_votes, truth)}
