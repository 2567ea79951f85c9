"""Design -> a drawing of one plane as SVG: tiers, pods or scalable units, bundles with their links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from planner.charts import topology_layout as layout
from planner.charts.fabric_charts import TIER_COLOURS
from planner.charts.topology_layout import LEFT, WIDTH, Plot, Row
from planner.fabric.design import Design
from planner.text import format as form

Point = tuple[float, float]
_GAP, _TITLE, _LINE = 100.0, 52.0, 19.0
_MOST_BUNDLES = 1300  # drawn one by one; beyond that a fan from each frame
_SPREAD = 8  # lines of a fan


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours that depend on the page; those of the tiers do not."""

    text: str
    muted: str
    frame: str
    background: str | None


ON_LIGHT = Palette("#1b1f27", "#525966", "#b9bfc9", None)
ON_DARK = Palette("#f4f5f7", "#b6bcc7", "#565d69", None)
PAPER = Palette("#1b1f27", "#525966", "#b9bfc9", "#ffffff")


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row with its place."""

    row: Row
    top: float
    height: float
    centres: list[list[Point]]


def drawing(design: Design, names: Mapping[str, str], palette: Palette, title: str = "") -> str:
    """The SVG text. ``names``: switches by id; a title is drawn above where there is one."""
    plot = layout.plot(design)
    placed = _placed(plot, _TITLE if title else 8.0)
    bottom = placed[-1].top + placed[-1].height
    notes = _notes(design, plot)
    height = bottom + 16 + _LINE * len(notes)
    parts = [_text(10, 26, title, palette.text, 17, bold=True)] if title else []
    for upper, lower in zip(placed, placed[1:], strict=False):
        parts.append(_bundles(upper, lower, palette))
    parts += _across(placed[0], palette) if design.wiring.pair_links else []
    for row in placed:
        parts += _row(row, plot, palette)
        parts += _words(row, design, names, palette)
    parts += list(_link_words(placed, design, palette))
    parts += [_text(LEFT, bottom + 22 + _LINE * i, note, palette.muted, 14) for i, note in enumerate(notes)]
    return _svg(parts, height, palette)


def _svg(parts: Sequence[str], height: float, palette: Palette) -> str:
    back = f'<rect width="100%" height="100%" fill="{palette.background}"/>' if palette.background else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" '
        f'width="{WIDTH:g}" height="{height:g}" font-family="Arial, Helvetica, sans-serif">'
        f"{back}{''.join(parts)}</svg>"
    )


def _placed(plot: Plot, top: float) -> list[_Placed]:
    found = []
    for row in plot.rows:
        height = layout.row_height(row, plot.pitch, plot.per_mark)
        found.append(_Placed(row, top, height, layout.marks(row, top, plot.pitch, plot.per_mark)))
        top += height + (_GAP if row.tier != "leaf" else _GAP * 0.75)
    return found


def _row(placed: _Placed, plot: Plot, palette: Palette) -> Iterator[str]:
    """The frames of a tier and its marks, as one path."""
    for left, right in layout.frame_edges(len(placed.row.frames)):
        yield (
            f'<rect x="{left:.1f}" y="{placed.top:.1f}" width="{right - left:.1f}" '
            f'height="{placed.height:.1f}" rx="3" fill="none" stroke="{palette.frame}"/>'
        )
    side = plot.pitch - (3 if plot.pitch > 9 else 1.5)
    squares = "".join(
        f"M{x - side / 2:.1f} {y - side / 2:.1f}h{side:g}v{side:g}h-{side:g}z"
        for centres in placed.centres
        for x, y in centres
    )
    yield f'<path d="{squares}" fill="{TIER_COLOURS.get(placed.row.tier, palette.muted)}"/>'


def _bundles(upper: _Placed, lower: _Placed, palette: Palette) -> str:
    """The links between two rows: every bundle while they are few, else a fan from each frame."""
    if lower.row.tier == "node":
        lines = _straight(upper, lower)
    elif len(upper.row.frames) == 1 and _single(upper) * _single(lower) and _few(upper, lower):
        lines = [(a, b) for a in _all(upper) for b in _all(lower)]
    elif upper.row.tier == "spine" and len(upper.row.frames) == len(lower.row.frames) > 1:
        lines = _within_pods(upper, lower)
    else:
        lines = _fans(upper, lower)
    path = "".join(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in lines)
    width = 1.4 if len(lines) < 80 else 0.8 if len(lines) < 400 else 0.5
    return f'<path d="{path}" stroke="{palette.muted}" stroke-width="{width}" opacity="0.5" fill="none"/>'


def _across(leaves: _Placed, palette: Palette) -> list[str]:
    """The links between the two leaves of a pair: one thick line behind their marks."""
    (x, y), (to, _) = _all(leaves)[:2]
    return [f'<path d="M{x:.1f} {y:.1f}H{to:.1f}" stroke="{palette.muted}" stroke-width="4" opacity="0.5"/>']


def _all(placed: _Placed) -> list[Point]:
    return [centre for centres in placed.centres for centre in centres]


def _single(placed: _Placed) -> bool:
    """Whether the marks stand in one line, so that a bundle crosses no other mark."""
    return len({y for _, y in _all(placed)}) == 1


def _few(upper: _Placed, lower: _Placed) -> bool:
    return len(_all(upper)) * len(_all(lower)) <= _MOST_BUNDLES


def _spread(left: float, right: float, n: int) -> list[float]:
    return [left + (right - left) * (i + 0.5) / n for i in range(n)]


def _straight(upper: _Placed, lower: _Placed) -> list[tuple[Point, Point]]:
    """Nodes hang below their leaves: a few parallel lines a frame."""
    found = []
    for left, right in layout.frame_edges(len(lower.row.frames)):
        n = max(1, min(6, int((right - left) // 14)))
        found += [((x, upper.top + upper.height), (x, lower.top)) for x in _spread(left, right, n)]
    return found


def _within_pods(upper: _Placed, lower: _Placed) -> list[tuple[Point, Point]]:
    found = []
    for left, right in layout.frame_edges(len(lower.row.frames)):
        ends = _spread(left, right, max(2, min(_SPREAD, int((right - left) // 20))))
        found += [((a, upper.top + upper.height), (b, lower.top)) for a in ends for b in ends]
    return found


def _fans(upper: _Placed, lower: _Placed) -> list[tuple[Point, Point]]:
    """From every frame below to all frames above, or to places spread over a single one."""
    edges = layout.frame_edges(len(upper.row.frames))
    above = [(left + right) / 2 for left, right in edges] if 1 < len(edges) <= _SPREAD else _spread(
        edges[0][0], edges[-1][1], _SPREAD
    )  # fmt: skip
    return [
        ((x, upper.top + upper.height), ((left + right) / 2, lower.top))
        for left, right in layout.frame_edges(len(lower.row.frames))
        for x in above
    ]


def _words(placed: _Placed, design: Design, names: Mapping[str, str], palette: Palette) -> list[str]:
    """Beside a row: what it is, how many, which model."""
    w, tier, n = design.wiring, placed.row.tier, placed.row.total
    model = {"core": w.core, "spine": w.spine, "leaf": w.leaf}.get(tier, "")
    heading = f"{form.counted(n, *_NOUNS[tier])}"
    second = names.get(model, model) if model else f"{form.counted(w.endpoints_per_node, 'endpoint')} each"
    y = placed.top + placed.height / 2
    return [
        _text(10, y - 3, heading, palette.text, 17, bold=True),
        _text(10, y + 16, second, palette.muted, 14),
    ]


_NOUNS = {"core": ("core",), "spine": ("spine",), "leaf": ("leaf", "leaves"), "node": ("node",)}


def _link_words(placed: Sequence[_Placed], design: Design, palette: Palette) -> Iterator[str]:
    """Between two rows: how many links, how many in a bundle, the ratio."""
    for upper, lower in zip(placed, placed[1:], strict=False):
        y = (upper.top + upper.height + lower.top) / 2
        lines = link_lines(design, upper.row.tier)
        for i, line in enumerate(lines):
            yield _text(10, y + 13 - 8.5 * len(lines) + i * 17, line, palette.muted, 14)


def link_lines(design: Design, upper: str) -> tuple[str, ...]:
    """The links below a tier of one plane, in words."""
    w, size = design.wiring, design.size
    if upper == "leaf":
        below = f"{form.counted(size.endpoints, 'link')} of {form.gbps(w.link_gbps)}"
        if not w.pair_links:
            return (below,)
        across = f"leaf-leaf: {form.count(w.pair_links)} of {form.gbps(w.uplink_gbps)}"
        return below, f"{across}, {form.ratio(w.oversubscription)}"
    if upper == "spine":
        bundle = f"m = {form.count(w.links_per_pair)} a leaf and spine, {form.ratio(w.oversubscription)}"
        return f"{form.counted(size.leaf_spine_links, 'link')} of {form.gbps(w.uplink_gbps)}", bundle
    pair = w.spine_up // w.cores_per_group
    bundle = f"m = {form.count(pair)} a spine and core, {form.ratio(w.spine_oversubscription)}"
    return f"{form.counted(size.spine_core_links, 'link')} of {form.gbps(w.uplink_gbps)}", bundle


def _notes(design: Design, plot: Plot) -> list[str]:
    """What one square and one frame stand for."""
    w = design.wiring
    frame = "pod" if w.tiers == 3 else "scalable unit"
    frames = frame if plot.per_frame == 1 else f"group of {form.count(plot.per_frame)} {frame}s"
    mark = (
        "switch or node" if plot.per_mark == 1 else f"group of {form.count(plot.per_mark)} switches or nodes"
    )
    found = [f"One square is one {mark}; one frame is one {frames}."]
    if w.tiers == 3:
        groups = form.counted(w.core_groups, "group")
        found.append(f"Each pod's spines fall into {groups}; a group reaches its own cores only.")
    if w.copies > 1:
        what = f"{form.counted(w.planes, 'plane')}" + (
            f" at {form.counted(w.sites, 'site')}" if w.sites > 1 else ""
        )
        found.append(f"One of {form.count(w.copies)} equal fabrics is drawn: {what}.")
    return found


def _text(x: float, y: float, words: str, colour: str, size: int, bold: bool = False) -> str:
    weight = ' font-weight="650"' if bold else ""
    return f'<text x="{x:g}" y="{y:.1f}" font-size="{size}" fill="{colour}"{weight}>{escape(words)}</text>'
