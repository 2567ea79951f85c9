"""A process that saves version after version and prints each one only once it is acknowledged.

Arguments: URL, scenario id or "new", author, bytes of filling in each version.
"""

from __future__ import annotations

import random
import sys

from planner.library.scenarios import ConflictError, Origin, Version, save
from planner.library.store import LibraryError, open_store


def filled(name: str, number: int, filling: int) -> str:
    """A scenario's text whose filling does not compress."""
    noise = random.Random(f"{name}{number}").randbytes(filling // 2).hex()
    return f'schema = 1\nname = "{name}"\nnumber = {number}\n# {noise}\n'


def main(url: str, asked: str, author: str, filling: str) -> None:
    store = open_store(url, 20.0)
    head: Version | None = None
    number = 0
    while True:
        number += 1
        text = filled(author, number, int(filling))
        started_from = head.origin if head else None if asked == "new" else Origin(asked, 0)
        try:
            head = save(store, text, author, "", started_from)
        except ConflictError as conflict:
            head = conflict.head
            continue
        except LibraryError as error:
            print("refused", error, flush=True)
            return
        print("saved", head.scenario_id, head.number, head.sha256, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
