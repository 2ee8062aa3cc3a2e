"""A training on one page: how loss and score went, how fast it was, on what, with which settings.

The page needs no script and no network. A picture is drawn twice, for light and for dark, and the
browser takes the one that its reader has chosen.
"""

from __future__ import annotations

import base64
import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.api import AcumenError, Face

if TYPE_CHECKING:
    import altair as alt

PAGE = "report.html"
# Of longer trainings so many rounds are drawn and told, spread evenly, the best and the last
# always among them.
MOST = 400
# Above this share of a round, the network waits for its data more than it should.
IDLE = 0.1
_WIDTH, _HEIGHT = 460, 220
# Up to so many rounds, each has a dot.
_DOTTED = 60
_TICKS = 10
_COLUMNS = (
    "round", "step", "loss", "dev_loss", "dev_score", "rate", "seconds", "examples_per_second",
    "waiting",
)  # fmt: skip
# There where it could be measured.
_BUSY = "gpu_busy"
_HINT = "train it again: `acumen train`"

Row = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Picture:
    """``light`` and ``dark`` are addresses that hold the picture itself."""

    title: str
    told: str
    light: str
    dark: str


def write_training(folder: Path) -> Path:
    """The page of a trained network, written beside it. Equal folders give equal bytes."""
    from acumen.files import write_atomically
    from acumen.models.neural.exported import ABOUT, read_about
    from acumen.models.neural.preparing import VOCABULARIES

    about = read_about(folder)
    every = _history(folder / "history.csv")
    try:
        text = _render(about, every, _vocabularies(folder / VOCABULARIES))
    except (KeyError, TypeError, ValueError) as error:
        raise AcumenError(
            f"{folder / ABOUT} does not tell how it was trained: {type(error).__name__} {error}",
            _HINT,
        ) from error
    path = folder / PAGE
    write_atomically(path, text.encode("utf-8", errors="backslashreplace"))
    return path


