"""Where the marks of a topology drawing stand: frames side by side, one mark for each switch and node.

The same mark stands for the same number of pieces in every tier, so that the drawing is to scale of
its counts; large fabrics get smaller marks, then marks that stand for 2, 4, 8 ... pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from planner.fabric.design import Design

LEFT, WIDTH, RIGHT_MARGIN = 232.0, 960.0, 10.0
MOST_FRAMES = 48
_PITCHES = (20.0, 16.0, 13.0, 10.0, 8.0, 6.5, 5.0, 4.2)
_MOST_HEIGHT = 112.0
_PADDING = 2.5


@dataclass(frozen=True, slots=True)
class Row:
    """One tier of one plane: the pieces in each frame, from left to right."""

    tier: str  # core | spine | leaf | node
    frames: tuple[int, ...]

    @property
    def total(self) -> int:
        """Pieces of the tier."""
        return sum(self.frames)


@dataclass(frozen=True, slots=True)
class Plot:
    """The rows from the top down, and what one frame and one mark stand for."""

    rows: tuple[Row, ...]
    per_frame: int  # pods or scalable units
    per_mark: int
    pitch: float


def plot(design: Design) -> Plot:
    """The rows of a design and the marks that they fit in."""
    w, size = design.wiring, design.size
    if w.tiers == 3:
        return _fitted(_pods(design), size.pods)
    units = max(1, ceil(size.leaves / w.leaves_per_unit))
    leaves, nodes = (
        _shared(size.leaves, w.leaves_per_unit, units),
        _shared(size.nodes, w.nodes_per_unit, units),
    )
    rows = [Row("leaf", leaves), Row("node", nodes)]
    if w.tiers == 2:
        rows.insert(0, Row("spine", (size.spines,)))
    return _fitted(rows, units)


def _pods(design: Design) -> list[Row]:
    w, size = design.wiring, design.size
    whole_units = w.leaves_per_pod % w.leaves_per_unit == 0
    per_pod = w.leaves_per_pod // w.leaves_per_unit * w.nodes_per_unit
    nodes = _shared(size.nodes, per_pod, size.pods) if whole_units else (size.nodes,)
    return [
        Row("core", (w.cores_per_group,) * w.core_groups),
        Row("spine", (w.spines,) * size.pods),
        Row("leaf", _shared(size.leaves, w.leaves_per_pod, size.pods)),
        Row("node", nodes),
    ]


def _shared(total: int, each: int, frames: int) -> tuple[int, ...]:
    """``total`` pieces packed into frames of ``each``; the last ones may be part filled or empty."""
    return tuple(max(0, min(each, total - i * each)) for i in range(frames))


def _fitted(rows: Sequence[Row], frames: int) -> Plot:
    """Frames put together where there are too many, then the largest mark that fits every row."""
    per_frame = ceil(frames / MOST_FRAMES)
    packed = tuple(Row(r.tier, _packed(r.frames)) for r in rows)
    per_mark = 1
    while True:
        for pitch in _PITCHES:
            if all(_fits(row, pitch, per_mark) for row in packed):
                return Plot(packed, per_frame, per_mark, pitch)
        per_mark *= 2


def _packed(counts: tuple[int, ...]) -> tuple[int, ...]:
    k = ceil(len(counts) / MOST_FRAMES)
    return tuple(sum(counts[i : i + k]) for i in range(0, len(counts), k))


def frame_edges(frames: int) -> list[tuple[float, float]]:
    """Left and right edge of each frame."""
    gap = 5.0 if frames <= 24 else 3.0
    width = (WIDTH - RIGHT_MARGIN - LEFT - gap * (frames - 1)) / frames
    return [(LEFT + i * (width + gap), LEFT + i * (width + gap) + width) for i in range(frames)]


def columns(row: Row, pitch: float) -> int:
    """Marks side by side in a frame."""
    left, right = frame_edges(len(row.frames))[0]
    return int((right - left - 2 * _PADDING) // pitch)


def row_height(row: Row, pitch: float, per_mark: int) -> float:
    """Height of the row's frames."""
    marks = ceil(max(row.frames) / per_mark)
    return ceil(marks / columns(row, pitch)) * pitch + 2 * _PADDING


def _fits(row: Row, pitch: float, per_mark: int) -> bool:
    return columns(row, pitch) >= 1 and row_height(row, pitch, per_mark) <= _MOST_HEIGHT


def marks(row: Row, top: float, pitch: float, per_mark: int) -> list[list[tuple[float, float]]]:
    """Centres of the marks of each frame: spread over it where one line holds them, else a block."""
    across = columns(row, pitch)
    found = []
    for (left, right), pieces in zip(frame_edges(len(row.frames)), row.frames, strict=True):
        n = ceil(pieces / per_mark)
        step = (right - left) / n if 0 < n <= across else pitch
        start = (left + right) / 2 - (min(n, across) - 1) * step / 2
        middle = top + _PADDING + pitch / 2
        found.append([(start + i % across * step, middle + i // across * pitch) for i in range(n)])
    return found
