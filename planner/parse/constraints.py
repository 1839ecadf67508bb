"""The grammar of constraints, of a column or of a table.

[CONSTRAINT name]  PRIMARY KEY | UNIQUE [NULLS [NOT] DISTINCT] | CHECK (...) | [FOREIGN KEY] REFERENCES ...
                   | EXCLUDE ... (`exclusions`)
                   [[NOT] DEFERRABLE] [INITIALLY DEFERRED | IMMEDIATE] [NOT VALID]
"""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.parse import clauses
from planner.parse.cursor import Cursor
from planner.parse.exclusions import exclusion
from planner.parse.storage import storage_options

_FIRST_WORDS: Final = ("constraint", "primary", "unique", "check", "foreign")
_ACTIONS: Final = {"cascade": "c", "restrict": "r"}


def begins(c: Cursor) -> bool:
    """Whether a constraint of a table is next. A column may be called exclude, so that asks for what comes after it."""
    if not c.token.keyword:
        return False
    return (
        c.word in _FIRST_WORDS
        or c.next_is("exclude", "using")
        or (c.word == "exclude" and c.ahead().value == "(")
    )


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
        if not of_column and c.accept("include"):
            fields["include"] = c.name_list()
        if c.accept("with"):
            storage_options(c, "btree")
        if c.accept("using", "index", "tablespace"):
            clauses.tablespace(c)
    elif c.accept("check"):
        fields["kind"] = "c"
        fields["expression"] = c.enclosed()
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
    elif not of_column and c.accept("exclude"):
        exclusion(c, fields)
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
            position = c.position
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
                if which == "on_update":
                    action = "SET NULL" if fields[which] == "n" else "SET DEFAULT"
                    raise PlanError(
                        "0A000",
                        f"a column list with {action} is only supported for ON DELETE actions",
                        position=position,
                    )
                fields["delete_columns"] = c.name_list()
        else:
            return


_KINDS: Final = {"p": "PRIMARY KEY", "u": "UNIQUE", "c": "CHECK", "f": "FOREIGN KEY", "x": "EXCLUDE"}


def _constraint_attributes(c: Cursor, fields: dict[str, Any]) -> None:
    """[NOT] DEFERRABLE, INITIALLY DEFERRED | IMMEDIATE, NOT VALID, NO INHERIT, each where it may be."""
    kind = fields["kind"]
    _, found = attributes(c)
    if kind == "c":
        _refuse(kind, found, deferrable="DEFERRABLE")
    elif kind in "pux":
        _refuse(kind, found, not_valid="NOT VALID", no_inherit="NO INHERIT")
    else:
        _refuse(kind, found, no_inherit="NO INHERIT")
    fields.update(found)


def _refuse(kind: str, found: dict[str, bool], **marks: str) -> None:
    for field, shown in marks.items():
        if found.get(field):
            raise PlanError("0A000", f"{_KINDS[kind]} constraints cannot be marked {shown}")


def attributes(c: Cursor) -> tuple[int, dict[str, bool]]:
    """What follows a constraint, and where. Raises 42601 for what contradicts itself, there."""
    found: dict[str, bool] = {}
    first = position = c.position

    def say(field: str, value: bool) -> None:
        if found.get(field, value) != value:
            raise PlanError("42601", "conflicting constraint properties", position=position)
        found[field] = value
        if found.get("initially_deferred") and found.get("deferrable") is False:
            raise PlanError(
                "42601", "constraint declared INITIALLY DEFERRED must be DEFERRABLE", position=position
            )

    while True:
        position = c.position
        if c.accept("deferrable"):
            say("deferrable", True)
        elif c.accept("not", "deferrable"):
            say("deferrable", False)
        elif c.accept("initially", "deferred"):
            say("initially_deferred", True)
        elif c.accept("initially", "immediate"):
            say("initially_deferred", False)
        elif c.accept("not", "valid"):
            found["not_valid"] = True
        elif c.accept("no", "inherit"):
            found["no_inherit"] = True
        else:
            break
    if found.get("initially_deferred"):
        found["deferrable"] = True
    return first, found
