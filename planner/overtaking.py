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

from planner.relations import Constraint, Table


def goes_on(old: Table, new: Table, *, only_adds: bool) -> bool:
    """Whether what was done under the old definition holds under the new one. `only_adds`: no row of the table was changed or deleted,
    so that nobody who has begun to refer to it since can have lost one."""
    if not only_adds and not set(new.referenced_by) <= set(old.referenced_by):
        return False
    if not _as_many(old, new):
        return False
    alike = _unsaid(old, new)
    return old == dataclasses.replace(
        alike,
        children=old.children,  # heirs come and go: their rows are their own
        retention_us=old.retention_us,
        referenced_by=old.referenced_by,
        constraints=tuple(map(_aimed_as_before, old.constraints, alike.constraints)),
    )


def concerns_nobody(old: Table, new: Table) -> bool:
    """Whether no statement does anything else under the new definition."""
    return _as_many(old, new) and old == _unsaid(old, new)


def asks_of_rows_alone(old: Table, new: Table) -> bool:
    """Whether all that the new definition has besides are triggers, foreign keys and unique indexes: those who only read are not
    concerned. (PostgreSQL's ADD UNIQUE is, which makes an index a constraint.)"""
    alike = dataclasses.replace(
        new,
        shard=old.shard,  # of which an index may be the reason
        triggers=old.triggers,
        referenced_by=old.referenced_by,
        constraints=old.constraints,
        options=old.options,
        comment=old.comment,
    )
    added = tuple(c for c in new.constraints if c not in old.constraints)
    return (
        alike == old
        and all(c in new.constraints for c in old.constraints)
        and all(c.kind == "f" or c.index_only for c in added)
    )


def _as_many(old: Table, new: Table) -> bool:
    return len(old.constraints) == len(new.constraints) and len(old.columns) == len(new.columns)


def _unsaid(old: Table, new: Table) -> Table:
    """The new definition without what it says that concerns nobody."""
    return dataclasses.replace(
        new,
        comment=old.comment,
        options=old.options,
        columns=tuple(
            dataclasses.replace(now, statistics=was.statistics, settings=was.settings)
            for was, now in zip(old.columns, new.columns, strict=True)
        ),
        constraints=tuple(
            dataclasses.replace(now, validated=was.validated if now.validated else now.validated)
            for was, now in zip(old.constraints, new.constraints, strict=True)
        ),
    )


def _aimed_as_before(old: Constraint, new: Constraint) -> Constraint:
    """The constraint as it was, where more partitions can be referred to by now."""
    return dataclasses.replace(new, aims=old.aims if set(old.aims) <= set(new.aims) else new.aims)


__all__ = ["asks_of_rows_alone", "concerns_nobody", "goes_on"]
