"""What may follow a column's type, in any order: NULL, DEFAULT, GENERATED, COLLATE and the constraints of tables.

PostgreSQL refuses what is said twice and what contradicts itself where it stands, so that is done here; only of
`serial`, which is a type until types are looked up, it is done later (`planner.ddl.tables.creation`).
"""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import PlanError
from planner.parse import constraints
from planner.parse.cursor import Cursor
from planner.parse.sequences import sequence_options
from planner.records import replace


def read(c: Cursor, column: st.ColumnDef, table: str) -> st.ColumnDef:
    """The column with all that is said after its type."""
    said = _Said(column, table)
    while True:
        position = c.position
        name = c.name() if c.accept("constraint") else ""
        if c.accept("not", "null"):
            said.nullness(True, position)
        elif c.accept("null"):
            said.nullness(False, position)
        elif c.accept("default"):
            said.once("default", "multiple default values specified", position)
            said.changes["default"] = default_expression(c)
        elif c.accept("generated"):
            _generated(c, said, position)
        elif c.accept("collate"):
            said.changes["collation"], said.changes["collation_position"] = c.collation(), position
        elif c.word in ("primary", "unique", "check", "references") and c.token.keyword:
            said.constraints.append(constraints.constraint(c, name, position, of_column=True))
        elif name:
            c.fail()
        else:
            return replace(column, constraints=tuple(said.constraints), **said.changes)


class _Said:
    """What was said of a column so far."""

    def __init__(self, column: st.ColumnDef, table: str) -> None:
        self._of = f'for column "{column.name}" of table "{table}"'
        self._nulls = f'conflicting NULL/NOT NULL declarations for column "{column.name}" of table "{table}"'
        self.constraints: list[st.ConstraintDef] = []
        self.changes: dict[str, Any] = {}

    def nullness(self, not_null: bool, position: int) -> None:
        if self.changes.get("not_null", not_null) != not_null:
            raise PlanError("42601", self._nulls, position=position)
        self.changes["not_null"] = not_null

    def once(self, what: str, message: str, position: int) -> None:
        """Raises 42601 for a default, an identity or an expression after one of its kind or of another."""
        if what in self.changes:
            raise PlanError("42601", f"{message} {self._of}", position=position)
        self.changes[what] = None
        kinds = {"default": "default", "identity": "identity", "generated": "generation expression"}
        present = [word for kind, word in kinds.items() if kind in self.changes]
        if len(present) > 1:
            raise PlanError(
                "42601", f"both {present[0]} and {present[1]} specified {self._of}", position=position
            )


def _generated(c: Cursor, said: _Said, position: int) -> None:
    """After GENERATED."""
    how = c.position
    when = "a" if c.accept("always") else "d" if c.accept("by", "default") else c.fail()
    c.expect("as")
    if c.accept("identity"):
        options = sequence_options(c, parenthesised=True) if c.symbol_is("(") else None
        said.once("identity", "multiple identity specifications", position)
        said.nullness(True, position)
        said.changes["identity"], said.changes["identity_options"] = when, options
        return
    expression = c.enclosed()
    c.expect("stored")
    if when == "d":
        raise PlanError("42601", "for a generated column, GENERATED ALWAYS must be specified", position=how)
    said.once("generated", "multiple generation clauses specified", position)
    said.changes["generated"] = expression


def default_expression(c: Cursor) -> st.Sql:
    """The expression after DEFAULT. An operator that would have to be in brackets is left to who goes on, and refuses it."""
    return c.expression(narrow=True)
