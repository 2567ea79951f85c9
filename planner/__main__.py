"""``python -m planner``: the command line."""

from __future__ import annotations

from planner.cli.main import main

main()
