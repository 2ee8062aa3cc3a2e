"""What to ask a survey about: frequent identifiers of a corpus, pairs of them, and code that they
stand in. IdBench, section II-A, c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from acumen.api import AcumenError, Json
from acumen.core.progress import Progress, ignore_progress
from acumen.corpus import Corpus
from acumen.engines import Engine
from acumen.models.embeddings.files import LANGUAGES
from acumen.survey.contexts import CONTEXTS, Context, contexts
from acumen.survey.occurrences import ROLES, Occurrences, occurrences
from acumen.survey.pairs import Embedding, Picker, at_random, by_cosine, by_synonyms


@dataclass(frozen=True, slots=True)
class Wish:
    """``pairs`` altogether, of these ``synonyms`` and ``random``, the others by the embeddings in
    equal parts. Names occur more than ``least`` times."""

    pairs: int = 300
    synonyms: int = 30
    random: int = 60
    least: int = 50
    contexts: int = CONTEXTS
    seed: int = 0


def select(
    corpora: Sequence[Corpus],
    embeddings: Mapping[str, Embedding],
    synonyms: Mapping[str, frozenset[str]],
    wish: Wish,
    engine: Engine,
    step: Progress = ignore_progress,
) -> dict[str, Json]:
    """Everything as JSON; the same for the same corpora, embeddings, wish."""
    frequent = occurrences(corpora, engine, step).more_than(wish.least)
    if len(frequent.names) < 2:
        raise AcumenError(
            f"no two identifiers occur more than {wish.least} times",
            "a larger corpus, or --least with a smaller number",
        )
    picker = Picker()
    ranges = choose(frequent.names, embeddings, synonyms, wish, picker)
    names = sorted({name for one in picker.found for name in one.pair})
    code = contexts(corpora, names, engine, wish.seed, wish.contexts, step)
    place = {name: i for i, name in enumerate(frequent.names)}
    return {
        "wish": asdict(wish),
        "files": frequent.files,
        "frequent_identifiers": len(frequent.names),
        "ranges": ranges,
        "pairs": [
            {
                "left": one.pair[0],
                "right": one.pair[1],
                "why": one.why,
                **({} if one.cosine is None else {"cosine": one.cosine}),
            }
            for one in sorted(picker.found, key=lambda one: one.pair)
        ],
        "identifiers": [
            {"name": name, **_counts(frequent, place[name]), "contexts": _told(code[name])}
            for name in names
        ],
    }


def choose(
    names: Sequence[str],
    embeddings: Mapping[str, Embedding],
    synonyms: Mapping[str, frozenset[str]],
    wish: Wish,
    picker: Picker,
) -> dict[str, list[int]]:
    """Pick pairs of these names; gives for each embedding how many of each range of similarity.
    What the embeddings and synonyms do not give is drawn at random."""
    by_synonyms(names, synonyms, min(wish.synonyms, wish.pairs), wish.seed, picker)
    rest = max(0, wish.pairs - wish.random - len(picker.found))
    found: dict[str, list[int]] = {}
    for number, (name, embedding) in enumerate(embeddings.items()):
        share = rest // len(embeddings) + (number < rest % len(embeddings))
        # Each draws for itself, so that two embeddings do not start from the same names.
        found[name] = by_cosine(names, embedding, share, wish.seed + 1 + number, name, picker)
    at_random(names, wish.pairs - len(picker.found), wish.seed, picker)
    return found


def _counts(found: Occurrences, place: int) -> dict[str, Json]:
    by_language, by_role = found.counts[place].sum(axis=1), found.counts[place].sum(axis=0)
    return {
        "occurrences": dict(zip(LANGUAGES, by_language.tolist(), strict=True)),
        "roles": dict(zip(ROLES, by_role.tolist(), strict=True)),
        "role": found.role(place),
    }


def _told(found: Sequence[Context]) -> list[dict[str, Json]]:
    return [
        {
            "id": f"{one.sha256[:12]}:{one.line}",
            "file": one.sha256,
            "line": one.line,
            "language": one.language,
            "text": one.text,
        }
        for one in found
    ]
