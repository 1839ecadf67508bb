"""The grammar of constraints, of a column or of a table.

[CONSTRAINT name]  PRIMARY KEY | UNIQUE [NULLS [NOT] DISTINCT] | CHECK (...) | [FOREIGN KEY] REFERENCES ...
                   [[NOT] DEFERRABLE] [INITIALLY DEFERRED | IMMEDIATE] [NOT VALID]
"""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.parse import clauses
from planner.parse.cursor import Cursor

FIRST_WORDS: Final = ("constraint", "primary", "unique", "check", "foreign", "exclude")
"""What a constraint of a table begins with."""
_ACTIONS: Final = {"cascade": "c", "restrict": "r"}


def table_constraint(c: Cursor) -> st.ConstraintDef:
    position = c.position
    name = c.name() if c.accept("constraint") else ""
    return constraint(c, name, position, of_column=False)


def constraint(c: Cursor, name: str, position: int, of_column: bool) -> st.ConstraintDef:
    fields: dict[str, Any] = {"name": name, "position": position}
    if c.accept("primary", "key") or c.accept("unique"):
        fields["kind"] = "p" if c.tokens[c.at - 1].value == "key" else "u"
        if fields["kind"] == "u":
            if c.accept("nulls", "not", "distinct"):
                fields["nulls_not_distinct"] = True
            else:
                c.accept("nulls", "distinct")
        if not of_column:
            if c.accept("using", "index"):
                fields["using_index"] = c.name()
            else:
                fields["columns"] = c.name_list()
        if c.accept("include"):
            c.name_list()
        if c.accept("with"):
            clauses.storage_options(c)
        if c.accept("using", "index", "tablespace"):
            c.name()
    elif c.accept("check"):
        fields["kind"] = "c"
        fields["expression"] = c.parenthesised()
        if c.accept("no", "inherit"):
            pass
    elif c.next_is("references") or c.next_is("foreign", "key"):
        fields["kind"] = "f"
        if c.accept("foreign", "key"):
            if of_column:
                c.fail(c.tokens[c.at - 2])
            fields["columns"] = c.name_list()
        c.expect("references")
        fields["foreign"] = c.qualified()
        if c.symbol_is("("):
            fields["foreign_columns"] = c.name_list()
        _reference_options(c, fields)
    elif c.accept("exclude"):
        c.unsupported("EXCLUDE", c.tokens[c.at - 1])
    else:
        c.fail()
    _constraint_attributes(c, fields)
    return st.ConstraintDef(**fields)


def _reference_options(c: Cursor, fields: dict[str, Any]) -> None:
    while True:
        if c.accept("match"):
            how = c.accept_one("full", "partial", "simple")
            if how == "partial":
                c.unsupported("MATCH PARTIAL", c.tokens[c.at - 1])
            if not how:
                c.fail()
            fields["match"] = how[0]
        elif c.next_is("on", "delete") or c.next_is("on", "update"):
            c.advance()
            which = "on_" + c.advance().value
            if c.accept("no", "action"):
                fields[which] = "a"
            elif c.accept("set", "null"):
                fields[which] = "n"
            elif c.accept("set", "default"):
                fields[which] = "d"
            elif action := c.accept_one(*_ACTIONS):
                fields[which] = _ACTIONS[action]
            else:
                c.fail()
            if fields[which] in "nd" and c.symbol_is("("):
                c.unsupported("a column list in ON DELETE SET")
        else:
            return


def _constraint_attributes(c: Cursor, fields: dict[str, Any]) -> None:
    while True:
        if c.accept("deferrable"):
            fields["deferrable"] = True
        elif c.accept("not", "deferrable"):
            fields["deferrable"] = False
        elif c.accept("initially", "deferred"):
            fields["initially_deferred"] = fields["deferrable"] = True
        elif c.accept("initially", "immediate"):
            pass
        elif c.next_is("not", "valid"):
            c.at += 2
            fields["not_valid"] = True
        elif c.accept("no", "inherit"):
            pass
        else:
            return
