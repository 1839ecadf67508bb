"""What an output plugin is: how a follower is told of transactions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from executor.replication.decoding import Tables, Transaction
from planner.abc import SqlError
from planner.types.booleans import bool_in
from storage.abc import Timestamp

XIDS: Final = range(3, 1 << 32)
EPOCH_US: Final = 946_684_800_000_000
"""2000-01-01, from which PostgreSQL's protocol counts microseconds."""
_IDENTIFIER: Final = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^",\s]+))\s*(,|$)')


class Plugin(Protocol):
    """A follower's: it remembers what it has told."""

    binary: bool
    """Whether its messages are bytes and no text."""

    @property
    def tables(self) -> Tables:
        """Whose changes are told, by the catalog of the time."""
        ...

    def messages(self, transaction: Transaction) -> Iterator[tuple[Timestamp, bytes]]:
        """What is said of a transaction: messages, each with its place in the log. Raises SqlError."""
        ...


def transaction_number(ts: Timestamp) -> int:
    """A number for who wants one of 32 bits: transactions have none here but their timestamps."""
    return XIDS.start + ts % len(XIDS)


def flag(name: str, value: str | None) -> bool:
    """An option that is on or off. Raises 22023."""
    if value is None:
        return True
    try:
        return bool_in(value)
    except SqlError:
        raise SqlError("22023", f'could not parse value "{value}" for parameter "{name}"') from None


def identifiers(text: str) -> list[str] | None:
    """`"a", b` as names; None where it is no such list."""
    found: list[str] = []
    place = 0
    while place < len(text) or not found:
        match = _IDENTIFIER.match(text, place)
        if match is None:
            return None
        quoted, bare, behind = match.groups()
        found.append(quoted.replace('""', '"') if quoted is not None else bare.lower())
        place = match.end()
        if not behind:
            break
    return found


Options = Mapping[str, str | None]

__all__ = ["EPOCH_US", "Options", "Plugin", "flag", "identifiers", "transaction_number"]
