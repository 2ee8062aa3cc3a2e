from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from codeacumen.api import CodeacumenError, Run
from codeacumen.report import export_plots
from codeacumen.report.plots import ROW_HEIGHT, choose_scale

RunFolder = tuple[Path, Run]


def test_every_plot_is_written_as_png_and_svg(small_run: RunFolder, tmp_path: Path) -> None:
    written = export_plots([small_run], tmp_path, ["png", "svg"])
    assert [path.name for path in written] == [
        "overview.png",
        "overview.svg",
        "intervals-abbreviations-match.png",
        "intervals-abbreviations-match.svg",
        "intervals-abbreviations-expand.png",
        "intervals-abbreviations-expand.svg",
    ]
    for path in written:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        else:
            root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
            assert root.tag.endswith("svg")
    assert "levenshtein" in written[3].read_text(encoding="utf-8")


def test_rows_of_a_short_plot_do_not_overlap(small_run: RunFolder, tmp_path: Path) -> None:
    """The legend and axis add to the height of the rows; otherwise labels would overlap."""
    (overview, *_) = export_plots([small_run], tmp_path, ["svg"])
    height = float(ElementTree.fromstring(overview.read_text(encoding="utf-8")).attrib["height"])
    rows = len(small_run[1].tasks) * ROW_HEIGHT
    assert height > rows + 30


def test_svg_is_the_same_each_time(small_run: RunFolder, tmp_path: Path) -> None:
    first = export_plots([small_run], tmp_path / "a", ["svg"])
    second = export_plots([small_run], tmp_path / "b", ["svg"])
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_an_unknown_format_is_rejected(small_run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="gif"):
        export_plots([small_run], tmp_path, ["gif"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.2, 0.9], (0.0, 1.0)),
        ([], (0.0, 1.0)),
        ([-0.13, None, 1.0], (-0.2, 1.0)),
        ([-1.0, 1.0], (-1.0, 1.0)),
        ([37.0], (0.0, 40.0)),
    ],
)
def test_scale_covers_the_values(values: list[float | None], expected: tuple[float, float]) -> None:
    scale = choose_scale(values)
    assert (scale.low, scale.high) == pytest.approx(expected)
    assert scale.percent(scale.low) == 0
    assert scale.percent(scale.high) == 100
    assert 2 <= len(scale.ticks) <= 9
