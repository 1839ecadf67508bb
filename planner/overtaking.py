"""Which changes of a table's definition leave right what was written under the older one.

    A   BEGIN   INSERT INTO t ...                                             COMMIT
    B                          CREATE TABLE c () INHERITS (t)                         t is another object by now, but not for A's row

A block's writes are planned against a definition, and refused (40001) where another has taken its place. At READ COMMITTED PostgreSQL
lets go on whoever it has nothing to ask of: definitions that lock out no writer there, and those whose wait is for nothing but the
lock. What asks something of rows, gives them another shape, or has to be told of writes (keys, CHECKs, columns, triggers) is none of them.
"""

from __future__ import annotations

import dataclasses

from planner.relations import Constraint, Table


def goes_on(old: Table, new: Table, *, only_adds: bool) -> bool:
    """Whether what was done under the old definition holds under the new one. `only_adds`: no row of the table was changed or deleted,
    so that nobody who has begun to refer to it since can have lost one."""
    if not only_adds and not set(new.referenced_by) <= set(old.referenced_by):
        return False
    if len(old.constraints) != len(new.constraints):
        return False
    return old == dataclasses.replace(
        new,
        children=old.children,  # heirs come and go: their rows are their own
        comment=old.comment,
        options=old.options,
        retention_us=old.retention_us,
        referenced_by=old.referenced_by,
        constraints=tuple(
            _as_before(was, now) for was, now in zip(old.constraints, new.constraints, strict=True)
        ),
    )


def _as_before(old: Constraint, new: Constraint) -> Constraint:
    """The constraint as it was, where more partitions can be referred to by now, or what rows are asked for has been asked of all."""
    aims = old.aims if set(old.aims) <= set(new.aims) else new.aims
    validated = old.validated if new.validated else new.validated
    return dataclasses.replace(new, aims=aims, validated=validated)


__all__ = ["goes_on"]
