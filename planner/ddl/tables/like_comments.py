"""LIKE ... INCLUDING COMMENTS: what is said of the constraints and indexes that the new table gets, too.

    INCLUDING CONSTRAINTS    the comment of a CHECK is the new CHECK's, which has its name
    INCLUDING INDEXES        the comment of an index is the new index's; of a key that of its index, not of its constraint

A new index has a name of its own, so keys are found by their columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planner.abc import Constraint, Oid, Table
from planner.catalog import Catalog, Comment
from planner.ddl.scope import Scope


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment, and which constraint of the new table it is of: that of this name, or the key of these columns."""

    kind: str
    name: str
    columns: tuple[str, ...]
    text: str


def text_of(catalog: Catalog, oid: Oid) -> str:
    """What is said of an object as a whole; empty: nothing."""
    return next((c.text for c in catalog.comments_on(oid) if not c.sub), "")


def of_constraints(catalog: Catalog, source: Table, including: Iterable[str]) -> list[Remark]:
    """What is said of those constraints that the new table gets."""
    want, found = set(including), list[Remark]()
    for constraint in source.constraints:
        if constraint.kind == "c" and "constraints" in want:
            text = text_of(catalog, constraint.oid)
        elif constraint.kind in "pux" and constraint.index_oid and "indexes" in want:
            text = text_of(catalog, constraint.index_oid)
        else:
            continue
        if text:
            found.append(Remark(constraint.kind, constraint.name, _columns(source, constraint), text))
    return found


def put(scope: Scope, table: Table, remarks: Iterable[Remark]) -> None:
    """Says of the new table's constraints what was said of the old one's."""
    for remark in remarks:
        for constraint in table.constraints:
            if constraint.kind != remark.kind:
                continue
            check = remark.kind == "c"
            same = constraint.name == remark.name if check else _columns(table, constraint) == remark.columns
            if same:
                on = constraint.oid if check else constraint.index_oid
                scope.add(Comment(scope.allocate(), on, 0, remark.text))
                break


def _columns(table: Table, constraint: Constraint) -> tuple[str, ...]:
    names = {c.attnum: c.name for c in table.columns}
    return tuple(names.get(a, "") for a in constraint.columns)
