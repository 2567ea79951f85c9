"""What a command says when its input is at fault."""

from __future__ import annotations

import click


class InputError(click.ClickException):
    """The input is at fault: one readable message on standard error, exit status 2."""

    exit_code = 2
