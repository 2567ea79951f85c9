"""``python -m planner``: the command line."""

from __future__ import annotations

from planner.cli import main

main()
