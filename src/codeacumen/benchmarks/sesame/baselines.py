"""The two measures by which SeSaMe's pairs were sampled, as models that return published values.

``docsim`` compares JavaDoc and its names, so it supports only the level that shows them; ``toksim``
compares the kinds of tokens, which all levels show.
"""

from __future__ import annotations

from functools import partial

from codeacumen.benchmarks.sesame import FLAVOURS
from codeacumen.datasets import find_dataset, require_dataset
from codeacumen.registry import model
from codeacumen.tasks.published import PairScores, PublishedPairScores
from codeacumen.views.masking.levels import LEVELS, WHOLE

# Summary and supported levels by measure.
MEASURES = {
    "docsim": ("similarity of the JavaDoc", (WHOLE,)),
    "toksim": ("similarity of the kinds of tokens", tuple(LEVELS)),
}


def _load_scores(measure: str) -> PairScores:
    from codeacumen.benchmarks.sesame.pairs import read_pairs, read_published_scores
    from codeacumen.views.masking.levels import show_level

    folder = require_dataset("sesame")
    values = read_published_scores(folder)
    return {
        (show_level(pair.first, level), show_level(pair.second, level)): values[pair.id][measure]
        for level in MEASURES[measure][1]
        for pair in read_pairs(folder)
    }


def make_measure(measure: str) -> PublishedPairScores:
    """Return the model of a measure, docsim or toksim, for all flavours."""
    only = tuple(
        f"sesame/{flavour}/{level}" for flavour in FLAVOURS for level in MEASURES[measure][1]
    )
    load = partial(_load_scores, measure)
    return PublishedPairScores(load, only, fingerprint=find_dataset("sesame").commit)


for _measure, (_summary, _) in MEASURES.items():
    model(
        f"published-{_measure}",
        summary=f"SeSaMe's {_measure}: {_summary} (published values)",
        is_published=True,
    )(partial(make_measure, _measure))
