"""``codeacumen names``: check method names, suggest names, compare identifiers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from codeacumen.cli._embedding import embed_names
from codeacumen.cli._groups import FOUND_FAILURES, Command, create_group
from codeacumen.cli._names_check import Background, Config, calibrate, check
from codeacumen.cli._options import AsJson, Plugins, Workers, complete_model, load_plugins
from codeacumen.cli._output import print_json, print_note, print_table
from codeacumen.text.numbers import format_number

if TYPE_CHECKING:
    from codeacumen.checker.suggest import SuggestedNames
    from codeacumen.interface.names import NamePair

app = create_group("Check method names, suggest names, compare identifiers.")
app.command("check", cls=Command)(check)
app.command("calibrate", cls=Command)(calibrate)


@app.command("suggest", cls=Command)
def suggest(
    method: Annotated[
        str, typer.Argument(metavar="METHOD", help="FILE.java:LINE or FILE.java:NAME.")
    ],
    n: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Maximum number of names.")
    ] = 5,
    config: Config = None,
    background: Background = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Suggest names for a method, best first, with the reasons for each.

    The model is that of `names check`: it learns from the whole project how methods are named. A
    confidence is the share of such methods in other code that begin with this verb, or of the
    siblings that are named in this way.

    Examples:
        codeacumen names suggest src/shop/Basket.java:16
        codeacumen names suggest src/shop/Basket.java:getOwner -n 3 --json
    """
    from codeacumen.checker.suggest import split_reference
    from codeacumen.interface.names import suggest_names

    suggested = suggest_names(
        method, limit=n, config=config, background=background, workers=workers
    )
    if as_json:
        print_json(_describe_suggestions(suggested))
    else:
        _print_suggestions(suggested, split_reference(method)[0])


def _describe_suggestions(suggested: SuggestedNames) -> dict[str, Any]:
    verdict = suggested.verdict
    return {
        "path": suggested.path,
        "line": suggested.place.line,
        "column": suggested.place.column,
        "owner": suggested.owner,
        "name": suggested.name,
        "parameters": list(suggested.parameters),
        "confidence": suggested.suggestions.own_confidence,
        "probability": None if verdict is None else round(verdict.wrong, 6),
        "suggestions": [asdict(name) for name in suggested.suggestions.names],
    }


def _print_suggestions(suggested: SuggestedNames, file: Path) -> None:
    names, verdict = suggested.suggestions.names, suggested.verdict
    rows = [
        [name.name, format_number(name.confidence, 2), "\n".join(name.reasons)] for name in names
    ]
    own = suggested.suggestions.own_confidence
    if own is not None:
        rows.append([f"{suggested.name} (now)", format_number(own, 2), ""])
    if verdict is None:
        judgement = "No evidence against the current name."
    else:
        judgement = f"Probability that the current name is wrong: {verdict.wrong:.2f}."
    title = f"{suggested.method}, {file}:{suggested.place.line}"
    columns = ["name", "confidence", "reason"]
    print_table(columns, rows, title=title, caption=judgement, right=(1,), wide=2)
    if not names:
        print_note("no suggestions: too few methods to learn from, or the name fits")


@app.command("compare", cls=Command)
def compare(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME NAME...", help="Two or more identifiers.")
    ],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME[:KEY=VALUE,...]",
            autocompletion=complete_model,
            help="Model with the capability similarity or embed.",
        ),
    ] = "codeacumen-names",
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Compare identifiers: similarity and relatedness of each pair.

    Similar: one name could stand for the other. Related: they belong to the same topic, as
    startIndex and endIndex do. Larger is closer; the scale is the model's.

    Examples:
        codeacumen names compare startIndex beginIndex endIndex
        codeacumen names compare idx index -m levenshtein --json
    """
    from codeacumen.interface.names import compare_names

    load_plugins(plugin)
    pairs = compare_names(names, model)
    if as_json:
        print_json([asdict(pair) for pair in pairs])
    else:
        _print_pairs(pairs, model)
    unanswered = [pair for pair in pairs if pair.similarity is None]
    for pair in unanswered:
        print_note(f"{model} has no answer for {pair.left}, {pair.right}")
    if unanswered:
        raise typer.Exit(FOUND_FAILURES)


def _print_pairs(pairs: list[NamePair], model: str) -> None:
    rows = [
        [pair.left, pair.right, format_number(pair.similarity), format_number(pair.relatedness)]
        for pair in pairs
    ]
    caption = ""
    if all(pair.similarity == pair.relatedness for pair in pairs):
        caption = f"{model} does not distinguish similar from related."
    columns = ["name", "name", "similar", "related"]
    print_table(columns, rows, caption=caption, right=(2, 3))


@app.command("neighbours", cls=Command)
def neighbours(
    embedding: Annotated[
        Path, typer.Argument(metavar="EMBEDDING", help="Folder of a trained embedding.")
    ],
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Identifiers.")],
    n: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Number of neighbours.")
    ] = 5,
    as_json: AsJson = False,
) -> None:
    """Print the names nearest to each name in an embedding, as in IdBench's Table IV.

    `codeacumen train embedding` makes embeddings. The exit code is 1 if a name has no vector: it
    is not in the vocabulary, and the embedding has no n-grams to make one from.

    Examples:
        codeacumen names neighbours embeddings/ft-cbow length click
        codeacumen names neighbours embeddings/paths rows -n 10 --json
    """
    from codeacumen.models.embeddings.vectors import Vectors

    vectors = Vectors.load(embedding)
    nearest = {name: vectors.neighbours(name, n) for name in names}
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "known": name in vectors.row_by_name,
                    "neighbours": nearest_names
                    and [
                        {"name": other, "cosine": round(value, 6)} for other, value in nearest_names
                    ],
                }
                for name, nearest_names in nearest.items()
            ]
        )
    else:
        answered = {
            name: nearest_names
            for name, nearest_names in nearest.items()
            if nearest_names is not None
        }
        columns = [
            name if name in vectors.row_by_name else f"{name} (by its parts)" for name in answered
        ]
        longest = max((len(nearest_names) for nearest_names in answered.values()), default=0)
        rows = [
            [
                f"{nearest_names[rank][0]} {nearest_names[rank][1]:.2f}"
                if rank < len(nearest_names)
                else ""
                for nearest_names in answered.values()
            ]
            for rank in range(longest)
        ]
        if rows:
            print_table(columns, rows)
    unknown = [name for name, nearest_names in nearest.items() if nearest_names is None]
    for name in unknown:
        print_note(f"{name}: it has no vector")
    if unknown:
        raise typer.Exit(FOUND_FAILURES)


app.command("embed", cls=Command)(embed_names)