def _render(
    about: Mapping[str, Any], every: Sequence[Row], vocabularies: Sequence[tuple[str, int]]
) -> str:
    from importlib.resources import files

    from jinja2 import Environment, PackageLoader, StrictUndefined

    from acumen.report.html import FOLDER, STYLES

    environment = Environment(
        loader=PackageLoader("acumen.report", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(figure=_figure, lasted=_lasted, percent=_percent, setting=_setting)
    page = files("acumen.report").joinpath(FOLDER)
    best = int(about["best"]["round"]) + 1
    shown = _thinned(every, best)
    judged = _judged(about)
    return environment.get_template("training.html").render(
        about=about,
        best=best,
        judged=judged,
        pictures=_pictures(shown, best, judged),
        rows=shown,
        left_out=len(every) - len(shown),
        speed=_typical(every, "examples_per_second"),
        waiting=_typical(every, "waiting"),
        busy=_typical(every, _BUSY),
        idle=IDLE,
        vocabularies=vocabularies,
        style="\n".join(page.joinpath(name).read_text(encoding="utf-8") for name in STYLES),
        policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'",
    )


# --------------------------------------------------------------------------------------
# What there is to be read
# --------------------------------------------------------------------------------------


def _history(path: Path) -> list[Row]:
    """A row a round, rounds counted from 1. What is no number was none: it is not drawn."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise ValueError(f"it has no column {missing[0]}")
            names = [*_COLUMNS, *({_BUSY} & set(reader.fieldnames or ()))]
            found = [{name: _number(row[name]) for name in names} for row in reader]
    except (OSError, ValueError, TypeError, csv.Error) as error:
        raise AcumenError(f"{path}: a damaged history: {error}", _HINT) from error
    if not found:
        raise AcumenError(f"{path} tells of no round", _HINT)
    # Counted here, not read: a damaged number must not move a point.
    return [{**row, "round": float(number)} for number, row in enumerate(found, 1)]


def _number(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _thinned(rows: Sequence[Row], best: int) -> list[Row]:
    if len(rows) <= MOST:
        return list(rows)
    last = len(rows) - 1
    wanted = {round(at * last / (MOST - 1)) for at in range(MOST)} | {min(best - 1, last)}
    return [rows[at] for at in sorted(wanted)]


def _typical(rows: Sequence[Row], column: str) -> float | None:
    """The median: the first round, in which all is still cold, tells little."""
    values = sorted(value for row in rows if (value := row.get(column)) is not None)
    return values[len(values) // 2] if values else None


def _vocabularies(folder: Path) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for path in sorted(folder.glob("*.txt")):
        with path.open("rb") as stream:
            found.append((path.stem, sum(1 for _ in stream)))
    for path in sorted(folder.glob("*.json")):
        try:
            found.append((path.stem, len(json.loads(path.read_bytes())["model"]["vocab"])))
        except (ValueError, KeyError, TypeError):
            continue  # a file of another kind
    return found


def _judged(about: Mapping[str, Any]) -> str:
    """What the score on dev is; empty where there is none, as while pre-training."""
    from acumen.models.neural.preparing import PRETRAIN

    if about["purpose"]["task"] == PRETRAIN:
        return ""
    if about["purpose"]["face"] == Face.NAME:
        return "F1 of a name's words"
    # Named after a family, it was taught several of its tasks at once.
    return "right answers" if "/" in about["purpose"]["task"] else "right answers, mean of tasks"


# --------------------------------------------------------------------------------------
# Numbers in words
# --------------------------------------------------------------------------------------


def _figure(value: float | None, digits: int = 4) -> str:
    """So many digits, thousands parted."""
    if value is None:
        return "–"
    whole = len(str(int(abs(value))))
    return (
        f"{value:,.{max(0, digits - whole)}f}"
        if abs(value) >= 1e-3 or not value
        else f"{value:.2e}"
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _lasted(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _setting(value: Any) -> str:
    return (value or "–") if isinstance(value, str) else json.dumps(value)


# --------------------------------------------------------------------------------------
# Pictures
# --------------------------------------------------------------------------------------


def _pictures(rows: Sequence[Row], best: int, judged: str) -> list[Picture]:
    found = [_losses(rows, best)]
    if judged:
        told = f"the best round, {best}, is marked"
        found.append(_line(rows, "dev_score", f"Dev: {judged}", told, best=best, top=1.0))
    found.append(_line(rows, "examples_per_second", "Examples a second", "in training"))
    percents = [{**row, "waiting": _hundredfold(row["waiting"])} for row in rows]
    title = "Waiting for data, % of the time"
    told = f"above the dashed line, at {100 * IDLE:.0f} %, loading data is too slow"
    found.append(_line(percents, "waiting", title, told, limit=100 * IDLE))
    return found


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _losses(rows: Sequence[Row], best: int) -> Picture:
    import altair as alt

    from acumen.report.plots import inline_data

    splits = {"train": "loss", "dev": "dev_loss"}
    points = [
        {"round": row["round"], "split": split, "value": row[column]}
        for split, column in splits.items()
        for row in rows
        if row[column] is not None
    ]
    order = list(splits)
    # The same for both channels, or each would have a legend of its own.
    legend = alt.Legend(symbolType="stroke", symbolSize=400)
    x = _rounds(rows)
    lines = (
        alt.Chart(inline_data(points))
        .mark_line(point=_dots(rows))
        .encode(
            x=x,
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
            color=alt.Color("split:O", sort=order, scale=alt.Scale(domain=order), legend=legend),
            # Not by colour alone.
            strokeDash=alt.StrokeDash(
                "split:O",
                sort=order,
                scale=alt.Scale(domain=order, range=[[5, 3], [1, 0]]),
                legend=legend,
            ),
        )
    )
    told = f"the mean over a round; the round that was kept, {best}, is marked"
    return _drawn("Loss on train and dev", told, alt.layer(*_mark(best, x), lines))


def _line(
    rows: Sequence[Row], column: str, title: str, told: str, *,
    best: int = 0, top: float | None = None, limit: float | None = None,
) -> Picture:  # fmt: skip
    import altair as alt

    from acumen.report.plots import inline_data

    points = [
        {"round": row["round"], "value": row[column]} for row in rows if row[column] is not None
    ]
    most = max((point["value"] or 0.0 for point in points), default=0.0)
    # A line of zeros would have no height to lie in; a share ends at 1.
    high = max(most * 1.1, limit * 1.2 if limit else 0.0, 0.05 if top else 0.0) or 1.0
    scale = alt.Scale(domain=[0, min(high, top) if top else high], nice=False)
    x = _rounds(rows)
    line = (
        alt.Chart(inline_data(points))
        .mark_line(point=_dots(rows))
        .encode(x=x, y=alt.Y("value:Q", title=None, scale=scale))
    )
    layers: list[Any] = [*(_mark(best, x) if best else ()), line]
    if limit is not None:
        at = alt.Chart(inline_data([{"value": limit}]))
        layers.append(at.mark_rule(strokeDash=[4, 3]).encode(y=alt.Y("value:Q", scale=scale)))
    return _drawn(title, told, alt.layer(*layers))


def _mark(best: int, x: alt.X) -> list[Any]:
    """Where the best round is."""
    import altair as alt

    from acumen.report.plots import inline_data

    base = alt.Chart(inline_data([{"round": best, "text": f"round {best}"}])).encode(x=x)
    words = base.mark_text(y=0, dy=-8, style="note").encode(text="text:N")
    return [base.mark_rule(strokeDash=[2, 2]), words]


def _dots(rows: Sequence[Row]) -> bool:
    return len(rows) <= _DOTTED


def _rounds(rows: Sequence[Row]) -> alt.X:
    import altair as alt

    last = int(rows[-1]["round"] or 1)
    domain = [1.0, last] if last > 1 else [0.5, 1.5]
    # Of two rounds, Vega would also name one and a half.
    ticks = list(range(1, last + 1, max(1, -(-last // _TICKS))))
    axis = alt.Axis(title="round", format="d", values=ticks, grid=False)
    return alt.X("round:Q", axis=axis, scale=alt.Scale(domain=domain, nice=False))


def _drawn(title: str, told: str, chart: Any) -> Picture:
    import vl_convert

    from acumen.report.plots import COLOURS, fitted_spec, theme, vega_lite_version

    sized = {"width": _WIDTH, "autosize": {"type": "fit", "contains": "padding"}}
    spec = {**fitted_spec(chart), "height": _HEIGHT, **sized}

    def address(name: str) -> str:
        colour, config = COLOURS[name], theme(name)
        config |= {
            "line": {"color": colour["accent"], "strokeWidth": 2},
            "point": {"color": colour["accent"], "filled": True, "size": 30},
            "text": {"color": colour["ink"]},
            "rule": {"color": colour["soft"]},
            "axisY": {"labelColor": colour["soft"], "grid": True},
        }
        drawing = vl_convert.vegalite_to_svg(
            {**spec, "config": config}, vl_version=vega_lite_version()
        )
        return "data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode()

    return Picture(title, told, address("light"), address("dark"))
