"""What an engine for big SELECTs is given, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from storage.abc import Timestamp


@dataclass(frozen=True, slots=True)
class Files:
    """Parquet files of one kind that were written alike.

    `columns`: (name in the query, name in the files or None where they have it not, Arrow type wanted, what rows have where they
    have it not: a text to be cast, or None).
    """

    paths: tuple[str, ...]
    has_ts: bool
    columns: tuple[tuple[str, str | None, str, str | None], ...] = ()


@dataclass(slots=True)
class Relation:
    """A table as of a timestamp: insertions without deletions, by `_rid`."""

    name: str
    as_of: Timestamp
    inserted: list[Files] = field(default_factory=list)
    deleted: list[Files] = field(default_factory=list)
    inserted_rows: pa.Table | None = None
    """Those that are in no file yet: `_rid` and the columns under the query's names."""
    deleted_rows: pa.Table | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One query. `functions` are Python functions of the planner's prelude that it calls."""

    sql: str
    relations: Sequence[Relation]
    functions: Sequence[str]
    columns: int


class NotAnswerable(Exception):
    """The engine looked at the query and cannot answer it; nothing has run."""


class Running(Protocol):
    """A query under way."""

    async def read(self) -> pa.RecordBatch | None:
        """The next rows, None at the end. Raises SqlError for errors of the query and of the engine."""

    def close(self) -> None:
        """Ends it, whatever it is doing. Idempotent."""


class Engine(Protocol):
    """Answers queries somewhere else."""

    def missing(self) -> str:
        """Why it cannot be used here, in one line with the remedy; empty if it can."""

    async def start(self, request: Request) -> Running:
        """Raises NotAnswerable, SqlError."""

    async def close(self) -> None: ...
