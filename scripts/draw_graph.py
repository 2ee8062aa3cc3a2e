"""Draw a method's feature graph over its source as an SVG for the documentation.

python scripts/draw_graph.py FILE METHOD OUT.svg
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import Any

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.text import token_ranges

WIDTH, LINE, TOP, LEFT = 9.6, 66, 84, 30
COLOURS = {
    "LU": ("#0a6b78", "last use"),
    "LW": ("#c2410c", "last write"),
    "CF": ("#6d28d9", "computed from"),
}


def build_graph(file: JavaFile, method: int) -> Any:
    """Return the graph view of a method."""
    import numpy as np

    view = make_view("graph")
    row = file.bodies.index(method)
    seeds = np.zeros(len(file.bodies), dtype=np.uint64)
    rows = {
        table.name: {name: columns[row] for name, columns in table.columns(file, seeds).items()}
        for table in view.tables
    }
    return view.value({"name": file.declarations.methods[method].name}, rows)


def locate_tokens(file: JavaFile, method: int) -> list[tuple[float, float, float, str]]:
    """Return left, top, width and text of each token of a method, laid out as in the source."""
    first, last = token_ranges(file)
    row = file.bodies.index(method)
    tokens, source = file.tokens, file.source
    start = int(tokens.start[first[row]])
    margin = start - (source.rfind(b"\n", 0, start) + 1)
    boxes_of_tokens = []
    for token in range(first[row], last[row]):
        token_start = int(tokens.start[token])
        line = source.count(b"\n", start, token_start)
        column = token_start - (source.rfind(b"\n", 0, token_start) + 1) - margin
        text = tokens.text(token)
        boxes_of_tokens.append((LEFT + column * WIDTH, TOP + line * LINE, len(text) * WIDTH, text))
    return boxes_of_tokens


def draw_arc(
    source_box: tuple[float, float, float, str],
    target_box: tuple[float, float, float, str],
    lane: int,
) -> str:
    """Return the SVG path of an edge between two tokens.

    Each kind of edge has its own lane, so that edges of two kinds between the same tokens do not
    cover each other.
    """
    sideways = (lane - 1) * 7
    x1, y1, x2, y2 = (
        source_box[0] + source_box[2] / 2 + sideways,
        source_box[1],
        target_box[0] + target_box[2] / 2 + sideways,
        target_box[1],
    )
    if y1 == y2:
        height = 16 + 6 * lane + abs(x1 - x2) * 0.07
        top = y1 - 15 - height
        return f"M{x1:.1f},{y1 - 15} C{x1:.1f},{top:.1f} {x2:.1f},{top:.1f} {x2:.1f},{y2 - 15}"
    start, end = (y1 - 15, y2 + 7) if y2 < y1 else (y1 + 6, y2 - 16)
    # Edges between distant lines bend further, so that they do not cover the code between.
    bend = sideways * (1 + abs(y1 - y2) / LINE)
    middle = (start + end) / 2
    return (
        f"M{x1:.1f},{start} C{x1 + bend:.1f},{middle:.1f} {x2 + bend:.1f},{middle:.1f} "
        f"{x2:.1f},{end}"
    )


def draw_svg(graph: Any, tokens: list[tuple[float, float, float, str]]) -> str:
    """Return the SVG document: tokens, edges and a legend."""
    first = graph["backbone_sequence"][0]
    right = max(left + width for left, _, width, _ in tokens) + LEFT
    bottom = max(top for _, top, _, _ in tokens) + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(right, 480):.0f} {bottom}" '
        f'width="{max(right, 480):.0f}" height="{bottom}" font-family="ui-monospace, monospace">',
        '<rect width="100%" height="100%" fill="#ffffff" rx="8"/>',
    ]
    for index, (kind, (colour, title)) in enumerate(COLOURS.items()):
        x = LEFT + index * 150
        parts.append(
            f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
            f'<line x1="{x}" y1="26" x2="{x + 18}" y2="26" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x + 24}" y="30" font-size="12" fill="#5b656d" '
            f'font-family="system-ui, sans-serif">{title}</text>'
        )
    for lane, (kind, (colour, _)) in enumerate(COLOURS.items()):
        for source, target in graph["edges"][kind]:
            if source < first or target < first or source == target:
                continue
            curve = draw_arc(tokens[source - first], tokens[target - first], lane)
            parts.append(
                f'<path d="{curve}" fill="none" stroke="{colour}" stroke-width="1.4" '
                f'opacity="0.85" marker-end="url(#{kind})"/>'
            )
    for left, top, width, text in tokens:
        parts.append(
            f'<rect x="{left - 2:.1f}" y="{top - 15}" width="{width + 4:.1f}" height="21" rx="4" '
            f'fill="#f3f5f6"/><text x="{left:.1f}" y="{top}" font-size="16" fill="#1d2226" '
            f'textLength="{width:.1f}">{escape(text)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    path, name, out = sys.argv[1:]
    file = JavaFile(Path(path).read_bytes())
    method = next(
        candidate for candidate in file.bodies if file.declarations.methods[candidate].name == name
    )
    Path(out).write_text(draw_svg(build_graph(file, method), locate_tokens(file, method)))


if __name__ == "__main__":
    main()
