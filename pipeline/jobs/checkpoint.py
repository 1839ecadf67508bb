"""How far a named load is: a row per file, changed in the very transactions that write the file's rows.

    BEGIN;  COPY t FROM STDIN (50,000 rows);  UPDATE tidewire_loads SET row_count = 150000 ... ;  COMMIT;

Both happen or neither does, so a load that was killed anywhere goes on with the first row that is not there: nothing
twice, nothing left out. What was said of rejects is kept the same way: their count, and how long the reject file was,
which is cut back to that length before more is written to it.

A file is known by its path and recognised by its size and a checksum of its ends: one that changed in between is refused.
The rows' order in a file is the order in which it is read, always the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

TABLE: Final = "public.tidewire_loads"
_ENDS_BYTES: Final = 1 << 20

_CREATE = f"""
CREATE TABLE IF NOT EXISTS {TABLE} (
    load_name    text,
    file_name    text,
    target       text    NOT NULL,
    fingerprint  text    NOT NULL,
    row_count    bigint  NOT NULL,
    rejects      bigint  NOT NULL,
    reject_bytes bigint  NOT NULL,
    done         boolean NOT NULL,
    changed_at   timestamptz NOT NULL,
    PRIMARY KEY (load_name, file_name)
)"""


class CheckpointError(Exception):
    """The load cannot go on from where it was; the message says why."""


@dataclass(slots=True)
class FileState:
    """How far one file is. `rows` counts those that were read: loaded or rejected."""

    name: str
    fingerprint: str
    rows: int = 0
    rejects: int = 0
    done: bool = False


class Checkpoint:
    """The state of one named load, read once and then only written: nobody else may work on it."""

    def __init__(self, connection: psycopg.Connection[Any], name: str, target: str) -> None:
        self._connection, self._name, self._target = connection, name, target
        self._files: dict[str, FileState] = {}
        self.reject_bytes = 0
        """How long the reject file was at the last commit."""

    @classmethod
    def open(
        cls, connection: psycopg.Connection[Any], name: str, target: str, files: Sequence[str]
    ) -> Checkpoint:
        """Reads what is known of the load, and begins what is not. Outside a transaction. Raises CheckpointError."""
        made = cls(connection, name, target)
        connection.execute(_CREATE)
        prints = {str(Path(f).absolute()): fingerprint(f) for f in files}
        with connection.transaction():
            known = connection.execute(
                "SELECT file_name, target, fingerprint, row_count, rejects, reject_bytes, done"
                f" FROM {TABLE} WHERE load_name = %s",
                [name],
            ).fetchall()
            for file, other, print_, rows, rejects, reject_bytes, done in known:
                if other != target:
                    raise CheckpointError(f'the load "{name}" is one into table "{other}"')
                if file in prints and print_ != prints[file]:
                    raise CheckpointError(
                        f'{file} is not the file any more that the load "{name}" began to read'
                    )
                made._files[file] = FileState(file, print_, rows, rejects, done)
                made.reject_bytes = max(made.reject_bytes, reject_bytes)
            for file, print_ in prints.items():
                if file not in made._files:
                    connection.execute(
                        f"INSERT INTO {TABLE} VALUES (%s, %s, %s, %s, 0, 0, 0, false, now())",
                        [name, file, target, print_],
                    )
                    made._files[file] = FileState(file, print_)
        return made

    def of(self, file: str) -> FileState:
        return self._files[str(Path(file).absolute())]

    @property
    def rejects(self) -> int:
        return sum(f.rejects for f in self._files.values())

    def advance(
        self, file: str, rows: int, rejects: int = 0, *, reject_bytes: int = 0, done: bool = False
    ) -> None:
        """So many more rows of the file, in the transaction that is open. `kept` follows its commit."""
        state = self.of(file)
        changed = self._connection.execute(
            f"UPDATE {TABLE} SET row_count = %s, rejects = %s, reject_bytes = %s, done = %s, changed_at = now()"
            " WHERE load_name = %s AND file_name = %s AND row_count = %s AND rejects = %s AND NOT done",
            [
                state.rows + rows, state.rejects + rejects, max(reject_bytes, self.reject_bytes), done,
                self._name, state.name, state.rows, state.rejects,
            ],
        )  # fmt: skip
        if changed.rowcount != 1:
            raise CheckpointError(f'somebody else is at work on the load "{self._name}"')

    def kept(
        self, file: str, rows: int, rejects: int = 0, *, reject_bytes: int = 0, done: bool = False
    ) -> None:
        """What `advance` wrote is committed."""
        state = self.of(file)
        state.rows, state.rejects, state.done = state.rows + rows, state.rejects + rejects, done
        self.reject_bytes = max(reject_bytes, self.reject_bytes)


def fingerprint(file: str) -> str:
    """The size and a checksum of the first and last megabyte."""
    size = Path(file).stat().st_size
    with open(file, "rb") as f:
        digest = hashlib.sha256(f.read(_ENDS_BYTES))
        f.seek(max(size - _ENDS_BYTES, 0))
        digest.update(f.read(_ENDS_BYTES))
    return f"{size}-{digest.hexdigest()}"
