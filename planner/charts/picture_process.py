"""Pictures are rendered in a process of their own: the renderer is a browser's script engine, and where that
runs out of memory it ends the process that it is in, which must not be the server's.

The process is started for one picture, reads {"kind", "content"} as JSON from its standard input and writes
the picture to its standard output.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

PictureKind = Literal["vega-svg", "vega-png", "svg-png"]  # what it is made from, and what it becomes
TIME_LIMIT_S = 60.0
MEMORY_BYTES = 2_000_000_000
PNG_SCALE = 2.0  # pixels a point: sharp on a slide
_MODULE = "planner.charts.picture_process"
_ROOT = Path(__file__).resolve().parents[2]


class PictureError(Exception):
    """A picture could not be made: one sentence."""


def rendered(kind: PictureKind, content: object, vl_version: str = "") -> bytes:
    """The picture of a Vega-Lite chart (as plain values; ``vl_version`` names its grammar) or of an SVG text.

    Raises PictureError.
    """
    path = os.pathsep.join(p for p in (str(_ROOT), os.environ.get("PYTHONPATH")) if p)
    try:
        done = subprocess.run(
            [sys.executable, "-m", _MODULE],
            input=json.dumps({"kind": kind, "content": content, "vl_version": vl_version}).encode(),
            capture_output=True,
            timeout=TIME_LIMIT_S,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PictureError(f"the picture took more than {TIME_LIMIT_S:g} s") from error
    except OSError as error:
        raise PictureError(f"no process for the picture could be started: {error.strerror}") from error
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise PictureError(f"the picture could not be made: {said[-1] if said else 'too little memory?'}")
    return done.stdout


def main() -> None:
    """Renders the one picture that is asked for."""
    asked = json.load(sys.stdin)
    _limit_memory()
    import vl_convert

    kind, content, version = asked["kind"], asked["content"], asked["vl_version"]
    if kind == "vega-svg":
        made = vl_convert.vegalite_to_svg(content, vl_version=version).encode("utf-8")
    elif kind == "vega-png":
        made = bytes(vl_convert.vegalite_to_png(content, vl_version=version, scale=PNG_SCALE))
    elif kind == "svg-png":
        made = bytes(vl_convert.svg_to_png(content, scale=PNG_SCALE))
    else:
        raise ValueError(f"{kind!r} is no kind of picture")
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()


def _limit_memory() -> None:
    """The most memory that the system gives this process; where it can't be limited, no limit."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    except (ImportError, OSError, ValueError):
        return


if __name__ == "__main__":
    main()
