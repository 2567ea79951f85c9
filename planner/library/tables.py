"""The tables of the library, and the steps by which a store of an earlier schema reaches this one."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

metadata = sa.MetaData()

settings = sa.Table(
    "settings",
    metadata,
    sa.Column("key", sa.String(40), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
scenarios = sa.Table(
    "scenarios",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("head", sa.Integer, nullable=False),  # number of the latest version
    sa.Column("deleted_at", sa.String(32), nullable=True),  # in the trash since
)
versions = sa.Table(
    "versions",
    metadata,
    sa.Column("scenario_id", sa.String(32), sa.ForeignKey("scenarios.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("started_from", sa.Integer, nullable=True),  # None: the first one
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("saved_at", sa.String(32), nullable=False),  # UTC, ISO 8601
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("text", sa.Text, nullable=False),  # TOML
)
drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("changed_at", sa.String(32), nullable=False),
)
draft_parts = sa.Table(
    "draft_parts",
    metadata,
    sa.Column("draft_id", sa.String(32), sa.ForeignKey("drafts.id"), primary_key=True),
    sa.Column("part", sa.String(20), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)

SCHEMA_KEY = "schema"


def _first(connection: sa.Connection) -> None:
    metadata.create_all(connection, checkfirst=False)


# Step n takes a store from schema n to n + 1. A released step never changes; a new schema adds one.
STEPS: tuple[Callable[[sa.Connection], None], ...] = (_first,)


def schema_of(connection: sa.Connection) -> int:
    """The schema that a store has; 0 for an empty one. Raises ValueError where it says no number."""
    if not sa.inspect(connection).has_table(settings.name):
        return 0
    found = connection.scalar(sa.select(settings.c.value).where(settings.c.key == SCHEMA_KEY))
    if found is not None and not (found.isascii() and found.isdecimal()):
        raise ValueError(f"its schema is {found[:40]!r}")
    return int(found or 0)


def upgrade(connection: sa.Connection, known: int) -> None:
    """Runs the steps that the store has not had, within the transaction of ``connection``."""
    for step in STEPS[known:]:
        step(connection)
    connection.execute(sa.delete(settings).where(settings.c.key == SCHEMA_KEY))
    connection.execute(sa.insert(settings).values(key=SCHEMA_KEY, value=str(len(STEPS))))
