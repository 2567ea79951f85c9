"""The libraries under test: a SQLite file, and a PostgreSQL server that the tests start."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from planner.library.store import Store, open_store

WAIT_S = 20.0  # many writers on a busy machine


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server of the tests' own: its data in ``folder``, its socket there too."""

    binaries: Path
    folder: Path
    as_user: tuple[str, ...]

    def url(self, database: str) -> str:
        return f"postgresql://planner@/{database}?host={self.folder}"

    def run(self, program: str, *arguments: str, limits: tuple[str, ...] = ()) -> None:
        command = [*self.as_user, *limits, str(self.binaries / program), *arguments]
        said = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert said.returncode == 0, said.stdout + said.stderr

    def start(self, limits: tuple[str, ...] = ()) -> None:
        where = ("-D", f"{self.folder}/data", "-l", f"{self.folder}/log")
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "start", "-w", *where, "-o", options, limits=limits)

    def stop(self, mode: str) -> None:
        self.run("pg_ctl", "stop", "-w", "-m", mode, "-D", f"{self.folder}/data")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Skips without PostgreSQL's programs, fails where REQUIRE_POSTGRES=1 asks for them."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    anywhere = shutil.which("initdb")
    if not found and not anywhere:
        reason = "no PostgreSQL on this machine (Debian: apt-get install postgresql)"
        if os.environ.get("REQUIRE_POSTGRES") == "1":
            pytest.fail(f"REQUIRE_POSTGRES=1, but {reason}")
        pytest.skip(reason)
    binaries = found[-1].parent if found else Path(str(anywhere)).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: a socket's path has at most 107 characters
    made = Server(binaries, folder, _unprivileged(folder))
    try:
        made.run("initdb", "-D", f"{folder}/data", "-U", "planner", "-A", "trust", "-E", "UTF8", "--locale=C")
        made.start()
        yield made
        made.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> tuple[str, ...]:
    """PostgreSQL refuses to run as root: then it runs as its own user, or as nobody."""
    if os.getuid() != 0:
        return ()
    names = {user.pw_name for user in pwd.getpwall()}
    user = "postgres" if "postgres" in names else "nobody"
    shutil.chown(folder, user)
    return ("runuser", "-u", user, "--")


_databases = iter(range(1_000_000))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty library."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'library.db'}"
    server: Server = request.getfixturevalue("server")
    database = f"test_{next(_databases)}"
    server.run("createdb", "-h", str(server.folder), "-U", "planner", database)
    return server.url(database)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url, WAIT_S)
    yield opened
    opened.engine.dispose()
