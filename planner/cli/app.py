"""The command that starts the web app."""

from __future__ import annotations

import errno
import signal
import socket
import subprocess
import sys
from types import FrameType
from typing import NoReturn

import click

from planner.catalog.data_files import app_file
from planner.cli.inputs import InputError
from planner.cli.output import say

_FIRST_PORT = 8501
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_OPEN_TO_OTHERS = (
    "Warning: whoever reaches this address can read and change every scenario of the library. Ask for a "
    "sign-in (Streamlit's [auth] in .streamlit/secrets.toml) or keep to a network that you trust."
)


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Default: the first free one from 8501.")
@click.option(
    "--address", default="localhost", show_default=True, help="Of this machine's addresses, the one served."
)
def app(port: int | None, address: str) -> None:
    """Starts the web app, on this machine only unless --address says otherwise; Ctrl-C ends it."""
    chosen = _free_port(port, address)
    if address not in _THIS_MACHINE:
        say(_OPEN_TO_OTHERS, err=True)
    shown = f"[{address}]" if ":" in address else address
    say(f"The planner is at http://{shown}:{chosen} (Ctrl-C ends it)")
    settings = {
        "server.address": address,
        "server.port": str(chosen),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [part for key, value in settings.items() for part in (f"--{key}", value)]
    command = [sys.executable, "-m", "streamlit", "run", str(app_file()), *flags]
    signal.signal(signal.SIGTERM, _interrupted)
    server = subprocess.Popen(command, cwd=app_file().parent)  # where Streamlit finds the app's own settings
    try:
        sys.exit(server.wait())
    except KeyboardInterrupt:
        say("The planner has ended.")
    finally:
        server.terminate()
        server.wait()


def _free_port(asked: int | None, address: str = "localhost") -> int:
    """``asked`` if it is free, else the first free port from 8501; ``address`` may be of IPv6."""
    try:
        family = socket.getaddrinfo(address, None, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError) as error:  # UnicodeError: what no name of a machine can be
        raise InputError(f'--address "{address}" is no address of this machine') from error
    for port in [asked] if asked else range(_FIRST_PORT, _FIRST_PORT + 100):
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL:
                    raise InputError(f'--address "{address}" is no address of this machine') from error
                continue
            return port
    raise InputError(f"port {asked} is in use; give another with --port" if asked else "no port is free")


def _interrupted(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
