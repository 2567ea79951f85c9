"""What the commands print. Everything goes through here: a terminal obeys what a name may hold."""

from __future__ import annotations

import click

from planner.text.terminal import one_line, terminal_text


def say(text: str, err: bool = False) -> None:
    """Prints a text of the planner's own making, in one line or several, and ends the last one."""
    click.echo(terminal_text(text.removesuffix("\n")), err=err)


def say_line(text: str, err: bool = False) -> None:
    """Prints one line, whatever stands in it."""
    click.echo(one_line(text), err=err)
