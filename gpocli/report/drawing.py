"""Charts as SVG, drawn by Vega-Lite: text and lines alone, which need no script and take the colours of the page."""

from collections.abc import Sequence
from typing import Any

from gpocli.errors import EnvironmentFault
from gpocli.report.lengths import Lengths
from gpocli.report.series import Chart

COLOURS = 6
"""Runs that have a colour of their own; the seventh has that of the first."""
STROKES = ("", "dashed", "dotted", "dash-dotted")
"""How the kinds of a chart are told apart."""
_DASHES: list[list[int]] = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
_INK, _GRID = "var(--ink)", "var(--grid)"
_AXIS = {
    "labelColor": _INK, "titleColor": _INK, "domainColor": _GRID, "tickColor": _GRID, "gridColor": _GRID,
    "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "tickCount": 5,
}  # fmt: skip
_CONFIG = {"background": None, "view": {"stroke": None}, "axis": _AXIS, "font": "sans-serif"}
_SIZE = {"width": 270, "height": 150}


def require_drawing() -> None:
    """Raise EnvironmentFault where the package that draws is missing."""
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise EnvironmentFault("a report needs a package that is not installed; pip install 'gpocli[report]'") from None


def draw_chart(chart: Chart) -> str:
    """Curves over steps."""
    rows = [
        {"x": x, "y": y, "run": curve.run, "kind": curve.kind, "curve": f"{curve.run}.{curve.kind}"}
        for curve in chart.curves
        for x, y in curve.points
    ]
    is_point = all(len(curve.points) == 1 for curve in chart.curves)
    mark = {"type": "point", "filled": True} if is_point else {"type": "line", "strokeWidth": 1.6}
    return _svg(rows, mark, "step", chart.unit)


def draw_lengths(found: Sequence[Lengths | None]) -> str:
    """Shares of kept completions by length, at the start (dashed) and at the end of each run."""
    rows = [
        {"x": edge, "y": share, "run": run, "kind": kind, "curve": f"{run}.{kind}"}
        for run, one in enumerate(found)
        if one is not None
        for kind, shares in ((1, one.start), (0, one.end))
        for edge, share in zip(one.edges, shares, strict=True)
    ]
    return _svg(rows, {"type": "line", "interpolate": "step-after", "strokeWidth": 1.6}, "tokens", "share")


def colour(run: int) -> str:
    """That of a run, a variable of the page."""
    return f"var(--run-{run % COLOURS})"


def _svg(rows: Sequence[dict[str, Any]], mark: dict[str, Any], x: str, y: str) -> str:
    import vl_convert

    runs, kinds = (sorted({row[field] for row in rows}) for field in ("run", "kind"))
    hues = {"domain": runs, "range": [colour(run) for run in runs]}
    dashes = {"domain": kinds, "range": [_DASHES[kind % len(_DASHES)] for kind in kinds]}
    encoding = {
        "x": {"field": "x", "type": "quantitative", "title": x, "scale": {"zero": False, "nice": False}},
        "y": {"field": "y", "type": "quantitative", "title": y or None, "scale": {"zero": False}},
        "color": {"field": "run", "type": "nominal", "scale": hues, "legend": None},
        "detail": {"field": "curve", "type": "nominal"},
    }
    if mark["type"] == "line":
        encoding["strokeDash"] = {"field": "kind", "type": "nominal", "scale": dashes, "legend": None}
    spec = {"data": {"values": list(rows)}, "mark": mark, "encoding": encoding, "config": _CONFIG, **_SIZE}
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn
