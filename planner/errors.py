"""An error of a SQL statement: its SQLSTATE, its words, and what else PostgreSQL says about it (its manual, 55.8).

The rooms that find errors fill in what they know (a position, a column, a constraint); who tells the client adds what can
be known there alone: the offset of the statement in a longer string, a schema's present name, what this user may read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from planner.relations import Oid


class SqlError(Exception):
    """An error of a SQL statement, as PostgreSQL words it.

    SQL's errors are named by SQLSTATE in the standard itself, so the two rooms that speak SQL
    (planner, executor) raise this; the rooms below have typed exceptions that pgwire maps.

    `position` is the 1-based character position in the statement's own text (0: none). `about_oid` is the
    table or type that it is about: whoever tells the client knows what that one's schema is called by then.
    """

    routine = ""
    """PostgreSQL's name of the routine that says it, where clients know it by that name (else ours, see planner/source_places.py)."""

    def __init__(
        self,
        sqlstate: str,
        message: str,
        *,
        position: int = 0,
        detail: str = "",
        hint: str = "",
        about_oid: Oid = 0,
        table: str = "",
        column: str = "",
        constraint: str = "",
        datatype: str = "",
        context: str = "",
    ) -> None:
        super().__init__(message)
        self.sqlstate, self.message, self.position = sqlstate, message, position
        self.detail, self.hint = detail, hint
        self.about_oid, self.table, self.column = about_oid, table, column
        self.constraint, self.datatype = constraint, datatype
        self.context = context  # where it happened: `COPY t, line 3, column b: "x"`
        self.schema = ""  # as RAISE has said it; of all others it is that of `about_oid`
        self.query = ""  # the text that `position` counts in, where it is not what the client has sent
        self.which: Callable[[], int | None] | None = (
            None  # of many rows given together: which it is about, from 0
        )
        self.told: Told | None = None  # whose values DETAIL tells: not everybody may read them
        self.row: tuple[Any, ...] | None = None  # the whole row that DETAIL tells
        self.notices: Sequence[Any] = ()  # what DDL had to say before it came to this


class Told:
    """The values in an error's DETAIL: of which columns of a relation, and what is said to who may read some or none.

    PostgreSQL tells nobody by an error what a SELECT would refuse him.
    """

    __slots__ = ("attnums", "instead", "relation_oid")

    def __init__(
        self, relation_oid: Oid, attnums: tuple[int, ...], instead: Callable[[frozenset[int]], str]
    ) -> None:
        """`instead`: the DETAIL for who may read these of the columns, and not all."""
        self.relation_oid, self.attnums, self.instead = relation_oid, attnums, instead


class PlanError(SqlError):
    """A statement that cannot be planned: syntax, names, types."""


# What somebody further up does something about has a class, so that nobody has to know an error by its words.


class NoSuchType(PlanError):
    """42704, with the name that is none of a type."""

    def __init__(self, name: str, position: int = 0) -> None:
        super().__init__("42704", f'type "{name}" does not exist', position=position)
        self.name = name


class NotComposite(PlanError):
    """42809: `.*` of a value that has no fields."""


class UndescribedRecord(PlanError):
    """42846: a record as a value of a composite type, and nothing says what is in it before it is there."""


class NotImmutable(PlanError):
    """42P17: a function whose answers change, where the answer has to be the same forever."""


class AfterAnalysis(PlanError):
    """What PostgreSQL finds when a statement is planned or run, and not when it is analysed: a body that holds it can be made."""


class BytesLeftOver(SqlError):
    """22P03: a value in binary form that is shorter than what was sent for it. Who knows which value it was says so."""

    def __init__(self, where: str = "") -> None:
        super().__init__("22P03", "incorrect binary data format" + where)
