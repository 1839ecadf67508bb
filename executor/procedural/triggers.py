"""Trigger functions: what whoever fires a trigger calls.

    fire(session, routine, TriggerContext(...))  ->  the row that goes on, or None

`routine` is the catalog's `Function` with `language` "plpgsql" and `result` of type trigger. The session is in a block
(`session.block`), be it an implicit one; what the function does is done in that block. Rows are datums in the order of the
table's columns. Of a row-level trigger the answer is the row that the function returned (BEFORE INSERT OR UPDATE, INSTEAD OF: write
that one; it is OLD's or NEW's tuple itself where the function left it alone), and None for NULL: this row is left alone.
Of AFTER triggers and statement-level ones the answer is to be ignored.

Errors are raised as they are, with their context; nothing is rolled back here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from planner.abc import Table
from planner.catalog import Function
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.session import Session


@dataclass(frozen=True, slots=True)
class TriggerContext:
    """What a trigger function knows of why it was called."""

    name: str
    """TG_NAME"""
    when: str
    """TG_WHEN: BEFORE, AFTER, INSTEAD OF"""
    level: str
    """TG_LEVEL: ROW, STATEMENT"""
    op: str
    """TG_OP: INSERT, UPDATE, DELETE, TRUNCATE"""
    table: Table
    """TG_RELID and TG_TABLE_NAME; NEW and OLD are its rows."""
    schema: str
    """TG_TABLE_SCHEMA"""
    arguments: Sequence[str] = ()
    """TG_ARGV"""
    new: Row | None = None
    old: Row | None = None
    transition: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    """By the names of REFERENCING: rows of the table."""


async def fire(session: Session, routine: Function, context: TriggerContext) -> Row | None:
    """Runs a trigger function. Raises what it raises; 39P01 for a value that is no row of the table."""
    raise ExecutionError("0A000", "functions in PL/pgSQL are not supported")


__all__ = ["TriggerContext", "fire"]
