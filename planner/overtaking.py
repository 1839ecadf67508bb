"""Which changes of a table's definition leave right what was written under the older one.

    A   BEGIN   INSERT INTO t ...                                             COMMIT
    B                          CREATE TABLE c () INHERITS (t)                         t is another object by now, but not for A's row

A block's writes are planned against a definition, and refused (40001) where another has taken its place. At READ COMMITTED PostgreSQL
lets go on whoever it has nothing to ask of: definitions that lock out no writer there, and those whose wait is for nothing but the
lock. What asks something of rows, gives them another shape, or has to be told of writes (keys, CHECKs, columns, triggers) is none of them.

Some concern nobody, at any level: a comment, storage parameters, what is to be counted of a column, and that a constraint which has been
asked of every new row all along holds for the old ones, too (VALIDATE CONSTRAINT). PostgreSQL locks those against other definitions alone
(SHARE UPDATE EXCLUSIVE), so that they can be made beside any load.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

from planner.catalog import View
from planner.relations import Column, Constraint, Table

_UNSAID: Final = frozenset(("comment", "options", "columns", "constraints"))
"""What concerns nobody, or is looked at by its parts."""
_HEIRS: Final = frozenset(("children", "dealt_anew"))
_OF_OTHERS: Final = _UNSAID | _HEIRS | {"retention_us", "referenced_by", "computed_anew"}
"""Heirs and partitions come and go: their rows are their own. An index that cannot be computed of every row waits for writers, or says
that it does not (CONCURRENTLY)."""
_ASKED_OF_ROWS: Final = frozenset(
    ("shard", "triggers", "referenced_by", "constraints", "options", "comment", "computed_anew")
)
"""The shard with them, of which an index may be the reason."""


def goes_on(old: Table, new: Table, *, only_adds: bool) -> bool:
    """Whether what was done under the old definition holds under the new one. `only_adds`: no row of the table was changed or deleted,
    so that nobody who has begun to refer to it since can have lost one."""
    if not only_adds and not set(new.referenced_by) <= set(old.referenced_by):
        return False
    return (
        _alike(old, new, _OF_OTHERS)
        and _all(old.columns, new.columns, _same_column)
        and _all(old.constraints, new.constraints, _aimed_as_before)
    )


def heirs_alone(old: Table, new: Table) -> bool:
    """Whether nothing has changed but the table's heirs or partitions, and what concerns nobody."""
    return (
        _alike(old, new, _UNSAID | _HEIRS)
        and _all(old.columns, new.columns, _same_column)
        and _all(old.constraints, new.constraints, _same_constraint)
    )


def concerns_nobody(old: Table, new: Table) -> bool:
    """Whether no statement does anything else under the new definition."""
    return (
        _alike(old, new, _UNSAID)
        and _all(old.columns, new.columns, _same_column)
        and _all(old.constraints, new.constraints, _same_constraint)
    )


def asks_of_rows_alone(old: Table, new: Table) -> bool:
    """Whether all that the new definition has besides are triggers, foreign keys and unique indexes: those who only read are not
    concerned. (PostgreSQL's ADD UNIQUE is, which makes an index a constraint.)"""
    if not _alike(old, new, _ASKED_OF_ROWS):
        return False
    added = tuple(c for c in new.constraints if c not in old.constraints)
    return all(c in new.constraints for c in old.constraints) and all(
        c.kind == "f" or c.index_only for c in added
    )


def shows_the_same(old: View, new: View) -> bool:
    """Whether nothing has changed of a view but its triggers: those who only read it are not concerned."""
    return _alike(old, new, frozenset(("triggers",)))


def _same_column(old: Column, new: Column) -> bool:
    return _alike(old, new, frozenset(("statistics", "settings")))


def _same_constraint(old: Constraint, new: Constraint) -> bool:
    """Or it has been found to hold for all rows by now."""
    return (new.validated or not old.validated) and _alike(old, new, frozenset(("validated",)))


def _aimed_as_before(old: Constraint, new: Constraint) -> bool:
    """The same, where more partitions can be referred to by now."""
    return (
        (new.validated or not old.validated)
        and set(old.aims) <= set(new.aims)
        and _alike(old, new, frozenset(("validated", "aims")))
    )


def _all(old: tuple[Any, ...], new: tuple[Any, ...], alike: Callable[[Any, Any], bool]) -> bool:
    return old is new or (
        len(old) == len(new) and all(was is now or alike(was, now) for was, now in zip(old, new, strict=True))
    )


def _alike(old: object, new: object, but: frozenset[str]) -> bool:
    """Whether two records say the same, but for these fields."""
    if type(old) is not type(new):
        return False
    values = _values(type(old), but)  # type: ignore[arg-type]
    return bool(values(old) == values(new))


@functools.cache
def _values(cls: Any, but: frozenset[str]) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*(f.name for f in dataclasses.fields(cls) if f.compare and f.name not in but))


__all__ = ["asks_of_rows_alone", "concerns_nobody", "goes_on", "heirs_alone", "shows_the_same"]
